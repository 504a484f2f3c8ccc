/*
 * The kernels against a plain reading of their rules, on values chosen for
 * ties, signed zeros, infinities, NaN and the smallest integer, in vectors of
 * all lengths around the vector registers' sizes.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "unit.h"

/* Any element as two parts; exact for all types. */
typedef struct number {
    double re, im;
} number;

static const double pool[] = {0.0, -0.0, 1.0, -1.0,     2.0,       -2.0, 3.0, -3.0,
                              0.5, -0.5, 7.0, INFINITY, -INFINITY, NAN,  1e30};
static const int32_t int_pool[] = {0, 1, -1, 2, -2, 7, INT32_MAX, -INT32_MAX, INT32_MIN};
/* Doubles hold these; their low halves are equal. */
#define BEYOND ((int64_t)1 << 40)
static const int64_t int64_pool[] = {0,          1,           -1,         BEYOND,   -BEYOND,
                                     BEYOND + 1, -BEYOND - 1, 2 * BEYOND, INT64_MIN};

/* Every type with kernels. */
static int next_type(int t)
{
    return t + 1 == OB_BYTE ? OB_INT64 : t + 1;
}

static int parts_of(ob_type t)
{
    return t == OB_COMPLEX || t == OB_DCOMPLEX ? 2 : 1;
}

static void store(ob_type t, void *v, size_t i, number x)
{
    switch (t) {
    case OB_INT: ((int32_t *)v)[i] = (int32_t)x.re; break;
    case OB_INT64: ((int64_t *)v)[i] = (int64_t)x.re; break;
    case OB_FLOAT: ((float *)v)[i] = (float)x.re; break;
    case OB_DOUBLE: ((double *)v)[i] = x.re; break;
    case OB_COMPLEX:
        ((float *)v)[2 * i] = (float)x.re;
        ((float *)v)[2 * i + 1] = (float)x.im;
        break;
    default: ((double *)v)[2 * i] = x.re; ((double *)v)[2 * i + 1] = x.im;
    }
}

static number load(ob_type t, const void *v, size_t i)
{
    switch (t) {
    case OB_INT: return (number){((const int32_t *)v)[i], 0};
    case OB_INT64: return (number){(double)((const int64_t *)v)[i], 0};
    case OB_FLOAT: return (number){(double)((const float *)v)[i], 0};
    case OB_DOUBLE: return (number){((const double *)v)[i], 0};
    case OB_COMPLEX:
        return (number){(double)((const float *)v)[2 * i], (double)((const float *)v)[2 * i + 1]};
    default: return (number){((const double *)v)[2 * i], ((const double *)v)[2 * i + 1]};
    }
}

static number pick(ob_type t)
{
    number x = {0, 0};
    if (t == OB_INT) {
        x.re = int_pool[rand() % (int)(sizeof int_pool / sizeof *int_pool)];
        return x;
    }
    if (t == OB_INT64) {
        x.re = (double)int64_pool[rand() % (int)(sizeof int64_pool / sizeof *int64_pool)];
        return x;
    }
    x.re = pool[rand() % (int)(sizeof pool / sizeof *pool)];
    if (parts_of(t) == 2)
        x.im = pool[rand() % (int)(sizeof pool / sizeof *pool)];
    return x;
}

/* ---------------------------------------------------------------- the rules */

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* > 0: a has the larger magnitude. NaN above everything. */
static int compare_magnitudes(ob_type t, number a, number b)
{
    double x = fabs(a.re) + fabs(a.im), y = fabs(b.re) + fabs(b.im);
    if (t == OB_COMPLEX) {
        x = (double)(fabsf((float)a.re) + fabsf((float)a.im));
        y = (double)(fabsf((float)b.re) + fabsf((float)b.im));
    }
    if (isnan(x) || isnan(y))
        return !!isnan(x) - !!isnan(y);
    return compare(x, y);
}

static int compare_zeros(double a, double b)
{
    return !!signbit(b) - !!signbit(a);
}

/* > 0: a is the larger number, real part first, +0 above -0 when all else is equal. */
static int compare_numbers(number a, number b)
{
    int c = compare(a.re, b.re);
    return c ? c : compare(a.im, b.im);
}

/* > 0: a comes before b in the operation; a NaN before every number where values are compared. */
static int compare_in(ob_type t, ob_op op, number a, number b)
{
    bool nan = op >= OB_MAX && (isnan(a.re) || isnan(b.re));
    int c = nan            ? !!isnan(a.re) - !!isnan(b.re)
            : op >= OB_MAX ? compare(a.re, b.re)
                           : compare_magnitudes(t, a, b);
    return nan || op == OB_MAX_ABS || op == OB_MAX ? c : -c;
}

static int last_op(ob_type t)
{
    return parts_of(t) == 1 ? OB_MIN : OB_MIN_ABS;
}

static number expected(ob_type t, ob_op op, number a, number b)
{
    int c = compare_in(t, op, a, b);
    if (c)
        return c > 0 ? a : b;
    if (a.re == b.re && a.im == b.im)
        return (number){(compare_zeros(a.re, b.re) < 0) == (op != OB_MIN) ? b.re : a.re,
                        compare_zeros(a.im, b.im) < 0 ? b.im : a.im};
    return compare_numbers(a, b) >= 0 ? a : b;
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* With NaN in both which of them wins is not specified. */
static void check_same(number got, number want)
{
    if (isnan(fabs(got.re) + fabs(got.im)) && isnan(fabs(want.re) + fabs(want.im)))
        return;
    if (!same(got.re, want.re) || !same(got.im, want.im))
        fail_msg("got (%g, %g), should be (%g, %g)", got.re, got.im, want.re, want.im);
}

/* ---------------------------------------------------------------- the tests */

enum { LONGEST = 70, GUARD = 12345 };

typedef ob_kernel (*finder)(ob_op, ob_type, int);
static const finder finders[] = {ob_kernel_find, ob_kernel_portable};

typedef struct vectors {
    _Alignas(64) char a[16 * LONGEST + 64], before[16 * LONGEST + 64], b[16 * LONGEST + 64];
    int32_t from[LONGEST + 1], from_before[LONGEST + 1], other[LONGEST + 1];
} vectors;

static void fill(vectors *v, ob_type t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        store(t, v->a, i, pick(t));
        store(t, v->b, i, pick(t));
        v->from[i] = rand() % 4;
        v->other[i] = rand() % 4;
    }
    v->from[n] = GUARD;
    v->a[n * ob_type_bytes(t)] = 77;
    memcpy(v->before, v->a, sizeof v->a);
    memcpy(v->from_before, v->from, sizeof v->from);
}

static void check_guards(const vectors *v, ob_type t, size_t n)
{
    assert_int_equal(v->from[n], GUARD);
    assert_int_equal(v->a[n * ob_type_bytes(t)], 77);
}

static void test_plain(void **state)
{
    static vectors v;
    for (int f = 0; f < 2; f++)
        for (int t = OB_INT; t < OB_TYPES; t = next_type(t))
            for (int op = OB_MAX_ABS; op <= last_op(t); op++)
                for (size_t n = 0; n <= LONGEST; n++) {
                    fill(&v, t, n);
                    finders[f](op, t, 0)(n, v.a, NULL, v.b, NULL);
                    for (size_t i = 0; i < n; i++)
                        check_same(load(t, v.a, i),
                                   expected(t, op, load(t, v.before, i), load(t, v.b, i)));
                    check_guards(&v, t, n);
                }
}

static void check_owner(const vectors *v, ob_type t, ob_op op, size_t i)
{
    number a = load(t, v->before, i), b = load(t, v->b, i), got = load(t, v->a, i);
    int c = compare_in(t, op, a, b);
    int take = c < 0 || (c == 0 && v->other[i] < v->from_before[i]);
    number want = take ? b : a;
    assert_int_equal(v->from[i], take ? v->other[i] : v->from_before[i]);
    assert_true(same(got.re, want.re) && same(got.im, want.im));
}

static void test_owners(void **state)
{
    static vectors v;
    for (int f = 0; f < 2; f++)
        for (int t = OB_INT; t < OB_TYPES; t = next_type(t))
            for (int op = OB_MAX_ABS; op <= last_op(t); op++)
                for (size_t n = 0; n <= LONGEST; n++) {
                    fill(&v, t, n);
                    finders[f](op, t, 1)(n, v.a, v.from, v.b, v.other);
                    for (size_t i = 0; i < n; i++)
                        check_owner(&v, t, op, i);
                    check_guards(&v, t, n);
                }
}

static number sum_of(ob_type t, number a, number b)
{
    if (t == OB_INT) {
        uint32_t s = (uint32_t)(int32_t)a.re + (uint32_t)(int32_t)b.re;
        return (number){(int32_t)s, 0};
    }
    if (t == OB_INT64)
        return (number){(double)(int64_t)((uint64_t)(int64_t)a.re + (uint64_t)(int64_t)b.re), 0};
    if (t == OB_FLOAT || t == OB_COMPLEX)
        return (number){(double)((float)a.re + (float)b.re), (double)((float)a.im + (float)b.im)};
    return (number){a.re + b.re, a.im + b.im};
}

static void test_sums(void **state)
{
    static vectors v;
    for (int f = 0; f < 2; f++)
        for (int t = OB_INT; t < OB_TYPES; t = next_type(t))
            for (size_t n = 0; n <= LONGEST; n++) {
                fill(&v, t, n);
                finders[f](OB_SUM, t, 0)(n, v.a, NULL, v.b, NULL);
                for (size_t i = 0; i < n; i++)
                    check_same(load(t, v.a, i), sum_of(t, load(t, v.before, i), load(t, v.b, i)));
                check_guards(&v, t, n);
            }
}

/* Bidirectional exchange rests on this: the operands' order never shows. */
static void test_commutes(void **state)
{
    static vectors v;
    char ab[16 * LONGEST];
    for (int f = 0; f < 2; f++)
        for (int t = OB_INT; t < OB_TYPES; t = next_type(t))
            for (int op = OB_SUM; op <= last_op(t); op++)
                for (int round = 0; round < 50; round++) {
                    fill(&v, t, LONGEST);
                    finders[f](op, t, 0)(LONGEST, v.a, NULL, v.b, NULL);
                    memcpy(ab, v.a, sizeof ab);
                    finders[f](op, t, 0)(LONGEST, v.b, NULL, v.before, NULL);
                    for (size_t i = 0; i < LONGEST; i++)
                        check_same(load(t, ab, i), load(t, v.b, i));
                }
}

typedef ob_folds (*fold_finder)(ob_op, ob_type);
static const fold_finder fold_finders[] = {ob_folds_find, ob_folds_portable};

/* Three operands beside two: what a kernel leaves in x, a fold writes elsewhere, or into x. */
static void test_folds(void **state)
{
    static vectors v;
    char out[16 * LONGEST + 1];
    for (int f = 0; f < 2; f++)
        for (int t = OB_INT; t < OB_TYPES; t = next_type(t))
            for (int op = OB_SUM; op <= last_op(t); op++)
                for (size_t n = 0; n <= LONGEST; n++) {
                    ob_fold plain = fold_finders[f](op, t).plain;
                    fill(&v, t, n);
                    out[n * ob_type_bytes(t)] = 77;
                    plain(n, out, v.a, v.b);
                    assert_int_equal(out[n * ob_type_bytes(t)], 77);
                    plain(n, v.a, v.a, v.b);
                    finders[f](op, t, 0)(n, v.before, NULL, v.b, NULL);
                    for (size_t i = 0; i < n; i++) {
                        check_same(load(t, out, i), load(t, v.before, i));
                        check_same(load(t, v.a, i), load(t, v.before, i));
                    }
                    check_guards(&v, t, n);
                }
}

/* Whose element wins stands in one array or two; x wins ties. */
static void test_folds_with_owners(void **state)
{
    static vectors v;
    char out[16 * LONGEST + 1];
    int32_t first[LONGEST + 1], second[LONGEST + 1];
    for (int f = 0; f < 2; f++)
        for (int t = OB_INT; t < OB_TYPES; t = next_type(t))
            for (int op = OB_MAX_ABS; op <= last_op(t); op++)
                for (size_t n = 0; n <= LONGEST; n++) {
                    ob_folds folds = fold_finders[f](op, t);
                    fill(&v, t, n);
                    first[n] = second[n] = GUARD;
                    folds.two(n, out, first, n % 2 ? second : NULL, v.a, v.b, (ob_two){4, 5},
                              (ob_two){6, 7});
                    folds.more(n, v.a, v.from, v.b, 6);
                    for (size_t i = 0; i < n; i++) {
                        int take = compare_in(t, op, load(t, v.before, i), load(t, v.b, i)) < 0;
                        number want = load(t, take ? v.b : v.before, i), got = load(t, out, i),
                               more = load(t, v.a, i);
                        assert_true(same(got.re, want.re) && same(got.im, want.im));
                        assert_true(same(more.re, want.re) && same(more.im, want.im));
                        assert_int_equal(first[i], take ? 6 : 4);
                        assert_int_equal(v.from[i], take ? 6 : v.from_before[i]);
                        if (n % 2)
                            assert_int_equal(second[i], take ? 7 : 5);
                    }
                    assert_true(first[n] == GUARD && second[n] == GUARD);
                    check_guards(&v, t, n);
                }
}

#define EDGES(NAME, type, T, LEAST, MOST)                                                          \
    static void NAME(void **state)                                                                 \
    {                                                                                              \
        for (int f = 0; f < 2; f++) {                                                              \
            T a[] = {LEAST, MOST, -5, 5, LEAST, -MOST};                                            \
            const T b[] = {MOST, LEAST, 5, -5, LEAST, MOST - 1};                                   \
            finders[f](OB_MAX_ABS, type, 0)(6, a, NULL, b, NULL);                                  \
            const T largest[] = {LEAST, LEAST, 5, 5, LEAST, -MOST};                                \
            assert_memory_equal(a, largest, sizeof a);                                             \
            T s[] = {MOST, LEAST};                                                                 \
            const T one[] = {1, -1}, wrapped[] = {LEAST, MOST};                                    \
            finders[f](OB_SUM, type, 0)(2, s, NULL, one, NULL);                                    \
            assert_memory_equal(s, wrapped, sizeof s);                                             \
        }                                                                                          \
    }
EDGES(test_integer_edges, OB_INT, int32_t, INT32_MIN, INT32_MAX)
EDGES(test_integer64_edges, OB_INT64, int64_t, INT64_MIN, INT64_MAX)

static void test_no_such_kernel(void **state)
{
    for (int f = 0; f < 2; f++) {
        assert_null(finders[f](OB_SUM, OB_BYTE, 0));
        assert_null(finders[f](OB_SUM, OB_DOUBLE, 1));
        assert_null(finders[f](OB_MAX, OB_COMPLEX, 0));
        assert_null(finders[f](OB_MIN, OB_DCOMPLEX, 1));
        assert_null(finders[f]((ob_op)(OB_MIN + 1), OB_DOUBLE, 0));
        assert_null(finders[f](OB_MAX_ABS, (ob_type)-1, 0));
        assert_null(fold_finders[f](OB_SUM, OB_BYTE).plain);
        assert_null(fold_finders[f](OB_SUM, OB_DOUBLE).two);
        assert_null(fold_finders[f](OB_MAX, OB_COMPLEX).plain);
        assert_null(fold_finders[f]((ob_op)(OB_MIN + 1), OB_DOUBLE).plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_owners),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_commutes),
        cmocka_unit_test(test_integer_edges),
        cmocka_unit_test(test_integer64_edges),
        cmocka_unit_test(test_no_such_kernel),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_folds_with_owners),
    };
    srand(73);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
