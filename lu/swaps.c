/*
 * Series of row or column swaps of a distributed matrix, all in one superstep (Horvitz and
 * Bisseling, 2.3). The factorisation has its own way of sending them, with its rows of U or a block
 * of columns at a time.
 */
#include "lu.h"

#include <stdlib.h>

void oblu_follow_swaps(size_t *map, const size_t *pivots, size_t first, size_t end, bool backwards)
{
    for (size_t l = first; l < end; l++) {
        size_t i = backwards ? end - 1 - (l - first) : l, kept = map[i];
        map[i] = map[pivots[i]];
        map[pivots[i]] = kept;
    }
}

/* Rows or columns that change places: how they lie across, and what each process has of one of
 * them. */
typedef struct lines {
    const oblu_kernels *k;
    bsp2d_grid *g;
    const oblu_axis *axis;
    size_t first, length; /* the submatrix's first line in the array; own elements of a line */
    bool columns;
    char *base; /* own line 0 of the array, at the submatrix's first element */
    size_t ld;
} lines;

static lines lines_of(const oblu_kernels *k, bsp2d_grid *g, const oblu_matrix *a, bool columns)
{
    const oblu_axis *along = columns ? &a->rows : &a->columns;
    size_t from = columns ? a->first_row : a->first_column, count = columns ? a->m : a->n;
    size_t low = oblu_below(along, along->me, from),
           high = oblu_below(along, along->me, from + count);
    return (lines){.k = k,
                   .g = g,
                   .axis = columns ? &a->columns : &a->rows,
                   .first = columns ? a->first_column : a->first_row,
                   .length = high - low,
                   .columns = columns,
                   .base = a->local + low * (columns ? 1 : a->ld) * k->bytes,
                   .ld = a->ld};
}

/* The process that has lines of the own column (or row) of processes at place p of the axis. */
static void process_at(const oblu_matrix *a, bool columns, size_t p, int *row, int *column)
{
    *row = (int)(columns ? a->rows.me : p);
    *column = (int)(columns ? p : a->columns.me);
}

static ob_view view_of(const lines *x, size_t count, char *packed)
{
    size_t m = x->columns ? x->length : count, n = x->columns ? count : x->length;
    return bsp2d_ge(x->k->type, m, n, packed, m ? m : 1);
}

static void pack(const lines *x, const size_t *which, size_t count, char *to)
{
    size_t e = x->k->bytes;
    if (!x->columns)
        oblu_gather(e, which, count, x->length, x->base, x->ld, to, count);
    for (size_t i = 0; i < count && x->columns; i++)
        oblu_copy(e, x->length, 1, x->base + which[i] * x->ld * e, x->ld, to + i * x->length * e,
                  x->length);
}

static void unpack(const lines *x, const size_t *which, size_t count, const char *from)
{
    size_t e = x->k->bytes;
    if (!x->columns)
        oblu_scatter(e, which, count, x->length, from, count, x->base, x->ld);
    for (size_t i = 0; i < count && x->columns; i++)
        oblu_copy(e, x->length, 1, from + i * x->length * e, x->length,
                  x->base + which[i] * x->ld * e, x->ld);
}

/* ------------------------------------------------------------------- pivots */

size_t *oblu_all_pivots(bsp2d_grid *g, const oblu_matrix *a, bool columns, size_t first,
                        size_t count, oblu_pivots pivots)
{
    const oblu_axis *axis = columns ? &a->columns : &a->rows;
    size_t me = axis->me, *all = oblu_room(count, sizeof *all);
    size_t low = oblu_below(axis, me, first), high = oblu_below(axis, me, first + count);
    int64_t *mine = oblu_room(high - low, sizeof *mine);
    for (size_t l = low; l < high; l++)
        mine[l - low] = oblu_pivot(pivots, l);
    ob_view own = bsp2d_ge(OB_INT64, high - low, 1, mine, high - low);
    int row, column;
    for (size_t p = 0; p < axis->count && high > low; p++) {
        process_at(a, columns, p, &row, &column);
        if (p != me)
            bsp2d_hpsend(g, row, column, &own);
    }
    bsp2d_sync(g);
    for (size_t p = 0; p < axis->count; p++) {
        size_t at = 0;
        ob_view v = own;
        process_at(a, columns, p, &row, &column);
        if (p != me && oblu_below(axis, p, first + count) > oblu_below(axis, p, first))
            bsp2d_hpmove(g, row, column, &v);
        oblu_run run;
        for (size_t i = first; oblu_next_run(axis, p, &i, first + count, &run); at += run.length)
            for (size_t l = 0; l < run.length; l++)
                all[run.global - first + l] = (size_t)((const int64_t *)v.base)[at + l] - 1;
    }
    free(mine);
    return all;
}

/* ------------------------------------------------------------------- lines */

/* A permutation: line `to` of the submatrix becomes what line source[to] was. */
typedef struct permutation {
    size_t *source, lines;
} permutation;

/* Lines that go from process p1 of the axis to p2: their own numbers there (to) or here. */
static size_t list(const lines *x, const permutation *q, size_t p1, size_t p2, bool there,
                   size_t *which)
{
    size_t count = 0;
    for (size_t t = 0; t < q->lines; t++) {
        size_t s = q->source[t];
        if (s != t && oblu_owner(x->axis, x->first + s) == p1 &&
            oblu_owner(x->axis, x->first + t) == p2)
            which[count++] = there ? oblu_below(x->axis, p2, x->first + t)
                                   : oblu_below(x->axis, p1, x->first + s);
    }
    return count;
}

static void move_lines(const lines *x, const oblu_matrix *a, const permutation *q)
{
    size_t me = x->axis->me, e = x->k->bytes, *which = oblu_room(q->lines, sizeof *which);
    size_t most = oblu_below(x->axis, me, x->first + q->lines) - oblu_below(x->axis, me, x->first);
    char *packed = oblu_room(most * x->length, e), *at = packed, *own = packed;
    int row, column;
    for (size_t p = 0; p < x->axis->count; p++) {
        size_t count = list(x, q, me, p, false, which);
        ob_view v = view_of(x, count, at);
        pack(x, which, count, at);
        process_at(a, x->columns, p, &row, &column);
        if (p == me)
            own = at;
        else if (v.m && v.n)
            bsp2d_hpsend(x->g, row, column, &v);
        at += count * x->length * e;
    }
    bsp2d_sync(x->g);
    for (size_t p = 0; p < x->axis->count; p++) {
        size_t count = list(x, q, p, me, true, which);
        ob_view v = view_of(x, count, own);
        process_at(a, x->columns, p, &row, &column);
        if (p != me && v.m && v.n)
            bsp2d_hpmove(x->g, row, column, &v);
        unpack(x, which, count, v.base);
    }
    free(which);
    free(packed);
}

void oblu_swap_lines(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *a,
                     bool columns, const size_t *pivots, size_t first, size_t end, bool backwards)
{
    lines x = lines_of(kernels, grid, a, columns);
    permutation q = {.lines = columns ? a->n : a->m};
    q.source = oblu_room(q.lines, sizeof *q.source);
    for (size_t i = 0; i < q.lines; i++)
        q.source[i] = i;
    oblu_follow_swaps(q.source, pivots, first, end, backwards);
    move_lines(&x, a, &q);
    free(q.source);
}
