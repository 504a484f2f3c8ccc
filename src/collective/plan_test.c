/*
 * The choice of algorithms, without communication.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "collective/algorithm/algorithm.h"

static const size_t sizes[] = {0, 8, 4096, 65535, 65536, 1 << 20, (size_t)1 << 32};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_named_topologies_are_taken(void **state)
{
    (void)state;
    for (int top = OB_TOP_RING_UP; top <= OB_TOP_TREE; top++)
        for (int s = 0; s < SIZES; s++) {
            ob_route r = {(ob_topology)top, 3, 0, 0};
            ob_plan b = ob_plan_broadcast(&r, 7, s % 2, sizes[s]);
            assert_ptr_equal(b.broadcast, ob_broadcast_pattern);
            assert_int_equal(b.topology, top);
            assert_int_equal(b.branches, 3);
            for (int root = OB_ANY; root < 2; root++) {
                ob_plan c = ob_plan_combine(&r, 7, root, s % 2, sizes[s]);
                if (top == OB_TOP_HYPERCUBE)
                    continue;
                assert_ptr_equal(c.combine, ob_combine_pattern);
                assert_int_equal(c.topology, top);
                assert_int_equal(c.branches, 3);
            }
        }
}

/* LAWN 73, 5.4.2. */
static void test_hypercube_combine(void **state)
{
    (void)state;
    ob_route r = {OB_TOP_HYPERCUBE, 0, 0, 0}, coherent = {OB_TOP_HYPERCUBE, 0, 0, 1};
    assert_ptr_equal(ob_plan_combine(&r, 6, OB_ANY, false, 8).combine, ob_combine_exchange);
    ob_plan on_one = ob_plan_combine(&r, 6, 2, false, 8), same = ob_plan_combine(&coherent, 6, OB_ANY, false, 8);
    assert_ptr_equal(on_one.combine, ob_combine_pattern);
    assert_int_equal(on_one.topology, OB_TOP_TREE);
    assert_int_equal(on_one.branches, 1);
    assert_ptr_equal(same.combine, ob_combine_pattern);
    assert_int_equal(same.topology, OB_TOP_TREE);
    assert_int_equal(same.branches, 1);
}

static void test_best(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++)
        for (int s = 0; s < SIZES; s++) {
            ob_plan b = ob_plan_broadcast(NULL, p, false, sizes[s]);
            ob_plan near = ob_plan_broadcast(NULL, p, true, sizes[s]);
            bool shared = p > 2;
            assert_ptr_equal(b.broadcast, ob_broadcast_pattern);
            assert_ptr_equal(near.broadcast, shared ? ob_broadcast_board : ob_broadcast_pattern);
            assert_int_equal(b.topology, OB_TOP_TREE);
            assert_int_equal(b.branches, 1);
            for (int coherent = 0; coherent < 2; coherent++)
                for (int root = OB_ANY; root < p; root += 3) {
                    ob_route r = {OB_TOP_BEST, 0, 0, coherent};
                    ob_plan c = ob_plan_combine(&r, p, root, false, sizes[s]);
                    assert_int_not_equal(c.topology, OB_TOP_BEST);
                    assert_true(c.slices == 1 || c.slices == p);
                    assert_true(c.chunk >= OB_SLICE_BYTES);
                    if (root != OB_ANY || coherent)
                        assert_ptr_not_equal(c.combine, ob_combine_exchange);
                    if (root != OB_ANY)
                        assert_ptr_not_equal(c.combine, ob_combine_bucket);
                }
        }
    assert_ptr_equal(ob_plan_combine(NULL, 5, OB_ANY, false, OB_BUCKET_BYTES).combine, ob_combine_bucket);
    assert_ptr_equal(ob_plan_combine(NULL, 5, OB_ANY, false, 8).combine, ob_combine_exchange);
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
