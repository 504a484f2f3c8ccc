/*
 * What the MPI programs of this folder share. They run with and without the replacement
 * library and are right in both cases. What a call must give is worked out without
 * communication, by the MPI library's own MPI_Reduce_local and MPI_Sendrecv to oneself; with up
 * to 2 processes it is compared, byte by byte, also with the non-blocking call of the same
 * arguments, which always is the MPI library's. (With more processes than processors
 * that takes milliseconds a call.)
 */
#ifndef OB_TESTS_ICC_MPI_HARNESS_H
#define OB_TESTS_ICC_MPI_HARNESS_H

#include <mpi.h>

#include "../checks.h"

static int ask_library; /* compare with non-blocking calls, too */

static inline void begin(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &world.me);
    MPI_Comm_size(MPI_COMM_WORLD, &world.count);
    ask_library = world.count <= 2;
}

/* By messages that are never replaced. The program's exit status. */
static inline int finish(void)
{
    int mine[2] = {world.passed, world.failed}, sums[2];
    MPI_Request request;
    MPI_Iallreduce(mine, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_sums(sums[0], sums[1]);
    MPI_Finalize();
    return sums[1] != 0;
}

static inline void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

#endif
