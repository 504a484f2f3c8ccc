/*
 * ScaLAPACK's routines by its names. Each makes an offer to libopenblacs_lu, which all processes of
 * the grid take or none does (common/offer.h), and passes the call on where none does.
 *
 * Nothing of libopenblacs_lu calls a routine by a name of ScaLAPACK's, so an offer makes no other.
 * ScaLAPACK's own do (PDGELS calls PDGEQRF), which are offers of their own then.
 *
 * Of products what decides is the same on all processes, so that there is nothing to agree on.
 */
#include "factor.h"

#include "common/behind.h"
#include "common/fault.h"
#include "common/offer.h"
#include "hooks/trace.h"
#include "openblacs/factor.h"

void obfa_begin(const char *routine, const void *site, bool declines)
{
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine(NULL, site, 0);
    ob_trace_as(routine);
    ob_lu_offer(declines);
}

bool obfa_taken(void)
{
    ob_trace_as(NULL);
    return ob_lu_taken();
}

/* Without a ScaLAPACK behind it is libopenblacs_lu that carries out what it can, and says the rest.
 */
#define CARRY_OUT(name, declines, ...)                                                             \
    obfa_begin(#name, __builtin_return_address(0), declines);                                      \
    ob_lu.name(__VA_ARGS__);                                                                       \
    if (!obfa_taken()) {                                                                           \
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

/* PBLAS ends the job where something is wrong, so that nobody need agree on that. */
static bool multiply(const char *routine, const void *site, const ob_lu_product *p, bool declines)
{
    if (declines)
        return false;
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine(NULL, site, 0);
    ob_trace_as(routine);
    bool done = ob_lu_multiply(p);
    ob_trace_as(NULL);
    return done;
}

static void say(const char *routine, const char *format, ...)
{
    va_list none;
    va_start(none, format);
    ob_fault_say(routine, format, none);
    va_end(none);
}

_Noreturn void obfa_end_alone(const char *routine)
{
    if (ob_fault_speaks(true))
        say(routine, "OB-6103 has arguments that are ScaLAPACK's to carry out or to refuse, and no "
                     "ScaLAPACK stands behind libopenblacs_factor; link one behind it");
    ob_fault_end(ob_fault_job(), 1);
}

#define PRODUCT(x, real)                                                                           \
    void p##x##gemm_(const char *of_a, const char *of_b, const int *m, const int *n, const int *k, \
                     const real *alpha, const real *a, const int *ia, const int *ja,               \
                     const int *desca, const real *b, const int *ib, const int *jb,                \
                     const int *descb, const real *beta, real *c, const int *ic, const int *jc,    \
                     const int *descc)                                                             \
    {                                                                                              \
        const void *site = __builtin_return_address(0);                                            \
        const ob_lu_product p = {.type = #x[0],                                                    \
                                 .of_a = *of_a,                                                    \
                                 .of_b = *of_b,                                                    \
                                 .m = *m,                                                          \
                                 .n = *n,                                                          \
                                 .k = *k,                                                          \
                                 .alpha = alpha,                                                   \
                                 .beta = beta,                                                     \
                                 .a = {(void *)a, *ia, *ja, desca},                                \
                                 .b = {(void *)b, *ib, *jb, descb},                                \
                                 .c = {c, *ic, *jc, descc}};                                       \
        if (multiply("p" #x "gemm", site, &p, obfa_declines_gemm(*m, *n, *k, descc)))              \
            return;                                                                                \
        __typeof__(p##x##gemm_) *next;                                                             \
        *(void **)&next = ob_behind("p" #x "gemm_", (void *)p##x##gemm_, site);                    \
        if (next)                                                                                  \
            next(of_a, of_b, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc,  \
                 descc);                                                                           \
        else if (!multiply("p" #x "gemm", site, &p, false))                                        \
            obfa_end_alone("p" #x "gemm");                                                         \
    }

static bool apply(const char *routine, const void *site, const ob_lu_transform *t, bool declines)
{
    obfa_begin(routine, site, declines);
    ob_lu_apply(t);
    return obfa_taken();
}

#define TRANSFORM(x, real, name)                                                                   \
    void p##x##name##_(const char *side, const char *trans, const int *m, const int *n,            \
                       const int *k, const real *a, const int *ia, const int *ja,                  \
                       const int *desca, const real *tau, real *c, const int *ic, const int *jc,   \
                       const int *descc, real *work, const int *lwork, int *info)                  \
    {                                                                                              \
        const void *site = __builtin_return_address(0);                                            \
        const ob_lu_transform t = {.type = #x[0],                                                  \
                                   .side = *side,                                                  \
                                   .trans = *trans,                                                \
                                   .m = *m,                                                        \
                                   .n = *n,                                                        \
                                   .k = *k,                                                        \
                                   .a = {(void *)a, *ia, *ja, desca},                              \
                                   .c = {c, *ic, *jc, descc},                                      \
                                   .tau = tau};                                                    \
        int64_t least;                                                                             \
        bool declines = obfa_declines_ormqr(*side, PART(*m, *k, *ia, *ja, desca),                  \
                                            PART(*m, *n, *ic, *jc, descc), *lwork, &least);        \
        if (!apply("p" #x #name, site, &t, declines)) {                                            \
            __typeof__(p##x##name##_) *next;                                                       \
            *(void **)&next = ob_behind("p" #x #name "_", (void *)p##x##name##_, site);            \
            if (next) {                                                                            \
                next(side, trans, m, n, k, a, ia, ja, desca, tau, c, ic, jc, descc, work, lwork,   \
                     info);                                                                        \
                return;                                                                            \
            }                                                                                      \
            if (!apply("p" #x #name, site, &t, false))                                             \
                obfa_end_alone("p" #x #name);                                                      \
        }                                                                                          \
        *info = 0;                                                                                 \
        work[0] = (real)least;                                                                     \
        if (#x[0] == 'c' || #x[0] == 'z')                                                          \
            work[1] = 0;                                                                           \
    }
TRANSFORM(s, float, ormqr)
TRANSFORM(d, double, ormqr)
TRANSFORM(c, float, unmqr)
TRANSFORM(z, double, unmqr)

static bool reduce(const char *routine, const void *site, const ob_lu_tridiagonal *t, bool declines)
{
    obfa_begin(routine, site, declines);
    ob_lu_reduce(t);
    return obfa_taken();
}

#define TRIDIAGONAL(x, real, name)                                                                 \
    void p##x##name##_(const char *uplo, const int *n, real *a, const int *ia, const int *ja,      \
                       const int *desca, real *d, real *e, real *tau, real *work,                  \
                       const int *lwork, int *info)                                                \
    {                                                                                              \
        const void *site = __builtin_return_address(0);                                            \
        const ob_lu_tridiagonal t = {.type = #x[0],                                                \
                                     .uplo = *uplo,                                                \
                                     .n = *n,                                                      \
                                     .a = {a, *ia, *ja, desca},                                    \
                                     .d = d,                                                       \
                                     .e = e,                                                       \
                                     .tau = tau};                                                  \
        int64_t least;                                                                             \
        bool declines = obfa_declines_sytrd(PART(*n, *n, *ia, *ja, desca), *lwork, &least);        \
        if (!reduce("p" #x #name, site, &t, declines)) {                                           \
            __typeof__(p##x##name##_) *next;                                                       \
            *(void **)&next = ob_behind("p" #x #name "_", (void *)p##x##name##_, site);            \
            if (next) {                                                                            \
                next(uplo, n, a, ia, ja, desca, d, e, tau, work, lwork, info);                     \
                return;                                                                            \
            }                                                                                      \
            if (!reduce("p" #x #name, site, &t, false))                                            \
                obfa_end_alone("p" #x #name);                                                      \
        }                                                                                          \
        *info = 0;                                                                                 \
        work[0] = (real)least;                                                                     \
        if (#x[0] == 'c' || #x[0] == 'z')                                                          \
            work[1] = 0;                                                                           \
    }
TRIDIAGONAL(s, float, sytrd)
TRIDIAGONAL(d, double, sytrd)
TRIDIAGONAL(c, float, hetrd)
TRIDIAGONAL(z, double, hetrd)

/* What is wrong PDLAED1 has told before. */
static bool solve(const char *routine, const void *site, const ob_lu_secular *s, bool declines,
                  int *info)
{
    if (declines)
        return false;
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine(NULL, site, 0);
    ob_trace_as(routine);
    bool done = ob_lu_solve_secular(s, info);
    ob_trace_as(NULL);
    return done;
}

#define SECULAR(x, real)                                                                           \
    void p##x##laed3_(const int *context, int *k, const int *n, const int *nb, real *d,            \
                      const int *drow, const int *dcol, real *rho, real *dlamda, real *w, real *z, \
                      real *u, const int *ldu, real *buf, int *indx, int *indcol, int *indrow,     \
                      int *indxr, int *indxc, int *ctot, const int *npcol, int *info)              \
    {                                                                                              \
        const void *site = __builtin_return_address(0);                                            \
        const ob_lu_secular s = {.type = #x[0],                                                    \
                                 .context = *context,                                              \
                                 .k = *k,                                                          \
                                 .block = *nb,                                                     \
                                 .row = *drow,                                                     \
                                 .column = *dcol,                                                  \
                                 .d = d,                                                           \
                                 .z = z,                                                           \
                                 .u = u,                                                           \
                                 .dlamda = dlamda,                                                 \
                                 .w = w,                                                           \
                                 .rho = rho,                                                       \
                                 .ldu = *ldu,                                                      \
                                 .order = indx};                                                   \
        if (solve("p" #x "laed3", site, &s, obfa_declines_laed3(*context), info))                  \
            return;                                                                                \
        __typeof__(p##x##laed3_) *next;                                                            \
        *(void **)&next = ob_behind("p" #x "laed3_", (void *)p##x##laed3_, site);                  \
        if (next)                                                                                  \
            next(context, k, n, nb, d, drow, dcol, rho, dlamda, w, z, u, ldu, buf, indx, indcol,   \
                 indrow, indxr, indxc, ctot, npcol, info);                                         \
        else if (!solve("p" #x "laed3", site, &s, false, info))                                    \
            obfa_end_alone("p" #x "laed3");                                                        \
    }
SECULAR(s, float)
SECULAR(d, double)

#define ROUTINES(x, real)                                                                          \
    TRIANGULAR(x, real)                                                                            \
    ORTHOGONAL(x, real)                                                                            \
    PRODUCT(x, real)
ROUTINES(s, float)
ROUTINES(d, double)
ROUTINES(c, float)
ROUTINES(z, double)
