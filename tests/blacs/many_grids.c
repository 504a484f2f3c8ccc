/*
 * 100 000 grids made and released in one run: memory stays flat, whether they
 * come one after the other or some hundred at a time, and messages still find
 * their grid.
 */
#include "harness.h"

#ifdef __GLIBC__
int malloc_trim(size_t pad); /* <malloc.h>, which smpicc's malloc does not go with */
#endif

enum { TOTAL = 100000, WARM = 10000, BATCH = 200, BATCHES = 50 };

/* Bytes of memory this process has touched. Pages of files come and go as the system likes. */
static long resident(void)
{
    char line[256];
    long anonymous = 0, shared = 0;
#ifdef __GLIBC__
    malloc_trim(0); /* what is free already is no growth */
#endif
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "RssAnon: %ld", &anonymous);
        sscanf(line, "RssShmem: %ld", &shared);
    }
    if (f)
        fclose(f);
    return (anonymous + shared) * 1024;
}

/* The same while all stand still and hold no other grid: simulated processes share their memory. */
static long resident_at_rest(void)
{
    int context = make_grid(1, world.count);
    Cblacs_barrier(context, "All");
    long bytes = resident();
    Cblacs_barrier(context, "All");
    Cblacs_gridexit(context);
    return bytes;
}

static void use(int context, int k)
{
    int n = world.count, x = k, got = -1, sum = 1;
    Cigesd2d(context, 1, 1, &x, 1, 0, (world.me + 1) % n);
    Cigerv2d(context, 1, 1, &got, 1, 0, (world.me + n - 1) % n);
    Cigsum2d(context, "Row", " ", 1, 1, &sum, 1, -1, -1);
    check(got == k && sum == n, "grid %d: received %d, sum %d", k, got, sum);
}

static void one_after_the_other(void)
{
    long before = 0;
    double start = Cdwalltime00();
    for (int k = 0; k < TOTAL; k++) {
        int context = make_grid(1, world.count);
        check(context == 0, "grid %d has context %d", k, context);
        if (k % 500 == 0)
            use(context, k);
        Cblacs_gridexit(context);
        if (k == WARM)
            before = resident_at_rest();
    }
    long grown = resident_at_rest() - before;
    check(grown < 1 << 20, "memory grew by %ld bytes over %d grids", grown, TOTAL - WARM);
    check(Cdwalltime00() - start < 100, "%d grids took %g s", TOTAL, Cdwalltime00() - start);
}

static void in_batches(void)
{
    int context[BATCH];
    long before = 0;
    for (int b = 0; b < BATCHES; b++) {
        for (int k = 0; k < BATCH; k++)
            context[k] = make_grid(1, world.count);
        use(context[b % BATCH], b);
        for (int k = 0; k < BATCH; k++)
            Cblacs_gridexit(context[k]);
        if (b == 2)
            before = resident_at_rest();
    }
    long grown = resident_at_rest() - before;
    check(grown < 1 << 20, "memory grew by %ld bytes over %d batches", grown, BATCHES - 3);
}

int main(void)
{
    begin();
    one_after_the_other();
    in_batches();
    return finish();
}
