/*
 * What goes out: outboxes whose tails are written, and the chunks behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "superstep/internal.h"

/* A first chunk; the next ones double up to MOST, and larger ones are given back when a
 * superstep has not needed them. */
enum { FIRST = 4096 - OB_LINE, MOST = 4 << 20, KEPT = 1 << 20 };

/* ------------------------------------------------------------------ memory */

static bool is_lent(const ob_superstep *x, int dest)
{
    return x->shared && dest != x->me;
}

static int take(ob_superstep *x, int dest, size_t capacity, ob_piece *p)
{
    size_t bytes = sizeof(ob_chunk) + capacity;
    *p = (ob_piece){.capacity = capacity};
    if (is_lent(x, dest))
        p->at = ob_group_lend(x->group, bytes, 1, &p->name);
    else if ((p->at = aligned_alloc(OB_LINE, bytes)) == NULL)
        ob_fail(OB_ENOMEM, "OB-4001 no memory for %zu bytes from process %d to process %d",
                capacity, x->group->job->number, x->group->peer[dest]->number);
    if (p->at == NULL)
        return OB_ENOMEM;
    memset(p->at, 0, sizeof(ob_chunk));
    return OB_OK;
}

static void give(ob_superstep *x, int dest, ob_piece *p)
{
    if (is_lent(x, dest))
        ob_group_give_back(x->group, p->at);
    else
        free(p->at);
    p->at = NULL;
}

void ob_outbox_shorten(ob_superstep *x, int dest, ob_outbox *o, int from)
{
    while (o->count > from)
        give(x, dest, &o->piece[--o->count]);
}

/* ------------------------------------------------------------------- tails */

static void use(ob_superstep *x, int dest, const ob_piece *p)
{
    x->tail[dest] = (ob_tail){p->at->data, p->at->data + p->capacity};
}

static int append(ob_outbox *o, const ob_piece *p)
{
    if (o->count == o->space) {
        int space = o->space ? 2 * o->space : 4;
        ob_piece *more = realloc(o->piece, (size_t)space * sizeof *more);
        if (more == NULL)
            return ob_fail(OB_ENOMEM, "OB-4001 no memory for a list of %d chunks", space);
        o->piece = more;
        o->space = space;
    }
    o->piece[o->count++] = *p;
    return OB_OK;
}

static void stop(const ob_superstep *x, int dest, ob_outbox *o)
{
    const ob_piece *p = &o->piece[o->used - 1];
    if (!p->attached)
        p->at->bytes = (uint64_t)(x->tail[dest].next - p->at->data);
}

/* The piece behind those in use, of at least so many bytes. */
static int next_piece(ob_superstep *x, int dest, size_t least, size_t capacity, ob_piece **piece)
{
    ob_outbox *o = &x->out[x->turn][dest];
    ob_piece p;
    if (o->used == o->count || o->piece[o->used].capacity < least) {
        ob_outbox_shorten(x, dest, o, o->used);
        int status = take(x, dest, ob_align(least > capacity ? least : capacity), &p);
        if (status == OB_OK && (status = append(o, &p)) != OB_OK)
            give(x, dest, &p);
        if (status != OB_OK) {
            x->tail[dest].end = x->tail[dest].next;
            return status;
        }
    }
    *piece = &o->piece[o->used++];
    (*piece)->attached = false;
    return OB_OK;
}

/* Ends the piece in use; one with nothing in it is dropped. */
static void end_piece(ob_superstep *x, int dest)
{
    ob_outbox *o = &x->out[x->turn][dest];
    if (o->used == 0)
        return;
    stop(x, dest, o);
    if (o->piece[o->used - 1].at->bytes == 0)
        ob_outbox_shorten(x, dest, o, --o->used);
}

int ob_superstep_grow(ob_superstep *x, int dest, size_t bytes)
{
    const ob_outbox *o = &x->out[x->turn][dest];
    ob_piece *p;
    if (bytes > PTRDIFF_MAX - sizeof(ob_chunk) - OB_LINE)
        return ob_fail(OB_ENOMEM,
                       "OB-1005 ob_superstep_grow: %zu bytes for process %d are too many", bytes,
                       x->group->peer[dest]->number);
    size_t last = o->used ? o->piece[o->used - 1].capacity : 0;
    end_piece(x, dest);
    int status = next_piece(x, dest, bytes,
                            last == 0     ? FIRST
                            : last < MOST ? 2 * last + OB_LINE
                                          : MOST,
                            &p);
    if (status == OB_OK)
        use(x, dest, p);
    return status;
}

/* Behind it the tail is full: what is written next begins another span. */
int ob_superstep_attach(ob_superstep *x, int dest, const ob_view *matrix)
{
    size_t bytes = ob_view_bytes(matrix);
    ob_piece *p;
    if (bytes == 0)
        return OB_OK;
    end_piece(x, dest);
    x->tail[dest] = (ob_tail){NULL, NULL};
    bool here = x->shared || dest == x->me;
    int status = next_piece(x, dest, here ? bytes : 0, 0, &p);
    if (status != OB_OK)
        return status;
    p->at->bytes = bytes;
    if (here) {
        ob_view_pack(matrix, p->at->data);
        x->tail[dest].next = x->tail[dest].end = p->at->data + bytes;
    } else {
        p->attached = true;
        p->view = *matrix;
    }
    return OB_OK;
}

ob_tail *ob_superstep_tails(ob_superstep *x)
{
    return x->tail;
}

size_t ob_outbox_close(ob_superstep *x, int dest)
{
    ob_outbox *o = &x->out[x->turn][dest];
    size_t bytes = 0;
    if (o->used == 0)
        return 0;
    stop(x, dest, o);
    for (int i = 0; i < o->used; i++) {
        bytes += o->piece[i].at->bytes;
        o->piece[i].at->next = i + 1 < o->used ? o->piece[i + 1].name : 0;
    }
    return bytes;
}

/* The other set's turn: its chunks are written from the start. */
void ob_outboxes_turn(ob_superstep *x)
{
    x->turn ^= 1;
    for (int d = 0; d < x->size; d++) {
        ob_outbox *o = &x->out[x->turn][d];
        bool idle = o->used && o->piece[0].at->bytes == 0;
        ob_outbox_shorten(x, d, o, o->used);
        if (idle && o->piece[0].capacity > KEPT)
            ob_outbox_shorten(x, d, o, 0);
        o->used = o->count > 0;
        x->tail[d] = (ob_tail){NULL, NULL};
        if (o->used)
            use(x, d, &o->piece[0]);
    }
}
