/*
 * Matching: a receive names a group, a source and a tag; messages come from a
 * transport in the order sent, whatever group they belong to. Those not yet asked
 * for are stored with their peer, in order.
 */
#include "message/message.h"

#include <stdlib.h>

#include "core/error.h"
#include "message/wait.h"

/* A message that arrived before it was asked for. */
typedef struct ob_stored {
    struct ob_stored *next;
    ob_envelope envelope;
    _Alignas(64) char bytes[];
} ob_stored;

/* Below this, a copy for each receiver costs less than a block for all. */
enum { OB_SHARE_LEAST = 8 * 1024 };

typedef struct wanted {
    uint64_t context;
    int tag;
    uint8_t stream;
} wanted;

static inline bool matches(const ob_envelope *e, const wanted *w)
{
    return e->context == w->context && e->stream == w->stream &&
           (w->tag == OB_ANY ? e->tag != OB_TAG_COLLECTIVE : e->tag == w->tag);
}

/* ---------------------------------------------------------------- sending */

int ob_message_send(ob_group *g, int dest, int tag, const ob_view *matrix)
{
    ob_peer *peer = g->peer[dest];
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    ob_envelope e = {.context = g->context,
                     .bytes = data.left,
                     .tag = tag,
                     .stream = g->stream,
                     .type = (uint8_t)matrix->type};
    ob_lock_take(&peer->send_lock);
    int status = peer->transport->send(peer, &e, &data);
    ob_lock_release(&peer->send_lock);
    return status;
}

/* The peers of the destinations in the order of their numbers, in which all
 * threads take several send locks. */
static void sort_peers(ob_peer **peers, int count)
{
    for (int i = 1; i < count; i++) {
        ob_peer *p = peers[i];
        int j = i;
        for (; j > 0 && peers[j - 1]->number > p->number; j--)
            peers[j] = peers[j - 1];
        peers[j] = p;
    }
}

static int share(ob_group *g, ob_peer **peers, int count, int tag, const ob_view *matrix)
{
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    ob_envelope e = {.context = g->context,
                     .bytes = data.left,
                     .tag = tag,
                     .stream = g->stream,
                     .type = (uint8_t)matrix->type};
    sort_peers(peers, count);
    for (int i = 0; i < count; i++)
        ob_lock_take(&peers[i]->send_lock);
    int status = peers[0]->transport->share(peers, count, &e, &data);
    for (int i = 0; i < count; i++)
        ob_lock_release(&peers[i]->send_lock);
    return status;
}

int ob_message_send_many(ob_group *g, const int *dests, int count, int tag, const ob_view *matrix)
{
    int status = OB_OK, shared = 0;
    ob_peer **peers = malloc((size_t)count * sizeof *peers);
    const ob_transport *t = NULL;
    bool worth_it = count > 1 && ob_view_bytes(matrix) >= OB_SHARE_LEAST && peers;
    for (int i = 0; i < count && status == OB_OK; i++) {
        ob_peer *peer = g->peer[dests[i]];
        if (worth_it && peer->transport->share && (t == NULL || peer->transport == t)) {
            t = peer->transport;
            peers[shared++] = peer;
        } else {
            status = ob_message_send(g, dests[i], tag, matrix);
        }
    }
    if (status == OB_OK && shared)
        status = share(g, peers, shared, tag, matrix);
    free(peers);
    return status;
}

/* -------------------------------------------------------------- receiving */

/* Pulls the rest of a message, waiting for a sender that is still at it. */
static int pull_on(ob_peer *peer, const ob_envelope *e, uint64_t left, ob_cursor *sink)
{
    ob_waiter wait;
    ob_wait_begin(&wait, peer->job);
    for (;;) {
        /* Gone is asked before the look, so that what was sent last is seen. */
        bool gone = peer->transport->gone(peer);
        ptrdiff_t moved = peer->transport->pull(peer, sink);
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
            return ob_fail(OB_EGONE,
                           "process %d ended while it sent a message of %llu bytes to process %d",
                           peer->number, (unsigned long long)e->bytes, peer->job->number);
        ob_wait_step(&wait, &peer, 1, true, atomic_load(&peer->stored_count));
    }
}

/* Pulls the polled message to its end. */
static int pull_all(ob_peer *peer, const ob_envelope *e, ob_cursor *sink)
{
    ptrdiff_t moved = peer->transport->pull(peer, sink);
    if (moved < 0 || (uint64_t)moved == e->bytes)
        return moved < 0 ? (int)moved : OB_OK;
    if (peer->transport->follow)
        peer->transport->follow(peer, true);
    int status = pull_on(peer, e, e->bytes - (uint64_t)moved, sink);
    if (peer->transport->follow)
        peer->transport->follow(peer, false);
    return status;
}

static int pull_to_store(ob_peer *peer, const ob_envelope *e, ob_stored **out)
{
    ob_stored *s = aligned_alloc(64, (sizeof *s + e->bytes + 63) / 64 * 64);
    if (s == NULL)
        return ob_fail(OB_ENOMEM,
                       "process %d has no memory to keep a message of %llu bytes from process %d "
                       "until it is received",
                       peer->job->number, (unsigned long long)e->bytes, peer->number);
    ob_view all = ob_view_of_bytes(s->bytes, e->bytes);
    ob_cursor sink;
    ob_cursor_open(&sink, &all);
    s->next = NULL;
    s->envelope = *e;
    int status = pull_all(peer, e, &sink);
    if (status != OB_OK)
        free(s);
    else
        *out = s;
    return status;
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

/* Keeps the polled message for a receive to come. */
static int store(ob_peer *peer, const ob_envelope *e)
{
    ob_stored *s;
    int status = pull_to_store(peer, e, &s);
    if (status != OB_OK)
        return status;
    if (is_late(peer->job, e->context)) {
        free(s);
        return OB_OK;
    }
    *peer->last = s;
    peer->last = &s->next;
    atomic_fetch_add(&peer->stored_count, 1);
    ob_wait_notify(peer->job);
    return OB_OK;
}

static ob_stored *unlink_stored(ob_peer *peer, ob_stored **link)
{
    ob_stored *s = *link;
    *link = s->next;
    if (peer->last == &s->next)
        peer->last = link;
    return s;
}

static ob_stored *find_stored(ob_peer *peer, const wanted *w)
{
    for (ob_stored **link = &peer->first; *link; link = &(*link)->next)
        if (matches(&(*link)->envelope, w))
            return unlink_stored(peer, link);
    return NULL;
}

/* Two doubles are no four integers. Bytes are anything, and those who take part in a
 * collective operation need only agree on the size. */
static bool may_differ(const ob_envelope *e, const ob_view *matrix)
{
    return e->type == OB_BYTE || matrix->type == OB_BYTE || e->bytes == 0 ||
           e->tag == OB_TAG_COLLECTIVE;
}

static inline bool fits(const ob_envelope *e, const ob_cursor *sink)
{
    bool same = e->type == sink->view->type;
    return sink->left == e->bytes && (__builtin_expect(same, 1) || may_differ(e, sink->view));
}

static int size_error(const ob_envelope *e, const ob_peer *peer, const ob_view *matrix)
{
    return ob_fail_size(peer->number, e->bytes, (ob_type)e->type, matrix);
}

static int deliver_stored(ob_peer *peer, ob_stored *s, ob_cursor *sink, ob_envelope *got)
{
    int status = OB_OK;
    *got = s->envelope;
    if (!fits(&s->envelope, sink))
        status = size_error(&s->envelope, peer, sink->view);
    else if (sink->left)
        ob_cursor_unpack(sink, s->bytes, sink->left);
    free(s);
    return status;
}

/* The polled message goes to its place. One of the wrong size or type is taken off
 * the channel all the same, so that the next receive sees the next message. */
static int deliver(ob_peer *peer, ob_cursor *sink, const ob_envelope *e)
{
    if (__builtin_expect(fits(e, sink), 1))
        return pull_all(peer, e, sink);
    ob_stored *s;
    int status = pull_to_store(peer, e, &s);
    if (status == OB_OK) {
        free(s);
        status = size_error(e, peer, sink->view);
    }
    return status;
}

enum { NOTHING = 1 };

/* Takes the next matching message of one peer if it is there. OB_OK, NOTHING, or a failure. */
static inline int try_peer(ob_peer *peer, const wanted *w, ob_cursor *sink, ob_envelope *got)
{
    if (peer->first) {
        ob_stored *s = find_stored(peer, w);
        if (s)
            return deliver_stored(peer, s, sink, got);
    }
    for (;;) {
        int here = peer->transport->poll(peer, got);
        if (here <= 0)
            return here < 0 ? here : NOTHING;
        if (matches(got, w))
            return deliver(peer, sink, got);
        int status = store(peer, got);
        if (status != OB_OK)
            return status;
    }
}

static int gone_error(const ob_group *g, int source)
{
    if (g->peer[source]->number == g->job->number)
        return ob_fail(OB_EGONE, "process %d waits for a message from itself that it has not sent",
                       g->job->number);
    return ob_fail(OB_EGONE, "process %d, which process %d waits for, has ended",
                   g->peer[source]->number, g->job->number);
}

static int recv_from(ob_group *g, int source, const wanted *w, ob_cursor *sink, ob_envelope *got)
{
    ob_peer *peer = g->peer[source];
    const ob_transport *t = peer->transport;
    ob_waiter wait;
    ob_wait_begin(&wait, g->job);
    for (;;) {
        ob_lock_take(&peer->recv_lock);
        /* Gone is asked before the look, so that what was sent last is seen. */
        bool gone = ob_wait_round_ends(&wait) && t->gone(peer);
        int status = try_peer(peer, w, sink, got);
        unsigned stored = atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
        if (t->follow && wait.looks >= OB_LOOKS - 1)
            t->follow(peer, status == NOTHING);
        ob_lock_release(&peer->recv_lock);
        if (status != NOTHING)
            return status;
        if (gone)
            return gone_error(g, source);
        ob_wait_step(&wait, &peer, 1, false, stored);
    }
}

/* Looks at all members in turn, starting behind the one served last. */
static int recv_from_any(ob_group *g, const wanted *w, ob_cursor *sink, ob_envelope *got,
                         int *source)
{
    ob_waiter wait;
    ob_wait_begin(&wait, g->job);
    for (;;) {
        unsigned stored = 0;
        int gone = 0;
        for (int i = 1; i <= g->size; i++) {
            int position = (g->any_from + i) % g->size;
            ob_peer *peer = g->peer[position];
            ob_lock_take(&peer->recv_lock);
            gone += peer->transport->gone(peer);
            int status = try_peer(peer, w, sink, got);
            stored += atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
            ob_lock_release(&peer->recv_lock);
            if (status != NOTHING) {
                *source = g->any_from = position;
                return status;
            }
        }
        if (gone == g->size)
            return gone_error(g, g->me);
        ob_wait_step(&wait, g->peer, g->size, false, stored);
    }
}

int ob_message_recv(ob_group *g, int source, int tag, const ob_view *matrix, ob_received *received)
{
    const wanted w = {.context = g->context, .tag = tag, .stream = g->stream};
    ob_envelope got;
    /* Opened before the message is there: what follows its arrival is what takes time. */
    ob_cursor sink;
    ob_cursor_open(&sink, matrix);
    int status = source == OB_ANY ? recv_from_any(g, &w, &sink, &got, &source)
                                  : recv_from(g, source, &w, &sink, &got);
    if (status == OB_OK && received)
        *received = (ob_received){.source = source,
                                  .tag = got.tag,
                                  .bytes = got.bytes,
                                  .type = (ob_type)got.type};
    return status;
}

void ob_message_forget(ob_job *job, uint64_t context)
{
    ob_lock_take(&job->lock);
    job->ended[job->ended_next++ % OB_ENDED] = context;
    ob_lock_release(&job->lock);
    for (int i = 0; i < job->count; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        if (peer == NULL)
            continue;
        ob_lock_take(&peer->recv_lock);
        for (ob_stored **link = &peer->first; *link;)
            if ((*link)->envelope.context == context)
                free(unlink_stored(peer, link));
            else
                link = &(*link)->next;
        ob_lock_release(&peer->recv_lock);
    }
}

void ob_message_drop_all(ob_peer *peer)
{
    while (peer->first)
        free(unlink_stored(peer, &peer->first));
}
