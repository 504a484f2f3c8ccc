/* Threads of one process: the lock, receives from one peer, sends noted for later, the background
 * thread's parking. */
#include "../../src/message/background.c"
#include "models.h"

static world *w;
static ob_group *group[2];
static const ob_settings sleepy = {.spin_us = 0};

static void open_groups(void)
{
    w = world_open(2, &sleepy);
    for (int i = 0; i < 2; i++) {
        ob_group *g = group[i] = ex_alloc(sizeof *g);
        *g = (ob_group){.job = w->job[i], .context = 7, .size = 2, .me = i, .one_node = true};
        g->peer = w->peer[i];
        ob_matching_of(w->job[i]);
    }
}

/* ------------------------------------------------------------------------ the lock */

static struct locked {
    ob_lock lock;
    _Alignas(64) int plain;
} * locked;

static void lock_setup(void)
{
    locked = ex_alloc(sizeof *locked);
}

static void lock(int me)
{
    (void)me;
    ob_lock_take(&locked->lock);
    locked->plain++;
    ob_lock_release(&locked->lock);
}

static void lock_end(void)
{
    EX_CHECK(locked->plain == 3);
}

/* ------------------------------------------------------------------ sends noted for later */

static ob_request *new_request(ob_peer *to, uint64_t *number)
{
    ob_request *r = ob_request_new(group[0], to);
    r->view = ob_view_of_bytes(number, sizeof *number);
    r->envelope = (ob_envelope){.context = 7, .bytes = sizeof *number, .tag = 3};
    return r;
}

/* Thread 0 notes a send, and sends the next one; thread 1 sends what is noted, if it comes first;
 * thread 2 is process 1. */
static void later(int me)
{
    ob_peer *to = world_peer(w, 0, 1);
    if (me == 1)
        ob_later_try_peer(to);
    for (uint64_t k = 1; me == 2 && k <= 2; k++)
        world_receive(world_peer(w, 1, 0), k);
    if (me)
        return;
    uint64_t *number = ex_alloc(sizeof *number);
    *number = 100;
    ob_request *r = new_request(to, number);
    ob_later_add(r);
    ob_later_first(to);
    *number = 0; /* it is sent: the matrix is ours again */
    ob_lock_take(&to->send_lock);
    world_send(to, 2);
    ob_lock_release(&to->send_lock);
}

/* Thread 0 waits for its request alone. */
static void later_done(int me)
{
    ob_peer *to = world_peer(w, 0, 1);
    if (me == 1)
        while (!ob_later_try_peer(to))
            ex_again();
    if (me == 2)
        world_receive(world_peer(w, 1, 0), 1);
    if (me)
        return;
    uint64_t *number = ex_alloc(sizeof *number);
    *number = 100;
    ob_request *r = new_request(to, number);
    ob_later_add(r);
    while (atomic_load_explicit(&r->state, memory_order_acquire) != OB_REQUEST_DONE)
        ex_again();
    EX_CHECK(r->status == OB_OK);
    *number = 0;
}

/* ------------------------------------------------------------------------- parking */

static ob_background *b;

static void park_setup(void)
{
    open_groups();
    b = ex_alloc(sizeof *b);
    b->job = w->job[0];
    atomic_store(&b->word, AWAKE);
    atomic_store(&b->runs, true);
    atomic_store(&w->job[0]->background, b);
}

/* The thread parks while nothing large is under way; two of the program's threads begin something.
 */
static void parking(int me)
{
    if (me) {
        atomic_fetch_add(&w->job[0]->large, 1); /* as ob_later_add and a posted receive do */
        ob_background_call(w->job[0]);
        return;
    }
    for (unsigned parked = 0; atomic_load(&w->job[0]->large) == 0; parked++)
        park(b);
}

/* ------------------------------------------------------------ two threads, one peer */

/* Thread 0 sleeps until thread 1 has stored something for it, as ob_arrival_next's callers do. */
static void stored(int me)
{
    ob_peer *peer = world_peer(w, 1, 0);
    ob_waiter wait;
    ob_wait_begin(&wait, w->job[1]);
    wait.looks = OB_LOOKS - 1;
    for (bool here = false; !here;) {
        ob_lock_take(&peer->recv_lock);
        if (me == 1) {
            locked->plain = 1;
            atomic_fetch_add(&peer->stored_count, 1);
        }
        here = locked->plain;
        unsigned seen = atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
        ob_lock_release(&peer->recv_lock);
        if (me == 1)
            ob_wait_notify(w->job[1]);
        else if (!here)
            ob_wait_step(&wait, &peer, 1, false, seen);
    }
}

static void stored_setup(void)
{
    open_groups();
    lock_setup();
}

const ex_model message_models[] = {
    {"lock: three threads", 3, lock_setup, lock, lock_end},
    {"later: a send noted, and one behind it", 3, open_groups, later, NULL},
    {"later: a send noted, and awaited", 3, open_groups, later_done, NULL},
    {"parking: one begins something", 2, park_setup, parking, NULL},
    {"parking: two begin something", 3, park_setup, parking, NULL},
    {"threads: one stores for another who sleeps", 2, stored_setup, stored, NULL},
};
const int message_model_count = sizeof message_models / sizeof *message_models;
