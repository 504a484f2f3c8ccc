/*
 * ob_broadcast, ob_combine and ob_barrier: the arguments are checked, a way is chosen, its
 * algorithm is run.
 */
#include "collective/arguments.h"
#include "collective/data/coordinates.h"
#include "collective/exact.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "collective/topology/topology.h"
#include "collective/way.h"

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
    int status = ob_use_levels(group, OB_TASK_BROADCAST, route);
    if (status)
        return status < 0 ? status : ob_broadcast_levels(group, root, matrix);
    ob_query q = {.task = OB_TASK_BROADCAST, .root = root, .bytes = ob_view_bytes(matrix)};
    status = ob_plan_scheme(group, &q, &scheme);
    return status ? status : ob_scheme_broadcast(group, root, matrix, &scheme);
}

int ob_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group("ob_broadcast", group);
    if (!status)
        status = ob_argument_root("ob_broadcast", group, root, 0);
    if (!status)
        status = ob_argument_view("ob_broadcast", group, 3, matrix);
    if (!status)
        status = ob_argument_route("ob_broadcast", group, 4, route);
    if (!status)
        status = broadcast(group, root, matrix, route);
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

static int combine_planned(ob_group *group, int root, ob_op op, const ob_operation *operation,
                           const ob_view *matrix, const ob_coordinates *coords,
                           const ob_route *route)
{
    ob_scheme scheme;
    ob_query q = {.task = root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE,
                  .root = root == OB_ANY ? 0 : root,
                  .bytes = ob_view_bytes(matrix),
                  .coherent = route && route->coherent,
                  .repeatable = route && route->repeatable};
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
    bool exact = op == OB_SUM &&
                 (group->job->set.reproducible || (route && route->repeatable >= OB_REPRODUCIBLE));
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
        return ob_combine_exact(group, root, matrix);
    if (ob_free_choice(group, OB_TASK_COMBINE, route) && group->size > 1)
        status = combine_planned(group, root, op, NULL, matrix, coords, route);
    else
        status = combine_along(group, root, op, matrix, coords, route);
    if (status == OB_OK && coords && (root == OB_ANY || root == group->me))
        to_coordinates(coords, matrix);
    return status;
}

static int combine_coordinates(ob_group *group, int root, ob_op op, const ob_view *matrix,
                               const ob_coordinates *coords, const ob_route *route)
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
    return status ? status : combine(group, root, op, matrix, coords, route);
}

int ob_combine_coordinates(ob_group *group, int root, ob_op op, const ob_view *matrix,
                           const ob_coordinates *coords, const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = combine_coordinates(group, root, op, matrix, coords, route);
    return ob_call_end(&span, group, "ob_combine_coordinates", OB_TRACE_COMBINE, root, matrix, NULL,
                       route, status);
}

int ob_combine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
               size_t ld_owner, const ob_route *route)
{
    const ob_coordinates coords = {.first = owner, .ld = ld_owner, .width = 1};
    return ob_combine_coordinates(group, root, op, matrix, owner ? &coords : NULL, route);
}

static int combine_by(ob_group *group, int root, const ob_operation *operation,
                      const ob_view *matrix, const ob_route *route)
{
    ob_op op;
    if (group->size == 1)
        return OB_OK;
    if (ob_operation_is(operation, matrix->type, &op))
        return combine_coordinates(group, root, op, matrix, NULL, route);
    int status = ob_use_board(group, root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE, NULL);
    if (status < 0)
        return status;
    return status ? ob_combine_node(group, root, OB_SUM, operation, matrix, matrix, NULL, false)
                  : combine_planned(group, root, OB_SUM, operation, matrix, NULL, route);
}

int ob_combine_by(ob_group *group, int root, const ob_operation *operation, const ob_view *matrix,
                  const ob_route *route)
{
    ob_trace_span span;
    ob_call_begin(&span, group);
    int status = ob_argument_group("ob_combine_by", group);
    if (!status)
        status = ob_argument_root("ob_combine_by", group, root, 1);
    if (!status)
        status = ob_argument_view("ob_combine_by", group, 4, matrix);
    if (!status)
        status = ob_argument_own_operation("ob_combine_by", operation, matrix);
    if (!status)
        status = ob_argument_route("ob_combine_by", group, 5, route);
    if (!status)
        status = combine_by(group, root, operation, matrix, route);
    return ob_call_end(&span, group, "ob_combine_by", OB_TRACE_COMBINE, root, matrix, NULL, route,
                       status);
}

static int combine_apart(ob_group *group, int root, const ob_operation *operation,
                         const ob_view *from, const ob_view *to)
{
    ob_op op = OB_SUM;
    bool known = ob_operation_is(operation, from->type, &op);
    bool exact = known && op == OB_SUM && group->job->set.reproducible;
    return ob_combine_node(group, root, op, known ? NULL : operation, from, to, NULL, exact);
}

int ob_combine_apart(ob_group *group, int root, const ob_operation *operation, const ob_view *from,
                     const ob_view *to)
{
    ob_trace_span span;
    int on_board = ob_use_board(group, root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE, NULL);
    if (on_board <= 0)
        return on_board < 0 ? on_board : OB_NOT_APART;
    ob_call_begin(&span, group);
    int status = combine_apart(group, root, operation, from, to);
    return ob_call_end(&span, group, "ob_combine_by", OB_TRACE_COMBINE, root, from, NULL, NULL,
                       status);
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
