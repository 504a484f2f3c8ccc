/*
 * Where the owners of extreme elements go: a member's position becomes one
 * number, or two (its row and column in a grid).
 */
#ifndef OB_COLLECTIVE_DATA_COORDINATES_H
#define OB_COLLECTIVE_DATA_COORDINATES_H

#include "hooks/collective.h"
#include "kernel/kernel.h"

/* What a position is in the caller's arrays. */
static inline ob_two ob_coordinates_of(const ob_coordinates *p, int position)
{
    return (ob_two){p->first_base + position / p->width, p->second_base + position % p->width};
}

/* Turns n positions in `first` into coordinates. A division for each would cost
 * more than the combine itself; this one is by multiplication, and exact: (position +
 * 1/2) / width is at least 1 / (2 width) away from a whole number, the rounding
 * error far less. */
static inline void ob_to_coordinates(const ob_coordinates *p, int *restrict first,
                                     int *restrict second, size_t n)
{
    double reciprocal = 1.0 / p->width;
    for (size_t i = 0; i < n; i++) {
        int position = first[i], whole = (int)((position + 0.5) * reciprocal);
        first[i] = p->first_base + whole;
        if (second)
            second[i] = p->second_base + position - whole * p->width;
    }
}

#endif
