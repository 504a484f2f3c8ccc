/*
 * Where not all processes read each other's memory: what goes from one to another goes straight, in
 * pieces, and nobody else waits for it. Both know from the start how much it is.
 *
 * A process deals with the others in the order of their distance: it sends to the one so far above
 * it, and receives from the one so far below. It sends further ahead as long as what may not have
 * been received yet is bounded; of some of it the transport never says so, and the rest is
 * sent synchronously. Nobody can wait in a circle: who is at the least place in this order, of
 * distance and number of the piece, waits for one who is there, too, or beyond, and has sent it the
 * piece, or has received those that the window is full of.
 */
#include "rounds.h"

#include <stdlib.h>

/* The BLACS have the tags 0 and 1 in the same group. */
enum { TAG = 2 };
/* Pieces of either kind that may be on their way, bytes of the longest one, and synchronous
 * messages. What others send may be longer than what we do: the window is as our heap. */
enum { PIECES = 8, PIECE = 2 * OBRD_ROUND / PIECES, MOST = 64 };
_Static_assert(PIECE >= OBRD_WIDE * 16, "no row fits into a piece");

typedef struct direct {
    exchange *x;
    ob_group *group;
    char *out, *in; /* a piece each */
    int next;       /* in dest: who gets the next piece */
    int64_t piece;  /* and its number */
    size_t window;  /* bytes of either kind */
    size_t most;    /* and of a piece of ours */
    size_t plain;   /* sent without an answer */
    size_t unread;  /* sent synchronously, and not yet received */
    ob_request *request[MOST];
    size_t bytes[MOST];
    int first, count; /* of the requests, in a ring */
} direct;

/* ----------------------------------------------------------------- sending */

static bool all_sent(direct *d)
{
    const exchange *x = d->x;
    for (; d->next < x->dests && obrd_stream_ended(&x->dest[d->next].stream); d->next++)
        d->piece = 0;
    return d->next == x->dests;
}

/* Is the next piece one of those up to that number for that distance? */
static bool behind(direct *d, int distance, int64_t piece)
{
    if (all_sent(d))
        return false;
    const exchange *x = d->x;
    int its = (x->dest[d->next].position - x->me + x->size) % x->size;
    return its < distance || (its == distance && d->piece <= piece);
}

/* Makes room in the window for one more piece, or, without waiting, says that there is none. */
static int make_way(direct *d, bool waits, bool *is_free)
{
    *is_free = true;
    while (d->plain + d->most > d->window &&
           (d->count == MOST || d->unread + d->most > d->window)) {
        int done = 1;
        ob_request **oldest = &d->request[d->first];
        int status = waits ? ob_wait(oldest, NULL) : ob_test(oldest, &done, NULL);
        *is_free = status == OB_OK && done;
        if (!*is_free)
            return status;
        d->unread -= d->bytes[d->first];
        d->first = (d->first + 1) % MOST;
        d->count--;
    }
    return OB_OK;
}

static int send_piece(direct *d)
{
    partner *p = &d->x->dest[d->next];
    size_t bytes = obrd_pack(&p->stream, d->out, d->most);
    ob_view v = ob_view_vector(d->out, bytes, OB_BYTE);
    d->piece++;
    if (d->plain + d->most <= d->window) {
        d->plain += bytes;
        return ob_send(d->group, p->position, TAG, &v);
    }
    int last = (d->first + d->count++) % MOST;
    d->bytes[last] = bytes;
    d->unread += bytes;
    return ob_isend(d->group, p->position, TAG, &v, OB_SYNCHRONOUS, &d->request[last]);
}

/* Waits for room where it must, and else sends what there is room for. */
static int send_until(direct *d, int distance, int64_t piece)
{
    int status = OB_OK;
    for (bool is_free = true; status == OB_OK && !all_sent(d);) {
        status = make_way(d, behind(d, distance, piece), &is_free);
        if (!is_free)
            return status;
        status = send_piece(d);
    }
    return status;
}

/* --------------------------------------------------------------- receiving */

static int receive_piece(direct *d, partner *p)
{
    ob_received got;
    ob_view v = ob_view_vector(d->in, PIECE, OB_BYTE);
    int status = ob_recv_with(d->group, p->position, TAG, &v, OB_SHORTER, &got);
    if (status == OB_OK)
        obrd_unpack(&p->stream, d->in, got.bytes);
    return status;
}

/* From ourselves to ourselves. */
static void move_own(direct *d)
{
    exchange *x = d->x;
    partner *from = x->dest, *to = x->source;
    if (x->dests == 0 || from->position != x->me)
        return;
    if (!x->move->transposed)
        obrd_copy(&from->stream, &to->stream);
    else
        while (!obrd_stream_ended(&from->stream))
            obrd_unpack(&to->stream, d->in, obrd_pack(&from->stream, d->in, PIECE));
}

/* So that a stream has ended if it has nothing. */
static void skip_empty_columns(exchange *x)
{
    for (int i = 0; i < x->dests; i++)
        obrd_pack(&x->dest[i].stream, NULL, 0);
    for (int k = 0; k < x->size; k++)
        obrd_unpack(&x->source[k].stream, NULL, 0);
}

static int deal_with_all(direct *d)
{
    exchange *x = d->x;
    d->next = x->dests > 0 && x->dest->position == x->me;
    int status = send_until(d, 0, 0);
    move_own(d);
    for (int k = 1; k < x->size; k++) {
        partner *p = &x->source[k];
        for (int64_t piece = 0;
             status == OB_OK && (behind(d, k, INT64_MAX) || !obrd_stream_ended(&p->stream));
             piece++) {
            status = send_until(d, k, piece);
            if (status == OB_OK && !obrd_stream_ended(&p->stream))
                status = receive_piece(d, p);
        }
    }
    for (; status == OB_OK && d->count; d->count--, d->first = (d->first + 1) % MOST)
        status = ob_wait(&d->request[d->first], NULL);
    return status;
}

int obrd_direct(exchange *x, ob_group *group)
{
    direct d = {.x = x,
                .group = group,
                .out = malloc(PIECE),
                .in = malloc(PIECE),
                .window = 2 * x->round,
                .most = 2 * x->round / PIECES};
    int status = OBRD_ENOMEM;
    if (d.out && d.in) {
        if (x->move->shape != OB_GENERAL)
            skip_empty_columns(x);
        status = deal_with_all(&d);
    }
    free(d.out);
    free(d.in);
    return status;
}
