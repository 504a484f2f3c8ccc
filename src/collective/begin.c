/*
 * Collective calls that do not wait, and those that are prepared: the arguments are checked, a way
 * is chosen, its steps are made, and begun.
 */
#include "collective/arguments.h"
#include "collective/data/piece.h"
#include "collective/levels/levels.h"
#include "collective/overlap/prepared.h"
#include "collective/planner/memory.h"
#include "collective/scheme/run.h"
#include "collective/way.h"
#include "collective/wide.h"
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
    ob_query query = *q;
    query.moves = true;
    return ob_plan_scheme(g, &query, scheme);
}

/* All steps are there, or not. */
static int made(int status, ob_prepared *p, size_t bytes, bool foreign, ob_prepared **prepared)
{
    p->course.bytes = bytes;
    p->course.alike = p->kind != OB_TRACE_EXCHANGE;
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

/* How a broadcast goes between the nodes of a group, which count from the root's: pieces behind the
 * first by how many they are, which the first one tells (ob_nodes_broadcast). What is begun goes on
 * when members look: so each waits for one other alone, and as few times as can be. In a tree every
 * chunk leaves a node up to log2 nodes times, in a chain once, but on a longer way; where that
 * costs more than four times either way, the planner's pieces are better. ring: a chain always. */
static int choose_between_nodes(ob_group *nodes, const ob_query *query, bool ring,
                                ob_between *between)
{
    int many = nodes->size, deep = ob_log2_ceil(many);
    ob_scheme *scheme = &between->rest;
    size_t behind = ob_piece_behind(query->bytes, ob_piece_most(OB_RUN_EAGER));
    size_t chunks = behind + 1, most = chunks * (size_t)(deep < 4 ? deep : 4);
    int named = ob_plan_named(nodes, query->task, scheme);
    between->chunk = OB_RUN_EAGER;
    ob_scheme_add(&between->first, OB_ACT_BROADCAST, ring ? OB_HOW_CHAIN : OB_HOW_TREE, many, 1,
                  ring);
    if (named < 0 || (named && !scheme->native))
        return named < 0 ? named : OB_OK;
    *scheme = (ob_scheme){0};
    if (ring || chunks + (size_t)many - 2 < most) {
        ob_scheme_add(scheme, OB_ACT_BROADCAST, OB_HOW_CHAIN, many, 1, 1);
    } else if (behind == 0 || deep <= 4) {
        ob_scheme_add(scheme, OB_ACT_BROADCAST, OB_HOW_TREE, many, 1, 0);
    } else {
        ob_query q = *query;
        between->chunk = OB_LEVELS_BROADCAST;
        q.root = 0;
        q.bytes = ob_piece_next(behind * OB_RUN_EAGER, ob_piece_most(between->chunk));
        q.moves = true;
        return ob_plan_scheme(nodes, &q, scheme);
    }
    return OB_OK;
}

/* To nodes of several members it comes once to each. */
static int add_nodes_broadcast(ob_prepared *p, const ob_query *q, const ob_view *matrix, bool ring)
{
    ob_group *g = p->group;
    ob_levels *levels;
    ob_between between = {0};
    int status = ob_levels_of(g, q->root, &levels);
    if (status == OB_OK)
        status = choose_between_nodes(levels->leaders, q, ring, &between);
    if (status == OB_OK)
        ob_nodes_broadcast(p, q->root, matrix, levels->leader, &between);
    return status;
}

static int add_broadcast(ob_prepared *p, int root, const ob_view *matrix, ob_topology topology)
{
    ob_group *g = p->group;
    bool straight = topology == OB_TOP_FULL, ring = topology == OB_TOP_RING_UP;
    ob_scheme scheme;
    const ob_query q = {.task = OB_TASK_BROADCAST, .root = root, .bytes = ob_view_bytes(matrix)};
    int nodes = straight ? 0 : ob_use_levels(g, q.task, NULL);
    if (nodes)
        return nodes < 0 ? nodes : add_nodes_broadcast(p, &q, matrix, ring);
    if (ring) {
        ob_ring_broadcast(p, root, matrix);
        return OB_OK;
    }
    int status = straight ? OB_OK : choose(g, &q, &straight, &scheme);
    if (status == OB_OK && straight)
        ob_straight_broadcast(p, root, matrix);
    else if (status == OB_OK)
        ob_planned_broadcast(p, root, matrix, &scheme);
    return status;
}

static int prepare_broadcast(const char *routine, ob_group *g, int root, const ob_view *matrix,
                             const ob_route *route, ob_prepared **prepared)
{
    int status = ob_argument_root(routine, g, root, 0);
    if (!status)
        status = ob_argument_view(routine, g, 3, matrix);
    if (!status)
        status = ob_argument_route(routine, g, 4, route);
    ob_prepared *p = status ? NULL : ob_prepared_new(g, OB_TRACE_BROADCAST, root);
    if (p == NULL)
        return status ? status : OB_ENOMEM;
    status = add_broadcast(p, root, matrix, route ? route->topology : OB_TOP_BEST);
    return made(status, p, ob_view_bytes(matrix), false, prepared);
}

static int add_combine(ob_prepared *p, ob_group *g, const ob_combining *what, const ob_route *route)
{
    bool straight = what->exact || what->owner;
    ob_scheme scheme;
    ob_query q = {.task = what->root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE,
                  .root = what->root == OB_ANY ? 0 : what->root,
                  .bytes = ob_view_bytes(&what->matrix),
                  .coherent = route && route->coherent,
                  .repeatable = route && route->repeatable};
    int status = straight ? OB_OK : choose(g, &q, &straight, &scheme);
    bool claimed = status == OB_OK && straight && ob_claimed_serves(g, what);
    if (status == OB_OK && what->apart && !claimed)
        ob_add_copy(p, &what->from, &what->matrix);
    if (claimed)
        ob_claimed_combine(p, what);
    else if (status == OB_OK && straight)
        ob_straight_combine(p, what);
    else if (status == OB_OK)
        ob_planned_combine(p, what, &scheme);
    return status;
}

static int build_combine(ob_group *g, const ob_combining *what, const ob_route *route,
                         ob_prepared **prepared)
{
    bool foreign = what->operation && !ob_operation_is_own(what->operation);
    ob_prepared *p = ob_prepared_new(g, OB_TRACE_COMBINE, what->root);
    if (p == NULL)
        return OB_ENOMEM;
    int status = add_combine(p, g, what, route);
    return made(status, p, ob_view_bytes(&what->matrix), foreign, prepared);
}

static bool is_exact(const ob_group *g, ob_op op, const ob_route *route)
{
    return op == OB_SUM &&
           (g->job->set.reproducible || (route && route->repeatable >= OB_REPRODUCIBLE));
}

/* What is combined in other elements, or finished behind that. */
typedef struct wider {
    ob_staged staged;
    ob_view matrix;
    size_t n, esize;
    int members;
    void *wide; /* NULL: it is combined where it is */
    char *narrow;
} wider;

static int widen(const ob_step *step)
{
    const wider *w = step->with;
    ob_widen(&w->staged, w->n, w->wide, &w->matrix, w->narrow);
    return OB_OK;
}

static int finish(const ob_step *step)
{
    const wider *w = step->with;
    if (w->wide)
        ob_finish(&w->staged, w->members, w->n, &w->matrix, w->wide, w->narrow);
    else
        ob_finish_here(&w->staged, w->members, w->esize, &w->matrix);
    return OB_OK;
}

/* Steps of the combine between those that widen the operands and finish the result. */
static int add_staged(ob_prepared *p, ob_group *g, int root, wider *w, bool keep,
                      const ob_route *route)
{
    ob_combining what = {
        .root = root, .matrix = w->matrix, .operation = &w->staged.inner, .keep = keep};
    if (w->staged.widen) {
        size_t bytes = w->n * w->staged.inner.element_bytes;
        w->wide = ob_prepared_memory(p, bytes);
        w->narrow = ob_prepared_memory(p, w->n * w->esize);
        if (p->failed)
            return OB_OK; /* ob_prepared_close says so */
        what.matrix = ob_view_vector(w->wide, w->n, w->staged.type);
        ob_add_work(p, false, widen, w, 0, 0);
    }
    if (ob_operation_is(&w->staged.inner, what.matrix.type, &what.op))
        what.operation = NULL;
    what.exact = what.operation == NULL && is_exact(g, what.op, route);
    int status = add_combine(p, g, &what, route);
    if (status == OB_OK && (root == OB_ANY || root == g->me))
        ob_add_work(p, true, finish, w, 0, 0);
    return status;
}

static int build_staged(ob_group *g, const ob_combining *what, const ob_staged *staged,
                        const ob_route *route, ob_prepared **prepared)
{
    int root = what->root;
    const ob_view *matrix = &what->matrix;
    ob_prepared *p = ob_prepared_new(g, OB_TRACE_COMBINE, root);
    wider *w = p ? ob_prepared_memory(p, sizeof *w) : NULL;
    int status = OB_OK;
    if (p == NULL)
        return OB_ENOMEM;
    if (w) {
        size_t esize = what->operation->element_bytes;
        if (what->apart)
            ob_add_copy(p, &what->from, matrix);
        *w = (wider){.staged = *staged,
                     .matrix = *matrix,
                     .n = ob_view_bytes(matrix) / esize,
                     .esize = esize,
                     .members = staged->divides ? g->size : 1};
        status = add_staged(p, g, root, w, what->keep, route);
    }
    return made(status, p, ob_view_bytes(matrix), false, prepared);
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
    const ob_combining what = {.root = root,
                               .op = op,
                               .matrix = *matrix,
                               .owner = owner,
                               .ld_owner = ld_owner,
                               .keep = keep,
                               .exact = is_exact(g, op, route)};
    return build_combine(g, &what, route, prepared);
}

/* What is to be combined, and its operation, with all else of *what; route: the argument's number.
 */
static int build_combine_by(const char *routine, ob_group *g, const ob_combining *with,
                            int argument, const ob_route *route, ob_prepared **prepared)
{
    ob_combining what = *with;
    ob_staged staged;
    int status = ob_argument_route(routine, g, argument, route);
    if (status)
        return status;
    if (ob_operation_staged(what.operation, &staged))
        return build_staged(g, &what, &staged, route, prepared);
    if (ob_operation_is(what.operation, what.matrix.type, &what.op)) {
        status = ob_argument_operation(routine, g, what.op, &what.matrix, NULL);
        what.operation = NULL;
        what.exact = is_exact(g, what.op, route);
    }
    return status ? status : build_combine(g, &what, route, prepared);
}

static int check_combine_by(const char *routine, const ob_group *g, int root,
                            const ob_operation *operation, const ob_view *matrix)
{
    int status = ob_argument_root(routine, g, root, 1);
    if (!status)
        status = ob_argument_view(routine, g, 4, matrix);
    return status ? status : ob_argument_own_operation(routine, operation, matrix);
}

static int prepare_combine_by(const char *routine, ob_group *g, int root,
                              const ob_operation *operation, const ob_view *matrix,
                              const ob_route *route, ob_prepared **prepared)
{
    int status = check_combine_by(routine, g, root, operation, matrix);
    if (status)
        return status;
    const ob_combining what = {.root = root, .operation = operation, .matrix = *matrix};
    return build_combine_by(routine, g, &what, 5, route, prepared);
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
    ob_prepared *p = status ? NULL : ob_prepared_new(g, OB_TRACE_COLLECT, OB_ANY);
    if (p == NULL)
        return status ? status : OB_ENOMEM;
    status = ob_parts_make(routine, g, pieces, true, NULL, 1, &p->parts[0]);
    if (!status && straight)
        ob_straight_collect(p);
    else if (!status)
        ob_planned_collect(p, &scheme);
    return made(status, p, q.bytes, false, prepared);
}

static int prepare_exchange(const char *routine, ob_group *g, const ob_pieces *out,
                            const ob_pieces *in, ob_prepared **prepared)
{
    ob_parts parts[2];
    int status = ob_argument_exchange(routine, g, out, in, parts);
    if (!status)
        status = ob_argument_own_piece(routine, g, parts);
    ob_prepared *p = status ? NULL : ob_prepared_new(g, OB_TRACE_EXCHANGE, OB_ANY);
    if (p == NULL) {
        ob_parts_free(&parts[0]);
        ob_parts_free(&parts[1]);
        return status ? status : OB_ENOMEM;
    }
    p->parts[0] = parts[0];
    p->parts[1] = parts[1];
    ob_straight_exchange(p);
    return made(OB_OK, p, ob_parts_bytes(&p->parts[1]), false, prepared);
}

static int prepare_barrier(ob_group *g, ob_prepared **prepared)
{
    ob_prepared *p = ob_prepared_new(g, OB_TRACE_BARRIER, OB_ANY);
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
    ob_trace_end(&span, &(ob_trace_what){.kind = p->kind,
                                         .group = p->group,
                                         .routine = routine,
                                         .position = p->root,
                                         .tag = p->course.tag,
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

int ob_prepared_attend(ob_prepared *p)
{
    return ob_course_attend(&p->course);
}

int ob_group_near(const ob_group *group)
{
    return group->one_node;
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

int ob_prepare_combine_apart(ob_group *group, int root, const ob_operation *operation,
                             const ob_view *from, const ob_view *to, const ob_route *route,
                             ob_prepared **prepared)
{
    const char *routine = "ob_prepare_combine_apart";
    int status = check_place(routine, group, prepared);
    if (!status)
        status = check_combine_by(routine, group, root, operation, from);
    bool wanted = !status && (root == OB_ANY || root == group->me);
    if (wanted)
        status = ob_argument_view(routine, group, 5, to);
    if (wanted && !status)
        status = ob_argument_own_operation(routine, operation, to);
    if (wanted && !status)
        status = ob_argument_apart(routine, group, from, to);
    if (status)
        return status;
    const ob_combining what = {.root = root,
                               .operation = operation,
                               .matrix = wanted ? *to : *from,
                               .apart = wanted && to->base != from->base,
                               .from = *from,
                               .keep = true};
    return build_combine_by(routine, group, &what, 6, route, prepared);
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
