/*
 * QR factorisation in supersteps. A block of columns is factored by one process, as in the LU
 * (panel.c): its columns are brought there in one superstep as soon as the block before is applied
 * to them, and it factors them while the others still work. The block's reflections come to Q = I -
 * V T V^H.
 *
 *   superstep     T goes to everybody, and V along process rows; with more than two processes in a
 *                 row in two phases, which are two supersteps
 *   computation   V^H C for the own rows of all columns C on the right
 *   superstep     these products are summed in each process column (two supersteps, if it is long)
 *   computation   C = C - V T^H (V^H C) in the columns of the next block
 *   superstep     these go to the owner of the next block, who factors them
 *   computation   the rest of C
 *
 * The sums and the columns on their way to an owner have the grid `offers`, since V stays where it
 * has come only until the next superstep of its grid.
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

typedef struct qr {
    lu_state s;        /* of it: the matrix, the grids, the panel and its buffers, the times */
    char *tau;         /* by local column */
    char *t;           /* in the buffer: of the current block */
    char *v;           /* own rows of V, from row j on */
    char *sum, *times; /* V^H C, and T^H times that: width x right */
} qr;

static void *at_tau(const qr *q, size_t local)
{
    return q->tau + local * q->s.k->bytes;
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
    memset(s->made, 0, s->news_size);
    s->k->geqrt(ld, w, s->panel, ld, s->made);
    s->watch.flops += 2 * (double)w * (double)w * ((double)ld - (double)w / 3);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}

/* T to everybody and V to who needs it. */
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
}

static void keep_tau(qr *q, const step *x)
{
    size_t first = q->s.a.first_column + x->j, e = q->s.k->bytes;
    oblu_run run;
    for (size_t j = first;
         oblu_next_run(&q->s.a.columns, q->s.a.columns.me, &j, first + x->width, &run);)
        for (size_t l = 0; l < run.length; l++) {
            size_t i = run.global - first + l;
            memcpy(at_tau(q, run.local + l), q->t + (i + i * x->width) * e, e);
        }
}

/* Own rows of V: those at the top are unit lower triangular, where the panel has R, too. */
static void make_v(qr *q, const step *x, size_t rows)
{
    const lu_state *s = &q->s;
    size_t w = x->width, e = s->k->bytes, top = s->a.first_row + x->j, at = 0;
    char one[16];
    oblu_run run;
    s->k->put(1, one);
    for (size_t i = top; oblu_next_run(&s->a.rows, s->a.rows.me, &i, top + w, &run);
         at += run.length)
        for (size_t l = 0; l < run.length; l++)
            for (size_t j = 0; j < w; j++) {
                size_t row = run.global - top + l;
                char *to = q->v + (at + l + j * rows) * e;
                if (j < row)
                    memcpy(to, s->l + (row + j * s->ldl) * e, e);
                else if (j == row)
                    memcpy(to, one, e);
                else
                    memset(to, 0, e);
            }
    oblu_copy(e, s->ldl - w, w, s->l + w * e, s->ldl, q->v + at * e, rows);
}

/* ------------------------------------------------------------------- update */

/* T^H V^H C, of all process rows, for the own columns on the right. */
static void multiply(qr *q, const step *x, range rows, range right)
{
    lu_state *s = &q->s;
    size_t w = x->width, m = range_length(rows), n = range_length(right);
    /* A BLAS may refuse 0 as a leading dimension, also of a matrix without rows. */
    s->k->gemm('C', true, w, n, m, q->v, m ? m : 1, lu_at(s, rows.first, right.first), s->a.ld,
               q->sum, w);
    s->watch.flops += 2.0 * (double)m * (double)n * (double)w;
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
    ob_view v = lu_view(s, w, n, q->sum, w);
    bsp2d_reduce(s->offers, 'C', OB_SUM, &v, NULL, 0);
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
    s->k->gemm('C', true, w, n, w, q->t, w, q->sum, w, q->times, w);
    s->watch.flops += 2.0 * (double)w * (double)w * (double)n;
}

/* In some of the columns on the right. */
static void subtract(qr *q, const step *x, range rows, range right, range some)
{
    lu_state *s = &q->s;
    size_t w = x->width, m = range_length(rows), n = range_length(some);
    s->k->gemm('N', false, m, n, w, q->v, m,
               q->times + (some.first - right.first) * w * s->k->bytes, w,
               lu_at(s, rows.first, some.first), s->a.ld);
    s->watch.flops += 2.0 * (double)m * (double)n * (double)w;
    oblu_lap(&s->watch, OBLU_COMPUTE, "update");
}

static void do_step(qr *q, const step *x, const step *after)
{
    lu_state *s = &q->s;
    size_t c = s->a.columns.me, next = x->j + x->width;
    range right = lu_columns(s, c, next, s->a.n), rest = right;
    range rows = lu_rows(s, s->a.rows.me, x->j, s->a.m);
    spread(q, x, after);
    lu_keep_panel(s, x);
    keep_tau(q, x);
    if (next < s->a.n) {
        make_v(q, x, range_length(rows));
        oblu_lap(&s->watch, OBLU_PACK, "spread");
        multiply(q, x, rows, right);
    }
    if (after) {
        rest = lu_columns(s, c, next + after->width, s->a.n);
        subtract(q, x, rows, right, (range){right.first, rest.first});
        gather_panel(q, after);
    }
    subtract(q, x, rows, right, rest);
    bsp2d_buffer_free(s->g, s->incoming);
}

/* ------------------------------------------------------------------- memory */

static void open_state(qr *q)
{
    lu_state *s = &q->s;
    size_t m = s->a.m, w = s->block, e = s->k->bytes, p = s->a.rows.count;
    size_t columns = range_length(lu_columns(s, s->a.columns.me, 0, s->a.n));
    size_t rows = range_length(lu_rows(s, s->a.rows.me, 0, m));
    s->news_size = w * w * e;
    s->made = oblu_room(w * w, e);
    s->pieces = oblu_room(p * s->a.columns.count, sizeof *s->pieces);
    s->work = oblu_room(3 * ((s->least + w - 1) / w) + 2, sizeof *s->work);
    const oblu_piece all[] = {{&s->panel, m * w * e},
                              {&s->share, (p * w + m) * w * e},
                              {&q->v, rows * w * e},
                              {&q->sum, w * columns * e},
                              {&q->times, w * columns * e}};
    oblu_keep(all, sizeof all / sizeof *all);
}

static void close_state(qr *q)
{
    void *all[] = {q->s.made, q->s.pieces, q->s.work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    oblu_kept_no_more();
}

/* On one process it is LAPACK's. */
static void alone(qr *q)
{
    lu_state *s = &q->s;
    double m = (double)s->a.m, n = (double)s->a.n, k = (double)s->least;
    range rows = lu_rows(s, 0, 0, s->a.m), columns = lu_columns(s, 0, 0, s->a.n);
    s->k->geqrf(s->a.m, s->a.n, lu_at(s, rows.first, columns.first), s->a.ld,
                at_tau(q, columns.first));
    s->watch.flops = 2 * m * n * k - (m + n) * k * k + 2 * k * k * k / 3;
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}

void oblu_qr(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
             const oblu_way *way, void *tau, bsp_lu_parts *parts)
{
    double start = ob_time();
    size_t least = a->m < a->n ? a->m : a->n;
    qr q = {.s = {.k = kernels,
                  .g = grid,
                  .a = *a,
                  .offers = way->offers,
                  .block = way->block < least ? way->block : least,
                  .least = least,
                  .watch = {.since = start},
                  .waiting_since = start},
            .tau = tau};
    if (a->rows.count * a->columns.count == 1) {
        alone(&q);
        lu_report(&q.s, start, parts);
        return;
    }
    open_state(&q);
    step x = lu_step_of(&q.s, 0);
    lu_ask_for_buffer(&q.s);
    lu_end_superstep(&q.s, q.s.g, OBLU_PACK, NULL);
    gather_panel(&q, &x);
    while (x.j + x.width < least) {
        step after = lu_step_of(&q.s, x.j + x.width);
        do_step(&q, &x, &after);
        x = after;
    }
    do_step(&q, &x, NULL);
    lu_report(&q.s, start, parts);
    if (way->measured)
        parts->idling = lu_idle_seconds(&q.s);
    close_state(&q);
}
