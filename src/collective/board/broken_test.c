/*
 * A member that fails breaks its board: who sleeps over it is woken. Members are threads over one
 * shared memory.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collective/board/board.h"
#include "core/error.h"
#include "node/thread_team.h"
#include "unit.h"

enum { HEAP = 16 << 20, DEADLINE_MS = 20000 };

static atomic_int ready;

static void run(int count, const ob_settings *set, team_work work, void *user)
{
    atomic_store(&ready, 0);
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

/* The board's own waits do not sleep on one that has been broken. */
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
    }
    ob_group_free(g);
}

static void who_waits_in_a_board_that_is_broken_fails(void **state)
{
    static const ob_settings asleep = {.spin_us = 0};
    for (int k = 0; k < 20; k++)
        run(3, &asleep, wait_on, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sleeps_over_a_board_that_is_broken_is_woken),
        cmocka_unit_test(who_waits_in_a_board_that_is_broken_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
