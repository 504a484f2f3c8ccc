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

#include "charged.h"
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

/* ----------------------------------------------------------------- the job */

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
