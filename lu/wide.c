/*
 * A copy of a matrix in wider blocks of columns (for U, of rows), for a factorisation that would
 * have a step for each narrow one. Rows stay in their process row: its processes deal the columns
 * out anew among themselves, before and after. Of a large matrix that takes several supersteps, so
 * that what is on its way is little.
 */
#include "lu.h"

#include <string.h>

#include "common/grid.h"

static bool of_rows(const oblu_wide *w)
{
    return w->uplo == 'U';
}

/* How what moves is dealt out. */
static const oblu_axis *axis_of(const oblu_wide *w, const oblu_matrix *x)
{
    return of_rows(w) ? &x->rows : &x->columns;
}

static size_t first_of(const oblu_wide *w, const oblu_matrix *x)
{
    return of_rows(w) ? x->first_row : x->first_column;
}

/* The next of them in [*at, end) that the caller has in `mine`, and process p in `its`; moves *at
 * behind them. */
static bool next_run(const oblu_wide *w, const oblu_matrix *mine, const oblu_matrix *its, size_t p,
                     size_t *at, size_t end, oblu_run *run)
{
    const oblu_axis *own = axis_of(w, mine), *other = axis_of(w, its);
    const size_t first = first_of(w, mine), behind = first_of(w, its);
    oblu_run there;
    for (size_t i = *at + behind; oblu_next_run(other, p, &i, end + behind, &there);) {
        size_t j = there.global - behind + first, j_end = j + there.length;
        if (oblu_next_run(own, own->me, &j, j_end, run)) {
            run->global -= first;
            *at = run->global + run->length;
            return true;
        }
    }
    return false;
}

/* The caller's part of them, of a triangle from the first one's diagonal on. */
static ob_view tile_of(const oblu_wide *w, const oblu_matrix *x, const oblu_run *run)
{
    const size_t i = run->global, end = i + run->length;
    return of_rows(w) ? oblu_own(w->k, x, i, end, i, x->n)
                      : oblu_own(w->k, x, w->uplo == 'L' ? i : 0, x->m, i, end);
}

/* Beyond a triangle's diagonal nothing is written to. */
static void place(const oblu_wide *w, const oblu_matrix *x, const oblu_run *run,
                  const ob_view *from)
{
    const ob_view to = tile_of(w, x, run);
    const size_t e = w->k->bytes;
    const size_t top = oblu_below(&x->rows, x->rows.me, x->first_row + run->global);
    const size_t left = oblu_below(&x->columns, x->columns.me, x->first_column + run->global);
    size_t begin = 0, end = of_rows(w) ? 0 : to.m;
    for (size_t j = 0; j < to.n; j++) {
        if (w->uplo == 'L')
            begin = oblu_bound(x, true, left + j) - top;
        else if (end < to.m) /* of U; else all columns behind are whole */
            end = oblu_least(to.m, oblu_bound(x, false, left + j) - top);
        if (begin < end)
            memcpy((char *)to.base + (begin + j * to.ld) * e,
                   (const char *)from->base + (begin + j * from->ld) * e, (end - begin) * e);
    }
}

static void send_tiles(const oblu_wide *w, const oblu_matrix *from, const oblu_matrix *to, size_t p,
                       size_t at, size_t end)
{
    oblu_run run;
    while (next_run(w, from, to, p, &at, end, &run)) {
        ob_view v = tile_of(w, from, &run);
        if (p == axis_of(w, from)->me)
            place(w, to, &run, &v);
        else if (v.m && v.n)
            bsp2d_hpsend(w->g, (int)p, 0, &v);
    }
}

static void take_tiles(const oblu_wide *w, const oblu_matrix *from, const oblu_matrix *to, size_t p,
                       size_t at, size_t end)
{
    oblu_run run;
    while (next_run(w, to, from, p, &at, end, &run)) {
        ob_view v = tile_of(w, to, &run);
        v.ld = v.m;
        if (v.m && v.n) {
            bsp2d_hpmove(w->g, (int)p, 0, &v);
            place(w, to, &run, &v);
        }
    }
}

/* So many columns (rows) that a process has about as many bytes of them. */
static size_t together(const oblu_wide *w)
{
    const oblu_matrix *x = w->of;
    return OBLU_ROUND / w->k->bytes * x->rows.count * x->columns.count /
               (of_rows(w) ? x->n : x->m) +
           1;
}

static void deal_out(oblu_wide *w, const oblu_matrix *from, const oblu_matrix *to)
{
    const size_t me = axis_of(w, from)->me, count = axis_of(w, from)->count, n = from->n;
    for (size_t at = 0, end; at < n; at = end) {
        end = oblu_least(n, at + together(w));
        for (size_t d = 0; d < count; d++)
            send_tiles(w, from, to, (me + d) % count, at, end);
        oblu_lap(&w->watch, OBLU_PACK, "spread");
        bsp2d_sync(w->g);
        oblu_lap(&w->watch, OBLU_SYNC, NULL);
        for (size_t d = 1; d < count; d++)
            take_tiles(w, from, to, (me + d) % count, at, end);
        oblu_lap(&w->watch, OBLU_PACK, "spread");
    }
}

bool oblu_may_be_wide(const oblu_kernels *k, const ob_group *all, const oblu_matrix *x)
{
    enum { MOST = 64 << 20 };
    double processes = (double)x->rows.count * (double)x->columns.count;
    return ob_group_near(all) && (double)x->m * (double)x->n * (double)k->bytes <= MOST * processes;
}

void oblu_wide_begin(oblu_wide *w, size_t block)
{
    const oblu_axis anew = {
        .block = block, .count = axis_of(w, w->of)->count, .me = axis_of(w, w->of)->me};
    oblu_matrix *x = &w->copy;
    *x = *w->of;
    *(of_rows(w) ? &x->rows : &x->columns) = anew;
    *(of_rows(w) ? &x->first_row : &x->first_column) = 0;
    size_t rows = oblu_below(&x->rows, x->rows.me, x->first_row + x->m);
    x->ld = rows ? rows : 1;
    size_t columns = oblu_below(&x->columns, x->columns.me, x->first_column + x->n);
    x->local = oblu_keep_copy(x->ld * columns * w->k->bytes);
    w->watch = (oblu_watch){.since = ob_time()};
    deal_out(w, w->of, x);
}

void oblu_wide_end(oblu_wide *w, bsp_lu_parts *parts)
{
    bsp2d_cost cost;
    w->watch.since = ob_time();
    deal_out(w, &w->copy, w->of);
    oblu_copy_no_more();
    bsp2d_costs(w->g, &cost, 0);
    bsp2d_gridexit(w->g);
    parts->packing += w->watch.seconds[OBLU_PACK];
    parts->syncs += w->watch.seconds[OBLU_SYNC];
    parts->total += w->watch.seconds[OBLU_PACK] + w->watch.seconds[OBLU_SYNC];
    parts->supersteps += cost.supersteps;
    parts->sent += cost.sent;
    parts->received += cost.received;
}
