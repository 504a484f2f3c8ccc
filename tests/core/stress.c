/*
 * Random traffic for a given time: `stress [SEED [SECONDS [BYTES]]]`. In each round
 * all processes send to all, themselves included, in two groups, messages whose
 * number, sizes and contents follow from the seed; then they receive them in
 * an order of their own, resting now and then; collective calls stand in between.
 * tests/stress/run.sh stops, continues and kills its processes.
 */
#include "harness.h"

enum { GROUPS = 2 };

static uint64_t seed = 1;
static double duration = 0.3;
static size_t most_bytes = 400000;
static ob_group *group[GROUPS];

static uint64_t pair_seed(int round, int from, int to)
{
    return mix(seed ^ mix((uint64_t)round * 65536 + (uint64_t)from * 256 + (uint64_t)to));
}

static int messages_of(int round, int from, int to)
{
    uint64_t s = pair_seed(round, from, to) >> 8;
    return s % 8 == 0 ? 120 : (int)(s % 8);
}

static size_t bytes_of(int round, int from, int to, int k)
{
    uint64_t s = mix(pair_seed(round, from, to) + (uint64_t)k);
    if (messages_of(round, from, to) > 100 || s % 3)
        return (size_t)(s >> 16) % 300;
    return (size_t)(s >> 16) % most_bytes;
}

static int group_of_message(int round, int from, int to, int k)
{
    return (int)(mix(pair_seed(round, from, to) * 3 + (uint64_t)k) % GROUPS);
}

static void write_pattern(unsigned char *x, size_t bytes, uint64_t s)
{
    for (size_t i = 0; i < bytes; i++)
        x[i] = (unsigned char)((s >> (i % 8 * 8)) + i / 8);
}

static void rest(uint64_t *rng)
{
    uint64_t s = mix((*rng)++);
    struct timespec t = {0, (long)(s >> 20) % 400000};
    if (s % 97 == 0)
        nanosleep(&t, NULL);
}

static void send_all(int round, unsigned char *x, uint64_t *rng)
{
    for (int hop = 0; hop < world.count; hop++) {
        int to = (world.me + hop) % world.count;
        for (int k = 0; k < messages_of(round, world.me, to); k++) {
            size_t bytes = bytes_of(round, world.me, to, k);
            ob_view v = ob_view_vector(x, bytes, OB_BYTE);
            write_pattern(x, bytes, pair_seed(round, world.me, to) + (uint64_t)k);
            if (ob_send(group[group_of_message(round, world.me, to, k)], to, k, &v) != OB_OK)
                check(0, "ob_send: %s", ob_error_text());
            rest(rng);
        }
    }
}

/* All of one group and source, then of the next: the others must wait their turn. */
static void receive_all(int round, unsigned char *x, unsigned char *y, uint64_t *rng)
{
    int first = (int)(mix((*rng)++) % (uint64_t)world.count), bad = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int hop = 0; hop < world.count; hop++) {
            int from = (first + hop) % world.count;
            for (int k = 0; k < messages_of(round, from, world.me); k++) {
                if (group_of_message(round, from, world.me, k) != g)
                    continue;
                size_t bytes = bytes_of(round, from, world.me, k);
                ob_view v = ob_view_vector(x, bytes, OB_BYTE);
                write_pattern(y, bytes, pair_seed(round, from, world.me) + (uint64_t)k);
                bad += ob_recv(group[g], from, round % 2 ? k : OB_ANY, &v, NULL) != OB_OK;
                bad += memcmp(x, y, bytes) != 0;
                rest(rng);
            }
        }
    check(bad == 0, "round %d: %d of the messages were wrong", round, bad);
}

/* Everybody goes on as long as process 0 says so. */
static int go_on(double end)
{
    int32_t more = ob_time() < end, sum = 1;
    ob_view v = {.base = &more, .m = 1, .n = 1, .ld = 1, .type = OB_INT}, s = v;
    s.base = &sum;
    fine(ob_broadcast(group[0], 0, &v, NULL), "ob_broadcast");
    fine(ob_combine(group[1], OB_ANY, OB_SUM, &s, NULL, 0, NULL), "ob_combine");
    check(sum == world.count, "%d of %d processes", sum, world.count);
    return more;
}

int main(int argc, char **argv)
{
    begin();
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        duration = strtod(argv[2], NULL);
    if (argc > 3)
        most_bytes = strtoull(argv[3], NULL, 0);
    unsigned char *x = malloc(most_bytes + 512), *y = malloc(most_bytes + 512);
    uint64_t rng = mix(seed + (uint64_t)world.me);
    double end = ob_time() + duration;
    for (int g = 0; g < GROUPS; g++)
        group[g] = group_of_all();
    int round = 0;
    do {
        send_all(round, x, &rng);
        receive_all(round, x, y, &rng);
        round++;
    } while (go_on(end) && world.failed < 100);
    if (world.me == 0 && argc > 1)
        printf("seed %llu: %d rounds\n", (unsigned long long)seed, round);
    for (int g = 0; g < GROUPS; g++)
        ob_group_free(group[g]);
    free(x);
    free(y);
    return finish();
}
