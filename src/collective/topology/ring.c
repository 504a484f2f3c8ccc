/*
 * Ring forms (LAWN 73, 4.3.1): one or several chains that begin beside the
 * root, the nearest served first; and the split ring, whose second chain runs
 * the other way round. Inward, each chain begins at its far end.
 */
#include "collective/topology/pattern.h"

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

/* The step of the message between place and place - 1 of a ring, the root
 * being at place 0. */
static int ring_step(const ob_pattern *p, int length, int place)
{
    return p->inward ? length - place : place - 1;
}

bool ob_rings_parent(const ob_pattern *p, ob_edge *parent)
{
    if (p->here == 0)
        return false;
    int r = ob_rings_of(p->size, p->rings, p->here);
    int place = p->here - ob_rings_start(p->size, p->rings, r) + 1;
    parent->peer = place == 1 ? 0 : p->here - 1;
    parent->step = ring_step(p, ob_rings_length(p->size, p->rings, r), place);
    return true;
}

bool ob_rings_child(const ob_pattern *p, int index, ob_edge *child)
{
    if (p->here == 0) {
        if (index >= p->rings || p->size == 1)
            return false;
        child->peer = ob_rings_start(p->size, p->rings, index);
        child->step = ring_step(p, ob_rings_length(p->size, p->rings, index), 1);
        return true;
    }
    int r = ob_rings_of(p->size, p->rings, p->here);
    int length = ob_rings_length(p->size, p->rings, r);
    int place = p->here - ob_rings_start(p->size, p->rings, r) + 1;
    if (index > 0 || place == length)
        return false;
    child->peer = p->here + 1;
    child->step = ring_step(p, length, place + 1);
    return true;
}

/* The right part reaches the distance floor(size / 2) (4.3.1: the longest
 * wait); the left part is the rest, reached through the root's lower neighbour. */
bool ob_split_parent(const ob_pattern *p, ob_edge *parent)
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

bool ob_split_child(const ob_pattern *p, int index, ob_edge *child)
{
    int right = p->size / 2;
    if (p->here == 0) {
        if (index > 1 || p->size <= 1 + index)
            return false;
        *child = (ob_edge){.peer = index == 0 ? 1 : p->size - 1, .step = 0};
        return true;
    }
    if (index > 0 || p->here == right || p->here == right + 1)
        return false;
    if (p->here < right)
        *child = (ob_edge){.peer = p->here + 1, .step = p->here};
    else
        *child = (ob_edge){.peer = p->here - 1, .step = p->size - p->here};
    return true;
}
