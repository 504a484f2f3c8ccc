/*
 * The MPI library's own functions, found by name in the libraries behind this one.
 */
#include "own.h"

#include <dlfcn.h>

void *shim_find(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (f == NULL)
        shim_fault("OB-3020 libicc-mpi: the MPI library has no %s", name);
    return f;
}

shim_allreduce *shim_own_allreduce(void)
{
    return OWN(MPI_Allreduce, shim_allreduce);
}

shim_comm_dup *shim_own_comm_dup(void)
{
    return OWN(MPI_Comm_dup, shim_comm_dup);
}

shim_start *shim_own_start(void)
{
    return OWN(MPI_Start, shim_start);
}

shim_op_free *shim_own_op_free(void)
{
    return OWN(MPI_Op_free, shim_op_free);
}

shim_reduce *shim_own_reduce(void)
{
    return OWN(MPI_Reduce, shim_reduce);
}
