/*
 * Efficiencies of runs whose factors are known, and several runs beside each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scaling.h"
#include "unit.h"

enum { SEND = 1000, RECEIVE };

static void block(obt_trace *t, int64_t time, int p, int64_t routine, obt_kind kind)
{
    const int64_t v[] = {routine, -1, -1};
    obt_add(t, time, p, kind, v, 3);
}

/* 0 computes for 100, sends to 1, which has waited from the begin and goes on after `transit`; then
 * 1 computes for 100. */
static obt_trace *one_after_the_other(int64_t transit)
{
    const int64_t s[] = {1, 1, 8, 0}, r[] = {0, 1, 8, 0}, sought[] = {1, 0}, mark = 1;
    obt_trace *t = obt_trace_new("serial");
    obt_name_routine(t, SEND, "dgesd2d");
    obt_name_routine(t, RECEIVE, "dgerv2d");
    obt_add(t, 0, 0, OBT_TRACE_MARK, &mark, 1);
    block(t, 100, 0, SEND, OBT_BLOCK_BEGIN);
    obt_add(t, 100, 0, OBT_SEND, s, 4);
    block(t, 100, 0, SEND, OBT_BLOCK_END);
    block(t, 0, 1, RECEIVE, OBT_BLOCK_BEGIN);
    obt_add(t, 0, 1, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, 100 + transit, 1, OBT_RECV_WAKING, r, 4);
    block(t, 100 + transit, 1, RECEIVE, OBT_BLOCK_END);
    obt_add(t, 200 + transit, 1, OBT_TRACE_MARK, &mark, 1);
    return t;
}

static void assert_near(double found, double wanted)
{
    assert_true(fabs(found - wanted) < 1e-9);
}

static void test_factors(void **state)
{
    obt_trace *t = one_after_the_other(50);
    obt_analysis *a = obt_analyse(t);
    obt_efficiency e = obt_find_efficiency(a);
    assert_int_equal(a->ideal, 200);
    assert_near(e.balance, 1);
    assert_near(e.serialisation, 0.5);
    assert_near(e.transfer, 0.8);
    assert_near(e.communication, 0.4);
    assert_near(e.parallel, 0.4);
    assert_near(e.serialisation * e.transfer, e.communication);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 0 computes for 100, and 1 for 50: nothing else. */
static void test_uneven(void **state)
{
    const int64_t mark = 1;
    obt_trace *t = obt_trace_new("uneven");
    for (int p = 0; p < 2; p++) {
        obt_add(t, 0, p, OBT_TRACE_MARK, &mark, 1);
        obt_add(t, p ? 50 : 100, p, OBT_TRACE_MARK, &mark, 1);
    }
    obt_analysis *a = obt_analyse(t);
    obt_efficiency e = obt_find_efficiency(a);
    assert_near(e.balance, 0.75);
    assert_near(e.communication, 1);
    assert_near(e.serialisation, 1);
    assert_near(e.transfer, 1);
    assert_near(e.parallel, 0.75);
    obt_analysis_free(a);
    obt_trace_free(t);
}

static obt_run run(size_t processes, int64_t length, int64_t computing)
{
    obt_run r = {.path = "x", .processes = processes, .length = length, .computing = computing};
    double mean = (double)computing / (double)processes / (double)length;
    r.efficiency = (obt_efficiency){1, 1, mean, mean, mean};
    return r;
}

static void test_scaling(void **state)
{
    obt_run runs[] = {run(8, 200, 1200), run(2, 500, 1000), run(4, 300, 1000)};
    obt_scale(runs, 3, false);
    assert_int_equal(runs[0].processes, 2);
    assert_int_equal(runs[2].processes, 8);
    assert_near(runs[0].speedup, 1);
    assert_near(runs[0].global, 1);
    assert_near(runs[1].speedup, 5.0 / 3);
    assert_near(runs[1].global, 1000.0 / 4 / 300);
    assert_near(runs[2].computation, 1000.0 / 1200);
    assert_near(runs[2].global, 1000.0 / 1200 * 1200 / 8 / 200);
}

/* Twice the processes with twice the work in the same time scale perfectly. */
static void test_weak_scaling(void **state)
{
    obt_run runs[] = {run(2, 100, 200), run(4, 100, 400)};
    obt_scale(runs, 2, true);
    assert_near(runs[1].speedup, 2);
    assert_near(runs[1].computation, 1);
    assert_near(runs[1].global, 1);
}

static void test_picture(void **state)
{
    obt_run runs[] = {run(2, 100, 200), run(4, 100, 200), run(4, 200, 400)};
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    obt_scale(runs, 3, false);
    obt_scaling_picture(runs, 3, out);
    fclose(out);
    /* The two runs of 4 are one point: 50 % of 100 and 50 % of half the computing, in the mean. */
    assert_non_null(strstr(text, "<title>global efficiency, 4 processes: 37.5 %</title>"));
    assert_non_null(strstr(text, "<title>global efficiency, 2 processes: 100.0 %</title>"));
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "</svg>\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors), cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_scaling), cmocka_unit_test(test_weak_scaling),
        cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
