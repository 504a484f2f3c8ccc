/*
 * What the files of this room share: the recorder's state and its parts.
 */
#ifndef OB_TRACE_INTERNAL_H
#define OB_TRACE_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "trace/trace.h"
#undef ob_trace_on /* where nobody else records (bench/tracing) this room is whole */
#undef ob_trace_now

/* ob_trace_on. Unknown before the job is joined, so that a routine that joins it is named. */
enum { OB_TRACE_STATS_ON = 2, OB_TRACE_UNKNOWN = 4, OB_TRACE_FORKED = 8 };

/* An event in memory: times are ticks, names and sites addresses (of code, or as
 * ob_trace_origin_of makes them). */
typedef struct ob_trace_record {
    ob_trace_event event;
    const char *routine;
    const void *site;
} ob_trace_record;

/* What one place has asked one member of a group for since the last superstep; routine NULL: free.
 */
typedef struct ob_trace_request {
    const char *routine;
    const void *site;
    uint32_t group;
    int peer;
    int64_t since; /* ticks */
    uint64_t calls, bytes;
} ob_trace_request;

enum { OB_TRACE_REQUESTS = 64 }; /* a power of two */

/* A row of statistics in memory; routine NULL: free. */
typedef struct ob_trace_sum {
    _Atomic(const char *) routine;
    _Atomic(const void *) site;
    atomic_ullong calls, messages, bytes, least, most, time, blocked, packing, longest;
} ob_trace_sum;

/* Rows that are found by hashing, a power of two, and one for all others. */
enum { OB_TRACE_ROWS = 1024, OB_TRACE_SUMS = OB_TRACE_ROWS + 1 };

/* A group as it will stand in the file; kept beyond the group's own life. */
typedef struct ob_trace_members {
    struct ob_trace_members *older;
    ob_trace_group_head head;
    int32_t member[];
} ob_trace_members;

enum { OB_TRACE_TEXT_BYTES = 256 * 1024, OB_TRACE_SYNCS = 256 };

struct ob_trace_state {
    char *file;   /* NULL: statistics alone, in a file that goes when they are printed */
    char *work;   /* the file that processes append to */
    char *report; /* how and where to OPENBLACS_STATS asks for the statistics; NULL: not here */
    int level;
    uint64_t run;
    const ob_job *job;
    int pid, number, count; /* of the system; in the job */
    int parent;             /* a forked child's; set whether anything is recorded or not */
    ob_clock_scale line;
    ob_trace_process self; /* its times are ticks until it is written */
    double cpu_started;
    int64_t left; /* when this process began to write; ticks */
    ob_trace_places places;
    /* Ticks that lie between two readings of the processor time, at least; INT64_MAX: none are
     * made. */
    _Atomic int64_t apart;
    atomic_bool written;
    /* The buffer; `next` runs on when it is full. It and text_used only share out room: relaxed.
     * What was written there is shown by the event's kind, which comes last. */
    ob_trace_record *buffer;
    size_t capacity;
    char *text; /* of ob_trace_text; text_used runs on, too */
    ob_trace_sum *sums;
    struct ob_trace_origins *origins; /* of origin.c */
    struct ob_trace_tables *tables;   /* of write.c */
    _Alignas(OB_LINE) atomic_size_t next;
    _Alignas(OB_LINE) atomic_size_t text_used;
    atomic_ullong lost_text;
    atomic_uint threads;
    ob_lock request_lock;
    ob_trace_request request[OB_TRACE_REQUESTS]; /* by hash; under the lock */
    /* Newest first; under the lock. */
    ob_lock group_lock;
    ob_trace_members *groups;
    uint32_t group_count;
    /* Readings of other nodes' clocks; sync_count runs on when there is no room. */
    ob_trace_sync sync[OB_TRACE_SYNCS];
    atomic_uint sync_count;
};
extern struct ob_trace_state ob_trace;

/* The processor time at a moment; how often the thread has lost its processor so far: because it
 * waited for something, and because another had it; and for how long it could run and had none. */
typedef struct ob_trace_reading {
    int64_t at; /* ticks; 0: there is no reading */
    uint64_t cpu, slept, taken;
    uint64_t delay; /* nanoseconds; OB_TRACE_NO_DELAY: not known */
} ob_trace_reading;

#define OB_TRACE_NO_DELAY UINT64_MAX

/* running.c: reads it, and sees to it that readings cost little. *last: the reading of this thread
 * before (at 0: there is none), and then the new one. */
void ob_trace_read(ob_trace_reading *last);
/* Readings may be made from now on; this one, in *first, which is zero, is the first. Of other
 * threads it is not known how long they had no processor. */
void ob_trace_read_first(ob_trace_reading *first);
/* No more delays are read. */
void ob_trace_read_last(void);

/* record.c: this thread's first stretch of work begins; the last one ends, before the file is
 * written. */
void ob_trace_running_begin(void);
void ob_trace_running_end(void);

/* names.c */
/* The file's name, with %h replaced by the host's, and such that it stays the same file when
 * the program goes to another folder; NULL: no memory. To be freed. */
char *ob_trace_file_name(const char *pattern, const char *host);
/* What OPENBLACS_STATS says, with the name of the file, if there is one, made like that. */
char *ob_trace_report_asked(const char *stats, const char *host);
/* The name of the file in it; NULL: standard error. */
const char *ob_trace_report_file(const char *asked);
/* Opens the file, to add to it; -1 with errno. Waits for nobody: a pipe that nobody reads is ENXIO.
 */
int ob_trace_report_open(const char *name);
/* Can it be opened at the end? A pipe is left alone: its reader would take that for the end. 0, or
 * -1 with errno. */
int ob_trace_report_try(const char *name);

/* stats.c: before the rows are written. */
void ob_trace_add_ways(void);

/* origin.c */
/* Memory for what is learnt of the stack; nothing is allocated later. NULL when there is none. */
struct ob_trace_origins *ob_trace_origins_new(void);
/* What stands for a call site in records: the same for calls that worked for the same routine,
 * called at the same place; or the site itself where the stack does not tell. frame, from: the
 * calling function's frame and return address. */
const void *ob_trace_origin_of(const void *site, const void *frame, const void *from,
                               unsigned thread);
/* A place in the program; function NULL: it has no name, object NULL: not known. */
typedef struct ob_trace_where {
    const void *address;
    uint64_t offset;
    const char *function, *object;
} ob_trace_where;
/* What such a site is, as ob_trace_site and ob_trace_origin say it. */
typedef struct ob_trace_described {
    ob_trace_where site, caller;
    const char *routine; /* NULL: no origin is known, or it has no name */
    bool direct;
} ob_trace_described;
/* careful: looks nothing up. */
void ob_trace_describe(const void *site, bool careful, ob_trace_described *d);
/* A helper of the PBLAS or the netlib BLACS, by its symbol. */
bool ob_trace_is_helper(const char *symbol);

/* file.c */
/* Says in the file that this process will write. OB_ESYSTEM. */
int ob_trace_join(int number, int count);
/* Appends what there is; the last process finishes the file. signal: the one that
 * ends this process, or 0; more: may others still join? */
void ob_trace_leave(int signal, bool (*more)(void));
/* Opens and locks (flock) a file. -1 with errno; EWOULDBLOCK where lock says not to wait. */
int ob_trace_open_locked(const char *name, int flags, mode_t mode, int lock);
/* Prints on standard error. */
void ob_trace_put_error(void *context, const char *text, size_t bytes);
/* ob_trace_finish, unless `more` says, while the file is locked, that others are still to come. */
void ob_trace_finish_unless(const char *name, bool (*more)(void), ob_trace_put_text *put,
                            void *context);
/* Opens and locks a file of statistics whose processes, an MPI launcher's, have all ended on this
 * node. -1: there is none, or it is no such file, or somebody has its lock. */
int ob_trace_open_left(const char *name);

/* roll.c */
/* May a process of this job that an MPI launcher has started still join? */
bool ob_trace_roll_expects(void);
/* This process has joined, and will write ob_trace.work. */
void ob_trace_roll_join(void);
/* It will not. */
void ob_trace_roll_leave(void);
/* A file of this user in TMPDIR. */
void ob_trace_hidden_name(char *name, size_t room, uint64_t run, const char *kind);
/* Removes files of runs that were killed. */
void ob_trace_remove_others(void);

/* write.c */
/* Memory for the tables; nothing is allocated later. NULL when there is none. */
struct ob_trace_tables *ob_trace_tables_new(void);
/* Appends this process's chunks at the descriptor's position. OB_OK or OB_ESYSTEM with
 * errno. careful: nothing but system calls, in a handler. */
int ob_trace_write_chunks(int fd, int number, bool careful);
int ob_trace_put(int fd, const void *bytes, size_t count);

/* identity.c: of what an MPI launcher has started together. */
uint64_t ob_trace_launch_number(void);
/* The name of a node: of this machine, as processes have it. */
uint32_t ob_trace_node(const char *host);

/* report.c: prints the statistics in a file. Takes no lock and no memory but from the
 * system, for one who is in a handler. */
void ob_trace_report(const char *file, size_t bytes, ob_trace_put_text *put, void *context);

/* Walks over the chunks of a file in memory: the next one behind `at` (NULL: the first),
 * whole in memory; NULL at the end or at damage. */
const ob_trace_chunk *ob_trace_next_chunk(const char *file, size_t bytes, const ob_trace_chunk *at);

#endif
