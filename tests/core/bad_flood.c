/*
 * bad_flood: process 0 sends a GiB to process 1, which receives nothing of it. (Regression: it took
 * all memory of the machine.)
 */
#include <stdlib.h>
#include <unistd.h>

#include "openblacs/blacs.h"

int main(void)
{
    enum { ROWS = 1 << 20, TIMES = 128 };
    int me, count, ctx;
    double *a = calloc(ROWS, sizeof *a);
    if (a == NULL)
        return 1;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &ctx);
    Cblacs_gridinit(&ctx, "R", 1, count);
    for (int i = 0; i < TIMES && me == 0; i++)
        Cdgesd2d(ctx, ROWS, 1, a, ROWS, 0, 1);
    if (me)
        sleep(60); /* process 0 ends the job */
    free(a);
    return 0;
}
