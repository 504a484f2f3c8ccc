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

/* Nothing to do, but that LAPACK reflects what is not real. */
static number triangle(int i, int j, int n)
{
    return i > j ? 0 : any(i, j, n) + 2;
}

/* Squares of it vanish, or all but; those of its inverse leave the range of the type. */
static double tiny;

static number small(int i, int j, int n)
{
    return any(i, j, n) * tiny;
}

static number large(int i, int j, int n)
{
    return any(i, j, n) / tiny;
}

/* Columns of all sizes, whose products with each other vanish or leave the range. */
static number graded(int i, int j, int n)
{
    return any(i, j, n) * (j % 3 == 0 ? 1 : j % 3 == 1 ? tiny : 1 / tiny);
}

/* Below and right of its first rows and columns, which no reflection changes, all is tiny. */
static number tiny_remainder(int i, int j, int n)
{
    return i < n / 3 ? i > j ? 0 : creal(any(i, j, n)) + 2 : j < n / 3 ? 0 : any(i, j, n) * tiny;
}

static const problem problems[] = {
    PROBLEMS_OF_ANY,
    {"small", 25, 22, 4, 4, 0, 0, 0, 0, 4, small},
    {"large", 25, 22, 4, 4, 0, 0, 0, 0, 4, large},
    {"graded", 25, 22, 4, 4, 0, 0, 0, 0, 4, graded},
    {"tiny remainder", 25, 25, 6, 6, 0, 0, 0, 0, 6, tiny_remainder},
    {"zero column", 25, 25, 4, 4, 0, 0, 0, 0, 4, zero_column},
    {"zero", 9, 12, 2, 2, 0, 0, 0, 0, 4, zero},
    {"triangle", 24, 24, 4, 4, 0, 0, 0, 0, 5, triangle},
};

/* Own factors beside LAPACK's; all of ours, from the first process row, come to *all. */
static void compare_factors_of_q(const layout *x, const problem *p, char type, const void *tau,
                                 const void *lapack, number *all, const char *where)
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
    check(far < 1e4 * epsilon_of(type), "%s: tau differs by %g from LAPACK's", where, far);
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

/* Each column by a power of 2 of its own: nothing else of the factors changes. */
static void level_columns(char type, const problem *p, void *whole, void *lapack, void *qr, int ld)
{
    for (int j = 0; j < p->n; j++) {
        double most = 0;
        int power = 0;
        for (int i = 0; i < p->m; i++)
            most = fmax(most, cabs(get(type, corner(type, whole, p, ld), place(i, j, ld))));
        frexp(most, &power);
        for (int i = 0; i < p->m; i++)
            for (int k = 0; k < 3; k++) {
                void *a = corner(type, k == 0 ? whole : k == 1 ? lapack : qr, p, ld);
                if (k == 0 || i <= j)
                    set(type, a, place(i, j, ld), get(type, a, place(i, j, ld)) * ldexp(1, -power));
            }
    }
}

static void try_problem(int context, const problem *p, char type, int way)
{
    layout x;
    int m = p->ia + p->m + 2, n = p->ja + p->n + 1, info = -99, expected = -99, rows, columns, r, c;
    int least = p->m < p->n ? p->m : p->n, ia = p->ia + 1, ja = p->ja + 1, lwork = 1;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    describe(&x, context, m, n, p->mb, p->nb, p->rsrc % rows, p->csrc % columns);
    char where[100];
    snprintf(where, sizeof where, "%c, %s, %d x %d, way %d", type, p->name, rows, columns, way);
    tiny = type == 's' || type == 'c' ? 1e-21 : 1e-161;
    void *whole = make_whole(type, p, m, n), *lapack = make_whole(type, p, m, n);
    void *local = local_part(&x, type, whole), *tau = calloc((size_t)n + 1, 16);
    void *lapack_tau = calloc((size_t)least, 16);
    number work[4096], *all = calloc((size_t)least, sizeof *all);
    int size = sizeof work / 16;
    bsp_lu_block(way ? p->block : 0);
    bsp_lu_panel(way);
    if (type == 'd' || type == 'c')
        BY_TYPE(type, bsp_p, geqrf_, &p->m, &p->n, local, &ia, &ja, x.desc, tau, (void *)work,
                &lwork, &info);
    else
        BY_TYPE(type, bsp_p, geqrf, p->m, p->n, local, ia, ja, x.desc, tau, (void *)work, lwork,
                &info);
    check(info == 0 && get(type, work, 0) == 1, "%s: info %d, work %g", where, info,
          creal(get(type, work, 0)));
    BY_TYPE(type, , geqrf_, &p->m, &p->n, corner(type, lapack, p, m), &m, lapack_tau, work, &size,
            &expected);
    void *qr = gathered(&x, type, local);
    check_outside(&x, p, type, whole, qr);
    if (p->element == small || p->element == large || p->element == graded)
        level_columns(type, p, whole, lapack, qr, m);
    compare_factors_of_q(&x, p, type, tau, lapack_tau, all, where);
    check_factors(p, type, qr, lapack, m, where);
    void *a = corner(type, whole, p, m), *f = corner(type, qr, p, m);
    double error = residual(type, a, f, all, p->m, p->n, m);
    check(error < BOUND, "%s: residual %g", where, error);
    error = orthogonality(type, f, all, p->m, p->n, m);
    check(error < BOUND, "%s: Q is not unitary by %g", where, error);
    check_bytes(context, p->name);
    free(whole), free(lapack), free(local), free(tau), free(lapack_tau), free(all), free(qr);
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

static int misuse(int context, const char *which)
{
    layout x;
    double a[64] = {0}, tau[8], work[1];
    int info = 0;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    if (strcmp(which, "work") == 0)
        bsp_pdgeqrf(8, 8, a, 1, 1, x.desc, tau, work, 0, &info);
    return info;
}

/* On grids of several rows. A process column that factors blocks of 8 of 64 columns has a reduction
 * for the sizes of each block's columns and one for each column; one that applies a block to the
 * next one has one more, and so has each that applies it to others. */
static void try_supersteps(int context)
{
    layout x;
    bsp_lu_parts parts;
    double tau[64], work[1];
    int info, reductions = 0;
    problem p = {.m = 64, .n = 64, .element = any};
    describe(&x, context, 64, 64, 8, 8, 0, 0);
    void *whole = make_whole('d', &p, 64, 64), *local = local_part(&x, 'd', whole);
    bsp_lu_panel(BSP_LU_TOGETHER);
    bsp_pdgeqrf(64, 64, local, 1, 1, x.desc, tau, work, 1, &info);
    bsp_lu_last(&parts);
    for (int b = 0; b < 8; b++) {
        int last = x.column + (7 - x.column) / x.columns * x.columns; /* own block */
        reductions += (b % x.columns == x.column ? 9 : 0) + (last >= b + 2);
        reductions += b + 1 < 8 && (b + 1) % x.columns == x.column;
    }
    int each = x.rows < 3 ? x.rows - 1 : 2;
    check(x.rows == 1 || parts.supersteps == (size_t)(each * reductions),
          "%d x %d: %zu supersteps, %d reductions", x.rows, x.columns, parts.supersteps,
          reductions);
    free(whole), free(local);
}

/* A process column of three or more multiplies the sums for each column on the right by T once, not
 * each of its processes for itself: 24 rows, one block of 24 columns, and 232 on the right. */
static void try_shares(int context)
{
    enum { W = 24, N = 256 };
    layout x;
    bsp_lu_parts parts;
    double tau[N], work[1], right = N - W, expected = 4 * W * W * right + 2 * W * W * right;
    int info;
    problem p = {.m = W, .n = N, .element = any};
    describe(&x, context, W, N, 4, W, 0, 0);
    if (x.rows < 3)
        return;
    void *whole = make_whole('d', &p, W, N), *local = local_part(&x, 'd', whole);
    bsp_pdgeqrf(W, N, local, 1, 1, x.desc, tau, work, 1, &info);
    bsp_lu_last(&parts);
    for (int j = 0; j < W; j++)
        expected += (W - 1 - j) * (2 * W + 2 * (W - j) - 1);
    Cdgsum2d(context, "All", " ", 1, 1, &parts.flops, 1, -1, -1);
    check(parts.flops == expected, "%d x %d: %.0f flops of all, not %.0f", x.rows, x.columns,
          parts.flops, expected);
    free(whole), free(local);
}

/* Many process rows, and two of more than two columns, factor blocks together, unasked, in what
 * divides the distribution's (bench/lu.md). */
static void try_unasked(int context)
{
    static const problem wide = {"wide blocks", 210, 210, 64, 64, 0, 0, 0, 0, 0, any};
    int rows, columns, r, c;
    bsp_lu_parts parts;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    if (rows < 4 && !(rows == 2 && columns > 2))
        return;
    try_problem(context, &wide, 'd', 0);
    bsp_lu_last(&parts);
    check(parts.block == 32, "%d x %d, blocks of 64: steps of %d columns", rows, columns,
          parts.block);
}

static void try_grid(int context)
{
    static dice d = {23, 0};
    for (const char *type = "sdcz"; *type; type++)
        for (int way = 0; way <= BSP_LU_TOGETHER; way++) { /* 0: at its seat */
            for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
                try_problem(context, &problems[i], *type, way);
            for (int i = 0; i < 20; i++) {
                problem p = any_problem(&d);
                try_problem(context, &p, *type, way);
            }
        }
    bsp_lu_block(0);
    try_supersteps(context);
    try_shares(context);
    bsp_lu_panel(0);
    try_unasked(context);
    try_wrong(context);
}

int main(int argc, char **argv)
{
    return argc > 1 ? one_mistake(misuse, argv[1]) : on_every_grid(try_grid);
}
