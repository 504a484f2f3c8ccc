/*
 * Broadcasts and combines of all processes, left on all, default topology: the
 * time of one call among many in a row, from a barrier to a barrier, slowest process,
 * the median of several rounds. A library that is slow here gets fewer rounds: there is
 * a limit to what one point may take.
 */
#include "work.h"

static const double ROUND_US = 5000, POINT_US = 150000;
enum { MOST = 2097152 };
static const struct size {
    const char *key;
    int n;
} sizes[] = {{"8", 1},        {"256", 32},    {"4K", 512},    {"64K", 8192},
             {"256K", 32768}, {"1M", 131072}, {"4M", 524288}, {"16M", MOST}};

static void broadcast(double *a, double *b, int n)
{
    (void)b;
#ifdef PLAIN_MPI
    MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#else
    if (me == 0)
        Cdgebs2d(grid, "All", " ", n, 1, a, n);
    else
        Cdgebr2d(grid, "All", " ", n, 1, a, n, 0, 0);
#endif
}

static void sum(double *a, double *b, int n)
{
#ifdef PLAIN_MPI
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
    (void)b;
    Cdgsum2d(grid, "All", " ", n, 1, a, n, -1, -1);
#endif
}

#ifndef PLAIN_MPI
static int where[2 * MOST]; /* of the largest */

static void largest(double *a, double *b, int n)
{
    (void)b;
    Cdgamx2d(grid, "All", " ", n, 1, a, n, where, where + n, n, -1, -1);
}

static void ask_repeatable(int on)
{
    enum { REPEATABLE = 15 };
    Cblacs_set(grid, REPEATABLE, &on);
}
#endif

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    double *a = calloc(MOST, sizeof *a), *b = calloc(MOST, sizeof *b);
    if (a == NULL || b == NULL) {
        fprintf(stderr, "collect: no memory\n");
        return 1;
    }
    for (const struct size *s = sizes; s < sizes + sizeof sizes / sizeof *sizes; s++) {
        measure_call("broadcast", s->key, broadcast, a, b, s->n, ROUND_US, POINT_US);
        measure_call("sum", s->key, sum, a, b, s->n, ROUND_US, POINT_US);
#ifndef PLAIN_MPI
        ask_repeatable(1);
        measure_call("sum-repeatable", s->key, sum, a, b, s->n, ROUND_US, POINT_US);
        ask_repeatable(0);
        measure_call("amx", s->key, largest, a, b, s->n, ROUND_US, POINT_US);
#endif
    }
    free(a);
    free(b);
    end();
    return 0;
}
