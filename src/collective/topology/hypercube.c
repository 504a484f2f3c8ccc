/*
 * The hypercube broadcast (LAWN 73, 4.3.2): numbers are taken exclusive-or
 * with the root, and every member passes the message on along the dimensions
 * above the highest bit of its number, the nearest first.
 */
#include "collective/topology/pattern.h"

/* How many bits it takes to write n. */
static int bits(int n)
{
    int count = 0;
    for (; n; n >>= 1)
        count++;
    return count;
}

static bool cube_parent(const ob_pattern *p, ob_edge *parent)
{
    if (p->here == 0)
        return false;
    int dimension = bits(p->here) - 1;
    *parent = (ob_edge){.peer = p->here ^ (1 << dimension), .step = dimension};
    return true;
}

static bool cube_child(ob_pattern *p, ob_edge *child)
{
    int dimension = bits(p->here) + p->index;
    if (dimension >= bits(p->size) - 1)
        return false;
    *child = (ob_edge){.peer = p->here ^ (1 << dimension), .step = dimension};
    return true;
}

/* Inward, and where the size is no power of two, it is a tree. */
void ob_open_hypercube(ob_pattern *p, int branches)
{
    static const ob_form form = {cube_parent, cube_child, .in_order = true, .bits = true};
    (void)branches;
    if (p->inward || (p->size & (p->size - 1)))
        ob_open_tree(p, 1);
    else
        p->form = &form;
}
