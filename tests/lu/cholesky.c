/*
 * Cholesky factorisation of four types, both triangles, on every grid of the processes at hand,
 * against LAPACK's on one process: equal info, factors that are equal but for rounding, nothing
 * else written, and residuals as ScaLAPACK's testers take them, ||A - U^H U|| / (||A|| n eps) and
 * ||B - A X|| / (||A|| ||X|| n eps).
 */
#include <hooks/blacs.h>
#include <hooks/collective.h>
#include <openblacs/blacs_extensions.h>

#include "problem.h"

void spotrf_(const char *, const int *, void *, const int *, int *);
void dpotrf_(const char *, const int *, void *, const int *, int *);
void cpotrf_(const char *, const int *, void *, const int *, int *);
void zpotrf_(const char *, const int *, void *, const int *, int *);

/* Hermitian, and so heavy on the diagonal that it is positive definite. */
static number definite(int i, int j, int n)
{
    number x = i > j ? any(i, j, n) : conj(any(j, i, n));
    return i == j ? creal(x) + n : x;
}

/* Its factor is all ones, in exact arithmetic and in ours. */
static number ones(int i, int j, int n)
{
    (void)n;
    return 1 + (i < j ? i : j);
}

/* Element 2n/3 of the diagonal makes the minor of that order negative. */
static number indefinite(int i, int j, int n)
{
    return i == j && i == 2 * n / 3 ? -1 : definite(i, j, n);
}

static number negative(int i, int j, int n)
{
    return -definite(i, j, n);
}

/* Which is not positive, though not every LAPACK says so. */
static number not_a_number(int i, int j, int n)
{
    return i == n - 1 && j == n - 1 ? NAN : definite(i, j, n);
}

static const problem problems[] = {
    {"square", 37, 37, 4, 4, 0, 0, 0, 0, 0, definite},
    {"blocks together", 50, 50, 3, 3, 0, 0, 0, 0, 9, definite},
    {"any block", 41, 41, 4, 4, 0, 0, 0, 0, 7, definite},
    {"one column at a time", 23, 23, 4, 4, 0, 0, 0, 0, 1, definite},
    {"first process elsewhere", 30, 30, 4, 4, 0, 0, 1, 1, 8, definite},
    {"submatrix", 22, 22, 4, 4, 8, 12, 0, 1, 4, definite},
    {"submatrix anywhere", 24, 24, 4, 4, 5, 3, 1, 0, 6, definite},
    {"oblong blocks", 33, 33, 2, 5, 0, 0, 0, 0, 10, definite},
    {"oblong blocks anywhere", 29, 29, 7, 2, 3, 1, 1, 1, 3, definite},
    {"smaller than the grid", 2, 2, 1, 1, 0, 0, 0, 0, 0, definite},
    {"one element", 1, 1, 8, 8, 0, 0, 0, 0, 0, definite},
    {"block larger than the matrix", 7, 7, 64, 64, 0, 0, 0, 0, 0, definite},
    {"longer than the narrow columns", 150, 150, 8, 8, 0, 0, 0, 0, 16, definite},
    {"few wide blocks", 130, 130, 64, 64, 0, 0, 0, 0, 0, definite},
    {"few wide blocks, indefinite", 135, 135, 64, 64, 0, 0, 1, 1, 0, indefinite},
    {"two blocks", 70, 70, 40, 40, 0, 40, 0, 0, 0, definite},
    {"two blocks, indefinite", 98, 98, 64, 64, 0, 0, 0, 0, 0, indefinite},
    {"ones", 40, 40, 4, 4, 0, 0, 0, 0, 5, ones},
    {"indefinite", 40, 40, 4, 4, 0, 0, 0, 0, 8, indefinite},
    {"indefinite within a block", 31, 31, 3, 3, 2, 4, 0, 0, 7, indefinite},
    {"negative", 12, 12, 2, 2, 0, 0, 0, 0, 4, negative},
    {"not a number", 20, 20, 3, 3, 0, 0, 0, 0, 6, not_a_number},
};

static int in_triangle(char uplo, int i, int j)
{
    return uplo == 'L' ? i >= j : i <= j;
}

/* The other triangle gets elements of no meaning, which nobody may read or write. */
static void *half_of(char type, char uplo, const problem *p, const void *whole, int m, int n)
{
    void *half = malloc(bytes_of(type) * (size_t)m * (size_t)n);
    memcpy(half, whole, bytes_of(type) * (size_t)m * (size_t)n);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++)
            if (!in_triangle(uplo, i, j))
                set(type, half, place(i + p->ia, j + p->ja, m), NAN);
    return half;
}

/* ||A - U^H U|| / (||A|| n eps), or of L L^H, for each row on one of the processes, which all have
 * the same. */
static double residual(char type, char uplo, const void *a, const void *factor, int n, int ld)
{
    double worst = 0;
    for (int i = world.me; i < n; i += world.count) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            number x = get(type, a, place(i, j, ld));
            for (int k = 0; k <= (i < j ? i : j); k++)
                x -= uplo == 'L' ? get(type, factor, place(i, k, ld)) *
                                       conj(get(type, factor, place(j, k, ld)))
                                 : conj(get(type, factor, place(k, i, ld))) *
                                       get(type, factor, place(k, j, ld));
            sum += cabs(x);
        }
        worst = sum > worst ? sum : worst;
    }
    return worst == 0 ? 0 : worst / (norm(type, a, n, n, ld) * n * epsilon_of(type));
}

/* The factor's first `order` columns and rows beside LAPACK's, and the other triangle untouched. */
static void compare_factors(const problem *p, char type, char uplo, const void *ours,
                            const void *lapack, int order, int ld)
{
    double far = 0;
    int written = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++) {
            number x = get(type, ours, place(i, j, ld));
            if (!in_triangle(uplo, i, j))
                written += !isnan(creal(x));
            else if (i < order && j < order)
                far = fmax(far, cabs(x - get(type, lapack, place(i, j, ld))));
        }
    check(written == 0, "%c %c, %s: %d elements of the other triangle are written", type, uplo,
          p->name, written);
    check(far <= 100 * p->n * epsilon_of(type), "%c %c, %s: factors differ by %g from LAPACK's",
          type, uplo, p->name, far);
}

static void try_solving(const layout *x, const problem *p, char type, char uplo, const void *whole,
                        const void *factor, int nrhs, int fortran)
{
    int n = p->n, m = x->desc[2], info = -99, jb = 2, ib = p->ia + 1, wide = nrhs + 1;
    layout y;
    describe(&y, x->context, m, wide, p->mb, 3, x->desc[6], 0);
    problem around = {.m = m, .n = wide, .element = any};
    void *b = make_whole(type, &around, m, wide), *local = local_part(&y, type, b);
    int ia = p->ia + 1, ja = p->ja + 1;
    if (fortran)
        BY_TYPE(type, bsp_p, potrs_, &uplo, &n, &nrhs, factor, &ia, &ja, x->desc, local, &ib, &jb,
                y.desc, &info);
    else
        BY_TYPE(type, bsp_p, potrs, uplo, n, nrhs, factor, ia, ja, x->desc, local, ib, jb, y.desc,
                &info);
    void *solved = gathered(&y, type, local);
    double worst = solution_residual(p, type, 'N', whole, b, solved, m, nrhs);
    check(info == 0 && worst < BOUND, "%c %c, %s, %d x %d: potrs gives info %d, residual %g", type,
          uplo, p->name, x->rows, x->columns, info, worst);
    free(b), free(local), free(solved);
}

static void try_problem(int context, const problem *p, char type, char uplo)
{
    layout x;
    int m = p->ia + p->n + 2, n = p->ja + p->n + 1, info = -99, expected = -99, rows, columns, r, c;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    describe(&x, context, m, n, p->mb, p->nb, p->rsrc % rows, p->csrc % columns);
    void *whole = make_whole(type, p, m, n), *half = half_of(type, uplo, p, whole, m, n);
    void *lapack = half_of(type, uplo, p, whole, m, n), *local = local_part(&x, type, half);
    int ia = p->ia + 1, ja = p->ja + 1;
    bsp_lu_block(p->block);
    if (type == 'd' || type == 'c')
        BY_TYPE(type, bsp_p, potrf_, &uplo, &p->n, local, &ia, &ja, x.desc, &info);
    else
        BY_TYPE(type, bsp_p, potrf, (char)(uplo - 'A' + 'a'), p->n, local, ia, ja, x.desc, &info);
    BY_TYPE(type, , potrf_, &uplo, &p->n, corner(type, lapack, p, m), &m, &expected);
    expected = p->element == not_a_number ? p->n : expected;
    check(info == expected, "%c %c, %s, %d x %d: info %d, LAPACK's is %d", type, uplo, p->name,
          x.rows, x.columns, info, expected);
    void *factor = gathered(&x, type, local);
    compare_factors(p, type, uplo, corner(type, factor, p, m), corner(type, lapack, p, m),
                    expected ? expected - 1 : p->n, m);
    check_bytes(context, p->name);
    check_outside(&x, p, type, half, factor);
    if (info == 0 && p->n <= 150) { /* of more it takes long */
        double error =
            residual(type, uplo, corner(type, whole, p, m), corner(type, factor, p, m), p->n, m);
        check(error < BOUND, "%c %c, %s, %d x %d: residual %g", type, uplo, p->name, x.rows,
              x.columns, error);
    }
    if (info == 0 && p->mb == p->nb && p->ia % p->mb == 0 && p->ja % p->nb == 0) {
        try_solving(&x, p, type, uplo, whole, local, 1, 1);
        try_solving(&x, p, type, uplo, whole, local, 5, 0);
    }
    free(whole), free(half), free(lapack), free(local), free(factor);
}

/* Orders, blocks and places by the dice. */
static void try_any(int context, dice *d, char type, char uplo)
{
    problem p = {.name = "by the dice", .element = roll(d, 4) ? definite : indefinite};
    p.m = p.n = 1 + roll(d, 70);
    p.mb = 1 + roll(d, 9);
    p.nb = roll(d, 2) ? p.mb : 1 + roll(d, 9);
    p.ia = roll(d, 2) ? roll(d, 12) : p.mb * roll(d, 3);
    p.ja = roll(d, 2) ? roll(d, 12) : p.nb * roll(d, 3);
    p.rsrc = roll(d, 9);
    p.csrc = roll(d, 9);
    p.block = roll(d, 2) ? 1 + roll(d, 40) : 0;
    try_problem(context, &p, type, uplo);
}

/* Blocks too narrow to be steps: a copy in wider ones is factored, within a node and where heaps
 * are large enough. */
static void try_narrow(int context, char type, char uplo)
{
    int rows, columns, r, c;
    bsp_lu_parts parts;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    const int near = ob_group_near(ob_blacs_group(context, 'A')) && !getenv("OPENBLACS_HEAP");
    const int deals = (uplo == 'L' ? columns : rows) > 1 && near;
    const int few = rows <= 2 && columns <= 2, n = rows * columns <= 2 ? 151 : 211;
    const problem narrow[] = {
        {"narrow blocks", n, n, 8, 8, 0, 0, 0, 0, 0, definite},
        {"narrow blocks, submatrix anywhere", n, n, 5, 7, 6, 3, 1, 1, 0, definite},
        {"narrow blocks, indefinite", n, n, 6, 6, 6, 12, 0, 1, 0, indefinite},
    };
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        try_problem(context, &narrow[i], type, uplo);
        bsp_lu_last(&parts);
        check(deals == (parts.block == (few ? 48 : 64)), "%c %c, %s, %d x %d: steps of %d columns",
              type, uplo, narrow[i].name, rows, columns, parts.block);
    }
}

/* posv is potrf and potrs, bit for bit; of an indefinite matrix it leaves B alone. */
static void try_posv(int context, char type, char uplo, int fails, int block)
{
    layout x, y;
    enum { ORDER = 29, SIDES = 5 };
    problem p = {.m = ORDER, .n = ORDER, .element = fails ? indefinite : definite};
    problem sides = {.m = ORDER, .n = SIDES, .element = any};
    int info = -99, info2 = -99, n = ORDER, nrhs = SIDES;
    describe(&x, context, n, n, 4, 4, 0, 0);
    describe(&y, context, n, nrhs, 4, 2, 0, 0);
    void *whole = make_whole(type, &p, n, n), *b = make_whole(type, &sides, n, nrhs);
    void *a1 = local_part(&x, type, whole), *b1 = local_part(&y, type, b);
    void *a2 = local_part(&x, type, whole), *b2 = local_part(&y, type, b);
    bsp_lu_block(block);
    BY_TYPE(type, bsp_p, posv, uplo, n, nrhs, a1, 1, 1, x.desc, b1, 1, 1, y.desc, &info);
    BY_TYPE(type, bsp_p, potrf, uplo, n, a2, 1, 1, x.desc, &info2);
    if (info2 == 0)
        BY_TYPE(type, bsp_p, potrs, uplo, n, nrhs, a2, 1, 1, x.desc, b2, 1, 1, y.desc, &info2);
    size_t bytes_a = bytes_of(type) * (size_t)x.desc[8] * (size_t)local_columns(&x);
    size_t bytes_b = bytes_of(type) * (size_t)y.desc[8] * (size_t)local_columns(&y);
    check(info == info2 && info == (fails ? 2 * n / 3 + 1 : 0),
          "%c %c: posv gives info %d, potrf %d", type, uplo, info, info2);
    check(!memcmp(a1, a2, bytes_a) && !memcmp(b1, b2, bytes_b),
          "%c %c: posv is not potrf and potrs", type, uplo);
    free(whole), free(b), free(a1), free(b1), free(a2), free(b2);
}

/* Large enough that broadcasts go in several pieces. The factor is LAPACK's, and the same call
 * gives the same bits: no product may depend on what has come in time. */
static void try_again(int context, char type, char uplo)
{
    enum { TIMES = 4 };
    layout x;
    int n = type == 'z' ? 600 : 400, block = type == 'z' ? 64 : 32, info = -99;
    problem p = {.name = "again", .m = n, .n = n, .element = definite};
    describe(&x, context, n, n, block, block, 0, 0);
    if ((uplo == 'L' ? x.columns : x.rows) == 1) /* no lookahead */
        return;
    void *whole = make_whole(type, &p, n, n), *half = half_of(type, uplo, &p, whole, n, n);
    void *first = NULL;
    size_t bytes = bytes_of(type) * (size_t)x.desc[8] * (size_t)local_columns(&x);
    bsp_lu_block(0);
    for (int k = 0; k < TIMES; k++) {
        void *a = local_part(&x, type, half);
        BY_TYPE(type, bsp_p, potrf, uplo, n, a, 1, 1, x.desc, &info);
        check(info == 0 && (k == 0 || !memcmp(a, first, bytes)),
              "%c %c: call %d gives info %d, or other bits than the first", type, uplo, k, info);
        if (k)
            free(a);
        else
            first = a;
    }
    void *factor = gathered(&x, type, first);
    BY_TYPE(type, , potrf_, &uplo, &n, half, &n, &info);
    compare_factors(&p, type, uplo, factor, half, n, n);
    free(whole), free(half), free(first), free(factor);
}

static int info_of(const int *desc)
{
    double a[1] = {0};
    int info;
    bsp_pdpotrf('U', 8, a, 1, 1, desc, &info);
    return info;
}

/* Every argument that can be wrong, with ScaLAPACK's number for it. */
static void try_wrong(int context)
{
    layout x;
    double a[1] = {0}, b[1] = {0};
    int info;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    check_entries(&x, -2, info_of);
    bsp_pdpotrf('X', 8, a, 1, 1, x.desc, &info);
    check(info == -1, "uplo: info %d", info);
    bsp_pdpotrf('L', -1, a, 1, 1, x.desc, &info);
    check(info == -2, "n: info %d", info);
    bsp_pdpotrf('L', 8, a, 0, 1, x.desc, &info);
    check(info == -4, "ia: info %d", info);
    bsp_pdpotrf('L', 8, a, 1, 9, x.desc, &info);
    check(info == -5, "ja: info %d", info);
    bsp_pdpotrf('L', 0, a, 1, 1, x.desc, &info);
    check(info == 0, "no rows: info %d", info);
    bsp_pdpotrs('X', 8, 1, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    check(info == -1, "uplo of potrs: info %d", info);
    bsp_pdpotrs('U', 6, 1, a, 2, 1, x.desc, b, 1, 1, x.desc, &info);
    check(info == -5, "ia within a block: info %d", info);
    bsp_pdpotrs('U', 6, 1, a, 1, 1, x.desc, b, 2, 1, x.desc, &info);
    check(info == -9, "ib within a block: info %d", info);
    bsp_pdposv('U', 6, 9, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    check(info == -3, "nrhs: info %d", info);
    bsp_pdposv('?', 6, 1, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    check(info == -1, "uplo of posv: info %d", info);
}

/* What is wrong on one process, or not the same on all, is found by all: nobody waits. */
static void try_disagreement(int context)
{
    layout x;
    double a[64] = {0}, b[64] = {0};
    int info, odd = world.me == world.count - 1, desc[9];
    if (world.count == 1)
        return;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    memcpy(desc, x.desc, sizeof desc);
    desc[8] = odd ? 0 : desc[8];
    bsp_pdpotrf('L', 8, a, 1, 1, desc, &info);
    check(info == -609, "a leading dimension wrong on one process: info %d", info);
    bsp_pdpotrf(odd ? 'L' : 'U', 8, a, 1, 1, x.desc, &info);
    check(info == -1, "uplo that differs: info %d", info);
    bsp_pdpotrs('L', 8, odd, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    check(info == -3, "nrhs that differs: info %d", info);
    bsp_pdposv(odd ? 'L' : 'u', 8, 1, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    check(info == -1, "uplo of posv that differs: info %d", info);
}

static int misuse(int context, const char *which)
{
    layout x;
    double a[64] = {0}, b[64] = {0};
    int info = 0;
    describe(&x, context, 8, 8, 2, 2, 0, 0);
    if (strcmp(which, "triangle") == 0)
        bsp_pdpotrf('x', 8, a, 1, 1, x.desc, &info);
    if (strcmp(which, "triangles") == 0)
        bsp_pdposv(world.me ? 'L' : 'U', 8, 1, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    if (strcmp(which, "together") == 0) {
        Cblacs_together_begin();
        bsp_pdpotrf('L', 8, a, 1, 1, x.desc, &info);
    }
    if (strcmp(which, "sides") == 0)
        bsp_pdpotrs('L', 8, 9, a, 1, 1, x.desc, b, 1, 1, x.desc, &info);
    return info;
}

/* Calls on one grid between those on another of the same processes, which comes and goes. */
static void try_two_grids(int context)
{
    enum { TIMES = 10 };
    static dice d = {24, 0};
    int rows, columns, r, c;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    for (int i = 0; i < TIMES; i++) {
        int other = make_grid(columns, rows);
        for (int k = 0; k < 2; k++) {
            try_any(context, &d, 'd', 'L');
            try_any(other, &d, 'd', 'U');
        }
        Cblacs_gridexit(other);
    }
}

static void try_grid(int context)
{
    static dice d = {22, 0};
    for (const char *uplo = "UL"; *uplo; uplo++)
        for (const char *type = "sdcz"; *type; type++) {
            for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
                for (int seated = 0; seated < 2; seated++) {
                    problem p = problems[i];
                    p.block = seated ? 0 : p.block ? p.block : p.nb;
                    try_problem(context, &p, *type, *uplo);
                }
            for (int i = 0; i < 10; i++)
                try_any(context, &d, *type, *uplo);
            for (int block = 0; block <= 4; block += 4) {
                try_posv(context, *type, *uplo, 0, block);
                try_posv(context, *type, *uplo, 1, block);
            }
            try_narrow(context, *type, *uplo);
            try_again(context, *type, *uplo);
        }
    try_two_grids(context);
    try_wrong(context);
    try_disagreement(context);
}

int main(int argc, char **argv)
{
    return argc > 1 ? one_mistake(misuse, argv[1]) : on_every_grid(try_grid);
}
