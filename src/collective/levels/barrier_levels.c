/*
 * Barrier in two levels: the members of a node tell their leader, the leaders wait for
 * each other, the leader lets its node go on.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "collective/topology/topology.h"

/* Two rounds: all come, all may go. */
static int with_board(ob_levels *l, ob_board *b)
{
    int status = ob_board_post_empty(b);
    if (status == OB_OK && l->leading) {
        status = ob_board_wait_all(b);
        if (status == OB_OK)
            status = ob_barrier_dissemination(l->leaders);
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
    ob_board *b;
    int status = ob_levels_of(group, 0, &l);
    if (status != OB_OK)
        return status;
    if (l->local->size == 1)
        return ob_barrier_dissemination(l->leaders);
    status = ob_board_of(l->local, &b);
    return status == OB_OK ? with_board(l, b) : status;
}
