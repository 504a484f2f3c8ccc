/*
 * Hang finding, with processes that say what they do: who waits for whom, who computes, sleeps or
 * has left. Those that can never go on are reported once, and nobody else ever is.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check/check.h"
#include "unit.h"

enum { MOST = 4, SAID = 8192, ABORTED = 3, MOST_SECONDS = 100 };
#define LIMIT 0.2

static void nap(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* ------------------------------------------------------------------ the processes */

static void end_job(ob_job *job, int code)
{
    (void)job;
    (void)code;
    _exit(ABORTED);
}

static const ob_hooks hooks = {.abort = end_job};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define OWN_CALLOC
static size_t no_memory; /* for a list of so many numbers */

void *calloc(size_t count, size_t bytes)
{
    void *p = bytes == sizeof(int) && count == no_memory ? NULL : malloc(count * bytes);
    if (p)
        explicit_bzero(p, count * bytes); /* memset would be made a call of calloc */
    return p;
}
#endif

static _Noreturn void wait_for(ob_job *job, const char *numbers)
{
    ob_peer peer[MOST] = {0}, *peers[MOST];
    int n = 0;
    for (; isdigit((unsigned char)numbers[n]); n++) {
        peer[n].number = numbers[n] - '0';
        peers[n] = &peer[n];
    }
    for (double since = ob_time();; nap(5))
        ob_check_long_wait(job, since, ob_time(), peers, n);
}

/* "12" waits for a message from 1 or 2, "m01" is in the MPI library to make a group of 0 and 1, "c"
 * computes, "s" sleeps, "t" is stopped, "l" has left, "x" ends. */
static _Noreturn void act(int number, int count, const char *part)
{
    ob_job job = {.hooks = &hooks,
                  .number = number,
                  .count = count,
                  .neighbours = count,
                  .set = {.check = 2, .check_seconds = LIMIT}};
    int numbers[MOST], n = 0;
    alarm(MOST_SECONDS);
    if (ob_check_start(&job) != OB_OK)
        _exit(1);
    if (isdigit((unsigned char)*part))
        wait_for(&job, part);
    if (*part == 'm') {
        while (part[n + 1])
            numbers[n] = part[n + 1] - '0', n++;
        ob_check_meets(&job, numbers, n);
    }
    if (*part == 'l')
        ob_check_left(1);
    if (*part == 't')
        raise(SIGSTOP);
    if (*part == 'x')
        _exit(0);
    while (*part == 'c')
        atomic_signal_fence(memory_order_seq_cst);
    for (;;)
        pause();
}

/* ------------------------------------------------------------------ what they said */

static char said[SAID];
static int aborted, died; /* how many ended the job; how many by a signal */

static void read_all(int fd)
{
    size_t n = 0;
    ssize_t more;
    while ((more = read(fd, said + n, SAID - 1 - n)) > 0)
        n += (size_t)more;
    said[n] = 0;
}

/* Until one has ended the job, or so many seconds. */
static void run(double seconds, int count, const char *const *part)
{
    int line[2], status;
    pid_t pid[MOST];
    assert_int_equal(pipe(line), 0);
    for (int i = 0; i < count; i++)
        if ((pid[i] = fork()) == 0) {
            dup2(line[1], STDERR_FILENO);
            close(line[0]);
            close(line[1]);
            act(i, count, part[i]);
        }
    close(line[1]);
    aborted = died = 0;
    for (double begun = ob_time(); !aborted && !died && ob_time() - begun < seconds; nap(5))
        for (int i = 0; i < count; i++)
            if (pid[i] && waitpid(pid[i], &status, WNOHANG) == pid[i]) {
                aborted += WIFEXITED(status) && WEXITSTATUS(status) == ABORTED;
                died += WIFSIGNALED(status);
                pid[i] = 0;
            }
    for (int i = 0; i < count; i++)
        if (pid[i]) {
            kill(pid[i], SIGKILL);
            waitpid(pid[i], &status, 0);
        }
    read_all(line[0]);
    close(line[0]);
}

static void expect(const char *text)
{
    if (strstr(said, text) == NULL)
        fail_msg("'%s' is not in:\n%s", text, said);
}

static int lines(const char *text)
{
    int n = 0;
    for (const char *at = said; (at = strstr(at, text)); at++)
        n++;
    return n;
}

#define PARTS(...)                                                                                 \
    (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[])           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
/* Who only waits for those that hang is told, too, but late: it may have looked at nothing for so
 * long that the others are found without it. Then again. */
#define HANGS(waiting, conclusion, ...)                                                            \
    do {                                                                                           \
        for (int again = 0; again < 5; again++) {                                                  \
            run(MOST_SECONDS, PARTS(__VA_ARGS__));                                                 \
            if (lines(" waits in ") >= (waiting))                                                  \
                break;                                                                             \
        }                                                                                          \
        expect("OpenBLACS: hang: " conclusion                                                      \
               "; nothing can move any more, and the run ends [OB-5101]\n");                       \
        assert_int_equal(lines(" waits in "), waiting);                                            \
        assert_int_equal(lines("\n"), (waiting) + 1);                                              \
        assert_int_equal(aborted, 1);                                                              \
    } while (0)
#define GOES_ON(...)                                                                               \
    do {                                                                                           \
        run(6 * LIMIT, PARTS(__VA_ARGS__));                                                        \
        assert_string_equal(said, "");                                                             \
        assert_int_equal(aborted, 0);                                                              \
    } while (0)

/* -------------------------------------------------------------------------- tests */

static void a_circle_is_reported_once(void **state)
{
    HANGS(3, "processes wait for each other in a circle: 0 for 1, 1 for 2, 2 for 0", "1", "2", "0");
    expect(
        "OpenBLACS: hang: process number 1 waits in a call of the library for process number 2,");
}

static void only_the_circle_is_named_by_the_way_to_it(void **state)
{
    HANGS(3, "processes wait for each other in a circle: 1 for 2, 2 for 1", "1", "2", "1");
}

static void a_process_may_wait_for_itself(void **state)
{
    HANGS(1, "process number 1 waits for itself", "c", "1");
}

static void who_computes_may_still_send(void **state)
{
    GOES_ON("1", "2", "c");
    GOES_ON("1", "02", "c");
    GOES_ON("1", "t"); /* or when it is continued */
}

static void one_of_several_sources_is_enough_to_go_on(void **state)
{
    HANGS(2, "processes wait for each other in a circle: 0 for 1, 1 for 0 or anybody", "1", "02",
          "l");
}

static void who_sleeps_is_missing(void **state)
{
    HANGS(
        1,
        "process number 1 is missing: others wait for it, but it is in no call of the library and "
        "uses no processor",
        "1", "s");
}

static void who_has_left_or_ended_is_missing(void **state)
{
    HANGS(2, "process number 2 is missing: others wait for it, but it has left with blacs_exit",
          "1", "2", "l");
}

static void a_meeting_waits_for_its_absent_members(void **state)
{
    HANGS(2, "processes wait for each other in a circle: 0 for 1, 1 for 0", "m01", "0");
    GOES_ON("m01", "m01");
}

#ifdef OWN_CALLOC
/* The conclusion lacks the circle then, and no more. */
static void a_report_without_memory_still_ends_the_run(void **state)
{
    no_memory = 3; /* the way round a circle of two */
    run(MOST_SECONDS, PARTS("1", "0"));
    no_memory = 0;
    expect(
        "OpenBLACS: hang: process number 0 waits in a call of the library for process number 1,");
    expect("hang: processes wait for each other; nothing can move any more, and the run ends "
           "[OB-5101]\n");
    assert_int_equal(aborted, 1);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_reported_once),
        cmocka_unit_test(only_the_circle_is_named_by_the_way_to_it),
        cmocka_unit_test(a_process_may_wait_for_itself),
        cmocka_unit_test(who_computes_may_still_send),
        cmocka_unit_test(one_of_several_sources_is_enough_to_go_on),
        cmocka_unit_test(who_sleeps_is_missing),
        cmocka_unit_test(who_has_left_or_ended_is_missing),
        cmocka_unit_test(a_meeting_waits_for_its_absent_members),
#ifdef OWN_CALLOC
        cmocka_unit_test(a_report_without_memory_still_ends_the_run),
#endif
    };
    char mark[32];
    snprintf(mark, sizeof mark, "hang_test.%d", (int)getpid());
    setenv("PMIX_NAMESPACE", mark, 1); /* whose diaries are ours */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
