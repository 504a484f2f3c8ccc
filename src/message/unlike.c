/*
 * Members of a collective call between nodes, or of one that is begun, that name other sizes than
 * the rest. Which algorithm is taken follows from the sizes, so such members may wait for messages
 * that nobody sends, and nobody reads what they have sent. So each message of such a call has the
 * call's number in the group, and a mark of the sizes. Who waits long tells all members so, and
 * looks at what has come from them: a message of the same call with another mark ends it. A member
 * that ends so tells all others, with a mark that no sizes have. Two sizes of 255 have one mark by
 * chance.
 *
 * The number in a message counts to 8192 and begins anew. A member that only sends may be many
 * calls ahead; so of each member the message that came first and is not read yet is looked at
 * alone. It would have to be 8192 calls ahead, and to have sent nothing in between, to be taken for
 * one that is unlike.
 */
#include "core/error.h"
#include "hooks/hash.h"
#include "message/internal.h"
#include "message/message.h"

uint32_t ob_call_mark(uint64_t number, uint64_t bytes)
{
    uint32_t sizes = (uint32_t)(ob_mix(bytes) >> 32) % OB_CALL_SIZES + 1;
    return (uint32_t)(number % OB_CALL_NUMBERS) << OB_CALL_NUMBER_AT | sizes;
}

void ob_message_call_between(ob_group *g, uint64_t bytes)
{
    g->call = ob_call_mark(++g->calls, bytes);
}

typedef struct search {
    const ob_group *group;
    const ob_peer *before; /* whose messages were looked at last */
    int tag;               /* of the call's messages */
    int number;            /* of a process that is unlike us, -1: none */
    bool failed;           /* it says that it has failed */
} search;

static bool is_unlike(const ob_group *g, const ob_envelope *e, uint64_t context)
{
    return e->context == context && e->stream == g->stream &&
           e->call >> OB_CALL_NUMBER_AT == g->call >> OB_CALL_NUMBER_AT && e->call != g->call;
}

static void compare(ob_queued *item, void *context)
{
    search *x = context;
    ob_stored *s = (ob_stored *)((char *)item - offsetof(ob_stored, exact));
    if (item->key.tag != x->tag || s->envelope.context != x->group->context ||
        s->envelope.stream != x->group->stream)
        return;
    bool first = s->peer != x->before;
    x->before = s->peer;
    if (first && is_unlike(x->group, &s->envelope, x->group->context)) {
        x->number = s->peer->number;
        x->failed = (s->envelope.call & OB_CALL_SIZES) == 0;
    }
}

/* As who waits names the call: what it has said stays with others, so the number is whole. */
static uint64_t said_of(const ob_group *g, int tag)
{
    return g->context + ob_mix(g->calls << 32 ^ (uint32_t)tag);
}

/* Who waits as we do may have sent nothing to us. */
static int tell_all(const ob_group *g, int tag)
{
    char nothing;
    const ob_envelope e = {
        .context = said_of(g, tag), .stream = g->stream, .tag = OB_TAG_WAITS, .call = g->call};
    int status = OB_OK;
    for (int i = 0; i < g->size && status == OB_OK; i++) {
        ob_peer *peer = g->peer[i];
        ob_cursor none = {.at = &nothing};
        if (i == g->me || peer->transport->gone(peer))
            continue;
        ob_lock_take(&peer->send_lock);
        status = peer->transport->send(peer, &e, &none);
        ob_lock_release(&peer->send_lock);
    }
    return status;
}

static void hear_all(search *x)
{
    const ob_group *g = x->group;
    uint64_t said = said_of(g, x->tag);
    for (int i = 0; i < g->size; i++) {
        ob_peer *peer = g->peer[i];
        ob_lock_take(&peer->recv_lock);
        if (peer->arrival && is_unlike(g, ob_waits_of(peer->arrival, said), said))
            x->number = peer->number;
        ob_lock_release(&peer->recv_lock);
    }
}

int ob_call_look(const ob_group *g, int tag)
{
    ob_matching *m = ob_matching_of(g->job);
    search x = {.group = g, .tag = tag, .number = -1};
    int status = m ? tell_all(g, tag) : OB_ENOMEM;
    if (status == OB_OK)
        status = ob_arrival_take_all(g->job);
    if (status != OB_OK)
        return status;
    hear_all(&x);
    ob_lock_take(&m->lock);
    ob_table_visit(&m->stored, compare, &x);
    ob_lock_release(&m->lock);
    if (x.number < 0)
        return OB_OK;
    if (x.failed)
        return ob_fail(OB_ESIZE, "OB-5015 process %d has failed in a collective call of process %d",
                       x.number, g->job->number);
    return ob_fail(OB_ESIZE,
                   "OB-5016 in a collective call process %d names other bytes than process %d; all "
                   "members must have the same",
                   x.number, g->job->number);
}

/* One wait of this thread. */
typedef struct patience {
    const ob_group *group;
    uint32_t call;
    double since, next;
} patience;

static int unlike(const ob_group *g)
{
    static _Thread_local patience p;
    double now = ob_time();
    if (p.group != g || p.call != g->call)
        p = (patience){.group = g, .call = g->call, .since = now, .next = OB_CALL_PATIENCE};
    if (now - p.since < p.next)
        return OB_OK;
    p.next *= 2;
    return ob_call_look(g, OB_TAG_COLLECTIVE);
}

int ob_message_recv_alike(ob_group *g, int source, const ob_view *matrix)
{
    if (g->nodes <= 1)
        return ob_message_recv(g, source, OB_TAG_COLLECTIVE, matrix, NULL);
    return ob_message_recv_unless(g, source, OB_TAG_COLLECTIVE, matrix, unlike);
}
