/*
 * Diaries: what one thread writes another process reads whole; those of this job, and no others,
 * are found by their names.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/diary.h"
#include "unit.h"

enum { PROCESSES = 3, MOST_SECONDS = 100 };

static ob_job job = {.count = PROCESSES, .number = 0};
static char mark[32];

static ob_entry *new_entry(void)
{
    return calloc(1, ob_diary_entry_bytes(PROCESSES));
}

/* All of it follows from k. */
static void fill(ob_entry *e, int k)
{
    e->kind = OB_WAIT_ANY;
    e->count = PROCESSES;
    e->since = k;
    e->meeting = e->grid = (uint64_t)k;
    e->context = k;
    memset(e->where, 'a' + k % 26, sizeof e->where);
    memset(e->whom, 'A' + k % 26, sizeof e->whom);
    for (int i = 0; i < PROCESSES; i++)
        e->peer[i] = k + i;
}

/* The number that all of it follows from; -1: it is of several. */
static int origin(const ob_entry *e)
{
    ob_entry *same = new_entry();
    size_t from = offsetof(ob_entry, kind),
           bytes = sizeof(ob_entry) + PROCESSES * sizeof(int) - from;
    memcpy(same, e, ob_diary_entry_bytes(PROCESSES));
    fill(same, e->context);
    int k = memcmp((char *)same + from, (const char *)e + from, bytes) ? -1 : e->context;
    free(same);
    return k;
}

static void what_is_written_is_read(void **state)
{
    ob_entry *draft = new_entry(), *copy = new_entry(), *e = ob_diary_entry(ob_diary_own, 3);
    fill(draft, 17);
    assert_int_equal(ob_diary_read(ob_diary_own, 3, copy), 0); /* nobody's yet */
    atomic_store(&e->used, 1);
    ob_diary_write(e, draft);
    assert_int_equal(ob_diary_read(ob_diary_own, 3, copy), 1);
    assert_int_equal(origin(copy), 17);
    assert_int_equal(ob_diary_read(ob_diary_own, 2, copy), 0);
    assert_int_equal(ob_diary_read(ob_diary_own, 4, copy), 0);
    atomic_store(&e->used, 0);
    free(draft);
    free(copy);
}

/* Of few peers only those are written. */
static void what_is_not_written_stays(void **state)
{
    ob_entry *draft = new_entry(), *copy = new_entry(), *e = ob_diary_entry(ob_diary_own, 0);
    atomic_store(&e->used, 1);
    fill(draft, 5);
    ob_diary_write(e, draft);
    draft->count = 1;
    draft->peer[0] = 99;
    ob_diary_write(e, draft);
    assert_int_equal(ob_diary_read(ob_diary_own, 0, copy), 1);
    assert_int_equal(copy->count, 1);
    assert_int_equal(copy->peer[0], 99);
    assert_int_equal(copy->peer[2], 7);
    atomic_store(&e->used, 0);
    free(draft);
    free(copy);
}

static atomic_int stop;

static void *write_on(void *unused)
{
    ob_entry *draft = new_entry(), *e = ob_diary_entry(ob_diary_own, 1);
    (void)unused;
    for (int k = 0; !atomic_load(&stop); k++) {
        fill(draft, k % 10000);
        ob_diary_write(e, draft);
        if (k % 64 == 0) /* a reader needs its chance */
            nanosleep(&(struct timespec){0, 1000}, NULL);
    }
    free(draft);
    return NULL;
}

static void a_reader_never_sees_half(void **state)
{
    enum { READS = 20000 };
    pthread_t writer;
    int whole = 0, broken = 0;
    ob_entry *copy = new_entry(), *e = ob_diary_entry(ob_diary_own, 1);
    fill(copy, 0);
    ob_diary_write(e, copy);
    atomic_store(&e->used, 1);
    assert_int_equal(pthread_create(&writer, NULL, write_on, NULL), 0);
    for (int i = 0; i < READS || whole == 0; i++)
        if (ob_diary_read(ob_diary_own, 1, copy)) {
            whole++;
            broken += origin(copy) < 0;
        }
    atomic_store(&stop, 1);
    pthread_join(writer, NULL);
    atomic_store(&e->used, 0);
    assert_int_equal(broken, 0);
    free(copy);
}

/* --------------------------------------------------------------- other processes */

/* Keeps a diary of process `number`, in which entry 2 follows from k, until it is killed. */
static pid_t other(const char *of, int count, int number, int k)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        ob_job theirs = {.count = count, .number = number};
        ob_entry *draft = new_entry();
        alarm(MOST_SECONDS);
        setenv("PMIX_NAMESPACE", of, 1);
        if (ob_diary_open(&theirs) != OB_OK)
            _exit(1);
        fill(draft, k);
        atomic_store(&ob_diary_entry(ob_diary_own, 2)->used, 1);
        ob_diary_write(ob_diary_entry(ob_diary_own, 2), draft);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void end_other(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void others_of_the_job_are_found(void **state)
{
    ob_diary *of[PROCESSES] = {NULL}, *first;
    ob_entry *copy = new_entry();
    pid_t second = other(mark, PROCESSES, 2, 42);
    ob_diary_find(of);
    assert_ptr_equal(of[0], ob_diary_own);
    assert_null(of[1]);
    assert_non_null(of[2]);
    assert_int_equal(of[2]->number, 2);
    assert_int_equal(of[2]->pid, second);
    assert_int_equal(ob_diary_read(of[2], 2, copy), 1);
    assert_int_equal(origin(copy), 42);
    /* One that comes later is found later, and what was found stays. */
    first = of[2];
    pid_t late = other(mark, PROCESSES, 1, 43);
    ob_diary_find(of);
    assert_ptr_equal(of[2], first);
    assert_non_null(of[1]);
    assert_int_equal(of[1]->pid, late);
    end_other(second);
    end_other(late);
    assert_int_equal(ob_diary_read(of[2], 2, copy), 1); /* also after its end */
    free(copy);
}

static void those_of_other_jobs_are_not(void **state)
{
    ob_diary *of[PROCESSES] = {NULL};
    pid_t stranger = other("another job", PROCESSES, 1, 1),
          larger = other(mark, PROCESSES + 4, 2, 1);
    ob_diary_find(of);
    assert_null(of[1]);
    assert_null(of[2]);
    end_other(stranger);
    end_other(larger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_not_written_stays),
        cmocka_unit_test(a_reader_never_sees_half),
        cmocka_unit_test(others_of_the_job_are_found),
        cmocka_unit_test(those_of_other_jobs_are_not),
    };
    snprintf(mark, sizeof mark, "diary_test.%d", (int)getpid());
    setenv("PMIX_NAMESPACE", mark, 1);
    if (ob_diary_open(&job) != OB_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
