/*
 * Combine and distributed combine within a node, in tiers: who combines a short vector gets all
 * values from the tiers. Values are combined in the order in which one board does it.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "collective/levels/wall.h"

#include <stdlib.h>

/* Members times bytes up to which that takes fewer steps than reading them where they are shown
 * (bench/collectives.md). */
enum { READ_ALL = 4 << 10 };

static int combine_values(const ob_tiers *t, ob_group *g, int root, ob_op op,
                          const ob_operation *operation, const ob_view *from, const ob_view *to,
                          const ob_coordinates *coords, bool exact)
{
    size_t bytes = ob_view_bytes(from);
    char *all = malloc((size_t)g->size * bytes + 1);
    if (all == NULL)
        return ob_tiers_no_memory(t, "a combine", (size_t)g->size * bytes + 1);
    ob_cursor in;
    ob_cursor_open(&in, from);
    if (bytes)
        ob_cursor_pack(&in, all + (size_t)t->slot[g->me] * bytes, bytes);
    int status =
        ob_tiers_bring_equal(t, root, ob_combine_kind(op, operation, from, exact), all, bytes);
    if (status == OB_OK && (root == OB_ANY || root == g->me))
        status = ob_combine_values(g, root, op, operation, to, coords, exact, all, t->slot);
    free(all);
    return status;
}

int ob_combine_tiers(ob_group *group, int root, ob_op op, const ob_operation *operation,
                     const ob_view *from, const ob_view *to, const ob_coordinates *coords,
                     bool exact)
{
    const ob_tiers *t;
    size_t bytes = ob_view_bytes(from);
    int status = ob_tiers_of(group, root == OB_ANY, &t);
    if (status != OB_OK)
        return status;
    if (t == NULL)
        return ob_combine_board(group, root, op, operation, from, to, coords, exact);
    return bytes <= READ_ALL / (size_t)group->size
               ? combine_values(t, group, root, op, operation, from, to, coords, exact)
               : ob_combine_long_tiers(t, group, root, op, operation, from, to, coords, exact);
}

int ob_parts_tiers(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    const ob_tiers *t;
    if (task != OB_TASK_DISTRIBUTE)
        return ob_pieces_node(group, task, root, parts);
    int status = ob_tiers_of(group, true, &t);
    if (status != OB_OK)
        return status;
    return t ? ob_distribute_tiers(t, group, parts) : ob_parts_board(group, task, root, parts);
}
