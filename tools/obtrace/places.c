/*
 * Where the program called what, and where its processes stand in their grid.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

static int by_place(const void *x, const void *y)
{
    const obt_place *a = x, *b = y;
    int c = obt_compare(a->routine, b->routine);
    return c ? c : obt_compare(a->site, b->site);
}

static int by_time(const void *x, const void *y)
{
    const obt_place *a = x, *b = y;
    int c = obt_compare(b->time, a->time);
    return c ? c : by_place(x, y);
}

obt_place *obt_find_places(const obt_analysis *a, size_t *count)
{
    obt_place *all = obt_memory(a->call_count, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (c->outer == OBT_NO_CALL)
            all[n++] = (obt_place){c->routine, c->site,  1,          obt_length(c),
                                   c->blocked, c->bytes, (uint32_t)i};
    }
    if (n)
        qsort(all, n, sizeof *all, by_place);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        obt_place *last = *count ? &all[*count - 1] : NULL;
        if (!last || by_place(last, &all[i])) {
            all[(*count)++] = all[i];
            continue;
        }
        if (obt_length(&a->calls[all[i].longest]) > obt_length(&a->calls[last->longest]))
            last->longest = all[i].longest;
        last->calls++;
        obt_sum(&last->time, all[i].time);
        obt_sum(&last->blocked, all[i].blocked);
        obt_sum(&last->bytes, all[i].bytes);
    }
    if (*count)
        qsort(all, *count, sizeof *all, by_time);
    return all;
}

/* The columns of a grid: its rows have as many members. 0: it is no grid. */
static size_t columns_of(const obt_trace *t, const obt_group *grid)
{
    for (size_t i = 0; i < t->group_count; i++) {
        const obt_group *g = &t->groups[i];
        if (g->context != grid->context || g->member_count == 0 ||
            grid->member_count % g->member_count)
            continue;
        if (g->part == 1)
            return g->member_count;
        if (g->part == 2)
            return grid->member_count / g->member_count;
    }
    return 0;
}

uint32_t *obt_find_grid(const obt_analysis *a, size_t *rows, size_t *columns)
{
    const obt_trace *t = a->trace;
    const obt_group *best = NULL;
    *rows = *columns = 0;
    for (size_t i = 0; i < t->group_count; i++) {
        const obt_group *g = &t->groups[i];
        size_t n = (g->part == 0 || g->part == 3) && (!best || g->member_count > best->member_count)
                       ? columns_of(t, g)
                       : 0;
        if (n) {
            best = g;
            *columns = n;
            *rows = g->member_count / n;
        }
    }
    if (!best)
        return NULL;
    uint32_t *at = obt_memory(best->member_count, sizeof *at);
    for (size_t i = 0; i < best->member_count; i++) {
        size_t p = obt_find_process(t, best->members[i]);
        at[i] = p == SIZE_MAX ? UINT32_MAX : (uint32_t)p;
    }
    return at;
}
