/*
 * The LU of four types on every grid of the processes at hand against LAPACK's on one process:
 * equal pivots and info, and residuals as ScaLAPACK's testers take them, ||PA - LU|| / (||A|| n
 * eps) and
 * ||B - AX|| / (||A|| ||X|| n eps). A tournament has other pivots, but the same bounds, and the
 * same info where zeroes are exact.
 */
#include <hooks/blacs.h>
#include <hooks/collective.h>

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

/* Rows whose sizes differ by up to a million. */
static number scaled_badly(int i, int j, int n)
{
    return any(i, j, n) * pow(10, 6 * sin(i));
}

static const problem problems[] = {
    PROBLEMS_OF_ANY,
    {"growth", 24, 24, 4, 4, 0, 0, 0, 0, 4, growth},
    {"zero column", 25, 25, 4, 4, 0, 0, 0, 0, 4, zero_column},
    {"zero", 9, 12, 2, 2, 0, 0, 0, 0, 4, zero},
    {"rank 5", 20, 20, 3, 3, 0, 0, 0, 0, 3, rank_five},
    {"reversed", 31, 31, 4, 4, 0, 0, 0, 0, 8, reversed},
    {"oblong blocks anywhere", 45, 39, 2, 5, 3, 5, 1, 1, 5, any},
    {"from within a block on", 30, 26, 8, 8, 2, 2, 0, 0, 4, any},
    {"badly scaled", 40, 40, 4, 4, 0, 0, 0, 0, 4, scaled_badly},
};

/* At its seat, where it is so small: with nothing set. */
enum { SEATED = -1 };
static const int ways[] = {SEATED,
                           0,
                           BSP_LU_ALONE,
                           BSP_LU_TOGETHER,
                           BSP_LU_TOURNAMENT,
                           BSP_LU_TOGETHER | BSP_LU_IN_STEP,
                           BSP_LU_TOURNAMENT | BSP_LU_IN_STEP};

/* ||PA - LU|| / (||A|| max(m,n) eps), for each row on one of the processes, which all have the
 * same; pivots are one-based rows of the submatrix. */
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
    for (int i = world.me; i < m; i += world.count) {
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

/* All pivots, from those of the first process column, as rows of the submatrix. */
static void gather_pivots(const layout *x, const problem *p, const int *ours, int *all)
{
    int least = p->m < p->n ? p->m : p->n;
    for (int i = 0; i < least; i++) {
        int row = p->ia + i, here = owner_of(row, p->mb, x->desc[6], x->rows) == x->row;
        all[i] = x->column == 0 && here ? ours[local_of(row, p->mb, x->rows)] - p->ia : 0;
    }
    Cigsum2d(x->context, "All", " ", least, 1, all, least, -1, -1);
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
    double worst = solution_residual(p, type, trans, whole, b, solved, m, nrhs);
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
    bsp_lu_panel(way == SEATED ? 0 : way);
    bsp_lu_block(way == SEATED ? 0 : way != BSP_LU_ALONE && !p->block ? p->nb : p->block);
    int ia = p->ia + 1, ja = p->ja + 1;
    if (type == 'd' || type == 'c')
        BY_TYPE(type, bsp_p, getrf_, &p->m, &p->n, local, &ia, &ja, x.desc, ipiv, &info);
    else
        BY_TYPE(type, bsp_p, getrf, p->m, p->n, local, ia, ja, x.desc, ipiv, &info);
    BY_TYPE(type, , getrf_, &p->m, &p->n, corner(type, lapack, p, m), &m, pivots, &expected);
    void *lu = gathered(&x, type, local);
    if (way != SEATED && (way & ~BSP_LU_IN_STEP) == BSP_LU_TOURNAMENT)
        gather_pivots(&x, p, ipiv, pivots);
    double error =
        residual(type, corner(type, whole, p, m), corner(type, lu, p, m), pivots, p->m, p->n, m);
    check(info == expected, "%c, %s: info %d, LAPACK's is %d", type, p->name, info, expected);
    compare_pivots(&x, p, type, ipiv, pivots);
    check(error < BOUND, "%c, %s, %d x %d: residual %g", type, p->name, x.rows, x.columns, error);
    check_bytes(context, p->name);
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
static void try_gesv(int context, char type, int singular, int block)
{
    layout x, y;
    problem p = systems;
    int info = -99, info2 = -99, n = p.n, nrhs = 9; /* not few, for which getrs has another way */
    p.element = singular ? zero_column : any;
    describe(&x, context, n, n, 4, 4, 0, 0);
    describe(&y, context, n, nrhs, 4, 2, 0, 0);
    problem sides = {.m = n, .n = nrhs, .element = any};
    void *whole = make_whole(type, &p, n, n), *b = make_whole(type, &sides, n, nrhs);
    void *a1 = local_part(&x, type, whole), *b1 = local_part(&y, type, b);
    void *a2 = local_part(&x, type, whole), *b2 = local_part(&y, type, b);
    int *ipiv = malloc(sizeof *ipiv * (size_t)(x.desc[8] + 4));
    bsp_lu_block(block);
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

/* Supersteps of 64 columns in blocks of 8, each block factored so. */
static size_t supersteps_of(int context, int way)
{
    layout x;
    bsp_lu_parts parts;
    int info = -99, *ipiv = malloc(64 * sizeof *ipiv);
    problem p = {.m = 64, .n = 64, .element = any};
    describe(&x, context, 64, 64, 8, 8, 0, 0);
    void *whole = make_whole('d', &p, 64, 64), *local = local_part(&x, 'd', whole);
    bsp_lu_panel(way);
    bsp_lu_block(0);
    bsp_pdgetrf(64, 64, local, 1, 1, x.desc, ipiv, &info);
    bsp_lu_last(&parts);
    check(info == 0 && parts.block == 8 + (way == BSP_LU_ALONE) * 24, "way %d: info %d, block %d",
          way, info, parts.block);
    free(whole), free(local), free(ipiv);
    return parts.supersteps;
}

/* On one process row the distribution's blocks are factored where they lie, while they are few, but
 * the narrowest, and those of many process rows, in a copy that has wider ones within a node. */
static void try_narrow(int context, char type)
{
    int rows, columns, row, column, near = ob_group_near(ob_blacs_group(context, 'A'));
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    const problem narrow[] = {
        {"narrow blocks", 211, 211, 8, 8, 0, 0, 0, 0, 0, any},
        {"narrow blocks, submatrix anywhere", 217, 230, 5, 7, 6, 3, 1, 1, 0, any},
        {"narrow blocks, zero column", 230, 211, 8, 8, 8, 16, 0, 1, 0, zero_column},
    };
    const int copied = near && (rows == 1 ? columns > 2 : rows > 3 && columns > 1);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        bsp_lu_parts parts;
        try_problem(context, &narrow[i], type, SEATED);
        bsp_lu_last(&parts);
        if (narrow[i].nb == 8 && rows * columns > 1)
            check(parts.block == (copied || rows == 2 || rows == 3 ? 32 : 8),
                  "%s on %d x %d: steps of %d columns", narrow[i].name, rows, columns, parts.block);
    }
}

/* A tournament has two for a block, where the process column has at least one for each column. */
static void try_supersteps(int context)
{
    int rows, columns, row, column;
    size_t tournament, together;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    if (rows == 1)
        return;
    tournament = supersteps_of(context, BSP_LU_TOURNAMENT | BSP_LU_IN_STEP);
    together = supersteps_of(context, BSP_LU_TOGETHER | BSP_LU_IN_STEP);
    check(tournament < together, "%zu supersteps with tournaments, %zu without", tournament,
          together);
    size_t ahead = supersteps_of(context, BSP_LU_TOURNAMENT);
    check(columns > 1 ? ahead < tournament : ahead == tournament,
          "%zu supersteps with a lookahead, %zu without", ahead, tournament);
    supersteps_of(context, BSP_LU_ALONE);
}

static int info_of(const int *desc)
{
    double a[1] = {0};
    int ipiv[64], info;
    bsp_pdgetrf(8, 8, a, 1, 1, desc, ipiv, &info);
    return info;
}

/* Every argument that can be wrong, with ScaLAPACK's number for it. */
static void try_wrong(int context)
{
    layout x;
    double a[1] = {0}, b[1] = {0};
    int ipiv[64], info;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    check_entries(&x, -1, info_of);
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
    if (x.rows > 1) {
        int lower[9];
        memcpy(lower, x.desc, sizeof lower);
        lower[6] = 1;
        bsp_pdgetrs('N', 4, 1, a, 1, 1, x.desc, ipiv, b, 1, 1, lower, &info);
        check(info == -10, "b in another process row: info %d", info);
    }
    int other = make_grid(x.rows, x.columns), elsewhere[9];
    memcpy(elsewhere, x.desc, sizeof elsewhere);
    elsewhere[1] = other;
    bsp_pdgetrs('N', 4, 1, a, 1, 1, x.desc, ipiv, b, 1, 1, elsewhere, &info);
    check(info == -1202, "b in another context: info %d", info);
    Cblacs_gridexit(other);
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
    memcpy(desc, x.desc, sizeof desc);
    desc[7] = odd ? x.columns - 1 : 0;
    bsp_pdgetrf(8, 8, a, 1, 1, desc, ipiv, &info);
    check(info == (x.columns > 1 ? -608 : 1), "a first process column that differs: info %d", info);
    bsp_pdgetrf(odd ? 0 : 8, 8, a, 1, 1, x.desc, ipiv, &info);
    check(info == -1, "m that differs: info %d", info);
    bsp_pdgetrs(odd ? 'T' : 'n', 8, 1, a, 1, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -1, "trans that differs: info %d", info);
    bsp_pdgesv(8, odd, a, 1, 1, x.desc, ipiv, b, 1, 1, x.desc, &info);
    check(info == -2, "nrhs that differs: info %d", info);
}

/* What some have sent for a call that is refused is not taken for that of the next one, which
 * others may have begun before it is dropped. */
static void try_after_refusal(int context)
{
    enum { TIMES = 50, ORDER = 13 };
    layout x;
    problem p = {"after a refusal", ORDER, ORDER, 2, 2, 0, 0, 0, 0, 0, any};
    double other[ORDER * ORDER] = {0};
    int info, info2, last = world.me == world.count - 1, *ipiv, pivots[ORDER];
    if (world.count == 1)
        return;
    describe(&x, context, ORDER, ORDER, 2, 2, 0, 0);
    void *whole = make_whole('d', &p, ORDER, ORDER);
    ipiv = malloc(sizeof *ipiv * (size_t)(x.desc[8] + 2));
    for (int i = 0; i < TIMES; i++) {
        void *a = local_part(&x, 'd', whole);
        int desc[9];
        memcpy(desc, x.desc, sizeof desc);
        desc[6] = last && i % 2 ? x.rows - 1 : 0; /* has another seat */
        desc[8] = ORDER;
        bsp_pdgetrf(last ? ORDER - 1 : ORDER, ORDER, other, 1, 1, desc, ipiv, &info);
        bsp_pdgetrf(ORDER, ORDER, a, 1, 1, x.desc, ipiv, &info2);
        void *lu = gathered(&x, 'd', a);
        gather_pivots(&x, &p, ipiv, pivots);
        double error = residual('d', whole, lu, pivots, ORDER, ORDER, ORDER);
        check(info == -1 && info2 == 0 && error < BOUND,
              "a refused call gives info %d, the next one %d, residual %g", info, info2, error);
        free(a), free(lu);
    }
    free(whole), free(ipiv);
}

/* Settings that differ, which end the job. */
static int misuse(int context, const char *which)
{
    layout x;
    double a[64] = {0};
    int ipiv[64], info = 0;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    if (strcmp(which, "settings") == 0)
        bsp_lu_block(2 + 2 * world.me);
    else if (strcmp(which, "measure") == 0)
        bsp_lu_measure(world.me);
    else
        return info;
    bsp_pdgetrf(8, 8, a, 1, 1, x.desc, ipiv, &info);
    return info;
}

static void try_grid(int context)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (const char *type = "sdcz"; *type; type++)
            for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
                try_problem(context, &problems[i], *type, ways[w]);
    for (const char *type = "sdcz"; *type; type++)
        try_narrow(context, *type);
    try_supersteps(context);
    bsp_lu_panel(0);
    for (const char *type = "sdcz"; *type; type++) {
        for (int block = 0; block <= 4; block += 4) {
            try_gesv(context, *type, 0, block);
            try_gesv(context, *type, 1, block);
        }
    }
    try_wrong(context);
    try_disagreement(context);
    try_after_refusal(context);
}

/* For its trace: eight blocks, with a lookahead. */
static int look_ahead(void)
{
    begin();
    int context = make_grid(2, world.count / 2);
    supersteps_of(context, BSP_LU_TOGETHER);
    Cblacs_gridexit(context);
    return finish();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "ahead") == 0)
        return look_ahead();
    return argc > 1 ? one_mistake(misuse, argv[1]) : on_every_grid(try_grid);
}
