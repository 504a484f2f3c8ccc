/*
 * The BSP parameters of the job, in the way of the classic probe: s is the
 * rate of y = y + a x over vectors that stay in the first-level cache; g and l are
 * the line through the times of supersteps as libopenblacs_bsp has them, h doubles out of and into
 * every process.
 */
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "measure.h"

enum { VECTOR = 1024, ROUNDS = 9, STEPS = 9, MOST = 16 << (STEPS - 1) };

static double flop_rate(void)
{
    static double x[VECTOR], y[VECTOR];
    double rate[ROUNDS];
    for (int i = 0; i < VECTOR; i++)
        x[i] = y[i] = i;
    for (int r = 0; r < ROUNDS; r++) {
        double start = obb_now_us();
        int loops = 2000;
        for (int k = 0; k < loops; k++) {
            double a = k % 2 ? 1e-3 : -1e-3;
            for (int i = 0; i < VECTOR; i++)
                y[i] += a * x[i];
            __asm__ volatile("" : : "r"(y) : "memory");
        }
        rate[r] = 2.0 * VECTOR * loops / (obb_now_us() - start);
    }
    return obb_median(rate, ROUNDS);
}

/* Each process has h / (p - 1) doubles for every other one, as bsp_put has them. */
static void exchange(obb_bench *b, ob_exchange *x, size_t h, const double *out, double *in)
{
    size_t others = (size_t)b->count - 1;
    ob_room *rooms = ob_exchange_rooms(x);
    ob_tally tally = {0};
    for (size_t i = 1; i <= others; i++) {
        size_t bytes = (h / others + (i <= h % others)) * sizeof *out;
        int to = (int)(((size_t)b->me + i) % (size_t)b->count);
        if ((size_t)(rooms[to].end - rooms[to].next) < bytes)
            obb_must(b, ob_exchange_grow(x, to, bytes));
        if (bytes)
            memcpy(rooms[to].next, out, bytes);
        rooms[to].next += bytes;
    }
    obb_must(b, ob_exchange_run(x, &tally));
    for (int from = 0; from < b->count; from++) {
        char *base;
        size_t bytes;
        while ((bytes = ob_exchange_next(x, from, &base)) != 0)
            memcpy(in, base, bytes);
    }
}

static double superstep(obb_bench *b, ob_exchange *x, size_t h, double *out, double *in)
{
    enum { LOOPS = 10 };
    obb_must(b, ob_barrier(b->all));
    double start = obb_now_us();
    for (int i = 0; i < LOOPS; i++)
        exchange(b, x, h, out, in);
    return (obb_now_us() - start) / LOOPS;
}

/* 0, 32, 64, ... 4096 doubles. */
static size_t length_of(int step)
{
    return step ? (size_t)16 << step : 0;
}

void obb_measure_bsp(obb_bench *b, double *s, double *g, double *l)
{
    double *out = obb_memory(MOST, sizeof *out), *in = obb_memory(MOST, sizeof *in);
    obb_sample points[STEPS];
    obb_line line = {0};
    ob_exchange *x = NULL;
    obb_must(b, ob_exchange_create(b->all, &x));
    *s = flop_rate();
    /* The sizes take turns: a machine that is busy for a while slows all of them. */
    for (int r = 0; b->count > 1 && r < ROUNDS; r++)
        for (int n = 0; n < STEPS; n++) {
            double us = superstep(b, x, length_of(n), out, in);
            /* Other programs only ever add to a superstep: the least is the machine's. */
            if (r == 0 || us < points[n].y)
                points[n] = (obb_sample){.x = (double)length_of(n), .y = us};
        }
    if (b->count > 1)
        line = obb_least_squares(points, STEPS);
    *g = line.beta;
    *l = line.alpha;
    ob_exchange_free(x);
    free(out);
    free(in);
}
