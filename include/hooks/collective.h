/*
 * Combines with owners as coordinates, which the BLACS' interface alone needs: it is part of
 * the library, so that is not exported. And local combining, which obbench times.
 */
#ifndef OPENBLACS_HOOKS_COLLECTIVE_H
#define OPENBLACS_HOOKS_COLLECTIVE_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where owners go as coordinates: of the member at position k, first_base + k / width
 * to `first`, second_base + k % width to `second` (NULL: not wanted). Both are m x n
 * arrays of leading dimension ld. A grid's rows and columns are width = its columns. */
typedef struct ob_coordinates {
    int *first, *second;
    size_t ld;
    int width, first_base, second_base;
} ob_coordinates;

/* ob_combine with owners as coordinates; coords may be NULL. */
int ob_combine_coordinates(ob_group *group, int root, ob_op op, const ob_view *matrix,
                           const ob_coordinates *coords, const ob_route *route);

/* ob_icombine without owners; where the result does not go the matrix stays as it is. The arguments
 * are checked. */
OB_API int ob_icombine_keep(ob_group *group, int root, ob_op op, const ob_view *matrix,
                            const ob_route *route, ob_request **request);

/* The local work of a combine, for measuring T_o: acc[i] = acc[i] op in[i] for n
 * elements. OB_EARG for a type that cannot be combined. */
OB_API int ob_combine_local(ob_op op, ob_type type, size_t n, void *acc, const void *in);

#ifdef __cplusplus
}
#endif
#endif
