/*
 * A trace in memory: events of processes, in PICL's vocabulary (picl-reference.txt,
 * section 6) with what the library's own trace files say beyond it. Readers add
 * events, in any order; writers and the analysis only look.
 */
#ifndef OBTRACE_TRACE_H
#define OBTRACE_TRACE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hooks/picl.h"

/* PICL's number of the host processor. */
#define OBT_HOST (-32768)

/* No time of a trace is later, or earlier with a minus: sums of some are numbers still. */
#define OBT_LATEST (INT64_MAX / 8)

/* Kinds of event. 1 to 21 are PICL's records; the rest only the library's own traces have. The
 * values of each are in obt_value. */
typedef enum obt_kind {
#define OBT_NUMBER(name, number, word, form) OBT_##name = number,
    OB_PICL_RECORDS(OBT_NUMBER)
#undef OBT_NUMBER
        OBT_WAIT_BEGIN = 22, /* waiting for a process, but not in a receive */
    OBT_WAIT_END = 23,
    OBT_RUNNING = 24, /* a reading of the processor time */
    OBT_PART = 25,    /* the program has done a part of its work */
    OBT_ASKED = 26,   /* a call asked for data to be moved when the next superstep ends */
    OBT_KINDS = 27
} obt_kind;

/* Type of messages that the library sends within collective calls that wait. */
#define OBT_TYPE_COLLECTIVE INT32_MAX

/* Where the values of an event stand behind its first. */
enum obt_value {
    OBT_PEER = 0,      /* send, recv, recv_waking: the other process, -1 all or any */
    OBT_TYPE = 1,      /* the same: message type, or OBT_TYPE_COLLECTIVE */
    OBT_BYTES = 2,     /* the same: length */
    OBT_ORDER = 3,     /* the same, if known: number of the message between the two, from 0 */
    OBT_CONTEXT = 4,   /* the same, if known: what tells groups apart */
    OBT_WAITED = 5,    /* recv_waking, if known: how long of it no message was there */
    OBT_SOUGHT = 0,    /* recv_blocking, probe: the type that is waited for */
    OBT_AWAITED = 1,   /* recv_blocking, if known: the process; the first of wait_begin */
    OBT_BLOCK = 0,     /* block_begin, block_end: block type, a routine of obt_routine */
    OBT_LOCATION = 1,  /* the same: location type */
    OBT_PARAMETER = 2, /* the same: parameter type; of a collective call the root, or -1 */
    OBT_GROUP = 3,     /* block_begin, if known: group, index into groups, -1 none */
    OBT_SCOPE = 4,     /* the same: 'A', 'R', 'C' or 0 */
    OBT_TOPOLOGY = 5,  /* the same: letter, OBT_SUPERSTEP, 0, or of OBT_COURSE_BEGINS and _ENDS */
    OBT_SIZE = 6,      /* the same: bytes that this process gives or takes */
    OBT_CALL = 7,      /* the same: how many calls this group has seen before, or -1 */
    OBT_LASTED = 1,    /* part, behind its name's block type: nanoseconds */
    OBT_WHOM = 2,      /* asked, behind block and location type: from or to which process, */
    OBT_AMOUNT = 3,    /* bytes, */
    OBT_TIMES = 4,     /* calls, */
    OBT_WITHIN = 5,    /* and the group */
    OBT_PASSED = 0,    /* running: nanoseconds since the reading before, */
    OBT_USED = 1,    /* nanoseconds of processor time meanwhile; more than the first with threads */
    OBT_SLEPT = 2,   /* how often it left its processor to wait for something, */
    OBT_TAKEN = 3,   /* and because another was to have it, */
    OBT_DELAYED = 4, /* if known: nanoseconds for which it could run and had none */
    OBT_PACKING = 3, /* block_end, if known: nanoseconds spent copying and combining */
    OBT_VALUES = 8
};

/* In place of OBT_CALL: the call made the group, and its members waited for each other. */
#define OBT_MEETING (-2)

/* In place of a topology: the call ends a superstep. */
#define OBT_SUPERSTEP '='
/* The same: the call begins a collective operation, but does not wait for its end; or it waits for
 * the end of one. tag: that of its messages, from OBT_COURSE_TAG downwards. */
#define OBT_COURSE_TAG (-16)
#define OBT_COURSE_BEGINS(tag) ((int64_t)(tag))
#define OBT_COURSE_ENDS(tag) ((int64_t)(tag)-UINT32_MAX)

/* A table from 64-bit keys to small numbers, for process numbers, block types and
 * the like: a hostile file may have as many different ones as it has lines. */
#define OBT_NONE SIZE_MAX

typedef struct obt_map {
    int64_t *keys;
    size_t *values; /* OBT_NONE: the slot is free */
    size_t slots, count;
} obt_map;

/* The value of the key, or OBT_NONE. */
size_t obt_map_find(const obt_map *m, int64_t key);
/* The value of the key, which is `fresh` from now on when it is not there yet. */
size_t obt_map_take(obt_map *m, int64_t key, size_t fresh);
void obt_map_free(obt_map *m);

typedef struct obt_event {
    int64_t time;     /* nanoseconds since tracing began */
    size_t first;     /* its values begin at values[first] */
    uint32_t process; /* index into processes */
    uint8_t kind;
    uint8_t count; /* of its values */
} obt_event;

typedef struct obt_process {
    int32_t id;           /* 0, 1, ...; OBT_HOST for PICL's host */
    bool recorded;        /* false: others name it, but it has no event itself */
    int64_t began, ended; /* of its recording, where the file says so; else both 0 */
    int64_t lost;         /* events that found no place in its buffer */
    int64_t
        processor; /* nanoseconds of processor time meanwhile, of all its threads; 0: not known */
    uint64_t born; /* when it began, in ticks of its machine's clock; 0: not known */
    const char *host;     /* machine it ran on, or NULL */
    uint32_t node;        /* equal for processes with one clock; 0: the common one */
    uint32_t machine;     /* equal for processes on one machine, where it is known; else 0 */
    uint32_t quota;       /* as many processors' time is given to it; 0: no limit, or not known */
    uint64_t allowed[16]; /* processors that it may run on: bits; all 0: not known */
    int64_t offset;       /* what was added to its times at its begin, */
    int64_t offset_error; /* and by how much that may be wrong; 0: its clock is the common one */
} obt_process;

/* Block types of sends and receives that stand in no block, as PICL's later format numbers them. */
enum { OBT_SENDING = -21, OBT_TAKING = -51 };

/* What a block type means. */
typedef struct obt_routine {
    int64_t block;
    const char *name;
    bool given; /* by the trace file, not made up here */
} obt_routine;

/* Processes that communicate: a grid, or a part of one. */
typedef struct obt_group {
    int64_t context;
    int part; /* 0 all of it, 1 a row of a grid, 2 a column, 3 the whole grid */
    size_t member_count;
    int32_t *members;  /* process numbers, by position */
    const char *label; /* "row 2", or NULL */
} obt_group;

/* A message: its two events, by index, and how long the receiver waited for it. */
typedef struct obt_match_ends {
    size_t sent, received;
    int64_t blocked;
} obt_match_ends;

typedef struct obt_trace {
    const char *path;
    const char *format; /* in words, for people */
    obt_event *events;
    size_t event_count, event_room;
    int64_t *values;
    size_t value_count, value_room;
    obt_process *processes;
    size_t process_count, process_room;
    obt_routine *routines;
    size_t routine_count, routine_room;
    obt_group *groups;
    size_t group_count, group_room;
    const char **sites; /* what location types mean, where the file says so */
    size_t site_count, site_room;
    char **texts; /* what trace_message values index; also the names above */
    size_t text_count, text_room;
    obt_match_ends *matches; /* of obt_match */
    size_t match_count, match_room, unreceived, unsent;
    bool matched;
    obt_map process_map, routine_map; /* from number, from block type */
    size_t untold;        /* collective calls that did not wait, of which no more is known */
    size_t problems;      /* lines or records that could not be read */
    size_t unaligned;     /* processes whose clocks could not be put on the common one */
    char unfinished[128]; /* what there is to say of a run that did not come to its end, or "" */
    const char *program;  /* what ran, or NULL */
} obt_trace;

/* Ends the program with one line "obtrace: ..." and status 1. Formats begin with a code. */
void obt_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The line alone. */
void obt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory, or the end. Sizes are count * each, checked for overflow. */
void *obt_memory(size_t count, size_t each);
/* Makes room for one more element behind *count; returns the array. */
void *obt_grow(void *array, size_t count, size_t *room, size_t each);

/* Lengths and times of a hostile trace may add up to more than there is; then the most there is. */
static inline void obt_sum(int64_t *sum, int64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = INT64_MAX;
}

/* For what sorts by several keys: c = c ? c : obt_compare(...). */
static inline int obt_compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

obt_trace *obt_trace_new(const char *path);
void obt_trace_free(obt_trace *t);

/* Index of the process with this number; it is made when it is new. */
uint32_t obt_process_index(obt_trace *t, int32_t id);
/* The same, but SIZE_MAX when there is none. */
size_t obt_find_process(const obt_trace *t, int64_t id);
/* Indices of all processes by their numbers; the caller frees them. */
uint32_t *obt_processes_in_order(const obt_trace *t);

/* Adds an event of process id; values are copied. */
void obt_add(obt_trace *t, int64_t time, int32_t id, obt_kind kind, const int64_t *values,
             size_t count);

/* Keeps a copy of a text, as valid UTF-8 without control characters, and returns
 * its index in texts. */
size_t obt_text(obt_trace *t, const char *text, size_t length);
/* The same, but returns the copy. */
const char *obt_keep(obt_trace *t, const char *text, size_t length);

/* The name of a block type: as given, or PICL's (table 4), or "block N". The
 * result lives as long as the trace. */
const char *obt_routine_name(obt_trace *t, int64_t block);
/* The name that is not given by a trace; good until the next call. */
const char *obt_routine_default(int64_t block);
void obt_name_routine(obt_trace *t, int64_t block, const char *name);

/* Value i of an event, or otherwise when it has no such value. */
static inline int64_t obt_get(const obt_trace *t, const obt_event *e, int i, int64_t otherwise)
{
    return i < e->count ? t->values[e->first + (size_t)i] : otherwise;
}

/* Tells the user about something in the file that could not be read (OB-8501); the first
 * twenty are printed, the rest counted. line 0: not about a line. */
void obt_problem(obt_trace *t, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Orders processes by number, and events by process, then time, keeping the file's order where
 * times are equal. */
void obt_sort(obt_trace *t);

/* When the last process came to the k-th sync0, and which it was. */
typedef struct obt_meeting {
    int64_t time;
    uint32_t last;
} obt_meeting;

/* Those of all k. Events are in the order of obt_sort then; the caller frees the array. */
obt_meeting *obt_find_meetings(const obt_trace *t);

/* Finds the two ends of messages (matches, unreceived, unsent), once. Events are in the order of
 * obt_sort then, and all processes that take part are known. */
void obt_match(obt_trace *t);

/* The name of a kind of event, as in PICL's verbose format. */
const char *obt_kind_name(int kind);

#endif
