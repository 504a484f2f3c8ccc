/* Barrier among the members of one node: an empty round that all wait for. */
#include "collective/board/board.h"
#include "collective/board/collectives.h"

int ob_barrier_board(ob_group *group)
{
    ob_board *b;
    ob_note *note;
    int status = ob_board_of(group, &b);
    if (status == OB_OK)
        status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->kind = UINT32_MAX; /* no combine's kind */
    note->bytes = 0;
    ob_board_post(b);
    return ob_board_wait_all(b);
}
