/*
 * Takes an accident out of the ScaLAPACK test drivers (to be preloaded).
 *
 * PSLACON, PDLACON, PCLACON and PZLACON of ScaLAPACK 2.2.0 to 2.2.2 copy their
 * output argument EST on entry, before anything was stored there; P?GERFS and
 * P?PORFS pass a variable of their stack that nobody has set. When it differs
 * between processes, they disagree about convergence, take different turns and
 * hang (mended upstream in 2.2.3: "Fix uninitialized EST in Placon"). The
 * wrappers below set EST to zero on the first call of an estimate, as 2.2.3 does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* POSIX lets dlsym's result be called; ISO C wants the detour. */
typedef union target {
    void *address;
    void (*real)(const int *, void *, const int *, const int *, const int *, void *, const int *,
                 const int *, const int *, int *, void *, int *);
    void (*complex)(const int *, void *, const int *, const int *, const int *, void *, const int *,
                    const int *, const int *, void *, int *);
} target;

static target next(const char *name)
{
    target found = {dlsym(RTLD_NEXT, name)};
    if (!found.address) {
        fprintf(stderr, "lacon.so: ScaLAPACK has no %s\n", name);
        abort();
    }
    return found;
}

#define REAL(name, type)                                                                           \
    void name(const int *n, void *v, const int *iv, const int *jv, const int *descv, void *x,      \
              const int *ix, const int *jx, const int *descx, int *isgn, type *est, int *kase);    \
    void name(const int *n, void *v, const int *iv, const int *jv, const int *descv, void *x,      \
              const int *ix, const int *jx, const int *descx, int *isgn, type *est, int *kase)     \
    {                                                                                              \
        if (*kase == 0)                                                                            \
            *est = 0;                                                                              \
        next(#name).real(n, v, iv, jv, descv, x, ix, jx, descx, isgn, est, kase);                  \
    }

#define COMPLEX(name, type)                                                                        \
    void name(const int *n, void *v, const int *iv, const int *jv, const int *descv, void *x,      \
              const int *ix, const int *jx, const int *descx, type *est, int *kase);               \
    void name(const int *n, void *v, const int *iv, const int *jv, const int *descv, void *x,      \
              const int *ix, const int *jx, const int *descx, type *est, int *kase)                \
    {                                                                                              \
        if (*kase == 0)                                                                            \
            *est = 0;                                                                              \
        next(#name).complex(n, v, iv, jv, descv, x, ix, jx, descx, est, kase);                     \
    }

REAL(pslacon_, float)
REAL(pdlacon_, double)
COMPLEX(pclacon_, float)
COMPLEX(pzlacon_, double)
