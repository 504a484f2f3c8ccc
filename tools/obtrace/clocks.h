/*
 * One clock for all processes of a trace, and times that no message contradicts.
 */
#ifndef OBTRACE_CLOCKS_H
#define OBTRACE_CLOCKS_H

#include "openblacs/trace.h"
#include "trace.h"

/* One process's reading of another one's clock. */
typedef struct obt_reading {
    int32_t process;
    ob_trace_sync sync;
} obt_reading;

/* Puts the times of all processes on the clock of the lowest one's node. The process's node,
 * offset and offset_error, and the trace's unaligned are about this. */
void obt_align(obt_trace *t, const obt_reading *readings, size_t count);

/* Moves events so that no numbered message arrives before it was sent. */
void obt_order(obt_trace *t);

#endif
