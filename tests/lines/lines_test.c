/*
 * Who reads which cache line: board, levels and cursors are compiled with the instrumentation of
 * ThreadSanitizer, but what it calls stands here and counts. Members are threads. For each line of
 * the shared memory, written since the count began, it knows which members have read it since it
 * was written last; so a board on which all read one line shows.
 *
 * It also tells how long a call takes in a simple model: to get a line that another has written
 * takes one unit (or, on a machine with distances, some), and a line goes to one reader after the
 * other. Each member has a clock; a reader begins when it has got its line before, when the line is
 * written and the reader before it has it.
 */
#define TEAM_MOST 512

#include "collective/levels/levels.h"
#include "hooks/superstep.h"
#include "node/thread_team.h"
#include "unit.h"

enum { LINE = 64, LINES = 1 << 18, HEAP = 8 << 20, MEMBERS = TEAM_MOST };

/* ---------------------------------------------------------------- what is counted */

typedef struct line {
    uintptr_t number; /* 0: free */
    long free;        /* when the next reader gets it */
    int writer, readers;
    unsigned char has[MEMBERS / 8];
} line;

static struct {
    pthread_mutex_t lock;
    uintptr_t from, to; /* the memory that is looked at */
    bool on;
    int most; /* readers of one line */
    long transfers;
    line line[LINES];
} count = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int me = -1;
static _Thread_local long now;
static _Thread_local const void *looked_at;

static line *find(uintptr_t number, bool make)
{
    size_t at = (size_t)team_mix(number) % LINES;
    while (count.line[at].number != number && count.line[at].number)
        at = (at + 1) % LINES;
    if (count.line[at].number == 0 && make)
        count.line[at] = (line){.number = number};
    return count.line[at].number ? &count.line[at] : NULL;
}

/* The machine of `lines_test distances`: caches of 8 processors, packages of 64. What a line costs
 * from the same cache, the same package, the other one: 1 : 3 : 6, some 40, 120 and 240 ns. */
enum { IN_CACHE = 8, IN_PACKAGE = 64, NEAR = 1, FAR = 3, FARTHEST = 6 };
enum map { ALL_NEAR, IN_ORDER, BY_PACKAGE };
static enum map map;
static int mapped; /* members */

static int processor_of(int member)
{
    int packages = (mapped + IN_PACKAGE / 2 - 1) / (IN_PACKAGE / 2) > 1 ? 2 : 1;
    return map == BY_PACKAGE ? member % packages * IN_PACKAGE + member / packages : member;
}

static int cost(int from, int to)
{
    int a = processor_of(from), b = processor_of(to);
    if (map == ALL_NEAR || a / IN_CACHE == b / IN_CACHE)
        return NEAR;
    return a / IN_PACKAGE == b / IN_PACKAGE ? FAR : FARTHEST;
}

static void read_line(uintptr_t number)
{
    line *l = find(number, false);
    if (l == NULL || l->writer == me || (l->has[me / 8] & 1 << me % 8))
        return;
    l->has[me / 8] |= (unsigned char)(1 << me % 8);
    if (++l->readers > count.most)
        count.most = l->readers;
    now = (now > l->free ? now : l->free) + cost(l->writer, me);
    l->free = now;
    count.transfers++;
}

/* The writer has it from then on; it need not fetch what it overwrites. */
static void write_line(uintptr_t number)
{
    line *l = find(number, true);
    *l = (line){.number = number, .writer = me, .free = now};
}

static void touch(const void *at, size_t bytes, bool reads, bool writes)
{
    uintptr_t from = (uintptr_t)at / LINE, to = ((uintptr_t)at + bytes - 1) / LINE;
    if (me < 0 || !count.on || bytes == 0 || (uintptr_t)at < count.from ||
        (uintptr_t)at >= count.to)
        return;
    pthread_mutex_lock(&count.lock);
    for (uintptr_t l = from; l <= to; l++) {
        if (reads)
            read_line(l);
        if (writes)
            write_line(l);
    }
    pthread_mutex_unlock(&count.lock);
}

/* One who looks at one word again and again lets the others run, the longer the more. */
static void look(const void *at, size_t bytes)
{
    static _Thread_local unsigned looks;
    looks = at == looked_at ? looks + 1 : 0;
    looked_at = at;
    if (looks > 2)
        team_sleep_us(20u << (looks < 9 ? looks - 2 : 7));
    touch(at, bytes, true, false);
}

/* -------------------------------------------------------- what the compiler calls */

#define PLAIN(bytes)                                                                               \
    void __tsan_read##bytes(const void *at);                                                       \
    void __tsan_read##bytes(const void *at)                                                        \
    {                                                                                              \
        touch(at, bytes, true, false);                                                             \
    }                                                                                              \
    void __tsan_write##bytes(const void *at);                                                      \
    void __tsan_write##bytes(const void *at)                                                       \
    {                                                                                              \
        touch(at, bytes, false, true);                                                             \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(const void *at);                                             \
    void __tsan_unaligned_read##bytes(const void *at)                                              \
    {                                                                                              \
        touch(at, bytes, true, false);                                                             \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(const void *at);                                            \
    void __tsan_unaligned_write##bytes(const void *at)                                             \
    {                                                                                              \
        touch(at, bytes, false, true);                                                             \
    }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define CHANGE(bits, name, builtin)                                                                \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t value, int);    \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *at, uint##bits##_t value,          \
                                                int order)                                         \
    {                                                                                              \
        (void)order;                                                                               \
        touch(at, bits / 8, true, true);                                                           \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }
/* A line is noted as written before it is: who sees the value finds it so. */
#define ATOMIC(bits)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int);                      \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int order)                 \
    {                                                                                              \
        (void)order;                                                                               \
        uint##bits##_t value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                              \
        look(at, bits / 8);                                                                        \
        return value;                                                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int);               \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t value, int order)          \
    {                                                                                              \
        (void)order;                                                                               \
        touch(at, bits / 8, false, true);                                                          \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    CHANGE(bits, exchange, __atomic_exchange_n)                                                    \
    CHANGE(bits, fetch_add, __atomic_fetch_add)                                                    \
    CHANGE(bits, fetch_sub, __atomic_fetch_sub)                                                    \
    CHANGE(bits, fetch_or, __atomic_fetch_or)                                                      \
    CHANGE(bits, fetch_and, __atomic_fetch_and)                                                    \
    int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *at, uint##bits##_t *there,   \
                                                      uint##bits##_t value, int, int);             \
    int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *at, uint##bits##_t *there,   \
                                                      uint##bits##_t value, int order, int failed) \
    {                                                                                              \
        (void)order, (void)failed;                                                                 \
        touch(at, bits / 8, true, true);                                                           \
        return __atomic_compare_exchange_n(at, there, value, false, __ATOMIC_SEQ_CST,              \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *at, uint##bits##_t there, uint##bits##_t value, int, int);                 \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *at, uint##bits##_t there, uint##bits##_t value, int order,                 \
        int failed) /* clang's */                                                                  \
    {                                                                                              \
        __tsan_atomic##bits##_compare_exchange_strong(at, &there, value, order, failed);           \
        return there;                                                                              \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(uint##bits##_t *at, uint##bits##_t *there,     \
                                                    uint##bits##_t value, int, int);               \
    int __tsan_atomic##bits##_compare_exchange_weak(uint##bits##_t *at, uint##bits##_t *there,     \
                                                    uint##bits##_t value, int order, int failed)   \
    {                                                                                              \
        return __tsan_atomic##bits##_compare_exchange_strong(at, there, value, order, failed);     \
    }
ATOMIC(8)
ATOMIC(32)
ATOMIC(64)

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
void __tsan_read_range(const void *at, unsigned long bytes);
void __tsan_read_range(const void *at, unsigned long bytes)
{
    touch(at, bytes, true, false);
}
void __tsan_write_range(const void *at, unsigned long bytes);
void __tsan_write_range(const void *at, unsigned long bytes)
{
    touch(at, bytes, false, true);
}
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    touch(from, bytes, true, false);
    touch(to, bytes, false, true);
    return __real_memcpy(to, from, bytes);
}
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return __wrap_memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    touch(from, bytes, true, false);
    touch(to, bytes, false, true);
    return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int c, size_t bytes);
void *__tsan_memset(void *to, int c, size_t bytes)
{
    touch(to, bytes, false, true);
    return memset(to, c, bytes);
}

/* --------------------------------------------------------------------- the calls */

enum call {
    BARRIER,
    BROADCAST,
    TO_ONE,
    TO_ALL,
    COLLECT,
    IN_TABLE,
    GREATEST = IN_TABLE,
    GATHER,
    SCATTER,
    DISTRIBUTE,
    SUPERSTEP,
    CALLS
};
static const char *const names[] = {"barrier",    "broadcast", "sum to one", "sum to all",
                                    "collect",    "greatest",  "gather",     "scatter",
                                    "distribute", "superstep"};

/* What a member has. */
typedef struct mine {
    ob_group *g;
    double *x;
    int *owner;
    ob_superstep *step;
} mine;

static bool is_in_pieces(enum call call)
{
    return call == COLLECT || (call >= GATHER && call <= DISTRIBUTE);
}

/* n doubles for each other member. */
static void superstep(const mine *m, size_t n)
{
    ob_tally tally = {0};
    for (int i = 0; i < ob_group_size(m->g); i++) {
        ob_tail *tail = &ob_superstep_tails(m->step)[i];
        if ((size_t)(tail->end - tail->next) < 8 * n)
            OK(ob_superstep_grow(m->step, i, 8 * n));
        memcpy(tail->next, m->x, 8 * n);
        tail->next += 8 * n;
    }
    OK(ob_superstep_run(m->step, &tally));
    for (int i = 0; i < ob_group_size(m->g); i++) {
        char *at;
        TEAM_CHECK(ob_superstep_next(m->step, i, &at) == 8 * n, "from %d", i);
        memcpy(m->x, at, 8 * n);
    }
}

static void make(enum call call, const mine *m, size_t n)
{
    ob_group *g = m->g;
    double *x = m->x;
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    const ob_pieces pieces = {.base = x + n, .type = OB_DOUBLE, .count = n};
    int root = ob_group_size(g) / 3;
    switch (call) {
    case BARRIER: OK(ob_barrier(g)); break;
    case BROADCAST: OK(ob_broadcast(g, root, &v, NULL)); break;
    case TO_ONE: OK(ob_combine(g, root, OB_SUM, &v, NULL, 0, NULL)); break;
    case TO_ALL: OK(ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL)); break;
    case GREATEST: OK(ob_combine(g, OB_ANY, OB_MAX_ABS, &v, m->owner, n, NULL)); break;
    case COLLECT: OK(ob_collect(g, &pieces, NULL)); break;
    case GATHER: OK(ob_gather(g, root, &pieces, &v, NULL)); break;
    case SCATTER: OK(ob_scatter(g, root, &pieces, &v, NULL)); break;
    case DISTRIBUTE: OK(ob_distributed_combine(g, OB_SUM, &pieces, NULL)); break;
    default: superstep(m, n);
    }
}

static struct {
    enum call call;
    size_t n;
    bool places; /* are known */
    pthread_barrier_t meet;
    long longest;
} trial;

/* As if all had joined with them: each writes them all, alike. */
static void tell_places(team *t)
{
    for (int i = 0; i < t->count && trial.places; i++) {
        uint64_t p = (uint64_t)processor_of(i);
        atomic_store(&t->job[i]->shm->own->near,
                     (p / IN_PACKAGE + 1) << 48 | (p / IN_CACHE + 1) << 32 | (p + 1) << 16);
    }
}

enum { BEFORE = 10 };

static void one_call(team *t, int number)
{
    tell_places(t);
    mine m = {.g = team_group(t, number)};
    size_t p = (size_t)t->count, all = is_in_pieces(trial.call) ? trial.n * (p + 1) : trial.n;
    m.x = calloc(all + 1, sizeof *m.x);
    m.owner = calloc(trial.n + 1, sizeof *m.owner);
    if (trial.call == SUPERSTEP)
        OK(ob_superstep_create(m.g, &m.step));
    for (int k = 0; k < BEFORE; k++)
        make(trial.call, &m, trial.n);
    pthread_barrier_wait(&trial.meet);
    if (number == 0) {
        memset(count.line, 0, sizeof count.line);
        count.from = (uintptr_t)t->memory.base;
        count.to = count.from + t->memory.bytes;
        count.most = 0;
        count.transfers = trial.longest = 0;
        count.on = true;
    }
    pthread_barrier_wait(&trial.meet);
    me = number;
    now = 0;
    make(trial.call, &m, trial.n);
    me = -1;
    pthread_mutex_lock(&count.lock);
    trial.longest = now > trial.longest ? now : trial.longest;
    pthread_mutex_unlock(&count.lock);
    pthread_barrier_wait(&trial.meet);
    count.on = false;
    ob_superstep_free(m.step);
    free(m.owner);
    free(m.x);
    ob_group_free(m.g);
}

/* One call of so many doubles by so many members; the result is in `count` and `trial`. */
static void try(enum call call, int members, size_t n, int most)
{
    const ob_settings set = {.spin_us = 1000000000, .tiers = {most, most != 0}};
    trial.call = call;
    trial.n = n;
    pthread_barrier_init(&trial.meet, NULL, (unsigned)members);
    assert_int_equal(team_try(members, HEAP, &set, one_call, NULL), 0);
    pthread_barrier_destroy(&trial.meet);
}

static void count_call(enum call call, int members, size_t n)
{
    try(call, members, n, OB_TIER);
    printf("%-10s %6zu B, %3d members: %2d readers, %6ld transfers, %5ld units\n", names[call],
           8 * n, members, count.most, count.transfers, trial.longest);
    assert_in_range(count.most, 1, OB_TIER);
}

static void no_line_has_more_than_eight_readers(void **state)
{
    for (int members = 64; members <= 128; members *= 2)
        for (enum call call = BARRIER; call < CALLS; call++) {
            count_call(call, members, 1);
            if (call != BARRIER)
                count_call(call, members, 30);
            if (call != BARRIER && !is_in_pieces(call) && call != SUPERSTEP)
                count_call(call, members, 300);
        }
}

/* Blocks, parts, slices: whatever a long call does beside, or in place of, notes. */
static void of_long_calls_neither(void **state)
{
    for (enum call call = BROADCAST; call < CALLS; call++)
        count_call(call, 64, is_in_pieces(call) || call == SUPERSTEP ? 300 : 4000);
    count_call(BROADCAST, 64, 40000);
    count_call(TO_ALL, 24, 70000); /* in two parts */
    count_call(DISTRIBUTE, 24, 3000);
    count_call(DISTRIBUTE, 128, 100);
}

/* What is counted is there: on one board all read one line. */
static void on_one_board_all_read_one_line(void **state)
{
    for (enum call call = BARRIER; call < IN_TABLE; call++) {
        try(call, 24, 1, 0);
        if (call != TO_ONE) /* the root alone reads, each line once */
            assert_int_equal(count.most, 23);
    }
}

/* `lines_test table`: units of a call, one board and tiers. */
static void print_table(void)
{
    printf("| members |");
    for (enum call call = BARRIER; call < IN_TABLE; call++)
        printf(" %s |", names[call]);
    fputs("\n|---|---|---|---|---|---|\n", stdout);
    for (int members = 8; members <= MEMBERS; members *= 2) {
        printf("| %d |", members);
        for (enum call call = BARRIER; call < IN_TABLE; call++) {
            long units[2], readers[2];
            for (int tiers = 0; tiers < 2; tiers++) {
                try(call, members, 1, tiers ? OB_TIER : 0);
                units[tiers] = trial.longest;
                readers[tiers] = count.most;
            }
            printf(" %ld (%ld) / %ld (%ld) |", units[0], readers[0], units[1], readers[1]);
            fflush(stdout);
        }
        printf("\n");
    }
}

static void print_units(enum call call, int members, size_t n, int most, bool places)
{
    trial.places = places;
    try(call, members, n, most);
    printf(" %ld |", trial.longest);
    fflush(stdout);
}

/* `lines_test distances`: the same on a machine with distances. */
static void print_distances(void)
{
    static const enum call calls[] = {BARRIER, BROADCAST, TO_ALL, COLLECT, TO_ALL};
    printf(
        "| members | call | one board | tiers | by package: one board | tiers | places known |\n");
    fputs("|---|---|---|---|---|---|---|\n", stdout);
    for (mapped = 64; mapped <= 128; mapped *= 2)
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            size_t n = i == 4 ? 300 : 1;
            printf("| %d | %s, %zu B |", mapped, names[calls[i]], calls[i] == BARRIER ? 0 : 8 * n);
            for (map = IN_ORDER; map <= BY_PACKAGE; map++)
                for (int most = 0; most <= OB_TIER; most += OB_TIER)
                    print_units(calls[i], mapped, n, most, false);
            map = BY_PACKAGE;
            print_units(calls[i], mapped, n, OB_TIER, true);
            printf("\n");
        }
}

/* What is near counts: boards of neighbours in place of boards of both packages. */
static void known_places_take_fewer_steps(void **state)
{
    long units[2];
    map = BY_PACKAGE;
    mapped = 128;
    for (int known = 0; known < 2; known++) {
        trial.places = known;
        try(BROADCAST, 128, 300, OB_TIER);
        units[known] = trial.longest;
    }
    map = ALL_NEAR;
    trial.places = false;
    assert_true(units[1] < units[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_has_more_than_eight_readers),
        cmocka_unit_test(of_long_calls_neither),
        cmocka_unit_test(on_one_board_all_read_one_line),
        cmocka_unit_test(known_places_take_fewer_steps),
    };
    if (argc > 1 && strcmp(argv[1], "table") == 0) {
        print_table();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "distances") == 0) {
        print_distances();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
