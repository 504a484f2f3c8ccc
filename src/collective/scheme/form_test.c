/*
 * The forms of one line, move by move: messages of one step share no link (icc.txt, 3.1: "no
 * conflicts"), rings carry each byte once, the two trees of a double tree share no inner node, and
 * postal trees have the sizes of their recurrence.
 */
#include <string.h>

#include "collective/scheme/form.h"
#include "unit.h"

enum { MOST = 24 };

/* -------------------------------------------------------- links of a linear array */

/* Messages of a tree that are under way at one moment use no link of the line twice
 * in one direction. A message takes one step, begun when both members are free. */
static void no_conflicts(ob_act act, int q, int root)
{
    enum { STEPS = 64 };
    static unsigned char used[STEPS][MOST][2];
    int step[MOST] = {0}, at[MOST] = {0}, seen = 0;
    ob_moves moves[MOST];
    memset(used, 0, sizeof used);
    for (int i = 0; i < q; i++) {
        ob_line line = {.q = q, .me = i, .root = root, .detail = 10};
        moves[i] = (ob_moves){0};
        ob_form_moves(act, OB_HOW_TREE, &line, &moves[i]);
    }
    for (bool going = true; going;) {
        going = false;
        for (int i = 0; i < q; i++) {
            int j = at[i] < moves[i].count ? moves[i].at[at[i]].to : -1;
            if (j < 0 || at[j] == moves[j].count || moves[j].at[at[j]].from != i)
                continue;
            int t = step[i] > step[j] ? step[i] : step[j];
            for (int x = i; x != j; x += j > i ? 1 : -1)
                assert_int_equal(used[t][j > i ? x : x - 1][j > i]++, 0);
            step[i] = step[j] = t + 1;
            at[i]++;
            at[j]++;
            seen++;
            going = true;
        }
    }
    assert_int_equal(seen, q - 1);
    for (int i = 0; i < q; i++)
        ob_moves_free(&moves[i]);
}

/* Buckets: in each step every member sends once, and no link carries two messages in one direction:
 * each goes to the neighbour, but one, which goes all the way back. */
static void buckets_have_no_conflicts(ob_act act, int q)
{
    for (int step = 0; step < q - 1; step++) {
        unsigned char used[MOST][2] = {{0}};
        for (int i = 0; i < q; i++) {
            ob_moves m = {0};
            ob_line line = {.q = q, .me = i};
            ob_form_moves(act, OB_HOW_BUCKET, &line, &m);
            assert_int_equal(m.count, q - 1);
            int j = m.at[step].to;
            assert_true(j >= 0 && j < q && j != i);
            for (int x = i; x != j; x += j > i ? 1 : -1)
                assert_int_equal(used[j > i ? x : x - 1][j > i]++, 0);
            ob_moves_free(&m);
        }
    }
}

static void test_no_conflicts(void **state)
{
    for (int q = 2; q <= 17; q++)
        for (int root = 0; root < q; root++) {
            no_conflicts(OB_ACT_BROADCAST, q, root);
            no_conflicts(OB_ACT_COMBINE, q, root);
            no_conflicts(OB_ACT_SCATTER, q, root);
            no_conflicts(OB_ACT_GATHER, q, root);
        }
    for (int q = 2; q <= 17; q++) {
        buckets_have_no_conflicts(OB_ACT_COLLECT, q);
        buckets_have_no_conflicts(OB_ACT_DISTRIBUTE, q);
    }
}

/* Blocks half way around in both directions: q / 2 steps, in each of which a ring's link carries
 * one message in either direction at most, all of them to neighbours, and no byte twice. */
static void test_both_ways(void **state)
{
    for (int act = OB_ACT_COLLECT; act <= OB_ACT_DISTRIBUTE; act++)
        for (int q = 2; q <= 17; q++)
            for (int i = 0; i < q; i++) {
                ob_moves m = {0};
                ob_line line = {.q = q, .me = i};
                int steps = 0, up = 0, down = 0, halves = 0;
                ob_form_moves((ob_act)act, OB_HOW_BOTH, &line, &m);
                for (int k = 0; k < m.count; k++) {
                    const ob_move *x = &m.at[k];
                    if (!x->together)
                        steps++, up = down = 0;
                    /* Of two members each is the other's neighbour on both sides: up is sent first.
                     */
                    bool goes_up = x->to == (i + 1) % q && !up;
                    up += goes_up;
                    down += !goes_up && x->to == (i + q - 1) % q;
                    halves += x->to >= 0 ? x->send.b - x->send.a : 0;
                    assert_true(up <= 1 && down <= 1);
                    assert_true(x->to < 0 || up + down > 0);
                }
                assert_int_equal(steps, q / 2);
                assert_int_equal(halves, 2 * (q - 1));
                ob_moves_free(&m);
            }
}

/* Each member gets each segment once; all but the root send on the segments of one tree
 * alone, so that an inner node of one is a leaf of the other, and the root sends each once. */
static void two_trees(int q, int root, int segments)
{
    enum { SEGMENTS = 6 };
    assert_in_range(segments, 1, SEGMENTS / 2);
    for (int i = 0; i < q; i++) {
        ob_line line = {.q = q, .me = i, .root = root, .detail = segments};
        ob_moves m = {0};
        int got[SEGMENTS] = {0}, gave[SEGMENTS] = {0}, inner[2] = {0};
        ob_form_moves(OB_ACT_BROADCAST, OB_HOW_DOUBLE, &line, &m);
        for (int k = 0; k < m.count; k++) {
            if (m.at[k].from >= 0)
                got[m.at[k].recv.a]++;
            if (m.at[k].to >= 0) {
                gave[m.at[k].send.a]++;
                inner[m.at[k].send.a % 2] = 1;
            }
        }
        for (int s = 0; s < 2 * segments; s++) {
            assert_int_equal(got[s], i != root);
            assert_in_range(gave[s], i == root, i == root ? 1 : 2);
        }
        assert_true(i == root ? inner[0] && inner[1] : !(inner[0] && inner[1]));
        ob_moves_free(&m);
    }
}

static void test_two_trees(void **state)
{
    for (int q = 2; q <= 70; q++)
        for (int root = 0; root<q; root += q> 9 ? 7 : 1)
            two_trees(q, root, q % 3 + 1);
    two_trees(1000, 3, 2);
    two_trees(1025, 1024, 1);
}

static void test_postal(void **state)
{
    assert_int_equal(ob_postal_time(10, 512), 90);
    assert_int_equal(ob_postal_time(20, 377), 130); /* Fibonacci */
    assert_int_equal(ob_postal_time(20, 378), 140);
    assert_int_equal(ob_postal_time(20, 512), 140);
    assert_in_range(ob_postal_time(15, 512), 90, 140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_conflicts),
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_two_trees),
        cmocka_unit_test(test_postal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
