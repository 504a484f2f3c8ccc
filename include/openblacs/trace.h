/*
 * OpenBLACS traces: what every process did and when. This header defines the file
 * that OPENBLACS_TRACE=file writes; docs/trace-format.md explains it.
 *
 * A file is one ob_trace_header and then chunks, each an ob_trace_chunk and its
 * payload. A chunk belongs to one process and comes from its last moments; the chunks of one
 * process stand together, but processes come in any order. Numbers are in the byte order
 * of the machine that wrote them. Everything is aligned to 8 bytes within the file.
 *
 * OB_TRACE_VERSION names the layout of all of it: a file of another layout has another number. New
 * kinds of chunks and of events may come with the same one.
 *
 * Times are nanoseconds (int64) of CLOCK_MONOTONIC_RAW of the process's node. The chunks
 * OB_TRACE_SYNC say how the clocks of nodes differ; obtrace puts all times on one clock when it
 * reads the file. In version 1, which has the same layout, the library had done that where
 * OB_TRACE_FINISHED is set.
 */
#ifndef OPENBLACS_TRACE_H
#define OPENBLACS_TRACE_H

#include <stdint.h>

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ in a program's own code */

/* What the program writes of itself into the trace; nothing while nothing is recorded. All may
 * be called by any thread. The text is copied. */
OB_API void ob_trace_mark(int number);
OB_API void ob_trace_text(const char *text);
/* What this thread has done since its last call of this was a part of the program's work with this
 * name; NULL: it has none, as what came before the first call. The name is kept by address, so it
 * must stay: a literal. */
OB_API void ob_trace_did(const char *name);
/* Sets how much is recorded (OPENBLACS_TRACE_LEVEL: 0 marks and texts, 1 operations as
 * the program calls them, 2 also their inner messages and waits, 3 also probes) and returns
 * what it was; other numbers change nothing. */
OB_API int ob_trace_level(int level);

/* -------------------------------------------------------------------- the file */

#define OB_TRACE_MAGIC "OBTRACE"         /* 8 bytes with its NUL */
#define OB_TRACE_CHUNK_MAGIC 0x4b43424fu /* "OBCK" on a little-endian machine */
#define OB_TRACE_ORDER 0x01020304u
#define OB_TRACE_VERSION 2u

/* ob_trace_header.flags */
#define OB_TRACE_FINISHED 1u   /* all that joined have written, or are no more */
#define OB_TRACE_STATISTICS 2u /* statistics alone: the file goes when they are printed */
#define OB_TRACE_REPORTED 4u   /* the statistics have been printed */

typedef struct ob_trace_header {
    char magic[8];
    uint32_t order;     /* OB_TRACE_ORDER as the writer's machine stores it */
    uint32_t version;   /* OB_TRACE_VERSION; others are refused */
    uint64_t run;       /* a number that the processes of one run have in common */
    uint32_t processes; /* in the job */
    uint32_t joined;    /* OB_TRACE_JOINED chunks in the file */
    uint32_t written;   /* OB_TRACE_PROCESS chunks in the file */
    uint32_t flags;
    uint32_t event_bytes; /* of one ob_trace_event: 80 */
    uint32_t unused[5];
} ob_trace_header; /* 64 bytes */

/* ob_trace_chunk.kind. A reader skips kinds it does not know. */
enum {
    OB_TRACE_JOINED = 1,  /* one ob_trace_process; at the start: this process will write */
    OB_TRACE_PROCESS = 2, /* one ob_trace_process; begins the chunks of a process */
    OB_TRACE_NAMES = 3,   /* count texts, each ended by NUL; numbered from 1; 0 is no text */
    OB_TRACE_SITES = 4,   /* count of ob_trace_site; numbered from 1; 0 is unknown */
    OB_TRACE_GROUPS = 5,  /* count times ob_trace_group_head and its members; numbered from 1 */
    OB_TRACE_EVENTS = 6,  /* count of ob_trace_event, by end time */
    OB_TRACE_STATS = 7,   /* count of ob_trace_row */
    OB_TRACE_SYNC = 8,    /* count of ob_trace_sync, the measurements behind the clock */
    OB_TRACE_PLACES = 9,  /* one ob_trace_places; behind OB_TRACE_PROCESS */
    OB_TRACE_ORIGINS = 10 /* count of ob_trace_origin: one for each site, which come before */
};

typedef struct ob_trace_chunk {
    uint32_t magic; /* OB_TRACE_CHUNK_MAGIC */
    uint32_t kind;
    int32_t process; /* job number */
    uint32_t count;  /* of entries */
    uint64_t bytes;  /* of the payload, a multiple of 8 (padded with zeros) */
    uint64_t unused;
} ob_trace_chunk; /* 32 bytes; the payload follows */

typedef struct ob_trace_process {
    int64_t started, ended; /* of recording */
    int64_t offset;         /* 0. Version 1: what was added to times, at `started`; */
    double drift;           /* by how much of it more in each nanosecond; */
    uint64_t offset_error;  /* bound on the error of the offset */
    uint64_t process_id;
    uint64_t born;    /* when the process began, in the system's clock ticks */
    uint64_t dropped; /* events for which the buffer had no room */
    uint64_t buffer_bytes;
    uint64_t cpu;     /* processor time used from `started` to `ended` */
    uint32_t level;   /* OPENBLACS_TRACE_LEVEL */
    uint32_t launch;  /* ob_launch_kind */
    uint32_t signal;  /* that ended the process, or 0 */
    uint32_t node;    /* hash of `host` and the machine's boot: equal on one node */
    char host[64];    /* ended by NUL */
    char program[64]; /* ended by NUL, its end when it is longer */
} ob_trace_process;   /* 224 bytes */

/* The processors that the process may run on. Two processes of a node share those that both have.
 */
typedef struct ob_trace_places {
    uint32_t quota; /* as many processors' time its control groups give it; 0: no limit */
    uint32_t unused;
    uint64_t allowed[16]; /* processor i: bit i % 64 of allowed[i / 64]; all 0: not known */
} ob_trace_places;        /* 136 bytes */

/* Where a routine was called. Functions have the names that Fortran's programmers give them:
 * "PDGETRF" for pdgetrf_, "module::routine" for __module_MOD_routine. */
typedef struct ob_trace_site {
    uint64_t address;
    uint64_t offset;   /* from the function's begin; from the object's where there is none */
    uint32_t object;   /* name of the file */
    uint32_t function; /* name of the function, or 0 */
} ob_trace_site;       /* 24 bytes */

/* Whom the site of the same number worked for: the innermost routine around it that is no helper
 * within the PBLAS or another library, as PDTRSM, and who called that. All 0: not known, or
 * nobody but the system called the site's own function. */
typedef struct ob_trace_origin {
    uint64_t address; /* where the caller called the routine */
    uint64_t offset;  /* from the caller's begin; from its object's where it has no name */
    uint32_t routine; /* name */
    uint32_t caller;  /* name, or 0 */
    uint32_t object;  /* name of the caller's file; 0: there is no caller */
    uint32_t direct;  /* 1: the routine is the site's function */
} ob_trace_origin;    /* 32 bytes */

typedef struct ob_trace_group_head {
    uint64_t context; /* the same for all members, and for parts of a group */
    uint32_t stream;  /* 0: the group itself; else the part: BLACS 1 row, 2 column, 3 all */
    int32_t size;
    int32_t me; /* position of the process that wrote this; -1: it has none there */
    int32_t unused;
    /* int32_t member[size]: job numbers by position; padded to 8 bytes */
} ob_trace_group_head; /* 24 bytes */

/* ob_trace_event.kind */
enum {
    OB_TRACE_SEND = 1,
    OB_TRACE_RECV,      /* a message that was received */
    OB_TRACE_POST,      /* ob_irecv: a receive was posted */
    OB_TRACE_PROBE,     /* ob_probe, ob_iprobe; tag, peer asked for; value: 1 found, 0 not */
    OB_TRACE_BROADCAST, /* collective: peer is the root's job number, -1 for all */
    OB_TRACE_COMBINE,
    OB_TRACE_SCATTER,
    OB_TRACE_GATHER,
    OB_TRACE_COLLECT,
    OB_TRACE_DISTRIBUTE, /* distributed combine */
    OB_TRACE_BARRIER,
    OB_TRACE_GROUP,    /* a group was made */
    OB_TRACE_WAIT,     /* all blocked: INSIDE a collective for peer, whose data or arrival it
                          needs; else for the end of a synchronous send, or with a tag of -16 or
                          less of the collective that was begun with this tag */
    OB_TRACE_EXCHANGE, /* collective: a superstep's end, or an all-to-all; bytes: sent to others */
    OB_TRACE_PASSED,   /* a call that went on to another library, MPI; what it did is not known,
                          and all of it counts as blocked */
    /* What PICL's records hold and the above do not. */
    OB_TRACE_MARK = 32,   /* tag: the program's number */
    OB_TRACE_TEXT,        /* value: number of the text */
    OB_TRACE_LEVEL,       /* value: event * 10000 + compstats * 100 + commstats */
    OB_TRACE_START,       /* tracing starts; value as LEVEL */
    OB_TRACE_STOP,        /* the buffer is full */
    OB_TRACE_FLUSH,       /* begin to end: the buffer was written */
    OB_TRACE_EXIT,        /* tracing ends; value: bytes of trace */
    OB_TRACE_OPEN,        /* value: processes allocated, 0 where the record has none */
    OB_TRACE_LOAD,        /* peer: the process a program was loaded on, -1 all */
    OB_TRACE_MESSAGE,     /* message0 */
    OB_TRACE_SYNCHRONIZE, /* sync0; begin alone counts */
    OB_TRACE_CLOSE,
    OB_TRACE_BLOCK_BEGIN, /* tag: block type; ordinal: location type; peer: parameter type */
    OB_TRACE_BLOCK_END,
    OB_TRACE_COMPSTATS, /* blocked: idle, packing: busy, both since the start */
    OB_TRACE_COMMSTATS, /* sums: ordinal, bytes: received messages, bytes; group, value: sent;
                           blocked: probes */
    /* Two readings of the processor time, at begin and end; most of what lies between is the
     * program's own work, or a long operation. value: the processor time of all threads of the
     * process between them, in nanoseconds. How often this thread lost its processor meanwhile:
     * ordinal: because it slept or waited for something; bytes: because another had it. tag 1: for
     * how long it could run and had none is known: blocked, in nanoseconds. */
    OB_TRACE_RUNNING,
    /* What the program did from begin to end, as it says (ob_trace_did); no operation. The routine
     * is that name: "update" of the LU. */
    OB_TRACE_PART,
    /* What a routine (bsp_put, bsp_get, bsp_send and the like) asked the superstep for that ends
     * next in this group; no operation. peer: from or to whom; value: how many calls at this site,
     * bytes: of all of them; from the first one (begin) on. */
    OB_TRACE_ASKED
};

/* ob_trace_event.flags */
enum {
    OB_TRACE_INSIDE = 1,  /* a part of the operation whose event follows in this thread */
    OB_TRACE_FIRST = 2,   /* the first event of this call of its routine: counts calls */
    OB_TRACE_REQUEST = 4, /* without waiting (ob_isend; a collective that is begun), or the end
                             of a posted receive, or of what was begun */
    OB_TRACE_FAILED = 8,  /* ended with an error */
    OB_TRACE_BYSELF = 16, /* the group has one member, or the peer is oneself */
    OB_TRACE_MOVED = 32   /* version 1: times were moved so that no message arrives too early */
};

typedef struct ob_trace_event {
    int64_t begin, end;
    uint64_t blocked; /* nanoseconds of it waiting for others */
    uint64_t packing; /* nanoseconds of it moving (collectives: and combining) data */
    uint64_t bytes;   /* of the message; of the caller's matrix in a collective */
    uint64_t value;   /* by kind; of RECV, the time at which it met its message */
    int32_t peer;     /* job number of the other end or root; OB_ANY: none, or all */
    int32_t tag;
    uint32_t group;   /* number of the group; 0 none */
    uint32_t ordinal; /* SEND, RECV: which one, from 1, of those with this group (context and
                         stream), source, destination and tag: both ends have the same
                         number. Collectives: which one of the group. 0: not known */
    uint32_t routine; /* number of the name: "dgesd2d", or "ob_send" */
    uint32_t site;    /* number of the site */
    uint16_t thread;  /* from 0 in the order in which they came */
    uint8_t kind;
    uint8_t flags;
    char topology; /* as the BLACS' TOP: ' ' chosen by the library, 'I', 'D', ...; or 0 */
    uint8_t type;  /* ob_type */
    char scope;    /* of BLACS: 'R', 'C', 'A'; or 0 */
    uint8_t unused;
} ob_trace_event; /* 80 bytes */

/* What OPENBLACS_STATS adds up for each routine and call site. */
typedef struct ob_trace_row {
    uint32_t routine, site;
    uint64_t calls, messages;                 /* operations that moved bytes */
    uint64_t bytes, least, most;              /* sum, shortest, longest of these */
    uint64_t time, blocked, packing, longest; /* nanoseconds; longest: of one event */
} ob_trace_row;                               /* 80 bytes */

/* One reading of another node's clock: at local time `at` (CLOCK_MONOTONIC_RAW) the clock
 * of process `reference` showed at + offset, give or take error. */
typedef struct ob_trace_sync {
    int64_t at, offset;
    uint64_t error;
    int32_t reference;
    int32_t unused;
} ob_trace_sync; /* 32 bytes */

#ifdef __cplusplus
}
#endif
#endif
