/*
 * Writing our own diary and finding those of others: an anonymous file is found
 * through the links in /proc/PID/fd, which show its name.
 */
#include "check/diary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/scratch.h"
#include "trace/trace.h"

#define MAGIC UINT64_C(0x4f42434845434b31)

ob_diary *ob_diary_own;
ob_job *ob_diary_job;
static char prefix[64]; /* of the names of this job's diaries */

size_t ob_diary_entry_bytes(int count)
{
    return ob_align(sizeof(ob_entry) + (size_t)count * sizeof(int));
}

static size_t diary_bytes(int count)
{
    return sizeof(ob_diary) + OB_DIARY_THREADS * ob_diary_entry_bytes(count);
}

int ob_diary_open(ob_job *job)
{
    char name[96];
    size_t bytes = diary_bytes(job->count);
    snprintf(prefix, sizeof prefix, "openblacs-check-%llx-",
             (unsigned long long)ob_trace_run_number(job));
    snprintf(name, sizeof name, "%s%d", prefix, job->number);
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return ob_fail(OB_ESYSTEM, "OPENBLACS_CHECK: no memory to share: %s", strerror(errno));
    ob_diary *d = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (d == MAP_FAILED)
        return ob_fail(OB_ENOMEM, "OPENBLACS_CHECK: no memory to share: %s", strerror(errno));
    d->number = job->number;
    d->count = job->count;
    d->pid = getpid();
    d->magic = MAGIC;
    ob_diary_own = d;
    ob_diary_job = job;
    return OB_OK;
}

/* The number in the name of a diary of this job that the link leads to; -1: it does not. */
static int number_of_link(const char *path)
{
    char target[160];
    ssize_t n = readlink(path, target, sizeof target - 1);
    size_t length = strlen(prefix);
    if (n < 0)
        return -1;
    target[n] = 0;
    if (strncmp(target, "/memfd:", 7) || strncmp(target + 7, prefix, length))
        return -1;
    return atoi(target + 7 + length);
}

static ob_diary *map_diary(const char *path, int number)
{
    int count = ob_diary_job->count, fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ob_diary *d = mmap(NULL, diary_bytes(count), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (d == MAP_FAILED)
        return NULL;
    if (d->magic == MAGIC && d->number == number && d->count == count)
        return d;
    munmap(d, diary_bytes(count));
    return NULL;
}

static void look_into(const char *pid, ob_diary **of)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/%.20s/fd/%.200s", pid, e->d_name);
        int number = e->d_name[0] == '.' ? -1 : number_of_link(path);
        if (number >= 0 && number < ob_diary_job->count && !of[number])
            of[number] = map_diary(path, number);
    }
    if (dir)
        closedir(dir);
}

bool ob_diary_visible(void)
{
    char pid[16];
    int count = ob_diary_job->count, me = ob_diary_job->number;
    ob_diary **of = calloc((size_t)count, sizeof *of);
    bool seen = of == NULL;
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (of)
        look_into(pid, of);
    for (int i = 0; of && i < count; i++) {
        seen |= i == me && of[i];
        if (of[i])
            munmap(of[i], diary_bytes(count));
    }
    free(of);
    return seen;
}

void ob_diary_find(ob_diary **of)
{
    int missing = 0;
    of[ob_diary_job->number] = ob_diary_own;
    for (int i = 0; i < ob_diary_job->count; i++)
        missing += of[i] == NULL;
    DIR *proc = missing ? opendir("/proc") : NULL;
    for (struct dirent *e; proc && (e = readdir(proc));)
        if (isdigit((unsigned char)e->d_name[0]))
            look_into(e->d_name, of);
    if (proc)
        closedir(proc);
}

/* The words of an entry from `kind` to the last of so many peers. */
static size_t words_of(unsigned peers)
{
    size_t bytes = sizeof(ob_entry) + peers * sizeof(int) - offsetof(ob_entry, kind);
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

void ob_diary_write(ob_entry *entry, const ob_entry *draft)
{
    uint64_t *to = (uint64_t *)(void *)&entry->kind;
    const uint64_t *from = (const uint64_t *)(const void *)&draft->kind;
    size_t words = words_of(draft->count);
    atomic_fetch_add_explicit(&entry->version, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    for (size_t i = 0; i < words; i++)
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
    atomic_fetch_add_explicit(&entry->version, 1, memory_order_release);
}

int ob_diary_read(const ob_diary *d, int thread, ob_entry *copy)
{
    const ob_entry *e = ob_diary_entry(d, thread);
    const uint64_t *from = (const uint64_t *)(const void *)&e->kind;
    uint64_t *to = (uint64_t *)(void *)&copy->kind;
    size_t words = words_of((unsigned)d->count);
    for (int tries = 0; tries < 100; tries++) {
        unsigned before = atomic_load_explicit(&e->version, memory_order_acquire);
        if (!atomic_load_explicit(&e->used, memory_order_acquire))
            return 0;
        if (before % 2)
            continue;
        for (size_t i = 0; i < words; i++)
            to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&e->version, memory_order_relaxed) == before)
            return 1;
    }
    return 0;
}
