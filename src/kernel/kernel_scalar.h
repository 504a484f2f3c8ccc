/*
 * What the kernels do to one element, for each scalar type: magnitudes, how
 * they compare, sums, and who wins. Everything is free of branches, so that
 * compilers turn the loops around it into vector code. For kernel.c and fold.c alone.
 */
#ifndef OB_KERNEL_KERNEL_SCALAR_H
#define OB_KERNEL_KERNEL_SCALAR_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------- scalars, by short type name */

/* Magnitudes compare like numbers of the same type. Integers use -|x|, which
 * cannot overflow, and so the larger magnitude is the smaller number. No integer is NaN. Of two
 * numbers of one magnitude: the larger, upper, and the smaller, lower. */
#define INTEGER(R, T, UNSIGNED)                                                                    \
    typedef T value_##R;                                                                           \
    INLINE T magnitude_##R(T x)                                                                    \
    {                                                                                              \
        return x > 0 ? -x : x;                                                                     \
    }                                                                                              \
    INLINE int larger_##R(T x, T y)                                                                \
    {                                                                                              \
        return x < y;                                                                              \
    }                                                                                              \
    INLINE int nan_##R(T x)                                                                        \
    {                                                                                              \
        (void)x;                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    INLINE T plus_##R(T a, T b)                                                                    \
    {                                                                                              \
        return (T)((UNSIGNED)a + (UNSIGNED)b);                                                     \
    }                                                                                              \
    INLINE T upper_##R(T a, T b)                                                                   \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }                                                                                              \
    INLINE T lower_##R(T a, T b)                                                                   \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }
INTEGER(int, int32_t, uint32_t)
INTEGER(int64, int64_t, uint64_t)

/* The bits of floating-point numbers of one magnitude differ in the sign at most. In the larger it
 * stays only where both have it, in the smaller where one has it. */
#define SIGN_OF_TWO(NAME, R, BITS, JOIN)                                                           \
    INLINE R NAME(R a, R b)                                                                        \
    {                                                                                              \
        BITS x, y;                                                                                 \
        memcpy(&x, &a, sizeof x);                                                                  \
        memcpy(&y, &b, sizeof y);                                                                  \
        x JOIN y;                                                                                  \
        memcpy(&a, &x, sizeof a);                                                                  \
        return a;                                                                                  \
    }
#define FLOATING(R, BITS, MAGNITUDE)                                                               \
    typedef R value_##R;                                                                           \
    INLINE R magnitude_##R(R x)                                                                    \
    {                                                                                              \
        return MAGNITUDE(x);                                                                       \
    }                                                                                              \
    INLINE int larger_##R(R x, R y)                                                                \
    {                                                                                              \
        return x > y;                                                                              \
    }                                                                                              \
    INLINE int nan_##R(R x)                                                                        \
    {                                                                                              \
        return x != x;                                                                             \
    }                                                                                              \
    INLINE R plus_##R(R a, R b)                                                                    \
    {                                                                                              \
        return a + b;                                                                              \
    }                                                                                              \
    SIGN_OF_TWO(upper_##R, R, BITS, &=)                                                            \
    SIGN_OF_TWO(lower_##R, R, BITS, |=)
FLOATING(float, uint32_t, __builtin_fabsf)
FLOATING(double, uint64_t, __builtin_fabs)

/* The result of a tie. */
#define TIED_MAX(R, x, y) upper_##R(x, y)
#define TIED_MIN(R, x, y) upper_##R(x, y)
#define TIED_TOP(R, x, y) upper_##R(x, y)
#define TIED_LOW(R, x, y) lower_##R(x, y)

/* What is compared. */
#define WEIGH_MAX(R, x) magnitude_##R(x)
#define WEIGH_MIN(R, x) magnitude_##R(x)
#define WEIGH_TOP(R, x) (x)
#define WEIGH_LOW(R, x) (x)

/* Should `y` replace `x` (both magnitudes) as the largest, ties aside? */
#define BEATS_MAX(R, x, y) (larger_##R(y, x) | (nan_##R(y) & !nan_##R(x)))
#define BEATS_MIN(R, x, y) BEATS_MAX(R, y, x)
/* The same of values, a NaN before every number. */
#define BEATS_TOP(R, x, y) (((y) > (x)) | (nan_##R(y) & !nan_##R(x)))
#define BEATS_LOW(R, x, y) (((y) < (x)) | (nan_##R(y) & !nan_##R(x)))
/* And when ties are to be won? */
#define MATCHES_TOP(R, x, y) (((y) >= (x)) | nan_##R(y))
#define MATCHES_LOW(R, x, y) (((y) <= (x)) | nan_##R(y))
#define MATCHES_MAX(R, x, y) (larger_##R(y, x) | ((y) == (x)) | nan_##R(y))
#define MATCHES_MIN(R, x, y) MATCHES_MAX(R, y, x)

/* ------------------------------------------------------------------- one element */

/* d[i] = a[i] op b[i], for the loops of two and of three operands; d may be a. */
#define REAL_STEP(R, EXTREME, d, a, b, i)                                                          \
    value_##R x = a[i], y = b[i];                                                                  \
    value_##R mx = WEIGH_##EXTREME(R, x), my = WEIGH_##EXTREME(R, y);                              \
    value_##R tied = TIED_##EXTREME(R, x, y);                                                      \
    value_##R won = BEATS_##EXTREME(R, mx, my) ? y : x;                                            \
    d[i] = mx == my ? tied : won;

/* |re| + |im|; a tie goes to the larger real, then imaginary part. Where both
 * parts are equal only the signs of zeros can differ. */
#define COMPLEX_STEP(R, EXTREME, d, a, b, i)                                                       \
    value_##R xr = a[2 * i], xi = a[2 * i + 1], yr = b[2 * i], yi = b[2 * i + 1];                  \
    value_##R mx = magnitude_##R(xr) + magnitude_##R(xi);                                          \
    value_##R my = magnitude_##R(yr) + magnitude_##R(yi);                                          \
    int above = (yr > xr) | ((yr == xr) & (yi > xi));                                              \
    int take = BEATS_##EXTREME(R, mx, my) | ((mx == my) & above);                                  \
    int same = (yr == xr) & (yi == xi);                                                            \
    value_##R tr = upper_##R(xr, yr), ti = upper_##R(xi, yi);                                      \
    value_##R wr = take ? yr : xr, wi = take ? yi : xi;                                            \
    d[2 * i] = same ? tr : wr;                                                                     \
    d[2 * i + 1] = same ? ti : wi;

#endif
