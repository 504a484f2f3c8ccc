/*
 * Broadcast, collect, scatter, gather, all-to-all, any operation, functions of the program's and
 * barrier of icc.h on the whole machine, rows, columns and groups, with odd lengths, every root,
 * and vectors in place.
 */

#include "harness.h"
#include "openblacs/core.h"

static unsigned char byte_of(long node, long i)
{
    return (unsigned char)((node * 131 + i * 7 + i / 251) & 255);
}

static void fill(void *x, long node, long n)
{
    for (long i = 0; i < n; i++)
        ((unsigned char *)x)[i] = byte_of(node, i);
}

static int is_of(const void *x, long node, long n)
{
    for (long i = 0; i < n; i++)
        if (((const unsigned char *)x)[i] != byte_of(node, i))
            return 0;
    return 1;
}

/* Pieces of several sizes, some empty; before[size] is their sum. */
static void cut(const team *t, long n, long *lens, long *before)
{
    before[0] = 0;
    for (int i = 0; i < t->size; i++) {
        lens[i] = i % 3 == 2 ? 0 : n + 5 * i;
        before[i + 1] = before[i] + lens[i];
    }
}

static void test_broadcast(const team *t, long n, long root)
{
    char *x = malloc((size_t)n + 1);
    fill(x, t->me == root ? 1000 + root : -1, n);
    x[n] = 77;
    if (t->handle == iCC_ALL)
        iCC_bcast(x, n, root);
    else
        iCC_g_bcast(x, n, root, t->handle);
    check(is_of(x, 1000 + root, n) && x[n] == 77, "bcast of %ld from %ld, %s", n, root, t->name);
    free(x);
}

/* All pieces of y, in their places. */
static int collected(const team *t, const char *y, const long *lens, const long *before)
{
    int good = 1;
    for (int i = 0; i < t->size; i++)
        good &= is_of(y + before[i], t->nodes[i], lens[i]);
    return good && y[before[t->size]] == 77;
}

static void test_collect(const team *t, long n)
{
    long *lens = malloc((2 * (size_t)t->size + 1) * sizeof *lens), *before = lens + t->size, ncnt;
    cut(t, n, lens, before);
    long sum = before[t->size];
    char *y = malloc((size_t)sum + 1), *x = malloc((size_t)lens[t->me] + 1);
    fill(x, world.me, lens[t->me]);
    memset(y, 0, (size_t)sum);
    y[sum] = 77;
    if (t->handle == iCC_ALL)
        iCC_gcolx(x, lens, y);
    else
        iCC_g_gcolx(x, lens, y, t->handle);
    check(collected(t, y, lens, before), "gcolx of %ld, %s", n, t->name);
    memset(y, 0, (size_t)sum);
    fill(y + before[t->me], world.me, lens[t->me]); /* x in its place */
    if (t->handle == iCC_ALL)
        iCC_gcolx(y + before[t->me], lens, y);
    else
        iCC_g_gcolx(y + before[t->me], lens, y, t->handle);
    check(collected(t, y, lens, before), "gcolx in place of %ld, %s", n, t->name);
    memset(y, 0, (size_t)sum);
    if (t->handle == iCC_ALL)
        iCC_gcol(x, lens[t->me], y, sum, &ncnt);
    else
        iCC_g_gcol(x, lens[t->me], y, sum + 3, &ncnt, t->handle);
    check(ncnt == sum && collected(t, y, lens, before), "gcol of %ld, %s", n, t->name);
    free(x);
    free(y);
    free(lens);
}

/* With lens, or with equal pieces where lens is NULL. */
static void scatter(const team *t, const void *x, long len, const long *lens, void *y, long root)
{
    int all = t->handle == iCC_ALL;
    if (lens && all)
        iCC_scatterx(x, lens, y, root);
    else if (lens)
        iCC_g_scatterx(x, lens, y, root, t->handle);
    else if (all)
        iCC_scatter(x, len, y, root);
    else
        iCC_g_scatter(x, len, y, root, t->handle);
}

static void gather(const team *t, const void *x, long len, const long *lens, void *y, long root)
{
    int all = t->handle == iCC_ALL;
    if (lens && all)
        iCC_gatherx(x, lens, y, root);
    else if (lens)
        iCC_g_gatherx(x, lens, y, root, t->handle);
    else if (all)
        iCC_gather(x, len, y, root);
    else
        iCC_g_gather(x, len, y, root, t->handle);
}

static void test_there_and_back(const team *t, long n, long root, int equal)
{
    long *lens = malloc((2 * (size_t)t->size + 1) * sizeof *lens), *before = lens + t->size;
    cut(t, n, lens, before);
    for (int i = 0; i < t->size && equal; i++) {
        lens[i] = n;
        before[i + 1] = before[i] + n;
    }
    long sum = before[t->size], mine = lens[t->me], at_root = t->me == root;
    char *whole = at_root ? malloc((size_t)sum + 1) : NULL, *own = malloc((size_t)mine + 1);
    for (int i = 0; i < t->size && at_root; i++)
        fill(whole + before[i], t->nodes[i], lens[i]);
    memset(own, 0, (size_t)mine);
    own[mine] = 77;
    scatter(t, whole, n, equal ? NULL : lens, own, root);
    check(is_of(own, world.me, mine) && own[mine] == 77, "scatter of %ld from %ld, %s", n, root,
          t->name);
    if (at_root) {
        memset(whole, 0, (size_t)sum);
        whole[sum] = 77;
    }
    gather(t, own, n, equal ? NULL : lens, whole, root);
    check(!at_root || collected(t, whole, lens, before), "gather of %ld to %ld, %s", n, root,
          t->name);
    free(own);
    free(whole);
    free(lens);
}

/* Nobody is through the barrier before the last, who is late, has come; told by a count
 * that everybody raises before, and nobody may see incomplete after. */
/* Bytes from one node to another. */
static long bytes_of(long from, long to, long n)
{
    return (from * 3 + to * 5) % 4 * n;
}

static char byte_between(long from, long to, long i)
{
    return (char)(from * 31 + to * 7 + i);
}

static void test_all_to_all(const team *t, long n, int equal)
{
    long *xlens = malloc(2 * (size_t)t->size * sizeof *xlens), *ylens = xlens + t->size;
    long out = 0, in = 0, wrong = 0;
    for (long i = 0; i < t->size; i++) {
        xlens[i] = equal ? n : bytes_of(t->me, i, n);
        ylens[i] = equal ? n : bytes_of(i, t->me, n);
        out += xlens[i];
        in += ylens[i];
    }
    char *x = malloc((size_t)out + 1), *y = malloc((size_t)in + 1);
    for (long i = 0, at = 0; i < t->size; at += xlens[i++])
        for (long k = 0; k < xlens[i]; k++)
            x[at + k] = byte_between(t->me, i, k);
    y[in] = 99;
    if (equal && t->handle == iCC_ALL)
        iCC_alltoall(x, n, y);
    else if (equal)
        iCC_g_alltoall(x, n, y, t->handle);
    else if (t->handle == iCC_ALL)
        iCC_alltoallx(x, xlens, y, ylens);
    else
        iCC_g_alltoallx(x, xlens, y, ylens, t->handle);
    for (long i = 0, at = 0; i < t->size; at += ylens[i++])
        for (long k = 0; k < ylens[i]; k++)
            wrong += y[at + k] != byte_between(i, t->me, k);
    check(wrong == 0 && y[in] == 99, "all to all of %ld bytes: %ld are wrong", n, wrong);
    free(x);
    free(y);
    free(xlens);
}

/* Averages and sums of int16, out of place. */
static void test_any_operation(const team *t, long n)
{
    long *ns = malloc((size_t)t->size * sizeof *ns), wrong = 0, p = t->size;
    short *x = malloc((size_t)(n * p + 1) * sizeof *x), *y = malloc((size_t)(n + 1) * sizeof *y);
    int sum = OB_OPERATOR_SUM, average = OB_OPERATOR_AVERAGE, kind = OB_KIND_INT16;
    for (long i = 0; i < n * p; i++)
        x[i] = (short)(t->me + i % 100);
    for (long i = 0; i < p; i++)
        ns[i] = n;
    int all = t->handle == iCC_ALL;
    all ? iCC_gop(x, n, y, average, kind) : iCC_g_gop(x, n, y, average, kind, t->handle);
    for (long i = 0; i < n; i++)
        wrong += y[i] != (p * (i % 100) + p * (p - 1) / 2) / p;
    all ? iCC_gop1(x, n, y, sum, kind, p - 1) : iCC_g_gop1(x, n, y, sum, kind, p - 1, t->handle);
    for (long i = 0; i < n && t->me == p - 1; i++)
        wrong += y[i] != p * (i % 100) + p * (p - 1) / 2;
    all ? iCC_gopx(x, ns, y, sum, kind) : iCC_g_gopx(x, ns, y, sum, kind, t->handle);
    for (long i = 0; i < n; i++)
        wrong += y[i] != p * ((t->me * n + i) % 100) + p * (p - 1) / 2;
    for (long i = 0; i < n * p; i++)
        wrong += x[i] != t->me + i % 100;
    check(wrong == 0, "any operation on %ld elements: %ld are wrong", n, wrong);
    free(x);
    free(y);
    free(ns);
}

/* Lines a + b t, one after the other: x(y(t)), which does not commute; and elements of 3 bytes, the
 * largest of each, which does. Both exact modulo 2^32, 2^8. */
typedef struct linear {
    uint32_t a, b;
} linear;

static linear line_of(long node, long k)
{
    return (linear){(uint32_t)(node * 7 + k), (uint32_t)(2 * node + 3 + k % 5)};
}

static void one_after_the_other(void *x, const void *y, long n)
{
    linear *f = x;
    const linear *g = y;
    for (long k = 0; k < n; k++)
        f[k] = (linear){f[k].a + f[k].b * g[k].a, f[k].b * g[k].b};
}

static void largest_of_three(void *x, const void *y, long n)
{
    unsigned char *a = x;
    const unsigned char *b = y;
    for (long k = 0; k < 3 * n; k++)
        a[k] = a[k] > b[k] ? a[k] : b[k];
}

/* The plain loop over the nodes. */
static long wrong_lines(const team *t, const linear *y, long n, long first)
{
    long wrong = 0;
    for (long k = 0; k < n; k++) {
        linear want = line_of(0, first + k);
        for (long i = 1; i < t->size; i++) {
            linear next = line_of(i, first + k);
            one_after_the_other(&want, &next, 1);
        }
        wrong += y[k].a != want.a || y[k].b != want.b;
    }
    return wrong;
}

static void test_functions(const team *t, long n)
{
    long *ns = malloc((size_t)t->size * sizeof *ns), *before = malloc(((size_t)t->size + 1) * 8);
    long wrong = 0, p = t->size, size = sizeof(linear);
    int all = t->handle == iCC_ALL;
    cut(t, n, ns, before);
    linear *x = malloc((size_t)(n + before[p] + 1) * sizeof *x);
    linear *y = malloc((size_t)(n + before[p] + 1) * sizeof *y);
    for (long k = 0; k < n + before[p]; k++)
        x[k] = line_of(t->me, k);
    all ? iCC_gopf(x, n, y, size, one_after_the_other, 0)
        : iCC_g_gopf(x, n, y, size, one_after_the_other, 0, t->handle);
    wrong += wrong_lines(t, y, n, 0);
    for (long root = 0; root<p; root += p> 2 ? p - 1 : 1) {
        memset(y, 0, (size_t)n * sizeof *y);
        all ? iCC_gopf1(x, n, t->me == root ? y : NULL, size, one_after_the_other, 0, root)
            : iCC_g_gopf1(x, n, y, size, one_after_the_other, 0, root, t->handle);
        wrong += t->me == root ? wrong_lines(t, y, n, 0) : 0;
    }
    all ? iCC_gopfx(x, ns, y, size, one_after_the_other, 0)
        : iCC_g_gopfx(x, ns, y, size, one_after_the_other, 0, t->handle);
    wrong += wrong_lines(t, y, ns[t->me], before[t->me]);
    for (long k = 0; k < n + before[p]; k++)
        wrong += x[k].a != line_of(t->me, k).a || x[k].b != line_of(t->me, k).b;
    check(wrong == 0, "a function in order, %ld elements, %ld nodes: %ld are wrong", n, p, wrong);

    unsigned char *a = malloc((size_t)(3 * n + 1)), *b = malloc((size_t)(3 * n + 1));
    fill(a, t->me, 3 * n);
    all ? iCC_gopf(a, n, b, 3, largest_of_three, 1)
        : iCC_g_gopf(a, n, b, 3, largest_of_three, 1, t->handle);
    wrong = !is_of(a, t->me, 3 * n);
    for (long k = 0; k < 3 * n; k++) {
        unsigned char most = 0;
        for (long i = 0; i < p; i++)
            most = byte_of(i, k) > most ? byte_of(i, k) : most;
        wrong += b[k] != most;
    }
    all ? iCC_gopf(a, n, a, 3, largest_of_three, 1) /* in place */
        : iCC_g_gopf(a, n, a, 3, largest_of_three, 1, t->handle);
    check(wrong == 0 && memcmp(a, b, (size_t)(3 * n)) == 0,
          "a function that commutes, %ld elements: %ld are wrong", n, wrong);
    free(a);
    free(b);
    free(x);
    free(y);
    free(ns);
    free(before);
}

static void test_barrier(const team *t)
{
    for (int i = 0; i < 20; i++) {
        int here = 1;
        if (t->handle == iCC_ALL)
            iCC_gsync();
        else
            iCC_g_gsync(t->handle);
        if (t->handle == iCC_ALL)
            iCC_gisum(&here, 1, NULL);
        else
            iCC_g_gisum(&here, 1, NULL, t->handle);
        check(here == t->size, "barrier, %s: %d of %d", t->name, here, t->size);
    }
}

static void test_numbers(const team *t)
{
    check(iCC_g_mynode(t->handle) == t->me && iCC_g_numnodes(t->handle) == t->size,
          "%s: position %ld of %ld, not %d of %d", t->name, iCC_g_mynode(t->handle),
          iCC_g_numnodes(t->handle), t->me, t->size);
}

int main(int argc, char **argv)
{
    static const long lengths[] = {0, 1, 3, 8, 999, 65536, 70001, 1000003};
    size_t some = sizeof lengths / sizeof *lengths - (argc > 1 && !strcmp(argv[1], "long") ? 0 : 1);
    team teams[TEAMS];
    char first[8] = "";
    world.me = (int)iCC_mynode();
    world.count = (int)iCC_numnodes();
    strcpy(first, world.me ? "" : "first");
    iCC_bcast(first, sizeof first, 0);
    check(strcmp(first, "first") == 0, "the first call");
    for (int round = 0; round < 2; round++) {
        make_teams(teams);
        for (int k = 0; k < TEAMS; k++) {
            const team *t = &teams[k];
            if (t->handle == iCC_NONE)
                continue;
            test_numbers(t);
            test_barrier(t);
            for (size_t n = 0; n < some; n++) {
                test_collect(t, lengths[n]);
                test_all_to_all(t, lengths[n], 0);
                test_all_to_all(t, lengths[n], 1);
                test_any_operation(t, lengths[n] % 5000);
                test_functions(t, lengths[n] % 9000);
                for (int root = 0; root<t->size; root += root> 2 && root + 2 < t->size ? 2 : 1) {
                    test_broadcast(t, lengths[n], root);
                    test_there_and_back(t, lengths[n], root, 0);
                    test_there_and_back(t, lengths[n], root, 1);
                }
            }
        }
        drop_teams(teams);
        iCC_mesh(1, world.count);
    }
    return finish();
}
