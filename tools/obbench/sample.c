/*
 * One sample of each kind of point: LAWN 73's timing programs (appendix D),
 * with a median in place of one long loop where that is possible.
 */
#include <stdlib.h>
#include <string.h>

#include "hooks/collective.h"
#include "measure.h"

enum { MOST_REPS = 300, LEAST_REPS = 3, WARM_BYTES = 32 * 1024 };

void obb_must(obb_bench *b, int status)
{
    if (status == OB_OK)
        return;
    obb_warn("process %d: %s", b->me, ob_error_text());
    ob_job_abort(b->job, 1);
}

static size_t elements(const obb_bench *b, const obb_point *p)
{
    return p->record.bytes / ob_type_bytes(b->options->type);
}

/* How often to repeat something that takes `each` microseconds. */
static int reps_for(const obb_bench *b, double each, int least, int most)
{
    if (b->options->reps)
        return b->options->reps;
    double n = b->options->sample_us / (each > 1e-3 ? each : 1e-3);
    return n < least ? least : n > most ? most : (int)n;
}

static obb_times same_for_all(double t)
{
    return (obb_times){.root = t, .min = t, .max = t, .mean = t};
}

/* ---------------------------------------------------------------- two processes */

static void send(obb_bench *b, const void *v, size_t n, ob_type type)
{
    obb_must(b, b->face->send(v, n, type, 1 - b->rank));
}

static void receive(obb_bench *b, void *v, size_t n, ob_type type)
{
    obb_must(b, b->face->receive(v, n, type, 1 - b->rank));
}

/* The first of the two tells the second a number; both return it. */
static double agree(obb_bench *b, double value)
{
    if (b->rank == 0)
        send(b, &value, 1, OB_DOUBLE);
    else
        receive(b, &value, 1, OB_DOUBLE);
    return value;
}

/* D.1: the receiver is told and says that it is ready, then half of each echo counts. */
static double echo(obb_bench *b, const obb_point *p, int reps)
{
    size_t n = elements(b, p);
    ob_type type = b->options->type;
    agree(b, 0);
    if (b->rank == 1)
        send(b, NULL, 0, type);
    else
        receive(b, NULL, 0, type);
    double start = obb_now_us();
    for (int i = 0; i < reps; i++) {
        if (b->rank == 0) {
            send(b, b->vector, n, type);
            receive(b, b->vector, n, type);
        } else {
            receive(b, b->vector, n, type);
            send(b, b->vector, n, type);
        }
    }
    return (obb_now_us() - start) / reps / 2;
}

static void sample_echo(obb_bench *b, obb_point *p, obb_times *t)
{
    if (p->reps == 0)
        p->reps =
            (int)agree(b, b->rank == 0 ? (echo(b, p, 2), reps_for(b, 2 * echo(b, p, 2), 2, 20000))
                                       : (echo(b, p, 2), echo(b, p, 2)));
    *t = same_for_all(echo(b, p, p->reps));
}

static void stay_until(double moment)
{
    while (obb_now_us() < moment) {
    }
}

/* The mean of the middle third: as little moved by a disturbed one as the median, but not
 * bound to the clock's steps, which one or eight short messages are only a few of. */
static double middle_third(double *v, int n)
{
    double sum = 0;
    obb_median(v, n); /* sorts */
    int first = n / 3, last = n - n / 3;
    for (int i = first; i < last; i++)
        sum += v[i];
    return sum / (last - first);
}

/* What it costs to look at the clock twice. */
static double clock_cost(void)
{
    static double cost = -1;
    if (cost < 0) {
        enum { LOOKS = 1001 };
        double v[LOOKS];
        for (int i = 0; i < LOOKS; i++) {
            double start = obb_now_us();
            v[i] = obb_now_us() - start;
        }
        cost = middle_third(v, LOOKS);
    }
    return cost;
}

/* Short messages are posted several at a time, since the clock cannot tell one. */
enum { TOGETHER = 8, TOGETHER_BYTES = 2048 };

/* The receiver computes while the message is posted, outside of the library, and then receives
 * what is already there. A post that outlasts the window is measured again
 * with a longer one. */
static void post(obb_bench *b, const obb_point *p, double window, double *sent, double *received)
{
    size_t n = elements(b, p);
    ob_type type = b->options->type;
    double moments[2] = {0, 0}, took;
    if (b->rank == 0) {
        moments[0] = obb_now_us() + 4;
        moments[1] = moments[0] + window;
        send(b, moments, 2, OB_DOUBLE);
        stay_until(moments[0]);
    } else {
        receive(b, moments, 2, OB_DOUBLE);
        stay_until(moments[1]);
    }
    int each = p->record.bytes <= TOGETHER_BYTES ? TOGETHER : 1;
    double start = obb_now_us();
    for (int i = 0; i < each; i++) {
        if (b->rank == 0)
            send(b, b->vector, n, type);
        else
            receive(b, b->vector, n, type);
    }
    took = (obb_now_us() - start - clock_cost()) / each;
    *sent = took > 0 ? took : 0;
    if (b->rank == 0)
        receive(b, received, 1, OB_DOUBLE);
    else
        send(b, sent, 1, OB_DOUBLE);
}

static double post_window(obb_bench *b, const obb_point *p)
{
    double window = 10, sent, received;
    do {
        window = agree(b, 2 * window);
        post(b, p, window, &sent, &received);
        post(b, p, window, &sent, &received);
        sent = agree(b, sent);
    } while (sent * TOGETHER * 1.5 > window && window < 1e6);
    return 2 * sent * (p->record.bytes <= TOGETHER_BYTES ? TOGETHER : 1) + 10;
}

static void sample_post(obb_bench *b, obb_point *p, obb_times *t)
{
    double sent[MOST_REPS], received[MOST_REPS];
    if (p->reps == 0) {
        p->window = agree(b, post_window(b, p));
        p->reps = (int)agree(b, reps_for(b, p->window + 10, LEAST_REPS, 100));
        if (p->reps > MOST_REPS)
            p->reps = MOST_REPS;
    }
    for (int i = -1; i < p->reps; i++) /* the first warms up */
        post(b, p, p->window, &sent[i < 0 ? 0 : i], &received[i < 0 ? 0 : i]);
    *t = same_for_all(middle_third(p->record.what == OBB_TS ? sent : received, p->reps));
}

/* D.2, for a send that may need its receiver: the other is receiving. */
static void sample_send(obb_bench *b, obb_point *p, obb_times *t)
{
    size_t n = elements(b, p);
    double took = 0;
    if (p->reps == 0)
        p->reps = (int)agree(b, reps_for(b, 1 + (double)p->record.bytes / 2000, 2, 50));
    for (int i = 0; i < p->reps; i++) {
        agree(b, 0);
        double start = obb_now_us();
        if (b->rank == 0)
            send(b, b->vector, n, b->options->type);
        else
            receive(b, b->vector, n, b->options->type);
        took += obb_now_us() - start - clock_cost();
        if (b->rank == 1)
            send(b, NULL, 0, OB_DOUBLE);
        else
            receive(b, NULL, 0, OB_DOUBLE);
    }
    *t = same_for_all(took / p->reps);
}

void obb_sample_pair(obb_bench *b, obb_point *p, obb_times *t)
{
    if (p->record.what == OBB_TC)
        sample_echo(b, p, t);
    else if (strcmp(b->face->name, "openblacs") == 0)
        sample_post(b, p, t);
    else
        sample_send(b, p, t);
}

/* ----------------------------------------------------------------- one process */

static double copies(obb_bench *b, const obb_point *p, int reps)
{
    double start = obb_now_us();
    for (int i = 0; i < reps; i++) {
        if (p->record.what == OBB_TM)
            memcpy(b->spare, b->vector, p->record.bytes);
        else
            obb_must(b, ob_combine_local(b->options->op, b->options->type, elements(b, p), b->spare,
                                         b->vector));
        __asm__ volatile("" : : "r"(b->spare) : "memory");
    }
    return (obb_now_us() - start) / reps;
}

/* Block after block of two regions that are each twice the largest cache. */
static double cold_copies(const obb_bench *b, const obb_point *p)
{
    ob_profile here;
    ob_profile_builtin(&here);
    size_t block = p->record.bytes, blocks = 2 * here.cache / block, n = 0;
    char *from = obb_memory(blocks, block), *to = obb_memory(blocks, block);
    (void)b;
    memset(from, 1, blocks * block);
    memset(to, 1, blocks * block);
    double start = obb_now_us();
    for (n = 0; n < blocks; n++)
        memcpy(to + n * block, from + n * block, block);
    double took = (obb_now_us() - start) / (double)blocks;
    __asm__ volatile("" : : "r"(to) : "memory");
    free(from);
    free(to);
    return took;
}

void obb_sample_local(obb_bench *b, obb_point *p, obb_times *t)
{
    if (p->record.what == OBB_COLD) {
        *t = same_for_all(cold_copies(b, p));
        return;
    }
    if (p->reps == 0)
        p->reps = reps_for(b, (copies(b, p, 2), copies(b, p, 2)), 2, 100000);
    *t = same_for_all(copies(b, p, p->reps));
}

/* ---------------------------------------------------------------- all processes */

static void call(obb_bench *b, const obb_point *p, const ob_route *route)
{
    const obb_record *r = &p->record;
    size_t n = elements(b, p);
    ob_type type = b->options->type;
    switch (r->what) {
    case OBB_BROADCAST: obb_must(b, b->face->broadcast(b->vector, n, type, r->root, route)); break;
    case OBB_REDUCE:
    case OBB_COMBINE:
        obb_must(b, b->face->combine(b->vector, b->spare, n, type, b->options->op,
                                     r->what == OBB_REDUCE ? r->root : OB_ANY, route));
        break;
    default: obb_must(b, b->face->barrier());
    }
}

/* D.3 and D.4: roughly synchronized, then each takes its own time. */
static void run(obb_bench *b, const obb_point *p, int reps, double *elapsed)
{
    ob_route named;
    const ob_route *route = obb_route_of(p->record.top, p->record.branches, &named) ? &named : NULL;
    /* The first warm up: memory that was given back (measure.c) has to come again. */
    int warm_up = p->record.bytes < WARM_BYTES ? 1 : 3;
    for (int i = -warm_up; i < reps; i++) {
        obb_must(b, b->face->barrier());
        double start = obb_now_us();
        for (int k = 0; k < p->record.calls; k++)
            call(b, p, route);
        double took = obb_now_us() - start - clock_cost();
        if (i >= 0)
            elapsed[i] = took > 0 ? took / p->record.calls : 0;
    }
}

static void at_process_0(obb_bench *b, const obb_point *p, int reps, const double *mine,
                         obb_times *t)
{
    double root[MOST_REPS], min[MOST_REPS], max[MOST_REPS], mean[MOST_REPS], theirs[MOST_REPS];
    ob_view v = ob_view_vector(theirs, (size_t)reps, OB_DOUBLE);
    for (int i = 0; i < reps; i++)
        root[i] = min[i] = max[i] = mine[i], mean[i] = mine[i] / b->size;
    for (int rank = 1; rank < b->size; rank++) {
        obb_must(b, ob_recv(b->all, OB_ANY, rank, &v, NULL));
        for (int i = 0; i < reps; i++) {
            min[i] = theirs[i] < min[i] ? theirs[i] : min[i];
            max[i] = theirs[i] > max[i] ? theirs[i] : max[i];
            mean[i] += theirs[i] / b->size;
            if (rank == p->record.root)
                root[i] = theirs[i];
        }
    }
    *t = (obb_times){.root = obb_median(root, reps),
                     .min = obb_median(min, reps),
                     .max = obb_median(max, reps),
                     .mean = obb_median(mean, reps)};
}

/* The times of the scope that process 0 is in; others run beside it. */
static void gather(obb_bench *b, const obb_point *p, int reps, double *mine, obb_times *t)
{
    ob_view v = ob_view_vector(mine, (size_t)reps, OB_DOUBLE);
    if (b->me == 0)
        at_process_0(b, p, reps, mine, t);
    else if (b->color == 0)
        obb_must(b, ob_send(b->all, 0, b->rank, &v));
}

static int decide_reps(obb_bench *b, obb_point *p)
{
    double elapsed[LEAST_REPS], reps = 0;
    obb_times t = {0};
    ob_view v = ob_view_vector(&reps, 1, OB_DOUBLE);
    run(b, p, LEAST_REPS, elapsed);
    gather(b, p, LEAST_REPS, elapsed, &t);
    if (b->me == 0)
        reps = reps_for(b, t.max * p->record.calls, LEAST_REPS, MOST_REPS);
    /* Between nodes only the members are in it; the rows of a grid all do what the first finds. */
    obb_must(b, p->record.scope == 'n' ? b->face->broadcast(&reps, 1, OB_DOUBLE, 0, NULL)
                                       : ob_broadcast(b->all, 0, &v, NULL));
    return reps > MOST_REPS ? MOST_REPS : (int)reps;
}

void obb_sample_collective(obb_bench *b, obb_point *p, obb_times *t)
{
    double elapsed[MOST_REPS];
    if (p->reps == 0)
        p->reps = decide_reps(b, p);
    /* A combine's numbers would grow beyond all bounds. */
    if (p->record.what == OBB_REDUCE || p->record.what == OBB_COMBINE)
        memset(b->vector, 0, p->record.bytes);
    run(b, p, p->reps, elapsed);
    gather(b, p, p->reps, elapsed, t);
}
