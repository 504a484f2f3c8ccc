/*
 * Size classes: powers of two with three steps between (1 KiB, 1.25, 1.5, 1.75, 2,
 * 2.5, ...), so at most a quarter of a block is unused. A freed block keeps its
 * memory, which makes the next one fast, up to a bound for all of them. Beyond it
 * the sizes that were not wanted for longest lose theirs, so that what a program sent
 * before does not make it fetch pages for every message of another size.
 */
#include "node/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "core/settings.h"
#include "core/watched.h"
#include "node/memfile.h"
#include "openblacs/core.h"

enum { SMALLEST = 1024, STEPS = 4 };
static const size_t KEEP = (size_t)128 << 20;

static size_t class_bytes(unsigned class)
{
    size_t power = (size_t)SMALLEST << (class / STEPS);
    return power + power / STEPS * (class % STEPS);
}

static unsigned class_of(size_t bytes)
{
    unsigned class = 0;
    if (bytes > SMALLEST) {
        unsigned doublings = 63u - (unsigned)__builtin_clzll((bytes - 1) / SMALLEST);
        class = doublings * STEPS;
    }
    while (class < OB_HEAP_CLASSES && class_bytes(class) < bytes)
        class ++;
    return class;
}

static ob_block *at(const ob_heap *heap, uint64_t offset)
{
    return (ob_block *)((char *)heap->segment + offset);
}

void ob_heap_open(ob_heap *heap, ob_segment_header *segment, int fd, size_t file_offset,
                  size_t limit)
{
    *heap = (ob_heap){.segment = segment,
                      .file = ob_memfile_of(fd, segment, file_offset),
                      .patience_ms = 1000 * OB_HEAP_SECONDS,
                      .limit = limit && limit < segment->heap_bytes ? limit : segment->heap_bytes,
                      .watch = {.spare = limit ? NULL : ob_memory_spare}};
}

/* The whole pages of a block behind its head, which holds the list links. A block that has none
 * keeps its memory, as do the parts of pages at its two ends. */
static void cool(ob_block *block, size_t bytes)
{
    if (bytes > ob_memfile_page())
        ob_memfile_discard(block + 1, bytes - sizeof *block);
}

static void push(const ob_heap *heap, uint64_t *list, ob_block *block)
{
    block->next = *list;
    *list = ob_heap_offset(heap, block);
}

static ob_block *pop(const ob_heap *heap, uint64_t *list)
{
    ob_block *block = at(heap, *list);
    *list = block->next;
    return block;
}

/* Takes the memory of one free block away. */
static void cool_one(ob_heap *heap, unsigned class)
{
    size_t bytes = class_bytes(class);
    ob_block *block = pop(heap, &heap->warm[class]);
    cool(block, bytes);
    heap->kept -= bytes;
    push(heap, &heap->cold[class], block);
}

/* The size with warm blocks that was wanted least recently; OB_HEAP_CLASSES: none. */
static unsigned stalest(const ob_heap *heap)
{
    unsigned found = OB_HEAP_CLASSES;
    for (unsigned c = 0; c < OB_HEAP_CLASSES; c++)
        if (heap->warm[c] && (found == OB_HEAP_CLASSES || heap->wanted[c] < heap->wanted[found]))
            found = c;
    return found;
}

static void release(ob_heap *heap, ob_block *block)
{
    unsigned class = block->size_class;
    size_t bytes = class_bytes(class);
    heap->in_use -= bytes;
    heap->kept += bytes;
    push(heap, &heap->warm[class], block);
    if (bytes > KEEP)
        cool_one(heap, class);
    while (heap->kept > KEEP)
        cool_one(heap, stalest(heap));
}

static void enqueue(ob_heap *heap, ob_block *block)
{
    uint64_t offset = ob_heap_offset(heap, block);
    block->next = 0;
    if (heap->busy_first)
        at(heap, heap->busy_last)->next = offset;
    else
        heap->busy_first = offset;
    heap->busy_last = offset;
    heap->busy++;
}

/* Looks at the `most` oldest busy blocks, moves those whose readers are done
 * to the free lists and the others to the end of the queue. */
static void collect(ob_heap *heap, size_t most)
{
    if (most > heap->busy)
        most = heap->busy;
    while (most--) {
        ob_block *block = at(heap, heap->busy_first);
        heap->busy_first = block->next;
        heap->busy--;
        if (atomic_load_explicit(&block->readers, memory_order_acquire) == 0) {
            ob_watched_acquire(block + 1); /* OB_BLOCK_DATA: what was lent */
            release(heap, block);
        } else {
            enqueue(heap, block);
        }
    }
}

/* What could be had of it is given back. */
static bool reserve(ob_heap *heap, char *from, size_t bytes)
{
    if (!ob_memory_allows(&heap->watch, heap->in_use, bytes)) {
        atomic_store_explicit(&heap->scarce, true, memory_order_relaxed);
        return false;
    }
    if (ob_memfile_reserve(&heap->file, from, bytes))
        return true;
    atomic_store_explicit(&heap->refused, errno, memory_order_relaxed);
    ob_memfile_discard(from, bytes);
    return false;
}

static ob_block *reuse(ob_heap *heap, unsigned class)
{
    size_t bytes = class_bytes(class);
    if (heap->warm[class]) {
        heap->kept -= bytes;
        return pop(heap, &heap->warm[class]);
    }
    /* What `cool` has given back. */
    ob_block *cold = at(heap, heap->cold[class]);
    if (bytes > ob_memfile_page() && !reserve(heap, (char *)(cold + 1), bytes - sizeof *cold))
        return NULL;
    return pop(heap, &heap->cold[class]);
}

static bool has_free(const ob_heap *heap, unsigned class)
{
    return heap->warm[class] || heap->cold[class];
}

/* heap_used is the owner's, with the heap's lock; a successor comes when the owner has ended:
 * relaxed. */
static ob_block *carve(ob_heap *heap, unsigned class)
{
    size_t bytes = class_bytes(class);
    ob_segment_header *s = heap->segment;
    uint64_t used = atomic_load_explicit(&s->heap_used, memory_order_relaxed);
    if (used + bytes > s->heap_bytes)
        return NULL;
    uint64_t offset = s->heap_offset + used;
    if (!reserve(heap, (char *)heap->segment + offset, bytes))
        return NULL;
    atomic_store_explicit(&s->heap_used, used + bytes, memory_order_relaxed);
    ob_block *block = at(heap, offset);
    block->size_class = class;
    return block;
}

static ob_block *find(ob_heap *heap, unsigned class)
{
    heap->wanted[class] = ++heap->takes;
    if (heap->in_use + class_bytes(class) > heap->limit)
        return NULL;
    if (has_free(heap, class))
        return reuse(heap, class);
    ob_block *block = carve(heap, class);
    for (unsigned larger = class + 1; block == NULL && larger < OB_HEAP_CLASSES; larger++)
        if (has_free(heap, larger) && heap->in_use + class_bytes(larger) <= heap->limit)
            block = reuse(heap, larger);
    return block;
}

ob_block *ob_heap_take(ob_heap *heap, size_t bytes)
{
    unsigned class = class_of(bytes + OB_BLOCK_DATA);
    ob_block *block = NULL;
    ob_lock_take(&heap->lock);
    atomic_store_explicit(&heap->refused, 0, memory_order_relaxed);
    atomic_store_explicit(&heap->scarce, false, memory_order_relaxed);
    if (class < OB_HEAP_CLASSES) {
        /* A few of the oldest each time keeps the cost of a send flat however
         * many blocks are out; all of them before giving up. */
        collect(heap, 4);
        block = find(heap, class);
        if (block == NULL) {
            collect(heap, heap->busy);
            block = find(heap, class);
        }
    }
    if (block) {
        heap->in_use += class_bytes(block->size_class);
        atomic_store_explicit(&block->readers, 1, memory_order_relaxed);
        enqueue(heap, block);
    }
    ob_lock_release(&heap->lock);
    return block;
}

int ob_heap_fits(const ob_heap *heap, size_t bytes)
{
    return class_bytes(class_of(bytes + OB_BLOCK_DATA)) <= heap->limit;
}

int ob_heap_refused(const ob_heap *heap)
{
    return atomic_load_explicit(&heap->refused, memory_order_relaxed);
}

bool ob_heap_scarce(const ob_heap *heap)
{
    return atomic_load_explicit(&heap->scarce, memory_order_relaxed);
}

ob_block *ob_heap_wait(ob_heap *heap, size_t bytes)
{
    const struct timespec pause = {0, 1000000};
    ob_block *block = ob_heap_take(heap, bytes);
    size_t before = SIZE_MAX;
    double patience = ob_heap_fits(heap, bytes) ? heap->patience_ms / 1e3 : 0, since = ob_time();
    while (block == NULL && !ob_heap_refused(heap) && ob_time() - since < patience) {
        size_t now = ob_heap_in_use(heap);
        if (now < before)
            since = ob_time();
        before = now;
        nanosleep(&pause, NULL);
        block = ob_heap_take(heap, bytes);
    }
    return block;
}

size_t ob_heap_in_use(ob_heap *heap)
{
    ob_lock_take(&heap->lock);
    size_t bytes = heap->in_use;
    ob_lock_release(&heap->lock);
    return bytes;
}

void ob_heap_trim(ob_heap *heap)
{
    ob_lock_take(&heap->lock);
    collect(heap, heap->busy);
    for (unsigned class = 0; class < OB_HEAP_CLASSES; class ++)
        while (heap->warm[class])
            cool_one(heap, class);
    ob_lock_release(&heap->lock);
}
