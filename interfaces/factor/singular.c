/*
 * Bidiagonal matrices and singular values by ScaLAPACK's names, P?GEBRD and P?GESVD. The latter
 * begins with the former; its last step is ScaLAPACK's own, P?ORMBR, which calls P?ORMQR; what is
 * between them, and took most of its time, is libopenblacs_lu's (ob_lu_decompose).
 */
#include "factor.h"

#include "common/behind.h"
#include "common/letter.h"
#include "common/offer.h"
#include "hooks/trace.h"
#include "openblacs/factor.h"

/* Of either type. */
typedef void gebrd(const int *m, const int *n, void *a, const int *ia, const int *ja,
                   const int *desca, void *d, void *e, void *tauq, void *taup, void *work,
                   const int *lwork, int *info);
typedef void ormbr(const char *vect, const char *side, const char *trans, const int *m,
                   const int *n, const int *k, const void *a, const int *ia, const int *ja,
                   const int *desca, const void *tau, void *c, const int *ic, const int *jc,
                   const int *descc, void *work, const int *lwork, int *info, size_t, size_t,
                   size_t);

/* The routines behind, and the caller's memory: vectors of max(m, n) elements, and the rest. */
typedef struct steps {
    gebrd *reduce;
    ormbr *multiply;
    void *d, *e, *tauq, *taup, *work;
    int lwork;
} steps;

static int decompose(const char *routine, const ob_lu_singular *s, const steps *x)
{
    const int m = (int)s->m, n = (int)s->n, least = m < n ? m : n, one = 1;
    int done;
    x->reduce(&m, &n, s->a.local, &one, &one, s->a.desc, x->d, x->e, x->tauq, x->taup, x->work,
              &x->lwork, &done);
    ob_trace_as(routine);
    const int info = ob_lu_decompose(s, x->d, x->e);
    ob_trace_as(NULL);
    if (s->u.desc)
        x->multiply("Q", "L", "N", &m, &least, &n, s->a.local, &one, &one, s->a.desc, x->tauq,
                    s->u.local, &one, &one, s->u.desc, x->work, &x->lwork, &done, 1, 1, 1);
    if (s->vt.desc)
        x->multiply("P", "R", "T", &least, &n, &m, s->a.local, &one, &one, s->a.desc, x->taup,
                    s->vt.local, &one, &one, s->vt.desc, x->work, &x->lwork, &done, 1, 1, 1);
    return info;
}

/* NULL: they are not. */
static const int *wanted(char job, const int *desc)
{
    return ob_capital(job) == 'V' ? desc : NULL;
}

static bool is_job(char letter)
{
    return ob_capital(letter) == 'V' || ob_capital(letter) == 'N';
}

#define BEHIND(to, name, ours, site) (*(void **)&(to) = ob_behind(name, (void *)(ours), site))

static bool reduce(const char *routine, const void *site, const ob_lu_bidiagonal *b, bool declines)
{
    obfa_begin(routine, site, declines);
    ob_lu_reduce_both(b);
    return obfa_taken();
}

#define BIDIAGONAL(x, real)                                                                        \
    void p##x##gebrd_(const int *m, const int *n, real *a, const int *ia, const int *ja,           \
                      const int *desca, real *d, real *e, real *tauq, real *taup, real *work,      \
                      const int *lwork, int *info)                                                 \
    {                                                                                              \
        const void *site = __builtin_return_address(0);                                            \
        const ob_lu_bidiagonal b = {.type = #x[0],                                                 \
                                    .m = *m,                                                       \
                                    .n = *n,                                                       \
                                    .a = {a, *ia, *ja, desca},                                     \
                                    .d = d,                                                        \
                                    .e = e,                                                        \
                                    .tauq = tauq,                                                  \
                                    .taup = taup};                                                 \
        int64_t least;                                                                             \
        bool declines =                                                                            \
            obfa_declines_gebrd(&(const obfa_part){*m, *n, *ia, *ja, desca}, *lwork, &least);      \
        if (!reduce("p" #x "gebrd", site, &b, declines)) {                                         \
            __typeof__(p##x##gebrd_) *next;                                                        \
            BEHIND(next, "p" #x "gebrd_", p##x##gebrd_, site);                                     \
            if (next) {                                                                            \
                next(m, n, a, ia, ja, desca, d, e, tauq, taup, work, lwork, info);                 \
                return;                                                                            \
            }                                                                                      \
            if (!reduce("p" #x "gebrd", site, &b, false))                                          \
                obfa_end_alone("p" #x "gebrd");                                                    \
        }                                                                                          \
        *info = 0;                                                                                 \
        work[0] = (real)least;                                                                     \
    }
BIDIAGONAL(s, float)
BIDIAGONAL(d, double)

#define SINGULAR(x, real)                                                                          \
    void p##x##gesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, real *a,    \
                      const int *ia, const int *ja, const int *desca, real *s, real *u,            \
                      const int *iu, const int *ju, const int *descu, real *vt, const int *ivt,    \
                      const int *jvt, const int *descvt, real *work, const int *lwork, int *info)  \
    {                                                                                              \
        const void *site = __builtin_return_address(0);                                            \
        const ob_lu_singular all = {.type = #x[0],                                                 \
                                    .m = *m,                                                       \
                                    .n = *n,                                                       \
                                    .a = {a, *ia, *ja, desca},                                     \
                                    .u = {u, *iu, *ju, wanted(*jobu, descu)},                      \
                                    .vt = {vt, *ivt, *jvt, wanted(*jobvt, descvt)},                \
                                    .s = s};                                                       \
        int64_t least;                                                                             \
        steps by;                                                                                  \
        *(void **)&by.reduce = (void *)p##x##gebrd_;                                               \
        BEHIND(by.multiply, "p" #x "ormbr_", NULL, site);                                          \
        bool declines = obfa_declines_gesvd(&(const obfa_part){*m, *n, *ia, *ja, desca},           \
                                            all.u.desc, all.vt.desc, *lwork, &least) ||            \
                        !is_job(*jobu) || !is_job(*jobvt) || !by.multiply;                         \
        obfa_begin("p" #x "gesvd", site, declines);                                                \
        ob_lu_may_decompose(&all);                                                                 \
        if (!obfa_taken()) {                                                                       \
            __typeof__(p##x##gesvd_) *next;                                                        \
            BEHIND(next, "p" #x "gesvd_", p##x##gesvd_, site);                                     \
            if (!next)                                                                             \
                obfa_end_alone("p" #x "gesvd");                                                    \
            next(jobu, jobvt, m, n, a, ia, ja, desca, s, u, iu, ju, descu, vt, ivt, jvt, descvt,   \
                 work, lwork, info);                                                               \
            return;                                                                                \
        }                                                                                          \
        const int longer = *m > *n ? *m : *n;                                                      \
        by.d = work;                                                                               \
        by.e = work + longer;                                                                      \
        by.tauq = work + 2 * (size_t)longer;                                                       \
        by.taup = work + 3 * (size_t)longer;                                                       \
        by.work = work + 4 * (size_t)longer;                                                       \
        by.lwork = *lwork - 4 * longer;                                                            \
        *info = decompose("p" #x "gesvd", &all, &by);                                              \
        work[0] = (real)least;                                                                     \
    }
SINGULAR(s, float)
SINGULAR(d, double)
