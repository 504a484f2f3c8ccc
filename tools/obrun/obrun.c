/*
 * obrun: starts the processes of a job on this machine, passes their output
 * on in whole lines, forwards signals, and ends with the status of the first
 * process that failed.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/error.h"
#include "openblacs/launch.h"
#include "options.h"

#define OVERDUE_SECONDS                                                                            \
    5.0                   /* how long processes may survive SIGTERM, or one that obeyed a signal */
#define TWICE_SECONDS 0.1 /* a sender may signal obrun both by itself and by its group */

/* One of obrun's own two outputs. */
typedef struct sink {
    int fd;
    bool regular;  /* a file: writing does not block */
    bool dead;     /* nobody reads it, or nobody may wait for it any more */
    int open_line; /* the process whose begun line is last, or -1 */
} sink;

typedef struct run {
    obrun_options set;
    ob_launch *launch;
    sink out, err;
    sink *of_stream[3];  /* 1 and 2; the same when they lead to the same file */
    char staging[65536]; /* tagged lines on their way out */
    size_t staged;
    int status;  /* what obrun will return */
    bool failed; /* status is settled */
    int told;    /* a signal to end that was forwarded; 0: none */
    double told_at;
    double time_limit, overdue; /* moments; HUGE_VAL: never */
    double give_up;             /* from then on nobody waits for a stuck output */
    int over_time;              /* processes the time limit has ended, until it is said */
    int stubborn;               /* processes that did not end by a signal, until this is said */
} run;

static run the_run;
static ob_launch *volatile to_wake;
static volatile sig_atomic_t arrived[128];

static void attend(run *r);
__attribute__((format(printf, 2, 3))) static void say(run *r, const char *format, ...);

/* ------------------------------------------------------------------ output */

/* A dead reader ends the job, silently, as it would end any program. */
static void sink_died(run *r, sink *s, int error)
{
    s->dead = true;
    if (!r->failed) {
        r->failed = true;
        r->status = error == EPIPE ? 128 + SIGPIPE : EXIT_OBRUN;
        if (error != EPIPE && s != r->of_stream[2])
            say(r, "OB-2010 cannot write to standard output: %s; ending the job", strerror(error));
    }
    if (r->launch)
        ob_launch_end(r->launch);
}

/* Never blocks in write(): waits in poll, where signals and the time limit are attended to,
 * and then writes no more than fits into a pipe that has room. */
static void put(run *r, sink *s, const char *bytes, size_t count)
{
    while (count > 0 && !s->dead) {
        size_t piece = count;
        if (!s->regular) {
            struct pollfd p = {.fd = s->fd, .events = POLLOUT};
            if (poll(&p, 1, 100) <= 0) {
                attend(r);
                s->dead = ob_time() >= r->give_up;
                continue;
            }
            if (piece > PIPE_BUF)
                piece = PIPE_BUF;
        }
        ssize_t done = write(s->fd, bytes, piece);
        if (done >= 0) {
            bytes += done;
            count -= (size_t)done;
        } else if (errno != EINTR && errno != EAGAIN) {
            sink_died(r, s, errno);
        }
    }
}

/* Gathers small pieces, so that a line and its prefix do not cost a write each. */
static void gather(run *r, sink *s, const char *bytes, size_t count)
{
    if (r->staged + count > sizeof r->staging) {
        put(r, s, r->staging, r->staged);
        r->staged = 0;
    }
    if (count > sizeof r->staging) {
        put(r, s, bytes, count);
        return;
    }
    memcpy(r->staging + r->staged, bytes, count);
    r->staged += count;
}

static void put_tagged(run *r, sink *s, int number, const char *bytes, size_t count, bool begun)
{
    char prefix[16];
    int length = snprintf(prefix, sizeof prefix, "[%d] ", number);
    for (const char *end = bytes + count, *at = bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line = newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
        if (!begun)
            gather(r, s, prefix, (size_t)length);
        gather(r, s, at, line);
        begun = false;
        at += line;
    }
    put(r, s, r->staging, r->staged);
    r->staged = 0;
}

/* A last line without a newline stays as it is, unless somebody else's output
 * would run into it. */
static void close_line(run *r, sink *s, int number)
{
    if (s->open_line >= 0 && s->open_line != number)
        put(r, s, "\n", 1);
    s->open_line = -1;
}

static void take_output(void *context, int number, int stream, const char *bytes, size_t count)
{
    run *r = context;
    sink *s = r->of_stream[stream];
    bool continued = s->open_line == number;
    close_line(r, s, number);
    if (r->set.tag)
        put_tagged(r, s, number, bytes, count, continued);
    else
        put(r, s, bytes, count);
    if (bytes[count - 1] != '\n')
        s->open_line = number;
}

/* One line of obrun's own. */
static void say(run *r, const char *format, ...)
{
    char text[1152], line[sizeof text + 32], code[OB_CODE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ob_error_code(text, code);
    snprintf(line, sizeof line, "obrun: %s%s\n", text, code);
    sink *s = r->of_stream[2];
    close_line(r, s, -1);
    put(r, s, line, strlen(line));
}

static void open_sink(sink *s, int fd)
{
    struct stat st;
    *s = (sink){.fd = fd, .open_line = -1};
    s->regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static void open_sinks(run *r)
{
    struct stat out, err;
    open_sink(&r->out, 1);
    open_sink(&r->err, 2);
    bool same = fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev &&
                out.st_ino == err.st_ino;
    r->of_stream[1] = &r->out;
    r->of_stream[2] = same ? &r->out : &r->err;
}

/* ----------------------------------------------------------------- signals */

static void on_signal(int number)
{
    arrived[number] = 1;
    ob_launch *launch = to_wake;
    if (launch)
        ob_launch_wake(launch);
}

/* SIGPIPE and SIGCHLD do no more than interrupt and wake. */
static const int handled[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                              SIGUSR2, SIGCONT, SIGTSTP, SIGCHLD, SIGPIPE};

static void handle_signals(void)
{
    struct sigaction act = {.sa_handler = on_signal}, before;
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
        /* nohup(1) */
        if (handled[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            continue;
        sigaction(handled[i], &act, NULL);
    }
}

static bool take(int number)
{
    bool there = arrived[number];
    arrived[number] = 0;
    return there;
}

static void kill_hard(run *r, int number)
{
    ob_launch_signal(r->launch, OB_LAUNCH_ALL, SIGKILL);
    r->give_up = 0;
    if (!r->failed)
        r->status = 128 + number;
    r->failed = true;
}

static void forward_end(run *r, int number)
{
    bool again = r->told && ob_time() - r->told_at > TWICE_SECONDS;
    if (again && (number == SIGINT || number == SIGTERM)) {
        kill_hard(r, number);
        return;
    }
    ob_launch_signal(r->launch, OB_LAUNCH_ALL, number);
    if (number == SIGTERM && r->overdue == HUGE_VAL)
        r->overdue = ob_time() + OVERDUE_SECONDS;
    if (r->told == 0) {
        r->told = number;
        r->told_at = ob_time();
    }
}

static void forward_signals(run *r)
{
    static const int to_end[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static const int plain[] = {SIGUSR1, SIGUSR2, SIGCONT};
    for (int i = 0; i < 4; i++) {
        if (take(to_end[i]))
            forward_end(r, to_end[i]);
    }
    for (int i = 0; i < 3; i++) {
        if (take(plain[i]))
            ob_launch_signal(r->launch, OB_LAUNCH_ALL, plain[i]);
    }
    if (take(SIGTSTP)) {
        ob_launch_signal(r->launch, OB_LAUNCH_ALL, SIGTSTP);
        raise(SIGSTOP);
    }
}

/* -------------------------------------------------------------------- ends */

/* Signals, the time limit, and processes that do not follow one that has
 * obeyed a forwarded signal. Also called while an output is stuck. */
static void attend(run *r)
{
    forward_signals(r);
    double t = ob_time();
    if (t >= r->time_limit) {
        r->time_limit = HUGE_VAL;
        if (!r->failed) {
            r->failed = true;
            r->status = EXIT_TIMEOUT;
            r->over_time = ob_launch_running(r->launch);
        }
        r->overdue = t;
        r->give_up = t + OVERDUE_SECONDS;
    }
    if (t >= r->overdue) {
        r->overdue = HUGE_VAL;
        if (!r->failed) {
            r->failed = true;
            r->status = 128 + r->told;
            r->stubborn = ob_launch_running(r->launch);
        }
        ob_launch_end(r->launch);
    }
}

static void describe_end(run *r, const ob_launch_event *e)
{
    char how[96], rest[64] = "";
    int n = ob_launch_running(r->launch);
    if (e->signal)
        snprintf(how, sizeof how, "was ended by signal %d (%s)%s", e->signal,
                 ob_launch_signal_name(e->signal), e->core_dumped ? ", core dumped" : "");
    else
        snprintf(how, sizeof how, "ended with status %d", e->status);
    if (n > 0)
        snprintf(rest, sizeof rest, "; ending the other %d process%s", n, n == 1 ? "" : "es");
    say(r, "OB-2008 process %d (pid %d) %s%s", e->number, e->pid, how, rest);
}

/* An abort has had its line from the library; its code 0 is a failure too. */
static void note_failure(run *r, const ob_launch_event *e, bool aborted, int code)
{
    r->failed = true;
    if (aborted)
        r->status = code & 0xff ? code & 0xff : 1;
    else
        r->status = e->signal ? 128 + e->signal : e->status;
    bool obeyed = e->signal && e->signal == r->told;
    if (obeyed) {
        r->overdue = ob_time() + OVERDUE_SECONDS;
        return;
    }
    if (!aborted)
        describe_end(r, e);
    ob_launch_end(r->launch);
}

static void note_end(run *r, const ob_launch_event *e)
{
    int by, code = 0;
    bool aborted = ob_launch_aborted(r->launch, &by, &code);
    if (r->set.verbose)
        say(r, "process %d (pid %d) has ended: %s %d", e->number, e->pid,
            e->signal ? "signal" : "status", e->signal ? e->signal : e->status);
    if ((aborted || e->signal || e->status) && !r->failed)
        note_failure(r, e, aborted, code);
}

static double patience(const run *r)
{
    double until = r->time_limit < r->overdue ? r->time_limit : r->overdue, t = ob_time();
    return until == HUGE_VAL ? -1 : until > t ? until - t : 0;
}

/* Not said in attend, which may be inside the writing of a process's line. */
static void say_over_time(run *r)
{
    int n = r->over_time;
    r->over_time = 0;
    if (r->stubborn > 0)
        say(r, "OB-2009 %d process%s still there %g s after %s; ending %s", r->stubborn,
            r->stubborn == 1 ? " is" : "es are", OVERDUE_SECONDS, ob_launch_signal_name(r->told),
            r->stubborn == 1 ? "it" : "them");
    r->stubborn = 0;
    if (n > 0)
        say(r, "OB-2007 the time limit of %g s is over; ending %d process%s", r->set.timeout, n,
            n == 1 ? "" : "es");
}

static void watch(run *r)
{
    ob_launch_event e;
    while (ob_launch_busy(r->launch)) {
        attend(r);
        say_over_time(r);
        int got = ob_launch_wait(r->launch, patience(r), &e);
        if (got == 1) {
            note_end(r, &e);
        } else if (got < 0) {
            say(r, "%s", ob_error_text());
            r->status = EXIT_OBRUN;
            break;
        }
    }
    say_over_time(r);
}

/* -------------------------------------------------------------------- main */

/* Pipes must not get the numbers of closed standard descriptors. */
static void hold_standard_files(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd < 2);
    if (fd > 2)
        close(fd);
}

static bool open_launch(run *r)
{
    ob_launch_options o = {.count = r->set.count,
                           .bind_cores = r->set.bind,
                           .owns_children = 1,
                           .output = take_output,
                           .context = r};
    if (ob_launch_open(&r->launch, &o) != OB_OK) {
        say(r, "%s", ob_error_text());
        r->status = EXIT_OBRUN;
        return false;
    }
    to_wake = r->launch;
    return true;
}

static bool start(run *r)
{
    ob_launch_program p = {.argv = r->set.argv, .input = 0};
    int status = ob_launch_start(r->launch, OB_LAUNCH_ALL, &p);
    if (status != OB_OK) {
        say(r, "%s", ob_error_text());
        r->status = status == OB_ESYSTEM ? EXIT_REFUSED : EXIT_OBRUN;
        return false;
    }
    for (int i = 0; i < r->set.count && r->set.verbose; i++)
        say(r, "process %d is pid %d", i, ob_launch_pid(r->launch, i));
    return true;
}

/* Valgrind's leak check reads all that a process has mapped: 24 GiB for each process of a job took
 * for ever. Within the processes the library sees to it itself, but this mapping is ours. */
static void limit_valgrind(char *const *argv)
{
    for (; *argv; argv++) {
        const char *slash = strrchr(*argv, '/');
        if (strcmp(slash ? slash + 1 : *argv, "valgrind") == 0)
            setenv("OPENBLACS_HEAP", "16M", 0);
    }
}

/* Settled before anything is started, so that the status is certain. */
static bool find_program(run *r)
{
    char *path;
    int status = ob_launch_find(r->set.argv[0], &path);
    free(path);
    if (status == OB_OK)
        return true;
    say(r, "%s", ob_error_text());
    r->status = status == OB_EARG ? EXIT_NOT_FOUND : EXIT_REFUSED;
    return false;
}

int main(int argc, char **argv)
{
    (void)argc;
    run *r = &the_run;
    hold_standard_files();
    open_sinks(r);
    obrun_read_options(&r->set, argv);
    r->overdue = r->time_limit = r->give_up = HUGE_VAL;
    if (!find_program(r))
        return r->status;
    limit_valgrind(r->set.argv);
    handle_signals();
    if (!open_launch(r))
        return r->status;
    if (r->set.timeout > 0)
        r->time_limit = ob_time() + r->set.timeout;
    if (start(r))
        watch(r);
    to_wake = NULL;
    ob_launch_close(r->launch);
    return r->status;
}
