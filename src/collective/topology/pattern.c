/*
 * From a topology and positions to a form and distances, and back.
 */
#include "collective/topology/pattern.h"

static int around(int n, int size)
{
    return n < 0 ? n + size : n >= size ? n - size : n;
}

static int distance_of(const ob_pattern *p, int position)
{
    if (p->form->bits)
        return position ^ p->root;
    return around(p->downward ? p->root - position : position - p->root, p->size);
}

static int position_at(const ob_pattern *p, int distance)
{
    if (p->form->bits)
        return distance ^ p->root;
    return around(p->downward ? p->root - distance : p->root + distance - p->size, p->size);
}

static void start(ob_pattern *p, int me)
{
    p->here = distance_of(p, me);
    p->index = 0;
    if (p->form->rewind)
        p->form->rewind(p);
}

void ob_pattern_broadcast(ob_pattern *p, ob_topology topology, int branches, int size, int root,
                          int me)
{
    *p = (ob_pattern){.size = size, .root = root};
    ob_topology_rows[topology].open(p, branches);
    start(p, me);
}

void ob_pattern_combine(ob_pattern *p, ob_topology topology, int branches, int size, int root,
                        int me)
{
    *p = (ob_pattern){.size = size, .root = root, .inward = true};
    ob_topology_rows[topology].open(p, branches);
    start(p, me);
}

void ob_pattern_send_out(ob_pattern *p, ob_topology topology, int branches, int size, int root,
                         int me)
{
    if (!ob_topology_rows[topology].rings) {
        ob_pattern_broadcast(p, OB_TOP_TREE, 1, size, root, me);
        return;
    }
    ob_pattern_combine(p, topology, branches, size, root, me);
    p->inward = false;
    p->downward = !p->downward;
    start(p, me);
}

bool ob_pattern_parent(const ob_pattern *p, ob_edge *parent)
{
    bool found = p->form->parent(p, parent);
    if (found)
        parent->peer = position_at(p, parent->peer);
    return found;
}

bool ob_pattern_next(ob_pattern *p, ob_edge *child)
{
    bool found = p->form->child(p, child);
    p->index = found ? p->index + 1 : 0;
    if (found)
        child->peer = position_at(p, child->peer);
    return found;
}
