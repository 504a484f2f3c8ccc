/*
 * Scatter, gather, collect and distributed combine in two levels, where the members of each
 * node follow each other in the group: then a node's pieces are one run of the vector. Leaders
 * exchange such runs by a planned scheme, and share theirs with their node on the board. A
 * vector that is not one run of memory is copied into one.
 */
#include "collective/board/collectives.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"

#include <stdlib.h>

typedef struct estate {
    ob_group *group;
    ob_levels *levels;
    ob_task task;
    int root;
    const ob_query *promises;
    const ob_parts *parts;
    int first;          /* position of the node's first member */
    char *node, *whole; /* memory of the node's pieces; of all, or NULL */
    char *own;          /* what of that was allocated */
    ob_parts local, between;
} estate;

static bool has_whole(const estate *e)
{
    return e->task == OB_TASK_COLLECT || e->task == OB_TASK_DISTRIBUTE || e->group->me == e->root;
}

static size_t start_of(const estate *e, int piece)
{
    return e->parts->cut[piece] * e->parts->esize;
}

/* Memory for the vector, or for the node's part of it, unless the caller's will do. */
static int find_memory(estate *e)
{
    int last = e->first + e->levels->local->size;
    size_t all = ob_parts_bytes(e->parts), low = start_of(e, e->first), high = start_of(e, last);
    if (has_whole(e) && e->parts->flat) {
        e->whole = e->parts->flat;
    } else if (has_whole(e) || e->levels->leading) {
        e->own = malloc((has_whole(e) ? all : high - low) + 1);
        if (e->own == NULL)
            return ob_fail(OB_ENOMEM, "%s: no memory for %zu bytes of pieces",
                           ob_task_name(e->task), all);
        e->whole = has_whole(e) ? e->own : NULL;
    }
    e->node = e->whole ? e->whole + low : e->own;
    return OB_OK;
}

/* The two vectors of the levels: the node's pieces, and one piece for each node. */
static int make_parts(estate *e)
{
    const ob_parts *p = e->parts;
    int members = e->levels->local->size, nodes = e->group->nodes, at = 0;
    size_t cuts = (size_t)(members + nodes + 2) * sizeof(size_t);
    char *memory = malloc(cuts + (size_t)(members + nodes) * sizeof(ob_view));
    if (memory == NULL)
        return ob_fail(OB_ENOMEM, "%s: no memory for %d members", ob_task_name(e->task), p->size);
    e->local = e->between = *p;
    e->local.size = members;
    e->local.cut = (size_t *)(void *)memory;
    e->local.view = (ob_view *)(void *)(memory + cuts);
    e->local.flat = e->node;
    e->between.size = nodes;
    e->between.cut = e->local.cut + members + 1;
    e->between.view = e->local.view + members;
    e->between.flat = e->whole;
    for (int i = 0; i <= members; i++)
        e->local.cut[i] = p->cut[e->first + i] - p->cut[e->first];
    for (int i = 0; i < members; i++)
        e->local.view[i] = ob_view_of_bytes(e->node ? e->node + e->local.cut[i] * p->esize : NULL,
                                            ob_part_bytes(&e->local, i));
    for (int k = 0; k <= nodes; k++) {
        while (at < p->size && e->group->node[at] < k)
            at++;
        e->between.cut[k] = p->cut[k < nodes ? at : p->size];
    }
    for (int k = 0; k < nodes; k++) {
        char *base = e->whole ? e->whole + e->between.cut[k] * p->esize : NULL;
        e->between.view[k] = ob_view_of_bytes(
            k == e->levels->leaders->me && e->node ? e->node : base, ob_part_bytes(&e->between, k));
    }
    return OB_OK;
}

/* The caller's pieces to where the levels work, and back; nothing where that is the same. */
static void copy_piece(const estate *e, int i, char *at, bool in)
{
    const ob_view *v = &e->parts->view[i];
    ob_cursor c;
    if (ob_part_bytes(e->parts, i) == 0 || v->base == NULL || v->base == at)
        return;
    ob_cursor_open(&c, v);
    if (in)
        ob_cursor_pack(&c, at, ob_part_bytes(e->parts, i));
    else
        ob_cursor_unpack(&c, at, ob_part_bytes(e->parts, i));
}

static void copy_pieces(const estate *e, bool in)
{
    for (int i = 0; i < e->parts->size && e->whole && e->own; i++)
        copy_piece(e, i, e->whole + start_of(e, i), in);
}

static void copy_own(const estate *e, bool in)
{
    int me = e->group->me;
    if (e->own && e->node)
        copy_piece(e, me, e->node + start_of(e, me) - start_of(e, e->first), in);
}

/* The member's own piece is read from, or put to, where the caller has it. */
static int within(estate *e, ob_task task)
{
    int me = e->levels->local->me;
    ob_view kept = e->local.view[me];
    if (e->levels->local->size == 1)
        return OB_OK;
    if (e->node == NULL)
        e->local.view[me] = e->parts->view[e->group->me];
    int status = ob_parts_board(e->levels->local, task, e->levels->at, &e->local);
    e->local.view[me] = kept;
    return status;
}

static int between(estate *e)
{
    ob_group *g = e->levels->leaders;
    int root =
        e->task == OB_TASK_SCATTER || e->task == OB_TASK_GATHER ? e->group->node[e->root] : 0;
    ob_query q = *e->promises;
    ob_scheme scheme;
    if (!e->levels->leading)
        return OB_OK;
    q.task = e->task;
    q.root = root;
    q.bytes = ob_parts_bytes(e->parts);
    int status = ob_plan_scheme(g, &q, &scheme);
    return status == OB_OK ? ob_scheme_parts(g, e->task, root, &e->between, &scheme) : status;
}

static int collect(estate *e)
{
    copy_own(e, true);
    int status = within(e, OB_TASK_GATHER);
    if (status == OB_OK)
        status = between(e);
    const ob_view all = ob_view_of_bytes(e->whole, ob_parts_bytes(e->parts));
    if (status == OB_OK && e->levels->local->size > 1)
        status = ob_levels_tell(e->levels, &all);
    if (status == OB_OK)
        copy_pieces(e, false);
    return status;
}

static int scatter(estate *e)
{
    copy_pieces(e, true);
    int status = between(e);
    if (status == OB_OK)
        status = within(e, OB_TASK_SCATTER);
    if (status == OB_OK && e->group->me != e->root)
        copy_own(e, false);
    return status;
}

static int gather(estate *e)
{
    copy_own(e, true);
    int status = within(e, OB_TASK_GATHER);
    if (status == OB_OK)
        status = between(e);
    if (status == OB_OK && e->group->me == e->root)
        copy_pieces(e, false);
    return status;
}

static int distribute(estate *e)
{
    const ob_parts *p = e->parts;
    const ob_view all = ob_view_vector(e->whole, ob_parts_bytes(p) / (p->operation ? 1 : p->esize),
                                       p->operation ? OB_BYTE : p->type);
    int status = OB_OK;
    copy_pieces(e, true);
    if (e->levels->local->size > 1)
        status = ob_combine_board(e->levels->local, e->levels->at, p->op, p->operation, &all, &all,
                                  NULL, false);
    if (status == OB_OK)
        status = between(e);
    if (status == OB_OK)
        status = within(e, OB_TASK_SCATTER);
    if (status == OB_OK)
        copy_own(e, false);
    return status;
}

static int run(estate *e)
{
    switch (e->task) {
    case OB_TASK_COLLECT: return collect(e);
    case OB_TASK_SCATTER: return scatter(e);
    case OB_TASK_GATHER: return gather(e);
    default: return distribute(e);
    }
}

int ob_parts_levels(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_query *promises)
{
    estate e = {.group = group, .task = task, .root = root, .parts = parts, .promises = promises};
    int status = ob_levels_of(group, root, &e.levels);
    if (status != OB_OK)
        return status;
    e.first = e.levels->member[0];
    status = find_memory(&e);
    if (status == OB_OK)
        status = make_parts(&e);
    if (status == OB_OK)
        status = run(&e);
    if (status != OB_OK && e.levels->leading)
        ob_levels_fail(e.levels);
    free(e.local.cut);
    free(e.own);
    return status;
}
