/*
 * Broadcasts and combines of all processes, left on all, default topology:
 * the time from a barrier until the last process is done, the median of
 * several rounds.
 */
#include "work.h"

enum { ROUNDS = 9 };
static const double ROUND_US = 8000;
static const struct size {
    const char *key;
    int n;
} sizes[] = {{"8", 1}, {"4K", 512}, {"64K", 8192}, {"1M", 131072}, {"4M", 524288}};

typedef void operation(double *a, double *b, int *where, int n);

static void broadcast(double *a, double *b, int *where, int n)
{
    (void)b, (void)where;
#ifdef PLAIN_MPI
    MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#else
    if (me == 0)
        Cdgebs2d(grid, "All", " ", n, 1, a, n);
    else
        Cdgebr2d(grid, "All", " ", n, 1, a, n, 0, 0);
#endif
}

static void sum(double *a, double *b, int *where, int n)
{
    (void)where;
#ifdef PLAIN_MPI
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
    (void)b;
    Cdgsum2d(grid, "All", " ", n, 1, a, n, -1, -1);
#endif
}

#ifndef PLAIN_MPI
static void largest(double *a, double *b, int *where, int n)
{
    (void)b;
    Cdgamx2d(grid, "All", " ", n, 1, a, n, where, where + n, n, -1, -1);
}
#endif

/* The slowest process's time. */
static double slowest(double t)
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

static double repeat(operation *f, double *a, double *b, int *where, int n, int times)
{
    barrier();
    double start = now_us();
    for (int i = 0; i < times; i++)
        f(a, b, where, n);
    barrier();
    return slowest(now_us() - start) / times;
}

static void measure(const char *name, operation *f, const struct size *s, double *a, double *b,
                    int *where)
{
    double round[ROUNDS], first = repeat(f, a, b, where, s->n, 2);
    int times = first > ROUND_US ? 1 : first < 1 ? 8000 : (int)(ROUND_US / first);
    for (int i = 0; i < ROUNDS; i++)
        round[i] = repeat(f, a, b, where, s->n, times);
    if (me == 0) {
        printf("%s/%d %s %.3f\n", name, processes, s->key, median(round, ROUNDS));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    size_t most = 524288;
    double *a = calloc(most, sizeof *a), *b = calloc(most, sizeof *b);
    int *where = calloc(2 * most, sizeof *where);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        measure("broadcast", broadcast, &sizes[i], a, b, where);
        measure("sum", sum, &sizes[i], a, b, where);
#ifndef PLAIN_MPI
        measure("amx", largest, &sizes[i], a, b, where);
#endif
    }
    free(a);
    free(b);
    free(where);
    end();
    return 0;
}
