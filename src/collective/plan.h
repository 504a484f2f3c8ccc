/*
 * Which algorithm carries out a collective call: pure arithmetic on the
 * route, the group's size and the bytes, so that it can be tested without
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
    int slices;   /* a combine's algorithm wants of every chunk */
    size_t chunk; /* bytes of a chunk, owners included */
};

/* Bytes one message of a combine should have at most: a slice, its partner's
 * and the transport's copy stay in a second-level cache together. */
#define OB_SLICE_BYTES ((size_t)128 << 10)
/* From this many bytes on a combine left on all is worth the bucket ring's
 * 2 (p - 1) messages. */
#define OB_BUCKET_BYTES ((size_t)64 << 10)

/* route may be NULL: OB_TOP_BEST. bytes: of the matrix. one_node: all members
 * have shared memory in common. */
ob_plan ob_plan_broadcast(const ob_route *route, int size, bool one_node, size_t bytes);
/* bytes: of the matrix and, when asked for, its owners. */
ob_plan ob_plan_combine(const ob_route *route, int size, int root, bool one_node, size_t bytes);

#endif
