/*
 * The transport over MPI, on an MPI library in memory (module_fake.h): order, pieces, limits,
 * faults of MPI, and leaving.
 */
#include "transport/mpi/world_test.h"

static const int everybody[] = {2, 0, 3, 1}; /* ranks of a group are not numbers */

/* ----------------------------------------------------------------------- messages */

static const size_t sizes[] = {0,
                               1,
                               1000,
                               OB_MPI_SHORT,
                               OB_MPI_SHORT + 1,
                               OB_MPI_PIECE,
                               OB_MPI_PIECE + 1,
                               3 * OB_MPI_PIECE,
                               3 * OB_MPI_PIECE + 12345,
                               7};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void messages_of_all_sizes_arrive_whole_and_in_order(void **state)
{
    for (int way = 0; way < 4; way++) {
        begin_pair();
        fake.lazy = way & 1;
        fake.slow = way & 2;
        for (int i = 0; i < SIZES; i++)
            assert_int_equal(send_to(0, 1, i, sizes[i]), OB_OK);
        assert_int_equal(send_to(1, 0, 77, 100), OB_OK);
        for (int i = 0; i < SIZES; i++)
            expect(1, 0, i, sizes[i], way == 0 ? SIZE_MAX : 299999);
        expect_nothing(1, 0);
        expect(0, 1, 77, 100, 33);
        uint64_t messages, bytes, sum = 0;
        for (int i = 0; i < SIZES; i++)
            sum += sizes[i];
        ob_mpi_transport.traffic(ob_job_peer(all[0].job, 1), &messages, &bytes);
        assert_int_equal(messages, SIZES);
        assert_int_equal(bytes, sum);
        end_world();
    }
}

/* One arrives while the other is unpacked. */
static void a_long_message_has_two_pieces_on_order(void **state)
{
    begin_pair();
    assert_int_equal(send_to(0, 1, 1, 5 * OB_MPI_PIECE), OB_OK);
    expect(1, 0, 1, 5 * OB_MPI_PIECE, OB_MPI_PIECE / 2);
    assert_int_equal(fake.most_receiving, 2);
    assert_int_equal(fake.receiving, 0);
    end_world();
}

static void a_short_matrix_goes_with_its_header(void **state)
{
    begin_pair();
    assert_int_equal(send_to(0, 1, 1, OB_MPI_SHORT), OB_OK);
    assert_int_equal(fake.sent, 1);
    assert_int_equal(send_to(0, 1, 2, OB_MPI_SHORT + 1), OB_OK);
    assert_int_equal(fake.sent, 3);
    assert_int_equal(send_to(0, 1, 3, OB_MPI_PIECE + 1), OB_OK);
    assert_int_equal(fake.sent, 6);
    end_world();
}

static void what_mpi_has_taken_is_used_again(void **state)
{
    begin_pair();
    struct ob_mpi *mpi = &all[0].mpi;
    fake.lazy = true;
    for (int i = 0; i < 10; i++)
        assert_int_equal(send_to(0, 1, i, 968), OB_OK);
    size_t waiting = atomic_load(&mpi->waiting);
    assert_int_equal(waiting, 10 * (968 + sizeof(ob_mpi_header)));
    assert_int_equal(mpi->pool.count[0], 0);
    for (int i = 0; i < 4; i++)
        expect(1, 0, i, 968, SIZE_MAX);
    ob_mpi_collect(mpi);
    assert_int_equal(atomic_load(&mpi->waiting), waiting / 10 * 6);
    assert_int_equal(mpi->pool.count[0], 4);
    assert_int_equal(send_to(0, 1, 10, 968), OB_OK);
    assert_int_equal(mpi->pool.count[0], 3);
    for (int i = 4; i < 11; i++)
        expect(1, 0, i, 968, SIZE_MAX);
    assert_int_equal(ob_mpi_transport.flush(ob_job_peer(all[0].job, 1)), OB_OK);
    assert_int_equal(atomic_load(&mpi->waiting), 0);
    assert_int_equal(mpi->pool.count[0], 10);
    end_world();
}

enum { HOURS = 1u << 30 }; /* a pace at which an hour is no long time */

static void drain(int from, int to, size_t bytes)
{
    ob_mpi_transport.drain(ob_job_peer(all[from].job, to), bytes);
}

static void *receive_later(void *begun)
{
    while (!atomic_load((atomic_bool *)begun))
        sched_yield();
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    expect(1, 0, 7, 3 * OB_MPI_PIECE, SIZE_MAX);
    return NULL;
}

/* MPI copies them, and takes no time; those that travel do. */
static void short_messages_do_not_make_impatient_of_long_ones(void **state)
{
    static struct ob_mpi mpi;
    double first = ob_mpi_patience(&mpi, OB_MPI_PIECE);
    for (int i = 0; i < 100; i++)
        ob_mpi_learn(&mpi, 128 << 10, 1e-6);
    assert_true(ob_mpi_patience(&mpi, 128 << 10) < 1e-4);
    assert_true(ob_mpi_patience(&mpi, OB_MPI_PIECE) == first);
    assert_true(ob_mpi_patience(&mpi, (size_t)3 * OB_MPI_PIECE) == first);
    for (int i = 0; i < 100; i++)
        ob_mpi_learn_more_patience(&mpi, 128 << 10);
    assert_true(ob_mpi_patience(&mpi, 128 << 10) > first / 9);
    assert_true(ob_mpi_patience(&mpi, 128 << 10) < first / 7);
}

static void who_drains_waits_until_all_is_received(void **state)
{
    pthread_t other;
    atomic_bool begun = false;
    begin_pair();
    struct ob_mpi *mpi = &all[0].mpi;
    fake.lazy = true;
    atomic_store(&mpi->pace[OB_MPI_PACES - 1], HOURS);
    assert_int_equal(send_to(0, 1, 7, 3 * OB_MPI_PIECE), OB_OK);
    assert_int_equal(pthread_create(&other, NULL, receive_later, &begun), 0);
    atomic_store(&begun, true);
    drain(0, 1, 3 * OB_MPI_PIECE);
    assert_int_equal(atomic_load(&mpi->waiting), 0);
    assert_true(atomic_load(&mpi->pace[OB_MPI_PACES - 1]) < HOURS); /* and it has learnt */
    pthread_join(other, NULL);
    end_world();
}

static void who_drains_does_not_wait_for_one_who_is_busy(void **state)
{
    begin_pair();
    fake.lazy = true;
    assert_int_equal(send_to(0, 1, 7, 3 * OB_MPI_PIECE), OB_OK);
    atomic_store(&all[0].mpi.pace[OB_MPI_PACES - 1], 100);
    drain(0, 1, 3 * OB_MPI_PIECE);
    assert_int_equal(atomic_load(&all[0].mpi.pace[OB_MPI_PACES - 1]), 200);
    assert_true(atomic_load(&all[0].mpi.waiting) > 3 * OB_MPI_PIECE);
    expect(1, 0, 7, 3 * OB_MPI_PIECE, SIZE_MAX);
    end_world();
}

static void a_limit_of_memory_holds_until_something_is_taken(void **state)
{
    begin_world(2, 0);
    all[0].job->set.heap_bytes = 3000;
    all[0].job->set.heap_seconds = 0.002;
    meet_well(pair, 2);
    fake.lazy = true;
    assert_int_equal(send_to(0, 1, 0, 1000), OB_OK);
    assert_int_equal(send_to(0, 1, 1, 1000), OB_OK);
    expect_error(send_to(0, 1, 2, 1000), OB_ENOMEM,
                 "process 0 cannot keep 1000 bytes more for process 1: 2064 bytes that it has not "
                 "received wait already (OPENBLACS_HEAP sets the limit)");
    expect_error(send_to(0, 1, 2, 3001), OB_ENOMEM, "3001 bytes more");
    expect(1, 0, 0, 1000, SIZE_MAX);
    assert_int_equal(send_to(0, 1, 2, 1000), OB_OK);
    expect(1, 0, 1, 1000, SIZE_MAX);
    expect(1, 0, 2, 1000, SIZE_MAX);
    end_world();
}

/* ------------------------------------------------------------------------- faults */

static void fail_next(const char *name, int good_calls)
{
    fake.good_calls = good_calls;
    fake.failing = name;
}

static void a_fault_of_mpi_is_one_line(void **state)
{
    ob_envelope e;
    begin_pair();
    ob_peer *peer = ob_job_peer(all[1].job, 0);
    fail_next("isend", 0);
    expect_error(send_to(0, 1, 0, 8), OB_ESYSTEM,
                 "process 0 cannot send to process 1: Fake MPI says: fault 17 [OB-3008]");
    assert_int_equal(send_to(0, 1, 1, 8), OB_OK);
    fail_next("probe", 0);
    expect_error(ob_mpi_transport.poll(peer, &e), OB_ESYSTEM,
                 "process 1 cannot receive from process 0: Fake MPI says: fault 17 [OB-3008]");
    fail_next("irecv", 0);
    expect_error(ob_mpi_transport.poll(peer, &e), OB_ESYSTEM,
                 "process 1 cannot receive from process 0");
    end_world();

    begin_pair();
    fail_next("test", 0);
    expect_error(send_to(0, 1, 0, 8), OB_ESYSTEM, "process 0 cannot send to process 1");
    expect_error(send_to(0, 1, 0, 8), OB_ESYSTEM, "process 0 cannot send to process 1");
    end_world();

    begin_world(2, 0);
    fail_next("create", 0);
    all[0].numbers = pair;
    all[0].size = 2;
    meet_one(&all[0]);
    assert_string_equal(all[0].error, "2 processes cannot meet: Fake MPI says: fault 17 [OB-3008]");
    fake_me = 0;
    end_world();
}

/* Its receiver waits for the rest: another message in its place would be taken for that. */
static void nothing_follows_half_a_message(void **state)
{
    begin_pair();
    fail_next("isend", 2);
    expect_error(send_to(0, 1, 0, 3 * OB_MPI_PIECE), OB_ESYSTEM,
                 "process 0 cannot send to process 1");
    expect_error(send_to(0, 1, 1, 8), OB_ESTATE,
                 "a message from process 0 to process 1 broke off before [OB-5012]");
    end_world();
}

static void post_raw(const void *data, size_t bytes)
{
    struct ob_mpi_link *l = ob_job_peer(all[0].job, 1)->link;
    ob_mpi_part *p = ob_mpi_part_take(&all[0].mpi.pool, bytes);
    memcpy(p->data, data, bytes);
    assert_int_equal(ob_mpi_post(l, OB_MPI_DATA, p), OB_OK);
}

static void what_is_no_message_is_refused(void **state)
{
    ob_envelope e;
    static const char few[5] = "oops";
    ob_mpi_header wrong[3];
    for (int way = 0; way < 5; way++) {
        begin_pair();
        memset(wrong, 0, sizeof wrong);
        wrong[0].magic = UINT32_C(0x4f42424d) + (way == 1);
        wrong[0].piece = way == 2 ? OB_MPI_PIECE + 1 : way == 3 ? OB_MPI_PIECE : 0;
        wrong[0].envelope.bytes = way == 4 ? 8 : sizeof *wrong;
        if (way == 0)
            post_raw(few, sizeof few);
        else
            post_raw(wrong, 2 * sizeof *wrong);
        expect_error(ob_mpi_transport.poll(ob_job_peer(all[1].job, 0), &e), OB_ESYSTEM,
                     way ? "process 0 sent what process 1 cannot read"
                         : "process 0 sent 5 bytes where process 1 expects a message [OB-3016]");
        end_world();
    }
}

static void after_mpi_finalize_messages_are_refused(void **state)
{
    ob_envelope e;
    begin_pair();
    atomic_store(&all[0].mpi.over, true);
    expect_error(send_to(0, 1, 0, 8), OB_ESTATE, "MPI_Finalize has been called");
    expect_error(ob_mpi_transport.poll(ob_job_peer(all[0].job, 1), &e), OB_ESTATE,
                 "MPI_Finalize has been called");
    end_world();
}

/* ------------------------------------------------------------------------ leaving */

static void *leave_one(void *argument)
{
    process *p = argument;
    atomic_store(&p->mpi.closing, true);
    p->status = ob_mpi_flush(&p->mpi);
    return NULL;
}

static bool gone(int at, int from)
{
    return ob_mpi_transport.gone(ob_job_peer(all[at].job, from));
}

/* Who waits asks once, and late; the answer counts when all that was sent has come. */
static void one_who_leaves_is_gone_when_its_messages_have_come(void **state)
{
    begin_pair();
    assert_int_equal(send_to(1, 0, 1, 8), OB_OK);
    assert_int_equal(send_to(1, 0, 2, 3 * OB_MPI_PIECE), OB_OK);
    for (int i = 0; i < 511; i++)
        assert_false(gone(0, 1));
    assert_int_equal(fake.asked, 0);
    for (int i = 0; i < 511; i++)
        assert_false(gone(0, 1));
    assert_int_equal(fake.asked, 1);
    assert_int_equal(pthread_create(&all[1].thread, NULL, leave_one, &all[1]), 0);
    struct ob_mpi_link *l = ob_job_peer(all[0].job, 1)->link;
    for (int i = 0; i < MOST_LOOKS && !l->left; i++) {
        assert_false(gone(0, 1));
        ob_mpi_pause(&(unsigned){i < 4000 ? 0 : 5000});
    }
    assert_true(l->left);
    assert_int_equal(l->sends, 2);
    expect(0, 1, 1, 8, 8);
    assert_false(gone(0, 1));
    expect(0, 1, 2, 3 * OB_MPI_PIECE, SIZE_MAX);
    assert_true(gone(0, 1));
    leave_one(&all[0]);
    pthread_join(all[1].thread, NULL);
    assert_int_equal(all[0].status, OB_OK);
    assert_int_equal(all[1].status, OB_OK);
    end_world();
}

static void what_nobody_receives_keeps_nobody(void **state)
{
    begin_world(4, 0);
    meet_well(pair, 2);
    meet_well(everybody, 4);
    fake.lazy = true;
    for (int i = 0; i < 12; i++)
        if (i % 4 != i / 4)
            assert_int_equal(send_to(i / 4, i % 4, i, sizes[i % SIZES]), OB_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, leave_one, &all[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i].thread, NULL);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(all[i].status, OB_OK);
        assert_int_equal(atomic_load(&all[i].mpi.waiting), 0);
    }
    assert_null(fake.items);
    end_world();
}

/* Though all others have nothing on their way, and this one nothing to its last neighbour. */
static void a_slow_receiver_keeps_its_sender(void **state)
{
    begin_world(4, 0);
    meet_well(everybody, 4);
    fake.lazy = true;
    fake.slow = 200;
    assert_int_equal(send_to(0, 1, 1, 2 * OB_MPI_PIECE), OB_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, leave_one, &all[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i].thread, NULL);
    assert_int_equal(atomic_load(&all[0].mpi.waiting), 0);
    end_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_all_sizes_arrive_whole_and_in_order),
        cmocka_unit_test(a_long_message_has_two_pieces_on_order),
        cmocka_unit_test(a_short_matrix_goes_with_its_header),
        cmocka_unit_test(what_mpi_has_taken_is_used_again),
        cmocka_unit_test(short_messages_do_not_make_impatient_of_long_ones),
        cmocka_unit_test(who_drains_waits_until_all_is_received),
        cmocka_unit_test(who_drains_does_not_wait_for_one_who_is_busy),
        cmocka_unit_test(a_limit_of_memory_holds_until_something_is_taken),
        cmocka_unit_test(a_fault_of_mpi_is_one_line),
        cmocka_unit_test(nothing_follows_half_a_message),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(after_mpi_finalize_messages_are_refused),
        cmocka_unit_test(one_who_leaves_is_gone_when_its_messages_have_come),
        cmocka_unit_test(what_nobody_receives_keeps_nobody),
        cmocka_unit_test(a_slow_receiver_keeps_its_sender),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
