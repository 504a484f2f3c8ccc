/*
 * Walls: lent, told of, given back.
 */
#include "collective/levels/wall.h"

#include <stdlib.h>

#include "collective/data/parts.h"
#include "collective/levels/levels.h"
#include "core/error.h"
#include "core/scratch.h"

int ob_tiers_bring(const ob_tiers *t, int root, uint32_t kind, char *all, const size_t *cut)
{
    size_t n = (size_t)t->order->size;
    ob_view *view = malloc(n * sizeof *view);
    if (view == NULL)
        return ob_tiers_no_memory(t, "a collective", n * sizeof *view);
    for (size_t i = 0; i < n; i++)
        view[i] = ob_view_of_bytes(all + cut[i], cut[i + 1] - cut[i]);
    const ob_parts parts = {.size = t->order->size,
                            .esize = 1,
                            .view = view,
                            .cut = (size_t *)(uintptr_t)cut,
                            .flat = all,
                            .kind = kind};
    int status = ob_pieces_in_order(t->order, root == OB_ANY ? OB_TASK_COLLECT : OB_TASK_GATHER,
                                    root == OB_ANY ? 0 : t->slot[root], &parts);
    free(view);
    return status;
}

int ob_tiers_bring_equal(const ob_tiers *t, int root, uint32_t kind, char *all, size_t bytes)
{
    size_t n = (size_t)t->order->size, *cut = malloc((n + 1) * sizeof *cut);
    if (cut == NULL)
        return ob_tiers_no_memory(t, "a collective", (n + 1) * sizeof *cut);
    for (size_t i = 0; i <= n; i++)
        cut[i] = i * bytes;
    int status = ob_tiers_bring(t, root, kind, all, cut);
    free(cut);
    return status;
}

int ob_wall_open(ob_wall *w, const ob_tiers *t, ob_group *g, size_t block)
{
    size_t n = (size_t)g->size;
    *w = (ob_wall){.tiers = t, .group = g, .block = ob_align(block)};
    w->mark = malloc(n * (sizeof *w->mark + sizeof *w->at));
    if (w->mark == NULL)
        return ob_tiers_no_memory(t, "a combine", n * (sizeof *w->mark + sizeof *w->at));
    w->at = (const char **)(w->mark + n);
    w->own = ob_group_lend(g, 2 * w->block, 1, &w->name);
    if (w->own)
        return OB_OK;
    ob_levels_fail(t->order->levels);
    return OB_ENOMEM;
}

static int compare(const ob_wall *w, const char *what)
{
    const ob_group *g = w->group;
    const int *slot = w->tiers->slot;
    const ob_mark *own = &w->mark[slot[g->me]];
    for (int i = 0; i < g->size; i++) {
        const ob_mark *m = &w->mark[slot[i]];
        if (m->bytes != own->bytes)
            return ob_fail(
                OB_ESIZE,
                "OB-5002 process %d %s %llu bytes, process %d %llu; all members must have the "
                "same",
                g->peer[i]->number, what, (unsigned long long)m->bytes, g->job->number,
                (unsigned long long)own->bytes);
        if (m->shape != own->shape)
            return ob_parts_unlike(g, i);
    }
    return OB_OK;
}

int ob_wall_meet(ob_wall *w, uint32_t kind, uint64_t bytes, uint64_t shape, const char *what)
{
    const ob_group *g = w->group;
    const int *slot = w->tiers->slot;
    w->mark[slot[g->me]] = (ob_mark){bytes, shape, w->name};
    int status = ob_tiers_bring_equal(w->tiers, OB_ANY, kind, (char *)w->mark, sizeof(ob_mark));
    if (status == OB_OK)
        status = compare(w, what);
    w->met = status == OB_OK;
    for (int i = 0; i < g->size && w->met; i++)
        w->at[i] = i == g->me ? w->own : ob_group_borrow(g, i, w->mark[slot[i]].name);
    return status;
}

/* Where others may still read it, it ends with the process. */
void ob_wall_close(ob_wall *w, bool read)
{
    if (w->own && (read || !w->met))
        ob_group_give_back(w->group, w->own);
    free(w->mark);
}
