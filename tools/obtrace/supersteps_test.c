/*
 * Supersteps and parts of a program, of runs small enough to be added up by hand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "unit.h"

enum { SYNC = 1000, UPDATE, SWAP, STEPS = 8, GAP = 2, LATENCY = 1000 };

static obt_trace *begin(int n)
{
    obt_trace *t = obt_trace_new("supersteps");
    obt_name_routine(t, SYNC, "bsp_sync");
    obt_name_routine(t, UPDATE, "update");
    obt_name_routine(t, SWAP, "swap");
    t->groups = obt_grow(t->groups, 0, &t->group_room, sizeof *t->groups);
    t->groups[0] =
        (obt_group){.member_count = (size_t)n, .members = obt_memory((size_t)n, sizeof(int32_t))};
    t->group_count = 1;
    for (int p = 0; p < n; p++) {
        const int64_t number = 7;
        t->groups[0].members[p] = p;
        obt_add(t, 0, p, OBT_TRACE_MARK, &number, 1);
    }
    return t;
}

/* The end of superstep k: bytes go to the other one. */
static void sync_at(obt_trace *t, int p, int64_t k, int64_t came, int64_t last, int64_t end,
                    int64_t bytes)
{
    const int64_t in[OBT_VALUES] = {SYNC, -1, -1, 0, 0, OBT_SUPERSTEP, bytes, k},
                  out[] = {SYNC, -1, -1}, nobody = -1, message[] = {1 - p, 1, bytes, k};
    obt_add(t, came, p, OBT_BLOCK_BEGIN, in, OBT_VALUES);
    if (last > came) {
        obt_add(t, came, p, OBT_WAIT_BEGIN, &nobody, 1);
        obt_add(t, last, p, OBT_WAIT_END, &nobody, 1);
    }
    if (bytes) {
        obt_add(t, last, p, OBT_SEND, message, 4);
        obt_add(t, end, p, OBT_RECV, message, 4);
    }
    obt_add(t, end, p, OBT_BLOCK_END, out, 3);
}

static int64_t bytes_of(int k)
{
    return k % 2 ? 10000 * k : 0;
}

/* Process 0 works for 3000, process 1 for 5000, and the sync takes g h + l. */
static obt_analysis *even_steps(void)
{
    obt_trace *t = begin(2);
    int64_t now = 0;
    for (int k = 0; k < STEPS; k++) {
        int64_t last = now + 5000, end = last + LATENCY + GAP * bytes_of(k);
        sync_at(t, 0, k, now + 3000, last, end, bytes_of(k));
        sync_at(t, 1, k, last, last, end, bytes_of(k));
        now = end;
    }
    obt_sort(t);
    return obt_analyse(t);
}

static void give_back(obt_analysis *a)
{
    obt_trace *t = a->trace;
    obt_analysis_free(a);
    obt_trace_free(t);
}

static void test_a_superstep_is_w_h_and_wait(void **state)
{
    (void)state;
    obt_analysis *a = even_steps();
    obt_supersteps s;
    obt_find_supersteps(a, &s);
    assert_int_equal(s.count, STEPS);
    for (int k = 0; k < STEPS; k++) {
        const obt_superstep *one = &s.step[k];
        assert_int_equal(one->members, 2);
        assert_int_equal(one->work, 5000);
        assert_int_equal(one->work_sum, 8000);
        assert_int_equal(one->slowest, 1);
        assert_int_equal(one->wait, 2000);
        assert_int_equal(one->stopped, 0);
        assert_int_equal(one->sent, bytes_of(k));
        assert_int_equal(one->received, bytes_of(k));
        assert_int_equal(obt_h(one), bytes_of(k));
        assert_int_equal(one->end - one->came, LATENCY + GAP * bytes_of(k));
        assert_int_equal(one->came - one->begin, 5000);
    }
    obt_free_supersteps(&s);
    give_back(a);
}

static void test_g_and_l_are_found(void **state)
{
    (void)state;
    obt_analysis *a = even_steps();
    obt_supersteps s;
    obt_find_supersteps(a, &s);
    assert_true(s.apart);
    assert_true(fabs(s.gap - GAP) < 1e-9);
    assert_true(fabs(s.latency - LATENCY) < 1e-9);
    for (int k = 0; k < STEPS; k++)
        assert_int_equal(obt_predicted(&s, &s.step[k]), LATENCY + GAP * bytes_of(k));
    obt_free_supersteps(&s);
    give_back(a);
}

/* One length for all: no line goes through one point. */
static void test_equal_lengths_tell_no_g(void **state)
{
    (void)state;
    obt_trace *t = begin(2);
    for (int k = 0; k < STEPS; k++)
        for (int p = 0; p < 2; p++)
            sync_at(t, p, k, 10000 * k + 5000, 10000 * k + 5000, 10000 * k + 8000, 500);
    obt_sort(t);
    obt_analysis *a = obt_analyse(t);
    obt_supersteps s;
    obt_find_supersteps(a, &s);
    assert_false(s.apart);
    assert_true(s.gap == 0 && s.latency == 3000);
    obt_free_supersteps(&s);
    give_back(a);
}

static void test_a_process_that_did_not_come(void **state)
{
    (void)state;
    obt_trace *t = begin(2);
    sync_at(t, 0, 0, 1000, 1000, 2000, 0);
    sync_at(t, 1, 0, 1000, 1000, 2000, 0);
    sync_at(t, 0, 1, 4000, 4000, 5000, 0);
    obt_sort(t);
    obt_analysis *a = obt_analyse(t);
    obt_supersteps s;
    obt_find_supersteps(a, &s);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.step[1].members, 1);
    assert_int_equal(s.step[1].work, 2000);
    obt_free_supersteps(&s);
    give_back(a);
}

static void test_parts_are_added_up(void **state)
{
    (void)state;
    obt_trace *t = begin(2);
    const struct {
        int64_t end;
        int process;
        int64_t name, lasted;
    } part[] = {{1000, 0, UPDATE, 400},
                {2000, 0, SWAP, 100},
                {3000, 0, UPDATE, 300},
                {1500, 1, UPDATE, 800},
                {1600, 1, SWAP, 50}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        obt_add(t, part[i].end, part[i].process, OBT_PART,
                (int64_t[]){part[i].name, part[i].lasted}, 2);
    obt_sort(t);
    obt_analysis *a = obt_analyse(t);
    size_t count;
    obt_part_row *rows = obt_find_part_rows(a, &count);
    assert_int_equal(count, 2);
    assert_string_equal(t->routines[rows[0].name].name, "update");
    assert_int_equal(rows[0].times, 3);
    assert_int_equal(rows[0].time, 1500);
    assert_int_equal(rows[0].most, 800);
    assert_int_equal(rows[0].slowest, 1);
    assert_string_equal(t->routines[rows[1].name].name, "swap");
    assert_int_equal(rows[1].most, 100);
    assert_int_equal(rows[1].slowest, 0);
    free(rows);
    give_back(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_superstep_is_w_h_and_wait),
        cmocka_unit_test(test_g_and_l_are_found),
        cmocka_unit_test(test_equal_lengths_tell_no_g),
        cmocka_unit_test(test_a_process_that_did_not_come),
        cmocka_unit_test(test_parts_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
