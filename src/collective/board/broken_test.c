/*
 * A member that fails breaks its board: who sleeps over it is woken, and who waits for a message
 * that has been promised to it ends, with the first one's error line. Members are threads over one
 * shared memory.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collective/board/private_board.c"
#include "collective/levels/levels.h"
#include "collective/members_test.h"

enum { HEAP = 16 << 20, LONG = 60000, VICTIM = 1, DEADLINE_MS = 20000 };

static atomic_int ready, over;
static atomic_bool failed_there; /* a member, of which others heard nothing until then */

static void run(int count, const ob_settings *set, team_work work, void *user)
{
    atomic_store(&ready, 0);
    atomic_store(&over, 0);
    atomic_store(&failed_there, false);
    assert_int_equal(team_try(count, HEAP, set, work, user), 0);
}

/* Until so many have come there, or for long. */
static void reach(atomic_int *word, int count)
{
    for (int ms = 0; ms < DEADLINE_MS && atomic_load(word) < count; ms++)
        team_sleep_us(1000);
}

static bool says(const char *part)
{
    return strstr(ob_error_text(), part) != NULL;
}

/* ------------------------------------------------------------------------ sleepers */

/* Sleeps as the board does, but so long that only a wake-up ends it. */
static void nap(atomic_uint *word, unsigned expected)
{
    const struct timespec limit = {DEADLINE_MS / 1000, 0};
    long result = syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0);
    TEAM_CHECK(result == 0 || errno != ETIMEDOUT, "nobody woke us");
}

/* Member 0 breaks the board, member 1 sleeps for it, member 2 for member 1, and member 3 for all.
 * late: they fall asleep when it has been broken. */
static void sleep_on(team *t, int me)
{
    const bool late = *(bool *)t->user;
    ob_group *g = team_group(t, me);
    ob_board *b;
    OK(ob_board_of(g, &b));
    OK(ob_board_post_empty(b));
    OK(ob_board_wait_all(b));
    if (me == 0) {
        reach(&ready, 3);
        team_sleep_us(late ? 0 : 2000);
        ob_fail(OB_ENOMEM, "this line");
        ob_board_break(b);
    } else {
        atomic_uint *sleepers =
            me == 3 ? &b->memory->sleepers : &ob_board_lane(b, me - 1)->sleepers;
        atomic_uint *word =
            me == 3 ? &b->memory->bell : &ob_board_note_of(b, me - 1, b->round + 1)->round;
        atomic_fetch_add(sleepers, 1);
        unsigned before = atomic_load(word);
        atomic_fetch_add(&ready, 1);
        team_sleep_us(late ? 3000 : 0);
        nap(word, before);
        atomic_fetch_sub(sleepers, 1);
        TEAM_CHECK(ob_board_broken(b) == OB_ESIZE && says("this line"), "%s", ob_error_text());
    }
    ob_group_free(g);
}

static void who_sleeps_over_a_board_that_is_broken_is_woken(void **state)
{
    for (int late = 0; late < 2; late++)
        run(4, NULL, sleep_on, &(bool){late == 1});
}

/* The board's own waits do not sleep on one that has been broken, nobody begins a round there, nor
 * who broke it, and the first one's line stays. */
static void wait_on(team *t, int me)
{
    ob_group *g = team_group(t, me);
    ob_board *b;
    OK(ob_board_of(g, &b));
    OK(ob_board_post_empty(b));
    OK(ob_board_wait_all(b));
    if (me == 0) {
        reach(&ready, t->count - 1);
        ob_fail(OB_ENOMEM, "this line");
        ob_board_break(b);
    } else {
        OK(ob_board_post_empty(b));
        atomic_fetch_add(&ready, 1);
        int status = me == 1 ? ob_board_wait(b, 0) : ob_board_wait_all(b);
        TEAM_CHECK(status == OB_ESIZE && says("this line"), "%d: %s", status, ob_error_text());
        ob_fail(OB_ENOMEM, "another line");
        ob_board_break(b);
    }
    int next = ob_board_post_empty(b);
    TEAM_CHECK(next == OB_ESIZE && says("this line"), "%d: %s", next, ob_error_text());
    ob_group_free(g);
}

static void who_waits_in_a_board_that_is_broken_fails(void **state)
{
    static const ob_settings asleep = {.spin_us = 0};
    for (int k = 0; k < 20; k++)
        run(3, &asleep, wait_on, NULL);
}

/* Who comes late begins all rounds that the breaker has posted, and no others. */
static void come_late(team *t, int me)
{
    ob_group *g = team_group(t, me);
    ob_board *b;
    OK(ob_board_of(g, &b));
    if (me == 1)
        reach(&ready, 1);
    for (int k = 0; k < 3; k++)
        OK(ob_board_post_empty(b));
    if (me == 0) {
        ob_fail(OB_ENOMEM, "this line");
        ob_board_break(b);
        atomic_fetch_add(&ready, 1);
    }
    if (me == 1)
        OK(ob_board_wait(b, 0));
    int next = ob_board_post_empty(b);
    TEAM_CHECK(next == OB_ESIZE && says("this line"), "%d: %s", next, ob_error_text());
    ob_group_free(g);
}

static void who_is_late_on_a_board_that_is_broken_comes_to_where_it_was(void **state)
{
    run(2, NULL, come_late, NULL);
}

/* Nor do they wait for the name of deep lanes, which one who breaks it there does not send. */
static void wait_for_depth(team *t, int me)
{
    ob_group *g = team_group(t, me);
    ob_board *b;
    OK(ob_board_of(g, &b));
    if (me == 1)
        atomic_store(&ob_board_lane(b, me)->deeper, 1);
    while (b->round + 1 < OB_BOARD_SHALLOW) {
        OK(ob_board_post_empty(b));
        OK(ob_board_wait_all(b));
    }
    if (me == 0) {
        reach(&ready, t->count - 1);
        team_sleep_us(2000);
        ob_fail(OB_ENOMEM, "this line");
        ob_board_break(b);
        reach(&over, t->count - 1);
        if (atomic_load(&over) < t->count - 1)
            ob_segments_mark_gone(&t->memory, me);
    } else {
        atomic_fetch_add(&ready, 1);
        int status = ob_board_post_empty(b);
        TEAM_CHECK(status == OB_ESIZE && says("this line"), "%d: %s", status, ob_error_text());
        atomic_fetch_add(&over, 1);
    }
    ob_group_free(g);
}

static void who_waits_for_deep_lanes_of_a_board_that_is_broken_fails(void **state)
{
    run(3, NULL, wait_for_depth, NULL);
}

/* Two nodes of two members; the board of one of them is broken. In calls of both, all come to an
 * end, and who is on that node gets the line. */
static void call_on_nodes(team *t, int me)
{
    const int call = *(int *)t->user;
    ob_group *g = team_group(t, me), *n = on_nodes(g, 2, false);
    double a = 1;
    ob_view v = ob_view_vector(&a, 1, OB_DOUBLE);
    ob_levels *l;
    OK(ob_barrier(n));
    OK(ob_levels_of(n, 0, &l));
    if (me == 1) {
        ob_fail(OB_ENOMEM, "this line");
        ob_board_break(l->local->board);
    }
    OK(ob_barrier(g));
    int status = call == 0   ? ob_barrier(n)
                 : call == 1 ? ob_broadcast(n, 0, &v, NULL)
                             : ob_combine(n, OB_ANY, OB_SUM, &v, NULL, 0, NULL);
    TEAM_CHECK(me > 1 || (status == OB_ESIZE && says("this line")), "call %d: status %d: %s", call,
               status, ob_error_text());
    atomic_fetch_add(&over, 1);
    reach(&over, t->count);
    TEAM_CHECK(atomic_load(&over) >= t->count, "call %d: others wait", call);
    ob_segments_mark_gone(&t->memory, me);
    ob_group_free(n);
    ob_group_free(g);
}

static void nobody_waits_for_a_node_whose_board_is_broken(void **state)
{
    for (int call = 0; call < 3; call++)
        run(4, NULL, call_on_nodes, &call);
}

/* ------------------------------------------------------------------ promised messages */

static void fill_heap(ob_group *g)
{
    uint64_t name;
    for (size_t bytes = HEAP; bytes > 0; bytes /= 2)
        while (ob_group_lend_now(g, bytes, 1, &name))
            ;
}

/* Who hangs here sees an end, and another error, since the one it waits for is gone. */
static void give_up_waiting(team *t, int me)
{
    reach(&over, t->count - 1);
    if (atomic_load(&over) < t->count - 1)
        ob_segments_mark_gone(&t->memory, me);
}

static void expect_the_line(int status, const char *line)
{
    TEAM_CHECK(status == OB_ESIZE && says(line), "%d: %s", status, ob_error_text());
    atomic_fetch_add(&over, 1);
}

/* Who hears nothing of a member until it has failed is like one that has no processor. */
typedef int poll_of(ob_peer *peer, ob_envelope *e);
static _Atomic(poll_of *) real_poll;

static int poll_later(ob_peer *peer, ob_envelope *e)
{
    return atomic_load(&failed_there) ? atomic_load(&real_poll)(peer, e) : 0;
}

static void follow_nobody(ob_peer *peer, bool on)
{
    (void)peer;
    (void)on;
}

static void mute(ob_peer *peer)
{
    static ob_transport all[TEAM_MOST];
    ob_transport *muted = &all[peer->job->number];
    *muted = *peer->transport;
    atomic_store(&real_poll, muted->poll);
    muted->poll = poll_later;
    muted->follow = follow_nobody;
    peer->transport = muted;
}

/* Messages that nobody receives fill the ring to each of the others, and then the heap is full. */
static void fill_all(ob_group *g, double *values)
{
    const ob_view some = ob_view_vector(values, 1000, OB_DOUBLE);
    for (int i = 0; i < g->size; i++)
        for (int k = 0; k < 50 && i != g->me; k++)
            OK(ob_send(g, i, 5, &some));
    fill_heap(g);
}

/* Its pieces of a scatter go as messages, for which it finds no room when all others wait for them:
 * nothing of them is shown, since earlier messages fill the ring. */
static void promise(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)LONG * (size_t)g->size, sizeof *values);
    const ob_view mine = ob_view_vector(values, LONG, OB_DOUBLE);
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = LONG, .private_sizes = 1},
                    none = {.type = OB_DOUBLE, .private_sizes = 1};
    OK(ob_barrier(g));
    if (me == VICTIM) {
        ob_shm_be_patient(t->job[me]->shm, 0.02);
        reach(&ready, t->count - 1);
        fill_all(g, values);
        int status = ob_scatter(g, VICTIM, &all, NULL, NULL);
        TEAM_CHECK(status == OB_ENOMEM, "%d: %s", status, ob_error_text());
        atomic_store(&failed_there, true);
        give_up_waiting(t, me);
    } else {
        mute(g->peer[VICTIM]);
        atomic_fetch_add(&ready, 1);
        int status = ob_scatter(g, VICTIM, &none, &mine, NULL);
        expect_the_line(status, "which process");
    }
    free(values);
    ob_group_free(g);
}

static void who_waits_for_a_message_that_cannot_be_sent_is_told(void **state)
{
    static const ob_settings messages = {.spin_us = -1, .one_copy = OB_ONE_COPY_NEVER};
    for (int count = 3; count <= 4; count++)
        run(count, &messages, promise, NULL);
}

/* The same of a gather: the root waits for the victim's piece. */
static void bring_nothing(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)LONG * (size_t)g->size, sizeof *values);
    const ob_view mine = ob_view_vector(values, LONG, OB_DOUBLE);
    const ob_pieces all = {.base = values, .type = OB_DOUBLE, .count = LONG, .private_sizes = 1},
                    none = {.type = OB_DOUBLE, .private_sizes = 1};
    OK(ob_barrier(g));
    ob_shm_be_patient(t->job[me]->shm, 0.02);
    if (me == 0)
        mute(g->peer[VICTIM]);
    atomic_fetch_add(&ready, me == 0);
    reach(&ready, 1);
    if (me == VICTIM)
        fill_all(g, values);
    int status = me ? ob_gather(g, 0, &none, &mine, NULL) : ob_gather(g, 0, &all, NULL, NULL);
    if (me == 0)
        expect_the_line(status, "which process");
    else
        TEAM_CHECK(status == (me == VICTIM ? OB_ENOMEM : OB_OK), "%d: %s", status, ob_error_text());
    if (me == VICTIM) {
        atomic_store(&failed_there, true);
        reach(&over, 1);
        if (atomic_load(&over) == 0)
            ob_segments_mark_gone(&t->memory, me);
    }
    free(values);
    ob_group_free(g);
}

static void a_root_that_waits_for_a_message_that_cannot_be_sent_is_told(void **state)
{
    run(3, NULL, bring_nothing, NULL);
}

/* The same of an all-to-all. Only the victim has something for the others: so it waits for none of
 * them, and they have an end also where it does not tell them. */
static void exchange_nothing(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)LONG * (size_t)(g->size + 1), sizeof *values);
    const size_t counts[TEAM_MOST] = {[VICTIM] = LONG};
    const ob_pieces from = {.base = values, .type = OB_DOUBLE, .count = me == VICTIM ? LONG : 0},
                    to = {.base = values + (size_t)LONG * (size_t)g->size,
                          .type = OB_DOUBLE,
                          .counts = counts};
    OK(ob_barrier(g));
    if (me == VICTIM) {
        ob_shm_be_patient(t->job[me]->shm, 0.02);
        reach(&ready, t->count - 1);
        fill_all(g, values);
    } else {
        mute(g->peer[VICTIM]);
        atomic_fetch_add(&ready, 1);
    }
    int status = ob_all_to_all(g, &from, &to, NULL);
    if (me == VICTIM) {
        TEAM_CHECK(status == OB_ENOMEM, "%d: %s", status, ob_error_text());
        atomic_store(&failed_there, true);
        give_up_waiting(t, me);
    } else {
        expect_the_line(status, "has failed");
    }
    free(values);
    ob_group_free(g);
}

static void who_waits_in_an_all_to_all_for_a_message_that_cannot_be_sent_is_told(void **state)
{
    static const ob_settings messages = {.spin_us = -1, .one_copy = OB_ONE_COPY_NEVER};
    for (int count = 3; count <= 4; count++)
        run(count, &messages, exchange_nothing, NULL);
}

/* Member 1 has begun to read its piece from the root, and ends. Member 2 gets a message, since its
 * piece lies in short runs: the root has failed before it sends it. */
static void die_reading(ob_board *b)
{
    OK(post_nothing(b, OB_TASK_SCATTER));
    OK(ob_board_wait(b, 0));
    TEAM_CHECK(form_of(ob_board_note(b, 0)) == STRAIGHT, "it does not go straight");
    shown *all = ob_board_borrow(b, 0, ob_board_note(b, 0)->name[0]);
    TEAM_CHECK(claim(&all[b->me], CLAIMED), "it is not to be read");
}

static void read_and_end(team *t, int me)
{
    ob_group *g = team_group(t, me);
    double *values = calloc((size_t)6 * LONG, sizeof *values);
    const ob_view runs = {
        .base = values + (size_t)2 * LONG, .m = 8, .n = LONG / 8, .ld = 16, .type = OB_DOUBLE};
    const ob_view piece[3] = {ob_view_vector(values, 0, OB_DOUBLE),
                              ob_view_vector(values, LONG, OB_DOUBLE), runs};
    const ob_pieces all = {.type = OB_DOUBLE, .views = piece, .private_sizes = 1},
                    none = {.type = OB_DOUBLE, .private_sizes = 1};
    OK(ob_barrier(g));
    if (me == 0) {
        int status = ob_scatter(g, 0, &all, NULL, NULL);
        TEAM_CHECK(status == OB_EGONE, "%d: %s", status, ob_error_text());
        reach(&over, 1);
        if (atomic_load(&over) == 0)
            ob_segments_mark_gone(&t->memory, 0);
    } else if (me == 1) {
        die_reading(g->board);
        reach(&ready, 1);
        team_sleep_us(2000);
        ob_segments_mark_gone(&t->memory, 1);
    } else {
        const ob_view mine = ob_view_vector(values, LONG, OB_DOUBLE);
        atomic_fetch_add(&ready, 1);
        expect_the_line(ob_scatter(g, 0, &none, &mine, NULL), "has ended");
    }
    free(values);
    ob_group_free(g);
}

static void who_waits_for_a_message_behind_a_reader_that_ends_is_told(void **state)
{
    static const ob_settings straight = {.spin_us = -1, .one_copy = OB_ONE_COPY_ALWAYS};
    run(3, &straight, read_and_end, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sleeps_over_a_board_that_is_broken_is_woken),
        cmocka_unit_test(who_waits_in_a_board_that_is_broken_fails),
        cmocka_unit_test(who_is_late_on_a_board_that_is_broken_comes_to_where_it_was),
        cmocka_unit_test(who_waits_for_deep_lanes_of_a_board_that_is_broken_fails),
        cmocka_unit_test(nobody_waits_for_a_node_whose_board_is_broken),
        cmocka_unit_test(who_waits_for_a_message_that_cannot_be_sent_is_told),
        cmocka_unit_test(a_root_that_waits_for_a_message_that_cannot_be_sent_is_told),
        cmocka_unit_test(who_waits_in_an_all_to_all_for_a_message_that_cannot_be_sent_is_told),
        cmocka_unit_test(who_waits_for_a_message_behind_a_reader_that_ends_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
