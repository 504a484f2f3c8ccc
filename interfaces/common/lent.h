/*
 * For libopenblacs_lu: grids of BSP2D in groups that a context has.
 */
#ifndef OB_COMMON_LENT_H
#define OB_COMMON_LENT_H

#include "openblacs/bsp2d.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A grid of the members of `all`, row by row. row and column are groups of the caller's; NULL: it
 * has one process, and nobody calls in its scope. All members call alike: nothing is checked, and
 * nothing sent. The groups stay the caller's; in them it may have several grids, and make calls of
 * its own, in the same order on all members. */
OB_API bsp2d_grid *ob_bsp2d_lent(ob_group *all, ob_group *row, ob_group *column, int rows,
                                 int columns);

#ifdef __cplusplus
}
#endif
#endif
