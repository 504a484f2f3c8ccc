/*
 * ob_broadcast, ob_combine and ob_barrier: the arguments are checked, a plan
 * is taken, its algorithm is run.
 */
#include "collective/algorithm/algorithm.h"
#include "core/error.h"

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

int ob_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
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
    ob_plan plan = ob_plan_broadcast(route, ob_group_size(group), group->one_node,
                                     ob_view_bytes(matrix));
    return plan.broadcast(group, root, matrix, &plan);
}

static int check_operation(const ob_group *group, ob_op op, const ob_view *matrix,
                           const int *owner, size_t ld_owner)
{
    int me = ob_group_me(group);
    if ((unsigned)op > OB_MIN_ABS)
        return ob_fail(OB_EARG, "ob_combine: argument 3 (op) is %d at process %d; use an ob_op",
                       (int)op, me);
    if (!ob_kernel_find(op, matrix->type, 0))
        return ob_fail(OB_EARG,
                       "ob_combine: argument 4 (matrix) has type %s at process %d; bytes cannot "
                       "be combined",
                       ob_type_name(matrix->type), me);
    if (owner && op == OB_SUM)
        return ob_fail(OB_EARG,
                       "ob_combine: argument 5 (owner) is given with OB_SUM at process %d; a sum "
                       "has no owner, pass NULL",
                       me);
    if (owner && ld_owner < matrix->m)
        return ob_fail(OB_EARG,
                       "ob_combine: argument 6 (ld_owner) is %zu at process %d; it must be at "
                       "least the matrix's %zu rows",
                       ld_owner, me, matrix->m);
    return OB_OK;
}

int ob_combine(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
               size_t ld_owner, const ob_route *route)
{
    int status = check_group("ob_combine", group);
    if (!status)
        status = check_root("ob_combine", group, root, 1);
    if (!status)
        status = check_view("ob_combine", group, 4, matrix);
    if (!status)
        status = check_operation(group, op, matrix, owner, ld_owner);
    if (!status)
        status = check_route("ob_combine", group, 7, route);
    if (status)
        return status;
    int size = ob_group_size(group);
    if (size == 1 && !owner)
        return OB_OK;
    size_t bytes = ob_view_count(matrix) * (ob_type_bytes(matrix->type) + (owner ? 4 : 0));
    ob_plan plan = ob_plan_combine(route, size, root, bytes);
    return ob_combine_run(group, root, op, matrix, owner, ld_owner, &plan);
}

int ob_barrier(ob_group *group)
{
    int status = check_group("ob_barrier", group);
    return status ? status : ob_barrier_dissemination(group);
}
