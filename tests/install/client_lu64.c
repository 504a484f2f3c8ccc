/* A client of the installed libopenblacs_lu64. Prints one line on process 0; status 0 is right. */
#include <openblacs/blacs.h>
#include <openblacs/bsp_lu.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    int64_t me, count, context, info, sum, pivots[4];
    double a[4] = {4, 1, 2, 3}, b[2] = {10, 5}; /* by columns; the solution is 2, 1 */

    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    int64_t desca[9] = {1, context, 2, 2, 2, 2, 0, 0, 2},
            descb[9] = {1, context, 2, 1, 2, 2, 0, 0, 2};
    bsp_pdgesv(2, 1, a, 1, 1, desca, pivots, b, 1, 1, descb, &info);
    sum = info != 0 || (me == 0 && !(fabs(b[0] - 2) + fabs(b[1] - 1) < 1e-12));
    Cigsum2d(context, "All", " ", 1, 1, &sum, 1, -1, -1);
    if (me == 0)
        printf("%s: %" PRId64 " processes\n", sum == 0 ? "right" : "wrong", count);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return sum != 0;
}
