/*
 * What the tests of BSPlib and BSP2D share: checks on all processes, added up with
 * BSPlib itself by the last thing a program does; process 0 prints one line.
 */
#ifndef OB_TESTS_BSP_HARNESS_H
#define OB_TESTS_BSP_HARNESS_H

#include <bsp.h>

#include "../checks.h"

static inline void begin(int maxprocs)
{
    bsp_begin(maxprocs);
    world.me = bsp_pid();
    world.count = bsp_nprocs();
}

/* All counts to all, the line, the end. The program's status is the same everywhere. */
static inline int finish(void)
{
    int sum[2] = {0, 0}, mine[2] = {world.passed, world.failed};
    int *all = calloc((size_t)world.count, sizeof mine);
    bsp_push_reg(all, (size_t)world.count * sizeof mine);
    bsp_sync();
    for (int i = 0; i < world.count; i++)
        bsp_put(i, mine, all, (size_t)world.me * sizeof mine, sizeof mine);
    bsp_sync();
    for (int i = 0; i < 2 * world.count; i++)
        sum[i % 2] += all[i];
    free(all);
    say_sums(sum[0], sum[1]);
    bsp_end();
    return sum[1] != 0;
}

#endif
