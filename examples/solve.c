/*
 * Solves A x = b with ScaLAPACK's PDGESV, for a matrix A from a Matrix Market
 * file and the b that belongs to x = (1, ..., 1). Process 0 reads the file and
 * deals it out block-cyclically with BLACS sends straight from the full matrix.
 * Prints the residual, the rate, and who sent how much to whom.
 *
 *   obrun -n 4 solve FILE.mtx
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix_market.h"
#include "openblacs/blacs.h"
#include "openblacs/core.h"

/* ScaLAPACK, Fortran calling convention. */
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
               const int *csrc, const int *context, const int *lld, int *info);
int numroc_(const int *n, const int *nb, const int *me, const int *src, const int *count);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
             const int *desca, int *ipiv, double *b, const int *ib, const int *jb, const int *descb,
             int *info);
void pdgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *desca, const double *x, const int *ix,
             const int *jx, const int *descx, const int *incx, const double *beta, double *y,
             const int *iy, const int *jy, const int *descy, const int *incy);
double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia,
                const int *ja, const int *desca, double *work);

static const int zero = 0, one = 1;
static const double plus = 1, minus = -1;

/* The process grid, and this process in it. */
typedef struct grid {
    int number, count, context;
    int rows, columns, row, column;
} grid;

/* A block-cyclically distributed matrix: ScaLAPACK's descriptor and our part. */
typedef struct matrix {
    int m, n, local_m, local_n, ld;
    int desc[9];
    double *part;
} matrix;

enum { BLOCK = 32 };

static void say(const grid *g, const char *format, ...)
{
    if (g->number != 0)
        return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
}

static void give_up(const grid *g, const char *why)
{
    fprintf(stderr, "solve: %s\n", why);
    Cblacs_abort(g->context, 1);
}

static void *memory(const grid *g, size_t count, size_t bytes)
{
    void *p = calloc(count ? count : 1, bytes);
    if (p == NULL)
        give_up(g, "out of memory");
    return p;
}

/* As square a grid as the number of processes allows; none is left out. */
static grid make_grid(void)
{
    grid g;
    Cblacs_pinfo(&g.number, &g.count);
    g.rows = 1;
    for (int r = 1; r * r <= g.count; r++)
        if (g.count % r == 0)
            g.rows = r;
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridinit(&g.context, "Row", g.rows, g.count / g.rows);
    Cblacs_gridinfo(g.context, &g.rows, &g.columns, &g.row, &g.column);
    return g;
}

static matrix make_matrix(const grid *g, int m, int n)
{
    const int block = BLOCK;
    int info;
    matrix a = {.m = m, .n = n};
    a.local_m = numroc_(&m, &block, &g->row, &zero, &g->rows);
    a.local_n = numroc_(&n, &block, &g->column, &zero, &g->columns);
    a.ld = a.local_m > 0 ? a.local_m : 1;
    descinit_(a.desc, &m, &n, &block, &block, &zero, &zero, &g->context, &a.ld, &info);
    a.part = memory(g, (size_t)a.ld * (size_t)(a.local_n > 0 ? a.local_n : 1), sizeof(double));
    return a;
}

static matrix copy_of(const grid *g, const matrix *a)
{
    matrix b = make_matrix(g, a->m, a->n);
    memcpy(b.part, a->part, (size_t)a->ld * (size_t)a->local_n * sizeof(double));
    return b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Process (0, 0) holds all of the matrix with leading dimension m; each block
 * goes to its owner, who puts it in its place. */
static void deal(const grid *g, const double *full, const matrix *to)
{
    for (int j = 0; j < to->n; j += BLOCK)
        for (int i = 0; i < to->m; i += BLOCK) {
            int rows = smaller(BLOCK, to->m - i), columns = smaller(BLOCK, to->n - j);
            int row = i / BLOCK % g->rows, column = j / BLOCK % g->columns;
            if (g->number == 0)
                Cdgesd2d(g->context, rows, columns, full + i + (size_t)j * (size_t)to->m, to->m,
                         row, column);
            if (g->row == row && g->column == column) {
                size_t li = (size_t)(i / BLOCK / g->rows) * BLOCK;
                size_t lj = (size_t)(j / BLOCK / g->columns) * BLOCK;
                Cdgerv2d(g->context, rows, columns, to->part + li + lj * (size_t)to->ld, to->ld, 0,
                         0);
            }
        }
}

/* The right-hand side whose solution is all ones: the sums of the rows. */
static double *row_sums(const grid *g, const double *full, int n)
{
    double *b = memory(g, (size_t)n, sizeof *b);
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = 0; i < (size_t)n; i++)
            b[i] += full[i + j * (size_t)n];
    return b;
}

static double norm(const grid *g, const matrix *a, const char *which)
{
    double *work = memory(g, (size_t)(a->local_m + a->local_n + 1), sizeof *work);
    double value = pdlange_(which, &a->m, &a->n, a->part, &one, &one, a->desc, work);
    free(work);
    return value;
}

/* ||A x - b|| / (||A|| ||x|| n eps), in infinity norms; overwrites b. */
static double residual(const grid *g, const matrix *a, const matrix *x, matrix *b)
{
    pdgemv_("N", &a->n, &a->n, &plus, a->part, &one, &one, a->desc, x->part, &one, &one, x->desc,
            &one, &minus, b->part, &one, &one, b->desc, &one);
    double r = norm(g, b, "I");
    return r / (norm(g, a, "I") * norm(g, x, "I") * a->n * DBL_EPSILON);
}

/* What is no number is infinitely wrong: which of NaN and a number is the larger
 * one, neither > nor a combine says. */
static double largest_error(const grid *g, const matrix *x)
{
    double worst = 0;
    if (x->local_n > 0)
        for (int i = 0; i < x->local_m; i++) {
            double e = fabs(x->part[i] - 1);
            worst = isnan(e) ? INFINITY : fmax(e, worst);
        }
    Cdgamx2d(g->context, "All", " ", 1, 1, &worst, 1, NULL, NULL, -1, -1, 0);
    return worst;
}

/* What each process has sent so far, to whom: gathered by summing tables that
 * are empty but for the own row. */
static double *traffic(const grid *g)
{
    size_t p = (size_t)g->count;
    double *table = memory(g, 2 * p * p, sizeof *table);
    ob_job *job;
    if (ob_job_start(&job) != OB_OK)
        give_up(g, ob_error_text());
    for (int to = 0; to < g->count; to++) {
        uint64_t messages, bytes;
        if (ob_job_traffic(job, to, &messages, &bytes) != OB_OK)
            give_up(g, ob_error_text());
        table[(size_t)g->number + (size_t)to * p] = (double)messages;
        table[(size_t)g->number + (size_t)to * p + p * p] = (double)bytes;
    }
    Cdgsum2d(g->context, "All", " ", g->count, 2 * g->count, table, g->count, 0, 0);
    return table;
}

static void print_table(const grid *g, const double *table, const char *title, double unit)
{
    say(g, "\n%-18s", title);
    for (int to = 0; to < g->count; to++)
        say(g, "   to %4d", to);
    for (int from = 0; from < g->count; from++) {
        say(g, "\n    from %4d     ", from);
        for (int to = 0; to < g->count; to++)
            say(g, "%10.0f", table[from + to * g->count] / unit);
    }
    say(g, "\n");
}

static double *read_on_first(const grid *g, const char *file, int *n)
{
    char fault[512];
    double *full = NULL;
    if (g->number == 0) {
        full = read_matrix_market(file, n, fault, sizeof fault);
        if (full == NULL)
            give_up(g, fault);
        Cigebs2d(g->context, "All", " ", 1, 1, n, 1);
    } else {
        Cigebr2d(g->context, "All", " ", 1, 1, n, 1, 0, 0);
    }
    return full;
}

static void solve(const grid *g, matrix *a, matrix *b)
{
    int info;
    int *pivots = memory(g, (size_t)a->local_m + BLOCK, sizeof *pivots);
    pdgesv_(&a->n, &one, a->part, &one, &one, a->desc, pivots, b->part, &one, &one, b->desc, &info);
    free(pivots);
    if (info == 0)
        return;
    if (g->number == 0 && info > 0)
        fprintf(stderr, "solve: the matrix is singular: pivot %d is zero\n", info);
    else if (g->number == 0)
        fprintf(stderr, "solve: PDGESV refuses argument %d\n", -info);
    Cblacs_barrier(g->context, "All");
    Cblacs_abort(g->context, 1);
}

static int run(const grid *g, const char *file)
{
    int n;
    double start = Cdwalltime00();
    say(g, "[1/4] reading %s on process 0\n", file);
    double *full = read_on_first(g, file, &n);
    double *sums = full ? row_sums(g, full, n) : NULL;
    say(g, "      %d unknowns, %.1f MB dense, %.3f s\n", n, 8e-6 * n * n, Cdwalltime00() - start);

    start = Cdwalltime00();
    say(g, "[2/4] dealing it out in %d x %d blocks to a %d x %d grid\n", BLOCK, BLOCK, g->rows,
        g->columns);
    matrix a = make_matrix(g, n, n), b = make_matrix(g, n, 1);
    deal(g, full, &a);
    deal(g, sums, &b);
    free(full);
    free(sums);
    matrix lu = copy_of(g, &a), x = copy_of(g, &b);
    Cblacs_barrier(g->context, "All");
    say(g, "      %.3f s\n[3/4] solving with PDGESV\n", Cdwalltime00() - start);

    start = Cdwalltime00();
    solve(g, &lu, &x);
    Cblacs_barrier(g->context, "All");
    double seconds = Cdwalltime00() - start, size = n;
    say(g, "      %.3f s, %.2f Gflop/s\n[4/4] checking\n", seconds,
        (2 * size * size * size / 3 + 2 * size * size) / seconds * 1e-9);

    double error = largest_error(g, &x), scaled = residual(g, &a, &x, &b);
    double *table = traffic(g);
    print_table(g, table, "messages sent", 1);
    print_table(g, table + g->count * g->count, "kilobytes sent", 1000);
    free(table);
    /* The norms of ScaLAPACK may lose a NaN, the error does not. */
    int good = scaled < 16 && isfinite(error);
    say(g, "\nlargest error of a solution of ones: %.2e\n", error);
    say(g, "residual ||Ax-b|| / (||A|| ||x|| n eps) = %.2e: %s\n", scaled,
        good ? "PASSED (below 16)" : "FAILED (must be below 16, and all numbers finite)");
    free(a.part);
    free(b.part);
    free(lu.part);
    free(x.part);
    /* A process that fails ends the others: not before process 0 has printed. */
    Cblacs_barrier(g->context, "All");
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: obrun -n PROCESSES solve FILE.mtx\n");
        return 2;
    }
    grid g = make_grid();
    int status = run(&g, argv[1]);
    Cblacs_gridexit(g.context);
    Cblacs_exit(0);
    return status;
}
