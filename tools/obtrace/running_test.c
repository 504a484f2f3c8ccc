/*
 * Computing is divided by readings of the processor time (running.c), in runs small enough to be
 * added up by hand; and what is said of processors.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "unit.h"

enum { SOLVE = 1000 };

static void mark(obt_trace *t, int64_t time, int32_t process)
{
    const int64_t number = 7;
    obt_add(t, time, process, OBT_TRACE_MARK, &number, 1);
}

static void call(obt_trace *t, int64_t begin, int64_t end, int32_t process)
{
    const int64_t v[] = {SOLVE, -1, -1};
    obt_add(t, begin, process, OBT_BLOCK_BEGIN, v, 3);
    obt_add(t, end, process, OBT_BLOCK_END, v, 3);
}

static void reading(obt_trace *t, int64_t time, int32_t process, int64_t passed, int64_t used,
                    int64_t slept, int64_t taken)
{
    const int64_t v[] = {passed, used, slept, taken};
    obt_add(t, time, process, OBT_RUNNING, v, 4);
}

/* The spans of the only process must be these: begin and state, the last one OBT_OFF. */
static void has_spans(const obt_analysis *a, const int64_t (*want)[2], size_t count)
{
    assert_int_equal(a->span_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a->spans[i].begin, want[i][0]);
        assert_int_equal(a->spans[i].state, want[i][1]);
    }
}

/* It computes from 0 to 100, of which it has a processor for 60, calls something, and computes on.
 */
static void test_what_was_lost_is_at_the_end(void **state)
{
    static const int64_t want[][2] = {{0, OBT_COMPUTING},
                                      {60, OBT_NOT_RUNNING},
                                      {100, OBT_LIBRARY},
                                      {110, OBT_COMPUTING},
                                      {200, OBT_OFF}};
    obt_trace *t = obt_trace_new("one");
    mark(t, 0, 0);
    reading(t, 100, 0, 100, 60, 0, 3);
    call(t, 100, 110, 0);
    mark(t, 200, 0);
    obt_analysis *a = obt_analyse(t);
    has_spans(a, want, 5);
    assert_int_equal(a->all.state[OBT_COMPUTING], 150);
    assert_int_equal(a->all.state[OBT_NOT_RUNNING], 40);
    assert_int_equal(a->all.slept, 0);
    assert_int_equal(obt_recorded(&a->all), 200);
    assert_int_equal(obt_blocked(&a->all), 0);
    assert_int_equal(a->concurrency[1], 150);
    assert_int_equal(a->concurrency[0], 50);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* The same, and for so long it could run and had no processor. */
static void reading_with(obt_trace *t, int64_t time, int64_t passed, int64_t used, int64_t slept,
                         int64_t taken, int64_t delayed)
{
    const int64_t v[] = {passed, used, slept, taken, delayed};
    obt_add(t, time, 0, OBT_RUNNING, v, 5);
}

/* It slept once and lost its processor to another once; the times, not the numbers, say for how
 * long each. Where they are not known, nor is which of the two it was. */
static void test_asleep_and_not_running_are_told_apart(void **state)
{
    static const struct {
        int64_t slept, taken, delayed, asleep, not_running, unsure;
    } runs[] = {{1, 1, 5, 75, 5, 0},  {1, 0, 60, 20, 60, 0}, {1, 1, 0, 80, 0, 0},
                {1, 1, 90, 0, 80, 0}, {0, 1, 30, 0, 80, 0},  {1, 1, -1, 0, 0, 80},
                {1, 0, -1, 80, 0, 0}, {0, 1, -1, 0, 80, 0},  {0, 0, -1, 0, 80, 0}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        obt_trace *t = obt_trace_new("told apart");
        int64_t is[3] = {0};
        mark(t, 0, 0);
        if (runs[i].delayed >= 0)
            reading_with(t, 100, 100, 20, runs[i].slept, runs[i].taken, runs[i].delayed);
        else
            reading(t, 100, 0, 100, 20, runs[i].slept, runs[i].taken);
        mark(t, 150, 0);
        obt_analysis *a = obt_analyse(t);
        for (size_t k = 0; k + 1 < a->span_count; k++)
            if (a->spans[k].state == OBT_NOT_RUNNING)
                is[a->spans[k].unsure   ? 2
                   : a->spans[k].asleep ? 0
                                        : 1] += a->spans[k + 1].begin - a->spans[k].begin;
        assert_int_equal(is[0], runs[i].asleep);
        assert_int_equal(is[1], runs[i].not_running);
        assert_int_equal(is[2], runs[i].unsure);
        assert_int_equal(a->all.state[OBT_COMPUTING], 70);
        assert_int_equal(a->all.slept, runs[i].asleep + runs[i].unsure);
        assert_int_equal(a->all.unsure, runs[i].unsure);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

/* Between two readings lie a wait, in which it may have slept, and two stretches. */
static void test_stretches_between_two_readings(void **state)
{
    static const int64_t want[][2] = {
        {0, OBT_COMPUTING},    {30, OBT_NOT_RUNNING}, {40, OBT_RECEIVING}, {60, OBT_NOT_RUNNING},
        {63, OBT_NOT_RUNNING}, {100, OBT_COMPUTING},  {150, OBT_OFF}};
    const int64_t sought[] = {1, 1}, got[] = {1, 1, 8};
    obt_trace *t = obt_trace_new("two stretches");
    mark(t, 0, 0);
    obt_add(t, 40, 0, OBT_RECV_BLOCKING, sought, 2);
    obt_add(t, 60, 0, OBT_RECV_WAKING, got, 3);
    reading_with(t, 100, 100, 30, 3, 1, 13);
    mark(t, 150, 0);
    obt_analysis *a = obt_analyse(t);
    has_spans(a, want, 7);
    /* Of 50 it could not run for 13; the sleep is put last. */
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(a->spans[i].asleep, i == 4);
    assert_int_equal(a->all.state[OBT_NOT_RUNNING], 50);
    assert_int_equal(a->all.slept, 37);
    assert_int_equal(a->all.unsure, 0);
    obt_analysis_free(a);
    obt_trace_free(t);
}

/* Threads use more processor time than passes; of two that read, the second says nothing new; and
 * numbers that cannot be are none. */
static void test_readings_that_say_nothing(void **state)
{
    static const int64_t v[][5] = {{100, 100, 400, 0, 0}, {100, 100, 100, 5, 5},
                                   {100, 0, 0, 0, 0},     {100, -5, 0, 0, 0},
                                   {100, 100, -1, 0, 0},  {100, INT64_MAX, 0, 0, 0}};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        obt_trace *t = obt_trace_new("nothing");
        mark(t, 0, 0);
        reading(t, v[i][0], 0, v[i][1], v[i][2], v[i][3], v[i][4]);
        mark(t, 200, 0);
        obt_analysis *a = obt_analyse(t);
        assert_int_equal(a->all.state[OBT_COMPUTING], 200);
        assert_int_equal(a->all.state[OBT_NOT_RUNNING], 0);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
    obt_trace *t = obt_trace_new("two threads");
    mark(t, 0, 0);
    reading(t, 100, 0, 100, 90, 0, 0);
    reading(t, 120, 0, 100, 10, 0, 0);
    mark(t, 200, 0);
    obt_analysis *a = obt_analyse(t);
    assert_int_equal(a->all.state[OBT_NOT_RUNNING], 10);
    assert_int_equal(a->readings, 1);
    obt_analysis_free(a);
    obt_trace_free(t);
}

static bool said(const obt_analysis *a, const char *begin)
{
    for (size_t i = 0; i < a->text_count; i++)
        if (strncmp(a->texts[i], begin, strlen(begin)) == 0)
            return true;
    return false;
}

/* Four processes on one machine, or each on one, or on processors that overlap; of 200 each uses
 * `used` and leaves its processor by itself `slept` times, and else `taken` times. */
static void test_what_is_said(void **state)
{
    static const struct {
        uint64_t allowed; /* of process p: shifted by p * apart */
        int apart, quota;
        bool machines;
        int64_t used, slept, taken;
        const char *says;
        bool advises; /* what the waits are about */
    } runs[] = {
        {1, 0, 0, false, 50, 0, 5,
         "More processes than processors: 4 processes share 1 processor. For 75 %", false},
        {3, 0, 0, false, 200, 0, 0,
         "More processes than processors: 4 processes share 2 processors.", true},
        {3, 0, 0, false, -1, 0, 0,
         "More processes than processors: 4 processes share 2 processors.", true},
        {15, 0, 3, false, 150, 0, 5,
         "More processes than processors: 4 processes share 3 processors. For 25 %", false},
        {1, 1, 0, false, 100, 0, 5, "Beside other programs: for 50 % of the time", false},
        {1, 0, 0, true, 100, 0, 5, "Beside other programs: for 50 % of the time", false},
        {0, 0, 0, false, 100, 0, 0,
         "For 50 % of the time in which the program had work to do, its ", false},
        {15, 0, 4, false, 190, 0, 5, "Beside other programs: for 5 % of the time", true},
        /* It may have slept. */
        {1, 0, 0, false, 50, 9, 5,
         "More processes than processors: 4 processes share 1 processor. For 0 to 75 %", true},
        {1, 0, 0, false, 50, 9, 5, "For 75 % of its time outside communication routines", true},
        {1, 0, 0, false, 50, 9, 5,
         "4 processes, 300 ns: 17 % of their time is computing, 50 % asleep or not running", true},
        {1, 1, 0, false, 100, 9, 0,
         "The program slept, read files or was in other libraries for 50 %", true},
        {1, 1, 0, false, 200, 0, 0,
         "4 processes, 300 ns: 67 % of their time is computing, 0 % work", true},
        {1, 1, 0, false, 100, 9, 0,
         "4 processes, 300 ns: 33 % of their time is computing, 33 % asleep, ", true}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        obt_trace *t = obt_trace_new("four");
        const int64_t sought[] = {1, 0}, got[] = {0, 1, 8};
        for (int p = 0; p < 4; p++) {
            mark(t, 0, p);
            if (runs[i].used >= 0)
                reading(t, 200, p, 200, runs[i].used, runs[i].slept, runs[i].taken);
            obt_add(t, 200, p, OBT_RECV_BLOCKING, sought, 2);
            obt_add(t, 300, p, OBT_RECV_WAKING, got, 3);
            obt_process *one = &t->processes[obt_find_process(t, p)];
            one->machine = runs[i].machines ? 9 + (unsigned)p : 9;
            one->quota = (unsigned)runs[i].quota;
            one->allowed[1] = runs[i].allowed << (p * runs[i].apart);
        }
        obt_analysis *a = obt_analyse(t);
        assert_true(said(a, runs[i].says));
        assert_int_equal(said(a, "Try to send earlier"), runs[i].advises);
        obt_analysis_free(a);
        obt_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_lost_is_at_the_end),
        cmocka_unit_test(test_asleep_and_not_running_are_told_apart),
        cmocka_unit_test(test_stretches_between_two_readings),
        cmocka_unit_test(test_readings_that_say_nothing),
        cmocka_unit_test(test_what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
