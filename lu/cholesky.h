/*
 * The state of one Cholesky factorisation, shared by cholesky.c (the steps) and triangle.c (the
 * update of the own part of the triangle). What a line is, and a place, is said in cholesky.c.
 */
#ifndef OPENBLACS_LU_CHOLESKY_H
#define OPENBLACS_LU_CHOLESKY_H

#include "state.h"

typedef struct block {
    size_t j, width; /* columns (of L, rows of U) j .. j + width - 1 of the submatrix */
    size_t holder;   /* their place across */
} block;

typedef struct cholesky {
    lu_state s; /* matrix, grid and times, for superstep.c */
    bool lower;
    oblu_axis along, across;
    size_t along_first, across_first; /* the submatrix in the array */
    size_t n;
    bool two_phases;
    bool alike;           /* the process has rows and columns of the same numbers */
    size_t *line, *start; /* lines of place a along: line[start[a]] .. line[start[a + 1] - 1] */
    size_t *place;        /* across: who has the column (row) of a line's number */
    size_t *count;        /* of lines by place across, of one message */
    /* w x w, and at a holder the solved lines, w each, beside those of the block before. */
    char *square, *solved, *solved_before;
    char *share, *passed;       /* lines to send: the solved ones, or in the second phase others */
    char *chosen, **chosen_for; /* of them for places across, one behind the other */
    char *lines_along, *lines_across; /* memory for all that the own part of the rest needs */
    char *of_along, *of_across;       /* there, or where they have come */
    char *aside;                      /* updates at the diagonal */
    int64_t alarm;                    /* info, where the own square has no factor */
} cholesky;

/* ----------------------------------------------------------- triangle.c */

/* Columns of the triangle's diagonal that are updated with what lies on its other side. */
enum { CHOLESKY_NARROW = 32 };

/* A block to be applied: the lines of the own rows and of the own columns, and which come first. */
typedef struct cholesky_update {
    const char *row_lines, *column_lines;
    size_t row0, column0, w;
} cholesky_update;

/* All that lies in these own rows and columns, within the triangle. */
void lu_update_rectangle(cholesky *c, const cholesky_update *y, range rows, range columns);
/* The own part of the triangle from line `next` on. */
void lu_update_triangle(cholesky *c, const cholesky_update *y, size_t next);

#endif
