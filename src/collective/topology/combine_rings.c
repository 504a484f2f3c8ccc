/*
 * Combine along rings with communication and local operation overlapped (LAWN 73, 7.2.4).
 * While one ring's chunk is combined, the next one comes in: another ring's, or the same ring's
 * next chunk, whose receive is posted before. Different sections of a ring are at different
 * chunks at any time. The order of combining, and so the bits, are those of combine_pattern.c.
 */
#include "collective/topology/pattern.h"
#include "collective/topology/topology.h"

/* Left on all, the result's way out may come from the same neighbour as the next chunk's way in,
 * and would be taken for it: there nothing is posted beyond the present chunk. */
static size_t ahead_count(const ob_combiner *c)
{
    return c->root == OB_ANY ? 0 : c->next_count;
}

/* Posts what comes after the child that is waited for: the next child's, or the first
 * child's next chunk. */
static int post_after(ob_combiner *c, bool more, int next, int first)
{
    if (more)
        return ob_combiner_post(c, next, c->count);
    size_t count = ahead_count(c);
    return count ? ob_combiner_post(c, first, count) : OB_OK;
}

static int gather(ob_combiner *c, const ob_route *route, int root)
{
    ob_pattern p;
    ob_edge child, parent;
    int status = OB_OK;

    ob_pattern_combine(&p, route->topology, route->branches, c->size, root, c->me);
    bool more = ob_pattern_next(&p, &child);
    int first = child.peer;
    if (more && c->ahead == 0)
        status = ob_combiner_post(c, first, c->count);
    while (more && status == OB_OK) {
        more = ob_pattern_next(&p, &child);
        status = post_after(c, more, child.peer, first);
        if (status == OB_OK)
            status = ob_combiner_merge_posted(c);
    }
    if (status == OB_OK && ob_pattern_parent(&p, &parent))
        status = ob_combiner_send(c, parent.peer);
    return status;
}

int ob_combine_rings(ob_combiner *c, const ob_route *route)
{
    if (c->root != OB_ANY)
        return gather(c, route, c->root);
    int status = gather(c, route, 0);
    return status ? status : ob_combine_send_out(c, route, 0);
}
