/*
 * Large transfers that go on while the program computes.
 *
 * A large standard ob_isend is not packed when it begins: it is noted with its peer, and sent
 * by whoever comes first, the thread below, the call that waits for it, or any call that would
 * send to the same peer and must not overtake it. The thread also takes in what arrives for
 * posted receives, as every waiting call does.
 *
 * The thread is started by the first large operation; a program without them has none. It looks
 * every 100 us as long as it finds something to do, ever more rarely (1 ms at last) while the
 * program's own calls do it all, and sleeps once nothing large has been under way for a while.
 * It takes the processor from nobody who computes (bench/collectives.md has what that is worth).
 * It never waits for anything: a lock that is held shows that the program is at it itself. What
 * goes through MPI it leaves alone, since it may not call MPI beside the program's threads.
 *
 * Locks. The matching lock covers the peers' lists and all counters. Who sends what is noted for
 * a peer holds its later_lock, takes the matching and the send lock inside it, and is found
 * inside a receive lock at most.
 *
 * Order. peer->later is counted down (release) when a send is over, not when it begins: who
 * reads 0 (acquire) sends after it, who does not waits for later_lock.
 */
#include "message/background.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "core/port.h"
#include "message/internal.h"

enum { BACKGROUND_BYTES = 256 << 10 };
enum { NAP_LEAST_US = 100, NAP_MOST_US = 1000, IDLE_LOOKS = 64 };

enum word { AWAKE = 0, PARKED, ENDING };

struct ob_background {
    ob_job *job;
    pthread_t thread;
    atomic_bool runs;
    atomic_uint inside; /* calls that wait for requests */
    /* Dekker with job->large, both sequentially consistent: a poster counts and then reads
     * the word, the thread writes PARKED and then reads the count. */
    atomic_uint word;
    bool refused; /* there was no thread to be had; under the job's lock */
};

/* ------------------------------------------------------------------- the thread */

/* True when something of the peer's moved. */
static bool take_in(ob_peer *peer)
{
    ob_found found;
    if (atomic_load_explicit(&peer->interest, memory_order_relaxed) == 0 ||
        !ob_lock_try(&peer->recv_lock))
        return false;
    const ob_arrival *a = peer->arrival;
    uint64_t left = a && a->active ? a->left : 0;
    unsigned stored = atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
    /* A failure shows again at the request it concerns, or at the peer's next use. */
    ob_arrival_next(peer, NULL, &found);
    a = peer->arrival;
    bool moved = left != (a && a->active ? a->left : 0) ||
                 stored != atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
    ob_lock_release(&peer->recv_lock);
    return moved;
}

static bool look_around(ob_job *job)
{
    bool moved = false;
    for (int i = 0; i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer == NULL || peer->transport->arm == NULL || i == job->number)
            continue;
        moved |= ob_later_try_peer(peer);
        moved |= take_in(peer);
    }
    return ob_courses_move(job, true) || moved;
}

static void park(ob_background *b)
{
    unsigned awake = AWAKE, parked = PARKED;
    if (!atomic_compare_exchange_strong(&b->word, &awake, PARKED))
        return;
    if (atomic_load(&b->job->large) == 0)
        ob_wait_word(&b->word, PARKED, -1);
    atomic_compare_exchange_strong(&b->word, &parked, AWAKE);
}

static void *work(void *argument)
{
    ob_background *b = argument;
    long nap_us = NAP_LEAST_US;
    unsigned idle = 0;
    ob_port_thread_modest();
    while (atomic_load(&b->word) != ENDING) {
        if (atomic_load_explicit(&b->inside, memory_order_relaxed) == 0 && look_around(b->job)) {
            nap_us = NAP_LEAST_US;
            idle = 0;
            continue;
        }
        if (++idle > IDLE_LOOKS && atomic_load(&b->job->large) == 0) {
            park(b);
            nap_us = NAP_LEAST_US;
            idle = 0;
        }
        ob_wait_word(&b->word, AWAKE, nap_us * 1000);
        nap_us = 2 * nap_us < NAP_MOST_US ? 2 * nap_us : NAP_MOST_US;
    }
    return NULL;
}

/* The program's signals are not for this thread, but for those of what it does itself: a handler of
 * the program's may make memory accessible that is touched (checkpointers do that). */
static bool start_thread(ob_background *b)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all, before;
    pthread_attr_t small;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    atomic_store(&b->word, AWAKE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = pthread_create(&b->thread, &small, work, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&small);
    return runs;
}

static ob_background *background_of(const ob_job *job)
{
    return atomic_load_explicit(&job->background, memory_order_acquire);
}

static bool start(ob_job *job)
{
    if (ob_matching_of(job) == NULL)
        return false;
    ob_lock_take(&job->lock);
    ob_background *b = background_of(job);
    if (b == NULL && (b = calloc(1, sizeof *b))) {
        b->job = job;
        atomic_store_explicit(&job->background, b, memory_order_release);
    }
    if (b && !atomic_load(&b->runs) && !b->refused) {
        atomic_store(&b->runs, start_thread(b));
        b->refused = !atomic_load(&b->runs);
    }
    bool runs = b && atomic_load(&b->runs);
    ob_lock_release(&job->lock);
    return runs;
}

static bool there_is_one(ob_job *job)
{
    ob_background *b = background_of(job);
    return (b && atomic_load_explicit(&b->runs, memory_order_relaxed)) || start(job);
}

bool ob_background_attends(ob_job *job)
{
    return job->shm && job->count > 1 && there_is_one(job);
}

bool ob_background_takes(ob_job *job, const ob_peer *peer, size_t bytes)
{
    size_t least = job->set.background_bytes ? job->set.background_bytes : BACKGROUND_BYTES;
    if (bytes < least || job->shm == NULL || job->count < 2 ||
        (peer && (peer->number == job->number || peer->transport->arm == NULL)))
        return false;
    return there_is_one(job);
}

void ob_background_call(ob_job *job)
{
    ob_background *b = background_of(job);
    unsigned parked = PARKED;
    if (b && atomic_load(&b->word) == PARKED &&
        atomic_compare_exchange_strong(&b->word, &parked, AWAKE))
        ob_wait_wake(&b->word);
}

ob_background *ob_background_enter(ob_job *job)
{
    ob_background *b = background_of(job);
    if (b)
        atomic_fetch_add_explicit(&b->inside, 1, memory_order_relaxed);
    return b;
}

void ob_background_leave(ob_background *b)
{
    if (b)
        atomic_fetch_sub_explicit(&b->inside, 1, memory_order_relaxed);
}

/* Whatever the thread does with a receive it does in a receive lock. */
void ob_background_pause(ob_job *job)
{
    ob_background *b = background_of(job);
    for (int i = 0; b && atomic_load(&b->runs) && i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer) {
            ob_lock_take(&peer->recv_lock);
            ob_lock_release(&peer->recv_lock);
        }
    }
}

void ob_background_end(ob_job *job)
{
    ob_background *b = background_of(job);
    if (b == NULL || !atomic_load(&b->runs))
        return;
    for (int i = 0; i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer)
            ob_later_finish(peer);
    }
    atomic_store(&b->word, ENDING);
    ob_wait_wake(&b->word);
    pthread_join(b->thread, NULL);
    atomic_store(&b->runs, false);
}

void ob_background_free(ob_job *job)
{
    ob_background_end(job);
    free(background_of(job));
    atomic_store(&job->background, NULL);
}
