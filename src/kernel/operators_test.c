/*
 * The operators on elements of all kinds against plain readings of their rules: NaN and zeros in
 * either order, integers that wrap around, truth as its compiler has it, pairs.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/half.h"
#include "kernel/kernel.h"
#include "unit.h"

static ob_operation get(ob_operator what, ob_kind kind)
{
    ob_operation o;
    assert_int_equal(ob_operation_of(what, kind, &o), OB_OK);
    return o;
}

/* a[i] op b[i], for n elements of which the n-th is not touched. */
static void apply(ob_operator what, ob_kind kind, size_t n, void *a, const void *b)
{
    ob_operation o = get(what, kind);
    char *end = (char *)a + n * o.element_bytes, guard = *end;
    o.apply(n, a, b, o.context);
    assert_int_equal(*end, guard);
}

/* -------------------------------------------------------------------- reals */

static const double pool[] = {0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, NAN, -NAN};
enum { POOL = sizeof pool / sizeof *pool };

static double extreme(bool most, double x, double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return most == !signbit(x) ? x : y;
    return most == (x > y) ? x : y;
}

#define TEST_REAL(name, T, KIND)                                                                   \
    static void name(void **state)                                                                 \
    {                                                                                              \
        for (int most = 0; most < 2; most++)                                                       \
            for (int i = 0; i < POOL * POOL; i++) {                                                \
                T a[20], b[20];                                                                    \
                double x = pool[i % POOL], y = pool[i / POOL], want = extreme(most, x, y);         \
                for (int k = 0; k < 20; k++)                                                       \
                    a[k] = (T)x, b[k] = (T)y;                                                      \
                apply(most ? OB_OPERATOR_MAX : OB_OPERATOR_MIN, KIND, 19, a, b);                   \
                for (int k = 0; k < 19; k++) {                                                     \
                    double got = (double)a[k];                                                     \
                    if (!(isnan(want) && isnan(got)) &&                                            \
                        (got != want || !signbit(got) != !signbit(want)))                          \
                        fail_msg("%s of %g and %g is %g", most ? "max" : "min", x, y, got);        \
                }                                                                                  \
            }                                                                                      \
        T p[2] = {3, 9}, q[1] = {5};                                                               \
        apply(OB_OPERATOR_PRODUCT, KIND, 1, p, q);                                                 \
        apply(OB_OPERATOR_SUM, KIND, 1, p, q);                                                     \
        assert_true(p[0] == 20 && p[1] == 9);                                                      \
    }
TEST_REAL(test_float, float, OB_KIND_FLOAT)
TEST_REAL(test_double, double, OB_KIND_DOUBLE)
TEST_REAL(test_long_double, long double, OB_KIND_LONG_DOUBLE)

#define TEST_COMPLEX(name, T, KIND)                                                                \
    static void name(void **state)                                                                 \
    {                                                                                              \
        T a[4] = {1, 2, 7, 7};                                                                     \
        const T b[2] = {3, -5};                                                                    \
        apply(OB_OPERATOR_PRODUCT, KIND, 1, a, b);                                                 \
        assert_true(a[0] == 13 && a[1] == 1);                                                      \
        apply(OB_OPERATOR_SUM, KIND, 1, a, b);                                                     \
        assert_true(a[0] == 16 && a[1] == -4 && a[2] == 7);                                        \
    }
TEST_COMPLEX(test_complex, float, OB_KIND_COMPLEX)
TEST_COMPLEX(test_dcomplex, double, OB_KIND_DCOMPLEX)
TEST_COMPLEX(test_long_complex, long double, OB_KIND_LONG_COMPLEX)

/* ------------------------------------------------------- numbers of 16 bits */

/* Exponent and fraction, by their meaning. */
static double value_of(uint16_t h, int exponent, int fraction)
{
    int bias = (1 << (exponent - 1)) - 1, e = (h & 0x7fff) >> fraction;
    int f = h & ((1 << fraction) - 1);
    double sign = h >> 15 ? -1 : 1;
    if (e == 2 * bias + 1)
        return f ? NAN : sign * INFINITY;
    return sign * (e ? ldexp(1 + ldexp(f, -fraction), e - bias) : ldexp(f, 1 - bias - fraction));
}

/* Is h the nearest to x of all such numbers, of two the even one? Its neighbours are no nearer. */
static bool is_nearest(double x, uint16_t h, int exponent, int fraction)
{
    uint16_t huge = (uint16_t)(((1 << exponent) - 1) << fraction), rest = h & 0x7fff;
    double a = fabs(x), largest = value_of(huge - 1, exponent, fraction);
    double beyond = 2 * largest - value_of(huge - 2, exponent, fraction);
    if (signbit(x) != h >> 15 || rest > huge)
        return false;
    double mine = rest == huge ? beyond : value_of(rest, exponent, fraction), off = fabs(a - mine);
    if (rest == huge)
        return a >= (largest + beyond) / 2;
    double above = rest + 1 == huge ? beyond : value_of(rest + 1, exponent, fraction);
    double below = rest ? value_of(rest - 1, exponent, fraction) : -above;
    bool even = rest % 2 == 0;
    return (off < above - a || (off == above - a && even)) &&
           (off < a - below || (off == a - below && even));
}

/* All of them, and floats around all of them and between. */
static void test_short_floats(void **state)
{
    for (unsigned h = 0; h < 0x10000; h++) {
        float half = ob_widen_half((uint16_t)h), brain = ob_widen_bfloat16((uint16_t)h);
        double want_half = value_of((uint16_t)h, 5, 10), want_brain = value_of((uint16_t)h, 8, 7);
        assert_true(isnan(want_half) ? isnan(half) : half == want_half);
        assert_true(isnan(want_brain) ? isnan(brain) : brain == want_brain);
        assert_true(isnan(half) || ob_narrow_half(half) == h);
        assert_true(isnan(brain) || ob_narrow_bfloat16(brain) == h);
        assert_true(!isnan(half) || isnan(ob_widen_half(ob_narrow_half(half))));
        assert_true(!isnan(brain) || isnan(ob_widen_bfloat16(ob_narrow_bfloat16(brain))));
        for (int k = -2; k < 3 && !isnan(half) && !isinf(half); k++) {
            uint16_t next = (uint16_t)(h ^ 1);
            float middle = (half + ob_widen_half(next)) / 2;
            float x = ob_float_of_bits(ob_bits_of_float(middle) + (uint32_t)k);
            if (!isnan(x) && !isinf(x))
                assert_true(is_nearest(x, ob_narrow_half(x), 5, 10));
        }
    }
    for (int k = 0; k < 1000000; k++) {
        float x =
            ob_float_of_bits((uint32_t)rand() << 16 ^ (uint32_t)rand() ^ (uint32_t)rand() << 31);
        if (isnan(x) || isinf(x))
            continue;
        assert_true(is_nearest(x, ob_narrow_bfloat16(x), 8, 7));
        float small = (float)ldexp(x / (1 + fabs((double)x)), rand() % 48 - 28);
        assert_true(is_nearest(small, ob_narrow_half(small), 5, 10));
    }
}

static void check_short(ob_kind kind, uint16_t (*narrow)(float))
{
    for (int what = OB_OPERATOR_MAX; what <= OB_OPERATOR_PRODUCT; what++)
        for (int i = 0; i < POOL * POOL; i++) {
            float x = (float)pool[i % POOL], y = (float)pool[i / POOL];
            uint16_t a[20], b[20];
            for (int k = 0; k < 20; k++)
                a[k] = narrow(x), b[k] = narrow(y);
            apply((ob_operator)what, kind, 19, a, b);
            double want = what == OB_OPERATOR_SUM       ? x + y
                          : what == OB_OPERATOR_PRODUCT ? x * y
                                                        : extreme(what == OB_OPERATOR_MAX, x, y);
            uint16_t bits = narrow((float)want);
            for (int k = 0; k < 19; k++)
                assert_true(isnan(want) ? (a[k] & 0x7fff) > (narrow(INFINITY) & 0x7fff)
                                        : a[k] == bits);
        }
}

static void test_short_operators(void **state)
{
    check_short(OB_KIND_HALF, ob_narrow_half);
    check_short(OB_KIND_BFLOAT16, ob_narrow_bfloat16);
}

/* What an average and numbers of 16 bits need beside their loop, and that others need nothing. */
static void test_staged(void **state)
{
    ob_staged s;
    ob_operation o = get(OB_OPERATOR_AVERAGE, OB_KIND_INT16), own = o;
    int16_t x[3] = {-7, 7, 8};
    assert_true(ob_operation_staged(&o, &s) && s.divides && s.widen == NULL);
    s.finish(3, x, x, 2);
    assert_true(x[0] == -3 && x[1] == 3 && x[2] == 4);
    own.apply = s.inner.apply == o.apply ? get(OB_OPERATOR_MAX, OB_KIND_INT16).apply : o.apply;
    assert_false(ob_operation_staged(&own, &s)); /* another function, whatever the context */
    o = get(OB_OPERATOR_SUM, OB_KIND_BFLOAT16);
    assert_true(ob_operation_staged(&o, &s) && !s.divides && s.widen && s.type == OB_FLOAT);
    o = get(OB_OPERATOR_MAX, OB_KIND_BFLOAT16);
    assert_false(ob_operation_staged(&o, &s));
    o = get(OB_OPERATOR_SUM, OB_KIND_DOUBLE);
    assert_false(ob_operation_staged(&o, &s));
    o.context = &s; /* the caller's own */
    assert_false(ob_operation_staged(&o, &s));
}

/* ----------------------------------------------------------------- integers */

#define TEST_INTEGER(name, T, KIND)                                                                \
    static void name(void **state)                                                                 \
    {                                                                                              \
        for (int what = OB_OPERATOR_MAX; what <= OB_OPERATOR_BIT_XOR; what++)                      \
            for (int round = 0; round < 50; round++) {                                             \
                T a[36], b[36], before[36];                                                        \
                for (int k = 0; k < 36; k++) {                                                     \
                    a[k] = before[k] = (T)(rand() % 3 ? (uint64_t)rand() * 0x10001u : 0);          \
                    b[k] = (T)(rand() % 3 ? (uint64_t)rand() << rand() % 40 : 0);                  \
                }                                                                                  \
                apply(what, KIND, 35, a, b);                                                       \
                for (int k = 0; k < 35; k++) {                                                     \
                    T x = before[k], y = b[k];                                                     \
                    T want = what == OB_OPERATOR_MAX       ? (x > y ? x : y)                       \
                             : what == OB_OPERATOR_MIN     ? (x < y ? x : y)                       \
                             : what == OB_OPERATOR_SUM     ? (T)((uint64_t)x + (uint64_t)y)        \
                             : what == OB_OPERATOR_PRODUCT ? (T)((uint64_t)x * (uint64_t)y)        \
                             : what == OB_OPERATOR_AND     ? (T)(x && y)                           \
                             : what == OB_OPERATOR_OR      ? (T)(x || y)                           \
                             : what == OB_OPERATOR_XOR     ? (T)(!x != !y)                         \
                             : what == OB_OPERATOR_BIT_AND ? (T)(x & y)                            \
                             : what == OB_OPERATOR_BIT_OR  ? (T)(x | y)                            \
                                                           : (T)(x ^ y);                            \
                    assert_true(a[k] == want);                                                     \
                }                                                                                  \
            }                                                                                      \
    }
TEST_INTEGER(test_int8, int8_t, OB_KIND_INT8)
TEST_INTEGER(test_int16, int16_t, OB_KIND_INT16)
TEST_INTEGER(test_int32, int32_t, OB_KIND_INT32)
TEST_INTEGER(test_int64, int64_t, OB_KIND_INT64)
TEST_INTEGER(test_uint8, uint8_t, OB_KIND_UINT8)
TEST_INTEGER(test_uint16, uint16_t, OB_KIND_UINT16)
TEST_INTEGER(test_uint32, uint32_t, OB_KIND_UINT32)
TEST_INTEGER(test_uint64, uint64_t, OB_KIND_UINT64)

/* -------------------------------------------------------------------- truth */

#define TEST_LOGICAL(T, KIND)                                                                      \
    for (int i = 0; i < 9; i++) {                                                                  \
        const T values[3] = {0, 1, -1};                                                            \
        T x = values[i % 3], y = values[i / 3], a[2] = {x, 0}, b[1] = {y};                         \
        apply(OB_OPERATOR_AND, KIND, 1, a, b);                                                     \
        assert_true(!a[0] == !(x && y) && (a[0] == x || a[0] == y));                               \
        a[0] = x;                                                                                  \
        apply(OB_OPERATOR_OR, KIND, 1, a, b);                                                      \
        assert_true(!a[0] == !(x || y) && (a[0] == x || a[0] == y));                               \
        a[0] = x;                                                                                  \
        apply(OB_OPERATOR_XOR, KIND, 1, a, b);                                                     \
        assert_true(!a[0] == (!x == !y) && (a[0] == 0 || a[0] == x || a[0] == y));                 \
    }

static void test_truth(void **state)
{
    TEST_LOGICAL(int8_t, OB_KIND_LOGICAL1)
    TEST_LOGICAL(int16_t, OB_KIND_LOGICAL2)
    TEST_LOGICAL(int32_t, OB_KIND_LOGICAL4)
    TEST_LOGICAL(int64_t, OB_KIND_LOGICAL8)
    for (int i = 0; i < 4; i++) {
        _Bool x = i & 1, y = i >> 1, a[2] = {x}, b[1] = {y};
        apply(OB_OPERATOR_XOR, OB_KIND_BOOL, 1, a, b);
        assert_true(a[0] == (x != y));
    }
}

/* -------------------------------------------------------------------- pairs */

typedef struct pair {
    double value;
    int index;
} pair;

static void check_pair(ob_operator what, pair a, pair b, double value, int index)
{
    for (int order = 0; order < 2; order++) {
        pair x[2] = {order ? b : a}, y[1] = {order ? a : b};
        apply(what, OB_KIND_DOUBLE_INT, 1, x, y);
        assert_int_equal(x[0].index, index);
        assert_true(isnan(value) ? isnan(x[0].value) : x[0].value == value);
    }
}

static void test_pairs(void **state)
{
    check_pair(OB_OPERATOR_MAX_PAIR, (pair){1, 8}, (pair){2, 9}, 2, 9);
    check_pair(OB_OPERATOR_MIN_PAIR, (pair){1, 8}, (pair){2, 9}, 1, 8);
    check_pair(OB_OPERATOR_MAX_PAIR, (pair){2, 8}, (pair){2, 9}, 2, 8);
    check_pair(OB_OPERATOR_MAX_PAIR, (pair){NAN, 9}, (pair){INFINITY, 1}, NAN, 9);
    check_pair(OB_OPERATOR_MIN_PAIR, (pair){NAN, 9}, (pair){-INFINITY, 1}, NAN, 9);
    check_pair(OB_OPERATOR_MIN_PAIR, (pair){NAN, 9}, (pair){NAN, 4}, NAN, 4);
}

/* -------------------------------------------------------------------- the rest */

static void test_what_there_is(void **state)
{
    ob_operation o;
    ob_op op;
    assert_int_equal(ob_operation_of(OB_OPERATOR_MAX, OB_KIND_COMPLEX, &o), OB_EARG);
    assert_int_equal(ob_operation_of(OB_OPERATOR_SUM, OB_KIND_BYTE, &o), OB_EARG);
    assert_int_equal(ob_operation_of(OB_OPERATOR_SUM, OB_KIND_2INT, &o), OB_EARG);
    assert_int_equal(ob_operation_of(OB_OPERATORS, OB_KIND_INT32, &o), OB_EARG);
    assert_int_equal(ob_operation_of(OB_OPERATOR_SUM, OB_KINDS, &o), OB_EARG);
    o = get(OB_OPERATOR_MAX, OB_KIND_DOUBLE);
    assert_true(ob_operation_is(&o, OB_DOUBLE, &op) && op == OB_MAX);
    assert_false(ob_operation_is(&o, OB_BYTE, &op));
    o = get(OB_OPERATOR_PRODUCT, OB_KIND_DOUBLE);
    assert_false(ob_operation_is(&o, OB_DOUBLE, &op));
    o = get(OB_OPERATOR_MAX, OB_KIND_UINT32); /* not the order of OB_INT */
    assert_false(ob_operation_is(&o, OB_INT, &op));
    for (int kind = 0; kind < OB_KINDS; kind++) {
        size_t bytes = 0;
        for (int what = 0; what < OB_OPERATORS; what++)
            if (ob_operation_of(what, kind, &o) == OB_OK)
                bytes = o.element_bytes;
        assert_true(bytes > 0);
        if (ob_kind_type(kind) != OB_BYTE)
            assert_int_equal(bytes, ob_type_bytes(ob_kind_type(kind)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float),        cmocka_unit_test(test_double),
        cmocka_unit_test(test_long_double),  cmocka_unit_test(test_complex),
        cmocka_unit_test(test_dcomplex),     cmocka_unit_test(test_long_complex),
        cmocka_unit_test(test_int8),         cmocka_unit_test(test_int16),
        cmocka_unit_test(test_int32),        cmocka_unit_test(test_int64),
        cmocka_unit_test(test_uint8),        cmocka_unit_test(test_uint16),
        cmocka_unit_test(test_uint32),       cmocka_unit_test(test_uint64),
        cmocka_unit_test(test_short_floats), cmocka_unit_test(test_short_operators),
        cmocka_unit_test(test_staged),       cmocka_unit_test(test_truth),
        cmocka_unit_test(test_pairs),        cmocka_unit_test(test_what_there_is),
    };
    srand(73);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
