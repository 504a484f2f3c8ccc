/*
 * What all processes of a call must say alike goes through one combine to the largest value. A
 * value is two words of it, and a wrong argument one; each is positive, so that a combine of
 * absolute values serves, too.
 */
#ifndef OB_COMMON_ALIKE_H
#define OB_COMMON_ALIKE_H

#include <stdint.h>

/* Above all parts, and all positions; and what makes a value positive. */
static const int64_t OB_ALIKE_ABOVE = 1000000, OB_ALIKE_PLACES = 4194304,
                     OB_ALIKE_SHIFT = (int64_t)1 << 62;

/* The words of a value: the largest of each is the largest and the least value (ob_alike_most). */
static inline void ob_alike_say(int64_t value, int64_t word[2])
{
    /* The nearest value that can be shifted: no other is a size or an index of anything. */
    const int64_t end = OB_ALIKE_SHIFT - 1, near = value > end ? end : value < -end ? -end : value;
    word[0] = OB_ALIKE_SHIFT + near;
    word[1] = OB_ALIKE_SHIFT - near;
}

static inline int64_t ob_alike_most(const int64_t word[2])
{
    return word[0] - OB_ALIKE_SHIFT;
}

static inline int64_t ob_alike_least(const int64_t word[2])
{
    return OB_ALIKE_SHIFT - word[1];
}

/* The word of a wrong part of the arguments, 0: none. The largest is that of the first part, and
 * of the first member that says so. */
static inline int64_t ob_alike_wrong(int64_t part, int position)
{
    return part ? (OB_ALIKE_ABOVE - part) * OB_ALIKE_PLACES - position : 0;
}

static inline int64_t ob_alike_part(int64_t word)
{
    return word ? OB_ALIKE_ABOVE - (word + OB_ALIKE_PLACES - 1) / OB_ALIKE_PLACES : 0;
}

#endif
