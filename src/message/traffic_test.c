/*
 * Random traffic among processes that run as threads, against a model: per
 * group, source and tag first in, first out, contents intact, whatever the
 * sizes, shapes, orders of receiving, settings and delays. Every phase first
 * sends all of its messages and then receives them, so queues grow, leave the
 * ring for areas, drain, and return. A second thread of the test sends signals whose
 * handler sleeps: delays at any instruction, between the steps of a message too.
 */
#include "node/thread_team.h"
#include "unit.h"

enum { GROUPS = 3, TAGS = 2, GUARD = 64, PHASES = 7, MOST_ITEMS = 3000 };

/* ------------------------------------------------------------------ matrices */

enum kind { PLAIN, STRIDED, TALL, WIDE, KINDS };

typedef struct array {
    ob_view view;
    unsigned char *memory;
    size_t bytes; /* of the array behind view.base */
} array;

/* What a thread sanitizer knows of fresh pages costs it two faults a page, and an interrupt of all
 * processors. There a process's long arrays lie in the same memory again and again: who still
 * touches an earlier one races with the next one's bytes. */
enum { LONG = 64 << 10, ROOM = 20 << 20, ROOMS = 3 };
enum { SENT, RECEIVED, PACKED };
static unsigned char *rooms[TEAM_MOST][ROOMS];

static unsigned char *take_memory(size_t bytes, unsigned char **room)
{
    if (!TEAM_RACES || bytes < LONG)
        return malloc(bytes);
    if (bytes > ROOM)
        abort();
    if (!*room)
        *room = malloc(ROOM);
    return *room;
}

static void drop_memory(unsigned char *memory, unsigned char *const *room)
{
    if (memory != *room)
        free(memory);
}

/* A matrix of that many bytes and about that kind. */
static void open_array(array *a, size_t bytes, enum kind kind, ob_shape shape, unsigned char **room)
{
    static const size_t tries[] = {7, 5, 3, 2};
    ob_view *v = &a->view;
    *v = (ob_view){.m = bytes, .n = 1, .ld = bytes ? bytes : 1, .type = OB_BYTE};
    for (size_t k = 0; kind != PLAIN && k < 4; k++) {
        size_t n = tries[k], less = kind == STRIDED ? 0 : n * (n - 1) / 2;
        if (bytes < n * n || (bytes + less) % n)
            continue;
        size_t m = (bytes + less) / n;
        *v = (ob_view){.m = m, .n = n, .type = OB_BYTE};
        if (kind == WIDE && m < 40000)
            *v = (ob_view){.m = n, .n = m, .type = OB_BYTE};
        v->ld = v->m + 3;
        v->shape = kind == STRIDED ? OB_GENERAL : shape;
        break;
    }
    a->bytes = v->ld * v->n;
    a->memory = take_memory(a->bytes + 2 * GUARD, room);
    /* Long memory holds nothing, or another message's bytes. */
    memset(a->memory, 0xa5, a->bytes < LONG ? a->bytes + 2 * GUARD : GUARD);
    v->base = a->memory + GUARD;
    memset(a->memory + GUARD + a->bytes, 0xa5, GUARD);
}

static int guards_intact(const array *a)
{
    for (int i = 0; i < GUARD; i++)
        if (a->memory[i] != 0xa5 || a->memory[GUARD + a->bytes + (size_t)i] != 0xa5)
            return 0;
    return 1;
}

/* ------------------------------------------------------------------ the plan */

typedef struct item {
    size_t bytes;
    int group, tag;
    uint64_t seed;
} item;

typedef struct phase {
    int messages; /* of one pair at most */
    size_t least, most;
} phase;

static const phase phases[PHASES] = {
    {3000, 0, 96},          {300, 3900, 4300}, {40, 0, 70000},      {12, 200000, 300000},
    {3, 7 << 20, 18 << 20}, {600, 0, 9000},    {400, 16300, 16500},
};

typedef struct plan {
    uint64_t seed;
    int rounds;
    int jitter; /* delays within one operation in 1 << jitter */
    int any;    /* receive from any source */
} plan;

/* The number of messages from a to b in a round, and each of them, follow
 * from the plan alone, so both sides know them. */
static int items_of(const plan *p, int round, int a, int b)
{
    uint64_t s = team_mix(p->seed ^ (uint64_t)(round * 100 + a * 10 + b));
    const phase *ph = &phases[round % PHASES];
    if (s % 5 == 0)
        return 0;
    int most = TEAM_SLOW && ph->messages > 20 ? ph->messages / 8 : ph->messages;
    if (TEAM_RACES && most == 3)
        most = 2; /* one behind another, where each touches millions of bytes */
    return 1 + (int)(s / 5 % (uint64_t)most);
}

static item item_of(const plan *p, int round, int a, int b, int k)
{
    static const size_t edges[] = {0,     1,     8,     31,     32,     33,     63,    64,
                                   65,    4095,  4096,  4097,   16351,  16352,  16383, 16384,
                                   16385, 65503, 65536, 262016, 262112, 262144, 262176};
    uint64_t s = team_mix(p->seed + (uint64_t)round * 1000003 + (uint64_t)(a * 10 + b) * 7919 +
                          (uint64_t)k * 104729);
    const phase *ph = &phases[round % PHASES];
    item i = {.group = (int)(s % GROUPS), .tag = (int)(s / 8 % TAGS), .seed = s};
    s = team_mix(s);
    i.bytes = ph->least + s % (ph->most - ph->least + 1);
    if (s % 7 == 0)
        i.bytes = edges[s / 7 % (sizeof edges / sizeof *edges)];
    return i;
}

/* ---------------------------------------------------------------- one process */

typedef struct process {
    team *t;
    int me;
    const plan *plan;
    ob_group *group[GROUPS];
    uint64_t rng;
    unsigned char *scratch;       /* what is sent, without gaps */
    uint64_t any_next[TEAM_MOST]; /* any_round: received of each source */
} process;

static void maybe_pause(process *p)
{
    uint64_t s = team_draw(&p->rng);
    if (p->plan->jitter && s % (1u << p->plan->jitter) == 0)
        team_sleep_us((unsigned)(s >> 32) % 800);
}

static void send_item(process *p, int to, const item *i)
{
    array a;
    uint64_t s = team_draw(&p->rng);
    open_array(&a, i->bytes, (enum kind)(s % KINDS), s & 16 ? OB_UPPER : OB_LOWER,
               &rooms[p->me][SENT]);
    team_pattern(p->scratch, i->bytes, i->seed);
    ob_cursor c;
    ob_cursor_open(&c, &a.view);
    if (i->bytes)
        ob_cursor_unpack(&c, p->scratch, i->bytes);
    OK(ob_send(p->group[i->group], to, i->tag, &a.view));
    memset(a.view.base, 0, a.bytes); /* locally blocking: ours again */
    drop_memory(a.memory, &rooms[p->me][SENT]);
}

static void send_round(process *p, int round)
{
    int next[TEAM_MOST] = {0}, open = p->t->count;
    while (open) {
        open = 0;
        for (int to = 0; to < p->t->count; to++) {
            int all = items_of(p->plan, round, p->me, to), burst = (int)(team_draw(&p->rng) % 50);
            for (; burst-- && next[to] < all; next[to]++) {
                item i = item_of(p->plan, round, p->me, to, next[to]);
                send_item(p, to, &i);
                maybe_pause(p);
            }
            open += next[to] < all;
        }
    }
}

/* What is still expected from one source: done[k] for each item. */
typedef struct queue {
    int all, left;
    char done[MOST_ITEMS];
} queue;

/* The first item of a group (and tag, or OB_ANY) not yet received; -1: none. */
static int first_open(process *p, int round, int from, const queue *q, int group, int tag)
{
    for (int k = 0; k < q->all; k++) {
        if (q->done[k])
            continue;
        item i = item_of(p->plan, round, from, p->me, k);
        if (i.group == group && (tag == OB_ANY || i.tag == tag))
            return k;
    }
    return -1;
}

static void check_message(process *p, const array *a, const item *i, const ob_received *r)
{
    unsigned char *got = take_memory(i->bytes + 1, &rooms[p->me][PACKED]);
    ob_cursor c;
    ob_cursor_open(&c, &a->view);
    if (i->bytes)
        ob_cursor_pack(&c, got, i->bytes);
    TEAM_CHECK(team_pattern_is(got, i->bytes, i->seed), "process %d, from %d, %zu bytes", p->me,
               r->source, i->bytes);
    TEAM_CHECK(r->tag == i->tag && r->bytes == i->bytes && r->type == OB_BYTE,
               "tag %d bytes %zu, expected %d %zu", r->tag, r->bytes, i->tag, i->bytes);
    TEAM_CHECK(guards_intact(a), "%zu bytes overran", i->bytes);
    drop_memory(got, &rooms[p->me][PACKED]);
}

static void receive_one(process *p, int round, int from, queue *q, int k, int tag)
{
    array a;
    ob_received r;
    uint64_t s = team_draw(&p->rng);
    item i = item_of(p->plan, round, from, p->me, k);
    open_array(&a, i.bytes, (enum kind)(s % KINDS), s & 16 ? OB_UPPER : OB_LOWER,
               &rooms[p->me][RECEIVED]);
    int status = ob_recv(p->group[i.group], from, tag, &a.view, &r);
    OK(status);
    if (status == OB_OK)
        check_message(p, &a, &i, &r);
    TEAM_CHECK(status != OB_OK || r.source == from, "source %d, not %d", r.source, from);
    q->done[k] = 1;
    q->left--;
    drop_memory(a.memory, &rooms[p->me][RECEIVED]);
}

/* Receives one message of a random group and tag of a random source. */
static void receive_some(process *p, int round, queue *q)
{
    int from, k = -1, tag = 0;
    do
        from = (int)(team_draw(&p->rng) % (uint64_t)p->t->count);
    while (q[from].left == 0);
    /* Receiving in the order sent is the common case, and cheap to model. */
    if (team_draw(&p->rng) % 4) {
        for (k = 0; q[from].done[k]; k++)
            ;
        tag = item_of(p->plan, round, from, p->me, k).tag;
    }
    while (k < 0) {
        tag = (int)(team_draw(&p->rng) % (TAGS + 1)) - 1;
        k = first_open(p, round, from, &q[from], (int)(team_draw(&p->rng) % GROUPS), tag);
    }
    receive_one(p, round, from, &q[from], k, tag);
}

static void receive_round(process *p, int round)
{
    queue *q = calloc(TEAM_MOST, sizeof *q);
    int left = 0;
    for (int from = 0; from < p->t->count; from++)
        left += q[from].left = q[from].all = items_of(p->plan, round, from, p->me);
    for (; left; left--) {
        receive_some(p, round, q);
        maybe_pause(p);
    }
    free(q);
}

/* With OB_ANY the model learns the source from the answer, which may be ahead
 * by a round. The sizes of all candidates must agree, so these messages have one size. */
static void any_round(process *p, int round)
{
    enum { EACH = 200 };
    uint64_t word[5];
    ob_view v = {.base = word, .m = 5, .n = 1, .ld = 5, .type = OB_DOUBLE};
    for (int k = round * EACH; k < (round + 1) * EACH; k++)
        for (int to = 0; to < p->t->count; to++) {
            for (int w = 0; w < 5; w++)
                word[w] = team_mix((uint64_t)p->me * 1000000 + (uint64_t)k);
            OK(ob_send(p->group[1], to, k % 3, &v));
            maybe_pause(p);
        }
    for (int k = 0; k < EACH * p->t->count; k++) {
        ob_received r = {0};
        OK(ob_recv(p->group[1], OB_ANY, OB_ANY, &v, &r));
        uint64_t number = p->any_next[r.source]++;
        for (int w = 0; w < 5; w++)
            TEAM_CHECK(word[w] == team_mix((uint64_t)r.source * 1000000 + number),
                       "message %d of %d", (int)number, r.source);
        TEAM_CHECK(r.tag == (int)(number % 3), "tag %d of message %d", r.tag, (int)number);
    }
}

static void work(team *t, int me)
{
    process p = {.t = t, .me = me, .plan = t->user};
    p.rng = team_mix(p.plan->seed * 31 + (uint64_t)me);
    p.scratch = take_memory(ROOM, &rooms[me][PACKED]);
    for (int g = 0; g < GROUPS; g++)
        p.group[g] = team_group(t, me);
    for (int round = 0; round < p.plan->rounds; round++) {
        if (p.plan->any) {
            any_round(&p, round);
        } else {
            send_round(&p, round);
            receive_round(&p, round);
        }
    }
    for (int g = 0; g < GROUPS; g++)
        ob_group_free(p.group[g]);
    drop_memory(p.scratch, &rooms[me][PACKED]);
}

/* ------------------------------------------------------------------ the tests */

static void on_signal(int number)
{
    static atomic_uint count;
    (void)number;
    unsigned k = atomic_fetch_add(&count, 1);
    struct timespec pause = {0, (long)(team_mix(k) % 400) * 1000};
    nanosleep(&pause, NULL);
}

typedef struct disturber {
    team_member *members;
    int count;
    atomic_bool stop;
} disturber;

static void *disturb(void *p)
{
    disturber *d = p;
    uint64_t rng = 4711;
    while (!atomic_load(&d->stop)) {
        pthread_kill(d->members[team_draw(&rng) % (uint64_t)d->count].thread, SIGUSR1);
        team_sleep_us((unsigned)(team_draw(&rng) % 300));
    }
    return NULL;
}

static void run(int count, plan p, const ob_settings *set, int disturbed)
{
    team t;
    team_member members[TEAM_MOST];
    disturber d = {.members = members, .count = count};
    pthread_t thread;
    team_open(&t, count, (size_t)1 << 30, set);
    t.user = &p;
    team_start(&t, members, work);
    if (disturbed && pthread_create(&thread, NULL, disturb, &d) == 0) {
        /* Threads must not be signalled once they are joined. */
        team_sleep_us(disturbed * 1000u);
        atomic_store(&d.stop, true);
        pthread_join(thread, NULL);
    }
    team_wait(&t, members);
    assert_int_equal(team_close(&t), 0);
}

static uint64_t seed_of_run = 1;

static void test_two(void **unused)
{
    run(2, (plan){.seed = seed_of_run, .rounds = 2 * PHASES}, NULL, 0);
}

static void test_four(void **unused)
{
    run(4, (plan){.seed = seed_of_run + 1, .rounds = PHASES}, NULL, 0);
}

static void test_alone(void **unused)
{
    run(1, (plan){.seed = seed_of_run + 2, .rounds = PHASES}, NULL, 0);
}

static void test_pauses(void **unused)
{
    run(2, (plan){.seed = seed_of_run + 3, .rounds = PHASES, .jitter = 4}, NULL, 0);
    run(3, (plan){.seed = seed_of_run + 4, .rounds = PHASES, .jitter = 6}, NULL, 0);
}

static void test_disturbed(void **unused)
{
    run(2, (plan){.seed = seed_of_run + 5, .rounds = PHASES, .jitter = 8}, NULL, 300);
    run(3, (plan){.seed = seed_of_run + 6, .rounds = PHASES}, NULL, 300);
}

/* Sleeping at once, spinning for ever, the smallest and the largest step. */
static void test_settings(void **unused)
{
    static const ob_settings sets[] = {{.spin_us = 0},
                                       {.spin_us = 1000000},
                                       {.spin_us = -1, .step_bytes = 64},
                                       {.spin_us = 0, .step_bytes = 65536}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        run(2, (plan){.seed = seed_of_run + 7 + k, .rounds = PHASES, .jitter = 7}, &sets[k], 0);
}

static void test_any(void **unused)
{
    static const ob_settings sleepy = {.spin_us = 0};
    run(2, (plan){.seed = 1, .rounds = 10, .any = 1, .jitter = 8}, NULL, 0);
    run(5, (plan){.seed = 2, .rounds = 5, .any = 1}, NULL, 0);
    run(5, (plan){.seed = 2, .rounds = 5, .any = 1, .jitter = 9}, &sleepy, 0);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    seed_of_run = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),       cmocka_unit_test(test_four),
        cmocka_unit_test(test_alone),     cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_disturbed), cmocka_unit_test(test_settings),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
