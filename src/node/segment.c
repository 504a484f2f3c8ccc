/*
 * Making, mapping and marking the shared memory of a job.
 */
#include "node/segment.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "node/channel.h"
#include "node/futex.h"
#include "node/memfile.h"

enum { PAGE = 4096 };
/* All heaps of a job together, in every process's address space (of 2^47 bytes). */
static const size_t ADDRESSES = (size_t)1 << 44;

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static size_t heap_offset(int count)
{
    return round_up(sizeof(ob_segment_header), PAGE) +
           round_up((size_t)count * sizeof(ob_channel), PAGE);
}

size_t ob_segment_bytes(int count, size_t heap_bytes)
{
    return heap_offset(count) + round_up(heap_bytes, PAGE);
}

void ob_segment_format(void *segment, int count, int number, size_t bytes)
{
    ob_segment_header *h = segment;
    h->magic = OB_SEGMENT_MAGIC;
    h->count = (uint32_t)count;
    h->number = (uint32_t)number;
    h->bytes = bytes;
    h->heap_offset = heap_offset(count);
    h->heap_bytes = bytes - h->heap_offset;
}

size_t ob_segment_default_heap(int count)
{
    size_t machine = ob_memfile_machine_bytes(), share = ADDRESSES / (size_t)count;
    return machine < share ? machine : share;
}

int ob_segments_create(ob_segments *s, int count, size_t heap_bytes)
{
    if (heap_bytes == 0)
        heap_bytes = ob_segment_default_heap(count);
    *s = (ob_segments){.count = count, .fd = -1};
    /* A process with little address space (ulimit -v) or small files (ulimit
     * -f) gets smaller heaps rather than no job. */
    for (; s->base == NULL; heap_bytes /= 2) {
        s->each = ob_segment_bytes(count, heap_bytes);
        size_t all = s->each * (size_t)count;
        s->fd = ob_memfile_create(all);
        if (s->fd >= 0 && (s->base = ob_memfile_map(s->fd, 0, all)))
            break;
        int error = errno;
        if (s->fd >= 0)
            close(s->fd);
        s->fd = -1;
        if (heap_bytes < (1u << 20))
            return ob_fail(OB_ENOMEM, "no shared memory of %zu bytes for %d processes: %s", all,
                           count, strerror(error));
    }
    for (int i = 0; i < count; i++)
        ob_segment_format(s->base + (size_t)i * s->each, count, i, s->each);
    return OB_OK;
}

static int not_ours(int fd)
{
    return ob_fail(OB_ESYSTEM,
                   "descriptor %d is not a job's shared memory; a program must not close it before "
                   "its first call",
                   fd);
}

/* Reads a segment's first page to learn its layout. */
static int probe(int fd, ob_segment_header *copy)
{
    struct stat file;
    bool large = fstat(fd, &file) == 0 && file.st_size >= PAGE;
    void *p = large ? ob_memfile_map(fd, 0, PAGE) : NULL;
    if (p == NULL)
        return not_ours(fd);
    memcpy(copy, p, sizeof *copy);
    ob_memfile_unmap(p, PAGE);
    return copy->magic == OB_SEGMENT_MAGIC ? OB_OK : not_ours(fd);
}

int ob_segments_open(ob_segments *s, int fd)
{
    ob_segment_header first;
    struct stat file;
    int status = probe(fd, &first);
    if (status != OB_OK)
        return status;
    size_t size = fstat(fd, &file) == 0 ? (size_t)file.st_size : 0;
    if (first.bytes * first.count != size)
        return ob_fail(OB_ESYSTEM, "the shared memory behind descriptor %d has the wrong size", fd);
    *s = (ob_segments){.count = (int)first.count, .each = first.bytes, .fd = fd};
    s->base = ob_memfile_map(fd, 0, size);
    if (s->base == NULL)
        return ob_fail(OB_ENOMEM, "cannot map the job's shared memory (%zu bytes): %s", size,
                       strerror(errno));
    return OB_OK;
}

void *ob_segment_map_foreign(int fd, int count, int number)
{
    ob_segment_header first;
    if (probe(fd, &first) != OB_OK)
        return NULL;
    if ((int)first.count != count || (int)first.number != number) {
        ob_fail(OB_ESYSTEM, "the shared memory of process %d is another process's", number);
        return NULL;
    }
    void *p = ob_memfile_map(fd, 0, first.bytes);
    if (p == NULL)
        ob_fail(OB_ENOMEM, "cannot map the shared memory of process %d: %s", number,
                strerror(errno));
    return p;
}

void ob_segments_close(ob_segments *s)
{
    if (s->base)
        ob_memfile_unmap(s->base, s->each * (size_t)s->count);
    if (s->fd >= 0)
        close(s->fd);
    s->base = NULL;
    s->fd = -1;
}

ob_segment_header *ob_segments_header(const ob_segments *s, int number)
{
    return (ob_segment_header *)(s->base + (size_t)number * s->each);
}

void ob_segment_ring(ob_segment_header *h)
{
    /* From now on it wants a processor, though it may have to wait for one. */
    atomic_store_explicit(&h->asleep, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->bell, 1, memory_order_acq_rel);
    ob_futex_wake(&h->bell);
}

void ob_segments_mark_gone(const ob_segments *s, int number)
{
    /* Release: whoever sees GONE also sees all the process had sent. */
    atomic_store_explicit(&ob_segments_header(s, number)->life, OB_LIFE_GONE, memory_order_release);
    for (int i = 0; i < s->count; i++)
        ob_segment_ring(ob_segments_header(s, i));
}

void ob_segments_abort(const ob_segments *s, int by, int code)
{
    uint64_t nobody = 0, mine = (uint64_t)(by + 1) << 32 | (uint32_t)code;
    atomic_compare_exchange_strong(&ob_segments_header(s, 0)->aborted, &nobody, mine);
}

void ob_segments_leave_file(const ob_segments *s, const char *name)
{
    ob_segment_header *h = ob_segments_header(s, 0);
    unsigned none = 0;
    if (strlen(name) >= sizeof h->file || !atomic_compare_exchange_strong(&h->file_known, &none, 1))
        return;
    strcpy(h->file, name);
    atomic_store(&h->file_known, 2);
}

const char *ob_segments_file(const ob_segments *s)
{
    ob_segment_header *h = ob_segments_header(s, 0);
    return atomic_load(&h->file_known) == 2 ? h->file : NULL;
}

bool ob_segments_aborted(const ob_segments *s, int *by, int *code)
{
    uint64_t word = atomic_load(&ob_segments_header(s, 0)->aborted);
    if (word == 0)
        return false;
    *by = (int)(word >> 32) - 1;
    *code = (int)(uint32_t)word;
    return true;
}
