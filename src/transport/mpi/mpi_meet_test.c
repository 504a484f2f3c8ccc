/*
 * Meetings over MPI, on an MPI library in memory (module_fake.h): who meets whom, and which path
 * its messages take then.
 */
#include "transport/mpi/world_test.h"

static const int everybody[] = {2, 0, 3, 1}; /* ranks of a group are not numbers */

static int path(int from, int to)
{
    return atomic_load(&all[from].mpi.path[to]);
}

static void those_who_have_met_do_not_meet_again(void **state)
{
    static const int three[] = {3, 1, 0};
    begin_world(4, 0);
    meet_well(everybody, 4);
    assert_int_equal(fake.created, 4);
    meet_well(three, 3);
    meet_well(everybody + 3, 1);
    assert_int_equal(fake.created, 4);
    end_world();
    begin_world(4, 0);
    meet_well(three, 3);
    meet_well(pair, 2);
    assert_int_equal(fake.created, 3);
    meet_well(everybody, 4);
    assert_int_equal(fake.created, 7);
    assert_int_equal(fake.released, 0);
    expect_error(ob_mpi_meet(all[2].job, everybody, 4), OB_OK, "");
    end_world();
}

/* All know the first, and no two others each other. */
static void one_new_pair_needs_a_new_communicator(void **state)
{
    static const int other[] = {0, 2}, three[] = {0, 1, 2};
    begin_world(3, 0);
    meet_well(pair, 2);
    meet_well(other, 2);
    meet_well(three, 3);
    assert_int_equal(fake.released, 0);
    assert_int_equal(send_to(1, 2, 1, 8), OB_OK);
    expect(2, 1, 1, 8, 8);
    end_world();
    begin_world(3, 0);
    static const int third[] = {2, 1};
    meet_well(pair, 2);
    meet_well(other, 2);
    meet_well(third, 2);
    meet_well(three, 3);
    assert_int_equal(fake.released, 3); /* each pair has one */
    end_world();
}

/* A sender keeps to the meeting it began with; a receiver finds out which. */
static void messages_find_their_way_through_several_meetings(void **state)
{
    static const int turned[] = {2, 1, 0};
    begin_world(4, 0);
    meet_well(pair, 2);
    assert_int_equal(send_to(0, 1, 1, 8), OB_OK);
    meet_well(turned, 3);
    meet_well(everybody, 4);
    assert_int_equal(send_to(0, 1, 2, 8), OB_OK);
    assert_int_equal(send_to(1, 0, 3, 8), OB_OK);
    assert_int_equal(send_to(2, 0, 4, 70000), OB_OK);
    assert_int_equal(send_to(3, 0, 5, 8), OB_OK);
    expect(1, 0, 1, 8, 8);
    expect(1, 0, 2, 8, 8);
    expect(0, 3, 5, 8, 8);
    expect(0, 2, 4, 70000, SIZE_MAX);
    expect(0, 1, 3, 8, 8);
    for (int i = 1; i < 4; i++)
        expect_nothing(0, i);
    end_world();
}

static void common_memory_needs_no_communicator(void **state)
{
    skip_unless_born_at_once();
    begin_world(4, 15);
    meet_well(everybody, 4);
    assert_int_equal(fake.released, 4);
    for (int i = 0; i < 16; i++)
        assert_int_equal(path(i / 4, i % 4), OB_PATH_SHM);
    for (int i = 0; i < 4; i++) {
        int node[4];
        assert_true(ob_mpi_one_node(all[i].job, everybody, 4));
        assert_true(ob_mpi_nodes(all[i].job, everybody, 4, node));
        assert_int_equal(node[0] | node[1] | node[2] | node[3], 0);
        assert_int_equal(all[i].job->neighbours, 4);
    }
    assert_string_not_equal(ob_job_peer(all[0].job, 3)->transport->name, "mpi");
    end_world();
}

static void nodes_are_numbered_alike_by_all_members(void **state)
{
    skip_unless_born_at_once();
    begin_world(4, 15);
    fake.node[0] = fake.node[2] = 7;
    fake.node[1] = 4;
    fake.node[3] = 4;
    meet_well(everybody, 4);
    assert_int_equal(fake.released, 0);
    for (int i = 0; i < 4; i++) {
        int node[4];
        for (int k = 0; k < 4; k++)
            assert_int_equal(path(i, k), i % 2 == k % 2 ? OB_PATH_SHM : OB_PATH_MPI);
        assert_false(ob_mpi_one_node(all[i].job, everybody, 4));
        assert_true(ob_mpi_nodes(all[i].job, everybody, 4, node));
        static const int expected[] = {0, 0, 1, 1};
        assert_memory_equal(node, expected, sizeof node);
        assert_int_equal(all[i].job->neighbours, 2);
    }
    assert_int_equal(send_to(2, 1, 9, 70000), OB_OK);
    expect(1, 2, 9, 70000, SIZE_MAX);
    end_world();
}

static void a_process_without_memory_is_reached_by_mpi(void **state)
{
    skip_unless_born_at_once();
    for (int way = 0; way < 2; way++) { /* it has none, or it cannot reach that of others */
        int node[4];
        begin_world(4, way ? 15 : 11);
        fake.blind = way ? 2 : -1;
        meet_well(everybody, 4);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 4; k++)
                if (k != i)
                    assert_int_equal(path(i, k), i == 2 || k == 2 ? OB_PATH_MPI : OB_PATH_SHM);
            assert_false(ob_mpi_one_node(all[i].job, everybody, 4));
            assert_false(
                ob_mpi_nodes(all[i].job, everybody, 4, node)); /* on one machine, yet apart */
        }
        end_world();
    }
}

/* By the linker, in place of the library's: the scheduling group of each process. */
static int scheduled[FAKE_MOST];
uint64_t __wrap_ob_processor_sharing(void);

uint64_t __wrap_ob_processor_sharing(void)
{
    return 1 + (uint64_t)scheduled[fake_me];
}

static void expect_apart(int a, int b, int c, int d)
{
    const int expected[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        assert_int_equal(atomic_load(&all[i].job->apart), expected[i]);
}

static void who_meets_learns_whether_yields_reach_others_of_its_node(void **state)
{
    for (int i = 0; i < FAKE_MOST; i++)
        scheduled[i] = 0;
    begin_world(4, 0);
    expect_apart(0, 0, 0, 0);
    meet_well(everybody, 4);
    expect_apart(0, 0, 0, 0);
    end_world();
    scheduled[2] = 5;
    scheduled[3] = 6;
    begin_world(4, 0);
    meet_well(pair, 2);
    expect_apart(0, 0, 0, 0);
    meet_well(everybody, 4);
    expect_apart(0, 0, 1, 1);
    end_world();
    /* Of one group, as their numbers say, but on two nodes. */
    scheduled[2] = scheduled[0];
    scheduled[3] = scheduled[1] = 7;
    begin_world(4, 0);
    fake.node[2] = fake.node[3] = 1;
    meet_well(everybody, 4);
    expect_apart(1, 1, 1, 1);
    end_world();
    for (int i = 0; i < FAKE_MOST; i++)
        scheduled[i] = 0;
}

static void shm_alone_is_refused_where_there_is_none(void **state)
{
    begin_world(4, 11);
    for (int i = 0; i < 4; i++)
        all[i].job->set.transport = OB_TRANSPORT_SHM;
    meet(everybody, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(all[i].status, OB_ESYSTEM);
        assert_non_null(strstr(all[i].error, "OPENBLACS_TRANSPORT is shm, but processes"));
        assert_int_equal(path(i, (i + 1) % 4), OB_PATH_UNKNOWN);
    }
    assert_int_equal(fake.released, 4);
    expect_error(ob_mpi_connect(all[0].job, &(ob_peer){.number = 2, .job = all[0].job}), OB_ESTATE,
                 "processes 0 and 2 have never been in one group [OB-3015]");
    end_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_have_met_do_not_meet_again),
        cmocka_unit_test(one_new_pair_needs_a_new_communicator),
        cmocka_unit_test(messages_find_their_way_through_several_meetings),
        cmocka_unit_test(common_memory_needs_no_communicator),
        cmocka_unit_test(nodes_are_numbered_alike_by_all_members),
        cmocka_unit_test(a_process_without_memory_is_reached_by_mpi),
        cmocka_unit_test(who_meets_learns_whether_yields_reach_others_of_its_node),
        cmocka_unit_test(shm_alone_is_refused_where_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
