/*
 * Redistribution on a simulated machine: ours, or ScaLAPACK's over OpenBLACS or over another BLACS.
 *
 *     smpirun -np COUNT ... redist N BLOCK P Q BLOCK P Q
 *
 * a matrix of N x N doubles in blocks of BLOCK x BLOCK from a grid of P x Q processes to another
 * one; both begin with the first process. Copies take no simulated time, in all of them alike. Each
 * process compares what has come with what it must be. Prints
 * "redist,N,BLOCK,PxQ,BLOCK,PxQ,seconds"; the status is 1 when an element is wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "openblacs/blacs.h"

#ifdef SCALAPACK
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib,
               int jb, const int *descb, int context);
#else
#include "openblacs/redist.h"
#define Cpdgemr2d ob_pdgemr2d
#endif

/* A matrix in square blocks, and the caller's part of it; row -1: none. */
typedef struct matrix {
    int n, block, rows, columns, row, column, m, k, desc[9];
    double *local;
} matrix;

static int share(int n, int block, int me, int processes)
{
    int rounds = n / block / processes, left = n - rounds * block * processes - me * block;
    return rounds * block + (left < 0 ? 0 : left < block ? left : block);
}

static int global(int local, int block, int me, int processes)
{
    return (local / block * processes + me) * block + local % block;
}

static matrix matrix_on(int n, char **words, int count)
{
    matrix x = {.n = n,
                .block = atoi(words[0]),
                .rows = atoi(words[1]),
                .columns = atoi(words[2]),
                .row = -1,
                .column = -1};
    int context;
    if (x.block < 1 || x.rows < 1 || x.columns < 1 || x.rows > count / x.columns) {
        fprintf(stderr, "redist: blocks of %s on %s x %s processes, of %d\n", words[0], words[1],
                words[2], count);
        exit(2);
    }
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", x.rows, x.columns);
    if (context >= 0) {
        int rows, columns;
        Cblacs_gridinfo(context, &rows, &columns, &x.row, &x.column);
        x.m = share(n, x.block, x.row, x.rows);
        x.k = share(n, x.block, x.column, x.columns);
    }
    x.desc[0] = 1;
    x.desc[1] = context >= 0 ? context : -1;
    x.desc[2] = x.desc[3] = n;
    x.desc[4] = x.desc[5] = x.block;
    x.desc[8] = x.m > 1 ? x.m : 1;
    x.local = calloc((size_t)x.desc[8] * (size_t)(x.k > 1 ? x.k : 1), sizeof *x.local);
    if (x.local == NULL)
        abort();
    return x;
}

/* Fills the own part, or counts what is wrong of it. */
static int visit(const matrix *x, int fills)
{
    int wrong = 0;
    for (int j = 0; j < x->k; j++)
        for (int i = 0; i < x->m; i++) {
            double *at = &x->local[i + (size_t)j * (size_t)x->m];
            double value = global(i, x->block, x->row, x->rows) +
                           1.0 * x->n * global(j, x->block, x->column, x->columns) + 1;
            if (fills)
                *at = value;
            else
                wrong += *at != value;
        }
    return wrong;
}

int main(int argc, char **argv)
{
    int me, count, all, n = argc == 8 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: redist N BLOCK P Q BLOCK P Q\n");
        return 2;
    }
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &all);
    Cblacs_gridinit(&all, "Row", 1, count);
    matrix a = matrix_on(n, argv + 2, count), b = matrix_on(n, argv + 5, count);
    visit(&a, 1);
    double start = clock_start();
    Cpdgemr2d(n, n, a.local, 1, 1, a.desc, b.local, 1, 1, b.desc, all);
    double took = clock_stop(start);
    int found = visit(&b, 0);
    shared_by_all()->wrong += found;
    meet_all();
    int wrong = shared_by_all()->wrong;
    if (me == 0)
        printf("redist,%d,%d,%dx%d,%d,%dx%d,%.9f%s\n", n, a.block, a.rows, a.columns, b.block,
               b.rows, b.columns, 1e-6 * took, wrong ? ",wrong" : "");
    free(a.local);
    free(b.local);
    Cblacs_exit(0);
    return wrong != 0;
}
