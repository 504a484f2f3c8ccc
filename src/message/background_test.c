/*
 * Large transfers without waiting go on while the program makes no call: messages are
 * received and sent, in order with all others, and end with the job or the group. Processes
 * are threads over one shared memory, each with a background thread of its own.
 */
#include "message/internal.h"
#include "node/thread_team.h"
#include "unit.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE = 300000 }; /* doubles: beyond the ring, and the least for the background */

static atomic_int words[4]; /* between processes, beside the library */

static void say(int word)
{
    atomic_store(&words[word], 1);
}

static bool told(int word)
{
    for (int ms = 0; ms < 20000; ms++) {
        if (atomic_load(&words[word]))
            return true;
        team_sleep_us(1000);
    }
    return false;
}

static double *new_numbers(size_t count, double first)
{
    double *a = malloc(count * sizeof *a);
    for (size_t i = 0; i < count; i++)
        a[i] = first + (double)i;
    return a;
}

static void check_numbers(const double *a, size_t count, double first)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += a[i] != first + (double)i;
    TEAM_CHECK(wrong == 0, "%zu of %zu are wrong", wrong, count);
}

static void run_with(int count, size_t least, team_work work)
{
    const ob_settings set = {.spin_us = -1, .background_bytes = least};
    team t;
    for (int i = 0; i < 4; i++)
        atomic_store(&words[i], 0);
    team_open(&t, count, (size_t)256 << 20, &set);
    team_run(&t, work);
    for (int i = 0; i < count; i++) {
        TEAM_CHECK(t.job[i] == NULL || atomic_load(&t.job[i]->pending) == 0, "pending");
        TEAM_CHECK(t.job[i] == NULL || atomic_load(&t.job[i]->large) == 0, "large");
    }
    assert_int_equal(team_close(&t), 0);
}

/* Threads of this program that do not take the processor from one that runs. */
static int modest_threads(void)
{
    enum { BATCH = 3 };
    DIR *threads = opendir("/proc/self/task");
    struct dirent *e;
    int count = 0;
    while (threads && (e = readdir(threads)) != NULL)
        count += e->d_name[0] != '.' && syscall(SYS_sched_getscheduler, atoi(e->d_name)) == BATCH;
    if (threads)
        closedir(threads);
    return count;
}

/* Process 0 posts a receive and then makes no call at all until it is done. */
static void receives_alone(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *a = new_numbers(LARGE, me ? 7 : 0);
    ob_view v = ob_view_vector(a, LARGE, OB_DOUBLE);
    if (me == 1) {
        TEAM_CHECK(told(0), "no word");
        /* It has started there when this returns: nobody else can have started it. */
        OK(ob_send_mode(g, 0, 1, &v, OB_SYNCHRONOUS));
    } else {
        ob_request *r;
        bool done = false;
        OK(ob_irecv(g, 1, 1, &v, OB_EXACT, &r));
        say(0);
        for (int ms = 0; ms < 20000 && !done; ms++) {
            team_sleep_us(1000);
            done = atomic_load(&r->state) == OB_REQUEST_DONE;
        }
        TEAM_CHECK(done, "a receive stood still while no call was made");
        TEAM_CHECK(modest_threads() > 0, "the thread takes the processor from the program");
        check_numbers(a, LARGE, 7);
        OK(ob_wait(&r, NULL));
    }
    ob_group_free(g);
    free(a);
}

/* Who slept would be woken. */
static bool rung(ob_job *job, unsigned before)
{
    for (int ms = 0; ms < 2000 && atomic_load(ob_shm_bell(job->shm)) == before; ms++)
        team_sleep_us(1000);
    return atomic_load(ob_shm_bell(job->shm)) != before;
}

/* Process 0 begins a send and makes no call until process 1 has received it. */
static void sends_alone(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *a = new_numbers(LARGE, me ? 0 : 5);
    ob_view v = ob_view_vector(a, LARGE, OB_DOUBLE);
    if (me == 1) {
        OK(ob_recv(g, 0, 1, &v, NULL));
        check_numbers(a, LARGE, 5);
        say(0);
    } else {
        ob_request *r;
        ob_job *job = t->job[0];
        unsigned before = atomic_load(ob_shm_bell(job->shm));
        atomic_fetch_add(&job->waiters, 1);
        OK(ob_isend(g, 1, 1, &v, OB_STANDARD, &r));
        TEAM_CHECK(told(0), "a send stood still while no call was made");
        TEAM_CHECK(rung(job, before), "nobody is woken when the thread has sent");
        atomic_fetch_sub(&job->waiters, 1);
        OK(ob_wait(&r, NULL));
        TEAM_CHECK(r == NULL, "the request is still there");
    }
    ob_group_free(g);
    free(a);
}

/* Sends noted for later, blocking, synchronous, to many and of marks: all in order. */
static void keeps_order(team *t, int me)
{
    enum { ROUNDS = TEAM_SLOW ? 60 : 300, KINDS = 4 };
    ob_group *g = team_group(t, me);
    int to[2] = {(me + 1) % t->count, (me + 2) % t->count};
    for (int k = 0; k < ROUNDS; k++) {
        size_t n = k % 7 == 0 ? 20000 : 3;
        double *out[KINDS], *in = malloc(n * sizeof *in);
        ob_request *r[KINDS] = {NULL};
        for (int i = 0; i < KINDS; i++)
            out[i] = new_numbers(n, k * KINDS + i);
        ob_view v[KINDS] = {
            ob_view_vector(out[0], n, OB_DOUBLE), ob_view_vector(out[1], n, OB_DOUBLE),
            ob_view_vector(out[2], n, OB_DOUBLE), ob_view_vector(out[3], n, OB_DOUBLE)};
        OK(ob_isend(g, to[0], 0, &v[0], OB_STANDARD, &r[0]));
        if (k % 2)
            OK(ob_send(g, to[0], 0, &v[1]));
        else
            OK(ob_send_many(g, to, 2, 0, &v[1]));
        OK(ob_isend(g, to[0], 0, &v[2], OB_SYNCHRONOUS, &r[2]));
        OK(ob_isend(g, to[0], 0, &v[3], OB_STANDARD, &r[3]));
        int from = (me + t->count - 1) % t->count;
        ob_view w = ob_view_vector(in, n, OB_DOUBLE);
        for (int i = 0; i < KINDS; i++) {
            OK(ob_recv(g, from, 0, &w, NULL));
            check_numbers(in, n, k * KINDS + i);
        }
        if (k % 2 == 0) {
            OK(ob_recv(g, (me + t->count - 2) % t->count, 0, &w, NULL));
            check_numbers(in, n, k * KINDS + 1);
        }
        OK(ob_wait_all(KINDS, r, NULL));
        for (int i = 0; i < KINDS; i++)
            free(out[i]);
        free(in);
    }
    ob_group_free(g);
}

/* A buffered send is packed when it begins, however large. */
static void buffered(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *a = new_numbers(LARGE, me ? 0 : 5);
    ob_view v = ob_view_vector(a, LARGE, OB_DOUBLE);
    if (me == 1) {
        TEAM_CHECK(told(0), "no word");
        OK(ob_recv(g, 0, 1, &v, NULL));
        check_numbers(a, LARGE, 5);
    } else {
        ob_request *r;
        OK(ob_isend(g, 1, 1, &v, OB_BUFFERED, &r));
        memset(a, 0, LARGE * sizeof *a);
        say(0);
        OK(ob_wait(&r, NULL));
    }
    ob_group_free(g);
    free(a);
}

/* Requests of all kinds ended by testing, by waiting for any, and from another thread. */
static void *wait_here(void *request)
{
    OK(ob_wait(request, NULL));
    return NULL;
}

static void ends_in_all_ways(team *t, int me)
{
    enum { COUNT = 6 };
    ob_group *g = team_group(t, me);
    double *out[COUNT], *in[COUNT];
    ob_request *r[2 * COUNT];
    pthread_t other;
    int other_way = 1 - me, index, done = 0;
    for (int i = 0; i < COUNT; i++) {
        out[i] = new_numbers(LARGE / 4, i);
        in[i] = new_numbers(LARGE / 4, -1);
        ob_view v = ob_view_vector(out[i], LARGE / 4, OB_DOUBLE),
                w = ob_view_vector(in[i], LARGE / 4, OB_DOUBLE);
        OK(ob_irecv(g, other_way, i, &w, OB_EXACT, &r[COUNT + i]));
        OK(ob_isend(g, other_way, i, &v, OB_STANDARD, &r[i]));
    }
    while (!done)
        OK(ob_test(&r[0], &done, NULL));
    pthread_create(&other, NULL, wait_here, &r[COUNT]);
    pthread_join(other, NULL);
    do
        OK(ob_wait_any(2 * COUNT, r, &index, NULL));
    while (index >= 0);
    for (int i = 0; i < COUNT; i++) {
        check_numbers(in[i], LARGE / 4, i);
        free(in[i]);
        free(out[i]);
    }
    ob_group_free(g);
}

/* What was noted goes out when the job stops, and the thread with it; both may begin again. */
static void stops(team *t, int me)
{
    for (int round = 0; round < 3; round++) {
        ob_group *g = team_group(t, me);
        double *a = new_numbers(LARGE, me ? 0 : round);
        ob_view v = ob_view_vector(a, LARGE, OB_DOUBLE);
        ob_request *r;
        if (me == 1) {
            OK(ob_recv(g, 0, 1, &v, NULL));
            check_numbers(a, LARGE, round);
        } else {
            OK(ob_isend(g, 1, 1, &v, OB_STANDARD, &r));
            OK(ob_job_stop(t->job[0], 0));
            TEAM_CHECK(atomic_load(&r->state) == OB_REQUEST_DONE, "not sent at the end");
            OK(ob_wait(&r, NULL));
        }
        ob_group_free(g);
        free(a);
    }
}

/* A group is freed while receives of it wait, and while their messages arrive. */
static void group_ends(team *t, int me)
{
    for (int round = 0; round < (TEAM_SLOW ? 20 : 100); round++) {
        ob_group *g = team_group(t, me);
        double *a = new_numbers(LARGE / 8, 3);
        ob_view v = ob_view_vector(a, LARGE / 8, OB_DOUBLE);
        ob_request *r = NULL;
        if (me == 1) {
            OK(ob_send(g, 0, 1, &v));
        } else {
            OK(ob_irecv(g, OB_ANY, OB_ANY, &v, OB_EXACT, &r));
            team_sleep_us((unsigned)(round % 10) * 50);
        }
        ob_group_free(g);
        if (r) {
            int status = ob_wait(&r, NULL);
            TEAM_CHECK(status == OB_OK || status == OB_ESTATE, "%s", ob_error_text());
        }
        free(a);
    }
}

static void test_receives_alone(void **unused)
{
    run_with(2, 0, receives_alone);
    run_with(2, 1, receives_alone);
}

static void test_sends_alone(void **unused)
{
    run_with(2, 0, sends_alone);
    run_with(2, 1, sends_alone);
}

static void test_order(void **unused)
{
    run_with(3, 1, keeps_order);
    run_with(5, 1, keeps_order);
    run_with(3, 0, keeps_order);
}

static void test_endings(void **unused)
{
    run_with(2, 0, buffered);
    run_with(2, 0, ends_in_all_ways);
    run_with(2, 1, ends_in_all_ways);
    run_with(2, 0, stops);
    run_with(2, 1, group_ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_receives_alone),
        cmocka_unit_test(test_sends_alone),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
