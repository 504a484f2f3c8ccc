/*
 * Large standard sends that are noted with their peer and sent by whoever comes first; who that
 * may be, and why, is background.c's.
 */
#include "message/background.h"
#include "message/internal.h"

void ob_later_add(ob_request *r)
{
    ob_peer *peer = r->peer;
    ob_matching *m = ob_matching_now(r->job);
    r->later = true;
    r->after = NULL;
    /* No table has it, so that nobody withdraws it. */
    atomic_store_explicit(&r->state, OB_REQUEST_MET, memory_order_relaxed);
    atomic_fetch_add(&r->job->large, 1);
    r->large = true;
    ob_lock_take(&m->lock);
    if (peer->later_first)
        peer->later_last->after = r;
    else
        peer->later_first = r;
    peer->later_last = r;
    ob_count(&peer->later, 1);
    ob_count(&r->job->later, 1);
    ob_count(&r->job->pending, 1);
    ob_lock_release(&m->lock);
}

static ob_request *take_noted(ob_peer *peer)
{
    ob_matching *m = ob_matching_now(peer->job);
    ob_lock_take(&m->lock);
    ob_request *r = peer->later_first;
    if (r)
        peer->later_first = r->after;
    ob_lock_release(&m->lock);
    return r;
}

/* The request may be freed by its owner as soon as it is done. */
static void end_noted(ob_peer *peer, ob_request *r, int status)
{
    ob_job *job = peer->job;
    ob_matching *m = ob_matching_now(job);
    ob_request_done(r, status);
    ob_lock_take(&m->lock);
    unsigned left = atomic_load_explicit(&peer->later, memory_order_relaxed) - 1;
    atomic_store_explicit(&peer->later, left, memory_order_release);
    ob_count(&job->later, -1);
    ob_count(&job->pending, -1);
    ob_lock_release(&m->lock);
    ob_announce(peer);
}

/* With later_lock. True when there was something. */
static bool send_noted(ob_peer *peer)
{
    ob_request *r = take_noted(peer);
    if (r == NULL)
        return false;
    for (; r; r = take_noted(peer)) {
        ob_cursor data;
        ob_cursor_open(&data, &r->view);
        ob_lock_take(&peer->send_lock);
        int status = peer->transport->send(peer, &r->envelope, &data);
        ob_lock_release(&peer->send_lock);
        end_noted(peer, r, status);
    }
    return true;
}

void ob_later_finish(ob_peer *peer)
{
    ob_lock_take(&peer->later_lock);
    send_noted(peer);
    ob_lock_release(&peer->later_lock);
}

bool ob_later_try_peer(ob_peer *peer)
{
    if (atomic_load_explicit(&peer->later, memory_order_relaxed) == 0 ||
        !ob_lock_try(&peer->later_lock))
        return false;
    bool sent = send_noted(peer);
    ob_lock_release(&peer->later_lock);
    return sent;
}

void ob_later_try(ob_job *job)
{
    for (int i = 0; i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer)
            ob_later_try_peer(peer);
    }
}
