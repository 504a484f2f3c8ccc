/*
 * The four types: one table each of BLAS and LAPACK routines behind one shape, stamped by one macro.
 */
#include "lu.h"

#define SIGNATURES(x, real)                                                                        \
    void x##getrf_(const int *, const int *, real *, const int *, int *, int *);                  \
    void x##trsm_(const char *, const char *, const char *, const char *, const int *,            \
                  const int *, const real *, const real *, const int *, real *, const int *,       \
                  size_t, size_t, size_t, size_t);                                                 \
    void x##gemm_(const char *, const char *, const int *, const int *, const int *,              \
                  const real *, const real *, const int *, const real *, const int *,              \
                  const real *, real *, const int *, size_t, size_t);

#define KERNELS(x, real, ob, width)                                                                \
    SIGNATURES(x, real)                                                                            \
    static int x##_getrf(size_t m, size_t n, void *a, size_t ld, int *pivots)                     \
    {                                                                                              \
        int im = (int)m, in = (int)n, ild = (int)ld, info = 0;                                     \
        x##getrf_(&im, &in, a, &ild, pivots, &info);                                               \
        return info;                                                                               \
    }                                                                                              \
    static void x##_trsm(char uplo, char trans, char diag, size_t m, size_t n, const void *t,     \
                         size_t ldt, void *b, size_t ldb)                                          \
    {                                                                                              \
        int im = (int)m, in = (int)n, ildt = (int)ldt, ildb = (int)ldb;                            \
        const real one[2] = {1, 0};                                                                \
        if (m && n)                                                                                \
            x##trsm_("L", &uplo, &trans, &diag, &im, &in, one, t, &ildt, b, &ildb, 1, 1, 1, 1);    \
    }                                                                                              \
    static void x##_gemm(char trans, bool fresh, size_t m, size_t n, size_t k, const void *a,     \
                         size_t lda, const void *b, size_t ldb, void *c, size_t ldc)               \
    {                                                                                              \
        int im = (int)m, in = (int)n, ik = (int)k, ia = (int)lda, ib = (int)ldb, ic = (int)ldc;    \
        const real alpha[2] = {fresh ? 1 : -1, 0}, beta[2] = {fresh ? 0 : 1, 0};                   \
        if (m && n && (k || fresh))                                                                \
            x##gemm_(&trans, "N", &im, &in, &ik, alpha, a, &ia, b, &ib, beta, c, &ic, 1, 1);       \
    }                                                                                              \
    static void x##_subtract(size_t m, size_t n, const void *a, size_t lda, void *c, size_t ldc)  \
    {                                                                                              \
        for (size_t j = 0; j < n; j++)                                                             \
            for (size_t i = 0; i < m * width; i++)                                                 \
                ((real *)c)[i + j * ldc * width] -= ((const real *)a)[i + j * lda * width];        \
    }                                                                                              \
    const oblu_kernels oblu_##x = {#x,       ob,        sizeof(real) * width, x##_getrf, x##_trsm, x##_gemm, x##_subtract};

KERNELS(s, float, OB_FLOAT, 1)
KERNELS(d, double, OB_DOUBLE, 1)
KERNELS(c, float, OB_COMPLEX, 2)
KERNELS(z, double, OB_DCOMPLEX, 2)
