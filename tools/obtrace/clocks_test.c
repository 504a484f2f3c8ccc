/*
 * Clocks and the order of messages: traces with clocks that are wrong, made by
 * hand.
 */
#include <stdlib.h>

#include "clocks.h"
#include "unit.h"

enum { PROCESSES = 3, EVENTS = 400 };

static void add(obt_trace *t, int64_t time, int process, obt_kind kind, int peer, int64_t order)
{
    const int64_t v[] = {peer, 0, 8, order, 99};
    obt_add(t, time, process, kind, v, 5);
}

/* Messages go round; the clock of process p is `wrong` times p behind. */
static obt_trace *ring(int64_t wrong)
{
    obt_trace *t = obt_trace_new("ring");
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < EVENTS; i += 2) {
            add(t, 1000 * i - wrong * p, p, OBT_SEND, (p + 1) % PROCESSES, i / 2);
            add(t, 1000 * i - wrong * p + 1500, p, OBT_RECV, (p + 2) % PROCESSES, i / 2);
        }
    return t;
}

static obt_event *event(const obt_trace *t, int p, int i)
{
    return &t->events[p * EVENTS + i];
}

static int too_early(const obt_trace *t)
{
    int count = 0;
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < EVENTS; i += 2)
            count += event(t, p, i + 1)->time <= event(t, (p + 2) % PROCESSES, i)->time;
    return count;
}

static int out_of_order(const obt_trace *t)
{
    int count = 0;
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 1; i < EVENTS; i++)
            count += event(t, p, i)->time < event(t, p, i - 1)->time;
    return count;
}

static int differences(const obt_trace *t, const obt_trace *other)
{
    int count = 0;
    for (size_t i = 0; i < t->event_count; i++)
        count += t->events[i].time != other->events[i].time;
    return count;
}

static void test_right_clocks_stay(void **state)
{
    obt_trace *t = ring(100), *before = ring(100);
    assert_int_equal(too_early(t), 0);
    obt_order(t);
    assert_int_equal(differences(t, before), 0);
    obt_trace_free(t);
    obt_trace_free(before);
}

static void test_wrong_clocks_are_mended(void **state)
{
    for (int64_t wrong = 1600; wrong < 1000000; wrong *= 3) {
        obt_trace *t = ring(wrong);
        assert_true(too_early(t) > 0);
        obt_order(t);
        assert_int_equal(t->match_count, PROCESSES * EVENTS / 2);
        assert_int_equal(too_early(t), 0);
        assert_int_equal(out_of_order(t), 0);
        obt_trace_free(t);
    }
}

/* One late message moves its receive and nothing that comes much later. */
static void test_only_as_long_as_needed(void **state)
{
    obt_trace *t = ring(0), *before = ring(0);
    event(t, 0, 10)->time = event(before, 0, 10)->time = 11450; /* received at 11500 */
    obt_order(t);
    assert_int_equal(differences(t, before), 0);
    t->events[10].time = 11499;
    event(t, 1, 11)->time = 11470;
    obt_order(t);
    assert_int_equal(event(t, 1, 11)->time, 11500);
    assert_int_equal(event(t, 1, 12)->time, 12000);
    assert_int_equal(differences(t, before), 1);
    obt_trace_free(t);
    obt_trace_free(before);
}

/* Receives whose sends are caused by them: no times can be right, and all else
 * is. */
static void test_a_circle_ends(void **state)
{
    obt_trace *t = obt_trace_new("circle");
    for (int p = 0; p < 2; p++) {
        add(t, 20, p, OBT_RECV, 1 - p, 0);
        add(t, 30, p, OBT_SEND, 1 - p, 0);
    }
    add(t, 40, 0, OBT_SEND, 2, 0);
    add(t, 10, 2, OBT_RECV, 0, 0);
    obt_order(t);
    assert_int_equal(t->match_count, 3);
    for (int i = 1; i < 5; i++) /* three events of process 0, two of 1 */
        assert_true(i == 3 || t->events[i - 1].time <= t->events[i].time);
    assert_true(t->events[5].time > t->events[2].time);
    obt_trace_free(t);
}

/* Who met whom is a guess where messages have no number: nothing is moved. */
static void test_messages_without_number_move_nothing(void **state)
{
    obt_trace *t = obt_trace_new("no numbers");
    add(t, 50, 0, OBT_SEND, 1, -1);
    add(t, 20, 1, OBT_RECV, 0, -1);
    obt_order(t);
    assert_int_equal(t->match_count, 1);
    assert_int_equal(t->events[1].time, 20);
    obt_trace_free(t);
}

/* ------------------------------------------------------------- several clocks
 */

static const int64_t off[] = {0, 12345678901234, -777};
static const double drift[] = {0, 2e-5, -1e-5};

static int64_t shown(int p, int64_t true_time)
{
    return true_time + off[p] + (int64_t)(drift[p] * (double)true_time);
}

/* A ring of 40 s, each process with its node's clock. */
static obt_trace *three_nodes(void)
{
    obt_trace *t = ring(0);
    for (int p = 0; p < PROCESSES; p++) {
        obt_process *process = &t->processes[obt_process_index(t, p)];
        process->node = 100 + (unsigned)p;
        process->began = shown(p, 0);
        process->ended = shown(p, 40000000000);
        for (int i = 0; i < EVENTS; i++)
            event(t, p, i)->time = shown(p, event(t, p, i)->time * 100000);
    }
    return t;
}

/* Process p's readings of process p - 1: those with a large error are wrong. */
static size_t read_clocks(obt_reading *to, int p)
{
    static const int64_t when[] = {0, 500000000, 5000000000, 40000000000},
                         error[] = {100000, 500, 100000, 500};
    for (int k = 0; k < 4; k++) {
        int64_t here = shown(p, when[k]), there = shown(p - 1, when[k]);
        int64_t wrong = error[k] == 500 ? 0 : 90000;
        to[k] = (obt_reading){p, {here, there - here + wrong, (uint64_t)error[k], p - 1, 0}};
    }
    return 4;
}

/* The second node's clock is hours off and drifts; the third one has read the
 * second one's. */
static void test_nodes_are_aligned(void **state)
{
    obt_trace *t = three_nodes(), *right = ring(0);
    obt_reading readings[8];
    size_t count = read_clocks(readings, 2);
    count += read_clocks(readings + count, 1);
    obt_align(t, readings, count);
    for (size_t i = 0; i < t->event_count; i++)
        assert_in_range(t->events[i].time - right->events[i].time * 100000 + 100, 0, 200);
    assert_int_equal(t->processes[0].offset_error, 0);
    assert_int_equal(t->processes[1].offset_error, 500);
    assert_int_equal(t->processes[2].offset_error, 1000);
    assert_in_range(t->processes[1].offset + off[1] + 100, 0, 200);
    assert_in_range(t->processes[2].ended - 40000000000 + 100, 0, 200);
    assert_int_equal(t->unaligned, 0);
    obt_trace_free(t);
    obt_trace_free(right);
}

static void test_clocks_that_nobody_read_stay(void **state)
{
    obt_trace *t = three_nodes(), *before = three_nodes();
    obt_reading readings[4];
    obt_align(t, readings, read_clocks(readings, 2)); /* of a node that nobody has joined */
    assert_int_equal(t->unaligned, 2);
    assert_int_equal(differences(t, before), 0);
    obt_trace_free(t);
    obt_trace_free(before);
}

/* Files of version 1 that were finished: node 0 for all. */
static void test_aligned_times_stay(void **state)
{
    obt_trace *t = three_nodes(), *before = three_nodes();
    obt_reading readings[4];
    for (int p = 0; p < PROCESSES; p++)
        t->processes[p].node = 0;
    obt_align(t, readings, read_clocks(readings, 1));
    assert_int_equal(t->unaligned, 0);
    assert_int_equal(differences(t, before), 0);
    obt_trace_free(t);
    obt_trace_free(before);
}

/* Whatever readings say, times stay in the range in which sums are numbers. */
static void test_hostile_readings(void **state)
{
    const int64_t odd[] = {
        0, 1, 3000000000, INT64_MAX, INT64_MIN, OBT_LATEST / 2 - 1, -OBT_LATEST / 2 + 1};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int k = 0; k < ODD * ODD * ODD; k++) {
        obt_trace *t = three_nodes();
        obt_reading readings[4];
        for (int i = 0; i < 4; i++)
            readings[i] = (obt_reading){i / 2 + 1,
                                        {odd[(k + i) % ODD], odd[(k / ODD + i) % ODD],
                                         (uint64_t)odd[k / ODD / ODD], i / 2, 0}};
        obt_align(t, readings, 4);
        for (size_t i = 0; i < t->event_count; i++)
            assert_true(llabs(t->events[i].time) < 2 * OBT_LATEST);
        obt_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_clocks_stay),
        cmocka_unit_test(test_wrong_clocks_are_mended),
        cmocka_unit_test(test_only_as_long_as_needed),
        cmocka_unit_test(test_a_circle_ends),
        cmocka_unit_test(test_messages_without_number_move_nothing),
        cmocka_unit_test(test_nodes_are_aligned),
        cmocka_unit_test(test_clocks_that_nobody_read_stay),
        cmocka_unit_test(test_aligned_times_stay),
        cmocka_unit_test(test_hostile_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
