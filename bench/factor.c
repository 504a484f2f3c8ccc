/*
 * The LU in supersteps: factor [n nb nprow npcol], the median of several runs on one random matrix.
 * BENCH_BLOCK sets its algorithmic block, and BENCH_PARTS=1 prints where the time went in the last
 * run, on stderr. PDGETRF is measured by obbench verdict.
 */
#include <openblacs/bsp_lu.h>

#include "work.h"

int numroc_(const int *n, const int *nb, const int *iproc, const int *isrc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
               const int *csrc, const int *ctxt, const int *lld, int *info);

enum { MOST_RUNS = 5, LARGE = 2000, RUNS_OF_LARGE = 2 };

static void set_block(void)
{
    bsp_lu_measure(getenv("BENCH_PARTS") != NULL);
    if (getenv("BENCH_BLOCK"))
        bsp_lu_block(atoi(getenv("BENCH_BLOCK")));
}

static void print_parts(void)
{
    bsp_lu_parts p;
    bsp_lu_last(&p);
    if (getenv("BENCH_PARTS"))
        fprintf(
            stderr,
            "process %d: block %d, %.3f ms: computation %.3f, packing %.3f, syncs %.3f, of that "
            "idling %.3f; %zu supersteps, %.2f Mflop, %zu bytes sent, %zu received\n",
            me, p.block, 1e3 * p.total, 1e3 * p.computation, 1e3 * p.packing, 1e3 * p.syncs,
            1e3 * p.idling, p.supersteps, 1e-6 * p.flops, p.sent, p.received);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, nb = argc > 2 ? atoi(argv[2]) : 32;
    int nprow = argc > 3 ? atoi(argv[3]) : 2, npcol = argc > 4 ? atoi(argv[4]) : 2;
    int context, row, column, zero = 0, one = 1, info, desc[9];
    int runs = n > LARGE ? RUNS_OF_LARGE : MOST_RUNS;
    double run[MOST_RUNS];

    Cblacs_pinfo(&me, &processes);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", nprow, npcol);
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    set_block();
    int m = numroc_(&n, &nb, &row, &zero, &nprow), k = numroc_(&n, &nb, &column, &zero, &npcol);
    int ld = m > 1 ? m : 1;
    descinit_(desc, &n, &n, &nb, &nb, &zero, &zero, &context, &ld, &info);
    size_t bytes = (size_t)ld * (size_t)(k > 1 ? k : 1) * sizeof(double);
    double *a = malloc(bytes), *original = malloc(bytes);
    int *pivots = malloc((size_t)(m + nb) * sizeof *pivots);
    srand((unsigned)me + 1);
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        original[i] = rand() / (double)RAND_MAX - 0.5;
    for (int i = 0; i <= runs; i++) { /* the first warms up */
        memcpy(a, original, bytes);
        Cblacs_barrier(context, "All");
        double start = now_us();
        bsp_pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
        Cblacs_barrier(context, "All");
        if (i)
            run[i - 1] = now_us() - start;
    }
    print_parts();
    if (me == 0)
        printf("bsp_pdgetrf n=%d,nb=%d,%dx%d %.1f\n", n, nb, nprow, npcol, median(run, runs));
    free(a);
    free(original);
    free(pivots);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return info != 0;
}
