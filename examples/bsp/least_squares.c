/*
 * Fits a polynomial to a function by least squares in supersteps: e^x for x from -1 to 1, at m
 * points, by powers of x up to x^(n-1). The error of the fit at the points is that of the best
 * polynomial, and falls with n. The system of m equations in n unknowns is dealt out to a grid of
 * processes in blocks, as for ScaLAPACK.
 *
 *   obrun -n 4 ./least_squares [m [n]]
 */
#include <math.h>
#include <openblacs/blacs.h>
#include <openblacs/bsp_lu.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4 };

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
    int m = argc > 1 ? atoi(argv[1]) : 10000, n = argc > 2 ? atoi(argv[2]) : 8;
    int me, processes, context, rows = 1, columns, row, column, info;
    Cblacs_pinfo(&me, &processes);
    while ((rows + 1) * (rows + 1) <= processes)
        rows++;
    while (processes % rows)
        rows--;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", processes / rows, rows); /* more rows: the matrix is tall */
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);

    int own = share(m, row, rows), k = share(n, column, columns), ld = own > 1 ? own : 1;
    int desca[9] = {1, context, m, n, BLOCK, BLOCK, 0, 0, ld},
        descb[9] = {1, context, m, 1, BLOCK, BLOCK, 0, 0, ld};
    double *a = malloc(sizeof *a * (size_t)ld * (size_t)(k + 1)),
           *b = malloc(sizeof *b * (size_t)ld), work[1];
    if (n < 1 || m <= n || a == NULL || b == NULL) {
        fprintf(stderr, "least_squares: no memory for, or too few, points: %d\n", m);
        return 1;
    }
    for (int i = 0; i < own; i++) {
        double x = 2.0 * global(i, row, rows) / (m - 1) - 1;
        for (int j = 0; j < k; j++)
            a[i + (size_t)j * (size_t)ld] = pow(x, global(j, column, columns));
        b[i] = exp(x);
    }

    double start = Cdwalltime00(), square = 0;
    bsp_pdgels('N', m, n, 1, a, 1, 1, desca, b, 1, 1, descb, work, 1, &info);
    double took = Cdwalltime00() - start;
    for (int i = 0; column == 0 && i < own; i++) /* what stands behind the solution */
        if (global(i, row, rows) >= n)
            square += b[i] * b[i];
    Cdgsum2d(context, "All", " ", 1, 1, &square, 1, -1, -1);
    if (me == 0 && info == 0)
        printf("%d equations in %d unknowns on %d x %d processes: error %.1e, %.3f ms\n", m, n,
               rows, columns, sqrt(square / m), 1e3 * took);
    free(a), free(b);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return info != 0;
}
