# shellcheck shell=bash
# Makes ./program, an MPI program for either MPI.
. tests/docs/either_mpi.sh
cat >mpi.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    int one = 1, sum, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != count;
}
END
either_mpi mpi.c
