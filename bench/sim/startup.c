/*
 * The start of a large program on a simulated machine: process 0 reads 300 settings, 20 us each,
 * and tells the others of each at once, in a broadcast of 4 bytes (docs/tracing.md shows its
 * trace).
 *
 *     smpirun ... startup [TOP | together]      together: one broadcast of all, at the end
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "openblacs/blacs.h"

enum { SETTINGS = 300, READ_NS = 20000 };

static void tell(int context, int me, char *top, int *values, int count)
{
    if (me == 0)
        Cigebs2d(context, "All", top, count, 1, values, count);
    else
        Cigebr2d(context, "All", top, count, 1, values, count, 0, 0);
}

int main(int argc, char **argv)
{
    char *top = argc > 1 ? argv[1] : " ";
    int me, count, context, wrong = 0, values[SETTINGS] = {0};
    int together = strcmp(top, "together") == 0;
    struct timespec read = {0, READ_NS};
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    for (int k = 0; k < SETTINGS; k++) {
        if (me == 0) {
            nanosleep(&read, NULL);
            values[k] = k + 1;
        }
        if (!together)
            tell(context, me, top, &values[k], 1);
    }
    if (together)
        tell(context, me, " ", values, SETTINGS);
    for (int k = 0; k < SETTINGS; k++)
        wrong += values[k] != k + 1;
    if (wrong)
        fprintf(stderr, "startup: process %d has %d wrong settings\n", me, wrong);
    Cblacs_exit(0);
    return wrong != 0;
}
