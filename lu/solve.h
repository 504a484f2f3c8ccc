/*
 * The state of one solution with the factors, shared by solve.c (the sweeps) and solve_move.c (what
 * travels before and after them).
 */
#ifndef OPENBLACS_LU_SOLVE_H
#define OPENBLACS_LU_SOLVE_H

#include "lu.h"

/* Rows of B on their way to X, or back: own lines, by who has their other end. */
typedef struct route {
    size_t *line, *start;
} route;

typedef struct solver {
    const oblu_kernels *k;
    ob_group *all;
    const oblu_matrix *a, *b;
    size_t n, p, q, sides; /* sides: columns of B */
    size_t w, blocks;
    size_t *owner, *in_x; /* of each block, and its first row in its owner's X */
    size_t nb;            /* rows and columns of the distribution's blocks */
    size_t *row, *in_b;   /* of each of these, process row and local row in B */
    size_t own;           /* own rows of X */
    char *x;              /* own x sides, in the order of blocks */
    char *squares;        /* where a block is several of the distribution's: w x w, of own ones */
    char *packed;         /* one message */
    char *solved[2];      /* own place's rows of a block of X, negative, and of the one after it */
    char *sums;           /* of the own rows of op(F) */
    size_t rows;          /* of the sums */
    size_t *home;         /* row of B that becomes row i of X; NULL: the same */
    route of_b, of_x;     /* by process; by process row */
} solver;

static inline size_t lu_process(const solver *s, size_t r, size_t c)
{
    return r * s->q + c;
}

static inline size_t lu_self(const solver *s)
{
    return lu_process(s, s->a->rows.me, s->a->columns.me);
}

static inline size_t lu_end_of(const solver *s, size_t k)
{
    return (k + 1) * s->w < s->n ? (k + 1) * s->w : s->n;
}

static inline ob_view lu_room(const solver *s, size_t m, size_t n)
{
    return bsp2d_ge(s->k->type, m, n, s->packed, m);
}

/* How many of the matrix's rows (or columns) i .. end-1 a place on the axis has. */
static inline size_t lu_count(const oblu_axis *x, size_t first, size_t place, size_t i, size_t end)
{
    return oblu_below(x, place, first + end) - oblu_below(x, place, first + i);
}

void lu_hand(const solver *s, size_t to, ob_view v);
void lu_await(const solver *s, size_t from, ob_view v);

/* Rows of B come to those who solve for them; home as in the state. */
void lu_bring_to_x(solver *s, size_t *home);
void lu_bring_back(solver *s, size_t *home);
/* The diagonal squares come to their blocks' owners. */
void lu_bring_squares(const solver *s);
/* All swaps of rows: which row of B becomes row i of X. */
size_t *lu_swapped(const solver *s, oblu_pivots pivots);

#endif
