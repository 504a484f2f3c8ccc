/*
 * The combine kernels, stamped from one table for all types. Every loop is
 * free of branches, so that compilers turn it into vector code: conditions
 * are joined with & and |, choices are written with ?:. On x86-64 the table is
 * stamped twice and the AVX2 half is taken where the processor has it; both
 * halves round alike (no fused operations), so their results are the same.
 */
#include "kernel/kernel.h"

#include "core/error.h"
#include "hooks/collective.h"

#include "kernel/kernel_scalar.h"

/* ------------------------------------------------------------------ the loops */

#define LOOP(NAME, TARGET, R, COUNT, STEP)                                                         \
    TARGET static void NAME(size_t n, void *acc, int32_t *acc_owner, const void *in,               \
                            const int32_t *in_owner)                                               \
    {                                                                                              \
        value_##R *restrict a = acc;                                                               \
        const value_##R *restrict b = in;                                                          \
        (void)acc_owner, (void)in_owner;                                                           \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            STEP                                                                                   \
        }                                                                                          \
    }

#define SUM_LOOP(NAME, TARGET, R, PARTS)                                                           \
    LOOP(NAME, TARGET, R, (n * PARTS), a[i] = plus_##R(a[i], b[i]);)

#define REAL_LOOP(NAME, TARGET, R, EXTREME)                                                        \
    LOOP(NAME, TARGET, R, n, REAL_STEP(R, EXTREME, a, a, b, i))

#define COMPLEX_LOOP(NAME, TARGET, R, EXTREME)                                                     \
    LOOP(NAME, TARGET, R, n, COMPLEX_STEP(R, EXTREME, a, a, b, i))

#define REAL_OWNER_LOOP(NAME, TARGET, R, EXTREME)                                                  \
    TARGET static void NAME(size_t n, void *acc, int32_t *acc_owner, const void *in,               \
                            const int32_t *in_owner)                                               \
    {                                                                                              \
        value_##R *restrict a = acc;                                                               \
        const value_##R *restrict b = in;                                                          \
        int32_t *restrict from = acc_owner;                                                        \
        const int32_t *restrict other = in_owner;                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            value_##R x = a[i], y = b[i];                                                          \
            value_##R mx = WEIGH_##EXTREME(R, x), my = WEIGH_##EXTREME(R, y);                      \
            int32_t fx = from[i], fy = other[i];                                                   \
            int take = BEATS_##EXTREME(R, mx, my) | ((fy < fx) & MATCHES_##EXTREME(R, mx, my));    \
            a[i] = take ? y : x;                                                                   \
            from[i] = take ? fy : fx;                                                              \
        }                                                                                          \
    }

/* The owner is chosen by a mask: three choices on one condition would tempt
 * gcc into a branch. */
#define COMPLEX_OWNER_LOOP(NAME, TARGET, R, EXTREME)                                               \
    TARGET static void NAME(size_t n, void *acc, int32_t *acc_owner, const void *in,               \
                            const int32_t *in_owner)                                               \
    {                                                                                              \
        value_##R *restrict a = acc;                                                               \
        const value_##R *restrict b = in;                                                          \
        int32_t *restrict from = acc_owner;                                                        \
        const int32_t *restrict other = in_owner;                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            value_##R xr = a[2 * i], xi = a[2 * i + 1], yr = b[2 * i], yi = b[2 * i + 1];          \
            value_##R mx = magnitude_##R(xr) + magnitude_##R(xi);                                  \
            value_##R my = magnitude_##R(yr) + magnitude_##R(yi);                                  \
            int32_t fx = from[i], fy = other[i];                                                   \
            int take = BEATS_##EXTREME(R, mx, my) | ((fy < fx) & MATCHES_##EXTREME(R, mx, my));    \
            a[2 * i] = take ? yr : xr;                                                             \
            a[2 * i + 1] = take ? yi : xi;                                                         \
            from[i] = fx ^ ((fx ^ fy) & -take);                                                    \
        }                                                                                          \
    }

/* ------------------------------------------------------------------ the table */

/* [op][type], without and with owners; no sum has owners, and bytes have no operation. */
typedef struct kernel_table {
    ob_kernel plain[OB_MIN + 1][OB_TYPES], owner[OB_MIN + 1][OB_TYPES];
} kernel_table;

#define ALL_LOOPS(HALF, TARGET)                                                                    \
    SUM_LOOP(sum_int_##HALF, TARGET, int, 1)                                                       \
    SUM_LOOP(sum_float_##HALF, TARGET, float, 1)                                                   \
    SUM_LOOP(sum_double_##HALF, TARGET, double, 1)                                                 \
    SUM_LOOP(sum_complex_##HALF, TARGET, float, 2)                                                 \
    SUM_LOOP(sum_dcomplex_##HALF, TARGET, double, 2)                                               \
    SUM_LOOP(sum_int64_##HALF, TARGET, int64, 1)                                                   \
    EXTREME_LOOPS(HALF, TARGET, max, MAX)                                                          \
    EXTREME_LOOPS(HALF, TARGET, min, MIN)                                                          \
    VALUE_LOOPS(HALF, TARGET, top, TOP)                                                            \
    VALUE_LOOPS(HALF, TARGET, low, LOW)                                                            \
    static const kernel_table table_##HALF = {                                                     \
        .plain = {TABLE_ROW(HALF, sum), TABLE_ROW(HALF, max), TABLE_ROW(HALF, min),                \
                  VALUE_ROW(HALF, top), VALUE_ROW(HALF, low)},                                     \
        .owner = {{NULL},                                                                          \
                  TABLE_ROW(HALF, max_owner),                                                      \
                  TABLE_ROW(HALF, min_owner),                                                      \
                  VALUE_ROW(HALF, top_owner),                                                      \
                  VALUE_ROW(HALF, low_owner)}};

/* Complex numbers have magnitudes, but no order. */
#define VALUE_LOOPS(HALF, TARGET, op, OP)                                                          \
    REAL_LOOP(op##_int_##HALF, TARGET, int, OP)                                                    \
    REAL_LOOP(op##_float_##HALF, TARGET, float, OP)                                                \
    REAL_LOOP(op##_double_##HALF, TARGET, double, OP)                                              \
    REAL_LOOP(op##_int64_##HALF, TARGET, int64, OP)                                                \
    REAL_OWNER_LOOP(op##_owner_int_##HALF, TARGET, int, OP)                                        \
    REAL_OWNER_LOOP(op##_owner_float_##HALF, TARGET, float, OP)                                    \
    REAL_OWNER_LOOP(op##_owner_double_##HALF, TARGET, double, OP)                                  \
    REAL_OWNER_LOOP(op##_owner_int64_##HALF, TARGET, int64, OP)

#define EXTREME_LOOPS(HALF, TARGET, op, OP)                                                        \
    VALUE_LOOPS(HALF, TARGET, op, OP)                                                              \
    COMPLEX_LOOP(op##_complex_##HALF, TARGET, float, OP)                                           \
    COMPLEX_LOOP(op##_dcomplex_##HALF, TARGET, double, OP)                                         \
    COMPLEX_OWNER_LOOP(op##_owner_complex_##HALF, TARGET, float, OP)                               \
    COMPLEX_OWNER_LOOP(op##_owner_dcomplex_##HALF, TARGET, double, OP)

#define VALUE_ROW(HALF, op)                                                                        \
    {                                                                                              \
        [OB_INT] = op##_int_##HALF, [OB_FLOAT] = op##_float_##HALF,                                \
        [OB_DOUBLE] = op##_double_##HALF, [OB_INT64] = op##_int64_##HALF                           \
    }
#define TABLE_ROW(HALF, op)                                                                        \
    {                                                                                              \
        [OB_INT] = op##_int_##HALF, [OB_FLOAT] = op##_float_##HALF,                                \
        [OB_DOUBLE] = op##_double_##HALF, [OB_COMPLEX] = op##_complex_##HALF,                      \
        [OB_DCOMPLEX] = op##_dcomplex_##HALF, [OB_INT64] = op##_int64_##HALF                       \
    }

ALL_LOOPS(base, )

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_HALF 1
ALL_LOOPS(avx2, __attribute__((target("avx2"))))
#endif

static const kernel_table *table(void)
{
#ifdef HAVE_AVX2_HALF
    if (__builtin_cpu_supports("avx2"))
        return &table_avx2;
#endif
    return &table_base;
}

static ob_kernel look_up(const kernel_table *t, ob_op op, ob_type type, int owners)
{
    if ((unsigned)op > OB_MIN || (unsigned)type >= OB_TYPES)
        return NULL;
    return owners ? t->owner[op][type] : t->plain[op][type];
}

ob_kernel ob_kernel_find(ob_op op, ob_type type, int owners)
{
    return look_up(table(), op, type, owners);
}

ob_kernel ob_kernel_portable(ob_op op, ob_type type, int owners)
{
    return look_up(&table_base, op, type, owners);
}

int ob_combine_local(ob_op op, ob_type type, size_t n, void *acc, const void *in)
{
    ob_kernel kernel = (unsigned)op <= OB_MIN ? ob_kernel_find(op, type, 0) : NULL;
    if (kernel == NULL)
        return ob_fail(OB_EARG, "OB-1019 ob_combine_local: operation %d of type %d is none",
                       (int)op, (int)type);
    kernel(n, acc, NULL, in, NULL);
    return OB_OK;
}
