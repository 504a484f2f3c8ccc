/*
 * Matching and waiting, case by case: sizes that differ, processes that end,
 * messages stored for others. Processes are threads over one shared memory, or
 * scripted by a transport that plays a part.
 */
#include "core/group.h"
#include "message/message.h"
#include "node/thread_team.h"
#include "unit.h"

static int send_double(ob_group *g, int to, int tag, double value)
{
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    return ob_send(g, to, tag, &v);
}

static int recv_double(ob_group *g, int from, int tag, double *value)
{
    ob_view v = ob_view_vector(value, 1, OB_DOUBLE);
    return ob_recv(g, from, tag, &v, NULL);
}

/* ------------------------------------------------------------- wrong sizes */

static void expect_size_error(ob_group *g, int from, const ob_view *v, const char *line)
{
    TEAM_CHECK(ob_recv(g, from, 0, v, NULL) == OB_ESIZE, "not refused: %s", line);
    TEAM_CHECK(strcmp(ob_error_text(), line) == 0, "%s", ob_error_text());
}

static void size_work(team *t, int me)
{
    static double big[40000];
    ob_group *g = team_group(t, me);
    ob_view seven = {.base = big, .m = 7, .n = 1, .ld = 7, .type = OB_INT};
    ob_view tri = {.base = big, .m = 4, .n = 4, .ld = 5, .type = OB_DCOMPLEX, .shape = OB_UPPER};
    ob_view many = ob_view_vector(big, 40000, OB_DOUBLE), none = ob_view_vector(NULL, 0, OB_DOUBLE);
    if (me == 1) {
        OK(ob_send(g, 0, 0, &seven));
        OK(ob_send(g, 0, 0, &many));
        OK(ob_send(g, 0, 0, &none));
        OK(send_double(g, 0, 0, 42));
    } else {
        double x[200], value = 0;
        ob_view one = ob_view_vector(x, 1, OB_DOUBLE);
        ob_view small = {.base = x, .m = 2, .n = 2, .ld = 2, .type = OB_DCOMPLEX};
        expect_size_error(g, 1, &one,
                          "the message from process 1 has 7 integer elements (28 bytes), the "
                          "receive expects 1 double precision element (8 bytes) [OB-5001]");
        expect_size_error(
            g, 1, &small,
            "the message from process 1 has 40000 double precision elements (320000 "
            "bytes), the receive expects 4 double complex elements (64 bytes) [OB-5001]");
        tri.base = x;
        expect_size_error(g, 1, &tri,
                          "the message from process 1 has 0 double precision elements (0 bytes), "
                          "the receive expects 10 double complex elements (160 bytes) [OB-5001]");
        TEAM_CHECK(recv_double(g, 1, 0, &value) == OB_OK && value == 42, "%g: %s", value,
                   ob_error_text());
    }
    ob_group_free(g);
}

/* A message is received as what it is, or as bytes. */
static void type_work(team *t, int me)
{
    double x[2] = {1.5, -2.5}, y[2] = {0, 0};
    ob_group *g = team_group(t, me);
    ob_view sent = ob_view_vector(x, 2, OB_DOUBLE), bytes = ob_view_of_bytes(y, sizeof y);
    ob_view ints = {.base = y, .m = 2, .n = 2, .ld = 2, .type = OB_INT}, none = ints;
    none.m = 0;
    if (me == 1) {
        for (int k = 0; k < 2; k++)
            OK(ob_send(g, 0, 0, &sent));
        sent.m = 0;
        OK(ob_send(g, 0, 0, &sent));
    } else {
        expect_size_error(g, 1, &ints,
                          "the message from process 1 has 2 double precision elements (16 bytes), "
                          "the receive expects 4 integer elements (16 bytes) [OB-5001]");
        OK(ob_recv(g, 1, 0, &bytes, NULL));
        TEAM_CHECK(y[0] == 1.5 && y[1] == -2.5, "%g %g", y[0], y[1]);
        OK(ob_recv(g, 1, 0, &none, NULL));
    }
    ob_group_free(g);
}

static void test_types_differ(void **unused)
{
    assert_int_equal(team_try(2, 64 << 20, NULL, type_work, NULL), 0);
}

static void test_sizes_differ(void **unused)
{
    assert_int_equal(team_try(2, 64 << 20, NULL, size_work, NULL), 0);
}

/* The same for a message that had been stored for another receive. */
static void test_stored_sizes_differ(void **unused)
{
    team t;
    double x[3] = {0}, value = 0;
    team_open(&t, 2, 64 << 20, NULL);
    ob_group *a = team_group(&t, 0), *b = team_group(&t, 1);
    ob_view three = ob_view_vector(x, 3, OB_DOUBLE);
    assert_int_equal(ob_send(b, 0, 5, &three), OB_OK);
    assert_int_equal(send_double(b, 0, 5, 1), OB_OK);
    assert_int_equal(send_double(b, 0, 6, 2), OB_OK);
    assert_int_equal(recv_double(a, 1, 6, &value), OB_OK);
    assert_true(value == 2);
    assert_int_equal(recv_double(a, 1, 5, &value), OB_ESIZE);
    assert_int_equal(recv_double(a, 1, 5, &value), OB_OK);
    assert_true(value == 1);
    ob_group_free(a);
    ob_group_free(b);
    assert_int_equal(team_close(&t), 0);
}

/* -------------------------------------------------------- processes that end */

static void wait_for_gone(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double value = 0;
    if (me == 0) {
        for (int k = 0; k < 3; k++)
            OK(send_double(g, 1, k, k));
        team_sleep_us(20000);
        ob_segments_mark_gone(&t->memory, 0);
    } else {
        TEAM_CHECK(recv_double(g, 0, 2, &value) == OB_OK && value == 2, "%g", value);
        double before = ob_time();
        TEAM_CHECK(recv_double(g, 0, 3, &value) == OB_EGONE, "%s", ob_error_text());
        TEAM_CHECK(strcmp(ob_error_text(),
                          "process 0, which process 1 waits for, has ended [OB-5006]") == 0,
                   "%s", ob_error_text());
        TEAM_CHECK(ob_time() - before < 2, "found out after %g s", ob_time() - before);
        TEAM_CHECK(recv_double(g, 0, 0, &value) == OB_OK && value == 0, "%g", value);
        TEAM_CHECK(recv_double(g, 0, OB_ANY, &value) == OB_OK && value == 1, "%g", value);
        TEAM_CHECK(recv_double(g, OB_ANY, OB_ANY, &value) == OB_EGONE, "%s", ob_error_text());
    }
    ob_group_free(g);
}

static void test_gone(void **unused)
{
    static const ob_settings sleepy = {.spin_us = 0};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(team_try(2, 64 << 20, k ? &sleepy : NULL, wait_for_gone, NULL), 0);
    }
}

/* A process that ended before anybody looked: its messages are still there,
 * long ones too. */
static void test_sent_before_gone(void **unused)
{
    enum { COUNT = 700000 };
    team t;
    double value = 0, *x = calloc(COUNT, sizeof *x);
    team_open(&t, 2, 64 << 20, NULL);
    ob_group *a = team_group(&t, 0), *b = team_group(&t, 1);
    ob_view v = ob_view_vector(x, COUNT, OB_DOUBLE);
    x[COUNT - 1] = 3;
    assert_int_equal(ob_send(a, 1, 0, &v), OB_OK);
    assert_int_equal(send_double(a, 1, 0, 4), OB_OK);
    ob_segments_mark_gone(&t.memory, 0);
    x[COUNT - 1] = 0;
    assert_int_equal(ob_recv(b, 0, 0, &v, NULL), OB_OK);
    assert_true(x[COUNT - 1] == 3);
    assert_int_equal(recv_double(b, 0, 0, &value), OB_OK);
    assert_true(value == 4);
    assert_int_equal(recv_double(b, 0, 0, &value), OB_EGONE);
    ob_group_free(a);
    ob_group_free(b);
    free(x);
    assert_int_equal(team_close(&t), 0);
}

/* Waiting for oneself can not end. */
static void test_waiting_for_oneself(void **unused)
{
    ob_job *job;
    ob_group *g;
    double value;
    int me = 0;
    assert_int_equal(ob_job_alone(&job), OB_OK);
    assert_int_equal(ob_group_create(job, &me, 1, &g), OB_OK);
    assert_int_equal(send_double(g, 0, 1, 5), OB_OK);
    assert_int_equal(recv_double(g, 0, 2, &value), OB_EGONE);
    assert_string_equal(ob_error_text(),
                        "process 0 waits for a message from itself that it has not sent [OB-5007]");
    assert_int_equal(recv_double(g, OB_ANY, 2, &value), OB_EGONE);
    assert_int_equal(recv_double(g, OB_ANY, 1, &value), OB_OK);
    assert_true(value == 5);
    ob_group_free(g);
    ob_job_destroy(job);
}

/* --------------------------------------------------------- one send to several */

static const ob_transport *usual;
static int shared, sharers;

static int count_share(ob_peer *const *peers, int count, const ob_envelope *e, ob_cursor *data)
{
    shared++;
    sharers = count;
    return usual->share(peers, count, e, data);
}

static void expect_values(ob_group *g, const ob_view *v, double *x, double first)
{
    memset(x, 0, v->m * sizeof *x);
    assert_int_equal(ob_recv(g, 0, 7, v, NULL), OB_OK);
    for (size_t i = 0; i < v->m; i++)
        assert_true(x[i] == first + (double)i);
}

/* A long message for two is packed once, a short one or one for a single receiver is not; and
 * every lock is free afterwards. */
static void test_one_message_for_many(void **unused)
{
    enum { COUNT = 5000 };
    static double x[COUNT];
    static ob_transport counting;
    const int dests[] = {2, 1};
    static const struct {
        size_t length;
        int receivers, shared;
    } tries[] = {{COUNT, 2, 1}, {3, 2, 0}, {COUNT, 1, 0}, {3, 0, 0}, {COUNT, 2, 1}};
    team t;
    ob_group *g[3];
    team_open(&t, 3, 64 << 20, NULL);
    for (int i = 0; i < 3; i++)
        g[i] = team_group(&t, i);
    usual = g[0]->peer[1]->transport;
    counting = *usual;
    counting.share = count_share;
    g[0]->peer[1]->transport = g[0]->peer[2]->transport = &counting;
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        ob_view v = ob_view_vector(x, tries[k].length, OB_DOUBLE);
        for (size_t i = 0; i < COUNT; i++)
            x[i] = (double)(1000 * k + i);
        shared = 0;
        int many = tries[k].receivers;
        assert_int_equal(ob_send_many(g[0], many ? dests : NULL, many, 7, &v), OB_OK);
        assert_int_equal(shared, tries[k].shared);
        assert_int_equal(sharers, 2);
        for (int i = 1; i < 3; i++) {
            assert_true(ob_lock_try(&g[0]->peer[i]->send_lock));
            ob_lock_release(&g[0]->peer[i]->send_lock);
        }
        for (int i = 0; i < many; i++)
            expect_values(g[dests[i]], &v, x, 1000.0 * (double)k);
    }
    for (int i = 0; i < 3; i++)
        ob_group_free(g[i]);
    assert_int_equal(team_close(&t), 0);
}

/* ------------------------------------------------------ a scripted transport */

/* The second process of a job of two: it sends `script.bytes` in parts, the
 * last of which only appears once the receiver has asked whether the process
 * is gone, as if it had ended just then; or (stuck) never. */
static struct script {
    size_t bytes, shown, moved;
    int asked_gone, stuck;
    uint64_t context;
} script;

static int script_poll(ob_peer *peer, ob_envelope *e)
{
    (void)peer;
    if (script.moved == script.bytes)
        return 0;
    *e = (ob_envelope){.context = script.context, .bytes = script.bytes, .type = OB_BYTE};
    return 1;
}

static ptrdiff_t script_pull(ob_peer *peer, ob_cursor *sink)
{
    static const char zeros[64];
    (void)peer;
    bool all = script.asked_gone && !script.stuck;
    size_t step = (all ? script.bytes : script.shown) - script.moved;
    if (step)
        ob_cursor_unpack(sink, zeros, step);
    script.moved += step;
    return (ptrdiff_t)step;
}

static bool script_gone(ob_peer *peer)
{
    (void)peer;
    script.asked_gone = 1;
    return true;
}

static bool script_arm(ob_peer *peer, bool *heavy)
{
    (void)peer;
    (void)heavy;
    return false;
}

static const ob_transport scripted = {.name = "script",
                                      .poll = script_poll,
                                      .pull = script_pull,
                                      .gone = script_gone,
                                      .arm = script_arm};

static ob_group *scripted_group(ob_job **its)
{
    ob_job *job;
    ob_peer *peer = aligned_alloc(OB_LINE, sizeof *peer);
    const int both[] = {0, 1};
    ob_group *g;
    assert_int_equal(ob_job_alone(&job), OB_OK);
    free(job->peers);
    assert_int_equal(ob_job_set_size(job, 0, 2), OB_OK);
    memset(peer, 0, sizeof *peer);
    *peer = (ob_peer){.transport = &scripted, .job = job, .number = 1};
    atomic_store(&job->peers[1], peer);
    assert_int_equal(ob_group_create(job, both, 2, &g), OB_OK);
    script = (struct script){.bytes = 64, .shown = 40, .context = g->context};
    *its = job;
    return g;
}

/* Regression: a process that ended between the look that found no more of its
 * message and the question whether it has ended had its last bytes dropped. */
static void test_ended_while_sending_its_last(void **unused)
{
    ob_job *job;
    char bytes[64];
    ob_group *g = scripted_group(&job);
    ob_view v = ob_view_of_bytes(bytes, 64);
    int status = ob_recv(g, 1, 0, &v, NULL);
    if (status != OB_OK)
        fail_msg("%s", ob_error_text());
    ob_group_free(g);
    ob_job_destroy(job);
}

/* What has come of a message when the job ends is freed with it. */
static void test_job_ends_amid_a_message(void **unused)
{
    ob_job *job;
    int there = 1;
    ob_group *g = scripted_group(&job);
    script.stuck = 1;
    ob_iprobe(g, 1, 5, &there, NULL);
    assert_false(there);
    assert_int_equal(script.moved, 40);
    ob_group_free(g);
    ob_job_destroy(job);
}

/* --------------------------------------------------------- stored and dropped */

static void test_reverse_order(void **unused)
{
    enum { MESSAGES = 2000 };
    team t;
    team_open(&t, 2, 64 << 20, NULL);
    ob_group *a = team_group(&t, 0), *b = team_group(&t, 1);
    for (int k = 0; k < MESSAGES; k++)
        assert_int_equal(send_double(a, 1, k, k), OB_OK);
    for (int k = MESSAGES - 1; k >= 0; k--) {
        double value = -1;
        assert_int_equal(recv_double(b, 0, k, &value), OB_OK);
        assert_true(value == k);
    }
    ob_group_free(a);
    ob_group_free(b);
    assert_int_equal(team_close(&t), 0);
}

/* A freed group takes what had arrived for it along, and nothing else. */
static void test_freed_group_drops(void **unused)
{
    team t;
    double value = 0;
    team_open(&t, 2, 64 << 20, NULL);
    ob_group *a = team_group(&t, 0), *b = team_group(&t, 1);
    ob_group *a2 = team_group(&t, 0), *b2 = team_group(&t, 1);
    assert_int_equal(send_double(a, 1, 0, 1), OB_OK);
    assert_int_equal(send_double(a2, 1, 0, 2), OB_OK);
    assert_int_equal(send_double(a, 1, 0, 3), OB_OK);
    assert_int_equal(send_double(a2, 1, 1, 4), OB_OK);
    assert_int_equal(recv_double(b2, 0, 1, &value), OB_OK);
    assert_true(value == 4);
    ob_group_free(b);
    ob_group_free(a);
    assert_int_equal(recv_double(b2, 0, 0, &value), OB_OK);
    assert_true(value == 2);
    assert_int_equal(atomic_load(&t.job[1]->peers[0]->aside), 0);
    ob_group_free(a2);
    ob_group_free(b2);
    assert_int_equal(team_close(&t), 0);
}

static void expect_argument(int status, const char *line)
{
    assert_int_equal(status, OB_EARG);
    assert_string_equal(ob_error_text(), line);
}

static void test_arguments(void **unused)
{
    ob_job *job;
    ob_group *g;
    double x[6];
    int me = 0;
    assert_int_equal(ob_job_alone(&job), OB_OK);
    assert_int_equal(ob_group_create(job, &me, 1, &g), OB_OK);
    ob_view v = ob_view_vector(x, 6, OB_DOUBLE);
    expect_argument(ob_send(NULL, 0, 0, &v), "ob_send: the group is NULL [OB-1001]");
    expect_argument(ob_recv(g, 0, 0, NULL, NULL), "ob_recv: the matrix is NULL [OB-1002]");
    expect_argument(ob_send(g, 1, 0, &v),
                    "ob_send: destination 1 is outside the group of 1 [OB-1009]");
    expect_argument(ob_send(g, OB_ANY, 0, &v),
                    "ob_send: destination -1 is outside the group of 1 [OB-1009]");
    expect_argument(ob_recv(g, -2, 0, &v, NULL),
                    "ob_recv: source -2 is outside the group of 1 [OB-1009]");
    expect_argument(ob_send(g, 0, -1, &v), "ob_send: tag -1 is negative [OB-1022]");
    expect_argument(ob_recv(g, 0, -2, &v, NULL), "ob_recv: tag -2 is negative [OB-1022]");
    v.type = OB_TYPES;
    expect_argument(ob_send(g, 0, 0, &v), "ob_send: type 7 is none [OB-1018]");
    v = (ob_view){.base = x, .m = 3, .n = 2, .ld = 2, .type = OB_DOUBLE};
    expect_argument(ob_recv(g, 0, 0, &v, NULL),
                    "ob_recv: the leading dimension is 2, must be at least 3 [OB-1004]");
    v = (ob_view){.m = 3, .n = 2, .ld = 3, .type = OB_DOUBLE};
    expect_argument(ob_send(g, 0, 0, &v),
                    "ob_send: the matrix has 6 elements but no address [OB-1002]");
    v = (ob_view){.base = x, .m = 3, .n = (size_t)1 << 40, .ld = (size_t)1 << 24, .type = OB_INT};
    expect_argument(ob_send(g, 0, 0, &v),
                    "ob_send: the matrix has 3 rows, 1099511627776 columns and a leading dimension "
                    "of 16777216; memory cannot hold so many elements [OB-1005]");
    v = (ob_view){.base = x, .m = 3, .n = ((size_t)1 << 30) - 1, .type = OB_DCOMPLEX};
    v.ld = v.n;
    expect_argument(ob_send(g, 0, 0, &v),
                    "ob_send: the matrix has 3 rows, 1073741823 columns and a leading dimension of "
                    "1073741823; memory cannot hold so many elements [OB-1005]");
    v = ob_view_vector(x, 6, OB_DOUBLE);
    char nowhere[64]; /* C libraries print NULL in different ways */
    snprintf(nowhere, sizeof nowhere, "ob_send_many: 2 destinations at %p [OB-1001]", (void *)NULL);
    expect_argument(ob_send_many(g, NULL, 2, 0, &v), nowhere);
    v.shape = (ob_shape)3;
    v.base = x;
    expect_argument(ob_send(g, 0, 0, &v), "ob_send: shape 3 is none [OB-1018]");
    ob_group_free(g);
    ob_job_destroy(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_differ),
        cmocka_unit_test(test_types_differ),
        cmocka_unit_test(test_stored_sizes_differ),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_sent_before_gone),
        cmocka_unit_test(test_waiting_for_oneself),
        cmocka_unit_test(test_one_message_for_many),
        cmocka_unit_test(test_ended_while_sending_its_last),
        cmocka_unit_test(test_job_ends_amid_a_message),
        cmocka_unit_test(test_reverse_order),
        cmocka_unit_test(test_freed_group_drops),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
