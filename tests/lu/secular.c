/*
 * The secular equation of libopenblacs_factor: random ones, carried out by ob_lu_solve_secular: U
 * must be orthogonal, and U L U^T be D + rho w w^T. Then PDSTEDC and PSSTEDC, which reach it by
 * PDLAED3's name, of matrices whose equations are long, short, and all but singular.
 */
#include "matrix.h"

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/factor.h"

#include <stdbool.h>

#define STEDC(x, real)                                                                             \
    void p##x##stedc_(const char *job, const int *n, real *d, real *e, real *q, const int *iq,     \
                      const int *jq, const int *descq, real *work, const int *lwork, int *iwork,   \
                      const int *liwork, int *info);
STEDC(s, float)
STEDC(d, double)

/* Of D (or T's diagonal), its vectors, and the parts of both that were not asked for. */
typedef struct problem {
    char type;
    int k, n;
    layout a;
    void *d, *z, *w, *dlamda, *u;
    int *order;
} problem;

static const double untouched = 77;

/* ------------------------------------------------------------- right or wrong */

/* Largest element of A V - V L and of V^T V - 1, in eps; V n x n, by columns. A is `times`, and
 * `size` large. */
static double error_of(char type, int n, const double *values, const double *vectors,
                       void (*times)(const void *of, const double *x, double *y), const void *of,
                       double size)
{
    double most = 0, *y = calloc((size_t)n + 1, sizeof *y);
    for (int l = 0; l < n; l++) {
        const double *v = vectors + (size_t)l * (size_t)n;
        times(of, v, y);
        for (int i = 0; i < n; i++) {
            double far = fabs(y[i] - values[l] * v[i]) / size;
            most = far > most || isnan(far) ? far : most;
        }
        for (int j = 0; j <= l; j++) {
            double product = j == l ? -1 : 0;
            for (int i = 0; i < n; i++)
                product += v[i] * vectors[i + (size_t)j * (size_t)n];
            most = fabs(product) > most || isnan(product) ? fabs(product) : most;
        }
    }
    free(y);
    return most / epsilon_of(type);
}

/* All processes have the same. */
static double alike(const problem *p, const void *at, int i)
{
    double mine = creal(get(p->type, at, (size_t)i)), first = mine;
    if (p->a.row + p->a.column == 0)
        Cdgebs2d(p->a.context, "All", " ", 1, 1, &first, 1);
    else
        Cdgebr2d(p->a.context, "All", " ", 1, 1, &first, 1, 0, 0);
    check(mine == first, "element %d is %.17g here and %.17g at (0, 0)", i, mine, first);
    return mine;
}

/* ----------------------------------------------------------- equations alone */

typedef struct modified {
    int k;
    const double *d, *w;
    double rho;
} modified;

static void times_modified(const void *of, const double *x, double *y)
{
    const modified *m = of;
    double product = 0;
    for (int j = 0; j < m->k; j++)
        product += m->w[j] * x[j];
    for (int j = 0; j < m->k; j++)
        y[j] = m->d[j] * x[j] + m->rho * product * m->w[j];
}

/* Elements in ascending order, some of them close together, and w of length 1 whose smallest
 * elements are what PDLAED2 would leave. */
static void fill(problem *p, modified *m, double *d, double *w, dice *dice)
{
    const double close = 1000 * epsilon_of(p->type);
    double at = -1, squares = 0;
    for (int j = 0; j < p->k; j++) {
        at += roll(dice, 3) ? (1 + roll(dice, 100)) / 100. : close * (1 + roll(dice, 100));
        d[j] = creal(rounded(p->type, at));
        w[j] = (roll(dice, 2) ? 1 : -1) * (roll(dice, 4) ? (1 + roll(dice, 100)) / 100. : close);
        squares += w[j] * w[j];
    }
    m->rho = creal(rounded(p->type, .01 + roll(dice, 200) / 50.));
    for (int j = 0; j < p->k; j++) {
        w[j] = creal(rounded(p->type, w[j] / sqrt(squares)));
        set(p->type, p->dlamda, (size_t)j, d[j]);
        set(p->type, p->w, (size_t)j, w[j]);
    }
    m->k = p->k;
    m->d = d;
    m->w = w;
}

/* The first k of a permutation of 1 .. n. */
static void shuffle(problem *p, dice *d)
{
    for (int i = 0; i < p->n; i++)
        p->order[i] = i + 1;
    for (int i = 0; i < p->n; i++) {
        int other = i + roll(d, p->n - i), keep = p->order[i];
        p->order[i] = p->order[other];
        p->order[other] = keep;
    }
}

static void open_problem(problem *p, int context, int block, int row, int column)
{
    describe(&p->a, context, p->n, p->n, block, block, row, column);
    const size_t n = (size_t)p->n + 1, all = (size_t)p->a.desc[8] * (size_t)local_columns(&p->a);
    p->d = calloc(n, 8);
    p->z = calloc(n, 8);
    p->w = calloc(n, 8);
    p->dlamda = calloc(n, 8);
    p->order = calloc(n, sizeof *p->order);
    p->u = calloc(all + 1, 8);
}

static void close_problem(problem *p)
{
    free(p->d);
    free(p->z);
    free(p->w);
    free(p->dlamda);
    free(p->order);
    free(p->u);
}

static void check_equation(const problem *p, const modified *m)
{
    const size_t k = (size_t)p->k, n = (size_t)p->n;
    double *values = calloc(k, sizeof *values), *vectors = calloc(k * k, sizeof *vectors);
    int *number = calloc(n, sizeof *number), changed = 0;
    void *whole = gathered(&p->a, p->type, p->u);
    for (size_t i = 0; i < k; i++)
        number[p->order[i] - 1] = (int)i + 1;
    for (size_t j = 0; j < n; j++) {
        double value = alike(p, p->d, (int)j);
        if (number[j])
            values[number[j] - 1] = value;
        changed += !number[j] && value != untouched;
        for (size_t i = 0; i < n; i++) {
            double of_u = creal(get(p->type, whole, i + j * n));
            if (number[i] && number[j])
                vectors[(size_t)number[i] - 1 + ((size_t)number[j] - 1) * k] = of_u;
            else
                changed += of_u != untouched;
        }
    }
    check(changed == 0, "%d elements that are none of the equation's were written", changed);
    for (size_t i = 0; i < k; i++)
        check(values[i] >= m->d[i] && (i + 1 == k || values[i] <= m->d[i + 1]),
              "eigenvalue %d is not between its elements", (int)i);
    double error = error_of(p->type, p->k, values, vectors, times_modified, m,
                            m->rho + fabs(m->d[p->k - 1]) + 1);
    check(error < 8 + p->k / 8, "%c %d of %d in blocks of %d on %d x %d: %g eps", p->type, p->k,
          p->n, p->a.desc[4], p->a.rows, p->a.columns, error);
    free(values);
    free(vectors);
    free(number);
    free(whole);
}

static void solve(const problem *p, const modified *m)
{
    int info = -99;
    float short_rho = (float)m->rho;
    const ob_lu_secular s = {.type = p->type,
                             .context = p->a.context,
                             .k = p->k,
                             .block = p->a.desc[4],
                             .row = p->a.desc[6],
                             .column = p->a.desc[7],
                             .d = p->d,
                             .z = p->z,
                             .u = p->u,
                             .dlamda = p->dlamda,
                             .w = p->w,
                             .rho = p->type == 's' ? (const void *)&short_rho : &m->rho,
                             .ldu = p->a.desc[8],
                             .order = p->order};
    check(ob_lu_solve_secular(&s, &info) == 1, "was not carried out");
    check(info == 0, "info is %d", info);
}

/* With CTOT of zeros, by which ScaLAPACK's would find nothing. */
static void solve_by_name(const problem *p, const modified *m)
{
    int k = p->k, info = -99, *room = calloc((size_t)p->n * 4 + (size_t)p->a.columns * 4, 4);
    int *list[5] = {room, room + p->n, room + 2 * p->n, room + 3 * p->n, room + 4 * p->n};
    double rho = m->rho, *buf = calloc((size_t)p->n, 3 * sizeof *buf);
    float short_rho = (float)rho;
    const int *desc = p->a.desc;
    if (p->type == 's')
        pslaed3_(&p->a.context, &k, &p->n, &desc[4], p->d, &desc[6], &desc[7], &short_rho,
                 p->dlamda, p->w, p->z, p->u, &desc[8], (float *)buf, p->order, list[0], list[1],
                 list[2], list[3], list[4], &p->a.columns, &info);
    else
        pdlaed3_(&p->a.context, &k, &p->n, &desc[4], p->d, &desc[6], &desc[7], &rho, p->dlamda,
                 p->w, p->z, p->u, &desc[8], buf, p->order, list[0], list[1], list[2], list[3],
                 list[4], &p->a.columns, &info);
    check(info == 0, "by name, info is %d", info);
    free(room);
    free(buf);
}

static void clear(const problem *p)
{
    for (size_t i = 0; i < (size_t)p->a.desc[8] * (size_t)local_columns(&p->a); i++)
        set(p->type, p->u, i, untouched);
    for (int i = 0; i < p->n; i++)
        set(p->type, p->d, (size_t)i, untouched);
}

static void try_equation(int context, dice *d)
{
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    problem p = {.type = "sd"[roll(d, 2)], .k = roll(d, 4) ? 1 + roll(d, 60) : 1 + roll(d, 3)};
    p.n = p.k + roll(d, 12);
    int first_row = roll(d, rows), first_column = roll(d, columns);
    open_problem(&p, context, 1 + roll(d, 20), first_row, first_column);
    double *of_d = calloc((size_t)p.k, sizeof *of_d), *of_w = calloc((size_t)p.k, sizeof *of_w);
    modified m;
    fill(&p, &m, of_d, of_w, d);
    shuffle(&p, d);
    clear(&p);
    solve(&p, &m);
    check_equation(&p, &m);
    if (ob_group_near(ob_blacs_group(context, 'A'))) {
        clear(&p);
        solve_by_name(&p, &m);
        check_equation(&p, &m);
    }
    free(of_d);
    free(of_w);
    close_problem(&p);
}

static void try_none(int context)
{
    int info = -99;
    ob_lu_secular s = {.type = 'd', .context = context, .k = 0, .block = 4};
    check(ob_lu_solve_secular(&s, &info) == 0 && info == -99, "nothing was carried out");
    s.k = 1;
    s.context = -1;
    check(ob_lu_solve_secular(&s, &info) == 0 && info == -99, "no context has carried it out");
}

/* An eigenvalue that LAPACK does not find is told to all, whoever looked for it. */
static void try_lost(int context)
{
    enum { K = 9 };
    int info = 0;
    problem p = {.type = 'd', .k = K, .n = K};
    open_problem(&p, context, 2, 0, 0);
    for (int i = 0; i < K; i++) {
        p.order[i] = i + 1;
        set('d', p.dlamda, (size_t)i, i);
        set('d', p.w, (size_t)i, i == 4 ? NAN : 1. / 3);
    }
    double rho = 1;
    ob_lu_secular s = {.type = 'd',
                       .context = context,
                       .k = K,
                       .block = 2,
                       .d = p.d,
                       .z = p.z,
                       .u = p.u,
                       .dlamda = p.dlamda,
                       .w = p.w,
                       .rho = &rho,
                       .ldu = p.a.desc[8],
                       .order = p.order};
    check(ob_lu_solve_secular(&s, &info) == 1, "was not carried out");
    double told = info, least = info, most = info;
    Cdgamn2d(context, "All", " ", 1, 1, &least, 1, NULL, NULL, -1, -1, -1);
    Cdgamx2d(context, "All", " ", 1, 1, &most, 1, NULL, NULL, -1, -1, -1);
    check(least == told && most == told && info == K, "info is %d, from %g to %g", info, least,
          most);
    close_problem(&p);
}

/* ------------------------------------------------------------------- by name */

typedef struct tridiagonal {
    int n;
    double *d, *e;
} tridiagonal;

static void times_tridiagonal(const void *of, const double *x, double *y)
{
    const tridiagonal *t = of;
    for (int i = 0; i < t->n; i++)
        y[i] = t->d[i] * x[i] + (i ? t->e[i - 1] * x[i - 1] : 0) +
               (i + 1 < t->n ? t->e[i] * x[i + 1] : 0);
}

/* Random; with nearly all eigenvalues in pairs; and with one that is all ones, of which most
 * equations are short. */
static void fill_tridiagonal(tridiagonal *t, char type, int kind)
{
    for (int i = 0; i < t->n; i++) {
        double random = creal(random_number(3, (size_t)i, 1));
        double d = kind == 0 ? random : kind == 1 ? abs(i % 21 - 10) : 1;
        double e = kind == 0      ? creal(random_number(3, (size_t)i, 2))
                   : kind == 1    ? (i % 21 == 20 ? 1e-6 : 1)
                   : i % 16 == 15 ? 1e-3
                                  : 0;
        t->d[i] = creal(rounded(type, d));
        t->e[i] = creal(rounded(type, e));
    }
}

static void try_named(int context, char type, int n, int block, int kind)
{
    int one = 1, info = -99, liwork = 7 * n + 8 * world.count + 2;
    problem p = {.type = type, .k = n, .n = n};
    open_problem(&p, context, block, 0, 0);
    int lwork = 6 * n + 2 * p.a.desc[8] * (local_columns(&p.a) + block) + 100;
    void *work = calloc((size_t)lwork, 8);
    int *iwork = calloc((size_t)liwork, sizeof *iwork);
    tridiagonal t = {n, calloc((size_t)n, 8), calloc((size_t)n, 8)};
    fill_tridiagonal(&t, type, kind);
    for (int i = 0; i < n; i++) {
        set(type, p.d, (size_t)i, t.d[i]);
        set(type, p.w, (size_t)i, t.e[i]);
    }
    if (type == 's')
        psstedc_("I", &n, p.d, p.w, p.u, &one, &one, p.a.desc, work, &lwork, iwork, &liwork, &info);
    else
        pdstedc_("I", &n, p.d, p.w, p.u, &one, &one, p.a.desc, work, &lwork, iwork, &liwork, &info);
    check(info == 0, "P%cSTEDC: info is %d", type, info);
    double *values = calloc((size_t)n, 8), *vectors = calloc((size_t)n * (size_t)n, 8);
    void *whole = gathered(&p.a, type, p.u);
    for (int i = 0; i < n * n; i++)
        vectors[i] = creal(get(type, whole, (size_t)i));
    for (int i = 0; i < n; i++) {
        values[i] = alike(&p, p.d, i);
        check(i == 0 || values[i - 1] <= values[i], "the order of the eigenvalues");
    }
    double error = error_of(type, n, values, vectors, times_tridiagonal, &t, kind == 1 ? 12 : 2);
    check(error < 10 + n / 3, "P%cSTEDC %d in blocks of %d on %d x %d, kind %d: %g eps", type, n,
          block, p.a.rows, p.a.columns, kind, error);
    free(values);
    free(vectors);
    free(whole);
    free(t.d);
    free(t.e);
    free(work);
    free(iwork);
    close_problem(&p);
}

static void try_grid(int context, int cases, dice *d)
{
    for (int i = 0; i < cases; i++)
        try_equation(context, d);
    try_none(context);
    try_lost(context);
    for (int kind = 0; kind < 3; kind++) {
        try_named(context, "ds"[kind % 2], 150, 16, kind);
        try_named(context, "sd"[kind % 2], 84, 7, kind);
    }
}

/* secular [CASES SEED] */
int main(int argc, char **argv)
{
    return on_every_grid_by_dice(argc, argv, 40, try_grid, NULL);
}
