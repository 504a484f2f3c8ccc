/*
 * Statistics: a table of fixed size, a row for each routine and call site, found by hashing. When
 * it is full, what is new is counted in its last row, "others". In a header, since each call of a
 * program comes here: nothing is handed over in memory.
 */
#ifndef OB_TRACE_STATS_H
#define OB_TRACE_STATS_H

#include "core/lock.h"
#include "hooks/hash.h"
#include "trace/internal.h"

/* alone: no other thread adds. Relaxed: each is a number alone, and the report at the end is made
 * when calls are over, or from a signal handler that takes what there is. */
static inline void ob_trace_plus(atomic_ullong *to, uint64_t by, bool alone)
{
    if (alone) {
        unsigned long long now = atomic_load_explicit(to, memory_order_relaxed);
        atomic_store_explicit(to, now + by, memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(to, by, memory_order_relaxed);
    }
}

static inline void ob_trace_raise(atomic_ullong *to, uint64_t value, bool alone)
{
    unsigned long long now = atomic_load_explicit(to, memory_order_relaxed);
    if (alone && now < value)
        atomic_store_explicit(to, value, memory_order_relaxed);
    while (!alone && now < value &&
           !atomic_compare_exchange_weak_explicit(to, &now, value, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static inline size_t ob_trace_row_at(const char *routine, const void *site)
{
    uintptr_t key = (uintptr_t)routine * 31 + (uintptr_t)site;
    return (size_t)((key * OB_GOLDEN) >> 32) % OB_TRACE_ROWS;
}

static inline bool ob_trace_is_row(ob_trace_sum *row, const char *routine, const void *site)
{
    return atomic_load_explicit(&row->routine, memory_order_acquire) == routine &&
           atomic_load_explicit(&row->site, memory_order_relaxed) == site;
}

/* The row, or a new one, or "others". */
ob_trace_sum *ob_trace_row_of(const char *routine, const void *site);

/* What an event adds; times are ticks. */
typedef struct ob_trace_part {
    int kind;
    bool first; /* of this call of the routine */
    uint64_t bytes, time, blocked, packing;
} ob_trace_part;

/* Least is kept as its complement, so that zero is no length yet. */
static inline __attribute__((always_inline)) void
ob_trace_add_to(ob_trace_sum *row, const ob_trace_part *p, bool alone)
{
    const unsigned unmoved = 1u << OB_TRACE_PROBE | 1u << OB_TRACE_POST | 1u << OB_TRACE_BARRIER |
                             1u << OB_TRACE_GROUP | 1u << OB_TRACE_PASSED;
    ob_trace_plus(&row->calls, p->first, alone);
    ob_trace_plus(&row->time, p->time, alone);
    ob_trace_plus(&row->blocked, p->blocked, alone);
    ob_trace_plus(&row->packing, p->packing, alone);
    ob_trace_raise(&row->longest, p->time, alone);
    if (unmoved >> p->kind & 1)
        return;
    ob_trace_plus(&row->messages, 1, alone);
    ob_trace_plus(&row->bytes, p->bytes, alone);
    ob_trace_raise(&row->most, p->bytes, alone);
    ob_trace_raise(&row->least, ~p->bytes, alone);
}

static inline __attribute__((always_inline)) void
ob_trace_add(const char *routine, const void *site, const ob_trace_part *p)
{
    ob_trace_sum *row;
    routine = routine ? routine : "unnamed";
    row = &ob_trace.sums[ob_trace_row_at(routine, site)];
    if (__builtin_expect(!ob_trace_is_row(row, routine, site), 0))
        row = ob_trace_row_of(routine, site);
    if (OB_ONE_THREAD)
        ob_trace_add_to(row, p, true);
    else
        ob_trace_add_to(row, p, false);
}

#endif
