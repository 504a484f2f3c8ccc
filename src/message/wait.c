/*
 * Who may spin, and how long, was measured (docs/performance.md). A wake-up
 * costs tens of microseconds, so a process that has a processor to itself
 * spins that long. With more processes awake than processors, the partner
 * may need the very processor that spins: then it sleeps almost at once. What
 * counts is who is awake, not who exists: with two of eight processes at work
 * and six asleep in a barrier, the two spin.
 */
#include "message/wait.h"

#include <time.h>

#include "transport/mpi/mpi_job.h"
#include "transport/shm/futex.h"
#include "transport/shm/shm.h"

enum { SPIN_US = 200, SPIN_CROWDED_US = 5, LOOKS_PER_CLOCK = 32 };
/* A sleeper looks up this often: in an MPI program so that the MPI library
 * gets its turn, elsewhere to notice what rings no bell. */
static const long NAP_MPI_NS = 1000000, NAP_NS = 200000000;

/* Processes of the job on this node that are not asleep; those we have not met
 * count as awake. */
static int awake(const ob_job *job)
{
    int count = job->neighbours;
    for (int i = 0; i < job->shm->count; i++) {
        const ob_segment_header *h = job->shm->segment[i];
        if (h && atomic_load_explicit(&h->asleep, memory_order_relaxed))
            count--;
    }
    return count;
}

static int spin_us(const ob_job *job)
{
    if (job->set.spin_us >= 0)
        return job->set.spin_us;
    if (ob_job_crowded(job) && (job->shm == NULL || awake(job) > job->processors))
        return SPIN_CROWDED_US;
    return SPIN_US;
}

static bool still_spinning(ob_wait *w)
{
    w->looks++;
    if (w->looks % LOOKS_PER_CLOCK)
        return true;
    double now = ob_time();
    if (w->since == 0)
        w->since = now;
    if (w->job->mpi)
        ob_mpi_progress(w->job);
    return (now - w->since) * 1e6 < spin_us(w->job);
}

static bool all_can_ring(ob_peer *const *peers, int count)
{
    for (int i = 0; i < count; i++)
        if (peers[i]->transport->arm == NULL)
            return false;
    return true;
}

static unsigned stored_now(ob_peer *const *peers, int count)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum += atomic_load_explicit(&peers[i]->stored_count, memory_order_acquire);
    return sum;
}

/* True when none of the peers has anything and all will ring. */
static bool arm_all(ob_peer *const *peers, int count, bool locked)
{
    bool armed = true;
    for (int i = 0; armed && i < count; i++) {
        if (!locked)
            ob_lock_take(&peers[i]->recv_lock);
        armed = peers[i]->transport->arm(peers[i]);
        if (!locked)
            ob_lock_release(&peers[i]->recv_lock);
    }
    return armed;
}

static void sleep_on_bell(ob_job *job, ob_peer *const *peers, int count, bool locked,
                          unsigned stored)
{
    atomic_uint *bell = ob_shm_bell(job->shm);
    /* Sequentially consistent with ob_wait_notify: either it sees a waiter and
     * rings, or we see what it stored. */
    atomic_fetch_add(&job->waiters, 1);
    unsigned before = atomic_load_explicit(bell, memory_order_acquire);
    if (arm_all(peers, count, locked) && stored_now(peers, count) == stored) {
        atomic_store_explicit(&job->shm->own->asleep, 1, memory_order_relaxed);
        ob_futex_wait(bell, before, job->mpi ? NAP_MPI_NS : NAP_NS);
        atomic_store_explicit(&job->shm->own->asleep, 0, memory_order_relaxed);
    }
    atomic_fetch_sub(&job->waiters, 1);
}

static void doze(unsigned looks)
{
    if (looks < 4096) {
        sched_yield();
    } else {
        const struct timespec nap = {0, 50000};
        nanosleep(&nap, NULL);
    }
}

void ob_wait_step(ob_wait *w, ob_peer *const *peers, int count, bool locked, unsigned stored)
{
    if (still_spinning(w)) {
        ob_pause();
        return;
    }
    if (w->job->mpi)
        ob_mpi_progress(w->job);
    if (w->job->shm && all_can_ring(peers, count))
        sleep_on_bell(w->job, peers, count, locked, stored);
    else
        doze(w->looks);
}

void ob_wait_notify(ob_job *job)
{
    if (job->shm && atomic_load(&job->waiters))
        ob_segment_ring(job->shm->own);
}
