/*
 * Inside libopenblacs_factor: which calls are ScaLAPACK's.
 */
#ifndef OPENBLACS_FACTOR_INSIDE_H
#define OPENBLACS_FACTOR_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix; of right-hand sides m is not looked at. */
typedef struct obfa_part {
    int64_t m, n, i, j;
    const int *desc;
} obfa_part;

/* Is the call with these arguments ScaLAPACK's (rules.c)? What libopenblacs_lu finds wrong itself
 * is not looked at. Of geqrf, gels, ormqr, sytrd, gebrd and gesvd *least becomes the least LWORK
 * that ScaLAPACK takes on this process. */
bool obfa_declines_getrf(const obfa_part *a);
bool obfa_declines_potrf(char uplo, const obfa_part *a);
bool obfa_declines_geqrf(const obfa_part *a, int64_t lwork, int64_t *least);
/* Of matrices m x k and k x n; desc: C's. The same on all processes. */
bool obfa_declines_gemm(int64_t m, int64_t n, int64_t k, const int *desc);
bool obfa_declines_gels(const obfa_part *a, const obfa_part *b, int64_t lwork, int64_t *least);
bool obfa_declines_ormqr(char side, const obfa_part *a, const obfa_part *c, int64_t lwork,
                         int64_t *least);
bool obfa_declines_sytrd(const obfa_part *a, int64_t lwork, int64_t *least);
bool obfa_declines_laed3(int context);
bool obfa_declines_gebrd(const obfa_part *a, int64_t lwork, int64_t *least);
/* A descriptor is NULL where those vectors are not wanted. */
bool obfa_declines_gesvd(const obfa_part *a, const int *desc_u, const int *desc_vt, int64_t lwork,
                         int64_t *least);

/* Opens an offer (common/offer.h); in traces and lines all that it does has the routine's own name.
 * site: who called. */
void obfa_begin(const char *routine, const void *site, bool declines);
/* Ends it: was it taken? */
bool obfa_taken(void);
/* No ScaLAPACK stands behind for what is ScaLAPACK's. */
_Noreturn void obfa_end_alone(const char *routine);

#endif
