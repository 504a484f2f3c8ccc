/*
 * Kernels of three operands, for results that are built beside what others
 * still read: on shared memory a member's contribution stays as it is. Stamped
 * and chosen like those of kernel.c, with the same rules for ties and NaN.
 */
#include "kernel/kernel.h"

#include "kernel/kernel_scalar.h"

/* dst and x are one array or do not overlap. */
#if defined(__clang__)
#define ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ELEMENTWISE _Pragma("GCC ivdep")
#else
#define ELEMENTWISE
#endif

#define FOLD(NAME, TARGET, R, COUNT, STEP)                                                         \
    TARGET static void NAME(size_t n, void *dst, const void *vx, const void *vy)                   \
    {                                                                                              \
        value_##R *d = dst;                                                                        \
        const value_##R *a = vx, *b = vy;                                                          \
        ELEMENTWISE                                                                                \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            STEP                                                                                   \
        }                                                                                          \
    }

#define SUM_FOLD(NAME, TARGET, R, PARTS)                                                           \
    FOLD(NAME, TARGET, R, (n * PARTS), d[i] = plus_##R(a[i], b[i]);)

#define REAL_FOLD(NAME, TARGET, R, EXTREME)                                                        \
    FOLD(NAME, TARGET, R, n, REAL_STEP(R, EXTREME, d, a, b, i))

#define COMPLEX_FOLD(NAME, TARGET, R, EXTREME)                                                     \
    FOLD(NAME, TARGET, R, n, COMPLEX_STEP(R, EXTREME, d, a, b, i))

/* Owners are chosen by masks: more choices on one condition would tempt gcc
 * into a branch. PARTS is 1 or 2; WEIGHT gives the magnitude of element i. */
#define REAL_WEIGHT(R, v, i) magnitude_##R(v[i])
#define VALUE_WEIGHT(R, v, i) (v[i])
#define COMPLEX_WEIGHT(R, v, i) (magnitude_##R(v[2 * (i)]) + magnitude_##R(v[2 * (i) + 1]))

#define PICK_real(R, d, a, b, i, take) d[i] = take ? b[i] : a[i];
#define PICK_complex(R, d, a, b, i, take)                                                          \
    value_##R re = take ? b[2 * (i)] : a[2 * (i)];                                                 \
    value_##R im = take ? b[2 * (i) + 1] : a[2 * (i) + 1];                                         \
    d[2 * (i)] = re;                                                                               \
    d[2 * (i) + 1] = im;

#define TWO_LOOP(R, EXTREME, WEIGHT, PICK, SECOND)                                                 \
    ELEMENTWISE                                                                                    \
    for (size_t i = 0; i < n; i++) {                                                               \
        value_##R mx = WEIGHT(R, a, i), my = WEIGHT(R, b, i);                                      \
        int take = BEATS_##EXTREME(R, mx, my);                                                     \
        PICK(R, d, a, b, i, take)                                                                  \
        first[i] = of_x.first ^ (change.first & -take);                                            \
        SECOND                                                                                     \
    }

#define TWO_FOLD(NAME, TARGET, R, EXTREME, WEIGHT, PICK)                                           \
    TARGET static void NAME(size_t n, void *dst, int32_t *restrict first,                          \
                            int32_t *restrict second, const void *vx, const void *vy, ob_two of_x, \
                            ob_two of_y)                                                           \
    {                                                                                              \
        value_##R *d = dst;                                                                        \
        const value_##R *a = vx, *b = vy;                                                          \
        ob_two change = {of_x.first ^ of_y.first, of_x.second ^ of_y.second};                      \
        if (second) {                                                                              \
            TWO_LOOP(R, EXTREME, WEIGHT, PICK, second[i] = of_x.second ^ (change.second & -take);) \
        } else {                                                                                   \
            TWO_LOOP(R, EXTREME, WEIGHT, PICK, )                                                   \
        }                                                                                          \
    }

#define MORE_FOLD(NAME, TARGET, R, EXTREME, WEIGHT, PICK)                                          \
    TARGET static void NAME(size_t n, void *acc, int32_t *restrict owner, const void *vy,          \
                            int32_t of_y)                                                          \
    {                                                                                              \
        value_##R *restrict d = acc;                                                               \
        const value_##R *restrict b = vy;                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            value_##R mx = WEIGHT(R, d, i), my = WEIGHT(R, b, i);                                  \
            int take = BEATS_##EXTREME(R, mx, my);                                                 \
            PICK(R, d, d, b, i, take)                                                              \
            owner[i] = owner[i] ^ ((owner[i] ^ of_y) & -take);                                     \
        }                                                                                          \
    }

/* ------------------------------------------------------------------ the table */

#define REAL_FOLDS(HALF, TARGET, op, OP, R, WEIGHT)                                                \
    REAL_FOLD(op##_##R##_##HALF, TARGET, R, OP)                                                    \
    TWO_FOLD(op##_two_##R##_##HALF, TARGET, R, OP, WEIGHT, PICK_real)                              \
    MORE_FOLD(op##_more_##R##_##HALF, TARGET, R, OP, WEIGHT, PICK_real)
#define COMPLEX_FOLDS(HALF, TARGET, op, OP, name, R)                                               \
    COMPLEX_FOLD(op##_##name##_##HALF, TARGET, R, OP)                                              \
    TWO_FOLD(op##_two_##name##_##HALF, TARGET, R, OP, COMPLEX_WEIGHT, PICK_complex)                \
    MORE_FOLD(op##_more_##name##_##HALF, TARGET, R, OP, COMPLEX_WEIGHT, PICK_complex)

/* Complex numbers have magnitudes, but no order. */
#define VALUE_FOLDS(HALF, TARGET, op, OP, WEIGHT)                                                  \
    REAL_FOLDS(HALF, TARGET, op, OP, int, WEIGHT)                                                  \
    REAL_FOLDS(HALF, TARGET, op, OP, float, WEIGHT)                                                \
    REAL_FOLDS(HALF, TARGET, op, OP, double, WEIGHT)                                               \
    REAL_FOLDS(HALF, TARGET, op, OP, int64, WEIGHT)
#define EXTREME_FOLDS(HALF, TARGET, op, OP)                                                        \
    VALUE_FOLDS(HALF, TARGET, op, OP, REAL_WEIGHT)                                                 \
    COMPLEX_FOLDS(HALF, TARGET, op, OP, complex, float)                                            \
    COMPLEX_FOLDS(HALF, TARGET, op, OP, dcomplex, double)

#define EXTREME_ENTRY(HALF, op, R)                                                                 \
    {                                                                                              \
        op##_##R##_##HALF, op##_two_##R##_##HALF, op##_more_##R##_##HALF                           \
    }
#define SUM_ENTRY(HALF, op, R)                                                                     \
    {                                                                                              \
        sum_##R##_##HALF, NULL, NULL                                                               \
    }
#define ROW(ENTRY, HALF, op)                                                                       \
    {                                                                                              \
        [OB_INT] = ENTRY(HALF, op, int), [OB_FLOAT] = ENTRY(HALF, op, float),                      \
        [OB_DOUBLE] = ENTRY(HALF, op, double), [OB_COMPLEX] = ENTRY(HALF, op, complex),            \
        [OB_DCOMPLEX] = ENTRY(HALF, op, dcomplex), [OB_INT64] = ENTRY(HALF, op, int64)             \
    }

#define VALUE_ROW(HALF, op)                                                                        \
    {                                                                                              \
        [OB_INT] = EXTREME_ENTRY(HALF, op, int), [OB_FLOAT] = EXTREME_ENTRY(HALF, op, float),      \
        [OB_DOUBLE] = EXTREME_ENTRY(HALF, op, double), [OB_INT64] = EXTREME_ENTRY(HALF, op, int64) \
    }

#define ALL_FOLDS(HALF, TARGET)                                                                    \
    SUM_FOLD(sum_int_##HALF, TARGET, int, 1)                                                       \
    SUM_FOLD(sum_float_##HALF, TARGET, float, 1)                                                   \
    SUM_FOLD(sum_double_##HALF, TARGET, double, 1)                                                 \
    SUM_FOLD(sum_complex_##HALF, TARGET, float, 2)                                                 \
    SUM_FOLD(sum_dcomplex_##HALF, TARGET, double, 2)                                               \
    SUM_FOLD(sum_int64_##HALF, TARGET, int64, 1)                                                   \
    EXTREME_FOLDS(HALF, TARGET, max, MAX)                                                          \
    EXTREME_FOLDS(HALF, TARGET, min, MIN)                                                          \
    VALUE_FOLDS(HALF, TARGET, top, TOP, VALUE_WEIGHT)                                              \
    VALUE_FOLDS(HALF, TARGET, low, LOW, VALUE_WEIGHT)                                              \
    static const ob_folds table_##HALF[OB_MIN + 1][OB_TYPES] = {                                   \
        ROW(SUM_ENTRY, HALF, sum), ROW(EXTREME_ENTRY, HALF, max), ROW(EXTREME_ENTRY, HALF, min),   \
        VALUE_ROW(HALF, top), VALUE_ROW(HALF, low)};

ALL_FOLDS(base, )

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_HALF 1
ALL_FOLDS(avx2, __attribute__((target("avx2"))))
#endif

static ob_folds look_up(const ob_folds table[OB_MIN + 1][OB_TYPES], ob_op op, ob_type type)
{
    if ((unsigned)op > OB_MIN || (unsigned)type >= OB_TYPES)
        return (ob_folds){NULL, NULL, NULL};
    return table[op][type];
}

ob_folds ob_folds_find(ob_op op, ob_type type)
{
#ifdef HAVE_AVX2_HALF
    if (__builtin_cpu_supports("avx2"))
        return look_up(table_avx2, op, type);
#endif
    return look_up(table_base, op, type);
}

ob_folds ob_folds_portable(ob_op op, ob_type type)
{
    return look_up(table_base, op, type);
}
