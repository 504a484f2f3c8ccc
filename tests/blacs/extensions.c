/*
 * What LAWN 73, section 7 planned: combines of trapezoids with every operation and type,
 * scopes that are lists of processes, and wildcard receives. Every process computes
 * what every other has put in, so results are compared with a plain loop.
 */
#include "harness.h"

#include <float.h>
#include <math.h>

#include "openblacs/blacs_extensions.h"

enum { M = 9, N = 6, LDA = 11 };

typedef void (*call_c)(int, const char *, const char *, const char *, const char *, int, int,
                       void *, int, int, int);

/* Numbers of one type as doubles. */
typedef struct kind {
    char letter;
    int reals;
    size_t bytes;
} kind;
static const kind kinds[] = {{'i', 1, 4}, {'s', 1, 4}, {'d', 1, 8}, {'c', 2, 8}, {'z', 2, 16}};

static void put(const kind *k, void *a, int at, int part, double v)
{
    if (k->letter == 'i')
        ((int *)a)[at] = (int)v;
    else if (k->bytes == 4u * (size_t)k->reals)
        ((float *)a)[at * k->reals + part] = (float)v;
    else
        ((double *)a)[at * k->reals + part] = v;
}

static double get(const kind *k, const void *a, int at, int part)
{
    if (k->letter == 'i')
        return ((const int *)a)[at];
    if (k->bytes == 4u * (size_t)k->reals)
        return ((const float *)a)[at * k->reals + part];
    return ((const double *)a)[at * k->reals + part];
}

/* A small whole number, not 0, so that products are exact. */
static double value(uint64_t seed, int who, int at, int part)
{
    static const int numbers[] = {-2, -1, 1, 2, 1, -1, 3};
    return numbers[hash(seed + (uint64_t)at, (uint64_t)who, (uint64_t)part) % 7];
}

/* ------------------------------------------------------------- operations */

enum operation { SUM, PRODUCT, LARGEST, SMALLEST, NORM, KAHAN, XOR, AND, OR, OWN, OWN_WIDE };

/* What the members' elements give; part 0 and 1. */
static void expected(enum operation op, uint64_t seed, const int *members, int count, int at,
                     int reals, double out[2])
{
    double re = value(seed, members[0], at, 0), im = reals > 1 ? value(seed, members[0], at, 1) : 0;
    double squares = re * re + im * im;
    for (int k = 1; k < count; k++) {
        double x = value(seed, members[k], at, 0),
               y = reals > 1 ? value(seed, members[k], at, 1) : 0;
        double old = re;
        squares += x * x + y * y;
        switch (op) {
        /* clang-format off */
        case SUM: case KAHAN: case OWN_WIDE: re += x; im += y; break;
        case PRODUCT: re = re * x - im * y; im = old * y + im * x; break;
        case LARGEST: re = fmax(re, x); break;
        case SMALLEST: re = fmin(re, x); break;
        case XOR: re = (int)re ^ (int)x; break;
        case AND: re = (int)re & (int)x; break;
        case OR: re = (int)re | (int)x; break;
        case OWN: re += x; im += y; break;
        case NORM: break;
            /* clang-format on */
        }
    }
    out[0] = op == NORM ? sqrt(squares) : re;
    out[1] = op == NORM ? 0 : im;
}

/* Operations of the caller's: a sum of integers or doubles; and one whose elements are pairs. */
static void add_int(const int *n, void *w, const void *v)
{
    for (int i = 0; i < *n; i++)
        ((int *)w)[i] += ((const int *)v)[i];
}
static void add_doubles(int count, double *w, const double *v)
{
    for (int i = 0; i < count; i++)
        w[i] += v[i];
}
static void add_double(const int *n, void *w, const void *v)
{
    add_doubles(*n, w, v);
}
static void add_dcomplex(const int *n, void *w, const void *v)
{
    add_doubles(2 * *n, w, v);
}
static void add_floats(int count, float *w, const float *v)
{
    for (int i = 0; i < count; i++)
        w[i] += v[i];
}
static void add_float(const int *n, void *w, const void *v)
{
    add_floats(*n, w, v);
}
static void add_complex(const int *n, void *w, const void *v)
{
    add_floats(2 * *n, w, v);
}
/* (x, 1, -x): the members are counted beside the sum, and the third number must be its negative. */
static void wide_begin(const int *n, const void *x, void *w)
{
    for (int i = 0; i < *n; i++) {
        ((double *)w)[3 * i] = ((const double *)x)[i];
        ((double *)w)[3 * i + 1] = 1;
        ((double *)w)[3 * i + 2] = -((const double *)x)[i];
    }
}
static void wide_add(const int *n, void *w, const void *v)
{
    add_doubles(3 * *n, w, v);
}
static int wide_count; /* what the count must be at the end, */
static int wide_wrong; /* and how often it, or the negative sum, was not that */
static void wide_end(const int *n, const void *w, void *x)
{
    for (int i = 0; i < *n; i++) {
        const double *from = (const double *)w + 3 * i;
        wide_wrong += from[1] != wide_count || from[0] + from[2] != 0;
        ((double *)x)[i] = from[0];
    }
}

#define OWN_CALL(p, T, f)                                                                          \
    static void own_##p(int c, const char *s, const char *t, const char *u, const char *d, int m,  \
                        int n, void *a, int lda, int r, int q)                                     \
    {                                                                                              \
        C##p##tuop2d(c, s, t, u, d, m, n, a, lda, r, q, 1, NULL, f, NULL);                         \
    }
OWN_CALL(i, int, add_int)
OWN_CALL(s, float, add_float)
OWN_CALL(d, double, add_double)
OWN_CALL(c, void, add_complex)
OWN_CALL(z, void, add_dcomplex)
static void own_wide(int c, const char *s, const char *t, const char *u, const char *d, int m,
                     int n, void *a, int lda, int r, int q)
{
    dtuop2d_(&c, s, t, u, d, &m, &n, a, &lda, &r, &q, &(int){3}, wide_begin, wide_add, wide_end);
}

/* C and Fortran forms behind one signature. */
#define FORMS(p, name)                                                                             \
    static void c_##p##name(int c, const char *s, const char *t, const char *u, const char *d,     \
                            int m, int n, void *a, int lda, int r, int q)                          \
    {                                                                                              \
        C##p##name(c, s, t, u, d, m, n, a, lda, r, q);                                             \
    }                                                                                              \
    static void f_##p##name(int c, const char *s, const char *t, const char *u, const char *d,     \
                            int m, int n, void *a, int lda, int r, int q)                          \
    {                                                                                              \
        p##name##_(&c, s, t, u, d, &m, &n, a, &lda, &r, &q);                                       \
    }
/* Begun, and ended at once, in C and Fortran. */
#define BEGUN_FORMS(p, name)                                                                       \
    static void c_##p##name##_begin(int c, const char *s, const char *t, const char *u,            \
                                    const char *d, int m, int n, void *a, int lda, int r, int q)   \
    {                                                                                              \
        int request = -5;                                                                          \
        C##p##name##_begin(c, s, t, u, d, m, n, a, lda, r, q, &request);                           \
        Cblacs_wait(&request);                                                                     \
    }                                                                                              \
    static void f_##p##name##_begin(int c, const char *s, const char *t, const char *u,            \
                                    const char *d, int m, int n, void *a, int lda, int r, int q)   \
    {                                                                                              \
        int request = -5, done = 0;                                                                \
        p##name##_begin_(&c, s, t, u, d, &m, &n, a, &lda, &r, &q, &request);                       \
        while (!done)                                                                              \
            blacs_test_(&request, &done);                                                          \
    }
#define ENTRY(k, p, name, op) {#p #name, &kinds[k], op, {c_##p##name, f_##p##name}},
#define BEGUN_ENTRY(k, p, name, op)                                                                \
    {#p #name "_begin", &kinds[k], op, {c_##p##name##_begin, f_##p##name##_begin}},
#define ALL_TYPES(X, name, op)                                                                     \
    X(0, i, name, op) X(1, s, name, op) X(2, d, name, op) X(3, c, name, op) X(4, z, name, op)
#define FLOATING(X, name, op)                                                                      \
    X(1, s, name, op) X(2, d, name, op) X(3, c, name, op) X(4, z, name, op)
#define REAL(X, name, op) X(0, i, name, op) X(1, s, name, op) X(2, d, name, op)
#define BEGUN_ROUTINES(X)                                                                          \
    ALL_TYPES(X, tsum2d, SUM)                                                                      \
    ALL_TYPES(X, tprd2d, PRODUCT)                                                                  \
    REAL(X, tmax2d, LARGEST)                                                                       \
    REAL(X, tmin2d, SMALLEST)                                                                      \
    X(0, i, txor2d, XOR) X(0, i, tand2d, AND) X(0, i, tior2d, OR)
#define ROUTINES_OF(X)                                                                             \
    BEGUN_ROUTINES(X)                                                                              \
    FLOATING(X, tnrm2d, NORM)                                                                      \
    FLOATING(X, tksm2d, KAHAN)
#define FORMS_OF(k, p, name, op) FORMS(p, name)
#define BEGUN_FORMS_OF(k, p, name, op) BEGUN_FORMS(p, name)
ROUTINES_OF(FORMS_OF)
BEGUN_ROUTINES(BEGUN_FORMS_OF)

static const struct routine {
    const char *name;
    const kind *kind;
    enum operation op;
    call_c call[2];
} routines_of[] = {ROUTINES_OF(ENTRY)
                       BEGUN_ROUTINES(BEGUN_ENTRY){"ituop2d", &kinds[0], OWN, {own_i, own_i}},
                   {"stuop2d", &kinds[1], OWN, {own_s, own_s}},
                   {"dtuop2d", &kinds[2], OWN, {own_d, own_d}},
                   {"ctuop2d", &kinds[3], OWN, {own_c, own_c}},
                   {"ztuop2d", &kinds[4], OWN, {own_z, own_z}},
                   {"dtuop2d wide", &kinds[2], OWN_WIDE, {own_wide, own_wide}}};
enum { ROUTINES_COUNT = sizeof routines_of / sizeof routines_of[0] };

/* --------------------------------------------------------------- one call */

typedef struct deed {
    int context, rdest, cdest, has_result;
    char scope, top, uplo, diag;
    int m, n;
    const int *members; /* who they are to value(), */
    int count, me;      /* and who I am */
    uint64_t seed;
} deed;

static void once(const struct routine *r, int form, const deed *d)
{
    const char scope[] = {d->scope, 0}, top[] = {d->top, 0}, uplo[] = {d->uplo, 0},
               diag[] = {d->diag, 0};
    char shape = d->uplo == 'G' || d->uplo == 'g' ? 0
                 : d->uplo == 'u'                 ? 'U'
                 : d->uplo == 'l'                 ? 'L'
                                                  : d->uplo;
    static double array[2 * LDA * N];
    int bad = 0, k = 0;
    double want[2];
    wide_count = d->count;
    wide_wrong = 0;
    for (int at = 0; at < LDA * d->n; at++)
        for (int part = 0; part < r->kind->reals; part++)
            put(r->kind, array, at, part, 77);
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < d->m; i++, k++)
            for (int part = 0; part < r->kind->reals; part++)
                if (inside(shape, d->diag, d->m, d->n, i, j))
                    put(r->kind, array, i + j * LDA, part, value(d->seed, d->me, k, part));
    r->call[form](d->context, scope, top, uplo, diag, d->m, d->n, array, LDA, d->rdest, d->cdest);
    k = 0;
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < LDA; i++) {
            int in = i < d->m && inside(shape, d->diag, d->m, d->n, i, j);
            want[0] = want[1] = 77;
            if (in)
                expected(r->op, d->seed, d->members, d->count, k, r->kind->reals, want);
            k += i < d->m;
            if (in && !d->has_result)
                continue;
            for (int part = 0; part < r->kind->reals; part++) {
                double got = get(r->kind, array, i + j * LDA, part), size = fabs(want[part]);
                double slack =
                    r->op == NORM && in
                        ? size * 4 *
                              (r->kind->letter == 's' || r->kind->letter == 'c' ? FLT_EPSILON
                                                                                : DBL_EPSILON)
                        : 0;
                bad += !(fabs(got - want[part]) <= slack);
            }
        }
    check(
        bad == 0 && wide_wrong == 0,
        "%s %s: %d wrong numbers, %d wrong ends (scope %c, top '%c', uplo %c, %d x %d, %d members)",
        form ? "Fortran" : "C", r->name, bad, wide_wrong, d->scope, d->top, d->uplo, d->m, d->n,
        d->count);
}

static void all_routines_on(deed d, dice *choice)
{
    static const int sizes[][2] = {{M, N}, {N, N}, {3, N}, {1, 1}, {M, 1}, {0, 2}};
    for (int i = 0; i < ROUTINES_COUNT; i++) {
        int s = roll(choice, 6);
        d.m = sizes[s][0];
        d.n = sizes[s][1];
        d.uplo = "gul"[i % 3];
        d.diag = "NU"[roll(choice, 2)];
        d.top = " iDsmhF1t"[roll(choice, 9)];
        d.seed = (uint64_t)roll(choice, 1000000);
        once(&routines_of[i], roll(choice, 2), &d);
        d.uplo = "ULG"[i % 3];
        once(&routines_of[i], roll(choice, 2), &d);
    }
}

/* Scopes R, C and A; left on all, and on one. */
static void on_grid(int nprow, int npcol)
{
    int context = make_grid(nprow, npcol), row, column, members[64];
    dice choice = {(uint64_t)(nprow * 100 + npcol), 0};
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    if (context < 0)
        return;
    for (int s = 0; s < 3; s++) {
        char scope = "RCA"[s];
        deed d = {.context = context,
                  .scope = scope,
                  .rdest = -1,
                  .cdest = -1,
                  .has_result = 1,
                  .members = members,
                  .me = row * npcol + column};
        d.count = scope == 'R' ? npcol : scope == 'C' ? nprow : nprow * npcol;
        for (int k = 0; k < d.count; k++)
            members[k] = scope == 'R' ? row * npcol + k : scope == 'C' ? k * npcol + column : k;
        all_routines_on(d, &choice);
        d.rdest = nprow - 1;
        d.cdest = npcol / 2;
        d.has_result = (scope == 'R' || row == d.rdest) && (scope == 'C' || column == d.cdest);
        all_routines_on(d, &choice);
    }
    Cblacs_gridexit(context);
}

/* --------------------------------------------------------- hard numbers */

static void extremes(void)
{
    int context = make_grid(1, world.count), first = world.me == 0;
    double big[4] = {1e300, 1e-300, 0, first ? INFINITY : 1};
    Cdtnrm2d(context, "A", " ", "G", " ", 4, 1, big, 4, -1, -1);
    double root = sqrt(world.count);
    check(fabs(big[0] / 1e300 - root) < 1e-14 && fabs(big[1] / 1e-300 - root) < 1e-14 &&
              big[2] == 0 && isinf(big[3]),
          "norms are %g %g %g %g", big[0], big[1], big[2], big[3]);
    float c[2] = {3e30f, -4e30f};
    Cctnrm2d(context, "A", " ", "G", " ", 1, 1, c, 1, -1, -1);
    check(fabs(c[0] / 5e30 - root) < 1e-5 && c[1] == 0, "norm of floats %g %g", c[0], c[1]);
    double d[5] = {first ? NAN : 1, first ? 0.0 : -0.0, -1.5 - world.me, INFINITY, 2};
    Cdtmax2d(context, "A", " ", "G", " ", 5, 1, d, 5, -1, -1);
    check(isnan(d[0]) && d[1] == 0 && !signbit(d[1]) && d[2] == -1.5 && isinf(d[3]) && d[4] == 2,
          "largest %g %g %g %g %g", d[0], d[1], d[2], d[3], d[4]);
    /* What rounding swallows comes back: 1 + count tiny numbers. */
    double k[2] = {first ? 1 : 0x1p-53, first ? 1e16 : 1};
    Cdtksm2d(context, "A", " ", "G", " ", 2, 1, k, 2, -1, -1);
    double tiny = 1 + (world.count - 1) * 0x1p-53, large = 1e16 + (world.count - 1);
    check(k[0] == tiny && k[1] == large, "compensated sums %.17g, %.17g", k[0] - 1, k[1] - 1e16);
    int wrap = 0x40000001;
    Citprd2d(context, "A", " ", "G", " ", 1, 1, &wrap, 1, -1, -1);
    unsigned product = 1;
    for (int i = 0; i < world.count; i++)
        product *= 0x40000001u;
    check((unsigned)wrap == product, "product wraps to %x, not %x", (unsigned)wrap, product);
    Cblacs_gridexit(context);
}

/* More elements than one portion of anything. */
static void large(void)
{
    enum { BIG = 300000 };
    int context = make_grid(1, world.count), bad = 0;
    double *a = malloc(BIG * sizeof *a);
    for (int i = 0; i < BIG; i++)
        a[i] = (double)(i % 1000 + world.me);
    Cdtksm2d(context, "A", " ", "U", "N", 1000, BIG / 1000, a, 1000, -1, -1);
    for (int j = 0; j < BIG / 1000; j++)
        for (int i = 0; i < 1000; i++) {
            int in = inside('U', 'N', 1000, BIG / 1000, i, j);
            double want = in ? world.count * (double)i + world.count * (world.count - 1) / 2
                             : (double)(i + world.me);
            bad += a[i + 1000 * j] != want;
        }
    check(bad == 0, "%d of the elements of a large compensated sum", bad);
    free(a);
    Cblacs_gridexit(context);
}

/* ---------------------------------------------------------------- scopes */

/* Every other process of the grid, backwards; then others. */
static int list_processes(int which, int nprow, int npcol, int *prow, int *pcol)
{
    int count = nprow * npcol, n = 0;
    for (int k = count - 1; k >= 0; k--)
        if (which == 0 ? k % 2 == 0 : which == 1 ? 1 : which == 2 ? k == count / 2 : k % 3 != 1) {
            prow[n] = (which == 3 ? count - 1 - k : k) / npcol;
            pcol[n] = (which == 3 ? count - 1 - k : k) % npcol;
            n++;
        }
    return n;
}

static void use_scope(int scope, int n, const int *prow, const int *pcol, int me, int npcol)
{
    static const char *const tops[] = {" ", "I", "D", "S", "M", "H", "F", "1", "T", "2"};
    int members[64], row, column, rows, columns;
    for (int k = 0; k < n; k++)
        members[k] = prow[k] * npcol + pcol[k];
    Cblacs_gridinfo(scope, &rows, &columns, &row, &column);
    check(row * npcol + column == me && columns == npcol, "coordinates in a scope are the grid's");
    for (int t = 0; t < 10; t++) {
        int root = t % n, is_root = members[root] == me, value_of[2] = {is_root ? 4711 + t : 0, 1};
        if (is_root)
            Cigebs2d(scope, "All", tops[t], 1, 1, value_of, 1);
        else
            igebr2d_(&scope, "All", tops[t], &(int){1}, &(int){1}, value_of, &(int){1}, &prow[root],
                     &pcol[root]);
        check(value_of[0] == 4711 + t && value_of[1] == 1, "broadcast in a scope, top %s", tops[t]);
        double most[2] = {me % 5, -me}, sum = me;
        int ra[2] = {-9, -9}, ca[2] = {-9, -9}, all = t % 2;
        Cdgamx2d(scope, "a", tops[t], 2, 1, most, 2, ra, ca, 2, all ? -1 : prow[root], pcol[root]);
        int winner = 0, total = 0;
        for (int k = 0; k < n; k++) {
            winner = members[k] > winner ? members[k] : winner;
            total += members[k];
        }
        check(!(all || is_root) ||
                  (most[1] == -winner && ra[1] == winner / npcol && ca[1] == winner % npcol),
              "largest in a scope is %g of {%d,%d}", most[1], ra[1], ca[1]);
        Cdgsum2d(scope, "a", tops[t], 1, 1, &sum, 1, -1, -1);
        check(sum == total, "sum in a scope is %g, not %d", sum, total);
    }
    deed d = {.context = scope,
              .scope = 'A',
              .rdest = -1,
              .cdest = -1,
              .has_result = 1,
              .members = members,
              .count = n,
              .me = me};
    dice choice = {(uint64_t)n, 0};
    all_routines_on(d, &choice);
    Cblacs_barrier(scope, "All");
    /* Point to point, between neighbours of the list. */
    int at = 0, from = -1;
    while (members[at] != me)
        at++;
    int next = (at + 1) % n, before = (at + n - 1) % n;
    Cigesd2d(scope, 1, 1, &me, 1, prow[next], pcol[next]);
    Cigerv2d(scope, 1, 1, &from, 1, prow[before], pcol[before]);
    check(from == members[before], "point to point in a scope");
}

static void scopes(int nprow, int npcol)
{
    int context = make_grid(nprow, npcol), row, column, prow[64], pcol[64], scope[4];
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    if (context < 0)
        return;
    int me = row * npcol + column;
    for (int w = 0; w < 4; w++) {
        int n = list_processes(w, nprow, npcol, prow, pcol), mine = 0;
        for (int k = 0; k < n; k++)
            mine |= prow[k] == row && pcol[k] == column;
        if (w % 2)
            blacs_scope_(&context, &n, prow, pcol, &scope[w]);
        else
            Cblacs_scope(context, n, prow, pcol, &scope[w]);
        check((scope[w] >= 0) == mine, "scope %d of a process that is %sin the list", scope[w],
              mine ? "" : "not ");
        if (mine)
            use_scope(scope[w], n, prow, pcol, me, npcol);
    }
    /* A scope outlives its grid, and a scope of a scope is one, too. */
    Cblacs_gridexit(context);
    int n = list_processes(1, nprow, npcol, prow, pcol), inner;
    Cblacs_scope(scope[1], (n + 1) / 2, prow, pcol, &inner);
    if (inner >= 0) {
        use_scope(inner, (n + 1) / 2, prow, pcol, me, npcol);
        Cblacs_gridexit(inner);
    }
    for (int w = 0; w < 4; w++)
        if (scope[w] >= 0)
            Cblacs_gridexit(scope[w]);
}

/* --------------------------------------------------------------- wildcards */

static void wildcard(void)
{
    enum { TURNS = 20 };
    int context = make_grid(1, world.count), other = make_grid(1, world.count), heard[64] = {0},
        decoy_of[64] = {0};
    int decoy = -1, prow = 5, pcol = 5;
    Cblacs_source(context, &prow, &pcol);
    check(prow == -1 && pcol == -1, "before the first wildcard receive");
    /* A message of another grid must not match. */
    Cigesd2d(other, 1, 1, &decoy, 1, 0, 0);
    if (world.me)
        for (int k = 0; k < TURNS; k++) {
            int text[3] = {world.me, k, 1000 * world.me + k};
            Cigesd2d(context, 3, 1, text, 3, 0, 0);
        }
    for (int k = 0; k < TURNS * (world.count - 1) && world.me == 0; k++) {
        int text[3], rsrc = -1, csrc = 77;
        if (k % 2) {
            igerv2d_(&context, &(int){3}, &(int){1}, text, &(int){3}, &rsrc, &csrc);
        } else {
            Cigerv2d(context, 1, 3, text, 1, -1, 0);
            Cblacs_source(context, &rsrc, &csrc);
        }
        check(rsrc == 0 && csrc == text[0] && text[2] == 1000 * text[0] + text[1],
              "message %d of %d said to be of {%d,%d}", text[1], text[0], rsrc, csrc);
        check(csrc > 0 && csrc < 64 && text[1] == heard[csrc]++, "messages of one sender in order");
    }
    if (world.me == 0)
        for (int k = 0; k < world.count; k++) {
            int rsrc = -1, csrc = -1;
            decoy = 0;
            igerv2d_(&other, &(int){1}, &(int){1}, &decoy, &(int){1}, &rsrc, &csrc);
            check(decoy == -1 && rsrc == 0 && csrc >= 0 && csrc < 64 && !decoy_of[csrc]++,
                  "a decoy's turn");
        }
    /* Process 0 takes whatever comes: nobody sends more before it has done. */
    Cblacs_barrier(context, "All");
    /* Trapezoids; and from oneself. */
    double t[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, u[9] = {0};
    int rsrc = -1, csrc = -1;
    Cdtrsd2d(context, "U", "N", 3, 3, t, 3, 0, (world.me + 1) % world.count);
    dtrrv2d_(&context, "U", "N", &(int){3}, &(int){3}, u, &(int){3}, &rsrc, &csrc);
    check(csrc == (world.me + world.count - 1) % world.count && u[0] == 1 && u[3] == 4 &&
              u[8] == 9 && u[1] == 0,
          "trapezoid from {%d,%d}", rsrc, csrc);
    /* The source is left alone where it was named. */
    rsrc = 0;
    csrc = (world.me + world.count - 1) % world.count;
    Cdgesd2d(context, 3, 1, t, 3, 0, (world.me + 1) % world.count);
    dgerv2d_(&context, &(int){3}, &(int){1}, u, &(int){3}, &rsrc, &csrc);
    check(rsrc == 0 && csrc == (world.me + world.count - 1) % world.count,
          "a source that was named");
    Cblacs_gridexit(other);
    Cblacs_gridexit(context);
}

int main(void)
{
    begin();
    on_all_dims(on_grid);
    on_all_dims(scopes);
    extremes();
    large();
    wildcard();
    return finish();
}
