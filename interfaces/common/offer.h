/*
 * For libopenblacs_factor, which has ScaLAPACK's names: calls of libopenblacs_lu that all processes
 * carry out, or all leave to another library.
 */
#ifndef OB_COMMON_OFFER_H
#define OB_COMMON_OFFER_H

#include "openblacs/bsp_lu.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The thread's next call of a routine below is an offer. It is carried out, with all settings
 * (bsp_lu_block and its like) as at the start, where every process of the grid finds its own
 * arguments right, all have given the same, and none `declines`. Else nothing is written but info,
 * nobody says a line, and ob_lu_taken is 0 on all of them. They find that out in the combine with
 * which these routines begin anyhow. Where there can be none, nobody takes the offer and nothing is
 * sent: on a process whose context is no grid of OpenBLACS's, and in a grid that has processes
 * outside MPI_COMM_WORLD.
 */
OB_API void ob_lu_offer(int declines);
/* Was the offer taken? Ends it. */
OB_API int ob_lu_taken(void);

/* The routines with 32-bit integers, for Fortran, libopenblacs_lu's own: by their names those of
 * libopenblacs_lu64 would be reached in a program that is linked with it. */
#define OB_LU_TYPED(X, x)                                                                          \
    X(p##x##getrf)                                                                                 \
    X(p##x##potrf)                                                                                 \
    X(p##x##geqrf)                                                                                 \
    X(p##x##gels)
#define OB_LU_ROUTINES(X)                                                                          \
    OB_LU_TYPED(X, s)                                                                              \
    OB_LU_TYPED(X, d)                                                                              \
    OB_LU_TYPED(X, c)                                                                              \
    OB_LU_TYPED(X, z)
#define OB_LU_MEMBER(name) __typeof__(bsp_##name##_) *name;
typedef struct ob_lu_routines {
    OB_LU_ROUTINES(OB_LU_MEMBER)
} ob_lu_routines;
extern OB_API const ob_lu_routines ob_lu;

/* A submatrix, as ScaLAPACK's routines are given it. */
typedef struct ob_lu_part {
    void *local;
    int64_t i, j;
    const int *desc;
} ob_lu_part;

/* C = alpha op(A) op(B) + beta C; C is m x n, k the inner dimension. */
typedef struct ob_lu_product {
    char type, of_a, of_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    ob_lu_part a, b, c;
} ob_lu_product;
/* Carries it out, and is 1; or is 0 and has done nothing. All processes call alike; it is 0 on all
 * of them where the context is no grid of one job, where rows of A (columns, transposed) are not
 * dealt out as C's, or B's columns (rows) not as C's; for T of complex matrices; where a size is
 * 0; between a begin and an end of calls that are put together. It is also 0 on one whose own
 * descriptors are wrong, while others wait: the caller is to end the job then, as PBLAS does. */
OB_API int ob_lu_multiply(const ob_lu_product *product);

/* C = op(Q) C (side L), or C op(Q) (R); C is m x n, and Q of k reflections, in A's columns and tau.
 */
typedef struct ob_lu_transform {
    char type, side, trans;
    int64_t m, n, k;
    ob_lu_part a, c;
    const void *tau;
} ob_lu_transform;
/* An offer, as above. It is ScaLAPACK's where an argument is wrong or not the same on all, and
 * where A's rows are not dealt out as C's rows, or columns. */
OB_API void ob_lu_apply(const ob_lu_transform *transform);

/* A symmetric, or Hermitian, matrix of order n becomes tridiagonal, as PDSYTRD and PZHETRD leave
 * it; d and e are real. */
typedef struct ob_lu_tridiagonal {
    char type, uplo;
    int64_t n;
    ob_lu_part a;
    void *d, *e, *tau;
} ob_lu_tridiagonal;
/* An offer, as above. It is ScaLAPACK's where an argument is wrong or not the same on all, of the
 * upper triangle, and where blocks are not square or the matrix begins within one. */
OB_API void ob_lu_reduce(const ob_lu_tridiagonal *tridiagonal);

/* Eigenvalues and eigenvectors of D + rho w w^T of order k, as PDLAED3 is given it: dlamda, w (and
 * z, of which only the room matters) have k elements, those of dlamda in ascending order. Number i
 * becomes element order[i], one-based, of d, and column order[i] of U, whose row order[j] gets
 * element j of it; nothing else of d and U is written. U is dealt out in square blocks, from
 * process (row, column) on. */
typedef struct ob_lu_secular {
    char type;
    int context;
    int64_t k, block;
    int row, column;
    void *d, *z, *u;
    const void *dlamda, *w, *rho;
    int64_t ldu;
    const int *order;
} ob_lu_secular;
/* Carries it out, and is 1; or is 0 and has done nothing: where the context is no grid of one job,
 * k or block is below 1, or calls are put together. All processes call alike. *info becomes the
 * number of an eigenvalue that LAPACK did not find, on all of them, or 0. */
OB_API int ob_lu_solve_secular(const ob_lu_secular *secular, int *info);

/* A real matrix, m x n, becomes bidiagonal, as PDGEBRD leaves it. */
typedef struct ob_lu_bidiagonal {
    char type;
    int64_t m, n;
    ob_lu_part a;
    void *d, *e, *tauq, *taup;
} ob_lu_bidiagonal;
/* An offer, as above. It is ScaLAPACK's where an argument is wrong or not the same on all, and
 * where blocks are not square or the matrix begins within one. */
OB_API void ob_lu_reduce_both(const ob_lu_bidiagonal *bidiagonal);

/* A real matrix, m x n with neither 0, as U S VT: U has the first min(m, n) columns, VT as many
 * rows. One of them may have no descriptor: it is not wanted. */
typedef struct ob_lu_singular {
    char type;
    int64_t m, n;
    ob_lu_part a, u, vt;
    void *s;
} ob_lu_singular;
/* An offer, as above, but nothing is carried out yet. It is ScaLAPACK's where an argument is wrong
 * or not the same on all; where A's blocks are not square, one of the three begins elsewhere than
 * its array, U's rows are not dealt out as A's or VT's columns not as A's; and where A is zero, is
 * not all numbers, or so small or large that ScaLAPACK may scale it. */
OB_API void ob_lu_may_decompose(const ob_lu_singular *singular);
/* Where that was taken: values, and vectors, of the bidiagonal matrix whose D and E PDGEBRD has
 * left at these addresses; below U's, and beside VT's, come zeros. A is not looked at. All
 * processes call alike. Returns LAPACK's info, the same on all. */
OB_API int ob_lu_decompose(const ob_lu_singular *singular, const void *d, const void *e);

#ifdef __cplusplus
}
#endif
#endif
