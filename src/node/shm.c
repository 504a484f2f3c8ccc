/*
 * Joining a shared memory, and mapping the segments of others.
 */
#include "node/shm.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/port.h"
#include "node/channel.h"
#include "node/memfile.h"
#include "node/processor.h"

static ob_shm *new_shm(int count, int number)
{
    ob_shm *shm = calloc(1, sizeof *shm);
    if (shm == NULL)
        return NULL;
    shm->segment = calloc((size_t)count, sizeof *shm->segment);
    if (shm->segment == NULL) {
        free(shm);
        return NULL;
    }
    shm->count = count;
    shm->number = number;
    shm->fd = -1;
    return shm;
}

/* One number, one process: two that took the same would eat each other's messages. */
static int claim(ob_segment_header *own)
{
    unsigned me = (unsigned)getpid(), holder = 0;
    while (!atomic_compare_exchange_weak(&own->pid, &holder, me)) {
        if (holder == me)
            break;
        if (holder && kill((pid_t)holder, 0) == 0 && atomic_load(&own->life) == OB_LIFE_JOINED)
            return ob_fail(
                OB_ESTATE,
                "OB-2012 process %u of this job already is pid %u; a program started by obrun "
                "must not start a second one beside itself",
                own->number, holder);
    }
    atomic_store(&own->asleep, 0);
    atomic_store_explicit(&own->near, ob_processor_near(), memory_order_relaxed);
    atomic_store_explicit(&own->measured, 0, memory_order_relaxed);
    atomic_store_explicit(&own->life, OB_LIFE_JOINED, memory_order_release);
    return OB_OK;
}

int ob_shm_join(ob_shm **out, const ob_segments *s, int number, size_t heap_limit)
{
    if (number < 0 || number >= s->count)
        return ob_fail(OB_EARG, "OB-1009 process number %d is outside a job of %d", number,
                       s->count);
    ob_shm *shm = new_shm(s->count, number);
    if (shm == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory to join the job");
    shm->all = *s;
    for (int i = 0; i < s->count; i++)
        shm->segment[i] = ob_segments_header(s, i);
    shm->own = shm->segment[number];
    shm->fd = s->fd;
    int status = claim(shm->own);
    if (status != OB_OK) {
        free(shm->segment);
        free(shm);
        return status;
    }
    ob_heap_open(&shm->heap, shm->own, s->fd, (size_t)((char *)shm->own - s->base), heap_limit);
    *out = shm;
    return OB_OK;
}

int ob_shm_create_own(ob_shm **out, int count, int number, size_t heap_limit)
{
    ob_shm *shm = new_shm(count, number);
    if (shm == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory to join the job");
    size_t heap = ob_segment_heap(count, heap_limit), bytes = ob_segment_bytes(count, heap);
    shm->fd = ob_memfile_create(bytes);
    void *p = shm->fd < 0 ? NULL : ob_memfile_map(shm->fd, 0, bytes);
    if (p == NULL) {
        int error = errno;
        if (shm->fd >= 0)
            close(shm->fd);
        ob_shm_destroy(shm);
        return ob_fail(OB_ESYSTEM, "OB-4002 no shared memory of %zu bytes: %s", bytes,
                       strerror(error));
    }
    ob_segment_format(p, count, number, heap);
    shm->own = shm->segment[number] = p;
    claim(shm->own);
    ob_heap_open(&shm->heap, shm->own, shm->fd, 0, heap_limit);
    *out = shm;
    return OB_OK;
}

void ob_shm_be_patient(ob_shm *shm, double seconds)
{
    shm->heap.patience_ms = (int)(1000 * seconds);
}

int ob_shm_fd(const ob_shm *shm)
{
    return shm->fd;
}

/* Pages of the front of a segment: its header's, and two for the channel from us. */
enum { FRONT = 3 };

_Static_assert(sizeof(ob_segment_header) <= 4096 && sizeof(ob_channel) <= 4096, "FRONT suffices");

static char *front_of(const ob_shm *shm, int number)
{
    return shm->front + (size_t)number * FRONT * ob_memfile_page();
}

/* Segments are gigabytes apart: each would cost two page tables for its header and our channel. So
 * these are mapped once more, side by side for all processes. NULL: it cannot be had; then the
 * whole serves. */
static ob_segment_header *map_front(ob_shm *shm, int number, int fd)
{
    size_t page = ob_memfile_page();
    if (shm->front == NULL)
        shm->front = ob_memfile_addresses((size_t)shm->count * FRONT * page);
    if (shm->whole == NULL)
        shm->whole = calloc((size_t)shm->count, sizeof *shm->whole);
    if (shm->front == NULL || shm->whole == NULL)
        return NULL;
    char *front = front_of(shm, number);
    ob_segment_header *header = (ob_segment_header *)(void *)front;
    if (!ob_memfile_map_at(front, fd, 0, page))
        return NULL;
    size_t channel = ob_channel_offset(header, shm->number);
    if (!ob_memfile_map_at(front + page, fd, channel / page * page, 2 * page))
        return NULL;
    return header;
}

int ob_shm_attach(ob_shm *shm, int number, int fd)
{
    if (shm->segment[number])
        return OB_OK;
    ob_segment_header *whole = ob_segment_map_foreign(fd, shm->count, number);
    if (whole == NULL)
        return OB_ESYSTEM;
    ob_segment_header *front = map_front(shm, number, fd);
    if (front)
        shm->whole[number] = (char *)whole;
    shm->segment[number] = front ? front : whole;
    return OB_OK;
}

ob_channel *ob_shm_channel(const ob_shm *shm, int number)
{
    ob_segment_header *h = shm->segment[number];
    if (shm->whole == NULL || shm->whole[number] == NULL)
        return ob_segment_channel(h, shm->number);
    size_t page = ob_memfile_page(), offset = ob_channel_offset(h, shm->number);
    return (ob_channel *)(void *)(front_of(shm, number) + page + offset % page);
}

void ob_shm_trim(ob_shm *shm)
{
    ob_heap_trim(&shm->heap);
}

void ob_shm_set_life(ob_shm *shm, enum ob_life life)
{
    /* Release: whoever sees that we are gone also sees all that we had sent. */
    atomic_store_explicit(&shm->own->life, life, memory_order_release);
    for (int i = 0; life >= OB_LIFE_CLOSED && i < shm->count; i++)
        if (shm->segment[i])
            ob_segment_ring(shm->segment[i]);
}

static bool stays(const ob_segment_header *h)
{
    return atomic_load_explicit(&h->life, memory_order_acquire) < OB_LIFE_CLOSED &&
           (kill((pid_t)atomic_load(&h->pid), 0) == 0 || errno != ESRCH);
}

bool ob_shm_all_leave(const ob_shm *shm, long nap_ns)
{
    /* Read first: whoever leaves rings it. */
    unsigned before = atomic_load_explicit(&shm->own->bell, memory_order_acquire);
    for (int i = 0; i < shm->count; i++)
        if (shm->segment[i] && shm->segment[i] != shm->own && stays(shm->segment[i])) {
            ob_port_wait(&shm->own->bell, before, nap_ns);
            return false;
        }
    return true;
}

bool ob_shm_expects_more(const ob_shm *shm)
{
    for (int i = 0; shm && shm->all.base && i < shm->count; i++)
        if (atomic_load(&ob_segments_header(&shm->all, i)->life) == OB_LIFE_STARTED)
            return true;
    return false;
}

void ob_shm_leave_file(const ob_shm *shm, const char *name)
{
    if (shm && shm->all.base)
        ob_segments_leave_file(&shm->all, name);
}

/* The lowest header that is known decides, and all learn of it. */
bool ob_shm_once(const ob_shm *shm, enum ob_once what)
{
    bool first = true, decided = false;
    for (int i = 0; shm && i < shm->count; i++) {
        ob_segment_header *h = shm->segment[i];
        if (h == NULL)
            continue;
        unsigned before = atomic_fetch_or(&h->said, (unsigned)what);
        first = decided ? first : (before & (unsigned)what) == 0;
        decided = true;
    }
    return first;
}

/* Each has said its own before it joined, and looks at the others' behind a fence: of two at least
 * one sees the other. */
unsigned ob_shm_alike(const ob_shm *shm)
{
    unsigned mine = atomic_load(&shm->own->alike);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < shm->count; i++) {
        const ob_segment_header *h = shm->segment[i];
        if (atomic_load_explicit(&h->life, memory_order_acquire) == OB_LIFE_JOINED &&
            atomic_load_explicit(&h->alike, memory_order_relaxed) != mine)
            return atomic_load_explicit(&h->alike, memory_order_relaxed);
    }
    return mine;
}

void ob_shm_destroy(ob_shm *shm)
{
    if (shm == NULL)
        return;
    bool ours = ob_memfile_open(&shm->heap.file);
    if (shm->all.base) {
        if (!ours)
            shm->all.fd = -1;
        ob_segments_close(&shm->all);
    } else {
        for (int i = 0; i < shm->count; i++)
            if (shm->segment[i])
                ob_memfile_unmap(ob_shm_whole(shm, i), shm->segment[i]->bytes);
        if (shm->front)
            ob_memfile_unmap(shm->front, (size_t)shm->count * FRONT * ob_memfile_page());
        if (ours && shm->fd >= 0)
            close(shm->fd);
    }
    free(shm->whole);
    free(shm->segment);
    free(shm);
}
