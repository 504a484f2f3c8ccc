/*
 * Measuring the network, on an MPI library in memory: who measures, that all members find the same,
 * and that it is done once.
 */
#include <math.h>

#include "transport/mpi/world_test.h"

static const int everybody[] = {0, 1, 2, 3};

static ob_mpi_meeting *meeting_of(int number)
{
    return atomic_load(&all[number].mpi.meetings);
}

/* So many processes on nodes, those of a node with memory in common. */
static void begin(int processes, const int *node, int measure)
{
    begin_world(processes, 15);
    fake.patience = INT32_MAX;
    memcpy(fake.node, node, (size_t)processes * sizeof *node);
    for (int i = 0; i < processes; i++)
        all[i].job->set.measure = measure;
}

static void expect_one_answer(int members)
{
    const ob_network *first = &meeting_of(0)->network;
    for (int i = 0; i < members; i++) {
        const ob_network *n = &meeting_of(i)->network;
        assert_true(meeting_of(i)->measured);
        assert_true(isfinite(n->start) && n->start > 0);
        assert_true(isfinite(n->byte) && n->byte > 0);
        assert_true(n->start == first->start && n->byte == first->byte && n->send == first->send);
        assert_int_equal(n->nodes, first->nodes);
        assert_int_equal(n->columns, first->columns);
    }
}

static void members_of_several_nodes_find_the_same(void **state)
{
    skip_unless_born_at_once();
    static const int nodes[][4] = {{0, 1, 2, 3}, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 2}};
    static const int count_of[] = {4, 2, 2, 3};
    for (int k = 0; k < 4; k++) {
        begin(4, nodes[k], 1);
        meet_well(everybody, 4);
        expect_one_answer(4);
        for (int i = 0; i < 4; i++) {
            int node[4];
            const ob_network *n = ob_mpi_network(all[i].job, everybody, 4, node);
            assert_ptr_equal(n, &meeting_of(i)->network);
            assert_int_equal(n->nodes, count_of[k]);
            assert_memory_equal(node, nodes[k], sizeof node);
        }
        end_world();
    }
}

static void expect_no_figures(int members)
{
    int node[4];
    meet_well(everybody, members);
    for (int i = 0; i < members; i++)
        assert_null(ob_mpi_network(all[i].job, everybody, members, node));
    end_world();
}

static void nobody_measures_who_is_told_not_to(void **state)
{
    begin(4, everybody, 0);
    expect_no_figures(4);
    begin(4, everybody, 1);
    all[2].job->set.measure = 0; /* one is enough, or the others would wait for it */
    expect_no_figures(4);
    begin(4, everybody, 1);
    all[3].job->set.profile = "profile";
    expect_no_figures(4);
}

static void on_one_node_there_is_nothing_to_measure(void **state)
{
    static const int node[4] = {0};
    begin(4, node, 1);
    expect_no_figures(4);
}

static void a_later_meeting_takes_what_is_known(void **state)
{
    begin(4, everybody, 1);
    meet_well(everybody, 2);
    int code = all[0].mpi.network, before = fake.sent;
    assert_true(code > 0);
    meet_well((const int[]){1, 2, 3}, 3);
    assert_int_equal(fake.sent, before);
    for (int i = 0; i < 4; i++)
        assert_int_equal(all[i].mpi.network, code);
    end_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_several_nodes_find_the_same),
        cmocka_unit_test(nobody_measures_who_is_told_not_to),
        cmocka_unit_test(on_one_node_there_is_nothing_to_measure),
        cmocka_unit_test(a_later_meeting_takes_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
