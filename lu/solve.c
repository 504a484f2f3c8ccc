/*
 * Solving with the factors, where they lie. Columns of the right-hand sides lie in few process
 * columns, often in one; so they travel, not the factors, and all who have a part of these compute.
 *
 * A block of rows of X, of all right-hand sides, is at one process between and in the sweeps
 * through both factors: at the one that has its first diagonal element. Rows of B come there first,
 * with their swaps, and go back at the end (solve_move.c). Narrow blocks of the distribution are
 * taken together, and their squares on the diagonal come to the owner, too.
 *
 * In a sweep with op(F), F a triangle of A, block k's owner gets what its rows' owners have summed
 * up, solves, and sends those rows of X to all who have columns of op(F) for them. These add to
 * their sums, first to those that the next block waits for; and who has that one solves for it
 * before all else. So a block takes two messages one after the other, and sweeps follow each other.
 *
 * Process (o, i) has rows of op(F) by its place o and columns by its place i: (row, column) on the
 * grid, or the other way round where op transposes.
 */
#include "solve.h"

#include <stdlib.h>

/* One factor: its triangle, and the order of the blocks. */
typedef struct factor {
    char uplo, diag, trans;
    bool forward;
    const oblu_axis *out, *in; /* that rows and columns of op(F) are dealt out to */
    size_t out_first, in_first;
} factor;

/* Rows or columns i .. end-1. */
typedef struct range {
    size_t i, end;
} range;

/* ------------------------------------------------------------------- places */

static size_t block_at(const solver *s, const factor *f, size_t step)
{
    return f->forward ? step : s->blocks - 1 - step;
}

static range block_of(const solver *s, size_t k)
{
    return (range){k * s->w, lu_end_of(s, k)};
}

static range behind(const solver *s, const factor *f, size_t k)
{
    return f->forward ? (range){lu_end_of(s, k), s->n} : (range){0, k * s->w};
}

static range before(const solver *s, const factor *f, size_t k)
{
    return f->forward ? (range){0, k * s->w} : (range){lu_end_of(s, k), s->n};
}

static size_t rows_at(const factor *f, size_t out, range x)
{
    return lu_count(f->out, f->out_first, out, x.i, x.end);
}

static size_t columns_at(const factor *f, size_t in, range x)
{
    return lu_count(f->in, f->in_first, in, x.i, x.end);
}

static size_t process_at(const solver *s, const factor *f, size_t out, size_t in)
{
    return f->trans == 'N' ? lu_process(s, out, in) : lu_process(s, in, out);
}

/* Has it sums for block k? */
static bool adds(const solver *s, const factor *f, size_t out, size_t in, size_t k)
{
    return rows_at(f, out, block_of(s, k)) && columns_at(f, in, before(s, f, k));
}

/* Does it need its rows of block k of X? */
static bool needs(const solver *s, const factor *f, size_t out, size_t in, size_t k)
{
    return columns_at(f, in, block_of(s, k)) && rows_at(f, out, behind(s, f, k));
}

/* The own ones of these rows. */
static ob_view sums_of(const solver *s, const factor *f, range x)
{
    size_t low = rows_at(f, f->out->me, (range){0, x.i});
    return bsp2d_ge(s->k->type, rows_at(f, f->out->me, x), s->sides, s->sums + low * s->k->bytes,
                    s->rows);
}

/* ------------------------------------------------------------------- a sweep */

static void apply(const solver *s, const factor *f, size_t k, range rows, const char *x)
{
    range c = block_of(s, k);
    ob_view sums = sums_of(s, f, rows);
    ob_view part = f->trans == 'N' ? oblu_own(s->k, s->a, rows.i, rows.end, c.i, c.end)
                                   : oblu_own(s->k, s->a, c.i, c.end, rows.i, rows.end);
    size_t w = columns_at(f, f->in->me, c);
    s->k->gemm(f->trans, false, sums.m, s->sides, w, part.base, part.ld, x, w, sums.base, sums.ld);
}

static void subtract(const solver *s, const factor *f, size_t k, size_t out, ob_view sums)
{
    size_t first = f->out_first + k * s->w, end = f->out_first + lu_end_of(s, k), at = 0;
    oblu_run run;
    for (size_t i = first; oblu_next_run(f->out, out, &i, end, &run); at += run.length)
        s->k->subtract(run.length, s->sides, (char *)sums.base + at * s->k->bytes, sums.ld,
                       s->x + (s->in_x[k] + run.global - first) * s->k->bytes, s->own);
}

static void take_sums(const solver *s, const factor *f, size_t k)
{
    for (size_t out = 0; out < f->out->count; out++)
        for (size_t in = 0; in < f->in->count; in++) {
            ob_view v = lu_room(s, rows_at(f, out, block_of(s, k)), s->sides);
            if (!adds(s, f, out, in, k))
                continue;
            if (process_at(s, f, out, in) == lu_self(s))
                v = sums_of(s, f, block_of(s, k));
            else
                lu_await(s, process_at(s, f, out, in), v);
            subtract(s, f, k, out, v);
        }
}

/* The rows of block k that place `in` has columns for, negative. */
static ob_view rows_for(const solver *s, const factor *f, size_t k, size_t in, char *to)
{
    size_t first = f->in_first + k * s->w, end = f->in_first + lu_end_of(s, k), at = 0;
    size_t m = columns_at(f, in, block_of(s, k)), e = s->k->bytes;
    oblu_run run;
    for (size_t i = first; oblu_next_run(f->in, in, &i, end, &run); at += run.length)
        oblu_copy(e, run.length, s->sides, s->x + (s->in_x[k] + run.global - first) * e, s->own,
                  to + at * e, m);
    s->k->scale(m, s->sides, -1, to, m);
    return bsp2d_ge(s->k->type, m, s->sides, to, m);
}

static void send_rows(const solver *s, const factor *f, size_t k, char *own)
{
    for (size_t in = 0; in < f->in->count; in++) {
        ob_view v = rows_for(s, f, k, in, in == f->in->me ? own : s->packed);
        for (size_t out = 0; out < f->out->count; out++)
            if (needs(s, f, out, in, k) && process_at(s, f, out, in) != lu_self(s))
                lu_hand(s, process_at(s, f, out, in), v);
    }
}

static void solve_block(const solver *s, const factor *f, size_t step)
{
    size_t k = block_at(s, f, step), e = s->k->bytes;
    range x = block_of(s, k);
    ob_view square = oblu_own(s->k, s->a, x.i, x.end, x.i, x.end);
    if (s->squares)
        square = bsp2d_ge(s->k->type, x.end - x.i, x.end - x.i, s->squares + s->in_x[k] * s->w * e,
                          x.end - x.i);
    take_sums(s, f, k);
    s->k->trsm('L', f->uplo, f->trans, f->diag, x.end - x.i, s->sides, square.base, square.ld,
               s->x + s->in_x[k] * e, s->own);
    send_rows(s, f, k, s->solved[step % 2]);
}

static void do_step(const solver *s, const factor *f, size_t step)
{
    size_t out = f->out->me, in = f->in->me, k = block_at(s, f, step);
    size_t next = block_at(s, f, step + 1);
    char *x = s->solved[step % 2];
    bool applies = needs(s, f, out, in, k);
    if (applies && s->owner[k] != lu_self(s)) {
        size_t m = columns_at(f, in, block_of(s, k));
        lu_await(s, s->owner[k], bsp2d_ge(s->k->type, m, s->sides, x, m));
    }
    if (applies)
        apply(s, f, k, block_of(s, next), x);
    if (s->owner[next] == lu_self(s))
        solve_block(s, f, step + 1);
    else if (adds(s, f, out, in, next))
        lu_hand(s, s->owner[next], sums_of(s, f, block_of(s, next)));
    if (applies)
        apply(s, f, k, behind(s, f, next), x);
}

static void sweep(solver *s, factor f)
{
    bool plain = f.trans == 'N';
    f.out = plain ? &s->a->rows : &s->a->columns;
    f.in = plain ? &s->a->columns : &s->a->rows;
    f.out_first = plain ? s->a->first_row : s->a->first_column;
    f.in_first = plain ? s->a->first_column : s->a->first_row;
    s->rows = rows_at(&f, f.out->me, (range){0, s->n});
    oblu_clear(s->k->bytes, s->rows, s->sides, s->sums, s->rows);
    if (s->owner[block_at(s, &f, 0)] == lu_self(s))
        solve_block(s, &f, 0);
    for (size_t step = 0; step + 1 < s->blocks; step++)
        do_step(s, &f, step);
}

/* ------------------------------------------------------------------- memory */

static size_t most_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool have_common_divisor(size_t a, size_t b)
{
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a > 1;
}

/* So many of the distribution's blocks are about `width` wide. With a divisor in common with a side
 * of the grid, few processes would have all first elements, and solve for all. */
static size_t blocks_for(const oblu_matrix *a, size_t width)
{
    size_t nb = a->rows.block, blocks = (width + nb - 1) / nb;
    size_t grid = a->rows.count * a->columns.count;
    for (size_t d = 0;; d++) {
        if (d < blocks && !have_common_divisor(grid, blocks - d))
            return blocks - d;
        if (!have_common_divisor(grid, blocks + d))
            return blocks + d;
    }
}

/* Each block costs two messages one after the other: so narrow ones are taken together, more of
 * them where more processes wait. Others are left where they are: their squares need not travel,
 * and fewer processes have a part of each; where there are more process rows than columns that is
 * worth more (bench/lu.md). On one process it is what products are fast with. */
static size_t width_for(const oblu_matrix *a)
{
    enum { NARROWEST = 8, NARROW = 32, WIDE = 64 };
    size_t nb = a->rows.block, p = a->rows.count, q = a->columns.count, w = nb;
    size_t narrow = p > q && p * q > 2 ? NARROWEST : NARROW, width = p * q == 2 ? NARROW : WIDE;
    if (p * q == 1 || (nb < narrow && a->m <= width))
        w = WIDE;
    else if (nb < narrow)
        w = nb * blocks_for(a, width);
    return w < a->m ? w : a->m;
}

static void list_blocks(solver *s)
{
    size_t pieces = (s->n + s->nb - 1) / s->nb;
    s->owner = oblu_room(2 * (s->blocks + pieces), sizeof *s->owner);
    s->in_x = s->owner + s->blocks;
    s->row = s->in_x + s->blocks;
    s->in_b = s->row + pieces;
    for (size_t l = 0; l < pieces; l++) {
        s->row[l] = oblu_owner(&s->a->rows, s->a->first_row + l * s->nb);
        s->in_b[l] = oblu_below(&s->b->rows, s->row[l], s->b->first_row + l * s->nb);
    }
    for (size_t k = 0; k < s->blocks; k++) {
        s->owner[k] = lu_process(s, oblu_owner(&s->a->rows, s->a->first_row + k * s->w),
                                 oblu_owner(&s->a->columns, s->a->first_column + k * s->w));
        s->in_x[k] = s->own;
        if (s->owner[k] == lu_self(s))
            s->own += lu_end_of(s, k) - k * s->w;
    }
}

static void get_memory(solver *s)
{
    ob_view mine = oblu_own(s->k, s->a, 0, s->n, 0, s->n);
    size_t e = s->k->bytes, w = s->w, rows = most_of(mine.m, mine.n);
    bool several = w > s->nb && s->p * s->q > 1;
    size_t parts = several ? most_of(mine.m, s->own) * w : 0;
    const oblu_piece pieces[] = {{&s->x, s->own * s->sides * e},
                                 {&s->sums, rows * s->sides * e},
                                 {&s->packed, most_of(most_of(rows, w) * s->sides, parts) * e},
                                 {&s->solved[0], w * s->sides * e},
                                 {&s->solved[1], w * s->sides * e},
                                 {&s->squares, several ? s->own * w * e : 0}};
    oblu_keep(pieces, sizeof pieces / sizeof *pieces);
    if (!several)
        s->squares = NULL;
    s->of_b.start = oblu_room(s->p * s->q + 1, sizeof *s->of_b.start);
    s->of_b.line = oblu_room(mine.m, sizeof *s->of_b.line);
    s->of_x.start = oblu_room(s->p + 1, sizeof *s->of_x.start);
    s->of_x.line = oblu_room(s->own, sizeof *s->of_x.line);
}

static solver opened(const oblu_kernels *kernels, ob_group *all, const oblu_matrix *a,
                     const oblu_matrix *b)
{
    size_t w = width_for(a);
    solver s = {.k = kernels,
                .all = all,
                .a = a,
                .b = b,
                .n = a->m,
                .nb = a->rows.block,
                .w = w,
                .blocks = (a->m + w - 1) / w,
                .p = a->rows.count,
                .q = a->columns.count,
                .sides = b->n};
    list_blocks(&s);
    get_memory(&s);
    return s;
}

static void close_solver(solver *s)
{
    void *all[] = {s->owner, s->of_b.start, s->of_b.line, s->of_x.start, s->of_x.line};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    oblu_kept_no_more();
}

/* ------------------------------------------------------------------ factors */

void oblu_solve(const oblu_kernels *kernels, ob_group *all, char trans, const oblu_matrix *a,
                oblu_pivots pivots, const oblu_matrix *b)
{
    solver s = opened(kernels, all, a, b);
    bool plain = trans == 'N';
    const factor l = {.uplo = 'L', .diag = 'U', .trans = trans, .forward = plain};
    const factor u = {.uplo = 'U', .diag = 'N', .trans = trans, .forward = !plain};
    size_t *home = lu_swapped(&s, pivots);
    lu_bring_to_x(&s, plain ? home : NULL);
    if (s.squares)
        lu_bring_squares(&s);
    sweep(&s, plain ? l : u);
    sweep(&s, plain ? u : l);
    lu_bring_back(&s, plain ? NULL : home);
    free(home);
    close_solver(&s);
}

void oblu_solve_definite(const oblu_kernels *kernels, ob_group *all, char uplo,
                         const oblu_matrix *a, const oblu_matrix *b)
{
    solver s = opened(kernels, all, a, b);
    bool lower = uplo == 'L';
    lu_bring_to_x(&s, NULL);
    if (s.squares)
        lu_bring_squares(&s);
    sweep(&s, (factor){.uplo = uplo, .diag = 'N', .trans = lower ? 'N' : 'C', .forward = true});
    sweep(&s, (factor){.uplo = uplo, .diag = 'N', .trans = lower ? 'C' : 'N'});
    lu_bring_back(&s, NULL);
    close_solver(&s);
}
