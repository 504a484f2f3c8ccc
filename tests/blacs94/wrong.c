/* Wrong uses of libblacs94, by name; tests/run/blacs94.sh has the lines they print. */
#include <string.h>

#include "openblacs/blacs94.h"

int main(int argc, char **argv)
{
    int one = 1, zero = 0, five = 5, me, count;
    double x = 0;
    const char *name = argc > 1 ? argv[1] : "";
    initpinfo_(&me, &count);
    if (!strcmp(name, "early"))
        dgesd2d_(&one, &one, &x, &one, &zero, &zero);
    blacsinit_(&one, &one);
    if (!strcmp(name, "outside") && me == 1)
        barrier_("All");
    if (!strcmp(name, "ranges"))
        shift_range_(&zero, &five, &one, &five);
    if (!strcmp(name, "branches"))
        setbranches_(&zero);
    if (!strcmp(name, "m") && me == 0)
        dgesd2d_(&(int){-1}, &one, &x, &one, &zero, &zero);
    blacsexit_(&zero);
    return 0;
}
