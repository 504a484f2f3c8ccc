/*
 * Scatter, gather, collect and distributed combine: vectors of which each member has or gets a
 * piece.
 */
#include "collective/arguments.h"
#include "collective/data/parts.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "collective/way.h"
#include "core/error.h"
#include "message/message.h"

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
    status = ob_use_levels(group, task, NULL);
    if (status < 0)
        return status;
    ob_query q = {.task = task,
                  .root = root,
                  .bytes = ob_parts_bytes(parts),
                  .coherent = route && route->coherent,
                  .repeatable = route && route->repeatable && task == OB_TASK_DISTRIBUTE};
    if (status && ob_in_runs(group))
        return ob_parts_levels(group, task, root, parts, &q, ob_combine_tiers);
    status = ob_plan_scheme(group, &q, &scheme);
    return status ? status : ob_scheme_parts(group, task, root, parts, &scheme);
}

/* Copies a matrix to another of the same bytes, in pieces of a buffer. */
static int copy_view(const char *routine, const ob_view *to, const ob_view *from)
{
    char buffer[4096];
    ob_cursor in, out;
    if (ob_view_bytes(to) != ob_view_bytes(from))
        return ob_fail(OB_ESIZE, "OB-1024 %s: the root's own piece has %zu bytes, its matrix %zu",
                       routine, ob_view_bytes(from), ob_view_bytes(to));
    ob_cursor_open(&in, from);
    ob_cursor_open(&out, to);
    while (in.left) {
        size_t step = in.left < sizeof buffer ? in.left : sizeof buffer;
        ob_cursor_pack(&in, buffer, step);
        ob_cursor_unpack(&out, buffer, step);
    }
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
    /* Away from the root only the own piece is in memory, and private sizes are not known. */
    const ob_pieces own = {.type = OB_BYTE};
    status = ob_parts_make(routine, group, pieces->private_sizes && !at_root ? &own : pieces,
                           at_root, at_root ? NULL : mine, 1, &parts);
    if (status)
        return status;
    if (at_root && mine && !scatter)
        status = copy_view(routine, &parts.view[root], mine);
    if (!status)
        status = pieces->private_sizes ? ob_parts_straight(group, task, root, &parts)
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

static int collect(const char *routine, ob_group *group, const ob_pieces *pieces,
                   const ob_view *from, const ob_route *route)
{
    ob_parts parts;
    int status = ob_parts_make(routine, group, pieces, true, NULL, 1, &parts);
    if (status)
        return status;
    parts.apart = from;
    status = do_parts(group, OB_TASK_COLLECT, 0, &parts, route);
    ob_parts_free(&parts);
    return status;
}

int ob_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group("ob_collect", group);
    if (!status)
        status = ob_argument_pieces("ob_collect", group, pieces);
    if (!status)
        status = collect("ob_collect", group, pieces, NULL, route);
    return ob_call_end(&span, group, "ob_collect", OB_TRACE_COLLECT, OB_ANY, NULL, pieces, route,
                       status);
}

static int distribute(const char *routine, ob_group *group, ob_op op, const ob_operation *operation,
                      const ob_pieces *pieces, const ob_view *to, const ob_route *route)
{
    ob_parts parts;
    ob_type type = pieces->views ? pieces->views[0].type : pieces->type;
    if (operation && ob_operation_is(operation, type, &op))
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
    parts.apart = to;
    status = do_parts(group, OB_TASK_DISTRIBUTE, 0, &parts, route);
    ob_parts_free(&parts);
    return status;
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
        status = distribute(routine, group, op, NULL, pieces, NULL, route);
    return ob_call_end(&span, group, routine, OB_TRACE_DISTRIBUTE, OB_ANY, NULL, pieces, route,
                       status);
}

int ob_distributed_combine_by(ob_group *group, const ob_operation *operation,
                              const ob_pieces *pieces, const ob_route *route)
{
    static const char routine[] = "ob_distributed_combine_by";
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group(routine, group);
    if (!status)
        status = ob_argument_pieces(routine, group, pieces);
    if (!status)
        status = ob_argument_own_operation(routine, operation, NULL);
    if (!status)
        status = distribute(routine, group, OB_SUM, operation, pieces, NULL, route);
    return ob_call_end(&span, group, routine, OB_TRACE_DISTRIBUTE, OB_ANY, NULL, pieces, route,
                       status);
}

/* ------------------------------------------------------------------ out of place */

int ob_collect_apart(ob_group *group, const ob_pieces *pieces, const ob_view *from)
{
    ob_trace_span span;
    int on_board = ob_use_board(group, OB_TASK_COLLECT, NULL);
    if (on_board <= 0)
        return on_board < 0 ? on_board : OB_NOT_APART;
    ob_call_begin(&span, group);
    int status = collect("ob_collect", group, pieces, from, NULL);
    return ob_call_end(&span, group, "ob_collect", OB_TRACE_COLLECT, OB_ANY, NULL, pieces, NULL,
                       status);
}

int ob_distributed_combine_apart(ob_group *group, const ob_operation *operation,
                                 const ob_pieces *pieces, const ob_view *to)
{
    static const char routine[] = "ob_distributed_combine_by";
    ob_trace_span span;
    int on_board = ob_use_board(group, OB_TASK_DISTRIBUTE, NULL);
    if (on_board <= 0)
        return on_board < 0 ? on_board : OB_NOT_APART;
    ob_call_begin(&span, group);
    int status = distribute(routine, group, OB_SUM, operation, pieces, to, NULL);
    return ob_call_end(&span, group, routine, OB_TRACE_DISTRIBUTE, OB_ANY, NULL, pieces, NULL,
                       status);
}
