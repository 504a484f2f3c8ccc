/*
 * Replays on another network than that of the trace, of runs small enough to be followed by hand.
 */
#include "replay_runs_test.h"
#include "unit.h"

/* 0 sends to 1 and at once to 2: bytes of 40 each, started for 100. Without what starts them both
 * come when the bytes of both are through. */
static void test_messages_under_way_at_once(void **state)
{
    static char hosts[3][2] = {"a", "b", "c"};
    obt_trace *t = begin(3, 1000);
    for (int p = 0; p < 3; p++) {
        t->processes[p].machine = p;
        t->processes[p].host = hosts[p];
    }
    for (int p = 1; p < 3; p++) {
        enter(t, 100 * p, 0, SEND, -1, -1, 0);
        post(t, 0, p, 0, 100 * p + 100);
        leave(t, 100 * p + 100, 0, SEND);
        enter(t, 50, p, RECEIVE, -1, -1, 0);
        take(t, p, 0, 0, 50, 100 * p + 240);
        leave(t, 100 * p + 240, p, RECEIVE);
    }
    obt_analysis *a = obt_analyse(t);
    ob_profile p = profile(100, 0, 100);
    p.curve[OB_T_C].piece[0].beta = 40. / 8 / 1e3;
    int64_t ends[3];
    replay(a, &(obt_scenario){.from = &p}, ends);
    assert_int_equal(ends[1], 1000);
    replay(a, &(obt_scenario){.from = &p, .no_latency = true}, ends);
    assert_int_equal(ends[0], 800);
    assert_int_equal(ends[1], 100 + 80 + 660);
    assert_int_equal(ends[2], 100 + 80 + 560);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 0 sends at 100, which takes it 100; the receive of 1 sees the message at 200 and has its bytes at
 * 230, and all of it at 240. Without what starts it 1 waits for its bytes, 40, all the same. */
static void test_a_message_whose_bytes_are_awaited(void **state)
{
    const int64_t s[] = {1, 1, 8, 0, 7}, sought[] = {1, 0}, r[] = {0, 1, 8, 0, 7, 150};
    obt_trace *t = begin(2, 1000);
    enter(t, 100, 0, SEND, -1, -1, 0);
    obt_add(t, 100, 0, OBT_SEND, s, 5);
    leave(t, 200, 0, SEND);
    enter(t, 50, 1, RECEIVE, -1, -1, 0);
    obt_add(t, 50, 1, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, 240, 1, OBT_RECV_WAKING, r, 6);
    leave(t, 240, 1, RECEIVE);
    obt_analysis *a = obt_analyse(t);
    ob_profile p = profile(90, 10, 100);
    p.curve[OB_T_C].piece[0].beta = 40. / 8 / 1e3;
    int64_t ends[2];
    replay(a, &(obt_scenario){.from = &p}, ends);
    assert_int_equal(ends[1], 1000);
    replay(a, &(obt_scenario){.from = &p, .no_latency = true}, ends);
    assert_int_equal(ends[0], 900);
    assert_int_equal(ends[1], 140 + 760);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 0 sends at 100. 1 works in the library until 200, and then for 10 on the message, which needs 30
 * with that. If computing takes three times as long, 0 sends at 300, and 1 has the message at 330.
 */
static obt_trace *a_message_is_there(void)
{
    obt_trace *t = begin(2, 1000);
    enter(t, 100, 0, SEND, -1, -1, 0);
    post(t, 0, 1, 0, 100);
    leave(t, 100, 0, SEND);
    enter(t, 0, 1, SEND, -1, -1, 0);
    leave(t, 200, 1, SEND);
    enter(t, 200, 1, RECEIVE, -1, -1, 0);
    take(t, 1, 0, 0, 210, 210);
    leave(t, 210, 1, RECEIVE);
    return t;
}

static void test_work_for_a_message_that_was_there(void **state)
{
    obt_trace *t = a_message_is_there();
    obt_analysis *a = obt_analyse(t);
    ob_profile p = profile(0, 10, 30);
    int64_t ends[2];
    replay(a, &(obt_scenario){.from = &p}, ends);
    assert_int_equal(ends[1], 1000);
    replay(a, &(obt_scenario){.from = &p, .computing = 3}, ends);
    assert_int_equal(ends[0], 3000);
    assert_int_equal(ends[1], 330 + 3 * 790);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 1 begins a broadcast at the moment at which it has the message: it has it first. 0 has come to
 * the broadcast 30 after its send, and needs 30 from when 1 has begun. */
static void test_calls_that_follow_each_other_at_once(void **state)
{
    obt_trace *t = a_message_is_there();
    call(t, 0, BROADCAST, 1, 0, 110, 110, 240);
    call(t, 1, SEND_BROADCAST, 1, 0, 210, 210, 220);
    post(t, 1, 0, 0, 210);
    take(t, 0, 1, 0, 110, 230);
    obt_analysis *a = obt_analyse(t);
    ob_profile p = profile(0, 10, 30);
    obt_change tree;
    int64_t ends[2];
    assert_true(obt_read_change("broadcast=1", &tree));
    obt_scenario what = {.from = &p, .computing = 3, .changes = &tree, .change_count = 1};
    replay(a, &what, ends);
    assert_int_equal(ends[0], 360 + 3 * 760);
    assert_int_equal(ends[1], 330 + 3 * 780);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 0 sends to 2 from 100 on, and 0 and 1 to each other in a superstep, from 200 on; each of the
 * three needs 140, of which its bytes are 40. Without what starts them 0 has sent both at 100,
 * which come at 180; that of 1 comes at 240, and 1 need not wait. */
static void test_messages_of_a_superstep(void **state)
{
    obt_trace *t = begin(3, 1000);
    t->groups[0].member_count = 2;
    enter(t, 100, 0, SEND, -1, -1, 0);
    post(t, 0, 2, 0, 100);
    leave(t, 200, 0, SEND);
    enter(t, 50, 2, RECEIVE, -1, -1, 0);
    take(t, 2, 0, 0, 50, 240);
    leave(t, 240, 2, RECEIVE);
    for (int p = 0; p < 2; p++) {
        enter(t, 200, p, SYNC, -1, 0, OBT_SUPERSTEP);
        post(t, p, 1 - p, 0, 200);
        take(t, p, 1 - p, 0, 300, 340);
        leave(t, 340, p, SYNC);
    }
    obt_analysis *a = obt_analyse(t);
    ob_profile p = profile(100, 0, 100);
    p.curve[OB_T_C].piece[0].beta = 40. / 8 / 1e3;
    int64_t ends[3];
    replay(a, &(obt_scenario){.from = &p}, ends);
    for (int k = 0; k < 3; k++)
        assert_int_equal(ends[k], 1000);
    replay(a, &(obt_scenario){.from = &p, .no_latency = true}, ends);
    assert_int_equal(ends[0], 240 + 660);
    assert_int_equal(ends[1], 200 + 660);
    assert_int_equal(ends[2], 180 + 760);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Of `bytes`, sent by 0 at `at`, waited for since 50 before, or not. */
static void receive(obt_trace *t, int p, int64_t bytes, int64_t order, int64_t at, int64_t took,
                    bool waits)
{
    const int64_t r[] = {0, 1, bytes, order}, sought[] = {1, 0};
    enter(t, waits ? at - 50 : at + took, p, RECEIVE, -1, -1, 0);
    if (waits)
        obt_add(t, at - 50, p, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, at + took, p, waits ? OBT_RECV_WAKING : OBT_RECV, r, 4);
    leave(t, at + took + 4, p, RECEIVE);
}

/* Each receiver begins to wait 20 after its message was sent. The message needs 100 until it is
 * taken. */
static void test_costs_where_receivers_came_behind_the_sends(void **state)
{
    static char hosts[2][2] = {"a", "b"};
    const int64_t sought[] = {1, 0};
    obt_trace *t = begin(2, 5000);
    for (int k = 0; k < 20; k++) {
        const int64_t at = 200 * k + 100, s[] = {1, 1, 8, k}, r[] = {0, 1, 8, k};
        enter(t, at, 0, SEND, -1, -1, 0);
        obt_add(t, at, 0, OBT_SEND, s, 4);
        leave(t, at + 20, 0, SEND);
        enter(t, at + 20, 1, RECEIVE, -1, -1, 0);
        obt_add(t, at + 20, 1, OBT_RECV_BLOCKING, sought, 2);
        obt_add(t, at + 100, 1, OBT_RECV_WAKING, r, 4);
        leave(t, at + 104, 1, RECEIVE);
    }
    for (int p = 0; p < 2; p++)
        t->processes[p].host = hosts[p];
    obt_analysis *a = obt_analyse(t);
    obt_steps s;
    ob_profile p;
    obt_find_steps(a, &s);
    assert_true(s.several_nodes);
    assert_true(obt_costs(&s, &p));
    const obt_prices prices = {&p, false, false};
    assert_int_equal(obt_price(&prices, OB_T_S, 8), 20);
    assert_int_equal(obt_price(&prices, OB_T_C, 8), 100);
    obt_free_steps(&s);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 0 sends 512 or 1024 bytes to 1 and to 2 at one moment, and has done so after 20. They need 34 and
 * one for each 64 bytes, with the 4 of who takes them: 162 for 8192, for which nobody waits. If
 * that one is faster, the line is lower; if it is slower, it was held up. Those to 2 are, by 40. */
static void test_costs_between_nodes(void **state)
{
    static const struct {
        int64_t took, costs;
    } cases[] = {{130, 130}, {500, 162}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        obt_trace *t = begin(3, 5000);
        for (int k = 0; k <= 20; k++) {
            const int64_t bytes = k == 20 ? 8192 : k % 2 ? 512 : 1024, at = 200 * k + 100;
            enter(t, at, 0, SEND, -1, -1, 0);
            for (int p = 1; p < 3; p++) {
                const int64_t s[] = {p, 1, bytes, k};
                obt_add(t, at, 0, OBT_SEND, s, 4);
                int64_t took = 30 + bytes / 64 + (p == 2 ? 40 : 0);
                receive(t, p, bytes, k, at, k == 20 ? cases[c].took : took, k < 20);
            }
            leave(t, at + 20, 0, SEND);
        }
        obt_analysis *a = obt_analyse(t);
        obt_steps s;
        ob_profile p;
        obt_find_steps(a, &s);
        assert_true(obt_costs(&s, &p));
        const obt_prices prices = {&p, false, false};
        assert_int_equal(obt_price(&prices, OB_T_S, 512), 10);
        assert_int_equal(obt_price(&prices, OB_T_S, 8192), 10);
        assert_int_equal(obt_price(&prices, OB_T_R, 0), 4);
        assert_int_equal(obt_price(&prices, OB_T_R, 8192), 4);
        assert_int_equal(obt_price(&prices, OB_T_C, 512), 42);
        assert_int_equal(obt_price(&prices, OB_T_C, 8192), cases[c].costs);
        obt_free_steps(&s);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_under_way_at_once),
        cmocka_unit_test(test_a_message_whose_bytes_are_awaited),
        cmocka_unit_test(test_work_for_a_message_that_was_there),
        cmocka_unit_test(test_calls_that_follow_each_other_at_once),
        cmocka_unit_test(test_messages_of_a_superstep),
        cmocka_unit_test(test_costs_where_receivers_came_behind_the_sends),
        cmocka_unit_test(test_costs_between_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
