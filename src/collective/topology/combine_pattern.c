/*
 * Combine by gathering along a tree or rings, then, left on all, sending the
 * result out again. Children are combined in the pattern's order, whichever
 * comes first.
 */
#include "collective/topology/pattern.h"
#include "collective/topology/topology.h"

static int gather(ob_combiner *c, const ob_route *route, int root)
{
    ob_pattern p;
    ob_edge edge;
    int status = OB_OK;

    ob_pattern_combine(&p, route->topology, route->branches, c->size, root, c->me);
    while (!status && ob_pattern_next(&p, &edge))
        status = ob_combiner_merge(c, edge.peer);
    if (!status && ob_pattern_parent(&p, &edge))
        status = ob_combiner_send(c, edge.peer);
    return status;
}

int ob_combine_send_out(ob_combiner *c, const ob_route *route, int root)
{
    ob_pattern p;
    ob_edge edge;
    int status = OB_OK;

    ob_pattern_send_out(&p, route->topology, route->branches, c->size, root, c->me);
    if (ob_pattern_parent(&p, &edge))
        status = ob_combiner_recv(c, edge.peer);
    while (!status && ob_pattern_next(&p, &edge))
        status = ob_combiner_send(c, edge.peer);
    return status;
}

int ob_combine_pattern(ob_combiner *c, const ob_route *route)
{
    if (c->root != OB_ANY)
        return gather(c, route, c->root);
    int status = gather(c, route, 0);
    return status ? status : ob_combine_send_out(c, route, 0);
}
