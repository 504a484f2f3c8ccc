/*
 * What is told of causes (delays.c, typical.c, gains.c, causes.c): rare stretches, those of one
 * place, and what the run would gain.
 */
#include "runs_test.h"

enum { TIMES = 10 };

/* Process 1 is at one place `k` times of ten for 100 and else for 10, as the others always are
 * there; then come barriers and supersteps in turn. asleep: it sleeps for all of that. */
static obt_analysis *rarely(int rare, bool asleep, obt_trace **trace)
{
    obt_trace *t = *trace = begin(3, 1200);
    int64_t now[3] = {10, 10, 10};
    for (int k = 0; k < TIMES; k++) {
        int64_t takes = k % (TIMES / rare) == 0 ? 100 : 10, last;
        for (int p = 0; p < 3; p++)
            call(t, p, COMBINE, -1, 2 * k, now[p], now[p], now[p] + 1);
        last = now[1] + 1 + takes;
        if (asleep) {
            const int64_t v[] = {takes, 0, 1, 1, 0};
            obt_add(t, last, 1, OBT_RUNNING, v, 5);
        }
        for (int p = 0; p < 3; p++) {
            call(t, p, k % 2 ? BARRIER : SYNC, -1, 2 * k + 1, p == 1 ? last : now[p] + 11, last,
                 last + 1);
            now[p] = last + 1;
        }
    }
    return obt_analyse(t);
}

/* One cause is one row, whichever call comes next; and it says how many stretches it is. */
static void test_rare_stretches(void **state)
{
    obt_trace *t;
    char text[200];
    obt_analysis *a = rarely(2, false, &t);
    const obt_delay *d = &a->delays[0];
    assert_int_equal(a->delay_count, 1);
    assert_int_equal(d->process, 1);
    assert_int_equal(d->cost, 2 * 2 * 90);
    assert_int_equal(d->times, 10);
    assert_int_equal(d->rare, 2);
    assert_int_equal(d->typical, 100);
    assert_int_equal(d->typical_end - d->typical_begin, 100);
    assert_int_equal(d->usual, 10);
    assert_int_equal(d->others, 10);
    assert_int_equal(d->gain, 2 * 90);
    assert_string_equal(obt_typical_name(d, text, sizeof text),
                        "2 of 10 took 100 ns, the rest 10 ns, the others 10 ns in their longest "
                        "(medians)");
    assert_true(said(a, "computing after dgsum2d, before calls at 2 places."));
    assert_true(said(a, "2 of 10 times process 1 takes 100 ns there, the rest of them 10 ns; the "
                        "other processes take 10 ns in their longest 2."));
    end(t, a);
}

/* Where it sleeps nobody is to be given less to do. */
static void test_asleep(void **state)
{
    obt_trace *t;
    obt_analysis *a = rarely(2, true, &t);
    assert_int_equal(a->delays[0].rare, 2);
    assert_int_equal(a->delays[0].gain, 2 * 90);
    assert_true(said(a, "Try to find out why process 1 sleeps after dgsum2d, before calls at 2 "
                        "places: it computes nothing there, but sleeps, reads files, or is in "
                        "another library. If it took there what the others take, the run would "
                        "take about 180 ns less of its 1.20 us (15 %): predicted by a replay."));
    assert_false(said(a, "as much to do"));
    end(t, a);
}

/* Process 1 takes 100 behind each combine, and process 0 takes 60 behind each barrier, where the
 * others take 10: what gains less is advised, too, if it is much of the run. */
static void next_of(int64_t second, bool told)
{
    obt_trace *t = begin(3, 3000);
    int64_t now = 10;
    for (int k = 0; k < TIMES; k++) {
        for (int p = 0; p < 3; p++)
            call(t, p, BARRIER, -1, 2 * k, now + (p == 1 ? 100 : 10), now + 100, now + 101);
        now += 101;
        for (int p = 0; p < 3; p++)
            call(t, p, COMBINE, -1, 2 * k + 1, now + (p == 0 ? second : 10), now + second,
                 now + second + 1);
        now += second + 1;
    }
    obt_analysis *a = obt_analyse(t);
    assert_true(said(a, "Try to give process 1 as much to do between dgsum2d and blacs_barrier as "
                        "the others have: 10 ns, not 100 ns."));
    assert_int_equal(said(a, "Try to give process 0 as much to do between blacs_barrier and "
                             "dgsum2d as the others have: 10 ns, not 60 ns. If it took there what "
                             "the others take, the run would take about 500 ns less of its 3.00 us "
                             "(17 %): predicted by a replay."),
                     told);
    assert_int_equal(said(a, "Try to give process 0"), told);
    assert_int_equal(said(a, "Process 0 made others wait, too: "), told);
    end(t, a);
}

static void test_next_advice(void **state)
{
    (void)state;
    next_of(60, true);
    next_of(14, false);
}

/* Each process is the one that takes long in its turn: that makes nobody exceptional. */
static void test_turns(void **state)
{
    obt_trace *t = begin(2, 1300);
    int64_t now = 10;
    for (int k = 0; k < TIMES; k++) {
        for (int p = 0; p < 2; p++) {
            const int64_t other = 1 - p;
            enter(t, p == k % 2 ? now + 100 : now + 10, p, BARRIER, -1, k);
            if (p != k % 2) {
                obt_add(t, now + 10, p, OBT_WAIT_BEGIN, &other, 1);
                obt_add(t, now + 100, p, OBT_WAIT_END, &other, 1);
            }
            leave(t, now + 101, p, BARRIER);
        }
        now += 101;
    }
    obt_analysis *a = obt_analyse(t);
    for (size_t i = 0; i < a->delay_count; i++)
        if (a->delays[i].times > 1)
            assert_in_range(a->delays[i].others, 90, 100);
    /* Nine of these are 900, and what follows the last until 1300 is 280. */
    assert_true(said(a, "The longest part of it, 1.18 us or 91 % of the run, is computing between "
                        "blacs_barrier and blacs_barrier, or its end: by turns in 2 processes."));
    assert_false(said(a, "times process"));
    assert_false(said(a, "as much to do"));
    end(t, a);
}

/* Behind each combine process 1 comes to a send, which the other process does not, or each fifth
 * time to a barrier: it is at the place before the send eight times, of which it takes long four
 * times. What it does before barriers is no part of these. */
static void test_other_call(void **state)
{
    obt_trace *t = begin(2, 2000);
    char text[600];
    int64_t now = 10;
    for (int k = 0; k < TIMES; k++) {
        for (int p = 0; p < 2; p++)
            call(t, p, COMBINE, -1, 2 * k, now, now, now + 1);
        bool all = k % 5 == 4;
        int64_t takes = !all && k % 2 == 0 ? 100 : 10, last = now + 1 + takes;
        for (int p = 0; p < 2 && all; p++)
            call(t, p, BARRIER, -1, 2 * k + 1, last, last, last + 1);
        if (!all) {
            send(t, 1, 0, k, last, 0);
            receive(t, 0, 1, k, now + 11, last);
        }
        now = last + 1;
    }
    obt_analysis *a = obt_analyse(t);
    const obt_delay *d = &a->delays[0];
    assert_int_equal(d->process, 1);
    assert_int_equal(d->times, 8);
    assert_int_equal(d->rare, 4);
    assert_int_equal(d->usual, 10);
    assert_true(d->elsewhere);
    assert_int_equal(d->others, 10);
    assert_int_equal(d->gain, 4 * 90);
    assert_true(said(a, "4 of 8 times process 1 takes 100 ns there, the rest of them 10 ns; behind "
                        "the same call the other processes come to their next one after 10 ns."));
    assert_true(said(a, "If it took there what the others take, the run would take about 360 ns "
                        "less of its 2.00 us (18 %)"));
    assert_string_equal(obt_delay_name(a, d, text, sizeof text),
                        "computing between dgsum2d and dgesd2d");
    end(t, a);
}

/* All have come to a superstep's end at 100, and process 0 goes on at 160: with data, without, or
 * without and as the system says for 45 of it without a processor, to which it was woken once, or
 * which others took once, too: then it is not known when. */
static void test_nobody_was_late(void **state)
{
    static const struct {
        int64_t bytes, delayed, taken, want[OBT_LATE_SENDER];
        const char *does;
    } runs[] = {
        {8, 0, 0, {60, 0, 0}, "waiting for data under way in bsp_sync"},
        {0, 0, 0, {0, 60, 0}, "late to go on in bsp_sync"},
        {0, 45, 0, {0, 15, 45}, "without a processor in bsp_sync"},
        {0, 45, 1, {0, 60, 0}, "late to go on in bsp_sync"},
        {8, 70, 0, {0, 0, 60}, "without a processor in bsp_sync"},
    };
    const int64_t nobody = -1;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const int64_t reading[] = {160, 100, 1, runs[i].taken, runs[i].delayed};
        char text[200];
        obt_trace *t = begin(2, 400);
        for (int p = 0; p < 2; p++) {
            enter_with(t, 100, p, SYNC, -1, 0, p ? runs[i].bytes : 0);
            if (p == 0) {
                obt_add(t, 100, p, OBT_WAIT_BEGIN, &nobody, 1);
                obt_add(t, 160, p, OBT_WAIT_END, &nobody, 1);
                obt_add(t, 160, p, OBT_RUNNING, reading, 5);
            }
            leave(t, p ? 100 : 160, p, SYNC);
        }
        for (int p = 0; p < 2; p++)
            call(t, p, BARRIER, -1, 1, p ? 110 : 170, 170, 171);
        obt_analysis *a = obt_analyse(t);
        for (int k = 0; k < OBT_LATE_SENDER; k++)
            assert_int_equal(obt_late_by(a, (obt_pattern)k), runs[i].want[k]);
        assert_int_equal(obt_late_by(a, OBT_WAIT_SUPERSTEP), 0);
        /* That made process 1 wait later on. */
        assert_int_equal(a->delays[0].process, 0);
        assert_int_equal(a->delays[0].cost, 60);
        assert_string_equal(obt_delay_name(a, &a->delays[0], text, sizeof text), runs[i].does);
        assert_int_equal(said(a, "is for nobody"), runs[i].want[0] == 0);
        end(t, a);
    }
}

/* Process 0 goes on 20 after everybody came, for data under way, in eight of ten supersteps, and in
 * the others 70 after, without a processor: what is told of either row is of that alone. */
static void test_nobody_was_late_in_two_ways(void **state)
{
    static const char *const told[] = {
        "8 of 10 took 20 ns, the rest 0 ns, the others 0 ns in their longest (medians)",
        "2 of 10 took 70 ns, the rest 0 ns, the others 0 ns in their longest (medians)"};
    static const char *const does[] = {"waiting for data under way in bsp_sync",
                                       "without a processor in bsp_sync"};
    const int64_t nobody = -1;
    obt_trace *t = begin(2, 2000);
    char text[200], name[200];
    int64_t now = 10;
    for (int k = 0; k < TIMES; k++) {
        bool starved = k % 5 == 4;
        int64_t on = now + (starved ? 70 : 20);
        for (int p = 0; p < 2; p++) {
            enter_with(t, now, p, SYNC, -1, 2 * k, p ? 8 : 0);
            if (p == 0) {
                const int64_t reading[] = {70, on - 70, 1, 0, 70};
                obt_add(t, now, p, OBT_WAIT_BEGIN, &nobody, 1);
                obt_add(t, on, p, OBT_WAIT_END, &nobody, 1);
                if (starved)
                    obt_add(t, on, p, OBT_RUNNING, reading, 5);
            }
            leave(t, p ? now : on, p, SYNC);
        }
        for (int p = 0; p < 2; p++)
            call(t, p, BARRIER, -1, 2 * k + 1, p ? now + 10 : on + 10, on + 10, on + 11);
        now = on + 20;
    }
    obt_analysis *a = obt_analyse(t);
    int found = 0;
    for (size_t i = 0; i < a->delay_count; i++)
        for (int k = 0; k < 2; k++)
            if (a->delays[i].process == 0 &&
                strcmp(obt_delay_name(a, &a->delays[i], name, sizeof name), does[k]) == 0) {
                assert_string_equal(obt_typical_name(&a->delays[i], text, sizeof text), told[k]);
                assert_int_equal(a->delays[i].cost, k ? 2 * 70 : 8 * 20);
                found++;
            }
    assert_int_equal(found, 2);
    end(t, a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rare_stretches),
                                       cmocka_unit_test(test_asleep),
                                       cmocka_unit_test(test_next_advice),
                                       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_other_call),
                                       cmocka_unit_test(test_nobody_was_late),
                                       cmocka_unit_test(test_nobody_was_late_in_two_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
