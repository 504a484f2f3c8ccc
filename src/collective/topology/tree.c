/*
 * The general tree (LAWN 73, 4.3.2 and 5.4.1). With b = branches + 1, a
 * distance is read as a number in base b: its lowest non-zero digit tells at
 * which level a member hangs on its parent, whose digit there is zero. The
 * farthest level is served first outward and last inward. Within a level the
 * near children come first: only the last subtree can be cut short by the
 * group's size, and so it is the one that can wait.
 */
#include "collective/topology/pattern.h"

/* The power of base at which a distance hangs on its parent. */
static long long level_of(const ob_pattern *p, int distance)
{
    long long power = 1;
    while (distance % (power * p->base) == 0)
        power *= p->base;
    return power;
}

/* The largest power at which this member may have children, 0 if none. */
static long long highest(const ob_pattern *p)
{
    return p->here == 0 ? p->top : level_of(p, p->here) / p->base;
}

static int step_of(const ob_pattern *p, long long power)
{
    int steps = 0;
    if (p->inward) {
        for (; power > 1; power /= p->base)
            steps++;
    } else {
        for (; power < p->top; power *= p->base)
            steps++;
    }
    return steps;
}

static void tree_rewind(ob_pattern *p)
{
    long long most = highest(p);
    p->power = p->inward && most > 1 ? 1 : most;
    p->index = 0;
}

static bool tree_parent(const ob_pattern *p, ob_edge *parent)
{
    if (p->here == 0)
        return false;
    long long power = level_of(p, p->here);
    parent->peer = (int)(p->here - p->here % (power * p->base));
    parent->step = step_of(p, power);
    return true;
}

/* p->index counts the children of the level taken so far. */
static bool tree_child(ob_pattern *p, ob_edge *child)
{
    while (p->power > 0 && p->power <= highest(p)) {
        long long distance = p->here + (p->index + 1) * p->power;
        if (p->index + 1 < p->base && distance < p->size) {
            *child = (ob_edge){.peer = (int)distance, .step = step_of(p, p->power)};
            return true;
        }
        p->power = p->inward ? p->power * p->base : p->power / p->base;
        p->index = 0;
    }
    tree_rewind(p);
    return false;
}

void ob_open_tree(ob_pattern *p, int branches)
{
    static const ob_form form = {tree_parent, tree_child, tree_rewind, .in_order = true};
    int most = p->size > 1 ? p->size - 1 : 1;
    p->form = &form;
    p->base = (branches < most ? branches : most) + 1;
    for (p->top = 1; p->top * p->base < p->size;)
        p->top *= p->base;
}

void ob_open_one_branch(ob_pattern *p, int branches)
{
    (void)branches;
    ob_open_tree(p, 1);
}
