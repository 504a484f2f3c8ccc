/*
 * A superstep through messages. A member's chunks for another one go behind each
 * other: the first message says what follows, and carries the first chunk when that is short and
 * the only one; short messages for one member travel together. Every member begins with the one
 * above it, so that no member is everyone's first target.
 *
 * In a small group each member sends to each, if only to say that there is nothing: that is the
 * synchronisation, too. In a larger one a sum first tells all how many will send to
 * them; it ends for nobody before all have begun, and then only who has something sends.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "message/message.h"
#include "message/together.h"
#include "superstep/internal.h"

/* Bytes of the longest first message, and members that send to each. */
enum { FIRST = 2048, SMALL = 8 };

/* ----------------------------------------------------------------- sending */

/* Of an attached matrix the head of its chunk, and then the matrix itself. */
static int send_rest(ob_superstep *x, int dest)
{
    const ob_outbox *o = &x->out[x->turn][dest];
    int status = OB_OK;
    for (int i = 0; status == OB_OK && i < o->used; i++) {
        const ob_piece *p = &o->piece[i];
        ob_view v =
            ob_view_vector(p->at, sizeof(ob_chunk) + (p->attached ? 0 : p->at->bytes), OB_BYTE);
        status = ob_together_send(x->data, dest, 0, &v);
        if (status == OB_OK && p->attached)
            status = ob_together_send(x->data, dest, 0, &p->view);
    }
    return status;
}

static int send_to(ob_superstep *x, int dest, const ob_tally *tally)
{
    const ob_outbox *o = &x->out[x->turn][dest];
    _Alignas(OB_LINE) char first[FIRST];
    ob_chunk *head = (ob_chunk *)first;
    memset(head, 0, sizeof *head);
    head->flags = tally->flags;
    head->claim = tally->claim;
    bool one =
        o->used == 1 && !o->piece[0].attached && o->piece[0].at->bytes <= FIRST - sizeof *head;
    if (one) {
        head->bytes = o->piece[0].at->bytes;
        memcpy(head->data, o->piece[0].at->data, head->bytes);
    } else {
        for (int i = 0; i < o->used; i++) {
            head->more += o->piece[i].attached ? 2 : 1;
            head->most += sizeof *head + ob_align(o->piece[i].at->bytes);
        }
    }
    ob_view v = ob_view_vector(head, sizeof *head + head->bytes, OB_BYTE);
    int status = ob_together_send(x->data, dest, 0, &v);
    return status == OB_OK && !one ? send_rest(x, dest) : status;
}

/* To all others; few: to those for whom there is something. Short messages for one of them travel
 * as one. */
static int send_all(ob_superstep *x, bool few, const ob_tally *mine)
{
    int status = ob_together_begin();
    if (status != OB_OK)
        return status;
    for (int k = 1; status == OB_OK && k < x->size; k++) {
        int dest = (x->me + k) % x->size;
        if (!few || ob_outbox_close(x, dest))
            status = send_to(x, dest, mine);
    }
    /* The begin may stand in one of the program's. */
    int flushed = ob_together_flush(ob_together_now);
    int ended = ob_together_end();
    return status ? status : flushed ? flushed : ended;
}

/* --------------------------------------------------------------- receiving */

static int make_space(const ob_superstep *x, ob_inbox *in, size_t bytes)
{
    if (in->capacity >= bytes)
        return OB_OK;
    free(in->memory);
    in->capacity = 0;
    if ((in->memory = aligned_alloc(OB_LINE, ob_align(bytes))) == NULL)
        return ob_fail(OB_ENOMEM,
                       "OB-4001 process %d has no memory for the %zu bytes that others sent it",
                       x->group->job->number, bytes);
    in->capacity = ob_align(bytes);
    return OB_OK;
}

/* The messages behind the first one, each at a line's begin: chunks behind each other. */
static int receive_rest(ob_superstep *x, int source, uint64_t more, uint64_t most)
{
    ob_inbox *in = &x->in[source];
    int status = make_space(x, in, most);
    in->bytes = 0;
    for (; status == OB_OK && more; more--) {
        ob_received got;
        ob_view v = ob_view_vector((char *)in->memory + in->bytes, most - in->bytes, OB_BYTE);
        status = ob_message_recv_with(x->data, source, 0, &v, OB_SHORTER, &got);
        in->bytes += status == OB_OK ? ob_align(got.bytes) : 0;
    }
    return status;
}

/* Whoever comes first, where source is OB_ANY; its first message arrives in memory that is the
 * same for all sources. */
static int receive_from(ob_superstep *x, int source, ob_tally *tally, uint32_t claim)
{
    _Alignas(OB_LINE) char first[FIRST];
    ob_chunk *head = (ob_chunk *)first;
    ob_received got;
    ob_view v = ob_view_vector(first, sizeof first, OB_BYTE);
    int status = ob_message_recv_with(x->data, source, 0, &v, OB_SHORTER, &got);
    if (status != OB_OK)
        return status;
    ob_inbox *in = &x->in[got.source];
    tally->flags |= (unsigned)head->flags;
    tally->agreed &= head->claim == claim;
    if (head->more)
        return receive_rest(x, got.source, head->more, head->most);
    status = make_space(x, in, FIRST);
    in->bytes = head->bytes ? sizeof *head + ob_align(head->bytes) : 0;
    if (status == OB_OK)
        memcpy(in->memory, head, sizeof *head + head->bytes);
    return status;
}

/* ------------------------------------------------------------ the two ways */

static int everybody(ob_superstep *x, ob_tally *tally)
{
    const ob_tally mine = *tally;
    for (int k = 1; k < x->size; k++)
        tally->sent += ob_outbox_close(x, (x->me + k) % x->size);
    int status = send_all(x, false, &mine);
    for (int k = 1; status == OB_OK && k < x->size; k++)
        status = receive_from(x, (x->me + x->size - k) % x->size, tally, mine.claim);
    return status;
}

static void add(size_t n, void *acc, const void *in, const void *context)
{
    (void)context;
    for (size_t i = 0; i < n; i++) {
        uint64_t a, b;
        memcpy(&a, (char *)acc + 8 * i, 8);
        memcpy(&b, (const char *)in + 8 * i, 8);
        a += b;
        memcpy((char *)acc + 8 * i, &a, 8);
    }
}

static const ob_operation sum = {.apply = add, .element_bytes = 8};

/* 16-bit counters, four to a word, which do not run over: there are fewer than
 * 2^16 members. Claims are equal if the sum of their squares is p times the square of
 * their mean (Cauchy and Schwarz). */
static void count(uint64_t *words, int i)
{
    words[i / 4] += UINT64_C(1) << i % 4 * 16;
}

static unsigned counted(const uint64_t *words, int i)
{
    return words[i / 4] >> i % 4 * 16 & 0xffff;
}

/* How many send to us, and the tally. */
static int announce(ob_superstep *x, uint64_t *words, size_t n, ob_tally *tally)
{
    uint64_t *flags = words + 2, *targets = words + 3;
    words[0] = tally->claim;
    words[1] = (uint64_t)tally->claim * tally->claim;
    for (int i = 0; i < 4; i++)
        if (tally->flags >> i & 1)
            count(flags, i);
    for (int d = 0; d < x->size; d++) {
        size_t bytes = d == x->me ? 0 : ob_outbox_close(x, d);
        tally->sent += bytes;
        if (bytes)
            count(targets, d);
    }
    ob_view v = ob_view_vector(words, n * 8, OB_BYTE);
    int status = ob_combine_by(x->group, OB_ANY, &sum, &v, NULL);
    for (int i = 0; i < 4; i++)
        tally->flags |= (counted(flags, i) != 0) << i;
    uint64_t p = (uint64_t)x->size, claim = words[0] / p;
    tally->agreed = words[0] % p == 0 && words[1] == p * claim * claim;
    return status;
}

static int those_concerned(ob_superstep *x, ob_tally *tally)
{
    size_t n = 3 + ((size_t)x->size + 3) / 4;
    uint64_t *words = calloc(n, 8);
    if (words == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a superstep among %d", x->size);
    ob_tally mine = *tally, ignored = *tally;
    int status = announce(x, words, n, tally);
    for (int i = 0; i < x->size; i++)
        x->in[i].bytes = 0;
    status = status == OB_OK ? send_all(x, true, &mine) : status;
    for (unsigned k = counted(words + 3, x->me); status == OB_OK && k; k--)
        status = receive_from(x, OB_ANY, &ignored, mine.claim);
    free(words);
    return status;
}

int ob_superstep_messages(ob_superstep *x, ob_tally *tally)
{
    return x->size <= SMALL ? everybody(x, tally) : those_concerned(x, tally);
}
