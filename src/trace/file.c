/*
 * The file that the processes of a run append to, each under a lock: at its start a
 * chunk that says it will write, at its end all it has. The last one prints
 * the statistics. A file of another run is replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/port.h"
#include "node/shm.h"
#include "trace/internal.h"

/* ----------------------------------------------------------------------- the file */

enum { LOCK_SECONDS = 10 };

/* Waits for the lock as long as those who have it write. Whoever may read a file can hold its lock
 * for ever. */
static int lock_file(int fd, int lock)
{
    struct stat s = {0};
    off_t bytes = -1;
    double since = 0;
    while (flock(fd, lock | LOCK_NB) != 0) {
        static const struct timespec nap = {.tv_nsec = 2 * 1000 * 1000};
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK || (lock & LOCK_NB))
            return -1;
        fstat(fd, &s);
        double now = ob_time();
        if (s.st_size != bytes)
            since = now;
        bytes = s.st_size;
        if (now - since > LOCK_SECONDS) {
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return 0;
}

/* Opens and locks a file. Its name may have gone to another run's file meanwhile. A file that
 * nobody else knows (O_NOFOLLOW) is ours, or somebody waits for us there. */
int ob_trace_open_locked(const char *name, int flags, mode_t mode, int lock)
{
    for (int tries = 0; tries < 100; tries++) {
        struct stat here, there;
        int fd = open(name, flags, mode);
        if (fd < 0)
            return -1;
        if (lock_file(fd, lock) != 0) {
            int error = errno;
            close(fd);
            errno = error;
            return -1;
        }
        if (fstat(fd, &here) == 0 && stat(name, &there) == 0 && here.st_ino == there.st_ino &&
            here.st_dev == there.st_dev)
            return fd;
        close(fd);
    }
    errno = EBUSY;
    return -1;
}

static int open_work(void)
{
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | (ob_trace.file ? 0 : O_NOFOLLOW);
    return ob_trace_open_locked(ob_trace.work, flags, 0600, LOCK_EX);
}

static bool of_a_trace(const ob_trace_header *h)
{
    return memcmp(h->magic, OB_TRACE_MAGIC, 8) == 0 && h->order == OB_TRACE_ORDER &&
           h->version == OB_TRACE_VERSION;
}

static bool ours(const ob_trace_header *h)
{
    return of_a_trace(h) && h->run == ob_trace.run;
}

static const char *reason(void)
{
    return errno == EEXIST        ? "there is a file that is no trace"
           : errno == EWOULDBLOCK ? "another process holds its lock and does not write; name "
                                    "another file, or end that process (fuser FILE)"
                                  : strerror(errno);
}

/* Reads the header, or begins the file anew when it is another run's. What is no trace at all
 * was hardly meant, and stays. */
static int begin(int fd, ob_trace_header *h, int count)
{
    ssize_t there = pread(fd, h, sizeof *h, 0);
    if (there == (ssize_t)sizeof *h && ours(h))
        return OB_OK;
    if (there > 0 && (there < 8 || memcmp(h->magic, OB_TRACE_MAGIC, 8) != 0)) {
        errno = EEXIST;
        return OB_ESYSTEM;
    }
    *h = (ob_trace_header){.magic = OB_TRACE_MAGIC,
                           .order = OB_TRACE_ORDER,
                           .version = OB_TRACE_VERSION,
                           .run = ob_trace.run,
                           .processes = (uint32_t)count,
                           .flags = ob_trace.file ? 0 : OB_TRACE_STATISTICS,
                           .event_bytes = sizeof(ob_trace_event)};
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) < 0)
        return OB_ESYSTEM;
    return ob_trace_put(fd, h, sizeof *h);
}

static int put_header(int fd, const ob_trace_header *h)
{
    return pwrite(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h ? OB_OK : OB_ESYSTEM;
}

int ob_trace_join(int number, int count)
{
    struct {
        ob_trace_chunk head;
        ob_trace_process self;
    } joined = {{.magic = OB_TRACE_CHUNK_MAGIC,
                 .kind = OB_TRACE_JOINED,
                 .process = number,
                 .count = 1,
                 .bytes = sizeof(ob_trace_process)},
                ob_trace.self};
    ob_trace_header h;
    int fd = open_work(), status = fd < 0 ? OB_ESYSTEM : begin(fd, &h, count);
    if (status == OB_OK && lseek(fd, 0, SEEK_END) < 0)
        status = OB_ESYSTEM;
    if (status == OB_OK)
        status = ob_trace_put(fd, &joined, sizeof joined);
    if (status == OB_OK) {
        h.joined++;
        h.flags &= ~(OB_TRACE_FINISHED | OB_TRACE_REPORTED);
        status = put_header(fd, &h);
    }
    if (status != OB_OK)
        status =
            ob_fail(OB_ESYSTEM, "OB-8001 the file of %s, '%s', cannot be written: %s",
                    ob_trace.file ? "OPENBLACS_TRACE" : "OPENBLACS_STATS", ob_trace.work, reason());
    if (status != OB_OK && fd >= 0 && ob_trace.file == NULL)
        unlink(ob_trace.work);
    if (fd >= 0)
        close(fd); /* and gives the lock back */
    return status;
}

/* Has this process, which has joined and not written, ended on this node? */
static bool lost(const ob_trace_process *p)
{
    return p->node == ob_trace.self.node && ob_port_born((int)p->process_id) != p->born;
}

/* Those who have joined and neither written nor ended. */
static unsigned awaited(const char *file, size_t bytes)
{
    unsigned count = 0;
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        bool wrote = false;
        const ob_trace_process *p = (const void *)(c + 1), *q;
        if (c->kind != OB_TRACE_JOINED || c->bytes < sizeof *p)
            continue;
        for (const ob_trace_chunk *d = c; !wrote && (d = ob_trace_next_chunk(file, bytes, d));) {
            q = (const void *)(d + 1);
            wrote = d->kind == OB_TRACE_PROCESS && d->process == c->process &&
                    q->process_id == p->process_id && q->born == p->born;
        }
        count += !wrote && !lost(p);
    }
    return count;
}

/* Did an MPI launcher start all who joined? obrun looks after its files itself. */
static bool by_mpi(const char *file, size_t bytes)
{
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));)
        if (c->kind == OB_TRACE_JOINED && c->bytes >= sizeof(ob_trace_process) &&
            ((const ob_trace_process *)(const void *)(c + 1))->launch != OB_MPI)
            return false;
    return true;
}

/* A line when buffers were too small. Also in a handler, which may not call fprintf. */
static void report_dropped(const char *name, const char *file, size_t bytes)
{
    char line[4608];
    uint64_t dropped = 0, most = 0;
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        const ob_trace_process *p = (const void *)(c + 1);
        if (c->kind != OB_TRACE_PROCESS)
            continue;
        uint64_t needed = p->buffer_bytes + p->dropped * sizeof(ob_trace_record);
        dropped += p->dropped;
        most = p->dropped && needed > most ? needed : most;
    }
    int n = snprintf(line, sizeof line,
                     "OpenBLACS: %llu events are missing in the trace '%s': the buffers were full; "
                     "set OPENBLACS_TRACE_BUFFER=%lluM [OB-8003]\n",
                     (unsigned long long)dropped, name, (unsigned long long)(most >> 20) + 1);
    if (dropped && n > 0 && n < (int)sizeof line)
        ob_trace_put(STDERR_FILENO, line, (size_t)n);
}

/* Who finishes a file, and how. */
typedef struct ending {
    const char *name;
    ob_trace_put_text *put; /* NULL: the statistics are not printed */
    void *context;
} ending;

static void finish_mapped(const char *file, size_t bytes, ob_trace_header *h, const ending *how)
{
    if (!(h->flags & OB_TRACE_FINISHED))
        report_dropped(how->name, file, bytes);
    h->flags |= OB_TRACE_FINISHED;
    if (how->put && !(h->flags & OB_TRACE_REPORTED)) {
        ob_trace_report(file, bytes, how->put, how->context);
        h->flags |= OB_TRACE_REPORTED;
    }
    if (h->flags & OB_TRACE_STATISTICS)
        unlink(how->name);
}

/* With all there: says what is missing, and prints the statistics. */
static void finish(int fd, ob_trace_header *h, const ending *how)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return;
    size_t bytes = (size_t)s.st_size;
    char *file = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        return;
    if (h->written && (h->written >= h->joined || awaited(file, bytes) == 0))
        finish_mapped(file, bytes, h, how);
    munmap(file, bytes);
    put_header(fd, h);
}

static void know_node(void)
{
    char host[sizeof ob_trace.self.host] = "";
    if (ob_trace.self.node == 0 && gethostname(host, sizeof host - 1) == 0)
        ob_trace.self.node = ob_trace_node(host);
}

void ob_trace_finish_unless(const char *name, bool (*more)(void), ob_trace_put_text *put,
                            void *context)
{
    ob_trace_header h;
    int fd = ob_trace_open_locked(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, LOCK_EX);
    if (fd < 0)
        return; /* somebody has printed them */
    know_node();
    if (!(more && more()) && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h && of_a_trace(&h))
        finish(fd, &h, &(ending){.name = name, .put = put, .context = context});
    close(fd);
}

void ob_trace_finish(const char *name, ob_trace_put_text *put, void *context)
{
    ob_trace_finish_unless(name, NULL, put, context);
}

int ob_trace_open_left(const char *name)
{
    ob_trace_header h;
    struct stat s;
    bool left = false;
    int fd = ob_trace_open_locked(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, LOCK_EX | LOCK_NB);
    if (fd < 0)
        return -1;
    know_node();
    if (pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h && of_a_trace(&h) &&
        (h.flags & OB_TRACE_STATISTICS) && fstat(fd, &s) == 0) {
        size_t bytes = (size_t)s.st_size;
        char *file = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
        left = file != MAP_FAILED && by_mpi(file, bytes) && awaited(file, bytes) == 0;
        if (file != MAP_FAILED)
            munmap(file, bytes);
    }
    if (left)
        return fd;
    close(fd);
    return -1;
}

void ob_trace_put_error(void *context, const char *text, size_t bytes)
{
    (void)context;
    ob_trace_put(STDERR_FILENO, text, bytes);
}

void ob_trace_leave(int signal, bool (*more)(void))
{
    ob_trace_header h;
    ob_trace.self.signal = (uint32_t)signal;
    ob_trace_running_end();
    ob_trace.left = ob_clock_end();
    int fd = open_work(), status = fd < 0 ? OB_ESYSTEM : begin(fd, &h, ob_trace.count);
    off_t end = status == OB_OK ? lseek(fd, 0, SEEK_END) : -1;
    status = end < 0 ? OB_ESYSTEM : ob_trace_write_chunks(fd, ob_trace.number, signal != 0);
    if (status == OB_OK) {
        h.written++;
        status = put_header(fd, &h);
    } else if (end > 0 && ftruncate(fd, end) != 0) {
        /* What there is of it reads as a file that was cut off. */
    }
    if (status != OB_OK && signal == 0)
        fprintf(stderr,
                "OpenBLACS: the file of %s, '%s', cannot be written: %s; process %d [OB-8001]\n",
                ob_trace.file ? "OPENBLACS_TRACE" : "OPENBLACS_STATS", ob_trace.work, reason(),
                ob_trace.number);
    bool last = !ob_shm_expects_more(ob_trace.job->shm) && !more();
    if (status == OB_OK && last)
        finish(fd, &h,
               &(ending){.name = ob_trace.work,
                         .put = ob_trace_on & OB_TRACE_STATS_ON ? ob_trace_put_error : NULL});
    if (fd >= 0)
        close(fd);
}
