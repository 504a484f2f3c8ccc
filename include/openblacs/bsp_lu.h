/*
 * LU factorisation in supersteps (libopenblacs_lu), for matrices that ScaLAPACK distributes: after
 * Horvitz and Bisseling, Designing a BSP version of ScaLAPACK, 1998. A program that calls
 * PDGETRF, PDGETRS or PDGESV calls bsp_pdgetrf_, bsp_pdgetrs_ or bsp_pdgesv_ instead, with the
 * same arguments; what one of them factors the other can solve with.
 *
 * All processes of the grid call. The grid is a BLACS context of OpenBLACS; a
 * libscalapack that brings BLACS of its own must stand behind it on the link line. desc is
 * ScaLAPACK's array of 9 integers (type 1, context, m, n, mb, nb, first row and column of
 * processes, local leading dimension). Indices count from 1. Complex elements are two
 * consecutive reals.
 *
 * info: 0, done; i > 0, U(i,i) is exactly zero: the factors are complete, but nothing can be solved
 * with them (gesv has not tried); -i, argument i is wrong; -(100 i + j), entry j of
 * descriptor i is. A wrong argument also prints one line. As in ScaLAPACK all processes get that
 * info, also for what is wrong on one of them alone or not the same on all.
 *
 * Cost, of p processes on a grid of P x Q, with blocks of w columns that one process factors: three
 * supersteps for a block, and at the end one for each 512 columns, thus
 * (2 n^3 / (3 p) + O(n^2 w)) flops + O(n^2 (1/P + 1/Q) + n w p) g + (3 n / w + n / 512) l.
 */
#ifndef OPENBLACS_BSP_LU_H
#define OPENBLACS_BSP_LU_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * getrf: A = P L U of the m x n matrix A(ia:ia+m-1, ja:ja+n-1). ipiv, of as many entries as the
 * process has rows of the array A: for each the row, an index into A, that it was swapped with. ia
 * and ja may be anywhere and blocks need not be square, unlike PDGETRF's. getrs: solves A X = B
 * (trans 'N'), A^T X = B ('T') or A^H X = B ('C') with the factors of the n x n matrix;
 * B(ib:ib+n-1, jb:jb+nrhs-1) becomes X. As PDGETRS it wants square blocks in A, ia, ja and ib at
 * the start of a block, and B's rows distributed as A's.
 * gesv: both.
 */
#define OB_BSP_LU(x, real)                                                                         \
    OB_API void bsp_p##x##getrf(int m, int n, real *a, int ia, int ja, const int *desca,           \
                                int *ipiv, int *info);                                             \
    OB_API void bsp_p##x##getrs(char trans, int n, int nrhs, const real *a, int ia, int ja,        \
                                const int *desca, const int *ipiv, real *b, int ib, int jb,        \
                                const int *descb, int *info);                                      \
    OB_API void bsp_p##x##gesv(int n, int nrhs, real *a, int ia, int ja, const int *desca,         \
                               int *ipiv, real *b, int ib, int jb, const int *descb, int *info);   \
    OB_API void bsp_p##x##getrf_(const int *m, const int *n, real *a, const int *ia,               \
                                 const int *ja, const int *desca, int *ipiv, int *info);           \
    OB_API void bsp_p##x##getrs_(const char *trans, const int *n, const int *nrhs, const real *a,  \
                                 const int *ia, const int *ja, const int *desca, const int *ipiv,  \
                                 real *b, const int *ib, const int *jb, const int *descb,          \
                                 int *info);                                                       \
    OB_API void bsp_p##x##gesv_(const int *n, const int *nrhs, real *a, const int *ia,             \
                                const int *ja, const int *desca, int *ipiv, real *b,               \
                                const int *ib, const int *jb, const int *descb, int *info);
OB_BSP_LU(s, float)
OB_BSP_LU(d, double)
OB_BSP_LU(c, float)
OB_BSP_LU(z, double)
#undef OB_BSP_LU

/*
 * What it is made of, one by one (sections 2.1 and 2.3): all processes of the grid call with equal
 * scalar arguments, and scalar results come to all. A vector is a row of the matrix where inc is
 * the number of rows of the array, else, with inc 1, a column, as in the PBLAS. A wrong argument of
 * those without info ends the job with a line. Each call that communicates makes a grid of
 * supersteps, in one combine, and gives it back, in one superstep.
 *
 * swap: the vectors of n elements at X(ix,jx) and Y(iy,jy) change places; they must not overlap,
 * but may be the same. No communication where each element's partner is at its process, else one
 * superstep, h = 2 n / p. amax: the element of largest |re| + |im| and its index into the array
 * (the first of equal ones), on all processes; 0 and 0 for n = 0. One superstep. laswp: row i of
 * A(1:m, ja:ja+n-1) is swapped with row ipiv(i), for i = k1 .. k2 (direc 'F') or k2 .. k1 ('B');
 * with rowcol 'C' columns of A(ia:ia+n-1, 1:n). ipiv as getrf leaves it, by own rows (columns). One
 * superstep for the pivots, one for all swaps, whatever cycles they form: each row goes once.
 * getf2: getrf of a block of columns. Where one process column holds it, with as many rows at least
 * as columns, without blocks: a reduction over the process column for each column, and at the end
 * one for pivots and info, which come to all; else as getrf. ipiv and info as getrf's.
 */
#define OB_BSP_LU_PIECES(x, real)                                                                  \
    OB_API void bsp_p##x##swap(int n, real *x_, int ix, int jx, const int *descx, int incx,        \
                               real *y, int iy, int jy, const int *descy, int incy);               \
    OB_API void bsp_p##x##amax(int n, real *amax, int *indx, const real *x_, int ix, int jx,       \
                               const int *descx, int incx);                                        \
    OB_API void bsp_p##x##laswp(char direc, char rowcol, int n, real *a, int ia, int ja,           \
                                const int *desca, int k1, int k2, const int *ipiv);                \
    OB_API void bsp_p##x##getf2(int m, int n, real *a, int ia, int ja, const int *desca,           \
                                int *ipiv, int *info);                                             \
    OB_API void bsp_p##x##swap_(const int *n, real *x_, const int *ix, const int *jx,              \
                                const int *descx, const int *incx, real *y, const int *iy,         \
                                const int *jy, const int *descy, const int *incy);                 \
    OB_API void bsp_p##x##amax_(const int *n, real *amax, int *indx, const real *x_,               \
                                const int *ix, const int *jx, const int *descx, const int *incx);  \
    OB_API void bsp_p##x##laswp_(const char *direc, const char *rowcol, const int *n, real *a,     \
                                 const int *ia, const int *ja, const int *desca, const int *k1,    \
                                 const int *k2, const int *ipiv);                                  \
    OB_API void bsp_p##x##getf2_(const int *m, const int *n, real *a, const int *ia,               \
                                 const int *ja, const int *desca, int *ipiv, int *info);
OB_BSP_LU_PIECES(s, float)
OB_BSP_LU_PIECES(d, double)
OB_BSP_LU_PIECES(c, float)
OB_BSP_LU_PIECES(z, double)
#undef OB_BSP_LU_PIECES

/* The algorithmic block: how many columns are factored at once, in later calls on this process. Any
 * number of columns; all processes of a grid set the same. 0, as at the start: a multiple of
 * the distribution's block that the library chooses. */
OB_API void bsp_lu_block(int columns);
OB_API void bsp_lu_block_(const int *columns);

/* Who factors a block of columns, in later calls: 0, as at the start, the library chooses;
 * BSP_LU_ALONE one process, to which the columns go (few supersteps); BSP_LU_TOGETHER the process
 * column that holds them, with a reduction for each column (no process has more work than
 * others), where every block lies in one process column, else one process. All processes of a
 * grid set the same. */
enum { BSP_LU_ALONE = 1, BSP_LU_TOGETHER = 2 };
OB_API void bsp_lu_panel(int way);
OB_API void bsp_lu_panel_(const int *way);

/* Not 0: later calls also find out how long each process idles, by a reduction at their end,
 * outside the times they tell. All processes of a grid set the same. */
OB_API void bsp_lu_measure(int idling);

/* Where the time of the last getrf of this process went. The layout stays. */
typedef struct bsp_lu_parts {
    double total;       /* seconds of the call */
    double computation; /* in the BLAS */
    double packing;     /* copies before and after syncs, row swaps among them */
    double syncs;       /* in syncs: communication, synchronisation and waiting for others */
    double idling;      /* of that, waiting for others to finish their work; see bsp_lu_measure */
    double flops;       /* this process's floating-point operations, in operations of the type */
    size_t supersteps;
    size_t sent, received; /* bytes */
    int block;             /* the algorithmic block taken */
} bsp_lu_parts;
OB_API void bsp_lu_last(bsp_lu_parts *parts);

#ifdef __cplusplus
}
#endif
#endif
