/*
 * Sums that do not depend on the order of their terms: the exact sum, rounded
 * once. So the bits are the same whoever adds what to what first, in
 * whatever number of parts, and zeros that are added do not matter.
 */
#ifndef OB_KERNEL_EXACT_H
#define OB_KERNEL_EXACT_H

#include <stddef.h>

#include "openblacs/core.h"

/* dst[i] = the sum of source[k][i] over the `terms` sources, for n elements of the
 * type (not OB_BYTE); dst is none of the sources. Floating-point sums are the
 * nearest number to the exact sum, ties to even, a zero sum is +0; a NaN among the
 * terms, or infinities of both signs, give the one NaN this function gives.
 * Integers wrap around. */
void ob_exact_sum(ob_type type, size_t terms, const void *const *source, size_t n, void *dst);

#endif
