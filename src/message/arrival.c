/*
 * The receiving side of a peer when something stands between the channel and
 * the one who asks: posted receives, stored messages, messages arriving step by step.
 */
#include <stdlib.h>

#include "core/error.h"
#include "core/scratch.h"
#include "message/background.h"
#include "message/internal.h"
#include "message/message.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------- pulling */

/* Pulls the rest of a message, waiting for a sender that is still at it. */
static int pull_on(ob_peer *peer, const ob_envelope *e, uint64_t left, ob_cursor *sink)
{
    ob_waiter wait;
    ob_wait_begin(&wait, peer->job);
    for (;;) {
        /* Gone is asked before the look, so that what was sent last is seen. */
        bool gone = peer->transport->gone(peer);
        ptrdiff_t moved = ob_bundle_pull(peer, sink);
        if (moved < 0)
            return (int)moved;
        left -= (uint64_t)moved;
        if (left == 0)
            return OB_OK;
        if (moved) {
            ob_wait_begin(&wait, peer->job);
            continue;
        }
        if (gone)
            return ob_fail(
                OB_EGONE,
                "OB-5008 process %d ended while it sent a message of %llu bytes to process %d",
                peer->number, (unsigned long long)e->bytes, peer->job->number);
        ob_wait_step(&wait, &peer, 1, true, atomic_load(&peer->stored_count));
    }
}

int ob_pull_rest(ob_peer *peer, const ob_envelope *e, ob_cursor *sink, ptrdiff_t moved)
{
    if (moved < 0 || (uint64_t)moved == e->bytes)
        return moved < 0 ? (int)moved : OB_OK;
    if (peer->transport->follow)
        peer->transport->follow(peer, true);
    int status = pull_on(peer, e, e->bytes - (uint64_t)moved, sink);
    if (peer->transport->follow)
        peer->transport->follow(peer, false);
    return status;
}

/* --------------------------------------------------------------------- sizes */

/* Two doubles are no four integers. Bytes are anything, and those who take part in a
 * collective operation need only agree on the size. */
static bool may_differ(const ob_envelope *e, const ob_view *matrix)
{
    return e->type == OB_BYTE || matrix->type == OB_BYTE || e->bytes == 0 || ob_tag_is_own(e->tag);
}

/* Makes the sink as long as a message; false when it cannot. */
static bool fit(ob_cursor *sink, const ob_envelope *e, bool shorter)
{
    uint64_t bytes = e->bytes;
    if (e->type != sink->view->type && !may_differ(e, sink->view))
        return false;
    if (sink->left == bytes)
        return true;
    if (!shorter || sink->left < bytes)
        return false;
    sink->left = bytes;
    if (sink->run > bytes)
        sink->run = bytes;
    return true;
}

static int size_error(const ob_envelope *e, const ob_peer *peer, const ob_view *matrix)
{
    return ob_fail_size(peer->number, e->bytes, (ob_type)e->type, matrix);
}

static ob_stored *new_stored(ob_peer *peer, const ob_envelope *e)
{
    ob_stored *s = aligned_alloc(64, ob_align(sizeof *s + e->bytes));
    if (s == NULL) {
        ob_fail(OB_ENOMEM,
                "OB-4001 process %d has no memory to keep a message of %llu bytes from process %d "
                "until it is received",
                peer->job->number, (unsigned long long)e->bytes, peer->number);
        return NULL;
    }
    s->envelope = *e;
    s->mark = (ob_mark){OB_STANDARD, 0};
    s->peer = peer;
    s->told = false;
    return s;
}

/* The message is taken off the channel all the same, so that the next receive
 * sees the next message. */
int ob_deliver_odd(ob_peer *peer, ob_cursor *sink, const ob_envelope *e, bool shorter)
{
    if (fit(sink, e, shorter))
        return ob_pull_rest(peer, e, sink, ob_bundle_pull(peer, sink));
    ob_stored *s = new_stored(peer, e);
    if (s == NULL)
        return OB_ENOMEM;
    ob_view all = ob_view_of_bytes(s->bytes, e->bytes);
    ob_cursor drain;
    ob_cursor_open(&drain, &all);
    int status = ob_pull_rest(peer, e, &drain, ob_bundle_pull(peer, &drain));
    free(s);
    return status == OB_OK ? size_error(e, peer, sink->view) : status;
}

/* ------------------------------------------------------- requests and the store */

static void describe(ob_request *r, const ob_peer *peer, const ob_envelope *e)
{
    const ob_group *g = r->group;
    int source = 0;
    while (g->peer[source] != peer)
        source++;
    r->received =
        (ob_received){.source = source, .tag = e->tag, .bytes = e->bytes, .type = (ob_type)e->type};
    if (OB_TRACING) {
        r->met = ob_clock_end();
        r->number = peer->number;
        r->trace = g->trace;
    }
}

/* A stored message, in no queue any more, goes into a matrix. */
static int unpack_stored(ob_stored *s, ob_cursor *sink, bool shorter)
{
    uint64_t bytes = s->envelope.bytes;
    if (!fit(sink, &s->envelope, shorter))
        return size_error(&s->envelope, s->peer, sink->view);
    if (bytes)
        ob_cursor_unpack(sink, s->bytes, bytes);
    return OB_OK;
}

static void stored_to_request(ob_stored *s, ob_request *r)
{
    ob_peer *peer = s->peer;
    ob_cursor sink;
    ob_cursor_open(&sink, &r->view);
    describe(r, peer, &s->envelope);
    int answer = ob_mark_meet(peer, &s->mark);
    int status = unpack_stored(s, &sink, (r->options & OB_SHORTER) != 0);
    status = ob_mark_judge(peer, &s->mark, &s->envelope, true, status);
    free(s);
    ob_request_done(r, answer == OB_OK ? status : answer);
    ob_announce(peer);
}

/* Has this process freed the group the message is for? Nobody will ask for it. */
static bool is_late(ob_job *job, uint64_t context)
{
    bool late = false;
    ob_lock_take(&job->lock);
    for (int i = 0; i < OB_ENDED && !late; i++)
        late = job->ended[i] == context;
    ob_lock_release(&job->lock);
    return late;
}

/* A message that is here whole and that nobody had asked for when it began to
 * arrive: perhaps somebody has since. */
static int keep(ob_stored *s)
{
    ob_peer *peer = s->peer;
    ob_matching *m = ob_matching_now(peer->job);
    if (is_late(peer->job, s->envelope.context)) {
        ob_lock_take(&m->lock);
        ob_message_lost(&m->lost, peer->number, &s->envelope);
        ob_lock_release(&m->lock);
        free(s);
        return OB_OK;
    }
    ob_lock_take(&m->lock);
    ob_request *r = ob_posted_take(m, peer, &s->envelope);
    bool kept = r || ob_stored_add(m, s);
    ob_lock_release(&m->lock);
    if (!kept) {
        free(s);
        return ob_fail(OB_ENOMEM,
                       "OB-4001 process %d has no memory to keep a message from process %d",
                       peer->job->number, peer->number);
    }
    if (r)
        stored_to_request(s, r);
    else
        ob_announce(peer);
    return OB_OK;
}

/* ------------------------------------------------------------- arriving in steps */

static void count_arrival(ob_peer *peer, int by)
{
    ob_matching *m = ob_matching_now(peer->job);
    bool awaited = peer->arrival->request != NULL;
    ob_lock_take(&m->lock);
    ob_count(&peer->aside, by);
    if (awaited) {
        ob_count(&peer->interest, by);
        ob_count(&peer->job->pending, by);
    }
    ob_lock_release(&m->lock);
}

/* The message at the channel begins to arrive for a request, or (NULL) to be
 * stored. late: it was there before the request was. */
static int begin(ob_peer *peer, const ob_envelope *e, ob_request *r, bool late)
{
    ob_arrival *a = ob_arrival_of(peer);
    if (a == NULL)
        return OB_ENOMEM;
    a->stored = NULL;
    if (r)
        ob_cursor_open(&a->sink, &r->view);
    if (r == NULL || !fit(&a->sink, e, (r->options & OB_SHORTER) != 0)) {
        a->stored = new_stored(peer, e);
        if (a->stored == NULL)
            return OB_ENOMEM;
        a->whole = ob_view_of_bytes(a->stored->bytes, e->bytes);
        ob_cursor_open(&a->sink, &a->whole);
    }
    a->its = ob_mark_take(peer);
    a->envelope = *e;
    a->left = e->bytes;
    a->request = r;
    a->late = late;
    a->active = true;
    count_arrival(peer, 1);
    if (r)
        describe(r, peer, e);
    return r ? ob_mark_meet(peer, &a->its) : OB_OK;
}

/* A request's message is here whole, or never will be. */
static void end_request(ob_peer *peer, ob_arrival *a, int status)
{
    ob_request *r = a->request;
    if (a->stored && status == OB_OK)
        status = size_error(&a->envelope, peer, &r->view);
    status = ob_mark_judge(peer, &a->its, &a->envelope, a->late, status);
    free(a->stored);
    a->stored = NULL;
    ob_request_done(r, status);
    ob_announce(peer);
}

/* Moves the arriving message on. */
static int step(ob_peer *peer)
{
    ob_arrival *a = peer->arrival;
    ptrdiff_t moved = ob_bundle_pull(peer, &a->sink);
    if (moved >= 0) {
        a->left -= (uint64_t)moved;
        if (a->left)
            return OB_OK;
    }
    int status = moved < 0 ? (int)moved : OB_OK;
    a->active = false;
    count_arrival(peer, -1);
    if (a->request) {
        end_request(peer, a, status);
        return status;
    }
    ob_stored *s = a->stored;
    a->stored = NULL;
    s->mark = a->its;
    if (status == OB_OK && a->envelope.tag == OB_TAG_TOGETHER) {
        ob_bundle_open(peer, s);
        return OB_OK;
    }
    if (status == OB_OK)
        return keep(s);
    free(s);
    return status;
}

/* The message at the channel goes to the receive posted for it, or is kept. */
static int accept(ob_peer *peer, const ob_envelope *e, ob_request *r, bool late)
{
    int status = begin(peer, e, r, late);
    if (status != OB_OK && r && !(peer->arrival && peer->arrival->active)) {
        ob_request_done(r, status);
        ob_announce(peer);
    }
    return status == OB_OK ? step(peer) : status;
}

/* A message of the room itself. */
static int obey(ob_peer *peer, const ob_envelope *e)
{
    return e->tag == OB_TAG_TOGETHER ? accept(peer, e, NULL, false) : ob_mark_obey(peer, e);
}

static ob_request *posted_for(ob_peer *peer, const ob_envelope *e)
{
    ob_matching *m = ob_matching_now(peer->job);
    if (m == NULL)
        return NULL;
    ob_lock_take(&m->lock);
    ob_request *r = ob_posted_take(m, peer, e);
    ob_lock_release(&m->lock);
    return r;
}

static ob_stored *find_stored(ob_peer *peer, const ob_want *w)
{
    ob_matching *m = ob_matching_now(peer->job);
    if (m == NULL)
        return NULL;
    ob_lock_take(&m->lock);
    ob_stored *s = ob_stored_first(m, peer, w);
    ob_lock_release(&m->lock);
    return s;
}

static bool unfinished(const ob_peer *peer)
{
    return peer->arrival && peer->arrival->active;
}

int ob_arrival_next(ob_peer *peer, const ob_want *w, ob_found *found)
{
    while (w || ob_is_awaited(peer)) {
        int status = OB_OK;
        if (unfinished(peer)) {
            status = step(peer);
            if (status != OB_OK || unfinished(peer))
                return status == OB_OK ? OB_NOTHING : status;
        }
        found->stored = w ? find_stored(peer, w) : NULL;
        if (found->stored) {
            found->envelope = found->stored->envelope;
            return OB_OK;
        }
        int here = ob_bundle_poll(peer, &found->envelope);
        if (here <= 0)
            return here < 0 ? here : OB_NOTHING;
        if (ob_tag_is_mark(found->envelope.tag)) {
            status = obey(peer, &found->envelope);
        } else {
            ob_request *r = posted_for(peer, &found->envelope);
            if (r == NULL && w && ob_matches(&found->envelope, w))
                return OB_OK;
            status = accept(peer, &found->envelope, r, false);
            if (r && w == NULL && found->envelope.tag <= OB_TAG_COURSE)
                return status;
        }
        if (status != OB_OK)
            return status;
    }
    return OB_NOTHING;
}

static void remove_stored(ob_stored *s)
{
    ob_matching *m = ob_matching_now(s->peer->job);
    ob_lock_take(&m->lock);
    ob_stored_remove(m, s);
    ob_lock_release(&m->lock);
}

int ob_arrival_to_request(ob_peer *peer, const ob_found *found, ob_request *r, bool late)
{
    r->from = peer;
    atomic_store_explicit(&r->state, OB_REQUEST_MET, memory_order_release);
    if (found->stored) {
        remove_stored(found->stored);
        stored_to_request(found->stored, r);
        return OB_OK;
    }
    return accept(peer, &found->envelope, r, late);
}

int ob_arrival_to_sink(ob_peer *peer, const ob_found *found, const ob_want *w, ob_cursor *sink,
                       bool late)
{
    ob_mark mark;
    int status, answer;
    if (found->stored) {
        ob_stored *s = found->stored;
        remove_stored(s);
        mark = s->mark;
        answer = ob_mark_meet(peer, &mark);
        status = unpack_stored(s, sink, w->shorter);
        free(s);
        late = true;
    } else {
        mark = ob_mark_take(peer);
        answer = ob_mark_meet(peer, &mark);
        status = ob_deliver_odd(peer, sink, &found->envelope, w->shorter);
    }
    return answer == OB_OK ? ob_mark_judge(peer, &mark, &found->envelope, late, status) : answer;
}

/* ------------------------------------------------------------- on behalf of others */

/* OB_OK: a course's message has come, and more may be there. */
static int progress_peer(ob_peer *peer, bool waiting)
{
    ob_found found;
    ob_lock_take(&peer->recv_lock);
    int status = ob_arrival_next(peer, NULL, &found);
    if (peer->transport->follow)
        peer->transport->follow(peer, waiting && unfinished(peer));
    ob_lock_release(&peer->recv_lock);
    return status;
}

int ob_arrival_progress_peer(ob_peer *peer, bool waiting)
{
    int status = progress_peer(peer, waiting);
    return status == OB_NOTHING ? OB_OK : status;
}

/* True when more may be there. */
static bool progress_all(ob_job *job, bool waiting, int *status)
{
    bool more = false;
    for (int i = 0; i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer == NULL || !ob_is_awaited(peer))
            continue;
        int one = progress_peer(peer, waiting);
        more |= one == OB_OK;
        *status = *status == OB_OK && one != OB_NOTHING ? one : *status;
    }
    ob_courses_move(job, false);
    return more;
}

int ob_arrival_progress(ob_job *job, bool waiting)
{
    int status = OB_OK;
    if (atomic_load_explicit(&job->later, memory_order_relaxed))
        ob_later_try(job);
    while (progress_all(job, waiting, &status))
        ;
    return status;
}

/* Without a bell (an MPI's) what has begun to arrive may never end: it is only counted. */
static int take_one(ob_peer *peer, const ob_envelope *e)
{
    ob_request *r = posted_for(peer, e);
    if (r || peer->transport->arm)
        return accept(peer, e, r, false);
    ob_matching *m = ob_matching_now(peer->job);
    ob_lock_take(&m->lock);
    ob_message_lost(&m->lost, peer->number, e);
    ob_lock_release(&m->lock);
    return OB_NOTHING;
}

static int take_all_of(ob_peer *peer)
{
    ob_envelope e;
    int status = OB_OK;
    while (status == OB_OK) {
        if (unfinished(peer)) {
            status = step(peer);
            if (status == OB_OK && unfinished(peer))
                status = OB_NOTHING;
            continue;
        }
        int here = ob_bundle_poll(peer, &e);
        status = here < 0                ? here
                 : here == 0             ? OB_NOTHING
                 : ob_tag_is_mark(e.tag) ? obey(peer, &e)
                                         : take_one(peer, &e);
    }
    return status == OB_NOTHING ? OB_OK : status;
}

int ob_arrival_take_all(ob_job *job)
{
    int status = OB_OK;
    const char *untouched = NULL;
    for (int i = 0; i < job->count && status == OB_OK; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer == NULL)
            continue;
        ob_lock_take(&peer->recv_lock);
        if (peer->transport->silent == NULL || !peer->transport->silent(peer, &untouched))
            status = take_all_of(peer);
        ob_lock_release(&peer->recv_lock);
    }
    return status;
}

/* A failure shows again at the request it concerns, or at the peer's next use. */
void ob_message_progress(ob_job *job)
{
    ob_arrival_progress(job, true);
}
