/*
 * The choice of an algorithm. A topology that is named is taken as it is.
 */
#include "collective/plan.h"

#include "collective/algorithm/algorithm.h"

static ob_route route_or_best(const ob_route *route)
{
    return route ? *route : (ob_route){.topology = OB_TOP_BEST};
}

/* A tree with one branch is within a factor of two of the best broadcast of a
 * short vector; two members need no more than one message. */
ob_plan ob_plan_broadcast(const ob_route *route, int size, bool one_node)
{
    ob_route r = route_or_best(route);
    ob_plan plan = {.name = "pattern",
                    .broadcast = ob_broadcast_pattern,
                    .topology = r.topology,
                    .branches = r.branches};
    if (r.topology != OB_TOP_BEST)
        return plan;
    plan.topology = OB_TOP_TREE;
    plan.branches = 1;
    /* The choice may not depend on the bytes: members that disagree about them
     * must meet in one algorithm to find out. */
    if (one_node && size > 2) {
        plan.name = "board";
        plan.broadcast = ob_broadcast_board;
    }
    return plan;
}

static ob_plan pattern_plan(ob_topology topology, int branches)
{
    return (ob_plan){.name = "pattern",
                     .combine = ob_combine_pattern,
                     .topology = topology,
                     .branches = branches,
                     .chunk = OB_SLICE_BYTES};
}

static ob_plan exchange_plan(void)
{
    return (ob_plan){.name = "exchange",
                     .combine = ob_combine_exchange,
                     .topology = OB_TOP_HYPERCUBE,
                     .branches = 1,
                     .chunk = OB_SLICE_BYTES};
}

/* Every algorithm here is repeatable, since none combines in the order of
 * arrival. The exchange alone is not coherent. */
ob_plan ob_plan_combine(const ob_route *route, int root)
{
    ob_route r = route_or_best(route);
    if (r.topology == OB_TOP_BEST || r.topology == OB_TOP_HYPERCUBE)
        return root == OB_ANY && !r.coherent ? exchange_plan() : pattern_plan(OB_TOP_TREE, 1);
    return pattern_plan(r.topology, r.branches);
}
