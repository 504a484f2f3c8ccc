/*
 * NX's global operations. Those that combine are the core's: of long in C, of 32-bit integers in
 * Fortran; the collects are iCC's.
 */
#include "common/fortran.h"
#include "machine.h"

#include <stdbool.h>
#include <stdlib.h>

/* ----------------------------------------------------------------- combines */

enum { LONG = sizeof(long) == 8 ? OB_KIND_INT64 : OB_KIND_INT32 };

typedef struct operation {
    ob_operator what;
    bool truth;
} operation;

#define OF(what)                                                                                   \
    {                                                                                              \
        OB_OPERATOR_##what, false                                                                  \
    }
#define OF_TRUTH(what)                                                                             \
    {                                                                                              \
        OB_OPERATOR_##what, true                                                                   \
    }
static const operation of_isum = OF(SUM), of_iprod = OF(PRODUCT), of_ihigh = OF(MAX),
                       of_ilow = OF(MIN), of_iand = OF(BIT_AND), of_ior = OF(BIT_OR),
                       of_ixor = OF(BIT_XOR), of_land = OF_TRUTH(AND), of_lor = OF_TRUTH(OR),
                       of_lxor = OF_TRUTH(XOR), of_dsum = OF(SUM), of_dprod = OF(PRODUCT),
                       of_dhigh = OF(MAX), of_dlow = OF(MIN), of_ssum = OF(SUM),
                       of_sprod = OF(PRODUCT), of_shigh = OF(MAX), of_slow = OF(MIN);

/* One node combines nothing. */
static void make_truth(ob_kind kind, void *x, size_t count)
{
    for (size_t i = 0; i < count && kind == OB_KIND_INT64; i++)
        ((int64_t *)x)[i] = ((int64_t *)x)[i] != 0;
    for (size_t i = 0; i < count && kind == OB_KIND_INT32; i++)
        ((int32_t *)x)[i] = ((int32_t *)x)[i] != 0;
}

static void combine(const char *routine, const operation *op, ob_kind kind, void *x, long n)
{
    ob_operation by;
    nx_check(routine, ob_operation_of(op->what, kind, &by));
    size_t count = nx_length(routine, n, by.element_bytes, 2, "n", x);
    ob_view v = ob_view_vector(x, count, ob_kind_type(kind));
    if (op->truth)
        make_truth(kind, x, count);
    nx_check(routine, ob_combine_by(nx_operations(routine), OB_ANY, &by, &v, NULL));
}

/* C and Fortran, whose types are T and F. */
#define COMBINE(name, T, kind, F, fortran_kind)                                                    \
    void g##name(T *x, long n, T *work)                                                            \
    {                                                                                              \
        OB_TRACE_ROUTINE("g" #name);                                                               \
        (void)work;                                                                                \
        combine("g" #name, &of_##name, (ob_kind)(kind), x, n);                                     \
    }                                                                                              \
    void g##name##_(F *x, const int *n, F *work)                                                   \
    {                                                                                              \
        OB_TRACE_ROUTINE("g" #name);                                                               \
        (void)work;                                                                                \
        combine("g" #name, &of_##name, (ob_kind)(fortran_kind), x, *n);                            \
    }
#define REAL(name, T) COMBINE(name, T, KIND_##T, T, KIND_##T)
#define INTEGER(name) COMBINE(name, long, LONG, int, OB_KIND_INT32)
enum { KIND_double = OB_KIND_DOUBLE, KIND_float = OB_KIND_FLOAT };
NX_REALS(REAL, double, d)
NX_REALS(REAL, float, s)
NX_INTEGERS(INTEGER)

/* ---------------------------------------------------------- the program's own */

typedef long (*function_of)(char *, char *);

/* Up a binomial tree to node 0, which tells all. */
static void by_function(const char *routine, char *x, size_t bytes, char *work,
                        function_of function)
{
    ob_group *g = nx_operations(routine);
    int me = ob_group_me(g), size = ob_group_size(g);
    ob_view mine = ob_view_vector(x, bytes, OB_BYTE), other = ob_view_vector(work, bytes, OB_BYTE);
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
        nx_fault("gopf", "OB-1002 argument 3 (work) is NULL, but there are %zu bytes", bytes);
    if (function == NULL)
        nx_fault("gopf", "OB-1021 argument 4 (function) is NULL");
    nx_apart("gopf");
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

/* What iCC does, in the name of the routine that the program has called. */
#define IN_NAME_OF(name, call)                                                                     \
    do {                                                                                           \
        OB_TRACE_CALLER;                                                                           \
        nx_nodes(name);                                                                            \
        ob_trace_as(name);                                                                         \
        call;                                                                                      \
        ob_trace_as(NULL);                                                                         \
    } while (0)

void gcol(void *x, long xlen, void *y, long ylen, long *ncnt)
{
    IN_NAME_OF("gcol", iCC_gcol64_(x, xlen, y, ylen, ncnt));
}

void gcol_(void *x, const int *xlen, void *y, const int *ylen, int *ncnt)
{
    long count;
    IN_NAME_OF("gcol", iCC_gcol64_(x, *xlen, y, *ylen, &count));
    *ncnt = (int)count; /* at most *ylen */
}

void gcolx(void *x, long *xlens, void *y)
{
    IN_NAME_OF("gcolx", iCC_gcolx64_(x, xlens, y));
}

void gcolx_(void *x, const int *xlens, void *y)
{
    size_t n = (size_t)ob_group_size(nx_nodes("gcolx"));
    long *lengths = malloc(n * sizeof *lengths);
    if (lengths == NULL)
        nx_fault("gcolx", "OB-4001 no memory for %zu lengths", n);
    for (size_t i = 0; i < n; i++)
        lengths[i] = xlens[i];
    IN_NAME_OF("gcolx", iCC_gcolx64_(x, lengths, y));
    free(lengths);
}

void gsync(void)
{
    OB_TRACE_ROUTINE("gsync");
    nx_check("gsync", ob_barrier(nx_operations("gsync")));
}

OB_FORTRAN_TRACED(void, gsync, (void), gsync())
