/*
 * iCC: collective communication on the whole machine, its rows and columns and any
 * groups, for C, C++ and Fortran (library libicc, on libopenblacs).
 *
 * Source: "Fast Collective Communication Libraries, Please" (Mitra, Payne, Shuler,
 * van de Geijn, Watts). The paper names iCC_bcast and iCC_gdsum; the rest of the
 * names, and the order of the arguments, are those of the NX calls that iCC stood in
 * for (gdsum, gcolx, gsync ...), with the prefix iCC_. Where NX has no such call
 * they are ours, and the manual pages say so (libicc(7)).
 *
 * Nothing is set up: the first call joins the job of this process (obrun's, the MPI
 * program's, or a job of one), and the job is left when the process exits.
 *
 * Calls without a group concern the whole machine. Those with the prefix iCC_g_ take,
 * as their last argument, iCC_ALL, iCC_ROW or iCC_COLUMN of the calling process, or
 * what iCC_group gave. All members call, in the same order; treat each call as if
 * nobody returned before all have called. A root is a position: a node number in
 * the whole machine, the column in a row, the row in a column.
 *
 * Lengths are in bytes where the data may be anything, in elements in combines. They are
 * long, so a vector may be as long as memory. `work` is there because NX has it: it is
 * never looked at and may be NULL.
 *
 * Every C routine has a Fortran twin, in lower case, with all arguments by reference
 * and default integers: iCC_gdsum is icc_gdsum.
 *
 * Errors: one line on standard error that names the routine, the argument, its value
 * and the process; then the whole job ends with exit status 1.
 *
 * Threads: different threads may use different groups at the same time; iCC_mesh is
 * called when no other thread is inside the library.
 */
#ifndef OPENBLACS_ICC_H
#define OPENBLACS_ICC_H

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------- the machine and its groups */

#define iCC_NONE (-1)
#define iCC_ALL 0
#define iCC_ROW 1
#define iCC_COLUMN 2

/* Number of this process, 0 .. iCC_numnodes()-1; in a group: its position there. */
OB_API long iCC_mynode(void);
OB_API long iCC_numnodes(void);
OB_API long iCC_g_mynode(int group);
OB_API long iCC_g_numnodes(int group);

/* The machine as a mesh of rows x columns, node numbers running along the rows; all
 * processes call. Before, it is the mesh nearest to a square with rows <= columns. */
OB_API void iCC_mesh(long rows, long columns);
OB_API void iCC_meshinfo(long *rows, long *columns, long *row, long *column);

/* A group of the given distinct nodes, in this order. The members call, all with
 * the same list; others may, and get iCC_NONE. */
OB_API int iCC_group(const long *nodes, long size);
OB_API void iCC_group_free(int group);

OB_API int icc_mynode_(void);
OB_API int icc_numnodes_(void);
OB_API int icc_g_mynode_(const int *group);
OB_API int icc_g_numnodes_(const int *group);
OB_API void icc_mesh_(const int *rows, const int *columns);
OB_API void icc_meshinfo_(int *rows, int *columns, int *row, int *column);
OB_API int icc_group_(const int *nodes, const int *size);
OB_API void icc_group_free_(const int *group);

/* ----------------------------------------------------------- moving data */

/* The root's `bytes` bytes at x to all. */
OB_API void iCC_bcast(void *x, long bytes, long root);
OB_API void iCC_g_bcast(void *x, long bytes, long root, int group);

/* Collect: everybody's x, one behind the other by node, to all at y. gcol: nobody knows
 * the others' xlen; y has room for ylen bytes, and *ncnt (unless NULL) becomes the
 * sum. gcolx: xlens has everybody's, and is the same on all. x may be where it
 * will be in y. */
OB_API void iCC_gcol(const void *x, long xlen, void *y, long ylen, long *ncnt);
OB_API void iCC_g_gcol(const void *x, long xlen, void *y, long ylen, long *ncnt, int group);
OB_API void iCC_gcolx(const void *x, const long *xlens, void *y);
OB_API void iCC_g_gcolx(const void *x, const long *xlens, void *y, int group);

/* Scatter: piece i of the root's x to y on node i. All pieces have len bytes; or, with
 * lens, which is the same on all, lens[i]. x is looked at on the root only. */
OB_API void iCC_scatter(const void *x, long len, void *y, long root);
OB_API void iCC_g_scatter(const void *x, long len, void *y, long root, int group);
OB_API void iCC_scatterx(const void *x, const long *lens, void *y, long root);
OB_API void iCC_g_scatterx(const void *x, const long *lens, void *y, long root, int group);

/* Gather: x of node i to piece i of the root's y. y is looked at on the root only. */
OB_API void iCC_gather(const void *x, long len, void *y, long root);
OB_API void iCC_g_gather(const void *x, long len, void *y, long root, int group);
OB_API void iCC_gatherx(const void *x, const long *lens, void *y, long root);
OB_API void iCC_g_gatherx(const void *x, const long *lens, void *y, long root, int group);

/* Barrier: nobody returns before all have called. */
OB_API void iCC_gsync(void);
OB_API void iCC_g_gsync(int group);

OB_API void icc_bcast_(void *x, const int *bytes, const int *root);
OB_API void icc_g_bcast_(void *x, const int *bytes, const int *root, const int *group);
OB_API void icc_gcol_(const void *x, const int *xlen, void *y, const int *ylen, int *ncnt);
OB_API void icc_g_gcol_(const void *x, const int *xlen, void *y, const int *ylen, int *ncnt,
                        const int *group);
OB_API void icc_gcolx_(const void *x, const int *xlens, void *y);
OB_API void icc_g_gcolx_(const void *x, const int *xlens, void *y, const int *group);
OB_API void icc_scatter_(const void *x, const int *len, void *y, const int *root);
OB_API void icc_g_scatter_(const void *x, const int *len, void *y, const int *root,
                           const int *group);
OB_API void icc_scatterx_(const void *x, const int *lens, void *y, const int *root);
OB_API void icc_g_scatterx_(const void *x, const int *lens, void *y, const int *root,
                            const int *group);
OB_API void icc_gather_(const void *x, const int *len, void *y, const int *root);
OB_API void icc_g_gather_(const void *x, const int *len, void *y, const int *root,
                          const int *group);
OB_API void icc_gatherx_(const void *x, const int *lens, void *y, const int *root);
OB_API void icc_g_gatherx_(const void *x, const int *lens, void *y, const int *root,
                           const int *group);
OB_API void icc_gsync_(void);
OB_API void icc_g_gsync_(const int *group);

/* ---------------------------------------------------------------- combines
 *
 * Element by element, each operation in three forms:
 *   iCC_gdsum (x, n, work)         the n results replace x on all (combine-to-all)
 *   iCC_gdsum1(x, n, work, root)   on the root; elsewhere x may be left with
 *                                  intermediate results (combine-to-one)
 *   iCC_gdsumx(x, ns, work)        x has the pieces of all nodes one behind the other, ns[i]
 *                                  elements for node i, and ns is the same on all; node
 *                                  i is left with piece i of the result, in its place, the
 *                                  other pieces with anything (distributed combine)
 * i int, s float, d double, c two floats, z two doubles; and, or and xor are bit by
 * bit, land, lor and lxor on truth values (0 or not; results are 0 or 1). The order in
 * which elements are combined depends on sizes and positions only, never on timing. */
#define ICC_COMBINES(X)                                                                            \
    X(isum, int)                                                                                   \
    X(iprod, int)                                                                                  \
    X(ihigh, int)                                                                                  \
    X(ilow, int)                                                                                   \
    X(iand, int)                                                                                   \
    X(ior, int)                                                                                    \
    X(ixor, int)                                                                                   \
    X(land, int)                                                                                   \
    X(lor, int)                                                                                    \
    X(lxor, int)                                                                                   \
    X(ssum, float)                                                                                 \
    X(sprod, float)                                                                                \
    X(shigh, float)                                                                                \
    X(slow, float)                                                                                 \
    X(dsum, double)                                                                                \
    X(dprod, double)                                                                               \
    X(dhigh, double)                                                                               \
    X(dlow, double)                                                                                \
    X(csum, void)                                                                                  \
    X(cprod, void)                                                                                 \
    X(zsum, void)                                                                                  \
    X(zprod, void)

#define ICC_DECLARE(name, T)                                                                       \
    OB_API void iCC_g##name(T *x, long n, T *work);                                                \
    OB_API void iCC_g##name##1(T * x, long n, T *work, long root);                                 \
    OB_API void iCC_g##name##x(T *x, const long *ns, T *work);                                     \
    OB_API void iCC_g_g##name(T *x, long n, T *work, int group);                                   \
    OB_API void iCC_g_g##name##1(T * x, long n, T *work, long root, int group);                    \
    OB_API void iCC_g_g##name##x(T *x, const long *ns, T *work, int group);                        \
    OB_API void icc_g##name##_(T *x, const int *n, T *work);                                       \
    OB_API void icc_g##name##1_(T * x, const int *n, T *work, const int *root);                    \
    OB_API void icc_g##name##x_(T *x, const int *ns, T *work);                                     \
    OB_API void icc_g_g##name##_(T *x, const int *n, T *work, const int *group);                   \
    OB_API void icc_g_g##name##1_(T * x, const int *n, T *work, const int *root,                   \
                                  const int *group);                                               \
    OB_API void icc_g_g##name##x_(T *x, const int *ns, T *work, const int *group);

ICC_COMBINES(ICC_DECLARE)
#undef ICC_DECLARE

#ifdef __cplusplus
}
#endif
#endif
