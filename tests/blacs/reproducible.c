/*
 * Reproducible sums (blacs_set, what = 15, value 2): the nearest number to the
 * exact sum, whoever has which term, on any grid, along any topology, left on
 * one or on all. The terms lie far apart, so that the order of ordinary
 * additions would show; the exact sum is one of 128-bit integers.
 */
#include "harness.h"

#include <math.h>
#include <stdbool.h>

enum { REPRODUCIBLE = 15, MOST = 6000, SPREAD = 60, SCALE = -150 };

/* Term k of element i as a whole number; every other one cancels much of the one before. */
static __int128 whole(uint64_t seed, int k, int i)
{
    uint64_t bits = hash(seed, (uint64_t)(k / 2), (uint64_t)i);
    __int128 m = (__int128)(bits >> 11) << (bits % SPREAD);
    if (k % 2 == 0)
        return m;
    return (__int128)(hash(seed + 1, (uint64_t)k, (uint64_t)i) % 1000) - m;
}

static double term(uint64_t seed, int k, int i)
{
    return k < 0 ? 0 : ldexp((double)whole(seed, k, i), SCALE);
}

/* The exact sum of what the terms are as doubles, rounded once. */
static double exact(uint64_t seed, int terms, int i)
{
    __int128 sum = 0;
    for (int k = 0; k < terms; k++)
        sum += (__int128)(double)whole(seed, k, i);
    return ldexp((double)sum, SCALE);
}

typedef struct deed {
    int context, m, n, lda, terms;
    const char *scope, *top;
    int rdest, cdest;
    int mine; /* which term this process gives; -1: zero */
    uint64_t seed;
} deed;

static void sum_once(const deed *d, bool has_result)
{
    static double a[2 * MOST];
    int bad = 0;
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < d->lda; i++)
            a[i + j * d->lda] = i < d->m ? term(d->seed, d->mine, i + j * d->m) : -77;
    Cdgsum2d(d->context, d->scope, d->top, d->m, d->n, a, d->lda, d->rdest, d->cdest);
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < d->lda; i++) {
            double right = i < d->m ? exact(d->seed, d->terms, i + j * d->m) : -77;
            bad += (has_result || i >= d->m) && memcmp(&a[i + j * d->lda], &right, sizeof right);
        }
    check(bad == 0,
          "%d of %d x %d sums of %d terms are not the exact one (scope %s, top '%s', "
          "left at %d)",
          bad, d->m, d->n, d->terms, d->scope, d->top, d->rdest);
}

static void on_grid(int nprow, int npcol)
{
    static const int sizes[][3] = {{1, 1, 1}, {3, 2, 5}, {17, 1, 17}, {25, 12, 25}, {300, 20, 301}};
    static const char *const tops[] = {" ", "i", "h", "1", "s"};
    int context = make_grid(nprow, npcol), row, column, two = 2;
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    if (context < 0)
        return;
    Cblacs_set(context, REPRODUCIBLE, &two);
    int count = nprow * npcol, me = row * npcol + column;
    for (int s = 0; s < 5; s++)
        for (int turn = 0; turn < 3; turn++) {
            deed d = {context,
                      sizes[s][0],
                      sizes[s][1],
                      sizes[s][2],
                      count,
                      "All",
                      tops[(s + turn) % 5],
                      -1,
                      -1,
                      (me * (turn == 2 ? count - 1 : 1) + turn) % count,
                      (uint64_t)s};
            if (turn == 2) /* backwards */
                d.mine = count - 1 - me;
            sum_once(&d, true);
            d.rdest = nprow - 1;
            d.cdest = 0;
            sum_once(&d, row == nprow - 1 && column == 0);
        }
    /* The same terms, in a row alone, with zeros of those who have none. */
    deed d = {
        context, 40, 10, 40, (npcol + 1) / 2, "Row", " ", -1, -1, column % 2 ? -1 : column / 2, 99};
    sum_once(&d, true);
    Cblacs_gridexit(context);
}

/* All types pass that way; those without rounding are as ever. */
static void other_types(void)
{
    int context = make_grid(1, world.count), two = 2, got = 0, k[3] = {world.me, 1, -world.me};
    float s[2] = {1, world.me == 0 ? 0x1p-24f : world.me == 1 ? 0x1p-40f : 0};
    double z[4] = {1, -1, world.me == 0 ? 1 : 0x1p-53, 0};
    Cblacs_set(context, REPRODUCIBLE, &two);
    Cblacs_get(context, REPRODUCIBLE, &got);
    check(got == 2, "blacs_get says %d, not 2", got);
    Cigsum2d(context, "All", " ", 3, 1, k, 3, -1, -1);
    int total = world.count * (world.count - 1) / 2;
    check(k[0] == total && k[1] == world.count && k[2] == -total, "sum of integers");
    Csgsum2d(context, "All", " ", 2, 1, s, 2, -1, -1);
    check(s[0] == (float)world.count, "sum of floats is %g", (double)s[0]);
    Czgsum2d(context, "All", " ", 2, 1, z, 2, -1, -1);
    double right = 1 + (double)(world.count - 1) / 2 * 0x1p-52;
    check(z[0] == world.count && z[1] == -world.count && z[2] == right && z[3] == 0,
          "sum of complex numbers is %.17g, not %.17g", z[2], right);
    Cblacs_gridexit(context);
}

int main(void)
{
    begin();
    on_all_dims(on_grid);
    other_types();
    return finish();
}
