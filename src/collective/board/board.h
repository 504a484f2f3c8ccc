/*
 * A board: memory that the members of a group on one node have in common, and
 * on which each can show the others something in one write. Short collectives
 * need no messages on it: a member writes its note, the others read it.
 *
 * Rounds. All members take part in every round, numbered from 1: each fills
 * its own note and posts it, once a round. A member has `depth` notes,
 * used in turn, so one that waits for nobody (the root of a broadcast) can be
 * that many rounds ahead of the slowest. Whoever posts round k is done with what it
 * read in round k - 1.
 *
 * Depth. A board begins with few notes, for many groups live long and call seldom. A member that
 * has to wait for a free note says, before it posts round w, that it wants more (`deeper` = w). At
 * the beginning of a round k that is a multiple of the depth D each member has seen all others post
 * round k - D + 1, and so all wishes of w <= k - D + 1; if there is one, all go on in deep lanes
 * from round k on, whose name member 0 sends, when all have posted round k - 1. A round is in the
 * same lanes for all.
 *
 * Agreement. Member 0 lends the memory and tells the others its name in one
 * message each, in the group's first round; no directory, no traffic afterwards.
 * The block has as many readers as members; each gives it back when it frees
 * the group, and so the memory of 100 000 groups is that of those alive. The same holds of a
 * member's slates, which it lends when it first needs one: `slates` in its first lane counts the
 * members that have left before (each adds 1 << OB_SLATES_LEFT), for whom it gives them back
 * itself.
 *
 * Memory order
 *  - A note's `round` is stored with release after the rest of the note, and read
 *    with acquire: who sees the number sees the note, and whatever lent memory it names.
 *  - A note is written again, D rounds later, only after every member's
 *    round k - D + 1 has been seen with acquire; a member's reads of round k - D came
 *    before it posted that (release). So no note changes under a reader.
 *  - Who writes a slate again has seen with acquire that all have posted a round later than the
 *    one that showed it: nobody reads it any more. It has where it waits for all in each round that
 *    shows a slate, since no slate is shown twice in a row. Where such a wait has failed, for a
 *    member has ended, or the owner of a slate waited for nobody in that round, it waits anew
 *    (ob_board_free_slate), or does without (ob_board_has_free_slate).
 *  - Sleep on one member: the sleeper counts itself in that lane's `sleepers`, fences,
 *    looks at `round` again, then sleeps while `round` is unchanged. The
 *    poster stores `round`, fences, looks at `sleepers`. Either the poster
 *    sees the sleeper, or the sleeper the round. Posters are many and sleepers few, so the fences
 * are those of fence.h: nothing but order in the poster's program, and a barrier on every processor
 * that the sleeper asks the kernel for. Where the kernel refuses, posters fence in full and
 * sleepers look up every millisecond. A member that sleeps in each wait (node/wait.c: its yields
 * reach nobody) fences its own posts in full and says so, once (`fences`, release). Who
 * sees that (acquire) sees all that it posted before, and so needs no barrier for its later posts.
 *  - Sleep on all: the sleeper counts itself in the board's `sleepers`, fences, reads
 *    `bell`, looks at all rounds, then sleeps while `bell` is unchanged. A
 *    poster that finds sleepers fences in full and rings if all have now posted its round. Let P be
 *    a poster whose round the sleeper did not see: it posts after the sleeper's barrier, so it
 *    sees the sleeper, and every round that was posted before the barrier. Of several such
 *    posters the one whose full fence is last in their order sees all rounds, so somebody rings,
 * and only once all are there: p - 1 sleepers cost one wake-up call.
 *
 * Nothing here is a lock. A member that is killed posts nothing; the others
 * find out while they sleep and fail with OB_EGONE. A member that cannot go on in a call of
 * several steps breaks the board: who waits then fails, too, with the same error line (the first
 * one's, written before `broken` is stored with release, read after it was seen with acquire). Who
 * sleeps is woken: it counts itself and then looks at `broken`, which is stored before the counts
 * are read (both seq_cst). Only one that has gone over to deep lanes of which the breaker does not
 * know yet finds out within a nap.
 */
#ifndef OB_COLLECTIVE_BOARD_BOARD_H
#define OB_COLLECTIVE_BOARD_BOARD_H

#include <stdatomic.h>

#include "core/group.h"
#include "core/watched.h"
#include "hooks/processor.h"
#include "node/wait.h"

enum { OB_BOARD_SHALLOW = 8, OB_BOARD_DEPTH = 128 };
enum { OB_NOTE_BYTES = OB_LINE < 128 ? 128 : OB_LINE, OB_NOTE_INLINE = OB_NOTE_BYTES - 32 };
enum { OB_SLATES = 2, OB_SLATE_BYTES = 4096, OB_SLATES_LEFT = 48, OB_SLATE_WANTED = 2048 };

/* What a member shows in one round; the fields' meaning is the algorithm's. */
typedef struct ob_note {
    _Alignas(OB_LINE) atomic_uint round;
    uint32_t kind;
    uint64_t bytes;
    uint64_t name[2]; /* of lent memory */
    char data[OB_NOTE_INLINE];
} ob_note;

_Static_assert(sizeof(ob_note) == OB_NOTE_BYTES, "notes begin at cache lines");

typedef struct ob_lane {
    _Alignas(OB_LINE) atomic_uint sleepers; /* that wait for this member */
    atomic_uint fences;                     /* this member fences all later posts in full */
    atomic_uint deeper;   /* the round before which it wanted deep lanes; 0: it does not */
    atomic_ullong slates; /* in first lanes: their name, and how many members have left */
    ob_note note[];       /* as many as the board is deep */
} ob_lane;

typedef struct ob_board_memory {
    _Alignas(OB_LINE) atomic_uint sleepers; /* that wait for all */
    atomic_uint bell;
    atomic_uint breaker; /* 1 + the member that breaks it, which alone writes `line`; 0: none */
    atomic_uint broken;  /* the same, when the line is there */
    uint64_t line;       /* the name of its error line; 0: it had no memory to lend for it */
    uint32_t last;       /* the last round that it has posted */
    _Alignas(OB_LINE) char lanes[]; /* the first ones, shallow */
} ob_board_memory;

typedef struct ob_board {
    ob_group *group;
    ob_board_memory *memory;
    char *lanes; /* of the rounds from now on, `stride` bytes each */
    size_t stride;
    uint32_t depth; /* a power of two */
    int size, me;
    bool light;       /* our fences when posting: fence.h */
    bool over;        /* we have broken it */
    uint32_t round;   /* posted last by this member */
    uint32_t settled; /* all members are known to have posted it */
    uint32_t look;    /* the next round before which wishes for deep lanes are looked at */
    uint64_t shown;   /* slates shown so far, */
    uint32_t slate_round[OB_SLATES]; /* and the round in which each was last */
    uint32_t barrier_round;          /* of the last barrier */
    uint32_t lone_round;             /* the last one in which we waited for one member alone, */
    int lone;                        /* which was this */
    int lead;                        /* whom we waited for so behind a barrier, */
    unsigned leads;                  /* and behind how many in a row */
    uint64_t slates;                 /* the name of ours; 0: none yet */
    struct ob_direct *direct;        /* direct.h; NULL before the first long call */
#if OB_WATCHED
    void *lent[4]; /* and not shown yet */
    unsigned lents;
#endif
    char *slate[]; /* of each member, once known */
} ob_board;

/* The group's board; the first call is collective. Only for groups on one node of
 * two or more members. */
int ob_board_of(ob_group *group, ob_board **board);
/* Member 0's word, at most OB_BOARD_WORDS, becomes that of all. With 0 the board is there
 * afterwards; unless it was, its name is the message that says so. */
enum { OB_BOARD_WORDS = 4095 };
int ob_board_agree(ob_group *group, unsigned *word);
/* Gives the board back, if there is one. */
void ob_board_close(ob_group *group);

/* Begins a round: waits until our next note is free. OB_ESIZE, and no round, where we have broken
 * the board, or another member that has posted no such round: others would take the note, or the
 * message that belongs to it, for one that they missed. Who is late in a call that the breaker has
 * ended goes on to its end. */
int ob_board_begin(ob_board *b, ob_note **note);
/* Waits, if need be, until no member is more than `ahead` rounds behind the one we
 * posted last: who shows long pieces in lent memory lets that be used again while it is
 * in the cache. */
int ob_board_keep_up(ob_board *b, uint32_t ahead);
/* Shows our note of this round. */
void ob_board_post(ob_board *b);
/* A round in which this member shows nothing. */
int ob_board_post_empty(ob_board *b);
/* Waits until a member, or all, have posted the round we posted last. OB_EGONE. */
int ob_board_wait(ob_board *b, int member);
int ob_board_wait_all(ob_board *b);

/* Has it? */
bool ob_board_has(const ob_board *b, int member);
/* Begins a wait for something else than that, in turns (ob_wait_turn). */
void ob_board_begin_wait(const ob_board *b, ob_waiter *w);

/* Are all known to be done with what our next slate has shown? Nobody is more rounds behind than a
 * board is deep: so they are when it was longer ago, and rounds that are half their numbers apart
 * are not compared. */
static inline bool ob_board_has_free_slate(const ob_board *b)
{
    uint32_t last = b->slate_round[b->shown % OB_SLATES];
    return b->shown < OB_SLATES || b->round + 1 - last > OB_BOARD_DEPTH ||
           (int32_t)(b->settled - (last + 1)) >= 0;
}
/* Waits until they are: where we wait for all in each round with a slate, they are, unless that has
 * failed. OB_EGONE. */
int ob_board_free_slate(ob_board *b);
/* Then: room for what does not fit into our note of the round that has begun, named in it. NULL: no
 * memory. */
char *ob_board_slate(ob_board *b, ob_note *note);

/* The error that a member has ended. */
int ob_board_gone(const ob_board *b, int member);

/* The error that one member ends a superstep while another one makes another call. */
int ob_board_mixed(const ob_group *g, int ends, int other);

/* The error that a member is in another call than we are; `does`: what we do. */
int ob_board_other_call(const ob_board *b, int member, const char *does);

/* We post and send no more, for what the error line says: all that others wait for in vain fails
 * with OB_ESIZE and this line, now and later. */
void ob_board_break(ob_board *b);
/* Has a member done so? Then OB_ESIZE. */
int ob_board_broken_error(const ob_board *b);
/* The same of rounds from this one on. */
int ob_board_over(const ob_board *b, uint32_t round);
static inline int ob_board_broken(const ob_board *b)
{
    bool broken = atomic_load_explicit(&b->memory->broken, memory_order_relaxed);
    return __builtin_expect(broken, 0) ? ob_board_broken_error(b) : OB_OK;
}
/* A message of a collective call from a member that breaks the board if it cannot send it. Where
 * the board breaks it may still come, for nobody: no call comes behind this one. */
int ob_board_recv(ob_board *b, int member, const ob_view *matrix);

/* Bytes of one member's lane. */
static inline size_t ob_board_stride(uint32_t depth)
{
    return sizeof(ob_lane) + depth * sizeof(ob_note);
}

static inline ob_lane *ob_board_lane(const ob_board *b, int member)
{
    return (ob_lane *)(void *)(b->lanes + (size_t)member * b->stride);
}

/* A member's note of a round. */
static inline ob_note *ob_board_note_of(const ob_board *b, int member, uint32_t round)
{
    return &ob_board_lane(b, member)->note[round & (b->depth - 1)];
}

/* Of the round we posted last, after the wait for it and before the next begins. */
static inline ob_note *ob_board_note(const ob_board *b, int member)
{
    return ob_board_note_of(b, member, b->round);
}

/* As ob_group_lend and its like. Filled before the next post. */
static inline void *ob_board_lend(ob_board *b, size_t bytes, unsigned readers, uint64_t *name)
{
    void *memory = ob_group_lend(b->group, bytes, readers, name);
#if OB_WATCHED
    if (memory)
        b->lent[b->lents++ % 4] = memory;
#endif
    (void)b;
    return memory;
}

static inline void *ob_board_borrow(const ob_board *b, int member, uint64_t name)
{
    return ob_group_borrow(b->group, member, name);
}

/* As it, where so many bytes of it are read. */
static inline void *ob_board_read(const ob_group *g, int member, uint64_t name, size_t bytes)
{
    ob_wait_costs(0, bytes);
    return ob_group_borrow(g, member, name);
}

static inline void ob_board_give_back(const ob_board *b, void *memory)
{
    ob_group_give_back(b->group, memory);
}

/* Our next slate, for so many bytes, comes to our cache, where all are done with what it showed. */
static inline void ob_board_want_slate(const ob_board *b, size_t bytes)
{
    const char *next = b->slate[b->me] + b->shown % OB_SLATES * OB_SLATE_BYTES;
    if (!ob_board_has_free_slate(b))
        return;
    for (size_t at = 0; at < bytes && at < OB_SLATE_WANTED; at += OB_LINE)
        ob_want_to_write(next + at);
}

/* What a member shows on its slate in that round. */
static inline char *ob_board_slate_of(ob_board *b, int member)
{
    const ob_note *note = ob_board_note(b, member);
    if (__builtin_expect(b->slate[member] == NULL, 0))
        b->slate[member] = ob_board_borrow(b, member, note->name[1]);
    ob_wait_costs(0, note->bytes);
    return b->slate[member] + note->name[0] % OB_SLATES * OB_SLATE_BYTES;
}

#endif
