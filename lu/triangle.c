/*
 * Cholesky: one block is applied to the own part of the triangle behind it.
 */
#include "cholesky.h"

static size_t bound(const cholesky *c, size_t l)
{
    return oblu_bound(&c->s.a, c->lower, l);
}

/* So many of these columns are next. */
static size_t strip(const cholesky *c, range columns)
{
    size_t n = range_length(columns);
    return c->strips && n > CHOLESKY_NARROW ? CHOLESKY_NARROW : n;
}

static void look(cholesky *c)
{
    if (c->look && !c->look(c->look_at))
        c->look = NULL;
}

/* aside: sets `to` in place of subtracting from it. */
static void subtract(cholesky *c, const cholesky_update *y, range rows, range columns, bool aside,
                     char *to, size_t ld)
{
    const size_t e = c->s.k->bytes, w = y->w;
    size_t m = range_length(rows), n;
    for (; columns.first < columns.end; columns.first += n, to += n * ld * e) {
        n = strip(c, columns);
        c->s.k->gemm('C', aside, m, n, w, y->row_lines + (rows.first - y->row0) * w * e, w,
                     y->column_lines + (columns.first - y->column0) * w * e, w, to, ld);
        c->s.watch.flops += 2.0 * (double)m * (double)n * (double)w;
        look(c);
    }
}

void lu_update_rectangle(cholesky *c, const cholesky_update *y, range rows, range columns)
{
    if (rows.end > rows.first && columns.end > columns.first)
        subtract(c, y, rows, columns, false, lu_at(&c->s, rows.first, columns.first), c->s.a.ld);
}

/* A rectangle that the diagonal crosses. */
static void update_crossed(cholesky *c, const cholesky_update *y, range rows, range columns)
{
    size_t m = rows.end > rows.first ? range_length(rows) : 0, e = c->s.k->bytes;
    if (m == 0)
        return;
    subtract(c, y, rows, columns, true, c->aside, m);
    for (size_t l = columns.first; l < columns.end; l++) {
        size_t b = bound(c, l), first = c->lower && b > rows.first ? b : rows.first;
        size_t end = !c->lower && b < rows.end ? b : rows.end;
        const char *from = c->aside + (first - rows.first + (l - columns.first) * m) * e;
        if (end > first)
            c->s.k->subtract(end - first, 1, from, m, lu_at(&c->s, first, l), c->s.a.ld);
    }
}

/* The triangle in some columns, whose rows end (L) or begin (U) at `edge`: halves, and the
 * rectangle beside them, so that products are as large as can be. */
static void update_triangle(cholesky *c, const cholesky_update *y, range columns, size_t edge)
{
    size_t n = range_length(columns), nb = c->s.a.columns.block, half = columns.first + n / 2;
    if (n == 0)
        return;
    size_t low = bound(c, columns.first), high = bound(c, columns.end - 1);
    if (n <= CHOLESKY_NARROW || low == high) {
        range whole = c->lower ? (range){high, edge} : (range){edge, low};
        lu_update_rectangle(c, y, whole, columns);
        update_crossed(c, y, (range){low, high}, columns);
        return;
    }
    if (half / nb * nb > columns.first) /* the diagonal crosses all of a block, or nothing */
        half = half / nb * nb;
    range left = {columns.first, half}, right = {half, columns.end};
    size_t middle = bound(c, c->lower ? half : half - 1);
    lu_update_rectangle(c, y, c->lower ? (range){middle, edge} : (range){edge, middle},
                        c->lower ? left : right);
    update_triangle(c, y, left, c->lower ? middle : edge);
    update_triangle(c, y, right, c->lower ? edge : middle);
}

/* Where the own rows and columns have the same numbers. */
static void update_alike(cholesky *c, const cholesky_update *y, range rows, range columns)
{
    const size_t w = y->w;
    size_t below = rows.first - columns.first, top = rows.first, end = rows.end, n;
    for (; columns.first < columns.end; columns.first += n) {
        n = strip(c, columns);
        range these = {columns.first, columns.first + n};
        range own = {below + these.first, below + these.end};
        c->s.k->herk(c->lower ? 'L' : 'U', n, w,
                     y->column_lines + (these.first - y->column0) * w * c->s.k->bytes, w,
                     lu_at(&c->s, own.first, these.first), c->s.a.ld);
        c->s.watch.flops += (double)n * (double)n * (double)w;
        lu_update_rectangle(c, y, c->lower ? (range){own.end, end} : (range){top, own.first},
                            these);
    }
}

void lu_update_triangle(cholesky *c, const cholesky_update *y, size_t next)
{
    range rows = lu_rows(&c->s, c->s.a.rows.me, next, c->n);
    range columns = lu_columns(&c->s, c->s.a.columns.me, next, c->n);
    if (range_length(columns) == 0)
        return;
    if (c->alike)
        update_alike(c, y, rows, columns);
    else
        update_triangle(c, y, columns, c->lower ? rows.end : rows.first);
}
