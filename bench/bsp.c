/*
 * What supersteps cost: a sync with nothing to do beside the core's barrier, 1000 puts of 8
 * bytes to one process (in a row, and here and there) beside one put of 8000. Lines "bsp/P KEY
 * microseconds" for bench/compare; each figure is the median of interleaved rounds.
 */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"
#include "openblacs/core.h"

enum { N = 1000, ROUNDS = 25, LOOPS = 200, KINDS = 5 };

static const char *const keys[KINDS] = {"barrier", "sync", "put-8000", "puts-in-a-row",
                                        "puts-scattered"};
static double x[N], y[N];
static ob_group *everybody;

static void make_group(void)
{
    ob_job *job = NULL;
    int p = bsp_nprocs(), *numbers = malloc((size_t)p * sizeof *numbers);
    for (int i = 0; i < p; i++)
        numbers[i] = i;
    if (ob_job_start(&job) || ob_group_create(job, numbers, p, &everybody))
        bsp_abort("%s\n", ob_error_text());
    free(numbers);
}

static void once(int kind)
{
    int to = bsp_nprocs() - 1, sends = bsp_pid() == 0;
    if (kind == 0) {
        ob_barrier(everybody);
        return;
    }
    if (sends && kind == 2)
        bsp_put(to, y, x, 0, sizeof y);
    for (size_t i = 0; sends && kind == 3 && i < N; i++)
        bsp_put(to, y + i, x, i * sizeof *x, sizeof *x);
    for (size_t i = 0; sends && kind == 4 && i < N; i++)
        bsp_put(to, y + i, x, i * 389 % N * sizeof *x, sizeof *x);
    bsp_sync();
}

int main(void)
{
    static double took[KINDS][ROUNDS];
    bsp_begin(bsp_nprocs());
    make_group();
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (int r = 0; r < ROUNDS; r++)
        for (int kind = 0; kind < KINDS; kind++) {
            once(kind);
            double start = bsp_time();
            for (int k = 0; k < LOOPS; k++)
                once(kind);
            took[kind][r] = 1e6 * (bsp_time() - start) / LOOPS;
        }
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(took[kind], ROUNDS, sizeof(double), by_value);
        if (bsp_pid() == 0)
            printf("bsp/%d %s %.4f\n", bsp_nprocs(), keys[kind], took[kind][ROUNDS / 2]);
    }
    ob_group_free(everybody);
    bsp_end();
    return 0;
}
