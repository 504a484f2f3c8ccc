/*
 * Plain MPI calls for obbench, which loads this when it runs under mpirun. Built once
 * for each MPI library (bench/CMakeLists.txt).
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>

#include "obbench/face.h"

static MPI_Comm comm = MPI_COMM_NULL;

static int check(int error)
{
    if (error != MPI_SUCCESS)
        fprintf(stderr, "obbench: MPI error %d\n", error);
    return error != MPI_SUCCESS;
}

static MPI_Datatype type_of(ob_type type)
{
    switch (type) {
    case OB_INT: return MPI_INT;
    case OB_FLOAT: return MPI_FLOAT;
    case OB_COMPLEX: return MPI_C_FLOAT_COMPLEX;
    case OB_DCOMPLEX: return MPI_C_DOUBLE_COMPLEX;
    default: return MPI_DOUBLE;
    }
}

static int plain_open(int color, int number)
{
    return check(MPI_Comm_split(MPI_COMM_WORLD, color, number, &comm));
}

static void plain_close(void)
{
    MPI_Comm_free(&comm);
}

static int fits(size_t count)
{
    if (count <= INT_MAX)
        return 1;
    fprintf(stderr, "obbench: %zu elements are too many for one MPI call\n", count);
    return 0;
}

static int plain_send(const void *vector, size_t count, ob_type type, int dest)
{
    return !fits(count) || check(MPI_Send(vector, (int)count, type_of(type), dest, 0, comm));
}

static int plain_receive(void *vector, size_t count, ob_type type, int source)
{
    return !fits(count) ||
           check(MPI_Recv(vector, (int)count, type_of(type), source, 0, comm, MPI_STATUS_IGNORE));
}

/* As a program has it that sends one matrix: the type is made and given back for each. */
static MPI_Datatype columns(int m, int n, int ld, ob_type type)
{
    MPI_Datatype part;
    MPI_Type_vector(n, m, ld, type_of(type), &part);
    MPI_Type_commit(&part);
    return part;
}

static int plain_send_columns(const void *matrix, int m, int n, int ld, ob_type type, int dest)
{
    MPI_Datatype part = columns(m, n, ld, type);
    int failed = check(MPI_Send(matrix, 1, part, dest, 0, comm));
    MPI_Type_free(&part);
    return failed;
}

static int plain_receive_columns(void *matrix, int m, int n, int ld, ob_type type, int source)
{
    MPI_Datatype part = columns(m, n, ld, type);
    int failed = check(MPI_Recv(matrix, 1, part, source, 0, comm, MPI_STATUS_IGNORE));
    MPI_Type_free(&part);
    return failed;
}

static int plain_barrier(void)
{
    return check(MPI_Barrier(comm));
}

static int plain_broadcast(void *vector, size_t count, ob_type type, int root,
                           const ob_route *route)
{
    (void)route;
    return !fits(count) || check(MPI_Bcast(vector, (int)count, type_of(type), root, comm));
}

/* MPI has no largest absolute value; the work per element is about that of MPI_MAX. */
static int plain_combine(void *vector, void *spare, size_t count, ob_type type, ob_op op, int root,
                         const ob_route *route)
{
    MPI_Op mpi_op = op == OB_SUM ? MPI_SUM : op == OB_MAX_ABS ? MPI_MAX : MPI_MIN;
    (void)route;
    if (!fits(count))
        return 1;
    if (root == OB_ANY)
        return check(MPI_Allreduce(vector, spare, (int)count, type_of(type), mpi_op, comm));
    return check(MPI_Reduce(vector, spare, (int)count, type_of(type), mpi_op, root, comm));
}

__attribute__((visibility("default"))) const obb_face *obb_plain_mpi(void);

const obb_face *obb_plain_mpi(void)
{
    static const obb_face face = {.number = OBB_FACE_NUMBER,
                                  .name = OB_MPI_NAME,
                                  .open = plain_open,
                                  .close = plain_close,
                                  .send = plain_send,
                                  .receive = plain_receive,
                                  .send_columns = plain_send_columns,
                                  .receive_columns = plain_receive_columns,
                                  .barrier = plain_barrier,
                                  .broadcast = plain_broadcast,
                                  .combine = plain_combine};
    return &face;
}
