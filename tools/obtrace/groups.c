/*
 * What a group is to people: "row 2" rather than a list of processes.
 */
#include <string.h>

#include "formats.h"

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
