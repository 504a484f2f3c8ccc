/*
 * What the LU asks of a grid beside what its context tells.
 */
#ifndef OB_COMMON_GRID_H
#define OB_COMMON_GRID_H

#include <stdbool.h>

#include "hooks/blacs.h"
#include "hooks/collective.h"
#include "hooks/job.h"

/* Is the grid's job another one than this process's first (MPI_COMM_WORLD), since some of its
 * processes are elsewhere? */
static inline bool ob_grid_is_elsewhere(int64_t context)
{
    ob_job *first, *of = ob_blacs_job(context);
    return of && ob_job_start(&first) == OB_OK && of != first;
}

/* May the caller keep less than `bytes` for others in its heap (OPENBLACS_HEAP)? */
static inline bool ob_grid_is_cramped(int64_t context, size_t bytes)
{
    const ob_job *of = ob_blacs_job(context);
    return of && ob_job_heap(of) < bytes;
}

/* Is each of the members on a node of its own, as far as is known? node: memory for as many. */
static inline bool ob_each_on_its_own_node(const ob_group *group, int *node)
{
    int nodes = ob_group_nodes(group, node); /* 1: not known */
    return !ob_group_near(group) && (nodes == 1 || nodes == ob_group_size(group));
}

#endif
