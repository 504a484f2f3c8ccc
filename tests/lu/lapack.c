/*
 * The LU of four types on every grid of the processes at hand against LAPACK's on one process:
 * equal pivots and info, and residuals as ScaLAPACK's testers take them, ||PA - LU|| / (||A|| n
 * eps) and
 * ||B - AX|| / (||A|| ||X|| n eps).
 */
#include "problem.h"

void sgetrf_(const int *, const int *, void *, const int *, int *, int *);
void dgetrf_(const int *, const int *, void *, const int *, int *, int *);
void cgetrf_(const int *, const int *, void *, const int *, int *, int *);
void zgetrf_(const int *, const int *, void *, const int *, int *, int *);

/* Elements of U grow as 2^n: Wilkinson's matrix. Its ties go to the first of equals, in LAPACK too.
 */
static number growth(int i, int j, int n)
{
    return i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
}

static number zero_column(int i, int j, int n)
{
    return j == n / 2 ? 0 : any(i, j, n);
}

static number zero(int i, int j, int n)
{
    return (void)i, (void)j, (void)n, 0;
}

/* Rows 5 and up are zero: rank 5, and all zeroes are exact. */
static number rank_five(int i, int j, int n)
{
    return i < 5 ? any(i, j, n) : 0;
}

/* A permuted diagonal: every pivot is far away. */
static number reversed(int i, int j, int n)
{
    return i == n - 1 - j ? j + 1 : 0;
}

static const problem problems[] = {
    {"square", 37, 37, 4, 4, 0, 0, 0, 0, 0, any},
    {"blocks together", 50, 50, 3, 3, 0, 0, 0, 0, 9, any},
    {"any block", 41, 41, 4, 4, 0, 0, 0, 0, 7, any},
    {"one column at a time", 23, 23, 4, 4, 0, 0, 0, 0, 1, any},
    {"tall", 61, 17, 5, 5, 0, 0, 0, 0, 5, any},
    {"wide", 17, 61, 5, 5, 0, 0, 0, 0, 5, any},
    {"first process elsewhere", 30, 30, 4, 4, 0, 0, 1, 1, 8, any},
    {"submatrix", 22, 26, 4, 4, 8, 12, 0, 1, 4, any},
    {"submatrix anywhere", 19, 24, 4, 4, 5, 3, 1, 0, 6, any},
    {"oblong blocks", 33, 29, 2, 5, 0, 0, 0, 0, 10, any},
    {"smaller than the grid", 2, 2, 1, 1, 0, 0, 0, 0, 0, any},
    {"one element", 1, 1, 8, 8, 0, 0, 0, 0, 0, any},
    {"block larger than the matrix", 7, 7, 64, 64, 0, 0, 0, 0, 0, any},
    {"growth", 24, 24, 4, 4, 0, 0, 0, 0, 4, growth},
    {"zero column", 25, 25, 4, 4, 0, 0, 0, 0, 4, zero_column},
    {"zero", 9, 12, 2, 2, 0, 0, 0, 0, 4, zero},
    {"rank 5", 20, 20, 3, 3, 0, 0, 0, 0, 3, rank_five},
    {"reversed", 31, 31, 4, 4, 0, 0, 0, 0, 8, reversed},
};

/* ||PA - LU|| / (||A|| max(m,n) eps); pivots are one-based rows of the submatrix. */
static double residual(char type, const void *a, const void *lu, const int *pivots, int m, int n,
                       int ld)
{
    int least = m < n ? m : n;
    size_t l = (size_t)ld;
    number *pa = malloc(sizeof *pa * (size_t)m * (size_t)n);
    double worst = 0, size = norm(type, a, m, n, ld);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            pa[i + j * m] = get(type, a, (size_t)i + (size_t)j * l);
    for (int i = 0; i < least; i++)
        for (int j = 0; j < n && pivots[i] - 1 != i; j++) {
            number kept = pa[i + j * m];
            pa[i + j * m] = pa[pivots[i] - 1 + j * m];
            pa[pivots[i] - 1 + j * m] = kept;
        }
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            number x = pa[i + j * m];
            for (int k = 0; k <= (i < j ? i : j) && k < least; k++)
                x -= (k == i ? 1 : get(type, lu, (size_t)i + (size_t)k * l)) *
                     get(type, lu, (size_t)k + (size_t)j * l);
            sum += cabs(x);
        }
        worst = sum > worst ? sum : worst;
    }
    free(pa);
    return worst == 0 ? 0 : worst / (size * (m > n ? m : n) * epsilon_of(type));
}

static void compare_pivots(const layout *x, const problem *p, char type, const int *ours,
                           const int *lapack)
{
    int wrong = 0, least = p->m < p->n ? p->m : p->n;
    for (int i = 0; i < least; i++) {
        int row = p->ia + i;
        if (owner_of(row, p->mb, x->desc[6], x->rows) == x->row)
            wrong += ours[local_of(row, p->mb, x->rows)] != lapack[i] + p->ia;
    }
    check(wrong == 0, "%c, %s, %d x %d: %d pivots are not LAPACK's", type, p->name, x->rows,
          x->columns, wrong);
}

/* Solves with the factors for each op, and looks at ||B - op(A) X||. */
static void try_solving(const layout *x, const problem *p, char type, const void *whole,
                        const void *lu, const int *ipiv, char trans, int nrhs, int fortran)
{
    int n = p->n, m = x->desc[2], info = -99, jb = 2, ib = p->ia + 1;
    int wide = nrhs + 1;
    layout y;
    describe(&y, x->context, m, wide, p->mb, 3, x->desc[6], 0);
    problem around = {.m = m, .n = wide, .element = any};
    void *b = make_whole(type, &around, m, wide), *local = local_part(&y, type, b);
    int ia = p->ia + 1, ja = p->ja + 1;
    if (fortran)
        BY_TYPE(type, bsp_p, getrs_, &trans, &n, &nrhs, lu, &ia, &ja, x->desc, ipiv, local, &ib,
                &jb, y.desc, &info);
    else
        BY_TYPE(type, bsp_p, getrs, trans, n, nrhs, lu, ia, ja, x->desc, ipiv, local, ib, jb,
                y.desc, &info);
    void *solved = gathered(&y, type, local);
    const void *a = corner(type, (void *)whole, p, m);
    double worst = 0, size = norm(type, a, n, n, m), of_x = 0;
    for (int k = 0; k < nrhs; k++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)(i + p->ia) + (size_t)(k + 1) * (size_t)m;
            number sum = get(type, b, at);
            for (int j = 0; j < n; j++) {
                size_t place = trans == 'N' ? (size_t)i + (size_t)j * (size_t)m
                                            : (size_t)j + (size_t)i * (size_t)m;
                number element = get(type, a, place);
                sum -= (trans == 'C' ? conj(element) : element) *
                       get(type, solved, at - (size_t)i + (size_t)j);
            }
            worst = cabs(sum) > worst ? cabs(sum) : worst;
            of_x = cabs(get(type, solved, at)) > of_x ? cabs(get(type, solved, at)) : of_x;
        }
    worst /= size * of_x * n * epsilon_of(type);
    check(info == 0 && worst < BOUND, "%c, %s, %d x %d: getrs '%c' gives info %d, residual %g",
          type, p->name, x->rows, x->columns, trans, info, worst);
    free(b);
    free(local);
    free(solved);
}

static void try_problem(int context, const problem *p, char type, int way)
{
    layout x;
    int m = p->ia + p->m + 2, n = p->ja + p->n + 1, info = -99, expected = -99, one_row, one_column,
        r, c;
    Cblacs_gridinfo(context, &one_row, &one_column, &r, &c);
    describe(&x, context, m, n, p->mb, p->nb, p->rsrc % one_row, p->csrc % one_column);
    void *whole = make_whole(type, p, m, n), *lapack = make_whole(type, p, m, n);
    void *local = local_part(&x, type, whole);
    int *ipiv = malloc(sizeof *ipiv * (size_t)(x.desc[8] + p->mb)),
        *pivots = malloc(sizeof *pivots * (size_t)p->m);
    bsp_lu_panel(way);
    bsp_lu_block(way == BSP_LU_TOGETHER && !p->block ? p->nb : p->block);
    int ia = p->ia + 1, ja = p->ja + 1;
    if (type == 'd' || type == 'c')
        BY_TYPE(type, bsp_p, getrf_, &p->m, &p->n, local, &ia, &ja, x.desc, ipiv, &info);
    else
        BY_TYPE(type, bsp_p, getrf, p->m, p->n, local, ia, ja, x.desc, ipiv, &info);
    BY_TYPE(type, , getrf_, &p->m, &p->n, corner(type, lapack, p, m), &m, pivots, &expected);
    void *lu = gathered(&x, type, local);
    double error =
        residual(type, corner(type, whole, p, m), corner(type, lu, p, m), pivots, p->m, p->n, m);
    check(info == expected, "%c, %s: info %d, LAPACK's is %d", type, p->name, info, expected);
    compare_pivots(&x, p, type, ipiv, pivots);
    check(error < BOUND, "%c, %s, %d x %d: residual %g", type, p->name, x.rows, x.columns, error);
    check_outside(&x, p, type, whole, lu);
    if (info == 0 && p->m == p->n && p->mb == p->nb && p->ia % p->mb == 0 && p->ja % p->nb == 0 &&
        p->element != growth) {
        try_solving(&x, p, type, whole, local, ipiv, 'N', 1, 0);
        try_solving(&x, p, type, whole, local, ipiv, 'T', 4, 1);
        try_solving(&x, p, type, whole, local, ipiv, 'C', 7, 0);
    }
    free(whole);
    free(lapack);
    free(local);
    free(lu);
    free(ipiv);
    free(pivots);
}

static const problem systems = {"gesv", 29, 29, 4, 4, 0, 0, 0, 0, 0, any};

/* gesv is getrf and getrs, bit for bit; of a singular matrix it leaves B alone. */
static void try_gesv(int context, char type, int singular)
{
    layout x, y;
    problem p = systems;
    int info = -99, info2 = -99, n = p.n, nrhs = 5;
    p.element = singular ? zero_column : any;
    describe(&x, context, n, n, 4, 4, 0, 0);
    describe(&y, context, n, nrhs, 4, 2, 0, 0);
    problem sides = {.m = n, .n = nrhs, .element = any};
    void *whole = make_whole(type, &p, n, n), *b = make_whole(type, &sides, n, nrhs);
    void *a1 = local_part(&x, type, whole), *b1 = local_part(&y, type, b);
    void *a2 = local_part(&x, type, whole), *b2 = local_part(&y, type, b);
    int *ipiv = malloc(sizeof *ipiv * (size_t)(x.desc[8] + 4));
    bsp_lu_block(0);
    BY_TYPE(type, bsp_p, gesv, n, nrhs, a1, 1, 1, x.desc, ipiv, b1, 1, 1, y.desc, &info);
    BY_TYPE(type, bsp_p, getrf, n, n, a2, 1, 1, x.desc, ipiv, &info2);
    if (info2 == 0)
        BY_TYPE(type, bsp_p, getrs, 'n', n, nrhs, a2, 1, 1, x.desc, ipiv, b2, 1, 1, y.desc, &info2);
    size_t bytes_a = bytes_of(type) * (size_t)x.desc[8] * (size_t)local_columns(&x);
    size_t bytes_b = bytes_of(type) * (size_t)y.desc[8] * (size_t)local_columns(&y);
    check(info == info2 && info == (singular ? n / 2 + 1 : 0), "%c: gesv gives info %d, getrf %d",
          type, info, info2);
    check(!memcmp(a1, a2, bytes_a) && !memcmp(b1, b2, bytes_b), "%c: gesv is not getrf and getrs",
          type);
    free(whole), free(b), free(a1), free(b1), free(a2), free(b2), free(ipiv);
}

/* Every argument that can be wrong, with ScaLAPACK's number for it. */
static void try_wrong(int context)
{
    layout x;
    double a[1] = {0}, b[1] = {0};
    int ipiv[64], info;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    static const struct {
        int entry, value, expected;
    } entries[] = {{0, 2, -601}, {4, 0, -605}, {5, 0, -606}, {6, -1, -607}, {7, 99, -608},
                   {8, 0, -609}, {2, 0, -603}, {3, 0, -604}, {2, 3, -1},    {3, 3, -2}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        int desc[9];
        memcpy(desc, x.desc, sizeof desc);
        desc[entries[i].entry] = entries[i].value;
        bsp_pdgetrf(8, 8, a, 1, 1, desc, ipiv, &info);
        check(info == entries[i].expected, "entry %d: info %d", entries[i].entry, info);
    }
    bsp_pdgetrf(-1, 8, a, 1, 1, x.desc, ipiv, &info);
    check(info == -1, "m: info %d", info);
    bsp_pdgetrf(8, -1, a, 1, 1, x.desc, ipiv, &info);
    check(info == -2, "n: info %d", info);
    bsp_pdgetrf(8, 8, a, 0, 1, x.desc, ipiv, &info);
    check(info == -4, "ia: info %d", info);
    bsp_pdgetrf(8, 8, a, 1, 9, x.desc, ipiv, &info);
    check(info == -5, "ja: info %d", info);
    bsp_pdgetrf(0, 8, a, 1, 1, x.desc, ipiv, &info);
    check(info == 0, "no rows: info %d", info);
    bsp_pdgetrs('X', 8, 1, a, 1, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -1, "trans: info %d", info);
    bsp_pdgetrs('N', 6, 1, a, 2, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -5, "ia within a block: info %d", info);
    bsp_pdgetrs('N', 6, 1, a, 1, 1, x.desc, ipiv, b, 2, 1, x.desc, &info);
    check(info == -10, "ib within a block: info %d", info);
    bsp_pdgesv(6, 9, a, 1, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -2, "nrhs: info %d", info);
}

/* What is wrong on one process, or not the same on all, is found by all: nobody waits. */
static void try_disagreement(int context)
{
    layout x;
    double a[64] = {0}, b[64] = {0};
    int ipiv[64], info, odd = world.me == world.count - 1, desc[9];
    if (world.count == 1)
        return;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    memcpy(desc, x.desc, sizeof desc);
    desc[8] = odd ? 0 : desc[8];
    bsp_pdgetrf(8, 8, a, 1, 1, desc, ipiv, &info);
    check(info == -609, "a leading dimension wrong on one process: info %d", info);
    memcpy(desc, x.desc, sizeof desc);
    desc[5] = odd ? 4 : 2;
    bsp_pdgetrf(8, 8, a, 1, 1, desc, ipiv, &info);
    check(info == -606, "a block that differs: info %d", info);
    bsp_pdgetrf(odd ? 0 : 8, 8, a, 1, 1, x.desc, ipiv, &info);
    check(info == -1, "m that differs: info %d", info);
    bsp_pdgetrs(odd ? 'T' : 'n', 8, 1, a, 1, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -1, "trans that differs: info %d", info);
    bsp_pdgesv(8, odd, a, 1, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -2, "nrhs that differs: info %d", info);
}

/* Ends with an error. */
static int differ_in_settings(void)
{
    layout x;
    double a[64] = {0};
    int ipiv[64], info, context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, world.count);
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    bsp_lu_block(2 + 2 * world.me);
    bsp_pdgetrf(8, 8, a, 1, 1, x.desc, ipiv, &info);
    Cblacs_exit(0);
    return 0;
}

int main(int argc, char **argv)
{
    begin();
    if (argc > 1 && strcmp(argv[1], "settings") == 0)
        return differ_in_settings();
    for (int rows = 1; rows <= world.count; rows++) {
        if (world.count % rows || (argc > 1 && atoi(argv[1]) != rows))
            continue;
        int context = make_grid(rows, world.count / rows);
        for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
            for (const char *type = "sdcz"; *type; type++)
                for (int way = BSP_LU_ALONE; way <= BSP_LU_TOGETHER; way++)
                    try_problem(context, &problems[i], *type, way);
        bsp_lu_panel(0);
        for (const char *type = "sdcz"; *type; type++) {
            try_gesv(context, *type, 0);
            try_gesv(context, *type, 1);
        }
        try_wrong(context);
        try_disagreement(context);
        Cblacs_gridexit(context);
    }
    return finish();
}
