/*
 * Bundles on their receiving side. One that is here whole stands in front of the channel until it
 * is used up; while it does, it is a reason not to look at the channel (peer->aside).
 */
#include <stdlib.h>

#include "message/internal.h"
#include "message/together.h"

static const ob_stored *bundle_of(const ob_peer *peer)
{
    return peer->arrival ? peer->arrival->bundle : NULL;
}

void ob_bundle_open(ob_peer *peer, ob_stored *bundle)
{
    peer->arrival->bundle = bundle;
    peer->arrival->bundle_at = 0;
    ob_count_aside(peer, 1);
}

/* The next message is there; behind the last one the bundle goes. */
static void move_on(ob_peer *peer, size_t at)
{
    ob_arrival *a = peer->arrival;
    a->bundle_at = at;
    if (at < a->bundle->envelope.bytes)
        return;
    free(a->bundle);
    a->bundle = NULL;
    ob_count_aside(peer, -1);
}

int ob_bundle_poll(ob_peer *peer, ob_envelope *e)
{
    const ob_stored *b = bundle_of(peer);
    if (b == NULL)
        return peer->transport->poll(peer, e);
    memcpy(e, b->bytes + peer->arrival->bundle_at, sizeof *e);
    return 1;
}

ptrdiff_t ob_bundle_pull(ob_peer *peer, ob_cursor *sink)
{
    ob_arrival *a = peer->arrival;
    ob_envelope e;
    if (bundle_of(peer) == NULL)
        return peer->transport->pull(peer, sink);
    const char *at = a->bundle->bytes + a->bundle_at;
    memcpy(&e, at, sizeof e);
    if (e.bytes)
        ob_cursor_unpack(sink, at + sizeof e, e.bytes);
    move_on(peer, a->bundle_at + ob_bundled_bytes(e.bytes));
    return (ptrdiff_t)e.bytes;
}

/* The message at `at` into the matrix of a receive; false: it is not what that waits for. */
static inline bool take(const char *at, const ob_noted *n, ob_envelope *got)
{
    const ob_want w = ob_want_of(n->group, n->tag, 0);
    ob_cursor sink;
    ob_cursor_open(&sink, &n->view);
    memcpy(got, at, sizeof *got);
    if (!ob_matches(got, &w) || got->bytes != sink.left || got->type != n->view.type)
        return false;
    if (got->bytes)
        ob_cursor_unpack(&sink, at + sizeof *got, got->bytes);
    if (n->received)
        *n->received = (ob_received){
            .source = n->source, .tag = got->tag, .bytes = got->bytes, .type = (ob_type)got->type};
    return true;
}

/* Nothing but the bundle stands aside, so its messages are the peer's next ones. A receive that
 * another thread posts meanwhile is behind these, whose end has begun. */
size_t ob_bundle_take(ob_peer *peer, const ob_noted *n, size_t most)
{
    const ob_stored *b = bundle_of(peer);
    size_t count = 0;
    if (b == NULL || atomic_load_explicit(&peer->aside, memory_order_relaxed) != 1)
        return 0;
    size_t at = peer->arrival->bundle_at;
    const size_t end = b->envelope.bytes;
    for (ob_envelope got; count < most && n[count].peer == peer && at < end; count++) {
        if (!take(b->bytes + at, &n[count], &got))
            break;
        at += ob_bundled_bytes(got.bytes);
    }
    if (count)
        move_on(peer, at);
    return count;
}
