/*
 * A submatrix to be factored, in an array of random elements around it, for the tests of the
 * factorisations.
 */
#ifndef TESTS_LU_PROBLEM_H
#define TESTS_LU_PROBLEM_H

#include "matrix.h"

enum { BOUND = 10 }; /* of the residuals; ScaLAPACK's testers take 1 to 3, for n in the hundreds */

typedef struct problem {
    const char *name;
    int m, n, mb, nb, ia, ja; /* ia, ja: how far into the array the submatrix begins */
    int rsrc, csrc, block;    /* block: the algorithmic one */
    number (*element)(int i, int j, int n);
} problem;

static inline number any(int i, int j, int n)
{
    (void)n;
    return random_number(1, (size_t)i, (size_t)j);
}

/* The array around the submatrix is random, and must be left alone. */
static inline void *make_whole(char type, const problem *p, int m, int n)
{
    void *whole = malloc(bytes_of(type) * (size_t)m * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int inside = i >= p->ia && j >= p->ja && i < p->ia + p->m && j < p->ja + p->n;
            number x = inside ? p->element(i - p->ia, j - p->ja, p->n)
                              : random_number(9, (size_t)i, (size_t)j);
            set(type, whole, (size_t)i + (size_t)j * (size_t)m, x);
        }
    return whole;
}

static inline void *corner(char type, void *whole, const problem *p, int ld)
{
    return (char *)whole + ((size_t)p->ia + (size_t)p->ja * (size_t)ld) * bytes_of(type);
}

static inline double norm(char type, const void *a, int m, int n, int ld)
{
    double largest = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += cabs(get(type, a, (size_t)i + (size_t)j * (size_t)ld));
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static inline void check_outside(const layout *x, const problem *p, char type, const void *before,
                                 const void *after)
{
    int m = x->desc[2], n = x->desc[3], changed = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            size_t at = (size_t)i + (size_t)j * (size_t)m;
            int inside = i >= p->ia && j >= p->ja && i < p->ia + p->m && j < p->ja + p->n;
            changed += !inside && get(type, before, at) != get(type, after, at);
        }
    check(changed == 0, "%c, %s: %d elements outside the submatrix have changed", type, p->name,
          changed);
}

#endif
