/*
 * Barrier in two levels: the members of a node, or of a board, tell their leader, the leaders wait
 * for each other, the leader lets its members go on.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "collective/topology/topology.h"

static int between(ob_levels *l)
{
    return l->leaders->one_node ? ob_barrier_node(l->leaders)
                                : ob_barrier_dissemination(l->leaders);
}

/* A node of many members. */
static int with_tiers(ob_levels *l)
{
    int status = ob_barrier_node(l->local);
    if (status == OB_OK && l->leading)
        status = between(l);
    if (status != OB_OK)
        ob_levels_fail(l);
    return status == OB_OK ? ob_barrier_node(l->local) : status;
}

/* Two rounds: all come, all may go. */
static int with_board(ob_levels *l, ob_board *b)
{
    int status = ob_board_post_empty(b);
    if (l->leading) {
        if (status == OB_OK)
            status = ob_board_wait_all(b);
        if (status == OB_OK)
            status = between(l);
        if (status != OB_OK)
            ob_levels_fail(l);
        return status == OB_OK ? ob_board_post_empty(b) : status;
    }
    if (status == OB_OK)
        status = ob_board_post_empty(b);
    return status == OB_OK ? ob_board_wait(b, l->at) : status;
}

int ob_barrier_levels(ob_group *group)
{
    ob_levels *l;
    int status = ob_levels_of(group, 0, &l);
    if (status != OB_OK)
        return status;
    if (l->local->size == 1)
        return between(l);
    status = ob_boards_open(l, true);
    if (status != OB_OK)
        return status;
    return ob_has_tiers(l->local) ? with_tiers(l) : with_board(l, l->local->board);
}

int ob_barrier_tiers(ob_group *group)
{
    const ob_tiers *t;
    int status = ob_tiers_of(group, true, &t);
    if (status != OB_OK)
        return status;
    return t ? ob_barrier_levels(t->order) : ob_barrier_board(group);
}
