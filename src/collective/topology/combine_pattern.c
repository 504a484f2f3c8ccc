/*
 * Combine by gathering along a tree or rings, then, left on all, sending the
 * result out again. Children are combined in the pattern's order, whichever
 * comes first.
 *
 * Between nodes communication and local operation overlap (LAWN 73, 7.2.4): while one child's chunk
 * is combined, those of others come in, and after the last child's the first one's next chunk.
 */
#include "collective/topology/pattern.h"
#include "collective/topology/topology.h"

/* Left on all, the result's way out may come from the same neighbour as the next chunk's way in,
 * and would be taken for it: there nothing is posted beyond the present chunk. */
static size_t ahead_count(const ob_combiner *c)
{
    return c->root == OB_ANY ? 0 : c->next_count;
}

/* Merges the children of p, with receives posted as far ahead as there is room. */
static int merge_posted(ob_combiner *c, ob_pattern *p)
{
    ob_pattern coming = *p;
    ob_edge child, next;
    bool more = ob_pattern_next(&coming, &next), beyond = ahead_count(c) > 0;
    int first = next.peer, status = OB_OK;

    if (more && c->ahead) /* posted with the chunk before */
        more = ob_pattern_next(&coming, &next);
    while (status == OB_OK && ob_pattern_next(p, &child)) {
        for (; more && c->ahead < c->rooms && status == OB_OK;
             more = ob_pattern_next(&coming, &next))
            status = ob_combiner_post(c, next.peer, c->count);
        if (beyond && !more && c->ahead < c->rooms && status == OB_OK) {
            status = ob_combiner_post(c, first, c->next_count);
            beyond = false;
        }
        if (status == OB_OK)
            status = ob_combiner_merge_posted(c);
    }
    return status;
}

static int gather(ob_combiner *c, const ob_route *route, int root)
{
    ob_pattern p;
    ob_edge edge;
    int status = OB_OK;

    ob_pattern_combine(&p, route->topology, route->branches, c->size, root, c->me);
    if (c->rooms)
        status = merge_posted(c, &p);
    while (!c->rooms && !status && ob_pattern_next(&p, &edge))
        status = ob_combiner_merge(c, edge.peer);
    if (!status && ob_pattern_parent(&p, &edge))
        status = ob_combiner_send(c, edge.peer);
    return status;
}

/* The result from root to all. */
static int send_out(ob_combiner *c, const ob_route *route, int root)
{
    ob_pattern p;
    ob_edge edge;
    int status = OB_OK;

    ob_pattern_send_out(&p, route->topology, route->branches, c->size, root, c->me);
    if (ob_pattern_parent(&p, &edge))
        status = ob_combiner_recv(c, edge.peer);
    for (int last = -1; !status && ob_pattern_next(&p, &edge); last = edge.peer) {
        if (last >= 0 && p.form->in_order)
            ob_combiner_drain(c, last);
        status = ob_combiner_send(c, edge.peer);
    }
    return status;
}

int ob_combine_pattern(ob_combiner *c, const ob_route *route)
{
    if (c->root != OB_ANY)
        return gather(c, route, c->root);
    int status = gather(c, route, 0);
    return status ? status : send_out(c, route, 0);
}
