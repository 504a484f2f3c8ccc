/*
 * Reading two clocks at one moment, as nearly as that can be done: of several tries
 * the one in which the least time passed counts.
 */
#include "trace/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool ob_clock_counter;

enum { TRIES = 64 };
static const int64_t LONG_ENOUGH_NS = 50 * 1000 * 1000;

/* "Invariant TSC" (AMD and Intel manuals, CPUID 8000_0007h). Linux itself trusts the
 * counter of such processors to be the same everywhere. */
static bool counter_is_even(void)
{
#if defined(__x86_64__) && !defined(OPENBLACS_SIMGRID) /* simulated time is the system clock's */
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
    return false;
#endif
}

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
    ob_clock_counter = counter_is_even();
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
