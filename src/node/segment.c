/*
 * Making, mapping and marking the shared memory of a job.
 */
#include "node/segment.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/machine.h"
#include "core/port.h"
#include "node/channel.h"
#include "node/memfile.h"

/* All heaps of a job together, in every process's address space (of 2^47 bytes, or 2^32). */
static const size_t ADDRESSES = (size_t)1 << (sizeof(size_t) == 8 ? 44 : 29);
/* How many more addresses a heap has than it may have memory in use, and the least it counts as. */
enum { WIDER = 16, SPARE = 4 << 20 };

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Where the parts of a file of `here` segments begin. */
typedef struct layout {
    int count; /* processes of the job, each with a channel to each segment */
    size_t job, channels, rings, heaps, bytes;
    size_t tile, tiles; /* of OB_TILE receivers: their channels from OB_TILE senders, from all */
    size_t row, heap;   /* of one receiver: its large rings, its heap */
} layout;

static layout lay_out(int here, int count, size_t heap_bytes)
{
    size_t high = here < OB_TILE ? (size_t)here : OB_TILE, wide = round_up((size_t)count, OB_TILE);
    size_t page = ob_memfile_page();
    layout l = {.count = count,
                .job = (size_t)here * sizeof(ob_segment_header),
                .tile = high * OB_TILE * sizeof(ob_channel),
                .row = (size_t)count * OB_RING_BYTES,
                .heap = round_up(heap_bytes, page)};
    l.tiles = wide / OB_TILE * l.tile;
    l.channels = round_up(l.job + sizeof(ob_segment_job), page);
    l.rings = round_up(l.channels + round_up((size_t)here, high) / high * l.tiles, page);
    l.heaps = l.rings + (size_t)here * l.row;
    l.bytes = l.heaps + (size_t)here * l.heap;
    return l;
}

/* The at-th header of a file, for process `number`. */
static void format(char *file, const layout *l, int at, int number)
{
    ob_segment_header *h = (ob_segment_header *)(void *)file + at;
    size_t before = (size_t)((char *)h - file), i = (size_t)at;
    h->magic = OB_SEGMENT_MAGIC;
    h->count = (uint32_t)l->count;
    h->number = (uint32_t)number;
    h->bytes = l->bytes;
    h->channels =
        l->channels + i / OB_TILE * l->tiles + i % OB_TILE * OB_TILE * sizeof(ob_channel) - before;
    h->tile = l->tile;
    h->rings = l->rings + i * l->row - before;
    h->heap_offset = l->heaps + i * l->heap - before;
    h->heap_bytes = l->heap;
}

size_t ob_segment_bytes(int count, size_t heap_bytes)
{
    return lay_out(1, count, heap_bytes).bytes;
}

void ob_segment_format(void *segment, int count, int number, size_t heap_bytes)
{
    layout l = lay_out(1, count, heap_bytes);
    format(segment, &l, 0, number);
}

size_t ob_segment_default_heap(int count)
{
    size_t machine = ob_memfile_machine_bytes(), share = ADDRESSES / (size_t)count;
    return machine < share ? machine : share;
}

size_t ob_segment_heap(int count, size_t limit)
{
    size_t all = ob_segment_default_heap(count), room = limit < SPARE ? SPARE : limit;
    if (limit == 0 || limit > all)
        return limit ? limit : all;
    return room > all / WIDER ? all : room * WIDER;
}

/* Behind the table of headers. */
static ob_segment_job *job_of(const ob_segments *s)
{
    return (ob_segment_job *)(void *)ob_segments_header(s, s->count);
}

int ob_segments_create(ob_segments *s, int count, size_t heap_bytes)
{
    if (heap_bytes == 0)
        heap_bytes = ob_segment_default_heap(count);
    *s = (ob_segments){.count = count, .fd = -1};
    layout l;
    /* A process with little address space (ulimit -v) or small files (ulimit
     * -f) gets smaller heaps rather than no job. */
    for (; s->base == NULL; heap_bytes /= 2) {
        l = lay_out(count, count, heap_bytes);
        s->bytes = l.bytes;
        s->fd = ob_memfile_create(s->bytes);
        if (s->fd >= 0 && (s->base = ob_memfile_map(s->fd, 0, s->bytes)))
            break;
        int error = errno;
        if (s->fd >= 0)
            close(s->fd);
        s->fd = -1;
        if (heap_bytes < (1u << 20))
            return ob_fail(OB_ENOMEM, "OB-4002 no shared memory of %zu bytes for %d processes: %s",
                           s->bytes, count, strerror(error));
    }
    for (int i = 0; i < count; i++)
        format(s->base, &l, i, i);
    job_of(s)->processors = ob_processors_allowed();
    return OB_OK;
}

int ob_segments_processors(const ob_segments *s)
{
    return job_of(s)->processors;
}

static int not_ours(int fd)
{
    return ob_fail(
        OB_ESYSTEM,
        "OB-2013 descriptor %d is not a job's shared memory; a program must not close it before "
        "its first call",
        fd);
}

/* A segment's layout. Read, not mapped: a mapping for a moment may leave a page table behind. */
static int probe(int fd, ob_segment_header *copy)
{
    if (pread(fd, copy, sizeof *copy, 0) != (ssize_t)sizeof *copy)
        return not_ours(fd);
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
    if (first.bytes != size)
        return ob_fail(OB_ESYSTEM,
                       "OB-2013 the shared memory behind descriptor %d has the wrong size", fd);
    *s = (ob_segments){.count = (int)first.count, .bytes = first.bytes, .fd = fd};
    s->base = ob_memfile_map(fd, 0, size);
    if (s->base == NULL)
        return ob_fail(OB_ENOMEM, "OB-4002 cannot map the job's shared memory (%zu bytes): %s",
                       size, strerror(errno));
    return OB_OK;
}

void *ob_segment_map_foreign(int fd, int count, int number)
{
    ob_segment_header first;
    if (probe(fd, &first) != OB_OK)
        return NULL;
    if ((int)first.count != count || (int)first.number != number) {
        ob_fail(OB_ESYSTEM, "OB-2013 the shared memory of process %d is another process's", number);
        return NULL;
    }
    void *p = ob_memfile_map(fd, 0, first.bytes);
    if (p == NULL)
        ob_fail(OB_ENOMEM, "OB-4002 cannot map the shared memory of process %d: %s", number,
                strerror(errno));
    return p;
}

void ob_segments_close(ob_segments *s)
{
    if (s->base)
        ob_memfile_unmap(s->base, s->bytes);
    if (s->fd >= 0)
        close(s->fd);
    s->base = NULL;
    s->fd = -1;
}

void ob_segment_ring(ob_segment_header *h)
{
    /* From now on it wants a processor, though it may have to wait for one. */
    atomic_store_explicit(&h->asleep, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->bell, 1, memory_order_acq_rel);
    ob_port_wake(&h->bell);
}

void ob_segments_mark_gone(const ob_segments *s, int number)
{
    /* Release: whoever sees GONE also sees all the process had sent. */
    atomic_store_explicit(&ob_segments_header(s, number)->life, OB_LIFE_GONE, memory_order_release);
    for (int i = 0; i < s->count; i++) {
        ob_segment_header *h = ob_segments_header(s, i);
        if (atomic_load_explicit(&h->life, memory_order_relaxed) != OB_LIFE_GONE)
            ob_segment_ring(h);
    }
}

void ob_segments_abort(const ob_segments *s, int by, int code)
{
    uint64_t nobody = 0, mine = (uint64_t)(by + 1) << 32 | (uint32_t)code;
    atomic_compare_exchange_strong(&job_of(s)->aborted, &nobody, mine);
}

void ob_segments_leave_file(const ob_segments *s, const char *name)
{
    ob_segment_job *job = job_of(s);
    unsigned none = 0;
    if (strlen(name) >= sizeof job->file ||
        !atomic_compare_exchange_strong(&job->file_known, &none, 1))
        return;
    strcpy(job->file, name);
    atomic_store(&job->file_known, 2);
}

const char *ob_segments_file(const ob_segments *s)
{
    ob_segment_job *job = job_of(s);
    return atomic_load(&job->file_known) == 2 ? job->file : NULL;
}

bool ob_segments_aborted(const ob_segments *s, int *by, int *code)
{
    uint64_t word = atomic_load(&job_of(s)->aborted);
    if (word == 0)
        return false;
    *by = (int)(word >> 32) - 1;
    *code = (int)(uint32_t)word;
    return true;
}
