/*
 * What the report of OPENBLACS_STATS is made of, and its forms: tables, a line, an object of JSON.
 * All of it takes no lock and no memory but from the system, for one who is in a handler.
 */
#ifndef OB_TRACE_REPORT_H
#define OB_TRACE_REPORT_H

#include "trace/internal.h"

/* One routine, or one routine at one call site, over all processes. The function is that of the
 * program or of a library that the routine worked for, the offset where it is called itself, or 0;
 * caller and from are who called that function; "": not known. */
typedef struct ob_report_line {
    const char *routine, *function, *object, *caller, *from;
    uint64_t offset, caller_offset;
    ob_trace_row sum;
    uint64_t most_time; /* of one process */
    int processes;
    const void *of; /* the process that was added last, as its rows; and its time */
    uint64_t of_time;
} ob_report_line;

typedef struct ob_report_lines {
    ob_report_line *at;
    size_t count, room;
} ob_report_lines;

/* What one program left. */
typedef struct ob_report_process {
    const ob_trace_process *process;
    int number;
    ob_trace_row total;
} ob_report_process;

typedef struct ob_report {
    const ob_trace_header *head;
    const ob_trace_process *first;   /* NULL: there is none */
    ob_report_process *process;      /* by number; NULL: there was no memory */
    size_t count, room;              /* of processes */
    ob_report_lines sites, routines; /* by time */
    ob_trace_row total;              /* of all processes */
    uint64_t wall, longest;          /* sum and longest of the processes' times, ns */
} ob_report;

/* Lines on their way out: what ob_report_print adds stays in the buffer until it is full, and goes
 * out in whole lines. A line longer than the buffer is cut off. Without a buffer the bytes are
 * counted. */
typedef struct ob_report_out {
    ob_trace_put_text *put;
    void *context;
    char *text;
    size_t room, used;
} ob_report_out;

/* report_print.c */
void ob_report_print(ob_report_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ob_report_flush(ob_report_out *out);

/* report_text.c */
void ob_report_text(const ob_report *r, ob_report_out *out);
/* report_short.c: one line for job logs; one object in one line, for programs. */
void ob_report_short(const ob_report *r, ob_report_out *out);
void ob_report_json(const ob_report *r, ob_report_out *out);

#endif
