/*
 * Preloaded into a program with 64-bit Fortran integers on an MPI library with 32-bit ones: those
 * of MPI's Fortran routines that netlib's BLACS tester calls, with 64-bit arguments, where
 * MPI_INTEGER is as wide.
 */
#include <mpi.h>
#include <stdint.h>

static MPI_Comm comm_of(const int64_t *comm)
{
    return MPI_Comm_f2c((MPI_Fint)*comm);
}

/* The Fortran number of MPI_INTEGER is that of the program's header. */
static MPI_Datatype type_of(const int64_t *type)
{
    MPI_Datatype t = MPI_Type_f2c((MPI_Fint)*type);
    return t == MPI_INTEGER ? MPI_INT64_T : t;
}

void mpi_initialized_(int64_t *flag, int64_t *ierr)
{
    int set;
    *ierr = MPI_Initialized(&set);
    *flag = set;
}

void mpi_init_(int64_t *ierr)
{
    *ierr = MPI_Init(NULL, NULL);
}

void mpi_comm_dup_(const int64_t *comm, int64_t *copy, int64_t *ierr)
{
    MPI_Comm made;
    *ierr = MPI_Comm_dup(comm_of(comm), &made);
    *copy = MPI_Comm_c2f(made);
}

void mpi_comm_rank_(const int64_t *comm, int64_t *rank, int64_t *ierr)
{
    int got;
    *ierr = MPI_Comm_rank(comm_of(comm), &got);
    *rank = got;
}

void mpi_comm_size_(const int64_t *comm, int64_t *size, int64_t *ierr)
{
    int got;
    *ierr = MPI_Comm_size(comm_of(comm), &got);
    *size = got;
}

void mpi_type_size_(const int64_t *type, int64_t *size, int64_t *ierr)
{
    int got;
    *ierr = MPI_Type_size(type_of(type), &got);
    *size = got;
}

void mpi_send_(const void *x, const int64_t *n, const int64_t *type, const int64_t *to,
               const int64_t *tag, const int64_t *comm, int64_t *ierr)
{
    *ierr = MPI_Send(x, (int)*n, type_of(type), (int)*to, (int)*tag, comm_of(comm));
}

void mpi_recv_(void *x, const int64_t *n, const int64_t *type, const int64_t *from,
               const int64_t *tag, const int64_t *comm, int64_t *status, int64_t *ierr)
{
    (void)status; /* which the tester does not look at */
    *ierr = MPI_Recv(x, (int)*n, type_of(type), (int)*from, (int)*tag, comm_of(comm),
                     MPI_STATUS_IGNORE);
}
