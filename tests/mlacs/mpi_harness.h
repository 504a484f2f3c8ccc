/*
 * Begin and end of the MPI programs of this folder.
 */
#ifndef OB_TESTS_MLACS_MPI_HARNESS_H
#define OB_TESTS_MLACS_MPI_HARNESS_H

#include <mpi.h>

#include "harness.h"
#include "openblacs/mlacs_mpi.h"

/* The program's exit status. */
static inline int finish_mpi(void)
{
    int all[2] = {world.passed, world.failed}, sum[2];
    MPI_Allreduce(all, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_sums(sum[0], sum[1]);
    MPI_Finalize();
    return sum[1] != 0;
}

#endif
