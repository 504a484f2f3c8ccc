/*
 * The interface of LAPACK Working Note 73 itself (1994, release 1.0 beta), as its appendix C
 * lists it: no contexts, one grid at a time. Library libblacs94; not to be included, nor
 * called, beside openblacs/blacs.h, whose routines have the same Fortran names and one
 * argument more. Names are those of Fortran, with arguments by reference; C programs call them
 * so, too, as those of the paper do.
 *
 * Arguments mean what they mean in openblacs/blacs.h. What differs:
 *  - gridinfo gives a process that is not in the grid coordinates outside of it: nprow, npcol.
 *  - kpnum and pcoord are about process numbers, as initpinfo gives them.
 *  - setbranches sets the branches of 'T' and the rings of 'M', of broadcasts and combines.
 *  - ?gmax2d and ?gmin2d are ?gamx2d and ?gamn2d.
 *  - RSRC = -1 in ?gerv2d and ?trrv2d takes the next message from anyone, and RSRC and CSRC come
 *    back as who that was, unless they are constants (7.1.2).
 */
#ifndef OPENBLACS_BLACS94_H
#define OPENBLACS_BLACS94_H
#ifdef OPENBLACS_BLACS_H
#error "openblacs/blacs94.h and openblacs/blacs.h have routines of the same names: include one"
#endif

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of this process, and how many there are. */
OB_API void initpinfo_(int *mynum, int *nprocs);
/* On PVM, starts the processes; here the launcher has: both come back as initpinfo gives them,
 * nprocs only when it was less than 1. */
OB_API void auxsetup_(int *mynum, int *nprocs);
/* On PVM, tells which tasks the processes are when the program has started them itself; here the
 * launcher has, in its order: ntasks is what nprocs is from now on, tids is not looked at. */
OB_API void setpvmtids_(const int *ntasks, const int *tids);
/* Make the grid, in place of the one before: of the first processes in row-major order; of
 * usermap[i + j * ldumap] at (i, j). All processes call blacsinit; those of the map gridmap,
 * others may. */
OB_API void blacsinit_(const int *nprow, const int *npcol);
OB_API void gridmap_(const int *usermap, const int *ldumap, const int *nprow, const int *npcol);
OB_API void gridinfo_(int *nprow, int *npcol, int *prow, int *pcol);
OB_API void barrier_(const char *scope);
OB_API void pcoord_(const int *pnum, int *prow, int *pcol); /* -1, -1: not in the grid */
OB_API int kpnum_(const int *prow, const int *pcol);        /* -1: not in the grid */
OB_API void setbranches_(const int *branches);
OB_API void freebuff_(void);
/* Leaves; the process may go on with other message passing when notdone is not 0. */
OB_API void blacsexit_(const int *notdone);

/* Message identifiers (LAWN 73, 6.1) for a program's own messages in another system. The
 * library needs none. Ranges: of messages, and of broadcasts; shift_range takes effect
 * with the next grid. Each call gives the next one: of a message between two processes one of which
 * is the caller; of a message from a process; of the caller's broadcast; of one from a process. */
OB_API void idranges_(int *minsnd, int *maxsnd, int *minbs, int *maxbs);
OB_API void shift_range_(const int *minsnd, const int *maxsnd, const int *minbs, const int *maxbs);
OB_API int ksendid_(const int *rsrc, const int *csrc, const int *rdest, const int *cdest);
OB_API int krecvid_(const int *rsrc, const int *csrc);
OB_API int kbsid_(const char *scope);
OB_API int kbrid_(const char *scope, const int *rsrc, const int *csrc);

#define OB_BLACS94(p, T)                                                                           \
    OB_API void p##gesd2d_(const int *m, const int *n, const T *a, const int *lda,                 \
                           const int *rdest, const int *cdest);                                    \
    OB_API void p##gerv2d_(const int *m, const int *n, T *a, const int *lda, const int *rsrc,      \
                           const int *csrc);                                                       \
    OB_API void p##trsd2d_(const char *uplo, const char *diag, const int *m, const int *n,         \
                           const T *a, const int *lda, const int *rdest, const int *cdest);        \
    OB_API void p##trrv2d_(const char *uplo, const char *diag, const int *m, const int *n, T *a,   \
                           const int *lda, const int *rsrc, const int *csrc);                      \
    OB_API void p##gebs2d_(const char *scope, const char *top, const int *m, const int *n,         \
                           const T *a, const int *lda);                                            \
    OB_API void p##gebr2d_(const char *scope, const char *top, const int *m, const int *n, T *a,   \
                           const int *lda, const int *rsrc, const int *csrc);                      \
    OB_API void p##trbs2d_(const char *scope, const char *top, const char *uplo, const char *diag, \
                           const int *m, const int *n, const T *a, const int *lda);                \
    OB_API void p##trbr2d_(const char *scope, const char *top, const char *uplo, const char *diag, \
                           const int *m, const int *n, T *a, const int *lda, const int *rsrc,      \
                           const int *csrc);                                                       \
    OB_API void p##gsum2d_(const char *scope, const char *top, const int *m, const int *n, T *a,   \
                           const int *lda, const int *rdest, const int *cdest);                    \
    OB_API void p##gmax2d_(const char *scope, const char *top, const int *m, const int *n, T *a,   \
                           const int *lda, int *ra, int *ca, const int *ldia, const int *rdest,    \
                           const int *cdest);                                                      \
    OB_API void p##gmin2d_(const char *scope, const char *top, const int *m, const int *n, T *a,   \
                           const int *lda, int *ra, int *ca, const int *ldia, const int *rdest,    \
                           const int *cdest);
OB_BLACS94(i, int)
OB_BLACS94(s, float)
OB_BLACS94(d, double)
OB_BLACS94(c, void)
OB_BLACS94(z, void)
#undef OB_BLACS94

/* Seconds; these are libopenblacs's. */
extern double dwalltime00_(void);
extern double dcputime00_(void);

#ifdef __cplusplus
}
#endif
#endif
