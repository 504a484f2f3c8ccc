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

#define OB_TRAPEZOID_COMBINE(p, T, name)                                                           \
    OB_API void OB_C(p##name)(OB_INTEGER context, OB_IN char *scope, OB_IN char *top,              \
                              OB_IN char *uplo, OB_IN char *diag, OB_INTEGER m, OB_INTEGER n,      \
                              T *a, OB_INTEGER lda, OB_INTEGER rdest, OB_INTEGER cdest);           \
    OB_API void OB_F(p##name)(OB_IN OB_INTEGER * context, OB_IN char *scope, OB_IN char *top,      \
                              OB_IN char *uplo, OB_IN char *diag, OB_IN OB_INTEGER *m,             \
                              OB_IN OB_INTEGER *n, T *a, OB_IN OB_INTEGER *lda,                    \
                              OB_IN OB_INTEGER *rdest, OB_IN OB_INTEGER *cdest);
#define OB_REAL_COMBINES(p, T)                                                                     \
    OB_TRAPEZOID_COMBINE(p, T, tmax2d)                                                             \
    OB_TRAPEZOID_COMBINE(p, T, tmin2d)
#define OB_FLOATING_COMBINES(p, T)                                                                 \
    OB_TRAPEZOID_COMBINE(p, T, tnrm2d)                                                             \
    OB_TRAPEZOID_COMBINE(p, T, tksm2d)
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
