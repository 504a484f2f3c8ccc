/*
 * Everybody to everybody among the members of one node. No member knows the sizes of the others'
 * pieces, so none can tell which way they would choose: each chooses for what it sends itself, and
 * its note says where that is: in the note, on the slate, in lent memory, in its matrices, to be
 * read straight (core/transport.h, expose and fetch), or in messages.
 *
 * One round; and a second where somebody has been read straight, since that one waits until all
 * have read. Who could not read says so there. It gets messages, and nobody is read straight again
 * on this board.
 */
#ifndef OB_COLLECTIVE_BOARD_EXCHANGE_H
#define OB_COLLECTIVE_BOARD_EXCHANGE_H

#include "collective/board/board.h"
#include "collective/data/parts.h"

/* Between us and one member. */
enum {
    OB_LEFT_TO = 1,
    OB_LEFT_FROM = 2, /* still to be sent and received as messages */
    OB_READ_FROM = 4
};

/* One call. */
typedef struct ob_exchange {
    ob_board *board;
    const ob_parts *from, *to;
    uint64_t row;  /* bytes that we have for others */
    uint64_t most; /* in the longest row of any member's */
    bool even;     /* all our pieces for others have the same size */
    bool shows;    /* ours are read straight */
    bool straight; /* the longest row is */
    bool asked;    /* somebody's row is: there is a second round */
    bool failed;   /* we could not read somebody */
    bool messages; /* something is left for messages: */
    char *way;     /* of each member */
    char *ends;    /* what we show of our pieces */
    double since, took;
    double waited; /* of that, until all had read, where it does not count as work */
    bool has_own;  /* our piece for ourselves is where it goes */
} ob_exchange;

/* Moves what goes over the board, and says what is left for messages. *usable: all are in this
 * call, which goes on even if a piece for us has another size (OB_ESIZE), for others wait. */
int ob_exchange_begin(ob_exchange *x, ob_group *group, const ob_parts *from, const ob_parts *to,
                      bool *usable);
/* All has been moved, or found to have another size: all members call it, or none. */
void ob_exchange_end(ob_exchange *x);

#endif
