/*
 * Broadcast and barrier among threads on shared memory: every topology, root,
 * type and shape, and what happens when the arguments or sizes are wrong.
 */
#include "collective/data/piece.h"
#include "collective/members_test.h"
#include "collective/scheme/run.h"
#include "collective/topology/topology.h"
#include "core/view.h"

/* So many bytes at a time are written and compared: columns are other ones. */
enum { MOST = TEST_MEMBERS, SOME = 61 };

/* Those of n bytes that the members should hold after a broadcast, from the k-th on. */
static void bytes_at(unsigned seed, size_t k, size_t n, unsigned char *bytes)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(((k + i) * 2654435761u + seed) >> 7);
}

static size_t some_of(const ob_cursor *c)
{
    return c->left < SOME ? c->left : SOME;
}

typedef struct layout {
    size_t m, n, ld;
    ob_shape shape;
    int unit;
} layout;

static const layout layouts[] = {
    {5, 7, 5, OB_GENERAL, 0}, {5, 7, 9, OB_GENERAL, 0}, {6, 4, 8, OB_UPPER, 0},
    {4, 6, 4, OB_UPPER, 1},   {4, 6, 5, OB_LOWER, 0},   {6, 4, 7, OB_LOWER, 1},
    {0, 3, 1, OB_GENERAL, 0}, {3, 0, 3, OB_GENERAL, 0}, {200, 150, 210, OB_GENERAL, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static ob_view view_of(const layout *l, ob_type type, void *base)
{
    return (ob_view){base, l->m, l->n, l->ld, type, l->shape, l->unit};
}

static void fill(const ob_view *v, unsigned seed)
{
    ob_cursor c;
    unsigned char bytes[SOME];
    ob_cursor_open(&c, v);
    for (size_t k = 0, n; c.left; k += n) {
        n = some_of(&c);
        bytes_at(seed, k, n, bytes);
        ob_cursor_unpack(&c, bytes, n);
    }
}

static int right(const ob_view *v, unsigned seed)
{
    ob_cursor c;
    unsigned char bytes[SOME], want[SOME];
    ob_cursor_open(&c, v);
    for (size_t k = 0, n; c.left; k += n) {
        n = some_of(&c);
        bytes_at(seed, k, n, want);
        ob_cursor_pack(&c, bytes, n);
        if (memcmp(bytes, want, n) != 0)
            return 0;
    }
    return 1;
}

/* Is everything outside the view as it was? What is within is lost. */
static int outside_kept(const ob_view *v, const unsigned char *memory, size_t bytes)
{
    unsigned char nothing[SOME];
    memset(nothing, 0xee, SOME);
    ob_cursor c;
    ob_cursor_open(&c, v);
    while (c.left)
        ob_cursor_unpack(&c, nothing, some_of(&c));
    return memory[0] == 0xee && memcmp(memory, memory + 1, bytes - 1) == 0;
}

static void one_broadcast(ob_group *g, int root, const layout *l, ob_type type,
                          const ob_route *route, unsigned seed)
{
    size_t bytes = (l->ld * l->n + 1) * ob_type_bytes(type);
    unsigned char *memory = malloc(bytes);
    ob_view v = view_of(l, type, memory);
    memset(memory, 0xee, bytes);
    if (ob_group_me(g) == root)
        fill(&v, seed);
    int status = ob_broadcast(g, root, &v, route);
    OK(status);
    TEAM_CHECK(right(&v, seed), "member %d of %d, root %d, topology %d", ob_group_me(g),
               ob_group_size(g), root, (int)route->topology);
    TEAM_CHECK(outside_kept(&v, memory, bytes), "member %d wrote outside its matrix",
               ob_group_me(g));
    free(memory);
}

static void all_broadcasts(ob_group *g, void *shared)
{
    (void)shared;
    unsigned seed = 1;
    ob_route route;
    for (int root = 0; root < ob_group_size(g); root++)
        for (int r = 0; test_route(r, &route); r++)
            for (int i = 0; i < 4; i++, seed++)
                one_broadcast(g, root, &layouts[seed % LAYOUTS], (ob_type)(seed % OB_TYPES), &route,
                              seed);
    for (int i = 0, r = 0; i < LAYOUTS * OB_TYPES; i++) {
        if (!test_route(r++, &route))
            test_route(r = 0, &route);
        one_broadcast(g, i % ob_group_size(g), &layouts[i % LAYOUTS], (ob_type)(i / LAYOUTS),
                      &route, (unsigned)i);
    }
}

static void test_broadcasts(void **state)
{
    for (int p = 1; p <= MOST; p++)
        run_members(p, all_broadcasts, NULL);
}

/* LAWN 73, 4.2: M and N may differ as long as M * N does not. */
static void other_shapes(ob_group *g, void *shared)
{
    (void)shared;
    static const layout shapes[] = {
        {6, 4, 10, OB_GENERAL, 0}, {24, 1, 24, OB_GENERAL, 0}, {3, 8, 5, OB_GENERAL, 0}};
    for (int root = 0; root < ob_group_size(g); root++) {
        double memory[64];
        const layout *l = &shapes[(ob_group_me(g) + root) % 3];
        ob_view v = view_of(l, OB_DOUBLE, memory);
        if (ob_group_me(g) == root)
            fill(&v, 9);
        OK(ob_broadcast(g, root, &v, NULL));
        TEAM_CHECK(right(&v, 9), "member %d, root %d", ob_group_me(g), root);
    }
}

static void test_other_shapes(void **state)
{
    run_members(7, other_shapes, NULL);
}

static void large_broadcast(ob_group *g, void *shared)
{
    (void)shared;
    /* 26 and 7 MB, or 11 and 3. */
    static const layout l = {1100, TEAM_RACES ? 600 : 1500, 1200, OB_GENERAL, 0};
    one_broadcast(g, 2, &l, OB_DCOMPLEX, NULL, 5);
    one_broadcast(g, 0, &l, OB_FLOAT, &(ob_route){OB_TOP_RING_UP, 0, 0, 0}, 6);
}

static void test_large(void **state)
{
    run_members(3, large_broadcast, NULL);
}

/* A message sent before a broadcast and received after it stays what it is. */
static void waiting_message(ob_group *g, void *shared)
{
    (void)shared;
    int me = ob_group_me(g), before = 77, x = me == 0 ? 5 : 0;
    ob_view first = {&before, 1, 1, 1, OB_INT, OB_GENERAL, 0};
    ob_view v = {&x, 1, 1, 1, OB_INT, OB_GENERAL, 0};
    if (me == 0)
        for (int i = 1; i < ob_group_size(g); i++)
            ob_send(g, i, 0, &first);
    else
        before = 0;
    OK(ob_broadcast(g, 0, &v, NULL));
    TEAM_CHECK(x == 5, "broadcast gave %d", x);
    if (me != 0)
        OK(ob_recv(g, 0, 0, &first, NULL));
    TEAM_CHECK(before == 77, "message gave %d", before);
}

static void test_waiting_message(void **state)
{
    run_members(4, waiting_message, NULL);
}

static void wrong_size(ob_group *g, void *shared)
{
    (void)shared;
    double memory[16] = {0};
    size_t m = ob_group_me(g) == 1 ? 9 : 8;
    ob_view v = {memory, m, 1, m, OB_DOUBLE, OB_GENERAL, 0};
    int status = ob_broadcast(g, 0, &v, NULL);
    TEAM_CHECK(status == (ob_group_me(g) == 1 ? OB_ESIZE : OB_OK), "status %d", status);
}

static void test_wrong_size(void **state)
{
    run_members(2, wrong_size, NULL);
}

static void expect_bad(int status, const char *word)
{
    TEAM_CHECK(status == OB_EARG, "status %d", status);
    TEAM_CHECK(strstr(ob_error_text(), word), "'%s' does not say '%s'", ob_error_text(), word);
}

static void bad_arguments(ob_group *g, void *shared)
{
    (void)shared;
    double x = 0;
    ob_view v = {&x, 1, 1, 1, OB_DOUBLE, OB_GENERAL, 0}, bad = v;
    expect_bad(ob_broadcast(NULL, 0, &v, NULL), "group");
    expect_bad(ob_broadcast(g, 3, &v, NULL), "root) is 3");
    expect_bad(ob_broadcast(g, OB_ANY, &v, NULL), "root) is -1");
    expect_bad(ob_broadcast(g, 0, NULL, NULL), "matrix");
    expect_bad(ob_broadcast(g, 0, &v, &(ob_route){(ob_topology)99, 0, 0, 0}), "topology 99");
    expect_bad(ob_broadcast(g, 0, &v, &(ob_route){OB_TOP_TREE, 0, 0, 0}), "0 branches");
    expect_bad(ob_broadcast(g, 0, &v, &(ob_route){OB_TOP_MULTIRING, 0, 0, 0}), "0 rings");
    bad.type = OB_TYPES;
    expect_bad(ob_broadcast(g, 0, &bad, NULL), "type 7");
    bad = v;
    bad.m = 2;
    expect_bad(ob_broadcast(g, 0, &bad, NULL), "leading dimension");
    bad = v;
    bad.base = NULL;
    expect_bad(ob_broadcast(g, 0, &bad, NULL), "NULL");
    bad = v;
    bad.n = SIZE_MAX / 2;
    expect_bad(ob_broadcast(g, 0, &bad, NULL), "so many elements");
    expect_bad(ob_combine(g, 3, OB_SUM, &v, NULL, 0, NULL), "root) is 3");
    expect_bad(ob_combine(g, 0, (ob_op)5, &v, NULL, 0, NULL), "op) is 5");
    int owner;
    expect_bad(ob_combine(g, 0, OB_SUM, &v, &owner, 1, NULL), "owner");
    expect_bad(ob_combine(g, 0, OB_MAX_ABS, &v, &owner, 0, NULL), "ld_owner");
    bad = v;
    bad.type = OB_BYTE;
    expect_bad(ob_combine(g, 0, OB_MAX_ABS, &bad, NULL, 0, NULL), "byte");
    bad.type = OB_COMPLEX;
    expect_bad(ob_combine(g, 0, OB_MAX, &bad, NULL, 0, NULL), "no order");
    expect_bad(ob_barrier(NULL), "group");
}

static void test_bad_arguments(void **state)
{
    run_members(3, bad_arguments, NULL);
}

static uint64_t messages_sent(ob_job *job)
{
    uint64_t messages, bytes, all = 0;
    for (int i = 0; i < job->count; i++) {
        OK(ob_job_traffic(job, i, &messages, &bytes));
        all += messages;
    }
    return all;
}

/* OPENBLACS_TOPOLOGY=plan: a ring is none, so on one node nothing goes from peer to peer once there
 * is a board. */
static void count_ring(team *t, int me)
{
    bool planned = t->job[me]->set.topology == OB_TOPOLOGY_PLAN;
    ob_group *g = team_group(t, me);
    ob_route ring = {OB_TOP_RING_UP, 0, 0, 0};
    int x = 0, sum = me;
    ob_view v = {&x, 1, 1, 1, OB_INT, OB_GENERAL, 0}, s = {&sum, 1, 1, 1, OB_INT, OB_GENERAL, 0};
    OK(ob_broadcast(g, 0, &v, NULL));
    x = me == 1 ? 77 : 0;
    uint64_t before = messages_sent(t->job[me]);
    OK(ob_broadcast(g, 1, &v, &ring));
    OK(ob_combine(g, 2, OB_SUM, &s, NULL, 0, &ring));
    uint64_t sent = messages_sent(t->job[me]) - before;
    TEAM_CHECK(x == 77, "the broadcast gave %d", x);
    TEAM_CHECK(me != 2 || sum == 0 + 1 + 2 + 3, "the sum is %d", sum);
    TEAM_CHECK(planned ? sent == 0 : sent > 0, "%d messages", (int)sent);
    OK(ob_barrier(g));
    ob_group_free(g);
}

static void test_a_named_topology_counts_unless_plan_is_set(void **state)
{
    for (int choice = OB_TOPOLOGY_NAMED; choice <= OB_TOPOLOGY_PLAN; choice++) {
        ob_settings set = {.spin_us = -1, .topology = choice};
        assert_int_equal(team_try(4, (size_t)64 << 20, &set, count_ring, NULL), 0);
    }
}

typedef struct counter {
    int (*barrier)(ob_group *g);
    atomic_int arrived;
} counter;

static uint64_t messages_from(const ob_group *g)
{
    uint64_t all = 0, messages, bytes;
    for (int i = 0; i < g->size; i++) {
        OK(ob_job_traffic(g->job, g->peer[i]->number, &messages, &bytes));
        all += i == g->me ? 0 : messages;
    }
    return all;
}

static void barriers(ob_group *g, void *shared)
{
    counter *c = shared;
    int p = ob_group_size(g);
    for (int round = 1; round <= 50; round++) {
        atomic_fetch_add(&c->arrived, 1);
        OK(c->barrier(g));
        int seen = atomic_load(&c->arrived);
        TEAM_CHECK(seen >= round * p && seen < (round + 1) * p, "%d of %d arrived", seen,
                   round * p);
    }
}

static void test_barriers(void **state)
{
    for (int p = 1; p <= MOST; p++) {
        run_members(p, barriers, &(counter){.barrier = ob_barrier});
        run_members(p, barriers, &(counter){.barrier = ob_barrier_dissemination});
    }
}

/* A message each round, and log2(p) rounds, rounded up. */
static void disseminate(ob_group *g, void *shared)
{
    OK(ob_barrier(g)); /* opens the board */
    uint64_t rounds = 0, before = messages_from(g);
    while (1 << rounds < g->size)
        rounds++;
    OK(ob_barrier_dissemination(g));
    TEAM_CHECK(messages_from(g) == before + rounds, "%llu messages",
               (unsigned long long)(messages_from(g) - before));
}

static void test_dissemination_takes_as_many_messages_as_rounds(void **state)
{
    for (int p = MOST; p > 0; p--)
        run_members(p, disseminate, NULL);
}

/* Along a chain of nodes the first piece is a short one: a member whose matrix is as long as that
 * finds out, whether it has a node to itself or not. */
static void as_long_as_a_piece(ob_group *g, void *root)
{
    enum { BYTES = 262144 };
    static _Thread_local char x[BYTES];
    ob_group *nodes = on_nodes(g, 2, false);
    const size_t first = ob_piece_short_first(BYTES, ob_piece_most(OB_RUN_EAGER));
    const int odd = g->size - 1;
    const ob_view v = ob_view_of_bytes(x, g->me == odd ? first : BYTES);
    int status = ob_broadcast(nodes, *(int *)root, &v, NULL);
    /* A root learns nothing. */
    TEAM_CHECK(status == OB_ESIZE || (status == OB_OK && (g->me == *(int *)root ||
                                                          (g->me != odd && *(int *)root != odd))),
               "member %d, root %d: %d", g->me, *(int *)root, status);
    ob_group_free(nodes);
}

static void test_a_member_as_long_as_the_first_piece(void **state)
{
    for (int root = 0; root < 3; root++)
        run_members(3, as_long_as_a_piece, &root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_other_shapes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_waiting_message),
        cmocka_unit_test(test_wrong_size),
        cmocka_unit_test(test_a_member_as_long_as_the_first_piece),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_dissemination_takes_as_many_messages_as_rounds),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_a_named_topology_counts_unless_plan_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
