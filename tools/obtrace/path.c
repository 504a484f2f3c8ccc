/*
 * The critical path: backwards from the last event, through each process as long
 * as it did not wait, and from a wait to the process that was waited for. Making
 * anything off this path faster does not end the run earlier.
 */
#include "analysis.h"

static void add(obt_analysis *a, int64_t begin, int64_t end, uint32_t process, uint32_t from)
{
    /* A step to another process is kept however short: it joins what it lies between. */
    if (end < begin || (end == begin && from == UINT32_MAX))
        return;
    a->path = obt_grow(a->path, a->path_count, &a->path_room, sizeof *a->path);
    a->path[a->path_count++] = (obt_step){begin, end, process, from, OBT_NO_CALL};
    if (from == UINT32_MAX)
        a->sums[process].on_path += end - begin;
    else
        a->path_message += end - begin;
}

/* The end of the process's own waits, as an index into waits. */
static size_t end_of_waits(const obt_analysis *a, uint32_t process)
{
    size_t low = a->first_wait[process];
    if (low == SIZE_MAX)
        return 0;
    size_t high = a->wait_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool own = a->waits[middle].process == process;
        /* Waits stand by process in the order in which processes were walked. */
        if (own || a->first_wait[a->waits[middle].process] < a->first_wait[process])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t obt_last_wait(const obt_analysis *a, uint32_t process, int64_t time)
{
    size_t first = a->first_wait[process], low = first, high = end_of_waits(a, process);
    if (first == SIZE_MAX)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->waits[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? low : 0;
}

/* Waiting led to another process, if that one came after the waiting began. */
static bool leads_away(const obt_analysis *a, const obt_wait *w, int64_t *at)
{
    if (w->cause == UINT32_MAX || w->cause == w->process || a->first_wait[w->cause] == SIZE_MAX)
        return false;
    *at = w->sent >= 0 ? w->sent : w->end;
    return *at >= w->begin && *at <= w->end;
}

void obt_find_path(obt_analysis *a)
{
    uint32_t p = 0;
    int64_t time = a->end, at;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t q = a->order[k];
        size_t last = (k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count) - 1;
        if (a->spans[last].begin == a->end)
            p = q;
    }
    /* Without progress in time a step may repeat only as often as there are processes. */
    size_t idle = 0, wait = obt_last_wait(a, p, time);
    while (wait && idle <= a->active) {
        const obt_wait *w = &a->waits[wait - 1];
        if (!leads_away(a, w, &at)) {
            wait = wait - 1 > a->first_wait[p] ? wait - 1 : 0;
            continue;
        }
        idle = at < time ? 0 : idle + 1;
        add(a, w->end, time, p, UINT32_MAX);
        add(a, at, w->end, p, w->cause);
        p = w->cause;
        time = at;
        wait = obt_last_wait(a, p, time);
        /* A wait of this process that ends at this very moment does not count twice. */
        while (wait && a->waits[wait - 1].end == time && w->sent < 0)
            wait = wait - 1 > a->first_wait[p] ? wait - 1 : 0;
    }
    size_t first = a->first_span[p];
    if (first != SIZE_MAX)
        add(a, a->spans[first].begin, time, p, UINT32_MAX);
}
