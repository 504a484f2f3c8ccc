/*
 * ScaLAPACK's routines by its names. Each makes an offer to libopenblacs_lu, which all processes of
 * the grid take or none does (common/offer.h), and passes the call on where none does.
 *
 * Nothing of libopenblacs_lu calls a routine by a name of ScaLAPACK's, so an offer makes no other.
 * ScaLAPACK's own do (PDGELS calls PDGEQRF), which are offers of their own then.
 */
#include "factor.h"

#include "common/behind.h"
#include "common/offer.h"
#include "hooks/trace.h"
#include "openblacs/factor.h"

/* In traces and lines all that the offer does has the routine's own name. */
static void begin(const char *routine, const void *site, bool declines)
{
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine(NULL, site, 0);
    ob_trace_as(routine);
    ob_lu_offer(declines);
}

static bool taken(void)
{
    ob_trace_as(NULL);
    return ob_lu_taken();
}

/* Without a ScaLAPACK behind it is libopenblacs_lu that carries out what it can, and says the rest.
 */
#define CARRY_OUT(name, declines, ...)                                                             \
    begin(#name, __builtin_return_address(0), declines);                                           \
    ob_lu.name(__VA_ARGS__);                                                                       \
    if (!taken()) {                                                                                \
        __typeof__(name##_) *next;                                                                 \
        *(void **)&next = ob_behind(#name "_", (void *)name##_, __builtin_return_address(0));      \
        (next ? next : ob_lu.name)(__VA_ARGS__);                                                   \
        return;                                                                                    \
    }

#define PART(m, n, i, j, desc) (&(const obfa_part){m, n, i, j, desc})

#define TRIANGULAR(x, real)                                                                        \
    void p##x##getrf_(const int *m, const int *n, real *a, const int *ia, const int *ja,           \
                      const int *desca, int *ipiv, int *info)                                      \
    {                                                                                              \
        CARRY_OUT(p##x##getrf, obfa_declines_getrf(PART(*m, *n, *ia, *ja, desca)), m, n, a, ia,    \
                  ja, desca, ipiv, info)                                                           \
    }                                                                                              \
    void p##x##potrf_(const char *uplo, const int *n, real *a, const int *ia, const int *ja,       \
                      const int *desca, int *info)                                                 \
    {                                                                                              \
        CARRY_OUT(p##x##potrf, obfa_declines_potrf(*uplo, PART(*n, *n, *ia, *ja, desca)), uplo, n, \
                  a, ia, ja, desca, info)                                                          \
    }

#define ORTHOGONAL(x, real)                                                                        \
    void p##x##geqrf_(const int *m, const int *n, real *a, const int *ia, const int *ja,           \
                      const int *desca, real *tau, real *work, const int *lwork, int *info)        \
    {                                                                                              \
        int64_t least;                                                                             \
        CARRY_OUT(p##x##geqrf, obfa_declines_geqrf(PART(*m, *n, *ia, *ja, desca), *lwork, &least), \
                  m, n, a, ia, ja, desca, tau, work, lwork, info)                                  \
        work[0] = (real)least;                                                                     \
    }                                                                                              \
    void p##x##gels_(const char *trans, const int *m, const int *n, const int *nrhs, real *a,      \
                     const int *ia, const int *ja, const int *desca, real *b, const int *ib,       \
                     const int *jb, const int *descb, real *work, const int *lwork, int *info)     \
    {                                                                                              \
        int64_t least;                                                                             \
        CARRY_OUT(p##x##gels,                                                                      \
                  obfa_declines_gels(PART(*m, *n, *ia, *ja, desca),                                \
                                     PART(0, *nrhs, *ib, *jb, descb), *lwork, &least),             \
                  trans, m, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, work, lwork, info)        \
        work[0] = (real)least;                                                                     \
    }

#define ROUTINES(x, real)                                                                          \
    TRIANGULAR(x, real)                                                                            \
    ORTHOGONAL(x, real)
ROUTINES(s, float)
ROUTINES(d, double)
ROUTINES(c, float)
ROUTINES(z, double)
