/*
 * The LU against ScaLAPACK's own on the same blocks: equal pivots, info and, but for rounding, factors,
 * and factors that either's solver takes.
 */
#include "matrix.h"

#define SCALAPACK(x)                                                                               \
    void p##x##getrf_(const int *, const int *, void *, const int *, const int *, const int *,    \
                      int *, int *);                                                               \
    void p##x##getrs_(const char *, const int *, const int *, void *, const int *, const int *,   \
                      const int *, const int *, void *, const int *, const int *, const int *,     \
                      int *);
SCALAPACK(s)
SCALAPACK(d)
SCALAPACK(c)
SCALAPACK(z)

static void *random_part(const layout *x, char type, unsigned seed, int zero_column)
{
    size_t m = (size_t)x->desc[2], n = (size_t)x->desc[3];
    void *whole = malloc(m * n * bytes_of(type));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            set(type, whole, i + j * m, (int)j == zero_column ? 0 : random_number(seed, i, j));
    void *part = local_part(x, type, whole);
    free(whole);
    return part;
}

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
    int *ours = calloc((size_t)entries, sizeof *ours), *theirs = calloc((size_t)entries, sizeof *theirs);
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
        BY_TYPE(type, bsp_p, getrs_, "T", &n, &nrhs, b, &ia, &ja, x.desc, theirs, u, &ia, &one, y.desc, &info);
        BY_TYPE(type, p, getrs_, "T", &n, &nrhs, a, &ia, &ja, x.desc, ours, v, &ia, &one, y.desc, &expected);
        d = difference(&y, type, u, v);
        check(info == 0 && expected == 0 && d < 1e6 * epsilon_of(type), "%c: solutions differ by %g", type, d);
        free(u);
        free(v);
    }
    free(a), free(b), free(ours), free(theirs);
}

int main(void)
{
    int all;
    Cblacs_pinfo(&world.me, &world.count);
    for (int rows = 1; rows <= world.count; rows++) {
        int context;
        if (world.count % rows)
            continue;
        Cblacs_get(-1, 0, &context);
        Cblacs_gridinit(&context, "Row", rows, world.count / rows);
        for (const char *type = "sdcz"; *type; type++) {
            compare(context, *type, 60, 60, 4, -1);
            compare(context, *type, 45, 70, 5, -1);
            compare(context, *type, 70, 45, 5, -1);
            compare(context, *type, 40, 40, 4, 20);
        }
        /* More columns than one superstep takes when rows change places on the left. */
        compare(context, 'd', 900, 560, 16, -1);
        Cblacs_gridexit(context);
    }
    Cblacs_get(-1, 0, &all);
    Cblacs_gridinit(&all, "Row", 1, world.count);
    int status = tally(all);
    Cblacs_gridexit(all);
    Cblacs_exit(0);
    return status;
}
