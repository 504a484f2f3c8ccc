/*
 * Inside an exchange: what its rounds share (exchange.c), and those that send whole columns
 * (columns.c).
 */
#ifndef OPENBLACS_REDIST_ROUNDS_H
#define OPENBLACS_REDIST_ROUNDS_H

#include "redist.h"

#include "hooks/superstep.h"

/* Bytes that a process sends in a round; a test makes it small. */
#ifndef OBRD_ROUND
#define OBRD_ROUND (2 << 20)
#endif

/* A member that we send to or receive from. */
typedef struct partner {
    int position;
    obrd_stream stream;
    const char *next; /* of what has come from it in this round: here, and so many bytes */
    size_t left;
} partner;

typedef struct exchange {
    const obrd_move *move;
    const obrd_side *side[2]; /* 0: what is read, 1: what is written */
    const obrd_place *place;
    int size, me;
    obrd_lines lines[2][2]; /* of either side: of rows and columns of what is read */
    partner *dest, *source; /* in the order of their distance, all members of the sources */
    int dests, done;        /* that we send to; so many of them have all */
    ob_superstep *step;

    /* Of columns.c. By process rows and columns of the other side, row by row: the place in dest or
     * in source of who has them, -1: nobody. */
    int *dest_of, *source_of;
    char **to;         /* one for each process row */
    const char **from; /* likewise */
    bool by_columns;   /* we send whole columns */
    int64_t next;      /* of our columns: the one to be sent next, and its step */
    size_t next_step;
    int64_t together; /* columns in a round */
    bool cached;      /* what is written is little, and stays in the cache */
} exchange;

/* In front of what goes from one member to another in a round: how many bytes that is. Padded, so
 * that what follows lies as it would at the begin of a chunk. */
typedef struct obrd_head {
    _Alignas(64) uint64_t bytes;
} obrd_head;

/* message.c. Room for so many bytes to that member, behind a head. NULL: OB_ENOMEM. */
char *obrd_open(exchange *x, const partner *p, size_t bytes);
/* So many bytes have been written there. */
void obrd_close(exchange *x, const partner *p, size_t bytes);

/* columns.c. Decides how we send, and makes what this file needs. OBRD_ENOMEM. */
int obrd_columns_prepare(exchange *x);
void obrd_columns_free(exchange *x);
/* Packs the next few columns for all who have rows of them. */
int obrd_columns_pack(exchange *x);
/* Unpacks what came of columns of which all rows have come. */
void obrd_columns_unpack(exchange *x);

#endif
