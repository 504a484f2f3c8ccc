/*
 * Readings of the processor time. Each takes two calls of the system, some half a microsecond, and
 * a third one where the thread has lost its processor since the last one. So they are made so far
 * apart that a program spends at most half a hundredth of its time on them, whatever a call costs:
 * with many threads, or under a tool that watches calls, more.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/internal.h"

/* One is made at least so many times its own length after the one before. */
enum { APART = 256 };

/* The shortest that there was lately counts: a process can lose its processor during one, too.
 * Relaxed: of two threads one may count for nothing. */
static void pace(int64_t took)
{
    int64_t apart = atomic_load_explicit(&ob_trace.apart, memory_order_relaxed);
    took = took > 0 ? took * APART : APART;
    atomic_store_explicit(&ob_trace.apart, took < apart ? took : apart + apart / 16,
                          memory_order_relaxed);
}

/* Linux tells each thread how long it could run and waited for a processor: the second number of
 * this file. It is read where a thread has begun the recording, by that thread alone. */
static struct {
    dev_t device;
    ino_t inode;
    atomic_int fd; /* its store shows the other two to who loads it */
} delays = {.fd = -1};
static _Thread_local bool has_delays;

/* A program may close all descriptors, and open files of its own by the same numbers. */
static bool is_ours(int fd)
{
    struct stat s;
    return fd >= 0 && fstat(fd, &s) == 0 && s.st_dev == delays.device && s.st_ino == delays.inode;
}

static uint64_t read_delay(void)
{
    char text[96];
    int fd = has_delays ? atomic_load_explicit(&delays.fd, memory_order_acquire) : -1;
    ssize_t n = is_ours(fd) ? pread(fd, text, sizeof text, 0) : -1, i = 0;
    uint64_t delay = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == 0 || i >= n || text[i] != ' ')
        return OB_TRACE_NO_DELAY;
    for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        delay = delay * 10 + (uint64_t)(text[i] - '0');
    return i < n && text[i] == ' ' ? delay : OB_TRACE_NO_DELAY;
}

void ob_trace_read(ob_trace_reading *last)
{
    struct timespec t = {0};
    struct rusage used = {.ru_nvcsw = 0};
    ob_trace_reading now = {.at = ob_clock_end()};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
#ifdef RUSAGE_THREAD
    getrusage(RUSAGE_THREAD, &used);
#else
    getrusage(RUSAGE_SELF, &used);
#endif
    now.cpu = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    now.slept = (uint64_t)used.ru_nvcsw;
    now.taken = (uint64_t)used.ru_nivcsw;
    bool kept = last->at && now.slept == last->slept && now.taken == last->taken;
    now.delay = kept ? last->delay : read_delay();
    *last = now;
    pace(ob_clock_end() - now.at);
}

#ifdef OPENBLACS_SIMGRID
/* The processor time of a simulated process is none of the machine that is simulated. */
void ob_trace_read_first(ob_trace_reading *first)
{
    (void)first;
}
#else
void ob_trace_read_first(ob_trace_reading *first)
{
    enum { TRIES = 8 };
    ob_trace_read_last();
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    struct stat s = {0};
    if (fd >= 0 && fstat(fd, &s) == 0) {
        delays.device = s.st_dev;
        delays.inode = s.st_ino;
    }
    /* Release: who reads through it (acquire) knows whose file it is. */
    atomic_store_explicit(&delays.fd, fd, memory_order_release);
    has_delays = true;
    atomic_store(&ob_trace.apart, INT64_MAX / 2);
    for (int i = 0; i < TRIES; i++)
        ob_trace_read(first);
}
#endif

void ob_trace_read_last(void)
{
    int fd = atomic_exchange(&delays.fd, -1);
    if (is_ours(fd))
        close(fd);
}
