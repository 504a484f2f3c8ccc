/*
 * One wrong program for BSP2D, by name; tests/run/bsp.sh compares the line it prints. The grid is
 * 1 x 2.
 */
#include <bsp.h>
#include <bsp2d.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "openblacs/core.h"

static double x[16], y[16];

static void wrong(const char *what, bsp2d_grid *g, int me)
{
    const ob_view four = bsp2d_ge(OB_DOUBLE, 4, 1, x, 4), three = bsp2d_ge(OB_DOUBLE, 3, 1, y, 3);
    const ob_view whole = bsp2d_ge(OB_INT, 4, 1, y, 4), flat = bsp2d_ge(OB_DOUBLE, 4, 2, x, 2);
    static const int twice[2] = {0, 0};
    ob_view packed;
#define WHEN(name, call)                                                                           \
    if (strcmp(what, name) == 0)                                                                   \
        call;
    WHEN("shape", bsp2d_gridinit('R', 0, 2))
    WHEN("shapes", bsp2d_sync(bsp2d_gridinit('R', me ? 2 : 1, me ? 1 : 2)))
    WHEN("roots", bsp2d_bcast(g, 'A', 0, me, &four))
    WHEN("scopes", if (me) bsp2d_bcast(g, 'C', 0, 0, &four))
    WHEN("sync-meets-broadcast", me ? bsp2d_bcast(g, 'A', 0, 0, &four) : bsp2d_sync(g))
    WHEN("bsp-meets-bsp2d", (bsp_begin(2), me ? bsp2d_sync(g) : bsp_sync()))
    WHEN("scopes-differ",
         me ? bsp2d_bcast(g, 'R', 0, 0, &four) : bsp2d_reduce(g, 'A', OB_SUM, &four, NULL, 0))
    WHEN("order", bsp2d_gridinit('Q', 1, 2))
    WHEN("large", bsp2d_gridinit('R', 3, 2))
    if (me && strcmp(what, "twice") == 0)
        pause(); /* it is not in the list, which is another fault */
    WHEN("twice", bsp2d_gridmap(twice, 1, 1, 2))
    WHEN("map", bsp2d_gridmap(NULL, 1, 1, 2))
    WHEN("null", bsp2d_sync(NULL))
    WHEN("place", bsp2d_send(g, 1, 0, &four))
    WHEN("pid", bsp2d_put(g, 2, x, x, 0, 8))
    WHEN("ld", bsp2d_send(g, 0, 1, &flat))
    WHEN("none", bsp2d_move(g, 0, 1, &four))
    WHEN("hpnone", bsp2d_hpmove(g, 0, 0, &packed))
    WHEN("count", (bsp2d_send(g, 0, me, &four), bsp2d_sync(g), bsp2d_move(g, 0, me, &three)))
    WHEN("type", (bsp2d_send(g, 0, me, &four), bsp2d_sync(g), bsp2d_move(g, 0, me, &whole)))
    WHEN("scope", bsp2d_bcast(g, 'Z', 0, 0, &four))
    WHEN("unregistered", bsp2d_put(g, 0, y, y, 0, 8))
    WHEN("beyond", (bsp2d_push_reg(g, x, 32), bsp2d_sync(g),
                    me ? bsp2d_put_matrix(g, 0, &four, x, 1, 4) : (void)0))
    WHEN("buffers", bsp2d_buffer(g, me ? 64 : 128))
    WHEN("buffer", bsp2d_buffer_free(g, x))
    WHEN("together-bcast", (ob_together_begin(), bsp2d_bcast(g, 'A', 0, 0, &four)))
    WHEN("together-reduce", (ob_together_begin(), bsp2d_reduce(g, 'A', OB_SUM, &four, NULL, 0)))
    WHEN("operation", bsp2d_reduce_by(g, 'A', NULL, &four))
    WHEN("exit", if (me) bsp2d_gridexit(g))
}

int main(int argc, char **argv)
{
    ob_job *job;
    if (ob_job_start(&job) != OB_OK)
        return 2;
    bsp2d_grid *g = bsp2d_gridinit('R', 1, 2);
    wrong(argc > 1 ? argv[1] : "", g, ob_job_number(job));
    bsp2d_sync(g);
    bsp2d_gridexit(g);
    return ob_job_stop(job, 1) != OB_OK;
}
