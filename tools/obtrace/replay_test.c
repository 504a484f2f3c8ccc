/*
 * Replays of runs small enough to be followed by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "whatif.h"

enum { SEND = 1000, RECEIVE, BROADCAST, SEND_BROADCAST, COMBINE, BARRIER, SYNC };

/* Processes 0 to n - 1 are one group; each records from 0 to `end`. */
static obt_trace *begin(int n, int64_t end)
{
    static const char *const names[] = {"dgesd2d", "dgerv2d",       "dgebr2d", "dgebs2d",
                                        "dgsum2d", "blacs_barrier", "bsp_sync"};
    const int64_t number = 7;
    obt_trace *t = obt_trace_new("replay");
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

static void enter(obt_trace *t, int64_t time, int p, int64_t routine, int64_t root, int64_t call,
                  char top)
{
    const int64_t v[OBT_VALUES] = {routine, -1, root, 0, 'A', top, 8, call};
    obt_add(t, time, p, OBT_BLOCK_BEGIN, v, OBT_VALUES);
}

static void leave(obt_trace *t, int64_t time, int p, int64_t routine)
{
    const int64_t v[] = {routine, -1, -1};
    obt_add(t, time, p, OBT_BLOCK_END, v, 3);
}

static void post(obt_trace *t, int from, int to, int64_t order, int64_t time)
{
    const int64_t v[] = {to, 1, 8, order};
    obt_add(t, time, from, OBT_SEND, v, 4);
}

static void take(obt_trace *t, int to, int from, int64_t order, int64_t since, int64_t time)
{
    const int64_t v[] = {from, 1, 8, order}, sought[] = {1, from};
    if (time > since)
        obt_add(t, since, to, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, time, to, time > since ? OBT_RECV_WAKING : OBT_RECV, v, 4);
}

/* A call of a collective in which p waits from its begin until `until`. */
static void call(obt_trace *t, int p, int64_t routine, int64_t root, int64_t number, int64_t from,
                 int64_t until, int64_t to)
{
    const int64_t nobody = -1;
    enter(t, from, p, routine, root, number, 'I');
    if (until > from) {
        obt_add(t, from, p, OBT_WAIT_BEGIN, &nobody, 1);
        obt_add(t, until, p, OBT_WAIT_END, &nobody, 1);
    }
    leave(t, to, p, routine);
}

static int64_t replay(const obt_analysis *a, const obt_scenario *what, int64_t *ends)
{
    obt_steps s;
    obt_replay r;
    obt_find_steps(a, &s);
    obt_replay_run(&s, what, &r);
    for (size_t p = 0; ends && p < a->trace->process_count; p++)
        ends[a->trace->processes[p].id] = r.end[p];
    int64_t length = r.length;
    obt_free_replay(&r);
    obt_free_steps(&s);
    return length;
}

/* All curves are straight, in nanoseconds. */
static ob_profile profile(double send, double take, double whole)
{
    ob_profile p;
    ob_profile_builtin(&p);
    p.curve[OB_T_S] = (ob_curve){.pieces = 1, .piece = {{0, send / 1e3, 0}}};
    p.curve[OB_T_R] = (ob_curve){.pieces = 1, .piece = {{0, take / 1e3, 0}}};
    p.curve[OB_T_C] = (ob_curve){.pieces = 1, .piece = {{0, whole / 1e3, 0}}};
    p.curve[OB_T_O] = (ob_curve){.pieces = 1};
    return p;
}

static const obt_scenario as_it_was, ideal = {.no_latency = true, .no_bytes = true};

/* 0 computes for 100 and sends, which takes 5; 1 waits from 40 until 110, works on it for 5 and
 * computes until 200. Without communication 1 goes on at 100, and needs 85 more. */
static void test_a_message(void **state)
{
    obt_trace *t = begin(2, 200);
    enter(t, 100, 0, SEND, -1, -1, 0);
    post(t, 0, 1, 0, 100);
    leave(t, 105, 0, SEND);
    enter(t, 40, 1, RECEIVE, -1, -1, 0);
    take(t, 1, 0, 0, 40, 110);
    leave(t, 115, 1, RECEIVE);
    obt_analysis *a = obt_analyse(t);
    int64_t ends[2];
    assert_int_equal(replay(a, &as_it_was, ends), 200);
    assert_int_equal(ends[0], 200);
    assert_int_equal(ends[1], 200);
    assert_int_equal(replay(a, &ideal, ends), 195);
    assert_int_equal(ends[0], 195);
    assert_int_equal(ends[1], 185);
    /* 0 computes 195 and 1 computes 125: each 160. 0's first part takes 100 * 160 / 195. */
    assert_int_equal(
        replay(a, &(obt_scenario){.balanced = true, .no_latency = true, .no_bytes = true}, ends),
        191);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* A message that was there is waited for when its sender computes for longer. */
static void test_a_message_that_was_there(void **state)
{
    obt_trace *t = begin(2, 200);
    post(t, 0, 1, 0, 50);
    take(t, 1, 0, 0, 100, 100);
    obt_analysis *a = obt_analyse(t);
    ob_profile p = profile(0, 0, 20);
    int64_t ends[2];
    assert_int_equal(replay(a, &(obt_scenario){.from = &p}, ends), 200);
    assert_int_equal(replay(a, &(obt_scenario){.from = &p, .computing = 2}, ends), 400);
    obt_trace_free(t);
    obt_analysis_free(a);
}

/* The last one comes to the barrier at 100; then it takes 10. Root 0 comes to a broadcast at 150,
 * the others have waited since 120 and go on at 160. */
static void test_collective_calls(void **state)
{
    obt_trace *t = begin(3, 200);
    for (int p = 0; p < 3; p++) {
        call(t, p, BARRIER, -1, 0, p == 2 ? 100 : 10 * p, 105, 110);
        call(t, p, p ? BROADCAST : SEND_BROADCAST, 0, 1, p ? 120 : 150, p ? 158 : 150,
             p ? 160 : 155);
    }
    obt_analysis *a = obt_analyse(t);
    int64_t ends[3];
    assert_int_equal(replay(a, &as_it_was, ends), 200);
    assert_int_equal(ends[1], 200);
    /* 100, then 0 computes 40, and the others 40 more. */
    assert_int_equal(replay(a, &ideal, ends), 185);
    assert_int_equal(ends[0], 185);
    assert_int_equal(ends[1], 180);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Four members come to a broadcast at 100. A message takes 30, and its sender 10: down a tree the
 * last one has it after 60, along a ring after 90. Then all compute for 100. */
static void test_other_topologies(void **state)
{
    static const struct {
        char letter;
        int64_t length;
        int64_t root;
    } tops[] = {{'1', 260, 220}, {'D', 290, 210}, {'H', 260, 220}, {'S', 260, 220}};
    obt_trace *t = begin(4, 250);
    for (int p = 0; p < 4; p++)
        call(t, p, p ? BROADCAST : SEND_BROADCAST, 0, 0, 100, 150, 150);
    obt_analysis *a = obt_analyse(t);
    ob_profile costs = profile(10, 5, 30);
    for (size_t k = 0; k < sizeof tops / sizeof *tops; k++) {
        obt_change change;
        char text[] = "all-broadcast=?";
        int64_t ends[4];
        text[14] = tops[k].letter;
        assert_true(obt_read_change(text, &change));
        obt_scenario what = {.from = &costs, .changes = &change, .change_count = 1};
        assert_int_equal(replay(a, &what, ends), tops[k].length);
        assert_int_equal(ends[0], tops[k].root);
    }
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Left on all: the exchange takes two rounds of 30; a tree there and back twice as many. */
static void test_combines(void **state)
{
    obt_trace *t = begin(4, 250);
    for (int p = 0; p < 4; p++)
        call(t, p, COMBINE, -1, 0, 100, 150, 150);
    obt_analysis *a = obt_analyse(t);
    ob_profile costs = profile(10, 5, 30);
    obt_change h, tree, plan;
    assert_true(obt_read_change("combine=h", &h));
    assert_true(obt_read_change("dgsum2d=1", &tree));
    assert_true(obt_read_change("combine=plan", &plan));
    obt_scenario what = {.from = &costs, .changes = &h, .change_count = 1};
    assert_int_equal(replay(a, &what, NULL), 260);
    what.changes = &tree;
    assert_int_equal(replay(a, &what, NULL), 320);
    what.changes = &plan; /* between nodes: no slower than any of these */
    assert_true(replay(a, &what, NULL) <= 260);
    obt_analysis_free(a);
    obt_trace_free(t);
}

static void test_reading_changes(void **state)
{
    static const char *const good[] = {"broadcast=I",   "row-broadcast=s", "column-combine=plan",
                                       "all-combine= ", "dgebr2d=1",       "dgsum2d=H"};
    static const char *const bad[] = {"",
                                      "=",
                                      "broadcast",
                                      "broadcast=",
                                      "broadcast=II",
                                      "=I",
                                      "row-=I",
                                      "broadcast=?",
                                      "a b=I",
                                      "broadcast=x",
                                      "row-broadcast-of-everything-there-is=I"};
    obt_change c;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        assert_true(obt_read_change(good[k], &c));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(obt_read_change(bad[k], &c));
    assert_true(obt_read_change("row-dtrbr2d=i", &c));
    assert_string_equal(c.routine, "dtrbs2d");
    assert_int_equal(c.scope, 'R');
    assert_int_equal(c.letter, 'I');
}

/* Messages of 8 and of 16 bytes on a clean line give that line. */
static void test_costs(void **state)
{
    obt_trace *t = begin(2, 4000);
    for (int k = 0; k < 20; k++) {
        const int64_t bytes = k % 2 ? 1024 : 2048, at = 200 * k + 100, took = 30 + bytes / 64;
        const int64_t s[] = {1, 1, bytes, k}, r[] = {0, 1, bytes, k}, sought[] = {1, 0};
        enter(t, at, 0, SEND, -1, -1, 0);
        obt_add(t, at, 0, OBT_SEND, s, 4);
        leave(t, at + 10, 0, SEND);
        enter(t, at - 50, 1, RECEIVE, -1, -1, 0);
        obt_add(t, at - 50, 1, OBT_RECV_BLOCKING, sought, 2);
        obt_add(t, at + took, 1, OBT_RECV_WAKING, r, 4);
        leave(t, at + took + 4, 1, RECEIVE);
    }
    obt_analysis *a = obt_analyse(t);
    obt_steps s;
    ob_profile p;
    obt_find_steps(a, &s);
    assert_true(obt_costs(&s, &p));
    const obt_prices prices = {&p, false, false}, bare = {&p, true, false};
    assert_int_equal(obt_price(&prices, OB_T_S, 1024), 10);
    assert_int_equal(obt_price(&prices, OB_T_R, 1500), 4);
    assert_int_equal(obt_price(&prices, OB_T_C, 1024), 50);
    assert_int_equal(obt_price(&prices, OB_T_C, 2048), 66);
    assert_int_equal(obt_price(&prices, OB_T_C, 0), 34);
    assert_int_equal(obt_price(&bare, OB_T_C, 2048), 32);
    obt_free_steps(&s);
    /* Another machine's messages need twice as long under way. */
    ob_profile twice = p;
    for (int q = 0; q < OB_QUANTITIES; q++)
        for (int k = 0; k < twice.curve[q].pieces; k++) {
            twice.curve[q].piece[k].alpha *= 2;
            twice.curve[q].piece[k].beta *= 2;
        }
    assert_true(replay(a, &(obt_scenario){.to = &twice}, NULL) > 4000);
    assert_int_equal(replay(a, &(obt_scenario){.to = &p}, NULL), 4000);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Whatever the trace is, a replay ends, and all questions have answers. */
static void test_hostile(void **state)
{
    for (unsigned seed = 1; seed < 200; seed++) {
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
            case 0: post(t, v[4] % 4, v[5] % 4, v[2] % 5, from); break;
            case 1: take(t, v[4] % 4, v[5] % 4, v[2] % 5, from, until); break;
            default:
                call(t, v[4] % 4, BROADCAST + v[5] % 5, v[2] % 6 - 1, v[1] % 7, from, until, to);
            }
        }
        obt_analysis *a = obt_analyse(t);
        obt_steps s;
        obt_answers l;
        obt_find_steps(a, &s);
        obt_ask_all(&s, &as_it_was, true, &l);
        assert_true(l.count >= 5);
        for (size_t k = 0; k < l.count; k++)
            assert_true(l.at[k].length >= 0);
        obt_free_answers(&l);
        obt_free_steps(&s);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message),
        cmocka_unit_test(test_a_message_that_was_there),
        cmocka_unit_test(test_collective_calls),
        cmocka_unit_test(test_other_topologies),
        cmocka_unit_test(test_combines),
        cmocka_unit_test(test_reading_changes),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
