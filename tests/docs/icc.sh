# Makes ./program, an MPI program for either MPI: its processes take the one of their launcher.
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
for mpi in openmpi mpich; do
    mpicc.$mpi mpi.c -o program.$mpi
done
cat >program <<'END'
#!/bin/sh
if [ -n "$PMI_RANK" ]; then exec "$0.mpich" "$@"; fi
exec "$0.openmpi" "$@"
END
chmod +x program
