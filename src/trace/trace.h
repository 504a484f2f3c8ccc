/*
 * The recorder: one buffer in each process, into which operations write what they
 * did. Off, it costs a branch. On, an event takes two readings of a counter and one
 * record; it never waits, allocates or calls the system.
 *
 * Use: where ob_trace_on, call the operation between ob_trace_begin and ob_trace_end.
 * Operations nest; times blocked and packing of inner ones count for the outer ones.
 */
#ifndef OB_TRACE_TRACE_H
#define OB_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/group.h"
#include "hooks/trace.h"
#include "openblacs/trace.h"
#include "trace/clock.h"

#define OB_TRACING __builtin_expect(ob_trace_now, 0)

/* Joins the recording when the settings ask for it. OB_ESETTING, OB_ESYSTEM, OB_ENOMEM. */
int ob_trace_start(ob_job *job);
/* Ends a child that a process of the job has forked, with a line: it has the memory of that
 * process, but no place of its own in the job. Operations ask by themselves, since such a child
 * looks as if it recorded: so it costs the others nothing. NULL: the routine has no name. */
void ob_trace_refuse_child(const char *routine);
/* A number that the processes of this run have in common, and no others. */
uint64_t ob_trace_run_number(const ob_job *job);
/* Writes what there is: at the end of a process that exit handlers do not see. */
void ob_trace_write(void);
/* Before that, when this process ends the job: nobody is to wait for processes that have not
 * joined. */
void ob_trace_roll_abort(void);

/* For a launcher, when all processes have ended: prints the statistics that the file holds by
 * calls of `put`, whole lines each time, unless one of the processes has done so. */
typedef void ob_trace_put_text(void *context, const char *text, size_t bytes);
void ob_trace_finish(const char *file, ob_trace_put_text *put, void *context);

/* At local time `at` (ob_clock_system) the clock of process `reference`, of another node,
 * showed `offset` more, give or take `error`. */
void ob_trace_clock(int reference, int64_t at, int64_t offset, uint64_t error);

/* A group that is new gets its number in the trace. */
void ob_trace_group(ob_group *group);

/* What an operation was. */
typedef struct ob_trace_what {
    int kind;
    const ob_group *group; /* NULL: `number` and `trace` say what it would */
    int number;            /* job number of the peer */
    uint32_t trace;        /* number of the group in the trace */
    const char *routine;   /* where the caller has not named one */
    int position;          /* of the peer or root; OB_ANY */
    int tag, type, flags;
    int status;
    size_t bytes;
    uint64_t value;
    int64_t matched; /* ticks; of RECV */
    bool waited;     /* of RECV: until `matched` */
    char topology;
} ob_trace_what;

/* An operation under way. */
typedef struct ob_trace_span {
    int64_t begin;
    uint64_t blocked, packing; /* of this thread so far */
} ob_trace_span;

void ob_trace_begin(ob_trace_span *span);
void ob_trace_end(const ob_trace_span *span, const ob_trace_what *what);

/* The begin of an operation without a span, and its end: nothing is inside it. It need not end. */
int64_t ob_trace_since(void);
void ob_trace_ended(int64_t since, const ob_trace_what *what);

/* Until it is called again with false, what this thread does is a part of a call, whether one is
 * under way or not. */
void ob_trace_inside(bool begins);

/* After ob_trace_end: the operation did this, too (a message to several receivers); an
 * event without length at its begin. */
void ob_trace_also(const ob_trace_span *span, const ob_trace_what *what);

/* A wait for a member inside a collective, which has just ended; OB_ANY. group NULL: for those who
 * are still to become a group. */
void ob_trace_waited(const ob_group *group, int position, int64_t since);

/* A superstep of this group ends: what was asked for it becomes events. */
void ob_trace_asked(const ob_group *group);

/* A symbol as it is written in the program: PDGETRF for pdgetrf_, module::routine. Returns text, or
 * the symbol where nothing is to be changed. */
const char *ob_trace_as_written(const char *symbol, char *text, size_t room);

#endif
