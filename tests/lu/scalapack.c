/*
 * LU, Cholesky and QR against ScaLAPACK's own on the same blocks: equal pivots, info and, but for
 * rounding, factors, and factors that either's solver takes.
 */
#include "matrix.h"

#define SCALAPACK(x)                                                                               \
    void p##x##getrf_(const int *, const int *, void *, const int *, const int *, const int *,     \
                      int *, int *);                                                               \
    void p##x##getrs_(const char *, const int *, const int *, void *, const int *, const int *,    \
                      const int *, const int *, void *, const int *, const int *, const int *,     \
                      int *);                                                                      \
    void p##x##potrf_(const char *, const int *, void *, const int *, const int *, const int *,    \
                      int *);                                                                      \
    void p##x##potrs_(const char *, const int *, const int *, void *, const int *, const int *,    \
                      const int *, void *, const int *, const int *, const int *, int *);          \
    void p##x##geqrf_(const int *, const int *, void *, const int *, const int *, const int *,     \
                      void *, void *, const int *, int *);                                         \
    void p##x##gels_(const char *, const int *, const int *, const int *, void *, const int *,     \
                     const int *, const int *, void *, const int *, const int *, const int *,      \
                     void *, const int *, int *);                                                  \
    void p##x##getf2_(const int *, const int *, void *, const int *, const int *, const int *,     \
                      int *, int *);                                                               \
    void p##x##swap_(const int *, void *, const int *, const int *, const int *, const int *,      \
                     void *, const int *, const int *, const int *, const int *);                  \
    void p##x##amax_(const int *, void *, int *, const void *, const int *, const int *,           \
                     const int *, const int *);                                                    \
    void p##x##laswp_(const char *, const char *, const int *, void *, const int *, const int *,   \
                      const int *, const int *, const int *, const int *);
SCALAPACK(s)
SCALAPACK(d)
SCALAPACK(c)
SCALAPACK(z)
#define REFLECT(name)                                                                              \
    void name(const char *, const char *, const int *, const int *, const int *, void *,           \
              const int *, const int *, const int *, void *, void *, const int *, const int *,     \
              const int *, void *, const int *, int *);
REFLECT(psormqr_)
REFLECT(pdormqr_)
REFLECT(pcunmqr_)
REFLECT(pzunmqr_)

static double difference(const layout *x, char type, const void *a, const void *b)
{
    double largest = 0;
    for (int j = 0; j < x->desc[3]; j++)
        for (int i = 0; i < x->desc[2]; i++) {
            long at = place_of(x, i, j);
            double d = at < 0 ? 0 : cabs(get(type, a, (size_t)at) - get(type, b, (size_t)at));
            largest = d > largest ? d : largest;
        }
    return largest;
}

/* The submatrix begins one block down and two blocks right. */
static void compare(int context, char type, int m, int n, int nb, int zero_column)
{
    layout x;
    int info = -99, expected = -99, one = 1, ia = nb + 1, ja = 2 * nb + 1, wrong = 0;
    describe(&x, context, m + nb, n + 2 * nb, nb, nb, 0, 0);
    void *a = random_part(&x, type, 3, zero_column), *b = random_part(&x, type, 3, zero_column);
    int entries = x.desc[8] + nb;
    int *ours = calloc((size_t)entries, sizeof *ours),
        *theirs = calloc((size_t)entries, sizeof *theirs);
    BY_TYPE(type, bsp_p, getrf_, &m, &n, a, &ia, &ja, x.desc, ours, &info);
    BY_TYPE(type, p, getrf_, &m, &n, b, &ia, &ja, x.desc, theirs, &expected);
    for (int i = 0; i < (m < n ? m : n); i++)
        if (owner_of(i + nb, nb, 0, x.rows) == x.row) {
            int at = local_of(i + nb, nb, x.rows);
            wrong += ours[at] != theirs[at];
        }
    check(info == expected, "%c %d x %d: info %d, ScaLAPACK's %d", type, m, n, info, expected);
    check(wrong == 0, "%c %d x %d: %d pivots are not ScaLAPACK's", type, m, n, wrong);
    double d = difference(&x, type, a, b);
    check(d < 1e4 * epsilon_of(type), "%c %d x %d: factors differ by %g", type, m, n, d);
    if (m == n && info == 0) {
        layout y;
        describe(&y, context, m + nb, 3, nb, 2, 0, 0);
        void *u = random_part(&y, type, 5, -1), *v = random_part(&y, type, 5, -1);
        int nrhs = 3;
        BY_TYPE(type, bsp_p, getrs_, "T", &n, &nrhs, b, &ia, &ja, x.desc, theirs, u, &ia, &one,
                y.desc, &info);
        BY_TYPE(type, p, getrs_, "T", &n, &nrhs, a, &ia, &ja, x.desc, ours, v, &ia, &one, y.desc,
                &expected);
        d = difference(&y, type, u, v);
        check(info == 0 && expected == 0 && d < 1e6 * epsilon_of(type),
              "%c: solutions differ by %g", type, d);
        free(u);
        free(v);
    }
    free(a), free(b), free(ours), free(theirs);
}

/* Of order n, heavy on the diagonal but for the element `negative`; the submatrix begins as above.
 */
static void *definite_part(const layout *x, char type, int n, int nb, int negative)
{
    size_t m = (size_t)x->desc[2];
    void *whole = malloc(m * (size_t)x->desc[3] * bytes_of(type));
    for (size_t j = 0; j < (size_t)x->desc[3]; j++)
        for (size_t i = 0; i < m; i++) {
            long row = (long)i - nb, column = (long)j - 2L * nb;
            number v = row > column ? random_number(3, (size_t)row + 9, (size_t)column + 99)
                                    : conj(random_number(3, (size_t)column + 9, (size_t)row + 99));
            v = row == column ? creal(v) + (row == negative ? -n : n) : v;
            set(type, whole, i + j * m, v);
        }
    void *part = local_part(x, type, whole);
    free(whole);
    return part;
}

static void compare_cholesky(int context, char type, char uplo, int n, int nb, int negative)
{
    layout x, y;
    int info = -99, expected = -99, one = 1, ia = nb + 1, ja = 2 * nb + 1, nrhs = 3;
    describe(&x, context, n + nb, n + 2 * nb, nb, nb, 0, 0);
    describe(&y, context, n + nb, nrhs, nb, 2, 0, 0);
    void *a = definite_part(&x, type, n, nb, negative),
         *b = definite_part(&x, type, n, nb, negative);
    BY_TYPE(type, bsp_p, potrf_, &uplo, &n, a, &ia, &ja, x.desc, &info);
    BY_TYPE(type, p, potrf_, &uplo, &n, b, &ia, &ja, x.desc, &expected);
    check(info == expected, "%c %c %d: info %d, ScaLAPACK's %d", type, uplo, n, info, expected);
    if (info == 0) {
        double d = difference(&x, type, a, b);
        check(d < 1e3 * n * epsilon_of(type), "%c %c %d: factors differ by %g", type, uplo, n, d);
        void *u = random_part(&y, type, 5, -1), *v = random_part(&y, type, 5, -1);
        BY_TYPE(type, bsp_p, potrs_, &uplo, &n, &nrhs, b, &ia, &ja, x.desc, u, &ia, &one, y.desc,
                &info);
        BY_TYPE(type, p, potrs_, &uplo, &n, &nrhs, a, &ia, &ja, x.desc, v, &ia, &one, y.desc,
                &expected);
        d = difference(&y, type, u, v);
        check(info == 0 && expected == 0 && d < 1e3 * epsilon_of(type),
              "%c %c: solutions differ by %g", type, uplo, d);
        free(u), free(v);
    }
    free(a), free(b);
}

/* C = Q^H C by ScaLAPACK, with these factors. */
static void reflect(const layout *x, const layout *y, char type, int m, int n, int k, int i, int j,
                    void *a, void *tau, void *c)
{
    static double complex work[100000];
    int size = 100000, info = -99, one = 1;
    const char *trans = type == 's' || type == 'd' ? "T" : "C";
    void (*by)(const char *, const char *, const int *, const int *, const int *, void *,
               const int *, const int *, const int *, void *, void *, const int *, const int *,
               const int *, void *, const int *, int *) = type == 's'   ? psormqr_
                                                          : type == 'd' ? pdormqr_
                                                          : type == 'c' ? pcunmqr_
                                                                        : pzunmqr_;
    by("L", trans, &m, &n, &k, a, &i, &j, x->desc, tau, c, &i, &one, y->desc, work, &size, &info);
    check(info == 0, "%c: multiplication by Q gives info %d", type, info);
}

static void compare_qr(int context, char type, int m, int n, int nb)
{
    static double complex work[100000];
    layout x, y;
    int info = -99, expected = -99, size = 100000, ia = nb + 1, ja = 2 * nb + 1, sides = 3;
    int least = m < n ? m : n;
    describe(&x, context, m + nb, n + 2 * nb, nb, nb, 0, 0);
    describe(&y, context, m + nb, sides, nb, 2, 0, 0);
    void *a = random_part(&x, type, 3, -1), *b = random_part(&x, type, 3, -1);
    void *ours = calloc((size_t)(n + 3 * nb), 16), *theirs = calloc((size_t)(n + 3 * nb), 16);
    BY_TYPE(type, bsp_p, geqrf_, &m, &n, a, &ia, &ja, x.desc, ours, (void *)work, &size, &info);
    BY_TYPE(type, p, geqrf_, &m, &n, b, &ia, &ja, x.desc, theirs, (void *)work, &size, &expected);
    check(info == 0 && expected == 0, "%c %d x %d: infos %d and %d", type, m, n, info, expected);
    double d = difference(&x, type, a, b);
    check(d < 1e4 * epsilon_of(type), "%c %d x %d: QR factors differ by %g", type, m, n, d);
    d = 0;
    for (int j = ja - 1; j < ja - 1 + least; j++)
        if (owner_of(j, nb, 0, x.columns) == x.column) {
            size_t at = (size_t)local_of(j, nb, x.columns);
            d = fmax(d, cabs(get(type, ours, at) - get(type, theirs, at)));
        }
    check(d < 1e4 * epsilon_of(type), "%c %d x %d: tau differ by %g", type, m, n, d);
    void *u = random_part(&y, type, 5, -1), *v = random_part(&y, type, 5, -1);
    reflect(&x, &y, type, m, sides, least, ia, ja, a, ours, u);
    reflect(&x, &y, type, m, sides, least, ia, ja, b, theirs, v);
    d = difference(&y, type, u, v);
    check(d < 1e4 * epsilon_of(type), "%c %d x %d: Q^H B differ by %g", type, m, n, d);
    free(a), free(b), free(u), free(v), free(ours), free(theirs);
}

/* Solutions, factors and what stands behind X are PDGELS's. */
static void compare_least_squares(int context, char type, char trans, int m, int n, int mb, int nb)
{
    static double complex work[100000];
    layout x, y;
    int info = -99, expected = -99, size = 100000, ia = mb + 2, ja = 2 * nb + 2, sides = 3, jb = 2;
    int block = m < n ? nb : mb, ib = block + 2, rows = m < n ? n : m;
    describe(&x, context, m + mb + 1, n + 2 * nb + 1, mb, nb, 0, 0);
    describe(&y, context, rows + block + 1, sides + 1, block, 2, 0, 0);
    void *a = random_part(&x, type, 3, -1), *b = random_part(&x, type, 3, -1);
    void *u = random_part(&y, type, 5, -1), *v = random_part(&y, type, 5, -1);
    BY_TYPE(type, bsp_p, gels_, &trans, &m, &n, &sides, a, &ia, &ja, x.desc, u, &ib, &jb, y.desc,
            (void *)work, &size, &info);
    BY_TYPE(type, p, gels_, &trans, &m, &n, &sides, b, &ia, &ja, x.desc, v, &ib, &jb, y.desc,
            (void *)work, &size, &expected);
    check(info == 0 && expected == 0, "%c %c %d x %d: infos %d and %d", type, trans, m, n, info,
          expected);
    double d = difference(&x, type, a, b);
    check(d < 1e4 * epsilon_of(type), "%c %c %d x %d: factors differ by %g", type, trans, m, n, d);
    d = difference(&y, type, u, v);
    check(d < 1e4 * epsilon_of(type), "%c %c %d x %d: solutions differ by %g", type, trans, m, n,
          d);
    free(a), free(b), free(u), free(v);
}

/* The infos of wrong arguments are PDGELS's. */
static void compare_refused_sides(int context)
{
    static const struct {
        char trans;
        int m, n, nrhs, ia, ja, ib, jb, mb, size;
    } wrong[] = {{'C', 8, 8, 1, 1, 1, 1, 1, 4, 9999},  {'N', -1, 8, 1, 1, 1, 1, 1, 4, 9999},
                 {'N', 8, -1, 1, 1, 1, 1, 1, 4, 9999}, {'N', 8, 8, -1, 1, 1, 1, 1, 4, 9999},
                 {'N', 8, 8, 1, 0, 1, 1, 1, 4, 9999},  {'N', 8, 8, 1, 1, 9, 1, 1, 4, 9999},
                 {'N', 4, 4, 1, 1, 1, 2, 1, 4, 9999},  {'T', 2, 4, 1, 1, 5, 2, 1, 4, 9999},
                 {'N', 8, 8, 1, 1, 1, 1, 9, 4, 9999},  {'N', 8, 8, 1, 1, 1, 1, 1, 2, 9999},
                 {'N', 4, 8, 1, 1, 1, 1, 1, 2, 9999},  {'N', 8, 8, 1, 1, 1, 1, 1, 4, 0}};
    static double work[9999];
    double a[128] = {0}, b[128] = {0};
    layout x, y;
    int info, expected;
    describe(&x, context, 8, 8, 4, 4, 0, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        describe(&y, context, 8, 8, wrong[i].mb, 4, 0, 0);
#define CALL(name, to)                                                                             \
    name(&wrong[i].trans, &wrong[i].m, &wrong[i].n, &wrong[i].nrhs, a, &wrong[i].ia, &wrong[i].ja, \
         x.desc, b, &wrong[i].ib, &wrong[i].jb, y.desc, work, &wrong[i].size, to)
        CALL(bsp_pdgels_, &info);
        CALL(pdgels_, &expected);
        check(info == expected && info < 0, "gels, refusal %d: info %d, ScaLAPACK's %d", (int)i,
              info, expected);
    }
}

/* The infos of wrong arguments are PDPOTRF's. */
static void compare_refusals(int context)
{
    layout x;
    double a[64] = {0};
    int info, expected, n = 8, one = 1, zero = 0, nine = 9, minus = -1;
    const int *const wrong[][3] = {{&minus, &one, &one}, {&n, &zero, &one}, {&n, &one, &nine}};
    describe(&x, context, 8, 8, 8, 8, 0, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bsp_pdpotrf_("L", wrong[i][0], a, wrong[i][1], wrong[i][2], x.desc, &info);
        pdpotrf_("L", wrong[i][0], a, wrong[i][1], wrong[i][2], x.desc, &expected);
        check(info == expected, "refusal %d: info %d, ScaLAPACK's %d", (int)i, info, expected);
    }
    bsp_pdpotrf_("X", &n, a, &one, &one, x.desc, &info);
    pdpotrf_("X", &n, a, &one, &one, x.desc, &expected);
    check(info == expected, "uplo: info %d, ScaLAPACK's %d", info, expected);
}

/* A block of columns factored, its swaps in other columns, two rows and the largest of a column:
 * what ScaLAPACK's own make of equal matrices, with amax where it says something, in the process
 * column. */
static void compare_pieces(int context, char type)
{
    layout x;
    int one = 1, m = 43, w = 6, j = 13, info = -9, expected = -9, n = 12, k2 = w, i1 = 5, i2 = 30,
        index[2] = {-1, -2};
    double complex largest[2] = {0, 0};
    describe(&x, context, m, 40, 6, 6, 0, 0);
    void *a = random_part(&x, type, 3, -1), *b = random_part(&x, type, 3, -1);
    int *ours = calloc((size_t)x.desc[8] + 6, sizeof *ours),
        *theirs = calloc((size_t)x.desc[8] + 6, sizeof *theirs);
    BY_TYPE(type, bsp_p, getf2_, &m, &w, a, &one, &one, x.desc, ours, &info);
    BY_TYPE(type, p, getf2_, &m, &w, b, &one, &one, x.desc, theirs, &expected);
    BY_TYPE(type, bsp_p, laswp_, "F", "R", &n, a, &one, &j, x.desc, &one, &k2, ours);
    BY_TYPE(type, p, laswp_, "F", "R", &n, b, &one, &j, x.desc, &one, &k2, theirs);
    BY_TYPE(type, bsp_p, swap_, &n, a, &i1, &j, x.desc, &m, a, &i2, &j, x.desc, &m);
    BY_TYPE(type, p, swap_, &n, b, &i1, &j, x.desc, &m, b, &i2, &j, x.desc, &m);
    BY_TYPE(type, bsp_p, amax_, &i2, (void *)&largest[0], &index[0], a, &i1, &j, x.desc, &one);
    BY_TYPE(type, p, amax_, &i2, (void *)&largest[1], &index[1], b, &i1, &j, x.desc, &one);
    int here = owner_of(j - 1, 6, 0, x.columns) == x.column;
    check(info == expected && (!here || (index[0] == index[1] && largest[0] == largest[1])),
          "%c pieces: info %d, ScaLAPACK's %d; amax at %d, ScaLAPACK's %d", type, info, expected,
          index[0], index[1]);
    double d = difference(&x, type, a, b);
    check(d < 1e3 * epsilon_of(type), "%c pieces: the matrix differs by %g from ScaLAPACK's", type,
          d);
    free(a), free(b), free(ours), free(theirs);
}

static void try_grid(int context)
{
    for (const char *type = "sdcz"; *type; type++) {
        compare(context, *type, 60, 60, 4, -1);
        compare(context, *type, 45, 70, 5, -1);
        compare(context, *type, 70, 45, 5, -1);
        compare(context, *type, 40, 40, 4, 20);
        compare_pieces(context, *type);
        compare_qr(context, *type, 60, 60, 4);
        compare_qr(context, *type, 45, 70, 5);
        compare_qr(context, *type, 90, 45, 16);
        for (int way = 0; way < 2; way++) {
            char trans = !way ? 'N' : *type == 's' || *type == 'd' ? 'T' : 'C';
            compare_least_squares(context, *type, trans, 60, 25, 4, 4);
            compare_least_squares(context, *type, trans, 31, 70, 5, 5);
            compare_least_squares(context, *type, trans, 90, 45, 16, 16);
        }
        for (const char *uplo = "UL"; *uplo; uplo++) {
            compare_cholesky(context, *type, *uplo, 67, 4, -1);
            compare_cholesky(context, *type, *uplo, 130, 16, -1);
            compare_cholesky(context, *type, *uplo, 45, 4, 30);
        }
    }
    compare_refusals(context);
    compare_refused_sides(context);
    /* More columns than one superstep takes when rows change places on the left. */
    compare(context, 'd', 900, 560, 16, -1);
}

int main(void)
{
    return on_every_grid(try_grid);
}
