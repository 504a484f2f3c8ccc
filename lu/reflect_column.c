/*
 * QR of a block of columns by the process column that has it: no process has more of it to do than
 * others. Each column takes one reduction: the products of all columns of the block with it,
 * below its top row, and that row. They give the reflection, what it does to the columns
 * on the right, and the column of T, to all processes alike; the rest is theirs.
 *
 * Columns whose elements are so large or small that products of two might leave the range of the
 * type are multiplied by powers of 2, which changes R alone: its elements are multiplied back.
 */
#include "state.h"

#include <string.h>

/* Sizes whose products stay in the range, also over many rows. */
static const double least = 0x1p-20;

typedef struct reflecting {
    lu_state *s;
    const step *x;
    const lu_reflections *f;
    size_t rows, j; /* own rows; the column */
} reflecting;

/* Own rows of the block above its row i. */
static size_t rows_above(const reflecting *r, size_t i)
{
    return range_length(lu_rows(r->s, r->s->a.rows.me, r->x->j, r->x->j + i));
}

static char *element(const reflecting *r, size_t i, size_t j)
{
    return r->s->share + (i + j * r->rows) * r->s->k->bytes;
}

static double *size_of(const reflecting *r, size_t j)
{
    return (double *)(void *)r->f->sizes + j;
}

static int *power_of(const reflecting *r, size_t j)
{
    return (int *)(void *)r->f->powers + j;
}

static void reduce(lu_state *s, ob_op op, ob_view v)
{
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
    bsp2d_reduce(s->column, 'A', op, &v, NULL, 0);
    oblu_lap(&s->watch, OBLU_SYNC, NULL);
}

/* Columns from j on, from row j on, are brought near 1 where they are far from it. */
static void level(const reflecting *r)
{
    const oblu_kernels *k = r->s->k;
    size_t first = rows_above(r, r->j), m = r->rows - first, n = r->x->width - r->j;
    for (size_t l = r->j; l < r->x->width; l++) {
        *size_of(r, l) = 0;
        if (m)
            k->largest(m, element(r, first, l), 1, size_of(r, l));
    }
    reduce(r->s, OB_MAX_ABS, bsp2d_ge(OB_DOUBLE, n, 1, size_of(r, r->j), n));
    for (size_t l = r->j; l < r->x->width; l++) {
        int power = oblu_power_for(*size_of(r, l), least);
        oblu_times_power(k, m, 1, element(r, first, l), r->rows, power);
        *power_of(r, l) += power;
    }
}

/* The products and row j to all; returns whether column j is long enough. */
static bool find_reflection(const reflecting *r)
{
    lu_state *s = r->s;
    const oblu_kernels *k = s->k;
    size_t w = r->x->width, e = k->bytes, top = rows_above(r, r->j),
           below = rows_above(r, r->j + 1);
    size_t m = r->rows - below;
    char *row = r->f->sums + w * e, *made = (char *)s->made;
    memset(r->f->sums, 0, 2 * w * e);
    if (below > top)
        oblu_gather(e, &top, 1, w, s->share, r->rows, row, 1);
    k->gemm('C', true, w, 1, m, element(r, below, 0), m ? r->rows : 1, element(r, below, r->j),
            m ? r->rows : 1, r->f->sums, w);
    s->watch.flops += 2 * (double)m * (double)w;
    reduce(s, OB_SUM, lu_view(s, 2 * w, 1, r->f->sums, 2 * w));
    return k->reflection(w, r->j, r->f->sums, row, made + (s->block * s->block + r->j) * e,
                         r->f->eliminator, r->f->products + r->j * w * e, r->f->tau + r->j * e);
}

/* Applies it to the columns on the right, and leaves V in column j, with ones and zeros in row j.
 */
static void reflect(const reflecting *r)
{
    lu_state *s = r->s;
    const oblu_kernels *k = s->k;
    size_t w = r->x->width, top = rows_above(r, r->j), below = rows_above(r, r->j + 1);
    size_t m = r->rows - below;
    k->eliminate(m, w - r->j, element(r, below, r->j), r->rows, r->f->eliminator, 1);
    s->watch.flops += (double)m * (double)(2 * (w - r->j) - 1);
    for (size_t l = r->j; l < w && below > top; l++)
        k->put(l == r->j, element(r, top, l));
    for (size_t l = r->j; l < w; l++)
        oblu_times_power(k, 1, 1, (char *)s->made + (s->block * s->block + r->j + l * w) * k->bytes,
                         1, -*power_of(r, l));
}

void lu_reflect_column(lu_state *s, const step *x, const lu_reflections *f)
{
    range own = lu_rows(s, s->a.rows.me, x->j, s->a.m);
    range columns = lu_columns(s, x->pcol, x->j, x->j + x->width);
    reflecting r = {.s = s, .x = x, .f = f, .rows = range_length(own)};
    oblu_copy(s->k->bytes, r.rows, x->width, lu_at(s, own.first, columns.first), s->a.ld, s->share,
              r.rows);
    memset(f->powers, 0, x->width * sizeof(int));
    level(&r);
    for (; r.j < x->width; r.j++) {
        if (!find_reflection(&r)) {
            level(&r);
            find_reflection(&r);
        }
        reflect(&r);
    }
    oblu_make_t(s->k, x->width, f->products, f->tau, s->made, f->times);
    oblu_lap(&s->watch, OBLU_COMPUTE, "panel");
}
