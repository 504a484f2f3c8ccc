/*
 * QR factorisation of four types on every grid of the processes at hand, against LAPACK's on one
 * process: R, the Householder vectors and their factors are equal but for rounding, nothing else is
 * written, and residuals are small as ScaLAPACK's testers take them, ||A - Q R|| / (||A|| n eps).
 */
#include "problem.h"

void sgeqrf_(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
void dgeqrf_(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
void cgeqrf_(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
void zgeqrf_(const int *, const int *, void *, const int *, void *, void *, const int *, int *);

/* Column n / 2 is zero: its reflection is none, and R has a zero on its diagonal. */
static number zero_column(int i, int j, int n)
{
    return j == n / 2 ? 0 : any(i, j, n);
}

static number zero(int i, int j, int n)
{
    return (void)i, (void)j, (void)n, 0;
}

/* Nothing to do, but that LAPACK reflects what is not real. */
static number triangle(int i, int j, int n)
{
    return i > j ? 0 : any(i, j, n) + 2;
}

static const problem problems[] = {
    {"square", 37, 37, 4, 4, 0, 0, 0, 0, 0, any},
    {"blocks together", 50, 50, 3, 3, 0, 0, 0, 0, 9, any},
    {"any block", 41, 41, 4, 4, 0, 0, 0, 0, 7, any},
    {"one column at a time", 23, 23, 4, 4, 0, 0, 0, 0, 1, any},
    {"tall", 61, 17, 5, 5, 0, 0, 0, 0, 5, any},
    {"wide", 17, 61, 5, 5, 0, 0, 0, 0, 5, any},
    {"one column", 30, 1, 4, 4, 0, 0, 0, 0, 0, any},
    {"one row", 1, 30, 4, 4, 0, 0, 0, 0, 0, any},
    {"first process elsewhere", 30, 30, 4, 4, 0, 0, 1, 1, 8, any},
    {"submatrix", 22, 26, 4, 4, 8, 12, 0, 1, 4, any},
    {"submatrix anywhere", 19, 24, 4, 4, 5, 3, 1, 0, 6, any},
    {"oblong blocks", 33, 29, 2, 5, 0, 0, 0, 0, 10, any},
    {"smaller than the grid", 2, 2, 1, 1, 0, 0, 0, 0, 0, any},
    {"one element", 1, 1, 8, 8, 0, 0, 0, 0, 0, any},
    {"block larger than the matrix", 7, 7, 64, 64, 0, 0, 0, 0, 0, any},
    {"zero column", 25, 25, 4, 4, 0, 0, 0, 0, 4, zero_column},
    {"zero", 9, 12, 2, 2, 0, 0, 0, 0, 4, zero},
    {"triangle", 24, 24, 4, 4, 0, 0, 0, 0, 5, triangle},
};

static size_t place(int i, int j, int ld)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

/* Own factors beside LAPACK's; all of ours, from the first process row, come to *all. */
static void compare_factors_of_q(const layout *x, const problem *p, char type, const void *tau,
                                 const void *lapack, number *all)
{
    int least = p->m < p->n ? p->m : p->n;
    double *sum = calloc(2 * (size_t)least, sizeof *sum), far = 0;
    for (int j = 0; j < least; j++) {
        int column = p->ja + j, local = local_of(column, p->nb, x->columns);
        if (owner_of(column, p->nb, x->desc[7], x->columns) != x->column)
            continue;
        number t = get(type, tau, (size_t)local);
        far = fmax(far, cabs(t - get(type, lapack, (size_t)j)));
        if (x->row == 0) {
            sum[2 * j] = creal(t);
            sum[2 * j + 1] = cimag(t);
        }
    }
    check(far < 1e4 * epsilon_of(type), "%c, %s, %d x %d: tau differs by %g from LAPACK's", type,
          p->name, x->rows, x->columns, far);
    Cdgsum2d(x->context, "All", " ", 2 * least, 1, sum, 2 * least, -1, -1);
    for (int j = 0; j < least; j++)
        all[j] = sum[2 * j] + I * sum[2 * j + 1];
    free(sum);
}

/* ||A - Q R|| / (||A|| max(m,n) eps): R is reflected backwards. */
static double residual(char type, const void *a, const void *qr, const number *tau, int m, int n,
                       int ld)
{
    int least = m < n ? m : n;
    number *c = malloc(sizeof *c * (size_t)m * (size_t)n);
    double worst = 0, size = norm(type, a, m, n, ld);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            c[i + j * m] = i <= j ? get(type, qr, place(i, j, ld)) : 0;
    for (int k = least - 1; k >= 0; k--)
        for (int j = 0; j < n; j++) {
            number sum = c[k + j * m];
            for (int i = k + 1; i < m; i++)
                sum += conj(get(type, qr, place(i, k, ld))) * c[i + j * m];
            sum *= tau[k];
            c[k + j * m] -= sum;
            for (int i = k + 1; i < m; i++)
                c[i + j * m] -= get(type, qr, place(i, k, ld)) * sum;
        }
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += cabs(get(type, a, place(i, j, ld)) - c[i + j * m]);
        worst = fmax(worst, sum);
    }
    free(c);
    return worst == 0 ? 0 : worst / (size * (m > n ? m : n) * epsilon_of(type));
}

/* |1 - ||H x|| / ||x|| | of a vector whose length no reflection may change, in eps: are the tau
 * those of the vectors? */
static double orthogonality(char type, const void *qr, const number *tau, int m, int n, int ld)
{
    number *x = malloc(sizeof *x * (size_t)m);
    double before = 0, after = 0;
    for (int i = 0; i < m; i++)
        x[i] = random_number(5, (size_t)i, 7), before += creal(x[i] * conj(x[i]));
    for (int k = (m < n ? m : n) - 1; k >= 0; k--) {
        number sum = x[k];
        for (int i = k + 1; i < m; i++)
            sum += conj(get(type, qr, place(i, k, ld))) * x[i];
        sum *= tau[k];
        x[k] -= sum;
        for (int i = k + 1; i < m; i++)
            x[i] -= get(type, qr, place(i, k, ld)) * sum;
    }
    for (int i = 0; i < m; i++)
        after += creal(x[i] * conj(x[i]));
    free(x);
    return fabs(1 - sqrt(after / before)) / (m * epsilon_of(type));
}

static void try_problem(int context, const problem *p, char type)
{
    layout x;
    int m = p->ia + p->m + 2, n = p->ja + p->n + 1, info = -99, expected = -99, rows, columns, r, c;
    int least = p->m < p->n ? p->m : p->n, ia = p->ia + 1, ja = p->ja + 1, lwork = 1;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    describe(&x, context, m, n, p->mb, p->nb, p->rsrc % rows, p->csrc % columns);
    void *whole = make_whole(type, p, m, n), *lapack = make_whole(type, p, m, n);
    void *local = local_part(&x, type, whole), *tau = calloc((size_t)n + 1, 16);
    void *lapack_tau = calloc((size_t)least, 16);
    number work[4096], *all = calloc((size_t)least, sizeof *all);
    int size = sizeof work / 16;
    bsp_lu_block(p->block);
    if (type == 'd' || type == 'c')
        BY_TYPE(type, bsp_p, geqrf_, &p->m, &p->n, local, &ia, &ja, x.desc, tau, (void *)work,
                &lwork, &info);
    else
        BY_TYPE(type, bsp_p, geqrf, p->m, p->n, local, ia, ja, x.desc, tau, (void *)work, lwork,
                &info);
    check(info == 0 && get(type, work, 0) == 1, "%c, %s: info %d, work %g", type, p->name, info,
          creal(get(type, work, 0)));
    BY_TYPE(type, , geqrf_, &p->m, &p->n, corner(type, lapack, p, m), &m, lapack_tau, work, &size,
            &expected);
    void *qr = gathered(&x, type, local);
    compare_factors_of_q(&x, p, type, tau, lapack_tau, all);
    double far = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            size_t at = place(i + p->ia, j + p->ja, m);
            far = fmax(far, cabs(get(type, qr, at) - get(type, lapack, at)));
        }
    check(far < 1e4 * epsilon_of(type), "%c, %s, %d x %d: factors differ by %g from LAPACK's", type,
          p->name, x.rows, x.columns, far);
    void *a = corner(type, whole, p, m), *f = corner(type, qr, p, m);
    double error = residual(type, a, f, all, p->m, p->n, m);
    check(error < BOUND, "%c, %s, %d x %d: residual %g", type, p->name, x.rows, x.columns, error);
    error = orthogonality(type, f, all, p->m, p->n, m);
    check(error < BOUND, "%c, %s, %d x %d: Q is not unitary by %g", type, p->name, x.rows,
          x.columns, error);
    check_outside(&x, p, type, whole, qr);
    free(whole), free(lapack), free(local), free(tau), free(lapack_tau), free(all), free(qr);
}

/* Orders, blocks and places by the dice. */
static void try_any(int context, dice *d, char type)
{
    problem p = {.name = "by the dice", .element = any};
    p.m = 1 + roll(d, 60);
    p.n = 1 + roll(d, 60);
    p.mb = 1 + roll(d, 9);
    p.nb = roll(d, 2) ? p.mb : 1 + roll(d, 9);
    p.ia = roll(d, 12);
    p.ja = roll(d, 12);
    p.rsrc = roll(d, 9);
    p.csrc = roll(d, 9);
    p.block = roll(d, 40);
    try_problem(context, &p, type);
}

/* Every argument that can be wrong, with ScaLAPACK's number for it, also on one process alone. */
static void try_wrong(int context)
{
    layout x;
    double a[64] = {0}, tau[8], work[1] = {0};
    int info, odd = world.me == world.count - 1;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    bsp_pdgeqrf(-1, 8, a, 1, 1, x.desc, tau, work, 1, &info);
    check(info == -1, "m: info %d", info);
    bsp_pdgeqrf(8, 9, a, 1, 1, x.desc, tau, work, 1, &info);
    check(info == -2, "n: info %d", info);
    bsp_pdgeqrf(8, 8, a, 0, 1, x.desc, tau, work, 1, &info);
    check(info == -4, "ia: info %d", info);
    bsp_pdgeqrf(8, 8, a, 1, 9, x.desc, tau, work, 1, &info);
    check(info == -5, "ja: info %d", info);
    bsp_pdgeqrf(8, 8, a, 1, 1, x.desc, tau, work, odd ? 0 : 1, &info);
    check(info == -9 && work[0] == 0, "lwork: info %d", info);
    bsp_pdgeqrf(8, 8, a, 1, 1, x.desc, tau, work, -1, &info);
    check(info == 0 && work[0] == 1, "asked: info %d, work %g", info, work[0]);
    bsp_pdgeqrf(0, 8, a, 1, 1, x.desc, tau, work, 1, &info);
    check(info == 0, "no rows: info %d", info);
    if (world.count == 1)
        return;
    bsp_pdgeqrf(8, 8, a, 1, 1, x.desc, tau, work, odd ? -1 : 1, &info);
    check(info == -9, "lwork that differs: info %d", info);
    bsp_pdgeqrf(8, odd ? 7 : 8, a, 1, 1, x.desc, tau, work, 1, &info);
    check(info == -2, "n that differs: info %d", info);
}

/* One mistake, told in a line. */
static int misuse(int context, const char *which)
{
    layout x;
    double a[64] = {0}, tau[8], work[1];
    int info = 0;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    if (strcmp(which, "work") == 0)
        bsp_pdgeqrf(8, 8, a, 1, 1, x.desc, tau, work, 0, &info);
    Cblacs_barrier(context, "All"); /* else who has no line to print ends the job */
    return info != 0;
}

int main(int argc, char **argv)
{
    dice d = {23, 0};
    begin();
    if (argc > 1)
        return misuse(make_grid(1, world.count), argv[1]);
    for (int rows = 1; rows <= world.count; rows++) {
        if (world.count % rows)
            continue;
        int context = make_grid(rows, world.count / rows);
        for (const char *type = "sdcz"; *type; type++) {
            for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
                try_problem(context, &problems[i], *type);
            for (int i = 0; i < 20; i++)
                try_any(context, &d, *type);
        }
        bsp_lu_block(0);
        try_wrong(context);
        Cblacs_gridexit(context);
    }
    return finish();
}
