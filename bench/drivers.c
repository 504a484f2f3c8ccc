/*
 * Six ScaLAPACK drivers, or with -DLAPACK_ALONE the same of LAPACK in one process:
 *     drivers N NB NPROW NPCOL RUNS [DRIVER ...]
 * Prints for each "driver n=...,nb=...,PxQ microseconds residual", the time a median after one run
 * to warm up. Each result is checked with a random vector x, for example A x against L (U x): the
 * residual is the largest difference, over n times the unit roundoff times the size of |A| |x|. One
 * above 10, or an INFO, is an error.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers.h"
#include "median.h"

enum { MOST_RUNS = 99 };
static const double BOUND = 10;

static int n, nb, rows, columns, row, column;
static int m, k, ld; /* of the local part */
static double *original, *a, *b, *c;

static size_t part(void)
{
    return (size_t)ld * (size_t)(k > 1 ? k : 1);
}

static double *fresh(size_t many)
{
    double *v = calloc(many + 1, sizeof *v);
    if (!v) {
        fputs("drivers: out of memory\n", stderr);
        exit(1);
    }
    return v;
}

/* Row of the local row i in the whole matrix, and the like for columns. */
static int global(int i, int mine, int of)
{
    return (i / nb * of + mine) * nb + i % nb;
}

/* Some number in -1 .. 1, the same everywhere. */
static double element(int which, int i, int j)
{
    unsigned h = (unsigned)(which * 7919 + i * 104729 + j * 1299709 + 17);
    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return (double)(h ^ h >> 16) / 2147483648.0 - 1;
}

enum kind { GENERAL, SYMMETRIC, POSITIVE };

static void fill(double *v, int which, enum kind kind)
{
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++) {
            int p = global(i, row, rows), q = global(j, column, columns);
            double x = kind == GENERAL ? element(which, p, q)
                                       : element(which, p < q ? p : q, p < q ? q : p);
            v[i + (size_t)j * (size_t)ld] = x + (kind == POSITIVE && p == q ? 2 * n : 0);
        }
}

/* Which part of a matrix takes part in a product. */
enum shape { WHOLE, LOWER, UNIT_LOWER, UPPER, SIZES };

static double taken(enum shape shape, int p, int q, double x)
{
    switch (shape) {
    case LOWER: return p >= q ? x : 0;
    case UNIT_LOWER: return p == q ? 1 : p > q ? x : 0;
    case UPPER: return p <= q ? x : 0;
    case SIZES: return fabs(x);
    default: return x;
    }
}

/* y = V x or V^T x; vectors are whole everywhere, and come from fresh(). */
static double *times(const double *v, enum shape shape, int transposed, const double *x)
{
    double *y = fresh((size_t)n);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++) {
            int p = global(i, row, rows), q = global(j, column, columns);
            double e = taken(shape, p, q, v[i + (size_t)j * (size_t)ld]);
            y[transposed ? q : p] += e * x[transposed ? p : q];
        }
    add_up(y, n);
    return y;
}

static double *some_vector(void)
{
    double *x = fresh((size_t)n);
    for (int i = 0; i < n; i++)
        x[i] = element(99, i, 0);
    return x;
}

static double largest(const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double d = fabs(x[i] - (y ? y[i] : 0));
        if (!(d <= most)) /* a NaN stays */
            most = d;
    }
    return most;
}

/* How far apart two vectors are that should both be V x. */
static double residual(const double *v, const double *x, const double *one, const double *other)
{
    double *sizes = fresh((size_t)n);
    for (int i = 0; i < n; i++)
        sizes[i] = fabs(x[i]);
    double scale = largest(times(v, SIZES, 0, sizes), NULL);
    return largest(one, other) / (n * DBL_EPSILON / 2 * scale);
}

/* The columns, or the rows, of v are orthonormal. */
static double orthogonality(const double *v, int by_rows)
{
    double *x = some_vector();
    double *y = times(v, WHOLE, !by_rows, times(v, WHOLE, by_rows, x));
    return largest(x, y) / (n * DBL_EPSILON / 2 * sqrt(n));
}

static double larger(double x, double y)
{
    return x > y || x != x ? x : y;
}

/* The six. Each leaves the time of its call in *us and returns the residual, or says so and ends.
 */
static void must(const char *name, int info)
{
    if (info != 0) {
        fprintf(stderr, "drivers: %s gave INFO = %d\n", name, info);
        exit(1);
    }
}

static double begun(void)
{
    meet();
    return now_us();
}

static double since(double start)
{
    meet();
    return now_us() - start;
}

static double gemm(double *us, int check)
{
    double start = begun();
    do_gemm(n, original, b, c);
    *us = since(start);
    if (!check)
        return 0;
    double *x = some_vector(), *bx = times(b, WHOLE, 0, x);
    return residual(original, bx, times(original, WHOLE, 0, bx), times(c, WHOLE, 0, x));
}

/* y = P y, from pivots that each process row has for its rows. */
static void swap_rows(double *y, const int *pivots)
{
    double *all = fresh((size_t)n);
    for (int i = 0; i < m && column == 0; i++)
        all[global(i, row, rows)] = pivots[i];
    add_up(all, n);
    for (int i = 0; i < n; i++) {
        int with = (int)all[i] - 1;
        double t = y[i];
        y[i] = y[with];
        y[with] = t;
    }
}

static double getrf(double *us, int check)
{
    int *pivots = calloc((size_t)(m + nb) + 1, sizeof *pivots);
    memcpy(a, original, part() * sizeof *a);
    double start = begun();
    must("getrf", do_getrf(n, a, pivots));
    *us = since(start);
    double *x = some_vector(), found = 0;
    if (check) {
        double *ax = times(original, WHOLE, 0, x);
        swap_rows(ax, pivots);
        found = residual(original, x, ax, times(a, UNIT_LOWER, 0, times(a, UPPER, 0, x)));
    }
    free(pivots);
    return found;
}

static double potrf(double *us, int check)
{
    memcpy(a, original, part() * sizeof *a);
    double start = begun();
    must("potrf", do_potrf(n, a));
    *us = since(start);
    if (!check)
        return 0;
    double *x = some_vector();
    double *found = times(a, LOWER, 0, times(a, LOWER, 1, x));
    return residual(original, x, times(original, WHOLE, 0, x), found);
}

static double geqrf(double *us, int check)
{
    double *tau = fresh((size_t)(k + nb)), *x = some_vector();
    int lwork = workspace(n, nb, m, k);
    double *work = fresh((size_t)lwork), found = 0;
    memcpy(a, original, part() * sizeof *a);
    double start = begun();
    must("geqrf", do_geqrf(n, a, tau, work, lwork));
    *us = since(start);
    if (check) {
        double *rx = times(a, UPPER, 0, x);
        must("orgqr", do_orgqr(n, a, tau, work, lwork));
        found = larger(residual(original, x, times(original, WHOLE, 0, x), times(a, WHOLE, 0, rx)),
                       orthogonality(a, 0));
    }
    free(tau);
    free(work);
    return found;
}

/* A Z = Z diag(w). */
static double syevd(double *us, int check)
{
    double *w = fresh((size_t)n), *x = some_vector(), most_work, found = 0;
    int most_integers, info = do_syevd(n, a, w, b, &most_work, -1, &most_integers, -1);
    must("syevd", info);
    int lwork = (int)most_work + 4 * n, integers = most_integers + 4 * n;
    double *work = fresh((size_t)lwork);
    int *iwork = calloc((size_t)integers, sizeof *iwork);
    memcpy(a, original, part() * sizeof *a);
    double start = begun();
    must("syevd", do_syevd(n, a, w, b, work, lwork, iwork, integers));
    *us = since(start);
    if (check) {
        double *zx = times(b, WHOLE, 0, x), *wx = fresh((size_t)n);
        for (int i = 0; i < n; i++)
            wx[i] = w[i] * x[i];
        found =
            larger(residual(original, zx, times(original, WHOLE, 0, zx), times(b, WHOLE, 0, wx)),
                   orthogonality(b, 0));
    }
    free(w);
    free(work);
    free(iwork);
    return found;
}

/* A = U diag(s) V^T. */
static double gesvd(double *us, int check)
{
    double *s = fresh((size_t)n), *x = some_vector(), most_work, found = 0;
    must("gesvd", do_gesvd(n, a, s, b, c, &most_work, -1));
    int lwork = (int)most_work + 4 * n;
    double *work = fresh((size_t)lwork);
    memcpy(a, original, part() * sizeof *a);
    double start = begun();
    must("gesvd", do_gesvd(n, a, s, b, c, work, lwork));
    *us = since(start);
    if (check) {
        double *vx = times(c, WHOLE, 0, x);
        for (int i = 0; i < n; i++)
            vx[i] *= s[i];
        found = residual(original, x, times(original, WHOLE, 0, x), times(b, WHOLE, 0, vx));
        found = larger(found, larger(orthogonality(b, 0), orthogonality(c, 1)));
    }
    free(s);
    free(work);
    return found;
}

static const struct driver {
    const char *name;
    enum kind kind; /* of the matrix */
    double (*run)(double *us, int check);
} drivers[] = {{"gemm", GENERAL, gemm},   {"getrf", GENERAL, getrf},   {"potrf", POSITIVE, potrf},
               {"geqrf", GENERAL, geqrf}, {"syevd", SYMMETRIC, syevd}, {"gesvd", GENERAL, gesvd}};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

static int wanted(const char *name, char **names)
{
    if (!*names)
        return 1;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return 1;
    return 0;
}

/* The first name that is no driver's; NULL: all are. */
static const char *unknown(char **names)
{
    for (; *names; names++) {
        char *one[] = {*names, NULL};
        int known = 0;
        for (int i = 0; i < DRIVERS; i++)
            known |= wanted(drivers[i].name, one);
        if (!known)
            return *names;
    }
    return NULL;
}

/* 1 when the result is wrong. */
static int measure(const struct driver *d, int runs)
{
    double us[MOST_RUNS], first, found = 0;
    fill(original, 1, d->kind);
    fill(b, 2, GENERAL); /* the other one of a product, else overwritten */
    d->run(&first, 0);
    for (int i = 0; i < runs; i++)
        found = d->run(&us[i], i == runs - 1);
    int wrong = !(found <= BOUND);
    if (row == 0 && column == 0) {
        printf("%s n=%d,nb=%d,%dx%d %.1f %.3f\n", d->name, n, nb, rows, columns, median(us, runs),
               found);
        fflush(stdout);
        if (wrong)
            fprintf(stderr, "drivers: %s has a residual of %g\n", d->name, found);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fputs("usage: drivers N NB NPROW NPCOL RUNS [gemm|getrf|potrf|geqrf|syevd|gesvd ...]\n",
              stderr);
        return 2;
    }
    n = atoi(argv[1]);
    nb = atoi(argv[2]);
    rows = atoi(argv[3]);
    columns = atoi(argv[4]);
    int runs = atoi(argv[5]), wrong = 0;
    if (n < 1 || nb < 1 || rows < 1 || columns < 1 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "drivers: numbers must be at least 1, and RUNS at most %d\n", MOST_RUNS);
        return 2;
    }
    if (unknown(argv + 6)) {
        fprintf(stderr, "drivers: there is no driver '%s'\n", unknown(argv + 6));
        return 2;
    }
    make_grid(rows, columns, &row, &column);
    m = local_part(n, nb, row, rows);
    k = local_part(n, nb, column, columns);
    ld = m > 1 ? m : 1;
    describe(n, nb, ld);
    original = fresh(part());
    a = fresh(part());
    b = fresh(part());
    c = fresh(part());
    for (int i = 0; i < DRIVERS; i++)
        if (wanted(drivers[i].name, argv + 6))
            wrong |= measure(&drivers[i], runs);
    leave();
    return wrong;
}
