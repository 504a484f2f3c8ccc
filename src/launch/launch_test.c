/*
 * A launch from the inside: what each process is given, what becomes of its output, how its end is
 * told, and that nothing of it is left.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/place.h"
#include "openblacs/launch.h"
#include "unit.h"

enum { COUNT = 3, ROOM = 4096, MOST_SECONDS = 60 };

static ob_launch *l;
static char got[COUNT][3][ROOM]; /* of each process and stream */
static int begun, halves;        /* lines; calls that end within one */

static void take(void *context, int number, int stream, const char *bytes, size_t count)
{
    assert_ptr_equal(context, &begun);
    assert_in_range(number, 0, COUNT - 1);
    assert_in_range(stream, 1, 2);
    begun++;
    halves += bytes[count - 1] != '\n';
    strncat(got[number][stream], bytes, count);
}

static void open_with(ob_launch_options o)
{
    memset(got, 0, sizeof got);
    begun = halves = 0;
    o.output = take;
    o.context = &begun;
    o.heap_bytes = 1 << 20;
    assert_int_equal(ob_launch_open(&l, &o), OB_OK);
}

static void open_launch(int count)
{
    open_with((ob_launch_options){.count = count});
}

static int start_with(int number, const char *script, int input)
{
    char *argv[] = {"sh", "-c", (char *)script, "name", NULL};
    return ob_launch_start(l, number, &(ob_launch_program){.argv = argv, .input = input});
}

static void start(int number, const char *script)
{
    if (start_with(number, script, -1) != OB_OK)
        fail_msg("%s", ob_error_text());
}

static ob_launch_event next(void)
{
    ob_launch_event e;
    assert_int_equal(ob_launch_wait(l, MOST_SECONDS, &e), 1);
    return e;
}

static void expect(int status, int expected, const char *text)
{
    assert_int_equal(status, expected);
    if (strstr(ob_error_text(), text) == NULL)
        fail_msg("'%s' lacks '%s'", ob_error_text(), text);
}

/* -------------------------------------------------------------------------- tests */

static void numbers_that_are_none_are_refused(void **state)
{
    ob_launch *none = (ob_launch *)&none;
    expect(ob_launch_open(&none, &(ob_launch_options){.count = 0}), OB_EARG, "0 processes");
    assert_null(none);
    expect(ob_launch_open(&none, &(ob_launch_options){.count = 65536}), OB_EARG, "1 to 65535");
    open_launch(2);
    expect(start_with(2, "true", -1), OB_EARG,
           "there is no process 2 to start in a job of 2 [OB-2005]");
    expect(start_with(-2, "true", -1), OB_EARG, "there is no process -2");
    expect(ob_launch_signal(l, 2, SIGTERM), OB_EARG, "there is no process 2 to signal");
    expect(ob_launch_join(l, 2), OB_EARG, "there is no place 2");
    assert_int_equal(ob_launch_pid(l, 2), 0);
    assert_int_equal(ob_launch_pid(l, -1), 0);
    assert_int_equal(ob_launch_busy(l), 0);
    ob_launch_close(l);
    ob_launch_close(NULL);
}

static void each_end_is_told_with_its_status(void **state)
{
    int seen = 0;
    open_launch(COUNT);
    start(0, "exit 7");
    start(1, "exit 0");
    start(2, "kill -USR1 $$");
    for (int i = 0; i < COUNT; i++) {
        ob_launch_event e = next();
        seen |= 1 << e.number;
        assert_int_equal(e.status, e.number == 0 ? 7 : 0);
        assert_int_equal(e.signal, e.number == 2 ? SIGUSR1 : 0);
        assert_true(e.pid > 0);
        assert_int_equal(ob_launch_running(l), COUNT - 1 - i);
        assert_int_equal(ob_launch_pid(l, e.number), 0);
    }
    assert_int_equal(seen, 7);
    ob_launch_event e;
    assert_int_equal(ob_launch_wait(l, -1, &e), 0); /* not busy */
    ob_launch_close(l);
}

/* All it has written comes before the news of its end. */
static void output_comes_whole_and_before_the_end(void **state)
{
    open_launch(COUNT);
    start(OB_LAUNCH_ALL, "echo one; echo err >&2; printf 'two\\nhalf'");
    for (int i = 0; i < COUNT; i++) {
        ob_launch_event e = next();
        assert_string_equal(got[e.number][2], "err\n");
        assert_non_null(strstr(got[e.number][1], "one\ntwo\n"));
    }
    ob_launch_close(l);
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(got[i][1], "one\ntwo\nhalf");
    assert_int_equal(halves, COUNT);
}

/* A pipe made where our own standard input is closed has number 0, and is closed by an exec. */
static void an_input_may_have_number_0(void **state)
{
    int ends[2], kept = dup(0);
    close(0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(ends[0], 0);
    assert_int_equal(write(ends[1], "words\n", 6), 6);
    close(ends[1]);
    open_launch(1);
    assert_int_equal(start_with(0, "cat", 0), OB_OK);
    assert_int_equal(next().status, 0);
    assert_string_equal(got[0][1], "words\n");
    ob_launch_close(l);
    if (kept >= 0)
        dup2(kept, 0);
    close(kept >= 0 ? kept : 0);
}

/* The job's memory under the number that the environment names, its own process group, standard
 * input for process 0 alone. */
static void each_process_is_given_its_place(void **state)
{
    char expected[64];
    int input[2];
    assert_int_equal(pipe(input), 0);
    assert_int_equal(write(input[1], "read\n", 5), 5);
    close(input[1]);
    setenv(OB_JOB_VARIABLE, "of our own", 1);
    open_launch(COUNT);
    assert_int_equal(start_with(OB_LAUNCH_ALL,
                                "echo \"$" OB_JOB_VARIABLE
                                "\"; readlink /proc/$$/fd/${" OB_JOB_VARIABLE
                                "%:*} | cut -c 1-7; ps -o pgid= -p $$ | tr -d ' ' | grep -qx $$ && "
                                "echo leads; cat; echo \"$0\"",
                                input[0]),
                     OB_OK);
    close(input[0]);
    for (int i = 0; i < COUNT; i++)
        next();
    for (int i = 0; i < COUNT; i++) {
        snprintf(expected, sizeof expected, "%d:%d\n/memfd:\nleads\n%sname\n", l->memory.fd, i,
                 i ? "" : "read\n");
        assert_string_equal(got[i][1], expected);
        assert_string_equal(got[i][2], "");
    }
    unsetenv(OB_JOB_VARIABLE);
    assert_true(l->memory.fd >= 100); /* out of a script's way */
    ob_launch_close(l);
}

static void a_place_is_used_again(void **state)
{
    open_launch(2);
    start(OB_LAUNCH_ALL, "sleep 60");
    expect(start_with(1, "true", -1), OB_ESTATE,
           "process 1 still runs: wait for its end first [OB-2006]");
    int first = ob_launch_pid(l, 1);
    assert_int_equal(ob_launch_signal(l, 1, SIGKILL), OB_OK);
    assert_int_equal(next().signal, SIGKILL);
    assert_int_equal(ob_launch_running(l), 1);
    start(1, "exit 5");
    assert_int_not_equal(ob_launch_pid(l, 1), first);
    ob_launch_event e = next();
    assert_int_equal(e.number, 1);
    assert_int_equal(e.status, 5);
    ob_launch_close(l);
}

/* In good order or not: those who wait for one that has ended well find it gone. */
static void only_who_ended_well_is_gone(void **state)
{
    open_launch(2);
    start(0, "exit 0");
    start(1, "exit 1");
    next();
    next();
    assert_int_equal(atomic_load(&ob_segments_header(&l->memory, 0)->life), OB_LIFE_GONE);
    assert_int_equal(atomic_load(&ob_segments_header(&l->memory, 1)->life), OB_LIFE_STARTED);
    start(0, "exit 0");
    assert_int_equal(atomic_load(&ob_segments_header(&l->memory, 0)->life), OB_LIFE_STARTED);
    next();
    ob_launch_close(l);
}

/* A launch may have more files than the program; after it the program has its own limit. */
static void the_limit_of_files_is_given_back(void **state)
{
    struct rlimit before, low, now;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = 128;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    open_launch(COUNT);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    assert_true(now.rlim_cur > low.rlim_cur);
    ob_launch_close(l);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    assert_int_equal(now.rlim_cur, low.rlim_cur);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static char folder[64];

static void file(const char *name, const char *text, mode_t mode, char *path)
{
    snprintf(path, 128, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    chmod(path, mode);
}

static int start_file(char *path)
{
    char *argv[] = {path, "word", NULL};
    return ob_launch_start(l, 0, &(ob_launch_program){.argv = argv, .input = -1});
}

/* Not so in an emulator, whose vfork is a fork: there the child cannot say why it ran nothing. */
static bool a_vforked_child_shares_memory(void)
{
    static volatile bool written;
    pid_t pid = vfork();
    if (pid == 0) {
        written = true;
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return written;
}

static void what_cannot_run_is_said(void **state)
{
    char path[128];
    if (getenv("OB_EMULATOR") && !a_vforked_child_shares_memory())
        skip();
    snprintf(folder, sizeof folder, "/tmp/launch_test.XXXXXX");
    assert_non_null(mkdtemp(folder));
    open_launch(1);
    snprintf(path, sizeof path, "%s/missing", folder);
    assert_int_equal(start_file(path), OB_EARG);
    file("lost", "#!/no/interpreter\n", 0755, path);
    expect(start_file(path), OB_ESYSTEM, "its interpreter is missing");
    assert_int_equal(ob_launch_running(l), 0);
    unlink(path);
    /* No #! line: the shell's, with its words. */
    file("plain", "echo $0 $1; exit 4\n", 0755, path);
    assert_int_equal(start_file(path), OB_OK);
    assert_int_equal(next().status, 4);
    assert_non_null(strstr(got[0][1], "/plain word\n"));
    unlink(path);
    rmdir(folder);
    ob_launch_close(l);
}

static void a_wait_ends_by_time_or_a_call(void **state)
{
    ob_launch_event e;
    open_launch(1);
    start(0, "sleep 60");
    assert_int_equal(ob_launch_wait(l, 0, &e), 0);
    assert_int_equal(ob_launch_wait(l, 0.01, &e), 0);
    assert_int_equal(ob_launch_busy(l), 1);
    for (int i = 0; i < 100000; i++) /* more than a pipe holds */
        ob_launch_wake(l);
    assert_int_equal(ob_launch_wait(l, MOST_SECONDS, &e), 0);
    ob_launch_close(l);
}

/* SIGTERM, also to who is stopped, and SIGKILL to those who stay. */
static void an_end_is_asked_for_and_then_made(void **state)
{
    int by[COUNT];
    open_with((ob_launch_options){.count = COUNT, .grace_seconds = 0.2});
    start(0, "exec sleep 60");
    start(1, "trap '' TERM; echo deaf; while :; do sleep 0.05; done");
    start(2, "kill -STOP $$; exec sleep 60");
    ob_launch_event e;
    while (strcmp(got[1][1], "deaf\n"))
        assert_int_equal(ob_launch_wait(l, 0.01, &e), 0);
    ob_launch_end(l);
    for (int i = 0; i < COUNT; i++) {
        e = next();
        by[e.number] = e.signal;
    }
    assert_int_equal(by[0], SIGTERM);
    assert_int_equal(by[1], SIGKILL);
    assert_int_equal(by[2], SIGTERM);
    ob_launch_close(l);
}

/* A child that has outlived its parent, in its group or in a session of its own. */
static void nothing_outlives_a_launch(void **state)
{
    int pid[2];
    open_launch(1);
    start(0, "sleep 60 & echo $!; setsid sleep 60 & sleep 0.1; echo $!; exit 0");
    next();
    assert_int_equal(sscanf(got[0][1], "%d %d", &pid[0], &pid[1]), 2);
    ob_launch_close(l);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 1000 && kill(pid[i], 0) == 0; k++) {
            char path[64], line[256] = "";
            snprintf(path, sizeof path, "/proc/%d/stat", pid[i]);
            FILE *f = fopen(path, "r");
            bool read = f && fgets(line, sizeof line, f);
            if (f)
                fclose(f);
            if (!read || strstr(line, ") Z "))
                break; /* whoever adopts it has not waited for it yet */
            assert_true(k < 999);
            usleep(1000);
        }
    }
}

/* The calling process has a place; a second one cannot be had. */
static void the_caller_may_take_a_place(void **state)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        ob_job *job = NULL;
        open_launch(2);
        bool good = ob_launch_join(l, 1) == OB_OK && ob_job_start(&job) == OB_OK &&
                    ob_job_number(job) == 1 && ob_job_count(job) == 2 &&
                    ob_launch_join(l, 0) == OB_ESTATE && getenv(OB_JOB_VARIABLE) == NULL;
        ob_launch_close(l);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(each_end_is_told_with_its_status),
        cmocka_unit_test(output_comes_whole_and_before_the_end),
        cmocka_unit_test(an_input_may_have_number_0),
        cmocka_unit_test(each_process_is_given_its_place),
        cmocka_unit_test(a_place_is_used_again),
        cmocka_unit_test(only_who_ended_well_is_gone),
        cmocka_unit_test(the_limit_of_files_is_given_back),
        cmocka_unit_test(what_cannot_run_is_said),
        cmocka_unit_test(a_wait_ends_by_time_or_a_call),
        cmocka_unit_test(an_end_is_asked_for_and_then_made),
        cmocka_unit_test(nothing_outlives_a_launch),
        cmocka_unit_test(the_caller_may_take_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
