/*
 * The recorder's clock: it never goes back from one processor to the next, and what it makes of
 * ticks is the system's time.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "trace/clock.h"
#include "unit.h"

enum { TURNS = 20000, READINGS = 1000 };

static atomic_int turn;
static int64_t read_last; /* by whose turn it was */
static atomic_int backwards;

static void *take_turns(void *who)
{
    for (int mine = who ? 1 : 0; mine < TURNS; mine += 2) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
            sched_yield();
        int64_t begin = ob_clock_begin(), end = ob_clock_end();
        if (begin > end || read_last > end)
            atomic_fetch_add(&backwards, 1);
        read_last = end;
        atomic_store_explicit(&turn, mine + 1, memory_order_release);
    }
    return NULL;
}

static void two_threads_in_turn_never_read_less(void **state)
{
    ob_clock_scale line;
    pthread_t other;
    ob_clock_start(&line);
    assert_int_equal(pthread_create(&other, NULL, take_turns, &turn), 0);
    take_turns(NULL);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&turn), TURNS);
    assert_int_equal(atomic_load(&backwards), 0);
}

static void ticks_become_the_systems_nanoseconds(void **state)
{
    enum { SLACK = 1000 * 1000 };
    ob_clock_scale line;
    ob_clock_start(&line);
    ob_clock_stop(&line); /* waits a millisecond for its rate */
    assert_true(line.rate > 0);
    for (int i = 0; i < READINGS; i++) {
        int64_t before = ob_clock_system(), at = ob_clock_ns(&line, ob_clock_end()),
                after = ob_clock_system();
        assert_true(before - SLACK <= at && at <= after + SLACK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_threads_in_turn_never_read_less),
                                       cmocka_unit_test(ticks_become_the_systems_nanoseconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
