/*
 * Symmetric matrices made tridiagonal by libopenblacs_factor: random ones, carried out by
 * ob_lu_reduce and by PDSYTRD's name, which may leave them to the ScaLAPACK behind: Q T Q^T must be
 * A. Then calls that are ScaLAPACK's, and PDSYEVD, which calls PDSYTRD by name, against LAPACK.
 */
#include "matrix.h"

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/factor.h"

#include <stdbool.h>

void pdsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *ia,
              const int *ja, const int *desca, double *w, double *z, const int *iz, const int *jz,
              const int *descz, double *work, const int *lwork, int *iwork, const int *liwork,
              int *info);
void dsyev_(const char *job, const char *uplo, const int *n, double *a, const int *ld, double *w,
            double *work, const int *lwork, int *info);

/* A begins at (i, j), zero-based, of its array. */
typedef struct problem {
    char type, uplo;
    int n, i, j;
    int idle; /* this row and column are zeros */
    layout a;
    void *local, *d, *e, *tau;
} problem;

static int carried_out, passed_on;
static const double untouched = 77;

/* ------------------------------------------------------------- right or wrong */

static double element(const problem *p, int i, int j)
{
    double complex room;
    int low = i < j ? i : j, high = i < j ? j : i;
    if (i == p->idle || j == p->idle)
        return 0;
    set(p->type, &room, 0, random_number(5, (size_t)high, (size_t)low));
    return creal(get(p->type, &room, 0));
}

static bool is_in(const problem *p, int i, int j)
{
    bool inside = i >= p->i && i < p->i + p->n && j >= p->j && j < p->j + p->n;
    return inside && (p->uplo == 'L' ? i - p->i >= j - p->j : i - p->i <= j - p->j);
}

/* Its triangle, and numbers that nobody may use, or change, elsewhere. */
static void fill(problem *p)
{
    for (int j = 0; j < p->a.desc[3]; j++)
        for (int i = 0; i < p->a.desc[2]; i++)
            if (place_of(&p->a, i, j) >= 0)
                set(p->type, p->local, (size_t)place_of(&p->a, i, j),
                    is_in(p, i, j) ? element(p, i - p->i, j - p->j) : untouched);
}

static void open_problem(problem *p)
{
    size_t columns = (size_t)local_columns(&p->a) + 1;
    p->local = calloc((size_t)p->a.desc[8] * columns, 16);
    p->d = calloc(columns, 16);
    p->e = calloc(columns, 16);
    p->tau = calloc(columns, 16);
    fill(p);
}

static void close_problem(problem *p)
{
    free(p->local);
    free(p->d);
    free(p->e);
    free(p->tau);
}

/* All of them, as the first process row has them; every other must have the same. */
static void all_of(const problem *p, const void *local, double *whole)
{
    for (int j = 0; j < p->n; j++) {
        int g = p->j + j, at = local_of(g, p->a.desc[5], p->a.columns);
        bool mine = owner_of(g, p->a.desc[5], p->a.desc[7], p->a.columns) == p->a.column;
        double value = mine ? creal(get(p->type, local, (size_t)at)) : 0;
        whole[j] = p->a.row ? 0 : value;
        Cdgsum2d(p->a.context, "All", " ", 1, 1, &whole[j], 1, -1, -1);
        check(!mine || whole[j] == value, "process rows have %g and %g of column %d", value,
              whole[j], j);
    }
}

/* X = H X of reflection j, an n x n matrix. */
static void reflect(const problem *p, const double *whole, const double *tau, int j, double *x)
{
    const size_t m = (size_t)p->a.desc[2], n = (size_t)p->n;
    double *v = calloc(n, sizeof *v);
    v[j + 1] = 1;
    for (size_t i = (size_t)j + 2; i < n; i++)
        v[i] = whole[(size_t)p->i + i + (size_t)(p->j + j) * m];
    for (size_t l = 0; l < n; l++) {
        double sum = 0;
        for (size_t i = (size_t)j + 1; i < n; i++)
            sum += v[i] * x[i + l * n];
        for (size_t i = (size_t)j + 1; i < n; i++)
            x[i + l * n] -= tau[j] * sum * v[i];
    }
    free(v);
}

/* X = Q X, Q = H(1) H(2) ... */
static void transform(const problem *p, const double *whole, const double *tau, double *x)
{
    for (int j = p->n - 2; j >= 0; j--)
        reflect(p, whole, tau, j, x);
}

static void transpose(int n, double *x)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double keep = x[i + j * n];
            x[i + j * n] = x[j + i * n];
            x[j + i * n] = keep;
        }
}

/* Of Q T Q^T from A, of Q Q^T from 1, and of what stands around A. */
static double error_of(const problem *p)
{
    const int n = p->n, m = p->a.desc[2];
    const size_t all = (size_t)n * (size_t)n;
    double *whole = calloc((size_t)m * (size_t)p->a.desc[3], sizeof *whole), most = 0;
    double *x = calloc(all, sizeof *x), *q = calloc(all, sizeof *q);
    double *line = calloc(3 * (size_t)n, sizeof *line), *d = line, *e = d + n, *tau = e + n;
    void *typed = gathered(&p->a, p->type, p->local);
    for (int i = 0; i < m * p->a.desc[3]; i++) {
        whole[i] = creal(get(p->type, typed, (size_t)i));
        if (!is_in(p, i % m, i / m))
            check(whole[i] == untouched, "(%d, %d) was changed to %g", i % m, i / m, whole[i]);
    }
    all_of(p, p->d, d);
    all_of(p, p->e, e);
    all_of(p, p->tau, tau);
    for (int j = 0; j < n; j++) {
        const double *corner = whole + p->i + j + (p->j + j) * m;
        q[j + j * n] = 1;
        x[j + j * n] = d[j];
        check(corner[0] == d[j] && (j + 1 == n || corner[1] == e[j]), "D or E is not in A");
        if (j + 1 < n)
            x[j + 1 + j * n] = x[j + (j + 1) * n] = e[j];
    }
    check(tau[n - 1] == 0, "the last TAU is %g", tau[n - 1]);
    transform(p, whole, tau, x);
    transpose(n, x);
    transform(p, whole, tau, x);
    transform(p, whole, tau, q);
    transpose(n, q);
    transform(p, whole, tau, q);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double far = fabs(x[i + j * n] - element(p, i, j));
            most = far > most || isnan(far) ? far : most;
        }
    free(typed);
    free(whole);
    free(x);
    free(q);
    free(line);
    return most / (n * epsilon_of(p->type));
}

/* ------------------------------------------------------------------ one call */

static bool offer(const problem *p)
{
    ob_lu_offer(0);
    ob_lu_reduce(&(ob_lu_tridiagonal){.type = p->type,
                                      .uplo = p->uplo,
                                      .n = p->n,
                                      .a = {p->local, p->i + 1, p->j + 1, p->a.desc},
                                      .d = p->d,
                                      .e = p->e,
                                      .tau = p->tau});
    return ob_lu_taken();
}

/* Returns info, and in *least what it asks for. */
static int by_name(const problem *p, int lwork, int *least)
{
    int ia = p->i + 1, ja = p->j + 1, info = -99;
    void *work = calloc((size_t)(lwork > 0 ? lwork : 1), 8);
    if (p->type == 's')
        pssytrd_(&p->uplo, &p->n, p->local, &ia, &ja, p->a.desc, p->d, p->e, p->tau, work, &lwork,
                 &info);
    else
        pdsytrd_(&p->uplo, &p->n, p->local, &ia, &ja, p->a.desc, p->d, p->e, p->tau, work, &lwork,
                 &info);
    *least = (int)creal(get(p->type, work, 0));
    free(work);
    return info;
}

static void check_result(const problem *p, const char *how)
{
    double error = error_of(p);
    check(error < 5, "%c %d at (%d, %d) in %d x %d on %d x %d, %s: %g eps", p->type, p->n, p->i,
          p->j, p->a.desc[4], p->a.desc[5], p->a.rows, p->a.columns, how, error);
}

/* -------------------------------------------------------------- by the dice */

/* odd: it begins within a block. */
static void try_any(int context, bool odd, dice *d)
{
    int rows, columns, row, column, asked, least = -1;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    problem p = {.type = "sd"[roll(d, 2)], .uplo = 'L', .n = 1 + roll(d, 80)};
    int block = 1 + odd + roll(d, roll(d, 3) ? 16 : 40);
    p.idle = roll(d, 80);
    p.i = block * roll(d, 4) + odd;
    p.j = block * roll(d, 4);
    describe(&p.a, context, p.i + p.n + roll(d, 5), p.j + p.n + roll(d, 5), block, block,
             roll(d, rows), roll(d, columns));
    open_problem(&p);
    bool done = offer(&p);
    check(done == !odd, "%c: was %scarried out", p.type, done ? "" : "not ");
    carried_out += done;
    passed_on += !done;
    if (done) {
        check_result(&p, "carried out");
        fill(&p);
        check(by_name(&p, -1, &asked) == 0, "asking for LWORK");
        check(by_name(&p, asked, &least) == 0 && least == asked, "LWORK is %d, not %d", least,
              asked);
        check_result(&p, "by name");
    }
    close_problem(&p);
}

/* ------------------------------------------------------------------ by name */

/* By name it is the same as carried out, bit for bit, where that is `wanted`; ScaLAPACK adds up in
 * another order. */
static void try_named(int context, int n, int block, bool wanted)
{
    int asked, least = -1;
    problem p = {.type = 'd', .uplo = 'L', .n = n, .idle = -1};
    describe(&p.a, context, n, n, block, block, 0, 0);
    open_problem(&p);
    check(offer(&p), "%d: was not carried out", n);
    size_t bytes = (size_t)p.a.desc[8] * (size_t)local_columns(&p.a) * sizeof(double);
    void *carried = malloc(bytes + 1);
    memcpy(carried, p.local, bytes);
    fill(&p);
    by_name(&p, -1, &asked);
    check(by_name(&p, asked, &least) == 0, "%d by name", n);
    check_result(&p, "by name, long");
    int same = memcmp(carried, p.local, bytes) == 0;
    Cigamn2d(context, "All", " ", 1, 1, &same, 1, NULL, NULL, -1, -1, -1);
    check(same == wanted, "%d in blocks of %d on %d x %d: by name it was %s", n, block, p.a.rows,
          p.a.columns, same ? "carried out" : "passed on");
    free(carried);
    close_problem(&p);
}

/* What is wrong is told by ScaLAPACK, also where one process alone has less memory; and the upper
 * triangle is its own. */
static void try_others(int context)
{
    int asked, least = -1;
    problem p = {.type = 'd', .uplo = 'L', .n = 64, .idle = -1};
    double squares[2] = {0};
    describe(&p.a, context, 64, 64, 8, 8, 0, 0);
    open_problem(&p);
    by_name(&p, -1, &asked);
    int lwork = p.a.row + p.a.column == 0 ? asked - 1 : asked;
    check(by_name(&p, lwork, &least) == -11, "too little LWORK on process (0, 0)");
    p.n = 65;
    check(by_name(&p, asked, &least) < 0, "a matrix that is larger than its array");
    p.n = 0;
    check(by_name(&p, asked, &least) == 0 && least == 24, "nothing to do");
    p.n = 64;
    p.uplo = 'U';
    check(!offer(&p), "the upper triangle was carried out");
    fill(&p);
    check(by_name(&p, asked, &least) == 0, "the upper triangle");
    double d[64], e[64];
    all_of(&p, p.d, d);
    all_of(&p, p.e, e);
    for (int j = 0; j < 64; j++) {
        squares[0] += d[j] * d[j] + (j ? 2 * e[j] * e[j] : 0);
        for (int i = 0; i < 64; i++)
            squares[1] += element(&p, i, j) * element(&p, i, j);
    }
    check(fabs(squares[0] - squares[1]) < 1e-12 * squares[1], "T of the upper triangle is as long");
    close_problem(&p);
}

static void try_driver(int context)
{
    enum { N = 150, BLOCK = 16 };
    int one = 1, n = N, ask = -1, info, lwork, liwork = 7 * N + 8 * world.count + 2, size = 8 * N;
    problem p = {.type = 'd', .uplo = 'L', .n = N, .idle = 7};
    double *whole = calloc((size_t)N * N, sizeof *whole), found[N], right[N], best;
    double *room = calloc((size_t)size, sizeof *room);
    int *places = calloc((size_t)liwork, sizeof *places);
    describe(&p.a, context, N, N, BLOCK, BLOCK, 0, 0);
    open_problem(&p);
    problem z = p;
    z.local = calloc((size_t)p.a.desc[8] * (size_t)(local_columns(&p.a) + 1), 8);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            whole[i + j * N] = element(&p, i, j);
    dsyev_("N", "L", &n, whole, &n, right, room, &size, &info);
    pdsyevd_("V", "L", &n, p.local, &one, &one, p.a.desc, found, z.local, &one, &one, z.a.desc,
             &best, &ask, places, &liwork, &info);
    lwork = (int)best + 1000;
    double *work = calloc((size_t)lwork, sizeof *work), most = 0;
    pdsyevd_("V", "L", &n, p.local, &one, &one, p.a.desc, found, z.local, &one, &one, z.a.desc,
             work, &lwork, places, &liwork, &info);
    check(info == 0, "PDSYEVD: info is %d", info);
    double *vectors = gathered(&z.a, 'd', z.local);
    for (int l = 0; l < N; l++) {
        most = fmax(most, fabs(found[l] - right[l]));
        for (int i = 0; i < N; i++) {
            double rest = -found[l] * vectors[i + l * N];
            for (int j = 0; j < N; j++)
                rest += element(&p, i, j) * vectors[j + l * N];
            most = fmax(most, fabs(rest));
        }
    }
    check(most < 5 * N * epsilon_of('d'), "PDSYEVD: %g eps", most / epsilon_of('d'));
    free(vectors);
    free(z.local);
    free(whole);
    free(room);
    free(work);
    free(places);
    close_problem(&p);
}

/* tridiagonal [CASES SEED] */
int main(int argc, char **argv)
{
    dice d = {.seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
    int cases = argc > 1 ? atoi(argv[1]) : 40;
    begin();
    for (int rows = 1; rows <= world.count && !world.failed; rows++) {
        if (world.count % rows)
            continue;
        int context = make_grid(rows, world.count / rows);
        const bool near = ob_group_near(ob_blacs_group(context, 'A'));
        for (int i = 0; i < cases; i++)
            try_any(context, i % 8 == 7, &d);
        try_named(context, 130, 32, near);
        try_named(context, 33, 32, near);
        try_named(context, 32, 32, false);
        try_others(context);
        try_driver(context);
        Cblacs_gridexit(context);
    }
    check(carried_out >= cases / 2, "%d were carried out", carried_out);
    check(passed_on > 0, "none was passed on");
    return finish();
}
