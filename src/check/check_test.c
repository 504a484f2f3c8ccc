/*
 * What a process puts down of its waits at level 2: whom each of its threads waits for, in which
 * call, and nothing of it when it goes on.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/diary.h"
#include "core/group.h"
#include "node/thread_team.h"
#include "unit.h"

enum { PROCESSES = 4, ME = 1 };

static team t;
static ob_job *job;
static ob_group *grid;
static ob_peer peer[PROCESSES], *peers[PROCESSES];
static ob_entry *copy;

/* This thread's entry, which is the first that a thread of this process has taken. */
static const ob_entry *entry(void)
{
    assert_int_equal(ob_diary_read(ob_diary_own, 0, copy), 1);
    return copy;
}

static unsigned looks(void)
{
    return atomic_load(&ob_diary_entry(ob_diary_own, 0)->looks);
}

static unsigned version(void)
{
    return atomic_load(&ob_diary_entry(ob_diary_own, 0)->version);
}

static void wait_for(double since, int first, int count)
{
    ob_check_long_wait(job, since, since + 1, peers + first, count);
}

static void the_level_is_the_settings(void **state)
{
    assert_int_equal(ob_check_level(), 2);
    assert_int_equal(ob_check_now, 2);
    assert_int_equal(ob_diary_own->number, ME);
    assert_int_equal(ob_diary_own->count, PROCESSES);
    assert_int_equal(ob_diary_own->pid, getpid());
}

static void a_wait_outside_all_calls(void **state)
{
    wait_for(10, 2, 1);
    const ob_entry *e = entry();
    assert_int_equal(e->kind, OB_WAIT_ONE);
    assert_int_equal(e->count, 1);
    assert_int_equal(e->peer[0], 2);
    assert_true(e->since == 10);
    assert_int_equal(e->grid, 0);
    assert_string_equal(e->where, "process number 1 waits in a call of the library");
    assert_string_equal(e->whom, "process number 2");
}

/* Who looks in vain counts it; what it waits for is written once. */
static void each_look_counts(void **state)
{
    wait_for(20, 2, 1);
    unsigned before = looks(), written = version();
    for (int i = 0; i < 5; i++)
        wait_for(20, 2, 1);
    assert_int_equal(looks(), before + 5);
    assert_int_equal(version(), written);
    wait_for(21, 2, 1);
    assert_int_not_equal(version(), written);
    assert_true(entry()->since == 21);
    wait_for(21, 3, 1);
    assert_int_equal(entry()->peer[0], 3);
    wait_for(21, 3, 0); /* for nobody: no wait */
    assert_int_equal(entry()->peer[0], 3);
}

static void a_call_is_named_with_its_grid(void **state)
{
    unsigned long long calls = atomic_load(&ob_diary_own->calls);
    char expected[OB_DIARY_TEXT];
    ob_check_enter(
        &(ob_check_call){.routine = "dgerv2d", .context = 3, .grid = grid, .columns = 2});
    assert_int_equal(ob_check_calls(), calls + 1);
    wait_for(30, 2, 1);
    snprintf(expected, sizeof expected,
             "process {0,1} (number 1) waits in dgerv2d (context 3, its call %llu)", calls + 1);
    assert_string_equal(entry()->where, expected);
    assert_string_equal(entry()->whom, "process {1,0} (number 2)");
    assert_int_equal(entry()->grid, grid->context);
    assert_int_equal(entry()->context, 3);
    static const struct {
        char scope;
        const char *name;
    } scopes[] = {{'R', "row"}, {'C', "column"}, {'A', "all"}};
    for (int i = 0; i < 3; i++) {
        ob_check_scope(scopes[i].scope);
        wait_for(31 + i, 2, 1);
        snprintf(expected, sizeof expected,
                 "process {0,1} (number 1) waits in dgerv2d (context 3, scope %s, its call %llu)",
                 scopes[i].name, calls + 1);
        assert_string_equal(entry()->where, expected);
    }
    ob_check_leave();
    wait_for(40, 2, 1);
    assert_string_equal(entry()->where, "process number 1 waits in a call of the library");
    assert_int_equal(entry()->grid, 0);
}

/* A grid in another order than by rows. */
static void a_listed_grid_has_the_programs_coordinates(void **state)
{
    static const int listed[] = {0, 2, 1, 3};
    ob_check_enter(&(ob_check_call){
        .routine = "dgsum2d", .context = 0, .grid = grid, .listed = listed, .columns = 2});
    wait_for(50, 2, 1);
    assert_non_null(
        strstr(entry()->where, "process {1,0} (number 1) waits in dgsum2d (context 0,"));
    assert_string_equal(entry()->whom, "process {0,1} (number 2)");
    ob_check_leave();
}

static void a_wait_for_any(void **state)
{
    wait_for(60, 0, PROCESSES);
    assert_int_equal(entry()->kind, OB_WAIT_ANY);
    assert_int_equal(entry()->count, PROCESSES);
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(entry()->peer[i], i);
    assert_string_equal(entry()->whom, "a message from any of 4 processes");
}

static void a_meeting_is_known_by_its_members(void **state)
{
    static const int some[] = {0, 1, 3}, others[] = {0, 1, 2};
    ob_check_meets(ob_diary_job, some, 3);
    uint64_t meeting = entry()->meeting;
    assert_int_equal(entry()->kind, OB_WAIT_MEET);
    assert_int_equal(entry()->count, 2); /* without the caller */
    assert_int_equal(entry()->peer[0], 0);
    assert_int_equal(entry()->peer[1], 3);
    assert_string_equal(entry()->whom, "the other members of a new grid of 3 processes");
    ob_check_has_met();
    assert_int_equal(entry()->kind, OB_WAIT_NONE);
    assert_true(entry()->since == 0);
    ob_check_meets(ob_diary_job, others, 3);
    assert_true(entry()->meeting != meeting);
    ob_check_meets(ob_diary_job, some, 3);
    assert_true(entry()->meeting == meeting);
    ob_check_has_met();
}

/* Such a process can always go on, whatever it waits for; long before ob_stall's time. */
static void a_wait_in_another_job_is_one_that_anybody_ends(void **state)
{
    static const int members[] = {0, 1, 2};
    ob_job other = {.number = 2, .count = 3, .set = {.check_seconds = 1000}};
    unsigned before = looks();
    ob_check_long_wait(&other, 80, 81, peers + 3, 1);
    assert_int_equal(entry()->kind, OB_WAIT_ANY);
    assert_int_equal(entry()->count, 0);
    assert_true(entry()->since == 80);
    assert_int_equal(looks(), before + 1);
    wait_for(90, 2, 1);
    assert_int_equal(entry()->kind, OB_WAIT_ONE);
    ob_check_long_wait(&other, 90, 92, peers, 2);
    assert_int_equal(entry()->count, 0);
    ob_check_meets(&other, members, 3);
    assert_int_equal(entry()->kind, OB_WAIT_MEET);
    assert_int_equal(entry()->count, 0);
    ob_check_has_met();
    assert_int_equal(entry()->kind, OB_WAIT_NONE);
}

static void who_has_left_says_so(void **state)
{
    ob_check_left(1);
    assert_int_equal(atomic_load(&ob_diary_own->left), 1);
    ob_check_left(0);
    assert_int_equal(atomic_load(&ob_diary_own->left), 0);
}

/* ------------------------------------------------------------------------ threads */

static int used(void)
{
    int n = 0;
    for (int i = 0; i < OB_DIARY_THREADS; i++)
        n += atomic_load(&ob_diary_entry(ob_diary_own, i)->used);
    return n;
}

static pthread_barrier_t all_there;

static void *wait_beside(void *since)
{
    wait_for(*(double *)since, 3, 1);
    pthread_barrier_wait(&all_there);
    pthread_barrier_wait(&all_there); /* looked at meanwhile */
    return NULL;
}

/* More threads than entries: the rest is not looked after. All give theirs back. */
static void each_thread_has_an_entry_while_it_lives(void **state)
{
    enum { MORE = OB_DIARY_THREADS + 3 };
    static double since[MORE];
    static const int rounds[] = {3, MORE, 2};
    for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++) {
        int n = rounds[r], found = 0;
        pthread_t thread[MORE];
        wait_for(70, 2, 1);
        pthread_barrier_init(&all_there, NULL, (unsigned)n + 1);
        for (int i = 0; i < n; i++) {
            since[i] = 100 + i;
            assert_int_equal(pthread_create(&thread[i], NULL, wait_beside, &since[i]), 0);
        }
        pthread_barrier_wait(&all_there);
        assert_int_equal(used(), n < OB_DIARY_THREADS ? n + 1 : OB_DIARY_THREADS);
        assert_true(entry()->since == 70);
        for (int i = 1; i < OB_DIARY_THREADS; i++)
            found +=
                ob_diary_read(ob_diary_own, i, copy) && copy->since >= 100 && copy->peer[0] == 3;
        assert_int_equal(found, used() - 1);
        pthread_barrier_wait(&all_there);
        for (int i = 0; i < n; i++)
            pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&all_there);
        assert_int_equal(used(), 1);
    }
}

static int begin(void **state)
{
    static const ob_settings set = {.spin_us = -1, .check = 2, .check_seconds = 1000};
    static const int numbers[PROCESSES] = {0, 1, 2, 3};
    setenv("PMIX_NAMESPACE", "check_test", 1);
    team_open(&t, PROCESSES, 1 << 20, &set);
    job = t.job[ME];
    for (int i = 0; i < PROCESSES; i++) {
        peer[i].number = i;
        peers[i] = &peer[i];
    }
    if (ob_group_create(job, numbers, PROCESSES, &grid) != OB_OK || ob_check_start(job) != OB_OK)
        return -1;
    copy = calloc(1, ob_diary_entry_bytes(PROCESSES));
    return copy ? 0 : -1;
}

static int end(void **state)
{
    free(copy);
    ob_group_free(grid);
    return 0; /* the thread that looks for hangs has the job for good */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_is_the_settings),
        cmocka_unit_test(a_wait_outside_all_calls),
        cmocka_unit_test(each_look_counts),
        cmocka_unit_test(a_call_is_named_with_its_grid),
        cmocka_unit_test(a_listed_grid_has_the_programs_coordinates),
        cmocka_unit_test(a_wait_for_any),
        cmocka_unit_test(a_meeting_is_known_by_its_members),
        cmocka_unit_test(a_wait_in_another_job_is_one_that_anybody_ends),
        cmocka_unit_test(who_has_left_says_so),
        cmocka_unit_test(each_thread_has_an_entry_while_it_lives),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
