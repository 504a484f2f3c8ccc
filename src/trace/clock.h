/*
 * The clock of the recorder: processor ticks where the machine has a counter that runs
 * evenly and alike on all processors (hooks/processor.h), nanoseconds of the system's clock
 * elsewhere. Ticks become nanoseconds when a trace is written.
 */
#ifndef OB_TRACE_CLOCK_H
#define OB_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "hooks/processor.h"

#ifdef OPENBLACS_SIMGRID
double simgrid_get_clock(void); /* of simgrid/engine.h; goes on while MPI is finalized */
#endif

/* Does the counter stand for time here? Set by ob_clock_start. */
extern bool ob_clock_counter;

static inline int64_t ob_clock_system(void)
{
#ifdef OPENBLACS_SIMGRID
    return (int64_t)(simgrid_get_clock() * 1e9);
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

/* At the begin and at the end of an operation, as ob_counter_begin and ob_counter_end are. */
static inline int64_t ob_clock_begin(void)
{
#ifdef OB_COUNTER
    if (__builtin_expect(ob_clock_counter, 1))
        return ob_counter_begin();
#endif
    return ob_clock_system();
}

static inline int64_t ob_clock_end(void)
{
#ifdef OB_COUNTER
    if (__builtin_expect(ob_clock_counter, 1))
        return ob_counter_end();
#endif
    return ob_clock_system();
}

/* Two readings of both clocks; between and around them ticks are a straight line. */
typedef struct ob_clock_scale {
    int64_t ticks, ns; /* at the first reading */
    double rate;       /* nanoseconds of a tick */
} ob_clock_scale;

/* Looks which clock to use, and makes the first reading. */
void ob_clock_start(ob_clock_scale *line);
/* Makes the second one; a short line keeps the rate it had. */
void ob_clock_stop(ob_clock_scale *line);

static inline int64_t ob_clock_ns(const ob_clock_scale *line, int64_t ticks)
{
    return line->ns + (int64_t)((double)(ticks - line->ticks) * line->rate);
}
/* A length of time. */
static inline uint64_t ob_clock_span(const ob_clock_scale *line, uint64_t ticks)
{
    return (uint64_t)((double)ticks * line->rate);
}

#endif
