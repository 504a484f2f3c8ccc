/*
 * Two levels: what collective calls do with a group whose members are several to a node.
 * Within each node they use the board, between the nodes one member of each, its
 * leader, takes part in a planned scheme. So a byte crosses the network once for a
 * node, not once for a process.
 *
 * Whether a group is treated so depends on the group alone, never on a call's bytes:
 * members that disagree about those must meet in one algorithm to find out.
 */
#ifndef OB_COLLECTIVE_LEVELS_LEVELS_H
#define OB_COLLECTIVE_LEVELS_LEVELS_H

#include "collective/data/parts.h"
#include "collective/planner/choose.h"
#include "collective/scheme/scheme.h"
#include "core/group.h"
#include "hooks/collective.h"

/* Do the members of each node follow each other in the group? */
bool ob_in_runs(const ob_group *group);

/* The levels with the leaders of calls that have this root (0: none). Each node's leader is
 * its first member from the root on, counted around the group; so the root leads its own. */
int ob_levels_of(ob_group *group, int root, ob_levels **levels);

/* A leader's matrix to its node, which has two or more members. */
int ob_levels_tell(ob_levels *levels, const ob_view *matrix);
/* A leader that has failed: nobody on its node or elsewhere is to wait for it. */
void ob_levels_fail(ob_levels *levels);

int ob_broadcast_levels(ob_group *group, int root, const ob_view *matrix);
/* coords: positions of owners are left in coords->first, not split yet. promises: a query with
 * what the call has promised, of which the rest is not read. */
int ob_combine_levels(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords,
                      const ob_query *promises);
int ob_barrier_levels(ob_group *group);
/* Scatter, gather, collect and distributed combine; only where ob_in_runs. */
int ob_parts_levels(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_query *promises);

#endif
