/*
 * The executor: sends and receives of element ranges, and combining.
 */
#include "collective/scheme/run.h"

#include <string.h>

#include "collective/data/parts.h"
#include "collective/data/piece.h"
#include "message/message.h"

/* The element a block begins with. */
static size_t start_of(const ob_vector *v, int block)
{
    if (v->cut == NULL)
        return ob_part_start(v->count, (size_t)v->blocks, (size_t)block);
    int fine = v->blocks / v->pieces, piece = block / fine, part = block % fine;
    if (part == 0)
        return v->cut[piece];
    return v->cut[piece] +
           ob_part_start(v->cut[piece + 1] - v->cut[piece], (size_t)fine, (size_t)part);
}

ob_span ob_span_of(const ob_vector *v, ob_range r)
{
    if (r.a == r.b)
        return (ob_span){0, 0};
    size_t start = start_of(v, r.a);
    return (ob_span){start, start_of(v, r.b) - start};
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

static int send_piece(const ob_vector *v, int to, ob_span s, char *scratch)
{
    ob_view m = message_of(v, s.count ? at(v, s.start) : scratch, s.count);
    if (v->owners) {
        m.base = scratch;
        memcpy(scratch, at(v, s.start), s.count * v->esize);
        memcpy(scratch + s.count * v->esize, owners_at(v, s.start), s.count * sizeof(int32_t));
    }
    return ob_message_send(v->group, to, OB_TAG_COLLECTIVE, &m);
}

static void combine(const ob_vector *v, ob_span s, const char *in)
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

static int recv_piece(const ob_vector *v, int from, ob_span s, bool combined, char *scratch)
{
    bool direct = !combined && !v->owners;
    char *place = !direct || s.count == 0 ? scratch : v->spare ? v->spare : at(v, s.start);
    ob_view m = message_of(v, place, s.count);
    int status = ob_message_recv_alike(v->group, from, &m);
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

/* On shared links never so many that the network asks the receiver first: a receive that is
 * waited for would hold up what comes over other links. Nor between nodes, where asking costs
 * more than the copy it saves (bench/sim/README.md). Where it is not known which members share a
 * node, asking costs least once a window. */
size_t ob_run_piece(const ob_group *g)
{
    if (g->links_shared || g->nodes > 1)
        return OB_RUN_EAGER;
    return g->one_node || g->nodes ? OB_RUN_PIECE : OB_RUN_WINDOW;
}

size_t ob_run_longest(const ob_group *g, size_t unit)
{
    return ob_piece_most(ob_run_piece(g) / unit) * unit;
}

/* Elements of one message: all of them where nothing is combined or packed, but for what the
 * network says. */
static size_t piece_most(const ob_vector *v, const ob_move *m)
{
    const ob_group *g = v->group;
    bool packed = m->combine || v->owners, network = g->links_shared || g->nodes > 1;
    /* A gather's receiver waits for nothing else. At the end of a combine pieces of several
     * that are under way at once gain more than they cost: 48 ms against 60 for 1 MiB. */
    if (g->links_shared && m->last && !m->combine && v->cut)
        return ob_piece_most((size_t)-1);
    return ob_piece_most(packed || network ? ob_run_piece(g) / unit(v) : (size_t)-1);
}

static size_t whole_of(const ob_vector *v)
{
    return v->whole ? v->whole : v->cut ? v->cut[v->pieces] : v->count;
}

/* One direction of a move under way: what is left of its runs, and of how many elements its
 * messages are. An empty run is a message all the same: the order of messages does not depend on
 * the bytes. */
typedef struct way {
    const ob_move *move;
    ob_span left[2];
    int spans, at; /* runs in all, and the one under way */
    bool begun;    /* the run under way */
    size_t most;   /* elements of a message */
    size_t moved;  /* elements of the last window */
} way;

static way open_way(const ob_vector *v, const ob_move *m, ob_range r, ob_range more)
{
    return (way){.move = m,
                 .left = {ob_span_of(v, r), ob_span_of(v, more)},
                 .spans = more.b > more.a ? 2 : 1,
                 .most = piece_most(v, m)};
}

static bool is_open(const way *w)
{
    return w->at < w->spans;
}

static size_t next_piece(const ob_vector *v, const way *w)
{
    size_t left = w->left[w->at].count;
    return w->begun ? ob_piece_next(left, w->most) : ob_piece_first(left, whole_of(v), w->most);
}

/* Sends, or receives, the next window's worth of messages. */
static int advance(const ob_vector *v, way *w, bool send, char *scratch)
{
    int status = OB_OK;
    w->moved = 0;
    while (is_open(w) && w->moved < OB_RUN_WINDOW / unit(v) && status == OB_OK) {
        ob_span *all = &w->left[w->at], s = {all->start, next_piece(v, w)};
        status = send ? send_piece(v, w->move->to, s, scratch)
                      : recv_piece(v, w->move->from, s, w->move->combine, scratch);
        all->start += s.count;
        all->count -= s.count;
        w->moved += s.count;
        w->begun = ob_piece_followed(s.count, w->most);
        w->at += !w->begun;
    }
    return status;
}

size_t ob_run_scratch(const ob_vector *v, const ob_moves *moves)
{
    size_t most = 0;
    for (int k = 0; k < moves->count; k++) {
        const ob_move *m = &moves->at[k];
        size_t in = m->combine ? ob_span_of(v, m->recv).count : 0;
        most = in > most ? in : most;
    }
    most *= unit(v);
    size_t piece = ob_run_longest(v->group, unit(v));
    return (most < piece ? most : piece) + 64;
}

/* Those who have yet to say that they have what we sent. */
typedef struct answers {
    int from[2 * OB_COLOURS];
    int count;
} answers;

static bool answered(const ob_vector *v, const way *w)
{
    bool waits = w->move->last || w->move->paced;
    return v->group->links_shared && !waits && w->moved * unit(v) >= OB_RUN_ANSWER;
}

static int take_answers(const ob_vector *v, answers *a)
{
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    int status = OB_OK;
    for (int k = 0; k < a->count && status == OB_OK; k++)
        status = ob_message_recv_alike(v->group, a->from[k], &nothing);
    a->count = 0;
    return status;
}

static int give_answer(const ob_vector *v, int to)
{
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    return ob_message_send(v->group, to, OB_TAG_COLLECTIVE, &nothing);
}

/* Moves that go together. */
typedef struct batch {
    way out[2 * OB_COLOURS], in[2 * OB_COLOURS];
    int outs, ins;
} batch;

static void join_batch(const ob_vector *v, const ob_move *m, batch *b)
{
    if (m->to >= 0)
        b->out[b->outs++] = open_way(v, m, m->send, m->send_more);
    if (m->from >= 0)
        b->in[b->ins++] = open_way(v, m, m->recv, m->recv_more);
}

static int send_window(const ob_vector *v, batch *b, char *scratch, answers *a)
{
    int status = OB_OK;
    for (int k = 0; k < b->outs && status == OB_OK; k++) {
        way *w = &b->out[k];
        if (!is_open(w))
            continue;
        status = advance(v, w, true, scratch);
        if (answered(v, w))
            a->from[a->count++] = w->move->to;
    }
    return status;
}

static int recv_window(const ob_vector *v, batch *b, char *scratch)
{
    int status = OB_OK;
    for (int k = 0; k < b->ins && status == OB_OK; k++) {
        way *w = &b->in[k];
        if (!is_open(w))
            continue;
        status = advance(v, w, false, scratch);
        if (status == OB_OK && answered(v, w))
            status = give_answer(v, w->move->from);
    }
    return status;
}

static bool batch_open(const batch *b)
{
    bool open = false;
    for (int k = 0; k < b->outs; k++)
        open |= is_open(&b->out[k]);
    for (int k = 0; k < b->ins; k++)
        open |= is_open(&b->in[k]);
    return open;
}

/* Before we send again, and before what comes from one whose answer comes first. */
static bool wants_answers(const batch *b, const answers *a)
{
    for (int k = 0; k < b->ins; k++)
        for (int i = 0; i < a->count; i++)
            if (a->from[i] == b->in[k].move->from)
                return true;
    return b->outs > 0;
}

/* Window by window, so that nobody sends a long vector far ahead of what is received: messages wait
 * in somebody's memory. Where nobody answers, sends are one window ahead, and no link waits. */
static int run_batch(const ob_vector *v, batch *b, char *scratch, answers *a)
{
    int status = wants_answers(b, a) ? take_answers(v, a) : OB_OK;
    if (status == OB_OK && !v->group->links_shared)
        status = send_window(v, b, scratch, a);
    for (bool first = true; status == OB_OK && batch_open(b); first = false) {
        if (!first)
            status = take_answers(v, a);
        if (status == OB_OK)
            status = send_window(v, b, scratch, a);
        if (status == OB_OK)
            status = recv_window(v, b, scratch);
    }
    return status;
}

/* The vector is a view, and each message all of it. */
static int move_view(const ob_vector *v, const ob_move *m)
{
    int status = OB_OK;
    if (m->to >= 0)
        status = ob_message_send(v->group, m->to, OB_TAG_COLLECTIVE, v->view);
    if (status == OB_OK && m->from >= 0)
        status = ob_message_recv_alike(v->group, m->from, v->view);
    return status;
}

int ob_run(const ob_vector *v, const ob_moves *moves, char *scratch)
{
    answers a = {.count = 0};
    int status = OB_OK;
    for (int k = 0; k < moves->count && status == OB_OK;) {
        batch b = {.outs = 0};
        if (v->view) {
            status = move_view(v, &moves->at[k++]);
            continue;
        }
        do
            join_batch(v, &moves->at[k++], &b);
        while (k < moves->count && moves->at[k].together && b.outs < 2 * OB_COLOURS &&
               b.ins < 2 * OB_COLOURS);
        status = run_batch(v, &b, scratch, &a);
    }
    if (status == OB_OK)
        status = take_answers(v, &a);
    if (status != OB_OK && v->group->nodes > 1)
        ob_message_fail_all(v->group);
    return status;
}
