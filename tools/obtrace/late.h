/*
 * Calls of several processes that are one operation, and moments at which two processes met.
 */
#ifndef OBTRACE_LATE_H
#define OBTRACE_LATE_H

#include "analysis.h"

/* A member's part in a collective call. */
typedef struct obt_part {
    int32_t group;
    uint32_t process, call;
    int64_t number, begin;
} obt_part;

/* Collective calls whose group and number are known. The parts of one stand together in either
 * array. */
typedef struct obt_parts {
    obt_part *by_process, *by_begin;
    size_t count;
} obt_parts;

void obt_find_parts(const obt_analysis *a, obt_parts *p);
void obt_free_parts(obt_parts *p);

/* The part of this process in the collective call that `c` is of; NULL: none is known. */
const obt_part *obt_part_of(const obt_parts *p, const obt_call *c, uint32_t process);
/* Who came last of those that came by this time, but for `process`; NULL: nobody. */
const obt_part *obt_last_part(const obt_parts *p, const obt_call *c, int64_t time,
                              uint32_t process);

/* What a process does, roughly. */
typedef enum obt_class {
    OBT_WORKS,
    OBT_STOPS, /* it had no processor, or slept */
    OBT_COMMUNICATES,
    OBT_WAITS,
    OBT_CLASSES
} obt_class;

/* Spans of all processes, to look up by time, and sums of what came before each. */
typedef struct obt_times {
    size_t *end; /* of the spans of a process, by process; first_span has their begin */
    int64_t (*before)[OBT_CLASSES];
} obt_times;

void obt_find_times(const obt_analysis *a, obt_times *t);
void obt_free_times(obt_times *t);

/* The span in which this moment of a process lies; SIZE_MAX: it was not recorded then. */
size_t obt_span_at(const obt_analysis *a, const obt_times *t, uint32_t process, int64_t time);
/* How long the process did what in [begin, end). */
void obt_between(const obt_analysis *a, const obt_times *t, uint32_t process, int64_t begin,
                 int64_t end, int64_t length[OBT_CLASSES]);
obt_class obt_class_of(int state);

/* The rows of delays, when waits are judged. */
void obt_find_delays(obt_analysis *a, const obt_parts *parts, const obt_times *times);

#endif
