/*
 * Broadcast, sum to all and sum to one, ours and the MPI library's own, side by side in one job:
 * blocks of calls in turn, the median of the blocks, the ratio. Roots rotate, so that no
 * process runs ahead of a broadcast it has not seen. For jobs on several nodes. With the name of an
 * operation that one alone, from 256 KiB on, or of so many bytes.
 */
#include <mpi.h>
#include <openblacs/core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

enum { BLOCKS = 15 };
static const double BLOCK_US = 20000;
static const size_t sizes[] = {8,        64,        512,     4 << 10, 16 << 10,
                               64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

static ob_group *all;
static int me, processes;
static void *a;

static void check(int status)
{
    if (status == OB_OK)
        return;
    fprintf(stderr, "%s\n", ob_error_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void our_broadcast(size_t n, int turn)
{
    ob_view v = ob_view_vector(a, n, OB_DOUBLE);
    check(ob_broadcast(all, turn % processes, &v, NULL));
}

static void their_broadcast(size_t n, int turn)
{
    MPI_Bcast(a, (int)n, MPI_DOUBLE, turn % processes, MPI_COMM_WORLD);
}

static void our_sum(size_t n, int turn)
{
    (void)turn;
    ob_view v = ob_view_vector(a, n, OB_DOUBLE);
    check(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
}

static void their_sum(size_t n, int turn)
{
    (void)turn;
    MPI_Allreduce(MPI_IN_PLACE, a, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void our_float_sum(size_t n, int turn)
{
    (void)turn;
    ob_view v = ob_view_vector(a, 2 * n, OB_FLOAT);
    check(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
}

static void their_float_sum(size_t n, int turn)
{
    (void)turn;
    MPI_Allreduce(MPI_IN_PLACE, a, 2 * (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void our_sum_to_one(size_t n, int turn)
{
    ob_view v = ob_view_vector(a, n, OB_DOUBLE);
    check(ob_combine(all, turn % processes, OB_SUM, &v, NULL, 0, NULL));
}

static void their_sum_to_one(size_t n, int turn)
{
    int root = turn % processes;
    MPI_Reduce(me == root ? MPI_IN_PLACE : a, me == root ? a : NULL, (int)n, MPI_DOUBLE, MPI_SUM,
               root, MPI_COMM_WORLD);
}

static void our_barrier(size_t n, int turn)
{
    (void)n, (void)turn;
    check(ob_barrier(all));
}

static void their_barrier(size_t n, int turn)
{
    (void)n, (void)turn;
    MPI_Barrier(MPI_COMM_WORLD);
}

typedef void operation(size_t n, int turn);

/* Microseconds of one call, of the slowest process. */
static double repeat(operation *f, size_t n, int times)
{
    double t, most;
    memset(a, 0, n * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime();
    for (int i = 0; i < times; i++)
        f(n, i);
    t = (MPI_Wtime() - t) * 1e6 / times;
    MPI_Allreduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void compare(const char *name, operation *ours, operation *theirs, size_t bytes)
{
    double t[2][BLOCKS];
    operation *f[2] = {ours, theirs};
    int times[2];
    for (int k = 0; k < 2; k++) {
        double first = repeat(f[k], bytes / 8, 2 * processes);
        times[k] = first > BLOCK_US ? 1 : (int)(BLOCK_US / first);
        times[k] = (times[k] / processes + 1) * processes;
    }
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; k < 2; k++)
            t[k][i] = repeat(f[k], bytes / 8, times[k]);
    for (int k = 0; k < 2; k++)
        qsort(t[k], BLOCKS, sizeof t[k][0], by_value);
    if (me == 0)
        printf("%-10s %8zu %12.1f %12.1f %8.2f\n", name, bytes, t[0][BLOCKS / 2], t[1][BLOCKS / 2],
               t[0][BLOCKS / 2] / t[1][BLOCKS / 2]);
    fflush(stdout);
}

typedef struct row {
    const char *name;
    operation *ours, *theirs;
} row;

static const row rows[] = {{"broadcast", our_broadcast, their_broadcast},
                           {"sum", our_sum, their_sum},
                           {"sum-float", our_float_sum, their_float_sum},
                           {"sum-to-one", our_sum_to_one, their_sum_to_one}};

static void compare_all(const char *only, size_t bytes)
{
    if (only == NULL)
        compare("barrier", our_barrier, their_barrier, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (only == NULL || (strcmp(only, rows[k].name) == 0 &&
                                 (bytes ? sizes[i] == bytes : sizes[i] >= 256 << 10)))
                compare(rows[k].name, rows[k].ours, rows[k].theirs, sizes[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    a = calloc(1, sizes[sizeof sizes / sizeof *sizes - 1]);
    if (a == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check(ob_group_world(&all));
    if (me == 0)
        printf("%-10s %8s %12s %12s %8s\n", "operation", "bytes", "ours us", "MPI us", "ratio");
    compare_all(argc > 1 ? argv[1] : NULL, argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
    ob_group_free(all);
    free(a);
    MPI_Finalize();
    return 0;
}
