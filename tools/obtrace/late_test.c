/*
 * Wait states (late.c) and what made others wait (delays.c), of runs small enough to be added up
 * by hand.
 */
#include "replay.h"
#include "runs_test.h"

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
    assert_true(said(a, "86 % of all waiting is for one message while another one was there"));
    /* From 110 to 120 it takes the one and comes to the other. */
    assert_int_equal(a->sums[1].order, 10);
    assert_true(said(a,
                     "Try to receive messages in the order in which they come: what process 1 "
                     "does with those that are there, 10 ns or 5 % of the run, it could do while "
                     "it waits."));
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
    assert_true(said(a, "Process 0 made others wait: "));
    assert_false(said(a, "is blocked in"));
    end(t, a);
}

/* Nobody came late: who waits, and in what, is all that can be said. */
static void test_blocked_in_a_broadcast(void **state)
{
    obt_trace *t = begin(2, 200);
    call(t, 0, BROADCAST, 0, 0, 30, 30, 35);
    call(t, 1, BROADCAST, 0, 0, 40, 80, 85);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_UNDER_WAY, -1, 0);
    assert_true(said(a, "20 % of process 1's time is blocked in broadcasts from process 0."));
    end(t, a);
}

/* In bsp_begin process 0 tells the others how many they are, and all tell all where they are; in
 * bsp_end all wait for all. */
static void test_begin_and_end(void **state)
{
    static const obt_state states[] = {OBT_COLLECTING, OBT_COLLECTING, OBT_IN_BARRIER};
    static const obt_need needs[] = {OBT_NEEDS_ROOT, OBT_NEEDS_ALL, OBT_NEEDS_ALL};
    obt_trace *t = begin(2, 400);
    call(t, 0, BEGIN, 0, 0, 100, 100, 105);
    call(t, 1, BEGIN, 0, 0, 40, 108, 110);
    call(t, 0, BEGIN, -1, 1, 150, 150, 155);
    call(t, 1, BEGIN, -1, 1, 120, 152, 155);
    call(t, 0, END, -1, 2, 200, 200, 205);
    call(t, 1, END, -1, 2, 160, 202, 205);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 1, 0, OBT_LATE_BROADCAST, 0, 60);
    assert_late(a, 1, 1, OBT_WAIT_NXN, 0, 30);
    assert_late(a, 1, 2, OBT_WAIT_BARRIER, 0, 40);
    assert_int_equal(a->wait_count, 3);
    for (size_t i = 0; i < a->wait_count; i++) {
        assert_int_equal(a->waits[i].state, states[i]);
        assert_int_equal(obt_needs(a, &a->calls[a->waits[i].call]), needs[i]);
    }
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
    assert_int_equal(wait_of(a, 1, 0)->because_of, wait_of(a, 1, 0)->culprit);
    assert_int_equal(wait_of(a, 2, 0)->because_of, wait_of(a, 1, 0)->culprit);
    /* Of 2's 81 its share of 1 in 91 for what 1 communicated is rounded away. */
    assert_int_equal(a->delay_count, 1);
    assert_delay(a, 0, 0, OBT_COMPUTING, 171, 0, 100);
    end(t, a);
}

/* 0 asks 1 at 10 and waits for the answer. 1 computes until 90, takes the question, which has lain
 * there, and computes until 100: the question tells 0's time, not that of its being taken. */
static void test_a_question_that_lay_there(void **state)
{
    obt_trace *t = begin(2, 300);
    send(t, 0, 1, 0, 10, 0);
    receive(t, 0, 1, 0, 11, 100);
    receive(t, 1, 0, 0, 90, 90);
    send(t, 1, 0, 0, 100, 0);
    obt_analysis *a = obt_analyse(t);
    assert_late(a, 0, 0, OBT_LATE_SENDER, 1, 89);
    assert_delay(a, 0, 1, OBT_COMPUTING, 80, 10, 90);
    assert_int_equal(a->delay_count, 2);
    assert_true(said(
        a, "Process 1 made others wait: 100 % of all waiting (89 ns), 80 ns of it: computing"));
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

/* Of three processes 1 takes 30, 30, 31 and 90 before four barriers, the others 10: what is told of
 * it is the median, and not the costliest. */
static void test_what_it_takes_as_a_rule(void **state)
{
    static const int length[] = {30, 30, 31, 90};
    obt_trace *t = begin(3, 400);
    char text[200];
    for (int p = 0; p < 3; p++) {
        int64_t now = 11;
        call(t, p, BARRIER, -1, 0, 10, 10, now);
        for (int k = 0; k < 4; k++) {
            int64_t last = now + length[k];
            call(t, p, BARRIER, -1, k + 1, p == 1 ? last : now + 10, last, last + 1);
            now = last + 1;
        }
    }
    obt_analysis *a = obt_analyse(t);
    const obt_delay *d = &a->delays[0];
    assert_int_equal(d->process, 1);
    assert_int_equal(d->cost, 2 * (20 + 20 + 21 + 80));
    assert_int_equal(d->end - d->begin, 90);
    assert_int_equal(d->times, 4);
    assert_int_equal(d->typical, 30);
    assert_int_equal(d->typical_end - d->typical_begin, 30);
    assert_int_equal(d->others, 10);
    assert_string_equal(obt_typical_name(d, text, sizeof text),
                        "4 x 30 ns, the others 10 ns (medians)");
    assert_true(
        said(a, "There process 1 takes 30 ns (median of 4 times), the other processes 10 ns."));
    /* 20, 20, 21 and 80 less. */
    assert_int_equal(d->gain, 141);
    assert_true(said(a, "Try to give process 1 as much to do between blacs_barrier and "
                        "blacs_barrier as the others have: 10 ns, not 30 ns. If it took there what "
                        "the others take, the run would take about 141 ns less of its 400 ns (35 "
                        "%): predicted by a replay."));
    end(t, a);
}

/* 1 comes late because it takes what it was sent: what made the others wait tells how much. */
static void test_what_came_with_a_call(void **state)
{
    obt_trace *t = begin(3, 300);
    for (int p = 0; p < 3; p++) {
        call(t, p, BARRIER, -1, 0, 10, 10, 11);
        enter(t, 20, p, SYNC, -1, -1);
        if (p == 1)
            for (int from = 0; from < 3; from += 2) {
                const int64_t v[] = {from, 0, 1 << 20, from};
                obt_add(t, 30, 1, OBT_RECV, v, 4);
            }
        leave(t, p == 1 ? 100 : 32, p, SYNC);
        if (p != 1) {
            const int64_t v[] = {1, 0, 1 << 20, p};
            obt_add(t, 25, p, OBT_SEND, v, 4);
        }
        call(t, p, BARRIER, -1, 1, p == 1 ? 110 : 42, 110, 111);
    }
    obt_analysis *a = obt_analyse(t);
    assert_delay(a, 0, 1, OBT_LIBRARY, 2 * 68, 25, 100);
    assert_int_equal(a->delays[0].bytes, 2 << 20);
    assert_true(said(a, "In the costliest of these calls 2.00 MiB came to it."));
    assert_true(said(a, "100 % of all bytes (2.00 MiB) go to process 1."));
    assert_true(said(a, "Try to combine what goes to process 1 in each process first, so that "
                        "results alone go there, or to spread it over several processes. It takes "
                        "82 ns for that, 27 % of the run, and that is about what can be won."));
    end(t, a);
}

/* Five calls of 10 in one routine are more of a cause than one of 30 in another. */
static void test_many_short_calls(void **state)
{
    obt_trace *t = begin(2, 200);
    enter(t, 0, 0, COLLECT, -1, -1);
    leave(t, 30, 0, COLLECT);
    for (int k = 0; k < 5; k++) {
        enter(t, 40 + 12 * k, 0, COMBINE, -1, -1);
        leave(t, 50 + 12 * k, 0, COMBINE);
    }
    send(t, 0, 1, 0, 100, 0);
    receive(t, 1, 0, 0, 1, 101);
    obt_analysis *a = obt_analyse(t);
    size_t i = 0;
    while (i < a->delay_count && a->delays[i].state != OBT_LIBRARY)
        i++;
    assert_true(i < a->delay_count);
    assert_string_equal(t->routines[a->calls[a->delays[i].before].routine].name, "dgsum2d");
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

/* Process 1 joins after 100, process 2 after 1000. `works` later it comes to a barrier, before
 * which the others work for 200. */
static obt_analysis *join_late(int64_t works, bool known)
{
    static const int64_t joined[] = {0, 100, 1000};
    const int64_t comes = joined[2] + works;
    obt_trace *t = begin_at(joined, 3, 2000);
    for (int p = 0; p < 3; p++)
        call(t, p, BARRIER, -1, 0, p == 2 ? comes : joined[p] + 200, comes, comes + 10);
    if (known)
        know_joined(t, joined, 2000);
    return obt_analyse(t);
}

static void test_late_start(void **state)
{
    (void)state;
    char text[600];
    obt_analysis *a = join_late(100, true);
    assert_late(a, 0, 0, OBT_WAIT_BARRIER, 2, 900);
    assert_late(a, 1, 0, OBT_WAIT_BARRIER, 2, 800);
    assert_delay(a, 0, 2, OBT_OFF, 1700, 0, 1000);
    assert_string_equal(obt_delay_name(a, &a->delays[0], text, sizeof text),
                        "late start: it joined 1.00 us after the first process");
    assert_int_equal(a->delay_count, 1);
    assert_true(said(a, "Process 2 joined 1.00 us after the first process: 100 % of all waiting "
                        "(1.70 us) is for that. It was started late, or came late"));
    /* All join at 0, work for 200 at most, and for 890 behind the barrier. */
    assert_int_equal(a->delays[0].gain, 2000 - (200 + 10 + 890));
    assert_true(said(a, "Try to have all processes come to their first call of the library "
                        "together. If all had joined with the first, the run would take about 900 "
                        "ns less of its 2.00 us (45 %): predicted by a replay."));
    assert_false(said(a, "made others wait"));
    end(a->trace, a);
}

/* What it did for longer than the others behind its late start is its own row. */
static void test_late_start_and_work(void **state)
{
    (void)state;
    obt_analysis *a = join_late(400, true);
    assert_delay(a, 0, 2, OBT_OFF, 1900, 0, 1000);
    assert_delay(a, 1, 2, OBT_COMPUTING, 400, 1000, 1400);
    assert_int_equal(a->delay_count, 2);
    assert_true(said(a, "Process 2 joined 1.00 us after the first process: 83 % of"));
    assert_true(said(a, "Process 2 made others wait: 17 % of all waiting (400 ns): computing"));
    end(a->trace, a);
}

/* Where a file does not tell when processes joined, only what they did later is known. */
static void test_unknown_start(void **state)
{
    (void)state;
    obt_analysis *a = join_late(100, false);
    assert_int_equal(a->delay_count, 1);
    assert_delay(a, 0, 2, OBT_COMPUTING, 1700, 1000, 1100);
    assert_false(said(a, "joined"));
    end(a->trace, a);
}

/* Processes of one machine that began 10 ticks of 10 ms apart, or together. */
static void test_why_late(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        static const int64_t joined[] = {0, 100000000}, ended = 200000000;
        obt_trace *t = begin_at(joined, 2, ended);
        for (int p = 0; p < 2; p++) {
            call(t, p, BARRIER, -1, 0, joined[p], joined[1], joined[1] + 10);
            t->processes[p].born = 5 + (p && apart ? 10 : 0);
        }
        know_joined(t, joined, ended);
        obt_analysis *a = obt_analyse(t);
        assert_true(said(a, apart ? "is for that. It was started late."
                                  : "is for that. It was started with the others, and came late"));
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
        cmocka_unit_test(test_blocked_in_a_broadcast),
        cmocka_unit_test(test_begin_and_end),
        cmocka_unit_test(test_early_reduce),
        cmocka_unit_test(test_all_wait_for_the_last),
        cmocka_unit_test(test_costs_go_back_to_the_root),
        cmocka_unit_test(test_a_question_that_lay_there),
        cmocka_unit_test(test_the_stretch_that_was_longer),
        cmocka_unit_test(test_what_it_takes_as_a_rule),
        cmocka_unit_test(test_what_came_with_a_call),
        cmocka_unit_test(test_many_short_calls),
        cmocka_unit_test(test_late_one_has_no_events),
        cmocka_unit_test(test_late_start),
        cmocka_unit_test(test_late_start_and_work),
        cmocka_unit_test(test_unknown_start),
        cmocka_unit_test(test_why_late),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
