/* Fences across processes: all that have opened themselves are interrupted. */
#include "node/fence.h"

#include "core/port.h"

/* As soon as the library is loaded: a process that has threads by then, as MPI libraries
 * start them, waits 10 to 30 ms for the kernel. One that is told already is not told again. */
__attribute__((constructor)) static void register_early(void)
{
    ob_fence_is_light();
}

bool ob_fence_is_light(void)
{
    return ob_port_fence_open();
}

bool ob_fence_heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    return ob_port_fence_others();
}
