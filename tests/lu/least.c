/*
 * Least squares of four types on every grid of the processes at hand, both ways round, and of tall
 * and wide matrices. Solutions are judged as LAPACK's testers do: that of too many equations leaves
 * a residual that is orthogonal to the matrix, and that of too few has a small residual and lies in
 * the rows' space. The factors, and what stands behind X, are those of LAPACK's ?gels on one
 * process, and nothing else is written.
 */
#include "problem.h"

#define GELS(x)                                                                                    \
    void x##gels_(const char *, const int *, const int *, const int *, void *, const int *,        \
                  void *, const int *, void *, const int *, int *, size_t);
GELS(s)
GELS(d)
GELS(c)
GELS(z)

/* A submatrix, right-hand sides, and the powers of 2 by which both are multiplied. */
typedef struct equations {
    problem a, b;
    char trans;
    int a_power, b_power;
} equations;

/* Rows and columns of op(A). */
static int rows_of(const equations *e)
{
    return e->trans == 'N' ? e->a.m : e->a.n;
}

static int columns_of(const equations *e)
{
    return e->trans == 'N' ? e->a.n : e->a.m;
}

static number op(const equations *e, char type, const void *a, int ld, int i, int j)
{
    number x = get(type, a, e->trans == 'N' ? place(i, j, ld) : place(j, i, ld));
    return e->trans == 'N' ? x : conj(x);
}

static number times_power(number x, int power)
{
    return ldexp(creal(x), power) + I * ldexp(cimag(x), power);
}

static void multiply(char type, void *a, int m, int n, int ld, int power)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            set(type, a, place(i, j, ld), times_power(get(type, a, place(i, j, ld)), power));
}

/* The same, of an array of any size, for what is computed here: its elements are near 1. */
static number *plain(char type, const void *a, int m, int n, int ld, int power)
{
    number *x = malloc(sizeof *x * ((size_t)m * (size_t)n + 1));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            x[place(i, j, m)] = times_power(get(type, a, place(i, j, ld)), power);
    return x;
}

static double size_of(const number *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, isnan(cabs(x[i])) ? INFINITY : cabs(x[i]));
    return most;
}

/* LAPACK's solution of the same, in place; returns info. */
static int by_lapack(char type, char trans, const equations *e, void *a, int lda, void *b, int ldb)
{
    static number work[1 << 14];
    int size = 1 << 14, info = -99;
    BY_TYPE(type, , gels_, &trans, &e->a.m, &e->a.n, &e->b.n, a, &lda, b, &ldb, work, &size, &info,
            1);
    return info;
}

/* How far columns of X are from the space of the rows of op(A), which LAPACK finds: what is left
 * of them by the system the other way round. */
static double outside(char type, const equations *e, const void *a, const number *x)
{
    int m = e->a.m, n = e->a.n, longer = m > n ? m : n, shorter = m < n ? m : n;
    char other = e->trans != 'N' ? 'N' : type == 's' || type == 'd' ? 'T' : 'C';
    /* OpenBLAS 0.3.21's ZGEMV for x86 reads behind a matrix, where no memory need be. */
    void *f = malloc(bytes_of(type) * (size_t)m * (size_t)(n + 8)),
         *y = malloc(bytes_of(type) * (size_t)longer * (size_t)e->b.n);
    double most = 0;
    memcpy(f, a, bytes_of(type) * (size_t)m * (size_t)n);
    for (int j = 0; j < e->b.n; j++)
        for (int i = 0; i < longer; i++)
            set(type, y, place(i, j, longer), x[place(i, j, longer)]);
    int info = by_lapack(type, other, e, f, m, y, longer);
    for (int j = 0; j < e->b.n; j++)
        for (int i = shorter; i < longer; i++)
            most = fmax(most, cabs(get(type, y, place(i, j, longer))));
    free(f), free(y);
    return info == 0 ? most : INFINITY;
}

/* Residuals of X, of elements near 1. */
static void judge(char type, const equations *e, const void *a, const number *b, const number *x,
                  const number *behind, const char *where)
{
    int m = rows_of(e), n = columns_of(e), sides = e->b.n, longer = m > n ? m : n;
    number *r = malloc(sizeof *r * (size_t)m * (size_t)sides);
    double of_a = norm(type, a, e->a.m, e->a.n, e->a.m), worst = 0;
    double of_x = size_of(x, (size_t)n * (size_t)sides),
           of_b = size_of(b, (size_t)m * (size_t)sides);
    for (int k = 0; k < sides; k++)
        for (int i = 0; i < m; i++) {
            r[place(i, k, m)] = b[place(i, k, m)];
            for (int j = 0; j < n; j++)
                r[place(i, k, m)] -= op(e, type, a, e->a.m, i, j) * x[place(j, k, n)];
        }
    if (m >= n) {
        for (int k = 0; k < sides; k++)
            for (int j = 0; j < n; j++) {
                number sum = 0;
                for (int i = 0; i < m; i++)
                    sum += conj(op(e, type, a, e->a.m, i, j)) * r[place(i, k, m)];
                worst = fmax(worst, isnan(cabs(sum)) ? INFINITY : cabs(sum));
            }
        worst /= of_a * (of_b + of_a * of_x) * longer * epsilon_of(type);
        check(worst < BOUND, "%s: the residual is not orthogonal to A by %g", where, worst);
        for (int k = 0; k < sides; k++) {
            double square = 0, expected = 0;
            for (int i = 0; i < m; i++)
                expected += creal(r[place(i, k, m)] * conj(r[place(i, k, m)]));
            for (int i = 0; i < m - n; i++)
                square += creal(behind[place(i, k, m - n)] * conj(behind[place(i, k, m - n)]));
            double far = fabs(sqrt(square) - sqrt(expected)) /
                         ((of_b + of_a * of_x) * longer * epsilon_of(type));
            check(far < BOUND, "%s: what stands behind X differs from the residual by %g", where,
                  far);
        }
    } else {
        worst = size_of(r, (size_t)m * (size_t)sides) / (of_a * of_x * longer * epsilon_of(type));
        check(worst < BOUND, "%s: residual %g", where, worst);
        worst = outside(type, e, a, x) / (of_x * longer * epsilon_of(type));
        check(worst < BOUND, "%s: there is a shorter solution, by %g", where, worst);
    }
    free(r);
}

static void call(char type, const equations *e, void *a, const layout *x, void *b, const layout *y)
{
    int ia = e->a.ia + 1, ja = e->a.ja + 1, ib = e->b.ia + 1, jb = e->b.ja + 1, lwork = 1,
        info = -99;
    number work[1] = {0};
    if (type == 'd' || type == 'c')
        BY_TYPE(type, bsp_p, gels_, &e->trans, &e->a.m, &e->a.n, &e->b.n, a, &ia, &ja, x->desc, b,
                &ib, &jb, y->desc, (void *)work, &lwork, &info);
    else
        BY_TYPE(type, bsp_p, gels, (char)(e->trans - 'A' + 'a'), e->a.m, e->a.n, e->b.n, a, ia, ja,
                x->desc, b, ib, jb, y->desc, (void *)work, lwork, &info);
    check(info == 0 && get(type, work, 0) == 1, "%c, %s: info %d, work %g", type, e->a.name, info,
          creal(get(type, work, 0)));
}

static void try_equations(int context, equations *e, char type)
{
    layout x, y;
    problem *pa = &e->a, *pb = &e->b;
    int m = pa->ia + pa->m + 2, n = pa->ja + pa->n + 1, rows = rows_of(e), sides = pb->n;
    int mb = pb->ia + pb->m + 1, nb = pb->ja + sides + 2, solved = columns_of(e);
    char where[100];
    describe(&x, context, m, n, pa->mb, pa->nb, pa->rsrc, pa->csrc);
    describe(&y, context, mb, nb, pb->mb, pb->nb, pb->rsrc, pb->csrc);
    snprintf(where, sizeof where, "%c %c, %s, %d x %d on %d x %d", type, e->trans, pa->name, pa->m,
             pa->n, x.rows, x.columns);
    void *whole = make_whole(type, pa, m, n), *before = make_whole(type, pb, mb, nb);
    multiply(type, corner(type, whole, pa, m), pa->m, pa->n, m, e->a_power);
    multiply(type, corner(type, before, pb, mb), pb->m, sides, mb, e->b_power);
    void *a = local_part(&x, type, whole), *b = local_part(&y, type, before);
    bsp_lu_block(pa->block);
    call(type, e, a, &x, b, &y);
    void *factors = gathered(&x, type, a), *after = gathered(&y, type, b);
    check_outside(&x, pa, type, whole, factors);
    check_outside(&y, pb, type, before, after);
    number *sides_before = plain(type, corner(type, before, pb, mb), rows, sides, mb, -e->b_power);
    number *solution =
        plain(type, corner(type, after, pb, mb), solved, sides, mb, e->a_power - e->b_power);
    number *behind =
        plain(type, (char *)corner(type, after, pb, mb) + (size_t)solved * bytes_of(type),
              rows > solved ? rows - solved : 0, sides, mb, -e->b_power);
    number *plain_a = plain(type, corner(type, whole, pa, m), pa->m, pa->n, m, -e->a_power);
    if (size_of(plain_a, (size_t)pa->m * (size_t)pa->n) == 0) {
        check(size_of(solution, (size_t)solved * (size_t)sides) == 0, "%s: not zero", where);
    } else {
        void *small = malloc(bytes_of(type) * (size_t)pa->m * (size_t)pa->n);
        for (int i = 0; i < pa->m * pa->n; i++)
            set(type, small, (size_t)i, plain_a[i]);
        judge(type, e, small, sides_before, solution, behind, where);
        free(small);
    }
    if (!e->a_power && pa->element != zero) {
        void *lapack = make_whole(type, pa, m, n);
        by_lapack(type, e->trans, e, corner(type, lapack, pa, m), m, corner(type, before, pb, mb),
                  mb);
        check_factors(pa, type, factors, lapack, m, where);
        free(lapack);
    }
    free(whole), free(before), free(a), free(b), free(factors), free(after), free(sides_before);
    free(solution), free(behind), free(plain_a);
}

/* Right-hand sides for a submatrix, which lie as ScaLAPACK wants them: `ahead` whole blocks stand
 * before them. */
static void try_sides(int context, const problem *a, int sides, int ahead, int shift, char type)
{
    const char transposed = type == 's' || type == 'd' ? 'T' : 'C';
    int rows, columns, r, c, tall = a->m >= a->n;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    equations e = {.a = *a, .b = *a};
    e.a.rsrc %= rows;
    e.a.csrc %= columns;
    e.b.m = tall ? a->m : a->n;
    e.b.n = sides;
    e.b.mb = tall ? a->mb : a->nb;
    e.b.nb = 1 + shift % 5;
    e.b.ia = (tall ? a->ia : a->ja) % e.b.mb + ahead * e.b.mb;
    e.b.ja = shift % 7;
    e.b.rsrc = tall ? (e.a.rsrc + a->ia / a->mb + rows * ahead - ahead) % rows : shift % rows;
    e.b.csrc = shift % columns;
    e.b.element = any;
    for (int way = 0; way < 2; way++) {
        e.trans = way ? transposed : 'N';
        try_equations(context, &e, type);
    }
}

static const problem problems[] = {
    PROBLEMS_OF_ANY,
    {"zero", 9, 12, 2, 2, 0, 0, 0, 0, 4, zero},
};

/* Elements whose squares leave the range of the type. */
static void try_sizes(int context, char type)
{
    int narrow = type == 's' || type == 'c', far = narrow ? 110 : 1000;
    const int powers[][2] = {{far, 0}, {-far, 0}, {0, far}, {0, -far}, {far, far}, {-far, -far}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        for (int wide = 0; wide < 2; wide++)
            for (int way = 0; way < 2; way++) {
                equations e = {
                    .a = {"sizes", wide ? 11 : 20, wide ? 20 : 11, 3, 3, 0, 0, 0, 0, 4, any},
                    .b = {"sizes", 20, 2, 3, 1, 0, 0, 0, 0, 4, any},
                    .trans = 'N',
                    .a_power = powers[i][0],
                    .b_power = powers[i][1]};
                if (way)
                    e.trans = type == 's' || type == 'd' ? 'T' : 'C';
                try_equations(context, &e, type);
            }
}

/* Every argument that can be wrong, with ScaLAPACK's number for it, also on one process alone. */
static void try_wrong(int context)
{
    layout x, y, z;
    int info, odd = world.me == 1, one = world.count == 1;
    double a[100] = {0}, b[100] = {0}, work[1] = {0};
    describe(&x, context, 8, 8, 4, 4, 0, 0);
    describe(&y, context, 8, 8, 4, 4, 0, 0);
    describe(&z, context, 8, 8, 2, 4, 0, 0);
#define REFUSED(expected, ...)                                                                     \
    bsp_pdgels(__VA_ARGS__, work, 1, &info);                                                       \
    check(info == (expected), "%s: info %d, not %d", #__VA_ARGS__, info, expected)
    REFUSED(-1, 'C', 8, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(-2, 'N', -1, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(-2, 'N', 9, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(-3, 'N', 8, 9, 1, a, 1, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(-4, 'N', 8, 8, 9, a, 1, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(-6, 'N', 8, 8, 1, a, 0, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(-7, 'N', 8, 8, 1, a, 1, 9, x.desc, b, 1, 1, y.desc);
    REFUSED(-10, 'N', 4, 4, 1, a, 1, 1, x.desc, b, 2, 1, y.desc);
    REFUSED(-10, 'N', 2, 4, 1, a, 1, 5, x.desc, b, 2, 1, y.desc);
    REFUSED(-11, 'N', 8, 8, 1, a, 1, 1, x.desc, b, 1, 9, y.desc);
    REFUSED(-1205, 'N', 8, 8, 1, a, 1, 1, x.desc, b, 1, 1, z.desc);
    REFUSED(-1205, 'T', 4, 8, 1, a, 1, 1, x.desc, b, 1, 1, z.desc);
    REFUSED(one ? 0 : -1, odd ? 'T' : 'N', 8, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc);
    REFUSED(one ? 0 : -4, 'N', 8, 8, odd ? 2 : 1, a, 1, 1, x.desc, b, 1, 1, y.desc);
    if (x.rows > 1) {
        REFUSED(-10, 'N', 4, 4, 1, a, 1, 1, x.desc, b, 5, 1, y.desc);
    }
    bsp_pdgels('N', 8, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc, work, 0, &info);
    check(info == -14, "lwork: info %d", info);
    bsp_pdgels('N', 8, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc, work, odd ? -1 : 1, &info);
    check(info == (one ? 0 : -14), "one that asks: info %d", info);
    work[0] = 0;
    bsp_pdgels('N', 8, 8, 1, a, 1, 1, x.desc, b, 1, 1, y.desc, work, -1, &info);
    check(info == 0 && work[0] == 1, "asked: info %d, work %g", info, work[0]);
    for (int i = 0; i < 100; i++)
        b[i] = 7;
    bsp_pdgels('N', 0, 8, 8, a, 1, 1, x.desc, b, 1, 1, y.desc, work, 1, &info);
    int left = 0;
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++)
            left += place_of(&y, i, j) >= 0 && b[place_of(&y, i, j)] != 0;
    check(info == 0 && left == 0, "no rows: info %d, %d elements are not zero", info, left);
}

static int misuse(int context, const char *which)
{
    layout x, y;
    double a[100] = {0}, b[100] = {0}, work[1];
    int info = 0, ib = strcmp(which, "beginning") == 0 ? 2 : 1,
        mb = strcmp(which, "blocks") ? 4 : 2;
    char trans = strcmp(which, "letter") ? 'N' : 'C';
    describe(&x, context, 8, 8, 4, 4, 0, 0);
    describe(&y, context, 8, 8, mb, 4, 0, 0);
    bsp_pdgels(trans, 4, 4, 1, a, 1, 1, x.desc, b, ib, 1, y.desc, work,
               strcmp(which, "work") ? 1 : 0, &info);
    return info;
}

/* All right-hand sides in one process column: they go to those of A in strips, where process
 * columns factor blocks. */
static void try_strips(int context, char type)
{
    static const int sides[] = {1, 5, 9, 33};
    const char transposed = type == 's' || type == 'd' ? 'T' : 'C';
    int rows, columns, r, c;
    Cblacs_gridinfo(context, &rows, &columns, &r, &c);
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
        for (int wide = 0; wide < 2; wide++) {
            int from = (int)k % columns, width = k % 2 ? 8 : 4;
            equations e = {
                .a = {"strips", wide ? 17 : 30, wide ? 30 : 17, 4, width, 0, 0, 0, from, 4, any},
                .b = {"strips", 30, sides[k], wide ? width : 4, 40, 0, 0, 0, from, 4, any},
                .trans = wide ? 'N' : transposed};
            try_equations(context, &e, type);
        }
}

static void try_grid(int context)
{
    static dice d = {29, 0};
    for (const char *type = "sdcz"; *type; type++)
        for (int way = BSP_LU_ALONE; way <= BSP_LU_TOGETHER; way++) {
            bsp_lu_panel(way);
            try_strips(context, *type);
            for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
                try_sides(context, &problems[i], 3 + (int)i, 1, (int)i, *type);
            for (int i = 0; i < 8; i++) {
                problem p = any_problem(&d);
                int sides = 1 + roll(&d, 6), ahead = roll(&d, 3);
                try_sides(context, &p, sides, ahead, roll(&d, 40), *type);
            }
            try_sizes(context, *type);
        }
    bsp_lu_block(0);
    bsp_lu_panel(0);
    try_wrong(context);
}

int main(int argc, char **argv)
{
    return argc > 1 ? one_mistake(misuse, argv[1]) : on_every_grid(try_grid);
}
