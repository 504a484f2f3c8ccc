/*
 * The BLACS: matrices communicated on process grids, for C, C++ and Fortran.
 *
 * Every routine exists twice: Cdgesd2d takes its scalars by value, dgesd2d_
 * (Fortran's DGESD2D) takes all by reference; the lengths of character
 * arguments that Fortran compilers append are not looked at. Names and
 * binary interface are those of the netlib BLACS. Sources: LAWN 73 ("LAPACK
 * Working Note 73: Basic Linear Algebra Communication Subprograms") and the
 * BLACS Users' Guide; sections named below are LAWN 73's.
 *
 *   Under other Fortran compilers' names, dgesd2d, DGESD2D, DGESD2D_, blacs_get__, the
 *   same routines are in the library, too; nothing here declares them.
 *
 * Matrices
 *   The first letter of a routine names the type: I int, S float, D double,
 *   C two floats, Z two doubles. GE is an m x n matrix, column-major: element
 *   (i, j) is a[i + j * lda], counted in elements; lda >= max(1, m) wherever it
 *   matters, which is when m > 0 and n > 1. TR is its trapezoid (2.1):
 *   uplo 'U' the elements with i <= j + max(m - n, 0), 'L' those with
 *   i >= j - max(n - m, 0); diag 'U' leaves their diagonal out, 'N' sends it. With
 *   m = 0 or n = 0 the matrix is empty, whatever the other (even negative): a may be
 *   NULL, lda anything. Sender and receiver may use different m, n, lda and shapes as
 *   long as type and number of elements agree (4.2).
 *
 * Letters
 *   Of a character argument the first letter counts, in upper or lower case.
 *   scope: 'R' the caller's row, 'C' its column, 'A' the whole grid. A process is
 *   named by the coordinates that matter within the scope: cdest or csrc in a
 *   row, rdest or rsrc in a column, both in the grid; the other may be anything.
 *   But the -1 of a combine, for all, is looked for in both, whatever the scope.
 *
 * Errors
 *   A wrong argument prints one line on standard error that names the routine,
 *   the argument with its number and value, what is allowed, the process and its
 *   context; then the whole job ends with exit status 1. Nothing is truncated.
 *
 * Threads
 *   Different threads may use different contexts at the same time, and make and
 *   release grids; one context is used by one thread at a time. blacs_exit is
 *   called when no other thread is inside the library.
 *
 * Prototypes of your own
 *   Programs that declare some routines themselves, in the customary way
 *   without const and with float * and double * for complex matrices, can
 *   include this header beside those when OPENBLACS_NETLIB_PROTOTYPES is defined first.
 *   Otherwise read-only arguments are const and complex matrices are void *:
 *   float _Complex *, std::complex<float> * and float * all pass without a cast.
 */
#ifndef OPENBLACS_BLACS_H
#define OPENBLACS_BLACS_H

#include <stdint.h>

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef OPENBLACS_NETLIB_PROTOTYPES
#define OB_IN
#define OB_COMPLEX8 float
#define OB_COMPLEX16 double
#else
#define OB_IN const
#define OB_COMPLEX8 void
#define OB_COMPLEX16 void
#endif

/* A system's communicator: MPI_Comm when mpi.h was included before, else the
 * same thing as a word. */
#ifdef MPI_VERSION
#define OB_BLACS_COMM MPI_Comm
#else
#define OB_BLACS_COMM uintptr_t
#endif

/* -------------------------------------------------------------------- job */

/* Joins the job of this process: that of the launcher obrun, of the MPI
 * program (MPI is started when it is not yet), or a job of one; gives this
 * process's number, 0 .. nprocs-1, and the number of processes. May be
 * called any number of times, and not at all before a grid is made. setup
 * does the same: its arguments are outputs only. */
OB_API void Cblacs_pinfo(int *mypnum, int *nprocs);
OB_API void blacs_pinfo_(int *mypnum, int *nprocs);
OB_API void Cblacs_setup(int *mypnum, int *nprocs);
OB_API void blacs_setup_(int *mypnum, int *nprocs);

/* Releases all grids of this process and leaves the job. notdone = 0: the
 * program is done with message passing; MPI is finalized if it was the BLACS
 * that started it. notdone != 0: the program goes on with MPI. In both cases
 * blacs_pinfo may follow, unless MPI was finalized. */
OB_API void Cblacs_exit(int notdone);
OB_API void blacs_exit_(OB_IN int *notdone);

/* Prints {row,column}, number, context and code in one line and ends all
 * processes of the job with exit status code. context may be -1. Does not
 * return. */
OB_API void Cblacs_abort(int context, int code);
OB_API void blacs_abort_(OB_IN int *context, OB_IN int *code);

/* Gives memory kept for later messages back to the system. Sends never need
 * their sender again, so there is nothing to wait for and wait is not looked
 * at; nor is context. */
OB_API void Cblacs_freebuff(int context, int wait);
OB_API void blacs_freebuff_(OB_IN int *context, OB_IN int *wait);

/* Seconds of processor time used by this process, and seconds since an
 * arbitrary moment, the same for all processes of one node. */
OB_API double Cdcputime00(void);
OB_API double dcputime00_(void);
OB_API double Cdwalltime00(void);
OB_API double dwalltime00_(void);

/* ------------------------------------------------------------------ grids */

/* Makes an nprow x npcol grid. On entry *context is a system context: what
 * blacs_get(.., 0, ..) or blacs_get(.., 10, ..) gave, a Fortran communicator
 * handle, or what sys2blacs_handle gave; on return it is the grid's context,
 * or -1 in a process that is not part of the grid. Only the members need to
 * call, all with the same arguments. gridinit takes the first nprow * npcol
 * processes of the system context, column by column for order 'C', else row
 * by row. A context is a number >= 0, the lowest that is free; no MPI
 * communicator is spent. Local, unless some of the members of an MPI job
 * meet for the first time. Errors: an unknown system context, nprow or npcol
 * < 1, more processes than the system context has. */
OB_API void Cblacs_gridinit(int *context, OB_IN char *order, int nprow, int npcol);
OB_API void blacs_gridinit_(int *context, OB_IN char *order, OB_IN int *nprow, OB_IN int *npcol);

/* The same with an explicit map: position (i, j) of the grid is process
 * usermap[i + j * ldumap] of the system context. Further errors: ldumap <
 * nprow, a number outside the system context, a process named twice. */
OB_API void Cblacs_gridmap(int *context, OB_IN int *usermap, int ldumap, int nprow, int npcol);
OB_API void blacs_gridmap_(int *context, OB_IN int *usermap, OB_IN int *ldumap, OB_IN int *nprow,
                           OB_IN int *npcol);

/* Releases a grid. Messages that were not received are dropped. */
OB_API void Cblacs_gridexit(int context);
OB_API void blacs_gridexit_(OB_IN int *context);

/* Size of the grid and coordinates of the calling process; -1 in all four
 * when context is no grid of this process. */
OB_API void Cblacs_gridinfo(int context, int *nprow, int *npcol, int *myrow, int *mycol);
OB_API void blacs_gridinfo_(OB_IN int *context, int *nprow, int *npcol, int *myrow, int *mycol);

/* Number of the process at (prow, pcol) in the grid's system context
 * (blacs_get with 10), prow * npcol + pcol; -1 when there is none. */
OB_API int Cblacs_pnum(int context, int prow, int pcol);
OB_API int blacs_pnum_(OB_IN int *context, OB_IN int *prow, OB_IN int *pcol);

/* The inverse; (-1, -1) when pnum is outside the grid. */
OB_API void Cblacs_pcoord(int context, int pnum, int *prow, int *pcol);
OB_API void blacs_pcoord_(OB_IN int *context, OB_IN int *pnum, int *prow, int *pcol);

/* Nobody of the scope returns before all of it have called. */
OB_API void Cblacs_barrier(int context, OB_IN char *scope);
OB_API void blacs_barrier_(OB_IN int *context, OB_IN char *scope);

/* Reads and sets what the library keeps. what:
 *    0  system context of the whole job (get only; context is not looked at)
 *    1  lowest and highest message id, two values (get only; likewise)
 *    2  debug level (get only; likewise): OPENBLACS_CHECK when that is more than 1, else 0
 *   10  system context of the grid (get only): its process k is the grid's
 *       process number k (blacs_pnum), as long as the grid lives
 *   11  broadcast, top 'M': number of rings, not 0; negative: decreasing
 *   12  broadcast, top 'T': number of branches, > 0
 *   13  combine, top 'M': number of rings, not 0
 *   14  combine, top 'T': number of branches, > 0
 *   15  repeatable: != 0, combines give the same bits in each run; 2: a sum is the
 *       exact sum of its terms, rounded once: the same bits for any grid (a zero is +0)
 *   16  coherent: != 0, combines give the same bits on all processes
 *   17  system context of the caller's row (read only), 18 of its column
 * A grid starts with 1, 1, 1, 1, 0, 0. What cannot be set or is unknown gets a
 * warning line, and nothing changes. */
OB_API void Cblacs_get(int context, int what, int *val);
OB_API void blacs_get_(OB_IN int *context, OB_IN int *what, int *val);

OB_API void Cblacs_set(int context, int what, OB_IN int *val);
OB_API void blacs_set_(OB_IN int *context, OB_IN int *what, OB_IN int *val);

/* Message ids: any number within what = 1 will do, messages need none (2.3). */
OB_API int Cksendid(int context, int rdest, int cdest);
OB_API int ksendid_(OB_IN int *context, OB_IN int *rdest, OB_IN int *cdest);
OB_API int Ckrecvid(int context, int rsrc, int csrc);
OB_API int krecvid_(OB_IN int *context, OB_IN int *rsrc, OB_IN int *csrc);
OB_API int Ckbsid(int context, OB_IN char *scope);
OB_API int kbsid_(OB_IN int *context, OB_IN char *scope);
OB_API int Ckbrid(int context, OB_IN char *scope, int rsrc, int csrc);
OB_API int kbrid_(OB_IN int *context, OB_IN char *scope, OB_IN int *rsrc, OB_IN int *csrc);

/* Turns an MPI communicator into a system context and back: the number is
 * the communicator's Fortran handle. A grid's own system context
 * (what = 10, 17, 18) has a communicator from the first time it is asked for: in C by
 * blacs2sys_handle, in Fortran by blacs_get, which is collective over the grid (row, column) then.
 * The communicator is the library's and is given back with the grid. Without MPI the one system
 * context beside those of grids is 0. Handles need not be freed. */
OB_API int Csys2blacs_handle(OB_BLACS_COMM comm);
OB_API OB_BLACS_COMM Cblacs2sys_handle(int handle);
OB_API void Cfree_blacs_system_handle(int handle);
/* In Fortran a communicator is its handle; these return their argument. */
OB_API int sys2blacs_handle_(OB_IN int *comm);
OB_API int blacs2sys_handle_(OB_IN int *handle);
OB_API void free_blacs_system_handle_(OB_IN int *handle);

/* --------------------------------------------------------- point to point */

/* Declares the routines of a family for each type: FAMILY(first letter, type of an element). */
#define OB_BLACS_TYPES(FAMILY)                                                                     \
    FAMILY(i, int)                                                                                 \
    FAMILY(s, float)                                                                               \
    FAMILY(d, double)                                                                              \
    FAMILY(c, OB_COMPLEX8)                                                                         \
    FAMILY(z, OB_COMPLEX16)

/* Sends a matrix to the process at (rdest, cdest), which may be the caller.
 * Locally blocking (3.1): on return the matrix may be reused; never waits
 * for the receiver. Messages between two processes of a grid arrive in the
 * order sent. Errors: context, uplo, diag, m, n, lda, coordinates outside
 * the grid, a NULL. */
#define OB_SENDS(p, T)                                                                             \
    OB_API void C##p##gesd2d(int context, int m, int n, OB_IN T *a, int lda, int rdest,            \
                             int cdest);                                                           \
    OB_API void C##p##trsd2d(int context, OB_IN char *uplo, OB_IN char *diag, int m, int n,        \
                             OB_IN T *a, int lda, int rdest, int cdest);                           \
    OB_API void p##gesd2d_(OB_IN int *context, OB_IN int *m, OB_IN int *n, OB_IN T *a,             \
                           OB_IN int *lda, OB_IN int *rdest, OB_IN int *cdest);                    \
    OB_API void p##trsd2d_(OB_IN int *context, OB_IN char *uplo, OB_IN char *diag, OB_IN int *m,   \
                           OB_IN int *n, OB_IN T *a, OB_IN int *lda, OB_IN int *rdest,             \
                           OB_IN int *cdest);
OB_BLACS_TYPES(OB_SENDS)

/* Receives the next matrix from (rsrc, csrc); waits for it. Elements outside
 * the m x n matrix or trapezoid are not touched. Errors: as for sending, and
 * a message of another number of bytes, both named. */
#define OB_RECEIVES(p, T)                                                                          \
    OB_API void C##p##gerv2d(int context, int m, int n, T *a, int lda, int rsrc, int csrc);        \
    OB_API void C##p##trrv2d(int context, OB_IN char *uplo, OB_IN char *diag, int m, int n, T *a,  \
                             int lda, int rsrc, int csrc);                                         \
    OB_API void p##gerv2d_(OB_IN int *context, OB_IN int *m, OB_IN int *n, T *a, OB_IN int *lda,   \
                           OB_IN int *rsrc, OB_IN int *csrc);                                      \
    OB_API void p##trrv2d_(OB_IN int *context, OB_IN char *uplo, OB_IN char *diag, OB_IN int *m,   \
                           OB_IN int *n, T *a, OB_IN int *lda, OB_IN int *rsrc, OB_IN int *csrc);
OB_BLACS_TYPES(OB_RECEIVES)

/* -------------------------------------------------------------- broadcast */

/* Sends the caller's matrix to all others of the scope, who call BR with the
 * caller's coordinates (4), never with their own. top: ' ' lets the library choose; else the letter
 * of an ob_topology (core.h; 4.3), of which 'M' has what = 11 rings and 'T' what = 12 branches.
 * All of a scope name the same topology. */
#define OB_BROADCASTS(p, T)                                                                        \
    OB_API void C##p##gebs2d(int context, OB_IN char *scope, OB_IN char *top, int m, int n,        \
                             OB_IN T *a, int lda);                                                 \
    OB_API void C##p##trbs2d(int context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,    \
                             OB_IN char *diag, int m, int n, OB_IN T *a, int lda);                 \
    OB_API void C##p##gebr2d(int context, OB_IN char *scope, OB_IN char *top, int m, int n, T *a,  \
                             int lda, int rsrc, int csrc);                                         \
    OB_API void C##p##trbr2d(int context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,    \
                             OB_IN char *diag, int m, int n, T *a, int lda, int rsrc, int csrc);   \
    OB_API void p##gebs2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top, OB_IN int *m,   \
                           OB_IN int *n, OB_IN T *a, OB_IN int *lda);                              \
    OB_API void p##trbs2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top,                 \
                           OB_IN char *uplo, OB_IN char *diag, OB_IN int *m, OB_IN int *n,         \
                           OB_IN T *a, OB_IN int *lda);                                            \
    OB_API void p##gebr2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top, OB_IN int *m,   \
                           OB_IN int *n, T *a, OB_IN int *lda, OB_IN int *rsrc, OB_IN int *csrc);  \
    OB_API void p##trbr2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top,                 \
                           OB_IN char *uplo, OB_IN char *diag, OB_IN int *m, OB_IN int *n, T *a,   \
                           OB_IN int *lda, OB_IN int *rsrc, OB_IN int *csrc);
OB_BLACS_TYPES(OB_BROADCASTS)

/* ---------------------------------------------------------------- combine */

/* Adds the matrices of all processes of the scope, element by element (5).
 * The result is left on the process (rdest, cdest), or on all when rdest or
 * cdest is -1; elsewhere a may be overwritten (5.2). top as for broadcasts,
 * with what = 13 and 14. All of a scope call with the same m, n, top and
 * destination. */
#define OB_SUMS(p, T)                                                                              \
    OB_API void C##p##gsum2d(int context, OB_IN char *scope, OB_IN char *top, int m, int n, T *a,  \
                             int lda, int rdest, int cdest);                                       \
    OB_API void p##gsum2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top, OB_IN int *m,   \
                           OB_IN int *n, T *a, OB_IN int *lda, OB_IN int *rdest,                   \
                           OB_IN int *cdest);
OB_BLACS_TYPES(OB_SUMS)

/* The element of the largest (gamx) or smallest (gamn) absolute value, |re|
 * + |im| for complex. ra and ca, int arrays of m x n with leading dimension
 * ldia, receive the grid coordinates of the process each element came from,
 * where the result is left; elsewhere they may be overwritten. ldia = -1: ra
 * and ca are not used and may be NULL. Of elements equal in magnitude, with
 * ra and ca that of the process nearest behind the destination counts ((0,0)
 * or the scope's first for "all"), without them the larger one, real part
 * first. */
#define OB_EXTREMES(p, T)                                                                          \
    OB_API void C##p##gamx2d(int context, OB_IN char *scope, OB_IN char *top, int m, int n, T *a,  \
                             int lda, int *ra, int *ca, int ldia, int rdest, int cdest);           \
    OB_API void C##p##gamn2d(int context, OB_IN char *scope, OB_IN char *top, int m, int n, T *a,  \
                             int lda, int *ra, int *ca, int ldia, int rdest, int cdest);           \
    OB_API void p##gamx2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top, OB_IN int *m,   \
                           OB_IN int *n, T *a, OB_IN int *lda, int *ra, int *ca, OB_IN int *ldia,  \
                           OB_IN int *rdest, OB_IN int *cdest);                                    \
    OB_API void p##gamn2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top, OB_IN int *m,   \
                           OB_IN int *n, T *a, OB_IN int *lda, int *ra, int *ca, OB_IN int *ldia,  \
                           OB_IN int *rdest, OB_IN int *cdest);
OB_BLACS_TYPES(OB_EXTREMES)

#undef OB_SENDS
#undef OB_RECEIVES
#undef OB_BROADCASTS
#undef OB_SUMS
#undef OB_EXTREMES

#ifdef __cplusplus
}
#endif
#endif
