/*
 * Where a block of Cholesky lies: its lines, its square, its holders. What lines and places are is
 * said in cholesky.c.
 */
#include "cholesky.h"

/* Local indices of lines i .. end-1 at place a along. */
range lu_along_of(const cholesky *c, size_t a, size_t i, size_t end)
{
    return (range){oblu_below(&c->along, a, c->along_first + i),
                   oblu_below(&c->along, a, c->along_first + end)};
}

/* The same across, of columns for L, of rows for U. */
range lu_across_of(const cholesky *c, size_t b, size_t i, size_t end)
{
    return (range){oblu_below(&c->across, b, c->across_first + i),
                   oblu_below(&c->across, b, c->across_first + end)};
}

char *lu_element_at(const cholesky *c, size_t l_along, size_t l_across)
{
    return c->lower ? lu_at(&c->s, l_along, l_across) : lu_at(&c->s, l_across, l_along);
}

/* A part of the own matrix, or as large a one. */
static ob_view part(const cholesky *c, range along, range across)
{
    size_t l = range_length(along), w = range_length(across);
    return lu_view(&c->s, c->lower ? l : w, c->lower ? w : l,
                   lu_element_at(c, along.first, across.first), c->s.a.ld);
}

bool lu_holds(const cholesky *c, const block *x)
{
    return x->holder == c->across.me;
}

ob_view lu_square_part(const cholesky *c, const block *x, size_t a)
{
    return part(c, lu_along_of(c, a, x->j, x->j + x->width),
                lu_across_of(c, x->holder, x->j, x->j + x->width));
}

ob_view lu_lines_part(const cholesky *c, const block *x)
{
    return part(c, lu_along_of(c, c->along.me, x->j + x->width, c->n),
                lu_across_of(c, x->holder, x->j, x->j + x->width));
}
