/*
 * Groups: ordered sets of processes with a context number of their own.
 */
#ifndef OB_CORE_GROUP_H
#define OB_CORE_GROUP_H

#include "core/job.h"

/* The tag of collective calls; a receive of any tag does not match it, so that
 * it cannot take a message of a barrier some members have reached already. */
#define OB_TAG_COLLECTIVE INT32_MAX

struct ob_group {
    ob_job *job;
    uint64_t context; /* the same for a group and its parts */
    uint8_t stream;   /* 0 for a group itself */
    int size, me;
    bool one_node; /* every pair of members has shared memory; the members agree on it */
    int rows, columns;  /* as a mesh, row-major; one row unless ob_group_shape said more */
    int links_shared;   /* as ob_group_shape was told */
    struct ob_plans *plans; /* collective/plans.c: schemes chosen before */
    struct ob_board *board; /* message/board.h; NULL before the first round */
    ob_peer **peer; /* of each position; peer[i]->number is its job number */
    uint32_t trace; /* its number in the trace, 0: none */
    int any_from; /* the member a receive from any source served last */
};

/* At least `bytes` of memory, aligned to 64, the calling thread's until it asks again;
 * NULL when there is none. */
void *ob_group_scratch(ob_group *group, size_t bytes);

#endif
