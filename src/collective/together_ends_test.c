/*
 * Calls that are put together, where something goes wrong, and their results' bits. What they bring
 * otherwise is the conformance suite's (tests/core/together.c). Members are threads over one shared
 * memory, so each has calls of its own that are put together.
 */
#include "collective/members_test.h"
#include "message/together.h"

#include <math.h>

/* Values in which the order of additions shows. */
static double value(int member, size_t i)
{
    uint64_t bits = ob_mix((uint64_t)member * 7919 + i * 31);
    return ldexp((double)(bits >> 11), (int)(bits % 40) - 60);
}

static bool says(int status, int expected, const char *code)
{
    return status == expected && strstr(ob_error_text(), code) != NULL;
}

/* ------------------------------------------------------------------- bits */

enum { SUMS = 300, LENGTH = 37 };

static void sum(ob_group *g, int root, double *x, bool together)
{
    if (together)
        OK(ob_together_begin());
    for (size_t k = 0; k < SUMS; k++) {
        ob_view v = ob_view_vector(x + k * LENGTH, LENGTH, OB_DOUBLE);
        OK(ob_combine(g, root, OB_SUM, &v, NULL, 0, NULL));
    }
    if (together)
        OK(ob_together_end());
}

/* With a root others' matrices stay as they are. */
static void sum_both_ways(ob_group *g, void *unused)
{
    static const size_t n = SUMS * LENGTH;
    double *one = malloc(n * sizeof *one), *all = malloc(n * sizeof *all);
    (void)unused;
    for (int root = OB_ANY; root<g->size; root += g->size> 3 ? 3 : 1) {
        for (size_t i = 0; i < n; i++)
            one[i] = all[i] = value(g->me, i);
        sum(g, root, one, false);
        sum(g, root, all, true);
        if (root == OB_ANY || root == g->me)
            TEAM_CHECK(memcmp(one, all, n * sizeof *one) == 0, "other bits, root %d", root);
        for (size_t i = 0; i < n && root != OB_ANY && root != g->me; i++)
            TEAM_CHECK(all[i] == value(g->me, i), "element %zu was written", i);
    }
    free(one);
    free(all);
}

static void test_sums_have_the_bits_of_single_ones(void **state)
{
    run_members(2, sum_both_ways, NULL);
    run_members(7, sum_both_ways, NULL);
}

/* ------------------------------------------------------------------- what differs */

static void send_n(ob_group *g, int to, size_t n)
{
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    OK(ob_send(g, to, 0, &v));
}

static void recv_n(ob_group *g, int from, double *x, size_t n)
{
    ob_view v = ob_view_vector(x, n, OB_DOUBLE);
    x[0] = -1;
    OK(ob_recv(g, from, 0, &v, NULL));
}

/* The first failure is told; what comes behind it is received all the same. */
static void wrong_message(ob_group *g, void *unused)
{
    double x[4][8];
    (void)unused;
    OK(ob_together_begin());
    if (g->me == 0) {
        send_n(g, 1, 2);
        send_n(g, 1, 3);
        send_n(g, 1, 4);
        OK(ob_together_end());
        return;
    }
    recv_n(g, 0, x[0], 2);
    recv_n(g, 0, x[1], 4);
    recv_n(g, 0, x[2], 4);
    TEAM_CHECK(ob_together_end() == OB_ESIZE, "another status");
    TEAM_CHECK(strstr(ob_error_text(), "3 elements") || strstr(ob_error_text(), "24 bytes"),
               "the line is: %s", ob_error_text());
    TEAM_CHECK(x[0][1] == 2 && x[1][0] == -1 && x[2][3] == 4, "received %g %g %g", x[0][1], x[1][0],
               x[2][3]);
}

static void test_a_message_of_another_size(void **state)
{
    run_members(2, wrong_message, NULL);
}

static void send_number(ob_group *g, int tag, double number)
{
    ob_view v = ob_view_vector(&number, 1, OB_DOUBLE);
    OK(ob_send(g, 1, tag, &v));
}

/* A single message that came before a bundle, and was stored, is received before those in it. */
static void single_first(ob_group *g, void *unused)
{
    double x[4];
    (void)unused;
    if (g->me == 0) {
        send_number(g, 0, 1);
        OK(ob_together_begin());
        send_number(g, 1, 2);
        send_number(g, 0, 3);
        send_number(g, 0, 4);
        OK(ob_together_end());
        return;
    }
    ob_view v = ob_view_vector(x, 1, OB_DOUBLE);
    OK(ob_recv(g, 0, 1, &v, NULL));
    OK(ob_together_begin());
    for (int k = 1; k < 4; k++) {
        v.base = x + k;
        OK(ob_recv(g, 0, 0, &v, NULL));
    }
    OK(ob_together_end());
    TEAM_CHECK(x[0] == 2 && x[1] == 1 && x[2] == 3 && x[3] == 4, "received %g %g %g %g", x[0], x[1],
               x[2], x[3]);
}

/* As single receives do, those put together tell another type of as many bytes. */
static void other_type(ob_group *g, void *unused)
{
    enum { MESSAGES = 3 };
    int sent[2] = {1, 2};
    float got[2] = {-1, -1};
    (void)unused;
    for (int k = 0; k < MESSAGES; k++) {
        ob_view in = ob_view_vector(k == 1 ? (void *)got : sent, 2, k == 1 ? OB_FLOAT : OB_INT);
        ob_view out = ob_view_vector(sent, 2, OB_INT);
        OK(k ? OB_OK : ob_together_begin());
        OK(g->me == 0 ? ob_send(g, 1, 0, &out) : ob_recv(g, 0, 0, &in, NULL));
    }
    int status = ob_together_end();
    TEAM_CHECK(g->me == 0 ? status == OB_OK : status == OB_ESIZE, "%d: %s", status,
               ob_error_text());
}

static void test_messages_are_taken_as_single_ones(void **state)
{
    run_members(2, single_first, NULL);
    run_members(2, other_type, NULL);
}

/* As many bytes in all. */
static void other_order(ob_group *g, void *unused)
{
    double x[12] = {0};
    ob_view two = ob_view_vector(x, 2, OB_DOUBLE), ten = ob_view_vector(x + 2, 10, OB_DOUBLE);
    (void)unused;
    OK(ob_together_begin());
    OK(ob_broadcast(g, 0, g->me == 2 ? &ten : &two, NULL));
    OK(ob_broadcast(g, 0, g->me == 2 ? &two : &ten, NULL));
    int status = ob_together_end();
    TEAM_CHECK(g->me == 2 ? says(status, OB_ESIZE, "OB-2522") : status == OB_OK,
               "member %d: %d, %s", g->me, status, ob_error_text());
}

/* Not as many calls. */
static void one_less(ob_group *g, void *combine)
{
    double x = 0;
    ob_view v = ob_view_vector(&x, 1, OB_DOUBLE);
    OK(ob_together_begin());
    for (int k = g->me == 1; k < 5; k++)
        OK(combine ? ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL)
                   : ob_broadcast(g, 0, &v, NULL));
    int status = ob_together_end();
    TEAM_CHECK(combine || g->me == 1 ? status == OB_ESIZE : status == OB_OK || status == OB_ESIZE,
               "member %d: %d", g->me, status);
}

/* Many calls, among them one of another size, or an empty one: a second vector begins at the same
 * call everywhere, so the next calls are the same ones again. A root of broadcasts learns nothing.
 */
static void one_differs(ob_group *g, void *combine)
{
    enum { MANY = 1200, EACH = 20 };
    const size_t other = *(int *)combine % 2 ? 0 : EACH + 1;
    const bool sums = *(int *)combine > 1;
    static _Thread_local double x[MANY][EACH + 1];
    OK(ob_together_begin());
    for (int k = 0; k < MANY; k++) {
        ob_view v = ob_view_vector(x[k], g->me == 1 && k < 500 ? other : EACH, OB_DOUBLE);
        OK(sums ? ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL) : ob_broadcast(g, 0, &v, NULL));
    }
    int status = ob_together_end();
    TEAM_CHECK(sums || g->me == 1 ? status == OB_ESIZE : status == OB_OK, "member %d: %d", g->me,
               status);
    for (int k = 0; k < 3; k++) {
        double number = g->me ? 0 : k + 7;
        ob_view v = ob_view_vector(&number, 1, OB_DOUBLE);
        OK(ob_broadcast(g, 0, &v, NULL));
        TEAM_CHECK(number == k + 7, "member %d, behind it: %g", g->me, number);
    }
}

static void test_members_that_name_other_matrices(void **state)
{
    int combine = 1;
    for (int way = 0; way < 4; way++)
        run_members(4, one_differs, &way);
    run_members(4, other_order, NULL);
    run_members(4, one_less, NULL);
    run_members(4, one_less, &combine);
}

/* ------------------------------------------------------------------- ends */

static void freed(ob_group *g, void *unused)
{
    int both[] = {0, 1};
    double x[8] = {0};
    ob_view v = ob_view_vector(x, 1, OB_DOUBLE);
    ob_group *part;
    (void)unused;
    OK(ob_group_part(g, 1, both, 2, &part));
    OK(ob_together_begin());
    recv_n(part, 1 - g->me, x, 1);
    ob_group_free(part);
    int status = ob_together_end();
    TEAM_CHECK(says(status, OB_ESTATE, "OB-2521"), "%d, %s", status, ob_error_text());
    OK(ob_group_part(g, 1, both, 2, &part));
    OK(ob_together_begin());
    OK(ob_broadcast(part, 0, &v, NULL));
    send_n(g, 1 - g->me, 1); /* of the group that stays */
    recv_n(g, 1 - g->me, x, 1);
    ob_group_free(part);
    status = ob_together_end();
    TEAM_CHECK(says(status, OB_ESTATE, "OB-2521") && x[0] == 1, "%d, %g, %s", status, x[0],
               ob_error_text());
}

static void test_a_group_that_is_freed_in_between(void **state)
{
    run_members(2, freed, NULL);
}

/* Process 1 has sent one of two messages together, and ends; process 0 has the first one. */
static void end_early(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double x[2][8] = {{0}};
    OK(ob_together_begin());
    if (me) {
        send_n(g, 0, 2);
        OK(ob_together_end());
        ob_segments_mark_gone(&t->memory, 1);
    } else {
        recv_n(g, 1, x[0], 2);
        recv_n(g, 1, x[1], 2);
        TEAM_CHECK(ob_together_end() == OB_EGONE, "another status");
        TEAM_CHECK(strstr(ob_error_text(), "process 1") != NULL, "%s", ob_error_text());
        TEAM_CHECK(x[0][1] == 2, "the first message is lost");
        ob_view v = ob_view_vector(x[0], 1, OB_DOUBLE);
        OK(ob_together_begin());
        OK(ob_combine(g, OB_ANY, OB_SUM, &v, NULL, 0, NULL));
        TEAM_CHECK(ob_together_end() == OB_EGONE, "a combine with one that has ended");
    }
    ob_group_free(g);
}

static void test_a_process_that_ends(void **state)
{
    assert_int_equal(team_try(2, (size_t)64 << 20, NULL, end_early, NULL), 0);
}

/* Nothing of a bundle that nobody receives is left behind. */
static void unreceived(ob_group *g, void *unused)
{
    double x[8];
    (void)unused;
    OK(ob_together_begin());
    for (int k = 0; k < 10; k++)
        send_n(g, (g->me + 1) % g->size, 3);
    OK(ob_together_end());
    recv_n(g, (g->me + g->size - 1) % g->size, x, 3);
    TEAM_CHECK(x[2] == 3, "received %g", x[2]);
}

static void test_messages_that_nobody_receives(void **state)
{
    run_members(3, unreceived, NULL);
}

/* A bundle finds no room for a while: the call that needs it fails, and its message alone is lost.
 * The receiver begins to read behind that. */
static void no_room(team *t, int me)
{
    enum { MANY = 1000, BYTES = 8000 };
    static atomic_bool full;
    ob_group *g = team_group(t, me);
    int number[BYTES / sizeof(int)] = {0}, sent = 0, come = 0;
    ob_view v = ob_view_vector(number, BYTES / sizeof(int), OB_INT);
    if (me == 0) {
        ob_shm_be_patient(t->job[0]->shm, 0.02);
        OK(ob_together_begin());
        while (sent < MANY && ob_send(g, 1, 0, &v) == OB_OK)
            number[0] = ++sent;
        TEAM_CHECK(sent < MANY && strstr(ob_error_text(), "OB-4"), "%d were sent", sent);
        ob_shm_be_patient(t->job[0]->shm, 20);
        atomic_store(&full, true);
        OK(ob_together_end());
        number[0] = -1;
        OK(ob_send(g, 1, 0, &v));
        number[0] = sent;
        OK(ob_send(g, 1, 0, &v));
    } else {
        for (int ms = 0; ms < 20000 && !atomic_load(&full); ms++)
            team_sleep_us(1000);
        while (ob_recv(g, 0, 0, &v, NULL) == OB_OK && number[0] == come)
            come++;
        TEAM_CHECK(number[0] == -1, "message %d came as number %d", number[0], come);
        while (number[0] != -1)
            OK(ob_recv(g, 0, 0, &v, NULL));
        OK(ob_recv(g, 0, 0, &v, NULL));
        TEAM_CHECK(number[0] == come, "%d were sent, %d came", number[0], come);
    }
    ob_group_free(g);
}

static void test_nothing_is_lost_where_there_is_no_room(void **state)
{
    static const ob_settings set = {.spin_us = -1};
    assert_int_equal(team_try(2, (size_t)1 << 20, &set, no_room, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_have_the_bits_of_single_ones),
        cmocka_unit_test(test_a_message_of_another_size),
        cmocka_unit_test(test_messages_are_taken_as_single_ones),
        cmocka_unit_test(test_members_that_name_other_matrices),
        cmocka_unit_test(test_a_group_that_is_freed_in_between),
        cmocka_unit_test(test_a_process_that_ends),
        cmocka_unit_test(test_messages_that_nobody_receives),
        cmocka_unit_test(test_nothing_is_lost_where_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
