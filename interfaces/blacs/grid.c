/*
 * The parts of a grid, and its end.
 */
#include <stdlib.h>

#include "comms.h"

void obl_make_part(const obl_call *call, const obl_grid *grid, int stream, int first, int step,
                   int count, ob_group **part)
{
    int *positions = malloc((size_t)count * sizeof(int));
    if (!positions)
        obl_fault(call, "OB-4001 no memory for a grid");
    for (int i = 0; i < count; i++)
        positions[i] = first + i * step;
    int status = ob_group_part(grid->point, stream, positions, count, part);
    free(positions);
    obl_check(call, status);
}

void obl_grid_free(obl_grid *grid)
{
    if (!grid)
        return;
    obl_comms_free(grid);
    ob_group_free(grid->row);
    ob_group_free(grid->column);
    ob_group_free(grid->all);
    ob_group_free(grid->point);
    free(grid->position);
    free(grid->listed);
    free(grid);
}

void obl_scope_places(const obl_grid *grid, const ob_view *view, int *row, int *column, size_t ld)
{
    for (size_t j = 0; j < view->n; j++)
        for (size_t i = 0; i < view->m; i++) {
            int at = grid->listed[row[i + j * ld]];
            row[i + j * ld] = at / grid->npcol;
            column[i + j * ld] = at % grid->npcol;
        }
}
