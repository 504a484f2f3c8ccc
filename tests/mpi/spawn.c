/*
 * A program that spawns, and merges with what it has spawned, without the library: where this
 * fails, the MPI library or its launcher does.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *arguments[] = {"child", NULL};
    int child = argc > 1 && strcmp(argv[1], "child") == 0, rank, size, sum = 1;
    MPI_Comm inter, comm;
    signal(SIGPIPE, SIG_IGN); /* as elsewhere.c */
    MPI_Init(&argc, &argv);
    if (child)
        MPI_Comm_get_parent(&inter);
    else
        MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(inter, child, &comm);
    MPI_Comm_free(&inter);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (rank == 0 && sum == size)
        fputs("passed\n", stdout);
    return sum != size;
}
