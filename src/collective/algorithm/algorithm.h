/*
 * The algorithms, one a file. Each is written for one member in terms of
 * ob_send and ob_recv or, for combines, of the combiner's chunk; the shapes
 * are in pattern/. A failed send or receive ends the algorithm with its status.
 */
#ifndef OB_COLLECTIVE_ALGORITHM_H
#define OB_COLLECTIVE_ALGORITHM_H

#include "collective/parts.h"
#include "collective/plan.h"
#include "collective/schedule.h"
#include "core/group.h"
#include "hooks/collective.h"

/* Store and forward along a pattern: every member receives into its own
 * matrix and sends from it. p - 1 messages of n bytes; the time is the
 * pattern's (LAWN 73, table 9). */
int ob_broadcast_pattern(ob_group *group, int root, const ob_view *matrix, const ob_plan *plan);

/* Gather along a pattern to the root or, left on all, to member 0, which then
 * sends the result out: along rings again after rings, along the tree with one
 * branch after trees (LAWN 73, 5.4.1). Coherent: one member computes the result.
 * Tree with one branch: log2(p) (alpha + n (beta + gamma)), and log2(p)
 * (alpha + n beta) more when left on all. */
int ob_combine_pattern(ob_combiner *c, const ob_plan *plan);
/* Its second half: the result from root to all. */
int ob_combine_send_out(ob_combiner *c, const ob_plan *plan, int root);
/* The same along rings, with receives posted ahead, so that a chunk comes in while the one before is
 * combined: for members between which messages move by themselves. */
int ob_combine_rings(ob_combiner *c, const ob_plan *plan);

/* Bidirectional exchange (LAWN 73, 5.4.2), left on all only, any p:
 * log2(p) (alpha + n (beta + gamma)), and 2 alpha + n (2 beta + gamma) more
 * when p is no power of two. */
int ob_combine_exchange(ob_combiner *c, const ob_plan *plan);

/* On memory that one node's members have in common. A broadcast is n beta for
 * packing and n beta for unpacking, which overlap; a combine, with b the time of a byte
 * copied, 2 n b + p n gamma when short, 3 n b + n gamma when long. Both are
 * repeatable and coherent. */
int ob_broadcast_board(ob_group *group, int root, const ob_view *matrix, const ob_plan *plan);
int ob_combine_board(ob_group *group, int root, ob_op op, const ob_operation *operation,
                     const ob_view *matrix, const ob_places *places, bool exact);
int ob_barrier_board(ob_group *group);
/* The reproducible sum by messages: 2 (p - 1) alpha + 2 (p - 1) / p n beta and the
 * exact sums of n / p elements of p terms; when short log2(p) alpha + p n beta. */
int ob_combine_exact(ob_group *group, int root, const ob_view *matrix);
/* Scatter, gather, collect, distributed combine: every byte is copied out once by who
 * has it and in by who wants it. */
int ob_parts_board(ob_group *group, ob_task task, int root, const ob_parts *parts);

/* Dissemination: ceil(log2(p)) rounds of empty messages. */
int ob_barrier_dissemination(ob_group *group);

#endif
