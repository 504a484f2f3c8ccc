/*
 * Factorisations in supersteps, products, Q times a matrix, tridiagonal and bidiagonal matrices,
 * the equations of divide and conquer, and singular values, for unchanged ScaLAPACK programs
 * (libopenblacs_factor): ScaLAPACK's own p?getrf_, p?potrf_, p?geqrf_ and p?gels_, PBLAS' p?gemm_,
 * of s, d, c and z, psormqr_, pdormqr_, pcunmqr_ and pzunmqr_, pssytrd_, pdsytrd_, pchetrd_ and
 * pzhetrd_, psgebrd_ and pdgebrd_, pslaed3_ and pdlaed3_, and psgesvd_ and pdgesvd_, carried out by
 * libopenblacs_lu (openblacs/bsp_lu.h). Preloaded, or in front of ScaLAPACK on the link line, they
 * take the place of ScaLAPACK's also where ScaLAPACK calls them: PDGESV, PDPOSV, PDGESVX, PDSYGVX,
 * PDSYEV, PDSYEVD, PZHEEVD. libopenblacs has to be in front of a libscalapack that brings BLACS of
 * its own, too.
 *
 * Of factorisations: arguments, layouts, results and info are ScaLAPACK's. Pivoting is partial;
 * bsp_lu_block and its like change nothing. A call is passed on to the ScaLAPACK behind, found by
 * dlsym, with
 *   - an argument that is wrong on some process, or not the same on all: the line and info are
 *     ScaLAPACK's. That is so for what bsp_p?... would take but ScaLAPACK does not, too: getrf and
 *     potrf of blocks that are not square, or that begin within a block;
 *   - lwork -1, or less than ScaLAPACK asks for (geqrf, gels);
 *   - a context that is not OpenBLACS's, or of a grid with spawned processes;
 *   - an array of one row (getrf), of which ScaLAPACK does not look at the pivot;
 *   - a matrix for which ScaLAPACK's is faster (bench/lu.md).
 * Where no ScaLAPACK stands behind, such calls are those of bsp_lu.h, with its line and its rules.
 *
 * All processes of a grid pass a call on, or none. They agree in the combine with which the
 * routines of bsp_lu.h begin anyhow: who would pass it on says so there, so that a descriptor that
 * is wrong on one process alone sends all of them to ScaLAPACK. A call that is carried out needs no
 * message for that. One that is passed on needs that combine, of 280 bytes (gels: 472), but for
 * contexts that are not OpenBLACS's, grids of one process and those with spawned ones, which are
 * the same for all. Without it a process whose own arguments are right could not know that
 * another's are not.
 *
 * Threads, calls that are put together (openblacs/together.h), BSPlib: as for bsp_lu.h. Of threads
 * that have grids of the same processes one at a time is in such a routine, in the same order on
 * all processes, as ScaLAPACK wants it. Between ob_together_begin and its end the job ends with a
 * line. In a program of BSPlib they are supersteps of their own.
 *
 * Products, p?gemm_: C = alpha op(A) op(B) + beta C, as PBLAS'. Carried out on grids whose
 * processes share a node where min(m, n) >= k / 2, k >= 128 and m n k is at least 20 million for
 * each process (40 where min(m,n) < k); where rows of A (columns, transposed) and columns of B
 * (rows) are dealt out as C's, as at (ic, jc) so at (ia, .) and (., jb), or lie in one block; not
 * with T of complex matrices. All else, and what is wrong, is PBLAS'. Nothing is agreed on: what
 * decides is the same on all processes. Cost, with P x Q processes: 2 m n k / (P Q) flops, and (m /
 * P + n / Q) k elements come to each process. Memory: 256 max(P, Q) (2 m / P + n / Q) elements, and
 * for a transposed A 1024 max(P, Q) m / P, B n / Q. Where no PBLAS stands behind, what can be is
 * carried out, and the rest ends the job with a line.
 *
 * Q of a QR factorisation times a matrix, p?ormqr_ and p?unmqr_: arguments, results, work[0] and
 * info are ScaLAPACK's, and calls are passed on as those of factorisations. Carried out on grids
 * whose processes share a node, where the side of C that Q does not change is at least half as
 * long as the other; from the left with k >= 400, or blocks of 32 columns or more (on more than 4
 * processes with k >= 200), from the right with k >= 300 (600 with more than two processes) and
 * such blocks. Cost, with P x Q processes, from the left: 4 m n k / (P Q) flops and little more,
 * and m k / P + n k / Q elements come to each process. Memory: 2 * 256 m / P + 32 (64 from m = 1000
 * on) n / Q elements. From the right with m and n, P and Q in each other's place, and A is
 * transposed first.
 *
 * Symmetric and Hermitian matrices made tridiagonal, p?sytrd_ and p?hetrd_: arguments, results,
 * work[0] and info are ScaLAPACK's, and calls are passed on as those of factorisations. Carried out
 * of the lower triangle (uplo L) on grids whose processes share a node, where n is more than one
 * block. Cost, with P x Q processes: 4/3 n^3 / (P Q) + 16 n^2 flops, n sums of n / 2 elements on
 * average over all processes, and n^2 / 2 elements come to each. Memory: 40 n elements.
 *
 * The equations of divide and conquer, pslaed3_ and pdlaed3_: eigenvalues and eigenvectors of
 * D + rho w w^T of order k, for PDLAED1 alone, which PDSTEDC and with it PDSYEVD call. Arguments
 * and results are ScaLAPACK's; info is that of any process, on all of them. Carried out on grids
 * whose processes share a node. Cost, with P x Q processes: k / (P Q) calls of LAPACK's DLAED4 and
 * k^2 / Q divisions, and 4 k elements come to each. Memory: 4 k elements and 4 k integers.
 *
 * Matrices made bidiagonal, psgebrd_ and pdgebrd_: arguments, results, work[0] and info are
 * ScaLAPACK's, and calls are passed on as those of factorisations. Carried out on grids whose
 * processes share a node, where min(m, n) is more than one block and max(m, n) at most 200 times
 * that over the number of processes. Cost, with P x Q processes and n = min(m, n): 4 n^2 (m - n /
 * 3) / (P Q) + 32 (m + n) n flops, n sums of m and n of n elements at most over all processes, and
 * (m + n) n elements come to each. Memory: 40 (m + n) elements.
 *
 * Singular values, psgesvd_ and pdgesvd_: arguments, meaning and work[0] are ScaLAPACK's, and calls
 * are passed on as those of factorisations. Carried out on grids whose processes share a node, at
 * most 8 of them, with jobu or jobvt V and min(m, n) <= 5000, where all three matrices begin in
 * their array's first row and column, U's rows are dealt out as A's and VT's columns as A's; not
 * where A is zero, has elements that are no numbers, or such small or large ones that ScaLAPACK may
 * scale it. The first step is p?gebrd_, the last p?ormbr_ of the ScaLAPACK behind. Between them
 * the first process makes the bidiagonal matrix's vectors by divide and conquer (DBDSDC) and the
 * last one its values (DBDSQR without vectors: small ones have all digits); a pair of vectors may
 * have the other sign. Memory there: 5 min(m, n)^2 elements, beside the caller's work. info > 0:
 * LAPACK has not found values or vectors.
 *
 * The solvers P?GETRS, P?POTRS and their like are not here: with few right-hand sides ScaLAPACK's
 * are faster. Nor are 64-bit integers: bsp_lu.h has them.
 */
#ifndef OPENBLACS_FACTOR_H
#define OPENBLACS_FACTOR_H

#include "openblacs/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fortran's names; C programs call them as ScaLAPACK's, with addresses. Complex elements are two
 * consecutive reals. On return work[0] is the least lwork that ScaLAPACK takes. */
#define OB_FACTOR(x, real)                                                                         \
    OB_API void p##x##getrf_(const int *m, const int *n, real *a, const int *ia, const int *ja,    \
                             const int *desca, int *ipiv, int *info);                              \
    OB_API void p##x##potrf_(const char *uplo, const int *n, real *a, const int *ia,               \
                             const int *ja, const int *desca, int *info);                          \
    OB_API void p##x##geqrf_(const int *m, const int *n, real *a, const int *ia, const int *ja,    \
                             const int *desca, real *tau, real *work, const int *lwork,            \
                             int *info);                                                           \
    OB_API void p##x##gels_(const char *trans, const int *m, const int *n, const int *nrhs,        \
                            real *a, const int *ia, const int *ja, const int *desca, real *b,      \
                            const int *ib, const int *jb, const int *descb, real *work,            \
                            const int *lwork, int *info);                                          \
    OB_API void p##x##gemm_(const char *of_a, const char *of_b, const int *m, const int *n,        \
                            const int *k, const real *alpha, const real *a, const int *ia,         \
                            const int *ja, const int *desca, const real *b, const int *ib,         \
                            const int *jb, const int *descb, const real *beta, real *c,            \
                            const int *ic, const int *jc, const int *descc);
OB_FACTOR(s, float)
OB_FACTOR(d, double)
OB_FACTOR(c, float)
OB_FACTOR(z, double)
#undef OB_FACTOR

#define OB_FACTOR(name, real)                                                                      \
    OB_API void name##_(const char *side, const char *trans, const int *m, const int *n,           \
                        const int *k, const real *a, const int *ia, const int *ja,                 \
                        const int *desca, const real *tau, real *c, const int *ic, const int *jc,  \
                        const int *descc, real *work, const int *lwork, int *info);
OB_FACTOR(psormqr, float)
OB_FACTOR(pdormqr, double)
OB_FACTOR(pcunmqr, float)
OB_FACTOR(pzunmqr, double)
#undef OB_FACTOR

#define OB_FACTOR(name, real)                                                                      \
    OB_API void name##_(const char *uplo, const int *n, real *a, const int *ia, const int *ja,     \
                        const int *desca, real *d, real *e, real *tau, real *work,                 \
                        const int *lwork, int *info);
OB_FACTOR(pssytrd, float)
OB_FACTOR(pdsytrd, double)
OB_FACTOR(pchetrd, float)
OB_FACTOR(pzhetrd, double)
#undef OB_FACTOR

/* As in ScaLAPACK's PDLAED1, the only one to call them. */
#define OB_FACTOR(name, real)                                                                      \
    OB_API void name##_(const int *ictxt, int *k, const int *n, const int *nb, real *d,            \
                        const int *drow, const int *dcol, real *rho, real *dlamda, real *w,        \
                        real *z, real *u, const int *ldu, real *buf, int *indx, int *indcol,       \
                        int *indrow, int *indxr, int *indxc, int *ctot, const int *npcol,          \
                        int *info);
OB_FACTOR(pslaed3, float)
OB_FACTOR(pdlaed3, double)
#undef OB_FACTOR

#define OB_FACTOR(name, real)                                                                      \
    OB_API void name##_(const int *m, const int *n, real *a, const int *ia, const int *ja,         \
                        const int *desca, real *d, real *e, real *tauq, real *taup, real *work,    \
                        const int *lwork, int *info);
OB_FACTOR(psgebrd, float)
OB_FACTOR(pdgebrd, double)
#undef OB_FACTOR

#define OB_FACTOR(name, real)                                                                      \
    OB_API void name##_(const char *jobu, const char *jobvt, const int *m, const int *n, real *a,  \
                        const int *ia, const int *ja, const int *desca, real *s, real *u,          \
                        const int *iu, const int *ju, const int *descu, real *vt, const int *ivt,  \
                        const int *jvt, const int *descvt, real *work, const int *lwork,           \
                        int *info);
OB_FACTOR(psgesvd, float)
OB_FACTOR(pdgesvd, double)
#undef OB_FACTOR

#ifdef __cplusplus
}
#endif
#endif
