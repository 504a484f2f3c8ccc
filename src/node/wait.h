/*
 * Waiting that adapts: spin while that is likely to be short or a processor is
 * to spare, sleep on the process's bell otherwise.
 */
#ifndef OB_NODE_WAIT_H
#define OB_NODE_WAIT_H

#include "core/job.h"

typedef struct ob_waiter {
    ob_job *job;
    unsigned looks;    /* since the wait began */
    double since;      /* when spinning began, 0: not yet */
    double spun;       /* when it went on spinning, 0: it did something else */
    bool yielded_long; /* to one that computes */
    int gone;          /* of the peers, when it was last about to sleep on the bell */
    bool napped;       /* since it last looked at the clock */
    double awake;      /* until when it does not sleep, for the MPI library moves something */
    double used;       /* the processor's time at that look, or later */
    double turn;       /* the shortest turn of the MPI library so far, 0: none */
} ob_waiter;

/* Looks between two readings of the clock. */
enum { OB_LOOKS = 32 };

/* True before the last look of a round, and before the first after a sleep: the
 * moment for what need not be asked at every look. */
static inline bool ob_wait_round_ends(const ob_waiter *w)
{
    return w->looks % OB_LOOKS == OB_LOOKS - 1;
}

static inline void ob_wait_begin(ob_waiter *w, ob_job *job)
{
    w->job = job;
    w->looks = 0;
    w->since = 0;
    w->spun = 0;
    w->yielded_long = false;
    w->napped = false;
    w->awake = 0;
    w->used = 0;
    w->turn = 0;
}

/* Lets time pass until one of the peers may have something, or another thread
 * has stored something. The caller holds none of their locks (locked == false), or the
 * one peer's (locked == true), and looks again afterwards. `stored` is the sum of
 * the peers' stored_count that the caller last looked at. */
void ob_wait_step(ob_waiter *w, ob_peer *const *peers, int count, bool locked, unsigned stored);
/* The same for one who waits for something else than a message from a peer: a
 * word in memory that the peer changes. True when it is time to sleep on it. */
bool ob_wait_turn(ob_waiter *w, ob_peer *peer);
/* Was the peer, awake, last seen on the processor we wait on? */
bool ob_wait_is_here(const ob_job *job, ob_peer *peer);
/* Would one of those we wait for get the processor when we yield? One that has not said where it
 * belongs is taken to. */
bool ob_wait_yields_reach(const ob_job *job, ob_peer *const *peers, int count);
/* Sleeps while *word == expected, until woken or for a while; brief: a millisecond at most. `on`
 * (not 0) is how others name the word. */
void ob_wait_sleep(ob_waiter *w, atomic_uint *word, unsigned expected, bool brief, unsigned on);
/* Wakes all who sleep on the word. Those of the peers who do count as awake from now on, though
 * they may have to wait for a processor. */
void ob_wait_rouse(ob_job *job, atomic_uint *word, ob_peer *const *peers, int count, unsigned on);
/* For a thread that waits for nothing of the job's: sleeps so many nanoseconds (-1: without
 * end), while *word == expected. */
void ob_wait_word(atomic_uint *word, unsigned expected, long nanoseconds);
/* Wakes who sleeps there. */
void ob_wait_wake(atomic_uint *word);
/* For one who has looked in vain, and may again without waiting: gives the MPI library its turn
 * and, now and then, where processes outnumber processors, the processor to others of the job. */
void ob_wait_look(ob_job *job);
/* In a simulation alone: what reading lines that others have written costs, or writing those that
 * others read, and copying bytes. */
#ifdef OPENBLACS_SIMGRID
void ob_wait_costs(double lines, size_t bytes);
#else
static inline void ob_wait_costs(double lines, size_t bytes)
{
    (void)lines;
    (void)bytes;
}
#endif
/* Tells other threads of this process that something was stored for them. */
void ob_wait_notify(ob_job *job);

#endif
