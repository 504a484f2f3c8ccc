/*
 * Exchanges: rooms to write into, chunks behind them, spans to read.
 */
#include "collective/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "trace/trace.h"

/* A first chunk; the next ones double up to MOST, and larger ones are given back when a
 * superstep has not needed them. */
enum { FIRST = 4096 - 64, MOST = 4 << 20, KEPT = 1 << 20 };

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* ------------------------------------------------------------------ memory */

static bool is_lent(const ob_exchange *x, int dest)
{
    return x->board && dest != x->me;
}

static int take(ob_exchange *x, int dest, size_t capacity, ob_piece *p)
{
    size_t bytes = sizeof(ob_chunk) + capacity;
    *p = (ob_piece){.capacity = capacity};
    if (is_lent(x, dest))
        p->at = ob_board_lend(x->board, bytes, 1, &p->name);
    else if ((p->at = aligned_alloc(64, bytes)) == NULL)
        ob_fail(OB_ENOMEM, "no memory for %zu bytes from process %d to process %d", capacity,
                x->group->job->number, x->group->peer[dest]->number);
    if (p->at == NULL)
        return OB_ENOMEM;
    memset(p->at, 0, sizeof(ob_chunk));
    return OB_OK;
}

static void give(ob_exchange *x, int dest, ob_piece *p)
{
    if (is_lent(x, dest))
        ob_board_give_back(x->board, p->at);
    else
        free(p->at);
    p->at = NULL;
}

/* Frees the pieces from number `from` on. */
static void shorten(ob_exchange *x, int dest, ob_outbox *o, int from)
{
    while (o->count > from)
        give(x, dest, &o->piece[--o->count]);
}

/* ------------------------------------------------------------------- rooms */

static void use(ob_exchange *x, int dest, const ob_piece *p)
{
    x->room[dest] = (ob_room){p->at->data, p->at->data + p->capacity};
}

static int append(ob_outbox *o, const ob_piece *p)
{
    if (o->count == o->space) {
        int space = o->space ? 2 * o->space : 4;
        ob_piece *more = realloc(o->piece, (size_t)space * sizeof *more);
        if (more == NULL)
            return ob_fail(OB_ENOMEM, "no memory for a list of %d chunks", space);
        o->piece = more;
        o->space = space;
    }
    o->piece[o->count++] = *p;
    return OB_OK;
}

static void stop(const ob_exchange *x, int dest, ob_outbox *o)
{
    const ob_piece *p = &o->piece[o->used - 1];
    if (!p->attached)
        p->at->bytes = (uint64_t)(x->room[dest].next - p->at->data);
}

/* The piece behind those in use, of at least so many bytes. */
static int next_piece(ob_exchange *x, int dest, size_t least, size_t capacity, ob_piece **piece)
{
    ob_outbox *o = &x->out[x->turn][dest];
    ob_piece p;
    if (o->used == o->count || o->piece[o->used].capacity < least) {
        shorten(x, dest, o, o->used);
        int status = take(x, dest, round_up(least > capacity ? least : capacity, 64), &p);
        if (status == OB_OK && (status = append(o, &p)) != OB_OK)
            give(x, dest, &p);
        if (status != OB_OK) {
            x->room[dest].end = x->room[dest].next;
            return status;
        }
    }
    *piece = &o->piece[o->used++];
    (*piece)->attached = false;
    return OB_OK;
}

/* Ends the piece in use; one with nothing in it is dropped. */
static void end_piece(ob_exchange *x, int dest)
{
    ob_outbox *o = &x->out[x->turn][dest];
    if (o->used == 0)
        return;
    stop(x, dest, o);
    if (o->piece[o->used - 1].at->bytes == 0)
        shorten(x, dest, o, --o->used);
}

int ob_exchange_grow(ob_exchange *x, int dest, size_t bytes)
{
    const ob_outbox *o = &x->out[x->turn][dest];
    ob_piece *p;
    if (bytes > PTRDIFF_MAX - sizeof(ob_chunk) - 64)
        return ob_fail(OB_ENOMEM, "ob_exchange_grow: %zu bytes for process %d are too many", bytes,
                       x->group->peer[dest]->number);
    size_t last = o->used ? o->piece[o->used - 1].capacity : 0;
    end_piece(x, dest);
    int status = next_piece(x, dest, bytes, last == 0 ? FIRST : last < MOST ? 2 * last + 64 : MOST, &p);
    if (status == OB_OK)
        use(x, dest, p);
    return status;
}

/* Behind it the room is full: what is written next begins another span. */
int ob_exchange_attach(ob_exchange *x, int dest, const ob_view *matrix)
{
    size_t bytes = ob_view_bytes(matrix);
    ob_piece *p;
    if (bytes == 0)
        return OB_OK;
    end_piece(x, dest);
    x->room[dest] = (ob_room){NULL, NULL};
    bool here = x->board || dest == x->me;
    int status = next_piece(x, dest, here ? bytes : 0, 0, &p);
    if (status != OB_OK)
        return status;
    p->at->bytes = bytes;
    if (here) {
        ob_view_pack(matrix, p->at->data);
        x->room[dest].next = x->room[dest].end = p->at->data + bytes;
    } else {
        p->attached = true;
        p->view = *matrix;
    }
    return OB_OK;
}

ob_room *ob_exchange_rooms(ob_exchange *x)
{
    return x->room;
}

size_t ob_outbox_close(ob_exchange *x, int dest)
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
static void turn(ob_exchange *x)
{
    x->turn ^= 1;
    for (int d = 0; d < x->size; d++) {
        ob_outbox *o = &x->out[x->turn][d];
        bool idle = o->used && o->piece[0].at->bytes == 0;
        shorten(x, d, o, o->used);
        if (idle && o->piece[0].capacity > KEPT)
            shorten(x, d, o, 0);
        o->used = o->count > 0;
        x->room[d] = (ob_room){NULL, NULL};
        if (o->used)
            use(x, d, &o->piece[0]);
    }
}

/* -------------------------------------------------------------------- runs */

static void receive_own(ob_exchange *x)
{
    ob_outbox *o = &x->out[x->turn][x->me];
    ob_outbox_close(x, x->me);
    x->in[x->me].own = o;
}

static int run(ob_exchange *x, ob_tally *tally)
{
    int status = OB_OK;
    tally->agreed = 1;
    tally->sent = 0;
    receive_own(x);
    if (x->board)
        status = ob_exchange_board(x, tally);
    else if (x->size > 1)
        status = ob_exchange_messages(x, tally);
    x->broken |= status != OB_OK;
    turn(x);
    ob_exchange_rewind(x);
    return status;
}

/* On one node nothing is sent that the recorder would see: what went between each two. */
static void record_pairs(ob_exchange *x, const ob_trace_span *span)
{
    ob_trace_what what = {.kind = OB_TRACE_SEND, .group = x->group, .routine = "ob_exchange_run",
                          .tag = INT32_MAX, .type = OB_BYTE};
    for (int d = 0; d < x->size; d++) {
        const ob_outbox *o = &x->out[x->turn ^ 1][d];
        what.position = d;
        what.bytes = 0;
        for (int i = 0; i < o->used; i++)
            what.bytes += o->piece[i].at->bytes;
        if (what.bytes && d != x->me)
            ob_trace_also(span, &what);
    }
    what.kind = OB_TRACE_RECV;
    for (int s = 0; s < x->size; s++) {
        char *base;
        what.position = s;
        what.bytes = 0;
        for (size_t n; (n = ob_exchange_next(x, s, &base));)
            what.bytes += n;
        what.matched = ob_clock_end();
        if (what.bytes && s != x->me)
            ob_trace_ended(what.matched, &what);
    }
    ob_exchange_rewind(x);
}

int ob_exchange_run(ob_exchange *x, ob_tally *tally)
{
    if (!OB_TRACING)
        return run(x, tally);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = run(x, tally);
    if (status == OB_OK && x->board)
        record_pairs(x, &span);
    ob_trace_end(&span, &(ob_trace_what){.kind = OB_TRACE_EXCHANGE,
                                         .group = x->group,
                                         .routine = "ob_exchange_run",
                                         .position = OB_ANY,
                                         .type = OB_BYTE,
                                         .status = status,
                                         .bytes = tally->sent,
                                         .topology = ' '});
    return status;
}

void ob_exchange_rewind(ob_exchange *x)
{
    for (int i = 0; i < x->size; i++) {
        x->in[i].at = x->in[i].first;
        x->in[i].index = 0;
        x->in[i].taken = 0;
    }
}

static ob_chunk *next_own(ob_inbox *in)
{
    return in->index < in->own->used ? in->own->piece[in->index++].at : NULL;
}

static ob_chunk *next_lent(ob_exchange *x, ob_inbox *in, int source)
{
    ob_chunk *c = in->at;
    if (c)
        in->at = c->next ? ob_board_borrow(x->board, source, c->next) : NULL;
    return c;
}

static ob_chunk *next_received(ob_inbox *in)
{
    if (in->taken >= in->bytes)
        return NULL;
    ob_chunk *c = (ob_chunk *)((char *)in->memory + in->taken);
    in->taken += sizeof *c + round_up(c->bytes, 64);
    return c;
}

size_t ob_exchange_next(ob_exchange *x, int source, char **base)
{
    ob_inbox *in = &x->in[source];
    for (;;) {
        ob_chunk *c = source == x->me ? next_own(in)
                      : x->board      ? next_lent(x, in, source)
                                      : next_received(in);
        if (c == NULL)
            return 0;
        *base = c->data;
        if (c->bytes)
            return c->bytes;
    }
}

/* ------------------------------------------------------------- make, free */

static int make_data_group(ob_exchange *x)
{
    int *numbers = malloc((size_t)x->size * sizeof *numbers);
    if (numbers == NULL)
        return ob_fail(OB_ENOMEM, "ob_exchange_create: no memory for %d members", x->size);
    for (int i = 0; i < x->size; i++)
        numbers[i] = x->group->peer[i]->number;
    int status = ob_group_create(x->group->job, numbers, x->size, &x->data);
    free(numbers);
    return status;
}

/* Notes have room for a few entries; see exchange_board.c. */
static int make_tables(ob_exchange *x)
{
    for (int i = 0; i < 2; i++) {
        x->table[i] = ob_board_lend(x->board, (size_t)x->size * sizeof(ob_entry), 1,
                                    &x->table_name[i]);
        if (x->table[i] == NULL)
            return OB_ENOMEM;
    }
    return OB_OK;
}

static int prepare(ob_exchange *x)
{
    size_t n = (size_t)x->size;
    x->room = calloc(n, sizeof *x->room);
    x->out[0] = calloc(n, sizeof *x->out[0]);
    x->out[1] = calloc(n, sizeof *x->out[1]);
    x->in = calloc(n, sizeof *x->in);
    if (!x->room || !x->out[0] || !x->out[1] || !x->in)
        return ob_fail(OB_ENOMEM, "ob_exchange_create: no memory for %d members", x->size);
    x->in[x->me].own = &x->out[1][x->me];
    if (x->size == 1)
        return OB_OK;
    if (!x->group->one_node)
        return make_data_group(x);
    int status = ob_board_of(x->group, &x->board);
    return status ? status : make_tables(x);
}

static void release(ob_exchange *x)
{
    for (int d = 0; d < x->size; d++)
        for (int i = 0; i < 2; i++)
            if (x->out[i]) {
                shorten(x, d, &x->out[i][d], 0);
                free(x->out[i][d].piece);
            }
    for (int d = 0; x->in && d < x->size; d++)
        free(x->in[d].memory);
    for (int i = 0; i < 2; i++) {
        if (x->table[i])
            ob_board_give_back(x->board, x->table[i]);
        free(x->out[i]);
    }
    ob_group_free(x->data);
    free(x->in);
    free(x->room);
    free(x);
}

int ob_exchange_create(ob_group *group, ob_exchange **exchange)
{
    if (group == NULL || exchange == NULL)
        return ob_fail(OB_EARG, "ob_exchange_create: needs a group and a place for the exchange");
    ob_exchange *x = calloc(1, sizeof *x);
    if (x == NULL)
        return ob_fail(OB_ENOMEM, "ob_exchange_create: no memory");
    x->group = group;
    x->size = group->size;
    x->me = group->me;
    int status = prepare(x);
    if (status == OB_OK)
        *exchange = x;
    else
        release(x);
    return status;
}

/* Others may still read what we sent them; after a failure nobody knows, and the memory
 * ends with the process. */
void ob_exchange_free(ob_exchange *x)
{
    if (x == NULL)
        return;
    if (x->board && (x->broken || ob_barrier(x->group) != OB_OK))
        return;
    release(x);
}
