/*
 * The QR factorisation of a block of columns at one process, a few columns at a time: these are
 * factored one by one, and what follows is large products. LAPACK's recursive routine comes to
 * several times as many calls of the BLAS, each on very little.
 */
#include "lu.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------ narrow blocks */

#define SIGNATURES(x, real, ger)                                                                   \
    void x##scal_(const int *, const real *, real *, const int *);                                 \
    void x##gemv_(const char *, const int *, const int *, const real *, const real *, const int *, \
                  const real *, const int *, const real *, real *, const int *, size_t);           \
    void ger(const int *, const int *, const real *, const real *, const int *, const real *,      \
             const int *, real *, const int *);                                                    \
    void x##larfg_(const int *, real *, real *, const int *, real *);

/* What a sum of squares may be, so that none of those that matter vanishes, nor the inverse of its
 * root. */
#define LEAST(real) (sizeof(real) == 4 ? 1e-60 : 1e-280)
enum { AT_ONCE = 8 };

/* Below it the sum of squares of a column is too inexact for a length. */
#define SHORT(real) (sizeof(real) == 4 ? 1e-30 : 1e-290)

/* H = I - tau v v^H with H^H (alpha, x) = (beta, 0) and v = (1, inverse x); sum: of x's squares. */
typedef struct reflection {
    double beta;
    double complex tau, inverse;
} reflection;

static reflection reflection_of(double complex alpha, double sum)
{
    double beta = -copysign(hypot(cabs(alpha), sqrt(sum)), creal(alpha));
    return (reflection){beta, (beta - alpha) / beta, 1 / (alpha - beta)};
}

#define NARROW_BLOCKS(x, real, scalar, width, ger)                                                 \
    SIGNATURES(x, real, ger)                                                                       \
    static double x##_squares(size_t n, const real *v)                                             \
    {                                                                                              \
        double sums[AT_ONCE] = {0}, all = 0;                                                       \
        size_t i = 0;                                                                              \
        for (; i + AT_ONCE <= n; i += AT_ONCE)                                                     \
            for (int l = 0; l < AT_ONCE; l++)                                                      \
                sums[l] += (double)v[i + (size_t)l] * (double)v[i + (size_t)l];                    \
        for (; i < n; i++)                                                                         \
            all += (double)v[i] * (double)v[i];                                                    \
        for (int l = 0; l < AT_ONCE; l++)                                                          \
            all += sums[l];                                                                        \
        return all;                                                                                \
    }                                                                                              \
    /* v of m elements becomes beta and the vector of its reflection below; the same as LAPACK's,  \
     * which looks after what is very large or small. */                                           \
    static void x##_reflection(size_t m, real *v, real *tau)                                       \
    {                                                                                              \
        const int below = (int)m - 1, all = (int)m, one = 1;                                       \
        double sum = x##_squares((m - 1) * width, v + width);                                      \
        if (!(sum >= LEAST(real) && sum <= 1 / LEAST(real))) {                                     \
            x##larfg_(&all, v, v + width, &one, tau);                                              \
            return;                                                                                \
        }                                                                                          \
        reflection h = reflection_of((double complex) * (scalar *)(void *)v, sum);                 \
        scalar scale = (scalar)h.inverse;                                                          \
        *(scalar *)(void *)tau = (scalar)h.tau;                                                    \
        x##scal_(&below, (const real *)&scale, v + width, &one);                                   \
        *(scalar *)(void *)v = (scalar)h.beta;                                                     \
    }                                                                                              \
    void oblu_narrow_##x(size_t m, size_t n, void *a, size_t ld, void *tau)                        \
    {                                                                                              \
        const int ild = (int)ld, one = 1;                                                          \
        const real unit[2] = {1, 0}, zero[2] = {0, 0};                                             \
        real products[OBLU_NARROW * width];                                                        \
        for (size_t j = 0; j < n; j++) {                                                           \
            real *v = (real *)a + (j + j * ld) * width, *t = (real *)tau + j * width;              \
            const int rows = (int)(m - j), columns = (int)(n - j) - 1;                             \
            x##_reflection(m - j, v, t);                                                           \
            real beta[2] = {v[0], v[width - 1]}, minus[2] = {-t[0], t[width - 1]};                 \
            if (columns == 0)                                                                      \
                continue;                                                                          \
            memcpy(v, unit, width * sizeof *v);                                                    \
            x##gemv_("C", &rows, &columns, unit, v + ld * width, &ild, v, &one, zero, products,    \
                     &one, 1);                                                                     \
            ger(&rows, &columns, minus, v, &one, products, &one, v + ld * width, &ild);            \
            memcpy(v, beta, width * sizeof *v);                                                    \
        }                                                                                          \
    }                                                                                              \
    bool oblu_reflection_##x(size_t w, size_t j, const void *sums, const void *row, void *r,       \
                             void *eliminator, void *products, void *tau)                          \
    {                                                                                              \
        const scalar *sum = sums, *top = row;                                                      \
        scalar *to = r, *out = eliminator, *g = products;                                          \
        double complex alpha = (double complex)top[j];                                             \
        double squares = creal((double complex)sum[j]);                                            \
        bool none = squares == 0 && cimag(alpha) == 0;                                             \
        reflection h = none ? (reflection){creal(alpha), 0, 1} : reflection_of(alpha, squares);    \
        for (size_t i = 0; i < j; i++) {                                                           \
            g[i] = (scalar)(conj((double complex)top[i]) + (double complex)sum[i] * h.inverse);    \
            to[i * w] = 0;                                                                         \
        }                                                                                          \
        for (size_t l = j + 1; l < w; l++) {                                                       \
            double complex a = (double complex)top[l],                                             \
                           c = conj(h.tau) * (a + conj((double complex)sum[l] * h.inverse));       \
            out[l - j] = (scalar)c;                                                                \
            to[l * w] = (scalar)(a - c);                                                           \
        }                                                                                          \
        out[0] = (scalar)(1 / h.inverse);                                                          \
        to[j * w] = (scalar)h.beta;                                                                \
        *(scalar *)tau = (scalar)h.tau;                                                            \
        return !(squares + cabs(alpha) * cabs(alpha) < SHORT(real));                               \
    }                                                                                              \
    void oblu_triangle_##x(size_t n, const void *products, size_t ldp, const void *tau, void *t,   \
                           size_t ldt)                                                             \
    {                                                                                              \
        const scalar *g = products, *factors = tau;                                                \
        scalar *to = t;                                                                            \
        for (size_t j = 0; j < n; j++) {                                                           \
            for (size_t i = 0; i < j; i++) {                                                       \
                scalar sum = 0;                                                                    \
                for (size_t l = i; l < j; l++)                                                     \
                    sum += to[i + l * ldt] * g[l + j * ldp];                                       \
                to[i + j * ldt] = -factors[j] * sum;                                               \
            }                                                                                      \
            to[j + j * ldt] = factors[j];                                                          \
        }                                                                                          \
    }

NARROW_BLOCKS(s, float, float, 1, sger_)
NARROW_BLOCKS(d, double, double, 1, dger_)
NARROW_BLOCKS(c, float, float complex, 2, cgerc_)
NARROW_BLOCKS(z, double, double complex, 2, zgerc_)

/* ------------------------------------------------------------------- blocks */

static char *at(const oblu_kernels *k, void *a, size_t i, size_t j, size_t ld)
{
    return (char *)a + (i + j * ld) * k->bytes;
}

/* Moves the triangle of R out of the top n x n of v, which becomes unit lower triangular. */
static void take_r(const oblu_kernels *k, size_t n, char *v, size_t ld, char *r, size_t ldr)
{
    for (size_t j = 0; j < n; j++) {
        memcpy(at(k, r, 0, j, ldr), at(k, v, 0, j, ld), (j + 1) * k->bytes);
        memset(at(k, v, 0, j, ld), 0, j * k->bytes);
        k->put(1, at(k, v, j, j, ld));
    }
}

/* T of the reflections before column j and T of those from there on become that of all; products
 * are V^H V of the new ones, b of them. */
static void join(const oblu_kernels *k, size_t n, size_t j, size_t b, const char *products, char *t,
                 char *work)
{
    const char *own = at(k, t, j, j, n);
    k->gemm('N', true, j, b, b, products, n, own, n, work, n);
    k->gemm('N', false, j, b, j, t, n, work, n, at(k, t, 0, j, n), n);
}

void oblu_make_t(const oblu_kernels *k, size_t n, const void *products, const void *tau, void *t,
                 void *work)
{
    memset(t, 0, n * n * k->bytes);
    for (size_t j = 0, b; j < n; j += b) {
        const char *of_j = (const char *)products + j * n * k->bytes;
        b = n - j < OBLU_NARROW ? n - j : OBLU_NARROW;
        k->triangle(b, of_j + j * k->bytes, n, (const char *)tau + j * k->bytes, at(k, t, j, j, n),
                    n);
        join(k, n, j, b, of_j, t, work);
    }
}

void oblu_reflect(const oblu_kernels *k, size_t m, size_t n, void *v, size_t ld, void *r, void *t,
                  void *work)
{
    const size_t e = k->bytes;
    char *tau = work, *products = tau + n * e, *times = products + OBLU_NARROW * n * e;
    memset(r, 0, n * n * e);
    memset(t, 0, n * n * e);
    for (size_t j = 0, b; j < n; j += b) {
        b = n - j < OBLU_NARROW ? n - j : OBLU_NARROW;
        size_t rows = m - j, rest = n - j - b;
        char *own = at(k, v, j, j, ld), *right = at(k, v, j, j + b, ld),
             *corner = at(k, t, j, j, n);
        k->narrow(rows, b, own, ld, tau);
        take_r(k, b, own, ld, at(k, r, j, j, n), n);
        k->gemm('C', true, j + b, b, rows, at(k, v, j, 0, ld), ld, own, ld, products, n);
        k->triangle(b, products + j * e, n, tau, corner, n);
        join(k, n, j, b, products, t, times);
        k->gemm('C', true, b, rest, rows, own, ld, right, ld, products, b);
        k->gemm('C', true, b, rest, b, corner, n, products, b, times, b);
        k->gemm('N', false, rows, rest, b, own, ld, times, b, right, ld);
    }
    for (size_t j = OBLU_NARROW; j < n; j++) { /* what stands above the triangles */
        size_t above = j / OBLU_NARROW * OBLU_NARROW;
        memcpy(at(k, r, 0, j, n), at(k, v, 0, j, ld), above * e);
        memset(at(k, v, 0, j, ld), 0, above * e);
    }
}

size_t oblu_reflect_work(size_t n)
{
    return n * (1 + 2 * OBLU_NARROW);
}

/* ------------------------------------------------------------- powers of 2 */

int oblu_power_for(double size, double least)
{
    int power;
    if (size == 0 || (size >= least && size <= 1 / least))
        return 0;
    frexp(isfinite(size) ? size : DBL_MAX, &power);
    return -power;
}

void oblu_times_power(const oblu_kernels *k, size_t m, size_t n, void *a, size_t ld, int power)
{
    enum { STEP = 100 };
    while (power) {
        int step = power > STEP ? STEP : power < -STEP ? -STEP : power;
        k->scale(m, n, ldexp(1, step), a, ld);
        power -= step;
    }
}
