/*
 * Redistribution (libopenblacs_redist): a part of one block-cyclic matrix to a part of another one,
 * between any two grids. In the place of ScaLAPACK's P?GEMR2D and P?TRMR2D (Prylli and Tourancheau,
 * 1995) and of the PBLAS' P?TRAN, with their names and arguments; after COSTA (Kabic, Pintarelli,
 * Kozhevnikov and VandeVondele, 2021) one exchange, cut into rounds.
 *
 * The grids are BLACS contexts of OpenBLACS; a libscalapack that brings BLACS of its own must stand
 * behind libopenblacs_redist and libopenblacs on the link line, or both are preloaded. desc is
 * ScaLAPACK's array of 9 integers (type 1, context, m, n, mb, nb, first row and column of
 * processes, local leading dimension), whose type gemr2d and trmr2d do not look at; tran also takes
 * the PBLAS' of 11 (type 2, context, m, n, imb, inb, mb, nb, ...), whose first block has a size of
 * its own. Indices count from 1. Complex elements are two consecutive reals.
 *
 * Each routine exists four times: Cpdgemr2d is ScaLAPACK's C name, pdgemr2d_ its Fortran name, and
 * ob_pdgemr2d, for C, and ob_pdgemr2d_, for Fortran, are names that no other library has. P?TRAN
 * has no C name of ScaLAPACK's.
 *
 * 64-bit integers: every routine exists a second time, with int64_t in the place of int, also in
 * descriptors and in matrices of type i: Cpdgemr2d64_, pdgemr2d_64_, ob_pdgemr2d64_,
 * ob_pdgemr2d_64_. With OPENBLACS_ILP64 defined before this header the plain names are those of
 * libopenblacs_redist64.
 *
 * Errors: an argument that is wrong, or not the same on all processes, is one line, and the end of
 * the job, as in ScaLAPACK's. A matrix may have any size; its local part may be beyond 2 GB.
 *
 * Cost, of p processes, each of which sends and receives at most h bytes: on one node h bytes read
 * and h written by each, through memory that they share, of which a process needs 4 MiB at most;
 * between nodes one message of at most 4 MiB for each two processes in a round, (rounds + p) alpha
 * + h beta. Besides, 48 bytes for each run of rows, or of columns, that lie together on both sides.
 */
#if !defined(OPENBLACS_REDIST_H) || defined(OB_STAMPING)
#define OPENBLACS_REDIST_H

#ifndef OB_STAMPING
#include "openblacs/core.h"
#include "openblacs/integers.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

OB_LIBRARY_64(link_with_libopenblacs_redist64)

/*
 * gemr2d: B(ib:ib+m-1, jb:jb+n-1) = A(ia:ia+m-1, ja:ja+n-1). All processes of `context` call, and
 * it has all processes of both matrices' grids, which may overlap in any way. A process that is not
 * in the grid of A gives -1 as the context of desca; it needs nothing else of desca, nor a, ia and
 * ja. The same of B. m, n are the same on all. The two do not overlap in memory. Nothing else of B
 * is touched.
 *
 * trmr2d: the same of a trapezoid: uplo 'U': rows i <= j + max(m-n, 0) of column j; 'L': rows
 * i >= j - max(n-m, 0). diag 'U' leaves its diagonal out, 'N' does not.
 */
#define OB_REDIST_MOVES(x, type, NAME)                                                             \
    OB_API void NAME(p##x##gemr2d)(OB_INTEGER m, OB_INTEGER n, const type *a, OB_INTEGER ia,       \
                                   OB_INTEGER ja, const OB_INTEGER *desca, type *b, OB_INTEGER ib, \
                                   OB_INTEGER jb, const OB_INTEGER *descb, OB_INTEGER context);    \
    OB_API void NAME(p##x##trmr2d)(const char *uplo, const char *diag, OB_INTEGER m, OB_INTEGER n, \
                                   const type *a, OB_INTEGER ia, OB_INTEGER ja,                    \
                                   const OB_INTEGER *desca, type *b, OB_INTEGER ib, OB_INTEGER jb, \
                                   const OB_INTEGER *descb, OB_INTEGER context);
#define OB_REDIST_FORTRAN(x, type, NAME)                                                           \
    OB_API void NAME(p##x##gemr2d)(                                                                \
        const OB_INTEGER *m, const OB_INTEGER *n, const type *a, const OB_INTEGER *ia,             \
        const OB_INTEGER *ja, const OB_INTEGER *desca, type *b, const OB_INTEGER *ib,              \
        const OB_INTEGER *jb, const OB_INTEGER *descb, const OB_INTEGER *context);                 \
    OB_API void NAME(p##x##trmr2d)(const char *uplo, const char *diag, const OB_INTEGER *m,        \
                                   const OB_INTEGER *n, const type *a, const OB_INTEGER *ia,       \
                                   const OB_INTEGER *ja, const OB_INTEGER *desca, type *b,         \
                                   const OB_INTEGER *ib, const OB_INTEGER *jb,                     \
                                   const OB_INTEGER *descb, const OB_INTEGER *context);
/* A name in C that is ours, and one in Fortran. */
#define OB_REDIST_C(name) OB_T(ob_##name)
#define OB_REDIST_F(name) OB_F(ob_##name)
#define OB_REDIST(x, type)                                                                         \
    OB_REDIST_MOVES(x, type, OB_C)                                                                 \
    OB_REDIST_MOVES(x, type, OB_REDIST_C)                                                          \
    OB_REDIST_FORTRAN(x, type, OB_F)                                                               \
    OB_REDIST_FORTRAN(x, type, OB_REDIST_F)
OB_REDIST(i, OB_INTEGER)
OB_REDIST(s, float)
OB_REDIST(d, double)
OB_REDIST(c, void)
OB_REDIST(z, void)
#undef OB_REDIST
#undef OB_REDIST_FORTRAN
#undef OB_REDIST_MOVES
#undef OB_REDIST_C
#undef OB_REDIST_F

/*
 * tran: C(ic:ic+m-1, jc:jc+n-1) = beta C(...) + alpha op(A(ia:ia+n-1, ja:ja+m-1)), op the transpose
 * (pstran, pdtran, pctranu, pztranu) or the conjugate transpose (pctranc, pztranc). Both matrices
 * have one context, all of whose processes call. alpha and beta are the same on all; where one is
 * zero, A or C is not read. The two do not overlap in memory.
 */
#define OB_REDIST_TRAN(type, name)                                                                 \
    OB_API void OB_T(ob_##name)(OB_INTEGER m, OB_INTEGER n, const type *alpha, const type *a,      \
                                OB_INTEGER ia, OB_INTEGER ja, const OB_INTEGER *desca,             \
                                const type *beta, type *c, OB_INTEGER ic, OB_INTEGER jc,           \
                                const OB_INTEGER *descc);                                          \
    OB_API void OB_F(ob_##name)(                                                                   \
        const OB_INTEGER *m, const OB_INTEGER *n, const type *alpha, const type *a,                \
        const OB_INTEGER *ia, const OB_INTEGER *ja, const OB_INTEGER *desca, const type *beta,     \
        type *c, const OB_INTEGER *ic, const OB_INTEGER *jc, const OB_INTEGER *descc);             \
    OB_API void OB_F(name)(const OB_INTEGER *m, const OB_INTEGER *n, const type *alpha,            \
                           const type *a, const OB_INTEGER *ia, const OB_INTEGER *ja,              \
                           const OB_INTEGER *desca, const type *beta, type *c,                     \
                           const OB_INTEGER *ic, const OB_INTEGER *jc, const OB_INTEGER *descc);
OB_REDIST_TRAN(float, pstran)
OB_REDIST_TRAN(double, pdtran)
OB_REDIST_TRAN(void, pctranu)
OB_REDIST_TRAN(void, pctranc)
OB_REDIST_TRAN(void, pztranu)
OB_REDIST_TRAN(void, pztranc)
#undef OB_REDIST_TRAN

/*
 * Several redistributions as one exchange. Between the two, the gemr2d and trmr2d that the thread
 * calls are noted, and ob_redist_together_end carries them out: those of one context in one go,
 * with one message from a process to another for all matrices, as far as they fit into a round of 4
 * MiB. k small matrices cost p processes (rounds + p) alpha, and not k times as much.
 *
 * Until the end nobody changes a or frees it, and neither reads nor writes b; scalars and
 * descriptors are copied. No a has a part of a b. All processes of a context put the same calls
 * together, in the same order; where there are several contexts, in an order in which they could
 * make them one by one. No context is released before the end. tran is carried out at once. Begins
 * and ends count: of nested ones the outermost act. A wrong argument ends the job as it does
 * without them: a context at the call, another one at the end, with the line of its routine.
 */
OB_API void OB_T(ob_redist_together_begin)(void);
OB_API void OB_F(ob_redist_together_begin)(void);
OB_API void OB_T(ob_redist_together_end)(void);
OB_API void OB_F(ob_redist_together_end)(void);

#ifdef __cplusplus
}
#endif

/* The same with 64-bit integers, by names of their own. */
#ifndef OB_STAMPING
#define OB_STAMPING
#include "openblacs/integers.h"

#include "openblacs/redist.h"
#undef OB_STAMPING
#include "openblacs/integers.h"
#endif
#endif
