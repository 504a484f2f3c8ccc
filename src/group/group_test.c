/*
 * Groups and their context numbers: agreed on without a message, never used
 * twice, kept apart by stream, and free of charge however many there were.
 */
#include <malloc.h>
#include <sys/resource.h>

#include "core/group.h"
#include "node/thread_team.h"
#include "unit.h"

static team t;

static int close_team(void **unused)
{
    team_close(&t);
    return 0;
}

static int open_team(void **unused)
{
    team_open(&t, 4, 16 << 20, NULL);
    return 0;
}

static uint64_t next_context(int process, const int *list, int size)
{
    ob_group *g;
    assert_int_equal(ob_group_create(t.job[process], list, size, &g), OB_OK);
    uint64_t context = g->context;
    ob_group_free(g);
    return context;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* All members count alike, whatever else each of them makes in between. */
static void test_members_agree(void **unused)
{
    static const int all[] = {0, 1, 2, 3}, turned[] = {1, 2, 3, 0}, pair[] = {2, 1};
    uint64_t seen[400];
    size_t used = 0;
    for (int k = 0; k < 100; k++) {
        uint64_t c[4], d[4];
        for (int p = 0; p < 4; p++) {
            const int self[] = {p};
            for (int extra = 0; extra < p; extra++)
                next_context(p, self, 1);
            if ((p == 0 || p == 3) && k % 2) {
                d[p] = next_context(p, turned, 4);
                c[p] = next_context(p, all, 4);
            } else {
                c[p] = next_context(p, all, 4);
                d[p] = next_context(p, turned, 4);
            }
        }
        for (int p = 1; p < 4; p++) {
            assert_true(c[p] == c[0]);
            assert_true(d[p] == d[0]);
        }
        seen[used++] = c[0];
        seen[used++] = d[0];
        uint64_t one = next_context(1, pair, 2), two = next_context(2, pair, 2);
        assert_true(one == two);
        seen[used++] = one;
    }
    qsort(seen, used, sizeof *seen, by_value);
    for (size_t i = 1; i < used; i++)
        assert_true(seen[i - 1] != seen[i]);
}

/* Lists that are alike but for the order, the length or one member. */
static void test_lists_differ(void **unused)
{
    static const int lists[][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3},
                                   {3, 2, 1, 0}, {0, 1, 2, 0}, {0, 1, 3, 0},
                                   {0, 2, 0, 0}, {2, 0, 0, 0}, {0, 0, 0, 0}};
    static const int sizes[] = {4, 4, 4, 4, 3, 3, 2, 2, 1};
    uint64_t seen[9 * 50];
    for (size_t l = 0; l < 9; l++)
        for (size_t k = 0; k < 50; k++)
            seen[l * 50 + k] = next_context(0, lists[l], sizes[l]);
    qsort(seen, 9 * 50, sizeof *seen, by_value);
    for (size_t i = 1; i < 9 * 50; i++)
        assert_true(seen[i - 1] != seen[i]);
}

/* Where the C library does not tell, the most that this process ever had. */
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2
#endif
#endif
#ifdef HAS_MALLINFO2
enum { HEAP_SLACK = 16384 };

static size_t heap_in_use(void)
{
    return mallinfo2().uordblks;
}
#else
enum { HEAP_SLACK = 1 << 20 };

static size_t heap_in_use(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (size_t)used.ru_maxrss * 1024;
}
#endif

/* 100 000 groups, made and freed, of one list and of many. */
static void test_memory_stays_flat(void **unused)
{
    int list[4] = {0, 1, 2, 3};
    next_context(0, list, 4);
    size_t before = heap_in_use();
    for (int k = 0; k < 100000; k++) {
        if (k % 7 == 0) {
            int swap = list[1 + k % 3];
            list[1 + k % 3] = list[1];
            list[1] = swap;
        }
        next_context(0, list, 4);
    }
    assert_true(heap_in_use() <= before + HEAP_SLACK);
    assert_int_equal(atomic_load(&t.job[0]->groups), 0);
}

static void test_positions(void **unused)
{
    static const int list[] = {2, 0, 3};
    ob_group *g;
    assert_int_equal(ob_group_create(t.job[3], list, 3, &g), OB_OK);
    assert_int_equal(ob_group_size(g), 3);
    assert_int_equal(ob_group_me(g), 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ob_group_number(g, i), list[i]);
    assert_int_equal(atomic_load(&t.job[3]->groups), 1);
    ob_group_free(g);
    assert_int_equal(atomic_load(&t.job[3]->groups), 0);
    ob_group_free(NULL);
}

static void expect_refused(const int *list, int size, const char *line)
{
    ob_group *g = NULL;
    assert_int_equal(ob_group_create(t.job[1], list, size, &g), OB_EARG);
    assert_string_equal(ob_error_text(), line);
}

static void test_bad_lists(void **unused)
{
    static const int outside[] = {1, 4}, negative[] = {-1, 1}, not_me[] = {0, 2},
                     me_twice[] = {1, 0, 1}, other_twice[] = {1, 2, 0, 2};
    ob_group *g;
    expect_refused(outside, 2, "ob_group_create: process 4 is outside the job of 4 [OB-1009]");
    expect_refused(negative, 2, "ob_group_create: process -1 is outside the job of 4 [OB-1009]");
    expect_refused(not_me, 2,
                   "ob_group_create: the calling process 1 is not in the list [OB-1015]");
    expect_refused(me_twice, 3, "ob_group_create: process 1 is named twice [OB-1014]");
    expect_refused(other_twice, 4, "ob_group_create: process 2 is named twice [OB-1014]");
    expect_refused(outside, 0, "ob_group_create: needs a job and at least one process [OB-1001]");
    expect_refused(NULL, 1, "ob_group_create: needs a job and at least one process [OB-1001]");
    assert_int_equal(ob_group_create(NULL, me_twice, 1, &g), OB_EARG);
    assert_int_equal(atomic_load(&t.job[1]->groups), 0);
}

/* ------------------------------------------------------------------- parts */

static int send_one(ob_group *g, int to, double value)
{
    ob_view v = {.base = &value, .m = 1, .n = 1, .ld = 1, .type = OB_DOUBLE};
    return ob_send(g, to, 0, &v);
}

static double recv_one(ob_group *g, int from)
{
    double value = -1;
    ob_view v = {.base = &value, .m = 1, .n = 1, .ld = 1, .type = OB_DOUBLE};
    if (ob_recv(g, from, 0, &v, NULL) != OB_OK)
        fail_msg("%s", ob_error_text());
    return value;
}

/* The group and its streams do not see each other's messages, whatever the
 * order of receiving. */
static void test_streams_are_apart(void **unused)
{
    static const int both[] = {1, 0};
    ob_group *g[2], *part[2][3];
    static const int stream[] = {1, 2, 255};
    g[0] = team_group(&t, 0);
    g[1] = team_group(&t, 1);
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < 3; s++)
            assert_int_equal(ob_group_part(g[p], stream[s], both, 2, &part[p][s]), OB_OK);
    assert_int_equal(ob_group_me(part[0][0]), 1);
    assert_int_equal(ob_group_number(part[0][0], 0), 1);
    assert_int_equal(send_one(g[0], 1, 9), OB_OK);
    for (int s = 0; s < 3; s++)
        assert_int_equal(send_one(part[0][s], 0, s), OB_OK);
    for (int s = 2; s >= 0; s--)
        assert_true(recv_one(part[1][s], 1) == s);
    assert_true(recv_one(g[1], 0) == 9);
    for (int p = 0; p < 2; p++) {
        for (int s = 0; s < 3; s++)
            ob_group_free(part[p][s]);
        ob_group_free(g[p]);
        assert_int_equal(atomic_load(&t.job[p]->groups), 0);
    }
}

static void expect_part_refused(ob_group *g, int stream, const int *list, int size,
                                const char *line)
{
    ob_group *part;
    assert_int_equal(ob_group_part(g, stream, list, size, &part), OB_EARG);
    assert_string_equal(ob_error_text(), line);
}

static void test_bad_parts(void **unused)
{
    static const int fine[] = {0, 2}, outside[] = {0, 4}, not_me[] = {1, 2}, twice[] = {0, 2, 2},
                     me_twice[] = {0, 0};
    ob_group *g = team_group(&t, 0);
    expect_part_refused(g, 0, fine, 2, "ob_group_part: stream 0 is outside 1 .. 255 [OB-1028]");
    expect_part_refused(g, 256, fine, 2, "ob_group_part: stream 256 is outside 1 .. 255 [OB-1028]");
    expect_part_refused(g, 1, outside, 2,
                        "ob_group_part: position 4 is outside the group of 4 [OB-1009]");
    expect_part_refused(g, 1, not_me, 2,
                        "ob_group_part: the calling process is not in the list [OB-1015]");
    expect_part_refused(g, 1, twice, 3, "ob_group_part: position 2 is named twice [OB-1014]");
    expect_part_refused(g, 1, me_twice, 2, "ob_group_part: position 0 is named twice [OB-1014]");
    expect_part_refused(g, 1, fine, 0,
                        "ob_group_part: needs a group and at least one member [OB-1001]");
    expect_part_refused(NULL, 1, fine, 2,
                        "ob_group_part: needs a group and at least one member [OB-1001]");
    ob_group_free(g);
}

/* A part of a part in the parent's own stream would see its messages. */
static void test_part_of_a_part(void **unused)
{
    static const int both[] = {0, 1}, one[] = {0};
    ob_group *g = team_group(&t, 0), *row, *corner;
    assert_int_equal(ob_group_part(g, 3, both, 2, &row), OB_OK);
    assert_int_equal(ob_group_part(row, 4, one, 1, &corner), OB_OK);
    assert_int_equal(ob_group_number(corner, 0), 0);
    expect_part_refused(row, 3, one, 1, "ob_group_part: stream 3 is the parent's own [OB-1028]");
    ob_group_free(corner);
    ob_group_free(row);
    ob_group_free(g);
}

/* Threads make groups of different lists at the same time. */
static void *make_groups(void *p)
{
    int mine = (int)(intptr_t)p;
    const int list[] = {0, mine};
    for (int k = 0; k < 2000; k++) {
        ob_group *g = NULL;
        OK(ob_group_create(t.job[0], list, 2, &g));
        TEAM_CHECK(ob_group_number(g, 1) == mine, "%d", ob_group_number(g, 1));
        ob_group_free(g);
    }
    return NULL;
}

static void test_threads(void **unused)
{
    pthread_t thread[3];
    for (intptr_t k = 0; k < 3; k++)
        pthread_create(&thread[k], NULL, make_groups, (void *)(k + 1));
    for (int k = 0; k < 3; k++)
        pthread_join(thread[k], NULL);
    assert_int_equal(atomic_load(&team_failures), 0);
    for (int k = 1; k < 4; k++) {
        const int list[] = {0, k};
        uint64_t here = next_context(0, list, 2), there = 0;
        for (int i = 0; i < 2001; i++)
            there = next_context(k, list, 2);
        assert_true(here == there);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_members_agree, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_lists_differ, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_memory_stays_flat, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_positions, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_bad_lists, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_streams_are_apart, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_bad_parts, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_part_of_a_part, open_team, close_team),
        cmocka_unit_test_setup_teardown(test_threads, open_team, close_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
