/*
 * Exchanges: outboxes to write into, chunks behind them, spans to read.
 */
#include "superstep/internal.h"

#include <stdlib.h>

#include "collective/levels/tiers.h"
#include "core/error.h"
#include "message/together.h"
#include "trace/trace.h"

/* -------------------------------------------------------------------- runs */

static void receive_own(ob_superstep *x)
{
    ob_outbox *o = &x->out[x->turn][x->me];
    ob_outbox_close(x, x->me);
    x->in[x->me].own = o;
}

static int run(ob_superstep *x, ob_tally *tally)
{
    int status = OB_OK;
    tally->agreed = 1;
    tally->sent = 0;
    receive_own(x);
    if (x->shared)
        status = ob_superstep_shared(x, tally);
    else if (x->size > 1)
        status = ob_superstep_messages(x, tally);
    x->broken |= status != OB_OK;
    ob_outboxes_turn(x);
    ob_superstep_rewind(x);
    return status;
}

/* On one node nothing is sent that the recorder would see: what went between each two. */
static void record_pairs(ob_superstep *x, const ob_trace_span *span)
{
    ob_trace_what what = {.kind = OB_TRACE_SEND,
                          .group = x->group,
                          .routine = "ob_superstep_run",
                          .tag = INT32_MAX,
                          .type = OB_BYTE};
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
        for (size_t n; (n = ob_superstep_next(x, s, &base));)
            what.bytes += n;
        what.matched = ob_clock_end();
        if (what.bytes && s != x->me)
            ob_trace_ended(what.matched, &what);
    }
    ob_superstep_rewind(x);
}

int ob_superstep_run(ob_superstep *x, ob_tally *tally)
{
    if (OB_TOGETHER)
        ob_together_settle();
    if (!OB_TRACING)
        return run(x, tally);
    ob_superstep_read(x);
    ob_trace_asked(x->group);
    ob_trace_begin(&x->span);
    int status = run(x, tally);
    if (status == OB_OK && x->shared)
        record_pairs(x, &x->span);
    x->recorded = true;
    x->sent = tally->sent;
    x->status = status;
    if (status != OB_OK)
        ob_superstep_read(x);
    return status;
}

void ob_superstep_read(ob_superstep *x)
{
    if (!x->recorded)
        return;
    x->recorded = false;
    ob_trace_end(&x->span, &(ob_trace_what){.kind = OB_TRACE_EXCHANGE,
                                            .group = x->group,
                                            .routine = "ob_superstep_run",
                                            .position = OB_ANY,
                                            .type = OB_BYTE,
                                            .status = x->status,
                                            .bytes = x->sent,
                                            .topology = ' '});
}

void ob_superstep_rewind(ob_superstep *x)
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

static ob_chunk *next_lent(ob_superstep *x, ob_inbox *in, int source)
{
    ob_chunk *c = in->at;
    if (c)
        in->at = c->next ? ob_group_borrow(x->group, source, c->next) : NULL;
    return c;
}

static ob_chunk *next_received(ob_inbox *in)
{
    if (in->taken >= in->bytes)
        return NULL;
    ob_chunk *c = (ob_chunk *)((char *)in->memory + in->taken);
    in->taken += sizeof *c + ob_align(c->bytes);
    return c;
}

size_t ob_superstep_next(ob_superstep *x, int source, char **base)
{
    ob_inbox *in = &x->in[source];
    for (;;) {
        ob_chunk *c = source == x->me ? next_own(in)
                      : x->shared     ? next_lent(x, in, source)
                                      : next_received(in);
        if (c == NULL)
            return 0;
        *base = c->data;
        if (c->bytes)
            return c->bytes;
    }
}

/* ------------------------------------------------------------- make, free */

static int make_data_group(ob_superstep *x)
{
    int *numbers = malloc((size_t)x->size * sizeof *numbers);
    if (numbers == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_superstep_create: no memory for %d members", x->size);
    for (int i = 0; i < x->size; i++)
        numbers[i] = x->group->peer[i]->number;
    int status = ob_group_create(x->group->job, numbers, x->size, &x->data);
    free(numbers);
    return status;
}

/* Notes have room for a few entries; see superstep_board.c. */
static int make_tables(ob_superstep *x)
{
    x->word = x->tiers ? malloc((size_t)x->size * sizeof *x->word) : NULL;
    if (x->tiers && x->word == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_superstep_create: no memory for %d members", x->size);
    for (int i = 0; i < 2; i++) {
        x->table[i] =
            ob_group_lend(x->group, (size_t)x->size * sizeof(ob_entry), 1, &x->table_name[i]);
        if (x->table[i] == NULL)
            return OB_ENOMEM;
    }
    return OB_OK;
}

static int prepare(ob_superstep *x)
{
    size_t n = (size_t)x->size;
    x->tail = calloc(n, sizeof *x->tail);
    x->out[0] = calloc(n, sizeof *x->out[0]);
    x->out[1] = calloc(n, sizeof *x->out[1]);
    x->in = calloc(n, sizeof *x->in);
    if (!x->tail || !x->out[0] || !x->out[1] || !x->in)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_superstep_create: no memory for %d members", x->size);
    x->in[x->me].own = &x->out[1][x->me];
    if (x->size == 1)
        return OB_OK;
    if (!x->group->one_node)
        return make_data_group(x);
    x->shared = true;
    int status = ob_has_many(x->group) ? ob_tiers_of(x->group, true, &x->tiers) : OB_OK;
    if (status == OB_OK && x->tiers == NULL)
        status = ob_board_of(x->group, &x->board);
    return status ? status : make_tables(x);
}

static void release(ob_superstep *x)
{
    for (int d = 0; d < x->size; d++)
        for (int i = 0; i < 2; i++)
            if (x->out[i]) {
                ob_outbox_shorten(x, d, &x->out[i][d], 0);
                free(x->out[i][d].piece);
            }
    for (int d = 0; x->in && d < x->size; d++)
        free(x->in[d].memory);
    for (int i = 0; i < 2; i++) {
        if (x->table[i])
            ob_group_give_back(x->group, x->table[i]);
        free(x->out[i]);
    }
    ob_group_free(x->data);
    free(x->word);
    free(x->in);
    free(x->tail);
    free(x);
}

bool ob_superstep_shares(const ob_superstep *x)
{
    return x->shared || x->size == 1;
}

int ob_superstep_create(ob_group *group, ob_superstep **step)
{
    if (group == NULL || step == NULL)
        return ob_fail(OB_EARG,
                       "OB-1001 ob_superstep_create: needs a group and a place for the superstep");
    ob_superstep *x = calloc(1, sizeof *x);
    if (x == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_superstep_create: no memory");
    x->group = group;
    x->size = group->size;
    x->me = group->me;
    x->quiet = true;
    int status = prepare(x);
    if (status == OB_OK)
        *step = x;
    else
        release(x);
    return status;
}

/* Others may still read what we sent them in the last run; after a failure nobody knows, and the
 * memory ends with the process. */
void ob_superstep_free(ob_superstep *x)
{
    if (x == NULL)
        return;
    ob_superstep_read(x);
    if (x->shared && (x->broken || (!x->quiet && ob_barrier(x->group) != OB_OK)))
        return;
    release(x);
}
