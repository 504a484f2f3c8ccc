/*
 * Exchanges: what is written into outboxes arrives, whole, in order and at the right member,
 * with members as threads over one shared memory, alone, and (the same code with the
 * board taken away) through messages.
 */
#include "collective/members_test.h"
#include "superstep/internal.h"

static uint64_t word(int from, int to, int round, size_t i)
{
    return (uint64_t)from << 48 | (uint64_t)to << 32 | (uint64_t)round << 20 | i;
}

static void write_word(ob_superstep *x, int to, uint64_t value)
{
    ob_tail *r = &ob_superstep_tails(x)[to];
    if (r->end - r->next < 8)
        OK(ob_superstep_grow(x, to, 8));
    memcpy(r->next, &value, 8);
    r->next += 8;
}

/* Words that a member sends another one in a round: often none, now and then many. */
static size_t amount(int from, int to, int round)
{
    static const size_t amounts[] = {0, 1, 3, 0, 500, 40, 0, 3000, 100000, 7};
    return round % 5 == 2 ? 0 : amounts[(from * 7 + to * 3 + round) % 10];
}

static void read_all(ob_superstep *x, int from, int me, int round)
{
    char *base;
    size_t bytes, i = 0;
    while ((bytes = ob_superstep_next(x, from, &base)) != 0)
        for (size_t k = 0; k < bytes; k += 8, i++) {
            uint64_t got;
            memcpy(&got, base + k, 8);
            TEAM_CHECK(got == word(from, me, round, i), "round %d, from %d to %d, word %zu: %llx",
                       round, from, me, i, (unsigned long long)got);
        }
    TEAM_CHECK(i == amount(from, me, round), "round %d, from %d to %d: %zu words", round, from, me,
               i);
}

static void one_round(ob_superstep *x, int me, int size, int round)
{
    for (int to = 0; to < size; to++)
        for (size_t i = 0; i < amount(me, to, round); i++)
            write_word(x, to, word(me, to, round, i));
    bool odd = round % 4 == 3 && me == size - 1 && size > 1;
    ob_tally t = {.flags = me == round % size ? 1u << round % 4 : 0,
                  .claim = 0xabcdef - (unsigned)odd};
    OK(ob_superstep_run(x, &t));
    TEAM_CHECK(t.flags == 1u << round % 4, "round %d: flags %x", round, t.flags);
    TEAM_CHECK(t.agreed == !(round % 4 == 3 && size > 1), "round %d: agreed %d", round, t.agreed);
    for (int from = 0; from < size; from++)
        read_all(x, from, me, round);
    ob_superstep_rewind(x);
    read_all(x, round % size, me, round);
}

static void rounds(ob_group *group, void *messages)
{
    ob_superstep *x = NULL, *y = NULL;
    group->one_node = messages == NULL;
    OK(ob_superstep_create(group, &x));
    OK(ob_superstep_create(group, &y));
    for (int round = 0; round < 25; round++) {
        one_round(x, group->me, group->size, round);
        if (round % 3 == 0) /* what came through x stays while y runs */
            one_round(y, group->me, group->size, round);
        ob_superstep_rewind(x);
        read_all(x, 0, group->me, round);
    }
    ob_superstep_free(y);
    ob_superstep_free(x);
    group->one_node = true;
}

static void alone(void **state)
{
    run_members(1, rounds, NULL);
}

static void on_the_board(void **state)
{
    run_members(2, rounds, NULL);
    run_members(5, rounds, NULL);
    run_members(TEST_MEMBERS - 1, rounds, NULL);
}

static void through_messages(void **state)
{
    int yes = 1;
    run_members(3, rounds, &yes);
    run_members(8, rounds, &yes);
    if (TEST_MEMBERS > 8)
        run_members(11, rounds, &yes);
}

static uint64_t messages_to(ob_group *group, int member)
{
    uint64_t messages, bytes;
    OK(ob_job_traffic(group->job, ob_group_number(group, member), &messages, &bytes));
    return messages;
}

/* What does not go with the first message goes with it in one. */
static void one_message_for_each(ob_group *group, void *unused)
{
    enum { WORDS = 512 };
    ob_superstep *x = NULL;
    int next = (group->me + 1) % group->size, before = (group->me + group->size - 1) % group->size;
    (void)unused;
    group->one_node = false;
    OK(ob_superstep_create(group, &x));
    for (int round = 0; round < 3; round++) {
        char *base;
        uint64_t sent = messages_to(group, next), value;
        for (size_t i = 0; i < WORDS; i++)
            write_word(x, next, word(group->me, next, round, i));
        ob_tally t = {0};
        OK(ob_superstep_run(x, &t));
        TEAM_CHECK(messages_to(group, next) == sent + 1, "%d messages",
                   (int)(messages_to(group, next) - sent));
        size_t words = 0;
        for (size_t bytes; (bytes = ob_superstep_next(x, before, &base)) != 0;)
            for (size_t k = 0; k < bytes; k += 8) {
                memcpy(&value, base + k, 8);
                TEAM_CHECK(value == word(before, group->me, round, words), "word %zu", words);
                words++;
            }
        TEAM_CHECK(words == WORDS, "%zu words", words);
    }
    ob_superstep_free(x);
    group->one_node = true;
}

static void few_messages(void **state)
{
    run_members(3, one_message_for_each, NULL);
}

/* Runs of exactly the bytes asked for, at multiples of 64; what stood there before stays. */
static void growing(ob_group *group, void *shared)
{
    ob_superstep *x = NULL;
    char *base;
    (void)shared;
    OK(ob_superstep_create(group, &x));
    ob_tail *r = &ob_superstep_tails(x)[(group->me + 1) % group->size];
    int dest = (group->me + 1) % group->size, from = (group->me + group->size - 1) % group->size;
    for (int round = 0; round < 6; round++) {
        size_t large = round == 1 ? (size_t)9 << 20 : 1 << 16;
        write_word(x, dest, 1);
        OK(ob_superstep_grow(x, dest, large));
        TEAM_CHECK((size_t)(r->end - r->next) >= large && (uintptr_t)r->next % 64 == 0, "room");
        memset(r->next, round, large);
        r->next += large;
        ob_tally t = {0};
        OK(ob_superstep_run(x, &t));
        uint64_t word = 0;
        TEAM_CHECK(ob_superstep_next(x, from, &base) == sizeof word, "first span");
        memcpy(&word, base, sizeof word);
        TEAM_CHECK(word == 1, "word %#llx", (unsigned long long)word);
        TEAM_CHECK(ob_superstep_next(x, from, &base) == large, "second span");
        TEAM_CHECK(base[0] == round && base[large - 1] == round, "bytes");
        TEAM_CHECK(ob_superstep_next(x, from, &base) == 0, "third span");
    }
    for (int i = 0; i < 2; i++) { /* nobody asks for so much memory */
        size_t bytes = i ? SIZE_MAX - 100 : PTRDIFF_MAX - sizeof(ob_chunk) - OB_LINE + 1;
        TEAM_CHECK(ob_superstep_grow(x, dest, bytes) == OB_ENOMEM &&
                       strstr(ob_error_text(), "are too many"),
                   "%zu bytes: %s", bytes, ob_error_text());
    }
    ob_superstep_free(x);
}

static void grown(void **state)
{
    run_members(1, growing, NULL);
    run_members(3, growing, NULL);
}

/* Words, a matrix, words, an empty matrix, a matrix: five spans' worth in order. */
static void attaching(ob_group *group, void *messages)
{
    enum { M = 70, N = 50, LD = 91 };
    ob_superstep *x = NULL;
    char *base;
    double *a = malloc(LD * N * sizeof *a);
    int dest = (group->me + 1) % group->size, from = (group->me + group->size - 1) % group->size;
    ob_view v = {.base = a, .m = M, .n = N, .ld = LD, .type = OB_DOUBLE}, none = v;
    ob_view column = {.base = a + LD, .m = 3, .n = 1, .ld = 3, .type = OB_DOUBLE};
    none.n = 0;
    group->one_node = messages == NULL;
    OK(ob_superstep_create(group, &x));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < LD * N; i++)
            a[i] = 1e6 * group->me + i + round;
        write_word(x, dest, 7);
        OK(ob_superstep_attach(x, dest, &v));
        for (uint64_t i = 0; i < (round == 2 ? 9000 : 2); i++)
            write_word(x, dest, i);
        OK(ob_superstep_attach(x, dest, &none));
        OK(ob_superstep_attach(x, dest, &column));
        ob_tally t = {0};
        OK(ob_superstep_run(x, &t));
        TEAM_CHECK(group->size == 1 || t.sent == 8 + M * N * 8 + (round == 2 ? 72000 : 16) + 24,
                   "sent %zu", t.sent);
        TEAM_CHECK(ob_superstep_next(x, from, &base) == 8 && *(uint64_t *)(void *)base == 7,
                   "first");
        TEAM_CHECK(ob_superstep_next(x, from, &base) == M * N * 8 && (uintptr_t)base % 64 == 0,
                   "matrix");
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++)
                TEAM_CHECK(((double *)(void *)base)[i + j * M] == 1e6 * from + i + j * LD + round,
                           "element %d, %d", i, j);
        for (size_t bytes, left = round == 2 ? 72000 : 16; left; left -= bytes) {
            bytes = ob_superstep_next(x, from, &base);
            TEAM_CHECK(bytes && bytes <= left, "words behind it: %zu", bytes);
        }
        TEAM_CHECK(ob_superstep_next(x, from, &base) == 24, "column");
        TEAM_CHECK(*(double *)(void *)base == 1e6 * from + LD + round, "its element");
        TEAM_CHECK(ob_superstep_next(x, from, &base) == 0, "no more");
    }
    ob_superstep_free(x);
    group->one_node = true;
    free(a);
}

static void attached(void **state)
{
    int yes = 1;
    run_members(1, attaching, NULL);
    run_members(4, attaching, NULL);
    run_members(4, attaching, &yes);
}

static void run_tiers(int members, int most, member_body body, void *shared)
{
    const ob_settings set = {.spin_us = -1, .tiers = {most, true}};
    assert_int_equal(
        team_try(members, (size_t)256 << 20, &set, run_member, &(struct members){body, shared}), 0);
}

static void in_tiers(void **state)
{
    run_tiers(3, 2, rounds, NULL);
    run_tiers(7, 2, rounds, NULL);
    run_tiers(TEST_MEMBERS - 1, 4, rounds, NULL);
    run_tiers(5, 2, attaching, NULL);
}

/* Nobody reads what nobody has sent: who ends a superstep behind such a run, or behind none, waits
 * for nobody. The others end it when it has. */
static void ending(ob_group *group, void *runs)
{
    ob_superstep *x = NULL;
    uint64_t go = 0;
    ob_view v = ob_view_vector(&go, sizeof go, OB_BYTE);
    OK(ob_superstep_create(group, &x));
    for (int run = 0; runs && run < 2; run++) {
        ob_tally t = {.flags = 3};
        if (run == 0)
            write_word(x, (group->me + 1) % group->size, 7);
        OK(ob_superstep_run(x, &t));
        TEAM_CHECK(t.flags == 3, "flags %x", t.flags);
    }
    if (group->me)
        OK(ob_recv(group, 0, 0, &v, NULL));
    ob_superstep_free(x);
    for (int to = 1; to < group->size && group->me == 0; to++)
        OK(ob_send(group, to, 0, &v));
}

static void ended(void **state)
{
    int yes = 1;
    run_members(3, ending, NULL);
    run_members(3, ending, &yes);
    run_tiers(5, 2, ending, &yes);
}

/* ---------------------------------------------------------- those in another call */

enum other { IN_BARRIER, IN_SUM, IN_LONG_SUM, IN_BROADCAST, IN_COLLECT, IN_DISTRIBUTE, OTHERS };

typedef struct mixture {
    enum other other;
    int who; /* makes it */
    int most;
} mixture;

static atomic_int lines;

static int make_other(ob_group *g, enum other other)
{
    static double x[TEAM_MOST][20 * 3000];
    double *own = x[g->me];
    ob_view v = ob_view_vector(own, other == IN_LONG_SUM ? 3000 : 20, OB_DOUBLE);
    const ob_pieces pieces = {.base = own, .type = OB_DOUBLE, .count = 10};
    switch (other) {
    case IN_BARRIER: return ob_barrier(g);
    case IN_BROADCAST: return ob_broadcast(g, g->me, &v, NULL);
    case IN_COLLECT: return ob_collect(g, &pieces, NULL);
    case IN_DISTRIBUTE: return ob_distributed_combine(g, OB_SUM, &pieces, NULL);
    default: return ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
    }
}

/* LeakSanitizer's, where it is there: what a thread allocates from here on may stay. */
void __lsan_disable(void) __attribute__((weak));

/* One who has made its call ends: nobody waits for more of it. What a failed superstep has stays
 * until the process ends, since others may still read it. */
static void mix(team *t, int me)
{
    const mixture *m = t->user;
    if (__lsan_disable)
        __lsan_disable();
    ob_superstep *x = NULL;
    ob_group *g = team_group(t, me);
    ob_tally tally = {0};
    OK(ob_superstep_create(g, &x));
    OK(ob_superstep_run(x, &tally));
    if (me == m->who) {
        make_other(g, m->other);
        ob_segments_mark_gone(&t->memory, me);
        return;
    }
    int status = ob_superstep_run(x, &tally);
    TEAM_CHECK(status == OB_ESTATE || status == OB_ESIZE || status == OB_EGONE,
               "call %d of member %d, member %d: %d, %s", m->other, m->who, me, status,
               ob_error_text());
    if (strstr(ob_error_text(), "ends a superstep while process"))
        atomic_fetch_add(&lines, 1);
}

static void one_in_another_call_is_named(void **state)
{
    mixture m;
    for (m.most = 0; m.most <= 3; m.most += m.most ? 1 : 2)
        for (m.other = 0; m.other < OTHERS; m.other++)
            for (m.who = 0; m.who < 5; m.who++) {
                const ob_settings set = {.spin_us = -1, .tiers = {m.most, true}};
                atomic_store(&lines, 0);
                assert_int_equal(team_try(7, (size_t)16 << 20, &set, mix, &m), 0);
                assert_in_range(atomic_load(&lines), m.most ? 1 : 6, 6);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone),
                                       cmocka_unit_test(on_the_board),
                                       cmocka_unit_test(in_tiers),
                                       cmocka_unit_test(ended),
                                       cmocka_unit_test(one_in_another_call_is_named),
                                       cmocka_unit_test(through_messages),
                                       cmocka_unit_test(few_messages),
                                       cmocka_unit_test(grown),
                                       cmocka_unit_test(attached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
