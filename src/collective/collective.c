/*
 * ob_broadcast, ob_combine and ob_barrier: the arguments are checked, a plan
 * is taken, its algorithm is run.
 */
#include "collective/algorithm/algorithm.h"
#include "collective/levels.h"
#include "collective/parts_make.h"
#include "collective/places.h"
#include "collective/plans.h"
#include "collective/scheme.h"
#include "core/error.h"
#include "trace/trace.h"

static int check_group(const char *routine, const ob_group *group)
{
    if (!group)
        return ob_fail(OB_EARG, "%s: argument 1 (group) is NULL; create the group first", routine);
    return OB_OK;
}

static int check_root(const char *routine, const ob_group *group, int root, int any_is_fine)
{
    int size = ob_group_size(group);
    if ((root >= 0 && root < size) || (any_is_fine && root == OB_ANY))
        return OB_OK;
    return ob_fail(OB_EARG,
                   "%s: argument 2 (root) is %d at process %d of a group of %d; it must be "
                   "0 .. %d%s",
                   routine, root, ob_group_me(group), size, size - 1,
                   any_is_fine ? ", or OB_ANY" : "");
}

static int check_view(const char *routine, const ob_group *group, int argument, const ob_view *v)
{
    int me = ob_group_me(group);
    if (!v)
        return ob_fail(OB_EARG, "%s: argument %d (matrix) is NULL at process %d", routine,
                       argument, me);
    if (ob_type_bytes(v->type) == 0 || (unsigned)v->shape > OB_LOWER)
        return ob_fail(OB_EARG,
                       "%s: argument %d (matrix) has type %d and shape %d at process %d; use an "
                       "ob_type and an ob_shape",
                       routine, argument, (int)v->type, (int)v->shape, me);
    if (v->ld < v->m)
        return ob_fail(OB_EARG,
                       "%s: argument %d (matrix) has %zu rows but a leading dimension of %zu at "
                       "process %d; it must be at least the rows",
                       routine, argument, v->m, v->ld, me);
    if (!v->base && ob_view_count(v))
        return ob_fail(OB_EARG,
                       "%s: argument %d (matrix) is %zu x %zu at address NULL at process %d",
                       routine, argument, v->m, v->n, me);
    return OB_OK;
}

static int check_route(const char *routine, const ob_group *group, int argument,
                       const ob_route *r)
{
    if (!r)
        return OB_OK;
    if ((unsigned)r->topology > OB_TOP_TREE)
        return ob_fail(OB_EARG, "%s: argument %d (route) has topology %d at process %d; use an "
                                "ob_topology",
                       routine, argument, (int)r->topology, ob_group_me(group));
    if (r->topology == OB_TOP_TREE && r->branches < 1)
        return ob_fail(OB_EARG,
                       "%s: argument %d (route) has a tree with %d branches at process %d; it "
                       "must have at least 1",
                       routine, argument, r->branches, ob_group_me(group));
    if (r->topology == OB_TOP_MULTIRING && r->branches == 0)
        return ob_fail(OB_EARG,
                       "%s: argument %d (route) has 0 rings at process %d; use 1 or more, or a "
                       "negative number for decreasing rings",
                       routine, argument, ob_group_me(group));
    return OB_OK;
}

/* Ends the span of a collective call. Arguments that were refused are not looked at. */
static __attribute__((noinline)) void record(const ob_trace_span *span, const ob_group *group,
                                             const char *routine, int kind, int root,
                                             const ob_view *matrix, const ob_pieces *pieces,
                                             const ob_route *route, int status)
{
    bool fine = status != OB_EARG;
    size_t bytes = 0;
    if (fine && pieces && (!pieces->private_sizes || root == group->me))
        bytes = ob_pieces_bytes(pieces, group->size);
    else if (fine && matrix)
        bytes = ob_view_bytes(matrix);
    ob_trace_end(span, &(ob_trace_what){.kind = kind,
                                        .group = group,
                                        .routine = routine,
                                        .position = fine ? root : OB_ANY,
                                        .type = fine && matrix ? (int)matrix->type : OB_BYTE,
                                        .status = status,
                                        .bytes = bytes,
                                        .topology = ob_trace_letter(route)});
}

static bool free_choice(const ob_route *route)
{
    return route == NULL || route->topology == OB_TOP_BEST;
}

/* Shared memory beats messages within a node, whatever the bytes. So it must be: members
 * that disagree about the bytes have to meet in one algorithm to find out. */
static int use_board(const ob_group *group, ob_task task, const ob_route *route)
{
    ob_scheme s;
    if (!free_choice(route) || !group->one_node || group->size == 1)
        return 0;
    int set = ob_plan_named(group, task, &s);
    return set < 0 ? set : !set;
}

/* The same holds for two levels, where there are nodes of several members. */
static int use_levels(const ob_group *group, ob_task task, const ob_route *route)
{
    ob_scheme s;
    if (!free_choice(route) || !ob_has_levels(group))
        return 0;
    int set = ob_plan_setting(group->job->set.plan, task, group->size, &s);
    return set < 0 ? set : !set;
}

static int broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    ob_scheme scheme;
    int on_board = use_board(group, OB_TASK_BROADCAST, route);
    if (on_board < 0)
        return on_board;
    if (on_board || !free_choice(route) || group->size == 1) {
        ob_plan plan = ob_plan_broadcast(route, group->size, on_board != 0);
        return plan.broadcast(group, root, matrix, &plan);
    }
    int status = use_levels(group, OB_TASK_BROADCAST, route);
    if (status)
        return status < 0 ? status : ob_broadcast_levels(group, root, matrix);
    ob_query q = {OB_TASK_BROADCAST, root, ob_view_bytes(matrix), false};
    status = ob_plan_scheme(group, &q, &scheme);
    return status ? status : ob_scheme_broadcast(group, root, matrix, &scheme);
}

static int do_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    int status = check_group("ob_broadcast", group);
    if (!status)
        status = check_root("ob_broadcast", group, root, 0);
    if (!status)
        status = check_view("ob_broadcast", group, 3, matrix);
    if (!status)
        status = check_route("ob_broadcast", group, 4, route);
    if (status)
        return status;
    return broadcast(group, root, matrix, route);
}

int ob_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_broadcast(group, root, matrix, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_broadcast(group, root, matrix, route);
    record(&span, group, "ob_broadcast", OB_TRACE_BROADCAST, root, matrix, NULL, route, status);
    return status;
}

static int check_operation(const ob_group *group, ob_op op, const ob_view *matrix,
                           const ob_places *places)
{
    int me = ob_group_me(group);
    if ((unsigned)op > OB_MIN)
        return ob_fail(OB_EARG, "ob_combine: argument 3 (op) is %d at process %d; use an ob_op",
                       (int)op, me);
    if (matrix->type != OB_BYTE && !ob_kernel_find(op, matrix->type, 0))
        return ob_fail(OB_EARG,
                       "ob_combine: argument 4 (matrix) has type %s at process %d; complex numbers "
                       "have no order, use OB_MAX_ABS or OB_MIN_ABS",
                       ob_type_name(matrix->type), me);
    if (!ob_kernel_find(op, matrix->type, 0))
        return ob_fail(OB_EARG,
                       "ob_combine: argument 4 (matrix) has type %s at process %d; bytes cannot "
                       "be combined",
                       ob_type_name(matrix->type), me);
    if (!places)
        return OB_OK;
    if (op == OB_SUM)
        return ob_fail(OB_EARG,
                       "ob_combine: argument 5 (owner) is given with OB_SUM at process %d; a sum "
                       "has no owner, pass NULL",
                       me);
    if (places->ld < matrix->m)
        return ob_fail(OB_EARG,
                       "ob_combine: argument 6 (ld_owner) is %zu at process %d; it must be at "
                       "least the matrix's %zu rows",
                       places->ld, me, matrix->m);
    if (places->width < 1 || places->first == NULL)
        return ob_fail(OB_EARG,
                       "ob_combine_places: argument 5 (places) has width %d and first %p at "
                       "process %d; it needs a width of 1 or more and an array",
                       places->width, (void *)places->first, me);
    return OB_OK;
}

/* Rows and columns from positions that stand in places->first. */
static void split_places(const ob_places *p, const ob_view *matrix)
{
    if (p->width == 1 && p->first_base == 0 && p->second == NULL)
        return;
    for (size_t j = 0; j < matrix->n; j++) {
        size_t lo, count;
        ob_view_column(matrix, j, &lo, &count);
        int *first = p->first + lo + j * p->ld;
        int *second = p->second ? p->second + lo + j * p->ld : NULL;
        ob_split_places(p, first, second, count);
    }
}

/* Along a topology that was asked for. */
static int combine_along(ob_group *group, int root, ob_op op, const ob_view *matrix,
                         const ob_places *places, const ob_route *route)
{
    ob_plan plan = ob_plan_combine(route, root);
    /* Within a node who receives copies, so nothing comes in by itself. */
    if (!group->one_node && (plan.topology == OB_TOP_MULTIRING || plan.topology == OB_TOP_RING_UP ||
                             plan.topology == OB_TOP_RING_DOWN || plan.topology == OB_TOP_SPLIT_RING))
        plan.combine = ob_combine_rings;
    return ob_combine_run(group, root, op, matrix, places ? places->first : NULL,
                          places ? places->ld : 0, &plan);
}

static int combine_planned(ob_group *group, int root, ob_op op, const ob_operation *operation,
                           const ob_view *matrix, const ob_places *places, const ob_route *route)
{
    ob_scheme scheme;
    ob_query q = {root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE, root == OB_ANY ? 0 : root,
                  ob_view_bytes(matrix), route && route->coherent};
    int status = use_levels(group, q.task, NULL);
    if (status)
        return status < 0 ? status
                          : ob_combine_levels(group, root, op, operation, matrix, places, q.coherent);
    status = ob_plan_scheme(group, &q, &scheme);
    if (status)
        return status;
    return ob_scheme_combine(group, root, op, operation, matrix, places ? places->first : NULL,
                             places ? places->ld : 0, false, &scheme);
}

static int combine(ob_group *group, int root, ob_op op, const ob_view *matrix,
                   const ob_places *places, const ob_route *route)
{
    bool exact = op == OB_SUM && (group->job->set.reproducible ||
                                  (route && route->repeatable >= OB_REPRODUCIBLE));
    if (group->size == 1 && !places)
        return OB_OK;
    if (exact)
        route = NULL; /* its way is not along a topology */
    int status = use_board(group, root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE, route);
    if (status < 0)
        return status;
    if (status)
        return ob_combine_board(group, root, op, NULL, matrix, places, exact);
    if (exact)
        return ob_combine_exact(group, root, matrix);
    if (free_choice(route) && group->size > 1)
        status = combine_planned(group, root, op, NULL, matrix, places, route);
    else
        status = combine_along(group, root, op, matrix, places, route);
    if (status == OB_OK && places && (root == OB_ANY || root == group->me))
        split_places(places, matrix);
    return status;
}

static int do_combine_places(ob_group *group, int root, ob_op op, const ob_view *matrix,
                      const ob_places *places, const ob_route *route)
{
    int status = check_group("ob_combine", group);
    if (!status)
        status = check_root("ob_combine", group, root, 1);
    if (!status)
        status = check_view("ob_combine", group, 4, matrix);
    if (!status)
        status = check_operation(group, op, matrix, places);
    if (!status)
        status = check_route("ob_combine", group, 7, route);
    return status ? status : combine(group, root, op, matrix, places, route);
}

int ob_combine_places(ob_group *group, int root, ob_op op, const ob_view *matrix,
                      const ob_places *places, const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_combine_places(group, root, op, matrix, places, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_combine_places(group, root, op, matrix, places, route);
    record(&span, group, "ob_combine_places", OB_TRACE_COMBINE, root, matrix, NULL, route, status);
    return status;
}

int ob_combine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
               size_t ld_owner, const ob_route *route)
{
    const ob_places places = {.first = owner, .ld = ld_owner, .width = 1};
    return ob_combine_places(group, root, op, matrix, owner ? &places : NULL, route);
}

/* A vector whose elements are wider than its view's type is one of bytes. */
static int check_own_operation(const char *routine, const ob_operation *o, const ob_view *v)
{
    if (o == NULL || o->apply == NULL || o->element_bytes == 0 || o->element_bytes > OB_ELEMENT_BYTES)
        return ob_fail(OB_EARG,
                       "%s: the operation needs a function and elements of 1 to %d bytes", routine,
                       OB_ELEMENT_BYTES);
    size_t unit = v ? ob_type_bytes(v->type) : 1;
    if (v == NULL || unit == o->element_bytes)
        return OB_OK;
    if (v->shape != OB_GENERAL || v->m * unit % o->element_bytes ||
        (v->n > 1 && v->ld * unit % o->element_bytes))
        return ob_fail(OB_EARG,
                       "%s: columns of %zu bytes, %zu apart, do not hold whole elements of %zu",
                       routine, v->m * unit, v->ld * unit, o->element_bytes);
    return OB_OK;
}

static int do_combine_by(ob_group *group, int root, const ob_operation *operation, const ob_view *matrix,
                  const ob_route *route)
{
    int status = check_group("ob_combine_by", group);
    if (!status)
        status = check_root("ob_combine_by", group, root, 1);
    if (!status)
        status = check_view("ob_combine_by", group, 4, matrix);
    if (!status)
        status = check_own_operation("ob_combine_by", operation, matrix);
    if (status || group->size == 1)
        return status;
    ob_op op;
    if (ob_operation_is(operation, matrix->type, &op)) {
        status = check_route("ob_combine_by", group, 5, route);
        return status ? status : do_combine_places(group, root, op, matrix, NULL, route);
    }
    status = use_board(group, root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE, NULL);
    if (status < 0)
        return status;
    return status ? ob_combine_board(group, root, OB_SUM, operation, matrix, NULL, false)
                  : combine_planned(group, root, OB_SUM, operation, matrix, NULL, route);
}

int ob_combine_by(ob_group *group, int root, const ob_operation *operation, const ob_view *matrix,
                  const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_combine_by(group, root, operation, matrix, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_combine_by(group, root, operation, matrix, route);
    record(&span, group, "ob_combine_by", OB_TRACE_COMBINE, root, matrix, NULL, route, status);
    return status;
}

/* ------------------------------------------------------------------ pieces */

static int do_parts(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_route *route)
{
    ob_scheme scheme;
    if (group->size == 1)
        return OB_OK;
    int status = use_board(group, task, NULL);
    if (status < 0)
        return status;
    if (status)
        return ob_parts_board(group, task, root, parts);
    status = use_levels(group, task, NULL);
    if (status < 0)
        return status;
    bool coherent = route && route->coherent;
    if (status && ob_in_runs(group))
        return ob_parts_levels(group, task, root, parts, coherent);
    ob_query q = {task, root, ob_parts_bytes(parts), coherent};
    status = ob_plan_scheme(group, &q, &scheme);
    return status ? status : ob_scheme_parts(group, task, root, parts, &scheme);
}

/* Copies a matrix to another of the same bytes, in pieces of a buffer. */
static int copy_view(const char *routine, const ob_view *to, const ob_view *from)
{
    char buffer[4096];
    ob_cursor in, out;
    if (ob_view_bytes(to) != ob_view_bytes(from))
        return ob_fail(OB_ESIZE, "%s: the root's own piece has %zu bytes, its matrix %zu", routine,
                       ob_view_bytes(from), ob_view_bytes(to));
    ob_cursor_open(&in, from);
    ob_cursor_open(&out, to);
    while (in.left) {
        size_t step = in.left < sizeof buffer ? in.left : sizeof buffer;
        ob_cursor_pack(&in, buffer, step);
        ob_cursor_unpack(&out, buffer, step);
    }
    return OB_OK;
}

static int check_pieces(const char *routine, const ob_group *group, const ob_pieces *pieces)
{
    if (pieces)
        return OB_OK;
    return ob_fail(OB_EARG, "%s: the pieces are NULL at process %d", routine, ob_group_me(group));
}

/* Scatter and gather, which differ in the direction alone. */
static int to_or_from(const char *routine, ob_group *group, ob_task task, int root,
                      const ob_pieces *pieces, const ob_view *mine, const ob_route *route)
{
    ob_parts parts;
    bool scatter = task == OB_TASK_SCATTER;
    int status = check_group(routine, group);
    if (!status)
        status = check_root(routine, group, root, 0);
    if (!status)
        status = check_pieces(routine, group, pieces);
    if (!status && (mine || group->me != root))
        status = check_view(routine, group, 4, mine);
    if (status)
        return status;
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

static int do_scatter(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
               const ob_route *route)
{
    return to_or_from("ob_scatter", group, OB_TASK_SCATTER, root, pieces, mine, route);
}

int ob_scatter(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
               const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_scatter(group, root, pieces, mine, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_scatter(group, root, pieces, mine, route);
    record(&span, group, "ob_scatter", OB_TRACE_SCATTER, root, mine, pieces, route, status);
    return status;
}

static int do_gather(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
              const ob_route *route)
{
    return to_or_from("ob_gather", group, OB_TASK_GATHER, root, pieces, mine, route);
}

int ob_gather(ob_group *group, int root, const ob_pieces *pieces, const ob_view *mine,
              const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_gather(group, root, pieces, mine, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_gather(group, root, pieces, mine, route);
    record(&span, group, "ob_gather", OB_TRACE_GATHER, root, mine, pieces, route, status);
    return status;
}

static int do_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route)
{
    ob_parts parts;
    int status = check_group("ob_collect", group);
    if (!status)
        status = check_pieces("ob_collect", group, pieces);
    if (!status)
        status = ob_parts_make("ob_collect", group, pieces, true, NULL, 1, &parts);
    if (status)
        return status;
    status = do_parts(group, OB_TASK_COLLECT, 0, &parts, route);
    ob_parts_free(&parts);
    return status;
}

int ob_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_collect(group, pieces, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_collect(group, pieces, route);
    record(&span, group, "ob_collect", OB_TRACE_COLLECT, OB_ANY, NULL, pieces, route, status);
    return status;
}

static int distribute(const char *routine, ob_group *group, ob_op op, const ob_operation *operation,
                      const ob_pieces *pieces, const ob_route *route)
{
    ob_parts parts;
    ob_type type = pieces->views ? pieces->views[0].type : pieces->type;
    if (operation && ob_operation_is(operation, type, &op))
        operation = NULL;
    ob_kernel kernel = operation ? NULL : ob_kernel_find(op, type, 0);
    if (operation == NULL && kernel == NULL)
        return ob_fail(OB_EARG, "%s: operation %d of type %s cannot be done", routine, (int)op,
                       ob_type_name(type));
    int status = ob_parts_make(routine, group, pieces, true, NULL,
                               operation ? operation->element_bytes : ob_type_bytes(type), &parts);
    if (status)
        return status;
    parts.op = op;
    parts.type = type;
    parts.kernel = kernel;
    parts.operation = operation;
    status = do_parts(group, OB_TASK_DISTRIBUTE, 0, &parts, route);
    ob_parts_free(&parts);
    return status;
}

static int do_distributed_combine(ob_group *group, ob_op op, const ob_pieces *pieces,
                           const ob_route *route)
{
    int status = check_group("ob_distributed_combine", group);
    if (!status)
        status = check_pieces("ob_distributed_combine", group, pieces);
    return status ? status
                  : distribute("ob_distributed_combine", group, op, NULL, pieces, route);
}

int ob_distributed_combine(ob_group *group, ob_op op, const ob_pieces *pieces,
                           const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_distributed_combine(group, op, pieces, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_distributed_combine(group, op, pieces, route);
    record(&span, group, "ob_distributed_combine", OB_TRACE_DISTRIBUTE, OB_ANY, NULL, pieces, route, status);
    return status;
}

static int do_distributed_combine_by(ob_group *group, const ob_operation *operation,
                              const ob_pieces *pieces, const ob_route *route)
{
    int status = check_group("ob_distributed_combine_by", group);
    if (!status)
        status = check_pieces("ob_distributed_combine_by", group, pieces);
    if (!status)
        status = check_own_operation("ob_distributed_combine_by", operation, NULL);
    return status ? status
                  : distribute("ob_distributed_combine_by", group, OB_SUM, operation, pieces, route);
}

int ob_distributed_combine_by(ob_group *group, const ob_operation *operation,
                              const ob_pieces *pieces, const ob_route *route)
{
    if (!OB_TRACING || group == NULL)
        return do_distributed_combine_by(group, operation, pieces, route);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_distributed_combine_by(group, operation, pieces, route);
    record(&span, group, "ob_distributed_combine_by", OB_TRACE_DISTRIBUTE, OB_ANY, NULL, pieces, route, status);
    return status;
}

static int do_barrier(ob_group *group)
{
    int status = check_group("ob_barrier", group);
    if (status)
        return status;
    if (group->one_node && group->size > 1)
        return ob_barrier_board(group);
    return ob_has_levels(group) ? ob_barrier_levels(group) : ob_barrier_dissemination(group);
}

int ob_barrier(ob_group *group)
{
    if (!OB_TRACING || group == NULL)
        return do_barrier(group);
    ob_trace_span span;
    ob_trace_begin(&span);
    int status = do_barrier(group);
    record(&span, group, "ob_barrier", OB_TRACE_BARRIER, OB_ANY, NULL, NULL, NULL, status);
    return status;
}
