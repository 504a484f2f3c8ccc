/*
 * Least squares: one line as in the paper's tables, and piecewise lines for
 * the profile. Pure arithmetic, but for tune.c.
 */
#ifndef OBBENCH_FIT_H
#define OBBENCH_FIT_H

#include "obbench.h"

typedef struct obb_sample {
    double x, y;
} obb_sample;

typedef struct obb_fit {
    double alpha, beta;
} obb_fit;

/* The plain least-squares line; a level one through a single x. */
obb_fit obb_least_squares(const obb_sample *samples, int count);

/* Least squares of the relative distances, in which a few samples far off
 * have little say (they are weighted by their distance, Huber). For y > 0. */
obb_fit obb_robust_line(const obb_sample *samples, int count);

/* Fewest lines that follow the samples, at most OB_PIECES, each over three
 * lengths or more. The samples need not be sorted; several may share a length. Sets misfit,
 * not spread. -1 when there is no sample with y > 0. */
int obb_fit_curve(obb_sample *samples, int count, ob_curve *curve);

/* Finds the numbers in value[0 .. n-1], each within its bounds, for which
 * distance() is least: one after the other, by factors that shrink from sweep to sweep. */
typedef double obb_distance(const double *value, void *context);
double obb_search(double *value, const double *least, const double *most, int n, int sweeps,
                  obb_distance *distance, void *context);

/* -------------------------------------------------------------------- tune.c */

/* The curves of T_c, T_s, T_r, T_m and T_o; those not measured stay as in
 * *profile. Returns a bit for each one that was fitted. */
unsigned obb_fit_curves(const obb_records *list, ob_profile *profile);
/* What waiting costs: the numbers for which the simulated collective calls are nearest to
 * the measured ones. The search ends after so many seconds with the best numbers yet (0: when it
 * is done); tell is called now and then with the part that is done. Returns the median relative
 * error, -1 when nothing was measured that tells. */
typedef void obb_tell(double part);
double obb_fit_waiting(const obb_records *list, ob_profile *profile, double seconds,
                       obb_tell *tell);

#endif
