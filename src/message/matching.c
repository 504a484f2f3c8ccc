/*
 * Requests, and the queues they and stored messages stand in. Everything here
 * but making and ending a request is done with the matching lock held.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "hooks/check.h"
#include "message/course.h"
#include "message/internal.h"
#include "message/message.h"

static ob_request *request_at(ob_queued *n)
{
    return n ? (ob_request *)((char *)n - offsetof(ob_request, queued)) : NULL;
}

ob_matching *ob_matching_of(ob_job *job)
{
    ob_matching *m = ob_matching_now(job);
    if (m)
        return m;
    ob_lock_take(&job->lock);
    m = atomic_load_explicit(&job->matching, memory_order_relaxed);
    if (m == NULL) {
        m = calloc(1, sizeof *m);
        atomic_store_explicit(&job->matching, m, memory_order_release);
    }
    ob_lock_release(&job->lock);
    if (m == NULL)
        ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for posted receives", job->number);
    return m;
}

/* ------------------------------------------------------------------ requests */

ob_request *ob_request_new(ob_group *g, ob_peer *peer)
{
    ob_matching *m = ob_matching_of(g->job);
    if (m == NULL)
        return NULL;
    ob_lock_take(&m->lock);
    ob_request *r = m->spare;
    if (r)
        m->spare = request_at(r->queued.chain);
    ob_lock_release(&m->lock);
    if (r == NULL)
        r = malloc(sizeof *r);
    if (r == NULL) {
        ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for a request", g->job->number);
        return NULL;
    }
    r->queued.chain = NULL;
    r->job = g->job;
    r->group = g;
    r->peer = peer;
    r->from = NULL;
    r->course = NULL;
    r->large = r->later = false;
    r->status = OB_OK;
    r->error = NULL;
    r->received = (ob_received){.source = -1, .tag = -1};
    r->met = 0;
    r->number = peer ? peer->number : OB_ANY;
    r->trace = g->trace;
    atomic_init(&r->state, OB_REQUEST_WAITS);
    return r;
}

void ob_request_free(ob_request *r)
{
    ob_matching *m = ob_matching_now(r->job);
    free(r->error);
    r->error = NULL;
    ob_lock_take(&m->lock);
    r->queued.chain = m->spare ? &m->spare->queued : NULL;
    m->spare = r;
    ob_lock_release(&m->lock);
}

void ob_request_done(ob_request *r, int status)
{
    r->status = status;
    if (status != OB_OK)
        r->error = strdup(ob_error_text());
    if (r->large)
        atomic_fetch_sub_explicit(&r->job->large, 1, memory_order_relaxed);
    atomic_store_explicit(&r->state, OB_REQUEST_DONE, memory_order_release);
}

/* -------------------------------------------------------------------- counters */

/* One more, or fewer, request that waits for the peer, or for all members of its
 * group. */
static void watch(const ob_request *r, int by)
{
    ob_group *g = r->group;
    for (int i = 0; i < (r->peer ? 1 : g->size); i++) {
        ob_peer *peer = r->peer ? r->peer : g->peer[i];
        ob_count(&peer->interest, by);
        if (r->receives)
            ob_count(&peer->aside, by);
    }
    ob_count(&r->job->pending, by);
}

/* -------------------------------------------------------------- posted receives */

static unsigned kind_of(const ob_key *k)
{
    return (k->source == OB_ANY ? 1 : 0) + (k->tag == OB_ANY ? 2 : 0);
}

bool ob_posted_add(ob_matching *m, ob_request *r)
{
    if (!ob_table_add(&m->posted, &r->queued))
        return false;
    r->order = ++m->orders;
    m->kinds[kind_of(&r->queued.key)]++;
    watch(r, 1);
    return true;
}

void ob_posted_remove(ob_matching *m, ob_request *r)
{
    ob_table_remove(&m->posted, &r->queued);
    m->kinds[kind_of(&r->queued.key)]--;
    watch(r, -1);
}

ob_request *ob_posted_first(const ob_matching *m, const ob_peer *peer, const ob_envelope *e)
{
    ob_request *best = NULL;
    for (unsigned kind = 0; kind < 4; kind++) {
        if (m->kinds[kind] == 0 || (kind >= 2 && ob_tag_is_own(e->tag)))
            continue;
        const ob_key key = {.context = e->context,
                            .source = kind & 1 ? OB_ANY : peer->number,
                            .tag = kind & 2 ? OB_ANY : e->tag,
                            .stream = e->stream};
        ob_request *r = request_at(ob_table_first(&m->posted, &key));
        if (r && (best == NULL || r->order < best->order))
            best = r;
    }
    return best;
}

ob_request *ob_posted_take(ob_matching *m, const ob_peer *peer, const ob_envelope *e)
{
    ob_request *best = ob_posted_first(m, peer, e);
    if (best) {
        ob_posted_remove(m, best);
        best->from = peer;
        atomic_store_explicit(&best->state, OB_REQUEST_MET, memory_order_release);
    }
    return best;
}

/* -------------------------------------------------------------- stored messages */

ob_stored *ob_stored_first(ob_matching *m, const ob_peer *peer, const ob_want *w)
{
    const ob_key key = {
        .context = w->context, .source = peer->number, .tag = w->tag, .stream = w->stream};
    ob_queued *n = ob_table_first(&m->stored, &key);
    if (n == NULL)
        return NULL;
    size_t offset = w->tag == OB_ANY ? offsetof(ob_stored, any) : offsetof(ob_stored, exact);
    return (ob_stored *)((char *)n - offset);
}

void ob_stored_remove(ob_matching *m, ob_stored *s)
{
    ob_table_remove(&m->stored, &s->exact);
    if (!ob_tag_is_own(s->envelope.tag))
        ob_table_remove(&m->stored, &s->any);
    ob_count(&s->peer->aside, -1);
}

bool ob_stored_add(ob_matching *m, ob_stored *s)
{
    const ob_envelope *e = &s->envelope;
    s->exact.key = (ob_key){
        .context = e->context, .source = s->peer->number, .tag = e->tag, .stream = e->stream};
    s->any.key = s->exact.key;
    s->any.key.tag = OB_ANY;
    if (!ob_table_add(&m->stored, &s->exact))
        return false;
    if (!ob_tag_is_own(e->tag) && !ob_table_add(&m->stored, &s->any)) {
        ob_table_remove(&m->stored, &s->exact);
        return false;
    }
    ob_count(&s->peer->aside, 1);
    return true;
}

/* ------------------------------------------------------------ synchronous sends */

bool ob_awaited_add(ob_matching *m, ob_request *r)
{
    r->queued.key = (ob_key){.context = ++m->numbers, .source = r->peer->number};
    if (!ob_table_add(&m->awaited, &r->queued))
        return false;
    watch(r, 1);
    return true;
}

void ob_awaited_remove(ob_matching *m, ob_request *r)
{
    ob_table_remove(&m->awaited, &r->queued);
    watch(r, -1);
}

ob_request *ob_awaited_take(ob_matching *m, const ob_peer *peer, uint64_t number)
{
    const ob_key key = {.context = number, .source = peer->number};
    ob_request *r = request_at(ob_table_first(&m->awaited, &key));
    if (r)
        ob_awaited_remove(m, r);
    return r;
}

/* -------------------------------------------------------------------- endings */

/* Those of the library's own are not the program's: collective calls', marks, and the records
 * that go ahead of messages at level 3. */
static bool is_own(const ob_envelope *e)
{
    return ob_tag_is_own(e->tag) || (ob_check_now > 2 && e->tag && e->type == OB_BYTE &&
                                     e->bytes == sizeof(ob_check_record));
}

void ob_message_lost(ob_lost *lost, int source, const ob_envelope *e)
{
    if (is_own(e))
        return;
    if (lost->count < OB_LOST_NAMED) {
        lost->first[lost->count].source = source;
        lost->first[lost->count].envelope = *e;
    }
    lost->count++;
}

/* Both halves of a message are in the list; the half under its own tag stands for it. */
static void free_stored(ob_queued *list, ob_lost *lost)
{
    ob_queued *doomed = NULL;
    for (ob_queued *n = list; n; n = n->chain)
        if (n->key.tag != OB_ANY) {
            n->next = doomed;
            doomed = n;
        }
    while (doomed) {
        ob_stored *s = (ob_stored *)((char *)doomed - offsetof(ob_stored, exact));
        doomed = doomed->next;
        ob_count(&s->peer->aside, -1);
        if (!s->told)
            ob_message_lost(lost, s->peer->number, &s->envelope);
        free(s);
    }
}

static void end_posted(ob_matching *m, ob_queued *list)
{
    for (ob_queued *n = list, *next; n; n = next) {
        ob_request *r = request_at(n);
        next = n->chain;
        m->kinds[kind_of(&n->key)]--;
        watch(r, -1);
        ob_request_done(
            r, ob_fail(OB_ESTATE,
                       "OB-5011 process %d freed the group of a receive before its message came",
                       r->job->number));
    }
}

/* Synchronous sends of a group, or of a stream of it, linked by `after`. */
typedef struct senders {
    uint64_t context;
    int stream;
    ob_request *first;
} senders;

static void add_sender(ob_queued *n, void *list)
{
    senders *s = list;
    ob_request *r = request_at(n);
    if (r->group->context != s->context || (s->stream && r->group->stream != s->stream))
        return;
    r->after = s->first;
    s->first = r;
}

/* Their queues bear numbers, not the group. What is told later that one of them was met finds
 * nobody. */
static void end_awaited(ob_matching *m, uint64_t context, int stream)
{
    senders s = {.context = context, .stream = stream};
    ob_table_visit(&m->awaited, add_sender, &s);
    for (ob_request *r = s.first, *next; r; r = next) {
        next = r->after;
        ob_awaited_remove(m, r);
        ob_request_done(
            r, ob_fail(OB_ESTATE,
                       "OB-5011 process %d freed the group of a synchronous send before process %d "
                       "received its message",
                       r->job->number, r->number));
    }
}

static void remember_ended(ob_job *job, uint64_t context)
{
    ob_lock_take(&job->lock);
    job->ended[job->ended_next++ % OB_ENDED] = context;
    ob_lock_release(&job->lock);
}

void ob_tables_forget(ob_job *job, uint64_t context, int stream)
{
    ob_matching *m = ob_matching_now(job);
    if (stream == 0)
        remember_ended(job, context);
    if (m == NULL)
        return;
    ob_lock_take(&m->lock);
    if (m->posted.queues)
        end_posted(m, ob_table_take(&m->posted, context, stream ? stream : -1));
    if (m->awaited.queues)
        end_awaited(m, context, stream);
    if (stream == 0 && m->stored.queues)
        free_stored(ob_table_take(&m->stored, context, -1), &m->lost);
    ob_lock_release(&m->lock);
}

static void free_requests(ob_queued *list)
{
    for (ob_queued *next; list; list = next) {
        ob_request *r = request_at(list);
        next = list->chain;
        free(r->error);
        free(r);
    }
}

/* Nobody has ended these. */
static void free_courses(ob_matching *m)
{
    for (ob_course *c = m->courses, *next; c; c = next) {
        next = c->next;
        free(c->request);
        c->request = NULL;
        if (c->destroy)
            c->destroy(c);
    }
}

static void free_arrival(ob_peer *peer)
{
    if (peer->arrival && peer->arrival->active)
        free(peer->arrival->stored);
    if (peer->arrival)
        free(peer->arrival->bundle);
    free(peer->arrival);
}

void ob_message_close(ob_job *job)
{
    ob_matching *m = ob_matching_now(job);
    for (int i = 0; job->peers && i < job->count; i++)
        if (atomic_load(&job->peers[i]))
            free_arrival(atomic_load(&job->peers[i]));
    if (m == NULL)
        return;
    free_stored(ob_table_take_all(&m->stored), &m->lost);
    free_requests(ob_table_take_all(&m->posted));
    free_requests(ob_table_take_all(&m->awaited));
    free_courses(m);
    free_requests(m->spare ? &m->spare->queued : NULL);
    ob_table_free(&m->stored);
    ob_table_free(&m->posted);
    ob_table_free(&m->awaited);
    free(m);
}
