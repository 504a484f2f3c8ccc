/*
 * The operators of all interfaces on elements of all kinds, as loops of two operands. What the
 * kernels of matrices do (sums, extremes by value) is done by them, with their rules; the loops
 * here have the same: a NaN wins over every number in a maximum and in a minimum, whatever the
 * order of the operands, and integers wrap around.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "kernel/half.h"
#include "kernel/kernel.h"

typedef void loop(size_t n, void *acc, const void *in, const void *context);

#define LOOP(name, T, statement)                                                                   \
    static void name(size_t n, void *acc, const void *in, const void *context)                     \
    {                                                                                              \
        T *restrict a = acc;                                                                       \
        const T *restrict b = in;                                                                  \
        (void)context;                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            statement;                                                                             \
        }                                                                                          \
    }

/* ------------------------------------------------------------- numbers, bits */

/* W: unsigned, at least as wide as an int, so that nothing overflows. */
#define ORDER_LOOPS(t, T)                                                                          \
    LOOP(t##_max, T, a[i] = a[i] > b[i] ? a[i] : b[i])                                             \
    LOOP(t##_min, T, a[i] = a[i] < b[i] ? a[i] : b[i])
#define SUM_LOOP(t, T, W) LOOP(t##_sum, T, a[i] = (T)((W)a[i] + (W)b[i]))
#define OTHER_LOOPS(t, T, W)                                                                       \
    LOOP(t##_product, T, a[i] = (T)((W)a[i] * (W)b[i]))                                            \
    LOOP(t##_and, T, a[i] = a[i] && b[i])                                                          \
    LOOP(t##_or, T, a[i] = a[i] || b[i])                                                           \
    LOOP(t##_xor, T, a[i] = !a[i] != !b[i])                                                        \
    LOOP(t##_bit_and, T, a[i] = (T)(a[i] & b[i]))                                                  \
    LOOP(t##_bit_or, T, a[i] = (T)(a[i] | b[i]))                                                   \
    LOOP(t##_bit_xor, T, a[i] = (T)(a[i] ^ b[i]))
#define INTEGER_LOOPS(t, T, W) ORDER_LOOPS(t, T) SUM_LOOP(t, T, W) OTHER_LOOPS(t, T, W)
INTEGER_LOOPS(int8, int8_t, uint32_t)
INTEGER_LOOPS(int16, int16_t, uint32_t)
OTHER_LOOPS(int32, int32_t, uint32_t)
OTHER_LOOPS(int64, int64_t, uint64_t)
INTEGER_LOOPS(uint8, uint8_t, uint32_t)
INTEGER_LOOPS(uint16, uint16_t, uint32_t)
ORDER_LOOPS(uint32, uint32_t)
OTHER_LOOPS(uint32, uint32_t, uint32_t)
ORDER_LOOPS(uint64, uint64_t)
OTHER_LOOPS(uint64, uint64_t, uint64_t)

/* A number is true where it is not 0, and a NaN is. */
#define REAL_TRUTH_LOOPS(t, T)                                                                     \
    LOOP(t##_and, T, a[i] = a[i] != 0 && b[i] != 0)                                                \
    LOOP(t##_or, T, a[i] = a[i] != 0 || b[i] != 0)                                                 \
    LOOP(t##_xor, T, a[i] = (a[i] != 0) != (b[i] != 0))
LOOP(float_product, float, a[i] *= b[i])
REAL_TRUTH_LOOPS(float, float)
LOOP(double_product, double, a[i] *= b[i])
REAL_TRUTH_LOOPS(double, double)

/* A NaN before every number, else what the comparison says; of zeros the one whose sign is asked
 * for. */
#define IS_NAN(x) ((x) != (x))
#define WINS(y, RELATION, x) ((y)RELATION(x) || (IS_NAN(y) && !IS_NAN(x)))
LOOP(long_double_max, long double,
     if (WINS(b[i], >, a[i]) || (b[i] == a[i] && signbit(a[i]))) a[i] = b[i])
LOOP(long_double_min, long double,
     if (WINS(b[i], <, a[i]) || (b[i] == a[i] && !signbit(a[i]))) a[i] = b[i])
LOOP(long_double_sum, long double, a[i] += b[i])
LOOP(long_double_product, long double, a[i] *= b[i])
REAL_TRUTH_LOOPS(long_double, long double)

/* Numbers of 16 bits, compared and combined as floats. */
#define SHORT_FLOAT_LOOPS(t)                                                                       \
    LOOP(t##_max, uint16_t, float x = ob_widen_##t(a[i]); float y = ob_widen_##t(b[i]);            \
         a[i] = WINS(y, >, x) || (y == x && a[i] >> 15) ? b[i] : a[i])                             \
    LOOP(t##_min, uint16_t, float x = ob_widen_##t(a[i]); float y = ob_widen_##t(b[i]);            \
         a[i] = WINS(y, <, x) || (y == x && !(a[i] >> 15)) ? b[i] : a[i])                          \
    LOOP(t##_sum, uint16_t, a[i] = ob_narrow_##t(ob_widen_##t(a[i]) + ob_widen_##t(b[i])))         \
    LOOP(t##_product, uint16_t, a[i] = ob_narrow_##t(ob_widen_##t(a[i]) * ob_widen_##t(b[i])))     \
    static void t##_to_float(size_t n, void *to, const void *from)                                 \
    {                                                                                              \
        float *restrict d = to;                                                                    \
        const uint16_t *restrict s = from;                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = ob_widen_##t(s[i]);                                                             \
    }                                                                                              \
    static void t##_of_float(size_t n, void *to, const void *from, int members)                    \
    {                                                                                              \
        uint16_t *restrict d = to;                                                                 \
        const float *restrict s = from, by = (float)members;                                       \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = ob_narrow_##t(s[i] / by);                                                       \
    }
SHORT_FLOAT_LOOPS(half)
SHORT_FLOAT_LOOPS(bfloat16)

/* Without the C standard's search for lost infinities (its annex G): as Fortran multiplies. */
#define COMPLEX_PRODUCT(name, R)                                                                   \
    typedef struct name##_number {                                                                 \
        R re, im;                                                                                  \
    } name##_number;                                                                               \
    LOOP(name##_product, name##_number,                                                            \
         a[i] = ((name##_number){a[i].re * b[i].re - a[i].im * b[i].im,                            \
                                 a[i].re * b[i].im + a[i].im * b[i].re}))
COMPLEX_PRODUCT(complex, float)
COMPLEX_PRODUCT(dcomplex, double)
COMPLEX_PRODUCT(long_complex, long double)
LOOP(long_complex_sum, long_complex_number, a[i].re += b[i].re; a[i].im += b[i].im)

/* --------------------------------------------------------------------- truth */

/* Fortran's true is 1 for one compiler and -1 for another, false is 0 for all; so results
 * are made of the operands, and a truth value stays as its compiler has it. */
#define LOGICAL_LOOPS(t, T)                                                                        \
    LOOP(t##_and, T, a[i] = a[i] ? b[i] : a[i])                                                    \
    LOOP(t##_or, T, a[i] = a[i] ? a[i] : b[i])                                                     \
    LOOP(t##_xor, T, a[i] = a[i] && b[i] ? 0 : a[i] ? a[i] : b[i])
LOGICAL_LOOPS(logical1, int8_t)
LOGICAL_LOOPS(logical2, int16_t)
LOGICAL_LOOPS(logical4, int32_t)
LOGICAL_LOOPS(logical8, int64_t)

LOOP(bool_and, _Bool, a[i] = a[i] && b[i])
LOOP(bool_or, _Bool, a[i] = a[i] || b[i])
LOOP(bool_xor, _Bool, a[i] = a[i] != b[i])

/* --------------------------------------------------------------------- pairs */

/* Of equal values the smaller index wins (MPI 3.1, 5.9.4). */
#define SAME(x, y) ((x) == (y) || (IS_NAN(x) && IS_NAN(y)))
#define PAIR(t, V, I)                                                                              \
    typedef struct t##_pair {                                                                      \
        V value;                                                                                   \
        I index;                                                                                   \
    } t##_pair;                                                                                    \
    LOOP(t##_max, t##_pair,                                                                        \
         if (WINS(b[i].value, >, a[i].value) ||                                                    \
             (SAME(b[i].value, a[i].value) && b[i].index < a[i].index)) a[i] = b[i])               \
    LOOP(t##_min, t##_pair,                                                                        \
         if (WINS(b[i].value, <, a[i].value) ||                                                    \
             (SAME(b[i].value, a[i].value) && b[i].index < a[i].index)) a[i] = b[i])
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(two_int, int, int)
PAIR(two_float, float, float)
PAIR(two_double, double, double)

/* ------------------------------------------------------------------ averages */

/* In place. */
#define DIVIDE_LOOP(t, T, W)                                                                       \
    static void t##_divide(size_t n, void *to, const void *from, int members)                      \
    {                                                                                              \
        T *d = to;                                                                                 \
        const T *s = from;                                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (T)(s[i] / (W)members);                                                         \
    }
DIVIDE_LOOP(int8, int8_t, int)
DIVIDE_LOOP(int16, int16_t, int)
DIVIDE_LOOP(int32, int32_t, int32_t)
DIVIDE_LOOP(int64, int64_t, int64_t)
DIVIDE_LOOP(uint8, uint8_t, unsigned)
DIVIDE_LOOP(uint16, uint16_t, unsigned)
DIVIDE_LOOP(uint32, uint32_t, uint32_t)
DIVIDE_LOOP(uint64, uint64_t, uint64_t)
DIVIDE_LOOP(float, float, float)
DIVIDE_LOOP(double, double, double)
DIVIDE_LOOP(long_double, long double, long double)
#define DIVIDE_PARTS(t, R)                                                                         \
    static void t##_divide(size_t n, void *to, const void *from, int members)                      \
    {                                                                                              \
        R##_divide(2 * n, to, from, members);                                                      \
    }
DIVIDE_PARTS(complex, float)
DIVIDE_PARTS(dcomplex, double)
DIVIDE_PARTS(long_complex, long_double)

/* ----------------------------------------------------------------- the table */

/* What by_kernel does: this ob_op on matrices of `type`. */
typedef struct entry {
    loop *apply;
    unsigned char type, op;
    bool staged; /* it is finished as staged_kinds says */
} entry;

static void by_kernel(size_t n, void *acc, const void *in, const void *context)
{
    const entry *e = context;
    ob_kernel_find((ob_op)e->op, (ob_type)e->type, 0)(n, acc, NULL, in, NULL);
}

/* Of an average, which is more than that (ob_operation_is). */
static void sum_by_kernel(size_t n, void *acc, const void *in, const void *context)
{
    by_kernel(n, acc, in, context);
}

/* clang-format off */
#define BY(name) {name, 0, 0, false}
#define KERNEL(type, op) {by_kernel, type, op, false}
#define AVERAGE(t) [OB_OPERATOR_AVERAGE] = {t##_sum, 0, 0, true}
#define KERNEL_AVERAGE(type) [OB_OPERATOR_AVERAGE] = {sum_by_kernel, type, OB_SUM, true}
#define INTEGER_ROW(t)                                                                             \
    {BY(t##_max), BY(t##_min), BY(t##_sum), BY(t##_product), BY(t##_and), BY(t##_or), BY(t##_xor), \
     BY(t##_bit_and), BY(t##_bit_or), BY(t##_bit_xor), AVERAGE(t)}
#define SIGNED_ROW(t, type)                                                                        \
    {KERNEL(type, OB_MAX), KERNEL(type, OB_MIN), KERNEL(type, OB_SUM), BY(t##_product),            \
     BY(t##_and), BY(t##_or), BY(t##_xor), BY(t##_bit_and), BY(t##_bit_or), BY(t##_bit_xor),       \
     KERNEL_AVERAGE(type)}
#define UNSIGNED_ROW(t, type)                                                                      \
    {BY(t##_max), BY(t##_min), KERNEL(type, OB_SUM), BY(t##_product), BY(t##_and), BY(t##_or),     \
     BY(t##_xor), BY(t##_bit_and), BY(t##_bit_or), BY(t##_bit_xor), KERNEL_AVERAGE(type)}
#define REAL_ROW(t, type)                                                                          \
    {KERNEL(type, OB_MAX), KERNEL(type, OB_MIN), KERNEL(type, OB_SUM), BY(t##_product),            \
     BY(t##_and), BY(t##_or), BY(t##_xor), KERNEL_AVERAGE(type)}
#define SHORT_FLOAT_ROW(t)                                                                         \
    {BY(t##_max), BY(t##_min), {t##_sum, 0, 0, true}, {t##_product, 0, 0, true}, AVERAGE(t)}
#define TRUTH_ROW(t)                                                                               \
    {[OB_OPERATOR_AND] = BY(t##_and), [OB_OPERATOR_OR] = BY(t##_or), [OB_OPERATOR_XOR] = BY(t##_xor)}
#define PAIR_ROW(t) {[OB_OPERATOR_MAX_PAIR] = BY(t##_max), [OB_OPERATOR_MIN_PAIR] = BY(t##_min)}
/* clang-format on */
static const entry table[OB_KINDS][OB_OPERATORS] = {
    [OB_KIND_INT8] = INTEGER_ROW(int8),
    [OB_KIND_INT16] = INTEGER_ROW(int16),
    [OB_KIND_INT32] = SIGNED_ROW(int32, OB_INT),
    [OB_KIND_INT64] = SIGNED_ROW(int64, OB_INT64),
    [OB_KIND_UINT8] = INTEGER_ROW(uint8),
    [OB_KIND_UINT16] = INTEGER_ROW(uint16),
    [OB_KIND_UINT32] = UNSIGNED_ROW(uint32, OB_INT),
    [OB_KIND_UINT64] = UNSIGNED_ROW(uint64, OB_INT64),
    [OB_KIND_FLOAT] = REAL_ROW(float, OB_FLOAT),
    [OB_KIND_DOUBLE] = REAL_ROW(double, OB_DOUBLE),
    [OB_KIND_LONG_DOUBLE] = {BY(long_double_max), BY(long_double_min), BY(long_double_sum),
                             BY(long_double_product), BY(long_double_and), BY(long_double_or),
                             BY(long_double_xor), AVERAGE(long_double)},
    [OB_KIND_COMPLEX] = {[OB_OPERATOR_SUM] = KERNEL(OB_COMPLEX, OB_SUM),
                         [OB_OPERATOR_PRODUCT] = BY(complex_product),
                         KERNEL_AVERAGE(OB_COMPLEX)},
    [OB_KIND_DCOMPLEX] = {[OB_OPERATOR_SUM] = KERNEL(OB_DCOMPLEX, OB_SUM),
                          [OB_OPERATOR_PRODUCT] = BY(dcomplex_product),
                          KERNEL_AVERAGE(OB_DCOMPLEX)},
    [OB_KIND_LONG_COMPLEX] = {[OB_OPERATOR_SUM] = BY(long_complex_sum),
                              [OB_OPERATOR_PRODUCT] = BY(long_complex_product),
                              AVERAGE(long_complex)},
    [OB_KIND_BOOL] = TRUTH_ROW(bool),
    [OB_KIND_LOGICAL1] = TRUTH_ROW(logical1),
    [OB_KIND_LOGICAL2] = TRUTH_ROW(logical2),
    [OB_KIND_LOGICAL4] = TRUTH_ROW(logical4),
    [OB_KIND_LOGICAL8] = TRUTH_ROW(logical8),
    [OB_KIND_BYTE] = {[OB_OPERATOR_BIT_AND] = BY(uint8_bit_and),
                      [OB_OPERATOR_BIT_OR] = BY(uint8_bit_or),
                      [OB_OPERATOR_BIT_XOR] = BY(uint8_bit_xor)},
    [OB_KIND_FLOAT_INT] = PAIR_ROW(float_int),
    [OB_KIND_DOUBLE_INT] = PAIR_ROW(double_int),
    [OB_KIND_LONG_INT] = PAIR_ROW(long_int),
    [OB_KIND_SHORT_INT] = PAIR_ROW(short_int),
    [OB_KIND_LONG_DOUBLE_INT] = PAIR_ROW(long_double_int),
    [OB_KIND_2INT] = PAIR_ROW(two_int),
    [OB_KIND_2FLOAT] = PAIR_ROW(two_float),
    [OB_KIND_2DOUBLE] = PAIR_ROW(two_double),
    [OB_KIND_HALF] = SHORT_FLOAT_ROW(half),
    [OB_KIND_BFLOAT16] = SHORT_FLOAT_ROW(bfloat16),
};

/* What finishes an average; of numbers of 16 bits also a sum and a product. */
static const struct staged_kind {
    ob_kind inner; /* the kind that is combined */
    void (*widen)(size_t, void *, const void *);
    void (*finish)(size_t, void *, const void *, int);
} staged_kinds[OB_KINDS] = {
#define DIVIDED(KIND, t) [KIND] = {KIND, NULL, t##_divide}
    DIVIDED(OB_KIND_INT8, int8),
    DIVIDED(OB_KIND_INT16, int16),
    DIVIDED(OB_KIND_INT32, int32),
    DIVIDED(OB_KIND_INT64, int64),
    DIVIDED(OB_KIND_UINT8, uint8),
    DIVIDED(OB_KIND_UINT16, uint16),
    DIVIDED(OB_KIND_UINT32, uint32),
    DIVIDED(OB_KIND_UINT64, uint64),
    DIVIDED(OB_KIND_FLOAT, float),
    DIVIDED(OB_KIND_DOUBLE, double),
    DIVIDED(OB_KIND_LONG_DOUBLE, long_double),
    DIVIDED(OB_KIND_COMPLEX, complex),
    DIVIDED(OB_KIND_DCOMPLEX, dcomplex),
    DIVIDED(OB_KIND_LONG_COMPLEX, long_complex),
    [OB_KIND_HALF] = {OB_KIND_FLOAT, half_to_float, half_of_float},
    [OB_KIND_BFLOAT16] = {OB_KIND_FLOAT, bfloat16_to_float, bfloat16_of_float},
};

static const unsigned char bytes_of[OB_KINDS] = {1,
                                                 2,
                                                 4,
                                                 8,
                                                 1,
                                                 2,
                                                 4,
                                                 8,
                                                 sizeof(float),
                                                 sizeof(double),
                                                 sizeof(long double),
                                                 sizeof(complex_number),
                                                 sizeof(dcomplex_number),
                                                 sizeof(long_complex_number),
                                                 sizeof(_Bool),
                                                 1,
                                                 2,
                                                 4,
                                                 8,
                                                 1,
                                                 sizeof(float_int_pair),
                                                 sizeof(double_int_pair),
                                                 sizeof(long_int_pair),
                                                 sizeof(short_int_pair),
                                                 sizeof(long_double_int_pair),
                                                 sizeof(two_int_pair),
                                                 sizeof(two_float_pair),
                                                 sizeof(two_double_pair),
                                                 2,
                                                 2};

int ob_operation_of(ob_operator what, ob_kind kind, ob_operation *operation)
{
    if ((unsigned)what >= OB_OPERATORS || (unsigned)kind >= OB_KINDS || operation == NULL ||
        table[kind][what].apply == NULL)
        return ob_fail(OB_EARG, "OB-1019 ob_operation_of: elements of kind %d have no operator %d",
                       (int)kind, (int)what);
    const entry *e = &table[kind][what];
    *operation = (ob_operation){e->apply, e, bytes_of[kind]};
    return OB_OK;
}

ob_type ob_kind_type(ob_kind kind)
{
    switch (kind) {
    case OB_KIND_INT32:
    case OB_KIND_UINT32: return OB_INT;
    case OB_KIND_INT64:
    case OB_KIND_UINT64: return OB_INT64;
    case OB_KIND_FLOAT: return OB_FLOAT;
    case OB_KIND_DOUBLE: return OB_DOUBLE;
    case OB_KIND_COMPLEX: return OB_COMPLEX;
    case OB_KIND_DCOMPLEX: return OB_DCOMPLEX;
    default: return OB_BYTE;
    }
}

int ob_operation_is(const ob_operation *operation, ob_type type, ob_op *op)
{
    if (operation->apply != by_kernel)
        return 0;
    const entry *e = operation->context;
    *op = (ob_op)e->op;
    return (ob_type)e->type == type;
}

bool ob_operation_is_own(const ob_operation *operation)
{
    /* Is the context an entry of the table, and not something of the caller's? */
    uintptr_t at = (uintptr_t)operation->context, first = (uintptr_t)table;
    return at >= first && at < first + sizeof table &&
           operation->apply == ((const entry *)operation->context)->apply;
}

bool ob_operation_staged(const ob_operation *operation, ob_staged *staged)
{
    const entry *e = operation->context;
    if (!ob_operation_is_own(operation) || !e->staged)
        return false;
    size_t place = (size_t)(e - &table[0][0]);
    ob_operator what = (ob_operator)(place % OB_OPERATORS);
    const struct staged_kind *k = &staged_kinds[place / OB_OPERATORS];
    staged->divides = what == OB_OPERATOR_AVERAGE;
    staged->type = ob_kind_type(k->inner);
    staged->widen = k->widen;
    staged->finish = k->finish;
    return ob_operation_of(staged->divides ? OB_OPERATOR_SUM : what, k->inner, &staged->inner) ==
           OB_OK;
}
