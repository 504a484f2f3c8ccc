/*
 * Rounds on a board, member by member and step by step: how far one gets ahead, when the lanes
 * become deep, slates, a broken board, members that have gone, and who wakes whom.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collective/board/board.h"
#include "collective/board/broadcast.h"
#include "collective/board/collectives.h"
#include "node/segment.h"
#include "node/thread_team.h"
#include "unit.h"

enum { HEAP = 16 << 20 };

static void run(int count, team_work work, void *user)
{
    assert_int_equal(team_try(count, HEAP, NULL, work, user), 0);
}

/* A member's group and board. */
static ob_board *open_board(team *t, int me, ob_group **g)
{
    ob_board *b = NULL;
    *g = team_group(t, me);
    OK(ob_board_of(*g, &b));
    return b;
}

static ob_note *begin(ob_board *b)
{
    ob_note *note = NULL;
    OK(ob_board_begin(b, &note));
    return note;
}

/* In a round that all wait for. */
static void meet(ob_board *b)
{
    begin(b);
    ob_board_post(b);
    OK(ob_board_wait_all(b));
}

static void word_to(ob_note *note, uint64_t word)
{
    note->bytes = word;
    memcpy(note->data, &word, sizeof word);
    memcpy(note->data + OB_NOTE_INLINE - sizeof word, &word, sizeof word);
}

static bool word_is(const ob_note *note, uint64_t word)
{
    return note->bytes == word && memcmp(note->data, &word, sizeof word) == 0 &&
           memcmp(note->data + OB_NOTE_INLINE - sizeof word, &word, sizeof word) == 0;
}

/* ------------------------------------------------------------------------- rounds */

static void talk(team *t, int me)
{
    enum { ROUNDS = 1000 };
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        word_to(begin(b), k * 100 + (unsigned)me);
        ob_board_post(b);
        int one = (int)(k % (unsigned)t->count);
        /* For all, for one, or for nobody; the latter two let members get ahead of each other. */
        if (k % 3 == 0)
            OK(ob_board_wait_all(b));
        else if (k % 3 == 1)
            OK(ob_board_wait(b, one));
        for (int i = 0; i < t->count; i++)
            if (k % 3 == 0 || (k % 3 == 1 && i == one))
                TEAM_CHECK(word_is(ob_board_note(b, i), k * 100 + (unsigned)i),
                           "round %d, member %d", (int)k, i);
    }
    meet(b);
    ob_group_free(g);
}

static void all_read_the_notes_of_the_round_they_wait_for(void **state)
{
    for (int count = 2; count <= 5; count++)
        run(count, talk, NULL);
}

/* Members 0 and 1 go by turns, told by these. */
static atomic_int at[2];

static void reach(int who, int step)
{
    while (atomic_load(&at[who]) < step)
        team_sleep_us(20);
}

static void say(int who, int step)
{
    atomic_store(&at[who], step);
}

static void run_pair(team_work work)
{
    say(0, 0);
    say(1, 0);
    run(2, work, NULL);
}

/* Member 1 posts as many rounds as there are notes while member 0 posts none. */
static void get_ahead(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    const ob_lane *lane = ob_board_lane(b, 1);
    TEAM_CHECK(b->depth == OB_BOARD_SHALLOW, "%u", b->depth);
    if (me == 1) {
        for (unsigned k = 1; k < OB_BOARD_SHALLOW; k++) {
            word_to(begin(b), k);
            ob_board_post(b);
        }
        TEAM_CHECK(atomic_load(&lane->deeper) == 0, "%u", atomic_load(&lane->deeper));
        say(1, 1);
        word_to(begin(b), OB_BOARD_SHALLOW); /* the last free one was used when round 1 was over */
        say(1, 2);
        ob_board_post(b);
        OK(ob_board_wait_all(b));
    } else {
        reach(1, 1);
        team_sleep_us(2000);
        TEAM_CHECK(atomic_load(&at[1]) == 1, "member 1 overwrites what nobody has read");
        for (unsigned k = 1; k <= OB_BOARD_SHALLOW; k++) {
            begin(b);
            ob_board_post(b);
            OK(ob_board_wait(b, 1));
            TEAM_CHECK(word_is(ob_board_note(b, 1), k), "round %u", k);
        }
    }
    meet(b);
    ob_group_free(g);
}

static void nobody_gets_further_ahead_than_there_are_notes(void **state)
{
    run_pair(get_ahead);
}

/* Who had to wait wishes for deep lanes. All go there in one and the same round. */
static void grow(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    uint32_t changed = 0;
    for (uint32_t k = 1; k <= 40; k++) {
        uint32_t before = b->depth;
        word_to(begin(b), k);
        if (b->depth != before) {
            TEAM_CHECK(b->settled == k - 1, "%u of %u", b->settled, k);
            changed = k;
        }
        ob_board_post(b);
        if (me == 0) {
            team_sleep_us(100); /* the slow one, for whom member 1 waits */
            OK(ob_board_wait(b, 1));
            TEAM_CHECK(word_is(ob_board_note(b, 1), k), "round %u", k);
        }
    }
    TEAM_CHECK(b->depth == OB_BOARD_DEPTH, "%u", b->depth);
    TEAM_CHECK(changed && changed % OB_BOARD_SHALLOW == 0, "%u", changed);
    atomic_store(&at[me], (int)changed);
    meet(b);
    TEAM_CHECK(atomic_load(&at[0]) == atomic_load(&at[1]), "in rounds %d and %d",
               atomic_load(&at[0]), atomic_load(&at[1]));
    for (uint32_t k = 0; k < 3 * OB_BOARD_DEPTH; k++) {
        word_to(begin(b), k);
        ob_board_post(b);
        if (me == 1)
            continue;
        OK(ob_board_wait(b, 1));
        TEAM_CHECK(word_is(ob_board_note(b, 1), k), "round %u", k);
    }
    meet(b);
    ob_group_free(g);
}

static void a_member_that_waits_for_room_makes_the_lanes_deep(void **state)
{
    run_pair(grow);
}

/* Which round members at the same step of one thread are in. */
static void all_post(ob_board *const b[2])
{
    for (int i = 0; i < 2; i++) {
        begin(b[i]);
        ob_board_post(b[i]);
    }
}

/* A wish of a round that not all need have seen yet is not carried out; the next time it is. */
static void a_wish_counts_when_all_have_seen_it(void **state)
{
    team t;
    ob_group *g[2];
    ob_board *b[2];
    team_open(&t, 2, HEAP, NULL);
    for (int i = 0; i < 2; i++)
        b[i] = open_board(&t, i, &g[i]);
    while (b[0]->round + 1 < b[0]->look)
        all_post(b);
    assert_int_equal(b[0]->look, b[1]->look);
    atomic_store(&ob_board_lane(b[0], 0)->deeper, b[0]->look - b[0]->depth + 2);
    for (uint32_t next = b[0]->look + b[0]->depth; b[0]->round + 1 < next;) {
        all_post(b);
        assert_int_equal(b[0]->depth, OB_BOARD_SHALLOW);
        assert_int_equal(b[1]->depth, OB_BOARD_SHALLOW);
    }
    all_post(b);
    assert_int_equal(b[0]->depth, OB_BOARD_DEPTH);
    assert_int_equal(b[1]->depth, OB_BOARD_DEPTH);
    for (int i = 0; i < 2; i++)
        ob_group_free(g[i]);
    assert_int_equal(team_close(&t), 0);
}

static void stay_shallow(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    for (int k = 0; k < 100; k++)
        meet(b);
    TEAM_CHECK(b->depth == OB_BOARD_SHALLOW, "%u", b->depth);
    TEAM_CHECK(b->round == 100 && b->settled == 100, "%u %u", b->round, b->settled);
    ob_group_free(g);
}

static void rounds_in_step_need_no_deep_lanes(void **state)
{
    run(3, stay_shallow, NULL);
}

/* Member 1 shows long pieces and may be four rounds ahead. */
static void keep_up(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    if (me == 1) {
        for (int k = 1; k <= 6; k++) {
            OK(ob_board_keep_up(b, 4));
            say(1, k);
            begin(b);
            ob_board_post(b);
        }
        TEAM_CHECK(b->settled >= 3, "%u", b->settled);
    } else {
        reach(1, 5); /* before its fifth round it has posted four */
        team_sleep_us(2000);
        TEAM_CHECK(atomic_load(&at[1]) == 5, "%d", atomic_load(&at[1]));
        for (int k = 1; k <= 6; k++) {
            begin(b);
            ob_board_post(b);
        }
    }
    meet(b);
    ob_group_free(g);
}

static void a_member_may_be_kept_from_getting_far_ahead(void **state)
{
    run_pair(keep_up);
}

/* ------------------------------------------------------------------------- slates */

static void show_slates(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    char *last = NULL;
    for (int k = 0; k < 20; k++) {
        ob_note *note = begin(b);
        char *mine = ob_board_slate(b, note);
        TEAM_CHECK(mine != NULL && mine != last, "round %d", k);
        last = mine;
        memset(mine, 'a' + (k * 7 + me) % 26, OB_SLATE_BYTES);
        ob_board_post(b);
        OK(ob_board_wait_all(b));
        for (int i = 0; i < t->count; i++) {
            const char *theirs = ob_board_slate_of(b, i);
            char c = (char)('a' + (k * 7 + i) % 26);
            TEAM_CHECK(theirs[0] == c && theirs[OB_SLATE_BYTES - 1] == c, "round %d, member %d", k,
                       i);
        }
    }
    meet(b);
    ob_group_free(g);
}

static void slates_are_read_by_all_and_change_by_turns(void **state)
{
    run(4, show_slates, NULL);
}

static pthread_barrier_t pair;
/* Half of all rounds' numbers pass without one. */
static void show_after_long(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    for (int k = 0; k < 24; k++) {
        TEAM_CHECK(ob_board_has_free_slate(b) && ob_board_slate(b, begin(b)), "round %d", k);
        ob_board_post(b);
        OK(ob_board_wait_all(b));
        pthread_barrier_wait(&pair);
        uint32_t more = k == 12 ? (1u << 31) + 256 : 0;
        b->round += more, b->settled += more, b->look += more;
        for (uint32_t d = 0; d < b->depth; d++)
            atomic_fetch_add(&ob_board_lane(b, me)->note[d].round, more);
        pthread_barrier_wait(&pair);
    }
    ob_group_free(g);
}

static void a_slate_is_free_however_long_ago_it_was_shown(void **state)
{
    pthread_barrier_init(&pair, NULL, 2);
    run_pair(show_after_long);
}

/* One of the members leaves before another lends its slates. */
static void lend_late(team *t, int me)
{
    for (int k = 0; k < 400 && !atomic_load(&team_failures);
         k++) { /* more than the heap holds, if they were not given back */
        ob_group *g;
        ob_board *b = open_board(t, me, &g);
        meet(b);
        if (me == 1) {
            ob_group_free(g);
            say(1, k + 1);
            reach(0, k + 1);
            continue;
        }
        reach(1, k + 1);
        ob_note *note = begin(b);
        TEAM_CHECK(ob_board_slate(b, note) != NULL, "group %d: %s", k, ob_error_text());
        ob_group_free(g);
        say(0, k + 1);
    }
}

static void what_is_lent_to_one_who_has_left_is_given_back(void **state)
{
    say(0, 0);
    say(1, 0);
    assert_int_equal(team_try(2, 1 << 20, NULL, lend_late, NULL), 0);
}

/* ----------------------------------------------------------- broken boards, the gone */

/* Who shows a matrix along the boards has nothing to read to its end; who reads it has done so. */
static void show_along(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    double x[4] = {1, 2, 3, 4};
    ob_view v = ob_view_vector(x, 4, OB_DOUBLE);
    if (me)
        memset(x, 0, sizeof x);
    ob_stream s = {.from = me ? b : NULL, .on = {b}, .count = !me};
    bool whole = me == 0;
    OK(ob_broadcast_along(&s, &v, &whole));
    TEAM_CHECK(whole == (me != 0) && x[3] == 4, "member %d: %d, %g", me, whole, x[3]);
    meet(b);
    ob_group_free(g);
}

static void a_broadcast_says_who_has_read_it_whole(void **state)
{
    run(3, show_along, NULL);
}

/* What a member has posted before it ended still counts. */
static void end_early(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    meet(b);
    ob_board_slate(b, begin(b))[0] = 1;
    if (me == 1) {
        ob_board_post(b);
        ob_group_free(g);
        ob_segments_mark_gone(&t->memory, 1);
        say(1, 1);
        return;
    }
    reach(1, 1);
    ob_board_post(b);
    OK(ob_board_wait(b, 1));
    OK(ob_board_wait_all(b));
    OK(ob_board_free_slate(b));
    ob_board_slate(b, begin(b))[0] = 2;
    ob_board_post(b);
    TEAM_CHECK(ob_board_wait(b, 1) == OB_EGONE, "%s", ob_error_text());
    TEAM_CHECK(ob_board_wait_all(b) == OB_EGONE, "%s", ob_error_text());
    TEAM_CHECK(strstr(ob_error_text(), "process 1, which process 0 waits for, has ended [OB-5006]"),
               "%s", ob_error_text());
    begin(b);
    TEAM_CHECK(ob_board_free_slate(b) == OB_EGONE, "who has not come may still read the first");
    ob_group_free(g);
}

static void those_who_wait_for_one_who_has_ended_fail(void **state)
{
    run_pair(end_early);
}

/* ------------------------------------------------------------------------- waking */

enum { NAPS = 20, NAP_SECONDS = 10 };

/* Sleeps as the board does, but so long that only a wake-up ends it: its result says which it was.
 */
static void nap(atomic_uint *word, unsigned expected, int *woken)
{
    struct timespec limit = {atomic_load(&team_failures) ? 0 : NAP_SECONDS,
                             0}; /* one failure will do */
    long result = syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0);
    TEAM_CHECK(result == 0 || errno != ETIMEDOUT, "nobody woke us");
    *woken += result == 0;
}

/* Member 1 sleeps, for member 0 or for all; the others post. */
static void wake(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    int woken = 0;
    for (int k = 1; k <= NAPS; k++) {
        begin(b);
        if (me == 1) {
            ob_note *note = ob_board_note_of(b, 0, b->round + 1);
            atomic_uint *sleepers = k % 2 ? &ob_board_lane(b, 0)->sleepers : &b->memory->sleepers;
            ob_board_post(b);
            atomic_fetch_add(sleepers, 1);
            unsigned there = atomic_load(&note->round), rung = atomic_load(&b->memory->bell);
            say(1, k);
            nap(k % 2 ? &note->round : &b->memory->bell, k % 2 ? there : rung, &woken);
            atomic_fetch_sub(sleepers, 1);
            /* The last to come rings, once, and only for those who wait for all. */
            TEAM_CHECK(atomic_load(&b->memory->bell) - rung == (k % 2 == 0), "round %d", k);
            OK(ob_board_wait_all(b));
        } else {
            reach(1, k);
            if (me == 0)
                team_sleep_us(1000);
            ob_board_post(b);
        }
    }
    TEAM_CHECK(me != 1 || woken > 0, "never asleep when it was to be woken");
    meet(b);
    ob_group_free(g);
}

static void a_post_wakes_those_who_wait_for_it(void **state)
{
    say(1, 0);
    run(3, wake, NULL);
}

/* Members that sleep in each wait, of one scheduling group each or all of one. Who has slept
 * where yields reach nobody fences for the others. */
static void sleep_apart(team *t, int me)
{
    const bool apart = *(bool *)t->user;
    ob_group *g;
    /* Of all, alike: whoever waits first looks at the others'. */
    for (int i = 0; i < t->count; i++)
        atomic_store(&t->job[i]->shm->own->sharing, apart ? (uint64_t)i + 1 : 1);
    ob_board *b = open_board(t, me, &g);
    t->job[me]->set.spin_us = 0;
    meet(b);
    for (int k = 1; k <= NAPS; k++) {
        begin(b);
        if (me == k % t->count)
            team_sleep_us(1000);
        ob_board_post(b);
        TEAM_CHECK((k % 2 ? ob_board_wait_all(b) : ob_board_wait(b, k % t->count)) == OB_OK, "%s",
                   ob_error_text());
    }
    unsigned fences = atomic_load(&ob_board_lane(b, me)->fences);
    TEAM_CHECK(fences == apart, "member %d", me);
    TEAM_CHECK(!b->light || !apart, "member %d", me);
    meet(b);
    ob_group_free(g);
}

static void members_that_always_sleep_fence_for_each_other(void **state)
{
    for (int apart = 0; apart < 2; apart++)
        run(3, sleep_apart, &(bool){apart == 1});
}

/* ----------------------------------------------------------------------- barriers */

enum { BARRIERS = 20 };

/* Rounds behind barriers, in which member 1 waits for member 0 alone. Member 1 comes to the barrier
 * last, so it is out at once but for the time in which it lets member 0 go ahead, who does not. It
 * looks for member 0 where that one posts in the lanes of now: the next round may have others, and
 * then it comes after a while. */
static void lead(team *t, int me)
{
    const bool crowded = *(bool *)t->user;
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    double least = 1;
    t->job[me]->processors = crowded ? 1 : 2;
    t->job[me]->set.spin_us = 1000; /* else it may sleep, and so give up, since others compute */
    for (int k = 1; k <= BARRIERS; k++) {
        const ob_note *theirs = ob_board_note_of(b, 0, b->round + 1);
        for (int nap = 0; me && nap < 50 && atomic_load(&theirs->round) != b->round + 1; nap++)
            team_sleep_us(20);
        double since = ob_time();
        OK(ob_barrier_board(g));
        double took = ob_time() - since;
        unsigned leads = k < 2 || me == 0 ? 0 : (unsigned)k - 1;
        TEAM_CHECK(b->leads == leads, "barrier %d: %u", k, b->leads);
        least = leads > 1 && took < least ? took : least;
        if (me)
            say(1, k);
        reach(1, k);
        begin(b);
        ob_board_post(b);
        OK(me ? ob_board_wait(b, 0) : OB_OK);
    }
    TEAM_CHECK(me == 0 || !crowded || least >= 3e-6, "let nobody ahead: %g s", least);
    /* Another call, or another member, is followed by nobody. */
    meet(b);
    for (int k = 0; k < 4; k++) {
        OK(ob_barrier_board(g));
        TEAM_CHECK(b->leads == (k == 0 ? (me ? BARRIERS : 0) : 0), "%d: %u", k, b->leads);
        meet(b);
    }
    ob_group_free(g);
}

static void who_is_waited_for_behind_barriers_comes_out_first(void **state)
{
    for (int crowded = 0; crowded < 2; crowded++) {
        say(1, 0);
        run(2, lead, &(bool){crowded == 1});
    }
}

/* Two roots in turn lead nobody. */
static void take_turns(team *t, int me)
{
    ob_group *g;
    ob_board *b = open_board(t, me, &g);
    for (int k = 0; k < BARRIERS; k++) {
        OK(ob_barrier_board(g));
        TEAM_CHECK(b->leads <= 1, "barrier %d: %u", k, b->leads);
        begin(b);
        ob_board_post(b);
        OK(me == k % 2 ? OB_OK : ob_board_wait(b, k % 2));
    }
    meet(b);
    ob_group_free(g);
}

static void roots_by_turns_lead_nobody(void **state)
{
    run(3, take_turns, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_read_the_notes_of_the_round_they_wait_for),
        cmocka_unit_test(nobody_gets_further_ahead_than_there_are_notes),
        cmocka_unit_test(a_member_that_waits_for_room_makes_the_lanes_deep),
        cmocka_unit_test(a_wish_counts_when_all_have_seen_it),
        cmocka_unit_test(rounds_in_step_need_no_deep_lanes),
        cmocka_unit_test(a_member_may_be_kept_from_getting_far_ahead),
        cmocka_unit_test(slates_are_read_by_all_and_change_by_turns),
        cmocka_unit_test(a_slate_is_free_however_long_ago_it_was_shown),
        cmocka_unit_test(what_is_lent_to_one_who_has_left_is_given_back),
        cmocka_unit_test(a_broadcast_says_who_has_read_it_whole),
        cmocka_unit_test(those_who_wait_for_one_who_has_ended_fail),
        cmocka_unit_test(a_post_wakes_those_who_wait_for_it),
        cmocka_unit_test(members_that_always_sleep_fence_for_each_other),
        cmocka_unit_test(who_is_waited_for_behind_barriers_comes_out_first),
        cmocka_unit_test(roots_by_turns_lead_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
