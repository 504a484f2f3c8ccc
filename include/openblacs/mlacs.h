/*
 * The MLACS: matrices on process grids in the vocabulary of MPI (D. W. Walker,
 * "An MPI Version of the BLACS", 1994). Non-blocking calls, four send modes, tags and
 * wildcards, for general and trapezoidal matrices, with any MPI or none.
 *
 *     MLACS_Comm all, row, column;
 *     int nrow, ncol, myrow, mycol;
 *     MLACS_Request arriving;
 *     mlacs_gridinit(MLACS_COMM_WORLD, 2, 2, &all, &row, &column);
 *     mlacs_gridinfo(all, &nrow, &ncol, &myrow, &mycol);
 *     mlacs_irecv(b, ldb, m, n, MLACS_DOUBLE, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 7, all, &arriving);
 *     mlacs_send(a, lda, m, n, MLACS_DOUBLE, myrow, (mycol + 1) % ncol, 7, all);
 *     mlacs_wait(&arriving, MLACS_STATUS_IGNORE);
 *     mlacs_allreduce_sum(b, c, ldb, m, n, MLACS_DOUBLE, column);
 *     mlacs_gridexit(&all, &row, &column);
 *
 * Matrices are column-major: element (i, j) is a[i + j * lda]; m, n and lda count elements.
 * A trapezoid (_trap) is the upper (uplo 'U') or lower ('L') part of an m x n matrix as
 * LAWN 73, figure 1, draws it; diag 'U' leaves its diagonal out, 'N' does not.
 *
 * Errors: a function returns MLACS_SUCCESS or an error code, and mlacs_error_text() then
 * gives one line that names the routine, the argument, its value and the process. Nothing is
 * printed, nothing ends the program. What is checked, in this order: that a grid was made;
 * the communicator and its topology; the other arguments. A call refused has done nothing.
 *
 * Names, meanings and the order of arguments are the paper's. Its workspace arguments
 * (iwork, work) are gone, since no datatypes are built; its error argument is the
 * function's value. Calls are available to Fortran by the module `mlacs`.
 *
 * Threads: different threads may use different grids at the same time. A request may be
 * ended by any thread, one at a time.
 */
#ifndef OPENBLACS_MLACS_H
#define OPENBLACS_MLACS_H

#include <stdint.h>

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ communicators */

/* In an MPI program these are MPI's communicators, each taken as a word whatever the MPI
 * library: mlacs_of_mpi and mlacs_to_mpi in openblacs/mlacs_mpi.h convert. The three of a grid
 * are Cartesian communicators that MPI takes, too. And each communicator with a Cartesian
 * topology of one or two dimensions is a grid, also one that the program has made
 * (MPI_Cart_create, MPI_Cart_sub, MPI_Comm_dup): coordinates go round along periodic dimensions, a
 * line of n is a row of n, and MPI_Comm_free gives it back. Unless it is
 * a duplicate of one that was communicated on before, or of a grid's, the first call that
 * communicates on it is one that all its members make, whichever each calls.
 * Without MPI communicators name groups of the library's own, and the program is the same. */
typedef uintptr_t MLACS_Comm;

/* All processes; no communicator (MPI_COMM_NULL in an MPI program). */
#define MLACS_COMM_WORLD mlacs_comm_world()
#define MLACS_COMM_NULL mlacs_comm_null()
OB_API MLACS_Comm mlacs_comm_world(void);
OB_API MLACS_Comm mlacs_comm_null(void);

/* ---------------------------------------------------------------- datatypes */

typedef enum MLACS_Type {
    MLACS_INT = 0, /* 32 bits */
    MLACS_FLOAT,
    MLACS_DOUBLE,
    MLACS_COMPLEX,        /* two floats: real, imaginary */
    MLACS_DOUBLE_COMPLEX, /* two doubles */
    MLACS_BYTE            /* sent, received and broadcast only */
} MLACS_Type;

/* -------------------------------------------------- wildcards, tags, status */

/* The source of a receive or probe: any process. Both, or neither. */
#define MLACS_ANY_ROW (-1)
#define MLACS_ANY_COLUMN (-1)
#define MLACS_ANY_TAG (-1)
/* The coordinate that the communicator of a row or a column does not have. */
#define MLACS_IGNORE (-2)
/* Tags go from 0 to this. */
#define MLACS_TAG_MAX OB_TAG_MAX

/* Of a message received or probed. Of a send, and of a receive taken back, the
 * coordinates, the rank and the tag are -1. This layout and that of MLACS_Request stay. */
typedef struct MLACS_Status {
    int row, column; /* of the sender in the grid */
    int rank;        /* of the sender in the communicator */
    int tag;
    int type;      /* MLACS_Type, as the sender named it */
    int cancelled; /* 1: mlacs_cancel took the receive back */
    int64_t count; /* elements of the message */
} MLACS_Status;
#define MLACS_STATUS_IGNORE ((MLACS_Status *)0)

/* An operation under way. Once it has ended it is MLACS_REQUEST_NULL. */
typedef struct MLACS_Request {
    void *operation; /* NULL: none */
    intptr_t columns;
} MLACS_Request;
#ifdef __cplusplus
#define MLACS_REQUEST_NULL (MLACS_Request())
#else
#define MLACS_REQUEST_NULL ((MLACS_Request){0, 0})
#endif

/* ------------------------------------------------------------------- errors */

/* Error codes; their numbers never change. */
enum {
    MLACS_SUCCESS = 0,
    MLACS_ERR_INIT,     /* no grid was made yet */
    MLACS_ERR_COMM,     /* no communicator, or none of a grid */
    MLACS_ERR_TOPOLOGY, /* a Cartesian topology of more than two dimensions */
    MLACS_ERR_GRID,     /* the dimensions of a grid, or its map */
    MLACS_ERR_PROCESS,  /* a process outside the grid */
    MLACS_ERR_WILDCARD, /* MLACS_ANY_ROW without MLACS_ANY_COLUMN, or the reverse */
    MLACS_ERR_ROOT,     /* a root outside the communicator, MLACS_IGNORE missing or too many */
    MLACS_ERR_TAG,
    MLACS_ERR_TYPE,   /* no type, or none for this routine */
    MLACS_ERR_SIZE,   /* m, n or a leading dimension */
    MLACS_ERR_BUFFER, /* NULL for a matrix that has elements */
    MLACS_ERR_UPLO,
    MLACS_ERR_DIAG,
    MLACS_ERR_REQUEST,
    MLACS_ERR_ARG,      /* another argument */
    MLACS_ERR_TRUNCATE, /* the message is longer than the receive, or of another type */
    MLACS_ERR_READY,    /* a ready send came before its receive was posted */
    MLACS_ERR_GONE,     /* the awaited process has ended */
    MLACS_ERR_MEMORY,
    MLACS_ERR_SYSTEM, /* the operating system or the MPI library refused */
    MLACS_ERR_CODES
};

/* What a code means; any number will do. */
OB_API const char *mlacs_error_string(int code);
/* The line of this thread's last failed call; "" when there is none. */
OB_API const char *mlacs_error_text(void);

/* -------------------------------------------------------------------- grids */

/* Makes a grid of nrow x ncol from the first processes of comm, row by row. All of comm
 * call it; comm may be any communicator, also one of a grid. The three results are of all
 * processes of the grid, of the caller's row, and of its column; MLACS_COMM_NULL three times
 * for a process that is left over. ERR_COMM, ERR_GRID. */
OB_API int mlacs_gridinit(MLACS_Comm comm, int nrow, int ncol, MLACS_Comm *commall,
                          MLACS_Comm *commrow, MLACS_Comm *commcol);
/* The same with the process of rank usermap[i + j * ldu] in comm at row i, column j. The
 * processes may name different grids in one call, as long as no two of these share one. */
OB_API int mlacs_gridmap(const int *usermap, int ldu, int nrow, int ncol, MLACS_Comm comm,
                         MLACS_Comm *commall, MLACS_Comm *commrow, MLACS_Comm *commcol);
/* Gives a grid back; its members call it. Receives still posted, and synchronous sends that no
 * receive has taken, end with an error; messages not yet received are dropped. The three become
 * MLACS_COMM_NULL. */
OB_API int mlacs_gridexit(MLACS_Comm *commall, MLACS_Comm *commrow, MLACS_Comm *commcol);
/* *flag = 1 when a grid has been made. May be called before everything else. */
OB_API int mlacs_initialized(int *flag);
/* Number of this process, and of all. May be called before a grid is made. */
OB_API int mlacs_procinfo(int *me, int *nprocs);
/* The dimensions of a grid and the caller's place in it. A row's communicator is 1 x ncol, its
 * myrow MLACS_IGNORE; a column's is nrow x 1, its mycol MLACS_IGNORE. So (myrow, mycol) is
 * the caller as a root, source or destination in any of the three. */
OB_API int mlacs_gridinfo(MLACS_Comm comm, int *nrow, int *ncol, int *myrow, int *mycol);
/* From coordinates to rank in the communicator, and back. In a row or column the
 * coordinate it does not have is MLACS_IGNORE; it may be given as 0, too. */
OB_API int mlacs_cart_rank(MLACS_Comm comm, int row, int col, int *rank);
OB_API int mlacs_cart_coords(MLACS_Comm comm, int rank, int *row, int *col);
/* Returns when all of the grid, row or column have called it. */
OB_API int mlacs_barrier(MLACS_Comm comm);
/* Ends all processes of the job, with this exit code. Does not return. */
OB_API int mlacs_abort(MLACS_Comm comm, int code);
/* Leaves: frees all grids, and finalizes MPI if the MLACS started it. Happens by itself
 * at the process's end. mlacs_gridinit may follow. */
OB_API int mlacs_exit(void);

/* ------------------------------------------------------------------ sending */

/* (rdest, cdest) is a process of comm and may be the caller; comm is a grid's, a row's or a
 * column's. In the latter two the coordinate they do not have is MLACS_IGNORE or 0, and a status
 * has MLACS_IGNORE. Messages of one process to another that a receive could take either of are
 * received in the order sent.
 *
 *   send    standard: returns as soon as a may be reused, whether or not the receive is there
 *   bsend   buffered: the same; there is no buffer to attach
 *   ssend   synchronous: returns not before the receive has started. ERR_GONE
 *   rsend   ready: the receive has been posted already; if not, that receive fails with
 *           MLACS_ERR_READY (a send to oneself fails at once) */
OB_API int mlacs_send(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                      int cdest, int tag, MLACS_Comm comm);
OB_API int mlacs_bsend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                       int cdest, int tag, MLACS_Comm comm);
OB_API int mlacs_ssend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                       int cdest, int tag, MLACS_Comm comm);
OB_API int mlacs_rsend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                       int cdest, int tag, MLACS_Comm comm);

OB_API int mlacs_send_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                           MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm);
OB_API int mlacs_bsend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                            MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm);
OB_API int mlacs_ssend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                            MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm);
OB_API int mlacs_rsend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                            MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm);

/* The same without waiting: the call that ends the request (mlacs_wait and its kin) has
 * waited for what the blocking call waits for. Until then leave a alone: within a node a
 * standard send of 256 KiB or more, and a receive, go on while the program computes. */
OB_API int mlacs_isend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                       int cdest, int tag, MLACS_Comm comm, MLACS_Request *request);
OB_API int mlacs_ibsend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                        int cdest, int tag, MLACS_Comm comm, MLACS_Request *request);
OB_API int mlacs_issend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                        int cdest, int tag, MLACS_Comm comm, MLACS_Request *request);
OB_API int mlacs_irsend(const void *a, int lda, int m, int n, MLACS_Type datatype, int rdest,
                        int cdest, int tag, MLACS_Comm comm, MLACS_Request *request);

OB_API int mlacs_isend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                            MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm,
                            MLACS_Request *request);
OB_API int mlacs_ibsend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                             MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm,
                             MLACS_Request *request);
OB_API int mlacs_issend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                             MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm,
                             MLACS_Request *request);
OB_API int mlacs_irsend_trap(const void *a, int lda, int m, int n, char uplo, char diag,
                             MLACS_Type datatype, int rdest, int cdest, int tag, MLACS_Comm comm,
                             MLACS_Request *request);

/* ---------------------------------------------------------------- receiving */

/* (rsrc, csrc) is a process of comm, or (MLACS_ANY_ROW, MLACS_ANY_COLUMN). A message goes
 * to the receive that was posted first among those it matches. It may have fewer elements
 * than the matrix and then fills the first ones, column by column; the status says how many.
 * ERR_TRUNCATE when it has more, or another type (MLACS_BYTE goes with any): it is
 * dropped then. Sender and receiver may name different shapes. */
OB_API int mlacs_recv(void *a, int lda, int m, int n, MLACS_Type datatype, int rsrc, int csrc,
                      int tag, MLACS_Comm comm, MLACS_Status *status);
OB_API int mlacs_recv_trap(void *a, int lda, int m, int n, char uplo, char diag,
                           MLACS_Type datatype, int rsrc, int csrc, int tag, MLACS_Comm comm,
                           MLACS_Status *status);
/* The matrix is the library's until the request has ended. */
OB_API int mlacs_irecv(void *a, int lda, int m, int n, MLACS_Type datatype, int rsrc, int csrc,
                       int tag, MLACS_Comm comm, MLACS_Request *request);
OB_API int mlacs_irecv_trap(void *a, int lda, int m, int n, char uplo, char diag,
                            MLACS_Type datatype, int rsrc, int csrc, int tag, MLACS_Comm comm,
                            MLACS_Request *request);

/* Waits for a message that such a receive would take, without receiving it. */
OB_API int mlacs_probe(int rsrc, int csrc, int tag, MLACS_Comm comm, MLACS_Status *status);
/* The same without waiting: *flag = 0 when there is none. */
OB_API int mlacs_iprobe(int rsrc, int csrc, int tag, MLACS_Comm comm, int *flag,
                        MLACS_Status *status);

/* ----------------------------------------------------------------- requests */

/* Waits for the operation; the value is what its blocking twin would return. Every call
 * below takes MLACS_REQUEST_NULL for something that has ended. */
OB_API int mlacs_wait(MLACS_Request *request, MLACS_Status *status);
/* The same if it is done (*flag = 1), else *flag = 0. Never waits. */
OB_API int mlacs_test(MLACS_Request *request, int *flag, MLACS_Status *status);
/* Ends all; the value is that of the first, by index, that failed. statuses: one each, or
 * MLACS_STATUS_IGNORE. */
OB_API int mlacs_waitall(int count, MLACS_Request *requests, MLACS_Status *statuses);
/* Ends one, the lowest of those done; *index = -1 when none was under way. */
OB_API int mlacs_waitany(int count, MLACS_Request *requests, int *index, MLACS_Status *status);
/* The same without waiting: *flag = 0 when none is done yet. */
OB_API int mlacs_testany(int count, MLACS_Request *requests, int *index, int *flag,
                         MLACS_Status *status);
/* Takes a receive back that no message has met; it must still be waited for, and its
 * status tells whether it was. Sends are not taken back. */
OB_API int mlacs_cancel(MLACS_Request *request);

/* --------------------------------------------------------------- collective */

/* comm is a grid's, a row's or a column's; in the latter two one coordinate of the root
 * (rroot, croot) is MLACS_IGNORE or 0. All members call with equal arguments, but for addresses
 * and leading dimensions. */

/* The root's matrix to all. Shapes may differ, the number of elements may not. */
OB_API int mlacs_bcast(void *a, int lda, int m, int n, MLACS_Type datatype, int rroot, int croot,
                       MLACS_Comm comm);
OB_API int mlacs_bcast_trap(void *a, int lda, int m, int n, char uplo, char diag,
                            MLACS_Type datatype, int rroot, int croot, MLACS_Comm comm);

/* Collective calls that do not wait: the request ends like others, when the caller's part is over;
 * what it names is the library's until then (a and b, but for a of the sums, which may be read).
 * All members begin these in the same order, also in relation to the calls that wait. Within a
 * node those of 256 KiB or more go on while the program computes. The status says nothing. */
OB_API int mlacs_ibcast(void *a, int lda, int m, int n, MLACS_Type datatype, int rroot, int croot,
                        MLACS_Comm comm, MLACS_Request *request);
OB_API int mlacs_ibcast_trap(void *a, int lda, int m, int n, char uplo, char diag,
                             MLACS_Type datatype, int rroot, int croot, MLACS_Comm comm,
                             MLACS_Request *request);
OB_API int mlacs_ireduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                             int rroot, int croot, MLACS_Comm comm, MLACS_Request *request);
OB_API int mlacs_iallreduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                                MLACS_Comm comm, MLACS_Request *request);
/* Done when all have begun it. */
OB_API int mlacs_ibarrier(MLACS_Comm comm, MLACS_Request *request);

/* b = the sum of all members' a: at the root, or (allreduce) at all. a and b have one
 * leading dimension and may be the same matrix; b is looked at where the result goes. */
OB_API int mlacs_reduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                            int rroot, int croot, MLACS_Comm comm);
OB_API int mlacs_allreduce_sum(const void *a, void *b, int ldab, int m, int n, MLACS_Type datatype,
                               MLACS_Comm comm);

/* b = the largest (maxloc) or smallest (minloc) element of all members' a, ranks (m x n,
 * leading dimension ldia; NULL: not wanted) = the rank in comm of the member it came from, the
 * lowest among equals. MLACS_INT, MLACS_FLOAT and MLACS_DOUBLE; a NaN wins over every number. */
OB_API int mlacs_reduce_maxloc(const void *a, void *b, int ldab, int m, int n, int *ranks, int ldia,
                               MLACS_Type datatype, int rroot, int croot, MLACS_Comm comm);
OB_API int mlacs_reduce_minloc(const void *a, void *b, int ldab, int m, int n, int *ranks, int ldia,
                               MLACS_Type datatype, int rroot, int croot, MLACS_Comm comm);
OB_API int mlacs_allreduce_maxloc(const void *a, void *b, int ldab, int m, int n, int *ranks,
                                  int ldia, MLACS_Type datatype, MLACS_Comm comm);
OB_API int mlacs_allreduce_minloc(const void *a, void *b, int ldab, int m, int n, int *ranks,
                                  int ldia, MLACS_Type datatype, MLACS_Comm comm);

/* Not in the paper: the same by magnitude, |re| + |im| of complex numbers, as the BLACS
 * compare: among equals the member nearest above the root wins (allreduce: the lowest), and a
 * NaN counts as larger than any number. All types but MLACS_BYTE. */
OB_API int mlacs_reduce_maxabsloc(const void *a, void *b, int ldab, int m, int n, int *ranks,
                                  int ldia, MLACS_Type datatype, int rroot, int croot,
                                  MLACS_Comm comm);
OB_API int mlacs_reduce_minabsloc(const void *a, void *b, int ldab, int m, int n, int *ranks,
                                  int ldia, MLACS_Type datatype, int rroot, int croot,
                                  MLACS_Comm comm);
OB_API int mlacs_allreduce_maxabsloc(const void *a, void *b, int ldab, int m, int n, int *ranks,
                                     int ldia, MLACS_Type datatype, MLACS_Comm comm);
OB_API int mlacs_allreduce_minabsloc(const void *a, void *b, int ldab, int m, int n, int *ranks,
                                     int ldia, MLACS_Type datatype, MLACS_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
