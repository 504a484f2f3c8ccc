/*
 * The collective calls of the Oxford toolset's level 1, beside requests that wait and messages that
 * are there.
 */
#define BSP_LEVEL1
#include "harness.h"

enum { N = 300 };

static int at(int pid, int i)
{
    return 1000 * pid + i;
}

static void broadcast_scatter_gather(void)
{
    int *all = calloc((size_t)(world.count * N), sizeof *all), mine[N], got[N];
    for (int root = 0; root < world.count; root++) {
        int good = 1;
        for (int i = 0; i < N; i++)
            mine[i] = at(world.me, i);
        bsp_bcast(root, mine, got, sizeof mine);
        for (int i = 0; i < N; i++)
            good &= got[i] == at(root, i);
        check(good, "bsp_bcast from %d", root);
        bsp_gather(root, mine, all, sizeof mine);
        for (int i = 0; i < world.count * N && world.me == root; i++)
            good &= all[i] == at(i / N, i % N);
        check(good, "bsp_gather to %d", root);
        for (int i = 0; i < world.count * N; i++)
            all[i] = at(i / N, i % N) + root;
        bsp_scatter(root, all, got, sizeof got);
        for (int i = 0; i < N; i++)
            good &= got[i] == at(world.me, i) + root;
        check(good, "bsp_scatter from %d", root);
        bsp_bcast(root, got, got, 0);
    }
    free(all);
}

/* 2 x 2 matrices do not commute, and the operator must get them in order. */
static void multiply(void *out, void *left, void *right, int *nbytes)
{
    const long *a = left, *b = right;
    long *c = out;
    check(*nbytes == 4 * (int)sizeof(long), "the operator is told %d bytes", *nbytes);
    c[0] = (a[0] * b[0] + a[1] * b[2]) % 1009;
    c[1] = (a[0] * b[1] + a[1] * b[3]) % 1009;
    c[2] = (a[2] * b[0] + a[3] * b[2]) % 1009;
    c[3] = (a[2] * b[1] + a[3] * b[3]) % 1009;
}

static void fold_and_scan_from_left_to_right(void)
{
    long expected[4] = {1, 0, 0, 1}, mine[4] = {world.me + 1, 2, 3, world.me}, got[4];
    int bytes = sizeof mine;
    for (int i = 0; i < world.count; i++) {
        long factor[4] = {i + 1, 2, 3, i}, product[4];
        multiply(product, expected, factor, &bytes);
        memcpy(expected, product, sizeof expected);
        if (i == world.me) {
            bsp_scan(multiply, mine, got, sizeof got);
            check(!memcmp(got, expected, sizeof got), "bsp_scan to %d", i);
        }
    }
    bsp_fold(multiply, mine, mine, sizeof mine);
    check(!memcmp(mine, expected, sizeof mine), "bsp_fold in place");
}

static void one_number_of_each_process(void)
{
    int p = world.count, me = world.me, sum = p * (p + 1) / 2, sums = (me + 1) * (me + 2) / 2;
    check(bsp_sumI(me + 1) == sum && bsp_sumR((float)me + 1) == (float)sum &&
              bsp_sumD(me + 1) == sum,
          "sums");
    check(bsp_sumI_prefix(me + 1) == sums && bsp_sumR_prefix((float)me + 1) == (float)sums &&
              bsp_sumD_prefix(me + 1) == sums,
          "sums up to here");
    check(bsp_productI(2) == 1 << p && bsp_productD_prefix(2) == 1 << (me + 1), "products");
    check(bsp_minI(5 - me) == 6 - p && bsp_maxI(me) == p - 1, "the smallest and largest integer");
    check(bsp_minD(me) == 0 && bsp_maxR((float)me) == (float)(p - 1),
          "the smallest and largest real");
    check(bsp_minI_prefix(-me) == -me && bsp_maxD_prefix(-me) == 0, "up to here");
    double kept = bsp_maxD(me == p - 1 ? strtod("nan", NULL) : me);
    check(kept != kept, "a NaN is kept: %g", kept);
    check(bsp_all(1) && !bsp_all(me != p - 1) && bsp_any(me == 0) && !bsp_any(0), "all and any");
}

int main(void)
{
    double x = -1, v = world.me;
    int count = 0;
    begin(1000);
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_send((world.me + 1) % world.count, NULL, &v, sizeof v);
    bsp_sync();
    v = 7;
    bsp_put((world.me + 1) % world.count, &v, &x, 0, sizeof v);
    broadcast_scatter_gather();
    fold_and_scan_from_left_to_right();
    one_number_of_each_process();
    bsp_qsize(&count, NULL);
    check(count == 1 && x == -1, "the message is there, %d, and the put waits, %g", count, x);
    bsp_sync();
    check(x == 7, "the put is carried out: %g", x);
    return finish();
}
