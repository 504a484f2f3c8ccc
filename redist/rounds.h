/*
 * Inside an exchange: what its rounds share (exchange.c), those that send whole columns
 * (columns.c), and messages without rounds (direct.c).
 */
#ifndef OPENBLACS_REDIST_ROUNDS_H
#define OPENBLACS_REDIST_ROUNDS_H

#include "redist.h"

#include "hooks/superstep.h"

/* Bytes that a process sends in a round at most; a test makes it small. */
#ifndef OBRD_ROUND
#define OBRD_ROUND (2 << 20)
#endif
/* So many rounds fit into the heap: of two that stand in it each may be three times as long, in
 * chunks twice as long as what is in them, and a process has other messages. */
enum { OBRD_IN_HEAP = 16 };

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
    size_t round;           /* bytes */
    obrd_lines lines[2][2]; /* of either side: of rows and columns of what is read */
    partner *dest, *source; /* in the order of their distance, all members of the sources */
    int dests, done;        /* that we send to; so many of them have all */
    ob_superstep *step;     /* of all matrices that go together */
    uint64_t which;         /* of these it is */
    size_t packed;          /* bytes in this round */

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

/* In front of what goes from one member to another in a round, of one matrix: how many bytes that
 * is, and of which matrix. Padded, so that what follows lies as it would at the begin of a chunk;
 * and so does the next head. */
typedef struct obrd_head {
    _Alignas(64) uint64_t bytes;
    uint64_t which;
} obrd_head;
static inline size_t obrd_padded(size_t bytes)
{
    return (bytes + sizeof(obrd_head) - 1) / sizeof(obrd_head) * sizeof(obrd_head);
}

/* message.c. Room for so many bytes to that member, behind a head. NULL: OB_ENOMEM. */
char *obrd_open(exchange *x, const partner *p, size_t bytes);
/* So many bytes have been written there. */
void obrd_close(exchange *x, const partner *p, size_t bytes);
/* What has come in this round, as `next` and `left` of each source of n matrices. */
void obrd_open_all(exchange *x, size_t n);

/* direct.c. All of it in messages from each to each. OBRD_ENOMEM. */
int obrd_direct(exchange *x, ob_group *group);

/* columns.c. Decides how we send, and makes what this file needs. OBRD_ENOMEM. */
int obrd_columns_prepare(exchange *x);
void obrd_columns_free(exchange *x);
/* Packs the next few columns for all who have rows of them. */
int obrd_columns_pack(exchange *x);
/* Unpacks what came of columns of which all rows have come. */
void obrd_columns_unpack(exchange *x);

#endif
