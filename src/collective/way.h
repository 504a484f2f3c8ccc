/*
 * Which way a collective call takes: over memory its members share (the board), over two levels
 * where there are nodes of several members, else as a planned scheme or along the topology that
 * the caller names (unless OPENBLACS_TOPOLOGY is plan, which leaves some rings alone).
 */
#ifndef OB_COLLECTIVE_WAY_H
#define OB_COLLECTIVE_WAY_H

#include "collective/scheme/scheme.h"
#include "core/group.h"
#include "hooks/topology.h"

/* Does a broadcast go along the ring that is named, whatever OPENBLACS_TOPOLOGY says? In a job of
 * several nodes: who names a ring wants the neighbour to go on first and the others one after the
 * other, so that not all of them need the network at once. */
static inline bool ob_goes_in_turn(const ob_group *group, ob_task task, const ob_route *route)
{
    const ob_topology_row *row = ob_topology_at((int)route->topology); /* NULL: an error's trace */
    return task == OB_TASK_BROADCAST && row && row->rings && group->job->several_nodes;
}

/* Are the MPI library's own calls asked for, where messages cross between nodes? */
static inline bool ob_asks_native(const ob_group *group, const ob_route *route)
{
    return route && route->topology == OB_TOP_NATIVE &&
           group->job->set.topology != OB_TOPOLOGY_PLAN;
}

/* No topology is named, or what is named does not count. Of the MPI library's own calls only
 * schemes between nodes know. */
static inline bool ob_free_choice(const ob_group *group, ob_task task, const ob_route *route)
{
    if (route == NULL || route->topology == OB_TOP_BEST || route->topology == OB_TOP_NATIVE)
        return true;
    return group->job->set.topology == OB_TOPOLOGY_PLAN && !ob_goes_in_turn(group, task, route);
}

/* 1, 0, or a negative status when OPENBLACS_PLAN is malformed. */
int ob_use_board(const ob_group *group, ob_task task, const ob_route *route);
int ob_use_levels(const ob_group *group, ob_task task, const ob_route *route);

#endif
