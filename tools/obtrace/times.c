/*
 * What processes did between two moments.
 */
#include <stdlib.h>
#include <string.h>

#include "late.h"

obt_class obt_class_of(int state)
{
    switch (state) {
    case OBT_COMPUTING: return OBT_WORKS;
    case OBT_NOT_RUNNING: return OBT_STOPS;
    case OBT_LIBRARY: return OBT_COMMUNICATES;
    default: return OBT_WAITS;
    }
}

void obt_find_times(const obt_analysis *a, obt_times *t)
{
    t->end = obt_memory(a->trace->process_count, sizeof *t->end);
    t->before = obt_memory(a->span_count, sizeof *t->before);
    for (size_t k = 0; k < a->active; k++) {
        size_t first = a->first_span[a->order[k]];
        size_t end = k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count;
        t->end[a->order[k]] = end;
        for (size_t i = first; i + 1 < end; i++) {
            memcpy(t->before[i + 1], t->before[i], sizeof *t->before);
            if (a->spans[i].state != OBT_OFF)
                obt_sum(&t->before[i + 1][obt_class_of(a->spans[i].state)],
                        a->spans[i + 1].begin - a->spans[i].begin);
        }
    }
}

void obt_free_times(obt_times *t)
{
    free(t->end);
    free(t->before);
}

size_t obt_span_at(const obt_analysis *a, const obt_times *t, uint32_t process, int64_t time)
{
    size_t low = a->first_span[process], high = t->end[process];
    if (low == SIZE_MAX || low >= high || time < a->spans[low].begin)
        return SIZE_MAX;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (a->spans[middle].begin <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* All of each class until this moment. */
static void until(const obt_analysis *a, const obt_times *t, uint32_t process, int64_t time,
                  int64_t length[OBT_CLASSES])
{
    size_t i = obt_span_at(a, t, process, time);
    memset(length, 0, OBT_CLASSES * sizeof *length);
    if (i == SIZE_MAX)
        return;
    memcpy(length, t->before[i], OBT_CLASSES * sizeof *length);
    if (a->spans[i].state != OBT_OFF)
        obt_sum(&length[obt_class_of(a->spans[i].state)], time - a->spans[i].begin);
}

void obt_between(const obt_analysis *a, const obt_times *t, uint32_t process, int64_t begin,
                 int64_t end, int64_t length[OBT_CLASSES])
{
    int64_t before[OBT_CLASSES];
    until(a, t, process, begin, before);
    until(a, t, process, end, length);
    for (int k = 0; k < OBT_CLASSES; k++)
        length[k] = length[k] > before[k] ? length[k] - before[k] : 0;
}
