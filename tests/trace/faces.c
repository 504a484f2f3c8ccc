/*
 * A program on libmlacs, libicc and libopenblacs_bsp whose trace is known beforehand, on
 * four processes: run.sh compares names, calls, bytes, scopes and peers.
 */
#include <stdio.h>
#include <stdlib.h>

#include <openblacs/bsp.h>
#include <openblacs/bsp2d.h>
#include <openblacs/icc.h>
#include <openblacs/mlacs.h>

enum { COUNT = 4 };

static int me;

static void must(int good, const char *what)
{
    if (!good) {
        printf("wrong: %s\n", what);
        exit(1);
    }
}

static void mlacs(void)
{
    MLACS_Comm all, row, column;
    MLACS_Request request;
    double a[6] = {me, me, me, me, me, me}, b[6], in[2];
    int ranks[1];
    must(mlacs_gridinit(mlacs_comm_world(), 2, 2, &all, &row, &column) == MLACS_SUCCESS, "grid");
    must(mlacs_bcast(a, 3, 3, 2, MLACS_DOUBLE, MLACS_IGNORE, 1, row) == MLACS_SUCCESS, "bcast");
    must(a[5] == me / 2 * 2 + 1, "bcast's result");
    must(mlacs_reduce_sum(a, b, 3, 3, 1, MLACS_DOUBLE, 0, MLACS_IGNORE, column) == MLACS_SUCCESS,
         "sum");
    must(mlacs_allreduce_maxloc(a, b, 1, 1, 1, ranks, 1, MLACS_DOUBLE, all) == MLACS_SUCCESS,
         "maxloc");
    int next = (me + 1) % COUNT, before = (me + COUNT - 1) % COUNT;
    must(mlacs_irecv(in, 2, 2, 1, MLACS_DOUBLE, before / 2, before % 2, 3, all, &request) ==
             MLACS_SUCCESS,
         "irecv");
    must(mlacs_send(a, 2, 2, 1, MLACS_DOUBLE, next / 2, next % 2, 3, all) == MLACS_SUCCESS, "send");
    must(mlacs_wait(&request, NULL) == MLACS_SUCCESS, "wait");
    must(mlacs_ibcast(a, 3, 3, 2, MLACS_DOUBLE, MLACS_IGNORE, 0, row, &request) == MLACS_SUCCESS,
         "ibcast");
    must(mlacs_waitall(1, &request, NULL) == MLACS_SUCCESS && a[5] == me / 2 * 2 + 1,
         "ibcast's end");
    must(mlacs_barrier(all) == MLACS_SUCCESS, "barrier");
    must(mlacs_gridexit(&all, &row, &column) == MLACS_SUCCESS, "gridexit");
}

static void icc(void)
{
    double x[COUNT] = {1, 2, 3, 4}, own[1], work[COUNT];
    const int five = 5, root = 2;
    const long lengths[COUNT] = {8, 8, 8, 8};
    char text[5] = "four";
    icc_bcast_(text, &five, &root);
    iCC_gdsum(x, 2, work);
    iCC_g_gdsum1(x, 1, work, 3, iCC_ALL);
    iCC_gcolx(&x[me], lengths, x);
    iCC_scatter(x, 8, own, 1);
    iCC_gsync();
}

static void supersteps(void)
{
    static long box;
    bsp_begin(COUNT);
    bsp_push_reg(&box, sizeof box);
    bsp_sync();
    long value = 100 + me;
    if (me != 3)
        bsp_put(me + 1, &value, &box, 0, sizeof box);
    bsp_sync();
    must(me == 0 || box == 99 + me, "put");
    bsp2d_grid *grid = bsp2d_gridinit('R', 1, COUNT);
    double big[4] = {me, me, me, me};
    const ob_view view = {.base = big, .m = 4, .n = 1, .ld = 4, .type = OB_DOUBLE};
    bsp2d_bcast(grid, 'R', 0, 2, &view);
    must(big[3] == 2, "bsp2d_bcast");
    volatile int twice = 2; /* at one place, whatever the compiler makes of the loop */
    for (int k = 0; k < twice; k++)
        bsp2d_hpsend(grid, 0, (me + 1) % COUNT, &view);
    bsp2d_send(grid, 0, me, &view);
    bsp2d_sync(grid);
    bsp2d_gridexit(grid);
    bsp_end();
}

int main(void)
{
    int count;
    must(mlacs_procinfo(&me, &count) == MLACS_SUCCESS && count == COUNT, "four processes");
    mlacs();
    icc();
    supersteps();
    return 0;
}
