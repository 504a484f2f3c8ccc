/*
 * What the conformance programs of the BLACS share: counting checks, the
 * routines of all five types behind one signature, in C and in Fortran form,
 * and data that every process can compute for every other. Each program runs
 * with any number of processes under any launcher; all processes check,
 * process 0 prints the sums.
 */
#ifndef OB_TESTS_BLACS_HARNESS_H
#define OB_TESTS_BLACS_HARNESS_H

#include "../matrices.h"
#include "openblacs/blacs.h"

/* ---------------------------------------------------------------- checking */

static inline void begin(void)
{
    Cblacs_pinfo(&world.me, &world.count);
}

/* A row-major grid of the first processes; -1 where the caller is not in it. */
static inline int make_grid(int nprow, int npcol)
{
    int context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", nprow, npcol);
    return context;
}

static inline int finish(void)
{
    int context = make_grid(1, world.count);
    int sums[2] = {world.passed, world.failed};
    Cigsum2d(context, "All", " ", 2, 1, sums, 2, -1, -1);
    say_sums(sums[0], sums[1]);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return sums[1] != 0 || sums[0] == 0;
}

/* Grid dimensions for the number of processes there are: a row, a column, the
 * most square one (which may leave processes out), and one process. */
typedef struct dims {
    int nprow, npcol;
} dims;

static inline int grid_dims(dims out[4])
{
    int square = 1, n = 0;
    while ((square + 1) * (square + 1) <= world.count)
        square++;
    out[n++] = (dims){1, world.count};
    if (world.count > 1)
        out[n++] = (dims){world.count, 1};
    if (square > 1)
        out[n++] = (dims){square, world.count / square};
    if (world.count > 1)
        out[n++] = (dims){1, 1};
    return n;
}

static inline void on_all_dims(void (*on_grid)(int nprow, int npcol))
{
    dims all[4];
    for (int i = 0, n = grid_dims(all); i < n; i++)
        on_grid(all[i].nprow, all[i].npcol);
}

/* -------------------------------------------------------------- randomness */

/* The same number in every process. */
static inline uint64_t hash(uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(a) ^ b) ^ c);
}

/* A stream of choices that all processes make alike. */
typedef struct dice {
    uint64_t seed, step;
} dice;

static inline int roll(dice *d, int sides)
{
    return (int)(hash(d->seed, d->step++, 0) % (uint64_t)sides);
}

/* ------------------------------------------------------------ the routines */

typedef struct routines {
    const char *name;
    char letter;
    int reals; /* numbers in one element */
    size_t bytes;
    void (*gesd)(int c, int m, int n, void *a, int lda, int p, int q);
    void (*gerv)(int c, int m, int n, void *a, int lda, int p, int q);
    void (*trsd)(int c, const char *u, const char *d, int m, int n, void *a, int lda, int p, int q);
    void (*trrv)(int c, const char *u, const char *d, int m, int n, void *a, int lda, int p, int q);
    void (*gebs)(int c, const char *s, const char *t, int m, int n, void *a, int lda);
    void (*gebr)(int c, const char *s, const char *t, int m, int n, void *a, int lda, int p, int q);
    void (*trbs)(int c, const char *s, const char *t, const char *u, const char *d, int m, int n,
                 void *a, int lda);
    void (*trbr)(int c, const char *s, const char *t, const char *u, const char *d, int m, int n,
                 void *a, int lda, int p, int q);
    void (*gsum)(int c, const char *s, const char *t, int m, int n, void *a, int lda, int p, int q);
    void (*gamx)(int c, const char *s, const char *t, int m, int n, void *a, int lda, int *ra,
                 int *ca, int ldia, int p, int q);
    void (*gamn)(int c, const char *s, const char *t, int m, int n, void *a, int lda, int *ra,
                 int *ca, int ldia, int p, int q);
} routines;

#define WRAP(x, V, y, R)                                                                           \
    static inline void x##_##y##_gesd(int c, int m, int n, void *a, int l, int p, int q)           \
    {                                                                                              \
        V(x, gesd2d)(R(c), R(m), R(n), a, R(l), R(p), R(q));                                       \
    }                                                                                              \
    static inline void x##_##y##_gerv(int c, int m, int n, void *a, int l, int p, int q)           \
    {                                                                                              \
        V(x, gerv2d)(R(c), R(m), R(n), a, R(l), R(p), R(q));                                       \
    }                                                                                              \
    static inline void x##_##y##_trsd(int c, const char *u, const char *d, int m, int n, void *a,  \
                                      int l, int p, int q)                                         \
    {                                                                                              \
        V(x, trsd2d)(R(c), u, d, R(m), R(n), a, R(l), R(p), R(q));                                 \
    }                                                                                              \
    static inline void x##_##y##_trrv(int c, const char *u, const char *d, int m, int n, void *a,  \
                                      int l, int p, int q)                                         \
    {                                                                                              \
        V(x, trrv2d)(R(c), u, d, R(m), R(n), a, R(l), R(p), R(q));                                 \
    }                                                                                              \
    static inline void x##_##y##_gebs(int c, const char *s, const char *t, int m, int n, void *a,  \
                                      int l)                                                       \
    {                                                                                              \
        V(x, gebs2d)(R(c), s, t, R(m), R(n), a, R(l));                                             \
    }                                                                                              \
    static inline void x##_##y##_gebr(int c, const char *s, const char *t, int m, int n, void *a,  \
                                      int l, int p, int q)                                         \
    {                                                                                              \
        V(x, gebr2d)(R(c), s, t, R(m), R(n), a, R(l), R(p), R(q));                                 \
    }                                                                                              \
    static inline void x##_##y##_trbs(int c, const char *s, const char *t, const char *u,          \
                                      const char *d, int m, int n, void *a, int l)                 \
    {                                                                                              \
        V(x, trbs2d)(R(c), s, t, u, d, R(m), R(n), a, R(l));                                       \
    }                                                                                              \
    static inline void x##_##y##_trbr(int c, const char *s, const char *t, const char *u,          \
                                      const char *d, int m, int n, void *a, int l, int p, int q)   \
    {                                                                                              \
        V(x, trbr2d)(R(c), s, t, u, d, R(m), R(n), a, R(l), R(p), R(q));                           \
    }                                                                                              \
    static inline void x##_##y##_gsum(int c, const char *s, const char *t, int m, int n, void *a,  \
                                      int l, int p, int q)                                         \
    {                                                                                              \
        V(x, gsum2d)(R(c), s, t, R(m), R(n), a, R(l), R(p), R(q));                                 \
    }                                                                                              \
    static inline void x##_##y##_gamx(int c, const char *s, const char *t, int m, int n, void *a,  \
                                      int l, int *ra, int *ca, int ldia, int p, int q)             \
    {                                                                                              \
        V(x, gamx2d)(R(c), s, t, R(m), R(n), a, R(l), ra, ca, R(ldia), R(p), R(q));                \
    }                                                                                              \
    static inline void x##_##y##_gamn(int c, const char *s, const char *t, int m, int n, void *a,  \
                                      int l, int *ra, int *ca, int ldia, int p, int q)             \
    {                                                                                              \
        V(x, gamn2d)(R(c), s, t, R(m), R(n), a, R(l), ra, ca, R(ldia), R(p), R(q));                \
    }

#define C_NAME(x, name) C##x##name
#define F_NAME(x, name) x##name##_
#define BY_VALUE(v) v
#define BY_ADDRESS(v) &v

#define BOTH(x)                                                                                    \
    WRAP(x, C_NAME, c, BY_VALUE)                                                                   \
    WRAP(x, F_NAME, f, BY_ADDRESS)
BOTH(i)
BOTH(s)
BOTH(d)
BOTH(c)
BOTH(z)

#define ROW(x, y, letter, text, reals, bytes)                                                      \
    {                                                                                              \
        text, letter, reals, bytes, x##_##y##_gesd, x##_##y##_gerv, x##_##y##_trsd,                \
            x##_##y##_trrv, x##_##y##_gebs, x##_##y##_gebr, x##_##y##_trbs, x##_##y##_trbr,        \
            x##_##y##_gsum, x##_##y##_gamx, x##_##y##_gamn                                         \
    }
enum { ROUTINES = 10 };
static const routines all_routines[ROUTINES] = {
    ROW(i, c, 'i', "Ci", 1, 4), ROW(s, c, 's', "Cs", 1, 4),  ROW(d, c, 'd', "Cd", 1, 8),
    ROW(c, c, 'c', "Cc", 2, 8), ROW(z, c, 'z', "Cz", 2, 16), ROW(i, f, 'i', "i", 1, 4),
    ROW(s, f, 's', "s", 1, 4),  ROW(d, f, 'd', "d", 1, 8),   ROW(c, f, 'c', "c", 2, 8),
    ROW(z, f, 'z', "z", 2, 16),
};

#endif
