/*
 * Broadcasts and combines of all processes, left on all, default topology: the
 * time of one call among many in a row, from a barrier to a barrier, slowest process,
 * the median of several rounds. A library that is slow here gets fewer rounds: there is
 * a limit to what one point may take.
 */
#include "work.h"

enum { ROUNDS = 5, MOST_CALLS = 20000 };
static const double ROUND_US = 5000, POINT_US = 150000;
static const struct size {
    const char *key;
    int n;
} sizes[] = {{"8", 1},        {"256", 32},    {"4K", 512},    {"64K", 8192},
             {"256K", 32768}, {"1M", 131072}, {"4M", 524288}, {"16M", 2097152}};

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

static void ask_repeatable(int on)
{
    enum { REPEATABLE = 15 };
    Cblacs_set(grid, REPEATABLE, &on);
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

static int calls_in(double us, double each)
{
    return each > us ? 1 : each < us / MOST_CALLS ? MOST_CALLS : (int)(us / each);
}

/* All processes know the same times and therefore stop together. */
static void measure(const char *name, operation *f, const struct size *s, double *a, double *b,
                    int *where)
{
    double round[ROUNDS], spent = 0;
    int done = 0, times = 2;
    /* Twice: the first calls are slow, and processes that have just started lie badly. */
    for (int i = 0; i < 2; i++)
        times = calls_in(ROUND_US, repeat(f, a, b, where, s->n, times));
    while (done < ROUNDS && (done == 0 || spent < POINT_US)) {
        round[done] = repeat(f, a, b, where, s->n, times);
        spent += round[done++] * times;
    }
    if (me == 0) {
        printf("%s/%d %s %.3f\n", name, processes, s->key, median(round, done));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    size_t kinds = sizeof sizes / sizeof *sizes, most = (size_t)sizes[kinds - 1].n;
    double *a = calloc(most, sizeof *a), *b = calloc(most, sizeof *b);
    int *where = calloc(2 * most, sizeof *where);
    if (a == NULL || b == NULL || where == NULL) {
        fprintf(stderr, "collect: no memory\n");
        return 1;
    }
    for (size_t i = 0; i < kinds; i++) {
        measure("broadcast", broadcast, &sizes[i], a, b, where);
        measure("sum", sum, &sizes[i], a, b, where);
#ifndef PLAIN_MPI
        ask_repeatable(1);
        measure("sum-repeatable", sum, &sizes[i], a, b, where);
        ask_repeatable(0);
        measure("amx", largest, &sizes[i], a, b, where);
#endif
    }
    free(a);
    free(b);
    free(where);
    end();
    return 0;
}
