/*
 * Scatter, gather, collect and distributed combine in two levels, where the members of each
 * node follow each other in the group: then a node's pieces are one run of the vector. Leaders
 * exchange such runs by a planned scheme, and share theirs with their node on the board. A
 * vector that is not one run of memory is copied into one.
 *
 * In tiers the members of each board follow each other in a group made for that, and leaders use
 * boards in their turn.
 */
#include "collective/board/board.h"
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
    ob_node_combine *combine; /* within a node */
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
            return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %zu bytes of pieces",
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
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %d members", ob_task_name(e->task),
                       p->size);
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
    int status = ob_pieces_node(e->levels->local, task, e->levels->at, &e->local);
    e->local.view[me] = kept;
    return status;
}

static int between(estate *e)
{
    ob_group *g = e->levels->leaders;
    int root =
        e->task == OB_TASK_SCATTER || e->task == OB_TASK_GATHER ? e->group->node[e->root] : 0;
    ob_scheme scheme;
    if (!e->levels->leading)
        return OB_OK;
    if (g->one_node)
        return ob_pieces_node(g, e->task, root, &e->between);
    ob_query q = *e->promises;
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
    bool unlike = false;
    if (status == OB_OK && e->levels->local->size > 1)
        status = ob_levels_tell(e->levels, &all, &unlike);
    if (unlike && e->parts->kind == OB_PARTS_SUPERSTEP)
        status = ob_board_mixed(e->levels->local, e->levels->local->me, e->levels->at);
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
        status = e->combine(e->levels->local, e->levels->at, p->op, p->operation, &all, &all, NULL,
                            false);
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
                    const ob_query *promises, ob_node_combine *combine)
{
    estate e = {.group = group,
                .task = task,
                .root = root,
                .parts = parts,
                .promises = promises,
                .combine = combine};
    int status = ob_levels_of(group, root, &e.levels);
    if (status != OB_OK)
        return status;
    e.first = e.levels->member[0];
    status = ob_boards_open(e.levels, task == OB_TASK_COLLECT || task == OB_TASK_DISTRIBUTE);
    if (status == OB_OK)
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

/* ------------------------------------------------------------------------- tiers */

/* A scatter's or gather's root that leads no board, and the leader it has. The leader has the
 * whole vector, and is in the root's place in the tiers. */
typedef struct proxy {
    ob_group *order;
    ob_task task;
    int root, leader;
    const ob_parts *parts;
    ob_parts inner; /* what the tiers see */
    char *vector;
} proxy;

/* The leader works on memory of its own; so does a root that gets its own piece back, which the
 * caller may have where nothing can be written. */
static int open_proxy(proxy *x)
{
    int n = x->parts->size, me = x->order->me;
    bool leads = me == x->leader, scatters = x->task == OB_TASK_SCATTER;
    size_t views = (size_t)n * sizeof(ob_view), bytes = ob_parts_bytes(x->parts);
    x->inner = *x->parts;
    x->inner.flat = leads ? x->vector : NULL;
    if (!leads && me != x->root)
        return OB_OK;
    x->inner.view = malloc(views + bytes);
    if (x->inner.view == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %zu bytes", ob_task_name(x->task),
                       bytes);
    x->vector = (char *)x->inner.view + views;
    x->inner.flat = leads ? x->vector : NULL;
    for (int i = 0; i < n; i++) {
        char *at = x->vector + x->parts->cut[i] * x->parts->esize;
        x->inner.view[i] = ob_view_of_bytes(leads || (i == me && scatters) ? at : NULL,
                                            ob_part_bytes(x->parts, i));
    }
    if (me == x->root && !scatters)
        x->inner.view[me] = x->parts->view[me];
    return OB_OK;
}

/* The whole vector between memory of one run and the root's pieces. */
static void copy_whole(const proxy *x, bool in)
{
    const estate e = {.group = x->order, .parts = x->parts, .whole = x->vector, .own = x->vector};
    copy_pieces(&e, in);
}

/* In a round of their board: there each finds out when the other has failed, or is in another call.
 * The leader's piece is all, as those in between see it, too. */
static int hand_over(const proxy *x)
{
    const ob_levels *l = x->order->levels;
    int me = x->order->me;
    bool sends = (x->task == OB_TASK_SCATTER) == (me == x->root);
    size_t n = (size_t)l->local->size, views = n * sizeof(ob_view);
    if (x->order->node[me] != x->order->node[x->root])
        return OB_OK;
    ob_parts hand = *x->parts;
    hand.size = l->local->size;
    hand.view = malloc(views + (n + 1) * sizeof *hand.cut);
    if (hand.view == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %zu bytes", ob_task_name(x->task),
                       views);
    hand.cut = (size_t *)(void *)((char *)hand.view + views);
    for (size_t i = 0; i <= n; i++)
        hand.cut[i] = (int)i > l->at ? x->parts->cut[x->parts->size] : 0;
    for (int i = 0; i < hand.size; i++)
        hand.view[i] = ob_view_of_bytes(i == l->at ? x->vector : NULL, ob_part_bytes(&hand, i));
    if (me == x->root && sends)
        copy_whole(x, true);
    int status = ob_parts_board(l->local, x->task, x->root - l->member[0], &hand);
    if (me == x->root && !sends && status == OB_OK)
        copy_whole(x, false);
    free(hand.view);
    return status;
}

static int by_leader(ob_group *order, ob_task task, int root, int leader, const ob_parts *parts)
{
    proxy x = {.order = order, .task = task, .root = root, .leader = leader, .parts = parts};
    bool own = order->me == leader && task == OB_TASK_GATHER;
    int status = open_proxy(&x);
    if (status == OB_OK && task == OB_TASK_SCATTER)
        status = hand_over(&x);
    if (own && status == OB_OK) {
        const estate e = {.group = order, .parts = parts};
        copy_piece(&e, leader, x.inner.view[leader].base, true);
    }
    if (status == OB_OK)
        status = ob_parts_levels(order, task, leader, &x.inner, NULL, NULL);
    if (order->me == leader && task == OB_TASK_SCATTER && status == OB_OK) {
        const estate e = {.group = order, .parts = parts};
        copy_piece(&e, leader, x.inner.view[leader].base, false);
    }
    if (status == OB_OK && task == OB_TASK_GATHER)
        status = hand_over(&x);
    if (x.inner.view != parts->view)
        free(x.inner.view);
    return status;
}

/* The pieces in the order of the boards. */
static int reorder(const ob_tiers *t, ob_parts *ordered)
{
    const ob_parts before = *ordered, *p = &before;
    size_t n = (size_t)p->size;
    char *memory = malloc(n * sizeof(ob_view) + (n + 1) * sizeof(size_t));
    if (memory == NULL)
        return ob_tiers_no_memory(t, "a collective",
                                  n * sizeof(ob_view) + (n + 1) * sizeof(size_t));
    ordered->flat = NULL;
    ordered->view = (ob_view *)(void *)memory;
    ordered->cut = (size_t *)(void *)(memory + n * sizeof(ob_view));
    for (int i = 0; i < p->size; i++) {
        ordered->view[t->slot[i]] = p->view[i];
        ordered->cut[t->slot[i] + 1] = p->cut[i + 1] - p->cut[i];
    }
    ordered->cut[0] = 0;
    for (int i = 0; i < p->size; i++)
        ordered->cut[i + 1] += ordered->cut[i];
    return OB_OK;
}

static bool is_in_order(const ob_tiers *t)
{
    for (int i = 0; i < t->order->size; i++)
        if (t->slot[i] != i)
            return false;
    return true;
}

int ob_pieces_in_order(ob_group *order, ob_task task, int root, const ob_parts *parts)
{
    ob_levels *l;
    int status = ob_levels_of(order, 0, &l);
    if (status != OB_OK)
        return status;
    int leader = l->leader[order->node[root]];
    if (task == OB_TASK_COLLECT && parts->alike && ob_may_collect_across(order))
        status = ob_collect_across(order, parts);
    else if (task == OB_TASK_COLLECT || leader == root)
        status = ob_parts_levels(order, task, root, parts, NULL, NULL);
    else
        status = by_leader(order, task, root, leader, parts);
    if (status != OB_OK)
        ob_levels_fail(l);
    return status;
}

/* The own piece of a collect, which the caller has elsewhere, to its place. */
static void put_own(const ob_parts *p, int me)
{
    char buffer[4096];
    ob_cursor in, out;
    ob_cursor_open(&in, p->apart);
    ob_cursor_open(&out, &p->view[me]);
    while (in.left) {
        size_t step = in.left < sizeof buffer ? in.left : sizeof buffer;
        ob_cursor_pack(&in, buffer, step);
        ob_cursor_unpack(&out, buffer, step);
    }
}

static int in_tiers(const ob_group *g, const ob_tiers *t, ob_task task, int root,
                    const ob_parts *parts)
{
    ob_parts ordered = *parts;
    if (task == OB_TASK_COLLECT && parts->apart)
        put_own(parts, g->me);
    ordered.apart = NULL;
    int status = is_in_order(t) ? OB_OK : reorder(t, &ordered);
    if (status == OB_OK)
        status = ob_pieces_in_order(t->order, task, t->slot[root], &ordered);
    if (ordered.view != parts->view)
        ob_parts_free(&ordered);
    return status;
}

int ob_pieces_node(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    const ob_tiers *t = NULL;
    int status = ob_has_many(group) ? ob_tiers_of(group, task == OB_TASK_COLLECT, &t) : OB_OK;
    if (status != OB_OK)
        return status;
    return t ? in_tiers(group, t, task, root, parts) : ob_parts_board(group, task, root, parts);
}
