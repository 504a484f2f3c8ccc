/*
 * Simulated time for the programs of bench/sim: one clock for all processes, so a
 * measurement needs no barrier. All sleep until one instant, do what is measured,
 * and the time is that of the last one done.
 */
#ifndef OB_BENCH_SIM_CLOCK_H
#define OB_BENCH_SIM_CLOCK_H

#include <math.h>
#include <mpi.h>
#include <time.h>

static inline double clock_latest(void)
{
    double mine = MPI_Wtime(), latest;
    MPI_Allreduce(&mine, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return latest;
}

/* Returns at an instant, the same for all, at which nothing is under way. */
static inline double clock_start(void)
{
    double start = ceil(clock_latest() + 2);
    double rest = start - MPI_Wtime();
    struct timespec t = {(time_t)rest, (long)((rest - floor(rest)) * 1e9)};
    nanosleep(&t, NULL);
    return start;
}

/* Microseconds from the instant until the last process came here. */
static inline double clock_stop(double start)
{
    return (clock_latest() - start) * 1e6;
}

#endif
