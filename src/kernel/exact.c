/*
 * The exact sum, rounded once. Nearly always two additions without error (Knuth,
 * TAOCP 2, 4.2.2) leave nothing over, and the sum is the first total plus the
 * errors' total, each element for itself in a loop that the compiler
 * vectorizes; where something is left over, or a term is no finite number, the
 * element is added up again in fixed point wide enough for any number.
 */
#include "kernel/exact.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Elements at a time: totals stay in the first-level cache. */
enum { STRIP = 256 };

/* ------------------------------------------------------------- in fixed point */

/* A number is the sum of limb[i] * 2^(32 i - 1074); each limb holds 2^31 terms
 * without overflow. 2^1024 at most, and room for the carries of the sum. */
enum { LIMBS = 68, LOWEST = -1074 };

static void add_term(int64_t limb[LIMBS], double x)
{
    int exponent;
    int64_t mantissa = (int64_t)ldexp(frexp(fabs(x), &exponent), 53);
    exponent -= 53 + LOWEST;
    if (exponent < 0) { /* subnormal: the low bits are zeros */
        mantissa >>= -exponent;
        exponent = 0;
    }
    int at = exponent / 32, shift = exponent % 32;
    uint64_t low = (uint64_t)mantissa << shift;
    uint64_t high = shift ? (uint64_t)mantissa >> (64 - shift) : 0;
    int64_t sign = x < 0 ? -1 : 1;
    limb[at] += sign * (int64_t)(low & UINT32_MAX);
    limb[at + 1] += sign * (int64_t)(low >> 32);
    limb[at + 2] += sign * (int64_t)high;
}

/* Every limb 0 .. 2^32 - 1; returns the sign, having changed it to plus. */
static int normalize(int64_t limb[LIMBS])
{
    int sign = 1;
    for (int pass = 0; pass < 2; pass++) {
        int64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            int64_t v = limb[i] * (pass ? -1 : 1) + carry;
            carry = v >> 32; /* rounds down: arithmetic shift */
            limb[i] = (int64_t)((uint64_t)v & UINT32_MAX);
        }
        if (carry >= 0)
            break;
        sign = -1;
    }
    return sign;
}

static int highest_bit(const int64_t limb[LIMBS])
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (limb[i])
            return 32 * i + 31 - __builtin_clz((unsigned)limb[i]);
    return -1;
}

static bool bit_at(const int64_t limb[LIMBS], int bit)
{
    return bit >= 0 && limb[bit / 32] >> (bit % 32) & 1;
}

static bool any_below(const int64_t limb[LIMBS], int bit)
{
    for (int i = 0; i < bit / 32; i++)
        if (limb[i])
            return true;
    return bit > 0 && (limb[bit / 32] & (((int64_t)1 << (bit % 32)) - 1));
}

/* Rounds to `digits` bits, none of them below 2^least, ties to even. */
static double rounded(int64_t limb[LIMBS], int digits, int least)
{
    int sign = normalize(limb), top = highest_bit(limb);
    int last = top - digits + 1;
    uint64_t mantissa = 0;
    if (top < 0)
        return 0;
    if (last < least - LOWEST)
        last = least - LOWEST;
    for (int bit = top; bit >= last; bit--)
        mantissa = mantissa << 1 | bit_at(limb, bit);
    bool half = bit_at(limb, last - 1), more = any_below(limb, last - 1);
    if (half && (more || mantissa & 1))
        mantissa++;
    return sign * ldexp((double)mantissa, last + LOWEST);
}

static double special(double sum)
{
    return isnan(sum) ? (double)NAN : sum;
}

#define SLOW(R, DIGITS, LEAST)                                                                     \
    static R slow_##R(size_t terms, const void *const *source, size_t i)                           \
    {                                                                                              \
        int64_t limb[LIMBS] = {0};                                                                 \
        double specials = 0;                                                                       \
        for (size_t k = 0; k < terms; k++) {                                                       \
            double x = ((const R *)source[k])[i];                                                  \
            if (isfinite(x))                                                                       \
                add_term(limb, x);                                                                 \
            else                                                                                   \
                specials += x;                                                                     \
        }                                                                                          \
        return (R)(specials == 0 ? rounded(limb, DIGITS, LEAST) : special(specials));              \
    }
SLOW(float, 24, -149)
SLOW(double, 53, -1074)

/* ------------------------------------------------------------------ the usual */

/* sum and error: totals so far; left becomes other than zero where they are not all. */
#define TERM(NAME, TARGET, R)                                                                      \
    TARGET static void NAME(size_t n, R *restrict sum, R *restrict error, R *restrict left,        \
                            const R *restrict x)                                                   \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            R a = sum[i], b = x[i], s = a + b, t = s - a;                                          \
            R e = (a - (s - t)) + (b - t);                                                         \
            R c = error[i], u = c + e, v = u - c;                                                  \
            R f = (c - (u - v)) + (e - v);                                                         \
            sum[i] = s;                                                                            \
            error[i] = u;                                                                          \
            left[i] += f < 0 ? -f : f;                                                             \
        }                                                                                          \
    }

/* Two terms: one addition is rounded once. */
#define PAIR(NAME, TARGET, R)                                                                      \
    TARGET static R NAME(size_t n, R *restrict dst, const R *restrict x, const R *restrict y)      \
    {                                                                                              \
        R odd = 0; /* 1 as soon as a sum is not finite */                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            R sum = x[i] + y[i] + (R)0;                                                            \
            dst[i] = sum;                                                                          \
            odd = sum - sum != 0 ? (R)1 : odd;                                                     \
        }                                                                                          \
        return odd;                                                                                \
    }

#define STRIPS(NAME, TERM_NAME, PAIR_NAME, R)                                                      \
    static void NAME(size_t terms, const void *const *source, size_t from, size_t n, R *dst)       \
    {                                                                                              \
        R error[STRIP] = {0}, left[STRIP] = {0};                                                   \
        if (terms == 2 &&                                                                          \
            PAIR_NAME(n, dst, (const R *)source[0] + from, (const R *)source[1] + from) == 0)      \
            return;                                                                                \
        memcpy(dst, (const R *)source[0] + from, n * sizeof(R));                                   \
        for (size_t k = 1; k < terms; k++)                                                         \
            TERM_NAME(n, dst, error, left, (const R *)source[k] + from);                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            R total = dst[i] + error[i];                                                           \
            /* Also where left is NaN, and where a square has vanished. */                         \
            bool whole = left[i] == 0 && isfinite(total);                                          \
            dst[i] = whole ? total : slow_##R(terms, source, from + i);                            \
        }                                                                                          \
    }

#define HALF(HALF_NAME, TARGET)                                                                    \
    TERM(term_float_##HALF_NAME, TARGET, float)                                                    \
    TERM(term_double_##HALF_NAME, TARGET, double)                                                  \
    PAIR(pair_float_##HALF_NAME, TARGET, float)                                                    \
    PAIR(pair_double_##HALF_NAME, TARGET, double)                                                  \
    STRIPS(strip_float_##HALF_NAME, term_float_##HALF_NAME, pair_float_##HALF_NAME, float)         \
    STRIPS(strip_double_##HALF_NAME, term_double_##HALF_NAME, pair_double_##HALF_NAME, double)

HALF(base, )
#if defined(__x86_64__) && defined(__GNUC__)
HALF(avx2, __attribute__((target("avx2"))))

static bool have_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#define STRIP_OF(R) (have_avx2() ? strip_##R##_avx2 : strip_##R##_base)
#else
#define STRIP_OF(R) strip_##R##_base
#endif

#define SUMS(R)                                                                                    \
    static void sums_##R(size_t terms, const void *const *source, size_t n, R *dst)                \
    {                                                                                              \
        void (*strip)(size_t, const void *const *, size_t, size_t, R *) = STRIP_OF(R);             \
        for (size_t from = 0; from < n; from += STRIP)                                             \
            strip(terms, source, from, n - from < STRIP ? n - from : STRIP, dst + from);           \
    }
SUMS(float)
SUMS(double)

#define INTEGER_SUMS(NAME, T)                                                                      \
    static void NAME(size_t terms, const void *const *source, size_t n, T *dst)                    \
    {                                                                                              \
        memcpy(dst, source[0], n * sizeof *dst);                                                   \
        for (size_t k = 1; k < terms; k++) {                                                       \
            const T *x = source[k];                                                                \
            for (size_t i = 0; i < n; i++)                                                         \
                dst[i] += x[i];                                                                    \
        }                                                                                          \
    }
INTEGER_SUMS(sums_int, uint32_t)
INTEGER_SUMS(sums_int64, uint64_t)

void ob_exact_sum(ob_type type, size_t terms, const void *const *source, size_t n, void *dst)
{
    switch (type) {
    case OB_INT: sums_int(terms, source, n, dst); break;
    case OB_INT64: sums_int64(terms, source, n, dst); break;
    case OB_FLOAT:
    case OB_COMPLEX: sums_float(terms, source, type == OB_COMPLEX ? 2 * n : n, dst); break;
    default: sums_double(terms, source, type == OB_DCOMPLEX ? 2 * n : n, dst);
    }
}
