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
#ifndef OPENBLACS_BLACS_EXTENSIONS_H
#define OPENBLACS_BLACS_EXTENSIONS_H

#include "openblacs/blacs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a scope of n processes of a grid, (prow[k], pcol[k]): a context that broadcasts,
 * combines, barriers and point to point take, with SCOPE 'A' and the coordinates that the
 * processes have in the grid. Those of the list call, with the same list, in the same order
 * for equal lists; others may, and get -1. Topologies follow the order of the list. Settings
 * (blacs_set) are copied from the grid. blacs_gridexit releases it; it may live longer than
 * the grid. No message. LAWN 73, 7.1.1. */
OB_API void Cblacs_scope(int context, int n, OB_IN int *prow, OB_IN int *pcol, int *scope);
OB_API void blacs_scope_(OB_IN int *context, OB_IN int *n, OB_IN int *prow, OB_IN int *pcol,
                         int *scope);

/* Coordinates of the process whose message the last receive with RSRC = -1 in this context has
 * taken; -1 and -1 when there was none. LAWN 73, 7.1.2. */
OB_API void Cblacs_source(int context, int *prow, int *pcol);
OB_API void blacs_source_(OB_IN int *context, int *prow, int *pcol);

/* The functions of ?tuop2d; all arguments by reference, so that Fortran
 * subroutines serve as well. A matrix element becomes `width` numbers of its type
 * (7.1.3: "initialization"), which are combined pairwise, in any grouping and
 * order, and become an element again at the destination.
 *   begin(n, x, w)   w[width i ..] from x[i], i < n; NULL where width is 1: a copy
 *   combine(n, w, v) w from w and v, both n times width numbers
 *   end(n, w, x)     x[i] from w[width i ..]; NULL where width is 1: a copy
 * They must not call the library. */
typedef void (*blacs_begin)(const int *n, const void *x, void *w);
typedef void (*blacs_combine)(const int *n, void *w, const void *v);
typedef void (*blacs_end)(const int *n, const void *w, void *x);

#define OB_TRAPEZOID_COMBINE(p, T, name)                                                           \
    OB_API void C##p##name(int context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,      \
                           OB_IN char *diag, int m, int n, T *a, int lda, int rdest, int cdest);   \
    OB_API void p##name##_(OB_IN int *context, OB_IN char *scope, OB_IN char *top,                 \
                           OB_IN char *uplo, OB_IN char *diag, OB_IN int *m, OB_IN int *n, T *a,   \
                           OB_IN int *lda, OB_IN int *rdest, OB_IN int *cdest);
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
    OB_API void C##p##tuop2d(int context, OB_IN char *scope, OB_IN char *top, OB_IN char *uplo,    \
                             OB_IN char *diag, int m, int n, T *a, int lda, int rdest, int cdest,  \
                             int width, blacs_begin begin, blacs_combine combine, blacs_end end);  \
    OB_API void p##tuop2d_(OB_IN int *context, OB_IN char *scope, OB_IN char *top,                 \
                           OB_IN char *uplo, OB_IN char *diag, OB_IN int *m, OB_IN int *n, T *a,   \
                           OB_IN int *lda, OB_IN int *rdest, OB_IN int *cdest, OB_IN int *width,   \
                           blacs_begin begin, blacs_combine combine, blacs_end end);

OB_BLACS_TYPES(OB_ALL_COMBINES)
OB_REAL_COMBINES(i, int)
OB_REAL_COMBINES(s, float)
OB_REAL_COMBINES(d, double)
OB_FLOATING_COMBINES(s, float)
OB_FLOATING_COMBINES(d, double)
OB_FLOATING_COMBINES(c, OB_COMPLEX8)
OB_FLOATING_COMBINES(z, OB_COMPLEX16)
OB_TRAPEZOID_COMBINE(i, int, txor2d)
OB_TRAPEZOID_COMBINE(i, int, tand2d)
OB_TRAPEZOID_COMBINE(i, int, tior2d)

#undef OB_TRAPEZOID_COMBINE
#undef OB_REAL_COMBINES
#undef OB_FLOATING_COMBINES
#undef OB_ALL_COMBINES

#ifdef __cplusplus
}
#endif
#endif
