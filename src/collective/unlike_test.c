/*
 * Between nodes: one member names another size than the rest, so that it may be in another
 * algorithm, waiting or begun. All come to an end, and somebody with an error line about the sizes.
 */
#include "collective/members_test.h"
#include "core/error.h"
#include "message/internal.h"

#include <stdio.h>
#include <unistd.h>

typedef enum task {
    BROADCAST,
    SUM,
    SUM_TO_ONE,
    COLLECT,
    IBROADCAST,
    ISUM,
    ISUM_TO_ONE,
    ICOLLECT,
    TASKS
} task;

typedef struct mix {
    task task;
    int nodes, odd;
    size_t bytes, odd_bytes;
    atomic_int unlike; /* members that got OB_ESIZE */
} mix;

static int call(ob_group *g, task task, char *a, size_t bytes)
{
    ob_view v = ob_view_vector(a, bytes / 8, OB_DOUBLE);
    ob_pieces pieces = {.base = a, .type = OB_BYTE, .count = bytes / (size_t)g->size};
    ob_request *r;
    switch (task) {
    case BROADCAST: return ob_broadcast(g, 0, &v, NULL);
    case SUM: return ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
    case SUM_TO_ONE: return ob_combine(g, 1, OB_SUM, &v, NULL, 0, NULL);
    case COLLECT: return ob_collect(g, &pieces, NULL);
    case IBROADCAST: OK(ob_ibroadcast(g, 0, &v, NULL, &r)); break;
    case ISUM: OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r)); break;
    case ISUM_TO_ONE: OK(ob_icombine(g, 1, OB_SUM, &v, NULL, 0, NULL, &r)); break;
    default: OK(ob_icollect(g, &pieces, NULL, &r));
    }
    return ob_wait(&r, NULL);
}

static void body(ob_group *g, void *shared)
{
    mix *m = shared;
    ob_group *of_nodes = on_nodes(g, m->nodes, false);
    size_t bytes = g->me == m->odd ? m->odd_bytes : m->bytes;
    char *a = calloc(bytes + 1, 1);
    assert_non_null(a);
    int status = call(of_nodes, m->task, a, bytes);
    if (status == OB_ESIZE)
        m->unlike++;
    else
        assert_int_equal(status, OB_OK);
    ob_barrier(g);
    ob_group_free(of_nodes);
    free(a);
}

static void one_mix(task task, int members, int nodes, int odd, size_t bytes, size_t odd_bytes)
{
    mix m = {.task = task, .nodes = nodes, .odd = odd, .bytes = bytes, .odd_bytes = odd_bytes};
    run_members(members, body, &m);
    if (m.unlike == 0)
        printf("task %d, %d members on %d nodes, member %d: nobody found out\n", (int)task, members,
               nodes, odd);
    assert_true(m.unlike > 0);
}

static void test_sizes(void **state)
{
    static const int shapes[][2] = {{4, 4}, {6, 3}};
    static const size_t sizes[][2] = {{96, 240000}, {104000, 30000}, {8000, 960000}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes && shapes[s][0] <= TEST_MEMBERS; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int t = 0; t < TASKS; t++)
                for (int odd = 0; odd < shapes[s][0]; odd += shapes[s][0] - 1)
                    one_mix((task)t, shapes[s][0], shapes[s][1], odd, sizes[k][0], sizes[k][1]);
}

/* On one node a member that is out of a begun combine to one, though it named another size: the
 * root's word that it has failed reaches who waits for that member. Right calls behind it go well.
 */
static void short_of_one(ob_group *g, void *shared)
{
    enum { LONG = 8192, SHORT = 56 };
    double a[LONG / sizeof(double)] = {0};
    (void)shared;
    call(g, ISUM_TO_ONE, (char *)a, g->me == 2 ? SHORT : LONG); /* its end is what counts */
    ob_barrier(g);
    for (size_t i = 0; i < LONG / sizeof *a; i++)
        a[i] = 1;
    OK(call(g, ISUM_TO_ONE, (char *)a, LONG));
    assert_true(g->me != 1 || a[5] == g->size);
}

static void test_begun_on_one_node(void **state)
{
    (void)state;
    for (int members = 3; members <= TEST_MEMBERS; members++)
        run_members(members, short_of_one, NULL);
}

/* Right calls: the one whose number in messages is that of the first, for which a member waited so
 * long that it told all, has other sizes, and another one is late. */
enum { LATE_US = 600000, LATER_US = 900000 };

static void broadcasts(ob_group *g, void *shared)
{
    (void)shared;
    ob_group *n = on_nodes(g, g->size, false);
    double a[2] = {0};
    ob_view one = ob_view_vector(a, 1, OB_DOUBLE), two = ob_view_vector(a, 2, OB_DOUBLE);
    if (g->me == 0)
        usleep(LATE_US);
    for (int k = 0; k < OB_CALL_NUMBERS; k++)
        OK(ob_broadcast(n, 0, &one, NULL));
    if (g->me == 2)
        usleep(LATER_US);
    OK(ob_broadcast(n, 2, &two, NULL));
    ob_barrier(g);
    ob_group_free(n);
}

/* One member is ahead of the root by so many calls, while the root waits for another one. */
static void sums_to_one(ob_group *g, void *shared)
{
    (void)shared;
    ob_group *n = on_nodes(g, g->size, false);
    double a[2] = {0};
    ob_view one = ob_view_vector(a, 1, OB_DOUBLE), two = ob_view_vector(a, 2, OB_DOUBLE);
    if (g->me == 2)
        usleep(LATER_US);
    for (int k = 0; k < OB_CALL_NUMBERS + 9; k++)
        OK(ob_combine(n, 1, OB_SUM, k < OB_CALL_NUMBERS ? &one : &two, NULL, 0, NULL));
    ob_barrier(g);
    ob_group_free(n);
}

static void test_numbers_come_again(void **state)
{
    (void)state;
    run_members(3, broadcasts, NULL);
    run_members(3, sums_to_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_begun_on_one_node),
                                       cmocka_unit_test(test_numbers_come_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
