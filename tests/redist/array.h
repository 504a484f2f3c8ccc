/*
 * What the tests of redistribution share: block-cyclic arrays of five types, every element of which
 * follows from its place, on grids of any of the processes.
 */
#ifndef TESTS_REDIST_ARRAY_H
#define TESTS_REDIST_ARRAY_H

#include <openblacs/redist.h>

#include <complex.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../blacs/harness.h"

typedef double complex number;

static inline size_t bytes_of(char type)
{
    return type == 'i' || type == 's' ? 4 : type == 'z' ? 16 : 8;
}

static inline void set(char type, void *a, size_t i, number x)
{
    switch (type) {
    case 'i': ((int *)a)[i] = (int)creal(x); break;
    case 's': ((float *)a)[i] = (float)creal(x); break;
    case 'd': ((double *)a)[i] = creal(x); break;
    case 'c': ((float complex *)a)[i] = (float complex)x; break;
    default: ((double complex *)a)[i] = x;
    }
}

/* A whole number, so that sums of a few are exact in every type. */
static inline number element(char type, uint64_t seed, int i, int j)
{
    uint64_t h = hash(seed, (uint64_t)i, (uint64_t)j);
    double re = (double)(h % 999) - 499, im = (double)(h / 1000 % 999) - 499;
    return type == 'c' || type == 'z' ? re + I * im : re;
}

/* Calls NAME of the five types with one list of arguments. */
#define BY_TYPE(type, before, after, ...)                                                          \
    do {                                                                                           \
        switch (type) {                                                                            \
        case 'i': before##i##after(__VA_ARGS__); break;                                            \
        case 's': before##s##after(__VA_ARGS__); break;                                            \
        case 'd': before##d##after(__VA_ARGS__); break;                                            \
        case 'c': before##c##after(__VA_ARGS__); break;                                            \
        default: before##z##after(__VA_ARGS__);                                                    \
        }                                                                                          \
    } while (0)

/* A grid of some of the processes, row by row; context -1 where the caller is not in it. */
typedef struct grid {
    int rows, columns, row, column, context;
    int *numbers; /* column-major, for blacs_gridmap */
} grid;

static inline void find_self(grid *g)
{
    g->row = g->column = -1;
    for (int i = 0; i < g->rows * g->columns; i++)
        if (g->numbers[i] == world.me) {
            g->row = i % g->rows;
            g->column = i / g->rows;
        }
}

/* Processes in an order that the dice give, from number `first` of it on. */
static inline grid roll_grid(dice *d, int rows, int columns, const int *order)
{
    grid g = {.rows = rows, .columns = columns};
    (void)d;
    g.numbers = malloc((size_t)(rows * columns) * sizeof(int));
    memcpy(g.numbers, order, (size_t)(rows * columns) * sizeof(int));
    find_self(&g);
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridmap(&g.context, g.numbers, rows, rows, columns);
    if (g.row < 0)
        g.context = -1;
    return g;
}

static inline void free_grid(grid *g)
{
    if (g->context >= 0)
        Cblacs_gridexit(g->context);
    free(g->numbers);
}

/* An array on a grid: the first block's size, the others', the process it begins at. Of a tight one
 * the memory ends with the last element, and nobody may touch the page behind. */
typedef struct array {
    char type;
    bool tight;
    const grid *on;
    int m, n, first[2], block[2], source[2], ld, columns;
    int desc[11];
    unsigned char *local;
} array;

static inline int block_of(const array *a, int axis, int k)
{
    return k < a->first[axis] ? 0 : 1 + (k - a->first[axis]) / a->block[axis];
}

/* Whose element number k of the axis is. */
static inline int owner(const array *a, int axis, int k)
{
    int processes = axis ? a->on->columns : a->on->rows;
    return (block_of(a, axis, k) + a->source[axis]) % processes;
}

/* How many elements below k process p has: counted one by one, as the definition says it. */
static inline int local_count(const array *a, int axis, int p, int k)
{
    int count = 0;
    for (int i = 0; i < k; i++)
        count += owner(a, axis, i) == p;
    return count;
}

/* A descriptor of type 2 where the first block is another one. */
static inline void describe(array *a, int type)
{
    const int one[] = {1,           a->on->context, a->m,         a->n, a->block[0],
                       a->block[1], a->source[0],   a->source[1], a->ld};
    const int two[] = {2,           a->on->context, a->m,        a->n,         a->first[0],
                       a->first[1], a->block[0],    a->block[1], a->source[0], a->source[1],
                       a->ld};
    memset(a->desc, 0xA5, sizeof a->desc);
    memcpy(a->desc, type == 1 ? one : two, type == 1 ? sizeof one : sizeof two);
    if (a->on->context == -1) /* and nothing else of it is looked at */
        memset(a->desc, 0xA5, sizeof a->desc);
    a->desc[1] = a->on->context;
}

static inline size_t bytes_in(const array *a)
{
    if (a->tight)
        return (size_t)a->ld * (size_t)a->columns * bytes_of(a->type);
    return (size_t)a->ld * (size_t)(a->columns + 1) * bytes_of(a->type) + 1;
}

/* All pages of the array's memory, the forbidden one included. */
static inline size_t pages_of(const array *a, size_t page)
{
    return (bytes_in(a) + page - 1) / page * page + page;
}

static inline void reserve(array *a)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = pages_of(a, page);
    if (!a->tight) {
        a->local = malloc(bytes_in(a));
        return;
    }
    unsigned char *first = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED || mprotect(first, all - page, PROT_READ | PROT_WRITE)) {
        perror("memory that ends at a page");
        exit(1);
    }
    a->local = first + (all - page) - bytes_in(a);
}

static inline void give_up(const array *a)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = pages_of(a, page);
    if (a->tight)
        munmap(a->local + bytes_in(a) + page - all, all);
    else
        free(a->local);
}

/* Memory in which every byte beside the elements is blank. */
static inline void fill(array *a, uint64_t seed)
{
    reserve(a);
    memset(a->local, BLANK, bytes_in(a));
    if (a->on->row < 0)
        return;
    for (int j = 0, y = 0; j < a->n; j++) {
        if (owner(a, 1, j) != a->on->column)
            continue;
        for (int i = 0, x = 0; i < a->m; i++)
            if (owner(a, 0, i) == a->on->row)
                set(a->type, a->local, (size_t)y * (size_t)a->ld + (size_t)x++,
                    element(a->type, seed, i, j));
        y++;
    }
}

/* Makes zeros of sums positive: which sign they have is nobody's promise. */
static inline void lose_signs(array *a)
{
    size_t bytes = bytes_in(a);
    if (a->type == 's' || a->type == 'c')
        for (size_t i = 0; i < bytes / sizeof(float); i++)
            ((float *)(void *)a->local)[i] += 0;
    else if (a->type != 'i')
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            ((double *)(void *)a->local)[i] += 0;
}

/* An array of m x n at least, on the grid, in blocks that the dice give; a descriptor of `type`. */
static inline array roll_array(dice *d, char type, const grid *g, int m, int n, int most, int desc,
                               bool may_be_tight)
{
    array a = {.type = type, .on = g, .m = m, .n = n};
    for (int k = 0; k < 2; k++) {
        a.block[k] = 1 + roll(d, roll(d, 3) ? most : 3);
        a.first[k] = desc == 2 ? 1 + roll(d, most) : a.block[k];
        a.source[k] = roll(d, k ? g->columns : g->rows);
    }
    int extra = roll(d, 4), rows = g->row < 0 ? 0 : local_count(&a, 0, g->row, m);
    a.columns = g->row < 0 ? 0 : local_count(&a, 1, g->column, n);
    a.tight = extra == 0 && may_be_tight;
    if (a.tight)
        a.ld = a.columns ? rows : 0;
    else
        a.ld = (rows ? rows : 1) + extra;
    describe(&a, desc);
    return a;
}

#endif
