/*
 * Links that messages share, by cases small enough to be followed by hand.
 */
#include "formats.h"
#include "replay.h"
#include "unit.h"

/* Processes 6 and 7 are on one node, the others on one each. */
static obt_trace *trace_of_eight(void)
{
    static char host[] = "host";
    const int64_t number = 7;
    obt_trace *t = obt_trace_new("share");
    for (int p = 0; p < 8; p++) {
        obt_add(t, 0, p, OBT_TRACE_MARK, &number, 1);
        t->processes[p].machine = p < 6 ? p : 6;
        t->processes[p].host = host;
    }
    return t;
}

static const obt_torus at_switch, torus = {2, {2, 4}}, ring = {1, {7}};

/* Messages of 100 on links of their own, and how much later each comes since they share these. */
static void test_shared_links(void **state)
{
    static const struct {
        const obt_torus *joined;
        size_t count;
        struct {
            uint32_t from, to;
            int64_t posted, late;
        } of[4];
    } cases[] = {
        {&at_switch, 1, {{0, 1, 10, 0}}},
        {&at_switch, 2, {{0, 1, 0, 100}, {0, 2, 0, 100}}},                 /* one way out */
        {&at_switch, 2, {{1, 0, 0, 100}, {2, 0, 0, 100}}},                 /* one way in */
        {&at_switch, 2, {{0, 1, 0, 0}, {1, 0, 0, 0}}},                     /* each its own */
        {&at_switch, 2, {{0, 1, 0, 50}, {0, 2, 50, 50}}},                  /* a part of the time */
        {&at_switch, 2, {{0, 1, 0, 0}, {0, 2, 100, 0}}},                   /* none of it */
        {&at_switch, 3, {{0, 1, 0, 200}, {0, 2, 0, 200}, {0, 3, 0, 200}}}, /* three of a third */
        {&at_switch,
         4,
         {{0, 3, 0, 200}, {0, 4, 0, 200}, {0, 5, 0, 200}, {1, 3, 0, 100}}}, /* one of two */
        {&at_switch, 2, {{6, 0, 0, 100}, {7, 1, 0, 100}}},                  /* one node's way out */
        /* On a torus of two rows of four nodes. */
        {&torus, 2, {{0, 1, 0, 0}, {0, 3, 0, 0}}},     /* to either side */
        {&torus, 2, {{0, 1, 0, 0}, {0, 4, 0, 0}}},     /* along rows, and along columns */
        {&torus, 2, {{0, 1, 0, 0}, {1, 0, 0, 0}}},     /* each its own */
        {&torus, 2, {{0, 1, 0, 100}, {0, 2, 0, 100}}}, /* one way out */
        {&torus, 2, {{0, 2, 0, 100}, {1, 2, 0, 100}}}, /* a link of a node in between */
        {&torus, 2, {{2, 0, 0, 100}, {3, 0, 0, 100}}}, /* around */
        {&torus, 2, {{0, 5, 0, 100}, {1, 5, 0, 100}}}, /* along rows first */
        {&torus, 2, {{0, 5, 0, 0}, {4, 5, 0, 0}}},
        {&torus, 3, {{0, 2, 0, 100}, {0, 1, 0, 100}, {1, 3, 0, 100}}}, /* the slowest link */
        {&ring, 2, {{0, 4, 0, 100}, {5, 4, 0, 100}}},                  /* 0, 6, 5, 4 */
    };
    obt_trace *t = trace_of_eight();
    obt_analysis *a = obt_analyse(t);
    obt_steps s;
    obt_find_steps(a, &s);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        obt_flow flows[5] = {{.posted = 0, .bytes = 0}}; /* the first takes no link */
        for (size_t i = 0; i < cases[k].count; i++)
            flows[1 + i] = (obt_flow){.posted = cases[k].of[i].posted,
                                      .bytes = 100,
                                      .from = cases[k].of[i].from,
                                      .to = cases[k].of[i].to};
        assert_true(obt_share_links(&s, cases[k].joined, flows, cases[k].count + 1, false));
        for (size_t i = 0; i < cases[k].count; i++)
            assert_in_range(flows[1 + i].late - cases[k].of[i].late + 1, 0, 2);
        assert_int_equal(flows[0].late, 0);
        assert_false(obt_share_links(&s, cases[k].joined, flows, 1, false));
    }
    obt_free_steps(&s);
    obt_analysis_free(a);
    obt_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
