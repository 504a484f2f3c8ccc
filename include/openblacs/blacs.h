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
 * 64-bit integers
 *   Every routine below exists a second time with int64_t in the place of int, matrices of
 *   the letter I included: Cdgesd2d64_, and dgesd2d_64_ for Fortran (the names that OpenBLAS gives
 *   with its suffix 64_; in the library dgesd2d64_, too). This header declares both. With
 *   OPENBLACS_ILP64 defined before, the plain names take int64_t: they are libopenblacs64's.
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
#if !defined(OPENBLACS_BLACS_H) || defined(OB_STAMPING)
#define OPENBLACS_BLACS_H

#ifndef OB_STAMPING
#include <stdint.h>

#include "openblacs/api.h"
#include "openblacs/integers.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

OB_LIBRARY_64(link_with_libopenblacs64)

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
OB_API void OB_C(blacs_pinfo)(OB_INTEGER *mypnum, OB_INTEGER *nprocs);
OB_API void OB_F(blacs_pinfo)(OB_INTEGER *mypnum, OB_INTEGER *nprocs);
OB_API void OB_C(blacs_setup)(OB_INTEGER *mypnum, OB_INTEGER *nprocs);
OB_API void OB_F(blacs_setup)(OB_INTEGER *mypnum, OB_INTEGER *nprocs);

/* Releases all grids of this process and leaves the job. notdone = 0: the
 * program is done with message passing; MPI is finalized if it was the BLACS
 * that started it. notdone != 0: the program goes on with MPI. In both cases
 * blacs_pinfo may follow, unless MPI was finalized. */
OB_API void OB_C(blacs_exit)(OB_INTEGER notdone);
OB_API void OB_F(blacs_exit)(OB_IN OB_INTEGER *notdone);

/* Prints {row,column}, number, context and code in one line and ends all
 * processes of the job with exit status code. context may be -1. Does not
 * return. */
OB_API void OB_C(blacs_abort)(OB_INTEGER context, OB_INTEGER code);
OB_API void OB_F(blacs_abort)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *code);

/* Gives memory kept for later messages back to the system. Sends never need
 * their sender again, so there is nothing to wait for and wait is not looked
 * at; nor is context. */
OB_API void OB_C(blacs_freebuff)(OB_INTEGER context, OB_INTEGER wait);
OB_API void OB_F(blacs_freebuff)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *wait);

/* Seconds of processor time used by this process, and seconds since an
 * arbitrary moment, the same for all processes of one node. */
OB_API double OB_C(dcputime00)(void);
OB_API double OB_F(dcputime00)(void);
OB_API double OB_C(dwalltime00)(void);
OB_API double OB_F(dwalltime00)(void);

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
OB_API void OB_C(blacs_gridinit)(OB_INTEGER *context, OB_IN char *order, OB_INTEGER nprow,
                                 OB_INTEGER npcol);
OB_API void OB_F(blacs_gridinit)(OB_INTEGER *context, OB_IN char *order, OB_IN OB_INTEGER *nprow,
                                 OB_IN OB_INTEGER *npcol);

/* The same with an explicit map: position (i, j) of the grid is process
 * usermap[i + j * ldumap] of the system context. Further errors: ldumap <
 * nprow, a number outside the system context, a process named twice. */
OB_API void OB_C(blacs_gridmap)(OB_INTEGER *context, OB_IN OB_INTEGER *usermap, OB_INTEGER ldumap,
                                OB_INTEGER nprow, OB_INTEGER npcol);
OB_API void OB_F(blacs_gridmap)(OB_INTEGER *context, OB_IN OB_INTEGER *usermap,
                                OB_IN OB_INTEGER *ldumap, OB_IN OB_INTEGER *nprow,
                                OB_IN OB_INTEGER *npcol);

/* Releases a grid. Messages that were not received are dropped. */
OB_API void OB_C(blacs_gridexit)(OB_INTEGER context);
OB_API void OB_F(blacs_gridexit)(OB_IN OB_INTEGER *context);

/* Size of the grid and coordinates of the calling process; -1 in all four
 * when context is no grid of this process. */
OB_API void OB_C(blacs_gridinfo)(OB_INTEGER context, OB_INTEGER *nprow, OB_INTEGER *npcol,
                                 OB_INTEGER *myrow, OB_INTEGER *mycol);
OB_API void OB_F(blacs_gridinfo)(OB_IN OB_INTEGER *context, OB_INTEGER *nprow, OB_INTEGER *npcol,
                                 OB_INTEGER *myrow, OB_INTEGER *mycol);

/* Number of the process at (prow, pcol) in the grid's system context
 * (blacs_get with 10), prow * npcol + pcol; -1 when there is none. It counts row by row whatever
 * blacs_gridinit's order was. So it is not the MYPNUM of blacs_pinfo: in a 2 x 2 grid of order
 * "C" the process 1 of blacs_pinfo is at (1, 0), whose number here is 2. */
OB_API OB_INTEGER OB_C(blacs_pnum)(OB_INTEGER context, OB_INTEGER prow, OB_INTEGER pcol);
OB_API OB_INTEGER OB_F(blacs_pnum)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *prow,
                                   OB_IN OB_INTEGER *pcol);

/* The inverse; (-1, -1) when pnum is outside the grid. */
OB_API void OB_C(blacs_pcoord)(OB_INTEGER context, OB_INTEGER pnum, OB_INTEGER *prow,
                               OB_INTEGER *pcol);
OB_API void OB_F(blacs_pcoord)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *pnum, OB_INTEGER *prow,
                               OB_INTEGER *pcol);

/* Nobody of the scope returns before all of it have called. */
OB_API void OB_C(blacs_barrier)(OB_INTEGER context, OB_IN char *scope);
OB_API void OB_F(blacs_barrier)(OB_IN OB_INTEGER *context, OB_IN char *scope);

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
OB_API void OB_C(blacs_get)(OB_INTEGER context, OB_INTEGER what, OB_INTEGER *val);
OB_API void OB_F(blacs_get)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *what, OB_INTEGER *val);

OB_API void OB_C(blacs_set)(OB_INTEGER context, OB_INTEGER what, OB_IN OB_INTEGER *val);
OB_API void OB_F(blacs_set)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *what,
                            OB_IN OB_INTEGER *val);

/* Message ids: any number within what = 1 will do, messages need none (2.3). */
OB_API OB_INTEGER OB_C(ksendid)(OB_INTEGER context, OB_INTEGER rdest, OB_INTEGER cdest);
OB_API OB_INTEGER OB_F(ksendid)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *rdest,
                                OB_IN OB_INTEGER *cdest);
OB_API OB_INTEGER OB_C(krecvid)(OB_INTEGER context, OB_INTEGER rsrc, OB_INTEGER csrc);
OB_API OB_INTEGER OB_F(krecvid)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *rsrc,
                                OB_IN OB_INTEGER *csrc);
OB_API OB_INTEGER OB_C(kbsid)(OB_INTEGER context, OB_IN char *scope);
OB_API OB_INTEGER OB_F(kbsid)(OB_IN OB_INTEGER *context, OB_IN char *scope);
OB_API OB_INTEGER OB_C(kbrid)(OB_INTEGER context, OB_IN char *scope, OB_INTEGER rsrc,
                              OB_INTEGER csrc);
OB_API OB_INTEGER OB_F(kbrid)(OB_IN OB_INTEGER *context, OB_IN char *scope, OB_IN OB_INTEGER *rsrc,
                              OB_IN OB_INTEGER *csrc);

/* Turns an MPI communicator into a system context and back: the number is
 * the communicator's Fortran handle. A grid's own system context
 * (what = 10, 17, 18) has a communicator from the first time it is asked for: in C by
 * blacs2sys_handle, in Fortran by blacs_get, which is collective over the grid (row, column) then.
 * The communicator is the library's and is given back with the grid. Without MPI the one system
 * context beside those of grids is 0. Handles need not be freed. */
OB_API OB_INTEGER OB_C(sys2blacs_handle)(OB_BLACS_COMM comm);
OB_API OB_BLACS_COMM OB_C(blacs2sys_handle)(OB_INTEGER handle);
OB_API void OB_C(free_blacs_system_handle)(OB_INTEGER handle);
/* In Fortran a communicator is its handle; these return their argument. */
OB_API OB_INTEGER OB_F(sys2blacs_handle)(OB_IN OB_INTEGER *comm);
OB_API OB_INTEGER OB_F(blacs2sys_handle)(OB_IN OB_INTEGER *handle);
OB_API void OB_F(free_blacs_system_handle)(OB_IN OB_INTEGER *handle);

/* --------------------------------------------------------- point to point */

/* Declares the routines of a family for each type: FAMILY(first letter, type of an element). */
#define OB_BLACS_TYPES(FAMILY)                                                                     \
    FAMILY(i, OB_INTEGER)                                                                          \
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
    OB_API void OB_C(p##gesd2d)(OB_INTEGER context, OB_INTEGER m, OB_INTEGER n, OB_IN T * a,       \
                                OB_INTEGER lda, OB_INTEGER rdest, OB_INTEGER cdest);               \
    OB_API void OB_C(p##trsd2d)(OB_INTEGER context, OB_IN char *uplo, OB_IN char *diag,            \
                                OB_INTEGER m, OB_INTEGER n, OB_IN T *a, OB_INTEGER lda,            \
                                OB_INTEGER rdest, OB_INTEGER cdest);                               \
    OB_API void OB_F(p##gesd2d)(OB_IN OB_INTEGER * context, OB_IN OB_INTEGER * m,                  \
                                OB_IN OB_INTEGER * n, OB_IN T * a, OB_IN OB_INTEGER * lda,         \
                                OB_IN OB_INTEGER * rdest, OB_IN OB_INTEGER * cdest);               \
    OB_API void OB_F(p##trsd2d)(OB_IN OB_INTEGER * context, OB_IN char *uplo, OB_IN char *diag,    \
                                OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, OB_IN T *a,              \
                                OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rdest,                    \
                                OB_IN OB_INTEGER *cdest);
OB_BLACS_TYPES(OB_SENDS)

/* Receives the next matrix from (rsrc, csrc); waits for it. Elements outside
 * the m x n matrix or trapezoid are not touched. Errors: as for sending, and
 * a message of another number of bytes, both named. */
#define OB_RECEIVES(p, T)                                                                          \
    OB_API void OB_C(p##gerv2d)(OB_INTEGER context, OB_INTEGER m, OB_INTEGER n, T * a,             \
                                OB_INTEGER lda, OB_INTEGER rsrc, OB_INTEGER csrc);                 \
    OB_API void OB_C(p##trrv2d)(OB_INTEGER context, OB_IN char *uplo, OB_IN char *diag,            \
                                OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER rsrc, \
                                OB_INTEGER csrc);                                                  \
    OB_API void OB_F(p##gerv2d)(OB_IN OB_INTEGER * context, OB_IN OB_INTEGER * m,                  \
                                OB_IN OB_INTEGER * n, T * a, OB_IN OB_INTEGER * lda,               \
                                OB_IN OB_INTEGER * rsrc, OB_IN OB_INTEGER * csrc);                 \
    OB_API void OB_F(p##trrv2d)(OB_IN OB_INTEGER * context, OB_IN char *uplo, OB_IN char *diag,    \
                                OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a,                    \
                                OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rsrc,                     \
                                OB_IN OB_INTEGER *csrc);
OB_BLACS_TYPES(OB_RECEIVES)

/* -------------------------------------------------------------- broadcast */

/* Sends the caller's matrix to all others of the scope, who call BR with the
 * caller's coordinates (4), never with their own. top: ' ' lets the library choose; else the letter
 * of an ob_topology (core.h; 4.3), of which 'M' has what = 11 rings and 'T' what = 12 branches.
 * All of a scope name the same topology. */
#define OB_BROADCASTS(p, T)                                                                        \
    OB_API void OB_C(p##gebs2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_INTEGER m, OB_INTEGER n, OB_IN T *a, OB_INTEGER lda);           \
    OB_API void OB_C(p##trbs2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m, OB_INTEGER n,    \
                                OB_IN T *a, OB_INTEGER lda);                                       \
    OB_API void OB_C(p##gebr2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER rsrc, \
                                OB_INTEGER csrc);                                                  \
    OB_API void OB_C(p##trbr2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m, OB_INTEGER n,    \
                                T *a, OB_INTEGER lda, OB_INTEGER rsrc, OB_INTEGER csrc);           \
    OB_API void OB_F(p##gebs2d)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,    \
                                OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, OB_IN T *a,              \
                                OB_IN OB_INTEGER *lda);                                            \
    OB_API void OB_F(p##trbs2d)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,    \
                                OB_IN char *uplo, OB_IN char *diag, OB_IN OB_INTEGER *m,           \
                                OB_IN OB_INTEGER *n, OB_IN T *a, OB_IN OB_INTEGER *lda);           \
    OB_API void OB_F(p##gebr2d)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,    \
                                OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a,                    \
                                OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rsrc,                     \
                                OB_IN OB_INTEGER *csrc);                                           \
    OB_API void OB_F(p##trbr2d)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,    \
                                OB_IN char *uplo, OB_IN char *diag, OB_IN OB_INTEGER *m,           \
                                OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda,                  \
                                OB_IN OB_INTEGER *rsrc, OB_IN OB_INTEGER *csrc);
OB_BLACS_TYPES(OB_BROADCASTS)

/* ---------------------------------------------------------------- combine */

/* Adds the matrices of all processes of the scope, element by element (5).
 * The result is left on the process (rdest, cdest), or on all when rdest or
 * cdest is -1; elsewhere a may be overwritten (5.2). top as for broadcasts,
 * with what = 13 and 14. All of a scope call with the same m, n, top and
 * destination. */
#define OB_SUMS(p, T)                                                                              \
    OB_API void OB_C(p##gsum2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda,                  \
                                OB_INTEGER rdest, OB_INTEGER cdest);                               \
    OB_API void OB_F(p##gsum2d)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,    \
                                OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a,                    \
                                OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rdest,                    \
                                OB_IN OB_INTEGER *cdest);
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
    OB_API void OB_C(p##gamx2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER *ra,  \
                                OB_INTEGER *ca, OB_INTEGER ldia, OB_INTEGER rdest,                 \
                                OB_INTEGER cdest);                                                 \
    OB_API void OB_C(p##gamn2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER *ra,  \
                                OB_INTEGER *ca, OB_INTEGER ldia, OB_INTEGER rdest,                 \
                                OB_INTEGER cdest);                                                 \
    OB_API void OB_F(p##gamx2d)(                                                                   \
        OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top, OB_IN OB_INTEGER *m,       \
        OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda, OB_INTEGER *ra, OB_INTEGER *ca,          \
        OB_IN OB_INTEGER *ldia, OB_IN OB_INTEGER *rdest, OB_IN OB_INTEGER *cdest);                 \
    OB_API void OB_F(p##gamn2d)(                                                                   \
        OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top, OB_IN OB_INTEGER *m,       \
        OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda, OB_INTEGER *ra, OB_INTEGER *ca,          \
        OB_IN OB_INTEGER *ldia, OB_IN OB_INTEGER *rdest, OB_IN OB_INTEGER *cdest);
OB_BLACS_TYPES(OB_EXTREMES)

#undef OB_SENDS
#undef OB_RECEIVES
#undef OB_BROADCASTS
#undef OB_SUMS
#undef OB_EXTREMES

#ifdef __cplusplus
}
#endif

/* The same with 64-bit integers, by names of their own. */
#ifndef OB_STAMPING
#define OB_STAMPING
#include "openblacs/integers.h"

#include "openblacs/blacs.h"
#undef OB_STAMPING
#include "openblacs/integers.h"
#endif
#endif
