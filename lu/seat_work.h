/*
 * What is done at a matrix's seat (seat_work.c), for the way there and back (seat.c).
 */
#ifndef OPENBLACS_LU_SEAT_WORK_H
#define OPENBLACS_LU_SEAT_WORK_H

#include "seat.h"

/* min(m, n) of A. */
size_t lu_seat_least(const oblu_seat *s);
/* Bytes of info, and behind it pivots or tau. */
size_t lu_seat_news(const oblu_seat *s);
int *lu_seat_info(const oblu_seat *s);
/* Of an LU: rows of the submatrix, one-based. */
int *lu_seat_pivots(const oblu_seat *s);
void lu_seat_factor(oblu_seat *s);
void lu_seat_solve(oblu_seat *s);
/* The own pivots, or elements of tau, from the news. */
void lu_seat_keep(const oblu_seat *s);

#endif
