/*
 * Who holds a lock is alone, also when it gives its processor away meanwhile.
 */
#include <pthread.h>
#include <sched.h>

#include "core/lock.h"
#include "unit.h"

enum { THREADS = 3, TURNS = 300, GIVEN_AWAY = 10 };

static ob_lock lock;
static atomic_int inside, met;

static void *take_turns(void *unused)
{
    (void)unused;
    for (int turn = 0; turn < TURNS; turn++) {
        ob_lock_take(&lock);
        atomic_fetch_add(&met, atomic_fetch_add(&inside, 1));
        for (int i = 0; i < GIVEN_AWAY; i++)
            sched_yield();
        atomic_fetch_sub(&inside, 1);
        ob_lock_release(&lock);
    }
    return NULL;
}

static void nobody_meets_another_inside(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_turns, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&met), 0);
}

static void one_that_is_held_is_not_taken(void **state)
{
    (void)state;
    ob_lock one = {0};
    assert_true(ob_lock_try(&one));
    assert_false(ob_lock_try(&one));
    ob_lock_release(&one);
    assert_true(ob_lock_try(&one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_meets_another_inside),
        cmocka_unit_test(one_that_is_held_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
