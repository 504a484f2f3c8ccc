/* A client of the installed libopenblacs_factor. Prints one line on process 0; status 0 is right.
 */
#include <openblacs/blacs.h>
#include <openblacs/factor.h>

#include <stdio.h>

int main(void)
{
    int me, count, context, wrong, one = 1, info = -99, pivots[2] = {0, 0};
    double a[2]; /* a diagonal matrix of order 2 in blocks of 1: the own column */

    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    int desc[9] = {1, context, 2, count, 1, 1, 0, 0, 2}, n = count < 2 ? 1 : 2;
    a[0] = me == 0 ? 2 : 0;
    a[1] = me == 1 ? 4 : 0;
    pdgetrf_(&n, &n, a, &one, &one, desc, pivots, &info);
    wrong = info != 0 || pivots[0] != 1 || a[me == 1] != (me == 1 ? 4 : me == 0 ? 2 : 0);
    Cigsum2d(context, "All", " ", 1, 1, &wrong, 1, -1, -1);
    if (me == 0)
        printf("%s: %d processes\n", wrong == 0 ? "right" : "wrong", count);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return wrong != 0;
}
