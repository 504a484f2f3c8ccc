/*
 * A block of columns factored by the process column that holds it, where it lies: for grids of many
 * rows, where one process would be long at it. Each column takes one reduction over the process
 * column, of candidates for the pivot together with their rows, so that no further exchange
 * brings the pivot's row to all and the row at the top to its new place.
 */
#include "state.h"

#include <string.h>

/* Before the rows: the best pivot's size and position, and whether the top's row is there. */
typedef struct head {
    double size;
    size_t position;
    size_t has_top;
} head;

enum { HEAD = (sizeof(head) + 15) / 16 * 16 };

size_t oblu_candidate_bytes(const oblu_kernels *k, size_t width)
{
    return HEAD + 2 * width * k->bytes;
}

/* acc becomes the better of two candidates, with the row of the top from whoever has it. */
static void choose(size_t n, void *acc, const void *in, const void *context)
{
    size_t row = *(const size_t *)context, bytes = HEAD + 2 * row;
    char *a = acc;
    const char *b = in;
    for (; n > 0; n--, a += bytes, b += bytes) {
        head x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        if (oblu_better(y.size, y.position, x.size, x.position)) {
            x.size = y.size;
            x.position = y.position;
            memcpy(a + HEAD, b + HEAD, row);
        }
        if (y.has_top) {
            x.has_top = 1;
            memcpy(a + HEAD + row, b + HEAD + row, row);
        }
        memcpy(a, &x, sizeof x);
    }
}

/* What one column of the block is worked on with. */
typedef struct work {
    const step *x;
    char *base;        /* the block's columns in the local matrix */
    size_t i;          /* column of the block, and position of its pivot */
    char *pivot, *top; /* rows of the block, packed */
} work;

static range rows_from(const lu_state *s, const step *x, size_t i)
{
    return lu_rows(s, s->a.rows.me, x->j + i, s->a.m);
}

static bool has_row(const lu_state *s, const step *x, size_t position)
{
    return oblu_owner(&s->a.rows, s->a.first_row + x->j + position) == s->a.rows.me;
}

static size_t local_row(const lu_state *s, const step *x, size_t position)
{
    return oblu_below(&s->a.rows, s->a.rows.me, s->a.first_row + x->j + position);
}

static void read_row(const lu_state *s, const work *w, size_t local, char *to)
{
    oblu_gather(s->k->bytes, &local, 1, w->x->width, w->base, s->a.ld, to, 1);
}

static void write_row(const lu_state *s, const work *w, size_t local, const char *from)
{
    oblu_scatter(s->k->bytes, &local, 1, w->x->width, from, 1, w->base, s->a.ld);
}

/* The own best, or one that is worse than all. */
static void propose(lu_state *s, const work *w)
{
    range own = rows_from(s, w->x, w->i);
    head h = {.size = -1, .position = SIZE_MAX, .has_top = has_row(s, w->x, w->i)};
    if (range_length(own)) {
        const char *column = w->base + (own.first + w->i * s->a.ld) * s->k->bytes;
        size_t at = own.first + s->k->largest(range_length(own), column, 1, &h.size);
        h.position = oblu_global(&s->a.rows, at) - s->a.first_row - w->x->j;
        read_row(s, w, at, w->pivot);
    }
    if (h.has_top)
        read_row(s, w, local_row(s, w->x, w->i), w->top);
    memcpy(s->candidate, &h, sizeof h);
}

static void swap_and_eliminate(lu_state *s, const work *w, const head *h)
{
    size_t i = w->i, e = s->k->bytes, n = w->x->width - i;
    if (h->position != i && has_row(s, w->x, h->position))
        write_row(s, w, local_row(s, w->x, h->position), w->top);
    if (h->position != i && has_row(s, w->x, i))
        write_row(s, w, local_row(s, w->x, i), w->pivot);
    range below = rows_from(s, w->x, i + 1);
    size_t m = range_length(below);
    if (h->size == 0)
        return;
    s->k->eliminate(m, n, w->base + (below.first + i * s->a.ld) * e, s->a.ld, w->pivot + i * e, 1);
    s->watch.flops += (double)m * (double)(2 * n - 1);
}

/* Row i of the block's square, for which w->pivot is the last word. */
static void keep_in_share(lu_state *s, const work *w, size_t rows)
{
    oblu_scatter(s->k->bytes, &w->i, 1, w->x->width, w->pivot, 1, s->share, rows);
}

/* Where the process column is one process: by LAPACK. */
static void factor_alone(lu_state *s, const step *x)
{
    size_t w = x->width, rows = range_length(rows_from(s, x, 0));
    char *block = lu_at(s, rows_from(s, x, 0).first, lu_columns(s, x->pcol, x->j, x->j + w).first);
    s->made[w] = s->k->getrf(rows, w, block, s->a.ld, s->lapack_pivots);
    for (size_t i = 0; i < w; i++)
        s->made[i] = s->lapack_pivots[i] - 1;
    s->watch.flops += (double)w * (double)w * ((double)rows - (double)w / 3);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
    oblu_copy(s->k->bytes, rows, w, block, s->a.ld, s->share, rows);
}

void lu_factor_column(lu_state *s, const step *x)
{
    if (s->a.rows.count == 1) {
        factor_alone(s, x);
        return;
    }
    size_t row = x->width * s->k->bytes, bytes = oblu_candidate_bytes(s->k, x->width);
    range columns = lu_columns(s, x->pcol, x->j, x->j + x->width),
          below = rows_from(s, x, x->width);
    size_t rows = x->width + range_length(below);
    work w = {.x = x,
              .base = lu_at(s, 0, columns.first),
              .pivot = s->candidate + HEAD,
              .top = s->candidate + HEAD + row};
    const ob_operation best = {choose, &row, bytes};
    const ob_view all = bsp2d_ge(OB_BYTE, bytes, 1, s->candidate, bytes);
    s->made[x->width] = 0;
    for (; w.i < x->width; w.i++) {
        head h;
        propose(s, &w);
        oblu_lap(&s->watch, OBLU_COMPUTE, "pivot search");
        bsp2d_reduce_by(s->column, 'A', &best, &all);
        oblu_lap(&s->watch, OBLU_SYNC, NULL);
        memcpy(&h, s->candidate, sizeof h);
        s->made[w.i] = (int)h.position;
        if (h.size == 0 && s->made[x->width] == 0)
            s->made[x->width] = (int)w.i + 1;
        swap_and_eliminate(s, &w, &h);
        keep_in_share(s, &w, rows);
        oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
    }
    oblu_copy(s->k->bytes, range_length(below), x->width, lu_at(s, below.first, columns.first),
              s->a.ld, s->share + x->width * s->k->bytes, rows);
}
