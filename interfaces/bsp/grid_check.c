/*
 * The checks of what a routine of BSP2D is called with: the grid, a place on it, a matrix.
 */
#include "grid.h"

bsp_machine *bspm_machine_of(const bsp2d_grid *g, const char *routine)
{
    if (g == NULL)
        bspm_fault(NULL, routine, "OB-1001 the grid is NULL");
    return g->m;
}

int bspm_pid_of(const bsp2d_grid *g, const char *routine, int prow, int pcol)
{
    const bsp_machine *m = bspm_machine_of(g, routine);
    if (prow < 0 || prow >= g->rows || pcol < 0 || pcol >= g->columns)
        bspm_fault(m, routine, "OB-1009 there is no process (%d,%d) on a grid of %d x %d", prow,
                   pcol, g->rows, g->columns);
    return prow * g->columns + pcol;
}

void bspm_check_view(const bsp2d_grid *g, const char *routine, const ob_view *a)
{
    const bsp_machine *m = bspm_machine_of(g, routine);
    if (a == NULL || ob_type_bytes(a->type) == 0 || (unsigned)a->shape > OB_LOWER)
        bspm_fault(m, routine, "OB-1018 the matrix has no type or shape (%d, %d)",
                   a ? (int)a->type : -1, a ? (int)a->shape : -1);
    if (a->ld < a->m || (a->ld == 0 && a->n > 1))
        bspm_fault(m, routine, "OB-1004 the matrix has %zu rows but a leading dimension of %zu",
                   a->m, a->ld);
    if (a->base == NULL && ob_view_count(a))
        bspm_fault(m, routine, "OB-1002 the matrix is %zu x %zu at address NULL", a->m, a->n);
}
