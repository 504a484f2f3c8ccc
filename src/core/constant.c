/*
 * Arguments that are written to although a program may have given a constant.
 */
#include <unistd.h>

#include "hooks/job.h"

/* The kernel writes there first: where that cannot be it says so, and a store would have ended
 * the process. */
static int may_write(const void *argument)
{
    uid_t effective, saved;
    return getresuid((uid_t *)(uintptr_t)argument, &effective, &saved) == 0;
}

int ob_put_back(const int *argument, int value)
{
    if (!may_write(argument))
        return 0;
    *(int *)(uintptr_t)argument = value;
    return 1;
}

int ob_put_back64(const int64_t *argument, int64_t value)
{
    if (!may_write(argument))
        return 0;
    *(int64_t *)(uintptr_t)argument = value;
    return 1;
}
