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
#include "message/course.h"
#include "message/internal.h"
#include "message/message.h"
#include "message/together.h"
#include "trace/trace.h"

/* Stands for everything that was done when it began. */
static ob_request nothing_left;

static bool is_done(const ob_request *r)
{
    return r == &nothing_left || ob_request_is_done(r);
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

/* What may be put together is; what goes alone must not overtake that. True: it was. */
static bool bundled(ob_group *g, int dest, int tag, const ob_view *matrix, ob_mode mode,
                    int *status)
{
    bool fits = mode <= OB_BUFFERED && ob_view_bytes(matrix) <= OB_TOGETHER_BYTES;
    *status = fits ? ob_together_send(g, dest, tag, matrix) : ob_together_send_first(g->peer[dest]);
    return fits || *status != OB_OK;
}

/* Standard sends are recorded where they are made, but for those made later. */
int ob_message_isend(ob_group *g, int dest, int tag, const ob_view *matrix, ob_mode mode,
                     ob_request **request)
{
    int status;
    if (OB_TOGETHER && bundled(g, dest, tag, matrix, mode, &status)) {
        *request = status == OB_OK ? &nothing_left : NULL;
        return status;
    }
    if (!OB_TRACING || (mode <= OB_BUFFERED && !sends_later(g, dest, matrix, mode)))
        return begin_send(g, dest, tag, matrix, mode, request);
    ob_trace_span span;
    ob_trace_begin(&span);
    status = begin_send(g, dest, tag, matrix, mode, request);
    record_begin(&span, ob_message_event(OB_TRACE_SEND, "ob_isend", g, dest, tag, matrix, status));
    return status;
}

int ob_message_irecv(ob_group *g, int source, int tag, const ob_view *matrix, int options,
                     ob_request **request)
{
    if (OB_TOGETHER)
        ob_together_settle();
    if (!OB_TRACING)
        return ob_request_receive(g, source, tag, matrix, options, request);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = ob_request_receive(g, source, tag, matrix, options, request);
    record_begin(&span,
                 ob_message_event(OB_TRACE_POST, "ob_irecv", g, source, tag, matrix, status));
    return status;
}

/* ---------------------------------------------------------------------- ending */

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
        ob_request_record(r, "ob_wait", since);
    if (received)
        *received = r->received;
    if (status != OB_OK)
        ob_fail(status, "%s", r->error ? r->error : "no memory for the line of this failure");
    if (r->course)
        ob_course_end(r);
    ob_request_free(r);
    return status;
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

static bool is_lost(ob_request *r)
{
    return r->course ? ob_course_lost(r) : ob_request_lost(r);
}

static void give_up(ob_request *r)
{
    if (r->course)
        ob_course_give_up(r);
    else
        ob_request_give_up(r);
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
        if (requests[i] && !is_done(requests[i]) &&
            (requests[i]->course || ob_request_lost(requests[i])))
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
        for (int i = 0; ends && i < count; i++)
            lost |= requests[i] && is_lost(requests[i]);
        status = move_on(job, peer, &wait);
        if (status != OB_OK || one_done(requests, count))
            break;
        if (lost) {
            give_up_lost(requests, count);
            if (one_done(requests, count))
                break; /* else a course that first lets go of its matrices */
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
    if (OB_TOGETHER)
        ob_together_settle();
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
        if (r == NULL || is_done(r) || r->later)
            continue;
        if (r->course ? ob_course_lost(r)
                      : r->peer && r->peer->number != job->number && ob_request_lost(r))
            return r;
    }
    return NULL;
}

/* Takes in what has come. Who tests in a loop is told of a process that has ended as one
 * who waits is; gone is asked before the look, so that what was sent last is seen. */
static int look_once(ob_job *job, ob_request *const *requests, int count)
{
    if (OB_TOGETHER)
        ob_together_settle();
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
    if (r == NULL || r == &nothing_left || !r->receives || !ob_request_withdraw(r))
        return OB_OK;
    r->received.source = OB_CANCELLED;
    ob_request_done(r, OB_OK);
    return OB_OK;
}
