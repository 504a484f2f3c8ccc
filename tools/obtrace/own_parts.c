/*
 * What the program did, by the names that it or one of our libraries gave to parts of its work.
 */
#include <stdlib.h>

#include "analysis.h"

static int by_name(const void *x, const void *y)
{
    const obt_own_part *a = x, *b = y;
    int c = obt_compare(a->name, b->name);
    return c ? c : obt_compare(a->process, b->process);
}

static int by_time(const void *x, const void *y)
{
    const obt_part_row *a = x, *b = y;
    int c = obt_compare(b->time, a->time);
    return c ? c : obt_compare(a->name, b->name);
}

obt_part_row *obt_find_part_rows(const obt_analysis *a, size_t *count)
{
    obt_own_part *parts = obt_memory(a->part_count, sizeof *parts);
    obt_part_row *rows = obt_memory(a->trace->routine_count, sizeof *rows);
    int64_t own = 0;
    *count = 0;
    for (size_t i = 0; i < a->part_count; i++)
        parts[i] = a->parts[i];
    if (a->part_count)
        qsort(parts, a->part_count, sizeof *parts, by_name);
    for (size_t i = 0; i < a->part_count; i++) {
        bool fresh = i == 0 || parts[i].name != parts[i - 1].name;
        if (fresh)
            rows[(*count)++] = (obt_part_row){.name = parts[i].name};
        if (fresh || parts[i].process != parts[i - 1].process)
            own = 0;
        obt_part_row *r = &rows[*count - 1];
        int64_t length = parts[i].end - parts[i].begin;
        obt_sum(&own, length);
        obt_sum(&r->time, length);
        r->times++;
        if (own > r->most) {
            r->most = own;
            r->slowest = parts[i].process;
        }
    }
    free(parts);
    if (*count)
        qsort(rows, *count, sizeof *rows, by_time);
    return rows;
}
