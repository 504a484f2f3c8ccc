/*
 * The note of a long wait, with headers of other processes made by hand and a clock of our own: it
 * is said when all wait and have looked again, once, and about nobody who may still go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/check.h"
#include "check/stall.h"
#include "node/thread_team.h"
#include "unit.h"

enum { MEMBERS = 4, SAID = 4096 };
#define LIMIT 32.0 /* seconds: looked at every 1 */

static team t;
static ob_hooks hooks;
static int aborted;
static double clock_now = 1000; /* of all tests: it never goes back */
static double began;
static char said[SAID];

static void note_abort(ob_job *job, int code)
{
    assert_ptr_equal(job, t.job[0]);
    assert_int_equal(code, 1);
    aborted++;
}

static ob_segment_header *header(int number)
{
    return t.job[number]->shm->own;
}

/* Process `number` waits for `on` in a routine. */
static void waits(int number, int on)
{
    ob_segment_header *h = header(number);
    snprintf(h->stall_where, sizeof h->stall_where, "in routine_%d", number);
    atomic_store(&h->stall_on, on);
    atomic_store(&h->stall_since, (uint64_t)(began * 1e9));
    atomic_store(&h->pid, (unsigned)getpid());
}

static void goes_on(int number)
{
    atomic_store(&header(number)->stall_since, 0);
}

static void begin(void)
{
    team_open(&t, MEMBERS, 1 << 20, NULL);
    hooks = *t.job[0]->hooks;
    hooks.abort = note_abort;
    t.job[0]->hooks = &hooks;
    t.job[0]->set.check_seconds = LIMIT;
    began = clock_now;
    aborted = 0;
    waits(1, 2);
    waits(2, 0);
    waits(3, 0);
}

static void end(void)
{
    team_close(&t);
}

/* Process 0 waits for process 1 (or anybody) and looks `rounds` times, a second apart; those of the
 * others that `looking` names look too. What it has said. */
static void wait_on(int rounds, int on, const char *looking)
{
    int kept = dup(STDERR_FILENO), file = memfd_create("said", 0);
    ob_peer peer[MEMBERS] = {0}, *peers[MEMBERS];
    int count = 0;
    for (int i = 0; i < MEMBERS; i++)
        if (i == on || (on == OB_ANY && i))
            (peers[count++] = &peer[i])->number = i;
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    for (int i = 0; i < rounds; i++) {
        clock_now += 1.01;
        ob_check_long_wait(t.job[0], began, clock_now, peers, count);
        for (const char *at = looking; *at; at++)
            atomic_fetch_add(&header(*at - '0')->stall_looks, 1);
    }
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    ssize_t n = pread(file, said, SAID - 1, 0);
    said[n > 0 ? n : 0] = 0;
    close(kept);
    close(file);
}

static void expect(const char *text)
{
    if (strstr(said, text) == NULL)
        fail_msg("'%s' is not in '%s'", text, said);
}

static void a_circle_is_noted_once(void **state)
{
    begin();
    wait_on(40, 1, "123");
    expect("OpenBLACS: note: process 0 has waited for process 1 for ");
    expect("; process 1 has waited for process 2 for ");
    expect(" s, in routine_1;");
    expect("; process 2 has waited for process 0 for ");
    expect("; none of them computes or can go on; OPENBLACS_CHECK=2 tells why, and ends the run "
           "[OB-5104]\n");
    assert_null(strstr(said, "process 3"));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    wait_on(40, 1, "123");
    assert_string_equal(said, "");
    assert_int_equal(aborted, 0);
    end();
}

static void who_computes_may_still_send(void **state)
{
    begin();
    goes_on(2);
    wait_on(40, 1, "13");
    assert_string_equal(said, "");
    wait_on(40, 1, "123"); /* it has waited now and then */
    assert_string_equal(said, "");
    waits(2, 0);
    wait_on(40, 1, "123");
    expect("OpenBLACS: note:");
    end();
}

/* It is stopped, or sleeps in a handler. */
static void who_does_not_look_again_may_find_something(void **state)
{
    begin();
    wait_on(40, 1, "13");
    assert_string_equal(said, "");
    wait_on(40, 1, "123");
    expect("OpenBLACS: note:");
    end();
}

/* A new wait: what was seen of the old one does not count. */
static void who_waits_anew_has_moved(void **state)
{
    begin();
    for (int i = 0; i < 30; i++) {
        wait_on(1, 1, "123");
        atomic_fetch_add(&header(2)->stall_since, 1000);
        assert_string_equal(said, "");
    }
    for (int i = 0; i < 30; i++) {
        atomic_store(&header(2)->stall_on, i % 2);
        wait_on(1, 1, "123");
        assert_string_equal(said, "");
    }
    wait_on(40, 1, "123");
    expect("OpenBLACS: note:");
    end();
}

static void somebody_outside_the_set_does_not_count(void **state)
{
    begin();
    goes_on(3);
    wait_on(40, 1, "12");
    expect("OpenBLACS: note:");
    end();
}

static void a_wait_for_anybody_waits_for_all(void **state)
{
    begin();
    goes_on(3);
    wait_on(40, OB_ANY, "12");
    assert_string_equal(said, "");
    waits(3, 0);
    wait_on(40, OB_ANY, "123");
    expect("OpenBLACS: note: process 0 has waited for any process for ");
    expect("; process 3 has waited for process 0 for ");
    end();
}

static void who_has_left_is_named(void **state)
{
    begin();
    atomic_store(&header(2)->life, OB_LIFE_DONE);
    goes_on(2);
    wait_on(40, 1, "1");
    expect("; process 2 has left with blacs_exit;");
    end();
}

/* Processes in supersteps have said that nothing else can set them free. */
static void waits_that_are_final_end_the_run(void **state)
{
    begin();
    ob_check_final();
    atomic_store(&header(1)->stall_final, true);
    wait_on(40, 1, "123");
    expect("; OPENBLACS_CHECK=2 tells why"); /* 2 has not said so */
    assert_int_equal(aborted, 0);
    end();
    begin();
    atomic_store(&header(1)->stall_final, true);
    atomic_store(&header(2)->stall_final, true);
    wait_on(40, 1, "123");
    expect("OpenBLACS: process 0 has waited for process 1 for ");
    expect("; none of them computes or can go on; the run ends [OB-5104]\n");
    assert_int_equal(aborted, 1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_noted_once),
        cmocka_unit_test(who_computes_may_still_send),
        cmocka_unit_test(who_does_not_look_again_may_find_something),
        cmocka_unit_test(who_waits_anew_has_moved),
        cmocka_unit_test(somebody_outside_the_set_does_not_count),
        cmocka_unit_test(a_wait_for_anybody_waits_for_all),
        cmocka_unit_test(who_has_left_is_named),
        cmocka_unit_test(waits_that_are_final_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
