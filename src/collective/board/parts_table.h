/*
 * Scatter, gather, collect and distributed combine on a board: what both ways of them need, pieces
 * that are shown there (parts_board.c) and those that go straight from matrix to matrix
 * (parts_straight.c).
 */
#ifndef OB_COLLECTIVE_BOARD_PARTS_TABLE_H
#define OB_COLLECTIVE_BOARD_PARTS_TABLE_H

#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "collective/board/direct.h"

/* One call. */
typedef struct ob_parts_table {
    ob_board *board;
    const ob_parts *parts;
    ob_task task;
    int root;
    ob_cursor *cursor;  /* of each piece */
    ob_cursor apart;    /* of the own one */
    const char **shown; /* of each member */
    ob_fold fold;       /* of a distributed combine with an operation of ours */
    size_t shares;
    uint32_t kind; /* of notes */
    ob_view all;   /* what others may reach: of a distributed combine, or at a gather's root,
                    * the vector */
    ob_long call;  /* of all but scatters, and gathers of one share */
    char *strips;  /* of the latter: two */
} ob_parts_table;

/* Under what times of such a call are remembered. */
enum ob_direct_sort ob_parts_sort(ob_task task);
/* What others reach if it goes straight; NULL: nothing can be. */
const ob_view *ob_parts_reached(ob_parts_table *t);
/* When all have shown that, and have agreed on it. */
void ob_parts_move_straight(ob_parts_table *t);
/* Bytes of our piece that are combined at a time. */
size_t ob_parts_strip(const ob_parts *p);

#endif
