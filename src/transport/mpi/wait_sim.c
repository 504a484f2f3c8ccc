/*
 * Waiting in a simulation (docs/simulation.md), in the place of wait.c: all
 * processes are actors of one real process, so spinning would stop the world, and
 * only calls of the simulator let time pass.
 */
#include "node/wait.h"

#include "transport/mpi/mpi_job.h"
#include "transport/mpi/mpi_sim.h"

void ob_wait_step(ob_waiter *w, ob_peer *const *peers, int count, bool locked, unsigned stored)
{
    (void)peers;
    (void)count;
    (void)locked;
    (void)stored;
    w->looks = OB_LOOKS - 1; /* who has slept looks at everybody, and has not met it at once */
    ob_sim_sleep(w->job);
}

/* Words in memory that the processes of a machine have in common: who waits sleeps at once. */
bool ob_wait_turn(ob_waiter *w, ob_peer *peer)
{
    (void)w;
    (void)peer;
    return true;
}

bool ob_wait_is_here(const ob_job *job, ob_peer *peer)
{
    (void)job;
    (void)peer;
    return false;
}

/* So those who post need no barrier of the kernel. */
bool ob_wait_yields_reach(const ob_job *job, ob_peer *const *peers, int count)
{
    (void)job;
    (void)peers;
    (void)count;
    return false;
}

void ob_wait_sleep(ob_waiter *w, atomic_uint *word, unsigned expected, bool brief, unsigned on)
{
    (void)brief;
    (void)on;
    if (atomic_load(word) == expected)
        ob_sim_sleep(w->job);
}

void ob_wait_rouse(ob_job *job, atomic_uint *word, ob_peer *const *peers, int count, unsigned on)
{
    (void)word;
    (void)on;
    for (int i = 0; i < count; i++)
        if (peers[i]->number != job->number)
            ob_sim_wake(job, peers[i]->number);
}

void ob_wait_costs(double lines, size_t bytes)
{
    ob_sim_memory(lines, bytes);
}

void ob_wait_word(atomic_uint *word, unsigned expected, long nanoseconds)
{
    (void)word;
    (void)expected;
    (void)nanoseconds;
}

void ob_wait_wake(atomic_uint *word)
{
    (void)word;
}

/* Time passes, or a program that only looks would look for ever. */
void ob_wait_look(ob_job *job)
{
    ob_mpi_progress(job);
}

/* A process has one thread. */
void ob_wait_notify(ob_job *job)
{
    (void)job;
}
