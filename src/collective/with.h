/*
 * Combines with an operation, as operations.c has them of the calls: arguments checked, and the
 * operation one that is done when the operands are combined (no ob_staged).
 */
#ifndef OB_COLLECTIVE_WITH_H
#define OB_COLLECTIVE_WITH_H

#include "core/group.h"

/* in_order: the operation need not commute. kept: `from` stays as it is, and the result goes to
 * `to`, apart from it; where there is no result `to` is `from`. Else they are the same. */
int ob_combine_with(ob_group *group, int root, const ob_operation *operation, bool in_order,
                    bool kept, const ob_view *from, const ob_view *to, const ob_route *route);
/* `to` NULL: the result stays in the own piece, and the others may be overwritten. Checks pieces.
 */
int ob_distribute_with(const char *routine, ob_group *group, const ob_operation *operation,
                       bool in_order, const ob_pieces *pieces, const ob_view *to,
                       const ob_route *route);

#endif
