/*
 * A matrix on one grid, redistributed to another one: from square blocks on the most square grid of
 * all processes to whole columns on a row of half of them, as a library wants it that works column
 * by column.
 *
 *   obrun -n 4 new_grid [N]
 */
#include <openblacs/blacs.h>
#include <openblacs/redist.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    int desc[9], rows, columns, row, column; /* its grid, and our place in it; row -1: none */
    double *local;
} matrix;

/* How many of n elements, in blocks, process p of so many has. */
static int part(int n, int block, int p, int processes)
{
    int count = 0;
    for (int first = p * block; first < n; first += processes * block)
        count += n - first < block ? n - first : block;
    return count;
}

static matrix make(int n, int mb, int nb, int rows, int columns)
{
    matrix x = {.rows = rows, .columns = columns};
    int context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, columns);
    Cblacs_gridinfo(context, &rows, &columns, &x.row, &x.column);
    int m = x.row < 0 ? 0 : part(n, mb, x.row, x.rows);
    int desc[9] = {1, x.row < 0 ? -1 : context, n, n, mb, nb, 0, 0, m > 0 ? m : 1};
    memcpy(x.desc, desc, sizeof desc);
    int k = x.row < 0 ? 0 : part(n, nb, x.column, x.columns);
    x.local = calloc((size_t)desc[8] * (size_t)(k > 0 ? k : 1), sizeof *x.local);
    if (x.local == NULL)
        exit(1);
    return x;
}

/* Sets all our elements to what their place says, or (look) counts those that are not that. */
static int visit(const matrix *x, int look)
{
    const int *d = x->desc;
    int wrong = 0;
    for (int j = 0; x->row >= 0 && j < d[3]; j++)
        for (int i = 0; i < d[2]; i++) {
            int bi = i / d[4], bj = j / d[5];
            if (bi % x->rows != x->row || bj % x->columns != x->column)
                continue;
            size_t li = (size_t)(bi / x->rows * d[4] + i % d[4]);
            size_t lj = (size_t)(bj / x->columns * d[5] + j % d[5]);
            double *at = &x->local[li + lj * (size_t)d[8]], value = i + 1e-5 * j;
            if (look)
                wrong += *at != value;
            else
                *at = value;
        }
    return wrong;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, me, count, all, rows = 1;
    Cblacs_pinfo(&me, &count);
    if (n < 1)
        return fprintf(stderr, "usage: new_grid [N]\n"), 2;
    Cblacs_get(-1, 0, &all);
    Cblacs_gridinit(&all, "Row", 1, count);
    while ((rows + 1) * (rows + 1) <= count)
        rows++;
    int half = count > 1 ? count / 2 : 1;
    matrix a = make(n, 32, 32, rows, count / rows);
    matrix b = make(n, n, (n + half - 1) / half, 1, half);
    visit(&a, 0);
    Cblacs_barrier(all, "All");
    double begin = Cdwalltime00();
    /* All processes of `all` call; who is in neither grid, too. */
    Cpdgemr2d(n, n, a.local, 1, 1, a.desc, b.local, 1, 1, b.desc, all);
    Cblacs_barrier(all, "All");
    double took = Cdwalltime00() - begin;
    int wrong = visit(&b, 1);
    Cigsum2d(all, "All", " ", 1, 1, &wrong, 1, -1, -1);
    if (me == 0 && wrong == 0)
        printf("%d x %d from %d x %d to 1 x %d processes: all elements are there, %.2f ms\n", n, n,
               a.rows, a.columns, half, 1e3 * took);
    free(a.local);
    free(b.local);
    Cblacs_exit(0);
    return wrong != 0;
}
