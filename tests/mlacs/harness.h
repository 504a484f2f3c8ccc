/*
 * What the conformance programs of the MLACS share: they use the public header alone and
 * run unchanged with any number of processes under any launcher. All processes check;
 * process 0 prints the sums.
 */
#ifndef OB_TESTS_MLACS_HARNESS_H
#define OB_TESTS_MLACS_HARNESS_H

#include "../checks.h"
#include "openblacs/mlacs.h"

/* A call that must succeed, or end with this code; its line must name the routine. */
static inline int ends_with(int wanted, int code, const char *routine)
{
    if (!check(code == wanted, "%s: %d (%s), not %d; %s", routine, code, mlacs_error_string(code),
               wanted, code ? mlacs_error_text() : ""))
        return 0;
    size_t n = strlen(routine);
    return code == MLACS_SUCCESS ||
           check(strncmp(mlacs_error_text(), routine, n) == 0 && mlacs_error_text()[n] == ':',
                 "the line of %s is: %s", routine, mlacs_error_text());
}

static inline int fine(int code, const char *routine)
{
    return ends_with(MLACS_SUCCESS, code, routine);
}

typedef struct grid {
    int nrow, ncol, myrow, mycol, inside;
    MLACS_Comm all, row, column;
} grid;

static inline grid make_grid(int nrow, int ncol)
{
    grid g = {.nrow = nrow, .ncol = ncol};
    int r, c;
    if (!fine(mlacs_gridinit(MLACS_COMM_WORLD, nrow, ncol, &g.all, &g.row, &g.column),
              "mlacs_gridinit"))
        exit(1);
    g.inside = world.me < nrow * ncol;
    if (g.inside)
        fine(mlacs_gridinfo(g.all, &r, &c, &g.myrow, &g.mycol), "mlacs_gridinfo");
    return g;
}

static inline void end_grid(grid *g)
{
    if (g->inside)
        fine(mlacs_gridexit(&g->all, &g->row, &g->column), "mlacs_gridexit");
}

/* Near a square; may leave processes out. */
static inline grid square_grid(void)
{
    int side = 1;
    while ((side + 1) * (side + 1) <= world.count)
        side++;
    return make_grid(side, world.count / side);
}

static inline void begin(void)
{
    if (mlacs_procinfo(&world.me, &world.count) != MLACS_SUCCESS) {
        fprintf(stderr, "%s\n", mlacs_error_text());
        exit(1);
    }
}

static inline int finish(void)
{
    grid g = make_grid(1, world.count);
    int counts[2] = {world.passed, world.failed};
    if (mlacs_allreduce_sum(counts, counts, 2, 2, 1, MLACS_INT, g.all) != MLACS_SUCCESS)
        counts[1]++;
    say_sums(counts[0], counts[1]);
    mlacs_gridexit(&g.all, &g.row, &g.column);
    return mlacs_exit() != MLACS_SUCCESS || counts[1] != 0;
}

/* ------------------------------------------------------------------- matrices */

static const size_t type_bytes[] = {4, 4, 8, 8, 16, 1};

/* Does element (i, j) belong to the matrix? uplo 'G': all do. LAWN 73, figure 1. */
static inline int belongs(char uplo, char diag, int m, int n, int i, int j)
{
    int d = i - j - (uplo == 'U' ? (m > n ? m - n : 0) : (n > m ? m - n : 0));
    if (uplo == 'G')
        return 1;
    return d == 0 ? diag == 'N' : uplo == 'U' ? d < 0 : d > 0;
}

static inline int elements(char uplo, char diag, int m, int n)
{
    int count = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            count += belongs(uplo, diag, m, n, i, j);
    return count;
}

enum { BLANK = 0xA5 };

/* lda x n elements; the k-th (below `filled`) that belongs has bytes of (seed, k), all
 * others are blank. */
static inline unsigned char *new_matrix(size_t bytes, char uplo, char diag, int m, int n, int lda,
                                        uint64_t seed, int filled)
{
    size_t size = (size_t)lda * (size_t)n * bytes;
    int k = 0;
    unsigned char *a = malloc(size + 1);
    memset(a, BLANK, size + 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if (!belongs(uplo, diag, m, n, i, j) || k >= filled)
                continue;
            for (size_t b = 0; b < bytes; b++)
                a[((size_t)i + (size_t)j * (size_t)lda) * bytes + b] =
                    (unsigned char)mix(seed + (uint64_t)k * 64 + b);
            k++;
        }
    return a;
}

static inline int is_matrix(const unsigned char *a, size_t bytes, char uplo, char diag, int m,
                            int n, int lda, uint64_t seed, int filled)
{
    unsigned char *want = new_matrix(bytes, uplo, diag, m, n, lda, seed, filled);
    int same = memcmp(a, want, (size_t)lda * (size_t)n * bytes + 1) == 0;
    free(want);
    return same;
}

#endif
