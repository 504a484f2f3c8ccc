/*
 * What the tests of the LU share: matrices of four types held whole on every process and by blocks.
 * Elements go through double complex, so that one text serves all types.
 */
#ifndef TESTS_LU_MATRIX_H
#define TESTS_LU_MATRIX_H

#include <openblacs/bsp_lu.h>

#include <complex.h>
#include <float.h>
#include <math.h>

#include "../blacs/harness.h"

typedef double complex number;

/* ---------------------------------------------------------- the four types */

static inline size_t bytes_of(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}

static inline double epsilon_of(char type)
{
    return type == 's' || type == 'c' ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
}

static inline number get(char type, const void *a, size_t i)
{
    switch (type) {
    case 's': return ((const float *)a)[i];
    case 'd': return ((const double *)a)[i];
    case 'c': return ((const float complex *)a)[i];
    default: return ((const double complex *)a)[i];
    }
}

static inline void set(char type, void *a, size_t i, number x)
{
    switch (type) {
    case 's': ((float *)a)[i] = (float)creal(x); break;
    case 'd': ((double *)a)[i] = creal(x); break;
    case 'c': ((float complex *)a)[i] = (float complex)x; break;
    default: ((double complex *)a)[i] = x;
    }
}

/* What a type holds of a number. */
static inline number rounded(char type, number x)
{
    double complex room;
    set(type, &room, 0, x);
    return get(type, &room, 0);
}

/* Calls NAME of the four types with one list of arguments; matrices are void pointers. */
#define BY_TYPE(type, before, after, ...)                                                          \
    do {                                                                                           \
        if ((type) == 's')                                                                         \
            before##s##after(__VA_ARGS__);                                                         \
        else if ((type) == 'd')                                                                    \
            before##d##after(__VA_ARGS__);                                                         \
        else if ((type) == 'c')                                                                    \
            before##c##after(__VA_ARGS__);                                                         \
        else                                                                                       \
            before##z##after(__VA_ARGS__);                                                         \
    } while (0)

/* An element that depends on its place alone: the same on every process. */
static inline number random_number(unsigned seed, size_t i, size_t j)
{
    unsigned long long x =
        seed * 0x9E3779B97F4A7C15ull + i * 0xBF58476D1CE4E5B9ull + j * 0x94D049BB133111EBull;
    double parts[2];
    for (int k = 0; k < 2; k++) {
        x ^= x >> 31;
        x *= 0xD6E8FEB86659FD93ull;
        x ^= x >> 29;
        parts[k] = (double)(x >> 11) / 9007199254740992.0 - 0.5;
    }
    return parts[0] + I * parts[1];
}

/* ------------------------------------------------------------- distribution */

typedef struct layout {
    int context, rows, columns, row, column; /* the grid */
    int desc[9];
} layout;

static inline int owner_of(int g, int block, int source, int count)
{
    return (source + g / block) % count;
}

/* Local index of a global one, at its owner. */
static inline int local_of(int g, int block, int count)
{
    return g / block / count * block + g % block;
}

static inline int count_of(int n, int block, int p, int source, int count)
{
    int mine = 0;
    for (int g = 0; g < n; g++)
        mine += owner_of(g, block, source, count) == p;
    return mine;
}

static inline void describe(layout *x, int context, int m, int n, int mb, int nb, int rsrc,
                            int csrc)
{
    x->context = context;
    Cblacs_gridinfo(context, &x->rows, &x->columns, &x->row, &x->column);
    int ld = count_of(m, mb, x->row, rsrc, x->rows) + 3;
    int desc[9] = {1, context, m, n, mb, nb, rsrc, csrc, ld};
    memcpy(x->desc, desc, sizeof desc);
}

static inline int local_columns(const layout *x)
{
    return count_of(x->desc[3], x->desc[5], x->column, x->desc[7], x->columns);
}

static inline int has_column(const layout *x, int j)
{
    return owner_of(j, x->desc[5], x->desc[7], x->columns) == x->column;
}

/* Position of element (i, j) in the local array, or -1. */
static inline long place_of(const layout *x, int i, int j)
{
    const int *d = x->desc;
    if (owner_of(i, d[4], d[6], x->rows) != x->row || !has_column(x, j))
        return -1;
    return local_of(i, d[4], x->rows) + (long)local_of(j, d[5], x->columns) * d[8];
}

static inline void *local_part(const layout *x, char type, const void *whole)
{
    size_t n = (size_t)x->desc[8] * (size_t)(local_columns(x) + 1);
    void *a = malloc(n * bytes_of(type));
    for (size_t i = 0; i < n; i++)
        set(type, a, i, 77);
    for (int j = 0; j < x->desc[3]; j++)
        for (int i = 0; i < x->desc[2] && has_column(x, j); i++) {
            long at = place_of(x, i, j);
            if (at >= 0)
                set(type, a, (size_t)at,
                    get(type, whole, (size_t)i + (size_t)j * (size_t)x->desc[2]));
        }
    return a;
}

/* The own part of a matrix that depends on the seed alone, but for one column. */
static inline void *random_part(const layout *x, char type, unsigned seed, int zero_column)
{
    size_t m = (size_t)x->desc[2], n = (size_t)x->desc[3];
    void *whole = calloc(m * n, bytes_of(type));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            set(type, whole, i + j * m, (int)j == zero_column ? 0 : random_number(seed, i, j));
    void *part = local_part(x, type, whole);
    free(whole);
    return part;
}

/* The whole matrix on every process: the others' elements are zeroes that are added. */
static inline void *gathered(const layout *x, char type, const void *a)
{
    int m = x->desc[2], n = x->desc[3];
    double *sum = calloc(2 * (size_t)m * (size_t)n + 1, sizeof *sum);
    void *whole = malloc(bytes_of(type) * ((size_t)m * (size_t)n + 1));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m && has_column(x, j); i++) {
            size_t at = 2 * ((size_t)i + (size_t)j * (size_t)m);
            long here = place_of(x, i, j);
            number v = here >= 0 ? get(type, a, (size_t)here) : 0;
            sum[at] = creal(v);
            sum[at + 1] = cimag(v);
        }
    Cdgsum2d(x->context, "All", " ", 2 * m, n, sum, 2 * m, -1, -1);
    for (size_t i = 0; i < (size_t)m * (size_t)n; i++)
        set(type, whole, i, sum[2 * i] + I * sum[2 * i + 1]);
    free(sum);
    return whole;
}

/* ---------------------------------------------------------- the main program */

/* Tries something on every grid that has all processes; returns the exit status. */
static inline int on_every_grid(void (*try_grid)(int context))
{
    begin();
    for (int rows = 1; rows <= world.count; rows++) {
        if (world.count % rows)
            continue;
        int context = make_grid(rows, world.count / rows);
        try_grid(context);
        Cblacs_gridexit(context);
    }
    return finish();
}

/* The same for those that roll dice, PROGRAM [CASES SEED]: so many cases for each grid, `usual`
 * ones where the program is told nothing. */
static inline int on_every_grid_by_dice(int argc, char **argv, int usual,
                                        void (*try_grid)(int context, int cases, dice *d),
                                        void (*sum_up)(int cases))
{
    dice d = {.seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
    int cases = argc > 1 ? atoi(argv[1]) : usual;
    begin();
    for (int rows = 1; rows <= world.count && !world.failed; rows++) {
        if (world.count % rows)
            continue;
        int context = make_grid(rows, world.count / rows);
        try_grid(context, cases, &d);
        Cblacs_gridexit(context);
    }
    if (sum_up)
        sum_up(cases);
    return finish();
}

/* One mistake, which is told in a line, on a grid of one row: its info is the exit status. */
static inline int one_mistake(int (*misuse)(int context, const char *which), const char *which)
{
    begin();
    int context = make_grid(1, world.count), info = misuse(context, which);
    Cblacs_barrier(context, "All"); /* else who has no line to print ends the job */
    return info != 0;
}

#endif
