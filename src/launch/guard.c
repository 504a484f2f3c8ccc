/*
 * The guard sits in a session of its own, deaf to every signal that can be
 * blocked, and reads from a socket which groups exist. At end of file it kills
 * them, and then whoever still holds the job's memory.
 */
#include "launch/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch/system.h"

/* number OVER: the launch has ended, and nobody is to be killed. */
enum { OVER = -1 };

typedef struct group_message {
    int number;
    pid_t group;
} group_message;

static const struct timespec moment = {.tv_nsec = 2000000};

/* A process may fork while it is being looked for: look until none is found. */
static void kill_all(const pid_t *groups, int count, int job_fd)
{
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < count; i++) {
            if (groups[i] > 0)
                kill(-groups[i], SIGKILL);
        }
        if (ob_kill_holders(job_fd) == 0)
            break;
        nanosleep(&moment, NULL);
    }
}

/* Lets go of standard error and all else of the launcher, so that nobody waits
 * for the guard to close it; keeps the job's memory under its number. */
static void keep_only(int line, int job_fd)
{
    dup2(line, 0);
    for (int fd = 1; fd < job_fd; fd++)
        close(fd);
    ob_close_from(job_fd + 1);
}

/* The launcher is gone: the end of its line, or, when that cannot be read for another reason, our
 * parent is another process. */
static bool is_gone(ssize_t got, pid_t launcher)
{
    if (got >= 0 || errno == EINTR)
        return got == 0;
    if (errno == ECONNRESET || getppid() != launcher)
        return true;
    nanosleep(&moment, NULL);
    return false;
}

static void guard(int line, int job_fd, pid_t *groups, int count, pid_t launcher)
{
    setsid();
    ob_name_process("openblacs-guard");
    keep_only(line, job_fd);
    if (chdir("/") != 0)
        _exit(1);
    group_message m;
    for (;;) {
        ssize_t got = recv(0, &m, sizeof m, 0);
        if (got == sizeof m && m.number == OVER)
            _exit(0);
        if (got == sizeof m && m.number >= 0 && m.number < count)
            groups[m.number] = m.group;
        else if (is_gone(got, launcher))
            break;
    }
    kill_all(groups, count, job_fd);
    _exit(0);
}

int ob_guard_start(ob_guard *g, int count, int job_fd)
{
    int ends[2];
    pid_t *groups = calloc((size_t)count, sizeof *groups);
    if (groups == NULL)
        return ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        int error = errno;
        free(groups);
        return error;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t launcher = getpid();
    g->pid = fork();
    int error = errno;
    if (g->pid == 0) {
        close(ends[1]);
        guard(ends[0], job_fd, groups, count, launcher);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(groups);
    close(ends[0]);
    if (g->pid > 0) {
        g->line = ends[1];
        return 0;
    }
    close(ends[1]);
    g->pid = 0;
    return error;
}

void ob_guard_tell(ob_guard *g, int number, pid_t group)
{
    group_message m = {number, group};
    while (g->pid > 0 && send(g->line, &m, sizeof m, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* A launcher that has given up its rights may not kill it; then it is told. It is waited for, but
 * not for ever. */
void ob_guard_stop(ob_guard *g)
{
    if (g->pid <= 0)
        return;
    bool killed = kill(g->pid, SIGKILL) == 0;
    if (!killed)
        ob_guard_tell(g, OVER, 0);
    for (int looks = 0; looks < 1000; looks++) {
        pid_t ended = waitpid(g->pid, NULL, killed ? 0 : WNOHANG);
        if (ended == g->pid || (ended < 0 && errno != EINTR))
            break;
        if (!killed)
            nanosleep(&moment, NULL);
    }
    ob_guard_lost(g);
}

void ob_guard_lost(ob_guard *g)
{
    close(g->line);
    g->pid = 0;
}
