/*
 * The operators of all interfaces on elements of all kinds, as loops of two operands. What the
 * kernels of matrices do (sums, extremes by value) is done by them, with their rules; the loops
 * here have the same: a NaN wins over every number in a maximum and in a minimum, whatever the
 * order of the operands, and integers wrap around.
 */
#include <math.h>
#include <stdint.h>

#include "core/error.h"
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

LOOP(float_product, float, a[i] *= b[i])
LOOP(double_product, double, a[i] *= b[i])

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

/* ----------------------------------------------------------------- the table */

/* What by_kernel does: this ob_op on matrices of `type`. */
typedef struct entry {
    loop *apply;
    unsigned char type, op;
} entry;

static void by_kernel(size_t n, void *acc, const void *in, const void *context)
{
    const entry *e = context;
    ob_kernel_find((ob_op)e->op, (ob_type)e->type, 0)(n, acc, NULL, in, NULL);
}

/* clang-format off */
#define BY(name) {name, 0, 0}
#define KERNEL(type, op) {by_kernel, type, op}
#define INTEGER_ROW(t)                                                                             \
    {BY(t##_max), BY(t##_min), BY(t##_sum), BY(t##_product), BY(t##_and), BY(t##_or), BY(t##_xor), \
     BY(t##_bit_and), BY(t##_bit_or), BY(t##_bit_xor)}
#define SIGNED_ROW(t, type)                                                                        \
    {KERNEL(type, OB_MAX), KERNEL(type, OB_MIN), KERNEL(type, OB_SUM), BY(t##_product),            \
     BY(t##_and), BY(t##_or), BY(t##_xor), BY(t##_bit_and), BY(t##_bit_or), BY(t##_bit_xor)}
#define UNSIGNED_ROW(t, type)                                                                      \
    {BY(t##_max), BY(t##_min), KERNEL(type, OB_SUM), BY(t##_product), BY(t##_and), BY(t##_or),     \
     BY(t##_xor), BY(t##_bit_and), BY(t##_bit_or), BY(t##_bit_xor)}
#define REAL_ROW(t, type)                                                                          \
    {KERNEL(type, OB_MAX), KERNEL(type, OB_MIN), KERNEL(type, OB_SUM), BY(t##_product)}
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
                             BY(long_double_product)},
    [OB_KIND_COMPLEX] = {[OB_OPERATOR_SUM] = KERNEL(OB_COMPLEX, OB_SUM),
                         [OB_OPERATOR_PRODUCT] = BY(complex_product)},
    [OB_KIND_DCOMPLEX] = {[OB_OPERATOR_SUM] = KERNEL(OB_DCOMPLEX, OB_SUM),
                          [OB_OPERATOR_PRODUCT] = BY(dcomplex_product)},
    [OB_KIND_LONG_COMPLEX] = {[OB_OPERATOR_SUM] = BY(long_complex_sum),
                              [OB_OPERATOR_PRODUCT] = BY(long_complex_product)},
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
                                                 sizeof(two_double_pair)};

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
