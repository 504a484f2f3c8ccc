/*
 * Requests: begun, tested, waited for, taken back. A standard send is packed
 * when it begins and has nothing left to wait for, but for a large one, which is noted
 * (background.c); what waits are receives and synchronous sends.
 */
#include "message/request.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "message/background.h"
#include "message/internal.h"
#include "message/message.h"
#include "trace/trace.h"

/* Stands for everything that was done when it began. */
static ob_request nothing_left;

static bool is_done(const ob_request *r)
{
    return r == &nothing_left ||
           atomic_load_explicit(&r->state, memory_order_acquire) == OB_REQUEST_DONE;
}

/* ------------------------------------------------------------------- beginning */

/* Is a receive posted for what this process would send itself? */
static bool posted_here(const ob_group *g, int tag)
{
    ob_matching *m = ob_matching_now(g->job);
    const ob_envelope e = {.context = g->context, .tag = tag, .stream = g->stream};
    if (m == NULL)
        return false;
    ob_lock_take(&m->lock);
    bool posted = ob_posted_first(m, g->peer[g->me], &e) != NULL;
    ob_lock_release(&m->lock);
    return posted;
}

static int send_ready(ob_group *g, int dest, int tag, const ob_view *matrix)
{
    if (dest == g->me && !posted_here(g, tag))
        return ob_fail(
            OB_EREADY,
            "OB-5010 process %d sends itself a message (tag %d) in ready mode without having "
            "posted the receive for it",
            g->job->number, tag);
    return ob_message_send_marked(g, dest, tag, matrix, OB_READY, 0);
}

static int begin_synchronous(ob_group *g, int dest, int tag, const ob_view *matrix,
                             ob_request **request)
{
    ob_request *r = ob_request_new(g, g->peer[dest]);
    if (r == NULL)
        return OB_ENOMEM;
    ob_matching *m = ob_matching_now(g->job);
    r->receives = false;
    ob_lock_take(&m->lock);
    bool added = ob_awaited_add(m, r);
    ob_lock_release(&m->lock);
    int status =
        added
            ? ob_message_send_marked(g, dest, tag, matrix, OB_SYNCHRONOUS, r->queued.key.context)
            : ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for a request", g->job->number);
    if (status == OB_OK) {
        *request = r;
        return OB_OK;
    }
    if (added) {
        ob_lock_take(&m->lock);
        ob_awaited_remove(m, r);
        ob_lock_release(&m->lock);
    }
    ob_request_free(r);
    return status;
}

/* A large standard send goes on in the background. */
static bool sends_later(const ob_group *g, int dest, const ob_view *matrix, ob_mode mode)
{
    return mode == OB_STANDARD && ob_background_takes(g->job, g->peer[dest], ob_view_bytes(matrix));
}

static int begin_later(ob_group *g, int dest, int tag, const ob_view *matrix, ob_request **request)
{
    ob_request *r = ob_request_new(g, g->peer[dest]);
    if (r == NULL)
        return OB_ENOMEM;
    r->receives = false;
    r->view = *matrix;
    r->envelope = ob_envelope_of(g, tag, matrix->type, ob_view_bytes(matrix));
    *request = r;
    ob_later_add(r);
    ob_background_call(r->job);
    return OB_OK;
}

static int begin_send(ob_group *g, int dest, int tag, const ob_view *matrix, ob_mode mode,
                      ob_request **request)
{
    int status;
    *request = NULL;
    if (mode == OB_SYNCHRONOUS)
        return begin_synchronous(g, dest, tag, matrix, request);
    if (sends_later(g, dest, matrix, mode))
        return begin_later(g, dest, tag, matrix, request);
    if (mode == OB_READY)
        status = send_ready(g, dest, tag, matrix);
    else
        status = ob_message_send(g, dest, tag, matrix);
    if (status == OB_OK)
        *request = &nothing_left;
    return status;
}

/* Ends the span of a call that has begun a request. */
static void record_begin(ob_trace_span *span, ob_trace_what what)
{
    what.flags = OB_TRACE_REQUEST;
    ob_trace_end(span, &what);
}

/* Standard sends are recorded where they are made, but for those made later. */
int ob_message_isend(ob_group *g, int dest, int tag, const ob_view *matrix, ob_mode mode,
                     ob_request **request)
{
    if (!OB_TRACING || (mode <= OB_BUFFERED && !sends_later(g, dest, matrix, mode)))
        return begin_send(g, dest, tag, matrix, mode, request);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = begin_send(g, dest, tag, matrix, mode, request);
    record_begin(&span, ob_message_event(OB_TRACE_SEND, "ob_isend", g, dest, tag, matrix, status));
    return status;
}

/* The message is here already, at this peer. */
static int look_at(ob_peer *peer, const ob_want *w, ob_request *r)
{
    ob_found found;
    ob_lock_take(&peer->recv_lock);
    int status = ob_arrival_next(peer, w, &found);
    if (status == OB_OK)
        status = ob_arrival_to_request(peer, &found, r, true);
    ob_lock_release(&peer->recv_lock);
    return status;
}

/* Puts the receive into the table, unless another thread has stored a message
 * for it since we looked: then its peer. */
static int post(ob_request *r, const ob_want *w, ob_peer *const *peers, int count,
                ob_peer **stored_at)
{
    ob_matching *m = ob_matching_now(r->job);
    bool added = true;
    *stored_at = NULL;
    r->queued.key = (ob_key){.context = w->context,
                             .source = r->peer ? r->peer->number : OB_ANY,
                             .tag = w->tag,
                             .stream = w->stream};
    ob_lock_take(&m->lock);
    for (int i = 0; i < count && m->stored.queues && *stored_at == NULL; i++)
        if (ob_stored_first(m, peers[i], w))
            *stored_at = peers[i];
    if (*stored_at == NULL)
        added = ob_posted_add(m, r);
    ob_lock_release(&m->lock);
    return added ? OB_OK
                 : ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for a posted receive",
                           r->job->number);
}

/* OB_OK when the request's message is here or the request is posted. */
static int look_and_post(ob_request *r, const ob_want *w)
{
    ob_group *g = r->group;
    ob_peer *const *peers = r->peer ? &r->peer : g->peer;
    int count = r->peer ? 1 : g->size;
    for (int i = 0; i < count; i++) {
        int at = r->peer ? 0 : (g->any_from + 1 + i) % count;
        int status = look_at(peers[at], w, r);
        if (status != OB_NOTHING) {
            if (r->peer == NULL)
                g->any_from = at;
            return status;
        }
    }
    ob_peer *stored_at;
    do {
        int status = post(r, w, peers, count, &stored_at);
        if (status != OB_OK || stored_at == NULL)
            return status;
        status = look_at(stored_at, w, r);
        if (status != OB_NOTHING)
            return status;
    } while (true);
}

static int begin_receive(ob_group *g, int source, int tag, const ob_view *matrix, int options,
                         ob_request **request)
{
    const ob_want w = ob_want_of(g, tag, options);
    *request = NULL;
    ob_request *r = ob_request_new(g, source == OB_ANY ? NULL : g->peer[source]);
    if (r == NULL)
        return OB_ENOMEM;
    r->receives = true;
    r->view = *matrix;
    r->options = options;
    r->large = ob_background_takes(g->job, r->peer, ob_view_bytes(matrix));
    if (r->large)
        atomic_fetch_add(&g->job->large, 1);
    int status = look_and_post(r, &w);
    /* What went wrong with the message itself is told to the one who waits. */
    if (status != OB_OK && !is_done(r)) {
        ob_request_done(r, status);
        ob_request_free(r);
        return status;
    }
    if (r->large && !is_done(r))
        ob_background_call(g->job);
    *request = r;
    return OB_OK;
}

int ob_message_irecv(ob_group *g, int source, int tag, const ob_view *matrix, int options,
                     ob_request **request)
{
    if (!OB_TRACING)
        return begin_receive(g, source, tag, matrix, options, request);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = begin_receive(g, source, tag, matrix, options, request);
    record_begin(&span,
                 ob_message_event(OB_TRACE_POST, "ob_irecv", g, source, tag, matrix, status));
    return status;
}

/* ---------------------------------------------------------------------- ending */

/* Records the call since when a request's end was waited for. Its group may be gone. */
static __attribute__((noinline)) void record_end(const ob_request *r, int64_t since)
{
    bool received = r->receives && r->received.source != OB_CANCELLED;
    ob_trace_ended(since, &(ob_trace_what){.kind = received ? OB_TRACE_RECV : OB_TRACE_WAIT,
                                           .number = r->number,
                                           .trace = r->trace,
                                           .routine = "ob_wait",
                                           .tag = r->received.tag,
                                           .type = (int)r->received.type,
                                           .flags = OB_TRACE_REQUEST,
                                           .status = r->status,
                                           .bytes = r->received.bytes,
                                           .matched = r->met,
                                           .waited = !received || r->met > since});
}

static int64_t now_if_traced(void)
{
    return OB_TRACING ? ob_trace_since() : 0;
}

/* Hands a request's outcome over and frees it. since: when the call began, 0: not recorded. */
static int end(ob_request **request, ob_received *received, int64_t since)
{
    ob_request *r = *request;
    *request = NULL;
    if (r == &nothing_left) {
        if (received)
            *received = (ob_received){.source = -1, .tag = -1};
        return OB_OK;
    }
    int status = r->status;
    if (since)
        record_end(r, since);
    if (received)
        *received = r->received;
    if (status != OB_OK)
        ob_fail(status, "%s", r->error ? r->error : "no memory for the line of this failure");
    ob_request_free(r);
    return status;
}

/* Takes a request out of its table, if it still waits there. */
static bool withdraw(ob_request *r)
{
    ob_matching *m = ob_matching_now(r->job);
    ob_lock_take(&m->lock);
    bool waits = atomic_load_explicit(&r->state, memory_order_relaxed) == OB_REQUEST_WAITS;
    if (waits && r->receives)
        ob_posted_remove(m, r);
    else if (waits)
        ob_awaited_remove(m, r);
    if (waits)
        atomic_store_explicit(&r->state, OB_REQUEST_MET, memory_order_relaxed);
    ob_lock_release(&m->lock);
    return waits;
}

/* Of one that has met its message, or is even done by now, the group may be gone. */
static const ob_peer *sender_of(const ob_request *r)
{
    bool met = atomic_load_explicit(&r->state, memory_order_acquire) != OB_REQUEST_WAITS;
    return met && r->from ? r->from : r->peer;
}

static bool all_gone(const ob_request *r)
{
    const ob_group *g = r->group;
    const ob_peer *sender = sender_of(r);
    if (sender)
        return sender->transport->gone((ob_peer *)sender);
    for (int i = 0; i < g->size; i++)
        if (!g->peer[i]->transport->gone(g->peer[i]))
            return false;
    return true;
}

/* Those who could still end this request have ended themselves. */
static void give_up(ob_request *r)
{
    const ob_peer *sender = sender_of(r);
    int number = sender ? sender->number : r->job->number;
    if (!withdraw(r)) {
        if (!is_done(r))
            ob_request_done(
                r,
                ob_fail(OB_EGONE, "OB-5008 process %d ended while it sent a message to process %d",
                        number, r->job->number));
        return;
    }
    if (number == r->job->number)
        ob_fail(OB_EGONE, "OB-5007 process %d waits for itself", number);
    else if (r->receives)
        ob_fail(OB_EGONE, "OB-5006 process %d, which process %d waits for, has ended", number,
                r->job->number);
    else
        ob_fail(
            OB_EGONE,
            "OB-5009 process %d has ended without receiving a synchronous message of process %d",
            number, r->job->number);
    ob_request_done(r, OB_EGONE);
}

/* ------------------------------------------------------------------- moving on */

/* Takes in what has come: at first from the one peer that matters, then from all. */
static int move_on(ob_job *job, ob_peer *peer, const ob_waiter *wait)
{
    if (peer == NULL || wait->looks >= OB_LOOKS - 1)
        return ob_arrival_progress(job, true);
    return ob_arrival_progress_peer(peer, true);
}

/* A sender may stream to one who waits. */
static void follow(const ob_watch *watch, const ob_waiter *wait, bool on)
{
    for (int i = 0; i < watch->count && wait->looks >= OB_LOOKS - 1; i++) {
        ob_peer *peer = watch->peer[i];
        if (peer->transport->follow == NULL)
            continue;
        ob_lock_take(&peer->recv_lock);
        peer->transport->follow(peer, on);
        ob_lock_release(&peer->recv_lock);
    }
}

static bool one_done(ob_request *const *requests, int count)
{
    for (int i = 0; i < count; i++)
        if (requests[i] && is_done(requests[i]))
            return true;
    return false;
}

/* Ends, with OB_EGONE, what can no longer be done. */
static void give_up_lost(ob_request *const *requests, int count)
{
    for (int i = 0; i < count; i++)
        if (requests[i] && !is_done(requests[i]) && all_gone(requests[i]))
            give_up(requests[i]);
}

/* Sends the first of the requests that is noted for later; true when there is one. */
static bool send_first(ob_request *const *requests, int count)
{
    for (int i = 0; i < count; i++)
        if (requests[i] && requests[i]->later) {
            ob_later_finish(requests[i]->peer);
            return true;
        }
    return false;
}

static int wait_long(ob_job *job, ob_request *const *requests, int count)
{
    ob_peer *peer = count == 1 ? requests[0]->peer : NULL;
    int status = OB_OK;
    ob_waiter wait;
    ob_watch watch;
    ob_wait_begin(&wait, job);
    ob_watch_begin(&watch);
    for (;;) {
        bool ends = ob_wait_round_ends(&wait);
        bool lost = false;
        ob_watch_fill(&watch, job, NULL, 0, 0);
        /* Gone is asked before the look, so that what was sent last is seen. */
        for (int i = 0; ends && i < count && !lost; i++)
            lost = requests[i] && all_gone(requests[i]);
        status = move_on(job, peer, &wait);
        if (status != OB_OK || one_done(requests, count))
            break;
        if (lost) {
            give_up_lost(requests, count);
            break;
        }
        follow(&watch, &wait, true);
        ob_wait_step(&wait, watch.peer, watch.count, false, watch.stored);
    }
    follow(&watch, &wait, false);
    ob_watch_end(&watch);
    return one_done(requests, count) ? OB_OK : status;
}

/* Until one of the requests, none of them done but some not NULL, is done. */
static int wait_for_one(ob_job *job, ob_request *const *requests, int count)
{
    if (atomic_load_explicit(&job->later, memory_order_relaxed)) {
        if (send_first(requests, count))
            return OB_OK;
        ob_later_try(job);
    }
    ob_background *entered = ob_background_enter(job);
    int status = wait_long(job, requests, count);
    ob_background_leave(entered);
    return status;
}

/* -------------------------------------------------------------------- the calls */

int ob_message_send_mode(ob_group *g, int dest, int tag, const ob_view *matrix, ob_mode mode)
{
    ob_request *r;
    int status = ob_message_isend(g, dest, tag, matrix, mode, &r);
    return status == OB_OK ? ob_wait(&r, NULL) : status;
}

int ob_wait(ob_request **request, ob_received *received)
{
    if (request == NULL)
        return ob_fail(OB_EARG, "OB-1001 ob_wait: the request is NULL");
    if (*request == NULL)
        return OB_OK;
    int64_t since = now_if_traced();
    int status = is_done(*request) ? OB_OK : wait_for_one((*request)->job, request, 1);
    return status == OB_OK ? end(request, received, since) : status;
}

int ob_test(ob_request **request, int *done, ob_received *received)
{
    int index, left;
    if (request == NULL || done == NULL)
        return ob_fail(OB_EARG, "OB-1001 ob_test: %s is NULL", request ? "done" : "the request");
    *done = 1;
    if (*request == NULL)
        return OB_OK;
    int status = ob_test_any(1, request, &index, &left, received);
    *done = *request == NULL;
    return status;
}

int ob_wait_all(int count, ob_request **requests, ob_received *received)
{
    int first = OB_OK;
    char *line = NULL;
    if (count < 0 || (count && requests == NULL))
        return ob_fail(OB_EARG, "OB-1001 ob_wait_all: %d requests at %p", count, (void *)requests);
    for (int i = 0; i < count; i++) {
        int status = ob_wait(&requests[i], received ? &received[i] : NULL);
        if (status != OB_OK && first == OB_OK) {
            first = status;
            line = strdup(ob_error_text());
        }
    }
    if (line)
        ob_fail(first, "%s", line);
    free(line);
    return first;
}

static int lowest_done(int count, ob_request *const *requests)
{
    for (int i = 0; i < count; i++)
        if (requests[i] && is_done(requests[i]))
            return i;
    return -1;
}

static ob_job *job_of(int count, ob_request *const *requests, int *left)
{
    ob_job *job = NULL;
    *left = 0;
    for (int i = 0; i < count; i++)
        if (requests[i]) {
            ++*left;
            if (requests[i] != &nothing_left)
                job = requests[i]->job;
        }
    return job;
}

int ob_wait_any(int count, ob_request **requests, int *index, ob_received *received)
{
    int left;
    if (count < 0 || (count && requests == NULL) || index == NULL)
        return ob_fail(OB_EARG, "OB-1001 ob_wait_any: %d requests at %p, index at %p", count,
                       (void *)requests, (void *)index);
    int64_t since = now_if_traced();
    ob_job *job = job_of(count, requests, &left);
    *index = lowest_done(count, requests);
    if (left == 0)
        return OB_OK;
    if (*index < 0) {
        int status = wait_for_one(job, requests, count);
        if (status != OB_OK)
            return status;
        *index = lowest_done(count, requests);
    }
    return end(&requests[*index], received, since);
}

/* The first request that another process alone could end, which has ended itself. (Who
 * tests may still send to itself, so itself and any source are no loss.) */
static ob_request *lost_to(const ob_job *job, ob_request *const *requests, int count)
{
    for (int i = 0; i < count; i++) {
        ob_request *r = requests[i];
        if (r && !is_done(r) && !r->later && r->peer && r->peer->number != job->number &&
            all_gone(r))
            return r;
    }
    return NULL;
}

/* Takes in what has come. Who tests in a loop is told of a process that has ended as one
 * who waits is; gone is asked before the look, so that what was sent last is seen. */
static int look_once(ob_job *job, ob_request *const *requests, int count)
{
    ob_request *lost = lost_to(job, requests, count);
    int status = ob_arrival_progress(job, false);
    if (status != OB_OK || one_done(requests, count))
        return status;
    if (lost)
        give_up(lost);
    else
        ob_wait_look(job);
    return OB_OK;
}

int ob_test_any(int count, ob_request **requests, int *index, int *left, ob_received *received)
{
    if (count < 0 || (count && requests == NULL) || index == NULL || left == NULL)
        return ob_fail(OB_EARG, "OB-1001 ob_test_any: %d requests at %p, index at %p, left at %p",
                       count, (void *)requests, (void *)index, (void *)left);
    int64_t since = now_if_traced();
    ob_job *job = job_of(count, requests, left);
    *index = lowest_done(count, requests);
    if (*left && *index < 0) {
        int status = look_once(job, requests, count);
        if (status != OB_OK)
            return status;
        *index = lowest_done(count, requests);
    }
    if (*index < 0)
        return OB_OK;
    --*left;
    return end(&requests[*index], received, since);
}

int ob_cancel(ob_request *r)
{
    if (r == NULL || r == &nothing_left || !r->receives || !withdraw(r))
        return OB_OK;
    r->received.source = OB_CANCELLED;
    ob_request_done(r, OB_OK);
    return OB_OK;
}
