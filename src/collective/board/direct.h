/*
 * Long collective calls with one copy: members read straight from each other's matrices, and those
 * of a gather write to the root's (core/transport.h, expose, fetch and put). Only calls in which
 * every member waits for all others anyway: who has shown its matrix stays until all have read it,
 * and nobody waits longer for one who has not come.
 *
 * Which way a call goes is the same at all members, without a message. It follows from what all
 * have seen in the notes of earlier calls: whether everybody's memory can be reached (the first
 * long call on a board finds out), and how long the slowest member took for each call, either way
 * (core/trial.h). Notes of long calls have room for that; they bear the call's own kind and
 * bytes, so members that name different sizes find out as they always do.
 */
#ifndef OB_COLLECTIVE_BOARD_DIRECT_H
#define OB_COLLECTIVE_BOARD_DIRECT_H

#include "collective/board/board.h"
#include "core/trial.h"

enum ob_direct_sort {
    OB_DIRECT_COLLECT,
    OB_DIRECT_DISTRIBUTE,
    OB_DIRECT_COMBINE, /* to all */
    OB_DIRECT_REDUCE,  /* to one of two */
    OB_DIRECT_EXCHANGE,
    OB_DIRECT_GATHER,
    OB_DIRECT_SORTS
};

/* Which long call a time is of. */
typedef struct ob_timed {
    uint8_t timed; /* 0: there is none to tell of */
    uint8_t sort, class, straight;
} ob_timed;

/* What a board remembers; alike at all members but for `last`, `own` and `scatter`. */
typedef struct ob_direct {
    bool met; /* the members have found out whether they can read each other; */
    bool can; /* they can, and nobody forbids it */
    bool always;
    ob_timed last; /* the last long call, where it went well; */
    float own;     /* what it took here, ns a byte */
    /* Of all-to-all (exchange.h), which no member knows the bytes of. */
    struct {
        bool refused; /* somebody's memory could not be read */
        bool timed, straight;
        unsigned class;
        float own, waited;
    } exchange;
    /* Of scatters from here (private_board.c). */
    struct {
        bool refused;    /* somebody could not read our matrix */
        unsigned missed; /* in a row: those to which somebody came too late, */
        unsigned passed; /* and those since that nobody was to read */
    } scatter;
    ob_way way[OB_DIRECT_SORTS][OB_WAYS];
    ob_end end[]; /* of each member, in the call that goes straight */
} ob_direct;

/* The board's, made when first needed. OB_ENOMEM. */
int ob_direct_of(ob_board *b, ob_direct **direct);

/* One call. */
typedef struct ob_long {
    ob_board *board;
    ob_direct *direct; /* NULL: it is short */
    int sort;
    uint64_t bytes, sizes;
    uint32_t kind;
    const ob_view *next;
    bool straight; /* after ob_long_decide */
    bool alike;    /* all have named the same bytes */
    bool failed;   /* we could not read somebody's memory, */
    int ended;     /* since it has ended; -1: not since that */
    double since, took;
} ob_long;

/* Begins a call of `bytes` bytes in all, of these sizes in one word (alike at all members unless
 * they err), whose notes are of this kind. *asks: a round has passed in which all have shown `view`
 * (NULL: nothing that can be read), the call's bytes, its kind, and the sizes as first name; `next`
 * is what they show when they have met; the caller compares these, and calls ob_long_decide. */
int ob_long_begin(ob_long *c, ob_board *b, enum ob_direct_sort sort, uint64_t bytes, uint64_t sizes,
                  uint32_t kind, const ob_view *view, const ob_view *next, bool *asks);
int ob_long_decide(ob_long *c);

/* Straight: bytes of what a member has shown. After a failure nothing more is read. */
void ob_long_fetch(ob_long *c, int member, size_t from, size_t bytes, const ob_view *to, size_t at);
/* The other way: bytes of `from`, from byte `at` on, to those of what it has shown. */
void ob_long_put(ob_long *c, int member, size_t to, size_t bytes, const ob_view *from, size_t at);
/* A round: all have done what they did before. A failure of anybody's fails everybody, the same
 * way; but a collect or gather in which some memory could not be reached is not `straight` any
 * more, and all do it again. From here on `next` is what is read. */
int ob_long_meet(ob_long *c);

/* The usual way: before the first note is posted, and when all have posted it. */
void ob_long_tell(ob_long *c, ob_note *note);
void ob_long_hear(ob_long *c);

/* It is over, also where we alone have failed: what all then know of it must be the same. */
void ob_long_end(ob_long *c);

#endif
