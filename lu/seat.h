/*
 * A small matrix has a *seat*: the process of its first element, which gets all of it, does all the
 * work with LAPACK, and sends back what has changed: two messages of each process, where supersteps
 * would be several for each block, and the arithmetic is little. A matrix that lies there does not
 * travel, whatever its size.
 *
 * What goes to the seat is sent before the combine that finds whether all have made the call alike,
 * so that it is there when that is over. Where they have not, it is dropped.
 */
#ifndef OPENBLACS_LU_SEAT_H
#define OPENBLACS_LU_SEAT_H

#include "lu.h"

typedef enum oblu_kind { OBLU_CHOLESKY, OBLU_LU, OBLU_QR } oblu_kind;

/* What is to be done: A is factored, or B solved for, or both. */
typedef struct oblu_task {
    const oblu_kernels *k;
    oblu_kind kind;
    bool factors;
    const oblu_matrix *a, *b; /* b: NULL where nothing is solved */
    char uplo, trans;         /* 'L' or 'U' of Cholesky; how an LU solves */
    oblu_pivots pivots;
    void *tau;
} oblu_task;

/* A matrix that is worked on at the seat. */
typedef struct oblu_guest {
    const oblu_matrix *x;
    char uplo; /* 'L', 'U': that triangle alone travels; 'A': all */
    bool travels;
    char *at; /* at the seat: where it lies, or memory of the seat's */
    size_t ld;
} oblu_guest;

typedef struct oblu_seat {
    oblu_task task;
    ob_group *all;      /* the grid's processes, row by row */
    size_t row, column; /* of the seat */
    bool mine;
    oblu_guest a, b;
    char *packed; /* one message */
    char *spare;  /* at the seat: as B */
    char *news;   /* what all get: info, and behind it pivots or tau */
    size_t news_bytes;
    oblu_watch watch;
    double start;
    size_t sent, received; /* bytes */
} oblu_seat;

/* Is A to be worked on at its seat, with B where that is not NULL: does A lie there, or are both so
 * small? `least`: of the shorter side, from which on it is not. */
bool oblu_has_seat(const oblu_matrix *a, const oblu_matrix *b, size_t least);
void oblu_seat_open(oblu_seat *s, ob_group *all, const oblu_task *task);
/* Before the combine, in which all learn whether anybody has sent something: so the caller. */
bool oblu_seat_begin(oblu_seat *s);
/* All do this where the call is alike. Returns info. */
int64_t oblu_seat_end(oblu_seat *s, bsp_lu_parts *parts);
/* All do this where it is not and anybody has sent something. s: NULL at who has not begun. */
void oblu_seat_drop(ob_group *all, oblu_seat *s);

#endif
