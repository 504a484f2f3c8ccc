/*
 * What the files of this room share: who this process is, how it sends and waits, and
 * what is recorded. Nothing here leaves the library.
 *
 * Positions in the groups: 0 is the host, 1 + n node n. Messages of programs go in the
 * world's own stream with their type as tag; those that are parts of high-level calls,
 * and those of the library, in streams of their own, so that a receive of any type
 * cannot take one of them away.
 */
#ifndef PICL_INNER_H
#define PICL_INNER_H

#include <stdint.h>
#include <sys/types.h>

#include "hooks/check.h"
#include "hooks/job.h"
#include "hooks/picl.h"
#include "hooks/trace.h"
#include "openblacs/launch.h"
#include "openblacs/picl.h"

enum { PICL_ANY_TYPE = -1, PICL_ALL = -1 };

/* Tags in the control stream. */
enum {
    PICL_HELLO = 1, /* node: is open */
    PICL_CLOSING,   /* node: is in close0 */
    PICL_PROMPT,    /* host: send your trace */
    PICL_RECORDS,   /* node: records for the trace file */
    PICL_CLOSED     /* node: that was all */
};
/* Tags beside the program's types in the inner stream. */
enum { PICL_SETARC = PICL_TYPES, PICL_BARRIER, PICL_SYNCING };

/* ----------------------------------------------------------------- fault.c */

typedef struct picl_state {
    int joined, open, checking;
    int closed;          /* a node that has been open */
    int released;        /* the host's last close0 has waited for its nodes' ends */
    pid_t pid;           /* that has opened */
    int host, me, nodes; /* host: 1 on the host; me: number, PICL_HOST there */
    ob_job *job;
    ob_group *world, *inner, *control;
    int places, generation; /* most nodes; how often the groups have been made */
    /* On a host that was started plainly. */
    ob_launch *launch;
    /* On the host, of each node. */
    struct picl_node {
        int loaded, closing, closed, ended;
        ob_wait_note seen; /* when all were seen to wait */
    } * node;
    /* Of the last message. */
    int bytes, type, source;
    /* setarc0 */
    int arranged, used, top, order, direction;
    int inside; /* a high-level call: its messages are recorded at level 3 */
} picl_state;
extern picl_state picl_own;

/* Prints one line, and ends the job. */
_Noreturn void picl_fault(const char *routine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints one line. */
void picl_warn(const char *routine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line on standard output, behind what the program has written. 0, or -1. */
int picl_print(const char *line);
/* Is this one a node, as far as its launcher has told before open0? */
int picl_is_node(void);
/* Has a launcher started this process? */
int picl_is_launched(void);
void picl_check(const char *routine, int status);
/* Communication must be open. */
void picl_need_open(const char *routine);
static inline int picl_position(int number)
{
    return number == PICL_HOST ? 0 : number + 1;
}
static inline int picl_number(int position)
{
    return position == 0 ? PICL_HOST : position - 1;
}

/* ----------------------------------------------------------------- nodes.c */

/* What load0 tells a node: nodes and generation. */
#define PICL_NODE_VARIABLE "OPENBLACS_PICL"

/* Joins the job; wanted: nodes, for a host. */
void picl_join(const int *wanted);
/* The host opens again; wanted: nodes. */
void picl_open_again(const int *wanted);
/* Groups of the host and all places, for a generation; and their end. */
void picl_make_groups(const char *routine, int generation);
void picl_free_groups(void);
/* Is a node's word here that nobody has received? */
int picl_said(int n, int word);
/* Looks after the nodes that this host has started, for at most so long. */
void picl_attend(const char *routine, double seconds);
/* Ends the nodes and gives the launch back. */
void picl_release(void);

/* ------------------------------------------------------------------ hang.c */

/* What the host has seen of its nodes while it waits. */
typedef struct picl_suspicion {
    double next; /* when to look again */
    int armed;   /* all were waiting then: picl_node.seen */
    int certain; /* they wait for each other, if nothing has come since */
} picl_suspicion;
/* Words for ob_job_waits: a receive in this group, of this source and tag. */
uint64_t picl_what(const ob_group *group, int position, int tag);
/* Can the host see what its nodes wait for? */
int picl_sees_nodes(void);
void picl_suspect(picl_suspicion *s);
/* Prints who waits for what, and ends the job. */
_Noreturn void picl_hang(const char *routine, uint64_t host);

/* ------------------------------------------------------------------ wire.c */

/* Sends; waits for a message from a position, or OB_ANY, of a tag, or OB_ANY. A host
 * that waits looks after its nodes. */
void picl_put(const char *routine, ob_group *group, int position, int tag, const void *data,
              size_t bytes);
/* The same send, of elements of a type. */
void picl_put_as(const char *routine, ob_group *group, int position, int tag, const void *data,
                 size_t bytes, ob_type element);
void picl_get(const char *routine, ob_group *group, int position, int tag, void *data, size_t bytes,
              ob_received *got);
/* A barrier of `count` nodes from 0 on. The latest of their clocks at its begin, as they
 * tell it themselves. */
double picl_meet(const char *routine, int tag, int count);
/* Its messages: so many are sent, and received. */
int picl_meet_rounds(int count);

/* --------------------------------------------------------------- message.c */

/* send0 behind its checks, for bcast1, too. */
void picl_send_message(const char *routine, const char *buf, int bytes, int type, int dest);
/* send0 and recv0 inside a high-level call, from a known source, who must name the same type. */
void picl_send_part(const char *routine, const void *data, int bytes, int type, int dest,
                    ob_type element);
int picl_recv_part(const char *routine, void *data, int bytes, int type, int source,
                   ob_type element);

/* ----------------------------------------------------------------- trace.c */

/* The numbers of records (table 5 of the manual): PICL_SEND and so on. */
enum picl_record {
#define PICL_NUMBER(name, number, word, form) PICL_##name = number,
    OB_PICL_RECORDS(PICL_NUMBER)
#undef PICL_NUMBER
};

/* Is this process recording? */
extern int picl_tracing;
/* Is the event level that high? */
int picl_records(int level);
/* A record at this moment, if so. */
void picl_event(int level, enum picl_record type, int count, ...);
/*
 * Around a call that counts as idle, with picl_count... between. The end writes what readers
 * expect: the record, stamped at the begin; the statistics at the begin; those at the end.
 * event, stats: from which levels on.
 */
void picl_idle_begin(void);
void picl_idle_end(int event, int stats, enum picl_record type, int count, ...);
/* The end of a receive. Of one that had to wait there is a second record, stamped at the end,
 * between the statistics; wanted: the type it waited for. */
void picl_receive_end(int level, int waited, int wanted);
/* The level of send0 and recv0. */
static inline int picl_message_level(void)
{
    return picl_own.inside ? 3 : 2;
}
void picl_count_sent(int64_t messages, int64_t bytes);
void picl_count_received(int64_t messages, int64_t bytes);
void picl_count_probe(void);
/* Around a high-level call. */
void picl_block_begin(int type, int location, int parameter);
void picl_block_end(int type, int location, int parameter);
/* Statistics at an event that has no idle time of its own. */
void picl_stats(int level);
/* Node, in open0: what was to be written before. */
void picl_send_early(void);
/* Node, in close0: the trace ends and goes to the host. Host: takes what has come. */
void picl_trace_close(void);
void picl_take_records(void);

/* One record as it is kept and sent: a count of 64-bit arguments follows, or a text. */
typedef struct picl_entry {
    int32_t type, count;
    int64_t time; /* nanoseconds since tracing began */
    int64_t argument[];
} picl_entry;
static inline size_t picl_entry_bytes(int count)
{
    return sizeof(picl_entry) + (size_t)count * sizeof(int64_t);
}
enum { PICL_TEXT_MOST = 80 };

#endif
