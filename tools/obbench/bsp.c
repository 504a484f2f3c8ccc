/*
 * The BSP parameters of the job, in the way of the classic probe: s is the
 * rate of y = y + a x over vectors that stay in the first-level cache; g and l are
 * the line through the times of supersteps as libopenblacs_bsp has them, h doubles out of and into
 * every process. Where a sync takes so long that moving these does not show (more processes than
 * processors), h grows until it does.
 */
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "measure.h"

enum { VECTOR = 1024, ROUNDS = 9, STEPS = 9, MOST_STEPS = 17, MOST = 16 << (MOST_STEPS - 1) };

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
static void deliver(obb_bench *b, ob_superstep *x, size_t h, const double *out, double *in)
{
    size_t others = (size_t)b->count - 1;
    ob_tail *tails = ob_superstep_tails(x);
    ob_tally tally = {0};
    for (size_t i = 1; i <= others; i++) {
        size_t bytes = (h / others + (i <= h % others)) * sizeof *out;
        int to = (int)(((size_t)b->me + i) % (size_t)b->count);
        if ((size_t)(tails[to].end - tails[to].next) < bytes)
            obb_must(b, ob_superstep_grow(x, to, bytes));
        if (bytes)
            memcpy(tails[to].next, out, bytes);
        tails[to].next += bytes;
    }
    obb_must(b, ob_superstep_run(x, &tally));
    for (int from = 0; from < b->count; from++) {
        char *base;
        size_t bytes;
        while ((bytes = ob_superstep_next(x, from, &base)) != 0)
            memcpy(in, base, bytes);
    }
    ob_superstep_read(x);
}

static double superstep(obb_bench *b, ob_superstep *x, size_t h, double *out, double *in)
{
    enum { LOOPS = 10 };
    obb_must(b, ob_barrier(b->all));
    double start = obb_now_us();
    for (int i = 0; i < LOOPS; i++)
        deliver(b, x, h, out, in);
    return (obb_now_us() - start) / LOOPS;
}

/* 0, 32, 64, ... 4096 doubles, at most 1048576. */
static size_t length_of(int step)
{
    return step ? (size_t)16 << step : 0;
}

/* The sizes take turns: a machine that is busy for a while slows all of them. Other programs only
 * ever add to a superstep: the least is the machine's. */
static void measure(obb_bench *b, ob_superstep *x, int first, int end, obb_sample *points)
{
    double *out = obb_memory(MOST, sizeof *out), *in = obb_memory(MOST, sizeof *in);
    for (int r = 0; r < ROUNDS; r++)
        for (int n = first; n < end; n++) {
            double us = superstep(b, x, length_of(n), out, in);
            if (r == 0 || us < points[n].y)
                points[n] = (obb_sample){.x = (double)length_of(n), .y = us};
        }
    free(out);
    free(in);
}

/* Do the longest of them take twice as long as a sync? Process 0 says for all. */
static int shows(obb_bench *b, const obb_sample *points, int steps)
{
    int answer = points[steps - 1].y >= 2 * points[0].y;
    ob_view v = {&answer, 1, 1, 1, OB_INT, OB_GENERAL, 0};
    obb_must(b, ob_broadcast(b->all, 0, &v, NULL));
    return answer;
}

/* Where the sync is far longer than what most points differ by, they lie on no line: then the one
 * through the first and the last. */
static obb_fit line_through(const obb_sample *points, int steps)
{
    const obb_sample *end = &points[steps - 1];
    obb_fit line = obb_least_squares(points, steps);
    if (line.beta > 0 && line.alpha > 0)
        return line;
    double rise = end->y > points[0].y ? (end->y - points[0].y) / end->x : 0;
    return (obb_fit){.alpha = points[0].y, .beta = rise};
}

void obb_measure_bsp(obb_bench *b, double *s, double *g, double *l)
{
    obb_sample points[MOST_STEPS];
    obb_fit line = {0};
    ob_superstep *x = NULL;
    int steps = STEPS;
    obb_must(b, ob_superstep_create(b->all, &x));
    *s = flop_rate();
    if (b->count > 1) {
        measure(b, x, 0, steps, points);
        for (; !shows(b, points, steps) && steps < MOST_STEPS; steps++)
            measure(b, x, steps, steps + 1, points);
        line = line_through(points, steps);
    }
    *g = line.beta;
    *l = line.alpha;
    ob_superstep_free(x);
}
