/*
 * What the tests of BSPlib and BSP2D share: checks on all processes, added up with
 * BSPlib itself by the last thing a program does; process 0 prints one line.
 */
#ifndef OB_TESTS_BSP_HARNESS_H
#define OB_TESTS_BSP_HARNESS_H

#include <bsp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int me, count;
    int passed, failed;
} world;

__attribute__((format(printf, 2, 3))) static inline int check(int good, const char *format, ...)
{
    va_list args;
    if (good) {
        world.passed++;
        return 1;
    }
    if (++world.failed > 10)
        return 0;
    fprintf(stderr, "process %d: FAILED: ", world.me);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 0;
}

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
    if (world.me == 0)
        printf("%d passed, %d failed\n", sum[0], sum[1]);
    bsp_end();
    return sum[1] != 0;
}

static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
