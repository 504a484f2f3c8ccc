/* A client of the installed libopenblacs_bsp. Prints one line on process 0; status 0 is right. */
#include <bsp.h>
#include <bsp2d.h>

#include <stdio.h>

int main(void)
{
    bsp_begin(bsp_nprocs());
    int me = bsp_pid(), count = bsp_nprocs(), x = -1;
    double sum = me + 1;
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_put((me + 1) % count, &me, &x, 0, sizeof x);
    bsp_sync();
    bsp2d_grid *grid = bsp2d_gridinit('R', 1, count);
    ob_view v = bsp2d_ge(OB_DOUBLE, 1, 1, &sum, 1);
    bsp2d_reduce(grid, 'R', OB_SUM, &v, NULL, 0);
    bsp2d_gridexit(grid);
    int right = x == (me + count - 1) % count && sum == count * (count + 1) / 2;
    if (me == 0)
        printf("%s: %d processes\n", right ? "right" : "wrong", count);
    bsp_end();
    return right ? 0 : 1;
}
