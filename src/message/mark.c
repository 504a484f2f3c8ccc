/*
 * Marks: messages of the room itself, which say how the next one is meant or what became of one.
 */
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

int ob_message_send_mark(ob_peer *peer, int tag, uint64_t number)
{
    ob_later_first(peer);
    ob_lock_take(&peer->send_lock);
    int status = send_mark(peer, tag, number);
    ob_lock_release(&peer->send_lock);
    return status;
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
