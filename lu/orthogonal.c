/*
 * QR factorisation, for what programs call (routines.c).
 */
#include "arguments.h"

int64_t oblu_geqrf(const oblu_kernels *k, int64_t m, int64_t n, void *a, int64_t ia, int64_t ja,
                   const int64_t *desca, void *tau, void *work, int64_t lwork)
{
    oblu_sub x = {m, n, ia, ja, desca, 1, 2, 6};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    bool asks = lwork == -1;
    oblu_call c = {.names = "M N A IA JA DESCA TAU WORK LWORK INFO",
                   .a = &x,
                   .g = &g,
                   .scalar = {{asks, 900}},
                   .scalars = 1};
    int64_t info;
    oblu_enter(k, "geqrf");
    if (!oblu_wrong_part(&x, &g, &c.wrong) && !asks && lwork < 1)
        oblu_wrong(&c.wrong, 900, "is %" PRId64 ", must be at least 1, or -1 to ask", lwork);
    bsp2d_grid *grid = oblu_meet_with_settings(&c, 0, asks || m == 0 || n == 0, &info);
    if (info == 0)
        k->put(1, work);
    if (grid == NULL)
        return info;
    oblu_matrix matrix = oblu_matrix_of(&x, &g, a);
    oblu_way way = {.block = oblu_narrow_block(&x), .measured = oblu_measures()};
    bsp_lu_parts parts = {0};
    if (g.rows * g.columns > 1)
        way.offers = oblu_grid_of(desca[CTXT], "All", g.rows, g.columns, g.row + g.column * g.rows);
    oblu_qr(k, grid, &matrix, &way, tau, &parts);
    oblu_note(&parts);
    bsp2d_gridexit(way.offers);
    bsp2d_gridexit(grid);
    return 0;
}
