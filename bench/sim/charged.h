/*
 * What the programs of bench/sim that run real linear algebra have in common. Local work is done by
 * the installed BLAS and LAPACK, in no simulated time, and charged by its flops to the simulated
 * processor: the linker's --wrap puts the routines here before theirs (cmake/simgrid.cmake has the
 * list, which is the one here). Copies and comparisons cost nothing.
 *
 * charge_only: local work is charged and not done. Included by one file of a program.
 */
#ifndef OB_BENCH_SIM_CHARGED_H
#define OB_BENCH_SIM_CHARGED_H

#include "clock.h"

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
/* Control flow hangs on these: they are done, too. */
#define CHARGED_AND_DONE(result, name, parameters, arguments, flops)                               \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        charge(flops);                                                                             \
        return __real_##name arguments;                                                            \
    }

static double side_of(const char *side, int m, int n)
{
    return *side == 'L' || *side == 'l' ? m : n;
}

CHARGED(dgemm_,
        (const char *ta, const char *tb, const int *m, const int *n, const int *k,
         const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
         const double *beta, double *c, const int *ldc, size_t la, size_t lb),
        (ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, la, lb), 2.0 * *m * *n * *k)
CHARGED(dsymm_,
        (const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
         const double *a, const int *lda, const double *b, const int *ldb, const double *beta,
         double *c, const int *ldc, size_t l1, size_t l2),
        (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, l1, l2),
        2.0 * *m * *n * side_of(side, *m, *n))
CHARGED(dsyrk_,
        (const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
         const double *a, const int *lda, const double *beta, double *c, const int *ldc, size_t l1,
         size_t l2),
        (uplo, trans, n, k, alpha, a, lda, beta, c, ldc, l1, l2), 1.0 * *n * (*n + 1.0) * *k)
CHARGED(dsyr2k_,
        (const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
         const double *a, const int *lda, const double *b, const int *ldb, const double *beta,
         double *c, const int *ldc, size_t l1, size_t l2),
        (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, l1, l2),
        2.0 * *n * (*n + 1.0) * *k)
#define TRIANGULAR(name)                                                                           \
    CHARGED(name,                                                                                  \
            (const char *side, const char *uplo, const char *trans, const char *diag,              \
             const int *m, const int *n, const double *alpha, const double *a, const int *lda,     \
             double *b, const int *ldb, size_t l1, size_t l2, size_t l3, size_t l4),               \
            (side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, l1, l2, l3, l4),                \
            1.0 * *m * *n * side_of(side, *m, *n))
TRIANGULAR(dtrsm_)
TRIANGULAR(dtrmm_)
#define TRIANGULAR_VECTOR(name)                                                                    \
    CHARGED(name,                                                                                  \
            (const char *uplo, const char *trans, const char *diag, const int *n, const double *a, \
             const int *lda, double *x, const int *incx, size_t l1, size_t l2, size_t l3),         \
            (uplo, trans, diag, n, a, lda, x, incx, l1, l2, l3), 1.0 * *n * *n)
TRIANGULAR_VECTOR(dtrmv_)
TRIANGULAR_VECTOR(dtrsv_)
CHARGED(dgemv_,
        (const char *trans, const int *m, const int *n, const double *alpha, const double *a,
         const int *lda, const double *x, const int *incx, const double *beta, double *y,
         const int *incy, size_t l1),
        (trans, m, n, alpha, a, lda, x, incx, beta, y, incy, l1), 2.0 * *m * *n)
CHARGED(dsymv_,
        (const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
         const double *x, const int *incx, const double *beta, double *y, const int *incy,
         size_t l1),
        (uplo, n, alpha, a, lda, x, incx, beta, y, incy, l1), 2.0 * *n * *n)
CHARGED(dger_,
        (const int *m, const int *n, const double *alpha, const double *x, const int *incx,
         const double *y, const int *incy, double *a, const int *lda),
        (m, n, alpha, x, incx, y, incy, a, lda), 2.0 * *m * *n)
CHARGED(dsyr2_,
        (const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
         const double *y, const int *incy, double *a, const int *lda, size_t l1),
        (uplo, n, alpha, x, incx, y, incy, a, lda, l1), 2.0 * *n * *n)
CHARGED(dsyr_,
        (const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
         double *a, const int *lda, size_t l1),
        (uplo, n, alpha, x, incx, a, lda, l1), 1.0 * *n * *n)
CHARGED(dscal_, (const int *n, const double *alpha, double *x, const int *incx),
        (n, alpha, x, incx), 1.0 * *n)
CHARGED(daxpy_,
        (const int *n, const double *alpha, const double *x, const int *incx, double *y,
         const int *incy),
        (n, alpha, x, incx, y, incy), 2.0 * *n)
CHARGED_AND_DONE(double, ddot_,
                 (const int *n, const double *x, const int *incx, const double *y, const int *incy),
                 (n, x, incx, y, incy), 2.0 * *n)
CHARGED_AND_DONE(double, dnrm2_, (const int *n, const double *x, const int *incx), (n, x, incx),
                 2.0 * *n)
/* The kernel of the LU in supersteps with one process at each block. Without it there are no
 * pivots. */
CHARGED_AND_DONE(void, dgetrf_,
                 (const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info),
                 (m, n, a, lda, ipiv, info), (double)*n **n *(*m - *n / 3.0))
/* That of Cholesky: its info ends the factorisation. */
CHARGED_AND_DONE(void, dpotrf_,
                 (const char *uplo, const int *n, double *a, const int *lda, int *info, size_t l1),
                 (uplo, n, a, lda, info, l1), (double)*n **n **n / 3.0)
/* Of PDSYEVD: eigenvectors of a small tridiagonal matrix, some 6 n^3 flops, and a root of the
 * secular equation: some five steps of three sums. */
CHARGED_AND_DONE(void, dsteqr_,
                 (const char *compz, const int *n, double *d, double *e, double *z, const int *ldz,
                  double *work, int *info, size_t l1),
                 (compz, n, d, e, z, ldz, work, info, l1), 6.0 * *n * *n * *n)
CHARGED_AND_DONE(void, dlaed4_,
                 (const int *n, const int *i, const double *d, const double *z, double *delta,
                  const double *rho, double *dlam, int *info),
                 (n, i, d, z, delta, rho, dlam, info), 75.0 * *n)

/* -------------------------------------------------------- block-cyclic matrices */

/* How many of n indices in blocks of nb process k of p has. */
static int share(int n, int nb, int k, int p)
{
    int blocks = n / nb, mine = blocks / p * nb, last = blocks % p;
    return mine + (k < last ? nb : k == last ? n % nb : 0);
}

/* The largest of the processes' values, none of which is negative. Takes no simulated time. */
static double latest(double value)
{
    double *most = &shared_by_all()->most;
    meet_all();
    *most = 0;
    meet_all();
    *most = value > *most ? value : *most;
    meet_all();
    return *most;
}

/* Random numbers in [-1, 1). */
static void fill(double *a, size_t count, unsigned seed)
{
    unsigned long long x = seed + 88172645463325252ull;
    for (size_t i = 0; i < count; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        a[i] = (double)(x >> 11) / 4503599627370496.0 - 1;
    }
}

#endif
