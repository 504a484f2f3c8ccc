/*
 * Drivers of a ScaLAPACK that nobody here wrote (Intel's MKL, AMD's, netlib's), called as their
 * users call them; every answer is checked. One line a driver: "name error microseconds". With
 * "N NB ROUNDS [DRIVER ...]" as arguments: the order, the block, how often (the time is the
 * median), which. Run by tests/run/mkl.sh, linked with the ScaLAPACK in question and, to compare,
 * with its own BLACS.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int *, int *);
void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
void Cblacs_gridexit(int);
void Cblacs_barrier(int, const char *);
void Cblacs_exit(int);
double dwalltime00_(void);
void dgebs2d_(const int *, const char *, const char *, const int *, const int *, const double *,
              const int *);
void dgebr2d_(const int *, const char *, const char *, const int *, const int *, double *,
              const int *, const int *, const int *);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *,
               const int *, const int *, int *);
void pdgemr2d_(const int *, const int *, const double *, const int *, const int *, const int *,
               double *, const int *, const int *, const int *, const int *);
void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
             const double *, const int *, const int *, const int *, const double *, const int *,
             const int *, const int *, const double *, double *, const int *, const int *,
             const int *);
void pzgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
             const double *, const int *, const int *, const int *, const double *, const int *,
             const int *, const int *, const double *, double *, const int *, const int *,
             const int *);
void pdtran_(const int *, const int *, const double *, const double *, const int *, const int *,
             const int *, const double *, double *, const int *, const int *, const int *);
void pdgesv_(const int *, const int *, double *, const int *, const int *, const int *, int *,
             double *, const int *, const int *, const int *, int *);
void pdposv_(const char *, const int *, const int *, double *, const int *, const int *,
             const int *, double *, const int *, const int *, const int *, int *);
void pdgels_(const char *, const int *, const int *, const int *, double *, const int *,
             const int *, const int *, double *, const int *, const int *, const int *, double *,
             const int *, int *);
void pdsyev_(const char *, const char *, const int *, double *, const int *, const int *,
             const int *, double *, double *, const int *, const int *, const int *, double *,
             const int *, int *);
void pdsyevd_(const char *, const char *, const int *, double *, const int *, const int *,
              const int *, double *, double *, const int *, const int *, const int *, double *,
              const int *, int *, const int *, int *);
void pdsyevr_(const char *, const char *, const char *, const int *, double *, const int *,
              const int *, const int *, const double *, const double *, const int *, const int *,
              int *, int *, double *, double *, const int *, const int *, const int *, double *,
              const int *, int *, const int *, int *);
void pdgesvd_(const char *, const char *, const int *, const int *, double *, const int *,
              const int *, const int *, double *, double *, const int *, const int *, const int *,
              double *, const int *, const int *, const int *, double *, const int *, int *);

static const int ONE = 1, ZERO = 0;
static int n, nb, grid, line, rows, columns, row, column, count, me;
static double begun, taken;

/* Matrices: whole ones are n x n on process 0 (desc_whole), distributed ones are local pieces. */
static int desc[9], desc_whole[9], desc_line[9], mine;

static double element(int which, int i, int j) /* some numbers in -1 .. 1, the same everywhere */
{
    unsigned h = (unsigned)(which * 7919 + i * 104729 + j * 1299709 + 17);
    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return (double)(h ^ h >> 16) / 2147483648.0 - 1;
}

static double *fresh(size_t many)
{
    double *a = calloc(many + 1, sizeof *a);
    if (!a)
        exit(3);
    return a;
}

/* Kinds of test matrices. */
enum { GENERAL, SYMMETRIC, POSITIVE };
static double *whole(int which, int kind)
{
    double *a = fresh((size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i + (size_t)j * (size_t)n] =
                (kind == GENERAL ? element(which, i, j)
                                 : element(which, i < j ? i : j, i < j ? j : i)) +
                (kind == POSITIVE && i == j ? 2 * n : 0);
    return a;
}

static double *spread(const double *all)
{
    double *part = fresh((size_t)mine);
    pdgemr2d_(&n, &n, all, &ONE, &ONE, desc_whole, part, &ONE, &ONE, desc, &grid);
    return part;
}

static double *gathered(const double *part)
{
    double *all = fresh((size_t)n * (size_t)n);
    pdgemr2d_(&n, &n, part, &ONE, &ONE, desc, all, &ONE, &ONE, desc_whole, &grid);
    return all;
}

/* C = op(A) B, by hand. */
static double *product(const double *a, int transposed, const double *b)
{
    double *c = fresh((size_t)n * (size_t)n);
    size_t s = (size_t)n;
    for (size_t j = 0; j < s; j++)
        for (size_t k = 0; k < s; k++)
            for (size_t i = 0; i < s; i++)
                c[i + j * s] += (transposed ? a[k + i * s] : a[i + k * s]) * b[k + j * s];
    return c;
}

static double apart(const double *a, const double *b) /* the largest difference; NaN counts */
{
    double most = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (!(fabs(a[i] - b[i]) <= most))
            most = fabs(a[i] - b[i]);
    return most;
}

static void start(void)
{
    Cblacs_barrier(grid, "A");
    begun = dwalltime00_();
}

static void stop(void)
{
    Cblacs_barrier(grid, "A");
    taken = dwalltime00_() - begun;
}

static double failed(int info) /* an INFO that is not 0 is an error of its size */
{
    return info ? 1e6 + abs(info) : 0;
}

static double gemm(void)
{
    double *a = whole(1, GENERAL), *b = whole(2, GENERAL), alpha = 1, beta = 0, error = 0;
    for (int transposed = 0; transposed < 2; transposed++) {
        double *pa = spread(a), *pb = spread(b), *pc = fresh((size_t)mine);
        start();
        pdgemm_(transposed ? "T" : "N", "N", &n, &n, &n, &alpha, pa, &ONE, &ONE, desc, pb, &ONE,
                &ONE, desc, &beta, pc, &ONE, &ONE, desc);
        stop();
        double *c = gathered(pc), *want = product(a, transposed, b);
        error = me == 0 ? fmax(error, apart(c, want)) : 0;
    }
    return error;
}

/* A part that does not begin at (1,1): another path of the PBLAS. */
static double gemm_part(void)
{
    double *a = whole(1, GENERAL), *b = whole(2, GENERAL), alpha = 1, beta = 0;
    double *pa = spread(a), *pb = spread(b), *pc = fresh((size_t)mine);
    int m = n - 3, at = 4;
    start();
    pdgemm_("N", "N", &m, &m, &m, &alpha, pa, &at, &at, desc, pb, &at, &at, desc, &beta, pc, &at,
            &at, desc);
    stop();
    double *c = gathered(pc);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i < 3 || j < 3)
                a[i + (size_t)j * (size_t)n] = b[i + (size_t)j * (size_t)n] = 0;
    return me == 0 ? apart(c, product(a, 0, b)) : 0;
}

static double zgemm(void) /* (A + iA)(B - iB) = 2 A B */
{
    double *a = whole(1, GENERAL), *b = whole(2, GENERAL), alpha[2] = {1, 0}, beta[2] = {0, 0};
    double *pa = spread(a), *pb = spread(b), *pc = fresh((size_t)mine);
    double *za = fresh(2 * (size_t)mine), *zb = fresh(2 * (size_t)mine),
           *zc = fresh(2 * (size_t)mine);
    for (int i = 0; i < mine; i++) {
        za[2 * i] = za[2 * i + 1] = pa[i];
        zb[2 * i] = pb[i];
        zb[2 * i + 1] = -pb[i];
    }
    start();
    pzgemm_("N", "N", &n, &n, &n, alpha, za, &ONE, &ONE, desc, zb, &ONE, &ONE, desc, beta, zc, &ONE,
            &ONE, desc);
    stop();
    double imaginary = 0;
    for (int i = 0; i < mine; i++) {
        pc[i] = zc[2 * i] / 2;
        imaginary = fmax(imaginary, fabs(zc[2 * i + 1]));
    }
    double *c = gathered(pc);
    return me == 0 ? fmax(imaginary, apart(c, product(a, 0, b))) : 0;
}

static double tran(void)
{
    double *a = whole(3, GENERAL), *pa = spread(a), *pc = fresh((size_t)mine), alpha = 1, beta = 0;
    start();
    pdtran_(&n, &n, &alpha, pa, &ONE, &ONE, desc, &beta, pc, &ONE, &ONE, desc);
    stop();
    double *c = gathered(pc), *unit = fresh((size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        unit[i + (size_t)i * (size_t)n] = 1;
    return me == 0 ? apart(c, product(a, 1, unit)) : 0;
}

/* A X = B with A of a kind; what B - A X is. */
static double solve(int kind, int by_qr)
{
    double *a = whole(4, kind), *b = whole(5, GENERAL), *pa = spread(a), *pb = spread(b);
    int info = 0, *pivots = calloc((size_t)(n + 2 * nb), sizeof *pivots);
    int lwork = 4 * mine + 4 * nb * (n + nb) + 100000;
    double *work = fresh((size_t)lwork);
    start();
    if (by_qr)
        pdgels_("N", &n, &n, &n, pa, &ONE, &ONE, desc, pb, &ONE, &ONE, desc, work, &lwork, &info);
    else if (kind == POSITIVE)
        pdposv_("L", &n, &n, pa, &ONE, &ONE, desc, pb, &ONE, &ONE, desc, &info);
    else
        pdgesv_(&n, &n, pa, &ONE, &ONE, desc, pivots, pb, &ONE, &ONE, desc, &info);
    stop();
    double *x = gathered(pb);
    return fmax(failed(info), me == 0 ? apart(product(a, 0, x), b) / n : 0);
}

static double lu(void)
{
    return solve(GENERAL, 0);
}
static double cholesky(void)
{
    return solve(POSITIVE, 0);
}
static double qr(void)
{
    return solve(GENERAL, 1);
}

/* A Z = Z diag(w). */
static double eigen(char by)
{
    double *a = whole(6, SYMMETRIC), *pa = spread(a), *pz = fresh((size_t)mine);
    double *w = fresh((size_t)n), *work, want[8], vl = 0, vu = 0;
    int info = 0, m = n, nz = n, ask = -1, lwork, liwork, *iwork, iwant[8];
    for (int pass = 0; pass < 2; pass++) { /* ask for the work space first */
        lwork = pass ? (int)want[0] + 10 * n : ask;
        liwork = pass ? iwant[0] + 10 * n : ask;
        work = pass ? fresh((size_t)lwork) : want;
        iwork = pass ? calloc((size_t)liwork, sizeof *iwork) : iwant;
        if (pass)
            start();
        if (by == 'd')
            pdsyevd_("V", "U", &n, pa, &ONE, &ONE, desc, w, pz, &ONE, &ONE, desc, work, &lwork,
                     iwork, &liwork, &info);
        else if (by == 'r')
            pdsyevr_("V", "A", "U", &n, pa, &ONE, &ONE, desc, &vl, &vu, &ONE, &n, &m, &nz, w, pz,
                     &ONE, &ONE, desc, work, &lwork, iwork, &liwork, &info);
        else
            pdsyev_("V", "U", &n, pa, &ONE, &ONE, desc, w, pz, &ONE, &ONE, desc, work, &lwork,
                    &info);
    }
    stop();
    double *z = gathered(pz), *az = product(a, 0, z);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            z[i + (size_t)j * (size_t)n] *= w[j];
    return fmax(failed(info), me == 0 ? fmax(apart(az, z), nz == n && m == n ? 0 : 1) : 0);
}

static double syev(void)
{
    return eigen('q');
}
static double syevd(void)
{
    return eigen('d');
}
static double syevr(void)
{
    return eigen('r');
}

/* A = U diag(s) V^T. */
static double svd(void)
{
    double *a = whole(7, GENERAL), *pa = spread(a), *pu = fresh((size_t)mine),
           *pv = fresh((size_t)mine);
    double *s = fresh((size_t)n), want[8], *work = want;
    int info = 0, lwork = -1;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            lwork = (int)want[0] + 10 * n;
            work = fresh((size_t)lwork);
            start();
        }
        pdgesvd_("V", "V", &n, &n, pa, &ONE, &ONE, desc, s, pu, &ONE, &ONE, desc, pv, &ONE, &ONE,
                 desc, work, &lwork, &info);
    }
    stop();
    double *u = gathered(pu), *v = gathered(pv);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            u[i + (size_t)j * (size_t)n] *= s[j];
    return fmax(failed(info), me == 0 ? apart(product(u, 0, v), a) : 0);
}

/* To a grid of one row with wider blocks, and back. */
static double gemr2d(void)
{
    double *a = whole(8, GENERAL), *pa = spread(a), *pb = fresh((size_t)n * (size_t)n);
    memset(desc_line, -1, sizeof desc_line);
    int wide = nb + 5, info;
    descinit_(desc_line, &n, &n, &wide, &wide, &ZERO, &ZERO, &line, &n, &info);
    start();
    pdgemr2d_(&n, &n, pa, &ONE, &ONE, desc, pb, &ONE, &ONE, desc_line, &grid);
    memset(pa, 0, (size_t)mine * sizeof *pa);
    pdgemr2d_(&n, &n, pb, &ONE, &ONE, desc_line, pa, &ONE, &ONE, desc, &grid);
    stop();
    double *b = gathered(pa);
    return me == 0 ? apart(a, b) : 0;
}

static const struct driver {
    const char *name;
    double (*run)(void);
} drivers[] = {
    {"pdgemr2d", gemr2d}, {"pdgemm-part", gemm_part}, {"pdgesv", lu},     {"pdposv", cholesky},
    {"pdgels", qr},       {"pdgemm", gemm},           {"pzgemm", zgemm},  {"pdtran", tran},
    {"pdsyev", syev},     {"pdsyevd", syevd},         {"pdsyevr", syevr}, {"pdgesvd", svd}};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 4; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc <= 4;
}

static int run(const struct driver *d, int rounds)
{
    double error = 0, times[100], worst;
    for (int k = 0; k < rounds; k++) {
        worst = d->run();
        error = worst > error || worst != worst ? worst : error;
        times[k] = taken;
    }
    qsort(times, (size_t)rounds, sizeof times[0], by_value);
    if (me == 0) {
        printf("%-12s %.1e %9.0f\n", d->name, error, times[rounds / 2] * 1e6);
        fflush(stdout);
    }
    return me == 0 && !(error < 1e-7);
}

int main(int argc, char **argv)
{
    int rounds = argc > 3 ? atoi(argv[3]) : 1, bad = 0, info, r;
    n = argc > 1 ? atoi(argv[1]) : 100;
    nb = argc > 2 ? atoi(argv[2]) : 16;
    Cblacs_pinfo(&me, &count);
    for (rows = (int)sqrt(count + 0.5); count % rows; rows--)
        ;
    Cblacs_get(-1, 0, &grid);
    line = grid;
    Cblacs_gridinit(&grid, "R", rows, count / rows);
    Cblacs_gridinit(&line, "R", 1, count);
    Cblacs_gridinfo(grid, &rows, &columns, &row, &column);
    int local = numroc_(&n, &nb, &row, &ZERO, &rows), ld = local > 1 ? local : 1;
    mine = ld * (numroc_(&n, &nb, &column, &ZERO, &columns) + 1);
    descinit_(desc, &n, &n, &nb, &nb, &ZERO, &ZERO, &grid, &ld, &info);
    descinit_(desc_whole, &n, &n, &n, &n, &ZERO, &ZERO, &grid, &n, &info);
    rounds = rounds < 1 ? 1 : rounds > 100 ? 100 : rounds;
    for (r = 0; r < (int)(sizeof drivers / sizeof drivers[0]); r++)
        if (wanted(drivers[r].name, argc, argv))
            bad += run(&drivers[r], rounds);
    if (me == 0)
        printf(bad ? "%d drivers gave wrong answers\n" : "all answers are right\n", bad);
    Cblacs_gridexit(line);
    Cblacs_gridexit(grid);
    Cblacs_exit(0);
    return bad != 0;
}
