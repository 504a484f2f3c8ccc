/*
 * Combines to all, to one, and distributed. All are three functions with one of the core's
 * operators filled in.
 */
#include <stdlib.h>

#include "common/fortran.h"
#include "machine.h"

typedef struct operation {
    ob_operator what;
    ob_kind kind;
} operation;

/* Truth values of one process may be anything but 0; alone they become 0 or 1, too. */
static void normalize(icc_int *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] != 0;
}

#ifdef OB_ILP64
#define KIND_INTEGER OB_KIND_INT64
#else
#define KIND_INTEGER OB_KIND_INT32
#endif
#define KIND_FLOAT OB_KIND_FLOAT
#define KIND_DOUBLE OB_KIND_DOUBLE
#define KIND_COMPLEX OB_KIND_COMPLEX
#define KIND_DCOMPLEX OB_KIND_DCOMPLEX
#define OF(what, kind)                                                                             \
    {                                                                                              \
        OB_OPERATOR_##what, KIND_##kind                                                            \
    }
static const operation of_isum = OF(SUM, INTEGER), of_ssum = OF(SUM, FLOAT),
                       of_dsum = OF(SUM, DOUBLE), of_csum = OF(SUM, COMPLEX),
                       of_zsum = OF(SUM, DCOMPLEX), of_iprod = OF(PRODUCT, INTEGER),
                       of_sprod = OF(PRODUCT, FLOAT), of_dprod = OF(PRODUCT, DOUBLE),
                       of_cprod = OF(PRODUCT, COMPLEX), of_zprod = OF(PRODUCT, DCOMPLEX),
                       of_ihigh = OF(MAX, INTEGER), of_shigh = OF(MAX, FLOAT),
                       of_dhigh = OF(MAX, DOUBLE), of_ilow = OF(MIN, INTEGER),
                       of_slow = OF(MIN, FLOAT), of_dlow = OF(MIN, DOUBLE),
                       of_iand = OF(BIT_AND, INTEGER), of_ior = OF(BIT_OR, INTEGER),
                       of_ixor = OF(BIT_XOR, INTEGER), of_land = OF(AND, INTEGER),
                       of_lor = OF(OR, INTEGER), of_lxor = OF(XOR, INTEGER);

static void prepare(const operation *op, void *x, size_t n)
{
    if (op == &of_land || op == &of_lor || op == &of_lxor)
        normalize(x, n);
}

/* -------------------------------------------------------------- the forms */

static void combine_at(icc_call *call, const operation *op, void *x, long n, ob_group *group,
                       int root)
{
    ob_operation by;
    icc_check(call, ob_operation_of(op->what, op->kind, &by));
    size_t count = icc_length(call, n, by.element_bytes, 2, "n");
    icc_address(call, x, count * by.element_bytes, 1, "x");
    ob_view view = ob_view_vector(x, count, ob_kind_type(op->kind));
    prepare(op, x, count);
    icc_check(call, ob_combine_by(group, root, &by, &view, NULL));
}

static void to_all(const char *routine, const operation *op, void *x, long n, icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    combine_at(&call, op, x, n, group, OB_ANY);
}

static void to_one(const char *routine, const operation *op, void *x, long n, long root,
                   icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 5);
    combine_at(&call, op, x, n, group, icc_root(&call, group, root, 4));
}

static void distributed(const char *routine, const operation *op, void *x, const long *ns,
                        icc_int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    ob_operation by;
    icc_check(&call, ob_operation_of(op->what, op->kind, &by));
    size_t *counts = icc_lengths(&call, group, ns, by.element_bytes, 2, "ns");
    size_t sum = icc_sum(counts, group);
    icc_address(&call, x, sum * by.element_bytes, 1, "x");
    ob_pieces pieces = {.base = x, .type = ob_kind_type(op->kind), .counts = counts};
    prepare(op, x, sum);
    icc_check(&call, ob_distributed_combine_by(group, &by, &pieces, NULL));
    free(counts);
}

static void distributed_fortran(const char *routine, const operation *op, void *x,
                                const icc_int *ns, icc_int handle)
{
    icc_call call = {routine, -1};
    long *counts = OB_T(icc_longs)(&call, ns, handle, 4);
    distributed(routine, op, x, counts, handle);
    free(counts);
}

#define STAMP(name, T)                                                                             \
    void OB_T(iCC_g##name)(T * x, long n, T *work)                                                 \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name);                                                           \
        (void)work;                                                                                \
        to_all("iCC_g" #name, &of_##name, x, n, iCC_ALL);                                          \
    }                                                                                              \
    void OB_T(iCC_g##name##1)(T * x, long n, T *work, long root)                                   \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name "1");                                                       \
        (void)work;                                                                                \
        to_one("iCC_g" #name "1", &of_##name, x, n, root, iCC_ALL);                                \
    }                                                                                              \
    void OB_T(iCC_g##name##x)(T * x, const long *ns, T *work)                                      \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name "x");                                                       \
        (void)work;                                                                                \
        distributed("iCC_g" #name "x", &of_##name, x, ns, iCC_ALL);                                \
    }                                                                                              \
    void OB_T(iCC_g_g##name)(T * x, long n, T *work, icc_int group)                                \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name);                                                         \
        (void)work;                                                                                \
        to_all("iCC_g_g" #name, &of_##name, x, n, group);                                          \
    }                                                                                              \
    void OB_T(iCC_g_g##name##1)(T * x, long n, T *work, long root, icc_int group)                  \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name "1");                                                     \
        (void)work;                                                                                \
        to_one("iCC_g_g" #name "1", &of_##name, x, n, root, group);                                \
    }                                                                                              \
    void OB_T(iCC_g_g##name##x)(T * x, const long *ns, T *work, icc_int group)                     \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name "x");                                                     \
        (void)work;                                                                                \
        distributed("iCC_g_g" #name "x", &of_##name, x, ns, group);                                \
    }                                                                                              \
    OB_FORTRAN_TRACED(void, icc_g##name, (T * x, const icc_int *n, T *work),                       \
                      OB_T(iCC_g##name)(x, icc_long(*n), work))                                    \
    OB_FORTRAN_TRACED(void, icc_g##name##1,                                                        \
                      (T * x, const icc_int *n, T *work, const icc_int *root),                     \
                      OB_T(iCC_g##name##1)(x, icc_long(*n), work, icc_long(*root)))                \
    void OB_F(icc_g##name##x)(T * x, const icc_int *ns, T *work)                                   \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name "x");                                                       \
        (void)work;                                                                                \
        distributed_fortran("iCC_g" #name "x", &of_##name, x, ns, iCC_ALL);                        \
    }                                                                                              \
    OB_FORTRAN_TRACED(void, icc_g_g##name,                                                         \
                      (T * x, const icc_int *n, T *work, const icc_int *group),                    \
                      OB_T(iCC_g_g##name)(x, icc_long(*n), work, *group))                          \
    OB_FORTRAN_TRACED(                                                                             \
        void, icc_g_g##name##1,                                                                    \
        (T * x, const icc_int *n, T *work, const icc_int *root, const icc_int *group),             \
        OB_T(iCC_g_g##name##1)(x, icc_long(*n), work, icc_long(*root), *group))                    \
    void OB_F(icc_g_g##name##x)(T * x, const icc_int *ns, T *work, const icc_int *group)           \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name "x");                                                     \
        (void)work;                                                                                \
        distributed_fortran("iCC_g_g" #name "x", &of_##name, x, ns, *group);                       \
    }

ICC_COMBINES(STAMP)
