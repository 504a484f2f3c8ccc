/*
 * From measurements to a profile.
 */
#ifndef OBBENCH_TUNE_H
#define OBBENCH_TUNE_H

#include "obbench.h"

/* The curves of T_c, T_s, T_r, T_m and T_o; those not measured stay as in
 * *profile. Returns a bit for each one that was fitted. */
unsigned obb_fit_curves(const obb_records *list, ob_profile *profile);
/* What waiting costs: the numbers for which the simulated collective calls are nearest to
 * the measured ones. Returns the median relative error, -1 when nothing
 * was measured that tells. */
double obb_fit_waiting(const obb_records *list, ob_profile *profile);

#endif
