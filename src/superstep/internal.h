/*
 * Exchanges: what each member has for each other one, in chunks of memory that
 * is written before a run and read after it. Rooms, spans and memory are here
 * (superstep.c); how chunks get across is an algorithm's business.
 *
 * Two sets of chunks are used in turn. What a run delivers is read until the next run;
 * that one is over for a member only when all have entered it, so nobody reads the chunks of the
 * run before any more when they are written again.
 */
#ifndef OB_SUPERSTEP_INTERNAL_H
#define OB_SUPERSTEP_INTERNAL_H

#include "collective/board/board.h"
#include "collective/data/parts.h"
#include "core/scratch.h"
#include "hooks/processor.h"
#include "hooks/superstep.h"
#include "trace/trace.h"

/* In front of the bytes, in the memory that travels or is lent. */
typedef struct ob_chunk {
    _Alignas(OB_LINE) uint64_t next; /* name of the one behind it; 0: none. Lent chunks only */
    uint64_t bytes;
    /* Of the first message to a member: */
    uint64_t more; /* messages that follow */
    uint64_t most; /* bytes of these, each rounded up to lines */
    uint64_t flags, claim;
    _Alignas(OB_LINE) char data[];
} ob_chunk;

typedef struct ob_piece {
    ob_chunk *at;
    uint64_t name;   /* of lent memory */
    size_t capacity; /* bytes at data */
    bool attached;   /* the bytes are those of view, sent from where they are */
    ob_view view;
} ob_piece;

/* What goes to one member; its tail lies in piece used - 1. */
typedef struct ob_outbox {
    ob_piece *piece;
    int count, space, used;
} ob_outbox;

/* What came from one member. */
typedef struct ob_inbox {
    const ob_outbox *own; /* our own pieces, for what we sent ourselves */
    ob_chunk *first;      /* borrowed, or the memory below; NULL: nothing */
    ob_chunk *at;         /* the next one to look at; NULL: no more */
    int index;            /* the same among our own */
    ob_chunk *memory;     /* messages */
    size_t capacity;
    size_t bytes, taken; /* of the memory: filled, and looked at */
} ob_inbox;

/* Where the first chunk for a member is. */
typedef struct ob_entry {
    uint64_t name, bytes;
} ob_entry;

/* What a member says in tiers: claim and flags, and where its table is (0: it has nothing). */
typedef struct ob_word {
    uint64_t said, table;
} ob_word;

struct ob_superstep {
    ob_group *group;
    ob_group *data;        /* messages: the same members; nobody else's messages in it */
    bool shared;           /* memory, and not messages: */
    ob_board *board;       /* of all, */
    const ob_tiers *tiers; /* or these, and what all say in them */
    ob_word *word;
    int size, me, turn;
    ob_tail *tail;
    ob_outbox *out[2];
    ob_inbox *in;
    ob_entry *table[2]; /* lent, where a note has no room for the entries */
    uint64_t table_name[2];
    bool quiet;    /* nobody had anything for others in the last run, or there was none */
    bool broken;   /* a run failed: others may be anywhere */
    bool recorded; /* the last run is still open in the trace: it ends when its spans are read */
    ob_trace_span span;
    size_t sent;
    int status;
};

/* outbox.c. Frees the pieces from number `from` on. */
void ob_outbox_shorten(ob_superstep *x, int dest, ob_outbox *o, int from);
/* The other set's turn. */
void ob_outboxes_turn(ob_superstep *x);
/* Closes the outbox of a member: how many bytes there are for it. Links its chunks. */
size_t ob_outbox_close(ob_superstep *x, int dest);

/* The two ways; they fill x->in of all other members, and *tally. */
int ob_superstep_shared(ob_superstep *x, ob_tally *tally);
int ob_superstep_messages(ob_superstep *x, ob_tally *tally);

#endif
