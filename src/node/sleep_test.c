/*
 * How those who wait sleep, and what ends a sleep.
 */
#include <sys/resource.h>

#include "node/wait_test.h"

static atomic_uint word;
static atomic_int done;

static void *sleep_on_word(void *unused)
{
    (void)unused;
    ob_wait_word(&word, 0, -1);
    atomic_store(&done, 1);
    return NULL;
}

static void a_sleeper_wakes_when_it_is_woken(void **state)
{
    pthread_t thread;
    atomic_store(&word, 0);
    atomic_store(&done, 0);
    ob_wait_word(&word, 1, -1); /* it has changed already */
    ob_wait_word(&word, 0, 1000);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on_word, NULL), 0);
    team_sleep_us(2000);
    assert_int_equal(atomic_load(&done), 0);
    for (long i = 0; i < 10000 && !atomic_load(&done); i++) {
        atomic_store(&word, 1);
        ob_wait_wake(&word);
        team_sleep_us(100);
    }
    assert_int_equal(atomic_load(&done), 1);
    pthread_join(thread, NULL);
}

/* One that is woken may have to wait for a processor, which who wakes it must leave to it. */
static void who_is_woken_counts_as_awake_before_it_runs(void **state)
{
    enum { THIS = 7, OTHER = 8 };
    begin(MEMBERS - 1);
    atomic_store(&header(1)->processor, sched_getcpu());
    atomic_store(&header(1)->asleep, THIS);
    atomic_store(&header(2)->asleep, OTHER);
    assert_int_equal(manner_soon(peer[2]), SPIN);
    ob_wait_rouse(job, &word, peer, MEMBERS, THIS);
    assert_true(ob_wait_is_here(job, peer[1]));
    assert_int_equal(atomic_load(&header(2)->asleep), OTHER);
    end();
}

/* Who sleeps says so, and says when it is over; and it looks again at once. */
static void a_nap_ends_and_is_seen_by_others(void **state)
{
    begin(MEMBERS);
    ob_waiter w;
    ob_wait_begin(&w, job);
    atomic_store(&word, 0);
    for (int way = 0; way < 4; way++) {
        job->long_wait = way == 0 ? 1e-4 : 1e9;
        job->mpi = way == 1 ? (struct ob_mpi *)job : NULL;
        atomic_store(&job->pending, way == 2);
        w.looks = OB_LOOKS;
        ob_wait_sleep(&w, &word, 0, way == 3, 1); /* each for a millisecond at most */
        assert_int_equal(w.looks, 2 * OB_LOOKS - 1);
        assert_int_equal(atomic_load(&header(0)->asleep), 0);
    }
    job->mpi = NULL;
    end();
}

static ob_peer *const *both(void)
{
    return &peer[1];
}

static void *step_until_told(void *argument)
{
    ob_waiter *w = argument;
    while (!atomic_load(&done))
        ob_wait_step(w, both(), 2, false, 3);
    return NULL;
}

/* Another thread stores something for this process and rings. */
static void a_stored_message_rings_the_bell(void **state)
{
    pthread_t thread;
    ob_waiter w;
    begin(MEMBERS);
    job->set.spin_us = 0;
    ob_wait_begin(&w, job);
    atomic_store(&done, 0);
    atomic_store(&peer[1]->stored_count, 1); /* three in all, which it has looked at */
    atomic_store(&peer[2]->stored_count, 2);
    unsigned before = atomic_load(&header(0)->bell);
    ob_wait_notify(job); /* nobody waits */
    assert_int_equal(atomic_load(&header(0)->bell), before);
    assert_int_equal(pthread_create(&thread, NULL, step_until_told, &w), 0);
    for (int i = 0; i < 100000 && atomic_load(&header(0)->asleep) == 0; i++)
        team_sleep_us(20);
    assert_int_equal(atomic_load(&header(0)->asleep), 1);
    assert_int_equal(atomic_load(&job->waiters), 1);
    assert_true(atomic_load(&header(0)->naps) > 0);
    atomic_store(&done, 1);
    ob_wait_notify(job);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&header(0)->bell), before + 1);
    assert_true(ob_wait_round_ends(&w)); /* it looks at the clock again at once */
    assert_int_equal(atomic_load(&job->waiters), 0);
    assert_int_equal(atomic_load(&header(0)->asleep), 0);
    end();
}

static long switches(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

/* One whose partner rings no bell naps by the clock. */
static void without_a_bell_one_naps(void **state)
{
    enum { TIMES = 40 };
    static ob_transport silent;
    ob_waiter w;
    begin(MEMBERS);
    silent = *peer[1]->transport;
    silent.arm = NULL;
    peer[1]->transport = &silent;
    job->set.spin_us = 0;
    ob_wait_begin(&w, job);
    long before = switches();
    for (int i = 0; i < TIMES; i++) {
        w.looks = 1 << 20;
        w.looks -= w.looks % OB_LOOKS + 1;
        ob_wait_step(&w, &peer[1], 1, false, 0);
    }
    assert_true(switches() - before >= TIMES / 2);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleeper_wakes_when_it_is_woken),
        cmocka_unit_test(who_is_woken_counts_as_awake_before_it_runs),
        cmocka_unit_test(a_nap_ends_and_is_seen_by_others),
        cmocka_unit_test(a_stored_message_rings_the_bell),
        cmocka_unit_test(without_a_bell_one_naps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
