/*
 * The building blocks as pure arithmetic: what one member of a line of
 * members sends and receives, in which order. No memory, no messages; the same
 * functions feed the executor, the property tests and the costs.
 *
 * A line has q members 0 .. q-1. Where an operation cuts a vector, it has one
 * block for each; a move names a run of blocks [a, b), and for forms that go
 * around the end of the line a second run. A move sends first, then receives.
 */
#ifndef OB_COLLECTIVE_SCHEME_FORM_H
#define OB_COLLECTIVE_SCHEME_FORM_H

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

static inline bool ob_act_cuts(ob_act act)
{
    return act == OB_ACT_SCATTER || act == OB_ACT_DISTRIBUTE;
}

static inline bool ob_act_joins(ob_act act)
{
    return act == OB_ACT_GATHER || act == OB_ACT_COLLECT;
}

/* Stages that bring the root's vector to more members, and from them to the root. */
static inline bool ob_act_spreads(ob_act act)
{
    return act == OB_ACT_BROADCAST || act == OB_ACT_SCATTER;
}

static inline bool ob_act_funnels(ob_act act)
{
    return act == OB_ACT_COMBINE || act == OB_ACT_GATHER;
}

/* And how: every building block, one a line. NAME.c, or the file of a block of its kind, defines
 * ob_how_NAME. */
#define OB_HOW_LIST(HOW)                                                                           \
    HOW(TREE, tree)       /* minimum spanning tree by halving (icc.txt, 3.1.1) */                  \
    HOW(POSTAL, postal)   /* a tree for senders that are free before the message arrives */        \
    HOW(BUCKET, bucket)   /* around the line as a ring (3.1.2) */                                  \
    HOW(HALVING, halving) /* recursive halving and doubling, any q */                              \
    HOW(BRUCK, bruck)     /* Bruck's collect: ceil(log q) rounds for any q */                      \
    HOW(BOTH, both)       /* buckets in both directions at once, each half way around */           \
    HOW(CHAIN, chain)     /* pipelined chain: segments, both ways from the root */                 \
    HOW(DOUBLE, double)   /* double binary tree: even and odd segments down different trees */     \
    HOW(FLAT, flat)       /* one message from the root to each, or from each to the root */

#define HOW(NAME, name) OB_HOW_##NAME,
typedef enum ob_how { OB_HOW_LIST(HOW) OB_HOWS } ob_how;
#undef HOW

/* A scheme's stage: a block in all lines of one dimension of the group. */
typedef struct ob_stage {
    ob_act act;
    ob_how how;
    int count, stride; /* members of a line, positions between neighbours */
    int detail;        /* of blocks that have one */
} ob_stage;

typedef struct ob_line {
    int q, me, root;
    int detail;
} ob_line;

/* A number that a block takes: a message's time in tenths of what it costs its sender, >= 1; or
 * in how many segments the vector goes (of the double tree: down each). */
typedef enum ob_detail { OB_DETAIL_NONE = 0, OB_DETAIL_LAMBDA, OB_DETAIL_SEGMENTS } ob_detail;

struct ob_net;

typedef struct ob_how_row {
    const char *word; /* in schemes; obinfo(1) explains it */
    unsigned acts;    /* a bit 1 << act for each act that it can do */
    ob_detail detail;
    int fine; /* parts of each block, or of each segment, that ranges count; 0: 1 */
    /* Adds the moves of line->me. Ranges count blocks of the line (ob_stage_blocks). */
    void (*moves)(ob_act act, const ob_line *line, ob_moves *moves);
    /* What a stage should take, in closed form: the alpha, beta and gamma terms of icc.txt 3.1 to
     * 3.3 in the terms of net.h. n: bytes of the vector a line works on, whole; lines: those that
     * work at the same time over the same links; root: its place in the line. */
    double (*time)(const struct ob_net *net, const ob_stage *stage, double n, double lines,
                   int root);
} ob_how_row;

extern const ob_how_row *const ob_hows[OB_HOWS];

/* Is there such a form of the act? */
bool ob_form_exists(ob_act act, ob_how how);
/* The block's moves; none for a line of one. */
void ob_form_moves(ob_act act, ob_how how, const ob_line *line, ob_moves *moves);
/* Parts that the stage needs each of its blocks in. */
int ob_stage_fine(const ob_stage *t);
/* Blocks that its ranges count: that many of each member's block, or of the whole vector where the
 * act does not cut it. */
int ob_stage_blocks(const ob_stage *t);

/* A postal tree reaches N(t) = N(t-10) + N(t-lambda) members within t tenths of the sender's time;
 * the least t with N(t) >= q. */
int ob_postal_time(int lambda, int q);
/* ceil(log2 q). */
static inline int ob_log2_ceil(int q)
{
    int k = 0;
    while (k < 31 && (1LL << k) < q)
        k++;
    return k;
}

#endif
