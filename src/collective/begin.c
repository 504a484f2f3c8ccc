/*
 * Collective calls that do not wait, and those that are prepared: the arguments are checked, a way
 * is chosen, its steps are made, and begun.
 */
#include "collective/arguments.h"
#include "collective/overlap/prepared.h"
#include "collective/planner/memory.h"
#include "collective/way.h"
#include "core/error.h"
#include "hooks/collective.h"
#include "kernel/kernel.h"

static void destroy(ob_course *course)
{
    ob_prepared_destroy((ob_prepared *)(void *)course);
}

static int check_place(const char *routine, const ob_group *group, const void *place)
{
    int status = ob_argument_group(routine, group);
    if (status == OB_OK && place == NULL)
        status = ob_fail(
            OB_EARG, "OB-1001 %s: there is no place for the request or what is prepared", routine);
    return status;
}

/* Steps straight between members, as on a node that has memory for all to read? Else *scheme. */
static int choose(ob_group *g, const ob_query *q, bool *straight, ob_scheme *scheme)
{
    int on_board = ob_use_board(g, q->task, NULL);
    *straight = on_board || g->size == 1;
    if (on_board < 0 || *straight)
        return on_board < 0 ? on_board : OB_OK;
    return ob_plan_scheme(g, q, scheme);
}

/* All steps are there, or not. */
static int made(int status, ob_prepared *p, size_t bytes, bool foreign, ob_prepared **prepared)
{
    p->course.bytes = bytes;
    p->course.foreign = foreign;
    if (status == OB_OK)
        status = ob_prepared_close(p);
    if (status == OB_OK)
        *prepared = p;
    else
        ob_prepared_destroy(p);
    return status;
}

/* ------------------------------------------------------------------- preparing */

static int prepare_broadcast(const char *routine, ob_group *g, int root, const ob_view *matrix,
                             const ob_route *route, ob_prepared **prepared)
{
    bool straight;
    ob_scheme scheme;
    int status = ob_argument_root(routine, g, root, 0);
    if (!status)
        status = ob_argument_view(routine, g, 3, matrix);
    if (!status)
        status = ob_argument_route(routine, g, 4, route);
    if (status)
        return status;
    ob_query q = {.task = OB_TASK_BROADCAST, .root = root, .bytes = ob_view_bytes(matrix)};
    status = choose(g, &q, &straight, &scheme);
    ob_prepared *p = status ? NULL : ob_prepared_new(g);
    if (p == NULL)
        return status ? status : OB_ENOMEM;
    if (straight)
        ob_straight_broadcast(p, root, matrix);
    else
        ob_planned_broadcast(p, root, matrix, &scheme);
    return made(OB_OK, p, q.bytes, false, prepared);
}

static int build_combine(ob_group *g, const ob_combining *what, const ob_route *route,
                         ob_prepared **prepared)
{
    bool straight = what->exact || what->owner, foreign = what->operation != NULL;
    ob_scheme scheme;
    ob_query q = {.task = what->root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE,
                  .root = what->root == OB_ANY ? 0 : what->root,
                  .bytes = ob_view_bytes(&what->matrix),
                  .coherent = route && route->coherent,
                  .repeatable = route && route->repeatable};
    int status = straight ? OB_OK : choose(g, &q, &straight, &scheme);
    ob_prepared *p = status ? NULL : ob_prepared_new(g);
    if (p == NULL)
        return status ? status : OB_ENOMEM;
    if (straight)
        ob_straight_combine(p, what);
    else
        ob_planned_combine(p, what, &scheme);
    return made(OB_OK, p, q.bytes, foreign, prepared);
}

static int prepare_combine(const char *routine, ob_group *g, int root, ob_op op,
                           const ob_view *matrix, int *owner, size_t ld_owner,
                           const ob_route *route, bool keep, ob_prepared **prepared)
{
    const ob_coordinates coords = {.first = owner, .ld = ld_owner, .width = 1};
    int status = ob_argument_root(routine, g, root, 1);
    if (!status)
        status = ob_argument_view(routine, g, 4, matrix);
    if (!status)
        status = ob_argument_operation(routine, g, op, matrix, owner ? &coords : NULL);
    if (!status)
        status = ob_argument_route(routine, g, 7, route);
    if (status)
        return status;
    const ob_combining what = {
        .root = root,
        .op = op,
        .matrix = *matrix,
        .owner = owner,
        .ld_owner = ld_owner,
        .keep = keep,
        .exact = op == OB_SUM &&
                 (g->job->set.reproducible || (route && route->repeatable >= OB_REPRODUCIBLE))};
    return build_combine(g, &what, route, prepared);
}

static int prepare_combine_by(const char *routine, ob_group *g, int root,
                              const ob_operation *operation, const ob_view *matrix,
                              const ob_route *route, ob_prepared **prepared)
{
    ob_op op;
    ob_staged staged;
    int status = ob_argument_root(routine, g, root, 1);
    if (!status)
        status = ob_argument_view(routine, g, 4, matrix);
    if (!status)
        status = ob_argument_own_operation(routine, operation, matrix);
    if (!status)
        status = ob_argument_route(routine, g, 5, route);
    if (!status && ob_operation_staged(operation, &staged))
        status = ob_fail(OB_EARG,
                         "OB-2503 %s: averages, and numbers of 16 bits, are combined by "
                         "ob_combine_by alone, which waits",
                         routine);
    if (status)
        return status;
    if (ob_operation_is(operation, matrix->type, &op))
        return prepare_combine(routine, g, root, op, matrix, NULL, 0, route, false, prepared);
    const ob_combining what = {.root = root, .operation = operation, .matrix = *matrix};
    return build_combine(g, &what, route, prepared);
}

static int prepare_collect(const char *routine, ob_group *g, const ob_pieces *pieces,
                           const ob_route *route, ob_prepared **prepared)
{
    bool straight;
    ob_scheme scheme;
    int status = ob_argument_pieces(routine, g, pieces);
    if (!status)
        status = ob_argument_route(routine, g, 3, route);
    if (status)
        return status;
    ob_query q = {.task = OB_TASK_COLLECT, .bytes = ob_pieces_bytes(pieces, g->size)};
    status = choose(g, &q, &straight, &scheme);
    ob_prepared *p = status ? NULL : ob_prepared_new(g);
    if (p == NULL)
        return status ? status : OB_ENOMEM;
    status = ob_parts_make(routine, g, pieces, true, NULL, 1, &p->parts[0]);
    if (status)
        p->parts[0].size = 0;
    else if (straight)
        ob_straight_collect(p);
    else
        ob_planned_collect(p, &scheme);
    return made(status, p, q.bytes, false, prepared);
}

static int check_own(const char *routine, const ob_prepared *p)
{
    int me = p->group->me;
    size_t out = ob_part_bytes(&p->parts[0], me), in = ob_part_bytes(&p->parts[1], me);
    return out == in ? OB_OK
                     : ob_fail(OB_ESIZE,
                               "OB-1024 %s: the caller's own piece has %zu bytes in `out`, %zu in "
                               "`in`",
                               routine, out, in);
}

static int prepare_exchange(const char *routine, ob_group *g, const ob_pieces *out,
                            const ob_pieces *in, ob_prepared **prepared)
{
    int status = ob_argument_pieces(routine, g, out);
    if (!status)
        status = ob_argument_pieces(routine, g, in);
    ob_prepared *p = status ? NULL : ob_prepared_new(g);
    if (p == NULL)
        return status ? status : OB_ENOMEM;
    for (int k = 0; k < 2 && !status; k++) {
        status = ob_parts_make(routine, g, k ? in : out, true, NULL, 1, &p->parts[k]);
        if (status)
            p->parts[k].size = 0;
    }
    if (!status)
        status = check_own(routine, p);
    if (!status)
        ob_straight_exchange(p);
    return made(status, p, status ? 0 : ob_parts_bytes(&p->parts[1]), false, prepared);
}

static int prepare_barrier(ob_group *g, ob_prepared **prepared)
{
    ob_prepared *p = ob_prepared_new(g);
    if (p == NULL)
        return OB_ENOMEM;
    ob_straight_barrier(p);
    return made(OB_OK, p, 0, false, prepared);
}

/* ------------------------------------------------------------------- beginning */

static int begin_traced(ob_prepared *p, const char *routine, ob_request **request)
{
    ob_trace_span span;
    if (!OB_TRACING)
        return ob_course_begin(&p->course, request);
    ob_trace_begin(&span);
    int status = ob_course_begin(&p->course, request);
    ob_trace_end(&span, &(ob_trace_what){.kind = OB_TRACE_POST,
                                         .group = p->group,
                                         .routine = routine,
                                         .position = OB_ANY,
                                         .tag = OB_ANY,
                                         .type = OB_BYTE,
                                         .flags = OB_TRACE_REQUEST,
                                         .status = status,
                                         .bytes = p->course.bytes});
    return status;
}

/* Prepared for this once. */
static int begin_once(int status, ob_prepared *p, const char *routine, ob_request **request)
{
    *request = NULL;
    if (status)
        return status;
    p->course.destroy = destroy;
    status = begin_traced(p, routine, request);
    if (status)
        ob_prepared_destroy(p);
    return status;
}

int ob_begin(ob_prepared *p, ob_request **request)
{
    if (p == NULL || request == NULL)
        return ob_fail(OB_EARG, "OB-1001 ob_begin: %s is NULL",
                       p ? "the place for the request" : "what is prepared");
    *request = NULL;
    if (p->course.request)
        return ob_fail(OB_ESTATE,
                       "OB-2501 ob_begin: process %d has not ended the request of the last time; "
                       "wait for it first",
                       p->group->job->number);
    if (p->course.failed)
        return ob_fail(OB_ESTATE,
                       "OB-2502 ob_begin: the prepared call of process %d has failed and cannot be "
                       "begun again; free it and prepare another one",
                       p->group->job->number);
    return begin_traced(p, "ob_begin", request);
}

void ob_prepared_free(ob_prepared *p)
{
    if (p && p->course.request)
        p->course.destroy = destroy;
    else
        ob_prepared_destroy(p);
}

/* The public calls: NAME of preparing, INAME of beginning at once. */

int ob_ibroadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route,
                  ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_ibroadcast", group, request);
    if (status)
        return status;
    status = prepare_broadcast("ob_ibroadcast", group, root, matrix, route, &p);
    return begin_once(status, p, "ob_ibroadcast", request);
}

int ob_prepare_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route,
                         ob_prepared **prepared)
{
    int status = check_place("ob_prepare_broadcast", group, prepared);
    return status ? status
                  : prepare_broadcast("ob_prepare_broadcast", group, root, matrix, route, prepared);
}

int ob_icombine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
                size_t ld_owner, const ob_route *route, ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_icombine", group, request);
    if (status)
        return status;
    status =
        prepare_combine("ob_icombine", group, root, op, matrix, owner, ld_owner, route, false, &p);
    return begin_once(status, p, "ob_icombine", request);
}

int ob_icombine_keep(ob_group *group, int root, ob_op op, const ob_view *matrix,
                     const ob_route *route, ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_icombine", group, request);
    if (status)
        return status;
    status = prepare_combine("ob_icombine", group, root, op, matrix, NULL, 0, route, true, &p);
    return begin_once(status, p, "ob_icombine", request);
}

int ob_prepare_combine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
                       size_t ld_owner, const ob_route *route, ob_prepared **prepared)
{
    int status = check_place("ob_prepare_combine", group, prepared);
    return status ? status
                  : prepare_combine("ob_prepare_combine", group, root, op, matrix, owner, ld_owner,
                                    route, false, prepared);
}

int ob_icombine_by(ob_group *group, int root, const ob_operation *operation, const ob_view *matrix,
                   const ob_route *route, ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_icombine_by", group, request);
    if (status)
        return status;
    status = prepare_combine_by("ob_icombine_by", group, root, operation, matrix, route, &p);
    return begin_once(status, p, "ob_icombine_by", request);
}

int ob_prepare_combine_by(ob_group *group, int root, const ob_operation *operation,
                          const ob_view *matrix, const ob_route *route, ob_prepared **prepared)
{
    int status = check_place("ob_prepare_combine_by", group, prepared);
    return status ? status
                  : prepare_combine_by("ob_prepare_combine_by", group, root, operation, matrix,
                                       route, prepared);
}

int ob_icollect(ob_group *group, const ob_pieces *pieces, const ob_route *route,
                ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_icollect", group, request);
    if (status)
        return status;
    status = prepare_collect("ob_icollect", group, pieces, route, &p);
    return begin_once(status, p, "ob_icollect", request);
}

int ob_prepare_collect(ob_group *group, const ob_pieces *pieces, const ob_route *route,
                       ob_prepared **prepared)
{
    int status = check_place("ob_prepare_collect", group, prepared);
    return status ? status : prepare_collect("ob_prepare_collect", group, pieces, route, prepared);
}

int ob_iexchange(ob_group *group, const ob_pieces *out, const ob_pieces *in, ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_iexchange", group, request);
    if (status)
        return status;
    status = prepare_exchange("ob_iexchange", group, out, in, &p);
    return begin_once(status, p, "ob_iexchange", request);
}

int ob_prepare_exchange(ob_group *group, const ob_pieces *out, const ob_pieces *in,
                        ob_prepared **prepared)
{
    int status = check_place("ob_prepare_exchange", group, prepared);
    return status ? status : prepare_exchange("ob_prepare_exchange", group, out, in, prepared);
}

int ob_ibarrier(ob_group *group, ob_request **request)
{
    ob_prepared *p = NULL;
    int status = check_place("ob_ibarrier", group, request);
    if (status)
        return status;
    status = prepare_barrier(group, &p);
    return begin_once(status, p, "ob_ibarrier", request);
}

int ob_prepare_barrier(ob_group *group, ob_prepared **prepared)
{
    int status = check_place("ob_prepare_barrier", group, prepared);
    return status ? status : prepare_barrier(group, prepared);
}
