/*
 * LAWN 73's topologies, carried out: each function is written for one member in terms of
 * messages or, for combines, of the combiner's chunk; who talks to whom is pattern.h's
 * and partners.h's. A failed send or receive ends it with its status.
 */
#ifndef OB_COLLECTIVE_TOPOLOGY_TOPOLOGY_H
#define OB_COLLECTIVE_TOPOLOGY_TOPOLOGY_H

#include "collective/topology/combine.h"

/* The route of a broadcast. OB_TOP_BEST, or asked NULL, is the tree with one branch. */
ob_route ob_route_broadcast(const ob_route *asked);
/* The route of a combine, and who goes it. Left on all, OB_TOP_BEST and OB_TOP_HYPERCUBE are the
 * exchange, unless the result must be coherent. */
ob_combine_algorithm ob_route_combine(const ob_route *asked, int root, ob_route *taken);

/* Store and forward along a pattern: every member receives into its own
 * matrix and sends from it. p - 1 messages of n bytes; the time is the
 * pattern's (LAWN 73, table 9). */
int ob_broadcast_pattern(ob_group *group, int root, const ob_view *matrix, const ob_route *route);

/* Gather along a pattern to the root or, left on all, to member 0, which then
 * sends the result out: along rings again after rings, along the tree with one
 * branch after trees (LAWN 73, 5.4.1). Coherent: one member computes the result.
 * Tree with one branch: log2(p) (alpha + n (beta + gamma)), and log2(p)
 * (alpha + n beta) more when left on all. */
int ob_combine_pattern(ob_combiner *c, const ob_route *route);
/* Bidirectional exchange (LAWN 73, 5.4.2), left on all only, any p:
 * log2(p) (alpha + n (beta + gamma)), and 2 alpha + n (2 beta + gamma) more
 * when p is no power of two. */
int ob_combine_exchange(ob_combiner *c, const ob_route *route);

/* Dissemination: ceil(log2(p)) rounds of empty messages. */
int ob_barrier_dissemination(ob_group *group);

#endif
