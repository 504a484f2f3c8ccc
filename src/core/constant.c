/*
 * Arguments that are written to although a program may have given a constant.
 */
#include <unistd.h>

#include "hooks/job.h"

/* The kernel writes there first: where that cannot be it says so, and a store would have ended
 * the process. */
int ob_put_back(const int *argument, int value)
{
    uid_t effective, saved;
    if (getresuid((uid_t *)argument, &effective, &saved) != 0)
        return 0;
    *(int *)argument = value;
    return 1;
}
