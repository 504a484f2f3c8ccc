/*
 * Replays of runs small enough to be followed by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "hooks/planner.h"
#include "replay_runs_test.h"
#include "unit.h"
#include "whatif.h"

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
    int64_t planned = replay(a, &what, NULL);
    assert_true(planned <= 260);
    /* By the MPI library's own call, where the profile has a lower time for it. */
    costs.native[OB_PLAN_COMBINE_ALL][0] =
        (ob_native_curve){4, {.pieces = 1, .piece = {{0, 0.020, 0}}}};
    assert_int_equal(replay(a, &what, NULL), 220);
    what.no_latency = true;
    assert_int_equal(replay(a, &what, NULL), 200);
    what.no_latency = false;
    costs.native[OB_PLAN_COMBINE_ALL][0].curve.piece[0].alpha = 0.2;
    assert_int_equal(replay(a, &what, NULL), planned);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* OPENBLACS_TOPOLOGY=plan leaves broadcasts along rings alone where the job, not the group alone,
 * has several nodes. */
static void test_rings_of_a_job_of_several_nodes(void **state)
{
    static char here[] = "here", there[] = "there";
    const obt_scenario plan = {.plan = true};
    for (int nodes = 1; nodes <= 2; nodes++) {
        obt_trace *t = begin(3, 250);
        t->groups[0].member_count = 2;
        for (int p = 0; p < 2; p++)
            call(t, p, p ? BROADCAST : SEND_BROADCAST, 0, 0, 100, 150, 150);
        for (int p = 0; p < 3; p++)
            t->processes[p].host = p == 2 && nodes == 2 ? there : here;
        obt_analysis *a = obt_analyse(t);
        obt_steps s;
        char letter;
        obt_find_steps(a, &s);
        assert_int_equal(s.several_nodes, nodes == 2);
        assert_int_equal(obt_changed(&s, &plan, &a->calls[0], &letter), nodes == 1);
        obt_free_steps(&s);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

/* Within a node a member of a board needs what a message needs, but for starting it: 20 of 30. */
static void test_boards(void **state)
{
    static char here[] = "here";
    obt_trace *t = begin(4, 250);
    for (int p = 0; p < 4; p++) {
        call(t, p, p ? BROADCAST : SEND_BROADCAST, 0, 0, 100, 150, 150);
        t->processes[p].host = here;
    }
    obt_analysis *a = obt_analyse(t);
    const ob_profile costs = profile(10, 5, 30);
    const obt_scenario plan = {.plan = true, .from = &costs};
    int64_t ends[4];
    assert_int_equal(replay(a, &plan, ends), 220);
    assert_int_equal(ends[0], 210); /* who has only written */
    assert_int_equal(ends[3], 220);
    obt_analysis_free(a);
    obt_trace_free(t);
}

enum { TAG = OBT_COURSE_TAG };

/* A message of the broadcast that was begun. */
static void hand_on(obt_trace *t, int from, int to, int64_t sent, int64_t received)
{
    const int64_t context = obt_context(&t->groups[0]);
    const int64_t s[] = {to, TAG, 8, 0, context}, r[] = {from, TAG, 8, 0, context};
    obt_add(t, sent, from, OBT_SEND, s, 5);
    obt_add(t, received, to, OBT_RECV, r, 5);
}

static void begin_it(obt_trace *t, int p, int64_t at)
{
    enter(t, at, p, BEGIN, 0, 0, OBT_COURSE_BEGINS(TAG));
}

static void await_it(obt_trace *t, int p, int64_t from)
{
    const int64_t nobody = -1;
    enter(t, from, p, AWAIT, 0, 0, OBT_COURSE_ENDS(TAG));
    obt_add(t, from, p, OBT_WAIT_BEGIN, &nobody, 1);
}

static void awaited(obt_trace *t, int p, int64_t until)
{
    const int64_t nobody = -1;
    obt_add(t, until, p, OBT_WAIT_END, &nobody, 1);
    leave(t, until, p, AWAIT);
}

/* 0 at 10, the others at once. */
static void all_begin_it(obt_trace *t)
{
    for (int p = 0; p < 3; p++) {
        begin_it(t, p, p ? 0 : 10);
        leave(t, p ? 0 : 10, p, BEGIN);
    }
}

/* 0 begins a broadcast at 10, whose message needs 20. 1 computes until 100, waits, takes it there,
 * hands it on at 102, and goes on at 105. 2 has waited since 50, and goes on at 125. Twice as much
 * computing: 1 waits from 200 to 205, 2 from 100 to 225. */
static void test_what_was_begun(void **state)
{
    obt_trace *t = begin(3, 300);
    const ob_profile costs = profile(0, 0, 20);
    int64_t ends[3];
    all_begin_it(t);
    await_it(t, 1, 100);
    await_it(t, 2, 50);
    hand_on(t, 0, 1, 10, 100);
    hand_on(t, 1, 2, 102, 122);
    awaited(t, 1, 105);
    awaited(t, 2, 125);
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(replay(a, &(obt_scenario){.from = &costs}, ends), 300);
    for (int p = 0; p < 3; p++)
        assert_int_equal(ends[p], 300);
    assert_int_equal(replay(a, &(obt_scenario){.from = &costs, .computing = 2}, ends), 600);
    assert_int_equal(ends[0], 600);
    assert_int_equal(ends[1], 205 + 2 * 195);
    assert_int_equal(ends[2], 225 + 2 * 175);
    /* Of 2's wait 0's late begin is none; the wait is no call of its own. */
    assert_int_equal(a->calls[a->call_count - 1].course, OBT_ENDED);
    assert_int_equal(a->late, 0);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* The same, but a thread of 1 takes the message at 30 and hands it on at 32, so 2 has it at 52.
 * With twice as much computing 2 has it at 62, before it waits. */
static void test_what_a_thread_moves(void **state)
{
    obt_trace *t = begin(3, 300);
    const ob_profile costs = profile(0, 0, 20);
    int64_t ends[3];
    all_begin_it(t);
    hand_on(t, 0, 1, 10, 30);
    await_it(t, 2, 50);
    hand_on(t, 1, 2, 32, 52);
    awaited(t, 2, 55);
    await_it(t, 1, 100);
    awaited(t, 1, 100);
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(replay(a, &(obt_scenario){.from = &costs}, ends), 300);
    assert_int_equal(ends[2], 300);
    assert_int_equal(replay(a, &(obt_scenario){.from = &costs, .computing = 2}, ends), 600);
    assert_int_equal(ends[1], 600);
    assert_int_equal(ends[2], 103 + 2 * 245);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* 1 hands it on while it waits for something else, which comes from 2 because of that. */
static void test_what_another_wait_moves(void **state)
{
    obt_trace *t = begin(3, 300);
    const ob_profile costs = profile(0, 0, 20);
    int64_t ends[3];
    all_begin_it(t);
    await_it(t, 2, 20);
    hand_on(t, 0, 1, 10, 40);
    hand_on(t, 1, 2, 42, 62);
    awaited(t, 2, 65);
    post(t, 2, 1, 0, 65);
    take(t, 1, 2, 0, 40, 85);
    await_it(t, 1, 90);
    awaited(t, 1, 90);
    obt_analysis *a = obt_analyse(t);
    obt_steps s;
    obt_replay r;
    obt_find_steps(a, &s);
    assert_int_equal(s.untold, 0);
    obt_replay_run(&s, &(obt_scenario){.from = &costs, .computing = 2}, &r);
    assert_int_equal(r.stuck, 0);
    obt_free_replay(&r);
    obt_free_steps(&s);
    assert_int_equal(replay(a, &(obt_scenario){.from = &costs}, ends), 300);
    /* 1 waits from 80; 2 has it at 102 and goes on at 105, 1 at 125. */
    assert_int_equal(replay(a, &(obt_scenario){.from = &costs, .computing = 2}, ends), 600);
    assert_int_equal(ends[1], 125 + 2 * 215);
    assert_int_equal(ends[2], 105 + 2 * 235);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Without its messages nothing is predicted. */
static void test_what_is_not_told(void **state)
{
    obt_trace *t = begin(2, 300);
    for (int p = 0; p < 2; p++) {
        begin_it(t, p, 10);
        leave(t, 10, p, BEGIN);
        await_it(t, p, 50);
        awaited(t, p, 60);
    }
    obt_analysis *a = obt_analyse(t);
    obt_steps s;
    obt_answers l;
    char *text = NULL;
    size_t size;
    obt_find_steps(a, &s);
    assert_int_equal(s.untold, 2);
    obt_ask_all(&s, &as_it_was, true, &l);
    FILE *out = open_memstream(&text, &size);
    obt_whatif_plain(a, &l, out);
    fclose(out);
    assert_string_equal(text, "measured 300\nreplay 300\nstuck 0\n");
    free(text);
    for (size_t k = 0; k < a->text_count; k++)
        assert_int_not_equal(strncmp(a->texts[k], "Try", 3), 0);
    obt_free_answers(&l);
    obt_free_steps(&s);
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
            switch (v[3] % 7) {
            case 0: post(t, v[4] % 4, v[5] % 4, v[2] % 5, from); break;
            case 1: take(t, v[4] % 4, v[5] % 4, v[2] % 5, from, until); break;
            case 4: hand_on(t, v[4] % 4, v[5] % 4, from, until); break;
            case 5:
                begin_it(t, v[4] % 4, from);
                leave(t, from, v[4] % 4, BEGIN);
                break;
            case 6:
                await_it(t, v[4] % 4, from);
                awaited(t, v[4] % 4, until);
                break;
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
        cmocka_unit_test(test_rings_of_a_job_of_several_nodes),
        cmocka_unit_test(test_boards),
        cmocka_unit_test(test_what_was_begun),
        cmocka_unit_test(test_what_a_thread_moves),
        cmocka_unit_test(test_what_another_wait_moves),
        cmocka_unit_test(test_what_is_not_told),
        cmocka_unit_test(test_reading_changes),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
