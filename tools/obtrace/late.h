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

/* Is it a call of all members of a group that is known? Also one that made the group, where they
 * waited for each other. */
static inline bool obt_is_shared(const obt_call *c)
{
    return c->group >= 0 && (c->number >= 0 || c->number == OBT_MEETING);
}

/* Such calls; not the waits for those that were begun. The
 * parts of one stand together in either array. */
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

/* What a process did in one go, which cost `delay.cost`; routines and call sites before and after
 * it. */
typedef struct obt_stretch {
    obt_delay delay;
    int64_t place[4];
} obt_stretch;

/* What this process did in span k, within [begin, end). */
obt_delay obt_stretch_in(const obt_analysis *a, const obt_times *times, uint32_t process, size_t k,
                         int64_t begin, int64_t end);
void obt_note_place(const obt_analysis *a, const obt_delay *d, int64_t place[4]);
/* Stretches of one process that have one cause become one delay; how many there are, the costliest
 * first. Of what is done outside calls one cause is what follows one call, whichever comes next.
 * out: room for all. */
size_t obt_join_stretches(obt_stretch *rows, size_t count, obt_delay *out);

/* The rows of delays, when waits are judged. */
void obt_find_delays(obt_analysis *a, const obt_parts *parts, const obt_times *times);
/* How long the costliest of them take as a rule, and the other processes at the same places. */
void obt_find_typical(obt_analysis *a);

#endif
