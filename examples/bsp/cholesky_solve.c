/*
 * Solves a symmetric positive definite system A x = b by Cholesky decomposition in supersteps.
 * Element (i, j) of A is min(i, j), counted from 1, whose factor is all ones, and b is chosen so
 * that every element of x is 1. A and b are dealt out to a grid of processes in blocks, as for
 * ScaLAPACK.
 *
 *   obrun -n 4 ./cholesky_solve [n]
 */
#include <math.h>
#include <openblacs/blacs.h>
#include <openblacs/bsp_lu.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16 };

/* The global index of local index l at place `mine` of `count`, and how many of n a place has. */
static int global(int l, int mine, int count)
{
    return (l / BLOCK * count + mine) * BLOCK + l % BLOCK;
}

static int share(int n, int mine, int count)
{
    int l = 0;
    while (global(l, mine, count) < n)
        l++;
    return l;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, me, processes, context, info;
    int rows = 1, columns, row, column;
    Cblacs_pinfo(&me, &processes);
    while ((rows + 1) * (rows + 1) <= processes)
        rows++;
    while (processes % rows)
        rows--;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, processes / rows);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);

    int m = share(n, row, rows), k = share(n, column, columns), ld = m > 1 ? m : 1;
    int desca[9] = {1, context, n, n, BLOCK, BLOCK, 0, 0, ld},
        descb[9] = {1, context, n, 1, BLOCK, BLOCK, 0, 0, ld};
    double *a = malloc(sizeof *a * (size_t)ld * (size_t)(k + 1)),
           *b = malloc(sizeof *b * (size_t)ld);
    if (n < 1 || a == NULL || b == NULL) {
        fprintf(stderr, "cholesky_solve: no memory for, or no, order %d\n", n);
        return 1;
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++) {
            int p = global(i, row, rows) + 1, q = global(j, column, columns) + 1;
            a[i + (size_t)j * (size_t)ld] = p < q ? p : q;
        }
    for (int i = 0; column == 0 && i < m; i++) {
        double p = global(i, row, rows) + 1;
        b[i] = p * (p + 1) / 2 + (n - p) * p; /* the sum of row p */
    }

    double start = Cdwalltime00(), error = 0;
    bsp_pdposv('L', n, 1, a, 1, 1, desca, b, 1, 1, descb, &info);
    double took = Cdwalltime00() - start;
    for (int i = 0; column == 0 && i < m; i++)
        error = fmax(error, fabs(b[i] - 1));
    Cdgamx2d(context, "All", " ", 1, 1, &error, 1, NULL, NULL, -1, -1, -1);
    if (me == 0 && info == 0)
        printf("%d equations on %d x %d processes: error %.1e, %.3f ms\n", n, rows, columns, error,
               1e3 * took);
    else if (me == 0)
        printf("the leading minor of order %d is not positive\n", info);
    free(a), free(b);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return info != 0;
}
