/*
 * What a group is to people: "row 2" rather than a list of processes.
 */
#include <string.h>

#include "formats.h"
#include "hooks/hash.h"

int64_t obt_context(const obt_group *g)
{
    uint64_t h = ob_mix((uint64_t)g->context ^ ob_mix((uint64_t)g->part));
    return (int64_t)(h >> 11); /* readers of JSON keep 53 bits */
}

/* Simulated machines have one clock, and so one number, but names of their own. */
bool obt_share_node(const obt_process *p, const obt_process *q)
{
    return p->machine == q->machine && p->host && q->host && strcmp(p->host, q->host) == 0;
}

bool obt_one_node(const obt_trace *t, const obt_group *g)
{
    const obt_process *first = NULL;
    for (size_t i = 0; i < g->member_count; i++) {
        size_t p = obt_find_process(t, g->members[i]);
        if (p == OBT_NONE)
            return false;
        const obt_process *q = &t->processes[p];
        first = first ? first : q;
        if (!obt_share_node(q, first))
            return false;
    }
    return first != NULL;
}

/* Position of the group's first member in the grid it is a part of, or SIZE_MAX. */
static size_t position_in(const obt_group *grid, const obt_group *part)
{
    for (size_t i = 0; part->member_count && i < grid->member_count; i++)
        if (grid->members[i] == part->members[0])
            return i;
    return SIZE_MAX;
}

static void label(obt_trace *t, obt_group *g, const obt_group *grid)
{
    char text[64];
    size_t position = position_in(grid, g);
    if (position == SIZE_MAX || g->member_count == 0 || grid->member_count % g->member_count)
        return;
    size_t columns = g->part == 1 ? g->member_count : grid->member_count / g->member_count;
    if (g->part == 1)
        snprintf(text, sizeof text, "row %zu", position / columns);
    else
        snprintf(text, sizeof text, "column %zu", position % columns);
    g->label = obt_keep(t, text, strlen(text));
}

void obt_label_groups(obt_trace *t)
{
    obt_map grids = {0};
    for (size_t i = 0; i < t->group_count; i++)
        if (t->groups[i].part == 0)
            obt_map_take(&grids, t->groups[i].context, i);
    for (size_t i = 0; i < t->group_count; i++) {
        obt_group *g = &t->groups[i];
        size_t grid = obt_map_find(&grids, g->context);
        if ((g->part == 1 || g->part == 2) && grid != OBT_NONE)
            label(t, g, &t->groups[grid]);
    }
    obt_map_free(&grids);
}
