/*
 * Reading two clocks at one moment, as nearly as that can be done: of several tries
 * the one in which the least time passed counts.
 */
#include "trace/clock.h"

bool ob_clock_counter;

enum { TRIES = 64 };
static const int64_t LONG_ENOUGH_NS = 50 * 1000 * 1000;

static void read_both(int64_t *ticks, int64_t *ns)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = ob_clock_end(), now = ob_clock_system(), after = ob_clock_end();
        if (after - before >= least)
            continue;
        least = after - before;
        *ticks = before + least / 2;
        *ns = now;
    }
}

void ob_clock_start(ob_clock_scale *line)
{
#if defined(OB_COUNTER) && !defined(OPENBLACS_SIMGRID) /* simulated time is the system clock's */
    ob_clock_counter = ob_counter_even();
#endif
    line->rate = 1;
    read_both(&line->ticks, &line->ns);
}

void ob_clock_stop(ob_clock_scale *line)
{
    int64_t ticks, ns;
    if (!ob_clock_counter)
        return;
    do
        read_both(&ticks, &ns);
    while (ns - line->ns < LONG_ENOUGH_NS / 50); /* a millisecond, for a rate at all */
    line->rate = (double)(ns - line->ns) / (double)(ticks - line->ticks);
}
