/*
 * What an LU in supersteps is made of, for programs that are made of the same (Horvitz and
 * Bisseling, 2.1 and 2.3): swaps of two vectors, the largest element, series of row swaps. All
 * processes of the grid call, with equal scalar arguments, and what is found is found by all.
 */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

/* The grid of a call without an info: what is wrong ends the job. NULL where there is nothing to
 * do. */
static bsp2d_grid *meet(const oblu_call *c, bool empty)
{
    int64_t info;
    return oblu_meet(c, empty, &info) ? oblu_grid_of(c->g, 'A') : NULL;
}

/* ------------------------------------------------------------------ vectors */

/* A row or a column of a distributed matrix, or a part of one. */
typedef struct vector {
    oblu_matrix a;
    bool row;
    size_t n;
    size_t stride; /* bytes between own elements */
} vector;

static vector vector_of(const oblu_kernels *k, const oblu_sub *x, const oblu_dims *g,
                        const void *local, bool row)
{
    vector v = {.a = oblu_matrix_of(x, g, local), .row = row, .n = (size_t)(row ? x->n : x->m)};
    v.stride = (row ? v.a.ld : 1) * k->bytes;
    return v;
}

static const oblu_axis *along(const vector *v)
{
    return v->row ? &v->a.columns : &v->a.rows;
}

static size_t first(const vector *v)
{
    return v->row ? v->a.first_column : v->a.first_row;
}

/* The process row, or column, that has the vector. */
static size_t across(const vector *v)
{
    return v->row ? oblu_owner(&v->a.rows, v->a.first_row)
                  : oblu_owner(&v->a.columns, v->a.first_column);
}

static size_t owner(const vector *v, size_t k)
{
    size_t owner = oblu_owner(along(v), first(v) + k);
    return v->row ? across(v) * v->a.columns.count + owner : owner * v->a.columns.count + across(v);
}

static size_t me(const vector *v)
{
    return v->a.rows.me * v->a.columns.count + v->a.columns.me;
}

/* Does the caller's process row (column) have it? */
static bool here(const vector *v)
{
    return across(v) == (v->row ? v->a.rows.me : v->a.columns.me);
}

/* Own element that stands at the own process's place l along the vector. */
static char *element(const oblu_kernels *k, const vector *v, size_t l)
{
    size_t i = oblu_below(&v->a.rows, v->a.rows.me, v->a.first_row);
    size_t j = oblu_below(&v->a.columns, v->a.columns.me, v->a.first_column);
    return v->a.local + (v->row ? i + l * v->a.ld : l + j * v->a.ld) * k->bytes;
}

/* The next of the vector's elements that the caller has, from *at on; moves *at behind it. */
static bool next_own(const oblu_kernels *k, const vector *v, size_t *at, size_t *index,
                     char **where)
{
    const oblu_axis *x = along(v);
    for (; here(v) && *at < v->n; ++*at)
        if (oblu_owner(x, first(v) + *at) == x->me) {
            *index = (*at)++;
            *where = element(k, v, oblu_below(x, x->me, first(v) + *index));
            return true;
        }
    return false;
}

/* The descriptor and what stands before and behind it, as the PBLAS have them. */
static int wrong_vector(const oblu_sub *x, int64_t inc, const oblu_dims *g, oblu_fault *f)
{
    int part = oblu_wrong_part(x, g, f);
    if (!part && inc != 1 && inc != x->desc[M])
        part = oblu_wrong(f, 100 * (x->desc_place + 1),
                          "is %" PRId64 ", must be 1, for a column, or %" PRId64 " (M_), for a row",
                          inc, x->desc[M]);
    return part;
}

/* Along a row where inc is the number of rows, else along a column. */
static oblu_sub sub_of(int64_t n, int64_t i, int64_t j, const int64_t *desc, int64_t inc,
                       int desc_place)
{
    bool row = inc == desc[M];
    return (oblu_sub){row ? 1 : n, row ? n : 1, i, j, desc, 1, 1, desc_place};
}

/* --------------------------------------------------------------------- swap */

static bool all_local(const vector *x, const vector *y)
{
    for (size_t k = 0; k < x->n; k++)
        if (owner(x, k) != owner(y, k))
            return false;
    return true;
}

static void swap_own(const oblu_kernels *k, const vector *x, const vector *y)
{
    char kept[16], *a, *b;
    const oblu_axis *along_y = along(y);
    for (size_t at = 0, i; next_own(k, x, &at, &i, &a);) {
        if (owner(y, i) != me(y))
            continue;
        b = element(k, y, oblu_below(along_y, along_y->me, first(y) + i));
        memcpy(kept, a, k->bytes);
        memcpy(a, b, k->bytes);
        memcpy(b, kept, k->bytes);
    }
}

/* Own elements of a vector by who has their partners, so many for each process, packed one behind
 * the other. */
typedef struct parcels {
    size_t *count;
    char *packed, **at;
} parcels;

static parcels pack(const oblu_kernels *k, const vector *x, const vector *y, size_t processes)
{
    parcels p = {.count = oblu_room(processes, sizeof *p.count),
                 .at = oblu_room(processes, sizeof *p.at)};
    char *where;
    size_t all = 0;
    memset(p.count, 0, processes * sizeof *p.count);
    for (size_t at = 0, i; next_own(k, x, &at, &i, &where); all++)
        p.count[owner(y, i)]++;
    char *next = p.packed = oblu_room(all, k->bytes);
    for (size_t q = 0; q < processes; next += p.count[q++] * k->bytes)
        p.at[q] = next;
    for (size_t at = 0, i; next_own(k, x, &at, &i, &where);) {
        memcpy(p.at[owner(y, i)], where, k->bytes);
        p.at[owner(y, i)] += k->bytes;
    }
    return p;
}

static void send_parcels(const oblu_kernels *k, bsp2d_grid *g, const vector *x, const parcels *p)
{
    size_t columns = x->a.columns.count;
    for (size_t q = 0; q < x->a.rows.count * columns; q++) {
        ob_view v =
            bsp2d_ge(k->type, p->count[q], 1, p->at[q] - p->count[q] * k->bytes, p->count[q]);
        if (p->count[q] && q != me(x))
            bsp2d_hpsend(g, (int)(q / columns), (int)(q % columns), &v);
    }
}

/* Own elements of x become their partners of y, of which each process has sent those that I have:
 * as many as p counts. */
static void take_parcels(const oblu_kernels *k, bsp2d_grid *g, const vector *x, const vector *y,
                         parcels *p)
{
    size_t columns = x->a.columns.count;
    char *where;
    for (size_t q = 0; q < x->a.rows.count * columns; q++) {
        ob_view v = bsp2d_ge(k->type, p->count[q], 1, NULL, p->count[q]);
        if (p->count[q] && q != me(x))
            bsp2d_hpmove(g, (int)(q / columns), (int)(q % columns), &v);
        p->at[q] = v.base;
    }
    for (size_t at = 0, i; next_own(k, x, &at, &i, &where);) {
        size_t q = owner(y, i);
        if (q == me(x))
            continue;
        memcpy(where, p->at[q], k->bytes);
        p->at[q] += k->bytes;
    }
}

static void free_parcels(parcels *p)
{
    free(p->count);
    free(p->packed);
    free(p->at);
}

/* Own x to the partners' owners and own y to theirs, in one superstep. */
static void exchange(const oblu_kernels *k, bsp2d_grid *g, const vector *x, const vector *y)
{
    size_t processes = x->a.rows.count * x->a.columns.count;
    parcels of_x = pack(k, x, y, processes), of_y = pack(k, y, x, processes);
    send_parcels(k, g, x, &of_x);
    send_parcels(k, g, y, &of_y);
    bsp2d_sync(g);
    take_parcels(k, g, y, x, &of_y);
    take_parcels(k, g, x, y, &of_x);
    free_parcels(&of_x);
    free_parcels(&of_y);
}

void oblu_swap(const oblu_kernels *k, int64_t n, void *x, int64_t ix, int64_t jx,
               const int64_t *descx, int64_t incx, void *y, int64_t iy, int64_t jy,
               const int64_t *descy, int64_t incy)
{
    oblu_sub a = sub_of(n, ix, jx, descx, incx, 5), b = sub_of(n, iy, jy, descy, incy, 10);
    oblu_dims g = oblu_dims_of(descx[CTXT]);
    oblu_call c = {.names = "N X IX JX DESCX INCX Y IY JY DESCY INCY",
                   .a = &a,
                   .b = &b,
                   .g = &g,
                   .scalar = {{incx, 600}, {incy, 1100}},
                   .scalars = 2,
                   .ends = true};
    oblu_enter(k, "swap");
    int part = wrong_vector(&a, incx, &g, &c.wrong);
    part = part ? part : wrong_vector(&b, incy, &g, &c.wrong);
    if (!part && descx[CTXT] != descy[CTXT])
        part = oblu_wrong(&c.wrong, 1002,
                          "is %" PRId64 ", must be %" PRId64 ", as entry 2 (CTXT_) of DESCX",
                          descy[CTXT], descx[CTXT]);
    if (part) /* not all may call */
        oblu_refuse(&c);
    vector u = vector_of(k, &a, &g, x, incx == descx[M]),
           v = vector_of(k, &b, &g, y, incy == descy[M]);
    if (!all_local(&u, &v)) {
        bsp2d_grid *grid = meet(&c, false);
        exchange(k, grid, &u, &v);
        bsp2d_gridexit(grid);
    }
    swap_own(k, &u, &v);
}

/* --------------------------------------------------------------------- amax */

typedef struct found {
    double size;
    size_t index;
    char value[16];
} found;

static found own_largest(const oblu_kernels *k, const vector *v)
{
    const oblu_axis *x = along(v);
    size_t low = oblu_below(x, x->me, first(v)), high = oblu_below(x, x->me, first(v) + v->n);
    found f = {.size = -1, .index = SIZE_MAX};
    if (!here(v) || low == high)
        return f;
    const char *base = element(k, v, low);
    size_t at = k->largest(high - low, base, v->stride / k->bytes, &f.size);
    f.index = oblu_global(x, low + at);
    memcpy(f.value, base + at * v->stride, k->bytes);
    return f;
}

static int64_t largest_of_all(const oblu_kernels *k, bsp2d_grid *g, const vector *v, void *amax)
{
    size_t count = along(v)->count;
    found mine = own_largest(k, v), best, *all = oblu_room(count, sizeof *all);
    bsp2d_replicate(g, v->row ? 'R' : 'C', (int)across(v), (int)across(v), &mine, sizeof mine, all);
    best = all[0];
    for (size_t i = 1; i < count; i++)
        if (oblu_better(all[i].size, all[i].index, best.size, best.index))
            best = all[i];
    memcpy(amax, best.value, k->bytes);
    free(all);
    return (int64_t)best.index + 1;
}

int64_t oblu_amax(const oblu_kernels *k, int64_t n, void *largest, const void *x, int64_t ix,
                  int64_t jx, const int64_t *descx, int64_t incx)
{
    oblu_sub a = sub_of(n, ix, jx, descx, incx, 7);
    oblu_dims g = oblu_dims_of(descx[CTXT]);
    oblu_call c = {.names = "N AMAX INDX X IX JX DESCX INCX",
                   .a = &a,
                   .g = &g,
                   .scalar = {{incx, 800}},
                   .scalars = 1,
                   .ends = true};
    oblu_enter(k, "amax");
    wrong_vector(&a, incx, &g, &c.wrong);
    memset(largest, 0, k->bytes);
    bsp2d_grid *grid = meet(&c, n == 0);
    if (grid == NULL)
        return 0;
    vector v = vector_of(k, &a, &g, x, incx == descx[M]);
    int64_t index = largest_of_all(k, grid, &v, largest);
    bsp2d_gridexit(grid);
    return index;
}

/* -------------------------------------------------------------------- laswp */

/* The lines k1 .. k2 and what of them is swapped, as a submatrix whose parts stand where laswp has
 * them. */
static int wrong_lines(const oblu_sub *x, bool columns, int64_t k1, int64_t k2, const oblu_dims *g,
                       oblu_fault *f)
{
    const int64_t lines = x->desc[columns ? N : M];
    int part = oblu_wrong_part(x, g, f);
    if (part == (columns ? 600 : 500))
        return oblu_wrong(f, 800, "is %" PRId64 ", must be 1 to %" PRId64, k1, lines);
    if (part == 900)
        return oblu_wrong(f, 900, "is %" PRId64 ", must be at most %" PRId64, k2, lines);
    return part;
}

static void swap_lines(oblu_call *c, const oblu_kernels *k, bsp2d_grid *grid, oblu_matrix *a,
                       bool columns, size_t from, size_t to, bool backwards, oblu_pivots ipiv)
{
    size_t lines = columns ? a->n : a->m, *pivots = oblu_room(to, sizeof *pivots);
    size_t *some = oblu_all_pivots(grid, a, columns, from, to - from, ipiv);
    for (size_t i = from; i < to; i++) {
        pivots[i] = some[i - from];
        if (pivots[i] >= lines) {
            oblu_wrong(&c->wrong, 1000, "is %ld for %s %zu, must be 1 to %zu", (long)pivots[i] + 1,
                       columns ? "column" : "row", i + 1, lines);
            oblu_refuse(c);
        }
    }
    oblu_swap_lines(k, grid, a, columns, pivots, from, to, backwards);
    free(some);
    free(pivots);
}

void oblu_laswp(const oblu_kernels *k, char direc, char rowcol, int64_t n, void *a, int64_t ia,
                int64_t ja, const int64_t *desca, int64_t k1, int64_t k2, oblu_pivots ipiv)
{
    char direction = ob_capital(direc), which = ob_capital(rowcol);
    bool columns = which == 'C';
    int64_t lines = k2 < k1 ? 0 : k2 - k1 + 1;
    oblu_sub x = columns ? (oblu_sub){n, lines, ia, k1, desca, 3, 9, 7}
                         : (oblu_sub){lines, n, k1, ja, desca, 9, 3, 7};
    oblu_dims g = oblu_dims_of(desca[CTXT]);
    oblu_call c = {.names = "DIREC ROWCOL N A IA JA DESCA K1 K2 IPIV",
                   .a = &x,
                   .g = &g,
                   .scalar = {{direction, 100}, {which, 200}, {k1, 800}, {k2, 900}},
                   .scalars = 4,
                   .letters = 2,
                   .ends = true};
    oblu_enter(k, "laswp");
    wrong_lines(&x, columns, k1, k2, &g, &c.wrong);
    if (direction != 'F' && direction != 'B')
        oblu_wrong(&c.wrong, 100, "is '%c', must be F or B", direc);
    else if (!columns && which != 'R')
        oblu_wrong(&c.wrong, 200, "is '%c', must be R or C", rowcol);
    bsp2d_grid *grid = meet(&c, n == 0 || lines == 0);
    if (grid == NULL)
        return;
    oblu_matrix whole = oblu_matrix_of(&x, &g, a);
    *(columns ? &whole.first_column : &whole.first_row) = 0;
    *(columns ? &whole.n : &whole.m) = (size_t)desca[columns ? N : M];
    swap_lines(&c, k, grid, &whole, columns, (size_t)k1 - 1, (size_t)k2, direction == 'B', ipiv);
    bsp2d_gridexit(grid);
}
