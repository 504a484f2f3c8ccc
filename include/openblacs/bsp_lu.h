/*
 * LU, Cholesky and QR factorisation in supersteps (libopenblacs_lu), for matrices that ScaLAPACK
 * distributes: after Horvitz and Bisseling, Designing a BSP version of ScaLAPACK, 1998. A program
 * that calls PDGETRF, PDGETRS, PDGESV, PDPOTRF, PDPOTRS, PDPOSV, PDGEQRF or PDGELS calls
 * bsp_pdgetrf_ (and so on) instead, with the same arguments; what one of them factors the other can
 * solve with.
 *
 * All processes of the grid call. The grid is a BLACS context of OpenBLACS; a
 * libscalapack that brings BLACS of its own must stand behind it on the link line. desc is
 * ScaLAPACK's array of 9 integers (type 1, context, m, n, mb, nb, first row and column of
 * processes, local leading dimension). Indices count from 1. Complex elements are two
 * consecutive reals.
 *
 * info: 0, done; i > 0, U(i,i) is exactly zero: the factors are complete, but nothing can be solved
 * with them (gesv has not tried; what it is for Cholesky is written there); -i, argument i is
 * wrong; -(100 i + j), entry j of descriptor i is. A wrong argument also prints one line. As in
 * ScaLAPACK all processes get that info, also for what is wrong on one of them alone or not the
 * same on all.
 *
 * 64-bit integers: every routine exists a second time, with int64_t in the place of
 * int, also in descriptors, pivots and info: bsp_pdgetrf64_, and bsp_pdgetrf_64_ for Fortran. With
 * OPENBLACS_ILP64 defined before this header the plain names are those of libopenblacs_lu64. m, n
 * and the local leading dimension are at most 2146435071, since the BLAS below take 32-bit
 * integers; the array, its indices and its number of elements may be larger.
 *
 * Threads. Between nodes supersteps make groups of the grid's processes, and groups of equal lists
 * are told apart by their order (ob_group_create). So of the threads of a process that have grids
 * of the same processes one at a time is in such a routine, and all processes let them in in the
 * same order, as ScaLAPACK wants of all threads.
 *
 * Small matrices go to one process, which does all the work with LAPACK and sends back what has
 * changed, but where bsp_lu_block, bsp_lu_panel or bsp_lu_measure has set something: of getrf
 * min(m, n) below 160 with two processes and 208 with more, of potrf and potrs 128 and 208, but
 * potrf with two processes of two blocks below 96, and none where they share all blocks; of getrs
 * 128 and 208, but of both solutions with less than 8 right-hand sides none with two, and of potrs
 * with so few 160 where there are more process rows than columns and blocks of 32 or more; of geqrf
 * 64 and 160; on more than 64 processes only matrices that lie on one of them, which go nowhere,
 * whatever their size.
 *
 * Cost of the LU, of p processes on a grid of P x Q, with blocks of w columns that one process
 * factors: three supersteps for a block, and at the end one for each 512 columns, thus (2 n^3 / (3
 * p) + O(n^2 w)) flops + O(n^2 (1/P + 1/Q) + n w p) g + (3 n / w + n / 512) l.
 */
#if !defined(OPENBLACS_BSP_LU_H) || defined(OB_STAMPING)
#define OPENBLACS_BSP_LU_H

#ifndef OB_STAMPING
#include "openblacs/core.h"
#include "openblacs/integers.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

OB_LIBRARY_64(link_with_libopenblacs_lu64)

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
    OB_API void OB_T(bsp_p##x##getrf)(OB_INTEGER m, OB_INTEGER n, real * a, OB_INTEGER ia,         \
                                      OB_INTEGER ja, const OB_INTEGER *desca, OB_INTEGER *ipiv,    \
                                      OB_INTEGER *info);                                           \
    OB_API void OB_T(bsp_p##x##getrs)(char trans, OB_INTEGER n, OB_INTEGER nrhs, const real *a,    \
                                      OB_INTEGER ia, OB_INTEGER ja, const OB_INTEGER *desca,       \
                                      const OB_INTEGER *ipiv, real *b, OB_INTEGER ib,              \
                                      OB_INTEGER jb, const OB_INTEGER *descb, OB_INTEGER *info);   \
    OB_API void OB_T(bsp_p##x##gesv)(OB_INTEGER n, OB_INTEGER nrhs, real * a, OB_INTEGER ia,       \
                                     OB_INTEGER ja, const OB_INTEGER *desca, OB_INTEGER *ipiv,     \
                                     real *b, OB_INTEGER ib, OB_INTEGER jb,                        \
                                     const OB_INTEGER *descb, OB_INTEGER *info);                   \
    OB_API void OB_F(bsp_p##x##getrf)(                                                             \
        const OB_INTEGER *m, const OB_INTEGER *n, real *a, const OB_INTEGER *ia,                   \
        const OB_INTEGER *ja, const OB_INTEGER *desca, OB_INTEGER *ipiv, OB_INTEGER *info);        \
    OB_API void OB_F(bsp_p##x##getrs)(                                                             \
        const char *trans, const OB_INTEGER *n, const OB_INTEGER *nrhs, const real *a,             \
        const OB_INTEGER *ia, const OB_INTEGER *ja, const OB_INTEGER *desca,                       \
        const OB_INTEGER *ipiv, real *b, const OB_INTEGER *ib, const OB_INTEGER *jb,               \
        const OB_INTEGER *descb, OB_INTEGER *info);                                                \
    OB_API void OB_F(bsp_p##x##gesv)(                                                              \
        const OB_INTEGER *n, const OB_INTEGER *nrhs, real *a, const OB_INTEGER *ia,                \
        const OB_INTEGER *ja, const OB_INTEGER *desca, OB_INTEGER *ipiv, real *b,                  \
        const OB_INTEGER *ib, const OB_INTEGER *jb, const OB_INTEGER *descb, OB_INTEGER *info);
OB_BSP_LU(s, float)
OB_BSP_LU(d, double)
OB_BSP_LU(c, float)
OB_BSP_LU(z, double)
#undef OB_BSP_LU

/*
 * Cholesky. potrf: A = U^H U (uplo 'U') or A = L L^H ('L') of the symmetric, or Hermitian, positive
 * definite matrix A(ia:ia+n-1, ja:ja+n-1), of which only that triangle is read and written. ia and
 * ja may be anywhere and blocks need not be square. info i > 0: the leading minor of order i is not
 * positive; its columns before i are factored, and what stands behind is undefined. potrs: solves
 * A X = B with the factor; B(ib:ib+n-1, jb:jb+nrhs-1) becomes X. It wants the layout that getrs
 * wants. posv: both. They are PDPOTRF, PDPOTRS and PDPOSV.
 *
 * Cost, with blocks of w columns: one superstep for a block on grids of up to 2 x 2 processes, else
 * two, thus (n^3 / (3 p) + O(n^2 w / P)) flops + O(n^2 (1/P + 1/Q)) g + (n / w) l, or twice that l.
 * A process keeps its working memory for its next call, up to 16 MiB a thread.
 */
#define OB_BSP_CHOLESKY_SOLVES(x, real, name, in)                                                  \
    OB_API void OB_T(bsp_p##x##name)(char uplo, OB_INTEGER n, OB_INTEGER nrhs, in real *a,         \
                                     OB_INTEGER ia, OB_INTEGER ja, const OB_INTEGER *desca,        \
                                     real *b, OB_INTEGER ib, OB_INTEGER jb,                        \
                                     const OB_INTEGER *descb, OB_INTEGER *info);                   \
    OB_API void OB_F(bsp_p##x##name)(                                                              \
        const char *uplo, const OB_INTEGER *n, const OB_INTEGER *nrhs, in real *a,                 \
        const OB_INTEGER *ia, const OB_INTEGER *ja, const OB_INTEGER *desca, real *b,              \
        const OB_INTEGER *ib, const OB_INTEGER *jb, const OB_INTEGER *descb, OB_INTEGER *info);
#define OB_BSP_CHOLESKY(x, real)                                                                   \
    OB_API void OB_T(bsp_p##x##potrf)(char uplo, OB_INTEGER n, real *a, OB_INTEGER ia,             \
                                      OB_INTEGER ja, const OB_INTEGER *desca, OB_INTEGER *info);   \
    OB_API void OB_F(bsp_p##x##potrf)(const char *uplo, const OB_INTEGER *n, real *a,              \
                                      const OB_INTEGER *ia, const OB_INTEGER *ja,                  \
                                      const OB_INTEGER *desca, OB_INTEGER *info);                  \
    OB_BSP_CHOLESKY_SOLVES(x, real, potrs, const)                                                  \
    OB_BSP_CHOLESKY_SOLVES(x, real, posv, )
OB_BSP_CHOLESKY(s, float)
OB_BSP_CHOLESKY(d, double)
OB_BSP_CHOLESKY(c, float)
OB_BSP_CHOLESKY(z, double)
#undef OB_BSP_CHOLESKY
#undef OB_BSP_CHOLESKY_SOLVES

/*
 * QR. geqrf: A = Q R of the m x n matrix A(ia:ia+m-1, ja:ja+n-1), as PDGEQRF leaves it: R on and
 * above the diagonal, the Householder vectors below it (their first elements, 1, are not stored),
 * and in tau their factors: for own column l of the array tau[l], the same in all process rows, so
 * tau has as many elements as the process has of the columns 1 to ja + min(m,n) - 1. PDORMQR and
 * PDORGQR take that. work is not needed: with lwork of at least 1, or with -1 to ask, work[0]
 * becomes 1. ia and ja may be anywhere and blocks need not be square.
 *
 * Cost, of blocks of w columns that one process factors (grids of up to three process rows, but
 * not two of more than two columns):
 * three supersteps for a block where rows and columns of processes have two, at most five, thus
 * (4 n^3 / (3 p) + O(n^2 w)) flops + O(n^2 (1/P + 1/Q) + n w p) g + (3 n / w) l. Where process
 * columns factor blocks (the other grids; bsp_lu_panel): a reduction over the process
 * column for each of its columns and, for a block, one for their sizes and one or two for the rest,
 * each of two supersteps; thus (4 n^3 / (3 p) + O(n^2 w / P)) flops + O(n^2 (1/P + 1/Q) + n w) g +
 * 2 (n / Q + (n / w) (2 + 1/Q)) l of a process, and T and V go along process rows without a
 * superstep.
 */
#define OB_BSP_QR(x, real)                                                                         \
    OB_API void OB_T(bsp_p##x##geqrf)(OB_INTEGER m, OB_INTEGER n, real * a, OB_INTEGER ia,         \
                                      OB_INTEGER ja, const OB_INTEGER *desca, real *tau,           \
                                      real *work, OB_INTEGER lwork, OB_INTEGER *info);             \
    OB_API void OB_F(bsp_p##x##geqrf)(const OB_INTEGER *m, const OB_INTEGER *n, real *a,           \
                                      const OB_INTEGER *ia, const OB_INTEGER *ja,                  \
                                      const OB_INTEGER *desca, real *tau, real *work,              \
                                      const OB_INTEGER *lwork, OB_INTEGER *info);
OB_BSP_QR(s, float)
OB_BSP_QR(d, double)
OB_BSP_QR(c, float)
OB_BSP_QR(z, double)
#undef OB_BSP_QR

/*
 * Least squares, as PDGELS: the m x n matrix A(ia:ia+m-1, ja:ja+n-1) has full rank (what it is
 * without is not found out: the solution may hold infinities). trans 'N' stands for A, 'T' (of
 * complex types 'C') for its (conjugate) transpose, op(A). Where op(A) has at least as many rows as
 * columns, columns of X are what brings B - op(A) X nearest to 0; else they are the shortest
 * solutions of op(A) X = B. B(ib:, jb:jb+nrhs-1) begins with as many rows as op(A) and becomes X,
 * with as many rows as op(A) has columns; it needs max(m,n). Where op(A) has more rows than
 * columns, the squares of the rows behind X sum up to that of the residual, in each column. A
 * becomes its QR factors (of m < n: LQ factors), as PDGEQRF and PDGELQF leave them; tau is not
 * kept.
 *
 * Where the elements of A or B are so large or small that their squares leave the type's range,
 * they are multiplied by a power of 2 first, A's factors with them. A = 0 gives X = 0. work is as
 * for geqrf. As PDGELS wants it, ib stands as far behind the beginning of a block as ia (m < n:
 * ja), B's blocks have as many rows as A's have rows (columns), and for m >= n the first rows of
 * both are in one process row. Other than that, ia, ja and blocks may be any.
 *
 * Cost: that of geqrf, with B among the columns on the right. With more rows than columns in op(A)
 * one more superstep for each block, else two; where a process column has twice its fair part of B
 * or more, none instead of the two: B goes along the process columns in strips. m < n takes two
 * more in all, in which A goes to another distribution and back. A process keeps 2 min(m,n) w
 * elements beside what geqrf needs, the strips that it has of B, and for m < n its part of A once
 * more.
 */
#define OB_BSP_LEAST_SQUARES(x, real)                                                              \
    OB_API void OB_T(bsp_p##x##gels)(                                                              \
        char trans, OB_INTEGER m, OB_INTEGER n, OB_INTEGER nrhs, real *a, OB_INTEGER ia,           \
        OB_INTEGER ja, const OB_INTEGER *desca, real *b, OB_INTEGER ib, OB_INTEGER jb,             \
        const OB_INTEGER *descb, real *work, OB_INTEGER lwork, OB_INTEGER *info);                  \
    OB_API void OB_F(bsp_p##x##gels)(                                                              \
        const char *trans, const OB_INTEGER *m, const OB_INTEGER *n, const OB_INTEGER *nrhs,       \
        real *a, const OB_INTEGER *ia, const OB_INTEGER *ja, const OB_INTEGER *desca, real *b,     \
        const OB_INTEGER *ib, const OB_INTEGER *jb, const OB_INTEGER *descb, real *work,           \
        const OB_INTEGER *lwork, OB_INTEGER *info);
OB_BSP_LEAST_SQUARES(s, float)
OB_BSP_LEAST_SQUARES(d, double)
OB_BSP_LEAST_SQUARES(c, float)
OB_BSP_LEAST_SQUARES(z, double)
#undef OB_BSP_LEAST_SQUARES

/*
 * What the LU is made of, one by one (sections 2.1 and 2.3): all processes of the grid call with
 * equal scalar arguments, and scalar results come to all. A vector is a row of the matrix where inc
 * is the number of rows of the array, else, with inc 1, a column, as in the PBLAS. A wrong argument
 * of those without info ends the job with a line. Each call that communicates begins with a
 * combine, in which all agree, and ends with a superstep.
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
    OB_API void OB_T(bsp_p##x##swap)(OB_INTEGER n, real * x_, OB_INTEGER ix, OB_INTEGER jx,        \
                                     const OB_INTEGER *descx, OB_INTEGER incx, real *y,            \
                                     OB_INTEGER iy, OB_INTEGER jy, const OB_INTEGER *descy,        \
                                     OB_INTEGER incy);                                             \
    OB_API void OB_T(bsp_p##x##amax)(OB_INTEGER n, real * amax, OB_INTEGER * indx, const real *x_, \
                                     OB_INTEGER ix, OB_INTEGER jx, const OB_INTEGER *descx,        \
                                     OB_INTEGER incx);                                             \
    OB_API void OB_T(bsp_p##x##laswp)(char direc, char rowcol, OB_INTEGER n, real *a,              \
                                      OB_INTEGER ia, OB_INTEGER ja, const OB_INTEGER *desca,       \
                                      OB_INTEGER k1, OB_INTEGER k2, const OB_INTEGER *ipiv);       \
    OB_API void OB_T(bsp_p##x##getf2)(OB_INTEGER m, OB_INTEGER n, real * a, OB_INTEGER ia,         \
                                      OB_INTEGER ja, const OB_INTEGER *desca, OB_INTEGER *ipiv,    \
                                      OB_INTEGER *info);                                           \
    OB_API void OB_F(bsp_p##x##swap)(                                                              \
        const OB_INTEGER *n, real *x_, const OB_INTEGER *ix, const OB_INTEGER *jx,                 \
        const OB_INTEGER *descx, const OB_INTEGER *incx, real *y, const OB_INTEGER *iy,            \
        const OB_INTEGER *jy, const OB_INTEGER *descy, const OB_INTEGER *incy);                    \
    OB_API void OB_F(bsp_p##x##amax)(const OB_INTEGER *n, real *amax, OB_INTEGER *indx,            \
                                     const real *x_, const OB_INTEGER *ix, const OB_INTEGER *jx,   \
                                     const OB_INTEGER *descx, const OB_INTEGER *incx);             \
    OB_API void OB_F(bsp_p##x##laswp)(const char *direc, const char *rowcol, const OB_INTEGER *n,  \
                                      real *a, const OB_INTEGER *ia, const OB_INTEGER *ja,         \
                                      const OB_INTEGER *desca, const OB_INTEGER *k1,               \
                                      const OB_INTEGER *k2, const OB_INTEGER *ipiv);               \
    OB_API void OB_F(bsp_p##x##getf2)(                                                             \
        const OB_INTEGER *m, const OB_INTEGER *n, real *a, const OB_INTEGER *ia,                   \
        const OB_INTEGER *ja, const OB_INTEGER *desca, OB_INTEGER *ipiv, OB_INTEGER *info);
OB_BSP_LU_PIECES(s, float)
OB_BSP_LU_PIECES(d, double)
OB_BSP_LU_PIECES(c, float)
OB_BSP_LU_PIECES(z, double)
#undef OB_BSP_LU_PIECES

/* The algorithmic block: how many columns are factored at once, in later calls on this process. Any
 * number of columns; all processes of a grid set the same. 0, as at the start: a multiple of
 * the distribution's block that the library chooses, but for QR at most max(8, n / (2 p)) on p
 * processes where one factors a block. Where a process column does, it is the distribution's; for
 * QR one that divides it, of 16 to 32 columns, if there is one.
 * Cholesky's blocks also end where a block of the distribution ends. Where this is 0 and those are
 * narrow, the LU and Cholesky may factor a copy in wider ones, of up to 64 MiB of each process. */
OB_API void OB_T(bsp_lu_block)(OB_INTEGER columns);
OB_API void OB_F(bsp_lu_block)(const OB_INTEGER *columns);

/* Who factors a block of columns, in later calls: 0, as at the start, the library chooses;
 * BSP_LU_ALONE one process, to which the columns go (few supersteps); BSP_LU_TOGETHER the process
 * column that holds them, with a reduction for each column (no process has more work than
 * others), where every block lies in one process column, else one process; BSP_LU_TOURNAMENT that
 * process column in two supersteps of its own (tournament pivoting: Grigori, Demmel and Xiang,
 * 2011), where every block lies in one and it has two processes at least, else one process. The
 * pivots of a tournament are others than those of partial pivoting: |L| may exceed 1, and U grow
 * more. Its info is the first zero on the diagonal of its own U, so a singular matrix whose zero
 * rounding hides may have another info.
 *
 * Where process columns factor blocks, and there are two of them at least, a block is factored and
 * on its way while the one before is still applied to the rest (a lookahead of one block), and
 * process columns do not wait for each other between blocks. So it is on one process row, where the
 * way is 0, NB is a multiple of the algorithmic block, and JA begins one. BSP_LU_IN_STEP, added to
 * one of the others, does without. All processes of a grid set the same.
 *
 * For QR the same ways count, but BSP_LU_TOURNAMENT, which is BSP_LU_TOGETHER there, since nothing
 * is chosen, and BSP_LU_IN_STEP, which changes nothing. */
#ifndef OB_STAMPING
enum { BSP_LU_ALONE = 1, BSP_LU_TOGETHER = 2, BSP_LU_TOURNAMENT = 3, BSP_LU_IN_STEP = 16 };
#endif
OB_API void OB_T(bsp_lu_panel)(OB_INTEGER way);
OB_API void OB_F(bsp_lu_panel)(const OB_INTEGER *way);

/* Not 0: later calls also find out how long each process idles, by a reduction at their end,
 * outside the times they tell. All processes of a grid set the same. */
OB_API void OB_T(bsp_lu_measure)(OB_INTEGER idling);
OB_API void OB_F(bsp_lu_measure)(const OB_INTEGER *idling);

#ifndef OB_STAMPING
/* Where the time of the last factorisation of this process went. The layout stays. */
typedef struct bsp_lu_parts {
    double total;       /* seconds of the call */
    double computation; /* in the BLAS */
    double packing;     /* copies before and after syncs, row swaps among them */
    double syncs;       /* in syncs: communication, synchronisation and waiting for others */
    double idling;      /* of that, waiting for others to finish their work; see bsp_lu_measure */
    double flops;       /* this process's floating-point operations, in operations of the type */
    size_t supersteps;
    size_t sent, received; /* bytes */
    int block;             /* the algorithmic block taken; all columns where one process did all */
} bsp_lu_parts;
#endif
OB_API void OB_T(bsp_lu_last)(bsp_lu_parts *parts);

#ifdef __cplusplus
}
#endif

/* The same with 64-bit integers, by names of their own. */
#ifndef OB_STAMPING
#define OB_STAMPING
#include "openblacs/integers.h"

#include "openblacs/bsp_lu.h"
#undef OB_STAMPING
#include "openblacs/integers.h"
#endif
#endif
