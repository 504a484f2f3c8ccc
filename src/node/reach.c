#include "hooks/reach.h"

#include <errno.h>

#include "core/port.h"

void ob_reach_open(void)
{
    ob_port_reach_open();
}

bool ob_reach(bool write, int pid, const struct iovec *here, int here_count,
              const struct iovec *there, int there_count, size_t bytes)
{
    ssize_t moved = ob_port_reach(write, pid, here, here_count, there, there_count);
    if (moved >= 0 && (size_t)moved != bytes)
        errno = EFAULT;
    return moved >= 0 && (size_t)moved == bytes;
}
