/*
 * A library that a wrong program calls, as ScaLAPACK is one: error lines name its routine.
 */
#include "openblacs/blacs.h"

int misuse_calls; /* so that the call is not the last thing the routine does */

__attribute__((visibility("default"))) void pdwrong_(int context, double *a)
{
    Cdgesd2d(context, -1, 1, a, 1, 0, 0);
    misuse_calls++;
}
