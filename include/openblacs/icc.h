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
 * 64-bit integers: every routine exists a second time, with int64_t in the place of int in groups
 * and in the matrices of the combines of integers: iCC_gisum64_, and icc_gisum_64_ for Fortran,
 * whose integers then all have 64 bits. With OPENBLACS_ILP64 defined before this header the plain
 * names are those of libicc64.
 *
 * Errors: one line on standard error that names the routine, the argument, its value
 * and the process; then the whole job ends with exit status 1.
 *
 * Threads: different threads may use different groups at the same time; iCC_mesh is
 * called when no other thread is inside the library.
 */
#if !defined(OPENBLACS_ICC_H) || defined(OB_STAMPING)
#define OPENBLACS_ICC_H

#ifndef OB_STAMPING
#include <stdint.h>

#include "openblacs/api.h"
#include "openblacs/integers.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

OB_LIBRARY_64(link_with_libicc64)

/* --------------------------------------------- the machine and its groups */

#define iCC_NONE (-1)
#define iCC_ALL 0
#define iCC_ROW 1
#define iCC_COLUMN 2

/* Number of this process, 0 .. iCC_numnodes()-1; in a group: its position there. */
OB_API long OB_T(iCC_mynode)(void);
OB_API long OB_T(iCC_numnodes)(void);
OB_API long OB_T(iCC_g_mynode)(OB_INTEGER group);
OB_API long OB_T(iCC_g_numnodes)(OB_INTEGER group);

/* The machine as a mesh of rows x columns, node numbers running along the rows; all
 * processes call. Before, it is the mesh nearest to a square with rows <= columns. */
OB_API void OB_T(iCC_mesh)(long rows, long columns);
OB_API void OB_T(iCC_meshinfo)(long *rows, long *columns, long *row, long *column);

/* A group of the given distinct nodes, in this order. The members call, all with
 * the same list; others may, and get iCC_NONE. */
OB_API OB_INTEGER OB_T(iCC_group)(const long *nodes, long size);
OB_API void OB_T(iCC_group_free)(OB_INTEGER group);

OB_API OB_INTEGER OB_F(icc_mynode)(void);
OB_API OB_INTEGER OB_F(icc_numnodes)(void);
OB_API OB_INTEGER OB_F(icc_g_mynode)(const OB_INTEGER *group);
OB_API OB_INTEGER OB_F(icc_g_numnodes)(const OB_INTEGER *group);
OB_API void OB_F(icc_mesh)(const OB_INTEGER *rows, const OB_INTEGER *columns);
OB_API void OB_F(icc_meshinfo)(OB_INTEGER *rows, OB_INTEGER *columns, OB_INTEGER *row,
                               OB_INTEGER *column);
OB_API OB_INTEGER OB_F(icc_group)(const OB_INTEGER *nodes, const OB_INTEGER *size);
OB_API void OB_F(icc_group_free)(const OB_INTEGER *group);

/* ----------------------------------------------------------- moving data */

/* The root's `bytes` bytes at x to all. */
OB_API void OB_T(iCC_bcast)(void *x, long bytes, long root);
OB_API void OB_T(iCC_g_bcast)(void *x, long bytes, long root, OB_INTEGER group);

/* Collect: everybody's x, one behind the other by node, to all at y. gcol: nobody knows
 * the others' xlen; y has room for ylen bytes, and *ncnt (unless NULL) becomes the
 * sum. gcolx: xlens has everybody's, and is the same on all. x may be where it
 * will be in y. */
OB_API void OB_T(iCC_gcol)(const void *x, long xlen, void *y, long ylen, long *ncnt);
OB_API void OB_T(iCC_g_gcol)(const void *x, long xlen, void *y, long ylen, long *ncnt,
                             OB_INTEGER group);
OB_API void OB_T(iCC_gcolx)(const void *x, const long *xlens, void *y);
OB_API void OB_T(iCC_g_gcolx)(const void *x, const long *xlens, void *y, OB_INTEGER group);

/* Scatter: piece i of the root's x to y on node i. All pieces have len bytes; or, with
 * lens, which is the same on all, lens[i]. x is looked at on the root only. */
OB_API void OB_T(iCC_scatter)(const void *x, long len, void *y, long root);
OB_API void OB_T(iCC_g_scatter)(const void *x, long len, void *y, long root, OB_INTEGER group);
OB_API void OB_T(iCC_scatterx)(const void *x, const long *lens, void *y, long root);
OB_API void OB_T(iCC_g_scatterx)(const void *x, const long *lens, void *y, long root,
                                 OB_INTEGER group);

/* Gather: x of node i to piece i of the root's y. y is looked at on the root only. */
OB_API void OB_T(iCC_gather)(const void *x, long len, void *y, long root);
OB_API void OB_T(iCC_g_gather)(const void *x, long len, void *y, long root, OB_INTEGER group);
OB_API void OB_T(iCC_gatherx)(const void *x, const long *lens, void *y, long root);
OB_API void OB_T(iCC_g_gatherx)(const void *x, const long *lens, void *y, long root,
                                OB_INTEGER group);

/* Everybody to everybody: piece i of the caller's x becomes, on node i, the piece of y that is the
 * caller's. The pieces lie one behind the other. All have len bytes; or piece i of x has xlens[i]
 * and piece i of y ylens[i], which node i has as its xlens. x and y do not overlap. */
OB_API void OB_T(iCC_alltoall)(const void *x, long len, void *y);
OB_API void OB_T(iCC_g_alltoall)(const void *x, long len, void *y, OB_INTEGER group);
OB_API void OB_T(iCC_alltoallx)(const void *x, const long *xlens, void *y, const long *ylens);
OB_API void OB_T(iCC_g_alltoallx)(const void *x, const long *xlens, void *y, const long *ylens,
                                  OB_INTEGER group);

/* Barrier: nobody returns before all have called. */
OB_API void OB_T(iCC_gsync)(void);
OB_API void OB_T(iCC_g_gsync)(OB_INTEGER group);

OB_API void OB_F(icc_bcast)(void *x, const OB_INTEGER *bytes, const OB_INTEGER *root);
OB_API void OB_F(icc_g_bcast)(void *x, const OB_INTEGER *bytes, const OB_INTEGER *root,
                              const OB_INTEGER *group);
OB_API void OB_F(icc_gcol)(const void *x, const OB_INTEGER *xlen, void *y, const OB_INTEGER *ylen,
                           OB_INTEGER *ncnt);
OB_API void OB_F(icc_g_gcol)(const void *x, const OB_INTEGER *xlen, void *y, const OB_INTEGER *ylen,
                             OB_INTEGER *ncnt, const OB_INTEGER *group);
OB_API void OB_F(icc_gcolx)(const void *x, const OB_INTEGER *xlens, void *y);
OB_API void OB_F(icc_g_gcolx)(const void *x, const OB_INTEGER *xlens, void *y,
                              const OB_INTEGER *group);
OB_API void OB_F(icc_scatter)(const void *x, const OB_INTEGER *len, void *y,
                              const OB_INTEGER *root);
OB_API void OB_F(icc_g_scatter)(const void *x, const OB_INTEGER *len, void *y,
                                const OB_INTEGER *root, const OB_INTEGER *group);
OB_API void OB_F(icc_scatterx)(const void *x, const OB_INTEGER *lens, void *y,
                               const OB_INTEGER *root);
OB_API void OB_F(icc_g_scatterx)(const void *x, const OB_INTEGER *lens, void *y,
                                 const OB_INTEGER *root, const OB_INTEGER *group);
OB_API void OB_F(icc_gather)(const void *x, const OB_INTEGER *len, void *y, const OB_INTEGER *root);
OB_API void OB_F(icc_g_gather)(const void *x, const OB_INTEGER *len, void *y,
                               const OB_INTEGER *root, const OB_INTEGER *group);
OB_API void OB_F(icc_gatherx)(const void *x, const OB_INTEGER *lens, void *y,
                              const OB_INTEGER *root);
OB_API void OB_F(icc_g_gatherx)(const void *x, const OB_INTEGER *lens, void *y,
                                const OB_INTEGER *root, const OB_INTEGER *group);
OB_API void OB_F(icc_alltoall)(const void *x, const OB_INTEGER *len, void *y);
OB_API void OB_F(icc_g_alltoall)(const void *x, const OB_INTEGER *len, void *y,
                                 const OB_INTEGER *group);
OB_API void OB_F(icc_alltoallx)(const void *x, const OB_INTEGER *xlens, void *y,
                                const OB_INTEGER *ylens);
OB_API void OB_F(icc_g_alltoallx)(const void *x, const OB_INTEGER *xlens, void *y,
                                  const OB_INTEGER *ylens, const OB_INTEGER *group);
OB_API void OB_F(icc_gsync)(void);
OB_API void OB_F(icc_g_gsync)(const OB_INTEGER *group);

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
    X(isum, OB_INTEGER)                                                                            \
    X(iprod, OB_INTEGER)                                                                           \
    X(ihigh, OB_INTEGER)                                                                           \
    X(ilow, OB_INTEGER)                                                                            \
    X(iand, OB_INTEGER)                                                                            \
    X(ior, OB_INTEGER)                                                                             \
    X(ixor, OB_INTEGER)                                                                            \
    X(land, OB_INTEGER)                                                                            \
    X(lor, OB_INTEGER)                                                                             \
    X(lxor, OB_INTEGER)                                                                            \
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
    OB_API void OB_T(iCC_g##name)(T * x, long n, T *work);                                         \
    OB_API void OB_T(iCC_g##name##1)(T * x, long n, T *work, long root);                           \
    OB_API void OB_T(iCC_g##name##x)(T * x, const long *ns, T *work);                              \
    OB_API void OB_T(iCC_g_g##name)(T * x, long n, T *work, OB_INTEGER group);                     \
    OB_API void OB_T(iCC_g_g##name##1)(T * x, long n, T *work, long root, OB_INTEGER group);       \
    OB_API void OB_T(iCC_g_g##name##x)(T * x, const long *ns, T *work, OB_INTEGER group);          \
    OB_API void OB_F(icc_g##name)(T * x, const OB_INTEGER *n, T *work);                            \
    OB_API void OB_F(icc_g##name##1)(T * x, const OB_INTEGER *n, T *work, const OB_INTEGER *root); \
    OB_API void OB_F(icc_g##name##x)(T * x, const OB_INTEGER *ns, T *work);                        \
    OB_API void OB_F(icc_g_g##name)(T * x, const OB_INTEGER *n, T *work, const OB_INTEGER *group); \
    OB_API void OB_F(icc_g_g##name##1)(T * x, const OB_INTEGER *n, T *work,                        \
                                       const OB_INTEGER *root, const OB_INTEGER *group);           \
    OB_API void OB_F(icc_g_g##name##x)(T * x, const OB_INTEGER *ns, T *work,                       \
                                       const OB_INTEGER *group);

ICC_COMBINES(ICC_DECLARE)
#undef ICC_DECLARE

/* Any operation on elements of any kind: `what` is an ob_operator, `kind` an ob_kind of
 * openblacs/core.h, for example OB_OPERATOR_AVERAGE of OB_KIND_HALF. x stays as it is; the result
 * goes to y, which may be x where it has as many elements: to all; to the root (elsewhere y is not
 * looked at); or piece i of it to node i. */
OB_API void OB_T(iCC_gop)(const void *x, long n, void *y, long what, long kind);
OB_API void OB_T(iCC_g_gop)(const void *x, long n, void *y, long what, long kind, OB_INTEGER group);
OB_API void OB_T(iCC_gop1)(const void *x, long n, void *y, long what, long kind, long root);
OB_API void OB_T(iCC_g_gop1)(const void *x, long n, void *y, long what, long kind, long root,
                             OB_INTEGER group);
OB_API void OB_T(iCC_gopx)(const void *x, const long *ns, void *y, long what, long kind);
OB_API void OB_T(iCC_g_gopx)(const void *x, const long *ns, void *y, long what, long kind,
                             OB_INTEGER group);
OB_API void OB_F(icc_gop)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *what,
                          const OB_INTEGER *kind);
OB_API void OB_F(icc_g_gop)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *what,
                            const OB_INTEGER *kind, const OB_INTEGER *group);
OB_API void OB_F(icc_gop1)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *what,
                           const OB_INTEGER *kind, const OB_INTEGER *root);
OB_API void OB_F(icc_g_gop1)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *what,
                             const OB_INTEGER *kind, const OB_INTEGER *root,
                             const OB_INTEGER *group);
OB_API void OB_F(icc_gopx)(const void *x, const OB_INTEGER *ns, void *y, const OB_INTEGER *what,
                           const OB_INTEGER *kind);
OB_API void OB_F(icc_g_gopx)(const void *x, const OB_INTEGER *ns, void *y, const OB_INTEGER *what,
                             const OB_INTEGER *kind, const OB_INTEGER *group);

/* A function of the program's: x[k] = x[k] op y[k] for n elements that lie one behind the other. x
 * belongs to lower positions than y. It is associative, calls nothing of this library, and may be
 * called from several threads where several are in combines. Fortran's has the arguments by
 * reference, and default integers. */
#ifndef OB_STAMPING
typedef void (*iCC_function)(void *x, const void *y, long n);
#endif
typedef void (*OB_T(icc_function))(void *x, const void *y, const OB_INTEGER *n);

/* The operation of such a function on elements of `size` bytes, 1 to 8192, otherwise as iCC_gop.
 * commutes: not 0: x op y is y op x, so elements may be combined in any order. 0: the result is
 * that of position 0 op that of position 1 op ... op that of the last, whatever the root. */
OB_API void OB_T(iCC_gopf)(const void *x, long n, void *y, long size, iCC_function function,
                           long commutes);
OB_API void OB_T(iCC_g_gopf)(const void *x, long n, void *y, long size, iCC_function function,
                             long commutes, OB_INTEGER group);
OB_API void OB_T(iCC_gopf1)(const void *x, long n, void *y, long size, iCC_function function,
                            long commutes, long root);
OB_API void OB_T(iCC_g_gopf1)(const void *x, long n, void *y, long size, iCC_function function,
                              long commutes, long root, OB_INTEGER group);
OB_API void OB_T(iCC_gopfx)(const void *x, const long *ns, void *y, long size,
                            iCC_function function, long commutes);
OB_API void OB_T(iCC_g_gopfx)(const void *x, const long *ns, void *y, long size,
                              iCC_function function, long commutes, OB_INTEGER group);
OB_API void OB_F(icc_gopf)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *size,
                           OB_T(icc_function) function, const OB_INTEGER *commutes);
OB_API void OB_F(icc_g_gopf)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *size,
                             OB_T(icc_function) function, const OB_INTEGER *commutes,
                             const OB_INTEGER *group);
OB_API void OB_F(icc_gopf1)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *size,
                            OB_T(icc_function) function, const OB_INTEGER *commutes,
                            const OB_INTEGER *root);
OB_API void OB_F(icc_g_gopf1)(const void *x, const OB_INTEGER *n, void *y, const OB_INTEGER *size,
                              OB_T(icc_function) function, const OB_INTEGER *commutes,
                              const OB_INTEGER *root, const OB_INTEGER *group);
OB_API void OB_F(icc_gopfx)(const void *x, const OB_INTEGER *ns, void *y, const OB_INTEGER *size,
                            OB_T(icc_function) function, const OB_INTEGER *commutes);
OB_API void OB_F(icc_g_gopfx)(const void *x, const OB_INTEGER *ns, void *y, const OB_INTEGER *size,
                              OB_T(icc_function) function, const OB_INTEGER *commutes,
                              const OB_INTEGER *group);

#ifdef __cplusplus
}
#endif

/* The same with 64-bit integers, by names of their own. */
#ifndef OB_STAMPING
#define OB_STAMPING
#include "openblacs/integers.h"

#include "openblacs/icc.h"
#undef OB_STAMPING
#include "openblacs/integers.h"
#endif
#endif
