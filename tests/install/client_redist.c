/* A client of the installed libopenblacs_redist. Prints one line on process 0; status 0 is right.
 */
#include <openblacs/blacs.h>
#include <openblacs/redist.h>

#include <stdio.h>

int main(void)
{
    int me, count, context, sum;
    double a[2], b[2] = {0, 0}; /* two rows of as many columns as there are processes; and back */

    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    a[0] = me;
    a[1] = -me;
    int desca[9] = {1, context, 2, count, 2, 1, 0, 0, 2};
    int descb[9] = {1, context, 2, count, 2, 1, 0, count - 1, 2};
    Cpdgemr2d(2, count, a, 1, 1, desca, b, 1, 1, descb, context);
    sum = b[0] != (me + 1) % count || b[1] != -((me + 1) % count);
    Cigsum2d(context, "All", " ", 1, 1, &sum, 1, -1, -1);
    if (me == 0)
        printf("%s: %d processes\n", sum == 0 ? "right" : "wrong", count);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return sum != 0;
}
