/*
 * For tests: the trace of a run of one group.
 */
#ifndef OBTRACE_GROUP_TEST_H
#define OBTRACE_GROUP_TEST_H

#include "formats.h"

/* Processes 0 to n - 1 are the group; each records from when it joined (NULL: 0) to `end`. The
 * routines' numbers begin with `first`. */
static inline obt_trace *begin_group(const char *const *names, size_t count, int first,
                                     const int64_t *joined, int n, int64_t end)
{
    const int64_t number = 7;
    obt_trace *t = obt_trace_new("run");
    for (size_t k = 0; k < count; k++)
        obt_name_routine(t, first + (int)k, names[k]);
    t->groups = obt_grow(t->groups, 0, &t->group_room, sizeof *t->groups);
    t->groups[0] =
        (obt_group){.member_count = (size_t)n, .members = obt_memory((size_t)n, sizeof(int32_t))};
    t->group_count = 1;
    for (int p = 0; p < n; p++) {
        t->groups[0].members[p] = p;
        obt_add(t, joined ? joined[p] : 0, p, OBT_TRACE_MARK, &number, 1);
        obt_add(t, end, p, OBT_TRACE_MARK, &number, 1);
    }
    return t;
}

static inline void leave(obt_trace *t, int64_t time, int p, int64_t routine)
{
    const int64_t v[] = {routine, -1, -1};
    obt_add(t, time, p, OBT_BLOCK_END, v, 3);
}

#endif
