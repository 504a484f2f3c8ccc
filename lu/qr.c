/*
 * QR factorisation in supersteps. A block of columns is factored by one process, as in the LU
 * (panel.c): its columns are brought there in one superstep as soon as the block before is applied
 * to them, and it factors them while the others still work. The block's reflections come to Q = I -
 * V T V^H.
 *
 *   superstep     T and R go to everybody, V along process rows; with more than two processes in a
 *                 row in two phases, which are two supersteps
 *   computation   V^H C for the own rows of all columns C on the right
 *   superstep     these products are summed in each process column (two supersteps, if it is long)
 *   computation   C = C - V T^H (V^H C) in the columns of the next block
 *   superstep     these go to the owner of the next block, who factors them
 *   computation   the rest of C
 *
 * On grids of many rows, where one process would be long at it, and on two of many columns, the
 * process column that has a block factors it (reflect_column.c), with a lookahead of one block
 * (ahead.c):
 *
 *   wait          for the block's T and V, in the process row
 *   superstep     of the process column, which sums V^H C of the next block's columns C alone
 *   computation   these columns, and their factors; then the broadcast begins along process rows
 *   superstep     of the process column, for the rest of C
 *
 * Each process of a column of more than two gets the sums for its share of the columns, multiplies
 * these by T^H and sends the product to the others. Else all would multiply the same.
 *
 * Right-hand sides B of a least squares problem are columns on the right that are never factored.
 *
 * The sums and the columns on their way to an owner have the grid `offers`, since V stays where it
 * has come only until the next superstep of its grid.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

/* Bytes of V^H C up to which a reduction is too short to be shared out. */
enum { WORTH_SHARES = 2048 };

typedef struct qr {
    lu_state s; /* of it: the matrix, the grids, the panel and its buffers, the times */
    char *tau;  /* by local column; or NULL */
    char *work; /* for the block that this process factors */
    lu_reflections reflections; /* for that of a process column */
    char *t, *r;                /* in the buffer: of the current block; R where it is needed */
    char *sum, *times;          /* V^H C, and T^H times that: width x right */
    ob_group *down;             /* the process column, where it multiplies by T^H in shares */
    size_t *counts;             /* elements of these, by process row */
    const oblu_matrix *b;
    const oblu_blocks *blocks;
} qr;

static void *at_tau(const qr *q, size_t local)
{
    return q->tau + local * q->s.k->bytes;
}

/* R stands behind T in the news of a block. */
static size_t place_of_r(const qr *q)
{
    return q->s.block * q->s.block * q->s.k->bytes;
}

/* ---------------------------------------------------------------- the panel */

static void gather_panel(qr *q, const step *x)
{
    lu_state *s = &q->s;
    size_t ld = s->a.m - x->j, w = x->width;
    lu_offer_panel(s, x);
    lu_end_superstep(s, s->offers, OBLU_PACK, "panel");
    lu_take_panel(s, x);
    if (!lu_me(s, x->prow, x->pcol))
        return;
    lu_assemble_panel(s, x);
    oblu_reflect(s->k, ld, w, s->panel, ld, (char *)s->made + place_of_r(q), s->made, q->work);
    s->watch.flops += 2 * (double)w * (double)w * ((double)ld - (double)w / 3);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}

/* T and R to everybody, and V to who needs it. */
static void spread(qr *q, const step *x, const step *after)
{
    lu_state *s = &q->s;
    lu_use_buffer(s);
    lu_announce(s, x);
    if (lu_two_phases(s))
        lu_end_superstep(s, s->g, OBLU_PACK, "spread");
    if (after)
        lu_ask_for_buffer(s);
    lu_spread_panel(s, x);
    lu_end_superstep(s, s->g, OBLU_PACK, "spread");
    lu_take_spread(s, x);
    q->t = (char *)(void *)s->news;
    q->r = q->t + place_of_r(q);
}

static void keep_blocks(const qr *q, const step *x)
{
    size_t at = x->j * q->s.block * q->s.k->bytes, bytes = x->width * x->width * q->s.k->bytes;
    if (q->blocks) {
        memcpy(q->blocks->t + at, q->t, bytes);
        memcpy(q->blocks->r + at, q->r, bytes);
    }
}

static void keep_tau(qr *q, const step *x)
{
    size_t first = q->s.a.first_column + x->j, e = q->s.k->bytes;
    oblu_run run;
    for (size_t j = first;
         q->tau && oblu_next_run(&q->s.a.columns, q->s.a.columns.me, &j, first + x->width, &run);)
        for (size_t l = 0; l < run.length; l++) {
            size_t i = run.global - first + l;
            memcpy(at_tau(q, run.local + l), q->t + (i + i * x->width) * e, e);
        }
}

/* The column col of R, in own rows of the submatrix; it has ones and zeros of V there. */
static void keep_r(const qr *q, const step *x, size_t col, size_t local_column)
{
    const lu_state *s = &q->s;
    size_t top = s->a.first_row + x->j, e = s->k->bytes;
    oblu_run run;
    for (size_t i = top; oblu_next_run(&s->a.rows, s->a.rows.me, &i, top + col + 1, &run);)
        memcpy(lu_at(s, run.local, local_column), q->r + (run.global - top + col * x->width) * e,
               run.length * e);
}

/* The own part of V and R into the matrix. */
static void keep_panel(const qr *q, const step *x)
{
    const lu_state *s = &q->s;
    size_t column0 = s->a.first_column + x->j, e = s->k->bytes;
    range rows = lu_rows(s, s->a.rows.me, x->j, s->a.m);
    oblu_run columns;
    for (size_t g = column0;
         oblu_next_run(&s->a.columns, s->a.columns.me, &g, column0 + x->width, &columns);) {
        size_t col = columns.global - column0;
        oblu_copy(e, range_length(rows), columns.length, s->l + col * s->ldl * e, s->ldl,
                  lu_at(s, rows.first, columns.local), s->a.ld);
        for (size_t l = 0; l < columns.length; l++)
            keep_r(q, x, col + l, columns.local + l);
    }
}

/* ------------------------------------------------------------------- update */

/* Own rows of B from row j on. */
static ob_view rows_of_b(const qr *q, size_t j)
{
    return q->b ? oblu_own(q->s.k, q->b, j, q->s.a.m, 0, q->b->n) : lu_view(&q->s, 0, 0, NULL, 1);
}

/* T^H times some columns of the sum. */
static void multiply_by_t(qr *q, size_t w, range columns)
{
    size_t n = range_length(columns), before = columns.first * w * q->s.k->bytes;
    q->s.k->gemm('C', true, w, n, w, q->t, w, q->sum + before, w, q->times + before, w);
    q->s.watch.flops += 2.0 * (double)w * (double)w * (double)n;
}

static range share_of(const lu_state *s, size_t r, size_t n)
{
    return (range){r * n / s->a.rows.count, (r + 1) * n / s->a.rows.count};
}

/* The two supersteps of a long reduction, with the products between them. */
static void multiply_in_shares(qr *q, size_t w, size_t n)
{
    lu_state *s = &q->s;
    size_t p = s->a.rows.count, column = w * s->k->bytes;
    range own = share_of(s, s->a.rows.me, n);
    for (size_t r = 0; r < p; r++)
        q->counts[r] = w * range_length(share_of(s, r, n));
    ob_pieces pieces = {.base = q->sum, .type = s->k->type, .counts = q->counts};
    OB_TRACE_ROUTINE("ob_distributed_combine");
    oblu_must(ob_distributed_combine(q->down, OB_SUM, &pieces, NULL));
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
    multiply_by_t(q, w, own);
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
    pieces.base = q->times;
    OB_TRACE_ROUTINE("ob_collect");
    oblu_must(ob_collect(q->down, &pieces, NULL));
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
    s->reductions += 2;
    s->sent += (n - range_length(own) + (p - 1) * range_length(own)) * column;
    s->received += (n - range_length(own) + (p - 1) * range_length(own)) * column;
}

static void multiply_alike(qr *q, size_t w, size_t n)
{
    lu_state *s = &q->s;
    ob_view v = lu_view(s, w, n, q->sum, w);
    if (s->column)
        bsp2d_reduce(s->column, 'C', OB_SUM, &v, NULL, 0);
    else
        bsp2d_reduce(s->offers, s->a.crossed ? 'R' : 'C', OB_SUM, &v, NULL, 0);
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
    multiply_by_t(q, w, (range){0, n});
}

/* V^H C of own rows: a wide C is the first factor, since a BLAS packs that one faster. */
static void multiply_own(qr *q, size_t w, ob_view c, char *sum)
{
    const oblu_kernels *k = q->s.k;
    size_t ld = c.m ? c.m : 1; /* a BLAS may refuse 0, also of a matrix without rows */
    if (c.n > 2 * w) {
        k->gemm('C', true, c.n, w, c.m, c.base, c.ld, q->s.l, ld, q->times, c.n);
        k->adjoint(c.n, w, q->times, c.n, sum, w);
    } else {
        k->gemm('C', true, w, c.n, c.m, q->s.l, ld, c.base, c.ld, sum, w);
    }
}

/* T^H V^H C, of all process rows, for some of the own columns on the right, and for B behind them.
 */
static void multiply(qr *q, const step *x, range rows, range right, ob_view b)
{
    lu_state *s = &q->s;
    size_t w = x->width, m = range_length(rows), of_a = range_length(right), n = of_a + b.n;
    multiply_own(q, w, lu_view(s, m, of_a, lu_at(s, rows.first, right.first), s->a.ld), q->sum);
    multiply_own(q, w, b, q->sum + w * of_a * s->k->bytes);
    s->watch.flops += 2.0 * (double)m * (double)n * (double)w;
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
    if (q->down && w * n * s->k->bytes > WORTH_SHARES)
        multiply_in_shares(q, w, n);
    else
        multiply_alike(q, w, n);
}

/* In some of the columns on the right. */
static void subtract(qr *q, const step *x, range rows, range right, range some)
{
    lu_state *s = &q->s;
    size_t w = x->width, m = range_length(rows), n = range_length(some);
    s->k->gemm('N', false, m, n, w, s->l, m,
               q->times + (some.first - right.first) * w * s->k->bytes, w,
               lu_at(s, rows.first, some.first), s->a.ld);
    s->watch.flops += 2.0 * (double)m * (double)n * (double)w;
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
}

static void subtract_from_b(qr *q, const step *x, range right)
{
    ob_view b = rows_of_b(q, x->j);
    size_t w = x->width, before = w * range_length(right) * q->s.k->bytes;
    q->s.k->gemm('N', false, b.m, b.n, w, q->s.l, b.m, q->times + before, w, b.base, b.ld);
    q->s.watch.flops += 2.0 * (double)b.m * (double)b.n * (double)w;
}

static void keep(qr *q, const step *x)
{
    keep_panel(q, x);
    keep_tau(q, x);
    keep_blocks(q, x);
    oblu_lap(&q->s.watch, OBLU_PACK, "spread");
}

static void do_step(qr *q, const step *x, const step *after)
{
    lu_state *s = &q->s;
    size_t c = s->a.columns.me, next = x->j + x->width;
    range right = lu_columns(s, c, next, s->a.n), rest = right;
    range rows = lu_rows(s, s->a.rows.me, x->j, s->a.m);
    spread(q, x, after);
    keep(q, x);
    if (next < s->a.n || q->b)
        multiply(q, x, rows, right, rows_of_b(q, x->j));
    if (after) {
        rest = lu_columns(s, c, next + after->width, s->a.n);
        subtract(q, x, rows, right, (range){right.first, rest.first});
        gather_panel(q, after);
    }
    subtract_from_b(q, x, right);
    subtract(q, x, rows, right, rest);
    bsp2d_buffer_free(s->g, s->incoming);
}

/* ---------------------------------------------------------------- lookahead */

static void factor_in_column(qr *q, const step *x)
{
    if (q->s.a.columns.me == x->pcol) {
        lu_address_block(&q->s, x);
        lu_reflect_column(&q->s, x, &q->reflections);
    }
    lu_begin_broadcast(&q->s, x);
}

/* A process column alone does this, so that nothing waits where it has nothing. */
static void apply(qr *q, const step *x, range rows, range some, ob_view b)
{
    if (range_length(some) + b.n == 0)
        return;
    multiply(q, x, rows, some, b);
    subtract(q, x, rows, some, some);
    if (b.n)
        subtract_from_b(q, x, some);
}

static void do_step_ahead(qr *q, const step *x, const step *after)
{
    lu_state *s = &q->s;
    size_t c = s->a.columns.me, next = x->j + x->width;
    range right = lu_columns(s, c, next, s->a.n), rest = right;
    range rows = lu_rows(s, s->a.rows.me, x->j, s->a.m);
    s->work[s->supersteps++] = s->watch.since - s->waiting_since;
    lu_await_block(s, x);
    q->t = (char *)s->news;
    q->r = (c == x->pcol ? (char *)s->made : q->t) + place_of_r(q);
    keep(q, x);
    if (after) {
        rest = lu_columns(s, c, next + after->width, s->a.n);
        apply(q, x, rows, (range){right.first, rest.first}, (ob_view){0});
        factor_in_column(q, after);
    }
    apply(q, x, rows, rest, rows_of_b(q, x->j));
}

/* ------------------------------------------------------------------- memory */

static void open_state(qr *q)
{
    lu_state *s = &q->s;
    size_t m = s->a.m, w = s->block, e = s->k->bytes, p = s->a.rows.count;
    size_t columns = range_length(lu_columns(s, s->a.columns.me, 0, s->a.n)) + rows_of_b(q, 0).n;
    s->news_elsewhere = (q->blocks ? 2 : 1) * w * w * e; /* R where it is needed */
    s->news_size = s->column ? s->news_elsewhere : 2 * w * w * e;
    s->own_rows_alone = true;
    s->made = oblu_room(2 * w * w, e);
    s->pieces = oblu_room(p * s->a.columns.count, sizeof *s->pieces);
    s->work = oblu_room(3 * ((s->least + w - 1) / w) + 2, sizeof *s->work);
    q->counts = oblu_room(p, sizeof *q->counts);
    size_t panel = s->column ? 0 : m * w * e;
    const oblu_piece all[] = {{&s->panel, panel},
                              {&s->share, panel + (s->column ? 0 : p * w * w * e)},
                              {&q->work, s->column ? 0 : oblu_reflect_work(w) * e},
                              {&q->reflections.sizes, w * sizeof(double)},
                              {&q->reflections.powers, w * sizeof(int)},
                              {&q->reflections.sums, 2 * w * e},
                              {&q->reflections.eliminator, w * e},
                              {&q->reflections.tau, w * e},
                              {&q->reflections.products, w * w * e},
                              {&q->reflections.times, w * OBLU_NARROW * e},
                              {&q->sum, w * columns * e},
                              {&q->times, w * columns * e}};
    oblu_keep(all, sizeof all / sizeof *all);
    if (s->row)
        lu_open_ahead(s);
}

static void close_state(qr *q)
{
    lu_close_ahead(&q->s);
    void *all[] = {q->s.made, q->s.pieces, q->s.work, q->counts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    oblu_kept_no_more();
}

void oblu_qr(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
             const oblu_way *way, void *tau, const oblu_matrix *b, const oblu_blocks *blocks,
             bsp_lu_parts *parts)
{
    double start = ob_time();
    size_t least = a->m < a->n ? a->m : a->n;
    qr q = {.s = {.k = kernels,
                  .g = grid,
                  .a = *a,
                  .column = way->column,
                  .row = way->row,
                  .offers = way->offers,
                  .block = way->block < least ? way->block : least,
                  .least = least,
                  .watch = {.since = start},
                  .waiting_since = start},
            .tau = tau,
            .down = way->down,
            .b = b,
            .blocks = blocks};
    open_state(&q);
    step x = lu_step_of(&q.s, 0);
    void (*do_step_of)(qr *, const step *, const step *) = q.s.column ? do_step_ahead : do_step;
    if (q.s.column) {
        factor_in_column(&q, &x);
    } else {
        lu_ask_for_buffer(&q.s);
        lu_end_superstep(&q.s, q.s.g, OBLU_PACK, NULL);
        gather_panel(&q, &x);
    }
    while (x.j + x.width < least) {
        step after = lu_step_of(&q.s, x.j + x.width);
        do_step_of(&q, &x, &after);
        x = after;
    }
    do_step_of(&q, &x, NULL);
    lu_report(&q.s, start, parts);
    if (way->measured)
        parts->idling = lu_idle_seconds(&q.s);
    close_state(&q);
}
