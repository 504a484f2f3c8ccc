/*
 * A program that runs on the core, or (PLAIN_MPI) on MPI alone: begin, end, and what both can do.
 */
#ifndef BENCH_FACE_H
#define BENCH_FACE_H

#include <stdio.h>
#include <stdlib.h>

static int me, processes;

#ifdef PLAIN_MPI
#include <mpi.h>

static inline void open_face(int *count, char ***words)
{
    MPI_Init(count, words);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
}

static inline void close_face(void)
{
    MPI_Finalize();
}

static inline void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline double slowest(double t)
{
    double most;
    MPI_Allreduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}
#else
#include <openblacs/core.h>
static ob_group *all;

static inline void must(int status)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "bench: %s\n", ob_error_text());
    exit(1);
}

static inline void open_face(int *count, char ***words)
{
    (void)count, (void)words;
    must(ob_group_world(&all));
    me = ob_group_me(all);
    processes = ob_group_size(all);
}

static inline void close_face(void)
{
    ob_job *job = ob_group_job(all);
    ob_group_free(all);
    must(ob_job_stop(job, 1));
}

static inline void barrier(void)
{
    must(ob_barrier(all));
}

static inline double slowest(double t)
{
    ob_view v = ob_view_vector(&t, 1, OB_DOUBLE);
    must(ob_combine(all, OB_ANY, OB_MAX, &v, NULL, 0, NULL));
    return t;
}
#endif

#endif
