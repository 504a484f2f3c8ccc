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

static inline size_t place(int i, int j, int ld)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

/* Orders, blocks and places that a factorisation of any matrix is tried with. */
#define PROBLEMS_OF_ANY                                                                            \
    {"square", 37, 37, 4, 4, 0, 0, 0, 0, 0, any},                                                  \
        {"blocks together", 50, 50, 3, 3, 0, 0, 0, 0, 9, any},                                     \
        {"any block", 41, 41, 4, 4, 0, 0, 0, 0, 7, any},                                           \
        {"one column at a time", 23, 23, 4, 4, 0, 0, 0, 0, 1, any},                                \
        {"tall", 61, 17, 5, 5, 0, 0, 0, 0, 5, any}, {"wide", 17, 61, 5, 5, 0, 0, 0, 0, 5, any},    \
        {"first process elsewhere", 30, 30, 4, 4, 0, 0, 1, 1, 8, any},                             \
        {"submatrix", 22, 26, 4, 4, 8, 12, 0, 1, 4, any},                                          \
        {"submatrix anywhere", 19, 24, 4, 4, 5, 3, 1, 0, 6, any},                                  \
        {"oblong blocks", 33, 29, 2, 5, 0, 0, 0, 0, 10, any},                                      \
        {"smaller than the grid", 2, 2, 1, 1, 0, 0, 0, 0, 0, any},                                 \
        {"one element", 1, 1, 8, 8, 0, 0, 0, 0, 0, any},                                           \
    {                                                                                              \
        "block larger than the matrix", 7, 7, 64, 64, 0, 0, 0, 0, 0, any                           \
    }

/* The same by the dice. */
static inline problem any_problem(dice *d)
{
    problem p = {.name = "by the dice", .element = any};
    p.m = 1 + roll(d, 60);
    p.n = 1 + roll(d, 60);
    p.mb = 1 + roll(d, 9);
    p.nb = roll(d, 2) ? p.mb : 1 + roll(d, 9);
    p.ia = roll(d, 12);
    p.ja = roll(d, 12);
    p.rsrc = roll(d, 9);
    p.csrc = roll(d, 9);
    p.block = roll(d, 40);
    return p;
}

/* Column n / 2 is zero. */
static inline number zero_column(int i, int j, int n)
{
    return j == n / 2 ? 0 : any(i, j, n);
}

static inline number zero(int i, int j, int n)
{
    return (void)i, (void)j, (void)n, 0;
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

/* ||B - op(A) X|| / (||A|| ||X|| n eps) for p's square submatrix of an array of m rows, and nrhs
 * right-hand sides beside it, from column 1 on: each row of B on one of the processes, which all
 * have the same. */
static inline double solution_residual(const problem *p, char type, char trans, const void *whole,
                                       const void *b, const void *solved, int m, int nrhs)
{
    const void *a = corner(type, (void *)whole, p, m);
    int n = p->n;
    double worst = 0, of_x = 0;
    for (int k = 1; k <= nrhs; k++)
        for (int i = 0; i < n; i++)
            of_x = fmax(of_x, cabs(get(type, solved, place(i + p->ia, k, m))));
    for (int k = 1; k <= nrhs; k++)
        for (int i = world.me; i < n; i += world.count) {
            number sum = get(type, b, place(i + p->ia, k, m));
            for (int j = 0; j < n; j++) {
                number x = get(type, a, trans == 'N' ? place(i, j, m) : place(j, i, m));
                sum -= (trans == 'C' ? conj(x) : x) * get(type, solved, place(j + p->ia, k, m));
            }
            worst = fmax(worst, cabs(sum));
        }
    return worst / (norm(type, a, n, n, m) * of_x * n * epsilon_of(type));
}

/* The submatrix and what LAPACK has made of it are equal but for rounding. */
static inline void check_factors(const problem *p, char type, const void *ours, const void *lapack,
                                 int ld, const char *where)
{
    double far = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            size_t at = place(i + p->ia, j + p->ja, ld);
            far = fmax(far, cabs(get(type, ours, at) - get(type, lapack, at)));
        }
    check(far < 1e4 * epsilon_of(type), "%s: factors differ by %g from LAPACK's", where, far);
}

/* What the last factorisation tells of its bytes: each that a process sends another one takes. */
static inline void check_bytes(int context, const char *name)
{
    bsp_lu_parts parts;
    bsp_lu_last(&parts);
    double bytes[2] = {(double)parts.sent, (double)parts.received};
    Cdgsum2d(context, "All", " ", 2, 1, bytes, 2, -1, -1);
    check(bytes[0] == bytes[1], "%s: %.0f bytes sent, %.0f received", name, bytes[0], bytes[1]);
}

/* Each entry of an 8 x 8 matrix's descriptor that can be wrong, with ScaLAPACK's number for it; of
 * too few rows that is the routine's own. */
static inline void check_entries(const layout *x, int few_rows, int (*info_of)(const int *desc))
{
    const int entries[][3] = {{0, 2, -601},     {4, 0, -605}, {5, 0, -606}, {6, -1, -607},
                              {7, 99, -608},    {8, 0, -609}, {2, 0, -603}, {3, 0, -604},
                              {2, 3, few_rows}, {3, 3, -2}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        int desc[9], info;
        memcpy(desc, x->desc, sizeof desc);
        desc[entries[i][0]] = entries[i][1];
        info = info_of(desc);
        check(info == entries[i][2], "entry %d: info %d", entries[i][0], info);
    }
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
