/*
 * Starting and finding processes on Linux: vfork, because it costs the same
 * however large the caller is; PR_SET_PDEATHSIG, because a killed launcher cannot
 * clean up; /proc, because a descendant may leave its process group but seldom
 * closes the job's memory.
 */
#include "launch/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/machine.h"
#include "openblacs/launch.h"

enum { MOST_PROCESSORS = 65536 };

static void default_handlers(void)
{
    for (int s = 1; s < NSIG; s++) {
        struct sigaction now;
        if (sigaction(s, NULL, &now) == 0 && now.sa_handler != SIG_IGN &&
            now.sa_handler != SIG_DFL) {
            now = (struct sigaction){.sa_handler = SIG_DFL};
            sigaction(s, &now, NULL);
        }
    }
}

/* A program that is run next has it: also one that has the number already and would be closed. */
static bool move_to(int from, int to)
{
    if (from != to)
        return dup2(from, to) >= 0;
    fcntl(from, F_SETFD, 0);
    return true;
}

/* The processors this thread may use, at least one; NULL when unknown. */
static cpu_set_t *usable_processors(size_t *bytes)
{
    *bytes = CPU_ALLOC_SIZE(MOST_PROCESSORS);
    cpu_set_t *set = CPU_ALLOC(MOST_PROCESSORS);
    if (set == NULL)
        return NULL;
    CPU_ZERO_S(*bytes, set);
    if (sched_getaffinity(0, *bytes, set) == 0 && CPU_COUNT_S(*bytes, set) > 0)
        return set;
    CPU_FREE(set);
    return NULL;
}

int ob_launch_processors(void)
{
    size_t bytes;
    cpu_set_t *set = usable_processors(&bytes);
    if (set == NULL)
        return 1;
    int count = CPU_COUNT_S(bytes, set), quota = ob_processor_quota();
    CPU_FREE(set);
    return count < quota ? count : quota;
}

/* The bind-th of the usable processors, counted around. NULL when unknown. */
static cpu_set_t *processor_set(int bind, size_t *bytes)
{
    cpu_set_t *set = usable_processors(bytes);
    if (set == NULL)
        return NULL;
    int skip = bind % CPU_COUNT_S(*bytes, set), cpu = 0;
    while (!CPU_ISSET_S(cpu, *bytes, set) || skip-- > 0)
        cpu++;
    CPU_ZERO_S(*bytes, set);
    CPU_SET_S(cpu, *bytes, set);
    return set;
}

typedef struct child_plan {
    const ob_spawn_plan *plan;
    const sigset_t *mask;
    const cpu_set_t *processors; /* NULL: do not bind */
    size_t processors_bytes;
    pid_t parent;
    volatile int error; /* written by the child, which shares the parent's memory */
    volatile bool loading;
} child_plan;

/* Runs in the parent's memory: system calls and nothing else. */
static void be_child(child_plan *c)
{
    const ob_spawn_plan *p = c->plan;
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        goto failed;
    if (getppid() != c->parent)
        _exit(127); /* the launcher died before the line above */
    if (c->processors && sched_setaffinity(0, c->processors_bytes, c->processors) != 0)
        goto failed;
    if (!move_to(p->input, 0) || !move_to(p->output, 1) || !move_to(p->error, 2))
        goto failed;
    if (fcntl(p->keep, F_SETFD, 0) != 0)
        goto failed;
    if (p->files && setrlimit(RLIMIT_NOFILE, p->files) != 0)
        goto failed;
    default_handlers();
    sigprocmask(SIG_SETMASK, c->mask, NULL);
    c->loading = true;
    execve(p->path, p->argv, p->environment);
    if (errno == ENOEXEC)
        execve("/bin/sh", p->shell_argv, p->environment);
failed:
    c->error = errno;
    _exit(127);
}

__attribute__((noinline)) static pid_t start_child(child_plan *c)
{
    pid_t pid = vfork();
    if (pid == 0)
        be_child(c);
    return pid;
}

int ob_spawn(const ob_spawn_plan *plan, pid_t *pid, bool *loading)
{
    /* No handler of the caller may run in the child while it shares memory. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    child_plan c = {.plan = plan, .mask = &before, .parent = getpid()};
    cpu_set_t *set = NULL;
    if (plan->bind >= 0)
        c.processors = set = processor_set(plan->bind, &c.processors_bytes);
    *pid = start_child(&c);
    int error = *pid < 0 ? errno : c.error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (set)
        CPU_FREE(set);
    *loading = c.loading;
    return error;
}

void ob_adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static bool holds(const char *pid, int fd, const struct stat *file)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%.20s/fd/%d", pid, fd);
    return stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

int ob_kill_holders(int fd)
{
    struct stat file;
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return 0;
    int killed = 0;
    for (struct dirent *e = readdir(proc); e && fstat(fd, &file) == 0; e = readdir(proc)) {
        long pid = strtol(e->d_name, NULL, 10);
        if (pid > 0 && pid != getpid() && holds(e->d_name, fd, &file) &&
            kill((pid_t)pid, SIGKILL) == 0)
            killed++;
    }
    closedir(proc);
    return killed;
}

#ifndef SYS_close_range /* Linux 5.9; headers may be older */
#define SYS_close_range 436
#endif

void ob_close_from(int first)
{
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0)
        return;
    struct rlimit limit;
    int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (int)limit.rlim_cur : 1024;
    for (int fd = first; fd < last; fd++)
        close(fd);
}

void ob_name_process(const char *name)
{
    prctl(PR_SET_NAME, name);
}
