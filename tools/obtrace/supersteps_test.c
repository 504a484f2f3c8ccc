/*
 * Supersteps and parts of a program, of runs small enough to be added up by hand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "unit.h"

enum { SYNC = 1000, UPDATE, SWAP, PUT, GET, STEPS = 8, GAP = 2, LATENCY = 1000 };

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
        assert_int_equal(one->last, 1);
        assert_int_equal(one->by, 2000);
        assert_int_equal(one->most, 0); /* both move as much */
        assert_int_equal(one->h_sum, 2 * bytes_of(k));
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

/* 0 and 2 send 300 each to 1, which has most of all. 0 has worked longest; 2, which was asleep,
 * comes last. */
static void test_whose_h_it_is_and_who_came_last(void **state)
{
    (void)state;
    static const int64_t came[] = {4000, 3000, 5000};
    obt_trace *t = begin(3);
    for (int p = 0; p < 3; p++) {
        const int64_t bytes = p == 1 ? 0 : 300, out[] = {SYNC, -1, -1},
                      in[OBT_VALUES] = {SYNC, -1, -1, 0, 0, OBT_SUPERSTEP, bytes, 0},
                      running[] = {5000, 1000, 1, 0}, sent[] = {1, 1, 300, p};
        if (p == 2)
            obt_add(t, 5000, p, OBT_RUNNING, running, 4);
        obt_add(t, came[p], p, OBT_BLOCK_BEGIN, in, OBT_VALUES);
        if (p != 1)
            obt_add(t, came[p] + 1, p, OBT_SEND, sent, 4);
        for (int from = 0; from < 3 && p == 1; from += 2) {
            const int64_t got[] = {from, 1, 300, from};
            obt_add(t, 6000, p, OBT_RECV, got, 4);
        }
        obt_add(t, 7000, p, OBT_BLOCK_END, out, 3);
    }
    obt_sort(t);
    obt_analysis *a = obt_analyse(t);
    obt_supersteps s;
    obt_find_supersteps(a, &s);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.step[0].slowest, 0);
    assert_int_equal(s.step[0].last, 2);
    assert_int_equal(s.step[0].by, 1000);
    assert_int_equal(s.step[0].last_stopped, 4000);
    assert_int_equal(s.step[0].most, 1);
    assert_int_equal(obt_h(&s.step[0]), 600);
    assert_int_equal(s.step[0].h_sum, 1200);
    assert_int_equal(s.step[0].stopped, 4000);
    assert_int_equal(s.step[0].slept, 4000);
    assert_int_equal(s.step[0].unsure, 0);
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

static void ask(obt_trace *t, int p, int64_t time, int64_t routine, int64_t site, int64_t whom,
                int64_t bytes)
{
    obt_add(t, time, p, OBT_ASKED, (int64_t[]){routine, site, whom, bytes, 2, 0}, 6);
}

/* Process 0 puts at two places, process 1 gets in the second superstep, whose data comes in the
 * third; what nobody syncs does not count. */
static void test_who_asked(void **state)
{
    (void)state;
    obt_trace *t = begin(2);
    obt_name_routine(t, PUT, "bsp_put");
    obt_name_routine(t, GET, "bsp_get");
    t->sites = obt_grow(t->sites, 0, &t->site_room, sizeof *t->sites);
    t->sites[t->site_count++] = "main+0x10";
    ask(t, 0, 100, PUT, 0, 1, 300);
    ask(t, 0, 100, PUT, -1, 1, 200);
    ask(t, 0, 200, PUT, -1, 1, 250);
    ask(t, 0, 200, PUT, -1, 0, 9000);
    ask(t, 1, 2100, GET, -1, 0, 70);
    for (int64_t k = 0; k < 3; k++)
        for (int p = 0; p < 2; p++)
            sync_at(t, p, k, 1000 + 2000 * k, 1000 + 2000 * k, 2000 + 2000 * k, 8);
    ask(t, 0, 7000, PUT, 0, 1, 5000);
    obt_sort(t);
    obt_analysis *a = obt_analyse(t);
    const obt_call *call[3] = {0};
    for (size_t i = 0; i < a->call_count; i++)
        if (a->calls[i].process == 1)
            call[a->calls[i].number] = &a->calls[i];
    obt_asked most = obt_asked_most(a, call[0], 1, UINT32_MAX);
    assert_int_equal(most.bytes, 450);
    assert_int_equal(most.calls, 4);
    assert_int_equal(most.site, -1);
    assert_int_equal(obt_asked_most(a, call[0], UINT32_MAX, 1).bytes, 0);
    assert_int_equal(obt_asked_most(a, call[1], 1, UINT32_MAX).bytes, 0);
    most = obt_asked_most(a, call[2], 1, 0);
    assert_string_equal(t->routines[most.routine].name, "bsp_get");
    assert_int_equal(most.bytes, 70);
    size_t count;
    obt_asked_row *rows = obt_find_asked_rows(a, &count);
    assert_int_equal(count, 3);
    assert_int_equal(rows[0].bytes, 9450);
    assert_int_equal(rows[0].most, 9000);
    assert_int_equal(rows[0].to, 0);
    assert_int_equal(rows[1].site, 0);
    assert_int_equal(rows[1].bytes, 300);
    assert_int_equal(rows[2].bytes, 70);
    assert_int_equal(rows[2].to, 1);
    free(rows);
    give_back(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_superstep_is_w_h_and_wait),
        cmocka_unit_test(test_g_and_l_are_found),
        cmocka_unit_test(test_whose_h_it_is_and_who_came_last),
        cmocka_unit_test(test_equal_lengths_tell_no_g),
        cmocka_unit_test(test_a_process_that_did_not_come),
        cmocka_unit_test(test_parts_are_added_up),
        cmocka_unit_test(test_who_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
