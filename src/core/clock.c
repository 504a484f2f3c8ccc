/*
 * The clocks of LAWN 73's DWALLTIME and DCPUTIME, which waiting goes by, too.
 */
#include <time.h>

#include "openblacs/core.h"

double ob_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double ob_cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
