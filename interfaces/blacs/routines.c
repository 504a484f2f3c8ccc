/*
 * The routines as a table, for an interface on top of this one. A file of its own: a program on
 * libopenblacs64.a and libopenblacs.a must not get the plain names that stand here.
 */
#include "hooks/blacs.h"

#define OWN(routine) .routine = routine,
const ob_blacs_routines ob_blacs = {OB_BLACS_ROUTINES(OWN)};
