/*
 * NX's global operations on iCC, so that a program for Intel's iPSC and Paragon links unchanged
 * (library libnx, on libicc): what "Fast Collective Communication Libraries, Please" calls the
 * version that changes all collective calls of NX to iCC's (section 7). The arguments are those of
 * Intel's C and Fortran system calls.
 *
 * They stand in a library of their own since their names (csend, mynode, gsync) are any program's:
 * who uses iCC by its own names gets none of them.
 *
 * NX's long and Fortran's INTEGER had 32 bits. Here C's long is the compiler's: a program whose
 * vectors of integers are long works as it is; one that gives int where NX wants long must be
 * changed. Fortran's integers are default integers.
 *
 * Beside the global operations there is what gsendx needs at its other end, and what nearly every
 * program asks: blocking messages and who one is. Not there: isend and its like, handlers, forced
 * types, processes beside 0 of a node, files.
 *
 * All nodes call a global operation, in the same order. `work` is not looked at, but in gopf.
 * Errors, and starting and leaving, as in icc.h; the lines of the operations that are iCC's name
 * its routines.
 */
#ifndef OPENBLACS_NX_H
#define OPENBLACS_NX_H

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ who and when */

/* This node's number, 0 .. numnodes()-1; the process's on it, always 0; seconds since an arbitrary
 * moment. */
OB_API long mynode(void);
OB_API long numnodes(void);
OB_API long mypid(void);
OB_API double dclock(void);

/* ------------------------------------------------- operations to all nodes
 * Element by element: the n results replace x everywhere. d double, s float, i long (Fortran:
 * REAL*8, REAL and INTEGER); high and low are the largest and the smallest; gi.. are bit by bit,
 * gl.. of truth values (0 or not; results are 0 or 1). */
#define NX_REALS(X, T, letter)                                                                     \
    X(letter##sum, T)                                                                              \
    X(letter##prod, T)                                                                             \
    X(letter##high, T)                                                                             \
    X(letter##low, T)
#define NX_INTEGERS(X)                                                                             \
    X(isum)                                                                                        \
    X(iprod)                                                                                       \
    X(ihigh)                                                                                       \
    X(ilow)                                                                                        \
    X(iand)                                                                                        \
    X(ior)                                                                                         \
    X(ixor)                                                                                        \
    X(land)                                                                                        \
    X(lor)                                                                                         \
    X(lxor)
#define NX_DECLARE_REAL(name, T)                                                                   \
    OB_API void g##name(T *x, long n, T *work);                                                    \
    OB_API void g##name##_(T *x, const int *n, T *work);
#define NX_DECLARE_INTEGER(name)                                                                   \
    OB_API void g##name(long *x, long n, long *work);                                              \
    OB_API void g##name##_(int *x, const int *n, int *work);
NX_REALS(NX_DECLARE_REAL, double, d)
NX_REALS(NX_DECLARE_REAL, float, s)
NX_INTEGERS(NX_DECLARE_INTEGER)
#undef NX_DECLARE_REAL
#undef NX_DECLARE_INTEGER

/* x of xlen bytes becomes the combination of all nodes' x by the program's function, which leaves
 * in its first argument what its two arguments, of xlen bytes each, come to; it is associative and
 * commutative. work: xlen bytes. log2 p messages of xlen bytes, and a broadcast. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
OB_API void gopf(char *x, long xlen, char *work, long (*function)(char *x, char *work));
#else
OB_API void gopf(char *x, long xlen, char *work,
                 long (*function)()); /* as NX has it: of any pointers */
#endif
OB_API void gopf_(char *x, const int *xlen, char *work, long (*function)(char *x, char *work));

/* Collects, as iCC_gcol and iCC_gcolx, and the barrier. */
OB_API void gcol(void *x, long xlen, void *y, long ylen, long *ncnt);
OB_API void gcolx(void *x, long *xlens, void *y);
OB_API void gsync(void);

/* ---------------------------------------------------------------- messages */

/* Sends len bytes to a node; -1: to all but the sender. A type is 0 .. 999999999; ptype is not
 * looked at. */
OB_API void csend(long type, const void *buf, long len, long node, long ptype);
/* The same to each node of a list; each receives it by crecv. */
OB_API void gsendx(long type, const void *x, long xlen, long *nodes, long count);
/* Waits for the next message of the type (-1: any) and receives it, at most len bytes. */
OB_API void crecv(long type, void *buf, long len);
/* Of the last message received: its length, sender and type, and the sender's process, 0. */
OB_API long infocount(void);
OB_API long infonode(void);
OB_API long infotype(void);
OB_API long infopid(void);

OB_API int mynode_(void);
OB_API int numnodes_(void);
OB_API int mypid_(void);
OB_API double dclock_(void);
OB_API void gcol_(void *x, const int *xlen, void *y, const int *ylen, int *ncnt);
OB_API void gcolx_(void *x, const int *xlens, void *y);
OB_API void gsync_(void);
OB_API void csend_(const int *type, const void *buf, const int *len, const int *node,
                   const int *ptype);
OB_API void gsendx_(const int *type, const void *x, const int *xlen, const int *nodes,
                    const int *count);
OB_API void crecv_(const int *type, void *buf, const int *len);
OB_API int infocount_(void);
OB_API int infonode_(void);
OB_API int infotype_(void);
OB_API int infopid_(void);

#ifdef __cplusplus
}
#endif
#endif
