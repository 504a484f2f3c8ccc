/*
 * The state of one Cholesky factorisation, shared by cholesky.c (the steps), cholesky_places.c
 * (where a block lies) and triangle.c (the update of the own part of the triangle). What a line is,
 * and a place, is said in cholesky.c.
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
    /* For a lookahead (cholesky_ahead.c), or NULL: the processes at the caller's place along, and
     * across. */
    ob_group *same_along, *same_across;
    bool alike;           /* the process has rows and columns of the same numbers */
    size_t *line, *start; /* lines of place a along: line[start[a]] .. line[start[a + 1] - 1] */
    size_t *place;        /* across: who has the column (row) of a line's number */
    size_t *count;        /* of lines by place across, of one message */
    /* w x w, in `factor`; and at a holder the solved lines, w each, beside those of the block
     * before. With a lookahead all three travel, with info in front, and lines are those of whoever
     * solves for them. */
    char *square, *factor, *solved, *solved_before;
    char *share;                      /* lines to send */
    char *chosen, **chosen_for;       /* of them for places across, one behind the other; with a
                                       * lookahead for the own place, of two blocks */
    char *lines_along, *lines_across; /* memory for all that the own part of the rest needs */
    char *of_along, *of_across;       /* there, or where they have come */
    char *came;                       /* with a lookahead, from the same place across: two blocks */
    char *aside;                      /* updates at the diagonal */
    size_t came_half, chosen_half;    /* bytes for one block */
    int64_t alarm;                    /* info, where the own square has no factor */
    /* Updates are cut into narrow products, so that somebody can look in between: all of them,
     * looked at or not, since a cut product may have other bits than a whole one, and two runs must
     * have the same. */
    bool strips;
    /* Called between them till it says that it need not be called again, and is NULL. */
    bool (*look)(void *);
    void *look_at;
} cholesky;

/* Bytes for info, in front of what travels with a lookahead. */
enum { CHOLESKY_HEAD = 64 };

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

/* ----------------------------------------------------------- cholesky_places.c */

/* Local indices of lines i .. end-1 at place a along. */
range lu_along_of(const cholesky *c, size_t a, size_t i, size_t end);
/* The same across, of columns for L, of rows for U. */
range lu_across_of(const cholesky *c, size_t b, size_t i, size_t end);
/* The own element at these local indices. */
char *lu_element_at(const cholesky *c, size_t l_along, size_t l_across);
bool lu_holds(const cholesky *c, const block *x);
/* What place a along has of the square, in the own matrix or as large. */
ob_view lu_square_part(const cholesky *c, const block *x, size_t a);
/* What the own place along has of the lines, in the own matrix or as large. */
ob_view lu_lines_part(const cholesky *c, const block *x);

/* ----------------------------------------------------------- cholesky.c */

block lu_block_at(const cholesky *c, size_t j);
/* Lines behind the block at place a along: a part of c->line. */
range lu_behind(const cholesky *c, const block *x, size_t a);
/* How many of these lines each place across needs: c->count. */
void lu_count_lines(cholesky *c, range some);
/* Lines that lie together in c->line and belong to one place across: how many from l on. */
size_t lu_run_of_lines(const cholesky *c, size_t l, size_t end);
/* Lines of a message to where the own columns (or rows) of their numbers are. Where they are all
 * that there are, they stay where they lie. all: others are among them. */
void lu_place_across(cholesky *c, const block *x, range some, char *from, bool all);
void lu_place_square(cholesky *c, const block *x, size_t a, const ob_view *v);
/* Returns info. */
int64_t lu_factor_square(cholesky *c, const block *x);
/* The own part of the square's triangle into the matrix. */
void lu_keep_square(cholesky *c, const block *x);
/* Solves for the own lines, in the matrix, and copies them. */
void lu_solve_lines(cholesky *c, const block *x, char *lines);
/* The block to be applied, when its lines have come. */
cholesky_update lu_update_of(const cholesky *c, const block *x);
/* Applies it to the next block's square, and to what is behind that in the next block. */
void lu_update_square(cholesky *c, const cholesky_update *y, const block *after);
void lu_update_behind(cholesky *c, const cholesky_update *y, const block *after);

#endif
