/*
 * What the BLACS' authors planned next (LAWN 73, section 7), in the style of
 * openblacs/blacs.h, whose rules on matrices, letters, errors and threads hold
 * here. None of it exists in the netlib BLACS.
 *
 * Combines of trapezoids (7.1.3). ?t...2d combine, element by element, the
 * matrices of all processes of a scope. uplo: 'U' and 'L' the trapezoid as in
 * ?trsd2d, with diag; 'G' the whole matrix, diag is then not looked at. The result is left
 * on (rdest, cdest), or on all when either is -1; elsewhere a may be
 * overwritten. All of a scope call with the same uplo, diag, m, n, top and
 * destination. top may be any of the BLACS' letters; but for ?tsum2d the
 * library goes its own way whatever it says.
 *
 *   ?tsum2d  i s d c z  sum
 *   ?tprd2d  i s d c z  product; integers wrap around
 *   ?tmax2d  i s d      largest value, a NaN when there is one; of zeros +0
 *   ?tmin2d  i s d      smallest value, a NaN when there is one; of zeros -0
 *   ?tnrm2d  s d c z    square root of the sum of squares (of absolute values), without
 *                       overflow or underflow on the way; imaginary part 0
 *   ?tksm2d  s d c z    compensated sum (Kahan, Babuska): errors of the additions are added
 *                       up beside the sum
 *   ?txor2d, ?tand2d, ?tior2d  i  bitwise exclusive or, and, or
 *   ?tuop2d  i s d c z  an operation of the caller's
 *
 * Scopes of any processes (7.1.1): blacs_scope.
 *
 * Wildcard receive (7.1.2): with RSRC = -1 ?gerv2d and ?trrv2d take the next
 * message from anyone, whatever CSRC is. Only point to point messages of that grid
 * match. In Fortran RSRC and CSRC come back as the sender's coordinates, unless they are
 * constants; blacs_source tells them in any language.
 */
#if !defined(OPENBLACS_BLACS_EXTENSIONS_H) || defined(OB_STAMPING)
#define OPENBLACS_BLACS_EXTENSIONS_H

#ifndef OB_STAMPING
#include "openblacs/blacs.h"
#include "openblacs/integers.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a scope of n processes of a grid, (prow[k], pcol[k]): a context that broadcasts,
 * combines, barriers and point to point take, with SCOPE 'A' and the coordinates that the
 * processes have in the grid. Those of the list call, with the same list, in the same order
 * for equal lists; others may, and get -1. Topologies follow the order of the list. Settings
 * (blacs_set) are copied from the grid. blacs_gridexit releases it; it may live longer than
 * the grid. No message. LAWN 73, 7.1.1. */
OB_API void OB_C(blacs_scope)(OB_INTEGER context, OB_INTEGER n, OB_IN OB_INTEGER *prow,
                              OB_IN OB_INTEGER *pcol, OB_INTEGER *scope);
OB_API void OB_F(blacs_scope)(OB_IN OB_INTEGER *context, OB_IN OB_INTEGER *n,
                              OB_IN OB_INTEGER *prow, OB_IN OB_INTEGER *pcol, OB_INTEGER *scope);

/* Coordinates of the process whose message the last receive with RSRC = -1 in this context has
 * taken; -1 and -1 when there was none. LAWN 73, 7.1.2. */
OB_API void OB_C(blacs_source)(OB_INTEGER context, OB_INTEGER *prow, OB_INTEGER *pcol);
OB_API void OB_F(blacs_source)(OB_IN OB_INTEGER *context, OB_INTEGER *prow, OB_INTEGER *pcol);

/* Between the two, sends, receives, broadcasts and combines of the calling thread, in any contexts,
 * travel as few messages, and are over when blacs_together_end returns (openblacs/together.h says
 * what may be done in between). Receives name their source; ?gamx2d and ?gamn2d with RA and CA,
 * combines of trapezoids and ?tuop2d are carried out at once. TOP is not looked at. Nested ones
 * count. A failure ends the job with the line of blacs_together_end. */
OB_API void OB_C(blacs_together_begin)(void);
OB_API void OB_F(blacs_together_begin)(void);
OB_API void OB_C(blacs_together_end)(void);
OB_API void OB_F(blacs_together_end)(void);

/* Broadcasts, combines and barriers that go on while the caller computes. Each does what its
 * namesake without _begin does, but returns at once with a request; a call below ends it. Those of
 * trapezoids stand with their namesakes.
 * (An I in front, as MPI has, would be the letter of a type: IGEBS2D broadcasts integers. So a word
 * stands behind.)
 *
 *   Cdgsum2d_begin(context, "All", " ", m, n, a, lda, -1, -1, &request);
 *   ...                       what does not touch a
 *   Cblacs_wait(&request);    now the sum is there
 *
 * Who calls. All processes of a scope begin a call, or all make it without _begin; the one does not
 * meet the other. Broadcasts, combines and barriers of a scope, begun or not, are made in one order
 * by all its processes (LAWN 73); begun ones end in any order, and any number may be under way.
 * They and point to point messages are not in each other's way.
 *
 * Memory. Until its request is ended, nobody writes a, ra or ca, and nobody reads them but the
 * source of a broadcast its a. All other arguments are copied.
 *
 * Results are those of the namesake. top must be a letter of the BLACS, but is not looked at: on
 * one node sums have the bits of ?gsum2d with TOP = ' ', elsewhere they are repeatable, and as
 * blacs_set with what = 15 says.
 *
 * Who moves it: every call of the library that waits, and blacs_test. Where all processes are on
 * one node and the matrix has OPENBLACS_BACKGROUND bytes (256 KiB), also a thread of the library.
 *
 * Errors. Arguments, and no memory, end the job with a line of the call that begins; sizes that
 * differ and a process that has ended with a line of the call that ends the request. */
#define OB_BEGIN_BROADCASTS(p, T)                                                                  \
    OB_API void OB_C(p##gebs2d_begin)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,      \
                                      OB_INTEGER m, OB_INTEGER n, OB_IN T *a, OB_INTEGER lda,      \
                                      OB_INTEGER *request);                                        \
    OB_API void OB_F(p##gebs2d_begin)(OB_IN OB_INTEGER * context, OB_IN char *scope,               \
                                      OB_IN char *top, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n,   \
                                      OB_IN T *a, OB_IN OB_INTEGER *lda, OB_INTEGER *request);     \
    OB_API void OB_C(p##gebr2d_begin)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,      \
                                      OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda,            \
                                      OB_INTEGER rsrc, OB_INTEGER csrc, OB_INTEGER *request);      \
    OB_API void OB_F(p##gebr2d_begin)(OB_IN OB_INTEGER * context, OB_IN char *scope,               \
                                      OB_IN char *top, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n,   \
                                      T *a, OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rsrc,         \
                                      OB_IN OB_INTEGER *csrc, OB_INTEGER *request);                \
    OB_API void OB_C(p##trbs2d_begin)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,      \
                                      OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m,            \
                                      OB_INTEGER n, OB_IN T *a, OB_INTEGER lda,                    \
                                      OB_INTEGER *request);                                        \
    OB_API void OB_F(p##trbs2d_begin)(OB_IN OB_INTEGER * context, OB_IN char *scope,               \
                                      OB_IN char *top, OB_IN char *uplo, OB_IN char *diag,         \
                                      OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, OB_IN T *a,        \
                                      OB_IN OB_INTEGER *lda, OB_INTEGER *request);                 \
    OB_API void OB_C(p##trbr2d_begin)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,      \
                                      OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m,            \
                                      OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER rsrc,         \
                                      OB_INTEGER csrc, OB_INTEGER *request);                       \
    OB_API void OB_F(p##trbr2d_begin)(                                                             \
        OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,          \
        OB_IN char *diag, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda,   \
        OB_IN OB_INTEGER *rsrc, OB_IN OB_INTEGER *csrc, OB_INTEGER *request);
/* The destination as in ?gsum2d and ?gamx2d: (rdest, cdest), or all processes of the scope where
 * either is -1; elsewhere a may be overwritten. ra and ca as there: not looked at where ldia is -1,
 * else who has the element comes to the destination with it. */
#define OB_BEGIN_EXTREME(p, T, name)                                                               \
    OB_API void OB_C(p##name)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,              \
                              OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER *ra,    \
                              OB_INTEGER *ca, OB_INTEGER ldia, OB_INTEGER rdest, OB_INTEGER cdest, \
                              OB_INTEGER *request);                                                \
    OB_API void OB_F(p##name)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,      \
                              OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a,                      \
                              OB_IN OB_INTEGER *lda, OB_INTEGER *ra, OB_INTEGER *ca,               \
                              OB_IN OB_INTEGER *ldia, OB_IN OB_INTEGER *rdest,                     \
                              OB_IN OB_INTEGER *cdest, OB_INTEGER *request);
#define OB_BEGIN_COMBINES(p, T)                                                                    \
    OB_API void OB_C(p##gsum2d_begin)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,      \
                                      OB_INTEGER m, OB_INTEGER n, T *a, OB_INTEGER lda,            \
                                      OB_INTEGER rdest, OB_INTEGER cdest, OB_INTEGER *request);    \
    OB_API void OB_F(p##gsum2d_begin)(OB_IN OB_INTEGER * context, OB_IN char *scope,               \
                                      OB_IN char *top, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n,   \
                                      T *a, OB_IN OB_INTEGER *lda, OB_IN OB_INTEGER *rdest,        \
                                      OB_IN OB_INTEGER *cdest, OB_INTEGER *request);               \
    OB_BEGIN_EXTREME(p, T, gamx2d_begin)                                                           \
    OB_BEGIN_EXTREME(p, T, gamn2d_begin)
OB_BLACS_TYPES(OB_BEGIN_BROADCASTS)
OB_BLACS_TYPES(OB_BEGIN_COMBINES)
#undef OB_BEGIN_BROADCASTS
#undef OB_BEGIN_EXTREME
#undef OB_BEGIN_COMBINES

/* A barrier, without a matrix: its request is ended no sooner than all processes of the scope have
 * begun it. */
OB_API void OB_C(blacs_barrier_begin)(OB_INTEGER context, OB_IN char *scope, OB_INTEGER *request);
OB_API void OB_F(blacs_barrier_begin)(OB_IN OB_INTEGER *context, OB_IN char *scope,
                                      OB_INTEGER *request);

/* These end requests, one thread each. A request that is ended becomes -1, and -1 counts as ended.
 * blacs_wait waits. blacs_test does not: done is 1 when the request is ended, else 0. blacs_waitall
 * waits for n of them. The grid must live: blacs_gridexit ends the job where a request of the grid
 * is left. blacs_exit says with a line which are left; their results are undefined. */
OB_API void OB_C(blacs_wait)(OB_INTEGER *request);
OB_API void OB_F(blacs_wait)(OB_INTEGER *request);
OB_API void OB_C(blacs_test)(OB_INTEGER *request, OB_INTEGER *done);
OB_API void OB_F(blacs_test)(OB_INTEGER *request, OB_INTEGER *done);
OB_API void OB_C(blacs_waitall)(OB_INTEGER n, OB_INTEGER *request);
OB_API void OB_F(blacs_waitall)(OB_IN OB_INTEGER *n, OB_INTEGER *request);

/* The functions of ?tuop2d; all arguments by reference, so that Fortran
 * subroutines serve as well. A matrix element becomes `width` numbers of its type
 * (7.1.3: "initialization"), which are combined pairwise, in any grouping and
 * order, and become an element again at the destination.
 *   begin(n, x, w)   w[width i ..] from x[i], i < n; NULL where width is 1: a copy
 *   combine(n, w, v) w from w and v, both n times width numbers
 *   end(n, w, x)     x[i] from w[width i ..]; NULL where width is 1: a copy
 * They must not call the library. */
typedef void (*OB_T(blacs_begin))(const OB_INTEGER *n, const void *x, void *w);
typedef void (*OB_T(blacs_combine))(const OB_INTEGER *n, void *w, const void *v);
typedef void (*OB_T(blacs_end))(const OB_INTEGER *n, const void *w, void *x);

#define OB_TRAPEZOID_WAITING(p, T, name)                                                           \
    OB_API void OB_C(p##name)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,              \
                              OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m, OB_INTEGER n,      \
                              T *a, OB_INTEGER lda, OB_INTEGER rdest, OB_INTEGER cdest);           \
    OB_API void OB_F(p##name)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,      \
                              OB_IN char *uplo, OB_IN char *diag, OB_IN OB_INTEGER *m,             \
                              OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda,                    \
                              OB_IN OB_INTEGER *rdest, OB_IN OB_INTEGER *cdest);
/* Combines that can be begun, too (above): those whose elements are the matrix's own numbers on the
 * way. On one node results have the same bits. */
#define OB_TRAPEZOID_COMBINE(p, T, name)                                                           \
    OB_TRAPEZOID_WAITING(p, T, name)                                                               \
    OB_API void OB_C(p##name##_begin)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,      \
                                      OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m,            \
                                      OB_INTEGER n, T *a, OB_INTEGER lda, OB_INTEGER rdest,        \
                                      OB_INTEGER cdest, OB_INTEGER *request);                      \
    OB_API void OB_F(p##name##_begin)(                                                             \
        OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,          \
        OB_IN char *diag, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda,   \
        OB_IN OB_INTEGER *rdest, OB_IN OB_INTEGER *cdest, OB_INTEGER *request);
#define OB_REAL_COMBINES(p, T)                                                                     \
    OB_TRAPEZOID_COMBINE(p, T, tmax2d)                                                             \
    OB_TRAPEZOID_COMBINE(p, T, tmin2d)
#define OB_FLOATING_COMBINES(p, T)                                                                 \
    OB_TRAPEZOID_WAITING(p, T, tnrm2d)                                                             \
    OB_TRAPEZOID_WAITING(p, T, tksm2d)
/* width: 1 to 16 numbers of the type. LAWN 73, 7.1.3. */
#define OB_ALL_COMBINES(p, T)                                                                      \
    OB_TRAPEZOID_COMBINE(p, T, tsum2d)                                                             \
    OB_TRAPEZOID_COMBINE(p, T, tprd2d)                                                             \
    OB_API void OB_C(p##tuop2d)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,            \
                                OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m, OB_INTEGER n,    \
                                T *a, OB_INTEGER lda, OB_INTEGER rdest, OB_INTEGER cdest,          \
                                OB_INTEGER width, OB_T(blacs_begin) begin,                         \
                                OB_T(blacs_combine) combine, OB_T(blacs_end) end);                 \
    OB_API void OB_F(p##tuop2d)(                                                                   \
        OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,          \
        OB_IN char *diag, OB_IN OB_INTEGER *m, OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda,   \
        OB_IN OB_INTEGER *rdest, OB_IN OB_INTEGER *cdest, OB_IN OB_INTEGER *width,                 \
        OB_T(blacs_begin) begin, OB_T(blacs_combine) combine, OB_T(blacs_end) end);

OB_BLACS_TYPES(OB_ALL_COMBINES)
OB_REAL_COMBINES(i, OB_INTEGER)
OB_REAL_COMBINES(s, float)
OB_REAL_COMBINES(d, double)
OB_FLOATING_COMBINES(s, float)
OB_FLOATING_COMBINES(d, double)
OB_FLOATING_COMBINES(c, OB_COMPLEX8)
OB_FLOATING_COMBINES(z, OB_COMPLEX16)
OB_TRAPEZOID_COMBINE(i, OB_INTEGER, txor2d)
OB_TRAPEZOID_COMBINE(i, OB_INTEGER, tand2d)
OB_TRAPEZOID_COMBINE(i, OB_INTEGER, tior2d)

#undef OB_TRAPEZOID_WAITING
#undef OB_TRAPEZOID_COMBINE
#undef OB_REAL_COMBINES
#undef OB_FLOATING_COMBINES
#undef OB_ALL_COMBINES

#ifdef __cplusplus
}
#endif

/* The same with 64-bit integers, by names of their own. */
#ifndef OB_STAMPING
#define OB_STAMPING
#include "openblacs/integers.h"

#include "openblacs/blacs_extensions.h"
#undef OB_STAMPING
#include "openblacs/integers.h"
#endif
#endif
