/*
 * A job made by hand, so that processors are few or many and partners here or elsewhere, and the
 * manner of waiting that its first process chooses.
 */
#ifndef OB_NODE_WAIT_TEST_H
#define OB_NODE_WAIT_TEST_H

#include <sched.h>

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

static inline void turn(ob_job *j)
{
    (void)j;
    turns++;
}

static inline void progress(ob_job *j)
{
    (void)j;
    progressed++;
}

static inline void long_wait(ob_job *j, double since, double now, ob_peer *const *peers, int count)
{
    assert_ptr_equal(j, job);
    assert_true(now >= since && count >= 1 && peers[0] != NULL);
    heard++;
    heard_since = since;
}

static ob_hooks hooks;

/* All have said where they belong, and nobody is where we are; so many processors. */
static inline void begin(int processors)
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

static inline void end(void)
{
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    team_close(&t);
}

static inline ob_segment_header *header(int i)
{
    return t.job[i]->shm->own;
}

enum manner { SPIN, YIELD, SLEEP };

/* What a process does after a round of looks in a wait that began so long ago. After a yield its
 * next look is one at the clock. */
static inline enum manner manner(double ago, ob_peer *on)
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
static inline enum manner manner_soon(ob_peer *on)
{
    for (;;) {
        atomic_store(&job->strangers, 0); /* a try that took long has set it */
        double since = ob_time() - 2e-6 * OB_BRIEF_US;
        enum manner m = manner(ob_time() - since, on);
        if (ob_time() - since < 1e-6 * OB_SPIN_US)
            return m;
    }
}

#endif
