/*
 * The BLAS and LAPACK of vectors, of four types, for reductions column by column
 * (tridiagonal.c, bidiagonal.c).
 */
#ifndef OPENBLACS_LU_VECTORS_H
#define OPENBLACS_LU_VECTORS_H

#include <stddef.h>

/* Columns of a panel: what all processes do alike grows with them, and with few of them A is read
 * and written once more for so many readings that their products need. */
enum { OBLU_PANEL = 8 };

typedef struct oblu_vectors {
    /* y = y + alpha op(A) x, A m x n. */
    void (*times)(char op, size_t m, size_t n, double alpha, const void *a, size_t ld,
                  const void *x, void *y);
    /* x[0] becomes what the reflection leaves of x, and what is behind it the rest of v. */
    void (*reflect)(size_t n, void *x, void *tau);
    /* x = alpha x; y = y + alpha x. */
    void (*scale)(size_t n, const void *alpha, void *x);
    void (*add)(size_t n, const void *alpha, const void *x, void *y);
} oblu_vectors;
extern const oblu_vectors oblu_vectors_s, oblu_vectors_d, oblu_vectors_c, oblu_vectors_z;

/* An odd multiple of 8: no power of 2, which caches are bad at. */
static inline size_t oblu_odd_ld(size_t n)
{
    return (n + 7) / 8 * 8 | 8;
}

#endif
