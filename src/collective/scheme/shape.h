/*
 * The building blocks as pure arithmetic: what one member of a line of
 * members sends and receives, in which order. No memory, no messages; the same
 * functions feed the executor, the property tests and the costs.
 *
 * A line has q members 0 .. q-1. Where an operation cuts a vector, it has one
 * block for each; a move names a run of blocks [a, b), and for shapes that go
 * around the end of the line a second run. A move sends first, then receives.
 */
#ifndef OB_COLLECTIVE_SCHEME_SHAPE_H
#define OB_COLLECTIVE_SCHEME_SHAPE_H

#include <stdbool.h>

typedef struct ob_range {
    int a, b;
} ob_range;

typedef struct ob_move {
    int to, from; /* -1: none */
    ob_range send, send_more;
    ob_range recv, recv_more;
    bool combine; /* what comes is combined into what is there; the sender says it too */
    bool last;    /* its sender sends no more before something comes from the receiver's side */
    bool paced;   /* its sender sends there again only after something has come from the receiver */
    bool together; /* goes with the move before: sends over other links, and what comes meanwhile */
} ob_move;

typedef struct ob_moves {
    ob_move *at;
    int count, room;
    bool failed; /* no memory for all */
} ob_moves;

/* Adds a move; remembers a failure. */
void ob_moves_add(ob_moves *m, ob_move move);
void ob_moves_free(ob_moves *m);

#define OB_NO_RANGE ((ob_range){0, 0})

/* What a stage does on each line. */
typedef enum ob_act {
    OB_ACT_BROADCAST = 0, /* the root's vector to all */
    OB_ACT_COMBINE,       /* all vectors combined at the root */
    OB_ACT_SCATTER,       /* block i of the root's vector to member i */
    OB_ACT_GATHER,        /* member i's block i to the root */
    OB_ACT_COLLECT,       /* member i's block i to all */
    OB_ACT_DISTRIBUTE,    /* distributed combine: block i of the combined vector at member i */
    OB_ACT_EXCHANGE,      /* all vectors combined at all */
    OB_ACTS
} ob_act;

/* And how. */
typedef enum ob_how {
    OB_HOW_TREE = 0, /* minimum spanning tree by halving (icc.txt, 3.1.1) */
    OB_HOW_POSTAL,   /* a tree for senders that are free again before the message arrives */
    OB_HOW_BUCKET,   /* around the line as a ring (3.1.2) */
    OB_HOW_HALVING,  /* recursive halving and doubling, any q */
    OB_HOW_BRUCK,    /* Bruck's collect: ceil(log q) rounds for any q */
    OB_HOW_BOTH,     /* buckets in both directions at once, each half way around */
    OB_HOW_CHAIN,    /* pipelined chain: the vector in segments, both ways from the root */
    OB_HOW_DOUBLE,   /* double binary tree: even and odd segments down different trees */
    OB_HOW_FLAT,     /* one message from the root to each, or from each to the root */
    OB_HOWS
} ob_how;

typedef struct ob_line {
    int q, me, root;
    int lambda;   /* OB_HOW_POSTAL: a message's time in tenths of what it costs its sender; >= 1 */
    int segments; /* OB_HOW_CHAIN; OB_HOW_DOUBLE: of each tree */
} ob_line;

/* Is there such a form of the act? */
bool ob_shape_exists(ob_act act, ob_how how);
/* Adds the moves of line->me. Ranges count blocks of the line: q, 2 q for OB_HOW_BOTH,
 * `segments` for OB_HOW_CHAIN, twice as many for OB_HOW_DOUBLE, and 1 where the act
 * does not cut the vector. */
void ob_shape_moves(ob_act act, ob_how how, const ob_line *line, ob_moves *moves);
/* Blocks the shape's ranges count. */
int ob_shape_blocks(ob_act act, ob_how how, const ob_line *line);

/* Each in a file of its own. */
void ob_shape_tree(ob_act act, ob_how how, const ob_line *line, ob_moves *moves);
void ob_shape_bucket(ob_act act, const ob_line *line, ob_moves *moves);
void ob_shape_both(ob_act act, const ob_line *line, ob_moves *moves);
void ob_shape_halving(ob_act act, const ob_line *line, ob_moves *moves);
void ob_shape_bruck(const ob_line *line, ob_moves *moves);
void ob_shape_chain(ob_act act, const ob_line *line, ob_moves *moves);
void ob_shape_double(ob_act act, const ob_line *line, ob_moves *moves);
void ob_shape_flat(ob_act act, const ob_line *line, ob_moves *moves);

/* Members a postal tree reaches within t tenths of the sender's time:
 * N(t) = N(t-10) + N(t-lambda). */
long long ob_postal_reach(int lambda, int t);
/* The least t, in tenths, with N(t) >= q. */
int ob_postal_time(int lambda, int q);
/* ceil(log2 q). */
int ob_log2_ceil(int q);

#endif
