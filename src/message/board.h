/*
 * A board: memory that the members of a group on one node have in common, and
 * on which each can show the others something in one write. Short collectives
 * need no messages on it: a member writes its note, the others read it.
 *
 * Rounds. All members take part in every round, numbered from 1: each fills
 * its own note and posts it, once a round. A member has OB_BOARD_DEPTH notes,
 * used in turn, so one that waits for nobody (the root of a broadcast) can be
 * that many rounds ahead of the slowest. Whoever posts round k is done with what it
 * read in round k - 1.
 *
 * Agreement. Member 0 lends the memory and tells the others its name in one
 * message each, in the group's first round; no directory, no traffic afterwards.
 * The block has as many readers as members; each gives it back when it frees
 * the group, and so the memory of 100 000 groups is that of those alive.
 *
 * Memory order
 *  - A note's `round` is stored with release after the rest of the note, and read
 *    with acquire: who sees the number sees the note, and whatever lent memory it names.
 *  - A note is written again, D rounds later, only after every member's
 *    round k - D + 1 has been seen with acquire; a member's reads of round k - D came
 *    before it posted that (release). So no note changes under a reader.
 *  - A slate is shown only in rounds in which its owner waits for all, and not twice in a
 *    row. So who writes one again has seen with acquire that all have posted the round in which it showed
 *    the other, which is later than the one that showed this: nobody reads it any more.
 *  - Sleep on one member: the sleeper counts itself in that lane's `sleepers`, fences,
 *    looks at `round` again, then sleeps while `round` is unchanged. The
 *    poster stores `round`, fences, looks at `sleepers`. Either the poster
 *    sees the sleeper, or the sleeper the round. Posters are many and sleepers few, so the fences are
 *    those of fence.h: nothing but order in the poster's program, and a barrier on every processor that
 *    the sleeper asks the kernel for. Where the kernel refuses, posters fence in full
 *    and sleepers look up every millisecond.
 *  - Sleep on all: the sleeper counts itself in the board's `sleepers`, fences, reads
 *    `bell`, looks at all rounds, then sleeps while `bell` is unchanged. A
 *    poster that finds sleepers fences in full and rings if all have now posted its round. Let P be
 *    a poster whose round the sleeper did not see: it posts after the sleeper's barrier, so it
 *    sees the sleeper, and every round that was posted before the barrier. Of several such
 *    posters the one whose full fence is last in their order sees all rounds, so somebody rings, and
 *    only once all are there: p - 1 sleepers cost one wake-up call.
 *
 * Nothing here is a lock. A member that is killed posts nothing; the others
 * find out while they sleep and fail with OB_EGONE. A member that cannot go on in a call of
 * several steps breaks the board: who waits then fails, too, within a nap.
 */
#ifndef OB_BOARD_H
#define OB_BOARD_H

#include <stdatomic.h>

#include "core/group.h"

enum { OB_BOARD_DEPTH = 128, OB_NOTE_BYTES = 128, OB_NOTE_INLINE = OB_NOTE_BYTES - 32 };
enum { OB_SLATES = 2, OB_SLATE_BYTES = 4096 };

/* What a member shows in one round; the fields' meaning is the algorithm's. */
typedef struct ob_note {
    _Alignas(64) atomic_uint round;
    uint32_t kind;
    uint64_t bytes;
    uint64_t name[2]; /* of lent memory */
    char data[OB_NOTE_INLINE];
} ob_note;

_Static_assert(sizeof(ob_note) == OB_NOTE_BYTES, "notes begin at cache lines");

typedef struct ob_lane {
    _Alignas(64) atomic_uint sleepers; /* that wait for this member */
    ob_note note[OB_BOARD_DEPTH];
    _Alignas(64) char slate[OB_SLATES][OB_SLATE_BYTES];
} ob_lane;

typedef struct ob_board_memory {
    _Alignas(64) atomic_uint sleepers; /* that wait for all */
    atomic_uint bell;
    atomic_uint broken; /* 1 + the member that broke it */
    ob_lane lane[];
} ob_board_memory;

typedef struct ob_board {
    ob_group *group;
    ob_board_memory *memory;
    int size, me;
    bool light;     /* our fences when posting: fence.h */
    uint32_t round;   /* posted last by this member */
    uint32_t settled; /* all members are known to have posted it */
    uint32_t slates;  /* shown so far */
} ob_board;

/* The group's board; the first call is collective. Only for groups on one node of
 * two or more members. */
int ob_board_of(ob_group *group, ob_board **board);
/* Gives the board back, if there is one. */
void ob_board_close(ob_group *group);

/* Begins a round: waits until our next note is free. */
int ob_board_begin(ob_board *b, ob_note **note);
/* Waits, if need be, until no member is more than `ahead` rounds behind the one we
 * posted last: who shows long pieces in lent memory lets that be used again while it is
 * in the cache. */
int ob_board_keep_up(ob_board *b, uint32_t ahead);
/* Shows our note of this round. */
void ob_board_post(ob_board *b);
/* Waits until a member, or all, have posted the round we posted last. OB_EGONE. */
int ob_board_wait(ob_board *b, int member);
int ob_board_wait_all(ob_board *b);

/* Room for what does not fit into our note of the round that has begun, named in it. Only for
 * rounds in which we wait for all. */
static inline char *ob_board_slate(ob_board *b, ob_note *note)
{
    note->name[0] = b->slates++ % OB_SLATES;
    return b->memory->lane[b->me].slate[note->name[0]];
}

/* We post no more: all that others wait for in vain fails with OB_ESIZE, now and later. */
void ob_board_break(ob_board *b);

/* A member's note of the round we posted last, after the wait for it. */
static inline ob_note *ob_board_note(const ob_board *b, int member)
{
    return &b->memory->lane[member].note[b->round % OB_BOARD_DEPTH];
}

static inline char *ob_board_slate_of(const ob_board *b, int member)
{
    return b->memory->lane[member].slate[ob_board_note(b, member)->name[0] % OB_SLATES];
}

/* Memory for others to read, until `readers` of them have given it back. */
void *ob_board_lend(ob_board *b, size_t bytes, unsigned readers, uint64_t *name);
void *ob_board_borrow(const ob_board *b, int member, uint64_t name);
void ob_board_give_back(const ob_board *b, void *memory);

#endif
