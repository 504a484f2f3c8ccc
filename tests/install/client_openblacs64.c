/* A client of the installed libopenblacs64. Prints one line on process 0; status 0 is right. */
#include <inttypes.h>
#include <openblacs/blacs.h>
#include <stdio.h>

int main(void)
{
    int64_t me, count, context, sum[2] = {(int64_t)1 << 40, 1};
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    Cigsum2d(context, "All", " ", 2, 1, sum, 2, -1, -1);
    int right = sum[0] == count << 40 && sum[1] == count;
    if (me == 0)
        printf("%s: %" PRId64 " processes\n", right ? "right" : "wrong", count);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return right ? 0 : 1;
}
