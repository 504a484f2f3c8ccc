/*
 * A vector of n numbers from process 0 to all: in one superstep, (p - 1) n g + l, and in two
 * phases, 2 n g + 2 l. Prints what both take here.
 *
 *   obrun -n 4 ./two_phase [n]
 */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 50 };

static void directly(double *x, long n)
{
    for (int t = 1; bsp_pid() == 0 && t < bsp_nprocs(); t++)
        bsp_put(t, x, x, 0, (size_t)n * sizeof *x);
    bsp_sync();
}

/* Process t's part is [t n / p, (t + 1) n / p). */
static void put_part(int to, double *x, long n, int part)
{
    long p = bsp_nprocs(), first = part * n / p, end = (part + 1) * n / p;
    bsp_put(to, x + first, x, (size_t)first * sizeof *x, (size_t)(end - first) * sizeof *x);
}

static void in_two_phases(double *x, long n)
{
    int p = bsp_nprocs(), s = bsp_pid();
    for (int t = 1; s == 0 && t < p; t++)
        put_part(t, x, n, t);
    bsp_sync();
    for (int t = 0; t < p; t++)
        if (t != s)
            put_part(t, x, n, s);
    bsp_sync();
}

/* Microseconds of one broadcast; counts elements that did not arrive. */
static double measure(void (*broadcast)(double *, long), double *x, long n, long *wrong)
{
    double start = 0;
    for (int k = -1; k < TIMES; k++) {
        for (long i = 0; i < n; i++)
            x[i] = bsp_pid() == 0 ? i + k : -2;
        bsp_sync();
        if (k == 0)
            start = bsp_time();
        broadcast(x, n);
        for (long i = 0; i < n; i++)
            *wrong += x[i] != i + k;
    }
    return 1e6 * (bsp_time() - start) / TIMES;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 20000, wrong = 0;
    bsp_begin(bsp_nprocs());
    double *x = malloc((size_t)n * sizeof *x);
    if (x == NULL)
        bsp_abort("no memory for %ld numbers\n", n);
    bsp_push_reg(x, (size_t)n * sizeof *x);
    bsp_sync();
    double one = measure(directly, x, n, &wrong), two = measure(in_two_phases, x, n, &wrong);
    if (bsp_pid() == 0)
        printf("%ld numbers to %d processes: %.1f us in one superstep, %.1f us in two phases "
               "(with filling and checking)\n",
               n, bsp_nprocs(), one, two);
    bsp_pop_reg(x);
    bsp_end();
    free(x);
    if (wrong)
        printf("%ld elements are wrong\n", wrong);
    return wrong != 0;
}
