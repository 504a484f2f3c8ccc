/*
 * What the comparison programs share: a clock, medians, and a face over the
 * BLACS or over plain MPI calls (-DPLAIN_MPI), so that both do the same work.
 * A program prints lines "work key microseconds"; bench/compare gathers them.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

#ifdef PLAIN_MPI
#include <mpi.h>
#else
#include <openblacs/blacs.h>
static int grid;
#endif

static int me, processes;

/* All processes in one column, so that a scope of all is the whole job. */
static inline void begin(int *argc, char ***argv)
{
#ifdef PLAIN_MPI
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
#else
    (void)argc, (void)argv;
    Cblacs_pinfo(&me, &processes);
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "Row", processes, 1);
#endif
}

static inline void barrier(void)
{
#ifdef PLAIN_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#else
    Cblacs_barrier(grid, "All");
#endif
}

static inline void end(void)
{
#ifdef PLAIN_MPI
    MPI_Finalize();
#else
    Cblacs_gridexit(grid);
    Cblacs_exit(0);
#endif
}

/* A call that all processes make with n doubles. */
typedef void operation(double *a, double *b, int n);

/* The slowest process's time. */
static inline double slowest(double t)
{
#ifdef PLAIN_MPI
    double most;
    MPI_Allreduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
#else
    Cdgamx2d(grid, "All", " ", 1, 1, &t, 1, NULL, NULL, -1, -1, -1);
    return t;
#endif
}

/* The time of one call among many in a row, from a barrier to a barrier, slowest process. */
static inline double repeat_call(operation *f, double *a, double *b, int n, int times)
{
    barrier();
    double start = now_us();
    for (int i = 0; i < times; i++)
        f(a, b, n);
    barrier();
    return slowest(now_us() - start) / times;
}

/* The calls that take so many microseconds. */
static inline int calls_in(double us, double each)
{
    enum { MOST_CALLS = 20000 };
    return each > us ? 1 : each < us / MOST_CALLS ? MOST_CALLS : (int)(us / each);
}

/* Prints the median of several rounds of round_us each; what is slow gets fewer, for all take at
 * most point_us. All processes know the same times and therefore stop together. */
static inline void measure_call(const char *name, const char *key, operation *f, double *a,
                                double *b, int n, double round_us, double point_us)
{
    enum { ROUNDS = 5 };
    double round[ROUNDS], spent = 0;
    int done = 0, times = 2;
    /* Twice: the first calls are slow, and processes that have just started lie badly. */
    for (int i = 0; i < 2; i++)
        times = calls_in(round_us, repeat_call(f, a, b, n, times));
    while (done < ROUNDS && (done == 0 || spent < point_us)) {
        round[done] = repeat_call(f, a, b, n, times);
        spent += round[done++] * times;
    }
    if (me == 0) {
        printf("%s/%d %s %.3f\n", name, processes, key, median(round, done));
        fflush(stdout);
    }
}

#endif
