/*
 * A face for bench/drivers.c over ScaLAPACK, or with -DLAPACK_ALONE over LAPACK, whose processes
 * are threads of its BLAS. All matrices are n x n and distributed alike.
 */
#ifndef BENCH_DRIVERS_H
#define BENCH_DRIVERS_H

#include <stdio.h>
#include <stdlib.h>

#ifdef LAPACK_ALONE

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *,
             int *);
void dorgqr_(const int *, const int *, const int *, double *, const int *, const double *, double *,
             const int *, int *);
void dlacpy_(const char *, const int *, const int *, const double *, const int *, double *,
             const int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *,
             const int *, int *, const int *, int *);
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *,
             double *, const int *, double *, const int *, double *, const int *, int *);

static inline void make_grid(int rows, int columns, int *row, int *column)
{
    if (rows != 1 || columns != 1) {
        fputs("drivers: LAPACK alone has a grid of 1 x 1\n", stderr);
        exit(2);
    }
    *row = *column = 0;
}

static inline void leave(void)
{
}

static inline void meet(void)
{
}

static inline void add_up(double *v, int n)
{
    (void)v, (void)n;
}

static inline int local_part(int n, int nb, int mine, int of)
{
    (void)nb, (void)mine, (void)of;
    return n;
}

static inline void describe(int n, int nb, int ld)
{
    (void)n, (void)nb, (void)ld;
}

static inline int workspace(int n, int nb, int m, int k)
{
    (void)m, (void)k;
    return n * (nb > 64 ? nb : 64);
}

static inline void do_gemm(int n, const double *a, const double *b, double *c)
{
    double one = 1, zero = 0;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
}

static inline int do_getrf(int n, double *a, int *pivots)
{
    int info;
    dgetrf_(&n, &n, a, &n, pivots, &info);
    return info;
}

static inline int do_potrf(int n, double *a)
{
    int info;
    dpotrf_("L", &n, a, &n, &info);
    return info;
}

static inline int do_geqrf(int n, double *a, double *tau, double *work, int lwork)
{
    int info;
    dgeqrf_(&n, &n, a, &n, tau, work, &lwork, &info);
    return info;
}

static inline int do_orgqr(int n, double *a, const double *tau, double *work, int lwork)
{
    int info;
    dorgqr_(&n, &n, &n, a, &n, tau, work, &lwork, &info);
    return info;
}

/* The vectors come in z, as from ScaLAPACK. */
static inline int do_syevd(int n, double *a, double *w, double *z, double *work, int lwork,
                           int *iwork, int liwork)
{
    int info;
    if (lwork > 0)
        dlacpy_("A", &n, &n, a, &n, z, &n);
    dsyevd_("V", "L", &n, z, &n, w, work, &lwork, iwork, &liwork, &info);
    return info;
}

static inline int do_gesvd(int n, double *a, double *s, double *u, double *vt, double *work,
                           int lwork)
{
    int info;
    dgesvd_("A", "A", &n, &n, a, &n, s, u, &n, vt, &n, work, &lwork, &info);
    return info;
}

#else

#include <openblacs/blacs.h>

int numroc_(const int *, const int *, const int *, const int *, const int *);
void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *,
               const int *, const int *, int *);
void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
             const double *, const int *, const int *, const int *, const double *, const int *,
             const int *, const int *, const double *, double *, const int *, const int *,
             const int *);
void pdgetrf_(const int *, const int *, double *, const int *, const int *, const int *, int *,
              int *);
void pdpotrf_(const char *, const int *, double *, const int *, const int *, const int *, int *);
void pdgeqrf_(const int *, const int *, double *, const int *, const int *, const int *, double *,
              double *, const int *, int *);
void pdorgqr_(const int *, const int *, const int *, double *, const int *, const int *,
              const int *, const double *, double *, const int *, int *);
void pdsyevd_(const char *, const char *, const int *, double *, const int *, const int *,
              const int *, double *, double *, const int *, const int *, const int *, double *,
              const int *, int *, const int *, int *);
void pdgesvd_(const char *, const char *, const int *, const int *, double *, const int *,
              const int *, const int *, double *, double *, const int *, const int *, const int *,
              double *, const int *, const int *, const int *, double *, const int *, int *);

static const int ONE = 1;
static int grid, desc[9];

static inline void make_grid(int rows, int columns, int *row, int *column)
{
    int me, count;
    Cblacs_pinfo(&me, &count);
    if (rows * columns != count) {
        if (me == 0)
            fprintf(stderr, "drivers: a grid of %d x %d needs %d processes, there are %d\n", rows,
                    columns, rows * columns, count);
        Cblacs_exit(0);
        exit(2);
    }
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridinit(&grid, "Row", rows, columns);
    Cblacs_gridinfo(grid, &rows, &columns, row, column);
}

static inline void leave(void)
{
    Cblacs_gridexit(grid);
    Cblacs_exit(0);
}

static inline void meet(void)
{
    Cblacs_barrier(grid, "All");
}

static inline void add_up(double *v, int n)
{
    Cdgsum2d(grid, "All", " ", n, 1, v, n, -1, -1);
}

static inline int local_part(int n, int nb, int mine, int of)
{
    int zero = 0;
    return numroc_(&n, &nb, &mine, &zero, &of);
}

static inline void describe(int n, int nb, int ld)
{
    int zero = 0, info;
    descinit_(desc, &n, &n, &nb, &nb, &zero, &zero, &grid, &ld, &info);
}

/* Enough for PDGEQRF and PDORGQR on local parts of m x k. */
static inline int workspace(int n, int nb, int m, int k)
{
    (void)n;
    return nb * (m + k + 3 * nb);
}

static inline void do_gemm(int n, const double *a, const double *b, double *c)
{
    double one = 1, zero = 0;
    pdgemm_("N", "N", &n, &n, &n, &one, a, &ONE, &ONE, desc, b, &ONE, &ONE, desc, &zero, c, &ONE,
            &ONE, desc);
}

static inline int do_getrf(int n, double *a, int *pivots)
{
    int info;
    pdgetrf_(&n, &n, a, &ONE, &ONE, desc, pivots, &info);
    return info;
}

static inline int do_potrf(int n, double *a)
{
    int info;
    pdpotrf_("L", &n, a, &ONE, &ONE, desc, &info);
    return info;
}

static inline int do_geqrf(int n, double *a, double *tau, double *work, int lwork)
{
    int info;
    pdgeqrf_(&n, &n, a, &ONE, &ONE, desc, tau, work, &lwork, &info);
    return info;
}

static inline int do_orgqr(int n, double *a, const double *tau, double *work, int lwork)
{
    int info;
    pdorgqr_(&n, &n, &n, a, &ONE, &ONE, desc, tau, work, &lwork, &info);
    return info;
}

static inline int do_syevd(int n, double *a, double *w, double *z, double *work, int lwork,
                           int *iwork, int liwork)
{
    int info;
    pdsyevd_("V", "L", &n, a, &ONE, &ONE, desc, w, z, &ONE, &ONE, desc, work, &lwork, iwork,
             &liwork, &info);
    return info;
}

static inline int do_gesvd(int n, double *a, double *s, double *u, double *vt, double *work,
                           int lwork)
{
    int info;
    pdgesvd_("V", "V", &n, &n, a, &ONE, &ONE, desc, s, u, &ONE, &ONE, desc, vt, &ONE, &ONE, desc,
             work, &lwork, &info);
    return info;
}

#endif
#endif
