/*
 * Redistribution, ours and netlib's, beside one copy of the matrix, in turns in one run:
 *
 *   bench_redist [N] [REPETITIONS] [LIBRARY] [same]
 *
 * a matrix of N x N doubles from 32 x 32 blocks on 2 x 2 processes to 64 x 64 blocks on 4 x 1 and
 * on 1 x 4, on 4 processes. LIBRARY is a libscalapack: its P?GEMR2D runs on its own BLACS; with
 * `same` on ours. The copy is of each process's own part of the matrix, to memory of the same size,
 * by all of them at once.
 */
#include <dlfcn.h>
#include <openblacs/blacs.h>
#include <openblacs/redist.h>

#include <stdio.h>
#include <string.h>

#include "median.h"

enum { WAYS = 3, MOST = 101 };
typedef void moves(int m, int n, const double *a, int ia, int ja, const int *desca, double *b,
                   int ib, int jb, const int *descb, int context);

/* The routines of one library. */
typedef struct blacs {
    void (*get)(int context, int what, int *value);
    void (*init)(int *context, const char *order, int rows, int columns);
    moves *move;
} blacs;

static int grid_of(const blacs *b, int rows, int columns)
{
    int context;
    b->get(-1, 0, &context);
    b->init(&context, "Row", rows, columns);
    return context;
}

static int count_of(int n, int block, int me, int processes)
{
    int rounds = n / block / processes, left = n - rounds * block * processes - me * block;
    return rounds * block + (left < 0 ? 0 : left < block ? left : block);
}

/* A matrix in square blocks on a grid of one library, and the caller's part of it. */
typedef struct matrix {
    int desc[9], rows, columns;
    double *local;
} matrix;

static matrix matrix_on(const blacs *b, int n, int block, int rows, int columns, int me)
{
    matrix x = {.rows = count_of(n, block, me / columns, rows),
                .columns = count_of(n, block, me % columns, columns)};
    const int desc[9] = {1, grid_of(b, rows, columns), n, n, block, block, 0, 0, x.rows};
    memcpy(x.desc, desc, sizeof desc);
    x.local = malloc((size_t)x.rows * (size_t)x.columns * sizeof *x.local);
    for (size_t i = 0; i < (size_t)x.rows * (size_t)x.columns; i++)
        x.local[i] = me + (double)i;
    return x;
}

static volatile double kept;

/* From the first process's begin to the last one's end: they may have to share processors. */
static double between(int context, double begin, double end)
{
    double times[2] = {-begin, end};
    for (int i = 0; i < 2; i++)
        times[i] += 1e15; /* the routine compares absolute values */
    Cdgamx2d(context, "All", " ", 2, 1, times, 2, NULL, NULL, -1, -1, -1);
    return times[0] + times[1] - 2e15;
}

static void measure(const blacs *library, int libraries, int n, int repetitions, const int to[2],
                    int me, int all)
{
    double times[WAYS][MOST];
    const char *name[WAYS] = {"one copy", "OpenBLACS", "netlib"};
    matrix a[2], b[2];
    int context[2];
    for (int l = 0; l < libraries; l++) {
        a[l] = matrix_on(&library[l], n, 32, 2, 2, me);
        b[l] = matrix_on(&library[l], n, 64, to[0], to[1], me);
        context[l] = grid_of(&library[l], 1, 4);
    }
    size_t part = (size_t)a->rows * (size_t)a->columns * sizeof(double);
    double *copy = malloc(part);
    memset(copy, 1, part);
    for (int r = -1; r < repetitions; r++) /* the first time does not count */
        for (int way = 0; way <= libraries; way++) {
            Cblacs_barrier(all, "All");
            double begin = now_us();
            if (way == 0)
                memcpy(copy, a->local, part);
            else
                library[way - 1].move(n, n, a[way - 1].local, 1, 1, a[way - 1].desc,
                                      b[way - 1].local, 1, 1, b[way - 1].desc, context[way - 1]);
            kept = copy[(size_t)(r + 1) % (part / sizeof *copy)]; /* so that it is a copy */
            double took = between(all, begin, now_us());
            if (r >= 0)
                times[way][r] = took;
        }
    int same = libraries == 1 || memcmp(b[0].local, b[1].local,
                                        (size_t)b->rows * (size_t)b->columns * sizeof(double)) == 0;
    double floor = median(times[0], repetitions);
    for (int way = 0; way <= libraries && me == 0; way++) {
        double m = median(times[way], repetitions);
        printf("%d x %d to %d x %d, n %d: %-9s %9.2f ms, %5.2f of one copy", 2, 2, to[0], to[1], n,
               name[way], m / 1000, m / floor);
        if (way == 2)
            printf("; OpenBLACS takes %.3f of it%s", median(times[1], repetitions) / m,
                   same ? "" : "; RESULTS DIFFER");
        printf("\n");
    }
    fflush(stdout);
    for (int l = 0; l < libraries; l++) {
        free(a[l].local);
        free(b[l].local);
    }
    free(copy);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000, repetitions = argc > 2 ? atoi(argv[2]) : 11, me, count;
    int own = argc > 4 ? 0 : RTLD_DEEPBIND;
    void *other = argc > 3 ? dlopen(argv[3], RTLD_NOW | RTLD_LOCAL | own) : NULL;
    blacs library[2] = {{Cblacs_get, Cblacs_gridinit, ob_pdgemr2d}};
    Cblacs_pinfo(&me, &count);
    if (argc > 3 && other == NULL)
        fprintf(stderr, "%s\n", dlerror());
    if (count != 4 || n < 1 || repetitions < 1 || repetitions > MOST || (argc > 3 && !other))
        return fprintf(stderr, "usage, of 4 processes: bench_redist [N] [REPETITIONS] [LIBRARY]\n"),
               2;
    if (other) {
        void (*pinfo)(int *, int *) = Cblacs_pinfo;
        library[1] = library[0];
        if (own) {
            pinfo = dlsym(other, "Cblacs_pinfo");
            library[1].get = dlsym(other, "Cblacs_get");
            library[1].init = dlsym(other, "Cblacs_gridinit");
        }
        pinfo(&me, &count);
        library[1].move = dlsym(other, "Cpdgemr2d");
    }
    int all = grid_of(&library[0], 1, 4);
    measure(library, 1 + (other != NULL), n, repetitions, (const int[]){4, 1}, me, all);
    measure(library, 1 + (other != NULL), n, repetitions, (const int[]){1, 4}, me, all);
    Cblacs_exit(0);
    return 0;
}
