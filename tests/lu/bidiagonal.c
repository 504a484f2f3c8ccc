/*
 * Matrices made bidiagonal by libopenblacs_factor: random ones, carried out by ob_lu_reduce_both
 * and by PDGEBRD's name, which may leave them to the ScaLAPACK behind: Q B P^T must be A. Then
 * calls that are ScaLAPACK's.
 */
#include "matrix.h"

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/factor.h"

#include <stdbool.h>

/* A begins at (i, j), zero-based, of its array. */
typedef struct problem {
    char type;
    int m, n, i, j;
    int idle; /* this row and column are zeros */
    layout a;
    void *local, *d, *e, *tauq, *taup;
} problem;

static int carried_out, passed_on;
static const double untouched = 77;

/* ------------------------------------------------------------- right or wrong */

static double element(const problem *p, int i, int j)
{
    double value = creal(rounded(p->type, creal(random_number(5, (size_t)i, (size_t)j))));
    return i == p->idle || j == p->idle ? 0 : value;
}

static bool is_in(const problem *p, int i, int j)
{
    return i >= p->i && i < p->i + p->m && j >= p->j && j < p->j + p->n;
}

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
    size_t lines = (size_t)local_columns(&p->a) + (size_t)p->a.desc[8];
    p->local = calloc((size_t)p->a.desc[8] * (size_t)(local_columns(&p->a) + 1), 8);
    p->d = calloc(lines, 8);
    p->e = calloc(lines, 8);
    p->tauq = calloc(lines, 8);
    p->taup = calloc(lines, 8);
    fill(p);
}

static void close_problem(problem *p)
{
    free(p->local);
    free(p->d);
    free(p->e);
    free(p->tauq);
    free(p->taup);
}

/* `count` of them, that stand with the columns, or the rows; all other rows, or columns, of
 * processes must have the same. */
static void all_of(const problem *p, bool with_columns, int count, const void *local, double *whole)
{
    const layout *a = &p->a;
    const int block = a->desc[with_columns ? 5 : 4], source = a->desc[with_columns ? 7 : 6];
    const int me = with_columns ? a->column : a->row, of = with_columns ? a->columns : a->rows;
    for (int l = 0; l < count; l++) {
        int g = (with_columns ? p->j : p->i) + l;
        bool mine = owner_of(g, block, source, of) == me;
        double value = mine ? creal(get(p->type, local, (size_t)local_of(g, block, of))) : 0;
        whole[l] = (with_columns ? a->row : a->column) ? 0 : value;
        Cdgsum2d(a->context, "All", " ", 1, 1, &whole[l], 1, -1, -1);
        check(!mine || whole[l] == value, "processes have %g and %g of %d", value, whole[l], l);
    }
}

/* x = H x of the reflection of column l, or of row l: of each of `sides` columns. v begins `behind`
 * the diagonal. */
static void reflect(const problem *p, const double *whole, bool column, int l, int behind,
                    double tau, int sides, double *x)
{
    const int length = column ? p->m : p->n;
    double v[200] = {0};
    v[l + behind] = 1;
    for (int i = l + behind + 1; i < length; i++)
        v[i] = column ? whole[i + l * p->m] : whole[l + i * p->m];
    for (int s = 0; s < sides; s++) {
        double sum = 0;
        for (int i = l + behind; i < length; i++)
            sum += v[i] * x[i + s * length];
        for (int i = l + behind; i < length; i++)
            x[i + s * length] -= tau * sum * v[i];
    }
}

static double far_from_orthonormal(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? -1 : 0;
            for (int l = 0; l < n; l++)
                sum += x[l + i * n] * x[l + j * n];
            most = fmax(most, isnan(sum) ? 1 : fabs(sum));
        }
    return most;
}

/* Q, or P, n x n. */
static double *product_of(const problem *p, const double *whole, bool column, int count, int behind,
                          const double *tau)
{
    const int n = column ? p->m : p->n;
    double *x = calloc((size_t)(n * n), sizeof *x);
    for (int i = 0; i < n; i++)
        x[i + i * n] = 1;
    for (int l = count - 1; l >= 0; l--)
        if (l + behind < n)
            reflect(p, whole, column, l, behind, tau[l], n, x);
        else
            check(tau[l] == 0, "the last TAU is %g", tau[l]);
    return x;
}

/* The submatrix from A's array, and whether what stands around it is as it was. */
static double *inside_of(const problem *p)
{
    const int rows = p->a.desc[2];
    void *typed = gathered(&p->a, p->type, p->local);
    double *whole = calloc((size_t)(p->m * p->n), sizeof *whole);
    for (int j = 0; j < p->a.desc[3]; j++)
        for (int i = 0; i < rows; i++) {
            double found = creal(get(p->type, typed, (size_t)(i + j * rows)));
            if (is_in(p, i, j))
                whole[i - p->i + (j - p->j) * p->m] = found;
            else
                check(found == untouched, "(%d, %d) was changed to %g", i, j, found);
        }
    free(typed);
    return whole;
}

/* In eps, for each row and column: of Q B P^T from A, and of Q and P from orthogonal ones. */
static double error_of(const problem *p)
{
    const int m = p->m, n = p->n, k = m < n ? m : n;
    const bool tall = m >= n;
    double d[200], e[200], tauq[200], taup[200], *whole = inside_of(p);
    all_of(p, tall, k, p->d, d);
    all_of(p, !tall, k - 1, p->e, e);
    all_of(p, true, k, p->tauq, tauq);
    all_of(p, false, k, p->taup, taup);
    for (int l = 0; l < k; l++) {
        check(whole[l + l * m] == d[l], "D(%d) is not in A", l);
        if (l + 1 < k)
            check(whole[tall ? l + (l + 1) * m : l + 1 + l * m] == e[l], "E(%d) is not in A", l);
    }
    double *q = product_of(p, whole, true, k, !tall, tauq);
    double *r = product_of(p, whole, false, k, tall, taup);
    double most = fmax(far_from_orthonormal(m, q), far_from_orthonormal(n, r));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = -element(p, i, j);
            for (int l = 0; l < k; l++) {
                sum += q[i + l * m] * d[l] * r[j + l * n];
                if (l + 1 < k)
                    sum += e[l] * (tall ? q[i + l * m] * r[j + (l + 1) * n]
                                        : q[i + (l + 1) * m] * r[j + l * n]);
            }
            most = fmax(most, isnan(sum) ? 1 : fabs(sum));
        }
    free(q);
    free(r);
    free(whole);
    return most / ((m + n) * epsilon_of(p->type));
}

/* ------------------------------------------------------------------ one call */

static bool offer(const problem *p)
{
    ob_lu_offer(0);
    ob_lu_reduce_both(&(ob_lu_bidiagonal){.type = p->type,
                                          .m = p->m,
                                          .n = p->n,
                                          .a = {p->local, p->i + 1, p->j + 1, p->a.desc},
                                          .d = p->d,
                                          .e = p->e,
                                          .tauq = p->tauq,
                                          .taup = p->taup});
    return ob_lu_taken();
}

/* Returns info, and in *least what it asks for. */
static int by_name(const problem *p, int lwork, int *least)
{
    int ia = p->i + 1, ja = p->j + 1, info = -99;
    void *work = calloc((size_t)(lwork > 0 ? lwork : 1), 8);
    if (p->type == 's')
        psgebrd_(&p->m, &p->n, p->local, &ia, &ja, p->a.desc, p->d, p->e, p->tauq, p->taup, work,
                 &lwork, &info);
    else
        pdgebrd_(&p->m, &p->n, p->local, &ia, &ja, p->a.desc, p->d, p->e, p->tauq, p->taup, work,
                 &lwork, &info);
    *least = (int)creal(get(p->type, work, 0));
    free(work);
    return info;
}

static void check_result(const problem *p, const char *how)
{
    double error = error_of(p);
    check(error < 5, "%c %d x %d at (%d, %d) in blocks of %d on %d x %d, %s: %g eps", p->type, p->m,
          p->n, p->i, p->j, p->a.desc[4], p->a.rows, p->a.columns, how, error);
}

/* -------------------------------------------------------------- by the dice */

/* odd: it begins within a block. */
static void try_any(int context, bool odd, dice *d)
{
    int rows, columns, row, column, asked, least = -1;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    problem p = {.type = "sd"[roll(d, 2)], .m = 1 + roll(d, 70)};
    p.n = roll(d, 3) ? 1 + roll(d, 70) : p.m;
    int block = 1 + odd + roll(d, roll(d, 3) ? 16 : 40);
    p.idle = roll(d, 80);
    p.i = block * roll(d, 4) + odd;
    p.j = block * roll(d, 4);
    describe(&p.a, context, p.i + p.m + roll(d, 5), p.j + p.n + roll(d, 5), block, block,
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
static void try_named(int context, int m, int n, bool wanted)
{
    int asked, least = -1;
    problem p = {.type = 'd', .m = m, .n = n, .idle = -1};
    describe(&p.a, context, m, n, 32, 32, 0, 0);
    open_problem(&p);
    check(offer(&p), "%d x %d: was not carried out", m, n);
    size_t bytes = (size_t)p.a.desc[8] * (size_t)local_columns(&p.a) * sizeof(double);
    void *carried = malloc(bytes + 1);
    memcpy(carried, p.local, bytes);
    fill(&p);
    by_name(&p, -1, &asked);
    check(by_name(&p, asked, &least) == 0, "%d x %d by name", m, n);
    check_result(&p, "by name, long");
    int same = memcmp(carried, p.local, bytes) == 0;
    Cigamn2d(context, "All", " ", 1, 1, &same, 1, NULL, NULL, -1, -1, -1);
    check(same == wanted, "%d x %d on %d x %d: by name it was %s", m, n, p.a.rows, p.a.columns,
          same ? "carried out" : "passed on");
    free(carried);
    close_problem(&p);
}

/* What is wrong is told by ScaLAPACK, also where one process alone has less memory. */
static void try_others(int context)
{
    int asked, least = -1;
    problem p = {.type = 'd', .m = 64, .n = 60, .idle = -1};
    describe(&p.a, context, 64, 60, 8, 8, 0, 0);
    open_problem(&p);
    by_name(&p, -1, &asked);
    int lwork = p.a.row + p.a.column == 0 ? asked - 1 : asked;
    check(by_name(&p, lwork, &least) == -12, "too little LWORK on process (0, 0)");
    p.m = 65;
    check(by_name(&p, asked, &least) < 0, "a matrix that is larger than its array");
    p.m = 0;
    check(by_name(&p, asked, &least) == 0, "nothing to do");
    close_problem(&p);
}

static void try_grid(int context, int cases, dice *d)
{
    const bool near = ob_group_near(ob_blacs_group(context, 'A'));
    for (int i = 0; i < cases; i++)
        try_any(context, i % 8 == 7, d);
    try_named(context, 130, 110, near);
    try_named(context, 33, 50, near);
    try_named(context, 32, 50, false);
    try_others(context);
}

static void sum_up(int cases)
{
    check(carried_out >= cases / 2, "%d were carried out", carried_out);
    check(passed_on > 0, "none was passed on");
}

/* bidiagonal [CASES SEED] */
int main(int argc, char **argv)
{
    return on_every_grid_by_dice(argc, argv, 40, try_grid, sum_up);
}
