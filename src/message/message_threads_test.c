/*
 * Threads of a process that share a pair, a heap, or what comes for another of them. Processes are
 * threads over one shared memory, too.
 */
#include "message/request_test.h"

enum { EXCHANGES = TEAM_SLOW ? 200 : 1000 };

typedef struct talker {
    ob_group *group;
    int other, id;
} talker;

static void *talk(void *p)
{
    talker *k = p;
    uint64_t rng = (uint64_t)k->id * 77;
    for (int i = 0; i < EXCHANGES; i++) {
        double x[3000], value = 0;
        size_t count = i % 17 == 0 ? 3000 : 1;
        ob_view v = ob_view_vector(x, count, OB_DOUBLE);
        x[0] = k->id * 1e6 + i;
        OK(ob_send(k->group, k->other, i % 3, &v));
        OK(ob_recv(k->group, k->other, i % 3, &v, NULL));
        value = x[0];
        TEAM_CHECK(value == (k->id ^ 1) * 1e6 + i, "thread %d round %d: %g", k->id, i, value);
        if (team_draw(&rng) % 64 == 0)
            team_sleep_us(300);
    }
    return NULL;
}

/* Three conversations over one pair, each a thread on either side. */
static void test_threads_share_a_pair(void **unused)
{
    static const ob_settings sets[] = {{.spin_us = -1}, {.spin_us = 0}};
    for (int s = 0; s < 2; s++) {
        enum { PAIRS = 3 };
        team t;
        talker k[2 * PAIRS];
        pthread_t thread[2 * PAIRS];
        team_open(&t, 2, 64 << 20, &sets[s]);
        for (int i = 0; i < 2 * PAIRS; i++)
            k[i] = (talker){.group = team_group(&t, i % 2), .other = 1 - i % 2, .id = i};
        for (int i = 0; i < 2 * PAIRS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, talk, &k[i]), 0);
        for (int i = 0; i < 2 * PAIRS; i++)
            pthread_join(thread[i], NULL);
        for (int i = 0; i < 2 * PAIRS; i++)
            ob_group_free(k[i].group);
        assert_int_equal(team_close(&t), 0);
    }
}

static ob_group *sleeper_group;
static double sleeper_value;
static atomic_int sleeper_done;

static void *sleep_for_message(void *unused)
{
    (void)unused;
    sleeper_value = recv_value(sleeper_group, 1, 0);
    atomic_store(&sleeper_done, 1);
    return NULL;
}

/* A sleeps for a message of its group; B, receiving from the same process,
 * comes across it and stores it; A must wake although the channel has nothing. */
static void test_stored_for_a_sleeper(void **unused)
{
    static const ob_settings sleepy = {.spin_us = 0};
    for (int round = 0; round < 20; round++) {
        team t;
        pthread_t thread;
        team_open(&t, 2, 64 << 20, &sleepy);
        ob_group *ours[2] = {team_group(&t, 0), team_group(&t, 0)};
        ob_group *theirs[2] = {team_group(&t, 1), team_group(&t, 1)};
        sleeper_group = ours[0];
        atomic_store(&sleeper_done, 0);
        pthread_create(&thread, NULL, sleep_for_message, NULL);
        team_sleep_us(round % 2 ? 2000 : 0);
        send_value(theirs[0], 0, 0, 7);
        send_value(theirs[1], 0, 0, 8);
        double before = ob_time();
        assert_true(recv_value(ours[1], 1, 0) == 8);
        pthread_join(thread, NULL);
        assert_true(sleeper_value == 7);
        assert_true(ob_time() - before < 5);
        for (int i = 0; i < 2; i++) {
            ob_group_free(ours[i]);
            ob_group_free(theirs[i]);
        }
        assert_int_equal(team_close(&t), 0);
    }
}

/* Regression: two threads that fill one heap, each for another receiver, and
 * one that looks at the counters read what another thread was writing. */
static ob_group *heap_group[2][2]; /* of process 0; of processes 1 and 2 */
static atomic_int heap_senders;

static void *fill_heap(void *p)
{
    int which = (int)(intptr_t)p;
    double *x = calloc(30000, sizeof *x);
    ob_view v = ob_view_vector(x, 30000, OB_DOUBLE);
    for (int k = 0; k < 40; k++)
        OK(ob_send(heap_group[0][which], 1, 0, &v));
    free(x);
    atomic_fetch_sub(&heap_senders, 1);
    return NULL;
}

static void *drain_heap(void *p)
{
    int which = (int)(intptr_t)p;
    double *x = calloc(30000, sizeof *x);
    ob_view v = ob_view_vector(x, 30000, OB_DOUBLE);
    for (int k = 0; k < 40; k++) {
        team_sleep_us(1000);
        OK(ob_recv(heap_group[1][which], 0, 0, &v, NULL));
    }
    free(x);
    return NULL;
}

static void test_threads_share_a_heap(void **unused)
{
    team t;
    pthread_t thread[4];
    uint64_t messages, bytes;
    team_open(&t, 3, 2 << 20, NULL);
    atomic_store(&heap_senders, 2);
    for (int w = 0; w < 2; w++) {
        const int pair[] = {0, w + 1};
        assert_int_equal(ob_group_create(t.job[0], pair, 2, &heap_group[0][w]), OB_OK);
        assert_int_equal(ob_group_create(t.job[w + 1], pair, 2, &heap_group[1][w]), OB_OK);
    }
    for (intptr_t w = 0; w < 2; w++) {
        pthread_create(&thread[w], NULL, fill_heap, (void *)w);
        pthread_create(&thread[2 + w], NULL, drain_heap, (void *)w);
    }
    while (atomic_load(&heap_senders))
        for (int to = 0; to < 3; to++)
            assert_int_equal(ob_job_traffic(t.job[0], to, &messages, &bytes), OB_OK);
    for (int k = 0; k < 4; k++)
        pthread_join(thread[k], NULL);
    assert_int_equal(ob_job_traffic(t.job[0], 1, &messages, &bytes), OB_OK);
    assert_true(messages == 40 && bytes == 40 * 240000);
    for (int w = 0; w < 2; w++) {
        ob_group_free(heap_group[0][w]);
        ob_group_free(heap_group[1][w]);
    }
    assert_int_equal(team_close(&t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_share_a_pair),
        cmocka_unit_test(test_stored_for_a_sleeper),
        cmocka_unit_test(test_threads_share_a_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
