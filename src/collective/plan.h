/*
 * Which algorithm carries out a collective call that no scheme does: pure arithmetic on
 * the route and the group's size, so that it can be tested without
 * communication and all members decide alike.
 */
#ifndef OB_COLLECTIVE_PLAN_H
#define OB_COLLECTIVE_PLAN_H

#include <stdbool.h>

#include "collective/combine.h"

typedef int (*ob_broadcast_algorithm)(ob_group *group, int root, const ob_view *matrix,
                                      const struct ob_plan *plan);

struct ob_plan {
    const char *name; /* of the algorithm */
    ob_broadcast_algorithm broadcast;
    ob_combine_algorithm combine; /* NULL: ob_combine_board */
    ob_topology topology; /* never OB_TOP_BEST */
    int branches;
    size_t chunk; /* bytes of a chunk, owners included */
};

/* Bytes one message of a combine should have at most: a chunk, its partner's
 * and the transport's copy stay in a second-level cache together. */
#define OB_SLICE_BYTES ((size_t)128 << 10)

/* route may be NULL: OB_TOP_BEST. one_node: all members
 * have shared memory in common. */
ob_plan ob_plan_broadcast(const ob_route *route, int size, bool one_node);
ob_plan ob_plan_combine(const ob_route *route, int root);

#endif
