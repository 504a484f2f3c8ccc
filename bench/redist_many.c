/*
 * Many small redistributions, one by one and put together (ob_redist_together_begin), in turns in
 * one run:
 *
 *   bench_redist_many [MATRICES] [N] [REPETITIONS] [one | together]
 *
 * MATRICES of N x N doubles, each from 2 x 2 blocks on a grid that is as square as it can be to 3 x
 * 3 blocks on a row of all processes. With the last word one of the two ways alone, once, for a
 * count of its messages (OPENBLACS_STATS).
 */
#include <openblacs/blacs.h>
#include <openblacs/redist.h>

#include <stdio.h>
#include <string.h>

#include "median.h"

enum { MOST = 101 };

/* A matrix in square blocks, and the caller's part of it. */
typedef struct matrix {
    int desc[9];
    double *local;
} matrix;

typedef struct job {
    int matrices, n, me, count, context;
    matrix *a, *b;
} job;

static int count_of(int n, int block, int me, int processes)
{
    int rounds = n / block / processes, left = n - rounds * block * processes - me * block;
    return rounds * block + (left < 0 ? 0 : left < block ? left : block);
}

static void *room(size_t bytes)
{
    void *x = calloc(1, bytes + 1);
    if (x)
        return x;
    fprintf(stderr, "bench_redist_many: no memory\n");
    exit(1);
}

static matrix matrix_on(int context, int n, int block)
{
    int rows, columns, row, column;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int m = count_of(n, block, row, rows);
    size_t here = (size_t)m * (size_t)count_of(n, block, column, columns);
    matrix x = {.desc = {1, context, n, n, block, block, 0, 0, m ? m : 1},
                .local = room(here * sizeof *x.local)};
    return x;
}

static int grid_of(int rows, int columns)
{
    int context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, columns);
    return context;
}

static void move(const job *j, int together)
{
    if (together)
        ob_redist_together_begin();
    for (int i = 0; i < j->matrices; i++)
        ob_pdgemr2d(j->n, j->n, j->a[i].local, 1, 1, j->a[i].desc, j->b[i].local, 1, 1,
                    j->b[i].desc, j->context);
    if (together)
        ob_redist_together_end();
}

static void measure(const job *j, int repetitions)
{
    double times[2][MOST];
    for (int r = -1; r < repetitions; r++) /* the first time does not count */
        for (int together = 0; together < 2; together++) {
            Cblacs_barrier(j->context, "All");
            double begin = now_us();
            move(j, together);
            Cblacs_barrier(j->context, "All");
            if (r >= 0)
                times[together][r] = now_us() - begin;
        }
    double one = median(times[0], repetitions), both = median(times[1], repetitions);
    if (j->me == 0)
        printf(
            "%d matrices of %d x %d, %d processes: one by one %.1f us, together %.1f us, %.3f of "
            "it\n",
            j->matrices, j->n, j->n, j->count, one, both, both / one);
}

int main(int argc, char **argv)
{
    job j = {.matrices = argc > 1 ? atoi(argv[1]) : 100, .n = argc > 2 ? atoi(argv[2]) : 8};
    int repetitions = argc > 3 ? atoi(argv[3]) : 31, rows = 1;
    Cblacs_pinfo(&j.me, &j.count);
    if (j.matrices < 1 || j.n < 1 || repetitions < 1 || repetitions > MOST)
        return fprintf(stderr, "usage: bench_redist_many [MATRICES] [N] [REPETITIONS] [one | "
                               "together]\n"),
               2;
    while ((rows + 1) * (rows + 1) <= j.count)
        rows++;
    while (j.count % rows)
        rows--;
    int square = grid_of(rows, j.count / rows);
    j.context = grid_of(1, j.count);
    j.a = room((size_t)j.matrices * sizeof *j.a);
    j.b = room((size_t)j.matrices * sizeof *j.b);
    for (int i = 0; i < j.matrices; i++) {
        j.a[i] = matrix_on(square, j.n, 2);
        j.b[i] = matrix_on(j.context, j.n, 3);
    }
    if (argc > 4)
        move(&j, strcmp(argv[4], "together") == 0);
    else
        measure(&j, repetitions);
    for (int i = 0; i < j.matrices; i++) {
        free(j.a[i].local);
        free(j.b[i].local);
    }
    free(j.a);
    free(j.b);
    Cblacs_exit(0);
    return 0;
}
