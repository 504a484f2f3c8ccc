/*
 * The choice of an algorithm. A topology that is named is taken as it is;
 * OB_TOP_BEST is a rule of thumb by size and bytes.
 */
#include "collective/plan.h"

#include "collective/algorithm/algorithm.h"

static ob_route route_or_best(const ob_route *route)
{
    return route ? *route : (ob_route){.topology = OB_TOP_BEST};
}

/* A tree with one branch is within a factor of two of the best broadcast of a
 * short vector; two members need no more than one message. */
ob_plan ob_plan_broadcast(const ob_route *route, int size, bool one_node, size_t bytes)
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
    (void)bytes;
    return plan;
}

static ob_plan pattern_plan(ob_topology topology, int branches)
{
    return (ob_plan){.name = "pattern",
                     .combine = ob_combine_pattern,
                     .topology = topology,
                     .branches = branches,
                     .slices = 1,
                     .chunk = OB_SLICE_BYTES};
}

static ob_plan exchange_plan(void)
{
    return (ob_plan){.name = "exchange",
                     .combine = ob_combine_exchange,
                     .topology = OB_TOP_HYPERCUBE,
                     .branches = 1,
                     .slices = 1,
                     .chunk = OB_SLICE_BYTES};
}

static ob_plan bucket_plan(int size)
{
    return (ob_plan){.name = "bucket",
                     .combine = ob_combine_bucket,
                     .topology = OB_TOP_RING_UP,
                     .branches = 1,
                     .slices = size,
                     .chunk = OB_SLICE_BYTES * (size_t)size};
}

/* Every algorithm here is repeatable, since none combines in the order of
 * arrival. The exchange alone is not coherent. */
ob_plan ob_plan_combine(const ob_route *route, int size, int root, bool one_node, size_t bytes)
{
    ob_route r = route_or_best(route);
    bool on_all = root == OB_ANY;

    switch (r.topology) {
    case OB_TOP_BEST:
        if (one_node && size > 1)
            return (ob_plan){.name = "board", .topology = OB_TOP_TREE, .branches = 1};
        if (on_all && size > 2 && bytes >= OB_BUCKET_BYTES)
            return bucket_plan(size);
        return on_all && !r.coherent ? exchange_plan() : pattern_plan(OB_TOP_TREE, 1);
    case OB_TOP_HYPERCUBE:
        return on_all && !r.coherent ? exchange_plan() : pattern_plan(OB_TOP_TREE, 1);
    default:
        return pattern_plan(r.topology, r.branches);
    }
}
