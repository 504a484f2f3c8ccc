/*
 * A fence that costs the side nothing that posts often: the other side, about to sleep,
 * lets the kernel run a full barrier on every processor where a process of ours is.
 */
#ifndef OB_NODE_FENCE_H
#define OB_NODE_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>

/* Has the kernel been told to interrupt this process for the others' fences? */
bool ob_fence_is_light(void);

/* Store, then ob_fence_light, then load on one side, store, then ob_fence_heavy, then load on the
 * other: at least one of the two loads sees the other side's store. */
static inline void ob_fence_light(bool light)
{
    if (light)
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}

/* False: the kernel refused. Then one whose fence is light may be missed for a while. */
bool ob_fence_heavy(void);

#endif
