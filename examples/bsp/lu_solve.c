/*
 * Solves a dense system A x = b by LU decomposition in supersteps. A and b are dealt out to a grid
 * of processes in blocks, as for ScaLAPACK; element (i, j) of A is a hash of i and j, and b is
 * chosen so that every element of x is 1.
 *
 *   obrun -n 4 ./lu_solve [n]
 */
#include <math.h>
#include <openblacs/blacs.h>
#include <openblacs/bsp_lu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16 };

static int rows, columns, row, column;

static double element(int i, int j)
{
    uint64_t h = ((uint64_t)i << 32 | (uint32_t)j) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(h >> 11) / 9007199254740992.0 - 0.5;
}

static double side(int n, int i)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += element(i, j);
    return sum;
}

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

/* The largest |x_i - 1|, on all processes. */
static double error_of(int context, const double *b, int m)
{
    double largest = 0;
    for (int l = 0; column == 0 && l < m; l++)
        largest = fmax(largest, fabs(b[l] - 1));
    Cdgamx2d(context, "All", " ", 1, 1, &largest, 1, NULL, NULL, -1, -1, -1);
    return largest;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, me, processes, context, info;
    Cblacs_pinfo(&me, &processes);
    for (rows = 1; (rows + 1) * (rows + 1) <= processes;)
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
    int *ipiv = malloc(sizeof *ipiv * (size_t)(ld + BLOCK));
    if (n < 1 || a == NULL || b == NULL || ipiv == NULL) {
        fprintf(stderr, "lu_solve: no memory for, or no, order %d\n", n);
        return 1;
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            a[i + (size_t)j * (size_t)ld] =
                element(global(i, row, rows), global(j, column, columns));
    for (int i = 0; column == 0 && i < m; i++)
        b[i] = side(n, global(i, row, rows));

    double start = Cdwalltime00();
    bsp_pdgesv(n, 1, a, 1, 1, desca, ipiv, b, 1, 1, descb, &info);
    double took = Cdwalltime00() - start, error = error_of(context, b, m);
    if (me == 0 && info == 0)
        printf("%d equations on %d x %d processes: error %.1e, %.3f ms\n", n, rows, columns, error,
               1e3 * took);
    else if (me == 0)
        printf("U(%d,%d) is zero\n", info, info);
    free(a), free(b), free(ipiv);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return info != 0;
}
