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

/* An m x n matrix of doubles with leading dimension ld. */
static inline void send_to(int dest, const double *a, int m, int n, int ld)
{
#ifdef PLAIN_MPI
    if (m == ld) {
        MPI_Send(a, m * n, MPI_DOUBLE, dest, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Datatype part;
    MPI_Type_vector(n, m, ld, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    MPI_Send(a, 1, part, dest, 0, MPI_COMM_WORLD);
    MPI_Type_free(&part);
#else
    Cdgesd2d(grid, m, n, a, ld, dest, 0);
#endif
}

static inline void receive_from(int source, double *a, int m, int n, int ld)
{
#ifdef PLAIN_MPI
    if (m == ld) {
        MPI_Recv(a, m * n, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Datatype part;
    MPI_Type_vector(n, m, ld, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    MPI_Recv(a, 1, part, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&part);
#else
    Cdgerv2d(grid, m, n, a, ld, source, 0);
#endif
}

#endif
