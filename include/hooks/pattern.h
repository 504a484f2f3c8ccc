/*
 * Who sends to whom, as pure arithmetic (LAWN 73, 4.3 and 5.4): no memory, no
 * messages. A pattern is a tree of messages rooted at one member, seen from
 * one member: outward for a broadcast (receive from the parent, then send to
 * the children), inward for a combine (receive from the children, then send
 * to the parent). Members have positions 0 .. size-1; all patterns but the
 * hypercube work with the distance from the root, counted around the group.
 *
 * A hook, because obbench predicts the times of these patterns.
 */
#ifndef OPENBLACS_HOOKS_PATTERN_H
#define OPENBLACS_HOOKS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "openblacs/core.h"

typedef struct ob_form ob_form;

typedef struct ob_pattern {
    const ob_form *form;
    bool inward;   /* messages flow to the root */
    bool downward; /* distances are counted towards lower positions */
    int size, root;
    int here;       /* distance of the member this is seen from */
    int rings;      /* of rings: 1 .. size-1 */
    long long base; /* of trees: branches + 1; 2 .. size */
    long long top;  /* of trees: the largest power of base below size */
    /* Where the walk over the children stands. */
    long long power;
    int index;
} ob_pattern;

/* One message: the member at the other end, and the step of the figures, counted
 * from 0, in which it is sent. */
typedef struct ob_edge {
    int peer;
    int step;
} ob_edge;

/* Prepares the pattern of a broadcast from root. branches is the number of
 * rings (never 0, negative: decreasing) or branches (>= 1) where the topology
 * takes them; numbers beyond size-1 mean size-1. A hypercube whose size is not
 * a power of two is a tree with one branch (4.3.2); so is OB_TOP_BEST. */
OB_API void ob_pattern_broadcast(ob_pattern *p, ob_topology topology, int branches, int size,
                                 int root, int me);
/* The same for a combine at root. Increasing rings are those whose messages
 * flow to higher positions; the split ring is two increasing rings, since a
 * combine has no near half to serve first; the hypercube is a tree with one
 * branch (5.4.2: with a root, bidirectional exchange is that tree). */
OB_API void ob_pattern_combine(ob_pattern *p, ob_topology topology, int branches, int size,
                               int root, int me);
/* The way out of what a combine has left at the root: along its rings, which flow on in the same
 * direction, else along the tree with one branch. */
OB_API void ob_pattern_send_out(ob_pattern *p, ob_topology topology, int branches, int size,
                                int root, int me);

/* The parent's position and the step of that message; false at the root. */
OB_API bool ob_pattern_parent(const ob_pattern *p, ob_edge *parent);
/* The next child in the order of sending (outward) or combining (inward);
 * false when there are no more, which also starts the walk again. */
OB_API bool ob_pattern_next(ob_pattern *p, ob_edge *child);

/* Bytes one message of a combine along a pattern should have at most, owners included: a chunk,
 * its partner's and the transport's copy stay in a second-level cache together. */
#define OB_SLICE_BYTES ((size_t)128 << 10)

#endif
