/* Threads of one process: the lock, receives from one peer, matching, sends noted for later, the
 * background thread and its parking, courses. */
#include "../../src/message/background.c"
#include "message/course.h"
#include "message/message.h"
#include "message/request.h"
#include "models.h"

static world *w;
static ob_group *group[2];
static const ob_settings sleepy = {.spin_us = 0};

static void open_groups_as(const ob_settings *set)
{
    w = world_open(2, set);
    for (int i = 0; i < 2; i++) {
        ob_group *g = group[i] = ex_alloc(sizeof *g);
        *g = (ob_group){.job = w->job[i], .context = 7, .size = 2, .me = i, .one_node = true};
        g->peer = w->peer[i];
    }
}

static void open_groups(void)
{
    open_groups_as(&sleepy);
    for (int i = 0; i < 2; i++)
        ob_matching_of(w->job[i]);
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

/* One notes a send; the thread parks, or sends it. */
static void note_setup(void)
{
    park_setup();
    w->job[0]->set.background_bytes = 1;
}

static void parking_send(int me)
{
    if (me) {
        uint64_t *number = ex_alloc(sizeof *number);
        *number = 100;
        ob_later_add(new_request(world_peer(w, 0, 1), number));
        ob_background_call(w->job[0]);
        return;
    }
    for (unsigned parked = 0; atomic_load(&w->job[0]->large) == 0; parked++)
        park(b);
}

/* ------------------------------------------------------ what the first thread makes */

/* The tables and the background thread are made by who needs them first; the next finds them. */
static void unmade_setup(void)
{
    static const ob_settings set = {.background_bytes = 1};
    open_groups_as(&set);
}

static void first_tables(int me)
{
    (void)me;
    ob_matching *m = ob_matching_of(w->job[0]);
    ob_lock_take(&m->lock);
    ob_lock_release(&m->lock);
}

static void unmade_thread_setup(void)
{
    unmade_setup();
    ob_matching_of(w->job[0]);
}

static void *enter(void *none)
{
    ob_background_leave(ob_background_enter(w->job[0]));
    return none;
}

static void first_thread(int me)
{
    pthread_t other;
    (void)me;
    pthread_create(&other, NULL, enter, NULL);
    EX_CHECK(ob_background_takes(w->job[0], world_peer(w, 0, 1), 8));
    ob_background_call(w->job[0]);
    pthread_join(other, NULL);
    ob_background_end(w->job[0]);
}

/* A peer is made by who needs it first; others find it, or nothing. */
static void unmade_peer_setup(void)
{
    open_groups();
    atomic_store(&w->job[0]->peers[1], NULL);
}

static void first_peer(int me)
{
    ob_watch watch;
    if (me == 1)
        look_around(w->job[0]);
    if (me == 2) {
        ob_later_try(w->job[0]);
        EX_CHECK(ob_arrival_progress(w->job[0], false) == OB_OK);
        ob_watch_begin(&watch);
        ob_watch_fill(&watch, w->job[0], NULL, 0, 0);
    }
    if (me != 1)
        EX_CHECK(ob_job_peer(w->job[0], 1)->number == 1);
}

/* ------------------------------------------------------------------------ matching */

static const ob_settings busy = {.spin_us = 1 << 30};

static void matching_setup(void)
{
    open_groups_as(&busy);
}

static void message(int to, int tag, uint64_t number)
{
    ob_view v = ob_view_of_bytes(&number, sizeof number);
    EX_CHECK(ob_message_send(group[1 - to], to, tag, &v) == OB_OK);
}

static void receive_tag(int tag)
{
    uint64_t number = 0;
    ob_view v = ob_view_of_bytes(&number, sizeof number);
    EX_CHECK(ob_message_recv(group[1], 0, tag, &v, NULL) == OB_OK && number == (uint64_t)tag);
}

/* Process 0 has sent two messages; two threads of process 1 receive one each. */
static void two_sent_setup(void)
{
    matching_setup();
    message(1, 4, 4);
    message(1, 5, 5);
}

static void two_receive(int me)
{
    receive_tag(me ? 4 : 5);
}

/* One has posted a receive and waits for it; the other receives what comes behind, and finds it. */
static ob_request *posted;
static uint64_t *posted_number;

static void posted_setup(void)
{
    matching_setup();
    posted_number = ex_alloc(sizeof *posted_number);
    ob_view v = ob_view_of_bytes(posted_number, sizeof *posted_number);
    if (ob_message_irecv(group[1], 0, 4, &v, 0, &posted) != OB_OK)
        abort();
    message(1, 4, 4);
    message(1, 5, 5);
}

static void wait_and_receive(int me)
{
    ob_request *r = posted;
    if (me) {
        receive_tag(5);
        return;
    }
    int done;
    EX_CHECK(ob_test(&r, &done, NULL) == OB_OK);
    EX_CHECK(ob_wait(&r, NULL) == OB_OK && *posted_number == 4);
}

/* ------------------------------------------------------------------------- courses */

/* What has come is handed on by the step behind it. */
static struct coming {
    ob_course course;
    ob_step step[2];
    uint64_t number, handed_on;
} * coming;

static int hand_on(const ob_step *step)
{
    struct coming *c = step->with;
    c->handed_on = c->number;
    return OB_OK;
}

static void course_of_one(void)
{
    atomic_bool *hint = &ob_matching_of(w->job[1])->courses_background;
    ex_hint(hint, sizeof *hint);
    coming = ex_alloc(sizeof *coming);
    ob_view v = ob_view_of_bytes(&coming->number, sizeof coming->number);
    coming->step[0] = (ob_step){.kind = OB_STEP_RECV, .view = v};
    coming->step[1] =
        (ob_step){.kind = OB_STEP_WORK, .after = true, .work = hand_on, .with = coming};
    coming->course = (ob_course){
        .group = group[1], .tag = ob_course_tag(group[1]), .step = coming->step, .count = 2};
    if (ob_course_open(&coming->course) != OB_OK)
        abort();
}

static void course_setup(void)
{
    matching_setup();
    course_of_one();
    message(1, coming->course.tag, 4);
    message(1, 5, 5);
}

/* One begins it and waits; the other receives what comes behind, and moves it, too. */
static void course(int me)
{
    ob_request *r;
    if (me) {
        receive_tag(5);
        return;
    }
    EX_CHECK(ob_course_begin(&coming->course, &r) == OB_OK);
    EX_CHECK(ob_wait(&r, NULL) == OB_OK && coming->handed_on == 4);
}

/* Others find it begun, or nothing to be moved. */
static void course_seen(int me)
{
    ob_request *r;
    if (me)
        ob_courses_move(w->job[1], false);
    else
        EX_CHECK(ob_course_begin(&coming->course, &r) == OB_OK);
}

static void begun_setup(void)
{
    open_groups();
    course_of_one();
    if (ob_course_begin(&coming->course, &posted) != OB_OK)
        abort();
}

/* As who waits for requests does. */
static void sleep_over_course(void)
{
    ob_peer *bell = world_peer(w, 1, 0);
    ob_waiter wait;
    ob_request *r = posted;
    ob_wait_begin(&wait, w->job[1]);
    wait.looks = OB_LOOKS - 1;
    for (;;) {
        ob_lock_take(&bell->recv_lock);
        unsigned seen = atomic_load_explicit(&bell->stored_count, memory_order_relaxed);
        ob_lock_release(&bell->recv_lock);
        EX_CHECK(ob_arrival_progress(w->job[1], false) == OB_OK);
        if (ob_request_is_done(r))
            break;
        ob_wait_step(&wait, &bell, 1, false, seen);
    }
    EX_CHECK(ob_wait(&r, NULL) == OB_OK && coming->handed_on == 4);
}

/* One sleeps over it; the other sends what it waits for, receives that, and so ends it, unless the
 * first one does. */
static void course_slept(int me)
{
    if (me == 0) {
        sleep_over_course();
        return;
    }
    message(1, coming->course.tag, 4);
    EX_CHECK(ob_arrival_progress(w->job[1], false) == OB_OK);
}

/* All has come; the background thread, which may not do the work, is at the courses when the one
 * who may looks at them before it sleeps. */
static void foreign_setup(void)
{
    open_groups();
    course_of_one();
    coming->course.quiet = false;
    if (ob_course_begin(&coming->course, &posted) != OB_OK)
        abort();
    message(1, coming->course.tag, 4);
}

static void course_not_moved(int me)
{
    if (me)
        ob_courses_move(w->job[1], true);
    else
        sleep_over_course();
}

/* A course becomes able to go on while another thread of the program, which has seen nothing,
 * leaves the courses, and the background thread, which may not do the work, goes to them. Then the
 * one who would sleep is rung, or has no reason to. */
static struct later {
    ob_course course;
    ob_step step[2];
    atomic_bool ready, done;
    unsigned rung;
} * later_on;

static int work_later(const ob_step *step)
{
    struct later *l = step->with;
    if (!atomic_load_explicit(&l->ready, memory_order_relaxed))
        return OB_STEP_LATER;
    atomic_store_explicit(&l->done, true, memory_order_relaxed);
    return OB_OK;
}

/* The receive is there so that somebody is rung. */
static void later_on_setup(void)
{
    open_groups();
    atomic_bool *hint = &ob_matching_of(w->job[1])->courses_background;
    ex_hint(hint, sizeof *hint);
    later_on = ex_alloc(sizeof *later_on);
    later_on->step[0] = (ob_step){.kind = OB_STEP_WORK, .work = work_later, .with = later_on};
    later_on->step[1] = (ob_step){.kind = OB_STEP_RECV, .view = ob_view_of_bytes(NULL, 0)};
    later_on->course = (ob_course){.group = group[1],
                                   .tag = ob_course_tag(group[1]),
                                   .step = later_on->step,
                                   .count = 2,
                                   .foreign = true};
    if (ob_course_open(&later_on->course) != OB_OK ||
        ob_course_begin(&later_on->course, &posted) != OB_OK)
        abort();
}

static unsigned rung(void)
{
    return atomic_load_explicit(&world_peer(w, 1, 0)->stored_count, memory_order_relaxed);
}

static void not_moved(int me)
{
    if (me == 0) {
        later_on->rung = rung();
        atomic_store_explicit(&later_on->ready, true, memory_order_relaxed);
    }
    ob_courses_move(w->job[1], me == 2);
}

static void not_moved_end(void)
{
    EX_CHECK(atomic_load_explicit(&later_on->done, memory_order_relaxed) ||
             rung() != later_on->rung);
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
    {"parking: one notes a send", 2, note_setup, parking_send, NULL},
    {"first: two threads make the tables", 2, unmade_setup, first_tables, NULL},
    {"first: one makes the background thread, one looks for it", 1, unmade_thread_setup,
     first_thread, NULL},
    {"first: one makes a peer, two look for it", 3, unmade_peer_setup, first_peer, NULL},
    {"matching: each of two threads finds the other's message", 2, two_sent_setup, two_receive,
     NULL},
    {"matching: one waits for a posted receive, one receives", 2, posted_setup, wait_and_receive,
     NULL},
    {"courses: one begins, one looks for something to move", 2, course_setup, course_seen, NULL},
    {"courses: one begins and waits, one receives", 2, course_setup, course, NULL},
    {"courses: one sleeps, the other ends it", 2, begun_setup, course_slept, NULL},
    {"courses: one sleeps, the thread was at it in vain", 2, foreign_setup, course_not_moved, NULL},
    {"courses: one looks, two were at it in vain", 3, later_on_setup, not_moved, not_moved_end},
    {"threads: one stores for another who sleeps", 2, stored_setup, stored, NULL},
};
const int message_model_count = sizeof message_models / sizeof *message_models;
