/*
 * A sum to all beside computing: on the core, and (-DPLAIN_MPI) by MPI_Iallreduce. The sum alone,
 * computing alone (products of small matrices, as a DGEMM's kernel), and both at once: begin the
 * sum, compute, wait. Computing takes 1, 4 and 16 times as long as the sum. And the call that waits
 * (MPI_Allreduce). Prints "work key microseconds", medians of the slowest process, and both over
 * the longer one.
 *
 *   bench_overlap [bytes [rounds]]
 */
#include <stdio.h>
#include <string.h>

#include "face.h"
#include "median.h"

enum { SIDE = 64, MOST_ROUNDS = 99 };
static double a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];

/* ------------------------------------------------------------- the two faces */

#ifdef PLAIN_MPI
typedef MPI_Request request;

static void begin_sum(double *x, size_t n, request *r)
{
    MPI_Iallreduce(MPI_IN_PLACE, x, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, r);
}

static void end_sum(request *r)
{
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void whole_sum(double *x, size_t n)
{
    MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
#else
typedef ob_request *request;

static void begin_sum(double *x, size_t n, request *r)
{
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    must(ob_icombine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL, r));
}

static void end_sum(request *r)
{
    must(ob_wait(r, NULL));
}

static void whole_sum(double *x, size_t n)
{
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    must(ob_combine(all, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
}
#endif

/* ------------------------------------------------------------- what is measured */

/* c += a b, so many times. */
static void compute(long times)
{
    for (long t = 0; t < times; t++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++) {
                double factor = b[k + j * SIDE];
                for (int i = 0; i < SIDE; i++)
                    c[i + j * SIDE] += a[i + k * SIDE] * factor;
            }
}

typedef enum sort { NO_SUM, BEGUN, WHOLE } sort;

static double once(double *x, size_t n, sort sum, long products)
{
    request r;
    memset(x, 0, n * sizeof *x);
    barrier();
    double start = now_us();
    if (sum == BEGUN)
        begin_sum(x, n, &r);
    compute(products);
    if (sum == BEGUN)
        end_sum(&r);
    if (sum == WHOLE)
        whole_sum(x, n);
    return slowest(now_us() - start);
}

static double often(double *x, size_t n, sort sum, long products, int rounds)
{
    double times[MOST_ROUNDS];
    once(x, n, sum, products);
    for (int k = 0; k < rounds; k++)
        times[k] = once(x, n, sum, products);
    return median(times, rounds);
}

int main(int count, char **words)
{
    static const int factors[] = {1, 4, 16};
    size_t bytes = count > 1 ? (size_t)atoll(words[1]) : (size_t)4 << 20;
    int rounds = count > 2 ? atoi(words[2]) : 21;
    open_face(&count, &words);
    double *x = malloc(bytes + sizeof *x);
    size_t n = bytes / sizeof *x;
    if (x == NULL || rounds < 1 || rounds > MOST_ROUNDS)
        return 1;
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = 1e-3 * i;
        b[i] = 1e-3 * (SIDE - i % SIDE);
    }
    double whole = often(x, n, WHOLE, 0, rounds), sum = often(x, n, BEGUN, 0, rounds);
    double product = often(x, n, NO_SUM, 100, rounds) / 100;
    if (me == 0)
        printf("waits %zu %.0f\nsum %zu %.0f\n", bytes, whole, bytes, sum);
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        long products = (long)(factors[k] * sum / product) + 1;
        double alone = often(x, n, NO_SUM, products, rounds);
        double both = often(x, n, BEGUN, products, rounds);
        double longer = alone > sum ? alone : sum;
        if (me == 0)
            printf("computing x%d %.0f\nboth x%d %.0f\nratio x%d %.2f\n", factors[k], alone,
                   factors[k], both, factors[k], both / longer);
    }
    free(x);
    close_face();
    return c[1] < 0;
}
