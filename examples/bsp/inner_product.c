/*
 * The inner product of two distributed vectors, x = y = (1, 2, ..., n), in two supersteps: local
 * products, and every process's partial sum to all others. Element i is on process i mod p.
 *
 *   obrun -n 4 ./inner_product [n]
 */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

/* Every process gets the sum of all processes' values. */
static double sum_of_all(double value)
{
    int p = bsp_nprocs(), s = bsp_pid();
    double sum = 0, *all = calloc((size_t)p, sizeof *all);
    if (all == NULL)
        bsp_abort("no memory for %d sums\n", p);
    bsp_push_reg(all, (size_t)p * sizeof *all);
    bsp_sync();
    for (int t = 0; t < p; t++)
        bsp_put(t, &value, all, (size_t)s * sizeof value, sizeof value);
    bsp_sync();
    for (int t = 0; t < p; t++)
        sum += all[t];
    bsp_pop_reg(all);
    bsp_sync();
    free(all);
    return sum;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    bsp_begin(bsp_nprocs());
    double local = 0, start = bsp_time();
    for (long i = bsp_pid(); i < n; i += bsp_nprocs())
        local += (double)(i + 1) * (double)(i + 1);
    double sum = sum_of_all(local), expected = (double)n * (n + 1) * (2 * n + 1) / 6;
    int wrong = sum < expected * (1 - 1e-12) || sum > expected * (1 + 1e-12);
    if (bsp_pid() == 0)
        printf("sum of the first %ld squares: %.15g, should be %.15g; %.1f us on %d processes\n", n,
               sum, expected, 1e6 * (bsp_time() - start), bsp_nprocs());
    bsp_end();
    return wrong;
}
