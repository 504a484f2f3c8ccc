/*
 * NX's global operations. Those of reals, and all of Fortran's, whose integers have 32 bits, are iCC's; of C's long
 * the loops are here.
 */
#include "machine.h"

#include <limits.h>
#include <stdlib.h>

/* -------------------------------------------------------------------- reals */

#define REAL(name, T)                                                                              \
    void g##name(T *x, long n, T *work)                                                            \
    {                                                                                              \
        iCC_g##name(x, n, work);                                                                   \
    }                                                                                              \
    void g##name##_(T *x, const int *n, T *work)                                                   \
    {                                                                                              \
        icc_g##name##_(x, n, work);                                                                \
    }
NX_REALS(REAL, double, d)
NX_REALS(REAL, float, s)

/* ----------------------------------------------------------------- integers */

/* Sums and products wrap around. */
#define LOOP(name, expression)                                                                     \
    static void do_##name(size_t n, void *acc, const void *in, const void *context)                \
    {                                                                                              \
        long *restrict a = acc;                                                                    \
        const long *restrict b = in;                                                               \
        (void)context;                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            a[i] = (expression);                                                                   \
    }
LOOP(isum, (long)((unsigned long)a[i] + (unsigned long)b[i]))
LOOP(iprod, (long)((unsigned long)a[i] * (unsigned long)b[i]))
LOOP(ihigh, a[i] > b[i] ? a[i] : b[i])
LOOP(ilow, a[i] < b[i] ? a[i] : b[i])
LOOP(iand, a[i] & b[i])
LOOP(ior, a[i] | b[i])
LOOP(ixor, a[i] ^ b[i])
LOOP(land, a[i] && b[i])
LOOP(lor, a[i] || b[i])
LOOP(lxor, !a[i] != !b[i])

static void combine(const char *routine, ob_operation by, long *x, long n)
{
    size_t bytes = nx_length(routine, n, sizeof *x, 2, "n", x) * sizeof *x;
    ob_view v = nx_bytes(x, bytes);
    nx_check(routine, ob_combine_by(nx_operations(routine), OB_ANY, &by, &v, NULL));
}

#define INTEGER(name)                                                                              \
    void g##name(long *x, long n, long *work)                                                      \
    {                                                                                              \
        OB_TRACE_ROUTINE("g" #name);                                                               \
        (void)work;                                                                                \
        combine("g" #name, (ob_operation){do_##name, NULL, sizeof(long)}, x, n);                   \
    }                                                                                              \
    void g##name##_(int *x, const int *n, int *work)                                               \
    {                                                                                              \
        icc_g##name##_(x, n, work);                                                                \
    }
NX_INTEGERS(INTEGER)

/* ---------------------------------------------------------- the program's own */

typedef long (*function_of)(char *, char *);

/* Up a binomial tree to node 0, which tells all. */
static void by_function(const char *routine, char *x, size_t bytes, char *work, function_of function)
{
    ob_group *g = nx_operations(routine);
    int me = ob_group_me(g), size = ob_group_size(g);
    ob_view mine = nx_bytes(x, bytes), other = nx_bytes(work, bytes);
    for (int bit = 1; bit < size; bit *= 2) {
        if (me & bit) {
            nx_check(routine, ob_send(g, me - bit, 0, &mine));
            break;
        }
        if (me + bit >= size)
            continue;
        nx_check(routine, ob_recv(g, me + bit, 0, &other, NULL));
        function(x, work);
    }
    nx_check(routine, ob_broadcast(g, 0, &mine, NULL));
}

static void combine_by(char *x, long xlen, char *work, function_of function)
{
    size_t bytes = nx_length("gopf", xlen, 1, 2, "xlen", x);
    if (work == NULL && bytes)
        nx_fault("gopf", "argument 3 (work) is NULL, but there are %zu bytes", bytes);
    if (function == NULL)
        nx_fault("gopf", "argument 4 (function) is NULL");
    by_function("gopf", x, bytes, work, function);
}

void gopf(char *x, long xlen, char *work, long (*function)())
{
    OB_TRACE_ROUTINE("gopf");
    combine_by(x, xlen, work, function);
}

void gopf_(char *x, const int *xlen, char *work, long (*function)(char *x, char *work))
{
    OB_TRACE_ROUTINE("gopf");
    combine_by(x, *xlen, work, function);
}

/* ----------------------------------------------------------------- collects */

void gcol(void *x, long xlen, void *y, long ylen, long *ncnt)
{
    iCC_gcol(x, xlen, y, ylen, ncnt);
}

void gcol_(void *x, const int *xlen, void *y, const int *ylen, int *ncnt)
{
    icc_gcol_(x, xlen, y, ylen, ncnt);
}

void gcolx(void *x, long *xlens, void *y)
{
    iCC_gcolx(x, xlens, y);
}

void gcolx_(void *x, const int *xlens, void *y)
{
    icc_gcolx_(x, xlens, y);
}

void gsync(void)
{
    iCC_gsync();
}

void gsync_(void)
{
    iCC_gsync();
}
