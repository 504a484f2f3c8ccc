/*
 * Broadcast, collect, everybody to everybody and barrier, straight from each member to each, and a
 * broadcast from each to the next.
 */
#include "collective/overlap/prepared.h"
#include "hooks/partners.h"

void ob_straight_broadcast(ob_prepared *p, int root, const ob_view *matrix)
{
    if (p->group->me == root)
        ob_add_send_all(p, false, matrix);
    else
        ob_add_recv(p, false, root, matrix);
}

/* Sends come from the caller's matrix, so a member's begins when its receive is over. */
void ob_ring_broadcast(ob_prepared *p, int root, const ob_view *matrix)
{
    const ob_group *g = p->group;
    int before = (g->me + g->size - 1) % g->size, next = (g->me + 1) % g->size;
    if (g->me != root)
        ob_add_recv(p, false, before, matrix);
    if (next != root)
        ob_add_send(p, g->me != root, next, matrix);
}

void ob_straight_collect(ob_prepared *p)
{
    const ob_group *g = p->group;
    const ob_parts *parts = &p->parts[0];
    for (int k = 1; k < g->size; k++) {
        int from = (g->me + g->size - k) % g->size;
        ob_add_recv(p, false, from, &parts->view[from]);
    }
    ob_add_send_all(p, false, &parts->view[g->me]);
}

/* The caller's own piece. */
static int copy_own(const ob_step *step)
{
    const ob_prepared *p = step->with;
    int me = p->group->me;
    ob_view_copy(&p->parts[1].view[me], &p->parts[0].view[me]);
    return OB_OK;
}

void ob_straight_exchange(ob_prepared *p)
{
    const ob_group *g = p->group;
    for (int k = 1; k < g->size; k++) {
        int from = (g->me + g->size - k) % g->size;
        ob_add_recv(p, false, from, &p->parts[1].view[from]);
    }
    for (int k = 1; k < g->size; k++) {
        int to = (g->me + k) % g->size;
        ob_add_send(p, false, to, &p->parts[0].view[to]);
    }
    ob_add_work(p, false, copy_own, p, 0, 0);
}

void ob_straight_barrier(ob_prepared *p)
{
    const ob_group *g = p->group;
    const ob_view nothing = ob_view_of_bytes(NULL, 0);
    for (int round = 0; round < ob_dissemination_rounds(g->size); round++) {
        ob_add_send(p, true, ob_dissemination_to(g->size, g->me, round), &nothing);
        ob_add_recv(p, false, ob_dissemination_from(g->size, g->me, round), &nothing);
    }
}
