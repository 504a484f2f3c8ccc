/* Barrier among the members of one node: an empty round that all wait for. */
#include "collective/board/board.h"
#include "collective/board/collectives.h"

int ob_barrier_board(ob_group *group)
{
    ob_board *b;
    int status = ob_board_of(group, &b);
    if (status == OB_OK)
        status = ob_board_post_empty(b);
    return status == OB_OK ? ob_board_wait_all(b) : status;
}
