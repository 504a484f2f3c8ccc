/*
 * LU, Cholesky or QR in supersteps, or ScaLAPACK's, on a simulated machine. Matrices are real ones,
 * so that pivots are; local work is done by the installed BLAS, in no simulated time, and charged
 * by its flops to the simulated processor (the linker's --wrap puts the routines
 * here before it). Copies and comparisons cost nothing, in all of them alike.
 *
 *     smpirun -np P*Q ... lu N BLOCK P Q [charge-only] [WORK]
 *
 * with WORK getrf (if there is none), potrf (of the lower triangle; potrf-u: the upper), geqrf,
 * gels (N equations in N / 2 unknowns, BLOCK right-hand sides) or gels-wide (N / 2 in N), or behind
 * it alone, together, in-step or tournament, by which way blocks are factored (in supersteps only,
 * bsp_lu_panel), prints "NAME,N,BLOCK,PxQ,seconds,largest flops of a process,supersteps,bytes
 * sent"; with N = 0 (in supersteps only) "sync,SECONDS" and "g,SECONDS" for a double, of the whole
 * grid.
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
#define FACTOR(name) pd##name##_
#define KIND "pd"
#else
#include "openblacs/bsp2d.h"
#include "openblacs/bsp_lu.h"
#define FACTOR(name) bsp_pd##name##_
#define KIND "bsp_pd"
#endif

void FACTOR(getrf)(const int *m, const int *n, double *a, const int *ia, const int *ja,
                   const int *desc, int *ipiv, int *info);
void FACTOR(potrf)(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                   const int *desc, int *info);
void FACTOR(geqrf)(const int *m, const int *n, double *a, const int *ia, const int *ja,
                   const int *desc, double *tau, double *work, const int *lwork, int *info);
void FACTOR(gels)(const char *trans, const int *m, const int *n, const int *nrhs, double *a,
                  const int *ia, const int *ja, const int *desca, double *b, const int *ib,
                  const int *jb, const int *descb, double *work, const int *lwork, int *info);

/* ---------------------------------------------------------------- the work */

static const char *work = "getrf", *way = "";

static int is(const char *name)
{
    return strcmp(work, name) == 0;
}

static void read_words(int count, char **words)
{
#ifndef SCALAPACK
    static const struct {
        const char *name;
        int way;
    } ways[] = {{"alone", BSP_LU_ALONE},
                {"together", BSP_LU_TOGETHER},
                {"tournament", BSP_LU_TOURNAMENT},
                {"in-step", BSP_LU_TOGETHER + BSP_LU_IN_STEP}};
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (strcmp(words[i], ways[k].name) == 0) {
                way = words[i];
                bsp_lu_panel(ways[k].way);
            }
#endif
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "charge-only") == 0)
            charge_only = 1;
        else if (words[i] != way)
            work = words[i];
}

/* Right-hand sides as many as a block's columns, with the rows of the array. */
static int least_squares(int n, double *a, const int *desc, int m, double *room, int lwork)
{
    int one = 1, info = -1, half = n / 2, wide = is("gels-wide"), nb = desc[4];
    int desc_b[9] = {1, desc[1], n, nb, nb, nb, 0, 0, desc[8]};
    size_t elements = (size_t)desc[8] * (size_t)nb;
    double *b = malloc(elements * sizeof *b);
    fill(b, elements, 7u + (unsigned)m);
    FACTOR(gels)
    ("N", wide ? &half : &n, wide ? &n : &half, &nb, a, &one, &one, desc, b, &one, &one, desc_b,
     room, &lwork, &info);
    free(b);
    return info;
}

/* The own part of an n x n matrix of m x k. */
static int factor(int n, double *a, const int *desc, int m, int k)
{
    int one = 1, info = -1, nb = desc[4], lwork = nb * (2 * (m + k) + 6 * nb);
    int *ipiv = malloc((size_t)(m + nb) * sizeof *ipiv);
    double *tau = malloc((size_t)(k + nb) * sizeof *tau),
           *room = malloc((size_t)lwork * sizeof *room);
    if (is("potrf") || is("potrf-u"))
        FACTOR(potrf)(is("potrf") ? "L" : "U", &n, a, &one, &one, desc, &info);
    else if (is("geqrf"))
        FACTOR(geqrf)(&n, &n, a, &one, &one, desc, tau, room, &lwork, &info);
    else if (is("gels") || is("gels-wide"))
        info = least_squares(n, a, desc, m, room, lwork);
    else
        FACTOR(getrf)(&n, &n, a, &one, &one, desc, ipiv, &info);
    free(ipiv);
    free(tau);
    free(room);
    return info;
}

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
        printf(KIND "%s%s%s,%d,%d,%dx%d,%.9f,%.0f,%.0f,%.0f\n", work, *way ? "-" : "", way, n, nb,
               p, q, 1e-6 * microseconds, flops, steps, bytes);
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
        fprintf(stderr, "usage: lu N BLOCK P Q [charge-only] [WORK]\n");
        return 2;
    }
    int n = atoi(argv[1]), nb = atoi(argv[2]), p = atoi(argv[3]), q = atoi(argv[4]);
    int me, count, context, row, column;
    read_words(argc - 5, argv + 5);
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
    fill(a, elements, 77u + (unsigned)me);
    for (int j = 0; j < k && (is("potrf") || is("potrf-u")); j++) /* positive definite */
        for (int i = 0; i < m; i++)
            if ((i / nb * p + row) * nb + i % nb == (j / nb * q + column) * nb + j % nb)
                a[i + (size_t)j * (size_t)ld] += 2 * n;
    double start = clock_start();
    int info = factor(n, a, desc, m, k);
    report(me, n, nb, p, q, clock_stop(start));
    free(a);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return info != 0;
}
