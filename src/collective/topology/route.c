/*
 * The choice of a route. A topology that is named is taken as it is. Pure arithmetic, so all
 * members decide alike. Every algorithm is repeatable, since none combines in the order of
 * arrival; the exchange alone is not coherent.
 */
#include "collective/topology/topology.h"

static const ob_route one_branch = {.topology = OB_TOP_TREE, .branches = 1};

/* A tree with one branch is within a factor of two of the best broadcast of a
 * short vector; two members need no more than one message. */
ob_route ob_route_broadcast(const ob_route *asked)
{
    return asked == NULL || asked->topology == OB_TOP_BEST ? one_branch : *asked;
}

ob_combine_algorithm ob_route_combine(const ob_route *asked, int root, ob_route *taken)
{
    bool coherent = asked && asked->coherent;
    *taken = asked && asked->topology != OB_TOP_HYPERCUBE ? ob_route_broadcast(asked) : one_branch;
    if (asked && asked->topology != OB_TOP_BEST && asked->topology != OB_TOP_HYPERCUBE)
        return ob_combine_pattern;
    return root == OB_ANY && !coherent ? ob_combine_exchange : ob_combine_pattern;
}
