/*
 * MPI's predefined operations on its built-in types, as element-wise loops. The sums
 * of the types that the core has are the core's.
 */
#include <complex.h>
#include <stdint.h>

#include "shim.h"

/* Columns of the table. */
typedef enum op {
    OP_MAX, OP_MIN, OP_SUM, OP_PROD, OP_LAND, OP_LOR, OP_LXOR, OP_BAND, OP_BOR, OP_BXOR,
    OP_MAXLOC, OP_MINLOC, OPS
} op;

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

/* Sums and products wrap around, as unsigned ones of at least an int's width do. */
#define INTEGERS(X)                                                                                \
    X(i8, int8_t, uint32_t)                                                                        \
    X(i16, int16_t, uint32_t)                                                                      \
    X(i32, int32_t, uint32_t)                                                                      \
    X(i64, int64_t, uint64_t)                                                                      \
    X(u8, uint8_t, uint32_t)                                                                       \
    X(u16, uint16_t, uint32_t)                                                                     \
    X(u32, uint32_t, uint32_t)                                                                     \
    X(u64, uint64_t, uint64_t)
#define INTEGER_LOOPS(t, T, W)                                                                     \
    LOOP(t##_max, T, a[i] = a[i] > b[i] ? a[i] : b[i])                                             \
    LOOP(t##_min, T, a[i] = a[i] < b[i] ? a[i] : b[i])                                             \
    LOOP(t##_sum, T, a[i] = (T)((W)a[i] + (W)b[i]))                                                \
    LOOP(t##_prod, T, a[i] = (T)((W)a[i] * (W)b[i]))                                               \
    LOOP(t##_land, T, a[i] = a[i] && b[i])                                                         \
    LOOP(t##_lor, T, a[i] = a[i] || b[i])                                                          \
    LOOP(t##_lxor, T, a[i] = !a[i] != !b[i])                                                       \
    LOOP(t##_band, T, a[i] = (T)(a[i] & b[i]))                                                     \
    LOOP(t##_bor, T, a[i] = (T)(a[i] | b[i]))                                                      \
    LOOP(t##_bxor, T, a[i] = (T)(a[i] ^ b[i]))
INTEGERS(INTEGER_LOOPS)

#define REALS(X)                                                                                   \
    X(float, float)                                                                                \
    X(double, double)                                                                              \
    X(long_double, long double)
#define REAL_LOOPS(t, T)                                                                           \
    LOOP(t##_max, T, a[i] = a[i] > b[i] ? a[i] : b[i])                                             \
    LOOP(t##_min, T, a[i] = a[i] < b[i] ? a[i] : b[i])                                             \
    LOOP(t##_sum, T, a[i] += b[i])                                                                 \
    LOOP(t##_prod, T, a[i] *= b[i])
REALS(REAL_LOOPS)

#define COMPLEX_LOOPS(t, T)                                                                        \
    LOOP(t##_sum, T, a[i] += b[i])                                                                 \
    LOOP(t##_prod, T, a[i] *= b[i])
COMPLEX_LOOPS(cfloat, float complex)
COMPLEX_LOOPS(cdouble, double complex)
COMPLEX_LOOPS(clong_double, long double complex)

/* Fortran's true is 1 for one compiler and -1 for another, false is 0 for all; so results
 * are made of the operands, and a truth value stays as its compiler has it. */
#define LOGICAL_LOOPS(t, T)                                                                        \
    LOOP(t##_land, T, a[i] = a[i] ? b[i] : a[i])                                                   \
    LOOP(t##_lor, T, a[i] = a[i] ? a[i] : b[i])                                                    \
    LOOP(t##_lxor, T, a[i] = a[i] && b[i] ? 0 : a[i] ? a[i] : b[i])
LOGICAL_LOOPS(logical1, int8_t)
LOGICAL_LOOPS(logical2, int16_t)
LOGICAL_LOOPS(logical4, int32_t)
LOGICAL_LOOPS(logical8, int64_t)

LOOP(bool_land, _Bool, a[i] = a[i] && b[i])
LOOP(bool_lor, _Bool, a[i] = a[i] || b[i])
LOOP(bool_lxor, _Bool, a[i] = a[i] != b[i])

/* Of equal values the smaller index wins (MPI 3.1, 5.9.4). */
#define PAIR(t, V, I)                                                                              \
    typedef struct t {                                                                             \
        V value;                                                                                   \
        I index;                                                                                   \
    } t;                                                                                           \
    LOOP(t##_maxloc, t,                                                                            \
         if (b[i].value > a[i].value || (b[i].value == a[i].value && b[i].index < a[i].index))     \
             a[i] = b[i])                                                                          \
    LOOP(t##_minloc, t,                                                                            \
         if (b[i].value < a[i].value || (b[i].value == a[i].value && b[i].index < a[i].index))     \
             a[i] = b[i])
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(two_int, int, int)
PAIR(two_float, float, float)
PAIR(two_double, double, double)

typedef void loop(size_t n, void *acc, const void *in, const void *context);

#define INTEGER_ROW(t)                                                                             \
    {t##_max, t##_min, t##_sum, t##_prod, t##_land, t##_lor, t##_lxor, t##_band, t##_bor, t##_bxor,\
     NULL, NULL}
#define REAL_ROW(t) {t##_max, t##_min, t##_sum, t##_prod}
#define COMPLEX_ROW(t) {[OP_SUM] = t##_sum, [OP_PROD] = t##_prod}
#define LOGICAL_ROW(t) {[OP_LAND] = t##_land, [OP_LOR] = t##_lor, [OP_LXOR] = t##_lxor}
#define PAIR_ROW(t) {[OP_MAXLOC] = t##_maxloc, [OP_MINLOC] = t##_minloc}
static loop *const loops[KINDS][OPS] = {
    [KIND_I8] = INTEGER_ROW(i8),
    [KIND_I16] = INTEGER_ROW(i16),
    [KIND_I32] = INTEGER_ROW(i32),
    [KIND_I64] = INTEGER_ROW(i64),
    [KIND_U8] = INTEGER_ROW(u8),
    [KIND_U16] = INTEGER_ROW(u16),
    [KIND_U32] = INTEGER_ROW(u32),
    [KIND_U64] = INTEGER_ROW(u64),
    [KIND_FLOAT] = REAL_ROW(float),
    [KIND_DOUBLE] = REAL_ROW(double),
    [KIND_LONG_DOUBLE] = REAL_ROW(long_double),
    [KIND_CFLOAT] = COMPLEX_ROW(cfloat),
    [KIND_CDOUBLE] = COMPLEX_ROW(cdouble),
    [KIND_CLONG_DOUBLE] = COMPLEX_ROW(clong_double),
    [KIND_BOOL] = LOGICAL_ROW(bool),
    [KIND_LOGICAL1] = LOGICAL_ROW(logical1),
    [KIND_LOGICAL2] = LOGICAL_ROW(logical2),
    [KIND_LOGICAL4] = LOGICAL_ROW(logical4),
    [KIND_LOGICAL8] = LOGICAL_ROW(logical8),
    [KIND_BYTE] = {[OP_BAND] = u8_band, [OP_BOR] = u8_bor, [OP_BXOR] = u8_bxor},
    [KIND_FLOAT_INT] = PAIR_ROW(float_int),
    [KIND_DOUBLE_INT] = PAIR_ROW(double_int),
    [KIND_LONG_INT] = PAIR_ROW(long_int),
    [KIND_SHORT_INT] = PAIR_ROW(short_int),
    [KIND_LONG_DOUBLE_INT] = PAIR_ROW(long_double_int),
    [KIND_2INT] = PAIR_ROW(two_int),
    [KIND_2FLOAT] = PAIR_ROW(two_float),
    [KIND_2DOUBLE] = PAIR_ROW(two_double),
};

/* The core's type that a kind is, for sums; OB_TYPES: none. (Unsigned sums wrap as signed do.) */
static ob_type core_type(shim_kind kind)
{
    switch (kind) {
    case KIND_I32:
    case KIND_U32:
        return OB_INT;
    case KIND_FLOAT:
        return OB_FLOAT;
    case KIND_DOUBLE:
        return OB_DOUBLE;
    case KIND_CFLOAT:
        return OB_COMPLEX;
    case KIND_CDOUBLE:
        return OB_DCOMPLEX;
    default:
        return OB_TYPES;
    }
}

/* OPS: an operation of the user's. */
static op op_of(MPI_Op mpi)
{
    const MPI_Op known[OPS] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR,
                               MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    int i = 0;
    if (mpi == MPI_SUM)
        return OP_SUM;
    while (i < OPS && known[i] != mpi)
        i++;
    return (op)i;
}

bool shim_operation_of(const shim_type *type, MPI_Op mpi, shim_operation *found, shim_fate *why)
{
    op o = op_of(mpi);
    if (mpi == MPI_OP_NULL || mpi == MPI_REPLACE || mpi == MPI_NO_OP) {
        *why = INVALID;
        return false;
    }
    bool logical = o == OP_LAND || o == OP_LOR || o == OP_LXOR;
    if (o == OPS || type->kind >= KINDS || loops[type->kind][o] == NULL ||
        (logical && type->no_logical)) {
        *why = o == OPS ? USER_OP : type->kind == KIND_DERIVED ? DERIVED : NO_KERNEL;
        return false;
    }
    *found = (shim_operation){.type = OB_BYTE};
    if (o == OP_SUM && core_type(type->kind) != OB_TYPES) {
        found->type = core_type(type->kind);
        return true;
    }
    found->by = (ob_operation){loops[type->kind][o], NULL, type->extent};
    return true;
}
