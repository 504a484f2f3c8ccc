/*
 * The rows of statistics: new ones, and at the end rows without times that say which way long
 * messages and collective calls on a node took.
 */
#include "trace/stats.h"

#include "core/trial.h"

/* The site is written before the routine, which others look at first: release. */
static bool claim(ob_trace_sum *row, const char *routine, const void *site)
{
    const char *none = NULL;
    static const char taking[] = "";
    if (!atomic_compare_exchange_strong(&row->routine, &none, taking))
        return false;
    atomic_store_explicit(&row->site, site, memory_order_relaxed);
    atomic_store_explicit(&row->routine, routine, memory_order_release);
    return true;
}

ob_trace_sum *ob_trace_row_of(const char *routine, const void *site)
{
    size_t at = ob_trace_row_at(routine, site);
    for (size_t tries = 0; tries < OB_TRACE_ROWS; tries++) {
        ob_trace_sum *row = &ob_trace.sums[(at + tries) % OB_TRACE_ROWS];
        if (ob_trace_is_row(row, routine, site))
            return row;
        const char *there = atomic_load_explicit(&row->routine, memory_order_acquire);
        if (there == NULL && claim(row, routine, site))
            return row;
        if (ob_trace_is_row(row, routine, site))
            return row;
    }
    ob_trace_sum *others = &ob_trace.sums[OB_TRACE_ROWS];
    atomic_store_explicit(&others->routine, "others", memory_order_release);
    return others;
}

void ob_trace_add_ways(void)
{
    static const char *const name[OB_WAYS_OF][2] = {
        [OB_WAY_MESSAGES] = {"(long messages: ring)", "(long messages: one copy)"},
        [OB_WAY_COLLECTIVES] = {"(long collectives: board)", "(long collectives: one copy)"}};
    for (int what = 0; what < OB_WAYS_OF; what++)
        for (int straight = 0; straight < 2; straight++) {
            uint64_t times = ob_way_counted((enum ob_way_of)what, straight);
            ob_trace_sum *row = times ? ob_trace_row_of(name[what][straight], NULL) : NULL;
            if (row && row->routine == name[what][straight]) /* not "others": the table is full */
                atomic_store_explicit(&row->calls, times, memory_order_relaxed);
        }
}
