/*
 * Reading each other's clocks, on an MPI library in memory whose processes have one clock: who asks
 * whom, and that what is read is right within the error that is told with it.
 */
#include "trace/internal.h"
#include "transport/mpi/world_test.h"

static const int everybody[] = {0, 1, 2, 3};

static ob_mpi_meeting *meeting_of(int number)
{
    return atomic_load(&all[number].mpi.meetings);
}

/* So many processes, each on a node of its own. However late the machine lets a thread run, nobody
 * gives up: they wait for an hour. */
static void begin_apart(int processes)
{
    begin_world(processes, 0);
    fake.patience = INT32_MAX; /* who waits for its turn looks often */
    for (int i = 0; i < processes; i++) {
        all[i].mpi.clock_seconds = 3600;
        fake.node[i] = i;
    }
    memset(ob_trace.sync, 0, sizeof ob_trace.sync);
    atomic_store(&ob_trace.sync_count, 0);
}

/* Their meeting compares clocks, and tells of these nodes: those of one node need no memory in
 * common here. */
static void begin(int processes, const int *node)
{
    begin_apart(processes);
    meet_well(everybody, processes);
    for (int i = 0; i < processes; i++) {
        meeting_of(i)->clocked = true;
        for (int k = 0; k < processes; k++)
            meeting_of(i)->seat[k].node = node[k];
    }
}

static void *compare_one(void *argument)
{
    process *p = argument;
    ob_mpi_clock(&p->mpi, meeting_of(p->job->number));
    return NULL;
}

static void *compare_all(void *argument)
{
    process *p = argument;
    ob_mpi_clocks(&p->mpi);
    return NULL;
}

/* From `first` on; how many readings there are afterwards. */
static int compare(int first, void *(*how)(void *))
{
    for (int i = first; i < count; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, how, &all[i]), 0);
    for (int i = first; i < count; i++)
        pthread_join(all[i].thread, NULL);
    return (int)atomic_load(&ob_trace.sync_count);
}

static void check_readings(int readings, int reference, int64_t before, int64_t after)
{
    for (int i = 0; i < readings; i++) {
        const ob_trace_sync *s = &ob_trace.sync[i];
        int64_t off = s->offset < 0 ? -s->offset : s->offset;
        assert_int_equal(s->reference, reference);
        assert_true(s->error > 0);
        assert_true((uint64_t)off <= s->error); /* there is but one clock */
        assert_true(s->at >= before && s->at <= after);
    }
}

/* ------------------------------------------------------------------------ one meeting */

static void each_other_node_reads_the_first_ones_clock(void **state)
{
    static const int node[] = {0, 1, 2};
    begin(3, node);
    int64_t before = ob_clock_system();
    assert_int_equal(compare(0, compare_one), 2);
    check_readings(2, 0, before, ob_clock_system());
    end_world();
}

static void one_process_of_a_node_is_enough(void **state)
{
    static const int two[] = {0, 1}, node[] = {0, 0, 1, 1};
    begin(2, two);
    int sent = fake.sent;
    assert_int_equal(compare(0, compare_one), 1);
    int usual = fake.sent - sent;
    end_world();
    begin(4, node);
    sent = fake.sent;
    int64_t before = ob_clock_system();
    assert_int_equal(compare(0, compare_one), 1);
    check_readings(1, 0, before, ob_clock_system());
    assert_int_equal(fake.sent - sent, usual);
    assert_int_equal(usual % 2, 0); /* each question has an answer */
    end_world();
}

static void nobody_reads_where_nobody_records_or_one_node_is_all(void **state)
{
    static const int apart[] = {0, 1}, together[] = {0, 0};
    begin(2, apart);
    for (int i = 0; i < 2; i++)
        meeting_of(i)->clocked = false;
    int sent = fake.sent;
    assert_int_equal(compare(0, compare_one), 0);
    assert_int_equal(fake.sent, sent);
    end_world();
    begin(2, together);
    sent = fake.sent;
    assert_int_equal(compare(0, compare_one), 0);
    assert_int_equal(fake.sent, sent);
    end_world();
}

static int heard;

/* The third answer is late. */
static int late_irecv(ob_mpi_comm *comm, int source, int tag, void *data, int bytes,
                      ob_mpi_request *request)
{
    if (++heard == 3)
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    return fake_irecv(comm, source, tag, data, bytes, request);
}

/* Of all tries the fastest counts, and half of its time is the error. */
static void a_slow_answer_is_not_taken(void **state)
{
    static const int node[] = {0, 1};
    static struct ob_mpi_module late;
    late = fake_module;
    late.irecv = late_irecv;
    begin(2, node);
    all[1].mpi.module = &late;
    assert_int_equal(compare(0, compare_one), 1);
    assert_true(heard > 3);
    assert_true(ob_trace.sync[0].error < 250000000);
    end_world();
}

/* Its patience ends; it has read nothing. */
static void nobody_waits_for_one_who_does_not_come(void **state)
{
    static const int node[] = {0, 1};
    begin(2, node);
    all[1].mpi.clock_seconds = 0.01;
    assert_int_equal(compare(1, compare_one), 0);
    assert_true(fake.patience > 0); /* the library has not given up */
    end_world();
}

static void a_fault_of_mpi_ends_the_reading(void **state)
{
    static const int node[] = {0, 1};
    static const char *const calls[] = {"isend", "irecv", "test"};
    for (int i = 0; i < 3; i++) {
        begin(2, node);
        fake.failing = calls[i];
        fake.good_calls = 0;
        fake.patience = 100000;
        assert_int_equal(compare(0, compare_one), 0);
        assert_null(fake.failing);
        end_world();
    }
}

/* ------------------------------------------------------------------------ all meetings */

/* Made in another order by each process; all have to take them in one. */
static void all_meetings_are_taken_in_one_order(void **state)
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    begin_apart(3);
    for (int i = 0; i < 3; i++)
        meet_well(pairs[i], 2);
    meet_well(everybody, 3);
    for (int i = 0; i < 3; i++) {
        ob_mpi_meeting *list[4];
        int n = 0;
        for (ob_mpi_meeting *m = meeting_of(i); m; m = m->next) {
            m->clocked = true;
            list[n++] = m;
        }
        assert_int_equal(n, 3); /* of all, and two pairs */
        for (int k = 0; k < n; k++)
            list[(k + i) % n]->next = k + 1 < n ? list[(k + 1 + i) % n] : NULL;
        atomic_store(&all[i].mpi.meetings, list[i % n]);
    }
    int readings = compare(0, compare_all), of[3] = {0};
    assert_int_equal(readings, 3); /* all of them have met in pairs before */
    for (int i = 0; i < readings; i++)
        of[ob_trace.sync[i].reference]++;
    assert_int_equal(of[0], 2);
    assert_int_equal(of[1], 1);
    end_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_other_node_reads_the_first_ones_clock),
        cmocka_unit_test(one_process_of_a_node_is_enough),
        cmocka_unit_test(nobody_reads_where_nobody_records_or_one_node_is_all),
        cmocka_unit_test(a_slow_answer_is_not_taken),
        cmocka_unit_test(nobody_waits_for_one_who_does_not_come),
        cmocka_unit_test(a_fault_of_mpi_ends_the_reading),
        cmocka_unit_test(all_meetings_are_taken_in_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
