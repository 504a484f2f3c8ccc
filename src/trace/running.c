/*
 * Readings of the processor time. Each takes two calls of the system, some half a microsecond. So
 * they are made so far apart that a program spends at most half a hundredth of its time on them,
 * whatever a call costs: with many threads, or under a tool that watches calls, more.
 */
#include <sys/resource.h>
#include <time.h>

#include "trace/internal.h"

/* One is made at least so many times its own length after the one before. */
enum { APART = 256 };

/* The shortest that there was lately counts: a process can lose its processor during one, too. */
static void pace(int64_t took)
{
    int64_t apart = atomic_load_explicit(&ob_trace.apart, memory_order_relaxed);
    took = took > 0 ? took * APART : APART;
    atomic_store_explicit(&ob_trace.apart, took < apart ? took : apart + apart / 16,
                          memory_order_relaxed);
}

void ob_trace_read(ob_trace_reading *now)
{
    struct timespec t = {0};
    struct rusage used = {.ru_nvcsw = 0};
    now->at = ob_clock_end();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
#ifdef RUSAGE_THREAD
    getrusage(RUSAGE_THREAD, &used);
#else
    getrusage(RUSAGE_SELF, &used);
#endif
    now->cpu = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    now->slept = (uint64_t)used.ru_nvcsw;
    now->taken = (uint64_t)used.ru_nivcsw;
    pace(ob_clock_end() - now->at);
}

#ifdef OPENBLACS_SIMGRID
/* The processor time of a simulated process is none of the machine that is simulated. */
void ob_trace_read_first(ob_trace_reading *now)
{
    (void)now;
}
#else
void ob_trace_read_first(ob_trace_reading *now)
{
    enum { TRIES = 8 };
    atomic_store(&ob_trace.apart, INT64_MAX / 2);
    for (int i = 0; i < TRIES; i++)
        ob_trace_read(now);
}
#endif
