/*
 * The factorisation: for each block of columns two supersteps, and one more where one process
 * factors it.
 *
 * On grids of few rows that is so: the columns are brought to one process, in one superstep
 * instead of one for each column (Horvitz and Bisseling, 2.1, have those). It is an owner's work of
 * m w^2 flops, done while the others still update the matrix with the block before. On larger grids
 * that work would be longer than the others', and the process column that holds the block factors
 * it together (column.c).
 *
 *   first superstep   the owner tells everybody the pivots
 *   second superstep  L goes along process rows, the rows that swap and the rows of U go
 *                     along process columns
 *   third superstep   the columns of the next block, updated first, go to its owner, who factors
 * them computation       everybody solves for U, redundantly in a process column, and updates the
 * rest
 *
 * ahead.c has how this differs with a lookahead, which larger grids have.
 *
 * The third is one of another grid, since what came in the second stays readable only until that
 * grid's next, and L is needed to the end.
 */
#include "state.h"

#include <openblacs/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- memory */

static void open_state(lu_state *s)
{
    size_t m = s->a.m, w = s->block, e = s->k->bytes, p = s->a.rows.count, q = s->a.columns.count;
    size_t local_columns = range_length(lu_columns(s, s->a.columns.me, 0, s->a.n));
    if (!s->column)
        s->panel = oblu_room(m * w, e);
    else if (s->tournament)
        lu_open_tournament(s);
    else
        s->candidate = oblu_room(oblu_candidate_bytes(s->k, w), 1);
    if (!s->row)
        s->share = oblu_room((p * w + m) * w, e);
    s->scratch = oblu_room(2 * w * local_columns, e);
    s->u = oblu_room(w * local_columns, e);
    s->lapack_pivots = oblu_room(w, sizeof *s->lapack_pivots);
    s->news_size = s->news_elsewhere = (w + 1) * sizeof *s->made;
    s->made = oblu_room(w + 1, sizeof *s->made);
    s->pivots = oblu_room(w, sizeof *s->pivots);
    s->source = oblu_room(m, sizeof *s->source);
    s->moves = oblu_room(2 * w, sizeof *s->moves);
    s->from = oblu_room(2 * w, sizeof *s->from);
    s->to = oblu_room(2 * w, sizeof *s->to);
    s->packed = oblu_room(ROWS_KINDS * p, sizeof *s->packed);
    s->rows = oblu_room(ROWS_KINDS * p, sizeof *s->rows);
    s->swapped = oblu_room(s->least, sizeof *s->swapped);
    s->work = oblu_room(4 * ((s->least + w - 1) / w) + 2, sizeof *s->work);
    s->pieces = oblu_room(p * q, sizeof *s->pieces);
    for (size_t i = 0; i < m; i++)
        s->source[i] = i;
    if (s->row)
        lu_open_ahead(s);
}

static void close_state(lu_state *s)
{
    if (s->row)
        s->share = NULL; /* in a parcel */
    lu_close_ahead(s);
    void *all[] = {s->square, s->order,   s->positions, s->panel,         s->candidate,
                   s->share,  s->scratch, s->u,         s->lapack_pivots, s->made,
                   s->pivots, s->source,  s->moves,     s->from,          s->to,
                   s->packed, s->rows,    s->pieces,    s->work,          s->swapped};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* -------------------------------------------------------------------- steps */

static void keep_pivots(lu_state *s, const step *x)
{
    size_t first = s->a.first_row + x->j;
    for (size_t i = 0; i < x->width; i++) {
        s->pivots[i] = (size_t)s->news[i];
        s->swapped[x->j + i] = x->j + s->pivots[i];
        if (oblu_owner(&s->a.rows, first + i) == s->a.rows.me)
            oblu_set_pivot(s->ipiv, oblu_below(&s->a.rows, s->a.rows.me, first + i),
                           (int64_t)(first + s->pivots[i]) + 1);
    }
    if (s->info == 0 && s->news[x->width])
        s->info = (int64_t)x->j + s->news[x->width];
}

/* In some of the columns on the right: solves for the rows of U and applies the block. */
static void update(lu_state *s, const step *x, range right, range some)
{
    size_t n = range_length(some), w = x->width, first = s->a.first_row, e = s->k->bytes;
    char *u = s->u + (some.first - right.first) * w * e;
    oblu_run run;
    s->k->trsm('L', 'L', 'N', 'U', w, n, s->l, s->ldl, u, w);
    for (size_t at = first + x->j;
         oblu_next_run(&s->a.rows, s->a.rows.me, &at, first + x->j + w, &run);)
        oblu_copy(e, run.length, n, u + (run.global - first - x->j) * e, w,
                  lu_at(s, run.local, some.first), s->a.ld);
    range below = lu_rows(s, s->a.rows.me, x->j + w, s->a.m);
    size_t m = range_length(below);
    s->k->gemm('N', false, m, n, w, s->l + w * e, s->ldl, u, w, lu_at(s, below.first, some.first),
               s->a.ld);
    s->watch.flops += (double)w * (double)w * (double)n + 2.0 * (double)m * (double)n * (double)w;
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
}

/* The superstep that announces a block, and what each process knows by it. */
static void announce(lu_state *s, const step *x, const step *after)
{
    lu_use_buffer(s);
    lu_announce(s, x);
    lu_end_superstep(s, s->g, OBLU_PACK, "spread");
    if (after)
        lu_ask_for_buffer(s);
    keep_pivots(s, x);
    lu_find_moves(s, x);
}

/* The superstep that brings a block's columns to its owner, who factors them. */
static void gather_panel(lu_state *s, const step *x)
{
    lu_offer_panel(s, x);
    lu_end_superstep(s, s->offers, OBLU_PACK, "panel");
    lu_take_panel(s, x);
    if (lu_me(s, x->prow, x->pcol))
        lu_make_panel(s, x);
}

static void factor_in_column(lu_state *s, const step *x)
{
    if (s->row)
        lu_address_block(s, x);
    if (s->tournament)
        lu_hold_tournament(s, x);
    else
        lu_factor_column(s, x);
}

static void do_step(lu_state *s, const step *x, const step *after)
{
    size_t c = s->a.columns.me, next = x->j + x->width;
    range right = lu_columns(s, c, next, s->a.n), rest = right;
    announce(s, x, after);
    lu_spread_panel(s, x);
    oblu_lap(&s->watch, OBLU_PACK, "spread");
    lu_send_rows(s, x, right);
    lu_end_superstep(s, s->g, OBLU_PACK, "swap");
    lu_take_spread(s, x);
    oblu_lap(&s->watch, OBLU_PACK, "spread");
    lu_take_rows(s, x, right);
    if (!s->column)
        lu_keep_panel(s, x);
    lu_keep_rows(s, x, right);
    oblu_lap(&s->watch, OBLU_PACK, "swap");
    if (after && !s->column) {
        rest = lu_columns(s, c, next + after->width, s->a.n);
        update(s, x, right, (range){right.first, rest.first});
        gather_panel(s, after);
    }
    update(s, x, right, rest);
    if (after && s->column && after->pcol == c)
        factor_in_column(s, after);
    bsp2d_buffer_free(s->g, s->incoming);
    oblu_lap(&s->watch, OBLU_COMPUTE, NULL);
}

/* With a lookahead (ahead.c). */
static void do_step_ahead(lu_state *s, const step *x, const step *after)
{
    size_t c = s->a.columns.me, next = x->j + x->width;
    range right = lu_columns(s, c, next, s->a.n), rest = right;
    lu_await_block(s, x);
    keep_pivots(s, x);
    lu_find_moves(s, x);
    lu_send_rows(s, x, right);
    lu_end_superstep(s, s->column, OBLU_PACK, "swap");
    lu_take_rows(s, x, right);
    lu_keep_rows(s, x, right);
    oblu_lap(&s->watch, OBLU_PACK, "swap");
    if (after) {
        rest = lu_columns(s, c, next + after->width, s->a.n);
        update(s, x, right, (range){right.first, rest.first});
        if (after->pcol == c)
            factor_in_column(s, after);
        lu_begin_broadcast(s, after);
    }
    update(s, x, right, rest);
}

static void first_panel(lu_state *s, const step *x)
{
    if (s->row) {
        if (s->a.columns.me == x->pcol)
            factor_in_column(s, x);
        lu_begin_broadcast(s, x);
        return;
    }
    lu_ask_for_buffer(s);
    lu_end_superstep(s, s->g, OBLU_PACK, NULL);
    if (!s->column)
        gather_panel(s, x);
    else if (s->a.columns.me == x->pcol)
        factor_in_column(s, x);
}

int64_t oblu_factor(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                    const oblu_way *way, oblu_pivots pivots, bsp_lu_parts *parts)
{
    size_t least = a->m < a->n ? a->m : a->n;
    double start = ob_time();
    lu_state s = {.k = kernels,
                  .g = grid,
                  .a = *a,
                  .column = way->column,
                  .tournament = way->tournament,
                  .row = way->row,
                  .offers = way->offers,
                  .block = way->block < least ? way->block : least,
                  .least = least,
                  .ipiv = pivots,
                  .watch = {.since = start},
                  .waiting_since = start};
    ob_trace_did(NULL);
    open_state(&s);
    step x = lu_step_of(&s, 0);
    first_panel(&s, &x);
    while (x.j + x.width < least) {
        step after = lu_step_of(&s, x.j + x.width);
        s.row ? do_step_ahead(&s, &x, &after) : do_step(&s, &x, &after);
        x = after;
    }
    s.row ? do_step_ahead(&s, &x, NULL) : do_step(&s, &x, NULL);
    lu_swap_left(&s);
    oblu_lap(&s.watch, OBLU_PACK, "swap");
    lu_report(&s, start, parts);
    if (way->measured)
        parts->idling = lu_idle_seconds(&s);
    close_state(&s);
    return s.info;
}

int64_t oblu_factor_block(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                          bsp2d_grid *column, oblu_pivots pivots)
{
    size_t least = a->m < a->n ? a->m : a->n;
    lu_state s = {.k = kernels,
                  .g = grid,
                  .a = *a,
                  .column = column,
                  .block = least,
                  .least = least,
                  .ipiv = pivots,
                  .watch = {.since = ob_time()}};
    open_state(&s);
    step x = lu_step_of(&s, 0);
    if (s.a.columns.me == x.pcol)
        lu_factor_column(&s, &x);
    ob_view news = bsp2d_ge(OB_INT, x.width + 1, 1, s.made, x.width + 1);
    bsp2d_bcast(grid, 'R', 0, (int)x.pcol, &news);
    s.news = s.made;
    keep_pivots(&s, &x);
    close_state(&s);
    return s.info;
}
