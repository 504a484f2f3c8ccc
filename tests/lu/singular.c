/*
 * Singular values by libopenblacs_factor: random matrices by PDGESVD's name, which may leave them
 * to the ScaLAPACK behind, against LAPACK: U S VT must be A. Then values of very different sizes,
 * and calls that are ScaLAPACK's.
 */
#include "matrix.h"

#include "common/offer.h"
#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "openblacs/factor.h"

#include <dlfcn.h>
#include <stdbool.h>

void dgesvd_(const char *job_u, const char *job_vt, const int *m, const int *n, double *a,
             const int *ld, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info);

enum { MOST_PROCESSES = 8 };

/* All three begin where their arrays do. `idle`: this row and column of A are zeros. */
typedef struct problem {
    char type, job_u, job_vt;
    int m, n, least, iu, idle;
    double times; /* A's elements are times that */
    layout a, u, vt;
    void *local, *left, *right;
    double s[200]; /* or as floats */
} problem;

static int carried_out, passed_on;
static const double untouched = 77;
static __typeof__(pdgesvd_) *theirs;

/* ------------------------------------------------------------- right or wrong */

static double element(const problem *p, int i, int j)
{
    double value = creal(random_number(9, (size_t)i, (size_t)j));
    return i == p->idle || j == p->idle ? 0 : creal(rounded(p->type, p->times * value));
}

static void fill(problem *p)
{
    const layout *all[3] = {&p->a, &p->u, &p->vt};
    void *locals[3] = {p->local, p->left, p->right};
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < all[l]->desc[8] * local_columns(all[l]); i++)
            set(p->type, locals[l], (size_t)i, untouched);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++)
            if (place_of(&p->a, i, j) >= 0)
                set(p->type, p->local, (size_t)place_of(&p->a, i, j), element(p, i, j));
}

static void *room_of(const layout *x)
{
    return calloc((size_t)x->desc[8] * (size_t)(local_columns(x) + 1), 8);
}

/* Arrays with `more` rows and columns; U's columns and VT's rows are dealt out in other blocks. */
static void open_problem(problem *p, int context, int block, int more, int other, int rsrc,
                         int csrc)
{
    p->least = p->m < p->n ? p->m : p->n;
    describe(&p->a, context, p->m + more, p->n, block, block, rsrc, csrc);
    describe(&p->u, context, p->m, p->least + more, block, other, rsrc, 0);
    describe(&p->vt, context, p->least + more, p->n + more, other, block, 0, csrc);
    p->local = room_of(&p->a);
    p->left = room_of(&p->u);
    p->right = room_of(&p->vt);
    fill(p);
}

static void close_problem(problem *p)
{
    free(p->local);
    free(p->left);
    free(p->right);
}

static double value(const problem *p, int i)
{
    return creal(get(p->type, p->s, (size_t)i));
}

/* How far `count` vectors, `stride` apart with elements `step` apart, are from orthonormal. */
static double far_from_orthonormal(int count, int length, const double *x, int step, int stride)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? -1 : 0;
            for (int l = 0; l < length; l++)
                sum += x[i * stride + l * step] * x[j * stride + l * step];
            most = fmax(most, isnan(sum) ? 1 : fabs(sum));
        }
    return most;
}

static double *reals(const problem *p, const layout *x, const void *local, int rows, int columns)
{
    void *typed = gathered(x, p->type, local);
    double *all = calloc((size_t)(rows * columns) + 1, sizeof *all);
    for (int j = 0; j < x->desc[3]; j++)
        for (int i = 0; i < x->desc[2]; i++) {
            double found = creal(get(p->type, typed, (size_t)(i + j * x->desc[2])));
            if (i < rows && j < columns)
                all[i + j * rows] = found;
            else
                check(found == untouched, "(%d, %d) was changed to %g", i, j, found);
        }
    free(typed);
    return all;
}

/* LAPACK's values, and A in *whole. */
static void right_values(const problem *p, double **whole, double *s)
{
    const int m = p->m, n = p->n, lwork = 8 * (m + n), one = 1;
    double *a = calloc((size_t)(m * n), sizeof *a), *work = calloc((size_t)lwork, sizeof *work);
    int info;
    *whole = calloc((size_t)(m * n), sizeof **whole);
    for (int i = 0; i < m * n; i++)
        (*whole)[i] = a[i] = element(p, i % m, i / m);
    dgesvd_("N", "N", &m, &n, a, &m, s, NULL, &one, NULL, &one, work, &lwork, &info);
    free(a);
    free(work);
}

static bool is_wanted(char job)
{
    return job == 'V' || job == 'v';
}

/* Of the values from LAPACK's, and whether all processes have the same. */
static double error_of_values(const problem *p, const double *right)
{
    double most = 0;
    for (int i = 0; i < p->least; i++) {
        double both[2] = {value(p, i), -value(p, i)};
        Cdgamx2d(p->a.context, "All", " ", 1, 1, &both[0], 1, NULL, NULL, -1, -1, -1);
        Cdgamn2d(p->a.context, "All", " ", 1, 1, &both[1], 1, NULL, NULL, -1, -1, -1);
        check(both[0] == -both[1], "value %d is not the same on all", i);
        most = fmax(most, fabs(value(p, i) - right[i]));
        check(i == 0 || value(p, i - 1) >= value(p, i), "value %d is larger than the last", i);
    }
    return most / p->times;
}

/* Of U S VT from A, whole. */
static double error_of_product(const problem *p, const double *u, const double *vt,
                               const double *whole)
{
    double most = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            double sum = -whole[i + j * p->m];
            for (int l = 0; l < p->least; l++)
                sum += u[i + l * p->m] * value(p, l) * vt[l + j * p->least];
            most = fmax(most, isnan(sum) ? 1 : fabs(sum) / p->times);
        }
    return most;
}

/* In eps, for each row and column. What is not wanted stays as it is. */
static double error_of(const problem *p)
{
    const int m = p->m, n = p->n, k = p->least;
    const bool left = is_wanted(p->job_u), right = is_wanted(p->job_vt);
    double *u = reals(p, &p->u, p->left, left ? m : 0, k);
    double *vt = reals(p, &p->vt, p->right, right ? k : 0, n);
    double *whole, values[200], most;
    right_values(p, &whole, values);
    most = error_of_values(p, values);
    if (left)
        most = fmax(most, far_from_orthonormal(k, m, u, 1, m));
    if (right)
        most = fmax(most, far_from_orthonormal(k, n, vt, k, 1));
    if (left && right)
        most = fmax(most, error_of_product(p, u, vt, whole));
    free(u);
    free(vt);
    free(whole);
    return most / ((m + n) * epsilon_of(p->type));
}

static void check_result(const problem *p, const char *how)
{
    double error = error_of(p);
    check(error < 5, "%c %d x %d in %d, %d and %d on %d x %d, %s: %g eps", p->type, p->m, p->n,
          p->a.desc[4], p->u.desc[5], p->vt.desc[4], p->a.rows, p->a.columns, how, error);
}

/* ------------------------------------------------------------------ one call */

static const int *wanted(char job, const layout *x)
{
    return is_wanted(job) ? x->desc : NULL;
}

static bool offer(const problem *p)
{
    ob_lu_offer(0);
    ob_lu_may_decompose(&(ob_lu_singular){.type = p->type,
                                          .m = p->m,
                                          .n = p->n,
                                          .a = {p->local, 1, 1, p->a.desc},
                                          .u = {p->left, p->iu, 1, wanted(p->job_u, &p->u)},
                                          .vt = {p->right, 1, 1, wanted(p->job_vt, &p->vt)},
                                          .s = (void *)p->s});
    return ob_lu_taken();
}

/* Returns info, and in *least what it asks for. By name, or ScaLAPACK's. */
static int by_name(problem *p, int lwork, int *least, __typeof__(pdgesvd_) *routine)
{
    const int one = 1;
    int info = -99;
    void *work = calloc((size_t)(lwork > 0 ? lwork : 1), 8);
    if (p->type == 's')
        psgesvd_(&p->job_u, &p->job_vt, &p->m, &p->n, p->local, &one, &one, p->a.desc,
                 (float *)(void *)p->s, p->left, &p->iu, &one, p->u.desc, p->right, &one, &one,
                 p->vt.desc, work, &lwork, &info);
    else
        routine(&p->job_u, &p->job_vt, &p->m, &p->n, p->local, &one, &one, p->a.desc, p->s, p->left,
                &p->iu, &one, p->u.desc, p->right, &one, &one, p->vt.desc, work, &lwork, &info);
    *least = (int)creal(get(p->type, work, 0));
    free(work);
    return info;
}

static void call(problem *p, const char *how)
{
    int asked, least = -1;
    check(by_name(p, -1, &asked, pdgesvd_) == 0, "%s: asking for LWORK", how);
    int info = by_name(p, asked, &least, pdgesvd_);
    check(info == 0 && least == asked, "%s: info %d, LWORK is %d, not %d", how, info, least, asked);
}

/* -------------------------------------------------------------- by the dice */

/* `ours`: it is carried out by name. ScaLAPACK 2.2's values are wrong of matrices that do not begin
 * at process (0, 0) (PDLARED1D and PDLARED2D), and with fewer rows and columns than processes some
 * have no vectors, and other bits of the values (info min(m, n) + 1). */
static void try_any(int context, bool ours, dice *d)
{
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    problem p = {.type = "sd"[roll(d, 2)], .iu = 1, .times = 1};
    const int jobs = roll(d, 6); /* one of them not: 0 and 1 */
    p.job_u = jobs == 0 ? 'N' : 'V';
    p.job_vt = jobs == 1 ? 'N' : 'V';
    const int short_of = ours ? 1 : world.count;
    p.m = short_of + roll(d, 70);
    p.n = roll(d, 3) ? short_of + roll(d, 70) : p.m;
    p.idle = roll(d, 70);
    int block = 1 + roll(d, roll(d, 3) ? 12 : 40), more = roll(d, 4);
    const int other = 1 + roll(d, 12), rsrc = roll(d, rows), csrc = roll(d, columns);
    open_problem(&p, context, block, more, other, ours ? rsrc : 0, ours ? csrc : 0);
    bool done = offer(&p);
    check(done == (p.m > 1 || p.n > 1 || p.idle > 0), "%d x %d: was %scarried out", p.m, p.n,
          done ? "" : "not ");
    carried_out += done;
    call(&p, "by name");
    check_result(&p, "by name");
    close_problem(&p);
}

/* ------------------------------------------------------------------ by name */

/* ScaLAPACK's vectors have other bits. */
static void try_named(int context, int m, int n, bool wanted)
{
    int asked, least = -1;
    problem p = {.type = 'd', .m = m, .n = n, .job_u = 'v', .job_vt = 'v', .iu = 1, .idle = -1};
    p.times = 1;
    open_problem(&p, context, 32, 0, 32, 0, 0);
    check(offer(&p), "%d x %d: was not carried out", m, n);
    size_t bytes = (size_t)p.u.desc[8] * (size_t)local_columns(&p.u) * sizeof(double);
    void *first = malloc(bytes + 1);
    call(&p, "long");
    check_result(&p, "long");
    memcpy(first, p.left, bytes);
    fill(&p);
    by_name(&p, -1, &asked, theirs);
    check(by_name(&p, asked, &least, theirs) == 0, "ScaLAPACK's PDGESVD");
    int same = memcmp(first, p.left, bytes) == 0;
    Cigamn2d(context, "All", " ", 1, 1, &same, 1, NULL, NULL, -1, -1, -1);
    check(same == !wanted, "%d x %d on %d x %d: by name it was %s", m, n, p.a.rows, p.a.columns,
          same ? "passed on" : "carried out");
    free(first);
    close_problem(&p);
}

/* A diagonal matrix has its own elements as values, and small ones to all digits. */
static void try_graded(int context)
{
    problem p = {.type = 'd', .m = 30, .n = 30, .job_u = 'V', .job_vt = 'V', .iu = 1, .times = 1};
    open_problem(&p, context, 8, 0, 8, 0, 0);
    for (int j = 0; j < p.n; j++)
        for (int i = 0; i < p.m; i++)
            if (place_of(&p.a, i, j) >= 0)
                set('d', p.local, (size_t)place_of(&p.a, i, j), i == j ? pow(10, -2 * i) : 0);
    call(&p, "graded");
    for (int i = 0; i < p.n; i++)
        check(fabs(p.s[i] - pow(10, -2 * i)) <= 1e-14 * pow(10, -2 * i), "value %d is %g", i,
              p.s[i]);
    close_problem(&p);
}

/* ------------------------------------------------------------- ScaLAPACK's calls */

/* Zero, and what is scaled first; NaN alone is not called, for ScaLAPACK's iteration may not end.
 */
static void try_extreme(int context, double times, double corner, const char *what)
{
    problem p = {.type = 'd', .m = 40, .n = 33, .job_u = 'V', .job_vt = 'V', .iu = 1, .idle = -1};
    p.times = times;
    open_problem(&p, context, 8, 0, 8, 0, 0);
    if (corner != 0 && place_of(&p.a, 39, 32) >= 0)
        set('d', p.local, (size_t)place_of(&p.a, 39, 32), corner);
    check(!offer(&p), "%s: was carried out", what);
    if (corner == 0 && times > 0) {
        call(&p, what);
        check_result(&p, what);
    }
    passed_on++;
    close_problem(&p);
}

/* What is wrong is told by ScaLAPACK, also where one process alone has less memory. */
static void try_others(int context)
{
    int asked, least = -1;
    problem p = {.type = 'd', .m = 50, .n = 40, .job_u = 'V', .job_vt = 'V', .iu = 1, .idle = -1};
    p.times = 1;
    open_problem(&p, context, 8, 0, 8, 0, 0);
    by_name(&p, -1, &asked, pdgesvd_);
    int lwork = p.a.row + p.a.column == 0 ? asked - 1 : asked;
    check(by_name(&p, lwork, &least, pdgesvd_) == -19, "too little LWORK on process (0, 0)");
    p.m = 51;
    check(by_name(&p, asked, &least, pdgesvd_) < 0, "a matrix that is larger than its array");
    p.m = 0;
    check(by_name(&p, asked, &least, pdgesvd_) == 0, "nothing to do");
    p.m = 50;
    p.job_u = 'X';
    check(by_name(&p, asked, &least, pdgesvd_) == -1, "a letter that there is not");
    p.job_u = 'V';
    p.m = 42;
    p.iu = 9;
    check(!offer(&p), "U begins elsewhere: was carried out");
    p.iu = 1;
    p.m = 50;
    p.job_u = p.job_vt = 'N';
    double *whole, right[200];
    right_values(&p, &whole, right);
    fill(&p);
    check(by_name(&p, asked, &least, pdgesvd_) == 0, "values alone");
    for (int i = 0; i < p.n; i++)
        check(fabs(p.s[i] - right[i]) < 1e-13, "value %d alone is %g, not %g", i, p.s[i], right[i]);
    free(whole);
    close_problem(&p);
}

/* singular [CASES SEED]; SCALAPACK is the file that it is linked with. */
static void try_grid(int context, int cases, dice *d)
{
    void *library = dlopen(SCALAPACK, RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        *(void **)&theirs = dlsym(library, "pdgesvd_");
    check(theirs != NULL, "no PDGESVD in " SCALAPACK);
    const bool ours = world.count <= MOST_PROCESSES && ob_group_near(ob_blacs_group(context, 'A'));
    for (int i = 0; i < cases; i++)
        try_any(context, ours, d);
    try_named(context, 130, 110, ours);
    try_named(context, 70, 150, ours);
    try_graded(context);
    try_extreme(context, 1e-180, 0, "small");
    try_extreme(context, 1e100, 0, "large");
    try_extreme(context, 0, 0, "zero");
    try_extreme(context, 1, NAN, "no number");
    try_extreme(context, 1, INFINITY, "infinite");
    try_others(context);
}

static void sum_up(int cases)
{
    check(carried_out >= cases / 2, "%d were carried out", carried_out);
    check(passed_on > 0, "none was passed on");
}

int main(int argc, char **argv)
{
    return on_every_grid_by_dice(argc, argv, 20, try_grid, sum_up);
}
