/*
 * A lock that costs one atomic exchange when nobody else wants it, as is the
 * rule: threads of one process seldom meet at one peer. Waiters spin briefly,
 * then yield.
 */
#ifndef OB_CORE_LOCK_H
#define OB_CORE_LOCK_H

#include <sched.h>
#include <stdatomic.h>

#include "hooks/processor.h"

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define OB_ONE_THREAD __libc_single_threaded
#endif
#endif
#ifndef OB_ONE_THREAD
#define OB_ONE_THREAD 0
#endif

typedef struct ob_lock {
    atomic_uint held;
} ob_lock;

static inline int ob_lock_try(ob_lock *l)
{
    return atomic_exchange_explicit(&l->held, 1, memory_order_acquire) == 0;
}

static inline void ob_lock_take(ob_lock *l)
{
    /* A process with one thread needs no exchange; a second thread cannot be
     * made while this one is in here. */
    if (OB_ONE_THREAD) {
        atomic_store_explicit(&l->held, 1, memory_order_relaxed);
        return;
    }
    for (unsigned spins = 0; !ob_lock_try(l); spins++) {
        if (spins < 64)
            ob_pause();
        else
            sched_yield();
    }
}

static inline void ob_lock_release(ob_lock *l)
{
    atomic_store_explicit(&l->held, 0, memory_order_release);
}

#endif
