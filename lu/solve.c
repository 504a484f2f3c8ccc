/*
 * Solving with the factors: one superstep for all row swaps and one for each block of
 * columns of each factor. A block of the right-hand sides goes to its whole process column
 * unsolved, and all solve it alike: that saves the superstep in which the solution would follow.
 * With the transposed factors the sums over the solved rows go to the block's process row instead.
 */
#include "lu.h"

#include <stdlib.h>

typedef struct solver {
    const oblu_kernels *k;
    bsp2d_grid *g;
    const oblu_matrix *a, *b;
    size_t n, w, p, q; /* order, block, grid */
    size_t b_columns;  /* own columns of B */
    char *block, *sum;
} solver;

/* One factor: its triangle, and the order of the blocks. */
typedef struct factor {
    char uplo, diag, trans;
    bool forward;
} factor;

static bool is_me(const solver *s, size_t r, size_t c)
{
    return r == s->a->rows.me && c == s->a->columns.me;
}

static void send(solver *s, size_t r, size_t c, ob_view v)
{
    if (v.m && v.n && !is_me(s, r, c))
        bsp2d_hpsend(s->g, (int)r, (int)c, &v);
}

static ob_view take(solver *s, size_t r, size_t c, ob_view own)
{
    if (own.m && own.n && !is_me(s, r, c))
        bsp2d_hpmove(s->g, (int)r, (int)c, &own);
    return own;
}

/* Own rows i .. end-1 of B. */
static ob_view rows_of_b(const solver *s, size_t i, size_t end)
{
    return oblu_own(s->k, s->b, i, end, 0, s->b->n);
}

static size_t end_of(const solver *s, size_t k)
{
    return (k + 1) * s->w < s->n ? (k + 1) * s->w : s->n;
}

static void swap_rows(solver *s, oblu_pivots pivots, bool backwards)
{
    size_t *all = oblu_all_pivots(s->g, s->a, false, s->a->first_row, s->n, pivots);
    for (size_t i = 0; i < s->n; i++)
        all[i] -= s->a->first_row;
    oblu_swap_lines(s->k, s->g, s->b, false, all, 0, s->n, backwards);
    free(all);
}

/* ------------------------------------------------------------------- blocks */

/* The rows of the factor's columns k that are neither solved nor being solved, or with
 * the transposed factor those that are solved. */
static void other_rows(const solver *s, const factor *f, size_t k, size_t *i, size_t *end)
{
    bool below = f->uplo == 'L';
    *i = below ? end_of(s, k) : 0;
    *end = below ? s->n : k * s->w;
}

static ob_view columns_of_factor(const solver *s, const factor *f, size_t k)
{
    size_t i, end;
    other_rows(s, f, k, &i, &end);
    return oblu_own(s->k, s->a, i, end, k * s->w, end_of(s, k));
}

/* The same, as many columns as process row `me` gets. */
static ob_view own_columns_of_factor(const solver *s, const factor *f, size_t k)
{
    ob_view v = columns_of_factor(s, f, k);
    v.n = end_of(s, k) - k * s->w;
    return v;
}

static size_t row_of(const solver *s, size_t k)
{
    return oblu_owner(&s->a->rows, s->a->first_row + k * s->w);
}

static size_t column_of(const solver *s, size_t k)
{
    return oblu_owner(&s->a->columns, s->a->first_column + k * s->w);
}

static ob_view diagonal(const solver *s, size_t k)
{
    size_t i = k * s->w, end = end_of(s, k);
    ob_view v = oblu_own(s->k, s->a, i, end, i, end);
    v.m = v.n = end - i;
    return v;
}

static void send_columns(solver *s, const factor *f, size_t k)
{
    for (size_t c = 0; c < s->q && column_of(s, k) == s->a->columns.me; c++)
        send(s, s->a->rows.me, c, columns_of_factor(s, f, k));
}

static ob_view take_columns(solver *s, const factor *f, size_t k)
{
    return take(s, s->a->rows.me, column_of(s, k), own_columns_of_factor(s, f, k));
}

/* x = x - op(f) y */
static void multiply(solver *s, const ob_view *f, const ob_view *y, const ob_view *x)
{
    s->k->gemm('N', false, f->m, x->n, f->n, f->base, f->ld, y->base, y->ld, x->base, x->ld);
}

static void solve_plain(solver *s, const factor *f, size_t k)
{
    size_t r = row_of(s, k), c = column_of(s, k), i, end, w = end_of(s, k) - k * s->w;
    ob_view mine = rows_of_b(s, k * s->w, end_of(s, k));
    send_columns(s, f, k);
    for (size_t l = 0; l < s->p * s->q && is_me(s, r, c); l++)
        send(s, l / s->q, l % s->q, diagonal(s, k));
    for (size_t l = 0; l < s->p && r == s->a->rows.me; l++)
        send(s, l, s->a->columns.me, mine);
    bsp2d_sync(s->g);
    ob_view columns = take_columns(s, f, k), square = take(s, r, c, diagonal(s, k)), y = mine;
    y.m = w;
    y = take(s, r, s->a->columns.me, y);
    ob_view x = bsp2d_ge(s->k->type, w, s->b_columns, s->block, w);
    oblu_copy(s->k->bytes, w, s->b_columns, y.base, y.ld, x.base, w);
    s->k->trsm('L', f->uplo, 'N', f->diag, w, s->b_columns, square.base, square.ld, x.base, w);
    if (r == s->a->rows.me)
        oblu_copy(s->k->bytes, w, s->b_columns, x.base, w, mine.base, mine.ld);
    other_rows(s, f, k, &i, &end);
    ob_view rest = rows_of_b(s, i, end);
    multiply(s, &columns, &x, &rest);
}

/* The sum that block k needs of the own solved rows, on its way to the block's process row. */
static void send_sum(solver *s, const factor *f, size_t k, const ob_view *columns)
{
    size_t i, end, w = end_of(s, k) - k * s->w;
    other_rows(s, f, k, &i, &end);
    ob_view solved = rows_of_b(s, i, end);
    s->k->gemm(f->trans, true, w, s->b_columns, columns->m, columns->base, columns->ld, solved.base,
               solved.ld, s->sum, w);
    send(s, row_of(s, k), s->a->columns.me, bsp2d_ge(s->k->type, w, s->b_columns, s->sum, w));
}

static void subtract_sums(solver *s, const ob_view *mine)
{
    for (size_t r = 0; r < s->p; r++) {
        ob_view v = bsp2d_ge(s->k->type, mine->m, s->b_columns, s->sum, mine->m);
        v = take(s, r, s->a->columns.me, v);
        s->k->subtract(mine->m, s->b_columns, v.base, v.ld, mine->base, mine->ld);
    }
}

static void solve_transposed(solver *s, const factor *f, size_t k, const ob_view *columns)
{
    size_t r = row_of(s, k), c = column_of(s, k);
    send_sum(s, f, k, columns);
    for (size_t l = 0; l < s->q && is_me(s, r, c); l++)
        send(s, r, l, diagonal(s, k));
}

static void finish_transposed(solver *s, const factor *f, size_t k)
{
    size_t r = row_of(s, k), c = column_of(s, k);
    if (r != s->a->rows.me)
        return;
    ob_view mine = rows_of_b(s, k * s->w, end_of(s, k));
    subtract_sums(s, &mine);
    ob_view square = take(s, r, c, diagonal(s, k));
    s->k->trsm('L', f->uplo, f->trans, f->diag, mine.m, s->b_columns, square.base, square.ld,
               mine.base, mine.ld);
}

/* ------------------------------------------------------------------ factors */

static void sweep_plain(solver *s, const factor *f)
{
    size_t blocks = (s->n + s->w - 1) / s->w;
    for (size_t l = 0; l < blocks; l++)
        solve_plain(s, f, f->forward ? l : blocks - 1 - l);
}

/* The columns of the next block travel with the sums of this one. */
static void sweep_transposed(solver *s, const factor *f)
{
    size_t blocks = (s->n + s->w - 1) / s->w, k = f->forward ? 0 : blocks - 1;
    ob_view columns = own_columns_of_factor(s, f, k);
    for (size_t l = 0; l < blocks; l++) {
        size_t next = f->forward ? k + 1 : k - 1;
        solve_transposed(s, f, k, &columns);
        if (l + 1 < blocks)
            send_columns(s, f, next);
        bsp2d_sync(s->g);
        finish_transposed(s, f, k);
        if (l + 1 < blocks)
            columns = take_columns(s, f, next);
        k = next;
    }
}

static void sweep(solver *s, const factor *f)
{
    if (f->trans == 'N')
        sweep_plain(s, f);
    else
        sweep_transposed(s, f);
}

static void open_solver(solver *s, const oblu_kernels *kernels, bsp2d_grid *grid,
                        const oblu_matrix *a, const oblu_matrix *b)
{
    *s = (solver){.k = kernels,
                  .g = grid,
                  .a = a,
                  .b = b,
                  .n = a->m,
                  .w = a->rows.block < a->m ? a->rows.block : a->m,
                  .p = a->rows.count,
                  .q = a->columns.count};
    ob_view mine = rows_of_b(s, 0, s->n);
    size_t w2 = s->w * (s->w > mine.n ? s->w : mine.n);
    s->b_columns = mine.n;
    s->block = oblu_room(w2, kernels->bytes);
    s->sum = oblu_room(w2, kernels->bytes);
}

static void close_solver(solver *s)
{
    free(s->block);
    free(s->sum);
}

void oblu_solve(const oblu_kernels *kernels, bsp2d_grid *grid, char trans, const oblu_matrix *a,
                oblu_pivots pivots, const oblu_matrix *b)
{
    solver s;
    open_solver(&s, kernels, grid, a, b);
    if (trans == 'N') {
        swap_rows(&s, pivots, false);
        sweep(&s, &(factor){'L', 'U', 'N', true});
        sweep(&s, &(factor){'U', 'N', 'N', false});
    } else {
        sweep(&s, &(factor){'U', 'N', trans, true});
        sweep(&s, &(factor){'L', 'U', trans, false});
        swap_rows(&s, pivots, true);
    }
    close_solver(&s);
}

void oblu_solve_triangle(const oblu_kernels *kernels, bsp2d_grid *grid, char uplo, char trans,
                         const oblu_matrix *a, const oblu_matrix *b)
{
    solver s;
    open_solver(&s, kernels, grid, a, b);
    sweep(&s, &(factor){uplo, 'N', trans, (uplo == 'L') == (trans == 'N')});
    close_solver(&s);
}
