/*
 * Schemes as steps: each move, or those that go together, is a round: sends, which wait for nobody,
 * then receives. What is combined comes to working memory first.
 *
 * Broadcasts over nodes of several members: one of each node, its leader, carries out the scheme,
 * chunk by chunk, and hands each on to its node: while the next one is on its way to it.
 */
#include "collective/data/piece.h"
#include "collective/overlap/prepared.h"
#include "collective/scheme/run.h"

#include <string.h>

typedef struct planned {
    ob_prepared *p;
    ob_vector vector;
    ob_operation operation;
    ob_view matrix;
    char *incoming; /* what is to be combined: of one round */
    bool staged, wanted;
    bool keeps;         /* a broadcast's root: nobody may write its matrix */
    char *spare;        /* for what comes there */
    size_t spare_count; /* of the longest run */
    size_t most;        /* elements of a message */
    const int *leader;  /* members of the scheme, as positions; NULL: all */
    int lead;           /* our node's leader */
    const int *others;  /* of our node, if we lead it */
    int other_count;
    ob_view due; /* what they get as soon as we wait for something */
    bool is_due;
} planned;

/* ------------------------------------------------------------------- the work */

static int pack(const ob_step *step)
{
    planned *w = step->with;
    ob_cursor in;
    ob_cursor_open(&in, &w->matrix);
    if (in.left)
        ob_cursor_pack(&in, w->vector.values, in.left);
    return OB_OK;
}

static int unpack(const ob_step *step)
{
    planned *w = step->with;
    ob_cursor out;
    ob_cursor_open(&out, &w->matrix);
    if (out.left)
        ob_cursor_unpack(&out, w->vector.values, out.left);
    return OB_OK;
}

/* What came for the elements from `first` on; step->view says where it is. */
static int combine(const ob_step *step)
{
    planned *w = step->with;
    const ob_vector *v = &w->vector;
    char *acc = v->values + step->first * v->esize;
    if (v->operation)
        w->operation.apply(step->count, acc, step->view.base, w->operation.context);
    else
        v->kernel(step->count, acc, NULL, step->view.base, NULL);
    return OB_OK;
}

/* ------------------------------------------------------------------- the steps */

static ob_view view_of(const planned *w, ob_span s, char *base)
{
    const ob_vector *v = &w->vector;
    if (v->view)
        return *v->view;
    if (ob_type_bytes(v->type) == v->esize)
        return ob_view_vector(base, s.count, v->type);
    return ob_view_of_bytes(base, s.count * v->esize);
}

static char *place_of(const planned *w, ob_span s)
{
    return w->vector.values + s.start * w->vector.esize;
}

/* A move has up to two runs each way, of which an empty first one is a message, too. */
static int runs_of(const ob_vector *v, ob_range r, ob_range more, ob_span run[2])
{
    run[0] = ob_span_of(v, r);
    run[1] = ob_span_of(v, more);
    return more.b > more.a ? 2 : 1;
}

static int position_of(const planned *w, int member)
{
    return w->leader ? w->leader[member] : member;
}

/* A run's messages to a member, or (receive) from it; the elements lie from base on. */
static void add_messages(planned *w, bool receive, int member, ob_span run, char *base, bool *after)
{
    const ob_vector *v = &w->vector;
    size_t whole = v->cut ? v->cut[v->pieces] : v->count, most = w->most;
    ob_span s = {run.start, ob_piece_first(run.count, whole, most)};
    for (size_t left = run.count;; s.count = ob_piece_next(left, most)) {
        ob_view message = view_of(w, s, base);
        if (receive)
            ob_add_recv(w->p, *after, position_of(w, member), &message);
        else
            ob_add_send(w->p, *after, position_of(w, member), &message);
        *after = false;
        left -= s.count;
        if (!ob_piece_followed(s.count, most))
            return;
        base += s.count * v->esize;
    }
}

static void add_sends(planned *w, const ob_move *m, bool *after)
{
    ob_span run[2];
    int runs = m->to < 0 ? 0 : runs_of(&w->vector, m->send, m->send_more, run);
    for (int k = 0; k < runs; k++)
        add_messages(w, false, m->to, run[k], place_of(w, run[k]), after);
}

/* Where what is not combined comes. A broadcast's root gets its own parts back. */
static char *target_of(planned *w, ob_span s)
{
    if (!w->keeps)
        return place_of(w, s);
    if (s.count > w->spare_count) {
        w->spare = ob_prepared_memory(w->p, s.count * w->vector.esize);
        w->spare_count = s.count;
    }
    return w->spare;
}

/* Returns how many elements of `incoming` are taken. */
static size_t add_receives(planned *w, const ob_move *m, size_t taken, bool *after)
{
    ob_span run[2];
    size_t unit = w->vector.esize;
    int runs = m->from < 0 ? 0 : runs_of(&w->vector, m->recv, m->recv_more, run);
    for (int k = 0; k < runs; k++) {
        char *to = m->combine ? w->incoming + taken * unit : target_of(w, run[k]);
        add_messages(w, true, m->from, run[k], to, after);
        taken += m->combine ? run[k].count : 0;
    }
    return taken;
}

static size_t add_combines(planned *w, const ob_move *m, size_t taken)
{
    ob_span run[2];
    int runs = m->from < 0 || !m->combine ? 0 : runs_of(&w->vector, m->recv, m->recv_more, run);
    for (int k = 0; k < runs; k++) {
        ob_course *c = &w->p->course;
        int before = c->count;
        if (run[k].count == 0)
            continue;
        ob_add_work(w->p, true, combine, w, run[k].start, run[k].count);
        if (c->count > before)
            c->step[before].view.base = w->incoming + taken * w->vector.esize;
        taken += run[k].count;
    }
    return taken;
}

static int end_of_round(const ob_moves *m, int first)
{
    int end = first + 1;
    while (end < m->count && m->at[end].together)
        end++;
    return end;
}

static bool receives(const ob_moves *m, int first, int end)
{
    while (first < end && m->at[first].from < 0)
        first++;
    return first < end;
}

static void hand_on(planned *w, bool after)
{
    if (w->is_due)
        ob_add_send_several(w->p, after, w->others, w->other_count, &w->due);
    w->is_due = false;
}

static void add_rounds(planned *w, const ob_moves *m)
{
    for (int first = 0, end; first < m->count; first = end) {
        bool after = true;
        size_t taken = 0;
        end = end_of_round(m, first);
        for (int i = first; i < end; i++)
            add_sends(w, &m->at[i], &after);
        for (int i = first; i < end; i++)
            taken = add_receives(w, &m->at[i], taken, &after);
        if (receives(m, first, end))
            hand_on(w, false);
        taken = 0;
        for (int i = first; i < end; i++)
            taken = add_combines(w, &m->at[i], taken);
    }
}

/* Elements that one round combines, at most. */
static size_t most_incoming(const ob_vector *v, const ob_moves *m)
{
    size_t most = 0;
    ob_span run[2];
    for (int first = 0, end; first < m->count; first = end) {
        size_t all = 0;
        end = end_of_round(m, first);
        for (int i = first; i < end; i++) {
            int runs = m->at[i].from < 0 || !m->at[i].combine
                           ? 0
                           : runs_of(v, m->at[i].recv, m->at[i].recv_more, run);
            for (int k = 0; k < runs; k++)
                all += run[k].count;
        }
        most = all > most ? all : most;
    }
    return most;
}

static planned *new_planned(ob_prepared *p, const ob_view *matrix, bool wanted)
{
    planned *w = ob_prepared_memory(p, sizeof *w);
    if (w)
        *w = (planned){.p = p, .matrix = *matrix, .wanted = wanted};
    return w;
}

/* Between nodes messages are such as a sender's MPI library sends without asking the receiver,
 * which may be away. */
static void cut_messages(planned *w, bool between_nodes)
{
    bool cut = between_nodes && !w->vector.view;
    w->most = ob_piece_most(cut ? ob_run_piece(w->p->group) / w->vector.esize : SIZE_MAX);
}

/* The moves of a vector, or (pieces) of one in pieces. */
static void add_scheme(planned *w, const ob_scheme *scheme, int pieces, int root)
{
    ob_moves moves = {0};
    cut_messages(w, w->p->group->nodes > 1);
    ob_scheme_moves(scheme, pieces, root, w->p->group->me, &moves);
    size_t incoming = most_incoming(&w->vector, &moves);
    if (incoming)
        w->incoming = ob_prepared_memory(w->p, incoming * w->vector.esize);
    w->p->failed |= moves.failed;
    if (!w->p->failed)
        add_rounds(w, &moves);
    ob_moves_free(&moves);
}

/* The vector of a broadcast, which is one run of memory or a message. */
static planned *open_broadcast(ob_prepared *p, bool has, const ob_view *matrix, int blocks,
                               bool whole)
{
    planned *w = new_planned(p, matrix, !has);
    if (w == NULL)
        return NULL;
    w->vector = (ob_vector){.group = p->group,
                            .values = matrix->base,
                            .esize = 1,
                            .type = OB_BYTE,
                            .count = ob_view_bytes(matrix),
                            .blocks = blocks};
    if (blocks == 1 && whole)
        w->vector.view = &w->matrix;
    w->staged = !w->vector.view && !ob_view_contiguous(matrix);
    if (w->staged)
        w->vector.values = ob_prepared_memory(p, w->vector.count);
    if (w->staged && has)
        ob_add_work(p, false, pack, w, 0, 0);
    w->keeps = has && !w->staged;
    return w;
}

static void close_broadcast(planned *w)
{
    if (w->staged && w->wanted)
        ob_add_work(w->p, true, unpack, w, 0, 0);
}

void ob_planned_broadcast(ob_prepared *p, int root, const ob_view *matrix, const ob_scheme *scheme)
{
    planned *w = open_broadcast(p, p->group->me == root, matrix, ob_scheme_blocks(scheme, 0), true);
    if (w == NULL)
        return;
    add_scheme(w, scheme, 0, root);
    close_broadcast(w);
}

/* ------------------------------------------------------------------- over nodes */

static void find_others(planned *w)
{
    const ob_group *g = w->p->group;
    int *others = ob_prepared_memory(w->p, (size_t)g->size * sizeof *others);
    for (int i = 0; others && i < g->size; i++)
        if (i != g->me && g->node[i] == g->node[g->me])
            others[w->other_count++] = i;
    w->others = others;
}

/* The leader's steps for the next chunk, or (NULL) those of another member of its node. */
static void add_chunk(planned *w, const ob_moves *leads)
{
    ob_span all = {0, w->vector.count};
    ob_view chunk = view_of(w, all, w->vector.values);
    if (leads == NULL) {
        ob_add_recv(w->p, false, w->lead, &chunk);
        return;
    }
    add_rounds(w, leads);
    hand_on(w, true);
    w->due = chunk;
    w->is_due = w->other_count > 0;
}

/* They are cut as members that disagree about the bytes must cut (piece.h). */
static void add_chunks(planned *w, size_t first, size_t chunk, const ob_moves *begin,
                       const ob_moves *rest)
{
    const ob_vector whole = w->vector;
    size_t left = whole.count - first, most = ob_piece_most(chunk);
    bool followed = ob_piece_followed(first, ob_piece_most(OB_RUN_EAGER));
    w->vector.count = first;
    w->vector.blocks = 1;
    add_chunk(w, begin);
    w->vector.blocks = whole.blocks;
    cut_messages(w, chunk > OB_RUN_EAGER);
    while (followed) {
        w->vector.values += w->vector.count;
        w->vector.count = ob_piece_next(left, most);
        left -= w->vector.count;
        add_chunk(w, rest);
        followed = ob_piece_followed(w->vector.count, most);
    }
    hand_on(w, true);
    w->vector = whole;
}

static void lead(planned *w, int me, size_t first, const ob_between *between)
{
    ob_moves begin = {0}, rest = {0};
    find_others(w);
    ob_scheme_moves(&between->first, 0, 0, me, &begin);
    ob_scheme_moves(&between->rest, 0, 0, me, &rest);
    w->p->failed |= begin.failed || rest.failed;
    if (!w->p->failed)
        add_chunks(w, first, between->chunk, &begin, &rest);
    ob_moves_free(&begin);
    ob_moves_free(&rest);
}

/* The first piece goes one way whatever the bytes are, and its length says how many follow. So
 * members that name other bytes, who may have chosen another scheme, find out there, and nobody
 * waits for a piece of a scheme that is not the sender's. */
void ob_nodes_broadcast(ob_prepared *p, int root, const ob_view *matrix, const int *leaders,
                        const ob_between *between)
{
    const ob_group *g = p->group;
    int node = g->node[g->me], base = g->node[root];
    int *order = ob_prepared_memory(p, (size_t)g->nodes * sizeof *order);
    size_t bytes = ob_view_bytes(matrix), most = ob_piece_most(OB_RUN_EAGER);
    size_t first = ob_piece_short_first(bytes, most);
    bool one = !ob_piece_followed(first, most);
    planned *w = open_broadcast(p, g->me == root, matrix,
                                one ? 1 : ob_scheme_blocks(&between->rest, 0), one);
    if (w == NULL || order == NULL)
        return;
    for (int k = 0; k < g->nodes; k++)
        order[k] = leaders[(base + k) % g->nodes];
    w->leader = order;
    w->lead = leaders[node];
    cut_messages(w, false);
    if (leaders[node] == g->me)
        lead(w, (node - base + g->nodes) % g->nodes, first, between);
    else if (!p->failed)
        add_chunks(w, first, between->chunk, NULL, NULL);
    close_broadcast(w);
}

void ob_planned_combine(ob_prepared *p, const ob_combining *what, const ob_scheme *scheme)
{
    bool wanted = what->root == OB_ANY || what->root == p->group->me;
    planned *w = new_planned(p, &what->matrix, wanted);
    if (w == NULL)
        return;
    if (what->operation)
        w->operation = *what->operation;
    size_t esize = what->operation ? w->operation.element_bytes : ob_type_bytes(what->matrix.type);
    w->vector = (ob_vector){
        .group = p->group,
        .values = what->matrix.base,
        .esize = esize,
        .type = what->matrix.type,
        .count = ob_view_bytes(&what->matrix) / esize,
        .blocks = ob_scheme_blocks(scheme, 0),
        .operation = what->operation ? &w->operation : NULL,
        .kernel = what->operation ? NULL : ob_kernel_find(what->op, what->matrix.type, 0)};
    w->staged = !ob_view_contiguous(&what->matrix) || (what->keep && !wanted);
    if (w->staged) {
        w->vector.values = ob_prepared_memory(p, w->vector.count * esize);
        ob_add_work(p, false, pack, w, 0, 0);
    }
    add_scheme(w, scheme, 0, what->root == OB_ANY ? 0 : what->root);
    if (w->staged && wanted)
        ob_add_work(p, true, unpack, w, 0, 0);
}

/* Pieces that are not one run of memory go through one. */
static int move_pieces(const ob_step *step)
{
    planned *w = step->with;
    const ob_parts *parts = &w->p->parts[0];
    bool out = step->first != 0;
    for (int i = 0; i < parts->size; i++) {
        size_t bytes = ob_part_bytes(parts, i);
        char *at = w->vector.values + parts->cut[i];
        ob_cursor c;
        if ((i == w->p->group->me) == out || bytes == 0)
            continue;
        ob_cursor_open(&c, &parts->view[i]);
        if (out)
            ob_cursor_unpack(&c, at, bytes);
        else
            ob_cursor_pack(&c, at, bytes);
    }
    return OB_OK;
}

void ob_planned_collect(ob_prepared *p, const ob_scheme *scheme)
{
    const ob_parts *parts = &p->parts[0];
    int size = p->group->size;
    planned *w = new_planned(p, &parts->view[p->group->me], true);
    if (w == NULL)
        return;
    w->vector = (ob_vector){.group = p->group,
                            .values = parts->flat,
                            .esize = 1,
                            .type = OB_BYTE,
                            .blocks = ob_scheme_blocks(scheme, size),
                            .cut = parts->cut,
                            .pieces = size};
    w->staged = parts->flat == NULL;
    if (w->staged) {
        w->vector.values = ob_prepared_memory(p, ob_parts_bytes(parts));
        ob_add_work(p, false, move_pieces, w, 0, 0);
    }
    add_scheme(w, scheme, size, 0);
    if (w->staged)
        ob_add_work(p, true, move_pieces, w, 1, 0);
}
