/*
 * The choice of routes, without communication.
 */

#include "collective/topology/topology.h"
#include "hooks/topology.h"
#include "unit.h"

static void test_named_topologies_are_taken(void **state)
{
    for (int top = OB_TOP_RING_UP; ob_topology_at(top); top++) {
        ob_route r = {(ob_topology)top, 3, 0, 0}, b = ob_route_broadcast(&r), c;
        assert_int_equal(b.topology, top);
        assert_int_equal(b.branches, 3);
        for (int root = OB_ANY; root < 2 && top != OB_TOP_HYPERCUBE; root++) {
            assert_ptr_equal(ob_route_combine(&r, root, &c), ob_combine_pattern);
            assert_int_equal(c.topology, top);
            assert_int_equal(c.branches, 3);
        }
    }
}

static void expect_tree(const ob_route *asked, int root)
{
    ob_route taken;
    assert_ptr_equal(ob_route_combine(asked, root, &taken), ob_combine_pattern);
    assert_int_equal(taken.topology, OB_TOP_TREE);
    assert_int_equal(taken.branches, 1);
}

/* LAWN 73, 5.4.2. */
static void test_hypercube_combine(void **state)
{
    static const ob_topology tops[] = {OB_TOP_HYPERCUBE, OB_TOP_BEST};
    for (int k = 0; k < 2; k++) {
        ob_route r = {tops[k], 0, 0, 0}, coherent = {tops[k], 0, 0, 1}, taken;
        assert_ptr_equal(ob_route_combine(&r, OB_ANY, &taken), ob_combine_exchange);
        expect_tree(&r, 2);
        expect_tree(&coherent, OB_ANY);
    }
}

static void test_best(void **state)
{
    ob_route b = ob_route_broadcast(NULL), taken;
    assert_int_equal(b.topology, OB_TOP_TREE);
    assert_int_equal(b.branches, 1);
    assert_ptr_equal(ob_route_combine(NULL, OB_ANY, &taken), ob_combine_exchange);
    expect_tree(NULL, 0);
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
