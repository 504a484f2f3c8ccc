/*
 * For MPI programs that use the MLACS: MPI's handles as the MLACS take them, and back. The
 * one public header that includes mpi.h; the library itself needs none.
 */
#ifndef OPENBLACS_MLACS_MPI_H
#define OPENBLACS_MLACS_MPI_H

#include <mpi.h>
#include <string.h>

#include "openblacs/mlacs.h"

/* An MPI_Comm is an int in some libraries, a pointer in others. */
static inline MLACS_Comm mlacs_of_mpi(MPI_Comm comm)
{
    MLACS_Comm word = 0;
    if (sizeof comm == sizeof(unsigned)) {
        unsigned low;
        memcpy(&low, &comm, sizeof low);
        word = low;
    } else {
        memcpy(&word, &comm, sizeof comm);
    }
    return word;
}

static inline MPI_Comm mlacs_to_mpi(MLACS_Comm word)
{
    MPI_Comm comm;
    if (sizeof comm == sizeof(unsigned)) {
        unsigned low = (unsigned)word;
        memcpy(&comm, &low, sizeof comm);
    } else {
        memcpy(&comm, &word, sizeof comm);
    }
    return comm;
}

/* The MLACS' type for one of MPI's; (MLACS_Type)-1, which every routine refuses, for others. */
static inline MLACS_Type mlacs_type_of_mpi(MPI_Datatype type)
{
    if (type == MPI_INT || type == MPI_INTEGER)
        return MLACS_INT;
    if (type == MPI_FLOAT || type == MPI_REAL)
        return MLACS_FLOAT;
    if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION)
        return MLACS_DOUBLE;
    if (type == MPI_C_FLOAT_COMPLEX || type == MPI_COMPLEX)
        return MLACS_COMPLEX;
    if (type == MPI_C_DOUBLE_COMPLEX || type == MPI_DOUBLE_COMPLEX)
        return MLACS_DOUBLE_COMPLEX;
    return type == MPI_BYTE ? MLACS_BYTE : (MLACS_Type)-1;
}

#endif
