/*
 * How a process waits was measured (bench/messages.md); it depends on who
 * needs the processor it waits on.
 *  - With a processor for each process awake it spins: a wake-up costs tens of
 *    microseconds. What counts is who is awake, not who exists: with two of eight
 *    processes at work and six asleep in a barrier, the two spin.
 *  - When the partner last ran on this very processor, one of the two is in the
 *    wrong place: the waiting one moves to a processor that fewer of the job use, if there is one:
 *    three on one and one on the other cost each round two switches in place of one.
 *    It does so ever more rarely when that does not last: somebody else may be there.
 *  - When there is none, or processes outnumber processors, it yields, so that
 *    another can run at once; a switch without sleeping is a fraction of a wake-up.
 *  - Where processes outnumber processors, it decides who shares one with whom. In a ScaLAPACK
 *    program those of a column of the grid work at the same time (a panel of the LU, a block column
 *    of Cholesky's L), or those of a row (a block row of U), while all others wait. So each process
 *    has a place, and goes back to it when it has to wait elsewhere. Two that share a processor are
 *    of different rows and columns where that can be had; more than two are neighbours by number (a
 *    row). The scheduler does not know this.
 *  - For one that has another processor it looks a moment longer, since that one's answer may be
 *    on its way; but not while a message has come for one that yielded here.
 *  - Yielding to one of the job that computes costs more than its time: the scheduler puts
 *    who yields far behind (since Linux 6.6 a whole turn), while a sleeper is put in front
 *    when its message comes. So after a long yield a process sleeps.
 *  - Yielding to a stranger that computes costs the rest of that one's time slice. So after a
 *    long yield with nobody of the job here, a process does not yield for a while, and sleeps soon;
 *    likewise after a spin without the processor, unless processes outnumber processors.
 *  - A yield gives the processor only to those of the same scheduling group. MPICH's launcher
 *    gives each process a session, and so a group, of its own, other launchers a control group.
 *    There nobody yields: who waits sleeps at once when others of the job want this processor,
 *    and spins when none does. Without memory in common nobody knows who wants it: where
 *    processes outnumber processors, who waits sleeps at once.
 *  - Sooner or later everybody sleeps on the bell.
 *  - The program's own messages move while this process gives the MPI library its turns, one a nap.
 *    What needs many turns, as a long message through a ring does, would crawl. A turn in which
 *    something moved takes longer than one in vain. So who has napped spins for a moment, unless
 *    processors are short, and stays awake while turns take long.
 *  - A program that tests in a loop never waits here, and would use up its time slice while the
 *    process that it waits for has no processor: there each OB_LOOKS-th test in vain yields.
 */
#include "node/wait.h"

#include <time.h>

#include "core/port.h"
#include "hooks/patience.h"
#include "node/fence.h"
#include "node/processor.h"
#include "node/shm.h"

enum { LONG_US = 100, BAN_WAITS = 64 };
/* Between two moves to another processor: away from a partner, and back to the own place. */
enum { MOVE_LEAST_US = 500, AWAY_MOST_US = 100000, BACK_MOST_US = 2000 };
/* Who yields to the process it waits for, on this very processor, or has only begun to wait, gives
 * the MPI library one turn in so many: a turn costs more than a switch and may yield itself,
 * while the other's is what ends the wait. */
enum { MPI_TURNS = 8 };
/* Behind a nap a process stays awake so long, unless processors are short: one nap in a hundred is
 * not slept then. And so long behind a turn in which the MPI library has moved something, for the
 * other process's answer. In vain a turn takes .05 us, or .2 us where the library yields, and up to
 * 4 us behind a nap, when nothing of it is in the cache. */
enum { AFTER_NAP_US = 10, AFTER_MOVE_US = 50, COLD_TURN_US = 8 };
static const double BUSY_TURN = 1.5;
/* A sleeper looks up this often: in an MPI program so that the MPI library
 * gets its turn (and with requests under way that nobody else moves, so that they do), elsewhere to
 * notice what rings no bell. */
static const long NAP_MPI_NS = 1000000, NAP_NS = 200000000;

/* Who is to tell somebody of a long wait soon looks up in time. */
static long nap(const ob_job *job, bool brief)
{
    /* Not all at once: they would count as awake, and want more processors than there are. */
    if (job->mpi || brief)
        return NAP_MPI_NS - job->number % 8 * (NAP_MPI_NS / 16);
    return job->long_wait < 1e-9 * (double)NAP_NS ? (long)(1e9 * job->long_wait) : NAP_NS;
}

/* Are more processes of the job on this node awake than it has processors? Those we have not met
 * count as awake. Looks at no more of them than it must. */
static bool too_many_awake(const ob_job *job)
{
    int count = job->neighbours, seen = 0;
    for (int i = 0; i < job->shm->count && seen <= job->processors; i++) {
        const ob_segment_header *h = job->shm->segment[i];
        if (h && atomic_load_explicit(&h->asleep, memory_order_relaxed))
            count--;
        else
            seen += h != NULL;
    }
    return count > job->processors;
}

static bool short_of_processors(const ob_job *job)
{
    return ob_job_crowded(job) && (job->shm == NULL || too_many_awake(job));
}

static bool awake_here(const ob_segment_header *h, const ob_job *job)
{
    return h && atomic_load_explicit(&h->asleep, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&h->processor, memory_order_relaxed) ==
               atomic_load_explicit(&job->shm->own->processor, memory_order_relaxed);
}

/* Does the one we wait for want the processor we wait on? */
static bool partner_is_here(const ob_job *job, ob_peer *const *peers, int count)
{
    return job->shm && count == 1 && awake_here(job->shm->segment[peers[0]->number], job);
}

bool ob_wait_is_here(const ob_job *job, ob_peer *peer)
{
    return partner_is_here(job, &peer, 1);
}

static uint64_t sharing(const ob_segment_header *h)
{
    return atomic_load_explicit(&h->sharing, memory_order_relaxed);
}

/* 0: without memory of its own, a process compares it with nobody's. */
static uint64_t own_sharing(const ob_job *job)
{
    uint64_t ours = job->shm ? sharing(job->shm->own) : 0;
    if (job->shm && ours == 0)
        atomic_store_explicit(&job->shm->own->sharing, ours = ob_processor_sharing(),
                              memory_order_relaxed);
    return ours;
}

/* Of those whose memory we do not see, and of those elsewhere, for whom others of this node may
 * have to run first, only the meeting knows. */
static bool yields_reach(const ob_job *job, int number, uint64_t ours)
{
    const ob_segment_header *h = job->shm ? job->shm->segment[number] : NULL;
    if (h == NULL)
        return !atomic_load_explicit(&job->apart, memory_order_relaxed);
    uint64_t theirs = sharing(h);
    return theirs == 0 || theirs == ours;
}

bool ob_wait_yields_reach(const ob_job *job, ob_peer *const *peers, int count)
{
    uint64_t ours = own_sharing(job);
    for (int i = 0; i < count; i++)
        if (yields_reach(job, peers[i]->number, ours))
            return true;
    return false;
}

/* Any of those that we have met? */
static bool yields_reach_some(const ob_job *job)
{
    bool met = false;
    uint64_t ours = own_sharing(job);
    for (int i = 0; job->shm && i < job->shm->count; i++)
        if (i != job->number && job->shm->segment[i]) {
            if (yields_reach(job, i, ours))
                return true;
            met = true;
        }
    return !met && !atomic_load_explicit(&job->apart, memory_order_relaxed);
}

/* Does any other process of the job? */
static bool others_are_here(const ob_job *job)
{
    for (int i = 0; job->shm && i < job->shm->count; i++)
        if (i != job->number && awake_here(job->shm->segment[i], job))
            return true;
    return false;
}

static void publish_processor(ob_job *job)
{
    int here = ob_processor_here();
    if (job->shm && atomic_load_explicit(&job->shm->own->processor, memory_order_relaxed) != here)
        atomic_store_explicit(&job->shm->own->processor, here, memory_order_relaxed);
}

/* With more to each processor than this the scheduler's own balance is as good, and a look at all
 * of them, a page each, is what most of a large job's time went into. */
enum { CROWD = 8 };

/* Is it time for another move, which is wanted? The pause doubles as long as moves are wanted again
 * soon. */
static bool is_due(ob_pace *pace, double now, long most_us)
{
    long us = (long)(now * 1e6), last = atomic_load_explicit(&pace->last_us, memory_order_relaxed);
    long pause = atomic_load_explicit(&pace->pause_us, memory_order_relaxed);
    if (us - last < pause)
        return false;
    if (us - last > 100 * pause || pause == 0)
        pause = MOVE_LEAST_US;
    else if (pause < most_us)
        pause *= 2;
    atomic_store_explicit(&pace->last_us, us, memory_order_relaxed);
    atomic_store_explicit(&pace->pause_us, pause, memory_order_relaxed);
    return true;
}

/* Moves to a processor that fewer of the job use. */
static bool move_away(ob_job *job, double now)
{
    if (job->count > CROWD * job->processors || !is_due(&job->away, now, AWAY_MOST_US))
        return false;
    bool moved = ob_processor_move(job->shm);
    publish_processor(job);
    return moved;
}

/* Our place as ob_job has it. All processes of the node must be known, or two would count
 * differently. */
static int find_place(const ob_job *job)
{
    int known = 0, before = 0;
    for (int i = 0; i < job->shm->count; i++)
        if (job->shm->segment[i]) {
            known++;
            before += i < job->number;
        }
    if (known != job->neighbours)
        return 0;
    int processor = ob_processor_place(before, known, job->processors);
    return processor < 0 ? -1 : processor + 1;
}

static void move_back(ob_job *job, double now)
{
    int place = atomic_load_explicit(&job->place, memory_order_relaxed);
    if (place == ob_processor_here() + 1 || place < 0 || job->shm == NULL ||
        job->count > CROWD * job->processors || !short_of_processors(job) ||
        !is_due(&job->back, now, BACK_MOST_US))
        return;
    if (place == 0)
        atomic_store_explicit(&job->place, place = find_place(job), memory_order_relaxed);
    if (place > 0 && ob_processor_move_to(job->shm, place - 1))
        publish_processor(job);
}

/* Has something come for one that yielded, and so wants this processor at once? */
static bool others_here_have_heard(const ob_job *job)
{
    for (int i = 0; job->shm && job->count <= CROWD * job->processors && i < job->shm->count; i++)
        if (i != job->number && awake_here(job->shm->segment[i], job) &&
            atomic_load_explicit(&job->shm->segment[i]->yields, memory_order_relaxed) ==
                OB_YIELDS_HEARD)
            return true;
    return false;
}

enum manner { SPIN, YIELD, SLEEP };

static enum manner choose(const ob_waiter *w, ob_peer *const *peers, int count, double now)
{
    ob_job *job = w->job;
    double waited_us = (now - w->since) * 1e6;
    bool strangers = atomic_load_explicit(&job->strangers, memory_order_relaxed) > 0;
    int spin_us = strangers || ob_job_crowded(job) ? OB_SPIN_US : OB_OWN_US;
    if (job->set.spin_us >= 0)
        return waited_us < job->set.spin_us ? SPIN : SLEEP;
    bool here = partner_is_here(job, peers, count), scarce = short_of_processors(job);
    if (!here && !scarce)
        return waited_us < spin_us || now < w->awake ? SPIN : SLEEP;
    if (here && move_away(job, now))
        return SPIN;
    if (!scarce && now < w->awake) /* where a partner last was may be old */
        return SPIN;
    if (!here && waited_us < OB_BRIEF_US && !others_here_have_heard(job))
        return SPIN;
    if (!ob_wait_yields_reach(job, peers, count)) /* without memory nobody says where it runs */
        return waited_us < OB_SPIN_US && job->shm && !others_are_here(job) ? SPIN : SLEEP;
    return (waited_us < OB_YIELD_US || now < w->awake) && !strangers && !w->yielded_long ? YIELD
                                                                                         : SLEEP;
}

/* Did we go without the processor from one moment to the other? When nobody of the job can have had
 * it, strangers want it. One who was here before can, though it may sleep now that it has done what
 * it ran for. */
static bool was_away(ob_job *job, double from, double to, bool others_were_here)
{
    if ((to - from) * 1e6 < LONG_US)
        return false;
    if (!others_were_here && !others_are_here(job))
        atomic_store_explicit(&job->strangers, BAN_WAITS, memory_order_relaxed);
    return true;
}

static void begin_wait(ob_waiter *w, double now)
{
    ob_job *job = w->job;
    int left = atomic_load_explicit(&job->strangers, memory_order_relaxed);
    w->since = now;
    w->gone = 0;
    publish_processor(job);
    if (left > 0)
        atomic_store_explicit(&job->strangers, left - 1, memory_order_relaxed);
    if (ob_job_crowded(job))
        move_back(job, now);
}

/* In a turn the MPI library may yield, where processes outnumber processors, and so lose the
 * processor to one that computes, just before the message comes. */
static bool is_turn(const ob_waiter *w, enum manner manner, double now, bool here)
{
    ob_job *job = w->job;
    if (ob_job_crowded(job) && (now - w->since) * 1e6 < OB_BRIEF_US)
        return atomic_fetch_add_explicit(&job->brief_waits, 1, memory_order_relaxed) % MPI_TURNS ==
               0;
    return manner != YIELD || !here || w->looks / OB_LOOKS % MPI_TURNS == 0;
}

/* Did the library work for so long, rather than give the processor away? */
static bool worked(ob_waiter *w, double seconds)
{
    if (seconds < 1e-6 * LONG_US)
        return true;
    double before = w->used;
    w->used = ob_cpu_time();
    return w->used - before > seconds / 2;
}

/* Gives the MPI library its turn. */
static void give_turn(ob_waiter *w, bool cold)
{
    double before = ob_time();
    w->job->hooks->turn(w->job);
    double after = ob_time(), took = after - before;
    double least = cold ? 1e-6 * COLD_TURN_US : BUSY_TURN * w->turn;
    if (w->turn > 0 && took > least && worked(w, took))
        w->awake = after + 1e-6 * AFTER_MOVE_US;
    if (w->turn == 0 || took < w->turn)
        w->turn = took;
}

/* Behind a nap in an MPI job. */
static void wake_up(ob_waiter *w, double now)
{
    w->used = ob_cpu_time();
    if (!short_of_processors(w->job))
        w->awake = now + 1e-6 * AFTER_NAP_US;
}

static void say_yields(const ob_job *job, enum ob_yields how)
{
    if (job->shm)
        atomic_store_explicit(&job->shm->own->yields, how, memory_order_relaxed);
}

/* Every OB_LOOKS looks: what to do until the next. */
static enum manner reconsider(ob_waiter *w, ob_peer *const *peers, int count)
{
    ob_job *job = w->job;
    double now = ob_time();
    if (w->since == 0)
        begin_wait(w, now);
    else if (w->spun > 0 && !ob_job_crowded(job)) /* else who never waits may be here unseen */
        was_away(job, w->spun, now, false);
    if (__builtin_expect(now - w->since > job->long_wait, 0))
        job->hooks->long_wait(job, w->since, now, peers, count);
    bool napped = w->napped;
    if (napped && job->mpi)
        wake_up(w, now);
    w->napped = false;
    enum manner manner = choose(w, peers, count, now);
    if (job->mpi && is_turn(w, manner, now, partner_is_here(job, peers, count)))
        give_turn(w, napped);
    w->spun = manner != SPIN ? 0 : job->mpi ? ob_time() : now; /* MPI's turn was not away */
    if (manner == YIELD) {
        bool others_were_here = job->count > CROWD * job->processors || others_are_here(job);
        say_yields(job, OB_YIELDS);
        sched_yield();
        say_yields(job, OB_YIELDS_NOT);
        w->yielded_long = was_away(job, now, ob_time(), others_were_here);
        /* One look, then the clock again. */
        w->looks += OB_LOOKS - 1;
    }
    return manner;
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

static bool arm_each(ob_peer *const *peers, int count, bool locked, bool *heavy)
{
    bool armed = true;
    for (int i = 0; armed && i < count; i++) {
        if (!locked)
            ob_lock_take(&peers[i]->recv_lock);
        armed = peers[i]->transport->arm(peers[i], heavy);
        if (!locked)
            ob_lock_release(&peers[i]->recv_lock);
    }
    return armed;
}

/* True when none of the peers has anything and all will ring; *fenced: for sure. One fence is for
 * all of them. */
static bool arm_all(ob_peer *const *peers, int count, bool locked, bool *fenced)
{
    bool heavy = false;
    *fenced = true;
    if (!arm_each(peers, count, locked, &heavy))
        return false;
    if (!heavy)
        return true;
    *fenced = ob_fence_heavy();
    return arm_each(peers, count, locked, &heavy);
}

/* Who goes rings once. So one that has gone since the caller asked, and before the bell was read,
 * keeps us awake: the caller asks again. */
static bool another_has_gone(ob_waiter *w, ob_peer *const *peers, int count)
{
    int before = w->gone;
    w->gone = 0;
    for (int i = 0; i < count; i++)
        w->gone += peers[i]->transport->gone(peers[i]);
    return w->gone != before;
}

static void sleep_on_bell(ob_waiter *w, ob_peer *const *peers, int count, bool locked,
                          unsigned stored)
{
    ob_job *job = w->job;
    atomic_uint *bell = ob_shm_bell(job->shm);
    /* A thread that stores something for us does so under the peer's receive
     * lock, which arm_all takes after we are counted: either it sees a waiter and
     * rings, or we see what it stored. */
    bool fenced;
    atomic_fetch_add(&job->waiters, 1);
    unsigned before = atomic_load_explicit(bell, memory_order_acquire);
    if (!another_has_gone(w, peers, count) && arm_all(peers, count, locked, &fenced) &&
        stored_now(peers, count) == stored) {
        atomic_store_explicit(&job->shm->own->asleep, 1, memory_order_relaxed);
        ob_port_wait(bell, before, nap(job, !fenced));
        w->napped = true;
        atomic_store_explicit(&job->shm->own->asleep, 0, memory_order_relaxed);
    }
    atomic_fetch_sub(&job->waiters, 1);
}

static void let_others_run(bool by_yield)
{
    const struct timespec nap = {0, 50000};
    if (by_yield)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

void ob_wait_step(ob_waiter *w, ob_peer *const *peers, int count, bool locked, unsigned stored)
{
    if (++w->looks % OB_LOOKS) {
        ob_pause();
        return;
    }
    if (reconsider(w, peers, count) != SLEEP)
        return;
    if (w->job->shm) /* after a look in vain; we alone write it */
        atomic_fetch_add_explicit(&w->job->shm->own->naps, 1, memory_order_release);
    if (w->job->shm && all_can_ring(peers, count))
        sleep_on_bell(w, peers, count, locked, stored);
    else
        let_others_run(w->looks < 4096 && ob_wait_yields_reach(w->job, peers, count));
    /* Asked again at once: a sleeper that was woken for nothing sleeps on. */
    w->looks += OB_LOOKS - 1;
}

void ob_wait_look(ob_job *job)
{
    if (job->mpi)
        job->hooks->turn(job);
    if (ob_job_crowded(job) &&
        atomic_fetch_add_explicit(&job->vain_looks, 1, memory_order_relaxed) % OB_LOOKS ==
            OB_LOOKS - 1 &&
        short_of_processors(job))
        let_others_run(yields_reach_some(job));
}

void ob_wait_notify(ob_job *job)
{
    if (job->shm && atomic_load(&job->waiters))
        ob_segment_ring(job->shm->own);
}

static bool others_wait(const ob_job *job)
{
    return atomic_load_explicit(&job->pending, memory_order_relaxed) != 0;
}

bool ob_wait_turn(ob_waiter *w, ob_peer *peer)
{
    if (++w->looks % OB_LOOKS) {
        ob_pause();
        return false;
    }
    if (others_wait(w->job))
        w->job->hooks->progress(w->job);
    return reconsider(w, &peer, 1) == SLEEP;
}

void ob_wait_sleep(ob_waiter *w, atomic_uint *word, unsigned expected, bool brief, unsigned on)
{
    ob_job *job = w->job;
    atomic_store_explicit(&job->shm->own->asleep, on, memory_order_relaxed);
    ob_port_wait(word, expected, nap(job, brief || others_wait(job)));
    atomic_store_explicit(&job->shm->own->asleep, 0, memory_order_relaxed);
    w->napped = true;
    w->looks += OB_LOOKS - 1;
}

/* Said before they are woken: one that we wake onto our own processor runs only when we leave it,
 * and cannot say so itself before. */
void ob_wait_rouse(ob_job *job, atomic_uint *word, ob_peer *const *peers, int count, unsigned on)
{
    for (int i = 0; i < count; i++) {
        ob_segment_header *h = job->shm->segment[peers[i]->number];
        if (h && atomic_load_explicit(&h->asleep, memory_order_relaxed) == on)
            atomic_store_explicit(&h->asleep, 0, memory_order_relaxed);
    }
    ob_port_wake(word);
}

void ob_wait_word(atomic_uint *word, unsigned expected, long nanoseconds)
{
    ob_port_wait(word, expected, nanoseconds);
}

void ob_wait_wake(atomic_uint *word)
{
    ob_port_wake(word);
}
