/*
 * Marks: messages of the room itself, which say how the next one is meant or what became of one.
 */
#include <stdlib.h>

#include "core/error.h"
#include "message/background.h"
#include "message/internal.h"
#include "message/message.h"

static int send_mark(ob_peer *peer, int tag, uint64_t number)
{
    char nothing;
    ob_cursor none = {.at = &nothing};
    ob_envelope e = {.context = number, .tag = tag};
    return peer->transport->send(peer, &e, &none);
}

/* A mark and its message, with nothing between them. */
int ob_message_send_marked(ob_group *g, int dest, int tag, const ob_view *matrix, ob_mode mode,
                           uint64_t number)
{
    ob_peer *peer = g->peer[dest];
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    const ob_envelope e = ob_envelope_of(g, tag, matrix->type, data.left);
    ob_later_first(peer);
    ob_lock_take(&peer->send_lock);
    int status = send_mark(peer, mode == OB_READY ? OB_TAG_READY : OB_TAG_SYNCHRONOUS, number);
    if (status == OB_OK) {
        status = peer->transport->send(peer, &e, &data);
        /* The next message is not what this one was to be. */
        if (status != OB_OK)
            send_mark(peer, OB_TAG_PLAIN, 0);
    }
    ob_lock_release(&peer->send_lock);
    return status;
}

/* ------------------------------------------------------------ at the channel */

ob_arrival *ob_arrival_of(ob_peer *peer)
{
    if (peer->arrival == NULL) {
        peer->arrival = calloc(1, sizeof *peer->arrival);
        if (peer->arrival == NULL || ob_matching_of(peer->job) == NULL) {
            free(peer->arrival);
            peer->arrival = NULL;
            ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory to receive from process %d",
                    peer->job->number, peer->number);
        }
    }
    return peer->arrival;
}

ob_mark ob_mark_take(ob_peer *peer)
{
    ob_mark mark = {OB_STANDARD, 0};
    if (peer->arrival && peer->arrival->mark.mode != OB_STANDARD) {
        mark = peer->arrival->mark;
        peer->arrival->mark = (ob_mark){OB_STANDARD, 0};
        ob_count_aside(peer, -1);
    }
    return mark;
}

static int set_mark(ob_peer *peer, ob_mode mode, uint64_t number)
{
    if (ob_arrival_of(peer) == NULL)
        return OB_ENOMEM;
    ob_mark_take(peer);
    if (mode != OB_STANDARD) {
        peer->arrival->mark = (ob_mark){mode, number};
        ob_count_aside(peer, 1);
    }
    return OB_OK;
}

int ob_mark_meet(ob_peer *peer, const ob_mark *mark)
{
    if (mark->mode != OB_SYNCHRONOUS)
        return OB_OK;
    ob_later_first(peer);
    ob_lock_take(&peer->send_lock);
    int status = send_mark(peer, OB_TAG_MET, mark->number);
    ob_lock_release(&peer->send_lock);
    return status;
}

int ob_mark_judge(ob_peer *peer, const ob_mark *mark, const ob_envelope *e, bool late, int status)
{
    if (status != OB_OK || !late || mark->mode != OB_READY)
        return status;
    return ob_fail(
        OB_EREADY,
        "OB-5010 process %d sent a message (tag %d, %llu bytes) in ready mode before process %d "
        "had posted the receive for it",
        peer->number, (int)e->tag, (unsigned long long)e->bytes, peer->job->number);
}

/* The other side has begun to receive what we sent in synchronous mode. */
static void end_awaited(ob_peer *peer, uint64_t number)
{
    ob_matching *m = ob_matching_now(peer->job);
    ob_lock_take(&m->lock);
    ob_request *r = ob_awaited_take(m, peer, number);
    ob_lock_release(&m->lock);
    if (r == NULL)
        return; /* its process has given it up */
    ob_request_done(r, OB_OK);
    ob_announce(peer);
}

/* Its sender waits in a collective call (unlike.c). */
static int keep_wait(ob_peer *peer, const ob_envelope *e)
{
    ob_arrival *a = ob_arrival_of(peer);
    if (a == NULL)
        return OB_ENOMEM;
    *ob_waits_of(a, e->context) = *e;
    return OB_OK;
}

int ob_mark_obey(ob_peer *peer, const ob_envelope *e)
{
    char nothing;
    ob_cursor none = {.at = &nothing};
    ptrdiff_t moved = ob_bundle_pull(peer, &none);
    if (moved < 0)
        return (int)moved;
    switch (e->tag) {
    case OB_TAG_SYNCHRONOUS: return set_mark(peer, OB_SYNCHRONOUS, e->context);
    case OB_TAG_READY: return set_mark(peer, OB_READY, 0);
    case OB_TAG_PLAIN: return set_mark(peer, OB_STANDARD, 0);
    case OB_TAG_MET:
        if (ob_matching_now(peer->job))
            end_awaited(peer, e->context);
        return OB_OK;
    case OB_TAG_WAITS: return keep_wait(peer, e);
    default:
        return ob_fail(OB_ESYSTEM, "OB-3016 process %d sent what process %d cannot read (tag %d)",
                       peer->number, peer->job->number, (int)e->tag);
    }
}
