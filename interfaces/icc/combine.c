/*
 * Combines to all, to one, and distributed. All are three functions with a table row
 * filled in; sums are the core's own, the other operations are the loops below.
 */
#include <stdlib.h>

#include "machine.h"

typedef struct operation {
    ob_type type;
    ob_operation by; /* apply is NULL: the core's sum */
} operation;

/* -------------------------------------------------------------- the loops */

#define LOOP(name, T, expression)                                                                  \
    static void name(size_t n, void *acc, const void *in, const void *context)                     \
    {                                                                                              \
        T *restrict a = acc;                                                                       \
        const T *restrict b = in;                                                                  \
        (void)context;                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            a[i] = (expression);                                                                   \
    }

/* Integers wrap around, as their sums do. */
LOOP(do_iprod, int, (int)((unsigned)a[i] * (unsigned)b[i]))
LOOP(do_ihigh, int, a[i] > b[i] ? a[i] : b[i])
LOOP(do_ilow, int, a[i] < b[i] ? a[i] : b[i])
LOOP(do_iand, int, a[i] & b[i])
LOOP(do_ior, int, a[i] | b[i])
LOOP(do_ixor, int, a[i] ^ b[i])
LOOP(do_land, int, a[i] && b[i])
LOOP(do_lor, int, a[i] || b[i])
LOOP(do_lxor, int, !a[i] != !b[i])
LOOP(do_sprod, float, a[i] * b[i])
LOOP(do_shigh, float, a[i] > b[i] ? a[i] : b[i])
LOOP(do_slow, float, a[i] < b[i] ? a[i] : b[i])
LOOP(do_dprod, double, a[i] * b[i])
LOOP(do_dhigh, double, a[i] > b[i] ? a[i] : b[i])
LOOP(do_dlow, double, a[i] < b[i] ? a[i] : b[i])

typedef struct pair_of_float {
    float re, im;
} pair_of_float;
typedef struct pair_of_double {
    double re, im;
} pair_of_double;
#define PRODUCT(T)                                                                                 \
    ((T){a[i].re * b[i].re - a[i].im * b[i].im, a[i].re * b[i].im + a[i].im * b[i].re})
LOOP(do_cprod, pair_of_float, PRODUCT(pair_of_float))
LOOP(do_zprod, pair_of_double, PRODUCT(pair_of_double))

/* Truth values of one process may be anything but 0; alone they become 0 or 1, too. */
static void normalize(int *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] != 0;
}

#define OWN(loop, type, bytes) {type, {loop, NULL, bytes}}
#define SUM(type) {type, {NULL, NULL, 0}}
static const operation of_isum = SUM(OB_INT), of_ssum = SUM(OB_FLOAT), of_dsum = SUM(OB_DOUBLE),
                       of_csum = SUM(OB_COMPLEX), of_zsum = SUM(OB_DCOMPLEX),
                       of_iprod = OWN(do_iprod, OB_INT, 4), of_ihigh = OWN(do_ihigh, OB_INT, 4),
                       of_ilow = OWN(do_ilow, OB_INT, 4), of_iand = OWN(do_iand, OB_INT, 4),
                       of_ior = OWN(do_ior, OB_INT, 4), of_ixor = OWN(do_ixor, OB_INT, 4),
                       of_land = OWN(do_land, OB_INT, 4), of_lor = OWN(do_lor, OB_INT, 4),
                       of_lxor = OWN(do_lxor, OB_INT, 4), of_sprod = OWN(do_sprod, OB_FLOAT, 4),
                       of_shigh = OWN(do_shigh, OB_FLOAT, 4), of_slow = OWN(do_slow, OB_FLOAT, 4),
                       of_dprod = OWN(do_dprod, OB_DOUBLE, 8),
                       of_dhigh = OWN(do_dhigh, OB_DOUBLE, 8), of_dlow = OWN(do_dlow, OB_DOUBLE, 8),
                       of_cprod = OWN(do_cprod, OB_COMPLEX, 8),
                       of_zprod = OWN(do_zprod, OB_DCOMPLEX, 16);

static void prepare(const operation *op, void *x, size_t n)
{
    if (op == &of_land || op == &of_lor || op == &of_lxor)
        normalize(x, n);
}

/* -------------------------------------------------------------- the forms */

static void combine_at(icc_call *call, const operation *op, void *x, long n, ob_group *group,
                       int root)
{
    size_t count = icc_length(call, n, ob_type_bytes(op->type), 2, "n");
    icc_address(call, x, count * ob_type_bytes(op->type), 1, "x");
    ob_view view = {.base = x, .m = count, .n = 1, .ld = count ? count : 1, .type = op->type};
    prepare(op, x, count);
    icc_check(call, op->by.apply ? ob_combine_by(group, root, &op->by, &view, NULL)
                                 : ob_combine(group, root, OB_SUM, &view, NULL, 0, NULL));
}

static void to_all(const char *routine, const operation *op, void *x, long n, int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    combine_at(&call, op, x, n, group, OB_ANY);
}

static void to_one(const char *routine, const operation *op, void *x, long n, long root,
                   int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 5);
    combine_at(&call, op, x, n, group, icc_root(&call, group, root, 4));
}

static void distributed(const char *routine, const operation *op, void *x, const long *ns,
                        int handle)
{
    icc_call call = {routine, -1};
    ob_group *group = icc_enter(&call, handle, 4);
    size_t *counts = icc_lengths(&call, group, ns, ob_type_bytes(op->type), 2, "ns"), sum = 0;
    for (int i = 0; i < ob_group_size(group); i++)
        sum += counts[i];
    icc_address(&call, x, sum * ob_type_bytes(op->type), 1, "x");
    ob_pieces pieces = {.base = x, .type = op->type, .counts = counts};
    prepare(op, x, sum);
    icc_check(&call, op->by.apply ? ob_distributed_combine_by(group, &op->by, &pieces, NULL)
                                  : ob_distributed_combine(group, OB_SUM, &pieces, NULL));
    free(counts);
}

static void distributed_fortran(const char *routine, const operation *op, void *x, const int *ns,
                                int handle)
{
    icc_call call = {routine, -1};
    long *counts = icc_longs(&call, ns, handle, 4);
    distributed(routine, op, x, counts, handle);
    free(counts);
}

#define STAMP(name, T)                                                                             \
    void iCC_g##name(T *x, long n, T *work)                                                        \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name);                                                           \
        (void)work;                                                                                \
        to_all("iCC_g" #name, &of_##name, x, n, iCC_ALL);                                          \
    }                                                                                              \
    void iCC_g##name##1(T *x, long n, T *work, long root)                                          \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name "1");                                                       \
        (void)work;                                                                                \
        to_one("iCC_g" #name "1", &of_##name, x, n, root, iCC_ALL);                                \
    }                                                                                              \
    void iCC_g##name##x(T *x, const long *ns, T *work)                                             \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name "x");                                                       \
        (void)work;                                                                                \
        distributed("iCC_g" #name "x", &of_##name, x, ns, iCC_ALL);                                \
    }                                                                                              \
    void iCC_g_g##name(T *x, long n, T *work, int group)                                           \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name);                                                         \
        (void)work;                                                                                \
        to_all("iCC_g_g" #name, &of_##name, x, n, group);                                          \
    }                                                                                              \
    void iCC_g_g##name##1(T *x, long n, T *work, long root, int group)                             \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name "1");                                                     \
        (void)work;                                                                                \
        to_one("iCC_g_g" #name "1", &of_##name, x, n, root, group);                                \
    }                                                                                              \
    void iCC_g_g##name##x(T *x, const long *ns, T *work, int group)                                \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name "x");                                                     \
        (void)work;                                                                                \
        distributed("iCC_g_g" #name "x", &of_##name, x, ns, group);                                \
    }                                                                                              \
    void icc_g##name##_(T *x, const int *n, T *work)                                               \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        iCC_g##name(x, *n, work);                                                                  \
    }                                                                                              \
    void icc_g##name##1_(T *x, const int *n, T *work, const int *root)                             \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        iCC_g##name##1(x, *n, work, *root);                                                        \
    }                                                                                              \
    void icc_g##name##x_(T *x, const int *ns, T *work)                                             \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g" #name "x");                                                       \
        (void)work;                                                                                \
        distributed_fortran("iCC_g" #name "x", &of_##name, x, ns, iCC_ALL);                        \
    }                                                                                              \
    void icc_g_g##name##_(T *x, const int *n, T *work, const int *group)                           \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        iCC_g_g##name(x, *n, work, *group);                                                        \
    }                                                                                              \
    void icc_g_g##name##1_(T *x, const int *n, T *work, const int *root, const int *group)         \
    {                                                                                              \
        OB_TRACE_CALLER;                                                                           \
        iCC_g_g##name##1(x, *n, work, *root, *group);                                              \
    }                                                                                              \
    void icc_g_g##name##x_(T *x, const int *ns, T *work, const int *group)                         \
    {                                                                                              \
        OB_TRACE_ROUTINE("iCC_g_g" #name "x");                                                     \
        (void)work;                                                                                \
        distributed_fortran("iCC_g_g" #name "x", &of_##name, x, ns, *group);                       \
    }

ICC_COMBINES(STAMP)
