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

/* The latest of all clocks, on all; along a binomial tree there and back. Not a collective
 * call: those of SMPI's imitations prepare themselves when first used, with messages as many as
 * processes squared. */
static inline double clock_latest(void)
{
    double latest = MPI_Wtime(), theirs;
    int me, size, bit = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (; bit < size && !(me & bit); bit *= 2)
        if (me + bit < size) {
            MPI_Recv(&theirs, 1, MPI_DOUBLE, me + bit, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            latest = theirs > latest ? theirs : latest;
        }
    if (me) {
        MPI_Send(&latest, 1, MPI_DOUBLE, me - bit, 9, MPI_COMM_WORLD);
        MPI_Recv(&latest, 1, MPI_DOUBLE, me - bit, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (me + bit < size)
            MPI_Send(&latest, 1, MPI_DOUBLE, me + bit, 9, MPI_COMM_WORLD);
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
