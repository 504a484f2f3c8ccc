/*
 * The choice of algorithms, without communication.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "collective/algorithm/algorithm.h"

static void test_named_topologies_are_taken(void **state)
{
    (void)state;
    for (int top = OB_TOP_RING_UP; top <= OB_TOP_TREE; top++)
        for (int one_node = 0; one_node < 2; one_node++) {
            ob_route r = {(ob_topology)top, 3, 0, 0};
            ob_plan b = ob_plan_broadcast(&r, 7, one_node);
            assert_ptr_equal(b.broadcast, ob_broadcast_pattern);
            assert_int_equal(b.topology, top);
            assert_int_equal(b.branches, 3);
            for (int root = OB_ANY; root < 2; root++) {
                ob_plan c = ob_plan_combine(&r, root);
                if (top == OB_TOP_HYPERCUBE)
                    continue;
                assert_ptr_equal(c.combine, ob_combine_pattern);
                assert_int_equal(c.topology, top);
                assert_int_equal(c.branches, 3);
            }
        }
}

static void expect_tree(ob_plan plan)
{
    assert_ptr_equal(plan.combine, ob_combine_pattern);
    assert_int_equal(plan.topology, OB_TOP_TREE);
    assert_int_equal(plan.branches, 1);
    assert_true(plan.chunk >= OB_SLICE_BYTES);
}

/* LAWN 73, 5.4.2. */
static void test_hypercube_combine(void **state)
{
    (void)state;
    static const ob_topology tops[] = {OB_TOP_HYPERCUBE, OB_TOP_BEST};
    for (int k = 0; k < 2; k++) {
        ob_route r = {tops[k], 0, 0, 0}, coherent = {tops[k], 0, 0, 1};
        assert_ptr_equal(ob_plan_combine(&r, OB_ANY).combine, ob_combine_exchange);
        expect_tree(ob_plan_combine(&r, 2));
        expect_tree(ob_plan_combine(&coherent, OB_ANY));
    }
}

static void test_best(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++) {
        ob_plan b = ob_plan_broadcast(NULL, p, false), near = ob_plan_broadcast(NULL, p, true);
        assert_ptr_equal(b.broadcast, ob_broadcast_pattern);
        assert_ptr_equal(near.broadcast, p > 2 ? ob_broadcast_board : ob_broadcast_pattern);
        assert_int_equal(b.topology, OB_TOP_TREE);
        assert_int_equal(b.branches, 1);
    }
    assert_ptr_equal(ob_plan_combine(NULL, OB_ANY).combine, ob_combine_exchange);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named_topologies_are_taken),
        cmocka_unit_test(test_hypercube_combine),
        cmocka_unit_test(test_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
