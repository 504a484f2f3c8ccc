/*
 * ob_broadcast, ob_combine and ob_barrier: the arguments are checked, a way is chosen, its
 * algorithm is run.
 */
#include "collective/arguments.h"
#include "collective/data/coordinates.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "collective/terms.h"
#include "collective/together.h"
#include "collective/topology/topology.h"
#include "collective/way.h"
#include "collective/with.h"
#include "core/error.h"
#include "message/message.h"

#include <stdlib.h>

static int broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    ob_scheme scheme;
    int on_board = ob_use_board(group, OB_TASK_BROADCAST, route);
    if (on_board < 0)
        return on_board;
    /* Two members need no more than one message. */
    if (on_board && group->size > 2)
        return ob_broadcast_node(group, root, matrix);
    if (on_board || !ob_free_choice(group, OB_TASK_BROADCAST, route) || group->size == 1) {
        ob_route taken = ob_route_broadcast(route);
        return ob_broadcast_pattern(group, root, matrix, &taken);
    }
    ob_message_call(group, ob_view_bytes(matrix));
    int status = ob_use_levels(group, OB_TASK_BROADCAST, route);
    if (status)
        return status < 0 ? status
                          : ob_broadcast_levels(group, root, matrix, ob_asks_native(group, route));
    ob_query q = {.task = OB_TASK_BROADCAST,
                  .root = root,
                  .bytes = ob_view_bytes(matrix),
                  .native = ob_asks_native(group, route)};
    status = ob_plan_scheme(group, &q, &scheme);
    return status ? status : ob_scheme_broadcast(group, root, matrix, &scheme);
}

int ob_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    ob_trace_span span;
    const bool noted = OB_TOGETHER;
    ob_call_begin_if(!noted, &span, group);
    int status = ob_argument_group("ob_broadcast", group);
    if (!status)
        status = ob_argument_root("ob_broadcast", group, root, 0);
    if (!status)
        status = ob_argument_view("ob_broadcast", group, 3, matrix);
    if (!status)
        status = ob_argument_route("ob_broadcast", group, 4, route);
    if (!status)
        status = noted ? ob_together_broadcast(group, root, matrix)
                       : broadcast(group, root, matrix, route);
    return ob_call_end(&span, group, "ob_broadcast", OB_TRACE_BROADCAST, root, matrix, NULL, route,
                       status);
}

/* Rows and columns from positions that stand in coords->first. */
static void to_coordinates(const ob_coordinates *p, const ob_view *matrix)
{
    if (p->width == 1 && p->first_base == 0 && p->second == NULL)
        return;
    for (size_t j = 0; j < matrix->n; j++) {
        size_t lo, count;
        ob_view_column(matrix, j, &lo, &count);
        int *first = p->first + lo + j * p->ld;
        int *second = p->second ? p->second + lo + j * p->ld : NULL;
        ob_to_coordinates(p, first, second, count);
    }
}

/* Along a topology that was asked for. */
static int combine_along(ob_group *group, int root, ob_op op, const ob_view *matrix,
                         const ob_coordinates *coords, const ob_route *route)
{
    ob_route taken;
    ob_combine_algorithm algorithm = ob_route_combine(route, root, &taken);
    return ob_combine_run(group, root, op, matrix, coords ? coords->first : NULL,
                          coords ? coords->ld : 0, algorithm, &taken);
}

/* All of a sum's terms at once, rounded once? */
static bool sums_exactly(const ob_group *group, const ob_route *route)
{
    return group->job->set.reproducible || (route && route->repeatable >= OB_REPRODUCIBLE);
}

static int combine_planned(ob_group *group, int root, ob_op op, const ob_operation *operation,
                           const ob_view *matrix, const ob_coordinates *coords,
                           const ob_route *route)
{
    ob_scheme scheme;
    ob_query q = {.task = root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE,
                  .root = root == OB_ANY ? 0 : root,
                  .bytes = ob_view_bytes(matrix),
                  .coherent = route && route->coherent,
                  .repeatable = route && route->repeatable,
                  .native = ob_asks_native(group, route)};
    ob_message_call(group, q.bytes);
    int status = ob_use_levels(group, q.task, NULL);
    if (status)
        return status < 0 ? status
                          : ob_combine_levels(group, root, op, operation, matrix, coords, &q);
    status = ob_plan_scheme(group, &q, &scheme);
    if (status)
        return status;
    return ob_scheme_combine(group, root, op, operation, matrix, coords ? coords->first : NULL,
                             coords ? coords->ld : 0, false, &scheme);
}

static int combine(ob_group *group, int root, ob_op op, const ob_view *matrix,
                   const ob_coordinates *coords, const ob_route *route)
{
    bool exact = op == OB_SUM && sums_exactly(group, route);
    if (group->size == 1 && !coords)
        return OB_OK;
    if (exact)
        route = NULL; /* its way is not along a topology */
    int status = ob_use_board(group, root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE, route);
    if (status < 0)
        return status;
    if (status)
        return ob_combine_node(group, root, op, NULL, matrix, matrix, coords, exact);
    if (exact)
        return ob_combine_terms(group, root, NULL, matrix);
    if (ob_free_choice(group, OB_TASK_COMBINE, route) && group->size > 1)
        status = combine_planned(group, root, op, NULL, matrix, coords, route);
    else
        status = combine_along(group, root, op, matrix, coords, route);
    if (status == OB_OK && coords && (root == OB_ANY || root == group->me))
        to_coordinates(coords, matrix);
    return status;
}

static int combine_coordinates(ob_group *group, int root, ob_op op, const ob_view *matrix,
                               const ob_coordinates *coords, const ob_route *route, bool noted)
{
    int status = ob_argument_group("ob_combine", group);
    if (!status)
        status = ob_argument_root("ob_combine", group, root, 1);
    if (!status)
        status = ob_argument_view("ob_combine", group, 4, matrix);
    if (!status)
        status = ob_argument_operation("ob_combine", group, op, matrix, coords);
    if (!status)
        status = ob_argument_route("ob_combine", group, 7, route);
    if (status)
        return status;
    return noted ? ob_together_combine(group, root, op, matrix, route)
                 : combine(group, root, op, matrix, coords, route);
}

int ob_combine_coordinates(ob_group *group, int root, ob_op op, const ob_view *matrix,
                           const ob_coordinates *coords, const ob_route *route)
{
    ob_trace_span span;
    const bool noted = OB_TOGETHER && coords == NULL;
    ob_call_begin_if(!noted, &span, group);
    int status = combine_coordinates(group, root, op, matrix, coords, route, noted);
    return ob_call_end(&span, group, "ob_combine_coordinates", OB_TRACE_COMBINE, root, matrix, NULL,
                       route, status);
}

int ob_combine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
               size_t ld_owner, const ob_route *route)
{
    const ob_coordinates coords = {.first = owner, .ld = ld_owner, .width = 1};
    return ob_combine_coordinates(group, root, op, matrix, owner ? &coords : NULL, route);
}

/* `to` alone: it has the values, and away from the result it may be overwritten. */
static int combine_here(ob_group *group, int root, const ob_operation *operation, bool in_order,
                        const ob_view *to, const ob_route *route)
{
    ob_op op;
    if (in_order)
        return ob_combine_terms(group, root, operation, to);
    if (ob_operation_is(operation, to->type, &op))
        return combine(group, root, op, to, NULL, route);
    return combine_planned(group, root, OB_SUM, operation, to, NULL, route);
}

/* Away from the result nothing may be overwritten but a copy. */
static int combine_copy(ob_group *group, int root, const ob_operation *operation, bool in_order,
                        const ob_view *from, const ob_route *route)
{
    size_t bytes = ob_view_bytes(from);
    char *copy = malloc(bytes + 1);
    if (copy == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a copy of %zu bytes", bytes);
    ob_view there = ob_view_vector(copy, ob_view_count(from), from->type);
    if (bytes)
        ob_view_pack(from, copy);
    int status = combine_here(group, root, operation, in_order, &there, route);
    free(copy);
    return status;
}

int ob_combine_with(ob_group *group, int root, const ob_operation *operation, bool in_order,
                    bool kept, const ob_view *from, const ob_view *to, const ob_route *route)
{
    ob_op op = OB_SUM;
    bool wanted = root == OB_ANY || root == group->me;
    bool known = !in_order && ob_operation_is(operation, from->type, &op);
    if (!kept && known) /* along a topology, perhaps */
        return combine(group, root, op, from, NULL, route);
    int status = group->size == 1
                     ? 0
                     : ob_use_board(group, root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE,
                                    known ? route : NULL);
    if (status < 0)
        return status;
    if (status) {
        bool exact = known && op == OB_SUM && sums_exactly(group, route);
        return ob_combine_node(group, root, in_order ? OB_IN_ORDER : op, known ? NULL : operation,
                               from, to, NULL, exact);
    }
    if (kept && !wanted)
        return combine_copy(group, root, operation, in_order, from, route);
    if (kept)
        ob_view_copy(to, from);
    return group->size == 1 ? OB_OK : combine_here(group, root, operation, in_order, to, route);
}

int ob_barrier(ob_group *group)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group("ob_barrier", group);
    if (status)
        return status;
    if (group->one_node && group->size > 1)
        status = ob_barrier_node(group);
    else
        status = ob_has_levels(group) ? ob_barrier_levels(group) : ob_barrier_dissemination(group);
    return ob_call_end(&span, group, "ob_barrier", OB_TRACE_BARRIER, OB_ANY, NULL, NULL, NULL,
                       status);
}
