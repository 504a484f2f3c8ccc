/*
 * Probing: which message a receive would take, without receiving it.
 */
#include "message/internal.h"
#include "message/request.h"
#include "message/together.h"
#include "trace/trace.h"

static int probe_peer(ob_peer *peer, const ob_want *w, ob_found *found)
{
    ob_lock_take(&peer->recv_lock);
    int status = ob_arrival_next(peer, w, found);
    ob_lock_release(&peer->recv_lock);
    return status;
}

/* OB_OK with the message that is there, OB_NOTHING, or a failure. */
static int look_around(const ob_group *g, int source, const ob_want *w, ob_received *received)
{
    int first = source == OB_ANY ? 0 : source, end = source == OB_ANY ? g->size : source + 1;
    for (int i = first; i < end; i++) {
        ob_found found;
        int status = probe_peer(g->peer[i], w, &found);
        if (status == OB_NOTHING)
            continue;
        if (status == OB_OK && received)
            *received = (ob_received){.source = i,
                                      .tag = found.envelope.tag,
                                      .bytes = found.envelope.bytes,
                                      .type = (ob_type)found.envelope.type};
        return status;
    }
    return OB_NOTHING;
}

static unsigned stored_at(const ob_group *g, int source)
{
    unsigned sum = 0;
    for (int i = 0; i < g->size; i++)
        if (source == OB_ANY || source == i)
            sum += atomic_load_explicit(&g->peer[i]->stored_count, memory_order_acquire);
    return sum;
}

static bool sources_gone(const ob_group *g, int source)
{
    for (int i = 0; i < g->size; i++)
        if ((source == OB_ANY || source == i) && !g->peer[i]->transport->gone(g->peer[i]))
            return false;
    return true;
}

static int probe(ob_group *g, int source, int tag, int *there, ob_received *received)
{
    const ob_want w = ob_want_of(g, tag, OB_EXACT);
    ob_peer *const *peers = source == OB_ANY ? g->peer : &g->peer[source];
    ob_waiter wait;
    if (OB_TOGETHER)
        ob_together_settle();
    ob_wait_begin(&wait, g->job);
    for (;;) {
        unsigned stored = stored_at(g, source);
        bool gone = ob_wait_round_ends(&wait) && sources_gone(g, source);
        int status = look_around(g, source, &w, received);
        if (there) {
            *there = status == OB_OK;
            if (status == OB_NOTHING)
                ob_wait_look(g->job);
        }
        if (status != OB_NOTHING || there)
            return status == OB_NOTHING ? OB_OK : status;
        if (gone)
            return ob_gone_error(g, source == OB_ANY ? g->me : source);
        status = ob_pass_time(&wait, g->job, peers, source == OB_ANY ? g->size : 1, stored);
        if (status != OB_OK)
            return status;
    }
}

int ob_message_probe(ob_group *g, int source, int tag, int *there, ob_received *received)
{
    if (!OB_TRACING)
        return probe(g, source, tag, there, received);
    ob_received here = {.source = source, .tag = tag};
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = probe(g, source, tag, there, &here);
    bool found = status == OB_OK && (there == NULL || *there);
    ob_trace_end(&span, &(ob_trace_what){.kind = OB_TRACE_PROBE,
                                         .group = g,
                                         .routine = there ? "ob_iprobe" : "ob_probe",
                                         .position = here.source,
                                         .tag = here.tag,
                                         .status = status,
                                         .bytes = here.bytes,
                                         .value = found,
                                         .waited = there == NULL});
    if (received && found)
        *received = here;
    return status;
}
