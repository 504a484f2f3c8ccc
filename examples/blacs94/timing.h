/* What the timing programs of this folder share: numbers from the command line. */
#ifndef TIMING_H
#define TIMING_H

#include <stdio.h>
#include <stdlib.h>

#include "openblacs/blacs94.h"

static const int zero = 0, one = 1, all = -1;

static inline int argument(int argc, char **argv, int which, int otherwise)
{
    return argc > which ? atoi(argv[which]) : otherwise;
}

/* The next length of a series: by an increment, or twice as long when that is 0. */
static inline int next_length(int length, int increment)
{
    return increment > 0 ? length + increment : 2 * length;
}

#endif
