/*
 * Multiplies two n x n matrices on a simulated machine, as SUMMA does (van de Geijn and
 * Watts 1997): for each k the column k of A is broadcast along the rows of the grid, the row k of B
 * along its columns, and everybody adds their product to its block of C. Local work takes
 * simulated time. The result is compared with the sum it must be; with OPENBLACS_TRACE the
 * run leaves a trace of hundreds of processes.
 *
 *     smpirun ... multiply ROWS COLUMNS N [TOP [FLOPS]]
 *
 * N is a multiple of both. FLOPS are charged for each element of C in each step; the default, 2e6,
 * is what blocks of 100 x 100 in the place of elements would need.
 */
#include <mpi.h> /* SMPI's, with smpi_execute_flops */
#include <stdio.h>
#include <stdlib.h>

#include "openblacs/blacs.h"

typedef struct part { /* of the matrices; blocks are m x n, column by column */
    int context, rows, columns, row, column, m, n, size;
    const char *top;
    double flops;
    double *a, *b, *c, *left, *above;
} part;

static double a_at(int i, int k)
{
    return (i + 2 * k) % 7;
}

static double b_at(int k, int j)
{
    return (3 * k + j) % 5;
}

static void fill(part *p)
{
    p->a = malloc((size_t)(3 * p->m * p->n + p->m + p->n) * sizeof *p->a);
    if (p->a == NULL)
        Cblacs_abort(p->context, 1);
    p->b = p->a + p->m * p->n;
    p->c = p->b + p->m * p->n;
    p->left = p->c + p->m * p->n;
    p->above = p->left + p->m;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            p->a[i + j * p->m] = a_at(p->row * p->m + i, p->column * p->n + j);
            p->b[i + j * p->m] = b_at(p->row * p->m + i, p->column * p->n + j);
            p->c[i + j * p->m] = 0;
        }
}

static void step(part *p, int k)
{
    char *top = (char *)p->top, *row = "Row", *column = "Column";
    int owner = k / p->n, above = k / p->m;
    if (p->column == owner)
        Cdgebs2d(p->context, row, top, p->m, 1, p->a + (k % p->n) * p->m, p->m);
    else
        Cdgebr2d(p->context, row, top, p->m, 1, p->left, p->m, p->row, owner);
    if (p->row == above)
        Cdgebs2d(p->context, column, top, 1, p->n, p->b + k % p->m, p->m);
    else
        Cdgebr2d(p->context, column, top, 1, p->n, p->above, 1, above, p->column);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++)
            p->c[i + j * p->m] += (p->column == owner ? p->a[i + (k % p->n) * p->m] : p->left[i]) *
                                  (p->row == above ? p->b[k % p->m + j * p->m] : p->above[j]);
    smpi_execute_flops(p->flops * p->m * p->n);
}

static int wrong(const part *p)
{
    int count = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            double sum = 0;
            for (int k = 0; k < p->size; k++)
                sum += a_at(p->row * p->m + i, k) * b_at(k, p->column * p->n + j);
            count += p->c[i + j * p->m] != sum;
        }
    return count;
}

int main(int argc, char **argv)
{
    part p = {.top = argc > 4 ? argv[4] : " ", .flops = argc > 5 ? atof(argv[5]) : 2e6};
    int me, count;
    if (argc < 4 || (p.rows = atoi(argv[1])) < 1 || (p.columns = atoi(argv[2])) < 1 ||
        (p.size = atoi(argv[3])) < 1 || p.size % p.rows || p.size % p.columns || !(p.flops >= 0)) {
        fprintf(stderr, "usage: multiply ROWS COLUMNS N [TOP [FLOPS]], N a multiple of both\n");
        return 2;
    }
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &p.context);
    Cblacs_gridinit(&p.context, "Row", p.rows, p.columns);
    Cblacs_gridinfo(p.context, &p.rows, &p.columns, &p.row, &p.column);
    if (p.row >= 0) {
        p.m = p.size / p.rows;
        p.n = p.size / p.columns;
        fill(&p);
        for (int k = 0; k < p.size; k++)
            step(&p, k);
        int bad = wrong(&p);
        Cigsum2d(p.context, "All", " ", 1, 1, &bad, 1, 0, 0);
        if (me == 0)
            printf("%d passed, %d failed\n", p.size * p.size - bad, bad);
        free(p.a);
    }
    Cblacs_exit(0);
    return 0;
}
