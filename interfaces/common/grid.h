/*
 * What the LU asks of a grid beside what its context tells.
 */
#ifndef OB_COMMON_GRID_H
#define OB_COMMON_GRID_H

#include <stdbool.h>

#include "hooks/blacs.h"

/* Is the grid's job another one than this process's first (MPI_COMM_WORLD), since some of its
 * processes are elsewhere? */
static inline bool ob_grid_is_elsewhere(int64_t context)
{
    ob_job *first, *of = ob_blacs_job(context);
    return of && ob_job_start(&first) == OB_OK && of != first;
}

#endif
