/*
 * Every combine of icc.h in its three forms, on the whole machine, rows, columns and
 * groups, with odd lengths: the results are compared with those computed here
 * from everybody's data, which are whole numbers, so that order does not matter.
 */
#include <complex.h>
#include <math.h>

#include "harness.h"

/* ------------------------------------------------------------- the routines */

#define WRAP(name, T)                                                                              \
    static void all_##name(void *x, long n, int g)                                                 \
    {                                                                                              \
        T *work = NULL;                                                                            \
        if (g == iCC_ALL)                                                                          \
            iCC_g##name(x, n, work);                                                               \
        else                                                                                       \
            iCC_g_g##name(x, n, work, g);                                                          \
    }                                                                                              \
    static void one_##name(void *x, long n, long root, int g)                                      \
    {                                                                                              \
        T *work = NULL;                                                                            \
        if (g == iCC_ALL)                                                                          \
            iCC_g##name##1(x, n, work, root);                                                      \
        else                                                                                       \
            iCC_g_g##name##1(x, n, work, root, g);                                                 \
    }                                                                                              \
    static void part_##name(void *x, const long *ns, int g)                                        \
    {                                                                                              \
        T *work = NULL;                                                                            \
        if (g == iCC_ALL)                                                                          \
            iCC_g##name##x(x, ns, work);                                                           \
        else                                                                                       \
            iCC_g_g##name##x(x, ns, work, g);                                                      \
    }
ICC_COMBINES(WRAP)

static const struct routine {
    const char *name;
    void (*all)(void *, long, int);
    void (*one)(void *, long, long, int);
    void (*part)(void *, const long *, int);
} routines[] = {
#define ROW(name, T) {#name, all_##name, one_##name, part_##name},
    ICC_COMBINES(ROW)};
enum { ROUTINES = sizeof routines / sizeof *routines };

/* ----------------------------------------------------------------- the data */

static char letter(const char *name)
{
    return name[0] == 'l' ? 'i' : name[0];
}

static size_t width(const char *name)
{
    return letter(name) == 'z' ? 16 : letter(name) == 'd' || letter(name) == 'c' ? 8 : 4;
}

/* Element i of a node. Products stay small; truth values are 0, 1 and others. */
static double _Complex value(const char *name, long node, long i)
{
    long h = (node * 7919 + i * 104729 + 13) % 1000;
    if (strstr(name, "prod"))
        return h % 3 ? (h % 3 == 1 ? -1 : 1) : 2;
    if (name[0] == 'l')
        return h % 3 ? h : 0;
    return letter(name) == 'c' || letter(name) == 'z' ? h + (h % 17 - 8) * I : h - 400;
}

static void put(const char *name, void *x, long at, double _Complex v)
{
    switch (letter(name)) {
    case 'i': ((int *)x)[at] = (int)creal(v); break;
    case 's': ((float *)x)[at] = (float)creal(v); break;
    case 'd': ((double *)x)[at] = creal(v); break;
    case 'c': ((float _Complex *)x)[at] = (float _Complex)v; break;
    default: ((double _Complex *)x)[at] = v;
    }
}

static double _Complex get(const char *name, const void *x, long at)
{
    switch (letter(name)) {
    case 'i': return ((const int *)x)[at];
    case 's': return ((const float *)x)[at];
    case 'd': return ((const double *)x)[at];
    case 'c': return ((const float _Complex *)x)[at];
    default: return ((const double _Complex *)x)[at];
    }
}

static double _Complex combine(const char *op, double _Complex a, double _Complex b)
{
    long i = (long)creal(a), j = (long)creal(b);
    if (strcmp(op, "land") == 0)
        return i && j;
    if (strcmp(op, "lor") == 0)
        return i || j;
    if (strcmp(op, "lxor") == 0)
        return !i != !j;
    op++;
    return strcmp(op, "sum") == 0    ? a + b
           : strcmp(op, "prod") == 0 ? a * b
           : strcmp(op, "high") == 0 ? (creal(a) > creal(b) ? a : b)
           : strcmp(op, "low") == 0  ? (creal(a) < creal(b) ? a : b)
           : strcmp(op, "and") == 0  ? (double)(i & j)
           : strcmp(op, "or") == 0   ? (double)(i | j)
                                     : (double)(i ^ j);
}

static double _Complex expected(const char *name, const team *t, long i)
{
    double _Complex v = value(name, t->nodes[0], i);
    if (name[0] == 'l' && t->size == 1)
        return creal(v) != 0;
    for (int k = 1; k < t->size; k++)
        v = combine(name, v, value(name, t->nodes[k], i));
    return v;
}

static void fill(const char *name, void *x, long n)
{
    for (long i = 0; i < n; i++)
        put(name, x, i, value(name, world.me, i));
}

/* Are the elements from..to right, and is the one behind the vector untouched? */
static int right(const char *name, const team *t, const void *x, long from, long to)
{
    for (long i = from; i < to; i++)
        if (get(name, x, i) != expected(name, t, i))
            return 0;
    return 1;
}

/* ---------------------------------------------------------------- the tests */

static void test_lengths(const struct routine *r, const team *t, long n)
{
    size_t bytes = (size_t)n * width(r->name);
    char *x = malloc(bytes + 1);
    x[bytes] = 77;
    fill(r->name, x, n);
    r->all(x, n, t->handle);
    check(right(r->name, t, x, 0, n), "g%s, %s, %ld elements, to all", r->name, t->name, n);

    long root = n % t->size;
    fill(r->name, x, n);
    r->one(x, n, root, t->handle);
    check(t->me != root || right(r->name, t, x, 0, n), "g%s1, %s, %ld elements, to %ld", r->name,
          t->name, n, root);

    long *ns = malloc((size_t)t->size * sizeof *ns), from = 0, left = n;
    for (int i = 0; i < t->size; i++) { /* pieces of several sizes, some empty */
        ns[i] = i + 1 == t->size ? left : i % 3 == 1 ? 0 : left / 2;
        from += i < t->me ? ns[i] : 0;
        left -= ns[i];
    }
    fill(r->name, x, n);
    r->part(x, ns, t->handle);
    check(right(r->name, t, x, from, from + ns[t->me]), "g%sx, %s, %ld elements", r->name, t->name,
          n);
    check(x[bytes] == 77, "g%s, %s, %ld elements: wrote behind x", r->name, t->name, n);
    free(ns);
    free(x);
}

/* One node has a NaN: it is the largest and the smallest, whatever the order of the nodes. */
static void test_nan(void)
{
    for (int node = 0; node < world.count; node++) {
        double high[3], low[3], bad = world.me == node ? NAN : world.me;
        float fhigh = (float)bad, flow = (float)bad;
        for (int i = 0; i < 3; i++)
            high[i] = low[i] = i == 1 ? bad : world.me;
        iCC_gdhigh(high, 3, NULL);
        iCC_gdlow(low, 3, NULL);
        iCC_gshigh(&fhigh, 1, NULL);
        iCC_gslow(&flow, 1, NULL);
        check(isnan(high[1]) && isnan(low[1]) && isnan(fhigh) && isnan(flow),
              "a NaN of node %d is lost: %g, %g, %g, %g", node, high[1], low[1], fhigh, flow);
        check(high[2] == world.count - 1 && low[0] == 0, "beside a NaN: %g, %g", high[2], low[0]);
    }
}

int main(int argc, char **argv)
{
    static const long lengths[] = {0, 1, 2, 7, 64, 1021, 20011};
    int many = argc > 1 && strcmp(argv[1], "long") == 0;
    team teams[TEAMS];
    world.me = (int)iCC_mynode();
    world.count = (int)iCC_numnodes();
    test_nan();
    for (int round = 0; round < 2; round++) {
        make_teams(teams);
        for (int k = 0; k < TEAMS; k++)
            for (int r = 0; r < ROUTINES && teams[k].handle != iCC_NONE; r++)
                for (size_t n = 0; n < sizeof lengths / sizeof *lengths - !many; n++)
                    test_lengths(&routines[r], &teams[k], lengths[n]);
        drop_teams(teams);
        iCC_mesh(world.count, 1); /* another mesh, for the second round */
    }
    return finish();
}
