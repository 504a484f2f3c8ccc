/*
 * Combine and distributed combine within a node, in tiers: who combines gets all values, or the
 * sizes alone, from the tiers. Values are combined in the order in which one board does it.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "core/error.h"

#include <stdlib.h>

/* A call of which all compare their bytes before one board serves them. */
enum { COMPARED = 1 << 26 };

/* Everybody's `bytes` bytes, ours in their place, to the root or to all (OB_ANY). */
static int show(const ob_tiers *t, int root, uint32_t kind, char *all, size_t bytes)
{
    size_t n = (size_t)t->order->size;
    char *memory = malloc(n * sizeof(ob_view) + (n + 1) * sizeof(size_t));
    if (memory == NULL)
        return ob_fail(OB_ENOMEM, "no memory for a combine of %d members", t->order->size);
    ob_parts parts = {.size = t->order->size,
                      .esize = 1,
                      .view = (ob_view *)(void *)memory,
                      .cut = (size_t *)(void *)(memory + n * sizeof(ob_view)),
                      .flat = all,
                      .kind = kind};
    for (size_t i = 0; i <= n; i++)
        parts.cut[i] = i * bytes;
    for (size_t i = 0; i < n; i++)
        parts.view[i] = ob_view_of_bytes(all + i * bytes, bytes);
    int status = ob_pieces_in_order(t->order, root == OB_ANY ? OB_TASK_COLLECT : OB_TASK_GATHER,
                                    root == OB_ANY ? 0 : t->slot[root], &parts);
    ob_parts_free(&parts);
    return status;
}

/* Nobody begins on the one board, which knows nothing of the tiers, before all know that all will:
 * else one who erred would wait there for ever. */
static int compare(const ob_tiers *t, const ob_group *g, uint32_t kind, uint64_t bytes)
{
    uint64_t *all = malloc((size_t)g->size * sizeof *all);
    if (all == NULL)
        return ob_fail(OB_ENOMEM, "no memory for a combine of %d members", g->size);
    all[t->slot[g->me]] = bytes;
    int status = show(t, OB_ANY, kind | COMPARED, (char *)all, sizeof *all);
    for (int i = 0; i < g->size && status == OB_OK; i++)
        if (all[t->slot[i]] != bytes)
            status = ob_fail(OB_ESIZE,
                             "process %d combines %llu bytes, process %d %llu; all members must "
                             "have the same",
                             g->peer[i]->number, (unsigned long long)all[t->slot[i]],
                             g->job->number, (unsigned long long)bytes);
    free(all);
    return status;
}

static int combine_values(const ob_tiers *t, ob_group *g, int root, ob_op op,
                          const ob_operation *operation, const ob_view *from, const ob_view *to,
                          const ob_coordinates *coords, bool exact)
{
    size_t bytes = ob_view_bytes(from);
    char *all = malloc((size_t)g->size * bytes + 1);
    if (all == NULL)
        return ob_fail(OB_ENOMEM, "no memory for a combine of %d members", g->size);
    ob_cursor in;
    ob_cursor_open(&in, from);
    if (bytes)
        ob_cursor_pack(&in, all + (size_t)t->slot[g->me] * bytes, bytes);
    int status = show(t, root, ob_combine_kind(op, operation, from, exact), all, bytes);
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
    int status = ob_tiers_of(group, &t);
    if (status == OB_OK && t &&
        (bytes <= OB_NOTE_INLINE || bytes <= OB_READ_ALL / (size_t)group->size))
        return combine_values(t, group, root, op, operation, from, to, coords, exact);
    if (status == OB_OK && t)
        status = compare(t, group, ob_combine_kind(op, operation, from, exact), bytes);
    if (status != OB_OK)
        return status;
    return ob_combine_board(group, root, op, operation, from, to, coords, exact);
}

int ob_parts_tiers(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    const ob_tiers *t;
    if (task != OB_TASK_DISTRIBUTE)
        return ob_pieces_node(group, task, root, parts);
    int status = ob_tiers_of(group, &t);
    if (status == OB_OK && t) /* a kind that no combine has */
        status = compare(t, group, COMPARED - 1, ob_parts_bytes(parts));
    return status == OB_OK ? ob_parts_board(group, task, root, parts) : status;
}
