/*
 * The four types: one table each of BLAS and LAPACK routines behind one interface, stamped by one
 * macro.
 */
#include "lu.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define SIGNATURES(x, real, max, ger, rank_k)                                                      \
    int max(const int *, const real *, const int *);                                               \
    void x##scal_(const int *, const real *, real *, const int *);                                 \
    void ger(const int *, const int *, const real *, const real *, const int *, const real *,      \
             const int *, real *, const int *);                                                    \
    void x##getrf_(const int *, const int *, real *, const int *, int *, int *);                   \
    void x##trsm_(const char *, const char *, const char *, const char *, const int *,             \
                  const int *, const real *, const real *, const int *, real *, const int *,       \
                  size_t, size_t, size_t, size_t);                                                 \
    void x##trmm_(const char *, const char *, const char *, const char *, const int *,             \
                  const int *, const real *, const real *, const int *, real *, const int *,       \
                  size_t, size_t, size_t, size_t);                                                 \
    void x##gemm_(const char *, const char *, const int *, const int *, const int *, const real *, \
                  const real *, const int *, const real *, const int *, const real *, real *,      \
                  const int *, size_t, size_t);                                                    \
    void rank_k(const char *, const char *, const int *, const int *, const real *, const real *,  \
                const int *, const real *, real *, const int *, size_t, size_t);                   \
    void x##geqrf_(const int *, const int *, real *, const int *, real *, real *, const int *,     \
                   int *);                                                                         \
    void x##potrf_(const char *, const int *, real *, const int *, int *, size_t);                 \
    void x##potf2_(const char *, const int *, real *, const int *, int *, size_t);

/* A tile of a transposed copy: its rows and columns stay in the first cache. And so many short
 * squares of a Cholesky factorisation are few. */
enum { TILE = 16, FEW = 4 };

#define CONJUGATE_1(x) (x)
#define CONJUGATE_2(x) conj(x)

#define KERNELS(x, real, scalar, ob, width, max, ger, rank_k)                                      \
    SIGNATURES(x, real, max, ger, rank_k)                                                          \
    static int x##_getrf(size_t m, size_t n, void *a, size_t ld, int *pivots)                      \
    {                                                                                              \
        int im = (int)m, in = (int)n, ild = (int)ld, info = 0;                                     \
        x##getrf_(&im, &in, a, &ild, pivots, &info);                                               \
        return info;                                                                               \
    }                                                                                              \
    static void x##_trsm(char side, char uplo, char trans, char diag, size_t m, size_t n,          \
                         const void *t, size_t ldt, void *b, size_t ldb)                           \
    {                                                                                              \
        int im = (int)m, in = (int)n, ildt = (int)ldt, ildb = (int)ldb;                            \
        const real one[2] = {1, 0};                                                                \
        const char how[] = {side, uplo, trans, diag};                                              \
        if (m && n && !oblu_short_trsm(ob, how, m, n, t, ldt, b, ldb))                             \
            x##trsm_(&side, &uplo, &trans, &diag, &im, &in, one, t, &ildt, b, &ildb, 1, 1, 1, 1);  \
    }                                                                                              \
    static void x##_trmm(char side, char trans, size_t m, size_t n, const void *t, size_t ldt,     \
                         void *b, size_t ldb)                                                      \
    {                                                                                              \
        int im = (int)m, in = (int)n, ildt = (int)ldt, ildb = (int)ldb;                            \
        const real one[2] = {1, 0};                                                                \
        if (m && n)                                                                                \
            x##trmm_(&side, "U", &trans, "N", &im, &in, one, t, &ildt, b, &ildb, 1, 1, 1, 1);      \
    }                                                                                              \
    static void x##_herk(char uplo, size_t n, size_t k, const void *a, size_t lda, void *c,        \
                         size_t ldc)                                                               \
    {                                                                                              \
        int in = (int)n, ik = (int)k, ia = (int)lda, ic = (int)ldc;                                \
        const real minus = -1, one = 1;                                                            \
        if (n && k)                                                                                \
            rank_k(&uplo, "C", &in, &ik, &minus, a, &ia, &one, c, &ic, 1, 1);                      \
    }                                                                                              \
    static void x##_product(char of_a, char of_b, size_t m, size_t n, size_t k, const void *alpha, \
                            const void *a, size_t lda, const void *b, size_t ldb,                  \
                            const void *beta, void *c, size_t ldc)                                 \
    {                                                                                              \
        int im = (int)m, in = (int)n, ik = (int)k, ia = (int)lda, ib = (int)ldb, ic = (int)ldc;    \
        const real one[2] = {1, 0};                                                                \
        x##gemm_(&of_a, &of_b, &im, &in, &ik, alpha, a, &ia, b, &ib, beta ? beta : one, c, &ic, 1, \
                 1);                                                                               \
    }                                                                                              \
    static void x##_gemm(char trans, bool fresh, size_t m, size_t n, size_t k, const void *a,      \
                         size_t lda, const void *b, size_t ldb, void *c, size_t ldc)               \
    {                                                                                              \
        int im = (int)m, in = (int)n, ik = (int)k, ia = (int)lda, ib = (int)ldb, ic = (int)ldc;    \
        const real alpha[2] = {fresh ? 1 : -1, 0}, beta[2] = {fresh ? 0 : 1, 0};                   \
        if (m && n && (k || fresh))                                                                \
            x##gemm_(&trans, "N", &im, &in, &ik, alpha, a, &ia, b, &ib, beta, c, &ic, 1, 1);       \
    }                                                                                              \
    static size_t x##_largest(size_t m, const void *x_, size_t stride, double *size)               \
    {                                                                                              \
        int im = (int)m, istride = (int)stride;                                                    \
        size_t at = (size_t)max(&im, x_, &istride) - 1;                                            \
        const real *v = (const real *)x_ + at * stride * width;                                    \
        *size = fabs((double)v[0]) + (width == 2 ? fabs((double)v[width - 1]) : 0);                \
        *size = isnan(*size) ? INFINITY : *size;                                                   \
        return at;                                                                                 \
    }                                                                                              \
    static void x##_eliminate(size_t m, size_t n, void *a, size_t ld, const void *row,             \
                              size_t ld_row)                                                       \
    {                                                                                              \
        int im = (int)m, in = (int)n - 1, ild = (int)ld, ildr = (int)ld_row, one = 1;              \
        scalar pivot = *(const scalar *)row, inverse = 1 / pivot, minus = -1, *column = a;         \
        if (m && isfinite(cabs((double complex)inverse)))                                          \
            x##scal_(&im, (const real *)&inverse, a, &one);                                        \
        else                                                                                       \
            for (size_t i = 0; i < m; i++)                                                         \
                column[i] /= pivot;                                                                \
        if (m && n > 1)                                                                            \
            ger(&im, &in, (const real *)&minus, a, &one, (const real *)row + ld_row * width,       \
                &ildr, (real *)a + ld * width, &ild);                                              \
    }                                                                                              \
    /* The update behind the first w columns of L, or rows of U. */                                \
    static void x##_behind(char uplo, size_t n, size_t w, real *a, size_t ld)                      \
    {                                                                                              \
        int in = (int)(n - w), iw = (int)w, ild = (int)ld;                                         \
        const real minus = -1, one = 1;                                                            \
        real *beside = a + (uplo == 'L' ? w : w * ld) * width;                                     \
        if (uplo == 'L')                                                                           \
            x##_trsm('R', 'L', 'C', 'N', n - w, w, a, ld, beside, ld);                             \
        else                                                                                       \
            x##_trsm('L', 'U', 'C', 'N', w, n - w, a, ld, beside, ld);                             \
        rank_k(&uplo, uplo == 'L' ? "N" : "C", &in, &iw, &minus, beside, &ild, &one,               \
               a + (w + w * ld) * width, &ild, 1, 1);                                              \
    }                                                                                              \
    /* A few short squares one after the other; false where nothing is done. */                    \
    static bool x##_in_squares(char uplo, size_t n, real *a, size_t ld, int *info)                 \
    {                                                                                              \
        size_t w;                                                                                  \
        *info = 0;                                                                                 \
        for (size_t j = 0; j < n; j += w, a += w * (1 + ld) * width) {                             \
            w = n - j < OBLU_SHORT ? n - j : OBLU_SHORT;                                           \
            if (n > FEW * OBLU_SHORT || !oblu_short_potrf(ob, uplo, w, a, ld, info))               \
                return false;                                                                      \
            *info += *info ? (int)j : 0;                                                           \
            if (*info)                                                                             \
                break;                                                                             \
            if (w < n - j)                                                                         \
                x##_behind(uplo, n - j, w, a, ld);                                                 \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static int x##_potrf(char uplo, size_t n, void *a, size_t ld)                                  \
    {                                                                                              \
        int in = (int)n, ild = (int)ld, info = 0;                                                  \
        if (x##_in_squares(uplo, n, a, ld, &info))                                                 \
            return info;                                                                           \
        (n < OBLU_SHORT ? x##potf2_ : x##potrf_)(&uplo, &in, a, &ild, &info, 1);                   \
        for (size_t i = 0; i < n && info == 0; i++)                                                \
            if (isnan(((const real *)a)[(i + i * ld) * width]))                                    \
                info = (int)i + 1;                                                                 \
        return info;                                                                               \
    }                                                                                              \
    static void x##_geqrf(size_t m, size_t n, void *a, size_t ld, void *tau)                       \
    {                                                                                              \
        int im = (int)m, in = (int)n, ild = (int)ld, size = -1, info;                              \
        scalar best = 0;                                                                           \
        x##geqrf_(&im, &in, a, &ild, tau, (real *)&best, &size, &info);                            \
        size = (int)creal((double complex)best);                                                   \
        real *work = oblu_room((size_t)size, sizeof best);                                         \
        x##geqrf_(&im, &in, a, &ild, tau, work, &size, &info);                                     \
        free(work);                                                                                \
    }                                                                                              \
    static void x##_put(double value, void *to)                                                    \
    {                                                                                              \
        *(scalar *)to = (scalar)value;                                                             \
    }                                                                                              \
    static bool x##_minus_inverse(const void *x_, void *to)                                        \
    {                                                                                              \
        scalar value = *(const scalar *)x_;                                                        \
        bool any = value != 0;                                                                     \
        *(scalar *)to = any ? -1 / value : -1;                                                     \
        return any;                                                                                \
    }                                                                                              \
    static void x##_adjoint(size_t m, size_t n, const void *from, size_t ldf, void *to,            \
                            size_t ldt)                                                            \
    {                                                                                              \
        const scalar *f = from;                                                                    \
        scalar *t = to;                                                                            \
        for (size_t j0 = 0; j0 < n; j0 += TILE)                                                    \
            for (size_t i0 = 0; i0 < m; i0 += TILE)                                                \
                for (size_t i = i0; i < m && i < i0 + TILE; i++)                                   \
                    for (size_t j = j0; j < n && j < j0 + TILE; j++)                               \
                        t[j + i * ldt] = (scalar)CONJUGATE_##width(f[i + j * ldf]);                \
    }                                                                                              \
    static void x##_subtract(size_t m, size_t n, const void *a, size_t lda, void *c, size_t ldc)   \
    {                                                                                              \
        for (size_t j = 0; j < n; j++)                                                             \
            for (size_t i = 0; i < m * width; i++)                                                 \
                ((real *)c)[i + j * ldc * width] -= ((const real *)a)[i + j * lda * width];        \
    }                                                                                              \
    static void x##_scale(size_t m, size_t n, double factor, void *a, size_t lda)                  \
    {                                                                                              \
        for (size_t j = 0; j < n; j++)                                                             \
            for (size_t i = 0; i < m * width; i++)                                                 \
                ((real *)a)[i + j * lda * width] *= (real)factor;                                  \
    }                                                                                              \
    const oblu_kernels oblu_##x = {.letter = #x,                                                   \
                                   .type = ob,                                                     \
                                   .bytes = sizeof(real) * width,                                  \
                                   .getrf = x##_getrf,                                             \
                                   .potrf = x##_potrf,                                             \
                                   .geqrf = x##_geqrf,                                             \
                                   .narrow = oblu_narrow_##x,                                      \
                                   .triangle = oblu_triangle_##x,                                  \
                                   .reflection = oblu_reflection_##x,                              \
                                   .put = x##_put,                                                 \
                                   .minus_inverse = x##_minus_inverse,                             \
                                   .adjoint = x##_adjoint,                                         \
                                   .herk = x##_herk,                                               \
                                   .trmm = x##_trmm,                                               \
                                   .trsm = x##_trsm,                                               \
                                   .gemm = x##_gemm,                                               \
                                   .product = x##_product,                                         \
                                   .largest = x##_largest,                                         \
                                   .eliminate = x##_eliminate,                                     \
                                   .subtract = x##_subtract,                                       \
                                   .scale = x##_scale};

KERNELS(s, float, float, OB_FLOAT, 1, isamax_, sger_, ssyrk_)
KERNELS(d, double, double, OB_DOUBLE, 1, idamax_, dger_, dsyrk_)
KERNELS(c, float, float complex, OB_COMPLEX, 2, icamax_, cgeru_, cherk_)
KERNELS(z, double, double complex, OB_DCOMPLEX, 2, izamax_, zgeru_, zherk_)
