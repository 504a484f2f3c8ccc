/*
 * Which manner of waiting a process chooses, seen from outside, and what it does in between.
 */
#include <sys/resource.h>

#include "node/wait_test.h"

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
    /* Who has not said where it belongs does so when it is asked. */
    atomic_store(&header(0)->sharing, 0);
    atomic_store(&header(1)->sharing, ob_processor_sharing());
    assert_int_equal(manner(JUST_NOW, peer[1]), YIELD);
    assert_true(atomic_load(&header(0)->sharing) == ob_processor_sharing());
    end();
}

/* Of processes without memory in common, and of those elsewhere, only the meeting knows. */
static void nobody_yields_where_the_meeting_found_no_other_of_its_group(void **state)
{
    (void)state;
    begin(1);
    struct ob_shm *shm = job->shm;
    ob_segment_header *theirs = shm->segment[1];
    for (int memory = 0; memory < 2; memory++) {
        job->shm = memory ? shm : NULL;
        shm->segment[1] = NULL;
        atomic_store(&header(2)->processor, sched_getcpu()); /* seen with memory alone */
        for (int apart = 0; apart < 2; apart++) {
            atomic_store(&job->apart, apart);
            assert_int_equal(manner_soon(peer[1]), apart ? SLEEP : YIELD);
        }
        job->processors = MEMBERS;
        assert_int_equal(manner_soon(peer[1]), SPIN);
        job->processors = 1;
        shm->segment[1] = theirs;
    }
    atomic_store(&header(1)->processor, sched_getcpu());
    assert_int_equal(manner(JUST_NOW, peer[1]), YIELD); /* it has said that it is of ours */
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

static void slow_turn(ob_job *j)
{
    double from = ob_time();
    while (ob_time() - from < 1e-4)
        ;
    turn(j);
}

/* One round of a wait that began long ago. */
static bool sleeps(ob_waiter *w)
{
    w->since = ob_time() - LONG_AGO;
    w->looks = OB_LOOKS - 1;
    return ob_wait_turn(w, peer[1]);
}

/* Behind a nap, and while the MPI library moves something; where processors are short others need
 * this one. */
static void who_has_napped_stays_awake_while_mpi_moves_something(void **state)
{
    (void)state;
    for (int crowded = 0; crowded < 2; crowded++) {
        begin(crowded ? 1 : MEMBERS);
        job->mpi = (struct ob_mpi *)(void *)&t;
        ob_waiter w;
        ob_wait_begin(&w, job);
        w.turn = LONG_AGO;
        assert_true(sleeps(&w));
        assert_true(w.awake == 0); /* a turn in vain */
        assert_true(w.turn < LONG_AGO);
        w.napped = true;
        assert_int_equal(sleeps(&w), crowded);
        assert_false(w.napped);
        w.awake = 0;
        hooks.turn = slow_turn;
        /* A turn in which another has the processor for longer than we do is none that moved
         * anything. */
        for (int tries = 0; tries < 100 && w.awake == 0; tries++) {
            w.turn = 1e-6;
            assert_true(sleeps(&w));
        }
        assert_true(w.awake > w.since + LONG_AGO);
        w.awake = ob_time() + LONG_AGO; /* as it was when the turn had just ended */
        assert_false(sleeps(&w));
        job->mpi = NULL;
        end();
    }
}

/* ----------------------------------------------------------------------------- tests */

/* By the linker, in place of those of the C library. */
static atomic_int yields, naps;
static void (*during_yield)(void);
int __real_sched_yield(void);
int __real_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_sched_yield(void);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_sched_yield(void)
{
    atomic_fetch_add(&yields, 1);
    if (during_yield)
        during_yield();
    return __real_sched_yield();
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    atomic_fetch_add(&naps, 1);
    return __real_nanosleep(wanted, left);
}

static void test_in_vain(int times)
{
    atomic_store(&yields, 0);
    atomic_store(&naps, 0);
    for (int i = 0; i < times; i++)
        ob_wait_look(job);
}

static void others_run_and_then_sleep(void)
{
    struct timespec long_enough = {0, 1000000};
    __real_nanosleep(&long_enough, NULL);
    for (int i = 1; i < MEMBERS; i++)
        atomic_store(&header(i)->asleep, 1);
}

/* After a yield that took long: one of the job that was here has had the processor, and one that
 * was elsewhere has not, though both sleep by then. */
static void who_yielded_to_one_that_sleeps_now_blames_nobody(void **state)
{
    (void)state;
    for (int here = 0; here < 2; here++) {
        begin(MEMBERS - 1);
        if (here)
            atomic_store(&header(2)->processor, sched_getcpu());
        atomic_store(&job->strangers, 0);
        ob_waiter w;
        ob_wait_begin(&w, job);
        during_yield = others_run_and_then_sleep;
        while (!w.yielded_long) { /* until it has yielded: who is slow sleeps at once */
            w.looks = OB_LOOKS - 1;
            w.since = ob_time() - 2e-6 * OB_BRIEF_US;
            ob_wait_turn(&w, peer[1]);
        }
        during_yield = NULL;
        assert_int_equal(atomic_load(&job->strangers) > 0, !here);
        end();
    }
}

/* In the first moment of a wait, by a machine that is fast enough for that. */
static enum manner manner_at_once(ob_peer *on)
{
    for (;;) {
        atomic_store(&job->strangers, 0);
        double since = ob_time();
        enum manner m = manner(0, on);
        if (ob_time() - since < 1e-6 * OB_BRIEF_US)
            return m;
    }
}

/* What member 2 says, and where it is. */
static void other(enum ob_yields says, bool here, bool asleep)
{
    atomic_store(&header(2)->yields, says);
    atomic_store(&header(2)->processor, here ? sched_getcpu() : CPU_SETSIZE + 2);
    atomic_store(&header(2)->asleep, asleep);
}

/* The answer of one that has another processor may come in a moment; but not while one that yielded
 * here could go on. */
static void who_has_heard_gets_the_processor_at_once(void **state)
{
    (void)state;
    begin(1);
    for (int here = 0; here < 2; here++)
        for (int says = OB_YIELDS_NOT; says <= OB_YIELDS_HEARD; says++) {
            other((enum ob_yields)says, here, false);
            bool heard_here = here && says == OB_YIELDS_HEARD;
            assert_int_equal(manner_at_once(peer[1]), heard_here ? YIELD : SPIN);
        }
    other(OB_YIELDS_HEARD, true, true);
    assert_int_equal(manner_at_once(peer[1]), SPIN);
    end();
}

static enum ob_yields said;

static void note_what_is_said(void)
{
    said = (enum ob_yields)atomic_load(&header(0)->yields);
}

static void who_yields_says_so_meanwhile(void **state)
{
    (void)state;
    begin(MEMBERS - 1);
    during_yield = note_what_is_said;
    assert_int_equal(manner_soon(peer[1]), YIELD);
    during_yield = NULL;
    assert_int_equal(said, OB_YIELDS);
    assert_int_equal(atomic_load(&header(0)->yields), OB_YIELDS_NOT);
    end();
}

/* A program that tests in a loop keeps others from the processor only where there is one for each
 * of those awake. */
static void who_tests_in_a_loop_lets_others_run(void **state)
{
    (void)state;
    begin(MEMBERS);
    test_in_vain(10 * OB_LOOKS);
    assert_int_equal(atomic_load(&yields) + atomic_load(&naps), 0);
    job->processors = MEMBERS - 1;
    test_in_vain(10 * OB_LOOKS);
    assert_int_equal(atomic_load(&yields), 10);
    assert_int_equal(atomic_load(&naps), 0);
    /* A yield reaches nobody of another scheduling group. */
    for (int i = 1; i < MEMBERS; i++)
        atomic_store(&header(i)->sharing, ob_processor_sharing() + 1);
    test_in_vain(10 * OB_LOOKS);
    assert_int_equal(atomic_load(&yields), 0);
    assert_int_equal(atomic_load(&naps), 10);
    atomic_store(&header(1)->asleep, 1);
    test_in_vain(10 * OB_LOOKS);
    assert_int_equal(atomic_load(&yields) + atomic_load(&naps), 0);
    end();
}

/* Without memory in common there is no bell. */
static void who_has_no_bell_naps_at_once_where_yields_reach_nobody(void **state)
{
    enum { TIMES = 20 };
    (void)state;
    begin(MEMBERS - 1);
    struct ob_shm *shm = job->shm;
    job->shm = NULL;
    job->set.spin_us = 0;
    for (int apart = 0; apart < 2; apart++) {
        ob_waiter w;
        ob_wait_begin(&w, job);
        atomic_store(&job->apart, apart);
        atomic_store(&yields, 0);
        atomic_store(&naps, 0);
        for (int i = 0; i < OB_LOOKS - 1 + TIMES; i++) /* then each look is one at the clock */
            ob_wait_step(&w, &peer[1], 2, false, 0);
        assert_int_equal(atomic_load(&naps), apart ? TIMES : 0);
        assert_int_equal(atomic_load(&yields), apart ? 0 : TIMES);
        test_in_vain(10 * OB_LOOKS);
        assert_int_equal(atomic_load(&naps), apart ? 10 : 0);
        assert_int_equal(atomic_load(&yields), apart ? 0 : 10);
    }
    job->shm = shm;
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
        cmocka_unit_test(nobody_yields_where_the_meeting_found_no_other_of_its_group),
        cmocka_unit_test(the_user_may_set_how_long_to_spin),
        cmocka_unit_test(a_long_wait_is_told_and_only_that),
        cmocka_unit_test(others_get_their_turn),
        cmocka_unit_test(who_has_napped_stays_awake_while_mpi_moves_something),
        cmocka_unit_test(who_yielded_to_one_that_sleeps_now_blames_nobody),
        cmocka_unit_test(who_has_heard_gets_the_processor_at_once),
        cmocka_unit_test(who_yields_says_so_meanwhile),
        cmocka_unit_test(who_tests_in_a_loop_lets_others_run),
        cmocka_unit_test(who_has_no_bell_naps_at_once_where_yields_reach_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
