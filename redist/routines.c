/*
 * The routines that programs call, C and Fortran, of all types. Compiled twice: as it is, and with
 * OB_ILP64 for integers of 64 bits. What they do stands in entries.c, in 64 bits.
 */
#include "redist.h"

#include "common/behind.h"
#include "hooks/trace.h"
#include "openblacs/redist.h"

#ifdef OB_ILP64
#define OB_STAMPING
#include "openblacs/integers.h"
typedef int64_t obrd_int;
#define INTEGER OB_INT64
#else
typedef int obrd_int;
#define INTEGER OB_INT
#endif

/* The name in C that is ours, and the one in Fortran. */
#define OURS(name) OB_T(ob_##name)
#define OURS_F(name) OB_F(ob_##name)

/* Of a process that is not in the grid only the context is looked at. P?GEMR2D and P?TRMR2D do not
 * look at the type, which programs leave unset. */
static void take(int64_t to[OBRD_ENTRIES], const obrd_int *desc, bool typed)
{
    static const int of_first[OBRD_ENTRIES] = {0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8};
    for (int i = 0; i < OBRD_ENTRIES; i++)
        to[i] = 0;
    for (int i = 0; i < OBRD_ENTRIES && desc[1] != -1; i++)
        to[i] = desc[typed && desc[0] == 2 ? i : of_first[i]];
    to[CTXT] = desc[1];
    if (!typed)
        to[DTYPE] = 1;
}

#define SITE __builtin_return_address(0)

static obrd_arguments begin(const char *routine, const void *site, bool typed, ob_type type,
                            obrd_int m, obrd_int n, const void *a, obrd_int ia, obrd_int ja,
                            const obrd_int *desca, void *b, obrd_int ib, obrd_int jb,
                            const obrd_int *descb, obrd_int context)
{
    obrd_arguments g = {.routine = routine,
                        .type = type,
                        .m = m,
                        .n = n,
                        .ia = ia,
                        .ja = ja,
                        .ib = ib,
                        .jb = jb,
                        .context = context,
                        .a = a,
                        .b = b};
    take(g.desca, desca, typed);
    take(g.descb, descb, typed);
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine(routine, site, 0);
    return g;
}

#define PARAMETERS(type)                                                                           \
    obrd_int m, obrd_int n, const type *a, obrd_int ia, obrd_int ja, const obrd_int *desca,        \
        type *b, obrd_int ib, obrd_int jb, const obrd_int *descb, obrd_int context
#define REFERENCES(type)                                                                           \
    const obrd_int *m, const obrd_int *n, const type *a, const obrd_int *ia, const obrd_int *ja,   \
        const obrd_int *desca, type *b, const obrd_int *ib, const obrd_int *jb,                    \
        const obrd_int *descb, const obrd_int *context
#define BEGIN(name, kind)                                                                          \
    const obrd_arguments g =                                                                       \
        begin(name, SITE, false, kind, m, n, a, ia, ja, desca, b, ib, jb, descb, context)
#define BEGIN_F(name, kind)                                                                        \
    const obrd_arguments g =                                                                       \
        begin(name, SITE, false, kind, *m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *context)

#define C_ROUTINES(x, type, kind, NAME)                                                            \
    void NAME(p##x##gemr2d)(PARAMETERS(type))                                                      \
    {                                                                                              \
        BEGIN("p" #x "gemr2d", kind);                                                              \
        obrd_gemr2d(&g);                                                                           \
    }                                                                                              \
    void NAME(p##x##trmr2d)(const char *uplo, const char *diag, PARAMETERS(type))                  \
    {                                                                                              \
        BEGIN("p" #x "trmr2d", kind);                                                              \
        obrd_trmr2d(&g, uplo, diag);                                                               \
    }
#define FORTRAN_ROUTINES(x, type, kind, NAME)                                                      \
    void NAME(p##x##gemr2d)(REFERENCES(type))                                                      \
    {                                                                                              \
        BEGIN_F("p" #x "gemr2d", kind);                                                            \
        obrd_gemr2d(&g);                                                                           \
    }                                                                                              \
    void NAME(p##x##trmr2d)(const char *uplo, const char *diag, REFERENCES(type))                  \
    {                                                                                              \
        BEGIN_F("p" #x "trmr2d", kind);                                                            \
        obrd_trmr2d(&g, uplo, diag);                                                               \
    }
#define ROUTINES(x, type, kind)                                                                    \
    C_ROUTINES(x, type, kind, OB_C)                                                                \
    C_ROUTINES(x, type, kind, OURS)                                                                \
    FORTRAN_ROUTINES(x, type, kind, OB_F)                                                          \
    FORTRAN_ROUTINES(x, type, kind, OURS_F)
ROUTINES(i, obrd_int, INTEGER)
ROUTINES(s, float, OB_FLOAT)
ROUTINES(d, double, OB_DOUBLE)
ROUTINES(c, void, OB_COMPLEX)
ROUTINES(z, void, OB_DCOMPLEX)

void OURS(redist_together_begin)(void)
{
    obrd_together_begin();
}

void OURS_F(redist_together_begin)(void)
{
    obrd_together_begin();
}

static void end(const void *site)
{
    if (__builtin_expect(ob_trace_on, 0))
        ob_trace_routine("ob_redist_together_end", site, 0);
    obrd_together_end();
}

void OURS(redist_together_end)(void)
{
    end(SITE);
}

void OURS_F(redist_together_end)(void)
{
    end(SITE);
}

/* Has every process row or column all of an array? Its first one is -1 then. */
static bool is_replicated(const obrd_arguments *g)
{
    return g->desca[RSRC] == -1 || g->desca[CSRC] == -1 || g->descb[RSRC] == -1 ||
           g->descb[CSRC] == -1;
}

/* What stands behind a name that is the PBLAS', too: they take arrays that are replicated. */
#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)
#define BEHIND(name) ob_behind(NAME_OF(OB_F(name)), (void *)OB_F(name), SITE)
#define NOTHING(name) NULL

#define TRAN_F(NAME, NEXT, name, type, kind, conjugate)                                            \
    void NAME(name)(const obrd_int *m, const obrd_int *n, const type *alpha, const type *a,        \
                    const obrd_int *ia, const obrd_int *ja, const obrd_int *desca,                 \
                    const type *beta, type *c, const obrd_int *ic, const obrd_int *jc,             \
                    const obrd_int *descc)                                                         \
    {                                                                                              \
        const obrd_arguments g = begin(#name, SITE, true, kind, *m, *n, a, *ia, *ja, desca, c,     \
                                       *ic, *jc, descc, desca[1]);                                 \
        __typeof__(NAME(name)) *next = NULL;                                                       \
        if (is_replicated(&g))                                                                     \
            *(void **)&next = NEXT(name);                                                          \
        if (next)                                                                                  \
            next(m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);                           \
        else                                                                                       \
            obrd_tran(&g, conjugate, alpha, beta);                                                 \
    }
#define TRAN(name, type, kind, conjugate)                                                          \
    void OURS(name)(obrd_int m, obrd_int n, const type *alpha, const type *a, obrd_int ia,         \
                    obrd_int ja, const obrd_int *desca, const type *beta, type *c, obrd_int ic,    \
                    obrd_int jc, const obrd_int *descc)                                            \
    {                                                                                              \
        const obrd_arguments g =                                                                   \
            begin(#name, SITE, true, kind, m, n, a, ia, ja, desca, c, ic, jc, descc, desca[1]);    \
        obrd_tran(&g, conjugate, alpha, beta);                                                     \
    }                                                                                              \
    TRAN_F(OURS_F, NOTHING, name, type, kind, conjugate)                                           \
    TRAN_F(OB_F, BEHIND, name, type, kind, conjugate)
TRAN(pstran, float, OB_FLOAT, false)
TRAN(pdtran, double, OB_DOUBLE, false)
TRAN(pctranu, void, OB_COMPLEX, false)
TRAN(pctranc, void, OB_COMPLEX, true)
TRAN(pztranu, void, OB_DCOMPLEX, false)
TRAN(pztranc, void, OB_DCOMPLEX, true)
