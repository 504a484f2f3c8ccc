/*
 * What a factorisation asks of BSP2D: the messages of a superstep, its end, the buffers that
 * others put into, and what all that took.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

size_t lu_news_bytes(const lu_state *s)
{
    return (s->news_size + 63) / 64 * 64;
}

step lu_step_of(const lu_state *s, size_t j)
{
    size_t width = s->least - j < s->block ? s->least - j : s->block;
    return (step){.j = j,
                  .width = width,
                  .prow = oblu_owner(&s->a.rows, s->a.first_row + j),
                  .pcol = oblu_owner(&s->a.columns, s->a.first_column + j)};
}

/* Of process (r, c) of the matrix, on the grid. */
static int grid_row(const lu_state *s, size_t r, size_t c)
{
    return (int)(s->a.crossed ? c : r);
}

static int grid_column(const lu_state *s, size_t r, size_t c)
{
    return (int)(s->a.crossed ? r : c);
}

int lu_pid(const lu_state *s, size_t r, size_t c)
{
    return bsp2d_pid(s->g, grid_row(s, r, c), grid_column(s, r, c));
}

void lu_send(const lu_state *s, bsp2d_grid *g, size_t r, size_t c, ob_view v)
{
    if (v.m && v.n && !lu_me(s, r, c))
        bsp2d_hpsend(g, grid_row(s, r, c), grid_column(s, r, c), &v);
}

void lu_put(lu_state *s, size_t r, size_t c, ob_view v, size_t offset, size_t ld)
{
    int pid = lu_pid(s, r, c);
    if (v.m && v.n && !lu_me(s, r, c))
        bsp2d_put_matrix(s->g, pid, &v, s->incoming, lu_news_bytes(s) / s->k->bytes + offset, ld);
}

ob_view lu_take(const lu_state *s, bsp2d_grid *g, size_t r, size_t c, size_t m, size_t n,
                ob_view own)
{
    if (lu_me(s, r, c))
        return own;
    ob_view v = lu_view(s, m, n, NULL, m);
    if (m && n)
        bsp2d_hpmove(g, grid_row(s, r, c), grid_column(s, r, c), &v);
    return v;
}

void lu_end_superstep(lu_state *s, bsp2d_grid *g, oblu_part part, const char *name)
{
    oblu_lap(&s->watch, part, name);
    s->work[s->supersteps++] = s->watch.since - s->waiting_since;
    bsp2d_sync(g);
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
    s->waiting_since = s->watch.since;
}

/* ------------------------------------------------------- registered buffers */

/* The largest that any process needs, since all ask alike. */
void lu_ask_for_buffer(lu_state *s)
{
    size_t rows = 0, pieces = 0;
    for (size_t r = 0; r < s->a.rows.count; r++) {
        size_t of_r = range_length(lu_rows(s, r, 0, s->a.m));
        rows = of_r > rows ? of_r : rows;
    }
    if (s->a.columns.count > 2)
        pieces = (s->block + rows) * s->block * s->k->bytes;
    s->incoming_after = bsp2d_buffer(s->g, lu_news_bytes(s) + pieces);
}

void lu_use_buffer(lu_state *s)
{
    s->incoming = s->incoming_after;
    s->incoming_after = NULL;
    s->news = (int *)(void *)s->incoming;
    s->lower = s->incoming + lu_news_bytes(s);
}

/* --------------------------------------------------------------- what it took */

double lu_idle_seconds(lu_state *s)
{
    double idle = 0, *longest = oblu_room(s->supersteps, sizeof *longest);
    ob_view v = bsp2d_ge(OB_DOUBLE, s->supersteps, 1, longest, s->supersteps);
    memcpy(longest, s->work, s->supersteps * sizeof *longest);
    bsp2d_reduce(s->g, 'A', OB_MAX_ABS, &v, NULL, 0);
    for (size_t i = 0; i < s->supersteps; i++)
        idle += longest[i] - s->work[i];
    free(longest);
    return idle;
}

void lu_report(const lu_state *s, double start, bsp_lu_parts *parts)
{
    bsp2d_cost cost = {0}, more = {0};
    if (s->g)
        bsp2d_costs(s->g, &cost, 0);
    if (s->column || s->offers)
        bsp2d_costs(s->column ? s->column : s->offers, &more, 0);
    *parts = (bsp_lu_parts){.total = s->watch.since - start,
                            .computation = s->watch.seconds[OBLU_COMPUTE],
                            .packing = s->watch.seconds[OBLU_PACK],
                            .syncs = s->watch.seconds[OBLU_SYNC],
                            .flops = s->watch.flops,
                            .supersteps = cost.supersteps + more.supersteps + s->reductions,
                            .sent = cost.sent + more.sent + s->sent,
                            .received = cost.received + more.received + s->received,
                            .block = (int)s->block};
}
