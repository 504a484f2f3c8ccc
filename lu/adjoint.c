/*
 * The conjugate transpose of a distributed matrix, in another distribution over the same grid: each
 * element goes once, in one superstep, transposed at the process that it leaves.
 */
#include "lu.h"

#include <stdlib.h>

/* Own indices along one axis, counted from the submatrix's first own one, by the process that has
 * their counterparts along the other: those of process p are the runs first[p] .. first[p + 1] - 1,
 * in order, so that both sides list them alike; count[p] indices in all. */
typedef struct shares {
    oblu_run *runs; /* of them `local` and `length` */
    size_t *first, *count;
} shares;

/* Index i of `mine` from `first` on is index i of `theirs` from `their_first` on. */
static shares share(const oblu_axis *mine, size_t first, const oblu_axis *theirs,
                    size_t their_first, size_t n)
{
    size_t own = oblu_below(mine, mine->me, first + n) - oblu_below(mine, mine->me, first), at = 0;
    size_t before = oblu_below(mine, mine->me, first), end = their_first + n;
    shares s = {oblu_room(own, sizeof *s.runs), oblu_room(theirs->count + 1, sizeof *s.first),
                oblu_room(theirs->count, sizeof *s.count)};
    for (size_t p = 0; p < theirs->count; p++) {
        oblu_run their;
        s.first[p] = at;
        s.count[p] = 0;
        for (size_t g = their_first; oblu_next_run(theirs, p, &g, end, &their);) {
            size_t i = their.global - their_first + first, i_end = i + their.length;
            oblu_run run;
            while (oblu_next_run(mine, mine->me, &i, i_end, &run)) {
                run.local -= before;
                if (at > s.first[p] && s.runs[at - 1].local + s.runs[at - 1].length == run.local)
                    s.runs[at - 1].length += run.length;
                else
                    s.runs[at++] = run;
                s.count[p] += run.length;
            }
        }
    }
    s.first[theirs->count] = at;
    return s;
}

static void free_shares(shares *s)
{
    free(s->runs);
    free(s->first);
    free(s->count);
}

static char *element(const oblu_kernels *k, const ob_view *v, size_t i, size_t j)
{
    return (char *)v->base + (i + j * v->ld) * k->bytes;
}

/* What process (r, c) gets of the own part: own columns that are rows there, times own rows that
 * are columns there. */
static void pack(const oblu_kernels *k, const ob_view *own, const shares *rows, size_t r,
                 const shares *columns, size_t c, const ob_view *packed)
{
    size_t i = 0, j;
    for (size_t a = rows->first[r]; a < rows->first[r + 1]; i += rows->runs[a++].length) {
        j = 0;
        for (size_t b = columns->first[c]; b < columns->first[c + 1];
             j += columns->runs[b++].length)
            k->adjoint(columns->runs[b].length, rows->runs[a].length,
                       element(k, own, columns->runs[b].local, rows->runs[a].local), own->ld,
                       element(k, packed, i, j), packed->ld);
    }
}

/* What process (r, c) has sent, to its places. */
static void unpack(const oblu_kernels *k, const ob_view *own, const shares *rows, size_t c,
                   const shares *columns, size_t r, const ob_view *packed)
{
    size_t i = 0, j;
    for (size_t a = rows->first[c]; a < rows->first[c + 1]; i += rows->runs[a++].length) {
        j = 0;
        for (size_t b = columns->first[r]; b < columns->first[r + 1];
             j += columns->runs[b++].length)
            oblu_copy(k->bytes, rows->runs[a].length, columns->runs[b].length,
                      element(k, packed, i, j), packed->ld,
                      element(k, own, rows->runs[a].local, columns->runs[b].local), own->ld);
    }
}

void oblu_adjoin(const oblu_kernels *kernels, bsp2d_grid *grid, const oblu_matrix *from,
                 const oblu_matrix *to)
{
    const size_t q = to->columns.count, processes = to->rows.count * q;
    const size_t me = to->rows.me * q + to->columns.me;
    ob_view before = oblu_own(kernels, from, 0, from->m, 0, from->n), mine = before;
    ob_view after = oblu_own(kernels, to, 0, to->m, 0, to->n);
    /* what leaves, and what comes */
    shares out_rows = share(&from->columns, from->first_column, &to->rows, to->first_row, from->n);
    shares out_columns =
        share(&from->rows, from->first_row, &to->columns, to->first_column, from->m);
    shares in_rows = share(&to->rows, to->first_row, &from->columns, from->first_column, from->n);
    shares in_columns =
        share(&to->columns, to->first_column, &from->rows, from->first_row, from->m);
    char *packed;
    oblu_keep(&(oblu_piece){&packed, before.m * before.n * kernels->bytes}, 1);
    for (size_t l = 0; l < processes; l++) {
        size_t m = out_rows.count[l / q], n = out_columns.count[l % q];
        ob_view v = bsp2d_ge(kernels->type, m, n, packed, m);
        pack(kernels, &before, &out_rows, l / q, &out_columns, l % q, &v);
        if (l == me)
            mine = v;
        else if (m && n)
            bsp2d_hpsend(grid, (int)(l / q), (int)(l % q), &v);
        packed += m * n * kernels->bytes;
    }
    bsp2d_sync(grid);
    for (size_t l = 0; l < processes; l++) {
        size_t m = in_rows.count[l % q], n = in_columns.count[l / q];
        ob_view v = l == me ? mine : bsp2d_ge(kernels->type, m, n, NULL, m);
        if (m && n && l != me)
            bsp2d_hpmove(grid, (int)(l / q), (int)(l % q), &v);
        if (m && n)
            unpack(kernels, &after, &in_rows, l % q, &in_columns, l / q, &v);
    }
    oblu_kept_no_more();
    shares *all[] = {&out_rows, &out_columns, &in_rows, &in_columns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_shares(all[i]);
}
