/*
 * Courses under way, and who moves them.
 *
 * One thread at a time goes over the list. Each first says that somebody wants it
 * (courses_wanted); the holder asks for that after it has let go, and goes over the list again,
 * unless another holds the lock by then, who will ask in turn. All change that word, with acquire
 * and release: the holder sees what had come for the one who asked, or the one who asked sees the
 * lock free. The background thread may not do all that another may. So it goes over the list once,
 * and then rings whoever sleeps: the one who asked looks again, and finds the lock free.
 *
 * Nobody may sleep over a course that another thread has moved, since it then waits for other
 * messages than before. So a course that moves changes the stored_count of one peer, its bell,
 * under that one's receive lock; who waits has the bell among the peers it watches (interest), and
 * sees the change before it sleeps, or is rung.
 */
#include "message/course.h"

#include <sched.h>
#include <stdlib.h>

#include "core/error.h"
#include "message/background.h"
#include "message/internal.h"
#include "message/message.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------- preparing */

int ob_course_tag(ob_group *g)
{
    const uint32_t most = (uint32_t)INT32_MAX + OB_TAG_COURSE;
    return (int)(OB_TAG_COURSE - (int64_t)(g->courses++ % most));
}

/* Who is heard of first; where nothing is received, who is sent to first. */
static ob_peer *bell_of(const ob_course *c)
{
    const ob_step *first = NULL;
    for (int i = 0; i < c->count; i++) {
        const ob_step *s = &c->step[i];
        if (s->kind == OB_STEP_WORK || (s->kind == OB_STEP_SEND && first))
            continue;
        first = s;
        if (s->kind == OB_STEP_RECV)
            break;
    }
    return first == NULL ? NULL : c->group->peer[first->to ? first->to[0] : first->member];
}

bool ob_course_attend(ob_course *c)
{
    c->attended = c->quiet && (c->bell == NULL || ob_background_attends(c->group->job));
    return c->attended;
}

static bool rings(const ob_group *g)
{
    for (int i = 0; i < g->size; i++)
        if (g->peer[i]->transport->arm == NULL)
            return false;
    return true;
}

int ob_course_open(ob_course *c)
{
    size_t n = (size_t)c->count + 1;
    c->request = NULL;
    c->failed = c->orphan = false;
    c->error = NULL;
    c->quiet = !c->foreign && rings(c->group);
    c->bell = bell_of(c);
    c->inner = calloc(n, sizeof(ob_request *) + sizeof(bool));
    if (c->inner == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for %d steps",
                       c->group->job->number, c->count);
    c->lost = (bool *)(void *)(c->inner + n);
    return OB_OK;
}

void ob_course_close(ob_course *c)
{
    free(c->inner);
    free(c->error);
    c->inner = NULL;
    c->error = NULL;
}

/* ------------------------------------------------------------------- failing */

/* A message that says, by its type, with which status its sender has failed; it has no bytes.
 * Other messages without bytes are of type OB_BYTE. */
static ob_view failure_of(int status)
{
    ob_view v = ob_view_of_bytes(NULL, 0);
    if (status < -(int)OB_BYTE) /* there is no type for it */
        status = OB_ESYSTEM;
    v.type = status == -(int)OB_BYTE ? OB_INT64 : (ob_type)-status;
    return v;
}

static bool is_failure(const ob_received *r)
{
    return r->bytes == 0 && r->type != OB_BYTE;
}

static int failure_status(const ob_received *r)
{
    return r->type == OB_INT64 ? -(int)OB_BYTE : -(int)r->type;
}

/* The others, that wait for us or will, hear of it. */
static void tell_others(ob_course *c, int status)
{
    const ob_group *g = c->group;
    ob_call_failed(&c->as);
    ob_view v = failure_of(status);
    for (int i = 0; i < g->size; i++)
        if (i != g->me && !g->peer[i]->transport->gone(g->peer[i]))
            ob_message_send(&c->as, i, c->tag, &v);
}

/* With this thread's error line. What has not met its message is taken back; the course is over
 * when the rest has come, since that goes to its matrices. */
static void fail(ob_course *c, int status)
{
    if (c->failed)
        return;
    c->failed = true;
    c->status = status;
    c->error = strdup(ob_error_text());
    for (int i = 0; i < c->count; i++)
        if (c->inner[i] && ob_request_withdraw(c->inner[i])) {
            ob_request_done(c->inner[i], OB_OK);
            ob_request_free(c->inner[i]);
            c->inner[i] = NULL;
        }
    if (!c->orphan)
        tell_others(c, status);
}

/* ------------------------------------------------------------------- one step */

static int judge(const ob_course *c, const ob_step *s, const ob_request *r)
{
    int number = c->orphan ? r->number : c->group->peer[s->member]->number;
    if (r->status != OB_OK)
        return ob_fail(r->status, "%s", r->error ? r->error : "a receive has failed");
    if (is_failure(&r->received)) {
        int status = failure_status(&r->received);
        return ob_fail(status,
                       "OB-2500 process %d, a member of the same collective call, has failed in "
                       "it (%s); its own error line says more",
                       number, ob_status_text(status));
    }
    return r->received.bytes == ob_view_bytes(&s->view)
               ? OB_OK
               : ob_fail_size(number, r->received.bytes, r->received.type, &s->view);
}

/* Ends the receives that are over; are any left? */
static bool take_over(ob_course *c, bool *moved)
{
    bool left = false;
    for (int i = c->from; i < c->at; i++) {
        ob_request *r = c->inner[i];
        if (r == NULL)
            continue;
        if (!ob_request_is_done(r)) {
            left = true;
            continue;
        }
        c->inner[i] = NULL;
        *moved = true;
        if (OB_TRACING)
            ob_request_record(r, "ob_wait", ob_trace_since());
        int status = judge(c, &c->step[i], r);
        ob_request_free(r);
        if (status != OB_OK)
            fail(c, status);
    }
    return left;
}

static int do_step(ob_course *c, int at)
{
    const ob_step *s = &c->step[at];
    const ob_view nothing = ob_view_of_bytes(NULL, 0);
    const ob_view *v = ob_view_bytes(&s->view) ? &s->view : &nothing;
    c->lost[at] = false;
    switch (s->kind) {
    case OB_STEP_WORK: return s->work(s);
    case OB_STEP_RECV:
        return ob_request_receive(c->group, s->member, c->tag, v, OB_SHORTER, &c->inner[at]);
    case OB_STEP_SEND:
        return s->to ? ob_message_send_many(&c->as, s->to, s->members, c->tag, v)
                     : ob_message_send(&c->as, s->member, c->tag, v);
    }
    return OB_OK;
}

static void pass_over(ob_course *c)
{
    while (c->at < c->count && c->step[c->at].off)
        c->at++;
}

static void has_not_waited(ob_course *c)
{
    c->waited = 0;
    c->patience = OB_CALL_PATIENCE;
}

/* Receives are not over. Members that name other bytes may wait for each other. */
static void wait_alike(ob_course *c)
{
    if (c->as.call == 0 || c->failed || c->orphan)
        return;
    double now = ob_time(), passed = now - c->asked, most = OB_CALL_PATIENCE / 4;
    c->asked = now;
    /* Who asks seldom computes meanwhile, or has no processor. */
    c->waited += passed < most ? passed : most;
    if (c->waited < c->patience)
        return;
    c->waited = 0;
    c->patience *= 2;
    int status = ob_call_look(&c->as, c->tag);
    if (status != OB_OK)
        fail(c, status);
}

/* As far as it goes; true when it is over. */
static bool run(ob_course *c, bool *moved)
{
    for (;;) {
        bool before = *moved, waits;
        *moved = false;
        waits = take_over(c, moved);
        if (*moved)
            has_not_waited(c);
        else if (waits)
            wait_alike(c);
        *moved |= before;
        pass_over(c);
        if (c->failed || c->at == c->count)
            return !waits && (c->let_go == NULL || c->let_go(c->with));
        if (c->step[c->at].after) {
            if (waits)
                return false;
            c->from = c->at;
        }
        int status = do_step(c, c->at++);
        *moved |= status != OB_STEP_LATER;
        if (status == OB_STEP_AGAIN || status == OB_STEP_LATER) {
            c->at--;
            return false;
        }
        if (status != OB_OK)
            fail(c, status);
    }
}

/* ------------------------------------------------------------------- all of them */

static void count(ob_course *c, int by)
{
    ob_job *job = c->request->job;
    ob_matching *m = ob_matching_now(job);
    ob_lock_take(&m->lock);
    ob_count(&job->pending, by);
    if (c->bell)
        ob_count(&c->bell->interest, by);
    ob_lock_release(&m->lock);
}

static void ring(ob_job *job, ob_peer *bell)
{
    if (bell) {
        ob_lock_take(&bell->recv_lock);
        atomic_fetch_add(&bell->stored_count, 1);
        ob_lock_release(&bell->recv_lock);
    }
    ob_wait_notify(job);
}

/* Its owner may free it, and the request, as soon as that is done. */
static void finish(ob_matching *m, ob_course *c)
{
    ob_request *r = c->request;
    ob_job *job = r->job;
    ob_peer *bell = c->bell;
    *(c->before ? &c->before->next : &m->courses) = c->next;
    if (c->next)
        c->next->before = c->before;
    count(c, -1);
    atomic_fetch_sub_explicit(&job->courses, 1, memory_order_release);
    if (c->failed)
        ob_fail(c->status, "%s", c->error ? c->error : "no memory for the line of this failure");
    ob_request_done(r, c->failed ? c->status : OB_OK);
    ring(job, bell);
}

static bool move_one(ob_matching *m, ob_course *c, bool background)
{
    ob_job *job = c->request->job;
    ob_peer *bell = c->bell;
    bool moved = false;
    if (background && !c->quiet)
        return false;
    bool traced = OB_TRACING; /* no call of the program's is for its messages */
    if (traced)
        ob_trace_inside(true);
    c->background = background;
    bool over = run(c, &moved);
    if (traced)
        ob_trace_inside(false);
    if (over)
        finish(m, c);
    else if (moved)
        ring(job, bell);
    return moved;
}

/* Those who sleep over a course look again. */
static void ring_all(ob_job *job)
{
    for (int i = 0; i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer && ob_is_awaited(peer))
            ring(job, peer);
    }
}

/* Of courses_wanted. */
enum { BY_PROGRAM = 1, BY_THREAD = 2 };

static bool move_courses(ob_job *job, bool background)
{
    ob_matching *m = ob_matching_now(job);
    bool moved = false;
    /* See above: what comes last sees what the other one did. Who holds the lock takes what is
     * wanted; afterwards it only looks, so that what is new stays for who has taken the lock then.
     */
    atomic_fetch_or_explicit(&m->courses_wanted, background ? BY_THREAD : BY_PROGRAM,
                             memory_order_acq_rel);
    for (bool again = true; again && ob_lock_try(&m->courses_lock);) {
        atomic_store_explicit(&m->courses_background, background, memory_order_relaxed);
        unsigned wanted = atomic_exchange_explicit(&m->courses_wanted, 0, memory_order_acq_rel);
        for (ob_course *c = m->courses, *next; c; c = next) {
            next = c->next;
            moved |= move_one(m, c, background);
        }
        atomic_store_explicit(&m->courses_background, false, memory_order_relaxed);
        ob_lock_release(&m->courses_lock);
        unsigned more = atomic_fetch_or_explicit(&m->courses_wanted, 0, memory_order_acq_rel);
        if (background && (wanted | more) & BY_PROGRAM)
            ring_all(job);
        again = more && !background;
    }
    /* It may have been at it when we took its processor. */
    if (!background && atomic_load_explicit(&m->courses_background, memory_order_relaxed))
        sched_yield();
    return moved;
}

/* Who has held the lock for another reason moves what others wanted to be moved meanwhile. */
static void let_go(ob_job *job)
{
    ob_matching *m = ob_matching_now(job);
    ob_lock_release(&m->courses_lock);
    if (atomic_exchange_explicit(&m->courses_wanted, 0, memory_order_acq_rel))
        move_courses(job, false);
}

/* Those of a group that is freed. Their members' messages are nobody's any more. */
static void forget_courses(ob_job *job, uint64_t context, int stream)
{
    ob_matching *m = ob_matching_now(job);
    ob_lock_take(&m->courses_lock);
    for (ob_course *c = m->courses, *next; c; c = next) {
        next = c->next;
        if (c->orphan || c->group->context != context || (stream && c->group->stream != stream))
            continue;
        c->orphan = true;
        ob_fail(OB_ESTATE,
                "OB-5011 process %d freed the group of a collective call before its request "
                "was done",
                job->number);
        fail(c, OB_ESTATE);
        move_one(m, c, false);
    }
    let_go(job);
}

/* ------------------------------------------------------------------- beginning */

/* For the thread, or done as the course is begun? Where every processor has a process that
 * computes, the thread would send when the program waits, and whoever is to get it would wait for
 * that, too.
 */
static bool is_left(const ob_course *c, const ob_step *s)
{
    const ob_job *job = c->group->job;
    bool sends = s->kind == OB_STEP_SEND && job->neighbours >= job->processors;
    return s->after || !(s->kind == OB_STEP_RECV || s->quick || sends);
}

static int post_first(ob_course *c)
{
    int status = OB_OK;
    while (c->at < c->count && !is_left(c, &c->step[c->at]) && status == OB_OK)
        status = do_step(c, c->at++);
    return status;
}

static void join(ob_matching *m, ob_course *c)
{
    c->before = NULL;
    c->next = m->courses;
    if (c->next)
        c->next->before = c;
    m->courses = c;
    if (m->move_courses == NULL) { /* for good: others read it when they have seen the count */
        m->move_courses = move_courses;
        m->forget_courses = forget_courses;
    }
    count(c, 1);
    atomic_fetch_add_explicit(&c->request->job->courses, 1, memory_order_release);
}

int ob_course_begin(ob_course *c, ob_request **request)
{
    ob_group *g = c->group;
    ob_request *r = ob_request_new(g, NULL);
    *request = NULL;
    if (r == NULL)
        return OB_ENOMEM;
    ob_matching *m = ob_matching_now(g->job);
    r->receives = false;
    r->course = c;
    r->large = c->quiet && c->bell && ob_background_takes(g->job, c->bell, c->bytes);
    /* No table has it, so that nobody withdraws it. */
    atomic_store_explicit(&r->state, OB_REQUEST_MET, memory_order_relaxed);
    c->request = r;
    c->at = c->from = 0;
    c->status = OB_OK;
    c->background = false;
    c->asked = 0;
    has_not_waited(c);
    ob_lock_take(&m->courses_lock);
    c->as = *g; /* a part of it is work's, too, which has the lock */
    c->as.call = c->alike ? ob_call_mark((uint64_t)c->tag, c->bytes) : 0;
    c->as.calls = 0; /* the tag tells one from another */
    join(m, c);
    bool moved = false, later = r->large, called = later;
    if (later) {
        atomic_fetch_add(&g->job->large, 1);
        int status = post_first(c);
        if (status != OB_OK)
            fail(c, status);
    }
    if ((!later || c->at == c->count) && run(c, &moved)) {
        called = false;
        finish(m, c);
    } else if (!later && c->attended) {
        called = r->large = true;
        atomic_fetch_add(&g->job->large, 1);
    }
    let_go(g->job);
    if (called)
        ob_background_call(g->job);
    *request = r;
    return OB_OK;
}

/* ------------------------------------------------------------------- its request */

void ob_course_end(ob_request *r)
{
    ob_course *c = r->course;
    c->request = NULL;
    if (c->destroy)
        c->destroy(c);
}

bool ob_course_lost(ob_request *r)
{
    ob_matching *m = ob_matching_now(r->job);
    ob_course *c = r->course;
    bool lost = false;
    if (!ob_lock_try(&m->courses_lock))
        return false;
    for (int i = c->from; i < c->at && !ob_request_is_done(r); i++) {
        c->lost[i] =
            c->inner[i] && !ob_request_is_done(c->inner[i]) && ob_request_lost(c->inner[i]);
        lost |= c->lost[i];
    }
    let_go(r->job);
    return lost;
}

void ob_course_give_up(ob_request *r)
{
    ob_matching *m = ob_matching_now(r->job);
    ob_course *c = r->course;
    if (!ob_lock_try(&m->courses_lock))
        return; /* the next look finds it lost again */
    for (int i = c->from; i < c->at && !ob_request_is_done(r); i++)
        if (c->lost[i] && c->inner[i] && !ob_request_is_done(c->inner[i]))
            ob_request_give_up(c->inner[i]);
    if (!ob_request_is_done(r))
        move_one(m, c, false);
    let_go(r->job);
}
