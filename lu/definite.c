/*
 * Factoring and solving of positive definite matrices, for what programs call (routines.c).
 */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "common/grid.h"

static int wrong_triangle(oblu_fault *f, char uplo)
{
    return memchr("LU", ob_capital(uplo), 2) ? 0
                                             : oblu_wrong(f, 100, "is '%c', must be U or L", uplo);
}

/* Where a block's lines have another place to go to; but not on 2 x 2, where one superstep a block
 * is faster: often two processes share a processor there, which has always something to do. */
static bool looks_ahead(const oblu_dims *g, char uplo)
{
    return (uplo == 'L' ? g->columns : g->rows) > 1 && (g->rows != 2 || g->columns != 2);
}

static bool each_on_its_own_node(const oblu_dims *g)
{
    int *node = oblu_room((size_t)g->rows * (size_t)g->columns, sizeof *node);
    bool each = ob_each_on_its_own_node(oblu_group_of(g, 'A'), node);
    free(node);
    return each;
}

/* With a lookahead the next block's holders are what the others wait for, and narrow blocks pass
 * from one to the next sooner. While the matrix is small that is worth more than wide products; but
 * not where processes share a node, and its processors with it. */
static size_t block_ahead(const oblu_dims *g, const oblu_matrix *a)
{
    enum { NARROW = 16, SMALL = 2250 };
    bool wide = oblu_block_is_set() || a->n >= SMALL || !each_on_its_own_node(g);
    return wide ? oblu_narrow_block(a) : NARROW;
}

static int64_t factor(const oblu_kernels *k, const oblu_dims *g, char uplo, const oblu_sub *x,
                      void *a)
{
    oblu_matrix matrix = oblu_matrix_of(x, g, a);
    oblu_way way = {.block = oblu_narrow_block(&matrix), .measured = oblu_measures()};
    bsp_lu_parts parts = {0};
    if (looks_ahead(g, ob_capital(uplo))) {
        way.row = oblu_group_of(g, 'R');
        way.ahead = lu_steps_ahead;
        way.block = block_ahead(g, &matrix);
        way.down = oblu_group_of(g, 'C');
    }
    bsp2d_grid *grid = way.row && !way.measured ? NULL : oblu_grid_of(g, 'A');
    int64_t info = oblu_cholesky(k, grid, ob_capital(uplo), &matrix, &way, &parts);
    bsp2d_gridexit(grid);
    oblu_note(&parts);
    return info;
}

static void solve(const oblu_kernels *k, const oblu_dims *g, char uplo, const oblu_sub *x,
                  const void *a, const oblu_sub *y, void *b)
{
    oblu_matrix factors = oblu_matrix_of(x, g, a), sides = oblu_matrix_of(y, g, b);
    oblu_solve_definite(k, oblu_group_of(g, 'A'), ob_capital(uplo), &factors, &sides);
}

int64_t oblu_potrf(const oblu_kernels *k, char uplo, int64_t n, void *a, int64_t ia, int64_t ja,
                   const int64_t *desca)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 6};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {.names = "UPLO N A IA JA DESCA INFO", .a = &x, .g = &g};
    int64_t info;
    oblu_enter(k, "potrf");
    if (!oblu_wrong_part(&x, &g, &c.wrong))
        wrong_triangle(&c.wrong, uplo);
    if (!oblu_meet_with_settings(&c, ob_capital(uplo), n == 0, &info))
        return info;
    info = factor(k, &g, uplo, &x, a);
    return info;
}

/* oblu_meet of potrs or posv. */
static bool meet(const oblu_kernels *k, const char *name, char uplo, const oblu_sub *x,
                 const oblu_sub *y, oblu_dims *g, bool empty, int64_t *info)
{
    oblu_call c = {.names = "UPLO N NRHS A IA JA DESCA B IB JB DESCB INFO", .a = x, .b = y, .g = g};
    oblu_enter(k, name);
    if (!oblu_wrong_system(x, y, g, &c.wrong))
        wrong_triangle(&c.wrong, uplo);
    return oblu_meet_with_settings(&c, ob_capital(uplo), empty, info);
}

int64_t oblu_potrs(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, const void *a,
                   int64_t ia, int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                   const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 11};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    int64_t info;
    if (!meet(k, "potrs", uplo, &x, &y, &g, n == 0 || nrhs == 0, &info))
        return info;
    solve(k, &g, uplo, &x, a, &y, b);
    return 0;
}

int64_t oblu_posv(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, void *a, int64_t ia,
                  int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 11};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    int64_t info;
    if (!meet(k, "posv", uplo, &x, &y, &g, n == 0, &info))
        return info;
    info = factor(k, &g, uplo, &x, a);
    if (info == 0 && nrhs > 0)
        solve(k, &g, uplo, &x, a, &y, b);
    return info;
}
