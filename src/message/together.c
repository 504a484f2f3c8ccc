/*
 * Messages that are put together, on the side of the thread that puts them together.
 */
#include "message/together.h"

#include <stdlib.h>

#include "core/error.h"
#include "hooks/hash.h"
#include "message/background.h"
#include "message/internal.h"
#include "message/message.h"
#include "trace/trace.h"

_Thread_local ob_together *ob_together_now;

/* What waits for one process. */
typedef struct ob_bundle {
    ob_peer *peer;
    char *bytes;
    size_t used, room; /* at most OB_TOGETHER_MOST */
    unsigned count;
} ob_bundle;

enum { BUNDLES_FIRST = 8, BYTES_FIRST = 4096, RECEIVES_FIRST = 64 };

/* The memory of the last end, for the next begin of any thread. Who takes it out by an exchange
 * has it alone; acquire and release: what was written to it comes first. */
static _Atomic(ob_together *) spare;
/* No more than this is kept: receives, and bundles, whose bytes are at most OB_TOGETHER_MOST. */
enum { RECEIVES_KEPT = 1024, BUNDLES_KEPT = BUNDLES_FIRST };

/* ------------------------------------------------------------------- the first failure */

void ob_first_add(ob_first *first, int status)
{
    if (status == OB_OK || first->status != OB_OK)
        return;
    first->status = status;
    first->line = strdup(ob_error_text());
}

int ob_first_end(ob_first *first)
{
    if (first->status != OB_OK)
        ob_fail(first->status, "%s",
                first->line ? first->line : "no memory for the line of this failure");
    free(first->line);
    return first->status;
}

/* ------------------------------------------------------------------- memory */

ob_together *ob_together_new(void)
{
    ob_together *t = atomic_exchange_explicit(&spare, NULL, memory_order_acquire);
    if (t == NULL)
        t = calloc(1, sizeof *t);
    if (t == NULL)
        ob_fail(OB_ENOMEM, "OB-4001 ob_together_begin: no memory");
    return t;
}

static void destroy(ob_together *t)
{
    for (unsigned i = 0; t && i < t->room; i++)
        free(t->bundle[i].bytes);
    if (t) {
        free(t->bundle);
        free(t->slot);
        free(t->noted);
    }
    free(t);
}

void ob_together_free(ob_together *t)
{
    if (t->places > RECEIVES_KEPT || t->room > BUNDLES_KEPT) {
        destroy(t);
        return;
    }
    if (t->bundles)
        memset(t->slot, 0, t->slots * sizeof *t->slot);
    for (unsigned i = 0; i < t->bundles; i++)
        t->bundle[i].used = t->bundle[i].count = 0;
    t->bundles = t->recent = 0;
    t->receives = t->posted = 0;
    t->failed = (ob_first){OB_OK, NULL};
    t->calls = NULL;
    t->forget_calls = NULL;
    destroy(atomic_exchange_explicit(&spare, t, memory_order_acq_rel));
}

static int no_memory(const ob_job *job)
{
    return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for calls that are put together",
                   job->number);
}

/* Where the table has the peer, or would. */
static unsigned slot_of(const ob_together *t, const ob_peer *peer)
{
    unsigned at = (unsigned)ob_mix((uint64_t)(uintptr_t)peer) & (t->slots - 1);
    while (t->slot[at] && t->bundle[t->slot[at] - 1].peer != peer)
        at = (at + 1) & (t->slots - 1);
    return at;
}

/* Room for twice as many bundles; at most half of the slots are taken. */
static bool grow(ob_together *t)
{
    unsigned room = t->room ? 2 * t->room : BUNDLES_FIRST;
    unsigned *slot = calloc(2 * (size_t)room, sizeof *slot);
    ob_bundle *more = slot ? realloc(t->bundle, room * sizeof *more) : NULL;
    if (more == NULL) {
        free(slot);
        return false;
    }
    memset(more + t->room, 0, (room - t->room) * sizeof *more);
    free(t->slot);
    t->bundle = more;
    t->room = room;
    t->slot = slot;
    t->slots = 2 * room;
    for (unsigned i = 0; i < t->bundles; i++)
        t->slot[slot_of(t, t->bundle[i].peer)] = i + 1;
    return true;
}

static ob_bundle *find_bundle(const ob_together *t, const ob_peer *peer)
{
    unsigned at = t->slots ? t->slot[slot_of(t, peer)] : 0;
    return at ? &t->bundle[at - 1] : NULL;
}

static ob_bundle *bundle_for(ob_together *t, ob_peer *peer)
{
    if (t->bundles && t->bundle[t->recent].peer == peer)
        return &t->bundle[t->recent];
    ob_bundle *b = find_bundle(t, peer);
    if (b) {
        t->recent = (unsigned)(b - t->bundle);
        return b;
    }
    if (t->bundles == t->room && !grow(t))
        return NULL;
    t->recent = t->bundles++;
    t->slot[slot_of(t, peer)] = t->recent + 1;
    b = &t->bundle[t->recent];
    b->peer = peer;
    return b;
}

static bool make_room(ob_bundle *b, size_t bytes)
{
    size_t room = b->room ? b->room : BYTES_FIRST;
    if (b->used + bytes <= b->room)
        return true;
    while (room < b->used + bytes)
        room *= 2;
    char *more = realloc(b->bytes, room);
    if (more == NULL)
        return false;
    b->bytes = more;
    b->room = room;
    return true;
}

/* ------------------------------------------------------------------- sending */

/* A message alone goes as what it is. What cannot be sent is kept: the next call that needs the
 * room tries again, and the end. */
static int send_bundle(ob_bundle *b)
{
    ob_envelope e = {
        .context = b->count, .bytes = b->used, .tag = OB_TAG_TOGETHER, .type = OB_BYTE};
    const char *from = b->bytes;
    if (b->count == 0)
        return OB_OK;
    if (b->count == 1) {
        memcpy(&e, b->bytes, sizeof e);
        from += sizeof e;
    }
    ob_view all = ob_view_of_bytes((char *)(uintptr_t)from, e.bytes);
    ob_cursor data;
    ob_cursor_open(&data, &all);
    ob_later_first(b->peer);
    ob_lock_take(&b->peer->send_lock);
    int status = b->peer->transport->send(b->peer, &e, &data);
    ob_lock_release(&b->peer->send_lock);
    if (status == OB_OK)
        b->used = b->count = 0;
    return status;
}

int ob_together_send_first(ob_peer *peer)
{
    ob_bundle *b = find_bundle(ob_together_now, peer);
    return b ? send_bundle(b) : OB_OK;
}

int ob_together_flush(ob_together *t)
{
    ob_first first = {OB_OK, NULL};
    for (unsigned i = 0; i < t->bundles; i++)
        ob_first_add(&first, send_bundle(&t->bundle[i]));
    return ob_first_end(&first);
}

/* A message goes into a bundle that has room for it, behind which the bundle has `all` bytes more.
 */
static inline void put(ob_bundle *b, const ob_group *g, int tag, ob_cursor *data, size_t all)
{
    const size_t bytes = data->left;
    const ob_envelope e = ob_envelope_of(g, tag, data->view->type, bytes);
    char *to = b->bytes + b->used;
    memcpy(to, &e, sizeof e);
    if (bytes) {
        memset(to + all - 8, 0, 8); /* what fills the last word is no memory of others' */
        ob_cursor_pack(data, to + sizeof e, bytes);
    }
    b->used += all;
    b->count++;
}

static __attribute__((noinline)) int add(ob_together *t, ob_group *g, int dest, int tag,
                                         ob_cursor *data)
{
    size_t all = ob_bundled_bytes(data->left);
    ob_bundle *b = bundle_for(t, g->peer[dest]);
    int status = b && b->used + all > OB_TOGETHER_MOST ? send_bundle(b) : OB_OK;
    if (status != OB_OK)
        return status;
    if (b == NULL || !make_room(b, all))
        return no_memory(g->job);
    put(b, g, tag, data, all);
    return OB_OK;
}

static __attribute__((noinline)) int add_traced(ob_together *t, ob_group *g, int dest, int tag,
                                                ob_cursor *data)
{
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = add(t, g, dest, tag, data);
    const ob_trace_what what =
        ob_message_event(OB_TRACE_SEND, "ob_send", g, dest, tag, data->view, status);
    ob_trace_end(&span, &what);
    return status;
}

static __attribute__((noinline)) int send_long(ob_group *g, int dest, int tag,
                                               const ob_view *matrix)
{
    int status = ob_together_send_first(g->peer[dest]);
    return status == OB_OK ? ob_message_send(g, dest, tag, matrix) : status;
}

/* Mostly it is one more for the process of the last one. */
int ob_together_send(ob_group *g, int dest, int tag, const ob_view *matrix)
{
    ob_together *t = ob_together_now;
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    size_t all = ob_bundled_bytes(data.left);
    if (data.left > OB_TOGETHER_BYTES)
        return send_long(g, dest, tag, matrix);
    if (OB_TRACING)
        return add_traced(t, g, dest, tag, &data);
    ob_bundle *b = t->bundles ? &t->bundle[t->recent] : NULL;
    if (b == NULL || b->peer != g->peer[dest] || b->room - b->used < all)
        return add(t, g, dest, tag, &data);
    put(b, g, tag, &data, all);
    return OB_OK;
}

/* ------------------------------------------------------------------- receiving */

static __attribute__((noinline)) bool more_places(ob_together *t)
{
    size_t places = t->places ? 2 * t->places : RECEIVES_FIRST;
    ob_noted *more = realloc(t->noted, places * sizeof *more);
    if (more == NULL)
        return false;
    t->noted = more;
    t->places = places;
    return true;
}

int ob_together_recv(ob_group *g, int source, int tag, const ob_view *matrix, int options,
                     ob_received *received, int (*then)(void *with, int status), void *with)
{
    ob_together *t = ob_together_now;
    if (t->receives == t->places && !more_places(t))
        return no_memory(g->job);
    ob_noted *n = &t->noted[t->receives++];
    n->group = g;
    n->peer = then || source == OB_ANY ? NULL : g->peer[source];
    n->view = *matrix;
    n->source = source;
    n->tag = tag;
    n->options = options;
    n->received = received;
    n->request = NULL;
    n->then = then;
    n->with = with;
    return OB_OK;
}

/* ------------------------------------------------------------------- in between */

void ob_together_settle(void)
{
    ob_together *t = ob_together_now;
    ob_together_flush(t);
    for (; t->posted < t->receives; t->posted++) {
        ob_noted *n = &t->noted[t->posted];
        n->peer = NULL;
        if (n->group &&
            ob_request_receive(n->group, n->source, n->tag, &n->view, n->options, &n->request))
            return; /* the rest stays behind it; the end tries again */
    }
}

void ob_together_forget(uint64_t context, int stream)
{
    ob_together *t = ob_together_now;
    for (size_t i = 0; i < t->receives; i++) {
        ob_noted *n = &t->noted[i];
        if (n->group && n->group->context == context && (!stream || n->group->stream == stream)) {
            n->group = NULL;
            n->peer = NULL;
        }
    }
    if (t->forget_calls)
        t->forget_calls(t, context, stream);
}
