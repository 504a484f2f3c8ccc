/*
 * Factorisations in supersteps, and ScaLAPACK's: factor [n nb nprow npcol [NAME ...]] prints for
 * each name (bsp_pdgetrf, the default, or with blocks factored by alone, together or tournament,
 * the latter two also with -in-step; bsp_pdpotrf, bsp_pdgeqrf, pdgetrf, pdpotrf, pdgeqrf; of n x
 * n/2, bsp_pdgels, pdgels, the same -wide of n/2 x n; pdgetrs and pdpotrs, behind a factorisation
 * that is not timed; pdgesv and pdposv; with bsp_ as well; pdgemm, with A transposed pdgemm-tn,
 * with B pdgemm-nt, and pdgemm-flat of n/2 rows; pdsytrd; pzhetrd; pdgebrd; pdstedc of a
 * tridiagonal matrix) the median of several runs on one random matrix, all of them in turn. With
 * -DSCALAPACK_ALONE it has ScaLAPACK's alone, over whatever BLACS that has, or
 * libopenblacs_factor's, preloaded. BENCH_BLOCK sets the algorithmic block of those in supersteps,
 * BENCH_PANEL who factors it, BENCH_UPLO the triangle, BENCH_SIDES how many right-hand sides there
 * are (nb), BENCH_COLUMNS=1 counts processes by columns, and BENCH_PARTS=1 prints where the time
 * went in the last run, on stderr.
 */
#ifndef SCALAPACK_ALONE
#include <openblacs/bsp_lu.h>
#endif

#include "work.h"

int numroc_(const int *n, const int *nb, const int *iproc, const int *isrc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
               const int *csrc, const int *ctxt, const int *lld, int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *pivots, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              double *tau, double *work, const int *lwork, int *info);
void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *desca, const int *pivots, double *b, const int *ib,
              const int *jb, const int *descb, int *info);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
             const int *desca, int *pivots, double *b, const int *ib, const int *jb,
             const int *descb, int *info);
void pdpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *desca, double *b, const int *ib, const int *jb,
              const int *descb, int *info);
void pdposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *ia,
             const int *ja, const int *desca, double *b, const int *ib, const int *jb,
             const int *descb, int *info);
void pdgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a,
             const int *ia, const int *ja, const int *desca, double *b, const int *ib,
             const int *jb, const int *descb, double *work, const int *lwork, int *info);

void pdormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
              const double *a, const int *ia, const int *ja, const int *desca, const double *tau,
              double *c, const int *ic, const int *jc, const int *descc, double *work,
              const int *lwork, int *info);

void pdsytrd_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, double *d, double *e, double *tau, double *work, const int *lwork,
              int *info);

void pzhetrd_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, double *d, double *e, double *tau, double *work, const int *lwork,
              int *info);

void pdstedc_(const char *job, const int *n, double *d, double *e, double *q, const int *iq,
              const int *jq, const int *descq, double *work, const int *lwork, int *iwork,
              const int *liwork, int *info);

void pdgebrd_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              double *d, double *e, double *tauq, double *taup, double *work, const int *lwork,
              int *info);

void pdgemm_(const char *of_a, const char *of_b, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
             const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
             double *c, const int *ic, const int *jc, const int *descc);

enum { MOST_RUNS = 99, LARGE = 2000, RUNS = 5, RUNS_OF_LARGE = 2, MOST_NAMES = 8 };

/* The matrix, as it was and at work. */
static int n, nb, sides_wanted, nprow, npcol, row, column, context, ld, desc[9], desc_b[9];
static double *original, *a, *c, *sides, *tau, *taup, *diagonal, *beside, *work;
static int lwork;
static size_t elements; /* of the own part, in numbers: two for one where there are complex ways */
static int *pivots, *integers;
static const int one = 1;
static const char *uplo = "L";

/* ------------------------------------------------------------ factorisations */

static int by_pdpotrf(void)
{
    int info;
    pdpotrf_(uplo, &n, a, &one, &one, desc, &info);
    return info;
}

static int by_pdgetrf(void)
{
    int info;
    pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
    return info;
}

static int by_pdgeqrf(void)
{
    int info;
    pdgeqrf_(&n, &n, a, &one, &one, desc, tau, work, &lwork, &info);
    return info;
}

/* What is in c is multiplied, and stays as large as it is. */
static int by_pdormqr_of(const char *trans)
{
    int info;
    pdormqr_("L", trans, &n, &n, &n, a, &one, &one, desc, tau, c, &one, &one, desc, work, &lwork,
             &info);
    return info;
}

static int by_pdormqr(void)
{
    return by_pdormqr_of("N");
}

static int by_pdormqr_t(void)
{
    return by_pdormqr_of("T");
}

static int by_pdormqr_right(void)
{
    int info;
    pdormqr_("R", "N", &n, &n, &n, a, &one, &one, desc, tau, c, &one, &one, desc, work, &lwork,
             &info);
    return info;
}

static int by_pdormqr_few(void)
{
    int info;
    pdormqr_("L", "T", &n, &sides_wanted, &n, a, &one, &one, desc, tau, sides, &one, &one, desc_b,
             work, &lwork, &info);
    return info;
}

/* As PDORMTR, and so PDSYEVD, calls it: below the diagonal. */
static int by_pdgeqrf_below(void)
{
    int info, order = n - 1, two = 2;
    pdgeqrf_(&order, &order, a, &two, &one, desc, tau, work, &lwork, &info);
    return info;
}

static int by_pdormqr_below(void)
{
    int info, order = n - 1, two = 2;
    pdormqr_("L", "N", &order, &n, &order, a, &two, &one, desc, tau, c, &two, &one, desc, work,
             &lwork, &info);
    return info;
}

/* One triangle of what is in a. */
static int by_pdsytrd(void)
{
    int info;
    pdsytrd_(uplo, &n, a, &one, &one, desc, diagonal, beside, tau, work, &lwork, &info);
    return info;
}

static int by_pzhetrd(void)
{
    int info, complex_work = lwork / 2;
    pzhetrd_(uplo, &n, a, &one, &one, desc, diagonal, beside, tau, work, &complex_work, &info);
    return info;
}

/* Much like what PDSYTRD makes of random elements: what stands beside the diagonal gets smaller.
 * The same on all processes; the vectors go to c, which is zeros before. */
static int make_tridiagonal(void)
{
    unsigned x = 1;
    for (int i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        diagonal[i] = x / 4294967296. - .5;
        beside[i] = (n - i) / 50.;
    }
    memset(c, 0, elements * sizeof *c);
    return 0;
}

static int by_pdstedc(void)
{
    int info, most = 7 * n + 8 * npcol + 2;
    pdstedc_("I", &n, diagonal, beside, c, &one, &one, desc, work, &lwork, integers, &most, &info);
    return info;
}

static int by_pdgebrd(void)
{
    int info;
    pdgebrd_(&n, &n, a, &one, &one, desc, diagonal, beside, tau, taup, work, &lwork, &info);
    return info;
}

static int by_pdgels(void)
{
    int info, half = n / 2;
    pdgels_("N", &n, &half, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, work,
            &lwork, &info);
    return info;
}

static int by_pdgels_wide(void)
{
    int info, half = n / 2;
    pdgels_("N", &half, &n, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, work,
            &lwork, &info);
    return info;
}

static int by_pdgetrs(void)
{
    int info;
    pdgetrs_("N", &n, &sides_wanted, a, &one, &one, desc, pivots, sides, &one, &one, desc_b, &info);
    return info;
}

static int by_pdgesv(void)
{
    int info;
    pdgesv_(&n, &sides_wanted, a, &one, &one, desc, pivots, sides, &one, &one, desc_b, &info);
    return info;
}

static int by_pdpotrs(void)
{
    int info;
    pdpotrs_(uplo, &n, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, &info);
    return info;
}

static int by_pdposv(void)
{
    int info;
    pdposv_(uplo, &n, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, &info);
    return info;
}

/* What is in a is added to. */
static int by_pdgemm_of(const char *of_a, const char *of_b, int m)
{
    const double alpha = 1;
    pdgemm_(of_a, of_b, &m, &n, &n, &alpha, original, &one, &one, desc, original, &one, &one, desc,
            &alpha, a, &one, &one, desc);
    return 0;
}

static int by_pdgemm(void)
{
    return by_pdgemm_of("N", "N", n);
}

static int by_pdgemm_tn(void)
{
    return by_pdgemm_of("T", "N", n);
}

static int by_pdgemm_nt(void)
{
    return by_pdgemm_of("N", "T", n);
}

static int by_pdgemm_flat(void)
{
    return by_pdgemm_of("N", "N", n / 2);
}

#ifndef SCALAPACK_ALONE
static int by_bsp_pdgels(void)
{
    int info, half = n / 2;
    bsp_pdgels_("N", &n, &half, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, work,
                &lwork, &info);
    return info;
}

static int by_bsp_pdgels_wide(void)
{
    int info, half = n / 2;
    bsp_pdgels_("N", &half, &n, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, work,
                &lwork, &info);
    return info;
}

static int by_bsp_pdgeqrf(void)
{
    int info;
    bsp_pdgeqrf_(&n, &n, a, &one, &one, desc, tau, work, &lwork, &info);
    return info;
}

static int by_bsp_pdpotrf(void)
{
    int info;
    bsp_pdpotrf_(uplo, &n, a, &one, &one, desc, &info);
    return info;
}

static int by_bsp_pdgetrs(void)
{
    int info;
    bsp_pdgetrs_("N", &n, &sides_wanted, a, &one, &one, desc, pivots, sides, &one, &one, desc_b,
                 &info);
    return info;
}

static int by_bsp_pdpotrs(void)
{
    int info;
    bsp_pdpotrs_(uplo, &n, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, &info);
    return info;
}

static int by_bsp_pdgesv(void)
{
    int info;
    bsp_pdgesv_(&n, &sides_wanted, a, &one, &one, desc, pivots, sides, &one, &one, desc_b, &info);
    return info;
}

static int by_bsp_pdposv(void)
{
    int info;
    bsp_pdposv_(uplo, &n, &sides_wanted, a, &one, &one, desc, sides, &one, &one, desc_b, &info);
    return info;
}

static int by_bsp_pdgetrf_so(int way)
{
    int info;
    bsp_lu_panel(way);
    bsp_pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
    return info;
}

static int by_bsp_pdgetrf(void)
{
    return by_bsp_pdgetrf_so(0);
}

static int by_alone(void)
{
    return by_bsp_pdgetrf_so(BSP_LU_ALONE);
}

static int by_together(void)
{
    return by_bsp_pdgetrf_so(BSP_LU_TOGETHER);
}

static int by_tournament(void)
{
    return by_bsp_pdgetrf_so(BSP_LU_TOURNAMENT);
}

static int by_together_in_step(void)
{
    return by_bsp_pdgetrf_so(BSP_LU_TOGETHER | BSP_LU_IN_STEP);
}

static int by_tournament_in_step(void)
{
    return by_bsp_pdgetrf_so(BSP_LU_TOURNAMENT | BSP_LU_IN_STEP);
}
#endif

static const struct way {
    const char *name;
    int (*factor)(void);
    int definite;         /* the diagonal is heavy */
    int (*prepare)(void); /* what comes before and is not timed */
} ways[] = {
#ifndef SCALAPACK_ALONE
    {"bsp_pdgetrf", by_bsp_pdgetrf, 0, NULL},
    {"bsp_pdpotrf", by_bsp_pdpotrf, 1, NULL},
    {"bsp_pdgeqrf", by_bsp_pdgeqrf, 0, NULL},
    {"bsp_pdgels", by_bsp_pdgels, 0, NULL},
    {"bsp_pdgels-wide", by_bsp_pdgels_wide, 0, NULL},
    {"bsp_pdgetrs", by_bsp_pdgetrs, 0, by_pdgetrf},
    {"bsp_pdpotrs", by_bsp_pdpotrs, 1, by_pdpotrf},
    {"bsp_pdgesv", by_bsp_pdgesv, 0, NULL},
    {"bsp_pdposv", by_bsp_pdposv, 1, NULL},
    {"alone", by_alone, 0, NULL},
    {"together", by_together, 0, NULL},
    {"tournament", by_tournament, 0, NULL},
    {"together-in-step", by_together_in_step, 0, NULL},
    {"tournament-in-step", by_tournament_in_step, 0, NULL},
#endif
    {"pdgetrf", by_pdgetrf, 0, NULL},
    {"pdpotrf", by_pdpotrf, 1, NULL},
    {"pdgeqrf", by_pdgeqrf, 0, NULL},
    {"pdormqr", by_pdormqr, 0, by_pdgeqrf},
    {"pdormqr-t", by_pdormqr_t, 0, by_pdgeqrf},
    {"pdormqr-right", by_pdormqr_right, 0, by_pdgeqrf},
    {"pdormqr-few", by_pdormqr_few, 0, by_pdgeqrf},
    {"pdormqr-below", by_pdormqr_below, 0, by_pdgeqrf_below},
    {"pdsytrd", by_pdsytrd, 0, NULL},
    {"pzhetrd", by_pzhetrd, 0, NULL},
    {"pdstedc", by_pdstedc, 0, make_tridiagonal},
    {"pdgebrd", by_pdgebrd, 0, NULL},
    {"pdgels", by_pdgels, 0, NULL},
    {"pdgels-wide", by_pdgels_wide, 0, NULL},
    {"pdgetrs", by_pdgetrs, 0, by_pdgetrf},
    {"pdpotrs", by_pdpotrs, 1, by_pdpotrf},
    {"pdgesv", by_pdgesv, 0, NULL},
    {"pdposv", by_pdposv, 1, NULL},
    {"pdgemm", by_pdgemm, 0, NULL},
    {"pdgemm-tn", by_pdgemm_tn, 0, NULL},
    {"pdgemm-nt", by_pdgemm_nt, 0, NULL},
    {"pdgemm-flat", by_pdgemm_flat, 0, NULL},
};

static const struct way *way_called(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    fprintf(stderr, "factor: no %s\n", name);
    exit(2);
}

static void set_block(void)
{
#ifndef SCALAPACK_ALONE
    bsp_lu_measure(getenv("BENCH_PARTS") != NULL);
    if (getenv("BENCH_BLOCK"))
        bsp_lu_block(atoi(getenv("BENCH_BLOCK")));
    if (getenv("BENCH_PANEL"))
        bsp_lu_panel(atoi(getenv("BENCH_PANEL")));
#endif
    if (getenv("BENCH_UPLO"))
        uplo = getenv("BENCH_UPLO");
}

static int runs_wanted(void)
{
    int wish = getenv("BENCH_RUNS") ? atoi(getenv("BENCH_RUNS")) : n > LARGE ? RUNS_OF_LARGE : RUNS;
    return wish < 1 ? 1 : wish > MOST_RUNS ? MOST_RUNS : wish;
}

static void print_parts(void)
{
#ifndef SCALAPACK_ALONE
    bsp_lu_parts p;
    bsp_lu_last(&p);
    if (getenv("BENCH_PARTS"))
        fprintf(
            stderr,
            "process %d: block %d, %.3f ms: computation %.3f, packing %.3f, syncs %.3f, of that "
            "idling %.3f; %zu supersteps, %.2f Mflop, %zu bytes sent, %zu received\n",
            me, p.block, 1e3 * p.total, 1e3 * p.computation, 1e3 * p.packing, 1e3 * p.syncs,
            1e3 * p.idling, p.supersteps, 1e-6 * p.flops, p.sent, p.received);
#endif
}

/* ------------------------------------------------------------------ the runs */

static int is_diagonal(int i, int j)
{
    return (i / nb * nprow + row) * nb + i % nb == (j / nb * npcol + column) * nb + j % nb;
}

/* Microseconds of one run. */
static double run(const struct way *w, int k)
{
    memcpy(a, original, elements * sizeof *a);
    for (int j = 0; j < k && w->definite; j++)
        for (int i = 0; i < ld; i++)
            if (is_diagonal(i, j))
                a[i + (size_t)j * (size_t)ld] += n;
    for (size_t i = 0; i < (size_t)ld * (size_t)sides_wanted; i++)
        sides[i] = original[i % (size_t)ld];
    int info = w->prepare ? w->prepare() : 0;
    Cblacs_barrier(context, "All");
    double start = now_us();
    info = info ? info : w->factor();
    Cblacs_barrier(context, "All");
    if (info) {
        fprintf(stderr, "factor: %s gives info %d\n", w->name, info);
        exit(1);
    }
    return now_us() - start;
}

static void open_matrix(int k, int width)
{
    elements = (size_t)ld * (size_t)(k > 1 ? k : 1) * (size_t)width;
    a = malloc(elements * sizeof *a);
    original = malloc(elements * sizeof *original);
    c = malloc(elements * sizeof *c);
    sides = malloc((size_t)ld * (size_t)sides_wanted * sizeof *sides);
    lwork = width * (k + nb * (2 * ld + 2 * k + 4 * nb + sides_wanted)) + 6 * n + 2 * (int)elements;
    tau = malloc((size_t)(k + nb) * (size_t)width * sizeof *tau);
    taup = malloc((size_t)(ld + nb) * sizeof *taup);
    diagonal = malloc((size_t)(n + nb) * sizeof *diagonal);
    beside = malloc((size_t)(n + nb) * sizeof *beside);
    work = malloc((size_t)lwork * sizeof *work);
    integers = malloc((size_t)(7 * n + 8 * npcol + 2) * sizeof *integers);
    pivots = malloc((size_t)(ld + nb) * sizeof *pivots);
    srand((unsigned)me + 1);
    for (size_t i = 0; i < elements; i++)
        c[i] = original[i] = rand() / (double)RAND_MAX - 0.5;
}

int main(int argc, char **argv)
{
    static double took[MOST_NAMES][MOST_RUNS];
    const struct way *chosen[MOST_NAMES] = {&ways[0]};
    int zero = 0, info, count = 0, width = 1;
    n = argc > 1 ? atoi(argv[1]) : 1000, nb = argc > 2 ? atoi(argv[2]) : 32;
    nprow = argc > 3 ? atoi(argv[3]) : 2, npcol = argc > 4 ? atoi(argv[4]) : 2;
    while (count + 5 < argc && count < MOST_NAMES) {
        chosen[count] = way_called(argv[5 + count]);
        width = chosen[count]->name[1] == 'z' ? 2 : width;
        count++;
    }
    count = count ? count : 1;
    int runs = runs_wanted();

    Cblacs_pinfo(&me, &processes);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, getenv("BENCH_COLUMNS") ? "Column" : "Row", nprow, npcol);
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    set_block();
    sides_wanted = getenv("BENCH_SIDES") ? atoi(getenv("BENCH_SIDES")) : nb;
    int m = numroc_(&n, &nb, &row, &zero, &nprow), k = numroc_(&n, &nb, &column, &zero, &npcol);
    ld = m > 1 ? m : 1;
    descinit_(desc, &n, &n, &nb, &nb, &zero, &zero, &context, &ld, &info);
    descinit_(desc_b, &n, &sides_wanted, &nb, &nb, &zero, &zero, &context, &ld, &info);
    open_matrix(k, width);
    for (int i = 0; i <= runs; i++) /* the first warms up */
        for (int w = 0; w < count; w++) {
            double us = run(chosen[w], k);
            if (i)
                took[w][i - 1] = us;
        }
    print_parts();
    for (int w = 0; w < count && me == 0; w++)
        printf("%s n=%d,nb=%d,%dx%d %.1f\n", chosen[w]->name, n, nb, nprow, npcol,
               median(took[w], runs));
    free(a);
    free(c);
    free(original);
    free(sides);
    free(tau);
    free(taup);
    free(diagonal);
    free(beside);
    free(work);
    free(integers);
    free(pivots);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return 0;
}
