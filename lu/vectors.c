/*
 * The four tables of vectors.h.
 */
#include "vectors.h"

#define VECTORS(x, real, width)                                                                    \
    void x##gemv_(const char *, const int *, const int *, const real *, const real *, const int *, \
                  const real *, const int *, const real *, real *, const int *, size_t);           \
    void x##larfg_(const int *, real *, real *, const int *, real *);                              \
    void x##scal_(const int *, const real *, real *, const int *);                                 \
    void x##axpy_(const int *, const real *, const real *, const int *, real *, const int *);      \
    static void x##_times(char op, size_t m, size_t n, double alpha_, const void *a, size_t ld,    \
                          const void *v, void *y)                                                  \
    {                                                                                              \
        const int im = (int)m, in = (int)n, ild = (int)ld, next = 1;                               \
        const real alpha[2] = {(real)alpha_, 0}, one[2] = {1, 0};                                  \
        if (m && n)                                                                                \
            x##gemv_(&op, &im, &in, alpha, a, &ild, v, &next, one, y, &next, 1);                   \
    }                                                                                              \
    static void x##_reflect(size_t n, void *v, void *tau)                                          \
    {                                                                                              \
        const int in = (int)n, next = 1;                                                           \
        x##larfg_(&in, v, (real *)v + (width), &next, tau);                                        \
    }                                                                                              \
    static void x##_scale(size_t n, const void *alpha, void *v)                                    \
    {                                                                                              \
        const int in = (int)n, next = 1;                                                           \
        x##scal_(&in, alpha, v, &next);                                                            \
    }                                                                                              \
    static void x##_add(size_t n, const void *alpha, const void *v, void *y)                       \
    {                                                                                              \
        const int in = (int)n, next = 1;                                                           \
        x##axpy_(&in, alpha, v, &next, y, &next);                                                  \
    }                                                                                              \
    const oblu_vectors oblu_vectors_##x = {x##_times, x##_reflect, x##_scale, x##_add};
VECTORS(s, float, 1)
VECTORS(d, double, 1)
VECTORS(c, float, 2)
VECTORS(z, double, 2)
