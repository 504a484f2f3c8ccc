/*
 * Exact sums against another way to the same number: partial sums that do not
 * overlap, kept in a list (Shewchuk 1997), rounded at the end.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/exact.h"
#include "unit.h"

enum { MOST = 40, WIDE = 700 };

static uint64_t seed = 1;
static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double random_number(int spread)
{
    double x = (double)(int64_t)next() / 9.3e18;
    return spread ? ldexp(x, (int)(next() % (unsigned)(2 * spread)) - spread) : x;
}

static double oracle(const double *x, size_t n)
{
    double part[MOST + 2];
    int count = 0;
    for (size_t k = 0; k < n; k++) {
        double v = x[k];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            double w = part[i];
            if (fabs(v) < fabs(w)) {
                double t = v;
                v = w;
                w = t;
            }
            double high = v + w, low = w - (high - v);
            if (low != 0)
                part[kept++] = low;
            v = high;
        }
        count = kept;
        part[count++] = v;
    }
    double high = 0, low = 0;
    while (count > 0) {
        double v = high, w = part[--count];
        high = v + w;
        low = w - (high - v);
        if (low != 0)
            break;
    }
    /* Half way, and what is left decides. */
    if (count > 0 && ((low < 0 && part[count - 1] < 0) || (low > 0 && part[count - 1] > 0))) {
        double twice = low * 2, sum = high + twice;
        if (twice == sum - high)
            high = sum;
    }
    return high;
}

static double sum_of(const double *x, size_t terms)
{
    const void *source[MOST];
    double result;
    for (size_t k = 0; k < terms; k++)
        source[k] = &x[k];
    ob_exact_sum(OB_DOUBLE, terms, source, 1, &result);
    return result;
}

static void same(double a, double b)
{
    if (memcmp(&a, &b, sizeof a))
        fail_msg("%.17g is not %.17g", a, b);
}

static void shuffle(double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = next() % i;
        double t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}

static void test_oracle(void **state)
{
    for (int trial = 0; trial < 20000; trial++) {
        double x[MOST];
        size_t n = 1 + next() % (MOST - 1);
        int spread = (int[]){0, 3, 60, 900}[trial % 4];
        for (size_t i = 0; i < n; i++)
            x[i] = random_number(spread);
        if (trial % 3 == 0 && n > 2) /* much of it cancels */
            for (size_t i = n / 2; i < n; i++)
                x[i] = -x[i - n / 2];
        double expected = oracle(x, n) + 0.0;
        same(sum_of(x, n), expected);
        shuffle(x, n);
        same(sum_of(x, n), expected);
    }
}

static void test_edges(void **state)
{
    const double big = DBL_MAX, least = DBL_TRUE_MIN;
    same(sum_of((double[]){big, big, -big}, 3), big);
    same(sum_of((double[]){big, big, -big, -big}, 4), 0);
    same(sum_of((double[]){big, big}, 2), INFINITY);
    same(sum_of((double[]){-big, -big, -1}, 3), -INFINITY);
    same(sum_of((double[]){least, least, -1, 1}, 4), 2 * least);
    same(sum_of((double[]){1, 0x1p-53, least}, 3), 1 + DBL_EPSILON);
    same(sum_of((double[]){1, 0x1p-53, -least}, 3), 1);
    same(sum_of((double[]){1, 0x1p-53}, 2), 1);
    same(sum_of((double[]){1, 0x1p-53, least, -least}, 4), 1); /* half way, bit by bit */
    same(sum_of((double[]){1 + DBL_EPSILON, 0x1p-53, least, -least}, 4), 1 + 2 * DBL_EPSILON);
    same(sum_of((double[]){-1, -0x1p-53, -least}, 3), -1 - DBL_EPSILON);
    same(sum_of((double[]){-0.0, -0.0}, 2), 0.0);
    same(sum_of((double[]){-0.0}, 1), 0.0);
    same(sum_of((double[]){1, INFINITY, -big}, 3), INFINITY);
    same(sum_of((double[]){INFINITY, -INFINITY}, 2), sum_of((double[]){1, NAN, 2}, 3));
    same(sum_of((double[]){-NAN, 1}, 2), sum_of((double[]){INFINITY, NAN, -INFINITY}, 3));
    assert_true(isnan(sum_of((double[]){NAN, 1}, 2)));
}

/* Floats: their exact sum fits a double here, and is rounded once. */
static void test_float(void **state)
{
    for (int trial = 0; trial < 5000; trial++) {
        float x[MOST], result;
        const void *source[MOST];
        double wide[MOST];
        size_t n = 1 + next() % (MOST - 1);
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)random_number(trial % 2 ? 8 : 0);
            wide[i] = (double)x[i];
            source[i] = &x[i];
        }
        ob_exact_sum(OB_FLOAT, n, source, 1, &result);
        float expected = (float)oracle(wide, n) + 0.0f;
        assert_memory_equal(&result, &expected, sizeof result);
    }
    float halves[3] = {1, 0x1p-24f, FLT_TRUE_MIN}, result;
    const void *source[3] = {&halves[0], &halves[1], &halves[2]};
    ob_exact_sum(OB_FLOAT, 3, source, 1, &result);
    assert_true(result == 1 + FLT_EPSILON);
    float sub[2] = {FLT_TRUE_MIN, FLT_TRUE_MIN};
    const void *subs[2] = {&sub[0], &sub[1]};
    ob_exact_sum(OB_FLOAT, 2, subs, 1, &result);
    assert_true(result == 2 * FLT_TRUE_MIN);
}

/* Lengths around the strips, all types: every element as if alone. */
static void test_vectors(void **state)
{
    static double x[5][WIDE], result[WIDE];
    const void *source[5] = {x[0], x[1], x[2], x[3], x[4]};
    for (size_t n = 0; n <= WIDE / 2; n += n < 10 ? 1 : 57) {
        for (int k = 0; k < 5; k++)
            for (size_t i = 0; i < 2 * n; i++)
                x[k][i] = random_number(i % 7 ? 0 : 300);
        for (int complex = 0; complex < 2; complex++) {
            result[(complex + 1) * n] = 42;
            ob_exact_sum(complex ? OB_DCOMPLEX : OB_DOUBLE, 5, source, n, result);
            for (size_t i = 0; i < (size_t)(complex + 1) * n; i++)
                same(result[i], oracle((double[]){x[0][i], x[1][i], x[2][i], x[3][i], x[4][i]}, 5));
            assert_true(result[(complex + 1) * n] == 42);
        }
    }
}

static void test_int(void **state)
{
    int32_t a[3] = {INT32_MAX, 1, -5}, b[3] = {1, 2, 5}, result[3];
    const void *source[3] = {a, b, b};
    ob_exact_sum(OB_INT, 3, source, 3, result);
    assert_int_equal(result[0], INT32_MIN + 1);
    assert_int_equal(result[1], 5);
    assert_int_equal(result[2], 5);
    int64_t c[2] = {INT64_MAX, (int64_t)1 << 40}, d[2] = {1, 2}, sum[2];
    const void *wide[3] = {c, d, d};
    ob_exact_sum(OB_INT64, 3, wide, 2, sum);
    assert_true(sum[0] == INT64_MIN + 1 && sum[1] == ((int64_t)1 << 40) + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),  cmocka_unit_test(test_edges), cmocka_unit_test(test_float),
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_int),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
