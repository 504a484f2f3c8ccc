/*
 * From a topology and positions to a form and distances, and back.
 */
#include "collective/topology/pattern.h"

#include <limits.h>

static void set_rings(ob_pattern *p, int rings, bool downward)
{
    int most = p->size > 1 ? p->size - 1 : 1;
    p->form = OB_FORM_RINGS;
    p->rings = rings < most ? rings : most;
    p->downward = downward;
}

static void set_tree(ob_pattern *p, int branches)
{
    int most = p->size > 1 ? p->size - 1 : 1;
    p->form = OB_FORM_TREE;
    p->base = (branches < most ? branches : most) + 1;
    for (p->top = 1; p->top * p->base < p->size;)
        p->top *= p->base;
}

static int around(int n, int size)
{
    return n < 0 ? n + size : n >= size ? n - size : n;
}

static int distance_of(const ob_pattern *p, int position)
{
    if (p->form == OB_FORM_CUBE)
        return position ^ p->root;
    return around(p->downward ? p->root - position : position - p->root, p->size);
}

static int position_at(const ob_pattern *p, int distance)
{
    if (p->form == OB_FORM_CUBE)
        return distance ^ p->root;
    return around(p->downward ? p->root - distance : p->root + distance - p->size, p->size);
}

static void start(ob_pattern *p, int me)
{
    p->here = distance_of(p, me);
    p->index = 0;
    if (p->form == OB_FORM_TREE)
        ob_tree_rewind(p);
}

static int count_of(int branches)
{
    return branches >= 0 ? branches : branches == INT_MIN ? INT_MAX : -branches;
}

void ob_pattern_broadcast(ob_pattern *p, ob_topology topology, int branches, int size, int root,
                          int me)
{
    *p = (ob_pattern){.size = size, .root = root};
    switch (topology) {
    case OB_TOP_RING_UP:
    case OB_TOP_RING_DOWN: set_rings(p, 1, topology == OB_TOP_RING_DOWN); break;
    case OB_TOP_SPLIT_RING: p->form = OB_FORM_SPLIT; break;
    case OB_TOP_MULTIRING: set_rings(p, count_of(branches), branches < 0); break;
    case OB_TOP_FULL: set_rings(p, size, false); break;
    case OB_TOP_HYPERCUBE:
        if ((size & (size - 1)) == 0)
            p->form = OB_FORM_CUBE;
        else
            set_tree(p, 1);
        break;
    case OB_TOP_TREE: set_tree(p, branches); break;
    default: set_tree(p, 1);
    }
    start(p, me);
}

void ob_pattern_combine(ob_pattern *p, ob_topology topology, int branches, int size, int root,
                        int me)
{
    *p = (ob_pattern){.size = size, .root = root, .inward = true};
    switch (topology) {
    case OB_TOP_RING_UP:
    case OB_TOP_RING_DOWN: set_rings(p, 1, topology == OB_TOP_RING_UP); break;
    case OB_TOP_SPLIT_RING: set_rings(p, 2, true); break;
    case OB_TOP_MULTIRING: set_rings(p, count_of(branches), branches > 0); break;
    case OB_TOP_FULL: set_rings(p, size, false); break;
    case OB_TOP_TREE: set_tree(p, branches); break;
    default: set_tree(p, 1);
    }
    start(p, me);
}

bool ob_pattern_parent(const ob_pattern *p, ob_edge *parent)
{
    bool found = false;
    switch (p->form) {
    case OB_FORM_RINGS: found = ob_rings_parent(p, parent); break;
    case OB_FORM_SPLIT: found = ob_split_parent(p, parent); break;
    case OB_FORM_TREE: found = ob_tree_parent(p, parent); break;
    case OB_FORM_CUBE: found = ob_cube_parent(p, parent); break;
    }
    if (found)
        parent->peer = position_at(p, parent->peer);
    return found;
}

bool ob_pattern_next(ob_pattern *p, ob_edge *child)
{
    bool found = false;
    switch (p->form) {
    case OB_FORM_RINGS: found = ob_rings_child(p, p->index, child); break;
    case OB_FORM_SPLIT: found = ob_split_child(p, p->index, child); break;
    case OB_FORM_TREE: found = ob_tree_next(p, child); break;
    case OB_FORM_CUBE: found = ob_cube_child(p, p->index, child); break;
    }
    p->index = found ? p->index + 1 : 0;
    if (found)
        child->peer = position_at(p, child->peer);
    return found;
}
