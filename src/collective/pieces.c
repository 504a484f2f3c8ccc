/*
 * Scatter, gather, collect and distributed combine: vectors of which each member has or gets a
 * piece.
 */
#include "collective/arguments.h"
#include "collective/board/collectives.h"
#include "collective/data/parts.h"
#include "collective/levels/levels.h"
#include "collective/levels/tiers.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "collective/terms.h"
#include "collective/way.h"
#include "collective/with.h"
#include "core/error.h"
#include "message/message.h"

#include <stdlib.h>

static int do_parts(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_route *route)
{
    ob_scheme scheme;
    if (group->size == 1)
        return OB_OK;
    int status = ob_use_board(group, task, NULL);
    if (status < 0)
        return status;
    /* Two members need no more than one message. */
    if (status && group->size == 2 && (task == OB_TASK_SCATTER || task == OB_TASK_GATHER))
        return ob_parts_straight(group, task, root, parts);
    if (status)
        return ob_parts_node(group, task, root, parts);
    ob_message_call(group, ob_parts_bytes(parts));
    status = ob_use_levels(group, task, NULL);
    if (status < 0)
        return status;
    ob_query q = {.task = task,
                  .root = root,
                  .bytes = ob_parts_bytes(parts),
                  .coherent = route && route->coherent,
                  .native = ob_asks_native(group, route),
                  .repeatable = route && route->repeatable && task == OB_TASK_DISTRIBUTE};
    bool levels = status && ob_in_runs(group), done = false;
    if (levels)
        status = ob_parts_carried(group, parts, &q, &done);
    if (done)
        return status;
    if (levels)
        return ob_parts_levels(group, task, root, parts, &q, ob_combine_tiers);
    status = ob_plan_scheme(group, &q, &scheme);
    return status ? status : ob_scheme_parts(group, task, root, parts, &scheme);
}

/* The root alone knows the sizes. Two members need no more than one message, and a note of a board
 * is read by all, too many where others have tiers. */
static int on_private_board(const ob_group *group, ob_task task)
{
    return group->size > 2 && !ob_has_many(group) ? ob_use_board(group, task, NULL) : 0;
}

static int private_here(ob_group *group, ob_task task, const ob_parts *parts)
{
    int on_board = on_private_board(group, task);
    if (on_board < 0)
        return on_board;
    return on_board ? ob_private_board(group, task, parts)
                    : ob_parts_straight(group, task, group->me, parts);
}

static int private_away(ob_group *group, ob_task task, int root, const ob_view *mine)
{
    int on_board = on_private_board(group, task);
    if (on_board)
        return on_board < 0 ? on_board : ob_private_board_away(group, task, root, mine);
    return task == OB_TASK_SCATTER ? ob_message_recv(group, root, OB_TAG_COLLECTIVE, mine, NULL)
                                   : ob_message_send(group, root, OB_TAG_COLLECTIVE, mine);
}

/* Copies a matrix to another, which should have the same bytes. */
static int copy_view(const char *routine, const ob_view *to, const ob_view *from)
{
    if (ob_view_bytes(to) != ob_view_bytes(from))
        return ob_fail(OB_ESIZE, "OB-1024 %s: the root's own piece has %zu bytes, its matrix %zu",
                       routine, ob_view_bytes(from), ob_view_bytes(to));
    ob_view_copy(to, from);
    return OB_OK;
}

/* Scatter and gather on two members of a node, who need no more than one message. */
static int one_message(const char *routine, ob_group *group, bool scatter, int root,
                       const ob_pieces *pieces, const ob_view *mine)
{
    int other = 1 - root, status = OB_OK;
    ob_view piece[2];
    if (group->me != root)
        return scatter ? ob_message_recv(group, root, OB_TAG_COLLECTIVE, mine, NULL)
                       : ob_message_send(group, root, OB_TAG_COLLECTIVE, mine);
    /* Of equal pieces one is as right as the other, and the own one may be in its place already. */
    if (mine || pieces->views || pieces->counts)
        status = ob_parts_piece(routine, pieces, root, &piece[root]);
    if (!status)
        status = ob_parts_piece(routine, pieces, other, &piece[other]);
    if (!status && mine && !scatter)
        status = copy_view(routine, &piece[root], mine);
    if (!status)
        status = scatter ? ob_message_send(group, other, OB_TAG_COLLECTIVE, &piece[other])
                         : ob_message_recv(group, other, OB_TAG_COLLECTIVE, &piece[other], NULL);
    if (!status && mine && scatter)
        status = copy_view(routine, mine, &piece[root]);
    return status;
}

/* Bytes of all pieces but the root's; *roots: of that. Away from the root, whose own piece is
 * `mine`. */
static size_t bytes_away(const ob_group *g, const ob_pieces *p, int root, const ob_view *mine,
                         size_t *roots)
{
    size_t others = p->counts ? 0 : p->count * (size_t)(g->size - 2), each = ob_type_bytes(p->type);
    for (int i = 0; p->counts && i < g->size; i++)
        others += i == root || i == g->me ? 0 : p->counts[i];
    *roots = (p->counts ? p->counts[root] : p->count) * each;
    return others * each + ob_view_bytes(mine);
}

/* The root goes on in shares. */
static int scatter_in_shares(const char *routine, ob_group *group, int root,
                             const ob_pieces *pieces, const ob_view *mine, size_t shares,
                             uint64_t shape)
{
    ob_parts parts;
    int status = ob_parts_make(routine, group, pieces, false, mine, 1, &parts);
    if (status)
        return status;
    status = ob_parts_in_shares(group, OB_TASK_SCATTER, root, &parts, shares,
                                shape != ob_parts_shape(&parts));
    ob_parts_free(&parts);
    return status;
}

/* Away from the root, on a board: nothing but the own piece is looked at. false: something else. */
static bool is_short_away(const char *routine, ob_group *group, ob_task task, int root,
                          const ob_pieces *pieces, const ob_view *mine, int *status)
{
    size_t shares, roots;
    uint64_t shape;
    if (pieces->views || ob_type_bytes(pieces->type) == 0 || ob_has_many(group))
        return false;
    size_t bytes = bytes_away(group, pieces, root, mine, &roots);
    if (bytes + roots > OB_SHARE_OF_PIECE * (size_t)group->size)
        return false;
    int on_board = ob_use_board(group, task, NULL);
    if (on_board <= 0)
        return false;
    if (task == OB_TASK_GATHER) {
        *status = ob_gather_away(group, mine);
    } else {
        *status = ob_scatter_away(group, root, mine, bytes, &shares, &shape);
        if (*status == OB_OK && shares)
            *status = scatter_in_shares(routine, group, root, pieces, mine, shares, shape);
    }
    *status = ob_node_end(group, *status);
    return true;
}

/* Scatter and gather, which differ in the direction alone. */
static int to_or_from(const char *routine, ob_group *group, ob_task task, int root,
                      const ob_pieces *pieces, const ob_view *mine, const ob_route *route)
{
    ob_parts parts;
    bool scatter = task == OB_TASK_SCATTER;
    int status = ob_argument_group(routine, group);
    if (!status)
        status = ob_argument_root(routine, group, root, 0);
    if (!status)
        status = ob_argument_pieces(routine, group, pieces);
    if (!status && (mine || group->me != root))
        status = ob_argument_view(routine, group, 4, mine);
    if (status)
        return status;
    if (group->size == 2 && !pieces->private_sizes) {
        int on_board = ob_use_board(group, task, NULL);
        if (on_board)
            return on_board < 0 ? on_board
                                : one_message(routine, group, scatter, root, pieces, mine);
    }
    bool at_root = group->me == root;
    if (pieces->private_sizes && !at_root)
        return private_away(group, task, root, mine);
    if (!at_root && is_short_away(routine, group, task, root, pieces, mine, &status))
        return status;
    /* Away from the root only the own piece is in memory. */
    status = ob_parts_make(routine, group, pieces, at_root, at_root ? NULL : mine, 1, &parts);
    if (status)
        return status;
    if (at_root && mine && !scatter)
        status = copy_view(routine, &parts.view[root], mine);
    if (!status)
        status = pieces->private_sizes ? private_here(group, task, &parts)
                                       : do_parts(group, task, root, &parts, route);
    if (!status && at_root && mine && scatter)
        status = copy_view(routine, mine, &parts.view[root]);
    ob_parts_free(&parts);
    return status;
}

int ob_scatter(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
               const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = to_or_from("ob_scatter", group, OB_TASK_SCATTER, root, pieces, mine, route);
    return ob_call_end(&span, group, "ob_scatter", OB_TRACE_SCATTER, root, mine, pieces, route,
                       status);
}

int ob_gather(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
              const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = to_or_from("ob_gather", group, OB_TASK_GATHER, root, pieces, mine, route);
    return ob_call_end(&span, group, "ob_gather", OB_TRACE_GATHER, root, mine, pieces, route,
                       status);
}

/* Where members do not share memory the own piece goes to its place first. */
static int collect(const char *routine, ob_group *group, const ob_pieces *pieces,
                   const ob_view *from, const ob_route *route)
{
    ob_parts parts;
    int status = ob_parts_make(routine, group, pieces, true, NULL, 1, &parts);
    if (status)
        return status;
    const ob_view *own = &parts.view[group->me];
    if (from && ob_view_bytes(from) != ob_view_bytes(own))
        status =
            ob_fail(OB_ESIZE, "OB-1024 %s: the own piece has %zu bytes, its place %zu; process %d",
                    routine, ob_view_bytes(from), ob_view_bytes(own), group->me);
    int on_board = status || group->size == 1 ? 0 : ob_use_board(group, OB_TASK_COLLECT, NULL);
    if (on_board < 0)
        status = on_board;
    else if (on_board)
        parts.apart = from;
    else if (from && !status)
        ob_view_copy(own, from);
    if (!status)
        status = do_parts(group, OB_TASK_COLLECT, 0, &parts, route);
    ob_parts_free(&parts);
    return status;
}

static int collect_call(const char *routine, ob_group *group, bool apart, const ob_view *from,
                        const ob_pieces *pieces, const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group(routine, group);
    if (!status && apart)
        status = ob_argument_view(routine, group, 2, from);
    if (!status)
        status = ob_argument_pieces(routine, group, pieces);
    if (!status)
        status = collect(routine, group, pieces, from, route);
    return ob_call_end(&span, group, routine, OB_TRACE_COLLECT, OB_ANY, NULL, pieces, route,
                       status);
}

int ob_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route)
{
    return collect_call("ob_collect", group, false, NULL, pieces, route);
}

int ob_collect_from(ob_group *group, const ob_view *from, const ob_pieces *pieces,
                    const ob_route *route)
{
    return collect_call("ob_collect_from", group, true, from, pieces, route);
}

/* Where members share no memory the pieces of a vector that is kept are combined in a copy. */
static int distribute_copy(ob_group *group, ob_parts *parts, const ob_view *to,
                           const ob_route *route)
{
    size_t bytes = ob_parts_bytes(parts);
    char *copy = malloc(bytes + 1);
    if (copy == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a copy of %zu bytes", bytes);
    for (int i = 0; i < group->size; i++) {
        ob_view *v = &parts->view[i];
        char *at = copy + parts->cut[i] * parts->esize;
        if (ob_view_count(v))
            ob_view_pack(v, at);
        *v = ob_view_vector(at, ob_view_count(v), v->type);
    }
    parts->flat = copy;
    int status = do_parts(group, OB_TASK_DISTRIBUTE, 0, parts, route);
    if (!status)
        ob_view_copy(to, &parts->view[group->me]);
    free(copy);
    return status;
}

static int distribute_parts(ob_group *group, bool in_order, ob_parts *parts, const ob_view *to,
                            const ob_route *route)
{
    int on_board = group->size == 1 ? 0 : ob_use_board(group, OB_TASK_DISTRIBUTE, NULL);
    if (on_board < 0)
        return on_board;
    if (group->size == 1 && to)
        ob_view_copy(to, &parts->view[0]);
    if (group->size == 1)
        return OB_OK;
    parts->apart = on_board || in_order ? to : NULL;
    if (in_order && !on_board)
        return ob_distribute_terms(group, parts);
    return to && !on_board ? distribute_copy(group, parts, to, route)
                           : do_parts(group, OB_TASK_DISTRIBUTE, 0, parts, route);
}

static int distribute(const char *routine, ob_group *group, ob_op op, const ob_operation *operation,
                      bool in_order, const ob_pieces *pieces, const ob_view *to,
                      const ob_route *route)
{
    ob_parts parts;
    ob_type type = pieces->views ? pieces->views[0].type : pieces->type;
    if (operation && !in_order && ob_operation_is(operation, type, &op))
        operation = NULL;
    ob_kernel kernel = operation ? NULL : ob_kernel_find(op, type, 0);
    if (operation == NULL && kernel == NULL)
        return ob_fail(OB_EARG, "OB-1019 %s: operation %d of type %s cannot be done", routine,
                       (int)op, ob_type_name(type));
    int status = ob_parts_make(routine, group, pieces, true, NULL,
                               operation ? operation->element_bytes : ob_type_bytes(type), &parts);
    if (status)
        return status;
    parts.op = op;
    parts.type = type;
    parts.kernel = kernel;
    parts.operation = operation;
    if (to && ob_view_bytes(to) != ob_part_bytes(&parts, group->me))
        status =
            ob_fail(OB_ESIZE, "OB-1024 %s: the own piece has %zu bytes, its place %zu; process %d",
                    routine, ob_part_bytes(&parts, group->me), ob_view_bytes(to), group->me);
    else
        status = distribute_parts(group, in_order, &parts, to, route);
    ob_parts_free(&parts);
    return status;
}

int ob_distribute_with(const char *routine, ob_group *group, const ob_operation *operation,
                       bool in_order, const ob_pieces *pieces, const ob_view *to,
                       const ob_route *route)
{
    return distribute(routine, group, OB_SUM, operation, in_order, pieces, to, route);
}

int ob_distributed_combine(ob_group *group, ob_op op, const ob_pieces *pieces,
                           const ob_route *route)
{
    static const char routine[] = "ob_distributed_combine";
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group(routine, group);
    if (!status)
        status = ob_argument_pieces(routine, group, pieces);
    if (!status)
        status = distribute(routine, group, op, NULL, false, pieces, NULL, route);
    return ob_call_end(&span, group, routine, OB_TRACE_DISTRIBUTE, OB_ANY, NULL, pieces, route,
                       status);
}
