/*
 * Statistics: a table of fixed size, a row for each routine and call site, found by
 * hashing. When it is full, what is new is counted in its last row, "others". At the end rows
 * without times say which way long messages and collective calls on a node took.
 */
#include "core/trial.h"
#include "hooks/hash.h"
#include "trace/internal.h"

/* alone: no other thread adds. */
static inline void add(atomic_ullong *to, uint64_t by, bool alone)
{
    if (alone) {
        unsigned long long now = atomic_load_explicit(to, memory_order_relaxed);
        atomic_store_explicit(to, now + by, memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(to, by, memory_order_relaxed);
    }
}

static inline void raise_to(atomic_ullong *to, uint64_t value, bool alone)
{
    unsigned long long now = atomic_load_explicit(to, memory_order_relaxed);
    if (alone && now < value)
        atomic_store_explicit(to, value, memory_order_relaxed);
    while (!alone && now < value &&
           !atomic_compare_exchange_weak_explicit(to, &now, value, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

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

static ob_trace_sum *row_of(const char *routine, const void *site)
{
    uintptr_t key = (uintptr_t)routine * 31 + (uintptr_t)site;
    size_t at = (size_t)((key * OB_GOLDEN) >> 32);
    for (int tries = 0; tries < OB_TRACE_SUMS - 1; tries++) {
        ob_trace_sum *row = &ob_trace.sums[(at + (size_t)tries) % (OB_TRACE_SUMS - 1)];
        const char *there = atomic_load_explicit(&row->routine, memory_order_acquire);
        if (there == routine && atomic_load_explicit(&row->site, memory_order_relaxed) == site)
            return row;
        if (there == NULL && claim(row, routine, site))
            return row;
        there = atomic_load_explicit(&row->routine, memory_order_acquire);
        if (there == routine && atomic_load_explicit(&row->site, memory_order_relaxed) == site)
            return row;
    }
    ob_trace_sum *others = &ob_trace.sums[OB_TRACE_SUMS - 1];
    atomic_store_explicit(&others->routine, "others", memory_order_release);
    return others;
}

/* Least is kept as its complement, so that zero is no length yet. */
static inline void add_all(ob_trace_sum *row, const ob_trace_part *p, bool alone)
{
    bool moved = p->kind != OB_TRACE_PROBE && p->kind != OB_TRACE_POST &&
                 p->kind != OB_TRACE_BARRIER && p->kind != OB_TRACE_GROUP &&
                 p->kind != OB_TRACE_PASSED;
    add(&row->calls, p->first, alone);
    add(&row->time, p->time, alone);
    add(&row->blocked, p->blocked, alone);
    add(&row->packing, p->packing, alone);
    raise_to(&row->longest, p->time, alone);
    if (!moved)
        return;
    add(&row->messages, 1, alone);
    add(&row->bytes, p->bytes, alone);
    raise_to(&row->most, p->bytes, alone);
    raise_to(&row->least, ~p->bytes, alone);
}

void ob_trace_add(const ob_trace_part *p)
{
    ob_trace_sum *row = row_of(p->routine ? p->routine : "unnamed", p->site);
    if (OB_ONE_THREAD)
        add_all(row, p, true);
    else
        add_all(row, p, false);
}

void ob_trace_add_ways(void)
{
    static const char *const name[OB_WAYS_OF][2] = {
        [OB_WAY_MESSAGES] = {"(long messages: ring)", "(long messages: one copy)"},
        [OB_WAY_COLLECTIVES] = {"(long collectives: board)", "(long collectives: one copy)"}};
    for (int what = 0; what < OB_WAYS_OF; what++)
        for (int straight = 0; straight < 2; straight++) {
            uint64_t times = ob_way_counted((enum ob_way_of)what, straight);
            ob_trace_sum *row = times ? row_of(name[what][straight], NULL) : NULL;
            if (row && row->routine == name[what][straight]) /* not "others": the table is full */
                atomic_store_explicit(&row->calls, times, memory_order_relaxed);
        }
}
