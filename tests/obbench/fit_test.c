/*
 * Fitting: known lines come back, through noise and outliers; data that bends is
 * cut where it bends; the search finds the least of a valley.
 */
#include <math.h>
#include <stdlib.h>

#include "obbench/fit.h"
#include "unit.h"

static uint32_t seed = 1;

/* Between -1 and 1. */
static double noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static void close_to(double got, double wanted, double share)
{
    if (fabs(got - wanted) > share * fabs(wanted))
        fail_msg("%g, should be %g within %g %%", got, wanted, 100 * share);
}

static void test_plain_line(void **state)
{
    obb_sample s[10];
    for (int i = 0; i < 10; i++)
        s[i] = (obb_sample){i, 3 - 0.5 * i};
    obb_fit l = obb_least_squares(s, 10);
    close_to(l.alpha, 3, 1e-12);
    close_to(l.beta, -0.5, 1e-12);
    /* By hand: (0,0) (1,2) (2,1): beta = 1/2, alpha = 1/2. */
    obb_sample three[] = {{0, 0}, {1, 2}, {2, 1}};
    l = obb_least_squares(three, 3);
    close_to(l.alpha, 0.5, 1e-12);
    close_to(l.beta, 0.5, 1e-12);
    obb_sample same[] = {{4, 1}, {4, 3}};
    l = obb_least_squares(same, 2);
    assert_true(l.beta == 0 && l.alpha == 2);
    l = obb_least_squares(same, 0);
    assert_true(l.beta == 0 && l.alpha == 0);
}

static int powers(obb_sample *s, double alpha, double beta, double share)
{
    int n = 0;
    for (double x = 8; x <= 4194304; x *= 2, n++)
        s[n] = (obb_sample){x, (alpha + beta * x) * (1 + share * noise())};
    return n;
}

static void test_robust_line(void **state)
{
    obb_sample s[32];
    int n = powers(s, 0.25, 3e-5, 0);
    obb_fit l = obb_robust_line(s, n);
    close_to(l.alpha, 0.25, 1e-6);
    close_to(l.beta, 3e-5, 1e-6);
    n = powers(s, 0.25, 3e-5, 0.05);
    l = obb_robust_line(s, n);
    close_to(l.alpha, 0.25, 0.05);
    close_to(l.beta, 3e-5, 0.05);
    /* Three of twenty far off, as when another program ran. */
    s[3].y *= 20;
    s[10].y *= 8;
    s[18].y *= 3;
    l = obb_robust_line(s, n);
    close_to(l.alpha, 0.25, 0.08);
    close_to(l.beta, 3e-5, 0.08);
    /* Plain least squares would have been led astray. */
    assert_true(fabs(obb_least_squares(s, n).beta - 3e-5) > 0.3 * 3e-5);
}

static void test_never_shrinks(void **state)
{
    obb_sample s[] = {{1, 10}, {2, 9}, {3, 8}, {4, 7}};
    obb_fit l = obb_robust_line(s, 4);
    assert_true(l.beta == 0);
    close_to(l.alpha, 8.5, 0.01);
}

static void follows(const ob_curve *c, double (*truth)(double), double share)
{
    for (double x = 8; x <= 4194304; x *= 2)
        close_to(ob_curve_at(c, (size_t)x), truth(x), share);
}

static double one_line(double x)
{
    return 0.1 + 2e-5 * x;
}

static double two_lines(double x)
{
    return x < 50000 ? 0.1 + 2e-5 * x : -3 + 9e-5 * x;
}

static double three_lines(double x)
{
    return x < 1000 ? 0.07 + 1e-4 * x : x < 200000 ? 0.15 + 2e-5 * x : 2 + 5e-5 * x;
}

static int sample_of(obb_sample *s, double (*truth)(double), double share, int each)
{
    int n = 0;
    for (double x = 8; x <= 4194304; x *= 2)
        for (int i = 0; i < each; i++)
            s[n++] = (obb_sample){x, truth(x) * (1 + share * noise())};
    return n;
}

static void test_pieces(void **state)
{
    obb_sample s[100];
    ob_curve c;
    assert_int_equal(obb_fit_curve(s, sample_of(s, one_line, 0, 1), &c), 0);
    assert_int_equal(c.pieces, 1);
    follows(&c, one_line, 1e-5);
    assert_int_equal(obb_fit_curve(s, sample_of(s, two_lines, 0, 1), &c), 0);
    assert_int_equal(c.pieces, 2);
    assert_in_range(c.piece[1].from, 32768, 65536);
    close_to(c.piece[1].alpha, -3, 1e-4);
    close_to(c.piece[1].beta, 9e-5, 1e-4);
    follows(&c, two_lines, 1e-5);
    assert_int_equal(obb_fit_curve(s, sample_of(s, three_lines, 0, 1), &c), 0);
    assert_int_equal(c.pieces, 3);
    follows(&c, three_lines, 1e-4);
    assert_true(c.misfit < 1e-4);
}

static void test_pieces_with_noise(void **state)
{
    obb_sample s[100];
    ob_curve c;
    int n = sample_of(s, two_lines, 0.03, 3);
    assert_int_equal(obb_fit_curve(s, n, &c), 0);
    follows(&c, two_lines, 0.08);
    assert_true(c.misfit > 0.003 && c.misfit < 0.03);
    n = sample_of(s, two_lines, 0.03, 3);
    for (int i = 0; i < n; i += 9) /* one in nine is ten times too long */
        s[i].y *= 10;
    assert_int_equal(obb_fit_curve(s, n, &c), 0);
    follows(&c, two_lines, 0.1);
}

/* Whatever the data, what comes out is a curve that a profile may hold. */
static void test_curves_are_sound(void **state)
{
    obb_sample s[400];
    ob_profile p;
    for (int round = 0; round < 300; round++) {
        int n = 1 + round % 97;
        for (int i = 0; i < n; i++)
            s[i] = (obb_sample){(double)(size_t)((1 + noise()) * (1 << (round % 20))),
                                round % 3 ? exp(5 * noise()) : 1 + noise()};
        ob_profile_builtin(&p);
        if (obb_fit_curve(s, n, &p.curve[OB_T_C]) == 0 && ob_profile_check(&p) != OB_OK)
            fail_msg("round %d: %s", round, ob_error_text());
    }
    for (int i = 0; i < 400; i++) /* more lengths than are told apart */
        s[i] = (obb_sample){8.0 * i, one_line(8.0 * i)};
    assert_int_equal(obb_fit_curve(s, 400, &p.curve[OB_T_C]), 0);
    assert_int_equal(p.curve[OB_T_C].pieces, 1);
    close_to(p.curve[OB_T_C].piece[0].beta, 2e-5, 1e-4);
    s[0].y = 0;
    assert_int_equal(obb_fit_curve(s, 1, &p.curve[OB_T_C]), -1);
    assert_int_equal(obb_fit_curve(s, 0, &p.curve[OB_T_C]), -1);
}

static double valley(const double *v, void *context)
{
    const double *bottom = context;
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += fabs(log(v[i] / bottom[i]));
    return sum;
}

static void test_search(void **state)
{
    double bottom[] = {0.3, 7, 120}, least[] = {0.01, 0.01, 0.01}, most[] = {100, 100, 100};
    double v[] = {1, 1, 1};
    obb_search(v, least, most, 3, 60, valley, bottom);
    close_to(v[0], 0.3, 0.05);
    close_to(v[1], 7, 0.05);
    assert_true(v[2] <= 100); /* the bottom is out of bounds */
    close_to(v[2], 100, 0.05);
}

static double told;

/* Parts grow. */
static void tell(double part)
{
    assert_true(part >= told && part <= 1);
    told = part;
}

/* Collective calls as they would be with that profile. */
static obb_records calls_of(const ob_profile *profile)
{
    obb_records list = {0};
    for (int p = 2; p <= 4; p *= 2)
        for (size_t bytes = 8; bytes <= 32768; bytes *= 64)
            for (const char *top = "h1"; *top; top++) {
                obb_work work;
                obb_record r = {.system = "openblacs", .what = OBB_BROADCAST, .top = *top};
                r.scope = 'a', r.processes = p, r.bytes = bytes, r.calls = 1;
                assert_true(obb_work_of(&r, &work));
                assert_int_equal(obb_predict(profile, &work, &r.time), OB_OK);
                obb_add(&list, &r);
            }
    return list;
}

/* A search comes nearer to the profile that made the calls; one whose time is over at once keeps
 * what it began with, and ends. */
static void test_waiting(void **state)
{
    ob_profile truth, begin, p;
    ob_profile_builtin(&truth);
    begin = truth;
    truth.waiting.call *= 3;
    truth.waiting.rest *= 0.7;
    obb_records list = calls_of(&truth);
    told = 0;
    p = begin;
    double off = obb_fit_waiting(&list, &p, 0, tell);
    assert_true(off >= 0 && off < 0.05);
    assert_true(told > 0.1);
    close_to(p.waiting.call, truth.waiting.call, 0.3);
    assert_int_equal(ob_profile_check(&p), OB_OK);
    told = 0;
    p = begin;
    double cut = obb_fit_waiting(&list, &p, 1e-9, tell);
    assert_true(cut > off);
    assert_memory_equal(&p.waiting, &begin.waiting, sizeof p.waiting);
    assert_int_equal(ob_profile_check(&p), OB_OK);
    obb_free_records(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_line),
        cmocka_unit_test(test_robust_line),
        cmocka_unit_test(test_never_shrinks),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_pieces_with_noise),
        cmocka_unit_test(test_curves_are_sound),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
