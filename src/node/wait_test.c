/*
 * Which manner of waiting a process chooses, seen from outside: jobs are made by hand, so that
 * processors are few or many and partners here or elsewhere; and what ends a sleep.
 */
#include <sched.h>
#include <sys/resource.h>

#include "hooks/patience.h"
#include "node/processor.h"
#include "node/thread_team.h"
#include "node/wait.h"
#include "unit.h"

/* Seconds; the machine may have started shortly before, and time counts from there. */
enum { MEMBERS = 3, LONG_AGO = 10 };

static team t;
static ob_job *job;
static ob_peer *peer[MEMBERS];
static cpu_set_t allowed;

/* Hooks that count. */
static int turns, progressed, heard;
static double heard_since;

static void turn(ob_job *j)
{
    (void)j;
    turns++;
}

static void progress(ob_job *j)
{
    (void)j;
    progressed++;
}

static void long_wait(ob_job *j, double since, double now, ob_peer *const *peers, int count)
{
    assert_ptr_equal(j, job);
    assert_true(now >= since && count >= 1 && peers[0] != NULL);
    heard++;
    heard_since = since;
}

static ob_hooks hooks;

/* All have said where they belong, and nobody is where we are; so many processors. */
static void begin(int processors)
{
    team_open(&t, MEMBERS, 1 << 20, NULL);
    job = t.job[0];
    hooks = *job->hooks;
    hooks.turn = turn;
    hooks.progress = progress;
    hooks.long_wait = long_wait;
    job->hooks = &hooks;
    job->processors = processors;
    turns = progressed = heard = 0;
    /* One processor, which we cannot leave. */
    cpu_set_t one;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < MEMBERS; i++) {
        peer[i] = ob_job_peer(job, i);
        assert_non_null(peer[i]);
        atomic_store(&t.job[i]->shm->own->sharing, ob_processor_sharing());
        atomic_store(&t.job[i]->shm->own->processor, i ? CPU_SETSIZE + i : sched_getcpu());
    }
}

static void end(void)
{
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    team_close(&t);
}

static ob_segment_header *header(int i)
{
    return t.job[i]->shm->own;
}

enum manner { SPIN, YIELD, SLEEP };

/* What a process does after a round of looks in a wait that began so long ago. After a yield its
 * next look is one at the clock. */
static enum manner manner(double ago, ob_peer *on)
{
    ob_waiter w;
    ob_wait_begin(&w, job);
    w.since = ob_time() - ago;
    for (int i = 1; i < OB_LOOKS; i++)
        assert_false(ob_wait_turn(&w, on));
    assert_int_equal(w.looks, OB_LOOKS - 1);
    bool sleep = ob_wait_turn(&w, on);
    return sleep ? SLEEP : w.looks == OB_LOOKS ? SPIN : YIELD;
}

/* After more than the moment for which everybody spins, and before the end of the time for which
 * one spins with a processor to oneself: tried again when this machine is too slow for that. */
static enum manner manner_soon(ob_peer *on)
{
    for (;;) {
        atomic_store(&job->strangers, 0); /* a try that took long has set it */
        double since = ob_time() - 2e-6 * OB_BRIEF_US;
        enum manner m = manner(ob_time() - since, on);
        if (ob_time() - since < 1e-6 * OB_SPIN_US)
            return m;
    }
}

/* So far ahead that no clock has passed it, however slow the machine. */
#define JUST_NOW (-(double)LONG_AGO)

static void with_a_processor_each_one_spins_then_sleeps(void **state)
{
    begin(MEMBERS);
    assert_int_equal(manner(JUST_NOW, peer[1]), SPIN);
    assert_int_equal(manner_soon(peer[1]), SPIN);
    assert_int_equal(manner(LONG_AGO, peer[1]), SLEEP);
    end();
}

static void with_too_few_processors_one_yields(void **state)
{
    begin(MEMBERS - 1);
    assert_int_equal(manner(JUST_NOW, peer[1]), SPIN); /* for a moment: it has another processor */
    assert_int_equal(manner_soon(peer[1]), YIELD);
    assert_int_equal(manner(LONG_AGO, peer[1]), SLEEP);
    end();
}

/* Who sleeps needs no processor. */
static void the_asleep_do_not_count(void **state)
{
    begin(MEMBERS - 1);
    atomic_store(&header(1)->processor, sched_getcpu());
    assert_int_equal(manner(JUST_NOW, peer[1]),
                     YIELD); /* the partner is here, and we cannot leave */
    assert_true(ob_wait_is_here(job, peer[1]));
    assert_false(ob_wait_is_here(job, peer[2]));
    atomic_store(&header(1)->asleep, 1);
    assert_false(ob_wait_is_here(job, peer[1]));
    assert_int_equal(manner_soon(peer[1]), SPIN);
    end();
}

static void after_a_yield_to_a_stranger_one_sleeps_for_a_while(void **state)
{
    begin(1);
    atomic_store(&header(1)->processor, sched_getcpu());
    atomic_store(&job->strangers, 1);
    assert_int_equal(manner(JUST_NOW, peer[1]), SLEEP);
    /* A new wait counts one down. */
    ob_waiter w;
    ob_wait_begin(&w, job);
    for (int i = 0; i < OB_LOOKS; i++)
        ob_wait_turn(&w, peer[1]);
    assert_true(w.since > 0);
    assert_int_equal(atomic_load(&job->strangers), 0);
    assert_int_equal(manner(JUST_NOW, peer[1]), YIELD);
    end();
}

/* Who spins and did not have its processor meanwhile takes it that a stranger wants it. */
static void who_lost_its_processor_spins_less_for_a_while(void **state)
{
    (void)state;
    begin(MEMBERS);
    ob_waiter w;
    ob_wait_begin(&w, job);
    for (int i = 0; i < OB_LOOKS; i++)
        ob_wait_turn(&w, peer[1]);
    assert_true(w.spun > 0);
    w.spun -= LONG_AGO;
    atomic_store(&job->strangers, 0);
    for (int i = 0; i < OB_LOOKS; i++)
        ob_wait_turn(&w, peer[1]);
    assert_true(atomic_load(&job->strangers) > 0);
    assert_int_equal(manner(1e-6 * (OB_SPIN_US + 1), peer[1]), SLEEP);
    end();
}

/* How often another has taken this thread's processor from it. */
static long losses(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
}

/* One of the job that never waits, and so never says where it runs, may have had it. Programs
 * beside the test, which may take the processor in the meantime, are strangers: then it is done
 * again. */
static void who_lost_its_processor_in_a_crowd_blames_nobody(void **state)
{
    (void)state;
    int blamed = 1;
    begin(MEMBERS - 1);
    for (int tries = 0; tries < 100 && blamed; tries++) {
        long before = losses();
        ob_waiter w;
        ob_wait_begin(&w, job);
        w.since = ob_time();
        w.spun = w.since - LONG_AGO;
        atomic_store(&job->strangers, 0);
        for (int i = 0; i < OB_LOOKS; i++)
            ob_wait_turn(&w, peer[1]);
        blamed = atomic_load(&job->strangers) != 0;
        if (losses() == before)
            break;
    }
    assert_int_equal(blamed, 0);
    end();
}

/* Is there a processor to go to? */
static bool have_processors(int wanted)
{
    if (CPU_COUNT(&allowed) >= wanted)
        return true;
    print_message("one processor: nothing to see here\n");
    return false;
}

/* The three have two processors: the first two the one, the third the other. */
static void who_waits_where_processors_are_short_goes_back_to_its_place(void **state)
{
    (void)state;
    begin(2);
    cpu_set_t two, one;
    CPU_ZERO(&two);
    int place[2], found = 0;
    for (int p = 0; p < CPU_SETSIZE && found < 2; p++)
        if (CPU_ISSET(p, &allowed)) {
            CPU_SET(p, &two);
            place[found++] = p;
        }
    if (have_processors(2)) {
        assert_int_equal(sched_setaffinity(0, sizeof two, &two), 0);
        assert_int_equal(ob_processor_place(0, MEMBERS, 2), place[0]);
        assert_int_equal(ob_processor_place(1, MEMBERS, 2), place[0]);
        assert_int_equal(ob_processor_place(2, MEMBERS, 2), place[1]);
        assert_int_equal(ob_processor_place(0, MEMBERS, 3), -1); /* it may not use that many */
        for (int asleep = 1; asleep >= 0; asleep--) {
            CPU_ZERO(&one);
            CPU_SET(place[1], &one);
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            assert_int_equal(sched_setaffinity(0, sizeof two, &two), 0);
            atomic_store(&header(2)->asleep, asleep); /* then processors are not short */
            ob_waiter w;
            ob_wait_begin(&w, job);
            for (int i = 0; i < OB_LOOKS; i++)
                ob_wait_turn(&w, peer[1]);
            assert_int_equal(atomic_load(&job->place), asleep ? 0 : place[0] + 1);
            if (!asleep)
                assert_int_equal(atomic_load(&header(0)->processor), place[0]);
        }
        assert_int_equal(sched_getaffinity(0, sizeof one, &one), 0);
        assert_true(CPU_EQUAL(&one, &two));
    }
    end();
}

static void who_yielded_to_one_that_computes_sleeps(void **state)
{
    (void)state;
    begin(1);
    ob_waiter w;
    ob_wait_begin(&w, job);
    atomic_store(&header(1)->processor, sched_getcpu());
    w.since = ob_time() + LONG_AGO;
    for (int yielded_long = 0; yielded_long < 2; yielded_long++) {
        w.looks = OB_LOOKS - 1;
        w.yielded_long = yielded_long;
        atomic_store(&job->strangers, 0);
        assert_int_equal(ob_wait_turn(&w, peer[1]), yielded_long);
    }
    end();
}

static void nobody_yields_to_another_scheduling_group(void **state)
{
    begin(1);
    atomic_store(&header(1)->processor, sched_getcpu());
    atomic_store(&header(1)->sharing, ob_processor_sharing() + 2);
    assert_int_equal(manner(JUST_NOW, peer[1]), SLEEP); /* it wants this processor */
    atomic_store(&header(1)->sharing, 0);
    assert_int_equal(manner(JUST_NOW, peer[1]), YIELD); /* taken to be of ours */
    end();
}

static void the_user_may_set_how_long_to_spin(void **state)
{
    begin(1);
    atomic_store(&header(1)->processor, sched_getcpu());
    job->set.spin_us = 0;
    assert_int_equal(manner(0, peer[1]), SLEEP);
    job->set.spin_us = 1000;
    assert_int_equal(manner(JUST_NOW, peer[1]), SPIN);
    assert_int_equal(manner(0.0011, peer[1]), SLEEP);
    end();
}

/* ---------------------------------------------------------------------------- hooks */

static void a_long_wait_is_told_and_only_that(void **state)
{
    begin(MEMBERS);
    manner(LONG_AGO, peer[1]);
    assert_int_equal(heard, 0);
    job->long_wait = LONG_AGO - 1;
    manner(LONG_AGO, peer[1]);
    assert_int_equal(heard, 1);
    assert_true(ob_time() - heard_since >= LONG_AGO);
    job->long_wait = LONG_AGO + 1000;
    manner(LONG_AGO, peer[1]);
    assert_int_equal(heard, 1);
    end();
}

/* The MPI library and requests of others get their turns once a round, and only where there are
 * such. */
static void others_get_their_turn(void **state)
{
    begin(MEMBERS);
    manner(JUST_NOW, peer[1]);
    ob_wait_look(job);
    assert_int_equal(turns, 0);
    assert_int_equal(progressed, 0);
    job->mpi = (struct ob_mpi *)job;
    atomic_store(&job->pending, 1);
    manner(JUST_NOW, peer[1]);
    assert_int_equal(turns, 1);
    assert_int_equal(progressed, 1);
    ob_wait_look(job);
    assert_int_equal(turns, 2);
    /* Who yields to the one it waits for gives MPI one turn in eight. */
    atomic_store(&header(1)->processor, sched_getcpu());
    job->processors = 1;
    ob_waiter w;
    ob_wait_begin(&w, job);
    w.since = ob_time() + LONG_AGO;
    turns = 0;
    for (int i = 0; i < OB_LOOKS - 1 + 16;
         i++) { /* every look is one at the clock once it yields */
        w.yielded_long = false;
        assert_false(ob_wait_turn(&w, peer[1]));
    }
    assert_int_equal(turns, 2);
    /* So does who has only begun to wait, where a turn may cost the processor. */
    atomic_store(&header(1)->processor, CPU_SETSIZE + 1);
    turns = 0;
    for (int i = 0; i < 16 * OB_LOOKS; i++)
        assert_false(ob_wait_turn(&w, peer[1]));
    assert_int_equal(turns, 2);
    job->mpi = NULL;
    end();
}

/* ----------------------------------------------------------------------------- sleep */

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
        cmocka_unit_test(with_a_processor_each_one_spins_then_sleeps),
        cmocka_unit_test(with_too_few_processors_one_yields),
        cmocka_unit_test(the_asleep_do_not_count),
        cmocka_unit_test(after_a_yield_to_a_stranger_one_sleeps_for_a_while),
        cmocka_unit_test(who_lost_its_processor_spins_less_for_a_while),
        cmocka_unit_test(who_lost_its_processor_in_a_crowd_blames_nobody),
        cmocka_unit_test(who_waits_where_processors_are_short_goes_back_to_its_place),
        cmocka_unit_test(who_yielded_to_one_that_computes_sleeps),
        cmocka_unit_test(nobody_yields_to_another_scheduling_group),
        cmocka_unit_test(the_user_may_set_how_long_to_spin),
        cmocka_unit_test(a_long_wait_is_told_and_only_that),
        cmocka_unit_test(others_get_their_turn),
        cmocka_unit_test(a_sleeper_wakes_when_it_is_woken),
        cmocka_unit_test(who_is_woken_counts_as_awake_before_it_runs),
        cmocka_unit_test(a_nap_ends_and_is_seen_by_others),
        cmocka_unit_test(a_stored_message_rings_the_bell),
        cmocka_unit_test(without_a_bell_one_naps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
