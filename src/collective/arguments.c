/*
 * The arguments of collective calls, and the end of their spans in a trace.
 */
#include "collective/arguments.h"

#include "collective/data/parts.h"
#include "collective/way.h"
#include "core/error.h"
#include "hooks/topology.h"
#include "kernel/kernel.h"

int ob_refuse_group(const char *routine)
{
    return ob_fail(OB_EARG, "OB-1001 %s: argument 1 (group) is NULL; create the group first",
                   routine);
}

int ob_refuse_root(const char *routine, const ob_group *group, int root, int any_is_fine)
{
    int size = group->size;
    return ob_fail(OB_EARG,
                   "OB-1009 %s: argument 2 (root) is %d at process %d of a group of %d; it must be "
                   "0 .. %d%s",
                   routine, root, ob_group_me(group), size, size - 1,
                   any_is_fine ? ", or OB_ANY" : "");
}

int ob_argument_view(const char *routine, const ob_group *group, int argument, const ob_view *v)
{
    int me = ob_group_me(group);
    if (!v)
        return ob_fail(OB_EARG, "OB-1002 %s: argument %d (matrix) is NULL at process %d", routine,
                       argument, me);
    if (ob_type_bytes(v->type) == 0 || (unsigned)v->shape > OB_LOWER)
        return ob_fail(
            OB_EARG,
            "OB-1018 %s: argument %d (matrix) has type %d and shape %d at process %d; use an "
            "ob_type and an ob_shape",
            routine, argument, (int)v->type, (int)v->shape, me);
    if (v->ld < v->m)
        return ob_fail(
            OB_EARG,
            "OB-1004 %s: argument %d (matrix) has %zu rows but a leading dimension of %zu at "
            "process %d; it must be at least the rows",
            routine, argument, v->m, v->ld, me);
    if (!ob_view_fits(v))
        return ob_fail(
            OB_EARG,
            "OB-1005 %s: argument %d (matrix) has %zu columns and a leading dimension of %zu at "
            "process %d; memory cannot hold so many elements",
            routine, argument, v->n, v->ld, me);
    if (!v->base && ob_view_count(v))
        return ob_fail(
            OB_EARG, "OB-1002 %s: argument %d (matrix) is %zu x %zu at address NULL at process %d",
            routine, argument, v->m, v->n, me);
    return OB_OK;
}

int ob_argument_apart(const char *routine, const ob_group *group, const ob_view *from,
                      const ob_view *to)
{
    if (ob_view_bytes(from) == ob_view_bytes(to))
        return OB_OK;
    return ob_fail(OB_ESIZE,
                   "OB-1024 %s: argument 4 (from) has %zu bytes, argument 5 (to) %zu at process "
                   "%d; they must be equal",
                   routine, ob_view_bytes(from), ob_view_bytes(to), group->me);
}

int ob_judge_route(const char *routine, const ob_group *group, int argument, const ob_route *r)
{
    if (r->topology == OB_TOP_BEST || ob_topology_sound(r))
        return OB_OK;
    const ob_topology_row *row = ob_topology_at((int)r->topology);
    if (row == NULL)
        return ob_fail(OB_EARG,
                       "OB-1008 %s: argument %d (route) has topology %d at process %d; use an "
                       "ob_topology",
                       routine, argument, (int)r->topology, ob_group_me(group));
    if (row->takes == OB_TAKES_BRANCHES)
        return ob_fail(
            OB_EARG,
            "OB-1008 %s: argument %d (route) has a tree with %d branches at process %d; it "
            "must have at least 1",
            routine, argument, r->branches, ob_group_me(group));
    return ob_fail(OB_EARG,
                   "OB-1008 %s: argument %d (route) has 0 rings at process %d; use 1 or more, or a "
                   "negative number for decreasing rings",
                   routine, argument, ob_group_me(group));
}

int ob_argument_operation(const char *routine, const ob_group *group, ob_op op,
                          const ob_view *matrix, const ob_coordinates *coords)
{
    int me = ob_group_me(group);
    if ((unsigned)op > OB_MIN)
        return ob_fail(OB_EARG, "OB-1019 %s: argument 3 (op) is %d at process %d; use an ob_op",
                       routine, (int)op, me);
    bool done = ob_kernel_find(op, matrix->type, 0) != NULL;
    if (!done && matrix->type != OB_BYTE)
        return ob_fail(OB_EARG,
                       "OB-1019 %s: argument 4 (matrix) has type %s at process %d; complex numbers "
                       "have no order, use OB_MAX_ABS or OB_MIN_ABS",
                       routine, ob_type_name(matrix->type), me);
    if (!done)
        return ob_fail(OB_EARG,
                       "OB-1019 %s: argument 4 (matrix) has type %s at process %d; bytes cannot "
                       "be combined",
                       routine, ob_type_name(matrix->type), me);
    if (!coords)
        return OB_OK;
    if (op == OB_SUM)
        return ob_fail(OB_EARG,
                       "OB-1020 %s: argument 5 (owner) is given with OB_SUM at process %d; a sum "
                       "has no owner, pass NULL",
                       routine, me);
    if (coords->ld < matrix->m)
        return ob_fail(OB_EARG,
                       "OB-1020 %s: argument 6 (ld_owner) is %zu at process %d; it must be at "
                       "least the matrix's %zu rows",
                       routine, coords->ld, me, matrix->m);
    if (coords->width < 1 || coords->first == NULL)
        return ob_fail(
            OB_EARG,
            "OB-1020 ob_combine_coordinates: argument 5 (coordinates) has width %d and first %p at "
            "process %d; it needs a width of 1 or more and an array",
            coords->width, (void *)coords->first, me);
    return OB_OK;
}

/* A vector whose elements are wider than its view's type is one of bytes. */
int ob_argument_own_operation(const char *routine, const ob_operation *o, const ob_view *v)
{
    if (o == NULL || o->apply == NULL || o->element_bytes == 0 ||
        o->element_bytes > OB_ELEMENT_BYTES)
        return ob_fail(OB_EARG,
                       "OB-1021 %s: the operation needs a function and elements of 1 to %d bytes",
                       routine, OB_ELEMENT_BYTES);
    size_t unit = v ? ob_type_bytes(v->type) : 1;
    if (v == NULL || unit == o->element_bytes)
        return OB_OK;
    if (v->shape != OB_GENERAL || v->m * unit % o->element_bytes ||
        (v->n > 1 && v->ld * unit % o->element_bytes))
        return ob_fail(
            OB_EARG,
            "OB-1021 %s: columns of %zu bytes, %zu apart, do not hold whole elements of %zu",
            routine, v->m * unit, v->ld * unit, o->element_bytes);
    return OB_OK;
}

int ob_argument_pieces(const char *routine, const ob_group *group, const ob_pieces *pieces)
{
    if (pieces)
        return OB_OK;
    return ob_fail(OB_EARG, "OB-1002 %s: the pieces are NULL at process %d", routine,
                   ob_group_me(group));
}

int ob_argument_exchange(const char *routine, ob_group *group, const ob_pieces *out,
                         const ob_pieces *in, ob_parts parts[2])
{
    parts[0] = parts[1] = (ob_parts){0};
    int status = ob_argument_pieces(routine, group, out);
    if (!status)
        status = ob_argument_pieces(routine, group, in);
    for (int k = 0; k < 2 && !status; k++)
        status = ob_parts_make(routine, group, k ? in : out, true, NULL, 1, &parts[k]);
    return status;
}

int ob_argument_own_piece(const char *routine, const ob_group *group, const ob_parts parts[2])
{
    int me = group->me;
    size_t out = ob_part_bytes(&parts[0], me), in = ob_part_bytes(&parts[1], me);
    return out == in ? OB_OK
                     : ob_fail(OB_ESIZE,
                               "OB-1024 %s: the own piece has %zu bytes, its place %zu; process %d",
                               routine, out, in, me);
}

/* Ends the span of a collective call. Arguments that were refused are not looked at. */
int ob_call_record(const ob_trace_span *span, const ob_group *group, const char *routine, int kind,
                   int root, const ob_view *matrix, const ob_pieces *pieces, const ob_route *route,
                   int status)
{
    bool fine = status != OB_EARG;
    ob_task task = kind == OB_TRACE_BROADCAST ? OB_TASK_BROADCAST : OB_TASK_COMBINE;
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
                                        .topology = ob_topology_letter(
                                            ob_free_choice(group, task, route) ? NULL : route)});
    return status;
}
