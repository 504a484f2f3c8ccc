/*
 * Arguments that are written to although a program may have given a constant.
 */

#include "core/port.h"
#include "hooks/job.h"

int ob_put_back(const int *argument, int value)
{
    if (!ob_port_may_write(argument))
        return 0;
    *(int *)(uintptr_t)argument = value;
    return 1;
}

int ob_put_back64(const int64_t *argument, int64_t value)
{
    if (!ob_port_may_write(argument))
        return 0;
    *(int64_t *)(uintptr_t)argument = value;
    return 1;
}
