/*
 * Sending, and the receive that waits. What a receive asks for is mostly at the
 * head of the channel, and then goes from there to its place; everything else
 * is arrival.c's.
 */
#include "message/message.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "message/background.h"
#include "message/internal.h"
#include "trace/trace.h"

/* Below this, a copy for each receiver costs less than a block for all. */
enum { OB_SHARE_LEAST = 8 * 1024 };

/* ---------------------------------------------------------------- sending */

static inline int send(ob_group *g, int dest, int tag, const ob_view *matrix)
{
    ob_peer *peer = g->peer[dest];
    ob_cursor data;
    ob_cursor_open(&data, matrix);
    const ob_envelope e = ob_envelope_of(g, tag, matrix->type, data.left);
    ob_later_first(peer);
    ob_lock_take(&peer->send_lock);
    int status = peer->transport->send(peer, &e, &data);
    ob_lock_release(&peer->send_lock);
    return status;
}

static ob_trace_what sent(const ob_group *g, int dest, int tag, const ob_view *matrix, int status)
{
    return ob_message_event(OB_TRACE_SEND, "ob_send", g, dest, tag, matrix, status);
}

static __attribute__((noinline)) int send_traced(ob_group *g, int dest, int tag,
                                                 const ob_view *matrix)
{
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = send(g, dest, tag, matrix);
    const ob_trace_what what = sent(g, dest, tag, matrix, status);
    ob_trace_end(&span, &what);
    return status;
}

int ob_message_send(ob_group *g, int dest, int tag, const ob_view *matrix)
{
    return OB_TRACING ? send_traced(g, dest, tag, matrix) : send(g, dest, tag, matrix);
}

/* Messages that begin together share the sender's line and end together, at the time at which the
 * last one ends in any order. Of shorter ones that costs less than waiting. */
enum { OB_DRAIN_LEAST = 64 * 1024 };

void ob_message_drain(ob_group *g, int dest, size_t bytes)
{
    ob_peer *peer = g->peer[dest];
    if (bytes >= OB_DRAIN_LEAST && peer->transport->drain)
        peer->transport->drain(peer, bytes);
}

void ob_message_fail_all(ob_group *g)
{
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    char kept[1024];
    snprintf(kept, sizeof kept, "%s", ob_error_text());
    ob_call_failed(g);
    for (int i = 0; i < g->size; i++)
        if (i != g->me)
            ob_message_send(g, i, OB_TAG_COLLECTIVE, &nothing);
    ob_fail(OB_OK, "%s", kept);
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
    const ob_envelope e = ob_envelope_of(g, tag, matrix->type, data.left);
    sort_peers(peers, count);
    for (int i = 0; i < count; i++) {
        ob_later_first(peers[i]);
        ob_lock_take(&peers[i]->send_lock);
    }
    int status = peers[0]->transport->share(peers, count, &e, &data);
    for (int i = 0; i < count; i++)
        ob_lock_release(&peers[i]->send_lock);
    return status;
}

static int send_many(ob_group *g, const int *dests, int count, int tag, const ob_view *matrix)
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
            status = send(g, dests[i], tag, matrix);
        }
    }
    if (status == OB_OK && shared)
        status = share(g, peers, shared, tag, matrix);
    free(peers);
    return status;
}

/* An event for each receiver; the first one has the time of all. */
static __attribute__((noinline)) int send_many_traced(ob_group *g, const int *dests, int count,
                                                      int tag, const ob_view *matrix)
{
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = send_many(g, dests, count, tag, matrix);
    for (int i = 0; i < count; i++) {
        const ob_trace_what what = sent(g, dests[i], tag, matrix, status);
        if (i == 0)
            ob_trace_end(&span, &what);
        else
            ob_trace_also(&span, &what);
    }
    return status;
}

int ob_message_send_many(ob_group *g, const int *dests, int count, int tag, const ob_view *matrix)
{
    return OB_TRACING ? send_many_traced(g, dests, count, tag, matrix)
                      : send_many(g, dests, count, tag, matrix);
}

/* -------------------------------------------------------------- receiving */

/* Where a receive is recorded: when it met its message, and whether that took more
 * than one look. Not recorded: NULL, known when this is compiled, so that nothing is left of it. */
typedef struct match_time {
    int64_t at;
    bool waited;
} match_time;

static inline __attribute__((always_inline)) void met(match_time *when, bool at_once)
{
    if (when)
        *when = (match_time){ob_clock_end(), !at_once};
}

/* The polled message goes to its place. */
static inline int deliver(ob_peer *peer, ob_cursor *sink, const ob_envelope *e, const ob_want *w)
{
    if (__builtin_expect(sink->left == e->bytes && sink->view->type == e->type, 1)) {
        ptrdiff_t moved = peer->transport->pull(peer, sink);
        if (__builtin_expect((uint64_t)moved == e->bytes, 1))
            return OB_OK;
        return ob_pull_rest(peer, e, sink, moved);
    }
    return ob_deliver_odd(peer, sink, e, w->shorter);
}

static __attribute__((noinline)) int take_slowly(ob_peer *peer, const ob_want *w, ob_cursor *sink,
                                                 ob_envelope *got, bool late, match_time *when)
{
    ob_found found;
    int status = ob_arrival_next(peer, w, &found);
    if (status != OB_OK)
        return status;
    met(when, late);
    *got = found.envelope;
    return ob_arrival_to_sink(peer, &found, w, sink, late);
}

/* Takes the next matching message of one peer if it is there. OB_OK, OB_NOTHING, or
 * a failure. late: its receive has only now begun. */
static inline __attribute__((always_inline)) int try_peer(ob_peer *peer, const ob_want *w,
                                                          ob_cursor *sink, ob_envelope *got,
                                                          bool late, match_time *when)
{
    if (__builtin_expect(atomic_load_explicit(&peer->aside, memory_order_relaxed) == 0, 1)) {
        int here = peer->transport->poll(peer, got);
        if (here <= 0)
            return here < 0 ? here : OB_NOTHING;
        if (__builtin_expect(ob_matches(got, w), 1)) {
            met(when, late);
            return deliver(peer, sink, got, w);
        }
    }
    return take_slowly(peer, w, sink, got, late, when);
}

/* Requests wait, too: what comes for them is taken in, and may end our sleep. */
static __attribute__((noinline)) int
wait_with_others(ob_waiter *wait, ob_job *job, ob_peer *const *peers, int count, unsigned stored)
{
    ob_watch watch;
    ob_watch_begin(&watch);
    ob_watch_fill(&watch, job, peers, count, stored);
    int status = ob_arrival_progress(job, true);
    if (status == OB_OK)
        ob_wait_step(wait, watch.peer, watch.count, false, watch.stored);
    ob_watch_end(&watch);
    return status;
}

int ob_pass_time(ob_waiter *wait, ob_job *job, ob_peer *const *peers, int count, unsigned stored)
{
    if (__builtin_expect(atomic_load_explicit(&job->pending, memory_order_relaxed) != 0, 0))
        return wait_with_others(wait, job, peers, count, stored);
    ob_wait_step(wait, peers, count, false, stored);
    return OB_OK;
}

int ob_gone_error(const ob_group *g, int source)
{
    if (g->peer[source]->number == g->job->number)
        return ob_fail(OB_EGONE,
                       "OB-5007 process %d waits for a message from itself that it has not sent",
                       g->job->number);
    return ob_fail(OB_EGONE, "OB-5006 process %d, which process %d waits for, has ended",
                   g->peer[source]->number, g->job->number);
}

/* Is it said that nothing will come? NULL: nobody says that. */
typedef int over_of(const ob_group *);

static inline __attribute__((always_inline)) int recv_from(ob_group *g, int source,
                                                           const ob_want *w, ob_cursor *sink,
                                                           ob_envelope *got, over_of *over,
                                                           match_time *when)
{
    ob_peer *peer = g->peer[source];
    const ob_transport *t = peer->transport;
    ob_waiter wait;
    ob_wait_begin(&wait, g->job);
    for (;;) {
        /* Both are asked before the look, so that what was sent last is seen. */
        bool asks = ob_wait_round_ends(&wait);
        int end = asks && over ? over(g) : OB_OK;
        ob_lock_take(&peer->recv_lock);
        bool gone = asks && t->gone(peer);
        int status = try_peer(peer, w, sink, got, wait.looks == 0, when);
        unsigned stored = atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
        if (t->follow && wait.looks >= OB_LOOKS - 1)
            t->follow(peer, status == OB_NOTHING);
        ob_lock_release(&peer->recv_lock);
        if (status != OB_NOTHING)
            return status;
        if (end != OB_OK)
            return end;
        if (gone)
            return ob_gone_error(g, source);
        status = ob_pass_time(&wait, g->job, &peer, 1, stored);
        if (status != OB_OK)
            return status;
    }
}

/* Looks at all members in turn, starting behind the one served last. */
static int recv_from_any(ob_group *g, const ob_want *w, ob_cursor *sink, ob_envelope *got,
                         int *source, match_time *when)
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
            int status = try_peer(peer, w, sink, got, wait.looks == 0, when);
            stored += atomic_load_explicit(&peer->stored_count, memory_order_relaxed);
            ob_lock_release(&peer->recv_lock);
            if (status != OB_NOTHING) {
                *source = g->any_from = position;
                return status;
            }
        }
        if (gone == g->size)
            return ob_gone_error(g, g->me);
        int status = ob_pass_time(&wait, g->job, g->peer, g->size, stored);
        if (status != OB_OK)
            return status;
    }
}

static inline __attribute__((always_inline)) int receive(ob_group *g, int source, int tag,
                                                         const ob_view *matrix, int options,
                                                         ob_received *received, over_of *over,
                                                         match_time *when)
{
    const ob_want w = ob_want_of(g, tag, options);
    ob_envelope got;
    /* Opened before the message is there: what follows its arrival is what takes time. */
    ob_cursor sink;
    ob_cursor_open(&sink, matrix);
    int status = source == OB_ANY ? recv_from_any(g, &w, &sink, &got, &source, when)
                                  : recv_from(g, source, &w, &sink, &got, over, when);
    if ((status == OB_OK || status == OB_ESIZE) && received)
        *received = (ob_received){
            .source = source, .tag = got.tag, .bytes = got.bytes, .type = (ob_type)got.type};
    return status;
}

static __attribute__((noinline)) int receive_traced(ob_group *g, int source, int tag,
                                                    const ob_view *matrix, int options,
                                                    ob_received *received, over_of *over)
{
    ob_received here = {.source = source, .tag = tag, .type = matrix->type};
    ob_trace_span span;
    match_time when = {0, true};
    ob_trace_begin(&span);
    int status = receive(g, source, tag, matrix, options, &here, over, &when);
    ob_trace_end(&span, &(ob_trace_what){.kind = OB_TRACE_RECV,
                                         .group = g,
                                         .routine = "ob_recv",
                                         .position = here.source,
                                         .tag = here.tag,
                                         .type = (int)here.type,
                                         .status = status,
                                         .bytes = here.bytes,
                                         .matched = when.at,
                                         .waited = when.waited});
    if (received)
        *received = here;
    return status;
}

int ob_message_recv(ob_group *g, int source, int tag, const ob_view *matrix, ob_received *received)
{
    if (OB_TRACING)
        return receive_traced(g, source, tag, matrix, OB_EXACT, received, NULL);
    return receive(g, source, tag, matrix, OB_EXACT, received, NULL, NULL);
}

int ob_message_recv_unless(ob_group *g, int source, int tag, const ob_view *matrix, over_of *over)
{
    if (OB_TRACING)
        return receive_traced(g, source, tag, matrix, OB_EXACT, NULL, over);
    return receive(g, source, tag, matrix, OB_EXACT, NULL, over, NULL);
}

int ob_message_recv_with(ob_group *g, int source, int tag, const ob_view *matrix, int options,
                         ob_received *received)
{
    if (OB_TRACING)
        return receive_traced(g, source, tag, matrix, options, received, NULL);
    return receive(g, source, tag, matrix, options, received, NULL, NULL);
}
