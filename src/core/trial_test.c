/*
 * Which of two ways is chosen, by times that are made up.
 */
#include "core/trial.h"
#include "unit.h"

/* The times of both ways are given; returns how many of `times` went straight. late: so many
 * decisions are made before a time is heard of. */
static int went(ob_way *w, double usual, double straight, int times, int late)
{
    int count = 0;
    bool before[4] = {w->wanted, w->wanted, w->wanted, w->wanted};
    for (int i = 0; i < times; i++) {
        bool now = late ? before[i % late] : w->wanted;
        if (late)
            before[i % late] = w->wanted;
        count += now;
        ob_way_saw(w, now, now ? straight : usual);
    }
    return count;
}

static void test_near_is_tried_hardly_ever(void **unused)
{
    for (int late = 0; late < 3; late++) {
        ob_way w = {0};
        assert_in_range(went(&w, .02, .05, 5000, late), 4, 45);
        assert_false(w.better);
    }
}

static void test_near_is_left_where_straight_is_faster(void **unused)
{
    for (int late = 0; late < 3; late++) {
        ob_way w = {0};
        assert_in_range(went(&w, .02, .012, 5000, late), 4800, 4940);
    }
}

static void test_far_is_found(void **unused)
{
    for (int late = 0; late < 3; late++) {
        ob_way w = {0};
        assert_in_range(went(&w, .12, .05, 1000, late), 950, 998);
    }
}

static void test_slower_is_tried_rarely(void **unused)
{
    for (int late = 0; late < 3; late++) {
        ob_way w = {0};
        assert_in_range(went(&w, .12, .3, 4000, late), 4, 60);
    }
}

/* A program with few calls would else spend them in a trial. */
static void test_what_takes_twice_as_long_is_tried_once(void **unused)
{
    ob_way w = {0};
    assert_int_equal(went(&w, 1, 3, 60, 0), 1);
    assert_false(w.better);
    w = (ob_way){0}; /* what is said where a call cannot go straight */
    assert_int_equal(went(&w, 1, 2, 60, 0), 1);
}

static void test_change_is_noticed(void **unused)
{
    ob_way w = {0};
    went(&w, .12, .05, 3000, 0);
    assert_in_range(went(&w, .02, .05, 3000, 0), 0, 1100); /* nearer: with the next trial */
    assert_in_range(went(&w, .02, .05, 1000, 0), 0, 8);
    assert_in_range(went(&w, .12, .05, 1000, 0), 400, 999); /* farther: with the next trial */
    assert_in_range(went(&w, .12, .05, 1000, 0), 980, 1000);
}

/* The first calls touch memory for the first time. */
static void test_slow_first_times_are_forgotten(void **unused)
{
    for (int late = 0; late < 3; late++) {
        ob_way w = {0};
        ob_way_saw(&w, false, 1.4);
        ob_way_saw(&w, false, 1.0);
        assert_in_range(went(&w, .16, .24, 2000, late), 2, 60);
        assert_false(w.better);
    }
}

/* As lengths of another class go. The other way has its turn later. */
static void test_what_alone_is_known_goes_on(void **unused)
{
    for (int late = 0; late < 2; late++) {
        ob_way w = {0};
        ob_way_saw(&w, true, .05);
        assert_int_equal(went(&w, .12, .05, 120, 0), 120);
        assert_in_range(went(&w, .12, .05, 100, late), 90, 99);
        w = (ob_way){0};
        ob_way_saw(&w, true, .05);
        assert_in_range(went(&w, .02, .05, 400, late), 120, 140);
        assert_false(w.better);
    }
}

/* All members of a group compute the same from the same times. */
static void test_same_times_same_answers(void **unused)
{
    ob_way a = {0}, b = {0};
    uint64_t state = 1;
    for (int i = 0; i < 100000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double time = .01 + (double)(state >> 40) / (1 << 26);
        ob_way_saw(&a, a.wanted, time);
        ob_way_saw(&b, b.wanted, time);
        assert_int_equal(a.wanted, b.wanted);
    }
}

static void test_ways_are_counted(void **unused)
{
    uint64_t ring = ob_way_counted(OB_WAY_MESSAGES, false);
    ob_way_count(OB_WAY_MESSAGES, false);
    ob_way_count(OB_WAY_MESSAGES, false);
    ob_way_count(OB_WAY_COLLECTIVES, true);
    assert_int_equal(ob_way_counted(OB_WAY_MESSAGES, false), ring + 2);
    assert_int_equal(ob_way_counted(OB_WAY_MESSAGES, true), 0);
    assert_int_equal(ob_way_counted(OB_WAY_COLLECTIVES, true), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_is_tried_hardly_ever),
        cmocka_unit_test(test_near_is_left_where_straight_is_faster),
        cmocka_unit_test(test_far_is_found),
        cmocka_unit_test(test_slower_is_tried_rarely),
        cmocka_unit_test(test_what_takes_twice_as_long_is_tried_once),
        cmocka_unit_test(test_change_is_noticed),
        cmocka_unit_test(test_slow_first_times_are_forgotten),
        cmocka_unit_test(test_what_alone_is_known_goes_on),
        cmocka_unit_test(test_same_times_same_answers),
        cmocka_unit_test(test_ways_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
