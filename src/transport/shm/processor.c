/*
 * Placing a thread on a processor, the Linux way: the scheduler leaves two
 * processes that wait for each other in turn on one processor, for it never finds both
 * ready to run, and does not look for an idle one when the machine is busy.
 */
#include "transport/shm/processor.h"

#include <sched.h>

#include "transport/shm/shm.h"

int ob_processor_here(void)
{
    return sched_getcpu();
}

/* Takes out the processors on which awake processes of the job were last seen. */
static void drop_used(cpu_set_t *set, const ob_shm *shm)
{
    for (int i = 0; i < shm->count; i++) {
        const ob_segment_header *h = shm->segment[i];
        if (h && atomic_load_explicit(&h->asleep, memory_order_relaxed) == 0) {
            int used = atomic_load_explicit(&h->processor, memory_order_relaxed);
            if (used >= 0 && used < CPU_SETSIZE)
                CPU_CLR(used, set);
        }
    }
}

bool ob_processor_move(const ob_shm *shm)
{
    cpu_set_t allowed, free;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    free = allowed;
    drop_used(&free, shm);
    for (int p = 0; p < CPU_SETSIZE; p++)
        if (CPU_ISSET(p, &free)) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(p, &one);
            bool moved = sched_setaffinity(0, sizeof one, &one) == 0;
            return sched_setaffinity(0, sizeof allowed, &allowed) == 0 && moved;
        }
    return false;
}
