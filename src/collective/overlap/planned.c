/*
 * Schemes as steps: each move, or those that go together, is a round. Messages are as long as the
 * moves say; what is combined comes to working memory first.
 */
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
} planned;

static bool meet(ob_span a, ob_span b)
{
    return a.count && b.count && a.start < b.start + b.count && b.start < a.start + a.count;
}

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

/* Moves from `first` on that go together, up to `end`. Sends go first where receives would write
 * what they read. */
static bool sends_first(const ob_vector *v, const ob_moves *m, int first, int end)
{
    ob_span out[2], in[2];
    for (int i = first; i < end; i++)
        for (int k = first; k < end; k++) {
            if (m->at[i].to < 0 || m->at[k].from < 0 || m->at[k].combine)
                continue;
            int outs = runs_of(v, m->at[i].send, m->at[i].send_more, out);
            int ins = runs_of(v, m->at[k].recv, m->at[k].recv_more, in);
            for (int a = 0; a < outs; a++)
                for (int b = 0; b < ins; b++)
                    if (v->view || meet(out[a], in[b]))
                        return true;
        }
    return false;
}

static void add_sends(planned *w, const ob_move *m, bool *after)
{
    ob_span run[2];
    int runs = m->to < 0 ? 0 : runs_of(&w->vector, m->send, m->send_more, run);
    for (int k = 0; k < runs; k++) {
        ob_view v = view_of(w, run[k], place_of(w, run[k]));
        ob_add_send(w->p, *after, m->to, &v);
        *after = false;
    }
}

/* Returns how many elements of `incoming` are taken. */
static size_t add_receives(planned *w, const ob_move *m, size_t taken, bool *after)
{
    ob_span run[2];
    size_t unit = w->vector.esize;
    int runs = m->from < 0 ? 0 : runs_of(&w->vector, m->recv, m->recv_more, run);
    for (int k = 0; k < runs; k++) {
        char *to = m->combine ? w->incoming + taken * unit : place_of(w, run[k]);
        ob_view v = view_of(w, run[k], to);
        ob_add_recv(w->p, *after, m->from, &v);
        *after = false;
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

static void add_rounds(planned *w, const ob_moves *m)
{
    for (int first = 0, end; first < m->count; first = end) {
        bool after = true, out_first;
        size_t taken = 0;
        end = end_of_round(m, first);
        out_first = sends_first(&w->vector, m, first, end);
        for (int i = first; i < end && out_first; i++)
            add_sends(w, &m->at[i], &after);
        for (int i = first; i < end; i++)
            taken = add_receives(w, &m->at[i], taken, &after);
        for (int i = first; i < end && !out_first; i++)
            add_sends(w, &m->at[i], &after);
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

/* The moves of a vector, or (pieces) of one in pieces. */
static void add_scheme(planned *w, const ob_scheme *scheme, int pieces, int root)
{
    ob_moves moves = {0};
    ob_scheme_moves(scheme, pieces, root, w->p->group->me, &moves);
    size_t incoming = most_incoming(&w->vector, &moves);
    if (incoming)
        w->incoming = ob_prepared_memory(w->p, incoming * w->vector.esize);
    w->p->failed |= moves.failed;
    if (!w->p->failed)
        add_rounds(w, &moves);
    ob_moves_free(&moves);
}

void ob_planned_broadcast(ob_prepared *p, int root, const ob_view *matrix, const ob_scheme *scheme)
{
    bool has = p->group->me == root;
    planned *w = new_planned(p, matrix, !has);
    if (w == NULL)
        return;
    w->vector = (ob_vector){.group = p->group,
                            .values = matrix->base,
                            .esize = 1,
                            .type = OB_BYTE,
                            .count = ob_view_bytes(matrix),
                            .blocks = ob_scheme_blocks(scheme, 0)};
    if (w->vector.blocks == 1)
        w->vector.view = &w->matrix;
    w->staged = !w->vector.view && !ob_view_contiguous(matrix);
    if (w->staged)
        w->vector.values = ob_prepared_memory(p, w->vector.count);
    if (w->staged && has)
        ob_add_work(p, false, pack, w, 0, 0);
    add_scheme(w, scheme, 0, root);
    if (w->staged && !has)
        ob_add_work(p, true, unpack, w, 0, 0);
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
