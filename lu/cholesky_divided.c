/*
 * Cholesky on 2 x 2 processes, upper triangle: a block of rows is divided between two processes of
 * different process rows.
 *
 * A block of rows of U belongs to one process row. Where four processes share two processors, those
 * of a process row share one (node/wait.c says why), and so that processor would factor and solve
 * while the other one waits; for L the two holders are on both. Here only the holder that has the
 * square solves for its lines. The other holder's lines go, as they are, to the process above or
 * below it, which solves for them and sends them where it would send its own; so they come back,
 * too. It factors the square as well, and needs of the block before also the lines at the
 * diagonal, which none of its own rows or columns has.
 *
 * Messages and supersteps are as many as before, and one copy of the lines more is made. Bound so
 * that process columns share processors, the same takes about as long as undivided
 * (bench/lu.md).
 */
#include "cholesky.h"

#include <string.h>

bool lu_can_divide(const cholesky *c)
{
    size_t nb = c->across.block;
    /* A block's square lies at one process. */
    return !c->lower && c->along.count == 2 && c->across.count == 2 && c->along.block == nb &&
           c->along_first % nb == c->across_first % nb;
}

/* The place along that has the square. */
static size_t diagonal_of(const cholesky *c, const block *x)
{
    return oblu_owner(&c->along, c->along_first + x->j);
}

size_t lu_solver_of(const cholesky *c, const block *x, size_t a)
{
    return c->divided && a != diagonal_of(c, x) ? 1 - x->holder : x->holder;
}

bool lu_solves(const cholesky *c, const block *x)
{
    return lu_solver_of(c, x, c->along.me) == c->across.me;
}

static bool solves_for_neighbour(const cholesky *c, const block *x)
{
    return lu_solves(c, x) && !lu_holds(c, x);
}

static bool lets_neighbour_solve(const cholesky *c, const block *x)
{
    return lu_holds(c, x) && !lu_solves(c, x);
}

/* ------------------------------------------------------------------ messages */

void lu_send_unsolved(cholesky *c, const block *x)
{
    if (lets_neighbour_solve(c, x))
        lu_send(&c->s, c->s.g, 1 - x->holder, c->along.me, lu_lines_part(c, x));
}

/* What has come is the sender's memory, which is not to be written. */
void lu_take_unsolved(cholesky *c, const block *x)
{
    if (!solves_for_neighbour(c, x))
        return;
    ob_view v = lu_lines_part(c, x);
    v = lu_take(&c->s, c->s.g, x->holder, c->along.me, v.m, v.n, v);
    memcpy(c->solved_before, v.base, v.m * v.n * c->s.k->bytes);
}

void lu_send_first_lines(cholesky *c, const block *x, const block *after)
{
    size_t p = diagonal_of(c, after);
    if (c->divided && c->along.me == p && lu_solves(c, x))
        lu_send(&c->s, c->s.g, 1 - after->holder, 1 - p,
                lu_view(&c->s, x->width, after->width, c->share, x->width));
}

void lu_take_first_lines(cholesky *c, const block *x, const block *after)
{
    size_t p = diagonal_of(c, after), w = x->width;
    if (solves_for_neighbour(c, after))
        c->first_lines = lu_take(&c->s, c->s.g, lu_solver_of(c, x, p), p, w, after->width,
                                 lu_view(&c->s, w, after->width, NULL, w))
                             .base;
}

/* --------------------------------------------------------------- computation */

/* None of the lines at the own place along are in the square: all of them are behind the block. */
void lu_update_for_neighbour(cholesky *c, const cholesky_update *y, const block *after)
{
    size_t n = lu_lines_part(c, after).n, w = after->width;
    c->s.k->herk('U', w, y->w, c->first_lines, y->w, c->square, w);
    c->s.k->gemm('C', false, w, n, y->w, c->first_lines, y->w, y->column_lines, y->w,
                 c->solved_before, w);
    c->s.watch.flops += (double)w * (double)(w + 2 * n) * (double)y->w;
}

void lu_solve_for_neighbour(cholesky *c, const block *x)
{
    size_t n = lu_lines_part(c, x).n, w = x->width;
    c->s.k->trsm('L', 'U', 'C', 'N', w, n, c->square, w, c->solved, w);
    c->s.watch.flops += (double)w * (double)w * (double)n;
}

void lu_keep_lines(cholesky *c, const block *x)
{
    ob_view v = lu_lines_part(c, x);
    if (lets_neighbour_solve(c, x))
        oblu_copy(c->s.k->bytes, v.m, v.n, c->of_along, v.m, (char *)v.base, v.ld);
}
