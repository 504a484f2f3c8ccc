/*
 * Wait states (late.c) and what made others wait (delays.c), of runs small enough to be added up
 * by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "unit.h"

enum { SEND = 1000, RECEIVE, BROADCAST, COMBINE, COLLECT, BARRIER, SYNC, SCATTER };

/* Processes 0 to n - 1 are one group; each records from 0 to `end`. */
static obt_trace *begin(int n, int64_t end)
{
    static const char *const names[] = {"dgesd2d",    "dgerv2d",       "dgebr2d",  "dgsum2d",
                                        "ob_collect", "blacs_barrier", "bsp_sync", "icc_scatter"};
    const int64_t number = 7;
    obt_trace *t = obt_trace_new("late");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        obt_name_routine(t, SEND + (int)k, names[k]);
    t->groups = obt_grow(t->groups, 0, &t->group_room, sizeof *t->groups);
    t->groups[0] =
        (obt_group){.member_count = (size_t)n, .members = obt_memory((size_t)n, sizeof(int32_t))};
    t->group_count = 1;
    for (int p = 0; p < n; p++) {
        t->groups[0].members[p] = p;
        obt_add(t, 0, p, OBT_TRACE_MARK, &number, 1);
        obt_add(t, end, p, OBT_TRACE_MARK, &number, 1);
    }
    return t;
}

static void enter(obt_trace *t, int64_t time, int p, int64_t routine, int64_t root, int64_t call)
{
    const int64_t v[OBT_VALUES] = {routine, -1, root, 0, 'A', ' ', 8, call};
    obt_add(t, time, p, OBT_BLOCK_BEGIN, v, OBT_VALUES);
}

static void leave(obt_trace *t, int64_t time, int p, int64_t routine)
{
    const int64_t v[] = {routine, -1, -1};
    obt_add(t, time, p, OBT_BLOCK_END, v, 3);
}

/* A call of a collective in which p waits from its begin until `until`. */
static void call(obt_trace *t, int p, int64_t routine, int64_t root, int64_t number, int64_t from,
                 int64_t until, int64_t to)
{
    const int64_t nobody = -1;
    enter(t, from, p, routine, root, number);
    if (until > from) {
        obt_add(t, from, p, OBT_WAIT_BEGIN, &nobody, 1);
        obt_add(t, until, p, OBT_WAIT_END, &nobody, 1);
    }
    leave(t, to, p, routine);
}

/* A send whose caller waits for its receive until `until`. */
static void send(obt_trace *t, int from, int to, int64_t order, int64_t time, int64_t until)
{
    const int64_t v[] = {to, order >= 100, 8, order}, awaited = to;
    enter(t, time, from, SEND, -1, -1);
    obt_add(t, time, from, OBT_SEND, v, 4);
    if (until > time) {
        obt_add(t, time, from, OBT_WAIT_BEGIN, &awaited, 1);
        obt_add(t, until, from, OBT_WAIT_END, &awaited, 1);
    }
    leave(t, until > time ? until : time + 1, from, SEND);
}

static void receive(obt_trace *t, int to, int from, int64_t order, int64_t since, int64_t time)
{
    const int64_t v[] = {from, order >= 100, 8, order}, sought[] = {order >= 100, from};
    enter(t, since, to, RECEIVE, -1, -1);
    if (time > since)
        obt_add(t, since, to, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, time, to, time > since ? OBT_RECV_WAKING : OBT_RECV, v, 4);
    leave(t, time + 1, to, RECEIVE);
}

static const obt_wait *wait_of(const obt_analysis *a, int process, int k)
{
    for (size_t i = 0; i < a->wait_count; i++)
        if (a->trace->processes[a->waits[i].process].id == process && k-- == 0)
            return &a->waits[i];
    return NULL;
}

static void assert_late(const obt_analysis *a, int process, int k, obt_pattern pattern, int culprit,
                        int64_t late)
{
    const obt_wait *w = wait_of(a, process, k);
    assert_non_null(w);
    assert_string_equal(obt_pattern_names[w->pattern], obt_pattern_names[pattern]);
    assert_int_equal(w->culprit == UINT32_MAX ? -1 : a->trace->processes[w->culprit].id, culprit);
    assert_int_equal(w->late, late);
}

/* Whatever the trace is: each nanosecond of late waiting is in one row of either table. */
static void assert_sums(const obt_analysis *a)
{
    int64_t rows = 0, delays = 0, late = 0;
    for (size_t i = 0; i < a->late_row_count; i++)
        rows += a->late_rows[i].pattern != OBT_UNDER_WAY ? a->late_rows[i].time : 0;
    for (size_t i = 0; i < a->delay_count; i++)
        delays += a->delays[i].cost;
    for (size_t i = 0; i < a->wait_count; i++)
        late += a->waits[i].late;
    assert_int_equal(rows, late);
    assert_int_equal(a->late, late);
    assert_int_equal(delays, late);
}

static void assert_delay(const obt_analysis *a, size_t i, int process, obt_state state,
                         int64_t cost, int64_t begin, int64_t end)
{
    assert_true(i < a->delay_count);
    assert_int_equal(a->trace->processes[a->delays[i].process].id, process);
    assert_string_equal(obt_state_names[a->delays[i].state], obt_state_names[state]);
    assert_int_equal(a->delays[i].cost, cost);
    assert_int_equal(a->delays[i].begin, begin);
    assert_int_equal(a->delays[i].end, end);
}

static void end(obt_trace *t, obt_analysis *a)
{
    assert_sums(a);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 1 waits from 40; 0 sends at 100, and the message needs 10: 60 of 70 are late. */
static void test_late_sender(void **state)
{
    obt_trace *t = begin(2, 200);
    send(t, 0, 1, 0, 100, 0);
    receive(t, 1, 0, 0, 40, 110);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_LATE_SENDER, 0, 60);
    assert_delay(a, 0, 0, OBT_COMPUTING, 60, 0, 100);
    end(t, a);
}

/* The message had been sent before the receive: all of the wait is the message under way. */
static void test_under_way(void **state)
{
    obt_trace *t = begin(2, 200);
    send(t, 0, 1, 0, 30, 0);
    receive(t, 1, 0, 0, 40, 60);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_UNDER_WAY, -1, 0);
    assert_int_equal(a->late_row_count, 1);
    assert_int_equal(a->late_rows[0].time, 20);
    assert_int_equal(a->delay_count, 0);
    end(t, a);
}

/* 2's message is there at 20, but 1 asks for 0's first, which is sent at 100. */
static void test_wrong_order(void **state)
{
    obt_trace *t = begin(3, 200);
    send(t, 2, 1, 0, 20, 0);
    send(t, 0, 1, 0, 100, 0);
    receive(t, 1, 0, 0, 40, 110);
    receive(t, 1, 2, 0, 120, 120);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_WRONG_ORDER, 0, 60);
    end(t, a);
}

/* 0's synchronous send waits from 10 to 90; 1 begins to receive at 80. */
static void test_late_receiver(void **state)
{
    obt_trace *t = begin(2, 200);
    send(t, 0, 1, 0, 10, 90);
    receive(t, 1, 0, 0, 80, 80);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 0, 0, OBT_LATE_RECEIVER, 1, 70);
    assert_delay(a, 0, 1, OBT_COMPUTING, 70, 0, 80);
    end(t, a);
}

static void test_late_broadcast(void **state)
{
    obt_trace *t = begin(3, 200);
    call(t, 0, BROADCAST, 0, 0, 100, 100, 110);
    call(t, 1, BROADCAST, 0, 0, 40, 108, 110);
    call(t, 2, BROADCAST, 0, 0, 105, 108, 110); /* after the root: under way */
    call(t, 0, SCATTER, 0, 1, 140, 140, 145);
    call(t, 1, SCATTER, 0, 1, 120, 142, 145);
    call(t, 2, SCATTER, 0, 1, 120, 142, 145);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_LATE_BROADCAST, 0, 60);
    assert_late(a, 2, 0, OBT_UNDER_WAY, -1, 0);
    assert_late(a, 1, 1, OBT_LATE_BROADCAST, 0, 20);
    assert_delay(a, 0, 0, OBT_COMPUTING, 60, 0, 100);
    end(t, a);
}

static void test_early_reduce(void **state)
{
    obt_trace *t = begin(3, 200);
    call(t, 0, COMBINE, 0, 0, 10, 120, 125);
    call(t, 1, COMBINE, 0, 0, 50, 50, 55);
    call(t, 2, COMBINE, 0, 0, 110, 110, 115);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 0, 0, OBT_EARLY_REDUCE, 2, 100);
    end(t, a);
}

/* Each waits for the last, 2, which comes at 100; a barrier, a superstep and a sum in turn. */
static void test_all_wait_for_the_last(void **state)
{
    static const struct {
        int64_t routine;
        obt_pattern pattern;
    } calls[] = {{BARRIER, OBT_WAIT_BARRIER},
                 {SYNC, OBT_WAIT_SUPERSTEP},
                 {COMBINE, OBT_WAIT_NXN},
                 {COLLECT, OBT_WAIT_NXN}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        obt_trace *t = begin(3, 200);
        call(t, 0, calls[k].routine, -1, 0, 10, 103, 110);
        call(t, 1, calls[k].routine, -1, 0, 60, 103, 110);
        call(t, 2, calls[k].routine, -1, 0, 100, 102, 110);
        obt_analysis *a = obt_analyse(t);
        assert_late(a, 0, 0, calls[k].pattern, 2, 90);
        assert_late(a, 1, 0, calls[k].pattern, 2, 40);
        assert_late(a, 2, 0, OBT_UNDER_WAY, -1, 0);
        assert_int_equal(a->late, 130);
        assert_delay(a, 0, 2, OBT_COMPUTING, 130, 0, 100);
        end(t, a);
    }
}

/* 0 computes until 100 and sends to 1, which has waited since 10 and sends on to 2, which has
 * waited since 20: 0 owes the waiting of both. */
static void test_costs_go_back_to_the_root(void **state)
{
    obt_trace *t = begin(3, 200);
    send(t, 0, 1, 0, 100, 0);
    receive(t, 1, 0, 0, 10, 100);
    send(t, 1, 2, 0, 101, 0);
    receive(t, 2, 1, 0, 20, 101);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_LATE_SENDER, 0, 90);
    assert_late(a, 2, 0, OBT_LATE_SENDER, 1, 81);
    /* Of 2's 81 its share of 1 in 91 for what 1 communicated is rounded away. */
    assert_int_equal(a->delay_count, 1);
    assert_delay(a, 0, 0, OBT_COMPUTING, 171, 0, 100);
    end(t, a);
}

/* Since the barrier both computed 50 and then 30, but 1 for 40 longer in the first part: what
 * costs 0 its 40 is that part, not the one in which it waited. */
static void test_the_stretch_that_was_longer(void **state)
{
    obt_trace *t = begin(2, 300);
    call(t, 0, BARRIER, -1, 0, 10, 10, 10);
    call(t, 1, BARRIER, -1, 0, 10, 10, 10);
    call(t, 0, SEND, -1, -1, 60, 60, 70);
    call(t, 1, SEND, -1, -1, 100, 100, 110);
    call(t, 0, BARRIER, -1, 1, 100, 140, 141);
    call(t, 1, BARRIER, -1, 1, 140, 140, 141);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 0, 0, OBT_WAIT_BARRIER, 1, 40);
    assert_delay(a, 0, 1, OBT_COMPUTING, 40, 10, 100);
    assert_int_equal(a->calls[a->delays[0].after].begin, 100);
    end(t, a);
}

/* Of a barrier without a number, as the recorder leaves one when its tables are full, the wait
 * alone says who was late. Of that process there may be nothing but its name. */
static void test_late_one_has_no_events(void **state)
{
    const int64_t late = 5;
    obt_trace *t = begin(1, 1000);
    obt_process_index(t, (int32_t)late);
    enter(t, 100, 0, BARRIER, -1, -1);
    obt_add(t, 100, 0, OBT_WAIT_BEGIN, &late, 1);
    obt_add(t, 400, 0, OBT_WAIT_END, &late, 1);
    leave(t, 401, 0, BARRIER);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 0, 0, OBT_UNDER_WAY, -1, 0);
    end(t, a);
}

/* Traces of machines gone mad: circles, receives without sends, one process twice in a call. */
static void test_hostile(void **state)
{
    for (unsigned seed = 1; seed < 300; seed++) {
        unsigned r = seed;
        obt_trace *t = begin(4, 1000);
        for (int i = 0; i < 60; i++) {
            int v[6];
            for (int k = 0; k < 6; k++) {
                r = r * 1103515245u + 12345u;
                v[k] = (int)(r >> 16 & 1023);
            }
            int64_t from = v[0], until = from + v[1] / 8, to = until + v[2] / 32;
            switch (v[3] % 4) {
            case 0: send(t, v[4] % 4, v[5] % 4, v[2] % 5, from, v[1] % 2 ? until : 0); break;
            case 1: receive(t, v[4] % 4, v[5] % 4, v[2] % 5, from, until); break;
            default:
                call(t, v[4] % 4, BROADCAST + v[5] % 6, v[2] % 6 - 1, v[1] % 7, from, until, to);
            }
        }
        obt_analysis *a = obt_analyse(t);
        end(t, a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_sender),
        cmocka_unit_test(test_under_way),
        cmocka_unit_test(test_wrong_order),
        cmocka_unit_test(test_late_receiver),
        cmocka_unit_test(test_late_broadcast),
        cmocka_unit_test(test_early_reduce),
        cmocka_unit_test(test_all_wait_for_the_last),
        cmocka_unit_test(test_costs_go_back_to_the_root),
        cmocka_unit_test(test_the_stretch_that_was_longer),
        cmocka_unit_test(test_late_one_has_no_events),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
