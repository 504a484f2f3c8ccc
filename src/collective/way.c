/*
 * Which way a collective call takes.
 */
#include "collective/way.h"

#include "collective/planner/memory.h"

/* A scheme that OPENBLACS_PLAN names for the whole group; the MPI library's own calls are for what
 * is left between nodes. */
static int unless_planned(int set, const ob_scheme *s)
{
    return set < 0 ? set : !set || s->native;
}

/* Shared memory beats messages within a node, whatever the bytes. So it must be: members
 * that disagree about the bytes have to meet in one algorithm to find out. */
int ob_use_board(const ob_group *group, ob_task task, const ob_route *route)
{
    ob_scheme s;
    if (!ob_free_choice(group, task, route) || !group->one_node || group->size == 1)
        return 0;
    return unless_planned(ob_plan_named(group, task, &s), &s);
}

/* The same holds for two levels, where there are nodes of several members. */
int ob_use_levels(const ob_group *group, ob_task task, const ob_route *route)
{
    ob_scheme s;
    if (!ob_free_choice(group, task, route) || !ob_has_levels(group))
        return 0;
    return unless_planned(ob_plan_setting(group->job->set.plan, task, group->size, &s), &s);
}
