/*
 * Combines with an operation of the caller's or of ob_operation_of, in their place and out of it:
 * the arguments are checked. What is not done when the operands are combined, averages and sums in
 * float, is finished here.
 */
#include <stdlib.h>

#include "collective/arguments.h"
#include "collective/data/parts.h"
#include "collective/wide.h"
#include "collective/with.h"
#include "core/error.h"
#include "kernel/kernel.h"

/* ------------------------------------------------------------ in other elements */

static int no_memory(const char *routine, size_t bytes)
{
    return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %zu bytes in float", routine, bytes);
}

/* -------------------------------------------------------------------- combine */

typedef struct combine_call {
    const char *routine;
    ob_group *group;
    int root;
    const ob_operation *operation;
    bool in_order, apart;
    const ob_view *from, *to;
    const ob_route *route;
} combine_call;

static bool is_wanted(const combine_call *c)
{
    return c->root == OB_ANY || c->root == c->group->me;
}

static int combine_wide(const combine_call *c, const ob_staged *s, int members)
{
    size_t esize = c->operation->element_bytes, n = ob_view_bytes(c->from) / esize;
    char *narrow, *wide = ob_wide_memory(n, s->inner.element_bytes, esize, &narrow);
    if (wide == NULL)
        return no_memory(c->routine, n * s->inner.element_bytes);
    ob_view v = ob_view_vector(wide, n, s->type);
    ob_widen(s, n, wide, c->from, narrow);
    int status = ob_combine_with(c->group, c->root, &s->inner, false, false, &v, &v, c->route);
    if (status == OB_OK && is_wanted(c))
        ob_finish(s, members, n, c->to, wide, narrow);
    free(wide);
    return status;
}

static int combine(const combine_call *c)
{
    ob_staged s;
    /* One that has its result in its place needs no place for it. */
    bool kept = c->apart && !(is_wanted(c) && c->to->base == c->from->base);
    const ob_view *to = kept && is_wanted(c) ? c->to : c->from;
    if (!ob_operation_staged(c->operation, &s))
        return ob_combine_with(c->group, c->root, c->operation, c->in_order, kept, c->from, to,
                               c->route);
    int members = s.divides ? c->group->size : 1;
    if (s.widen)
        return combine_wide(c, &s, members);
    int status = ob_combine_with(c->group, c->root, &s.inner, false, kept, c->from, to, c->route);
    if (status == OB_OK && is_wanted(c))
        ob_finish_here(&s, members, c->operation->element_bytes, to);
    return status;
}

static int check_place(const combine_call *c)
{
    int status = ob_argument_view(c->routine, c->group, 5, c->to);
    if (!status)
        status = ob_argument_own_operation(c->routine, c->operation, c->to);
    if (!status)
        status = ob_argument_apart(c->routine, c->group, c->from, c->to);
    return status;
}

static int combine_call_of(const combine_call *c)
{
    ob_trace_span span;
    ob_call_begin(&span, c->group);
    int status = ob_argument_group(c->routine, c->group);
    if (!status)
        status = ob_argument_root(c->routine, c->group, c->root, 1);
    if (!status)
        status = ob_argument_view(c->routine, c->group, 4, c->from);
    if (!status)
        status = ob_argument_own_operation(c->routine, c->operation, c->from);
    if (!status && c->apart && is_wanted(c))
        status = check_place(c);
    if (!status)
        status = ob_argument_route(c->routine, c->group, c->apart ? 6 : 5, c->route);
    if (!status)
        status = combine(c);
    return ob_call_end(&span, c->group, c->routine, OB_TRACE_COMBINE, c->root, c->from, NULL,
                       c->route, status);
}

int ob_combine_by(ob_group *group, int root, const ob_operation *operation, const ob_view *matrix,
                  const ob_route *route)
{
    return combine_call_of(&(combine_call){.routine = "ob_combine_by",
                                           .group = group,
                                           .root = root,
                                           .operation = operation,
                                           .from = matrix,
                                           .to = matrix,
                                           .route = route});
}

int ob_combine_to(ob_group *group, int root, const ob_operation *operation, const ob_view *from,
                  const ob_view *to, const ob_route *route)
{
    return combine_call_of(&(combine_call){.routine = "ob_combine_to",
                                           .group = group,
                                           .root = root,
                                           .operation = operation,
                                           .apart = true,
                                           .from = from,
                                           .to = to,
                                           .route = route});
}

int ob_combine_in_order(ob_group *group, int root, const ob_operation *operation,
                        const ob_view *from, const ob_view *to, const ob_route *route)
{
    return combine_call_of(&(combine_call){.routine = "ob_combine_in_order",
                                           .group = group,
                                           .root = root,
                                           .operation = operation,
                                           .in_order = true,
                                           .apart = true,
                                           .from = from,
                                           .to = to,
                                           .route = route});
}

/* --------------------------------------------------------- distributed combine */

typedef struct distribute_call {
    const char *routine;
    ob_group *group;
    const ob_operation *operation;
    bool in_order;
    const ob_pieces *pieces;
    const ob_view *to; /* NULL: the own piece's place */
    const ob_route *route;
} distribute_call;

/* All pieces as wider elements, one behind the other. counts: room for their elements. */
static int distribute_widened(const distribute_call *c, const ob_staged *s, const ob_parts *p,
                              int members, size_t *counts)
{
    int size = c->group->size, me = c->group->me;
    size_t n = p->cut[size], wide_bytes = s->inner.element_bytes, at = p->cut[me] * wide_bytes;
    char *narrow, *wide = ob_wide_memory(n, wide_bytes, p->esize, &narrow);
    if (wide == NULL)
        return no_memory(c->routine, n * wide_bytes);
    for (int i = 0; i < size; i++) {
        counts[i] = p->cut[i + 1] - p->cut[i];
        ob_widen(s, counts[i], wide + p->cut[i] * wide_bytes, &p->view[i], narrow);
    }
    ob_pieces pieces = {.base = wide, .type = s->type, .counts = counts};
    int status =
        ob_distribute_with(c->routine, c->group, &s->inner, false, &pieces, NULL, c->route);
    if (status == OB_OK)
        ob_finish(s, members, counts[me], c->to ? c->to : &p->view[me], wide + at, narrow);
    free(wide);
    return status;
}

static int distribute_wide(const distribute_call *c, const ob_staged *s, int members)
{
    ob_parts p;
    size_t *counts = malloc((size_t)c->group->size * sizeof *counts);
    if (counts == NULL)
        return no_memory(c->routine, (size_t)c->group->size * sizeof *counts);
    int status =
        ob_parts_make(c->routine, c->group, c->pieces, true, NULL, c->operation->element_bytes, &p);
    if (status == OB_OK) {
        size_t bytes = ob_part_bytes(&p, c->group->me);
        if (c->to && ob_view_bytes(c->to) != bytes)
            status = ob_fail(OB_ESIZE,
                             "OB-1024 %s: the own piece has %zu bytes, its place %zu; process %d",
                             c->routine, bytes, ob_view_bytes(c->to), c->group->me);
        else
            status = distribute_widened(c, s, &p, members, counts);
        ob_parts_free(&p);
    }
    free(counts);
    return status;
}

static int distribute(const distribute_call *c)
{
    ob_staged s;
    ob_view own;
    if (!ob_operation_staged(c->operation, &s))
        return ob_distribute_with(c->routine, c->group, c->operation, c->in_order, c->pieces, c->to,
                                  c->route);
    int members = s.divides ? c->group->size : 1;
    if (s.widen)
        return distribute_wide(c, &s, members);
    int status =
        ob_distribute_with(c->routine, c->group, &s.inner, false, c->pieces, c->to, c->route);
    if (status == OB_OK && c->to == NULL)
        status = ob_parts_piece(c->routine, c->pieces, c->group->me, &own);
    if (status == OB_OK)
        ob_finish_here(&s, members, c->operation->element_bytes, c->to ? c->to : &own);
    return status;
}

static int distribute_call_of(const distribute_call *c)
{
    ob_trace_span span;
    ob_call_begin(&span, c->group);
    int status = ob_argument_group(c->routine, c->group);
    if (!status)
        status = ob_argument_own_operation(c->routine, c->operation, c->to);
    if (!status)
        status = ob_argument_pieces(c->routine, c->group, c->pieces);
    if (!status && c->to)
        status = ob_argument_view(c->routine, c->group, 4, c->to);
    if (!status)
        status = distribute(c);
    return ob_call_end(&span, c->group, c->routine, OB_TRACE_DISTRIBUTE, OB_ANY, NULL, c->pieces,
                       c->route, status);
}

int ob_distributed_combine_by(ob_group *group, const ob_operation *operation,
                              const ob_pieces *pieces, const ob_route *route)
{
    return distribute_call_of(&(distribute_call){.routine = "ob_distributed_combine_by",
                                                 .group = group,
                                                 .operation = operation,
                                                 .pieces = pieces,
                                                 .route = route});
}

int ob_distributed_combine_to(ob_group *group, const ob_operation *operation,
                              const ob_pieces *pieces, const ob_view *to, const ob_route *route)
{
    return distribute_call_of(&(distribute_call){.routine = "ob_distributed_combine_to",
                                                 .group = group,
                                                 .operation = operation,
                                                 .pieces = pieces,
                                                 .to = to,
                                                 .route = route});
}

int ob_distributed_combine_in_order(ob_group *group, const ob_operation *operation,
                                    const ob_pieces *pieces, const ob_view *to,
                                    const ob_route *route)
{
    return distribute_call_of(&(distribute_call){.routine = "ob_distributed_combine_in_order",
                                                 .group = group,
                                                 .operation = operation,
                                                 .in_order = true,
                                                 .pieces = pieces,
                                                 .to = to,
                                                 .route = route});
}
