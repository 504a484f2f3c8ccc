/*
 * A run once more, with something changed: each process does what the trace says, for as long as it
 * did, and waits for messages and for members of collective calls as these come now. What one
 * process does depends on the others only through these.
 *
 *   steps.c    what in a trace makes one process depend on another
 *   courses.c  collective operations that go on while a process does other things
 *   costs.c    what messages cost in this trace, as a profile
 *   redo.c     collective calls carried out in another way
 *   replay.c   what each process does, as a list
 *   carry.c    the lists carried out, one process after the other, as far as it gets
 *   share.c    messages that share links
 */
#ifndef OBTRACE_REPLAY_H
#define OBTRACE_REPLAY_H

#include "hooks/profile.h"
#include "late.h"

/* ------------------------------------------------------------------- steps.c */

typedef enum obt_step_kind {
    OBT_POSTS,  /* a message leaves */
    OBT_TAKES,  /* a message is needed, and waited for from begin to end */
    OBT_SHOWS,  /* somebody waits until this process has come here */
    OBT_AWAITS, /* the other side of it */
    OBT_MEETS,  /* a collective call as a whole */
    OBT_CALLS,  /* one whose messages follow */
    OBT_BEGINS, /* a strand */
    OBT_ENDS    /* it is waited for, from begin to end */
} obt_step_kind;

/* Something that process does, in place of [begin, end) of the trace. */
typedef struct obt_point {
    int64_t begin, end;
    int64_t rest;    /* of OBT_TAKES, OBT_AWAITS: how long after the other side it ended; -1: not
                        known,    for it did not wait. OBT_MEETS: what of it was not waiting for
                        others.    OBT_ENDS: what of it came behind the strand's last message */
    size_t object;   /* message, OBT_SHOWS and OBT_AWAITS: pair, OBT_MEETS, OBT_CALLS: call,
                        OBT_BEGINS, OBT_ENDS: strand */
    size_t together; /* the collective operation it is a part of; SIZE_MAX: none */
    uint32_t process;
    uint8_t kind;
} obt_point;

/* One collective operation: the calls of its members. */
typedef struct obt_together {
    size_t first, count; /* of parts.by_process */
    size_t messages;     /* between its calls */
    bool whole;          /* every member's call is there, once, and all are alike */
    bool meets;          /* no messages that could be followed: it is taken as a whole */
    bool one_node;
    bool superstep;
} obt_together;

/* A message of a collective operation that was begun. */
typedef struct obt_move {
    int64_t time;
    int64_t since; /* of one taken: since when the process waited then; INT64_MAX: it did not */
    size_t message;
    bool takes; /* else it is sent */
} obt_move;

/* What a process does of such an operation by the way: its messages but for those that it sends as
 * it begins it. A process takes what has come, and sends what follows from it, when a call of its
 * program waits for anything; a thread of the library's does so at any time. */
typedef struct obt_strand {
    uint32_t process, begun, ended; /* calls; ended: or OBT_NO_CALL */
    size_t first, count;            /* of moves, by time */
    bool known;                     /* it had messages */
    bool background;
} obt_strand;

/* Which ends of a message a strand has. */
enum { OBT_MOVED_POST = 1, OBT_MOVED_TAKE = 2 };

typedef struct obt_steps {
    const obt_analysis *analysis;
    obt_parts parts;
    obt_times times;
    obt_point *points; /* by process, then begin */
    size_t count, room;
    size_t *first; /* of points, by process; one more at the end */
    obt_together *together;
    size_t together_count;
    size_t *of_call; /* the collective operation of a call; SIZE_MAX: none */
    size_t pairs;
    obt_strand *strands;
    size_t strand_count;
    obt_move *moves;
    uint8_t *moved;     /* by message */
    size_t untold;      /* operations that were begun, whose messages are not known */
    bool several_nodes; /* the processes do not all share one */
} obt_steps;

void obt_find_steps(const obt_analysis *a, obt_steps *s);
void obt_free_steps(obt_steps *s);

/* Strands and their moves, when times are known. */
void obt_find_strands(obt_steps *s);

/* Who has to come before this member of a collective operation goes on. */
typedef enum obt_need { OBT_NEEDS_NOBODY, OBT_NEEDS_ROOT, OBT_NEEDS_ALL } obt_need;
obt_need obt_needs(const obt_analysis *a, const obt_call *c);

/* ------------------------------------------------------------------- costs.c */

/* What messages of this trace cost, as a profile: T_s a sender, T_r a receiver whose message is
 * there, T_c from the begin of the send until a waiting receiver goes on, T_o an addition. False:
 * there are too few of them to say; *p is unchanged. */
bool obt_costs(const obt_steps *s, ob_profile *p);
/* Whose costs a replay counts the trace's messages with, where nobody gave a profile: the trace's
 * own, or, where it tells too few, this machine's. */
bool obt_costs_found(const obt_steps *s);
/* The most that a member of a collective operation gives. */
int64_t obt_most_bytes(const obt_steps *s, size_t together);

/* -------------------------------------------------------------------- redo.c */

/* Calls that are to be done in another way: kind "broadcast" or "combine", or the routine's name
 * ("dgebs2d" and "dgebr2d" are one); scope 'R', 'C', 'A', or 0 for any. */
typedef struct obt_change {
    char routine[32];
    char scope;
    char letter; /* of TOP; ' ' is the library's choice */
} obt_change;

/* Reads "row-broadcast=I", "combine= ", "dgsum2d=1"; "plan" may stand for the blank. False: it is
 * none of these. */
bool obt_read_change(const char *text, obt_change *change);

/* ------------------------------------------------------------------ replay.c */

/* How nodes are joined, numbered in the order of their processes, the last dimension first.
 * dimensions 0: by a switch. */
enum { OBT_DIMENSIONS = 6, OBT_MOST_NODES = 1 << 20 };
typedef struct obt_torus {
    int dimensions;
    uint32_t of[OBT_DIMENSIONS];
} obt_torus;

typedef struct obt_scenario {
    bool no_latency;             /* a message of no bytes takes no time */
    bool no_bytes;               /* bytes take no time */
    bool balanced;               /* each process computes for as long as the mean */
    bool running;                /* a process that did not run for others' sake did */
    bool plan;                   /* OPENBLACS_TOPOLOGY=plan */
    double computing;            /* times as long; 0 means 1 */
    obt_torus torus;             /* of the trace's machine, and of the other one */
    const ob_profile *from, *to; /* measured on the trace's machine (NULL: obt_costs, or this
                                    machine's), and another one's (NULL: the same) */
    const obt_change *changes;
    size_t change_count;
} obt_scenario;

typedef struct obt_replay {
    int64_t length;  /* of the run */
    int64_t *end;    /* by process */
    int64_t *waited; /* the same: for messages and members */
    size_t changed;  /* collective operations that were done in another way */
    size_t refused;  /* that should have been, but their members are not all recorded */
    size_t stuck;    /* how often nobody could go on, in damaged traces */
} obt_replay;

/* r: obt_free_replay gives its memory back. */
void obt_replay_run(const obt_steps *s, const obt_scenario *what, obt_replay *r);
void obt_free_replay(obt_replay *r);

/* What replay.c, redo.c and carry.c share: a process's or a strand's list of what to do. */
typedef enum obt_act {
    OBT_WORK,
    OBT_POST,
    OBT_TAKE,
    OBT_ENTER,
    OBT_JOIN,
    OBT_BEGIN, /* a strand */
    OBT_END,
    OBT_ATTEND /* of a strand: it goes on when the process sees to it */
} obt_act;

typedef struct obt_op {
    int64_t length; /* OBT_POST: for how long the process's link is taken; OBT_TAKE: how long the
                       message needs; OBT_JOIN, OBT_END: what follows */
    int64_t least;  /* OBT_TAKE: how long it takes when the message is there */
    size_t object;  /* message, meeting, or strand */
    uint8_t act;
    uint8_t need; /* of OBT_JOIN: obt_need */
} obt_op;

typedef struct obt_ops {
    obt_op *at;
    size_t count, room;
} obt_ops;

void obt_do(obt_ops *ops, obt_act act, size_t object, int64_t length);

/* A message on the links of its two nodes. */
typedef struct obt_flow {
    int64_t posted, bytes; /* when it may leave; what its bytes take on links of its own, 0: none */
    int64_t late;          /* how much later it comes than on these */
    uint32_t from, to;     /* processes */
} obt_flow;

/* share.c: messages that are under way at once share links: fills `late`. again: it is known from a
 * carrying out before. False: no message takes a link. The torus has a place for each node. */
bool obt_share_links(const obt_steps *s, const obt_torus *torus, obt_flow *flows, size_t count,
                     bool again);
uint32_t obt_count_nodes(const obt_trace *t);

/* Carries the lists out, `of` by process, `strands` as in s: fills end, waited, length and stuck of
 * *r. messages: how many there are, with those that are not the trace's. torus: on whose links
 * they meet; NULL: on none. */
void obt_carry_out(const obt_steps *s, const obt_ops *of, const obt_ops *strands, size_t messages,
                   const obt_torus *torus, obt_replay *r);

/* What messages cost in a scenario, in nanoseconds. */
typedef struct obt_prices {
    const ob_profile *profile;
    bool no_latency, no_bytes;
} obt_prices;

int64_t obt_price(const obt_prices *p, ob_quantity q, int64_t bytes);
/* For so long a message takes the way out of its node. */
int64_t obt_link_price(const obt_prices *p, int64_t bytes);
/* Of a curve, with its start-up and what its bytes take so many times as long. */
int64_t obt_price_by(const ob_curve *c, int64_t bytes, double latency, double each);

/* Adds to `ops` what a member does in call c by topology `letter`, which is none of the library's
 * choice. Messages of it are numbered from `first`; it needs as many as obt_redo_messages says.
 * linked: messages of a process leave one after the other. */
void obt_redo(obt_ops *ops, const obt_steps *s, const obt_call *c, char letter,
              const obt_prices *prices, bool linked, size_t first);
size_t obt_redo_messages(const obt_steps *s, const obt_call *c);
/* How the planner would have a group carry out a call: what each of its members does. */
typedef struct obt_plan {
    int task, root;
    size_t size, bytes, messages;
    bool known, native; /* native: the MPI library's own call, in which all wait for all */
    int64_t time;       /* of it */
    obt_ops *of;        /* by position; messages are numbered from 0 */
    struct obt_plan *next;
} obt_plan;

/* The library's own choice between nodes, one for all calls alike, kept in *made; NULL: it is not
 * known, or the members share a node. */
const obt_plan *obt_redo_planned(const obt_steps *s, const obt_call *c, const obt_prices *prices,
                                 obt_plan **made);
void obt_redo_plan(obt_ops *ops, const obt_steps *s, const obt_call *c, const obt_plan *plan,
                   size_t first);
void obt_free_plans(obt_plan *made);
/* Within a node everybody reads what others have written: how long a member takes once those whom
 * it needs have come. */
int64_t obt_board_time(const obt_steps *s, const obt_call *c, const obt_prices *prices,
                       obt_need need);
bool obt_is_broadcast(const obt_analysis *a, const obt_call *c);
bool obt_is_combine(const obt_analysis *a, const obt_call *c);
/* The letter by which a call is to be done now; false: as it was. */
bool obt_changed(const obt_steps *s, const obt_scenario *what, const obt_call *c, char *letter);

#endif
