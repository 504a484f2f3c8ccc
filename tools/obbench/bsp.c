/*
 * The BSP parameters of the job, in the way of the classic probe: s is the
 * rate of y = y + a x over vectors that stay in the first-level cache; g and l are
 * the line through the times of total exchanges, h doubles out of and into every process, each
 * followed by a barrier.
 */
#include <stdlib.h>

#include "fit.h"
#include "measure.h"

enum { VECTOR = 1024, ROUNDS = 9, STEPS = 9, MOST = 4096 };

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

/* Each process sends h / (p - 1) doubles to every other one, nearest first. */
static void exchange(obb_bench *b, size_t h, double *out, double *in)
{
    size_t others = (size_t)b->count - 1;
    for (size_t i = 1; i <= others; i++) {
        size_t n = h / others + (i <= h % others);
        ob_view v = {.base = out, .m = n, .n = 1, .ld = n ? n : 1, .type = OB_DOUBLE};
        if (n)
            obb_must(b, ob_send(b->all, (int)(((size_t)b->me + i) % (size_t)b->count), 1, &v));
    }
    for (size_t i = 1; i <= others; i++) {
        size_t n = h / others + (i <= h % others);
        ob_view v = {.base = in, .m = n, .n = 1, .ld = n ? n : 1, .type = OB_DOUBLE};
        int from = (int)(((size_t)b->me + (size_t)b->count - i) % (size_t)b->count);
        if (n)
            obb_must(b, ob_recv(b->all, from, 1, &v, NULL));
    }
    obb_must(b, ob_barrier(b->all));
}

static double superstep(obb_bench *b, size_t h, double *out, double *in)
{
    double took[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        enum { LOOPS = 10 };
        obb_must(b, ob_barrier(b->all));
        double start = obb_now_us();
        for (int i = 0; i < LOOPS; i++)
            exchange(b, h, out, in);
        took[r] = (obb_now_us() - start) / LOOPS;
    }
    return obb_median(took, ROUNDS);
}

void obb_measure_bsp(obb_bench *b, double *s, double *g, double *l)
{
    double *out = obb_memory(MOST, sizeof *out), *in = obb_memory(MOST, sizeof *in);
    obb_sample points[STEPS];
    obb_line line = {0};
    *s = flop_rate();
    int n = 0;
    for (size_t h = 0; n < STEPS; h = h ? 2 * h : 32, n++)
        if (h <= MOST)
            points[n] = (obb_sample){.x = (double)h, .y = b->count > 1 ? superstep(b, h, out, in) : 0};
    if (b->count > 1)
        line = obb_least_squares(points, n);
    *g = line.beta;
    *l = line.alpha;
    free(out);
    free(in);
}
