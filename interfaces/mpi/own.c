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

shim_reduce *shim_own_reduce(void)
{
    return OWN(MPI_Reduce, shim_reduce);
}
