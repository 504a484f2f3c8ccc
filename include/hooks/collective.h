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

/* ob_prepare_combine_by out of place, as ob_combine_to: the values are in `from`, which is only
 * read, each time it is begun. The result goes to `to`, of the same bytes, which does not overlap
 * `from`, or is the same view, where it is written. `to` is not looked at where no result is left.
 * Both matrices must stay. The arguments are checked. */
OB_API int ob_prepare_combine_apart(ob_group *group, int root, const ob_operation *operation,
                                    const ob_view *from, const ob_view *to, const ob_route *route,
                                    ob_prepared **prepared);

/* A prepared call goes on in the background, once begun, whatever its length: nobody who waits for
 * this process need have it call the library. False: it cannot, since a member is on another node,
 * the operation is the caller's own, or there is no thread to be had. */
OB_API int ob_prepared_attend(ob_prepared *prepared);
/* Are all members on this node, so that calls of theirs can go on in the background? The same on
 * all members. */
OB_API int ob_group_near(const ob_group *group);

/* How many nodes the members are on, and which of them each is on: 0, 1 ... as they come in the
 * group. 1, and 0 for all, where that is not known. */
OB_API int ob_group_nodes(const ob_group *group, int *node);
/* Do all members have the MPI library's own calls, which topology N asks for? Collective; all get
 * the same answer. A negative status. */
OB_API int ob_group_native(ob_group *group);

/* The local work of a combine, for measuring T_o: acc[i] = acc[i] op in[i] for n
 * elements. OB_EARG for a type that cannot be combined. */
OB_API int ob_combine_local(ob_op op, ob_type type, size_t n, void *acc, const void *in);

#ifdef __cplusplus
}
#endif
#endif
