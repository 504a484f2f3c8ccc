/*
 * Requests, case by case: probing, taking back, one of several; sizes and arguments that are
 * wrong, groups and processes that end. Processes are threads over one shared memory.
 */
#include "message/request_test.h"

/* ------------------------------------------------------------- probing, taking back */

static void probing(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        ob_received got;
        int there = 1;
        OK(ob_iprobe(g, 1, OB_ANY, &there, &got));
        TEAM_CHECK(!there, "nothing was sent");
        OK(ob_barrier(g));
        OK(ob_probe(g, OB_ANY, OB_ANY, &got));
        TEAM_CHECK(got.source == 1 && got.tag == 1 && got.bytes == 8, "%d", got.tag);
        OK(ob_probe(g, 1, 2, &got));
        TEAM_CHECK(got.tag == 2, "%d", got.tag);
        OK(ob_iprobe(g, 1, 1, &there, &got));
        TEAM_CHECK(there && got.tag == 1, "%d", got.tag);
        TEAM_CHECK(recv_value(g, 1, got.tag) == 10, "lost");
        OK(ob_iprobe(g, 1, 1, &there, &got));
        TEAM_CHECK(!there, "received already");
        TEAM_CHECK(recv_value(g, 1, OB_ANY) == 20, "lost");
    } else {
        OK(ob_barrier(g));
        send_value(g, 0, 1, 10);
        send_value(g, 0, 2, 20);
    }
    ob_group_free(g);
}

static void cancelling(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        double a = 0, b = 0;
        ob_received got;
        ob_request *r = post(g, 1, 1, &a), *s = post(g, OB_ANY, 1, &b);
        OK(ob_cancel(r));
        OK(ob_barrier(g));
        OK(ob_wait(&s, &got));
        TEAM_CHECK(b == 1 && got.source == 1, "%g", b);
        OK(ob_wait(&r, &got));
        TEAM_CHECK(got.source == OB_CANCELLED && a == 0, "%d", got.source);
        /* Too late: a message has met it. */
        r = post(g, 1, 2, &a);
        OK(ob_cancel(r));
        OK(ob_wait(&r, &got));
        TEAM_CHECK(got.source == 1 && a == 2, "%d", got.source);
        OK(ob_wait(&r, NULL));
    } else {
        send_value(g, 0, 2, 2);
        OK(ob_barrier(g));
        send_value(g, 0, 1, 1);
    }
    ob_group_free(g);
}

static void any_of(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        double x[4] = {0};
        ob_request *r[5];
        int index, left;
        for (int k = 0; k < 4; k++)
            r[k] = post(g, 1, k, &x[k]);
        r[4] = NULL;
        OK(ob_test_any(5, r, &index, &left, NULL));
        TEAM_CHECK(index == -1 && left == 4, "%d %d", index, left);
        OK(ob_barrier(g));
        for (int k = 0; k < 4; k++) {
            ob_received got;
            OK(ob_wait_any(5, r, &index, &got));
            TEAM_CHECK(index >= 0 && index == got.tag && r[index] == NULL, "%d", index);
        }
        for (int k = 0; k < 4; k++)
            TEAM_CHECK(x[k] == k, "%g", x[k]);
        OK(ob_wait_any(5, r, &index, NULL));
        TEAM_CHECK(index == -1, "%d", index);
        OK(ob_test_any(5, r, &index, &left, NULL));
        TEAM_CHECK(index == -1 && left == 0, "%d %d", index, left);
    } else {
        OK(ob_barrier(g));
        for (int k = 3; k >= 0; k--)
            send_value(g, 0, k, k);
    }
    ob_group_free(g);
}

static void test_probe_cancel_any(void **unused)
{
    run(2, probing);
    run(2, cancelling);
    run(2, any_of);
}

/* --------------------------------------------------------------------- failures */

static void sizes(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double x[9] = {0};
    if (me == 0) {
        ob_view two = ob_view_vector(x, 2, OB_DOUBLE), three = ob_view_vector(x, 3, OB_DOUBLE),
                nine = {.base = x, .m = 2, .n = 3, .ld = 3, .type = OB_DOUBLE};
        ob_request *r[3];
        ob_received got;
        OK(ob_irecv(g, 1, 1, &three, OB_EXACT, &r[0]));
        OK(ob_irecv(g, 1, 2, &two, OB_SHORTER, &r[1]));
        OK(ob_irecv(g, 1, 3, &nine, OB_SHORTER, &r[2]));
        OK(ob_barrier(g));
        OK(ob_wait(&r[2], &got));
        TEAM_CHECK(got.bytes == 24 && x[0] == 1 && x[1] == 2 && x[3] == 3 && x[4] == 0, "%g %g %g",
                   x[0], x[1], x[3]);
        TEAM_CHECK(ob_wait_all(2, r, NULL) == OB_ESIZE, "sizes differ");
        /* The first one's line, though the other one's is newer. */
        TEAM_CHECK(strcmp(ob_error_text(),
                          "the message from process 1 has 4 double precision elements (32 bytes), "
                          "the receive expects 3 double precision elements (24 bytes) [OB-5001]") ==
                       0,
                   "%s", ob_error_text());
        TEAM_CHECK(r[0] == NULL && r[1] == NULL, "both are ended");
        OK(ob_recv_with(g, 1, 4, &nine, OB_SHORTER, &got));
        TEAM_CHECK(got.bytes == 8 && x[0] == 7, "%g", x[0]);
        TEAM_CHECK(ob_recv_with(g, 1, 4, &nine, OB_EXACT, &got) == OB_ESIZE, "sizes differ");
        TEAM_CHECK(recv_value(g, 1, 5) == 8, "the next one is whole");
    } else {
        double y[4] = {1, 2, 3, 4};
        ob_view four = ob_view_vector(y, 4, OB_DOUBLE), three = ob_view_vector(y, 3, OB_DOUBLE);
        OK(ob_barrier(g));
        OK(ob_send(g, 0, 1, &four));
        OK(ob_send(g, 0, 2, &four));
        OK(ob_send(g, 0, 3, &three));
        send_value(g, 0, 4, 7);
        send_value(g, 0, 4, 7);
        send_value(g, 0, 5, 8);
    }
    ob_group_free(g);
}

static void group_ends(team *t, int me)
{
    ob_group *g = team_group(t, me), *part, *h = team_group(t, me);
    static const int both[] = {0, 1};
    double x = 0, y = 0, z = 0;
    OK(ob_group_part(g, 3, both, 2, &part));
    ob_request *r = post(g, 1 - me, 1, &x), *s = post(part, OB_ANY, 1, &y),
               *k = post(h, 1 - me, 1, &z);
    ob_group_free(part);
    TEAM_CHECK(ob_wait(&s, NULL) == OB_ESTATE, "%s", ob_error_text());
    ob_group_free(g);
    TEAM_CHECK(ob_wait(&r, NULL) == OB_ESTATE, "%s", ob_error_text());
    send_value(h, 1 - me, 1, 6);
    OK(ob_wait(&k, NULL));
    TEAM_CHECK(z == 6, "%g", z);
    ob_group_free(h);
}

static ob_request *announce(ob_group *g, int to, double *from)
{
    ob_request *r = NULL;
    ob_view v = ob_view_vector(from, 1, OB_DOUBLE);
    OK(ob_isend(g, to, 1, &v, OB_SYNCHRONOUS, &r));
    return r;
}

/* Synchronous sends, to the other process and to itself, whose group, or the part of it alone, is
 * freed: they end, and none of another group. */
static void group_of_senders_ends(team *t, int me)
{
    ob_group *g = team_group(t, me), *part, *h = team_group(t, me);
    static const int both[] = {0, 1};
    double x = 3;
    OK(ob_group_part(g, 3, both, 2, &part));
    ob_request *r = announce(g, 1 - me, &x), *own = announce(g, me, &x),
               *s = announce(part, 1 - me, &x), *k = announce(h, 1 - me, &x);
    ob_group_free(part);
    TEAM_CHECK(ob_wait(&s, NULL) == OB_ESTATE, "%s", ob_error_text());
    TEAM_CHECK(!is_done(&r), "its group is there");
    ob_group_free(g);
    TEAM_CHECK(ob_wait(&r, NULL) == OB_ESTATE, "%s", ob_error_text());
    TEAM_CHECK(strstr(ob_error_text(), "freed the group of a synchronous send before process"),
               "%s", ob_error_text());
    TEAM_CHECK(ob_wait(&own, NULL) == OB_ESTATE, "%s", ob_error_text());
    TEAM_CHECK(!is_done(&k), "its group is there");
    OK(ob_barrier(h));
    TEAM_CHECK(recv_value(h, 1 - me, 1) == 3, "lost");
    OK(ob_wait(&k, NULL));
    ob_group_free(h);
}

/* One side frees its group alone. What the other receives of it afterwards is met by nobody. */
static void group_of_one_sender_ends(team *t, int me)
{
    ob_group *g = team_group(t, me), *h = team_group(t, me);
    double x = 3;
    if (me == 0) {
        ob_request *r = announce(g, 1, &x);
        ob_group_free(g);
        TEAM_CHECK(ob_wait(&r, NULL) == OB_ESTATE, "%s", ob_error_text());
        r = announce(h, 1, &x);
        OK(ob_barrier(h));
        OK(ob_wait(&r, NULL));
    } else {
        OK(ob_barrier(h));
        TEAM_CHECK(recv_value(g, 0, 1) == 3, "lost");
        TEAM_CHECK(recv_value(h, 0, 1) == 3, "lost");
        ob_group_free(g);
    }
    ob_group_free(h);
}

static void process_ends(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 1) {
        recv_value(g, 0, 0);
        send_value(g, 0, 1, 1);
        team_sleep_us(20000);
        ob_segments_mark_gone(&t->memory, 1);
        ob_group_free(g);
        return;
    }
    double x = 0, y = 0, z = 0;
    ob_view v = ob_view_vector(&z, 1, OB_DOUBLE);
    ob_request *r = post(g, 1, 1, &x), *s = post(g, OB_ANY, 2, &y), *k;
    OK(ob_isend(g, 1, 9, &v, OB_SYNCHRONOUS, &k));
    send_value(g, 1, 0, 0);
    ob_received got;
    OK(ob_wait(&r, &got));
    TEAM_CHECK(x == 1, "%g", x);
    TEAM_CHECK(ob_wait(&k, NULL) == OB_EGONE, "%s", ob_error_text());
    TEAM_CHECK(strcmp(ob_error_text(), "process 1 has ended without receiving a synchronous "
                                       "message of process 0 [OB-5009]") == 0,
               "%s", ob_error_text());
    TEAM_CHECK(ob_wait(&s, NULL) == OB_EGONE, "%s", ob_error_text());
    r = post(g, 1, 1, &x);
    TEAM_CHECK(ob_wait(&r, NULL) == OB_EGONE, "%s", ob_error_text());
    TEAM_CHECK(
        strcmp(ob_error_text(), "process 1, which process 0 waits for, has ended [OB-5006]") == 0,
        "%s", ob_error_text());
    TEAM_CHECK(ob_probe(g, 1, 1, &got) == OB_EGONE, "%s", ob_error_text());
    /* Testing in a loop ends, too; not for what this process may still send itself. */
    int done = 0, status = OB_OK, own = 1;
    r = post(g, 1, 1, &x);
    s = post(g, 0, 1, &y);
    for (int i = 0; i < 1000 && !done; i++) {
        OK(ob_test(&s, &own, NULL));
        TEAM_CHECK(!own, "a receive from itself was given up");
        status = ob_test(&r, &done, NULL);
    }
    TEAM_CHECK(done && status == OB_EGONE, "%d: %s", status, ob_error_text());
    send_value(g, 0, 1, 5);
    OK(ob_wait(&s, NULL));
    TEAM_CHECK(y == 5, "%g", y);
    ob_group_free(g);
}

static void arguments(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double x = 0;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE);
    ob_request *r;
    int there;
    TEAM_CHECK(ob_isend(g, 1, 0, &v, OB_STANDARD, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_isend(g, 0, -1, &v, OB_STANDARD, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_isend(g, 0, OB_TAG_MAX + 1, &v, OB_STANDARD, &r) == OB_EARG, "tag");
    TEAM_CHECK(ob_isend(g, 0, 0, &v, (ob_mode)4, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_isend(g, 0, 0, NULL, OB_STANDARD, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_isend(g, 0, 0, &v, OB_STANDARD, NULL) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_irecv(g, 0, -2, &v, OB_EXACT, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_irecv(g, -2, 0, &v, OB_EXACT, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_irecv(g, 0, 0, &v, 2, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_irecv(NULL, 0, 0, &v, 0, &r) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_iprobe(g, 0, 0, NULL, NULL) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_iprobe(g, 3, 0, &there, NULL) == OB_EARG, "%s", ob_error_text());
    TEAM_CHECK(ob_wait(NULL, NULL) == OB_EARG, "%s", ob_error_text());
    ob_group_free(g);
}

static void test_failures(void **unused)
{
    run(2, sizes);
    run(2, group_ends);
    run(2, group_of_senders_ends);
    run(2, group_of_one_sender_ends);
    run(1, arguments);
}

static void test_process_ends(void **unused)
{
    assert_int_equal(team_try(2, 64 << 20, NULL, process_ends, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe_cancel_any),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_process_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
