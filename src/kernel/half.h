/*
 * Floating-point numbers of 16 bits, which no processor that we know of adds as they are: they are
 * widened to float, and rounded to the nearest of theirs (ties to even) when all is done.
 */
#ifndef OB_KERNEL_HALF_H
#define OB_KERNEL_HALF_H

#include <stdint.h>
#include <string.h>

static inline float ob_float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t ob_bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* binary16 (IEEE 754): every value is a float. The smallest ones, below 2^-14, are multiples of
 * 2^-24 without a leading 1. */
static inline float ob_widen_half(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    uint32_t small = ob_bits_of_float((float)(int32_t)rest * 0x1p-24f);
    uint32_t usual = (rest << 13) + (112u << 23);
    uint32_t huge = (rest << 13) | 0x7f800000u;
    uint32_t bits = rest < 0x0400u ? small : rest < 0x7c00u ? usual : huge;
    return ob_float_of_bits(bits | sign);
}

/* What is 65520 or more is infinite. A NaN stays one, and quiet. */
static inline uint16_t ob_narrow_half(float f)
{
    uint32_t bits = ob_bits_of_float(f), sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
    /* Below 2^-14: one unit in the last place of 0.5 is 2^-24, so the addition rounds. */
    uint32_t small = ob_bits_of_float(ob_float_of_bits(a) + 0.5f) - 0x3f000000u;
    uint32_t usual = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
    uint32_t nan = 0x7e00u | (a >> 13 & 0x3ffu);
    uint32_t narrow = a < 0x38800000u    ? small
                      : a < 0x477ff000u  ? usual
                      : a <= 0x7f800000u ? 0x7c00u
                                         : nan;
    return (uint16_t)(narrow | sign);
}

/* bfloat16: the upper half of a float. */
static inline float ob_widen_bfloat16(uint16_t h)
{
    return ob_float_of_bits((uint32_t)h << 16);
}

static inline uint16_t ob_narrow_bfloat16(float f)
{
    uint32_t bits = ob_bits_of_float(f), nan = (bits & 0x7fffffffu) > 0x7f800000u;
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)(nan ? bits >> 16 | 0x40u : rounded);
}

#endif
