/*
 * Which way a collective call takes: over memory its members share (the board), over two levels
 * where there are nodes of several members, else as a planned scheme or along the topology that
 * the caller names (unless OPENBLACS_TOPOLOGY is plan).
 */
#ifndef OB_COLLECTIVE_WAY_H
#define OB_COLLECTIVE_WAY_H

#include "collective/scheme/scheme.h"
#include "core/group.h"

/* No topology is named, or what is named does not count. */
static inline bool ob_free_choice(const ob_group *group, const ob_route *route)
{
    return route == NULL || route->topology == OB_TOP_BEST ||
           group->job->set.topology == OB_TOPOLOGY_PLAN;
}

/* 1, 0, or a negative status when OPENBLACS_PLAN is malformed. */
int ob_use_board(const ob_group *group, ob_task task, const ob_route *route);
int ob_use_levels(const ob_group *group, ob_task task, const ob_route *route);

#endif
