/*
 * Two programs that sleep, with a cause that a report's page has to show. golden/ has their traces
 * (report.sh): chain   process 0 waits for process 1, which sleeps longer than the others; they
 * wait for 0 hot     supersteps in which all put much data to process 2, itself included, after all
 * slept
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "openblacs/blacs.h"
#include "openblacs/bsp.h"

enum { ROUNDS = 12, ITEMS = 20000, PUT = 1 << 18 };

static void rest(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

static void hand_in(int context, double *x)
{
    Cdgesd2d(context, ITEMS, 1, x, ITEMS, 0, 0);
}

static void chain(void)
{
    static double x[ITEMS];
    int me, count, context;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    for (int round = 0; round < ROUNDS; round++)
        if (me) {
            rest(me == 1 ? 12 : 2);
            hand_in(context, x);
            Cdgebr2d(context, "All", " ", 100, 1, x, 100, 0, 0);
        } else {
            for (int from = 1; from < count; from++)
                Cdgerv2d(context, ITEMS, 1, x, ITEMS, 0, from);
            Cdgebs2d(context, "All", " ", 100, 1, x, 100);
        }
    Cblacs_gridexit(context);
    Cblacs_exit(0);
}

static void hot(void)
{
    bsp_begin(bsp_nprocs());
    int me = bsp_pid(), count = bsp_nprocs();
    char *mine = calloc(1, PUT), *board = calloc((size_t)count, PUT);
    if (!mine || !board)
        bsp_abort("planted: no memory\n");
    bsp_push_reg(board, count * PUT);
    bsp_sync();
    for (int round = 0; round < ROUNDS; round++) {
        rest(2);
        bsp_sync();
        bsp_put(2, mine, board, (long)me * PUT, PUT);
        bsp_sync();
    }
    bsp_end();
    free(mine);
    free(board);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "chain"))
        chain();
    else if (argc == 2 && !strcmp(argv[1], "hot"))
        hot();
    else
        return fprintf(stderr, "usage: planted chain|hot\n"), 2;
    return 0;
}
