/*
 * Medians of samples.
 */
#ifndef OBBENCH_MEDIAN_H
#define OBBENCH_MEDIAN_H

#include <stdlib.h>

/* For qsort of doubles. */
static inline int obb_by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Sorts them, too. */
static inline double obb_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, obb_by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

#endif
