/*
 * What is told of a network, without one: tori are known by where messages meet, other networks are
 * taken for none, and all numbers come back from the one that members agree on.
 */
#include <math.h>
#include <stdlib.h>

#include "core/network.h"
#include "unit.h"

enum { MOST = 4096 };

/* The nodes of a torus send along the first dimension, then the second, the shorter way: how many
 * messages the links of node 0's message carry, at most. Counted, link by link. */
static int counted(const int *sizes, int dimensions, int nodes, int pattern)
{
    static int load[MOST][3][2];
    int most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (pass ? 1 : nodes); i++) {
            int at = i, to = (i + pattern) % nodes, stride = 1;
            if (pass == 0 && i == 0)
                for (int k = 0; k < nodes; k++)
                    for (int d = 0; d < 6; d++)
                        load[k][d / 2][d % 2] = 0;
            for (int d = 0; d < dimensions; stride *= sizes[d++]) {
                int q = sizes[d], here = at / stride % q, there = to / stride % q;
                int up = (there - here + q) % q, way = 2 * up > q;
                for (int k = way ? q - up : up; k > 0; k--) {
                    int *link = &load[at][d][way];
                    if (pass == 0)
                        ++*link;
                    most = pass && *link > most ? *link : most;
                    int next = (here + (way ? q - 1 : 1)) % q;
                    at += (next - here) * stride;
                    here = next;
                }
            }
        }
    return most > 1 ? most : 1;
}

static ob_network seen_on(const int *sizes, int dimensions, double (*blur)(double))
{
    int nodes = 1, pattern[OB_NETWORK_PATTERNS];
    double crowd[OB_NETWORK_PATTERNS];
    for (int d = 0; d < dimensions; d++)
        nodes *= sizes[d];
    assert_true(nodes <= MOST);
    int count = ob_network_patterns(nodes, pattern);
    for (int k = 0; k < count; k++)
        crowd[k] = blur(counted(sizes, dimensions, nodes, pattern[k]));
    ob_network n = {.nodes = nodes};
    ob_network_find_shape(&n, pattern, crowd, count);
    return n;
}

static double exactly(double crowd)
{
    return crowd;
}

static double late(double crowd)
{
    return 1.2 * crowd + 0.2;
}

static void expect_shape(ob_network n, int rows, int columns, int shared)
{
    assert_int_equal(n.rows, rows);
    assert_int_equal(n.columns, columns);
    assert_int_equal(n.shared, shared);
}

static void tori_are_known_by_where_messages_meet(void **state)
{
    static const int tori[][2] = {{32, 16}, {16, 32}, {16, 16}, {8, 64}, {12, 10}, {24, 6}};
    for (size_t k = 0; k < sizeof tori / sizeof *tori; k++)
        expect_shape(seen_on(tori[k], 2, exactly), tori[k][1], tori[k][0], 2);
    for (size_t k = 0; k < 4; k++)
        expect_shape(seen_on(tori[k], 2, late), tori[k][1], tori[k][0], 2);
}

static void further_dimensions_are_rows_of_a_mesh(void **state)
{
    expect_shape(seen_on((const int[]){16, 8, 8}, 3, late), 64, 16, 1);
    expect_shape(seen_on((const int[]){16, 16, 16}, 3, late), 256, 16, 1);
}

static void expect_unknown(int nodes, const double *crowd)
{
    int pattern[OB_NETWORK_PATTERNS];
    ob_network n = {.nodes = nodes};
    int count = ob_network_patterns(nodes, pattern);
    assert_true(count >= 3);
    ob_network_find_shape(&n, pattern, crowd, count);
    assert_int_equal(n.rows, 1);
    assert_int_equal(n.columns, nodes);
    assert_int_equal(n.shared, 0);
}

static void what_is_no_torus_is_taken_for_none(void **state)
{
    expect_unknown(1024, (const double[]){1, 1, 1, 1, 1});              /* a switch */
    expect_unknown(1024, (const double[]){1.2, 1.1, 1, 1.2, 1.1});      /* not quite */
    expect_unknown(1024, (const double[]){2, 2, 2, 1, 1});              /* half the links up */
    expect_unknown(1024, (const double[]){2.6, 2.4, 2.4, 1.8, 1.2});    /* as it is simulated */
    expect_unknown(1024, (const double[]){4, 4, 4, 4, 4});              /* late all the time */
    expect_unknown(512, (const double[]){40, 35, 60, 50, 45});          /* very late */
    expect_unknown(512, (const double[]){INFINITY, NAN, 1, 2, -1e300}); /* no clock */
}

static void few_or_odd_nodes_are_asked_nothing(void **state)
{
    int pattern[OB_NETWORK_PATTERNS];
    for (int nodes = 1; nodes < 64; nodes++)
        assert_int_equal(ob_network_patterns(nodes, pattern), 0);
    assert_int_equal(ob_network_patterns(129, pattern), 0);
    assert_true(ob_network_patterns(INT32_MAX - 1, pattern) <= OB_NETWORK_PATTERNS);
}

/* ---------------------------------------------------------------------- one number */

static void expect_near(double a, double b)
{
    assert_true(fabs(log(a / b)) < 0.05);
}

static void one_number_holds_all(void **state)
{
    for (double start = 0.1; start < 1e5; start *= 7.3)
        for (double byte = 4e-5; byte < 0.1; byte *= 9.7) {
            ob_network n = {start, byte, start / 2, 512, 16, 32, 2};
            int code = ob_network_code(&n);
            ob_network got = ob_network_of(code, 512);
            assert_true(code > 0);
            expect_near(got.start, start);
            expect_near(got.byte, byte);
            expect_near(got.send, start / 2);
            assert_int_equal(got.rows, 16);
            assert_int_equal(got.columns, 32);
            assert_int_equal(got.shared, 2);
            assert_int_equal(ob_network_code(&got), code); /* it stays what it is */
        }
}

static void numbers_out_of_bounds_are_brought_back(void **state)
{
    static const double odd[] = {0, -1, 1e-300, 1e300, INFINITY, NAN};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            for (int c = 0; c < 6; c++) {
                ob_network n = {odd[a], odd[b], odd[c], 7, 1, 7, 0};
                int code = ob_network_code(&n);
                assert_true(code > 0);
                ob_network got = ob_network_of(code, 7);
                assert_true(isfinite(got.start) && got.start > 0);
                assert_true(isfinite(got.byte) && got.byte > 0);
                assert_true(got.send >= 0 && got.send <= got.start);
                assert_int_equal(got.columns, 7);
            }
}

/* ---------------------------------------------------------------------- of members */

static void expect_members(int first, int stride, int size, int rows, int columns, int shared)
{
    static const ob_network n = {1, 1e-4, 0.5, 512, 16, 32, 2};
    int node[512], got[3];
    for (int i = 0; i < size; i++)
        node[i] = first + i * stride;
    ob_network_shape_of(&n, node, size, &got[0], &got[1], &got[2]);
    assert_int_equal(got[0], rows);
    assert_int_equal(got[1], columns);
    assert_int_equal(got[2], shared);
}

static void members_lie_where_their_nodes_do(void **state)
{
    expect_members(0, 1, 512, 16, 32, 2);
    expect_members(64, 1, 128, 4, 32, 1);
    expect_members(96, 1, 32, 1, 32, 2); /* a row is a ring */
    expect_members(100, 1, 8, 1, 8, 1);  /* part of one is not */
    expect_members(5, 32, 16, 1, 16, 2); /* a column */
    expect_members(5, 32, 8, 1, 8, 1);   /* part of one */
    expect_members(3, 7, 40, 1, 40, 1);  /* some on the way share links */
    expect_members(511, -1, 512, 1, 512, 1);
    expect_members(9, 0, 4, 1, 4, 0); /* they share a node */
}

static void on_a_switch_all_are_equally_near(void **state)
{
    const ob_network n = {1, 1e-4, 0.5, 512, 1, 512, 0};
    const int node[] = {0, 1, 2, 3};
    int rows, columns, shared;
    ob_network_shape_of(&n, node, 4, &rows, &columns, &shared);
    assert_int_equal(rows, 1);
    assert_int_equal(columns, 4);
    assert_int_equal(shared, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tori_are_known_by_where_messages_meet),
        cmocka_unit_test(further_dimensions_are_rows_of_a_mesh),
        cmocka_unit_test(what_is_no_torus_is_taken_for_none),
        cmocka_unit_test(few_or_odd_nodes_are_asked_nothing),
        cmocka_unit_test(one_number_holds_all),
        cmocka_unit_test(numbers_out_of_bounds_are_brought_back),
        cmocka_unit_test(members_lie_where_their_nodes_do),
        cmocka_unit_test(on_a_switch_all_are_equally_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
