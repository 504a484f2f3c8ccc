/*
 * Long collects and distributed combines where each process has a processor, of equal pieces, and
 * as many members on each node: all carry pieces to the network (carried.c), not one leader.
 *
 *   collect      the members of each place on all nodes collect their pieces, then each node
 *   distribute   each node combines, for each member those of its place; then these, over the nodes
 *
 * The pieces of one place lie apart in the vector as columns of a matrix.
 */
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "message/message.h"

#include <stdlib.h>

/* Shorter ones take too few bytes for as many more messages (bench/sim/README.md). */
enum { LEAST = 128 << 10, LEAST_OF_MEMBER = 1 << 10 };

typedef struct carry {
    ob_levels *levels;
    ob_task task;
    const ob_parts *parts;
    const ob_query *promises;
    char *vector, *own; /* own: it was allocated */
    size_t piece;       /* bytes */
    ob_parts within, across;
} carry;

static bool are_equal(const ob_parts *p)
{
    for (int i = 1; i < p->size; i++)
        if (p->cut[i + 1] - p->cut[i] != p->cut[1])
            return false;
    return true;
}

static bool may_be_carried(const ob_group *g, const ob_levels *l, const ob_parts *p,
                           const ob_query *q)
{
    size_t bytes = ob_parts_bytes(p);
    return (q->task == OB_TASK_COLLECT || q->task == OB_TASK_DISTRIBUTE) && l->carriers > 1 &&
           l->carriers * g->nodes == g->size && l->carried != OB_NOT_CARRIED && !q->native &&
           !q->repeatable && bytes >= LEAST && bytes >= (size_t)g->size * LEAST_OF_MEMBER &&
           are_equal(p);
}

static void copy(const ob_parts *p, int i, char *at, bool in)
{
    const ob_view *v = &p->view[i];
    ob_cursor c;
    if (v->base == NULL || v->base == at)
        return;
    ob_cursor_open(&c, v);
    if (in)
        ob_cursor_pack(&c, at, c.left);
    else
        ob_cursor_unpack(&c, at, c.left);
}

/* The vector's pieces that the member has, in or out. */
static void copy_pieces(const carry *c, int me, bool in)
{
    bool all = in == (c->task == OB_TASK_DISTRIBUTE);
    for (int i = 0; c->own && i < c->parts->size; i++)
        if (all || i == me)
            copy(c->parts, i, c->vector + (size_t)i * c->piece, in);
}

static void make_parts(carry *c)
{
    const ob_parts *p = c->parts;
    size_t members = (size_t)c->levels->local->size, nodes = (size_t)c->levels->across->size,
           me = (size_t)c->levels->local->me, count = p->cut[1];
    bool typed = ob_type_bytes(p->type) == p->esize && p->kernel;
    ob_type type = typed ? p->type : OB_BYTE;
    size_t m = typed ? count : c->piece;
    c->within.size = (int)members;
    c->across.size = (int)nodes;
    for (size_t i = 0; i < members; i++)
        c->within.view[i] = (ob_view){
            .base = c->vector + i * c->piece, .m = m, .n = nodes, .ld = m * members, .type = type};
    for (size_t i = 0; i <= members; i++)
        c->within.cut[i] = i * count * nodes;
    for (size_t k = 0; k < nodes; k++)
        c->across.view[k] = ob_view_vector(c->vector + (k * members + me) * c->piece, m, type);
    for (size_t k = 0; k <= nodes; k++)
        c->across.cut[k] = k * count;
}

static int within(carry *c)
{
    return ob_parts_node(c->levels->local, c->task, 0, &c->within);
}

static int across(carry *c)
{
    ob_scheme scheme;
    ob_query q = *c->promises;
    q.bytes = ob_parts_bytes(&c->across);
    q.moves = true;
    int status = ob_plan_scheme(c->levels->across, &q, &scheme);
    return status == OB_OK ? ob_scheme_parts(c->levels->across, c->task, 0, &c->across, &scheme)
                           : status;
}

static int run(carry *c, int me)
{
    bool collects = c->task == OB_TASK_COLLECT;
    make_parts(c);
    copy_pieces(c, me, true);
    int status = collects ? across(c) : within(c);
    if (status == OB_OK)
        status = collects ? within(c) : across(c);
    if (status == OB_OK)
        copy_pieces(c, me, false);
    return status;
}

static int carry_parts(carry *c, int me)
{
    size_t members = (size_t)c->levels->local->size, nodes = (size_t)c->levels->across->size,
           most = members + nodes + 2, tables = most * (sizeof(ob_view) + sizeof(size_t)),
           bytes = tables + (c->parts->flat ? 0 : ob_parts_bytes(c->parts));
    char *memory = malloc(bytes);
    if (memory == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %zu bytes", ob_task_name(c->task),
                       bytes);
    c->within = c->across = *c->parts;
    c->within.alike = true;
    c->within.flat = c->across.flat = NULL;
    c->within.view = (ob_view *)(void *)memory;
    c->across.view = c->within.view + members;
    c->within.cut = (size_t *)(void *)(memory + most * sizeof(ob_view));
    c->across.cut = c->within.cut + members + 1;
    c->own = c->parts->flat ? NULL : memory + tables;
    c->vector = c->own ? c->own : c->parts->flat;
    int status = run(c, me);
    free(memory);
    return status;
}

int ob_parts_carried(ob_group *g, const ob_parts *parts, const ob_query *promises, bool *done)
{
    carry c = {.task = promises->task, .parts = parts, .promises = promises};
    int status = ob_levels_of(g, 0, &c.levels);
    *done = status != OB_OK;
    if (*done || !may_be_carried(g, c.levels, parts, promises))
        return status;
    status = ob_carried_ask(g, c.levels, ob_parts_bytes(parts), promises);
    *done = status != OB_OK || c.levels->carried == OB_CARRIED;
    if (status != OB_OK || !*done)
        return status;
    c.piece = ob_part_bytes(parts, 0);
    status = ob_boards_open_across(c.levels);
    if (status == OB_OK)
        status = carry_parts(&c, g->me);
    return status == OB_OK ? OB_OK : ob_carried_fail(c.levels, status);
}
