/*
 * Symmetric and Hermitian matrices made tridiagonal by libopenblacs_factor: random ones, carried
 * out by ob_lu_reduce and by PDSYTRD's or PZHETRD's name, which may leave them to the ScaLAPACK
 * behind: Q T Q^H must be A. Then calls that are ScaLAPACK's, PDSYEVD, which calls PDSYTRD by name,
 * against LAPACK, and PZHEEVD.
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
void pzheevd_(const char *job, const char *uplo, const int *n, void *a, const int *ia,
              const int *ja, const int *desca, double *w, void *z, const int *iz, const int *jz,
              const int *descz, void *work, const int *lwork, double *rwork, const int *lrwork,
              int *iwork, const int *liwork, int *info);
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

static number element(const problem *p, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    if (i == p->idle || j == p->idle)
        return 0;
    number x = rounded(p->type, random_number(5, (size_t)high, (size_t)low));
    return i == j ? creal(x) : i < j ? conj(x) : x;
}

static bool is_complex(const problem *p)
{
    return p->type == 'c' || p->type == 'z';
}

/* Of D and E. */
static char real_of(const problem *p)
{
    return p->type == 'c' ? 's' : p->type == 'z' ? 'd' : p->type;
}

static bool is_in(const problem *p, int i, int j)
{
    bool inside = i >= p->i && i < p->i + p->n && j >= p->j && j < p->j + p->n;
    return inside && (p->uplo == 'L' ? i - p->i >= j - p->j : i - p->i <= j - p->j);
}

/* Its triangle, and numbers that nobody may use, or change, elsewhere: nor use as imaginary parts
 * of the diagonal. */
static void fill(problem *p)
{
    for (int j = 0; j < p->a.desc[3]; j++)
        for (int i = 0; i < p->a.desc[2]; i++) {
            number x = is_in(p, i, j) ? element(p, i - p->i, j - p->j) : untouched;
            if (i - p->i == j - p->j && is_in(p, i, j))
                x += I * untouched;
            if (place_of(&p->a, i, j) >= 0)
                set(p->type, p->local, (size_t)place_of(&p->a, i, j), x);
        }
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
static void all_of(const problem *p, char type, const void *local, number *whole)
{
    for (int j = 0; j < p->n; j++) {
        int g = p->j + j, at = local_of(g, p->a.desc[5], p->a.columns);
        bool mine = owner_of(g, p->a.desc[5], p->a.desc[7], p->a.columns) == p->a.column;
        number value = mine ? get(type, local, (size_t)at) : 0;
        double parts[2] = {p->a.row ? 0 : creal(value), p->a.row ? 0 : cimag(value)};
        Cdgsum2d(p->a.context, "All", " ", 2, 1, parts, 2, -1, -1);
        whole[j] = parts[0] + I * parts[1];
        check(!mine || whole[j] == value, "process rows have %g and %g of column %d", creal(value),
              creal(whole[j]), j);
    }
}

/* X = H X of reflection j, an n x n matrix. */
static void reflect(const problem *p, const number *whole, const number *tau, int j, number *x)
{
    const size_t m = (size_t)p->a.desc[2], n = (size_t)p->n;
    number *v = calloc(n, sizeof *v);
    v[j + 1] = 1;
    for (size_t i = (size_t)j + 2; i < n; i++)
        v[i] = whole[(size_t)p->i + i + (size_t)(p->j + j) * m];
    for (size_t l = 0; l < n; l++) {
        number sum = 0;
        for (size_t i = (size_t)j + 1; i < n; i++)
            sum += conj(v[i]) * x[i + l * n];
        for (size_t i = (size_t)j + 1; i < n; i++)
            x[i + l * n] -= tau[j] * sum * v[i];
    }
    free(v);
}

/* X = Q X, Q = H(1) H(2) ... */
static void transform(const problem *p, const number *whole, const number *tau, number *x)
{
    for (int j = p->n - 2; j >= 0; j--)
        reflect(p, whole, tau, j, x);
}

static void adjoin(int n, number *x)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            number keep = x[i + j * n];
            x[i + j * n] = conj(x[j + i * n]);
            x[j + i * n] = conj(keep);
        }
}

static double farther(double most, number difference)
{
    double far = cabs(difference);
    return far > most || isnan(far) ? far : most;
}

/* Of Q T Q^H from A, of Q Q^H from 1, and of what stands around A. */
static double error_of(const problem *p)
{
    const int n = p->n, m = p->a.desc[2];
    const size_t all = (size_t)n * (size_t)n;
    number *whole = calloc((size_t)m * (size_t)p->a.desc[3], sizeof *whole);
    number *x = calloc(all, sizeof *x), *q = calloc(all, sizeof *q);
    number *line = calloc(3 * (size_t)n, sizeof *line), *d = line, *e = d + n, *tau = e + n;
    double most = 0;
    void *typed = gathered(&p->a, p->type, p->local);
    for (int i = 0; i < m * p->a.desc[3]; i++) {
        whole[i] = get(p->type, typed, (size_t)i);
        if (!is_in(p, i % m, i / m))
            check(whole[i] == untouched, "(%d, %d) was changed to %g", i % m, i / m,
                  creal(whole[i]));
    }
    all_of(p, real_of(p), p->d, d);
    all_of(p, real_of(p), p->e, e);
    all_of(p, p->type, p->tau, tau);
    for (int j = 0; j < n; j++) {
        const number *corner = whole + p->i + j + (p->j + j) * m;
        q[j + j * n] = 1;
        x[j + j * n] = d[j];
        check(corner[0] == d[j] && (j + 1 == n || corner[1] == e[j]), "D or E is not in A");
        if (j + 1 < n)
            x[j + 1 + j * n] = x[j + (j + 1) * n] = e[j];
    }
    check(tau[n - 1] == 0, "the last TAU is %g", creal(tau[n - 1]));
    transform(p, whole, tau, x);
    adjoin(n, x);
    transform(p, whole, tau, x);
    transform(p, whole, tau, q);
    adjoin(n, q);
    transform(p, whole, tau, q);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            most = farther(most, x[i + j * n] - element(p, i, j));
            most = farther(most, q[i + j * n] - (i == j));
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

typedef void reduces(const char *, const int *, void *, const int *, const int *, const int *,
                     void *, void *, void *, void *, const int *, int *);

/* Returns info, and in *least what it asks for. */
static int by_name(const problem *p, int lwork, int *least)
{
    int ia = p->i + 1, ja = p->j + 1, info = -99;
    void *work = calloc((size_t)(lwork > 0 ? lwork : 1), 16);
    if (is_complex(p))
        (p->type == 'c' ? (reduces *)pchetrd_ : (reduces *)pzhetrd_)(&p->uplo, &p->n, p->local, &ia,
                                                                     &ja, p->a.desc, p->d, p->e,
                                                                     p->tau, work, &lwork, &info);
    else
        (p->type == 's' ? (reduces *)pssytrd_ : (reduces *)pdsytrd_)(&p->uplo, &p->n, p->local, &ia,
                                                                     &ja, p->a.desc, p->d, p->e,
                                                                     p->tau, work, &lwork, &info);
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
    problem p = {.type = "sdcz"[roll(d, 4)], .uplo = 'L', .n = 1 + roll(d, 60)};
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
static void try_named(int context, char type, int n, int block, bool wanted)
{
    int asked, least = -1;
    problem p = {.type = type, .uplo = 'L', .n = n, .idle = -1};
    describe(&p.a, context, n, n, block, block, 0, 0);
    open_problem(&p);
    check(offer(&p), "%d: was not carried out", n);
    size_t bytes = (size_t)p.a.desc[8] * (size_t)local_columns(&p.a) * bytes_of(type);
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
    number d[64], e[64];
    all_of(&p, 'd', p.d, d);
    all_of(&p, 'd', p.e, e);
    for (int j = 0; j < 64; j++) {
        squares[0] += creal(d[j] * d[j] + (j ? 2 * e[j] * e[j] : 0));
        for (int i = 0; i < 64; i++)
            squares[1] += creal(element(&p, i, j) * element(&p, i, j));
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
            whole[i + j * N] = creal(element(&p, i, j));
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
                rest += creal(element(&p, i, j)) * vectors[j + l * N];
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

/* PZHEEVD calls PZHETRD, PDSTEDC and PZUNMTR by name. */
static void try_complex_driver(int context)
{
    enum { N = 90, BLOCK = 16 };
    int one = 1, n = N, info, places = 7 * N + 8 * world.count + 2;
    problem p = {.type = 'z', .uplo = 'L', .n = N, .idle = 7};
    describe(&p.a, context, N, N, BLOCK, BLOCK, 0, 0);
    open_problem(&p);
    int all = p.a.desc[8] * (local_columns(&p.a) + BLOCK);
    int lwork = N + 2 * all + 3 * BLOCK * (N + BLOCK), lrwork = 1 + 9 * N + 3 * all + N * BLOCK;
    void *z = calloc((size_t)all, 16), *work = calloc((size_t)lwork, 16);
    double found[N], *rwork = calloc((size_t)lrwork, sizeof *rwork), most = 0;
    int *iwork = calloc((size_t)places, sizeof *iwork);
    pzheevd_("V", "L", &n, p.local, &one, &one, p.a.desc, found, z, &one, &one, p.a.desc, work,
             &lwork, rwork, &lrwork, iwork, &places, &info);
    check(info == 0, "PZHEEVD: info is %d", info);
    double complex *vectors = gathered(&p.a, 'z', z);
    for (int l = 0; l < N; l++) {
        const double complex *v = vectors + (size_t)l * N;
        number length = -1;
        for (int i = 0; i < N; i++) {
            number rest = -found[l] * v[i];
            for (int j = 0; j < N; j++)
                rest += element(&p, i, j) * v[j];
            most = farther(most, rest);
            length += conj(v[i]) * v[i];
        }
        most = farther(most, length);
        check(l == 0 || found[l - 1] <= found[l], "the order of the eigenvalues");
    }
    check(most < 5 * N * epsilon_of('d'), "PZHEEVD: %g eps", most / epsilon_of('d'));
    free(vectors);
    free(z);
    free(work);
    free(rwork);
    free(iwork);
    close_problem(&p);
}

static void try_grid(int context, int cases, dice *d)
{
    const bool near = ob_group_near(ob_blacs_group(context, 'A'));
    for (int i = 0; i < cases; i++)
        try_any(context, i % 8 == 7, d);
    try_named(context, 'd', 130, 32, near);
    try_named(context, 's', 33, 32, near);
    try_named(context, 'd', 32, 32, false);
    try_named(context, 'z', 130, 32, near);
    try_named(context, 'c', 33, 32, near);
    try_named(context, 'z', 32, 32, false);
    try_others(context);
    try_driver(context);
    try_complex_driver(context);
}

static void sum_up(int cases)
{
    check(carried_out >= cases / 2, "%d were carried out", carried_out);
    check(passed_on > 0, "none was passed on");
}

/* tridiagonal [CASES SEED] */
int main(int argc, char **argv)
{
    return on_every_grid_by_dice(argc, argv, 40, try_grid, sum_up);
}
