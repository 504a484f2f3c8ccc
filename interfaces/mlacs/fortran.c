/*
 * The same routines for Fortran: arguments by reference, communicators as integers
 * (an MPI program's own handles), the error code as the last argument. The module
 * mlacs (mlacs.f90.in) declares them.
 */
#include <string.h>

#include "room.h"

/* An error argument that was left out is NULL. */
static void put_code(int *error, int code)
{
    if (error)
        *error = code;
}

/* The C routine that is called here is traced as a call by our caller. */
#define put(error, call)                                                                           \
    do {                                                                                           \
        OB_TRACE_CALLER;                                                                           \
        put_code(error, call);                                                                     \
        release_caller();                                                                          \
    } while (0)

/* Not every C routine is traced; one that is not must leave no caller behind. */
static void release_caller(void)
{
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine(NULL, NULL, 0);
}

/* A routine that hands over to the C routine of its name; `tell` finishes what it has put. */
#define ROUTINE_TOLD(name, parameters, arguments, tell)                                            \
    OB_API void mlacs_##name##_ parameters                                                         \
    {                                                                                              \
        put(error, mlacs_##name arguments);                                                        \
        tell;                                                                                      \
    }
#define ROUTINE(name, parameters, arguments) ROUTINE_TOLD(name, parameters, arguments, (void)0)

static MLACS_Comm comm_of(const int *comm)
{
    return obm_of_handle(*comm);
}

/* The module's datatypes are none of any MPI's: Open MPI counts its own from 0, MPICH's are large
 * numbers, negative ones with the highest bits of a kind. */
enum { OF_MODULE = -2000 };

/* A datatype of the module's, or of MPI's. What is neither stays a number that is no type. */
static MLACS_Type type_of(const int *datatype)
{
    unsigned ours = (unsigned)*datatype - (unsigned)OF_MODULE;
    if (__builtin_expect(ours <= MLACS_BYTE, 1))
        return (MLACS_Type)ours;
    int type = obm_job() ? ob_system_type(obm_job(), *datatype) : -1;
    if (type >= 0)
        return (MLACS_Type)type;
    return (unsigned)*datatype <= MLACS_BYTE ? (MLACS_Type)-1 : (MLACS_Type)*datatype;
}

/* Statuses name the module's types. */
static void of_module(MLACS_Status *statuses, int count)
{
    for (int i = 0; statuses && i < count; i++)
        if ((unsigned)statuses[i].type <= MLACS_BYTE)
            statuses[i].type += OF_MODULE;
}

static void put_text(char *to, size_t room, const char *text)
{
    size_t length = strlen(text);
    memset(to, ' ', room);
    memcpy(to, text, length < room ? length : room);
}

OB_API int mlacs_comm_world_(void)
{
    return (int)obm_to_handle(mlacs_comm_world());
}

OB_API int mlacs_comm_null_(void)
{
    return (int)obm_to_handle(mlacs_comm_null());
}

/* The hidden length of the string comes last. */
OB_API void mlacs_error_string_(const int *code, char *string, size_t room)
{
    put_text(string, room, mlacs_error_string(*code));
}

OB_API void mlacs_error_text_(char *string, size_t room)
{
    put_text(string, room, mlacs_error_text());
}

/* -------------------------------------------------------------------- grids */

static void put_comms(const MLACS_Comm made[3], int *all, int *row, int *column)
{
    *all = (int)obm_to_handle(made[0]);
    *row = (int)obm_to_handle(made[1]);
    *column = (int)obm_to_handle(made[2]);
}

OB_API void mlacs_gridinit_(const int *comm, const int *nrow, const int *ncol, int *commall,
                            int *commrow, int *commcol, int *error)
{
    OB_TRACE_CALLER;
    MLACS_Comm made[3];
    int code = mlacs_gridinit(comm_of(comm), *nrow, *ncol, &made[0], &made[1], &made[2]);
    if (code == MLACS_SUCCESS)
        put_comms(made, commall, commrow, commcol);
    put_code(error, code);
}

OB_API void mlacs_gridmap_(const int *usermap, const int *ldu, const int *nrow, const int *ncol,
                           const int *comm, int *commall, int *commrow, int *commcol, int *error)
{
    OB_TRACE_CALLER;
    MLACS_Comm made[3];
    int code =
        mlacs_gridmap(usermap, *ldu, *nrow, *ncol, comm_of(comm), &made[0], &made[1], &made[2]);
    if (code == MLACS_SUCCESS)
        put_comms(made, commall, commrow, commcol);
    put_code(error, code);
}

OB_API void mlacs_gridexit_(int *commall, int *commrow, int *commcol, int *error)
{
    MLACS_Comm ended[3] = {comm_of(commall), comm_of(commrow), comm_of(commcol)};
    int code = mlacs_gridexit(&ended[0], &ended[1], &ended[2]);
    if (code == MLACS_SUCCESS)
        put_comms(ended, commall, commrow, commcol);
    put_code(error, code);
}

/* flag is a logical. */
ROUTINE(initialized, (int *flag, int *error), (flag))
ROUTINE(procinfo, (int *me, int *nprocs, int *error), (me, nprocs))
ROUTINE(gridinfo, (const int *comm, int *nrow, int *ncol, int *myrow, int *mycol, int *error),
        (comm_of(comm), nrow, ncol, myrow, mycol))
ROUTINE(cart_rank, (const int *comm, const int *row, const int *col, int *rank, int *error),
        (comm_of(comm), *row, *col, rank))
ROUTINE(cart_coords, (const int *comm, const int *rank, int *row, int *col, int *error),
        (comm_of(comm), *rank, row, col))
ROUTINE(barrier, (const int *comm, int *error), (comm_of(comm)))
ROUTINE(abort, (const int *comm, const int *code, int *error), (comm_of(comm), *code))
ROUTINE(exit, (int *error), ())

/* ----------------------------------------------------------- point to point */

#define SENDS(name)                                                                                \
    ROUTINE(name,                                                                                  \
            (const void *a, const int *lda, const int *m, const int *n, const int *datatype,       \
             const int *rdest, const int *cdest, const int *tag, const int *comm, int *error),     \
            (a, *lda, *m, *n, type_of(datatype), *rdest, *cdest, *tag, comm_of(comm)))             \
    ROUTINE(                                                                                       \
        name##_trap,                                                                               \
        (const void *a, const int *lda, const int *m, const int *n, const char *uplo,              \
         const char *diag, const int *datatype, const int *rdest, const int *cdest,                \
         const int *tag, const int *comm, int *error),                                             \
        (a, *lda, *m, *n, *uplo, *diag, type_of(datatype), *rdest, *cdest, *tag, comm_of(comm)))   \
    ROUTINE(i##name,                                                                               \
            (const void *a, const int *lda, const int *m, const int *n, const int *datatype,       \
             const int *rdest, const int *cdest, const int *tag, const int *comm,                  \
             MLACS_Request *request, int *error),                                                  \
            (a, *lda, *m, *n, type_of(datatype), *rdest, *cdest, *tag, comm_of(comm), request))    \
    ROUTINE(i##name##_trap,                                                                        \
            (const void *a, const int *lda, const int *m, const int *n, const char *uplo,          \
             const char *diag, const int *datatype, const int *rdest, const int *cdest,            \
             const int *tag, const int *comm, MLACS_Request *request, int *error),                 \
            (a, *lda, *m, *n, *uplo, *diag, type_of(datatype), *rdest, *cdest, *tag,               \
             comm_of(comm), request))

SENDS(send)
SENDS(rsend)
SENDS(ssend)
SENDS(bsend)

/* LAST is a status, which tell finishes, or a request. */
#define RECEIVES(name, LAST, tell)                                                                 \
    ROUTINE_TOLD(name,                                                                             \
                 (void *a, const int *lda, const int *m, const int *n, const int *datatype,        \
                  const int *rsrc, const int *csrc, const int *tag, const int *comm, LAST *last,   \
                  int *error),                                                                     \
                 (a, *lda, *m, *n, type_of(datatype), *rsrc, *csrc, *tag, comm_of(comm), last),    \
                 tell)                                                                             \
    ROUTINE_TOLD(name##_trap,                                                                      \
                 (void *a, const int *lda, const int *m, const int *n, const char *uplo,           \
                  const char *diag, const int *datatype, const int *rsrc, const int *csrc,         \
                  const int *tag, const int *comm, LAST *last, int *error),                        \
                 (a, *lda, *m, *n, *uplo, *diag, type_of(datatype), *rsrc, *csrc, *tag,            \
                  comm_of(comm), last),                                                            \
                 tell)

RECEIVES(recv, MLACS_Status, of_module(last, 1))
RECEIVES(irecv, MLACS_Request, (void)0)

ROUTINE_TOLD(wait, (MLACS_Request * request, MLACS_Status *status, int *error), (request, status),
             of_module(status, 1))
ROUTINE_TOLD(test, (MLACS_Request * request, int *flag, MLACS_Status *status, int *error),
             (request, flag, status), of_module(status, 1))

OB_API void mlacs_waitall_(const int *count, MLACS_Request *requests, MLACS_Status *statuses,
                           int *error)
{
    put(error, mlacs_waitall(*count, requests, statuses));
    of_module(statuses, *count);
}

/* Fortran counts from 1; 0: none. */
OB_API void mlacs_waitany_(const int *count, MLACS_Request *requests, int *index,
                           MLACS_Status *status, int *error)
{
    int at = -1;
    put(error, mlacs_waitany(*count, requests, &at, status));
    of_module(status, 1);
    *index = at + 1;
}

OB_API void mlacs_testany_(const int *count, MLACS_Request *requests, int *index, int *flag,
                           MLACS_Status *status, int *error)
{
    int at = -1;
    put(error, mlacs_testany(*count, requests, &at, flag, status));
    of_module(status, 1);
    *index = at + 1;
}

ROUTINE(cancel, (MLACS_Request * request, int *error), (request))
ROUTINE_TOLD(probe,
             (const int *rsrc, const int *csrc, const int *tag, const int *comm,
              MLACS_Status *status, int *error),
             (*rsrc, *csrc, *tag, comm_of(comm), status), of_module(status, 1))
ROUTINE_TOLD(iprobe,
             (const int *rsrc, const int *csrc, const int *tag, const int *comm, int *flag,
              MLACS_Status *status, int *error),
             (*rsrc, *csrc, *tag, comm_of(comm), flag, status), of_module(status, 1))

/* --------------------------------------------------------------- collective */

ROUTINE(bcast,
        (void *a, const int *lda, const int *m, const int *n, const int *datatype, const int *rroot,
         const int *croot, const int *comm, int *error),
        (a, *lda, *m, *n, type_of(datatype), *rroot, *croot, comm_of(comm)))
ROUTINE(bcast_trap,
        (void *a, const int *lda, const int *m, const int *n, const char *uplo, const char *diag,
         const int *datatype, const int *rroot, const int *croot, const int *comm, int *error),
        (a, *lda, *m, *n, *uplo, *diag, type_of(datatype), *rroot, *croot, comm_of(comm)))
ROUTINE(reduce_sum,
        (const void *a, void *b, const int *ldab, const int *m, const int *n, const int *datatype,
         const int *rroot, const int *croot, const int *comm, int *error),
        (a, b, *ldab, *m, *n, type_of(datatype), *rroot, *croot, comm_of(comm)))
ROUTINE(allreduce_sum,
        (const void *a, void *b, const int *ldab, const int *m, const int *n, const int *datatype,
         const int *comm, int *error),
        (a, b, *ldab, *m, *n, type_of(datatype), comm_of(comm)))

ROUTINE(ibcast,
        (void *a, const int *lda, const int *m, const int *n, const int *datatype, const int *rroot,
         const int *croot, const int *comm, MLACS_Request *request, int *error),
        (a, *lda, *m, *n, type_of(datatype), *rroot, *croot, comm_of(comm), request))
ROUTINE(ibcast_trap,
        (void *a, const int *lda, const int *m, const int *n, const char *uplo, const char *diag,
         const int *datatype, const int *rroot, const int *croot, const int *comm,
         MLACS_Request *request, int *error),
        (a, *lda, *m, *n, *uplo, *diag, type_of(datatype), *rroot, *croot, comm_of(comm), request))
ROUTINE(ireduce_sum,
        (const void *a, void *b, const int *ldab, const int *m, const int *n, const int *datatype,
         const int *rroot, const int *croot, const int *comm, MLACS_Request *request, int *error),
        (a, b, *ldab, *m, *n, type_of(datatype), *rroot, *croot, comm_of(comm), request))
ROUTINE(iallreduce_sum,
        (const void *a, void *b, const int *ldab, const int *m, const int *n, const int *datatype,
         const int *comm, MLACS_Request *request, int *error),
        (a, b, *ldab, *m, *n, type_of(datatype), comm_of(comm), request))
ROUTINE(ibarrier, (const int *comm, MLACS_Request *request, int *error), (comm_of(comm), request))

#define LOCATIONS(name)                                                                            \
    ROUTINE(reduce_##name,                                                                         \
            (const void *a, void *b, const int *ldab, const int *m, const int *n, int *ranks,      \
             const int *ldia, const int *datatype, const int *rroot, const int *croot,             \
             const int *comm, int *error),                                                         \
            (a, b, *ldab, *m, *n, ranks, *ldia, type_of(datatype), *rroot, *croot, comm_of(comm))) \
    ROUTINE(allreduce_##name,                                                                      \
            (const void *a, void *b, const int *ldab, const int *m, const int *n, int *ranks,      \
             const int *ldia, const int *datatype, const int *comm, int *error),                   \
            (a, b, *ldab, *m, *n, ranks, *ldia, type_of(datatype), comm_of(comm)))

LOCATIONS(maxloc)
LOCATIONS(minloc)
LOCATIONS(maxabsloc)
LOCATIONS(minabsloc)
