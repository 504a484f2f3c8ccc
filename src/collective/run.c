/*
 * The executor: sends and receives of element ranges, and combining.
 */
#include "collective/run.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "message/message.h"

static size_t part_start(size_t n, size_t parts, size_t i)
{
    size_t more = n % parts;
    return n / parts * i + (i < more ? i : more);
}

size_t ob_vector_start(const ob_vector *v, int block)
{
    if (v->cut == NULL)
        return part_start(v->count, (size_t)v->blocks, (size_t)block);
    int fine = v->blocks / v->pieces, piece = block / fine, part = block % fine;
    if (part == 0)
        return v->cut[piece];
    return v->cut[piece] +
           part_start(v->cut[piece + 1] - v->cut[piece], (size_t)fine, (size_t)part);
}

typedef struct span {
    size_t start, count; /* elements */
} span;

static span span_of(const ob_vector *v, ob_range r)
{
    if (r.a == r.b)
        return (span){0, 0};
    size_t start = ob_vector_start(v, r.a);
    return (span){start, ob_vector_start(v, r.b) - start};
}

static char *at(const ob_vector *v, size_t element)
{
    return v->values + (element - v->first) * v->esize;
}

static int32_t *owners_at(const ob_vector *v, size_t element)
{
    return v->owners + (element - v->first);
}

/* Bytes an element takes in a message. */
static size_t unit(const ob_vector *v)
{
    return v->esize + (v->owners ? sizeof(int32_t) : 0);
}

/* Values alone keep their type, for the error line of members that disagree. */
static ob_view message_of(const ob_vector *v, void *base, size_t count)
{
    ob_view m = ob_view_of_bytes(base, count * unit(v));
    if (!v->owners && !v->operation && ob_type_bytes(v->type) == v->esize) {
        m.m = count;
        m.ld = count ? count : 1;
        m.type = v->type;
    }
    return m;
}

static int send_piece(const ob_vector *v, int to, span s, char *scratch)
{
    ob_view m = message_of(v, s.count ? at(v, s.start) : scratch, s.count);
    if (v->owners) {
        m.base = scratch;
        memcpy(scratch, at(v, s.start), s.count * v->esize);
        memcpy(scratch + s.count * v->esize, owners_at(v, s.start), s.count * sizeof(int32_t));
    }
    return ob_message_send(v->group, to, OB_TAG_COLLECTIVE, &m);
}

static void combine(const ob_vector *v, span s, const char *in)
{
    char *acc = at(v, s.start);
    if (v->operation)
        v->operation->apply(s.count, acc, in, v->operation->context);
    else if (v->owners)
        v->kernel(s.count, acc, owners_at(v, s.start), in,
                  (const int32_t *)(const void *)(in + s.count * v->esize));
    else
        v->kernel(s.count, acc, NULL, in, NULL);
}

static int recv_piece(const ob_vector *v, int from, span s, bool combined, char *scratch)
{
    bool direct = !combined && !v->owners;
    ob_view m = message_of(v, direct && s.count ? at(v, s.start) : scratch, s.count);
    int status = ob_message_recv(v->group, from, OB_TAG_COLLECTIVE, &m, NULL);
    if (status != OB_OK || direct || s.count == 0)
        return status;
    if (combined) {
        combine(v, s, scratch);
    } else {
        memcpy(at(v, s.start), scratch, s.count * v->esize);
        memcpy(owners_at(v, s.start), scratch + s.count * v->esize, s.count * sizeof(int32_t));
    }
    return OB_OK;
}

/* Elements of one message: all of them where nothing is combined or packed. On
 * shared links never so many that the network asks the receiver first: a receive that is
 * waited for would hold up what comes over other links. Nor between nodes, where asking costs
 * more than the copy it saves (docs/performance.md). */
static size_t piece_most(const ob_vector *v, const ob_move *m)
{
    bool combined = m->combine;
    /* A gather's receiver waits for nothing else. At the end of a combine pieces of several
     * that are under way at once gain more than they cost: 48 ms against 60 for 1 MiB. */
    if (v->group->links_shared && m->last && !combined && v->cut)
        return (size_t)-1;
    if (v->group->links_shared || v->group->nodes > 1)
        return OB_RUN_EAGER / unit(v);
    return combined || v->owners ? OB_RUN_PIECE / unit(v) : (size_t)-1;
}

static size_t whole_of(const ob_vector *v)
{
    return v->cut ? v->cut[v->pieces] : v->count;
}

/* An empty run is a message all the same: the shape does not depend on the bytes. */
static int send_span(const ob_vector *v, const ob_move *m, ob_range r, char *scratch)
{
    size_t most = piece_most(v, m);
    span all = span_of(v, r);
    size_t step = v->group->nodes > 1 ? ob_first_piece(all.count, whole_of(v), most) : most;
    int status = OB_OK;
    do {
        span s = {all.start, all.count < step ? all.count : step};
        status = send_piece(v, m->to, s, scratch);
        all.start += s.count;
        all.count -= s.count;
        step = most;
    } while (all.count && status == OB_OK);
    return status;
}

static int recv_span(const ob_vector *v, const ob_move *m, ob_range r, char *scratch)
{
    size_t most = piece_most(v, m);
    span all = span_of(v, r);
    size_t step = v->group->nodes > 1 ? ob_first_piece(all.count, whole_of(v), most) : most;
    int status = OB_OK;
    do {
        span s = {all.start, all.count < step ? all.count : step};
        status = recv_piece(v, m->from, s, m->combine, scratch);
        all.start += s.count;
        all.count -= s.count;
        step = most;
    } while (all.count && status == OB_OK);
    return status;
}

static int one_send(const ob_vector *v, const ob_move *m, char *scratch)
{
    if (v->view)
        return ob_message_send(v->group, m->to, OB_TAG_COLLECTIVE, v->view);
    int status = send_span(v, m, m->send, scratch);
    if (status == OB_OK && m->send_more.b > m->send_more.a)
        status = send_span(v, m, m->send_more, scratch);
    return status;
}

static int one_recv(const ob_vector *v, const ob_move *m, char *scratch)
{
    if (v->view)
        return ob_message_recv(v->group, m->from, OB_TAG_COLLECTIVE, v->view, NULL);
    int status = recv_span(v, m, m->recv, scratch);
    if (status == OB_OK && m->recv_more.b > m->recv_more.a)
        status = recv_span(v, m, m->recv_more, scratch);
    return status;
}

size_t ob_run_scratch(const ob_vector *v, const ob_moves *moves)
{
    size_t most = 0;
    for (int k = 0; k < moves->count; k++) {
        const ob_move *m = &moves->at[k];
        if (!m->combine && !v->owners)
            continue;
        size_t out = span_of(v, m->send).count, in = span_of(v, m->recv).count;
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    most *= unit(v);
    return (most < OB_RUN_PIECE ? most : OB_RUN_PIECE) + 64;
}

/* Those who have yet to say that they have what we sent. */
typedef struct answers {
    int from[2 * OB_COLOURS];
    int count;
} answers;

static bool answered(const ob_vector *v, const ob_move *m, ob_range r, ob_range more)
{
    return v->group->links_shared && !v->view && !m->last &&
           (span_of(v, r).count + span_of(v, more).count) * unit(v) >= OB_RUN_ANSWER;
}

static int take_answers(const ob_vector *v, answers *a)
{
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    int status = OB_OK;
    for (int k = 0; k < a->count && status == OB_OK; k++)
        status = ob_message_recv(v->group, a->from[k], OB_TAG_COLLECTIVE, &nothing, NULL);
    a->count = 0;
    return status;
}

static int give_answer(const ob_vector *v, int to)
{
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    return ob_message_send(v->group, to, OB_TAG_COLLECTIVE, &nothing);
}

static int one_move(const ob_vector *v, const ob_move *m, char *scratch, answers *a)
{
    int status = OB_OK;
    if (m->to >= 0) {
        if (!m->together || a->count == 2 * OB_COLOURS)
            status = take_answers(v, a);
        if (status == OB_OK)
            status = one_send(v, m, scratch);
        if (answered(v, m, m->send, m->send_more))
            a->from[a->count++] = m->to;
    }
    if (status == OB_OK && m->from >= 0) {
        status = one_recv(v, m, scratch);
        if (status == OB_OK && answered(v, m, m->recv, m->recv_more))
            status = give_answer(v, m->from);
    }
    return status;
}

int ob_run(const ob_vector *v, const ob_moves *moves, char *scratch)
{
    answers a = {.count = 0};
    int status = OB_OK;
    for (int k = 0; k < moves->count && status == OB_OK; k++)
        status = one_move(v, &moves->at[k], scratch, &a);
    if (status == OB_OK)
        status = take_answers(v, &a);
    if (status != OB_OK && v->group->nodes > 1)
        ob_run_fail(v->group);
    return status;
}

void ob_run_fail(ob_group *g)
{
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    char kept[1024];
    snprintf(kept, sizeof kept, "%s", ob_error_text());
    for (int i = 0; i < g->size; i++)
        if (i != g->me)
            ob_message_send(g, i, OB_TAG_COLLECTIVE, &nothing);
    ob_fail(OB_OK, "%s", kept);
}
