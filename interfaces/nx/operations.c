/*
 * NX's global operations. Those of reals, and all of Fortran's, whose integers have 32 bits, are iCC's; iCC has none of
 * C's long.
 */
#include "machine.h"

#include <stdbool.h>

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

enum { LONG = sizeof(long) == 8 ? OB_KIND_INT64 : OB_KIND_INT32 };

static const ob_operator of_isum = OB_OPERATOR_SUM, of_iprod = OB_OPERATOR_PRODUCT, of_ihigh = OB_OPERATOR_MAX,
                         of_ilow = OB_OPERATOR_MIN, of_iand = OB_OPERATOR_BIT_AND, of_ior = OB_OPERATOR_BIT_OR,
                         of_ixor = OB_OPERATOR_BIT_XOR, of_land = OB_OPERATOR_AND, of_lor = OB_OPERATOR_OR,
                         of_lxor = OB_OPERATOR_XOR;

static bool of_truth(ob_operator what)
{
    return what == OB_OPERATOR_AND || what == OB_OPERATOR_OR || what == OB_OPERATOR_XOR;
}

static void combine(const char *routine, ob_operator what, long *x, long n)
{
    size_t count = nx_length(routine, n, sizeof *x, 2, "n", x), bytes = count * sizeof *x;
    ob_view v = nx_bytes(x, bytes);
    ob_operation by;
    nx_check(routine, ob_operation_of(what, (ob_kind)LONG, &by));
    for (size_t i = 0; i < count && of_truth(what); i++) /* one node combines nothing */
        x[i] = x[i] != 0;
    nx_check(routine, ob_combine_by(nx_operations(routine), OB_ANY, &by, &v, NULL));
}

#define INTEGER(name)                                                                              \
    void g##name(long *x, long n, long *work)                                                      \
    {                                                                                              \
        OB_TRACE_ROUTINE("g" #name);                                                               \
        (void)work;                                                                                \
        combine("g" #name, of_##name, x, n);                                                       \
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
