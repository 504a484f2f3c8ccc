/*
 * Reads a square real matrix from a Matrix Market file into a dense
 * column-major array. Understands coordinate and array files, real and integer
 * values, general, symmetric and skew-symmetric storage.
 */
#ifndef EXAMPLES_MATRIX_MARKET_H
#define EXAMPLES_MATRIX_MARKET_H

#include <stddef.h>

/* Returns n x n values for the caller to free and sets *n; on any fault
 * returns NULL with one line about it in `fault`. */
double *read_matrix_market(const char *file, int *n, char *fault, size_t fault_bytes);

#endif
