/*
 * The rules of BSPlib (bsp.h; the report of 1998), one function each: what a put or get sees,
 * when registrations and tag sizes change, what the queue holds. Runs with any number
 * of processes.
 *
 *   rules            the rules
 *   rules sequential the same between a sequential beginning and end (bsp_init)
 *   rules few N      the same on at most N of the processes there are
 */
#include "harness.h"

static int next_of(int pid)
{
    return (pid + 1) % world.count;
}

static int before(int pid)
{
    return (pid + world.count - 1) % world.count;
}

/* --------------------------------------------------------------------- puts */

static void put_is_read_at_the_call_and_written_at_the_sync(void)
{
    int x = -1, y = world.me;
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_put(next_of(world.me), &y, &x, 0, sizeof x);
    y = 1000;
    check(x == -1, "a put is seen before the sync: %d", x);
    bsp_sync();
    check(x == before(world.me), "put: %d", x);
    bsp_pop_reg(&x);
}

static void put_goes_to_offsets(void)
{
    char text[64], piece[3] = {'a', 'b', 'c'};
    memset(text, '.', sizeof text);
    bsp_push_reg(text, sizeof text);
    bsp_sync();
    bsp_put(next_of(world.me), piece, text, 0, 1);
    bsp_put(next_of(world.me), piece, text, 61, 3);
    bsp_put(next_of(world.me), piece, text, 30, 2);
    bsp_put(next_of(world.me), NULL, text, 7, 0);
    bsp_sync();
    check(text[0] == 'a' && text[1] == '.' && !memcmp(text + 61, "abc", 3) &&
              !memcmp(text + 29, ".ab.", 4) && text[7] == '.',
          "offsets: %.64s", text);
    bsp_pop_reg(text);
}

/* Puts that overlap: process 0's first, each process's in the order of its calls. */
static void puts_are_written_in_order(void)
{
    int x[2] = {-1, -1}, y;
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (int to = 0; to < world.count; to++)
        for (int k = 0; k < 3; k++) {
            y = 10 * world.me + k;
            bsp_put(to, &y, x, 0, sizeof y);
        }
    bsp_sync();
    check(x[0] == 10 * (world.count - 1) + 2 && x[1] == -1, "order: %d %d", x[0], x[1]);
    bsp_pop_reg(x);
}

/* Unlimited buffering: far more than any buffer holds. */
static void large_puts(void)
{
    const size_t bytes = (size_t)3 << 20;
    char *x = malloc(2 * bytes), *y = malloc(bytes), c = (char)('A' + before(world.me) % 26);
    bsp_push_reg(x, 2 * bytes);
    bsp_sync();
    memset(y, 'A' + world.me % 26, bytes);
    for (int round = 0; round < 3; round++) {
        memset(x, 0, 2 * bytes);
        bsp_put(next_of(world.me), y, x, bytes, bytes);
        bsp_put(next_of(world.me), y, x, 1, 70000);
        bsp_sync();
        check(x[0] == 0 && x[1] == c && x[70000] == c && x[70001] == 0 && x[bytes - 1] == 0 &&
                  x[bytes] == c && !memcmp(x + bytes, x + bytes + 1, bytes - 1),
              "large puts, round %d", round);
    }
    bsp_pop_reg(x);
    bsp_sync();
    free(x);
    free(y);
}

/* --------------------------------------------------------------------- gets */

static void get_sees_the_source_at_the_sync(void)
{
    int x = -1, y = -1;
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_get(next_of(world.me), &x, 0, &y, sizeof y);
    check(y == -1, "a get before the sync: %d", y);
    x = 100 + world.me;
    bsp_sync();
    check(y == 100 + next_of(world.me), "a get reads at the sync: %d", y);
    bsp_pop_reg(&x);
}

static void gets_read_before_puts_write(void)
{
    int x = world.me, y = -1, z = 77;
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_put(next_of(world.me), &z, &x, 0, sizeof z);
    bsp_get(next_of(world.me), &x, 0, &y, sizeof y);
    bsp_sync();
    check(y == next_of(world.me), "a get sees a put of its superstep: %d", y);
    check(x == 77, "the put beside the get: %d", x);
    bsp_pop_reg(&x);
}

/* Where a get lands may be another's source, and be put to. */
static void gets_do_not_see_gets(void)
{
    int x[2] = {world.me, -1}, z = 55;
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    bsp_get(next_of(world.me), x, 0, &x[0], sizeof(int));
    bsp_get(next_of(world.me), x, 0, &x[1], sizeof(int));
    bsp_sync();
    check(x[0] == next_of(world.me) && x[1] == next_of(world.me), "rotation: %d %d", x[0], x[1]);
    bsp_get(world.me, x, 0, &x[1], sizeof(int));
    bsp_put(world.me, &z, x, sizeof(int), sizeof z);
    bsp_sync();
    check(x[1] == 55, "a put is written after a get: %d", x[1]);
    bsp_pop_reg(x);
}

/* Many gets of many sizes, by one process alone, and beside messages that stay readable. */
static void many_gets(void)
{
    enum { N = 30000 };
    static unsigned char x[N], y[N];
    int count, bytes, got = -1, good = 1, from = world.count - 1;
    size_t at = 0;
    for (int i = 0; i < N; i++)
        x[i] = (unsigned char)mix((uint64_t)world.me << 32 | (unsigned)i);
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    for (size_t n = 1; world.me == 0 && at + n <= N; at += n, n = n * 3 % 1009 + 1)
        bsp_get(from, x, at, y + at, n);
    bsp_send(next_of(world.me), NULL, &world.me, sizeof world.me);
    bsp_sync();
    for (size_t i = 0; i < at; i++)
        good &= y[i] == (unsigned char)mix((uint64_t)from << 32 | (unsigned)i);
    check(good, "many gets");
    bsp_qsize(&count, &bytes);
    bsp_move(&got, sizeof got);
    check(count == 1 && bytes == 4 && got == before(world.me), "a message beside gets: %d from %d",
          count, got);
    bsp_pop_reg(x);
}

/* -------------------------------------------------- high performance variants */

static void hpput_and_hpget(void)
{
    int x[3] = {-1, -1, 200 + world.me}, y = world.me, z[2] = {-1, -1};
    bsp_push_reg(x, sizeof x);
    bsp_sync();
    bsp_hpput(next_of(world.me), &y, x, 0, sizeof y);
    bsp_hpput(world.me, &y, x, sizeof y, sizeof y);
    bsp_hpget(next_of(world.me), x, 2 * sizeof y, z, sizeof y);
    bsp_hpget(world.me, x, 2 * sizeof y, z + 1, sizeof y);
    bsp_sync();
    check(x[0] == before(world.me) && x[1] == world.me, "hpput: %d %d", x[0], x[1]);
    check(z[0] == 200 + next_of(world.me) && z[1] == 200 + world.me, "hpget: %d %d", z[0], z[1]);
    bsp_pop_reg(x);
}

/* ------------------------------------------------------------- registration */

/* Addresses and sizes are each process's own; NULL takes part with nothing. */
static void registrations_differ(void)
{
    int x[8] = {0}, y = 40 + world.me, last = world.count > 1 && world.me == world.count - 1;
    int *mine = last ? NULL : world.me % 2 ? x + 3 : x;
    bsp_push_reg(mine, last ? 0 : (size_t)(1 + world.me % 3) * sizeof y);
    bsp_sync();
    if (!last && world.me > 0)
        bsp_put(world.me - 1, &y, mine, 0, sizeof y);
    bsp_sync();
    if (world.me < world.count - 2)
        check(*mine == 41 + world.me, "to another address: %d", *mine);
    bsp_pop_reg(mine);
}

/* The newest registration of an address counts; a pop brings the older one back, at the sync. */
static void registrations_stack(void)
{
    int a = 0, b = 0, one = 1, two = 2, three = 3;
    int *first = world.me ? &b : &a; /* process 0's a goes with the others' b */
    int *shown = world.count == 1 ? &a : &b, last = world.me == world.count - 1;
    bsp_push_reg(first, sizeof a);
    bsp_sync();
    bsp_push_reg(&a, sizeof a); /* and now with their a */
    if (world.me == 0)
        bsp_put(world.count - 1, &one, &a, 0, sizeof one);
    bsp_sync();
    check(!last || *shown == 1, "a push counts too soon: %d %d", a, b);
    if (world.me == 0)
        bsp_put(world.count - 1, &two, &a, 0, sizeof two);
    bsp_pop_reg(&a);
    bsp_sync();
    check(!last || a == 2, "the newest registration: %d %d", a, b);
    if (world.me == 0)
        bsp_put(world.count - 1, &three, &a, 0, sizeof three);
    bsp_sync();
    check(!last || *shown == 3, "after the pop the older one: %d %d", a, b);
    bsp_pop_reg(first);
}

static void push_and_pop_in_one_superstep(void)
{
    int x = -1, y = world.me;
    bsp_push_reg(&x, sizeof x);
    bsp_push_reg(&x, 1);
    bsp_pop_reg(&x); /* the one of a byte */
    bsp_sync();
    bsp_put(next_of(world.me), &y, &x, 0, sizeof y);
    bsp_sync();
    check(x == before(world.me), "of two pushes one is popped: %d", x);
    bsp_pop_reg(&x);
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    y += 1000;
    bsp_put(next_of(world.me), &y, &x, 0, sizeof y);
    bsp_sync();
    check(x == before(world.me) + 1000, "popped and pushed anew: %d", x);
    bsp_pop_reg(&x);
}

static void put_each(int *x, int n, int (*wanted)(int), int times)
{
    for (int i = 0; i < n; i++)
        if (wanted(i)) {
            int y = times * i + world.me;
            bsp_put(next_of(world.me), &y, &x[i], 0, sizeof y);
        }
}

static int all(int i)
{
    return i >= 0;
}

static int not_popped(int i)
{
    return i % 4 != 2;
}

static void many_registrations(void)
{
    enum { N = 6000 };
    static int x[N];
    int good = 1;
    for (int i = 0; i < N; i++)
        bsp_push_reg(&x[i], sizeof(int));
    bsp_sync();
    put_each(x, N, all, 1);
    for (int i = 0; i < N; i += 2)
        bsp_pop_reg(&x[i]);
    bsp_sync();
    for (int i = 0; i < N; i++)
        good &= x[i] == i + before(world.me);
    check(good, "%d registrations", N);
    for (int i = 0; i < N; i += 4)
        bsp_push_reg(&x[i], sizeof(int));
    bsp_sync();
    put_each(x, N, not_popped, 2);
    bsp_sync();
    for (int i = 0; i < N; i++)
        good &= x[i] == (not_popped(i) ? 2 : 1) * i + before(world.me);
    check(good, "registrations in the place of others");
    for (int i = 0; i < N; i++)
        if (not_popped(i))
            bsp_pop_reg(&x[i]);
    bsp_sync();
}

/* ----------------------------------------------------------------- messages */

static void tag_sizes_change_at_the_sync(void)
{
    int size = 8, status;
    char tag[16], payload = 'p';
    bsp_set_tagsize(&size);
    check(size == 0, "the first size of tags: %d", size);
    bsp_send(next_of(world.me), NULL, &payload, 1); /* still without */
    bsp_sync();
    memset(tag, '-', sizeof tag);
    bsp_get_tag(&status, tag);
    check(status == 1 && tag[0] == '-', "a tag too soon: %d %c", status, tag[0]);
    bsp_send(next_of(world.me), "abcdefgh", &payload, 1);
    size = 3;
    bsp_set_tagsize(&size);
    check(size == 8, "the size in force: %d", size);
    bsp_sync();
    bsp_get_tag(&status, tag);
    check(status == 1 && !memcmp(tag, "abcdefgh-", 9), "a tag of 8 bytes: %.9s", tag);
    bsp_send(next_of(world.me), "xyz", NULL, 0);
    size = 0;
    bsp_set_tagsize(&size);
    check(size == 3, "the next size in force: %d", size);
    bsp_sync();
    bsp_get_tag(&status, tag);
    check(status == 0 && !memcmp(tag, "xyzdefgh-", 9), "a tag of 3 bytes: %d %.9s", status, tag);
    bsp_sync();
}

/* A routine that saves and restores the size, in the superstep in which its caller sets one. */
static void tag_size_set_last_comes_back(void)
{
    int size = 4, own = 8, status;
    char tag[8] = "-------";
    bsp_set_tagsize(&size);
    bsp_set_tagsize(&own);
    check(size == 0 && own == 4, "the size before, %d, and the one set last, %d", size, own);
    bsp_set_tagsize(&own);
    check(own == 8, "the routine's own size: %d", own);
    bsp_sync();
    bsp_send(next_of(world.me), "abcdefg", NULL, 0);
    bsp_set_tagsize(&size);
    check(size == 4, "the caller's size is in force: %d", size);
    bsp_sync();
    bsp_get_tag(&status, tag);
    check(status == 0 && !memcmp(tag, "abcd---", 8), "a tag of the caller's size: %s", tag);
    bsp_sync();
}

static void send_three_to_all(void)
{
    int numbers[6];
    for (int to = 0; to < world.count; to++)
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 6; i++)
                numbers[i] = 100 * world.me + 10 * k + i;
            bsp_send(to, NULL, numbers, (size_t)(k + 1) * sizeof(int));
            memset(numbers, 0, sizeof numbers);
        }
}

static void queue_holds_the_last_superstep(void)
{
    int count = -1, bytes = -1, status, numbers[6];
    send_three_to_all();
    bsp_qsize(&count, &bytes);
    check(count == 0 && bytes == 0, "the queue before the sync: %d, %d", count, bytes);
    bsp_sync();
    bsp_qsize(NULL, &bytes);
    check(bytes == 24 * world.count, "all payloads: %d", bytes);
    for (int from = 0; from < world.count; from++)
        for (int k = 0; k < 3; k++) {
            bsp_qsize(&count, NULL);
            check(count == 3 * (world.count - from) - k, "messages left: %d", count);
            bsp_get_tag(&status, NULL);
            check(status == (k + 1) * 4, "the payload's bytes: %d", status);
            numbers[0] = numbers[1] = numbers[2] = -1;
            bsp_move(numbers, k == 2 ? 8 : 24); /* the last one is cut */
            check(numbers[0] == 100 * from + 10 * k && numbers[1] == (k ? numbers[0] + 1 : -1) &&
                      numbers[2] == -1,
                  "from %d, message %d: %d %d %d", from, k, numbers[0], numbers[1], numbers[2]);
        }
    bsp_qsize(&count, NULL);
    bsp_get_tag(&status, NULL);
    check(count == 0 && status == -1, "the queue is empty: %d, %d", count, status);
    bsp_send(next_of(world.me), NULL, &count, sizeof count);
    bsp_sync();
    bsp_sync();
    bsp_qsize(&count, &bytes);
    check(count == 0 && bytes == 0, "what was not moved is gone: %d, %d", count, bytes);
}

static void hpmove_points_into_the_queue(void)
{
    int size = 5, n;
    void *tag, *payload, *third = NULL;
    double x[3] = {world.me, 2.5, -1};
    bsp_set_tagsize(&size);
    bsp_sync();
    for (int k = 0; k < 50; k++)
        bsp_send(next_of(world.me), k % 2 ? "odd.." : "even.", x, (size_t)(k % 4) * 8);
    bsp_sync();
    x[0] = before(world.me);
    for (int k = 0; k < 50; k++) {
        n = bsp_hpmove(&tag, &payload);
        check(n == k % 4 * 8 && !memcmp(tag, k % 2 ? "odd.." : "even.", 5), "hpmove %d: %d", k, n);
        check((uintptr_t)payload % 16 == 0, "alignment of message %d", k);
        check(!memcmp(payload, x, (size_t)n), "payload of message %d", k);
        third = k == 3 ? payload : third;
    }
    check(!memcmp(third, x, 24), "what hpmove gave stays");
    check(bsp_hpmove(&tag, &payload) == -1, "hpmove of nothing");
    size = 0;
    bsp_set_tagsize(&size);
    bsp_sync();
}

static void large_messages(void)
{
    const size_t bytes = (size_t)2 << 20;
    char *x = malloc(bytes);
    void *tag, *payload;
    for (int round = 0; round < 3; round++) {
        for (int to = 0; to < world.count; to++) {
            memset(x, world.me + to + round, bytes);
            bsp_send(to, NULL, x, bytes / (size_t)(1 + round));
        }
        bsp_sync();
        for (int from = 0; from < world.count; from++) {
            int n = bsp_hpmove(&tag, &payload);
            const char *p = payload;
            check(n == (int)(bytes / (size_t)(1 + round)) &&
                      p[0] == (char)(from + world.me + round) && !memcmp(p, p + 1, (size_t)n - 1),
                  "message of %d bytes from %d", n, from);
        }
    }
    bsp_sync();
    free(x);
}

/* ------------------------------------------------ everything, against an oracle */

enum { AREA = 3000, STEPS = 12, REQUESTS = 40 };

typedef struct request {
    int pid, what; /* 0, 1: put; 2: get; 3: send */
    size_t offset, bytes, at;
} request;

/* The k-th request of a process in a superstep is the same for all who ask. */
static request request_of(int step, int pid, int k)
{
    uint64_t h = mix((uint64_t)step << 40 ^ (uint64_t)pid << 20 ^ (unsigned)k);
    request r = {.pid = (int)(h % (unsigned)world.count), .what = (int)(h >> 16 & 3)};
    r.bytes = (h >> 20 & 15) == 0 ? h >> 24 & 1023 : h >> 24 & 31;
    r.offset = (h >> 34) % (AREA - r.bytes);
    r.at = (h >> 44) % (AREA - r.bytes);
    return r;
}

/* Each process holds everybody's memory, and does to it what the rules say. */
typedef struct model {
    unsigned char *area, *old, *landed; /* count x AREA; landed: where gets go */
    size_t messages, bytes;
} model;

static unsigned char *at(unsigned char *of, int pid, size_t offset)
{
    return of + (size_t)pid * AREA + offset;
}

static void model_step(model *m, int step)
{
    m->messages = m->bytes = 0;
    memcpy(m->old, m->area, (size_t)world.count * AREA);
    for (int pid = 0; pid < world.count; pid++)
        for (int k = 0; k < REQUESTS; k++) {
            request r = request_of(step, pid, k);
            if (r.what == 2) {
                memcpy(at(m->landed, pid, r.at), at(m->old, r.pid, r.offset), r.bytes);
            } else if (r.what < 2) {
                memset(at(m->area, r.pid, r.offset), pid + step + k, r.bytes);
            } else if (r.pid == world.me) {
                m->messages++;
                m->bytes += r.bytes;
            }
        }
}

static void ask(int step, unsigned char *area, unsigned char *landed)
{
    unsigned char data[1024];
    for (int k = 0; k < REQUESTS; k++) {
        request r = request_of(step, world.me, k);
        memset(data, world.me + step + k, r.bytes);
        if (r.what < 2)
            bsp_put(r.pid, data, area, r.offset, r.bytes);
        else if (r.what == 2)
            bsp_get(r.pid, area, r.offset, landed + r.at, r.bytes);
        else
            bsp_send(r.pid, &k, data, r.bytes);
    }
}

static void take_messages(int step)
{
    unsigned char data[1024], expected[1024];
    for (int pid = 0; pid < world.count; pid++)
        for (int k = 0; k < REQUESTS; k++) {
            request r = request_of(step, pid, k);
            int status, tag = -1;
            if (r.what != 3 || r.pid != world.me)
                continue;
            bsp_get_tag(&status, &tag);
            if (!check(status == (int)r.bytes && tag == k, "step %d: message of %d bytes, tag %d",
                       step, status, tag))
                return;
            bsp_move(data, sizeof data);
            memset(expected, pid + step + k, r.bytes);
            check(!memcmp(data, expected, r.bytes), "step %d: message %d of %d", step, k, pid);
        }
}

static void everything_against_an_oracle(void)
{
    size_t bytes_of_all = (size_t)world.count * AREA;
    model m = {.area = calloc(bytes_of_all, 1),
               .old = calloc(bytes_of_all, 1),
               .landed = calloc(bytes_of_all, 1)};
    unsigned char *area = calloc(AREA, 1), *landed = calloc(AREA, 1);
    int size = sizeof(int), count, bytes;
    bsp_push_reg(area, AREA);
    bsp_set_tagsize(&size);
    bsp_sync();
    for (int step = 0; step < STEPS; step++) {
        ask(step, area, landed);
        bsp_sync();
        model_step(&m, step);
        check(!memcmp(area, at(m.area, world.me, 0), AREA), "step %d: what was put", step);
        check(!memcmp(landed, at(m.landed, world.me, 0), AREA), "step %d: what was got", step);
        bsp_qsize(&count, &bytes);
        check((size_t)count == m.messages && (size_t)bytes == m.bytes, "step %d: %d messages", step,
              count);
        take_messages(step);
    }
    bsp_pop_reg(area);
    size = 0;
    bsp_set_tagsize(&size);
    bsp_sync();
    free(m.area);
    free(m.old);
    free(m.landed);
    free(area);
    free(landed);
}

/* ------------------------------------------------------------------- program */

static int most = 1000, status_of_spmd;

static void spmd(void)
{
    begin(most);
    double start = bsp_time();
    check(start >= 0 && start < 100, "bsp_time at the beginning: %g", start);
    check(world.count <= most && world.me < world.count, "process %d of %d", world.me, world.count);
    put_is_read_at_the_call_and_written_at_the_sync();
    put_goes_to_offsets();
    puts_are_written_in_order();
    large_puts();
    get_sees_the_source_at_the_sync();
    gets_read_before_puts_write();
    gets_do_not_see_gets();
    many_gets();
    hpput_and_hpget();
    registrations_differ();
    registrations_stack();
    push_and_pop_in_one_superstep();
    many_registrations();
    tag_sizes_change_at_the_sync();
    tag_size_set_last_comes_back();
    queue_holds_the_last_superstep();
    hpmove_points_into_the_queue();
    large_messages();
    everything_against_an_oracle();
    check(bsp_time() > start, "bsp_time goes on");
    status_of_spmd = finish();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "sequential") == 0) {
        bsp_init(spmd, argc, argv);
        int there = bsp_nprocs(); /* process 0 alone comes here */
        if (bsp_pid() != 0)
            abort();
        spmd();
        printf("sequential end, %d of %d processes\n", bsp_nprocs(), there);
        return status_of_spmd;
    }
    int there = bsp_nprocs();
    if (argc > 2 && strcmp(argv[1], "few") == 0)
        most = atoi(argv[2]);
    spmd();
    if (bsp_nprocs() != (there < most ? there : most))
        return 1;
    return status_of_spmd;
}
