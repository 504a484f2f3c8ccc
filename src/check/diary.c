/*
 * Writing our own diary and finding those of others by their names (core/port.h).
 */
#include "check/diary.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/port.h"
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
    int fd = ob_port_memory(name, false);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return ob_fail(OB_ESYSTEM, "OB-4002 OPENBLACS_CHECK: no memory to share: %s",
                       strerror(errno));
    ob_diary *d = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (d == MAP_FAILED)
        return ob_fail(OB_ENOMEM, "OB-4002 OPENBLACS_CHECK: no memory to share: %s",
                       strerror(errno));
    d->number = job->number;
    d->count = job->count;
    d->pid = getpid();
    d->magic = MAGIC;
    ob_diary_own = d;
    ob_diary_job = job;
    return OB_OK;
}

/* The number in the name of a diary of this job; -1: it is the name of another file. */
static int number_in(const char *name)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? atoi(name + length) : -1;
}

static ob_diary *map_diary(int pid, int descriptor, int number)
{
    int count = ob_diary_job->count, fd = ob_port_open_of(pid, descriptor, O_RDONLY);
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

typedef struct {
    int pid;
    ob_diary **of;
} search;

static void look_at_file(int fd, const char *name, void *with)
{
    const search *s = with;
    int number = number_in(name);
    if (number >= 0 && number < ob_diary_job->count && !s->of[number])
        s->of[number] = map_diary(s->pid, fd, number);
}

static void look_into(int pid, void *of)
{
    search s = {pid, of};
    ob_port_each_file(pid, look_at_file, &s);
}

bool ob_diary_visible(void)
{
    int count = ob_diary_job->count, me = ob_diary_job->number;
    ob_diary **of = calloc((size_t)count, sizeof *of);
    bool seen = of == NULL;
    if (of)
        look_into(getpid(), of);
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
    if (missing)
        ob_port_each_process(look_into, of);
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
