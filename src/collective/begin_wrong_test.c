/*
 * Collective calls that do not wait, where something goes wrong: members that end or name other
 * sizes, groups that are freed before the end, wrong arguments. Members are threads over one shared
 * memory.
 */
#include "collective/members_test.h"

static atomic_int refused;

static void expect(int status, int wanted, const char *part)
{
    TEAM_CHECK(status == wanted, "status %d: %s", status, ob_error_text());
    TEAM_CHECK(strstr(ob_error_text(), part) != NULL, "'%s' is not in '%s'", part, ob_error_text());
}

static atomic_int told; /* members that have heard of it */

typedef struct ending {
    bool by_asking;
    size_t n; /* doubles */
} ending;

/* Member 1 ends without taking part. All others are told, also those that hear of it from others
 * alone. */
static void one_ends(team *t, int me)
{
    const ending *e = t->user;
    ob_group *g = team_group(t, me);
    double a[20000] = {1};
    ob_view v = ob_view_vector(a, e->n, OB_DOUBLE);
    ob_request *r[2];
    OK(ob_barrier(g));
    if (me == 1) {
        team_sleep_us(2000);
        ob_segments_mark_gone(&t->memory, 1);
        while (atomic_load(&told) <
               ob_group_size(g) - 1) /* what it has is freed when all are done */
            team_sleep_us(1000);
        ob_group_free(g);
        return;
    }
    OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r[0]));
    OK(ob_ibarrier(g, &r[1]));
    for (int k = 1; k >= 0; k--) {
        int status = OB_OK, done = 0;
        if (e->by_asking)
            while (status == OB_OK && !done)
                status = ob_test(&r[k], &done, NULL);
        else
            status = ob_wait(&r[k], NULL);
        TEAM_CHECK(status == OB_EGONE, "status %d: %s", status, ob_error_text());
        TEAM_CHECK(r[k] == NULL, "the request is still there");
    }
    TEAM_CHECK(atomic_load(&t->job[me]->pending) == 0, "pending");
    ob_group_free(g);
    atomic_fetch_add(&told, 1);
}

static void test_a_member_that_ends(void **state)
{
    (void)state;
    static const char scheme[] = "combine-all=combine5@1:tree+broadcast5@1:chain3";
    const ob_settings set = {.spin_us = -1, .plan = scheme};
    ending e;
    for (int count = 2; count <= 5; count++)
        for (int k = 0; k < 4; k++) {
            e = (ending){k % 2, k / 2 ? 20000 : 600};
            atomic_store(&told, 0);
            assert_int_equal(team_try(count, 64 << 20, NULL, one_ends, &e), 0);
        }
    e = (ending){true, 600};
    atomic_store(&told, 0);
    assert_int_equal(team_try(5, 64 << 20, &set, one_ends, &e), 0);
}

/* Sizes that differ are found by one member at least, and all fail. */
static void other_sizes(ob_group *g, void *unused)
{
    (void)unused;
    static const size_t pairs[][2] = {{10, 11}, {10, 3000}, {128, 512}, {4000, 4001}, {5000, 9000}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        size_t n = pairs[k][g->me == g->size - 1];
        double *a = calloc(n, sizeof *a);
        ob_view v = ob_view_vector(a, n, OB_DOUBLE);
        ob_request *r;
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
        expect(ob_wait(&r, NULL), OB_ESIZE, "process");
        free(a);
    }
    double a[2] = {0};
    ob_view v = ob_view_vector(a, g->me == g->size - 1 ? 2 : 1, OB_DOUBLE);
    ob_request *r;
    OK(ob_ibroadcast(g, 0, &v, NULL, &r));
    int status = ob_wait(&r, NULL);
    TEAM_CHECK(status == (g->me == g->size - 1 ? OB_ESIZE : OB_OK), "%s", ob_error_text());
    OK(ob_barrier(g));
    /* Other operations, which short ones find out. */
    OK(ob_icombine(g, OB_ANY, g->me ? OB_SUM : OB_MAX, &v, NULL, 0, NULL, &r));
    expect(ob_wait(&r, NULL), OB_ESIZE, "process");
}

static void test_sizes_that_differ(void **state)
{
    (void)state;
    for (int count = 2; count <= 4; count++)
        run_members(count, other_sizes, NULL);
}

/* Within 20 s. */
static bool ends(ob_request **r, int *status)
{
    int done = 0;
    for (int ms = 0; ms < 20000 && !done; ms++) {
        *status = ob_test(r, &done, NULL);
        if (!done)
            team_sleep_us(1000);
    }
    return done;
}

/* A broadcast over nodes, of which a member names other bytes: it, or those who wait for it, are
 * told, and all come to an end, whatever way so many bytes would take. */
typedef struct odd {
    int nodes, member;
    size_t bytes, others;
} odd;

static void one_is_odd(ob_group *g, void *shared)
{
    const odd *o = shared;
    int status = OB_OK;
    ob_group *n = on_nodes(g, o->nodes, false);
    size_t bytes = g->me == o->member ? o->bytes : o->others;
    char *a = calloc(bytes, 1);
    ob_view v = ob_view_of_bytes(a, bytes);
    ob_request *r;
    OK(ob_ibroadcast(n, 0, &v, NULL, &r));
    bool done = ends(&r, &status);
    TEAM_CHECK(done, "member %d of %d nodes waits: %zu bytes of member %d, %zu of others", g->me,
               o->nodes, o->bytes, o->member, o->others);
    if (g->me == o->member && o->member)
        TEAM_CHECK(status == OB_ESIZE, "status %d: %s", status, ob_error_text());
    ob_barrier(g);
    ob_group_free(n);
    if (!done)
        ob_wait(&r, NULL);
    free(a);
}

static void test_sizes_that_differ_over_nodes(void **state)
{
    (void)state;
    static const size_t pairs[][2] = {{100, 250000},    {250000, 100},    {30000, 100000},
                                      {100000, 30000},  {100000, 200000}, {200000, 100000},
                                      {250000, 250008}, {70000, 900000}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int nodes = 2; nodes < 6; nodes++)
            for (int member = 0; member < nodes + 1; member += 1 + (member > 1))
                run_members(nodes + 1, one_is_odd, &(odd){nodes, member, pairs[k][0], pairs[k][1]});
}

/* A combine to one root, on one node or several, of which a member that is no root names another
 * length, so that it goes another way: it may be out of the call with its first message, or wait
 * where the others are not. All come to an end, the root hears of it, and the next call is right.
 */
typedef struct odd_combine {
    int nodes, root, member;
    size_t n, others; /* doubles */
} odd_combine;

static void one_is_odd_in_a_combine(ob_group *g, void *shared)
{
    const odd_combine *o = shared;
    ob_group *n = on_nodes(g, o->nodes, false);
    n->one_node = o->nodes == 1;
    size_t mine = g->me == o->member ? o->n : o->others;
    double *a = calloc(mine, sizeof *a), one[3] = {1, 2, 3};
    ob_view v = ob_view_vector(a, mine, OB_DOUBLE), w = ob_view_vector(one, 3, OB_DOUBLE);
    ob_request *r, *next = NULL;
    int status = OB_OK;
    OK(ob_icombine(n, o->root, OB_SUM, &v, NULL, 0, NULL, &r));
    bool ended = ends(&r, &status);
    TEAM_CHECK(ended, "member %d of %d on %d nodes waits: %zu of member %d, %zu of others", g->me,
               g->size, o->nodes, o->n, o->member, o->others);
    TEAM_CHECK(status == OB_OK || status == OB_ESIZE, "status %d: %s", status, ob_error_text());
    TEAM_CHECK(g->me != o->root || status == OB_ESIZE, "the root: status %d", status);
    if (ended) {
        OK(ob_icombine(n, OB_ANY, OB_SUM, &w, NULL, 0, NULL, &next));
        TEAM_CHECK(ends(&next, &status) && status == OB_OK, "the next call: %s", ob_error_text());
        TEAM_CHECK(one[0] == g->size && one[2] == 3 * g->size, "%g %g", one[0], one[2]);
    }
    ob_barrier(g);
    ob_group_free(n);
    ob_wait(&r, NULL);
    ob_wait(&next, NULL);
    free(a);
}

static void test_sizes_that_differ_in_combines_to_one(void **state)
{
    (void)state;
    static const size_t pairs[][2] = {{7, 1024}, {1024, 7}, {7, 100000}, {4096, 7}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int count = 3; count <= 4; count++)
            for (int nodes = 1; nodes < count; nodes++)
                for (int step = 1; step < count; step++) {
                    int root = (int)k % count;
                    run_members(count, one_is_odd_in_a_combine,
                                &(odd_combine){nodes, root, (root + step) % count, pairs[k][0],
                                               pairs[k][1]});
                }
}

/* What is prepared and has failed is not begun again. */
static void failed_before(ob_group *g, void *unused)
{
    (void)unused;
    double a[2] = {0};
    ob_view v = ob_view_vector(a, g->me ? 2 : 1, OB_DOUBLE);
    ob_prepared *p;
    ob_request *r;
    OK(ob_prepare_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &p));
    OK(ob_begin(p, &r));
    expect(ob_wait(&r, NULL), OB_ESIZE, "process");
    expect(ob_begin(p, &r), OB_ESTATE, "has failed");
    ob_prepared_free(p);
}

static void test_what_has_failed_is_not_begun_again(void **state)
{
    (void)state;
    run_members(2, failed_before, NULL);
}

/* The group goes before the end. */
static void freed_before(team *t, int me)
{
    ob_group *g = team_group(t, me), *all = team_group(t, me);
    double a[100] = {0};
    ob_view v = ob_view_vector(a, 100, OB_DOUBLE);
    ob_request *r = NULL;
    if (me == 0)
        OK(ob_icombine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL, &r));
    ob_group_free(g);
    if (me == 0) {
        expect(ob_wait(&r, NULL), OB_ESTATE, "freed the group");
        TEAM_CHECK(r == NULL, "the request is still there");
    }
    OK(ob_barrier(all));
    TEAM_CHECK(atomic_load(&t->job[me]->courses) == 0, "under way");
    ob_group_free(all);
}

static void test_a_group_freed_before_the_end(void **state)
{
    (void)state;
    assert_int_equal(team_try(3, 64 << 20, NULL, freed_before, NULL), 0);
}

static void wrong_arguments(ob_group *g, void *unused)
{
    (void)unused;
    double a[4] = {0};
    ob_view v = ob_view_vector(a, 4, OB_DOUBLE), bytes = ob_view_vector(a, 4, OB_BYTE);
    ob_view low = {.base = a, .m = 4, .n = 1, .ld = 2, .type = OB_DOUBLE};
    ob_pieces p = {.base = a, .type = OB_DOUBLE, .count = 1}, q = p;
    const ob_route tree = {.topology = OB_TOP_TREE};
    const ob_operation none = {0};
    ob_request *r = NULL;
    ob_prepared *f = NULL;
    int owner[4];
    expect(ob_ibroadcast(NULL, 0, &v, NULL, &r), OB_EARG, "ob_ibroadcast");
    expect(ob_ibroadcast(g, 0, &v, NULL, NULL), OB_EARG, "ob_ibroadcast");
    expect(ob_ibroadcast(g, 9, &v, NULL, &r), OB_EARG, "root");
    expect(ob_ibroadcast(g, OB_ANY, &v, NULL, &r), OB_EARG, "root");
    expect(ob_ibroadcast(g, 0, NULL, NULL, &r), OB_EARG, "matrix");
    expect(ob_ibroadcast(g, 0, &low, NULL, &r), OB_EARG, "leading dimension");
    expect(ob_ibroadcast(g, 0, &v, &tree, &r), OB_EARG, "branches");
    expect(ob_icombine(g, 9, OB_SUM, &v, NULL, 0, NULL, &r), OB_EARG, "ob_icombine");
    expect(ob_icombine(g, 0, (ob_op)9, &v, NULL, 0, NULL, &r), OB_EARG, "op");
    expect(ob_icombine(g, 0, OB_SUM, &bytes, NULL, 0, NULL, &r), OB_EARG, "bytes");
    expect(ob_icombine(g, 0, OB_SUM, &v, owner, 4, NULL, &r), OB_EARG, "ob_icombine");
    expect(ob_icombine(g, 0, OB_MAX, &v, owner, 1, NULL, &r), OB_EARG, "ld_owner");
    expect(ob_icombine_by(g, 0, &none, &v, NULL, &r), OB_EARG, "ob_icombine_by");
    expect(ob_icollect(g, NULL, NULL, &r), OB_EARG, "pieces");
    expect(ob_iexchange(g, &p, NULL, &r), OB_EARG, "pieces");
    q.count = 2;
    expect(ob_iexchange(g, &p, &q, &r), OB_ESIZE, "own piece");
    p.base = NULL;
    expect(ob_icollect(g, &p, NULL, &r), OB_EARG, "no address");
    expect(ob_ibarrier(g, NULL), OB_EARG, "ob_ibarrier");
    expect(ob_prepare_barrier(NULL, &f), OB_EARG, "ob_prepare_barrier");
    expect(ob_prepare_collect(g, NULL, NULL, &f), OB_EARG, "ob_prepare_collect");
    expect(ob_begin(NULL, &r), OB_EARG, "ob_begin");
    TEAM_CHECK(r == NULL && f == NULL, "something was begun");
    atomic_fetch_add(&refused, 1);
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    run_members(2, wrong_arguments, NULL);
    assert_int_equal(atomic_load(&refused), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_member_that_ends),
        cmocka_unit_test(test_sizes_that_differ),
        cmocka_unit_test(test_sizes_that_differ_over_nodes),
        cmocka_unit_test(test_sizes_that_differ_in_combines_to_one),
        cmocka_unit_test(test_what_has_failed_is_not_begun_again),
        cmocka_unit_test(test_a_group_freed_before_the_end),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
