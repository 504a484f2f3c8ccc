/*
 * What the MPI programs of this folder share. They run with and without the replacement
 * library and are right in both cases. What a call must give is worked out without
 * communication, by the MPI library's own MPI_Reduce_local and MPI_Sendrecv to oneself; with up
 * to 2 processes it is compared, byte by byte, also with the non-blocking call of the same
 * arguments, which is the MPI library's: run.sh has it passed. (With more processes than processors
 * that takes milliseconds a call.)
 */
#ifndef OB_TESTS_ICC_MPI_HARNESS_H
#define OB_TESTS_ICC_MPI_HARNESS_H

#include <mpi.h>

#include "../checks.h"

/* Persistent calls: MPI 4 and Open MPI 5 have them, Open MPI 4 as an extension. An older MPI has
 * none: there they are left out, and their requests stay MPI_REQUEST_NULL. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
enum { PERSISTENT = 1 };
#elif defined(OPEN_MPI) || MPI_VERSION >= 4
#define INIT(name) MPI_##name##_init
enum { PERSISTENT = 1 };
#else
static inline int left_out(void)
{
    return MPI_SUCCESS;
}
#define LEFT_OUT(...) left_out()
#define INIT(name) LEFT_OUT
enum { PERSISTENT = 0 };
#endif

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

/* x -> a x + b, as pairs of integers: associative, but it does not commute. */
static inline void compose_lines(void *first, void *second, int *count, MPI_Datatype *type)
{
    unsigned *f = first, *g = second;
    (void)type;
    for (int i = 0; i < 2 * *count; i += 2) {
        g[i + 1] = f[i + 1] * g[i] + g[i + 1];
        g[i] *= f[i];
    }
}

#endif
