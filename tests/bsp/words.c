/*
 * Puts of words, most of which bsp.h writes without a call and the library enters later: runs,
 * jumps, other calls between, several variables and processes, against a model. And how many
 * messages the requests of a superstep take.
 */
#include "harness.h"

#include "openblacs/core.h"

static int next_of(int pid)
{
    return (pid + 1) % world.count;
}

static int before(int pid)
{
    return (pid + world.count - 1) % world.count;
}

/* Runs of words with something else in their midst, and that go on after a sync. */
static void runs_of_puts(void)
{
    enum { N = 64 };
    double x[N] = {0}, v, got = -1;
    int to = next_of(world.me), count = 0, good = 1;
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            v = 1000 * round + i + world.me;
            bsp_put(to, &v, x, (size_t)i * sizeof v, sizeof v);
            if (i == 10)
                bsp_send(to, NULL, &v, sizeof v);
            if (i == 20)
                bsp_get(to, x, 0, &got, sizeof got);
            if (i == 30)
                bsp_hpput(to, &v, x, (size_t)i * sizeof v, sizeof v);
            if (i == 40)
                bsp_put(world.me, &v, x, 41 * sizeof v, sizeof v);
            if (i == 50 && round == 1)
                bsp_sync();
        }
        bsp_sync();
        bsp_qsize(&count, NULL);
        good &= count == (round != 1);
        for (int i = 0; i < N; i++)
            good &= i == 41 || x[i] == 1000 * round + i + before(world.me);
    }
    check(good, "runs of puts with other calls between");
    bsp_pop_reg(x);
    bsp_sync();
}

/* Words in a row, of 4 and 8 bytes, forward, backward, here and there; some are joined inside. */
static void many_puts(void)
{
    enum { N = 20000 };
    static double x[N];
    static int z[N];
    int good = 1;
    bsp_push_reg(x, sizeof x);
    bsp_push_reg(z, sizeof z);
    bsp_sync();
    for (int i = 0; i < N; i++) {
        double v = i + world.me;
        bsp_put(next_of(world.me), &v, x, (size_t)i * sizeof v, sizeof v);
    }
    for (int i = 0; i < N; i++) {
        int k = i < N / 2 ? i : N - 1 - (i - N / 2), w = k - world.me;
        bsp_put(next_of(world.me), &w, z, (size_t)k * sizeof w, sizeof w);
    }
    bsp_sync();
    for (int i = 0; i < N; i++)
        good &= x[i] == i + before(world.me) && z[i] == i - before(world.me);
    check(good, "%d puts of a word", N);
    for (int i = 0; i < N; i++) {
        double v = 2 * i;
        bsp_put(next_of(world.me), &v, x, (size_t)(i * 7919L % N) * sizeof v, sizeof v);
        if (i == N / 2)
            bsp_put(next_of(world.me), &v, x, 0, sizeof v);
    }
    bsp_sync();
    for (int i = 1; i < N; i++)
        good &= x[i * 7919L % N] == 2 * i;
    check(good && x[0] == N, "puts here and there");
    bsp_pop_reg(x);
    bsp_pop_reg(z);
}

/* A put right behind another one is joined to it, and their length must still fit its field of 16
 * bits: sums on both sides of that. */
static void joined_puts_around_64_kib(void)
{
    enum { FIRST = 65528 };
    static unsigned char x[FIRST + 16], y[FIRST + 16];
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (size_t more = 1; more <= 16; more++) {
        for (size_t i = 0; i < FIRST + more; i++)
            y[i] = (unsigned char)(i + more + (size_t)world.me);
        memset(x, 0, sizeof x);
        bsp_put(next_of(world.me), y + 1, x, 0, FIRST); /* the next chunk has room for more */
        bsp_put(next_of(world.me), y, x, 0, FIRST);
        bsp_put(next_of(world.me), y + FIRST, x, FIRST, more);
        bsp_sync();
        size_t good = 0;
        while (good < FIRST + more &&
               x[good] == (unsigned char)(good + more + (size_t)before(world.me)))
            good++;
        check(good == FIRST + more, "%zu bytes of two puts end at %zu", FIRST + more, good);
    }
    bsp_pop_reg(x);
    bsp_sync();
}

/* --------------------------------------------------- against a model */

enum { WORDS = 3000, VARIABLES = 2, STEPS = 12, CALLS = 4000 };

/* Where the calls of a process go: it changes its mind about process, variable, place and size now
 * and then. All processes know what all do. */
typedef struct walk {
    uint64_t state;
    int to, variable;
    size_t at, bytes;
} walk;

static walk walk_of(int step, int pid)
{
    return (walk){.state = (uint64_t)step << 32 | (unsigned)pid, .bytes = 8};
}

static void go_on(walk *w)
{
    uint64_t h = w->state = mix(w->state);
    w->at += w->bytes;
    if ((h & 15) == 0)
        w->to = (int)(h >> 8 & 0xff) % world.count;
    if ((h >> 16 & 15) == 0)
        w->variable ^= 1;
    if ((h >> 20 & 3) == 0 || w->at + 16 > WORDS * sizeof(uint64_t))
        w->at = (h >> 24) % (WORDS * sizeof(uint64_t) - 16);
    w->bytes = (h >> 56 & 31) == 0 ? h >> 61 : 8;
}

static void walk_and_put(int step, char (*area)[WORDS * sizeof(uint64_t)])
{
    walk w = walk_of(step, world.me);
    for (int k = 0; k < CALLS; k++) {
        go_on(&w);
        bsp_put(w.to, &w.state, area[w.variable], w.at, w.bytes);
    }
}

/* What all the others' walks leave in this process's memory. */
static void walk_in_model(int step, char (*area)[WORDS * sizeof(uint64_t)])
{
    for (int pid = 0; pid < world.count; pid++) {
        walk w = walk_of(step, pid);
        for (int k = 0; k < CALLS; k++) {
            go_on(&w);
            if (w.to == world.me)
                memcpy(area[w.variable] + w.at, &w.state, w.bytes);
        }
    }
}

static void words_against_a_model(void)
{
    static char area[VARIABLES][WORDS * sizeof(uint64_t)],
        model[VARIABLES][WORDS * sizeof(uint64_t)];
    for (int v = 0; v < VARIABLES; v++)
        bsp_push_reg(area[v], sizeof area[v]);
    bsp_sync();
    for (int step = 0; step < STEPS; step++) {
        walk_and_put(step, area);
        bsp_sync();
        walk_in_model(step, model);
        check(!memcmp(area, model, sizeof area), "step %d of words", step);
    }
    for (int v = 0; v < VARIABLES; v++)
        bsp_pop_reg(area[v]);
    bsp_sync();
}

/* The end of a run behind which a registration ends: the last word still fits. Also commas that a
 * macro with arguments would stumble over. */
static void runs_to_the_end(void)
{
    double x[4] = {-1, -1, -1, -1}, v;
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (int i = 0; i < 4; i++) {
        v = i + world.me;
        bsp_put(next_of(world.me), &v, x, (size_t)i * sizeof v, sizeof v);
    }
    bsp_put(next_of(world.me), (double[]){v, -2}, x, 0, sizeof v);
    bsp_put(next_of(world.me), (double[]){-3, v} + 1, x, 3 * sizeof v, sizeof v);
    bsp_sync();
    check(x[0] == 3 + before(world.me) && x[1] == 1 + before(world.me) &&
              x[3] == 3 + before(world.me),
          "a run to the end: %g %g %g", x[0], x[1], x[3]);
    bsp_pop_reg(x);
    bsp_sync();
}

/* ----------------------------------------------------------------- combined */

/* The messages to the next process in a superstep of so many puts and sends. */
static uint64_t messages_of(int requests, double *x)
{
    uint64_t start = 0, end = 0, bytes;
    ob_job *job;
    int there = ob_job_start(&job);
    bsp_sync(); /* what is before is away */
    there |= ob_job_traffic(job, next_of(world.me), &start, &bytes);
    for (int i = 0; i < requests; i++) {
        bsp_put(next_of(world.me), &i, x, (size_t)(requests - i) * sizeof *x, sizeof i);
        bsp_send(next_of(world.me), NULL, &i, sizeof i);
    }
    bsp_sync();
    there |= ob_job_traffic(job, next_of(world.me), &end, &bytes);
    check(there == OB_OK, "no traffic is told");
    int waiting;
    bsp_qsize(&waiting, NULL);
    check(waiting == requests, "%d of %d messages", waiting, requests);
    return end - start;
}

/* All requests of a superstep for one process are one message, and one more for each chunk of
 * memory they filled. */
static void requests_are_combined(void)
{
    double x[301] = {0};
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    uint64_t one = messages_of(1, x), many = messages_of(300, x);
    check(many <= one + 4, "600 requests to a process take %d messages, 2 take %d", (int)many,
          (int)one);
    bsp_pop_reg(x);
}

int main(void)
{
    begin(1000);
    many_puts();
    runs_of_puts();
    runs_to_the_end();
    joined_puts_around_64_kib();
    words_against_a_model();
    requests_are_combined();
    return finish();
}
