/*
 * The guard: when its launcher is gone it kills the groups it was told of and whoever holds the
 * job's memory, and nobody else; and a launcher that ends in good order leaves nothing to it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/guard.h"
#include "launch/system.h"
#include "unit.h"

/* In place of the C library's: fail so often. */
static int recv_failures, kill_failures;

ssize_t recv(int fd, void *to, size_t bytes, int flags)
{
    if (recv_failures > 0 && recv_failures--) {
        errno = ENOBUFS;
        return -1;
    }
    return recvfrom(fd, to, bytes, flags, NULL, NULL);
}

int kill(pid_t pid, int number)
{
    if (number && kill_failures > 0 && kill_failures--) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_kill, pid, number);
}

/* Those who may be killed: members of group 0 and 1, one whose group the guard was told is over,
 * and one of another group and session. */
enum { LEADER, MEMBER, SECOND, FORGOTTEN, HOLDER, ALL };

typedef struct cast {
    pid_t pid[ALL];
    pid_t guard;
} cast;

enum { MOST_SECONDS = 60 }; /* nobody outlives a test that has failed for long */

static _Noreturn void stay(int ready)
{
    alarm(MOST_SECONDS);
    if (write(ready, "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

/* Is it still there after so long? */
static bool lives(int alive[2], int milliseconds)
{
    struct pollfd p = {.fd = alive[0], .events = POLLIN};
    return poll(&p, 1, milliseconds) == 0;
}

/* Says that it is there and does nothing until it is killed; its end of `alive` closes then. */
static pid_t start_one(int who, pid_t group, int job_fd, int line, int (*alive)[2], int ready)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    for (int i = 0; i < ALL; i++) {
        close(alive[i][0]);
        if (i != who)
            close(alive[i][1]);
    }
    close(line); /* as exec does */
    if (who == HOLDER)
        setsid();
    else
        close(job_fd);
    setpgid(0, group);
    stay(ready);
}

/* The launcher, a process of its own: it ends, killed or not. */
static void launch(int (*alive)[2], int told, bool stop)
{
    cast c;
    ob_guard g;
    int ready[2];
    char text;
    int job_fd = memfd_create("job", 0);
    if (job_fd < 0 || pipe(ready) || ob_guard_start(&g, 2, job_fd) != 0)
        _exit(1);
    for (int i = 0; i < ALL; i++) {
        pid_t group = i == MEMBER ? c.pid[LEADER] : 0;
        c.pid[i] = start_one(i, group, job_fd, g.line, alive, ready[1]);
        if (i != HOLDER)
            setpgid(c.pid[i], group ? group : c.pid[i]);
    }
    for (int i = 0; i < ALL; i++)
        if (read(ready[0], &text, 1) != 1)
            _exit(4);
    c.guard = g.pid;
    ob_guard_tell(&g, 0, c.pid[LEADER]);
    ob_guard_tell(&g, 1, c.pid[FORGOTTEN]);
    ob_guard_tell(&g, 1, c.pid[SECOND]);
    ob_guard_tell(&g, 2, c.pid[FORGOTTEN]); /* there is no such process */
    if (stop) {
        ob_guard_stop(&g);
        ob_guard_stop(&g);
    }
    if (write(told, &c, sizeof c) != sizeof c)
        _exit(2);
    _exit(stop && g.pid != 0 ? 3 : 0);
}

static void run(cast *c, int (*alive)[2], bool stop)
{
    int told[2], status;
    assert_int_equal(pipe(told), 0);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(pipe(alive[i]), 0);
    bool reaps = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
    if (!reaps && getenv("OB_EMULATOR"))
        skip();
    assert_true(reaps);
    pid_t launcher = fork();
    if (launcher == 0) {
        close(told[0]);
        launch(alive, told[1], stop);
    }
    close(told[1]);
    for (int i = 0; i < ALL; i++)
        close(alive[i][1]);
    assert_int_equal(waitpid(launcher, &status, 0), launcher);
    assert_int_equal(status, 0);
    assert_int_equal(read(told[0], c, sizeof *c), sizeof *c);
    close(told[0]);
}

static void finish(const cast *c, int (*alive)[2])
{
    for (int i = 0; i < ALL; i++) {
        kill(c->pid[i], SIGKILL);
        waitpid(c->pid[i], NULL, 0);
        close(alive[i][0]);
    }
}

static void a_dead_launchers_processes_are_killed_and_nobody_else(void **state)
{
    int alive[ALL][2], status;
    cast c;
    run(&c, alive, false);
    assert_int_equal(waitpid(c.guard, &status, 0), c.guard); /* it ends by itself */
    assert_int_equal(status, 0);
    /* Dead ones are ours to reap: the guard killed them before it ended. */
    bool there[ALL];
    for (int i = 0; i < ALL; i++)
        there[i] = lives(alive[i], i == FORGOTTEN ? 0 : 2000);
    finish(&c, alive);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(there[i], i == FORGOTTEN);
}

static void nobody_is_killed(void)
{
    int alive[ALL][2];
    cast c;
    run(&c, alive, true);
    assert_int_equal(kill(c.guard, 0), -1);
    int there = 0;
    for (int i = 0; i < ALL; i++)
        there += lives(alive[i], 0);
    finish(&c, alive);
    assert_int_equal(there, ALL);
}

static void a_guard_that_is_stopped_kills_nobody(void **state)
{
    nobody_is_killed();
}

/* It killed all when its line could not be read, whatever the reason. */
static void a_guard_that_cannot_read_for_a_while_kills_nobody(void **state)
{
    recv_failures = 3;
    nobody_is_killed();
}

/* The launcher waited for it for ever. */
static void a_guard_that_may_not_be_killed_ends_when_told(void **state)
{
    kill_failures = 1;
    nobody_is_killed();
}

/* Whoever has the same file under the same number, but not the caller. */
static void holders_of_a_file_are_found_by_its_number(void **state)
{
    int alive[ALL][2], gone;
    int fd = memfd_create("held", 0), other = memfd_create("other", 0);
    pid_t pid[3];
    assert_true(fd >= 0 && other >= 0);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(pipe(alive[i]), 0);
    for (int i = 0; i < 3; i++) {
        pid[i] = fork();
        if (pid[i])
            continue;
        if (i == 1)
            close(fd);
        if (i == 2)
            dup2(other, fd);
        stay(alive[i][1]);
    }
    char ready;
    for (int i = 0; i < 3; i++)
        assert_int_equal(read(alive[i][0], &ready, 1), 1);
    int found = ob_kill_holders(fd), left = 0;
    for (int i = 1; i < 3; i++) {
        left += waitpid(pid[i], &gone, WNOHANG) == 0;
        kill(pid[i], SIGKILL);
        waitpid(pid[i], NULL, 0);
    }
    assert_int_equal(found, 1);
    assert_int_equal(left, 2);
    assert_int_equal(waitpid(pid[0], &gone, 0), pid[0]);
    assert_true(WIFSIGNALED(gone) && WTERMSIG(gone) == SIGKILL);
    assert_int_equal(ob_kill_holders(fd), 0);
    for (int i = 0; i < ALL; i++) {
        close(alive[i][0]);
        close(alive[i][1]);
    }
    close(fd);
    close(other);
}

/* A test that is skipped, or fails, is left where it is. */
static int no_failures(void **state)
{
    (void)state;
    recv_failures = kill_failures = 0;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_dead_launchers_processes_are_killed_and_nobody_else, no_failures),
        cmocka_unit_test_setup(a_guard_that_is_stopped_kills_nobody, no_failures),
        cmocka_unit_test_setup(a_guard_that_cannot_read_for_a_while_kills_nobody, no_failures),
        cmocka_unit_test_setup(a_guard_that_may_not_be_killed_ends_when_told, no_failures),
        cmocka_unit_test_setup(holders_of_a_file_are_found_by_its_number, no_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
