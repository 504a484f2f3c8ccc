/*
 * A broadcast along boards. Who has the matrix shows it on some; the others take it, piece by
 * piece, from one member of one board, and may show it on others. Each piece has the root's sizes
 * on all boards, whatever others expect: so rounds stay together, and nothing breaks.
 */
#ifndef OB_COLLECTIVE_BOARD_BROADCAST_H
#define OB_COLLECTIVE_BOARD_BROADCAST_H

#include "collective/board/board.h"
#include "core/view.h"

/* Boards that a member has: in tiers of two that is the logarithm of the members of a node. */
enum { OB_STREAM_BOARDS = 24 };

typedef struct ob_stream {
    ob_board *from; /* NULL: the matrix is here; */
    int at;         /* of whom there */
    /* Not NULL: long pieces are in memory that the member `source` of this group has lent to all,
     * and boards say where; else each board has a copy of its own. */
    const ob_group *of;
    int source;
    ob_board *on[OB_STREAM_BOARDS];
    int count;
} ob_stream;

/* The kind of a broadcast's notes; the lower bits of others' are no types, or their upper ones not
 * all set. */
static inline uint32_t ob_broadcast_kind(ob_type type)
{
    return UINT32_MAX - 255 + (uint32_t)type;
}

/* Begins a round in which `step` of `bytes` bytes are shown, once they are in *to. more: readers
 * beside the others. */
int ob_broadcast_begin(ob_board *b, uint64_t bytes, ob_type type, size_t step, unsigned more,
                       ob_note **note, char **to);
/* A round with what has been shown on another board, and lent to the readers of this one, too. */
int ob_broadcast_repeat(ob_board *b, const ob_note *shown);
/* A round with a piece that the cursor has. */
int ob_broadcast_show(ob_board *b, ob_cursor *in, uint64_t bytes, ob_type type, size_t step);
/* The part of one who takes it. *whole: if it fails, then since the matrix has another size; the
 * boards are as good as before. */
int ob_broadcast_take(const ob_stream *s, const ob_view *matrix, bool *whole);
/* All of it, with the pieces of a node. */
int ob_broadcast_along(const ob_stream *s, const ob_view *matrix, bool *whole);

#endif
