/*
 * A launch: places, the processes in them, their output, and what becomes of
 * them. Everything happens in ob_launch_wait, in one thread, around one poll.
 */
#include "openblacs/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/settings.h"
#include "launch/place.h"
#include "launch/system.h"
#include "trace/trace.h"

enum { MOST_PLACES = 65535, SPARE_FILES = 256, JOB_FD_FROM = 100 };

#define NEVER HUGE_VAL
#define LINGER_SECONDS 1.0 /* for output still open after the last process has ended */
#define LOOK_SECONDS 0.02  /* between looks for what nothing announces */

static double earlier(double a, double b)
{
    return a < b ? a : b;
}

/* ----------------------------------------------------- opening and closing */

/* A descriptor of ours moved clear of 0, 1, 2, which a child's dup2 overwrites. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return high;
}

bool ob_make_pipe(int ends[2], unsigned ours)
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    bool made = true;
    for (int k = 0; k < 2; k++) {
        ends[k] = above_standard(ends[k]);
        made =
            made && ends[k] >= 0 && (!(ours & 1u << k) || fcntl(ends[k], F_SETFL, O_NONBLOCK) == 0);
    }
    int error = errno;
    for (int k = 0; !made && k < 2; k++)
        if (ends[k] >= 0)
            close(ends[k]);
    errno = error;
    return made;
}

/* Two pipes for each process: more than the usual 1024 files for a large job. */
static void raise_file_limit(ob_launch *l)
{
    rlim_t wanted = (rlim_t)l->set.count * 2 + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &l->files) != 0 || l->files.rlim_cur >= wanted)
        return;
    struct rlimit more = l->files;
    more.rlim_cur = wanted < more.rlim_max ? wanted : more.rlim_max;
    l->raised_files = setrlimit(RLIMIT_NOFILE, &more) == 0;
}

static int make_memory(ob_launch *l)
{
    ob_settings settings;
    int status = ob_settings_read(&settings);
    if (status != OB_OK)
        return status;
    /* OPENBLACS_HEAP limits what each process has in use, and each sees to that itself. */
    size_t heap =
        l->set.heap_bytes ? l->set.heap_bytes : ob_segment_heap(l->set.count, settings.heap_bytes);
    status = ob_segments_create(&l->memory, l->set.count, heap);
    if (status != OB_OK)
        return status;
    l->has_memory = true;
    /* Shell scripts use the first few descriptors for themselves. Only our own
     * processes are to inherit it: ob_spawn lets them. */
    int high = fcntl(l->memory.fd, F_DUPFD_CLOEXEC, JOB_FD_FROM);
    if (high >= 0) {
        close(l->memory.fd);
        l->memory.fd = high;
    } else {
        fcntl(l->memory.fd, F_SETFD, FD_CLOEXEC);
    }
    return OB_OK;
}

static int make_tools(ob_launch *l)
{
    size_t count = (size_t)l->set.count;
    l->places = calloc(count, sizeof *l->places);
    l->polls = calloc(2 * count + 2, sizeof *l->polls);
    for (size_t i = 0; l->places && i < count; i++)
        l->places[i].streams[0].fd = l->places[i].streams[1].fd = -1;
    if (l->places == NULL || l->polls == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory to start %zu processes", count);
    if (!ob_make_pipe(l->wake, OB_READ_END | OB_WRITE_END))
        return ob_fail(OB_ENOMEM, "OB-2004 cannot make a pipe: %s", strerror(errno));
    l->nothing = above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (l->nothing < 0)
        return ob_fail(OB_ESYSTEM, "OB-2004 /dev/null: %s", strerror(errno));
    return OB_OK;
}

int ob_launch_open(ob_launch **launch, const ob_launch_options *options)
{
    *launch = NULL;
    if (options->count < 1 || options->count > MOST_PLACES)
        return ob_fail(OB_EARG, "OB-2003 cannot start %d processes: give a number from 1 to %d",
                       options->count, MOST_PLACES);
    ob_launch *l = calloc(1, sizeof *l);
    if (l == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory to start processes");
    *l = (ob_launch){.set = *options,
                     .kill_at = NEVER,
                     .wake = {-1, -1},
                     .nothing = -1,
                     .input = {.terminal = -1, .pipe = -1}};
    if (l->set.grace_seconds <= 0)
        l->set.grace_seconds = 2;
    raise_file_limit(l);
    int status = make_tools(l);
    if (status == OB_OK)
        status = make_memory(l);
    if (status == OB_OK) {
        int error = ob_guard_start(&l->guard, l->set.count, l->memory.fd);
        if (error)
            status = ob_fail(OB_ENOMEM, "OB-2004 cannot start the guard: %s", strerror(error));
    }
    if (status != OB_OK) {
        ob_launch_close(l);
        return status;
    }
    if (l->set.owns_children)
        ob_adopt_orphans();
    *launch = l;
    return OB_OK;
}

void ob_kill_group(const ob_place *p, int signal)
{
    if (p->group > 0 && kill(-p->group, signal) != 0 && p->pid > 0)
        kill(p->pid, signal);
}

/* Reaps children that have ended; true when there are none left. */
static bool reap_orphans(void)
{
    pid_t pid;
    do {
        pid = waitpid(-1, NULL, WNOHANG);
    } while (pid > 0);
    return pid < 0 && errno == ECHILD;
}

/* Descendants that have left their group. An adopted one has to be reaped
 * here, and becomes a zombie only a moment after its signal. */
static void kill_strays(const ob_launch *l)
{
    for (int round = 0; round < 100; round++) {
        if (l->set.owns_children && reap_orphans())
            return;
        bool found = ob_kill_holders(l->memory.fd) > 0;
        if (!found && (!l->set.owns_children || round > 10))
            return;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static void kill_everything(ob_launch *l)
{
    bool abnormal = l->ended || l->running > 0;
    for (int i = 0; i < l->set.count; i++) {
        ob_place *p = &l->places[i];
        abnormal |= p->group > 0;
        ob_kill_group(p, SIGKILL);
        while (p->pid > 0 && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        p->pid = p->group = 0;
    }
    ob_guard_stop(&l->guard);
    if (l->has_memory && (abnormal || l->set.owns_children))
        kill_strays(l);
}

static void pass_report(void *context, const char *text, size_t bytes)
{
    ob_launch *l = context;
    if (l->set.output)
        l->set.output(l->set.context, 0, STDERR_FILENO, text, bytes);
}

/* Nobody joins any more. What the processes have left of their statistics, and none of them
 * has printed: the last one was killed, or is one that never joined. */
static void finish_report(ob_launch *l)
{
    const char *file = ob_segments_file(&l->memory);
    for (int i = 0; i < l->set.count; i++) {
        unsigned started = OB_LIFE_STARTED;
        atomic_compare_exchange_strong(&ob_segments_header(&l->memory, i)->life, &started,
                                       OB_LIFE_GONE);
    }
    if (file)
        ob_trace_finish(file, pass_report, l);
}

void ob_launch_close(ob_launch *l)
{
    if (l == NULL)
        return;
    if (l->places) {
        kill_everything(l);
        for (int i = 0; i < l->set.count; i++) {
            ob_stream_close(&l->places[i].streams[0]);
            ob_stream_close(&l->places[i].streams[1]);
        }
    }
    if (l->has_memory && l->places)
        finish_report(l);
    ob_input_close(&l->input);
    for (int i = 0; i < 2; i++) {
        if (l->wake[i] >= 0)
            close(l->wake[i]);
    }
    if (l->nothing >= 0)
        close(l->nothing);
    if (l->has_memory)
        ob_segments_close(&l->memory);
    if (l->raised_files)
        setrlimit(RLIMIT_NOFILE, &l->files);
    free(l->places);
    free(l->polls);
    free(l);
}

/* ----------------------------------------------------------------- waiting */

/* The group's number is kept only while the group has members: afterwards the
 * system may give it to somebody else. */
static void forget_empty_group(ob_launch *l, int number)
{
    ob_place *p = &l->places[number];
    if (p->group && p->pid == 0 && kill(-p->group, 0) != 0 && errno == ESRCH) {
        p->group = 0;
        ob_guard_tell(&l->guard, number, 0);
    }
}

static void drain(ob_stream *s)
{
    /* Bounded: a descendant may write on for ever. */
    for (int i = 0; i < 64 && ob_stream_read(s) == OB_STREAM_MORE; i++)
        ;
}

static void note_end(ob_launch *l, int number, int status, ob_launch_event *event)
{
    ob_place *p = &l->places[number];
    *event = (ob_launch_event){.number = number, .pid = (int)p->pid};
    if (WIFSIGNALED(status)) {
        event->signal = WTERMSIG(status);
        event->core_dumped = WCOREDUMP(status) != 0;
    } else {
        event->status = WEXITSTATUS(status);
    }
    p->pid = 0;
    atomic_store(&ob_segments_header(&l->memory, number)->asleep, 1);
    l->running--;
    l->linger_until = ob_time() + LINGER_SECONDS;
    forget_empty_group(l, number);
    /* Whoever waits for a process that ended in good order must find out by
     * itself. After a failure our caller ends the others, and their lines about the
     * one that is gone would only hide the first. */
    if (!event->signal && event->status == 0)
        ob_segments_mark_gone(&l->memory, number);
    drain(&p->streams[0]);
    drain(&p->streams[1]);
}

static int place_of(const ob_launch *l, pid_t pid)
{
    for (int i = 0; i < l->set.count; i++) {
        if (l->places[i].pid == pid)
            return i;
    }
    return -1;
}

/* Takes one ended process; orphans pass unnoticed. */
static bool take_ended(ob_launch *l, ob_launch_event *event)
{
    int status;
    if (l->set.owns_children) {
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid == l->guard.pid)
                ob_guard_lost(&l->guard);
            int number = place_of(l, pid);
            if (number >= 0) {
                note_end(l, number, status, event);
                return true;
            }
        }
        return false;
    }
    for (int i = 0; i < l->set.count; i++) {
        if (l->places[i].pid > 0 && waitpid(l->places[i].pid, &status, WNOHANG) > 0) {
            note_end(l, i, status, event);
            return true;
        }
    }
    return false;
}

static bool any_stream_open(const ob_launch *l)
{
    for (int i = 0; i < l->set.count; i++) {
        if (l->places[i].streams[0].fd >= 0 || l->places[i].streams[1].fd >= 0)
            return true;
    }
    return false;
}

int ob_launch_busy(const ob_launch *l)
{
    return l->running > 0 || (any_stream_open(l) && ob_time() < l->linger_until);
}

/* Kills those that overstay, and says when to look again for what no
 * descriptor announces. */
static double attend(ob_launch *l)
{
    double t = ob_time(), next = NEVER;
    if (t >= l->kill_at) {
        ob_launch_signal(l, OB_LAUNCH_ALL, SIGKILL);
        l->kill_at = t + l->set.grace_seconds;
    }
    if (l->running > 0)
        next = l->kill_at;
    else
        next = l->linger_until;
    for (int i = 0; i < l->set.count; i++) {
        forget_empty_group(l, i);
        if (l->places[i].group && l->places[i].pid == 0)
            next = earlier(next, t + 1);
    }
    if (!l->set.owns_children)
        next = earlier(next, t + LOOK_SECONDS);
    /* Coming to the foreground is not announced either. */
    if (l->input.terminal >= 0)
        next = earlier(next, t + 10 * LOOK_SECONDS);
    return next;
}

static nfds_t fill_polls(ob_launch *l)
{
    nfds_t n = 0;
    l->polls[n++] = (struct pollfd){.fd = l->wake[0], .events = POLLIN};
    if (!ob_input_wants(&l->input, &l->polls[n]))
        l->polls[n] = (struct pollfd){.fd = -1};
    n++;
    for (int i = 0; i < l->set.count; i++) {
        for (int k = 0; k < 2; k++)
            l->polls[n++] = (struct pollfd){.fd = l->places[i].streams[k].fd, .events = POLLIN};
    }
    return n;
}

static bool take_wake(ob_launch *l)
{
    char bytes[256];
    bool woken = false;
    while (read(l->wake[0], bytes, sizeof bytes) > 0)
        woken = true;
    return woken;
}

static void serve(ob_launch *l)
{
    ob_input_step(&l->input, &l->polls[1]);
    for (int i = 0; i < l->set.count; i++) {
        for (int k = 0; k < 2; k++) {
            if (l->polls[2 + 2 * i + k].revents)
                ob_stream_read(&l->places[i].streams[k]);
        }
    }
}

/* Rounded up, so that the moment is over when poll returns. */
static int milliseconds_until(double moment)
{
    double ms = (moment - ob_time()) * 1e3 + 1;
    return moment == NEVER || ms > INT_MAX ? -1 : ms < 1 ? 0 : (int)ms;
}

int ob_launch_wait(ob_launch *l, double seconds, ob_launch_event *event)
{
    double until = seconds < 0 ? NEVER : ob_time() + seconds;
    bool last = false;
    while (!take_ended(l, event)) {
        if (last || !ob_launch_busy(l))
            return 0;
        double next = earlier(until, attend(l));
        int ready = poll(l->polls, fill_polls(l), milliseconds_until(next));
        if (ready < 0 && errno != EINTR)
            return ob_fail(OB_ESYSTEM, "OB-2004 cannot wait for the processes: %s",
                           strerror(errno));
        last = take_wake(l) || ob_time() >= until;
        if (ready > 0)
            serve(l);
    }
    return 1;
}

int ob_launch_running(const ob_launch *l)
{
    return l->running;
}

int ob_launch_pid(const ob_launch *l, int number)
{
    return number >= 0 && number < l->set.count ? (int)l->places[number].pid : 0;
}

void ob_launch_wake(ob_launch *l)
{
    int error = errno;
    /* A full pipe wakes as well. */
    ssize_t put = write(l->wake[1], "", 1);
    (void)put;
    errno = error;
}

/* ------------------------------------------------------------------ ending */

int ob_launch_signal(ob_launch *l, int number, int signal)
{
    if (number != OB_LAUNCH_ALL && (number < 0 || number >= l->set.count))
        return ob_fail(OB_EARG, "OB-2005 there is no process %d to signal in a job of %d", number,
                       l->set.count);
    for (int i = 0; i < l->set.count; i++) {
        if (number == OB_LAUNCH_ALL || number == i)
            ob_kill_group(&l->places[i], signal);
    }
    return OB_OK;
}

void ob_launch_end(ob_launch *l)
{
    if (l->ended)
        return;
    l->ended = true;
    l->kill_at = ob_time() + l->set.grace_seconds;
    ob_launch_signal(l, OB_LAUNCH_ALL, SIGTERM);
    ob_launch_signal(l, OB_LAUNCH_ALL, SIGCONT); /* a stopped process cannot end */
}

int ob_launch_aborted(const ob_launch *l, int *number, int *code)
{
    return ob_segments_aborted(&l->memory, number, code);
}
