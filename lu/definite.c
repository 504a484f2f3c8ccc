/*
 * Factoring and solving of positive definite matrices, for what programs call (routines.c).
 */
#include "arguments.h"

#include <string.h>

static int wrong_triangle(oblu_fault *f, char uplo)
{
    return memchr("LU", oblu_upper(uplo), 2) ? 0
                                             : oblu_wrong(f, 100, "is '%c', must be U or L", uplo);
}

static int64_t factor(const oblu_kernels *k, bsp2d_grid *grid, const oblu_dims *g, char uplo,
                      const oblu_sub *x, void *a)
{
    oblu_matrix matrix = oblu_matrix_of(x, g, a);
    oblu_way way = {.block = oblu_narrow_block(x), .measured = oblu_measures()};
    bsp_lu_parts parts = {0};
    int64_t info = oblu_cholesky(k, grid, oblu_upper(uplo), &matrix, &way, &parts);
    oblu_note(&parts);
    return info;
}

static void solve(const oblu_kernels *k, bsp2d_grid *grid, const oblu_dims *g, char uplo,
                  const oblu_sub *x, const void *a, const oblu_sub *y, void *b)
{
    oblu_matrix factors = oblu_matrix_of(x, g, a), sides = oblu_matrix_of(y, g, b);
    bool lower = oblu_upper(uplo) == 'L';
    oblu_solve_triangle(k, grid, oblu_upper(uplo), lower ? 'N' : 'C', &factors, &sides);
    oblu_solve_triangle(k, grid, oblu_upper(uplo), lower ? 'C' : 'N', &factors, &sides);
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
    bsp2d_grid *grid = oblu_meet_with_settings(&c, oblu_upper(uplo), n == 0, &info);
    if (grid == NULL)
        return info;
    info = factor(k, grid, &g, uplo, &x, a);
    bsp2d_gridexit(grid);
    return info;
}

static const char system_names[] = "UPLO N NRHS A IA JA DESCA B IB JB DESCB INFO";

int64_t oblu_potrs(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, const void *a,
                   int64_t ia, int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                   const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 11};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {.names = system_names, .a = &x, .b = &y, .g = &g};
    int64_t info;
    oblu_enter(k, "potrs");
    if (!oblu_wrong_system(&x, &y, &g, &c.wrong))
        wrong_triangle(&c.wrong, uplo);
    bsp2d_grid *grid = oblu_meet_with_settings(&c, oblu_upper(uplo), n == 0 || nrhs == 0, &info);
    if (grid == NULL)
        return info;
    solve(k, grid, &g, uplo, &x, a, &y, b);
    bsp2d_gridexit(grid);
    return 0;
}

int64_t oblu_posv(const oblu_kernels *k, char uplo, int64_t n, int64_t nrhs, void *a, int64_t ia,
                  int64_t ja, const int64_t *desca, void *b, int64_t ib, int64_t jb,
                  const int64_t *descb)
{
    oblu_sub x = {n, n, ia, ja, desca, 2, 2, 7}, y = {n, nrhs, ib, jb, descb, 2, 3, 11};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {.names = system_names, .a = &x, .b = &y, .g = &g};
    int64_t info;
    oblu_enter(k, "posv");
    if (!oblu_wrong_system(&x, &y, &g, &c.wrong))
        wrong_triangle(&c.wrong, uplo);
    bsp2d_grid *grid = oblu_meet_with_settings(&c, oblu_upper(uplo), n == 0, &info);
    if (grid == NULL)
        return info;
    info = factor(k, grid, &g, uplo, &x, a);
    if (info == 0 && nrhs > 0)
        solve(k, grid, &g, uplo, &x, a, &y, b);
    bsp2d_gridexit(grid);
    return info;
}
