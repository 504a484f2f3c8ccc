/*
 * Ring forms (LAWN 73, 4.3.1): one or several chains that begin beside the
 * root, the nearest served first; and the split ring, whose second chain runs
 * the other way round. Inward, each chain begins at its far end.
 */
#include "collective/topology/pattern.h"

#include <limits.h>

int ob_rings_start(int size, int rings, int r)
{
    int more = (size - 1) % rings;
    return 1 + r * ((size - 1) / rings) + (r < more ? r : more);
}

int ob_rings_length(int size, int rings, int r)
{
    return (size - 1) / rings + (r < (size - 1) % rings);
}

int ob_rings_of(int size, int rings, int distance)
{
    int length = (size - 1) / rings, more = (size - 1) % rings;
    int in_long = more * (length + 1);
    if (distance <= in_long)
        return (distance - 1) / (length + 1);
    return more + (distance - 1 - in_long) / length;
}

/* The step of the message between at and at - 1 of a ring, the root
 * being at at 0. */
static int ring_step(const ob_pattern *p, int length, int at)
{
    return p->inward ? length - at : at - 1;
}

static bool rings_parent(const ob_pattern *p, ob_edge *parent)
{
    if (p->here == 0)
        return false;
    int r = ob_rings_of(p->size, p->rings, p->here);
    int at = p->here - ob_rings_start(p->size, p->rings, r) + 1;
    parent->peer = at == 1 ? 0 : p->here - 1;
    parent->step = ring_step(p, ob_rings_length(p->size, p->rings, r), at);
    return true;
}

static bool rings_child(ob_pattern *p, ob_edge *child)
{
    if (p->here == 0) {
        if (p->index >= p->rings || p->size == 1)
            return false;
        child->peer = ob_rings_start(p->size, p->rings, p->index);
        child->step = ring_step(p, ob_rings_length(p->size, p->rings, p->index), 1);
        return true;
    }
    int r = ob_rings_of(p->size, p->rings, p->here);
    int length = ob_rings_length(p->size, p->rings, r);
    int at = p->here - ob_rings_start(p->size, p->rings, r) + 1;
    if (p->index > 0 || at == length)
        return false;
    child->peer = p->here + 1;
    child->step = ring_step(p, length, at + 1);
    return true;
}

static void set_rings(ob_pattern *p, int rings, bool downward)
{
    static const ob_form form = {.parent = rings_parent, .child = rings_child};
    int most = p->size > 1 ? p->size - 1 : 1;
    p->form = &form;
    p->rings = rings < most ? rings : most;
    p->downward = downward;
}

void ob_open_ring_up(ob_pattern *p, int branches)
{
    (void)branches;
    set_rings(p, 1, p->inward);
}

void ob_open_ring_down(ob_pattern *p, int branches)
{
    (void)branches;
    set_rings(p, 1, !p->inward);
}

void ob_open_multiring(ob_pattern *p, int branches)
{
    int rings = branches >= 0 ? branches : branches == INT_MIN ? INT_MAX : -branches;
    set_rings(p, rings, (branches < 0) != p->inward);
}

void ob_open_full(ob_pattern *p, int branches)
{
    (void)branches;
    set_rings(p, p->size, false);
}

/* The right part reaches the distance floor(size / 2) (4.3.1: the longest
 * wait); the left part is the rest, reached through the root's lower neighbour. */
static bool split_parent(const ob_pattern *p, ob_edge *parent)
{
    if (p->here == 0)
        return false;
    if (p->here <= p->size / 2) {
        parent->peer = p->here - 1;
        parent->step = p->here - 1;
    } else {
        parent->peer = p->here + 1 == p->size ? 0 : p->here + 1;
        parent->step = p->size - p->here - 1;
    }
    return true;
}

static bool split_child(ob_pattern *p, ob_edge *child)
{
    int right = p->size / 2;
    if (p->here == 0) {
        if (p->index > 1 || p->size <= 1 + p->index)
            return false;
        *child = (ob_edge){.peer = p->index == 0 ? 1 : p->size - 1, .step = 0};
        return true;
    }
    if (p->index > 0 || p->here == right || p->here == right + 1)
        return false;
    if (p->here < right)
        *child = (ob_edge){.peer = p->here + 1, .step = p->here};
    else
        *child = (ob_edge){.peer = p->here - 1, .step = p->size - p->here};
    return true;
}

/* Inward there is no near half to serve first: two rings. */
void ob_open_split_ring(ob_pattern *p, int branches)
{
    static const ob_form form = {.parent = split_parent, .child = split_child};
    (void)branches;
    if (p->inward)
        set_rings(p, 2, true);
    else
        p->form = &form;
}
