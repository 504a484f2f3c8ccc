/*
 * Receives that are posted, and requests that are taken back or given up.
 */
#include "core/error.h"
#include "message/background.h"
#include "message/course.h"
#include "message/internal.h"
#include "trace/trace.h"

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

int ob_request_receive(ob_group *g, int source, int tag, const ob_view *matrix, int options,
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
    if (status != OB_OK && !ob_request_is_done(r)) {
        ob_request_done(r, status);
        ob_request_free(r);
        return status;
    }
    if (r->large && !ob_request_is_done(r))
        ob_background_call(g->job);
    *request = r;
    return OB_OK;
}

/* Records the call since when a request's end was waited for. Its group may be gone. */
void ob_request_record(const ob_request *r, const char *routine, int64_t since)
{
    bool received = r->receives && r->received.source != OB_CANCELLED;
    int tag = r->course ? r->course->tag : r->received.tag;
    ob_trace_ended(since, &(ob_trace_what){.kind = received ? OB_TRACE_RECV : OB_TRACE_WAIT,
                                           .number = r->number,
                                           .trace = r->trace,
                                           .routine = routine,
                                           .tag = tag,
                                           .type = (int)r->received.type,
                                           .flags = OB_TRACE_REQUEST,
                                           .status = r->status,
                                           .bytes = r->received.bytes,
                                           .matched = r->met,
                                           .waited = !received || r->met > since});
}

/* Takes a request out of its table, if it still waits there. */
bool ob_request_withdraw(ob_request *r)
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

bool ob_request_lost(const ob_request *r)
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
void ob_request_give_up(ob_request *r)
{
    const ob_peer *sender = sender_of(r);
    int number = sender ? sender->number : r->job->number;
    if (!ob_request_withdraw(r)) {
        if (!ob_request_is_done(r))
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
