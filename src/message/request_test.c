/*
 * Requests, case by case: the four modes of sending, the order in which posted
 * receives are served, wildcards; and that whoever waits for one thing moves the
 * others. Processes are threads over one shared memory.
 */
#include "message/request_test.h"

/* ------------------------------------------------------------------------ order */

enum { MANY = 300 };

/* Receives posted before anything comes, messages in another order. */
static void posted_early(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        static double place[MANY];
        ob_request *r[MANY];
        ob_received got[MANY];
        for (int k = 0; k < MANY; k++)
            r[k] = post(g, 1, k, &place[k]);
        OK(ob_barrier(g));
        OK(ob_wait_all(MANY, r, got));
        for (int k = 0; k < MANY; k++)
            TEAM_CHECK(place[k] == k && got[k].tag == k && got[k].source == 1 &&
                           got[k].bytes == 8 && got[k].type == OB_DOUBLE && r[k] == NULL,
                       "%d: %g", k, place[k]);
    } else {
        OK(ob_barrier(g));
        for (int k = MANY - 1; k >= 0; k--)
            send_value(g, 0, k, k);
    }
    ob_group_free(g);
}

/* The same with messages that are there before any receive. */
static void posted_late(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        static double place[MANY];
        ob_request *r[MANY];
        OK(ob_barrier(g));
        for (int k = MANY - 1; k >= 0; k--) {
            r[k] = post(g, 1, k, &place[k]);
            TEAM_CHECK(is_done(&r[k]), "%d", k);
        }
        for (int k = 0; k < MANY; k++)
            TEAM_CHECK(place[k] == k, "%d: %g", k, place[k]);
    } else {
        for (int k = 0; k < MANY; k++)
            send_value(g, 0, k, k);
        OK(ob_barrier(g));
    }
    ob_group_free(g);
}

/* A message goes to the receive that was posted first, wildcards or not. */
static void first_posted_first(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        double x[6] = {0};
        ob_request *r[6] = {post(g, OB_ANY, OB_ANY, &x[0]), post(g, 1, 7, &x[1]),
                            post(g, OB_ANY, 7, &x[2]),      post(g, 1, OB_ANY, &x[3]),
                            post(g, 1, 7, &x[4]),           post(g, 1, 8, &x[5])};
        ob_received got[6];
        OK(ob_barrier(g));
        OK(ob_wait_all(6, r, got));
        for (int k = 0; k < 6; k++)
            TEAM_CHECK(x[k] == k + 1 && got[k].tag == (k == 5 ? 8 : 7) && got[k].source == 1,
                       "%d: %g", k, x[k]);
    } else {
        OK(ob_barrier(g));
        for (int k = 1; k <= 5; k++)
            send_value(g, 0, 7, k);
        send_value(g, 0, 8, 6);
    }
    ob_group_free(g);
}

/* A receive that waits comes after those posted, a message sent first before one
 * sent later, through whichever receive. */
static void waiting_after_posted(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        double first = 0;
        ob_request *r = post(g, 1, OB_ANY, &first);
        TEAM_CHECK(recv_value(g, 1, 3) == 2, "overtaken");
        TEAM_CHECK(is_done(&r) && first == 1, "%g", first);
        r = post(g, 1, 4, &first);
        OK(ob_barrier(g));
        TEAM_CHECK(recv_value(g, 1, 5) == 20, "another tag");
        OK(ob_wait(&r, NULL));
        TEAM_CHECK(first == 10, "%g", first);
    } else {
        send_value(g, 0, 3, 1);
        send_value(g, 0, 3, 2);
        OK(ob_barrier(g));
        send_value(g, 0, 5, 20);
        send_value(g, 0, 4, 10);
    }
    ob_group_free(g);
}

static atomic_int sent;

/* What has been sent is found by the first test. */
static void one_look_finds_it(team *t, int me)
{
    ob_group *g = team_group(t, me);
    if (me == 0) {
        double x = 0;
        ob_request *r = post(g, 1, 1, &x);
        atomic_store(&sent, 1);
        while (atomic_load(&sent) != 2)
            team_sleep_us(20);
        TEAM_CHECK(is_done(&r) && x == 3, "%g", x);
        OK(ob_wait(&r, NULL));
    } else {
        while (atomic_load(&sent) != 1)
            team_sleep_us(20);
        send_value(g, 0, 1, 3);
        atomic_store(&sent, 2);
    }
    ob_group_free(g);
}

static void test_order(void **unused)
{
    run(2, one_look_finds_it);
    run(2, posted_early);
    run(2, posted_late);
    run(2, first_posted_first);
    run(2, waiting_after_posted);
}

/* Process 0 waits for a message beside an open request, and then for the request: both times it
 * comes to sleep. */
static void waits_sleeping(team *t, int me)
{
    enum { SECONDS = 4 };
    ob_group *g = team_group(t, me);
    atomic_uint *naps = &ob_segments_header(&t->memory, 0)->naps;
    if (me == 0) {
        double x = 0;
        ob_request *r = post(g, 1, 1, &x);
        TEAM_CHECK(recv_value(g, 1, 2) == 2, "another message");
        send_value(g, 1, 3, 3);
        OK(ob_wait(&r, NULL));
        TEAM_CHECK(x == 1, "%g", x);
    } else {
        for (int tag = 2; tag > 0; tag--) {
            unsigned before = atomic_load(naps);
            double until = ob_time() + SECONDS;
            while (atomic_load(naps) == before && ob_time() < until)
                team_sleep_us(1000);
            TEAM_CHECK(atomic_load(naps) != before, "wait %d is without rest", 3 - tag);
            send_value(g, 0, tag, tag);
            if (tag == 2)
                recv_value(g, 0, 3);
        }
    }
    ob_group_free(g);
}

/* The first large send starts the background thread, under the job's lock. */
static void starts_unlocked(team *t, int me)
{
    enum { LARGE = 100000, MS = 1000 };
    ob_group *g = team_group(t, me);
    double *x = calloc(LARGE, sizeof *x);
    ob_view v = ob_view_vector(x, LARGE, OB_DOUBLE);
    if (me == 0) {
        ob_request *r;
        bool free_again = false;
        OK(ob_isend(g, 1, 1, &v, OB_STANDARD, &r));
        for (int ms = 0; ms < MS && !free_again; ms++) {
            free_again = ob_lock_try(&t->job[0]->lock);
            if (!free_again)
                team_sleep_us(1000);
        }
        TEAM_CHECK(free_again, "the job's lock is kept");
        if (free_again)
            ob_lock_release(&t->job[0]->lock);
        OK(ob_wait(&r, NULL));
    } else {
        OK(ob_recv(g, 0, 1, &v, NULL));
    }
    free(x);
    ob_group_free(g);
}

static void test_background_starts(void **unused)
{
    run(2, starts_unlocked);
}

static void test_waits_sleep(void **unused)
{
    static const ob_settings sleepy = {.spin_us = 0};
    assert_int_equal(team_try(2, 64 << 20, &sleepy, waits_sleeping, NULL), 0);
}

/* From any member, to oneself too, and large ones that arrive in parts. */
static void all_to_all(team *t, int me)
{
    enum { BIG = 70000 };
    ob_group *g = team_group(t, me);
    int p = t->count;
    double *in = malloc((size_t)p * BIG * sizeof *in), *out = malloc(BIG * sizeof *out);
    ob_request *r[2 * TEAM_MOST];
    ob_received got[2 * TEAM_MOST];
    for (int i = 0; i < BIG; i++)
        out[i] = me + 1e-6 * i;
    for (int k = 0; k < p; k++) {
        ob_view v = ob_view_vector(in + (size_t)k * BIG, BIG, OB_DOUBLE);
        OK(ob_irecv(g, OB_ANY, 2, &v, OB_EXACT, &r[k]));
    }
    for (int k = 0; k < p; k++) {
        ob_view v = ob_view_vector(out, BIG, OB_DOUBLE);
        OK(ob_isend(g, (me + k) % p, 2, &v, k % 2 ? OB_SYNCHRONOUS : OB_STANDARD, &r[p + k]));
    }
    OK(ob_wait_all(2 * p, r, got));
    unsigned seen = 0;
    for (int k = 0; k < p; k++) {
        const double *a = in + (size_t)k * BIG;
        seen |= 1u << got[k].source;
        for (int i = 0; i < BIG; i += 999)
            TEAM_CHECK(a[i] == got[k].source + 1e-6 * i, "%d from %d", i, got[k].source);
    }
    TEAM_CHECK(seen == (1u << p) - 1, "%x", seen);
    free(in);
    free(out);
    ob_group_free(g);
}

static void test_all_to_all(void **unused)
{
    for (int p = 1; p <= 6; p++)
        run(p, all_to_all);
}

/* ------------------------------------------------------------------------ modes */

static atomic_int received;

static void synchronous(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double value = 5;
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    if (me == 0) {
        ob_request *r;
        /* Not before the receive is called, though the message is there and the
         * receiver has looked for others. */
        OK(ob_isend(g, 1, 1, &v, OB_SYNCHRONOUS, &r));
        OK(ob_barrier(g));
        for (int k = 0; k < 100; k++)
            TEAM_CHECK(!is_done(&r), "ended without a receive");
        OK(ob_barrier(g));
        OK(ob_wait(&r, NULL));
        /* Blocking. */
        OK(ob_send_mode(g, 1, 2, &v, OB_SYNCHRONOUS));
        TEAM_CHECK(atomic_load(&received) == 1, "ended before the receive began");
        /* To a posted receive; to several, answered in another order. */
        ob_request *many[3];
        for (int k = 0; k < 3; k++)
            OK(ob_isend(g, 1, 10 + k, &v, OB_SYNCHRONOUS, &many[k]));
        for (int k = 2; k >= 0; k--) {
            int index;
            OK(ob_wait_any(3, many, &index, NULL));
            TEAM_CHECK(index == k, "%d before %d", index, k);
            send_value(g, 1, 20, 0);
        }
    } else {
        OK(ob_barrier(g));
        int there = 0;
        OK(ob_iprobe(g, 0, OB_ANY, &there, NULL));
        TEAM_CHECK(there, "the message is there");
        OK(ob_barrier(g));
        TEAM_CHECK(recv_value(g, 0, 1) == 5, "lost");
        team_sleep_us(20000);
        atomic_store(&received, 1);
        TEAM_CHECK(recv_value(g, 0, 2) == 5, "lost");
        for (int k = 2; k >= 0; k--) {
            TEAM_CHECK(recv_value(g, 0, 10 + k) == 5, "lost");
            recv_value(g, 0, 20);
        }
    }
    ob_group_free(g);
}

static void synchronous_to_self(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double value = 5, place = 0;
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    ob_request *r = post(g, me, 3, &place);
    OK(ob_send_mode(g, me, 3, &v, OB_SYNCHRONOUS));
    OK(ob_wait(&r, NULL));
    TEAM_CHECK(place == 5, "%g", place);
    TEAM_CHECK(ob_send_mode(g, me, 3, &v, OB_SYNCHRONOUS) == OB_EGONE, "waits for itself");
    ob_group_free(g);
}

static int recv_status(ob_group *g, int from, int tag, double *into)
{
    ob_view v = ob_view_vector(into, 1, OB_DOUBLE);
    return ob_recv(g, from, tag, &v, NULL);
}

static void ready(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double value = 9, place = 0;
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    if (me == 0) {
        OK(ob_barrier(g));
        OK(ob_send_mode(g, 1, 1, &v, OB_READY));
        OK(ob_barrier(g));
        for (int tag = 2; tag <= 4; tag++)
            OK(ob_send_mode(g, 1, tag, &v, OB_READY));
        send_value(g, 1, 5, 50);
        OK(ob_barrier(g));
        /* What can be known here is told here. */
        TEAM_CHECK(ob_send_mode(g, 0, 6, &v, OB_READY) == OB_EREADY, "%s", ob_error_text());
        ob_request *r = post(g, 0, 6, &place);
        OK(ob_send_mode(g, 0, 6, &v, OB_READY));
        OK(ob_wait(&r, NULL));
    } else {
        ob_request *r = post(g, 0, 1, &place);
        OK(ob_barrier(g));
        OK(ob_wait(&r, NULL));
        TEAM_CHECK(place == 9, "%g", place);
        OK(ob_barrier(g));
        OK(ob_barrier(g));
        /* Nobody had posted these: at the channel, stored, and by a late ob_irecv. */
        TEAM_CHECK(recv_status(g, 0, 2, &place) == OB_EREADY, "accepted");
        TEAM_CHECK(strcmp(ob_error_text(),
                          "process 0 sent a message (tag 2, 8 bytes) in ready mode before process "
                          "1 had posted the receive for it [OB-5010]") == 0,
                   "%s", ob_error_text());
        r = post(g, 0, 4, &place);
        TEAM_CHECK(ob_wait(&r, NULL) == OB_EREADY && r == NULL, "accepted");
        TEAM_CHECK(recv_status(g, 0, 3, &place) == OB_EREADY, "accepted");
        TEAM_CHECK(recv_value(g, 0, 5) == 50, "the next message is not ready");
    }
    ob_group_free(g);
}

/* Buffered and standard sends end though nobody ever receives. */
static void never_waits(team *t, int me)
{
    ob_group *g = team_group(t, me);
    static double big[2][200000];
    ob_view v = ob_view_vector(big[me], 200000, OB_DOUBLE);
    if (me == 0)
        for (int k = 0; k < 4; k++) {
            ob_request *r;
            OK(ob_send_mode(g, 1, 0, &v, k % 2 ? OB_BUFFERED : OB_STANDARD));
            OK(ob_isend(g, 1, 0, &v, k % 2 ? OB_BUFFERED : OB_STANDARD, &r));
            /* The background thread may be at it still, which ob_test does not wait for. */
            OK(ob_wait(&r, NULL));
        }
    ob_group_free(g);
}

static void test_modes(void **unused)
{
    run(2, synchronous);
    run(1, synchronous_to_self);
    run(2, ready);
    run(2, never_waits);
}

/* ----------------------------------------------------------------------- moving */

/* 0 waits in ob_recv for 2, who waits for 1, who waits in a synchronous send until 0
 * takes it. */
static void wait_moves_others(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double value = me, place = -1;
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    if (me == 0) {
        ob_request *r = post(g, 1, 4, &place);
        TEAM_CHECK(recv_value(g, 2, 0) == 2, "lost");
        OK(ob_wait(&r, NULL));
        TEAM_CHECK(place == 1, "%g", place);
    } else if (me == 1) {
        OK(ob_send_mode(g, 0, 4, &v, OB_SYNCHRONOUS));
        send_value(g, 2, 0, 1);
    } else {
        recv_value(g, 1, 0);
        team_sleep_us(5000);
        send_value(g, 0, 0, 2);
    }
    ob_group_free(g);
}

/* The same with 0 in a probe, a wait for another request, a barrier. */
static void probe_moves_others(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double value = me, place = -1, other = -1;
    ob_view v = ob_view_vector(&value, 1, OB_DOUBLE);
    if (me == 0) {
        ob_request *r = post(g, OB_ANY, 4, &place), *s;
        ob_received got;
        OK(ob_probe(g, 2, OB_ANY, &got));
        TEAM_CHECK(got.source == 2 && got.tag == 0 && got.bytes == 8, "%d", got.source);
        TEAM_CHECK(is_done(&r) && place == 1, "%g", place);
        TEAM_CHECK(recv_value(g, 2, 0) == 2, "lost");
        r = post(g, 1, 5, &place);
        s = post(g, 2, 6, &other);
        OK(ob_wait(&s, NULL));
        TEAM_CHECK(other == 2, "%g", other);
        OK(ob_wait(&r, NULL));
        r = post(g, 1, 7, &place);
        OK(ob_barrier(g));
        OK(ob_wait(&r, NULL));
    } else if (me == 1) {
        for (int tag = 4; tag <= 5; tag++) {
            OK(ob_send_mode(g, 0, tag, &v, OB_SYNCHRONOUS));
            send_value(g, 2, 0, 1);
        }
        team_sleep_us(5000);
        OK(ob_send_mode(g, 0, 7, &v, OB_SYNCHRONOUS));
        OK(ob_barrier(g));
    } else {
        recv_value(g, 1, 0);
        team_sleep_us(5000);
        send_value(g, 0, 0, 2);
        recv_value(g, 1, 0);
        send_value(g, 0, 6, 2);
        OK(ob_barrier(g));
    }
    ob_group_free(g);
}

static void test_waiting_moves_others(void **unused)
{
    run(3, wait_moves_others);
    run(3, probe_moves_others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_waits_sleep),
        cmocka_unit_test(test_background_starts),
        cmocka_unit_test(test_all_to_all),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_waiting_moves_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
