/*
 * Simulated time for the programs of bench/sim, and what their processes share: they are actors of
 * one real process. All begin what is measured at one instant, and the time is that of the last one
 * done. The processes meet at a barrier of the simulator, which takes no simulated time and sends
 * no messages: so nothing of the measuring is in a figure.
 */
#ifndef OB_BENCH_SIM_CLOCK_H
#define OB_BENCH_SIM_CLOCK_H

#include <mpi.h>
#include <simgrid/barrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct shared {
    sg_bar_t all; /* all processes meet here */
    int wrong;    /* results found to be wrong */
    double most;  /* of the processes' values */
    void *memory[4];
} shared;

/* Each process has its own copy of the program's variables, but the C library's are there
 * once: the address is kept in the environment. */
static inline shared *shared_by_all(void)
{
    static shared *mine;
    static const char key[] = "OB_BENCH_SHARED";
    void *found = NULL;
    int size;
    if (mine)
        return mine;
    if (getenv(key) == NULL) {
        char text[32];
        shared *s = calloc(1, sizeof *s);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        s->all = sg_barrier_init((unsigned)size);
        snprintf(text, sizeof text, "%p", (void *)s);
        setenv(key, text, 0); /* another process may have run meanwhile: the first wins */
    }
    sscanf(getenv(key), "%p", &found);
    return mine = found;
}

static inline void meet_all(void)
{
    sg_barrier_wait(shared_by_all()->all);
}

/* Returns at an instant, the same for all, at which nothing is under way. */
static inline double clock_start(void)
{
    struct timespec rest = {4, 0};
    meet_all();
    nanosleep(&rest, NULL);
    meet_all();
    return MPI_Wtime();
}

/* Microseconds from the instant until the last process came here. */
static inline double clock_stop(double start)
{
    meet_all();
    return (MPI_Wtime() - start) * 1e6;
}

#endif
