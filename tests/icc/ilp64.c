/*
 * The iCC routines with 64-bit integers: combines of values beyond 32 bits, groups and Fortran's
 * lengths, beside the routines with 32-bit integers.
 */
#include <stdlib.h>

#include "harness.h"

#define HIGH ((int64_t)1 << 40)
enum { N = 5 };

static void combines(void)
{
    int64_t x[N], y[N], low[N], truth[2] = {HIGH, world.me == 0};
    const int64_t n = N, root = 0, count = world.count;
    for (int i = 0; i < N; i++) {
        x[i] = HIGH * (i + 1) + world.me;
        y[i] = low[i] = world.me % 2 ? -x[i] : x[i];
    }
    iCC_gisum64_(x, N, NULL);
    icc_gihigh1_64_(y, &n, NULL, &root);
    iCC_g_gilow64_(low, N, NULL, iCC_ALL);
    iCC_gland64_(truth, 2, NULL);
    int bad = 0;
    for (int i = 0; i < N; i++) {
        int64_t last_even = count - 1 - (count - 1) % 2, last_odd = count - 1 - count % 2;
        bad += x[i] != HIGH * (i + 1) * count + count * (count - 1) / 2;
        bad += world.me == 0 && y[i] != HIGH * (i + 1) + last_even;
        bad += low[i] != (count > 1 ? -HIGH * (i + 1) - last_odd : HIGH * (i + 1));
    }
    check(bad == 0, "sums, largest and smallest: %d wrong", bad);
    check(truth[0] == 1 && truth[1] == (count == 1), "a truth value in the high half is true");
}

static void moves(void)
{
    int64_t me = icc_mynode_64_(), count = icc_numnodes_64_(), one = sizeof me, got = 0;
    int64_t *all = malloc((size_t)count * sizeof *all), room = count * one, bad = 0;
    int64_t *nodes = malloc((size_t)count * sizeof *nodes);
    icc_gcol_64_(&me, &one, all, &room, &got);
    for (int64_t i = 0; i < count; i++) {
        bad += all[i] != i;
        nodes[i] = count - 1 - i;
    }
    check(got == room && bad == 0, "collect");
    int64_t group = icc_group_64_(nodes, &count), mine = HIGH + me, zero = 0;
    check(iCC_g_mynode64_(group) == count - 1 - me, "a group of nodes in 64 bits");
    icc_g_bcast_64_(&mine, &one, &zero, &group);
    check(mine == HIGH + count - 1, "broadcast in the group");
    iCC_group_free64_(group);
    free(nodes);
    free(all);
}

static void add_to(void *x, const void *y, const int64_t *n)
{
    for (int64_t k = 0; k < *n; k++)
        ((int64_t *)x)[k] = 3 * ((int64_t *)x)[k] + ((const int64_t *)y)[k];
}

static void add(void *x, const void *y, long n)
{
    for (long k = 0; k < n; k++)
        ((int64_t *)x)[k] += ((const int64_t *)y)[k];
}

static void functions(void)
{
    int64_t x[N], y[N], n = N, size = 8, yes = 1, bad = 0;
    for (int i = 0; i < N; i++)
        x[i] = HIGH + i;
    iCC_g_gopf64_(x, N, y, 8, add, 1, iCC_ALL);
    for (int i = 0; i < N; i++)
        bad += y[i] != (HIGH + i) * world.count;
    icc_gopf_64_(x, &n, y, &size, add_to, &yes);
    for (int i = 0; i < N; i++)
        bad += world.count == 2 && y[i] != 4 * (HIGH + i);
    check(bad == 0, "functions of the program's: %d wrong", (int)bad);
}

int main(void)
{
    world.me = (int)iCC_mynode64_();
    world.count = (int)iCC_numnodes64_();
    combines();
    moves();
    functions();
    iCC_gsync64_();
    return finish();
}
