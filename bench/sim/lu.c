/*
 * The LU in supersteps, or ScaLAPACK's PDGETRF, on a simulated machine. Matrices are real ones, so
 * that pivots are; local work is done by the installed BLAS, in no simulated time, and charged
 * by its flops to the simulated processor (the linker's --wrap puts the routines
 * here before it). Copies and comparisons cost nothing, in all of them alike.
 *
 *     smpirun -np P*Q ... lu N BLOCK P Q [charge-only]
 *
 * prints "NAME,N,BLOCK,PxQ,seconds,largest flops of a process,supersteps,bytes sent";
 * with N = 0 (in supersteps only) "sync,SECONDS" and "g,SECONDS" for a double, of the whole grid.
 *
 * charge-only: local work is charged and not done. Pivots are then the largest elements of the
 * random columns as they were filled, which are other rows than they would be, as randomly spread.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "openblacs/blacs.h"

#ifdef SCALAPACK
#define FACTOR pdgetrf_
#define NAME "pdgetrf"
#else
#include "openblacs/bsp2d.h"
#include "openblacs/bsp_lu.h"
#define FACTOR bsp_pdgetrf_
#define NAME "bsp_pdgetrf"
#endif

void FACTOR(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desc,
            int *ipiv, int *info);

/* ------------------------------------------------------------ charged work */

static double charged;
static int charge_only;

static void charge(double flops)
{
    if (flops > 0)
        smpi_execute_flops(flops);
    charged += flops > 0 ? flops : 0;
}

#define CHARGED(name, parameters, arguments, flops)                                                \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters                                                                  \
    {                                                                                              \
        charge(flops);                                                                             \
        if (!charge_only)                                                                          \
            __real_##name arguments;                                                               \
    }

CHARGED(dgemm_,
        (const char *ta, const char *tb, const int *m, const int *n, const int *k,
         const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
         const double *beta, double *c, const int *ldc, size_t la, size_t lb),
        (ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, la, lb), 2.0 * *m * *n * *k)
CHARGED(dtrsm_,
        (const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
         const int *n, const double *alpha, const double *a, const int *lda, double *b,
         const int *ldb, size_t l1, size_t l2, size_t l3, size_t l4),
        (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, l1, l2, l3, l4),
        (double)*m **n *(*side == 'L' || *side == 'l' ? *m : *n))
CHARGED(dger_,
        (const int *m, const int *n, const double *alpha, const double *x, const int *incx,
         const double *y, const int *incy, double *a, const int *lda),
        (m, n, alpha, x, incx, y, incy, a, lda), 2.0 * *m * *n)
CHARGED(dscal_, (const int *n, const double *alpha, double *x, const int *incx),
        (n, alpha, x, incx), 1.0 * *n)
/* The kernel of the LU in supersteps with one process at each block. Without it there are no
 * pivots. */
void __real_dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void __wrap_dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void __wrap_dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info)
{
    charge((double)*n * *n * (*m - *n / 3.0));
    __real_dgetrf_(m, n, a, lda, ipiv, info);
}

/* ----------------------------------------------------------------- the job */

/* How many of n indices in blocks of nb process k of p has. */
static int share(int n, int nb, int k, int p)
{
    int blocks = n / nb, mine = blocks / p * nb, last = blocks % p;
    return mine + (k < last ? nb : k == last ? n % nb : 0);
}

static double latest(double value)
{
    double most;
    MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void fill(double *a, size_t count, unsigned seed)
{
    unsigned long long x = seed + 88172645463325252ull;
    for (size_t i = 0; i < count; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        a[i] = (double)(x >> 11) / 4503599627370496.0 - 1;
    }
}

static void report(int me, int n, int nb, int p, int q, double microseconds)
{
    size_t supersteps = 0, sent = 0;
#ifndef SCALAPACK
    bsp_lu_parts parts;
    bsp_lu_last(&parts);
    supersteps = parts.supersteps;
    sent = parts.sent;
#endif
    double flops = latest(charged), bytes = latest((double)sent),
           steps = latest((double)supersteps);
    if (me == 0)
        printf(NAME ",%d,%d,%dx%d,%.9f,%.0f,%.0f,%.0f\n", n, nb, p, q, 1e-6 * microseconds, flops,
               steps, bytes);
}

#ifndef SCALAPACK
enum { SYNCS = 10, DOUBLES = 4096 };

/* Microseconds of a superstep in which each process has `count` doubles for the next one. */
static double superstep(bsp2d_grid *grid, int me, int p, int q, size_t count)
{
    static double numbers[DOUBLES];
    int next = (me + 1) % (p * q);
    ob_view v = bsp2d_ge(OB_DOUBLE, count, 1, numbers, DOUBLES);
    double start = clock_start();
    for (int k = 0; k < SYNCS; k++) {
        if (count)
            bsp2d_send(grid, next / q, next % q, &v);
        bsp2d_sync(grid);
    }
    return clock_stop(start) / SYNCS;
}

static void measure_machine(int me, int p, int q)
{
    bsp2d_grid *grid = bsp2d_gridinit('R', p, q);
    double l = superstep(grid, me, p, q, 0);
    double few = superstep(grid, me, p, q, DOUBLES / 2), many = superstep(grid, me, p, q, DOUBLES);
    if (me == 0)
        printf("sync,%.9f\ng,%.9f\n", 1e-6 * l, 1e-6 * (many - few) / (DOUBLES / 2));
    bsp2d_gridexit(grid);
}
#endif

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: lu N BLOCK P Q [charge-only]\n");
        return 2;
    }
    int n = atoi(argv[1]), nb = atoi(argv[2]), p = atoi(argv[3]), q = atoi(argv[4]);
    int me, count, context, row, column, one = 1, info = -1;
    charge_only = argc > 5 && strcmp(argv[5], "charge-only") == 0;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", p, q);
    Cblacs_gridinfo(context, &p, &q, &row, &column);
#ifndef SCALAPACK
    if (n == 0) {
        measure_machine(me, p, q);
        Cblacs_exit(0);
        return 0;
    }
#endif
    int m = share(n, nb, row, p), k = share(n, nb, column, q), ld = m > 1 ? m : 1;
    int desc[9] = {1, context, n, n, nb, nb, 0, 0, ld};
    size_t elements = (size_t)ld * (size_t)(k > 1 ? k : 1);
    double *a = malloc(elements * sizeof *a);
    int *ipiv = malloc((size_t)(ld + nb) * sizeof *ipiv);
    fill(a, elements, 77u + (unsigned)me);
    double start = clock_start();
    FACTOR(&n, &n, a, &one, &one, desc, ipiv, &info);
    report(me, n, nb, p, q, clock_stop(start));
    free(a);
    free(ipiv);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return info != 0;
}
