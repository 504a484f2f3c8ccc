/*
 * The heap of a segment: blocks for messages whose receiver was not there.
 * Only the owner allocates; a reader says that it is done by one atomic
 * decrement, and the owner collects the block when it next needs memory. So a
 * process that is killed can hold no lock another needs.
 *
 * Order. Who fills a block shows it afterwards (release), and its readers see that first (acquire).
 * A reader's last access comes before its decrement (release), and the owner collects the block
 * with acquire. So all that was done with a block comes before it is handed out again, whichever
 * threads filled it and fill it next. Where all readers are other processes, a thread sanitizer
 * sees neither the readers nor, hence, this order. So `readers` of messages is stored with release
 * when the block has been filled (transport/channel/send.c); for the memory that a board lends,
 * whose readers are counted before that, core/watched.h tells the sanitizer, and nobody else pays.
 */
#ifndef OB_NODE_HEAP_H
#define OB_NODE_HEAP_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lock.h"
#include "core/spare.h"
#include "hooks/processor.h"
#include "node/memfile.h"
#include "node/segment.h"

enum { OB_HEAP_CLASSES = 104 };

/* In front of every block's bytes, in shared memory. */
typedef struct ob_block {
    _Alignas(OB_LINE) atomic_uint readers; /* that have not finished with it; 0: to be collected */
    uint32_t size_class;
    uint64_t next;    /* owner's lists */
    uint64_t after;   /* areas: the one left next */
    uint32_t left_by; /* areas: the jump that leads out */
} ob_block;

typedef struct ob_heap {
    ob_lock lock; /* threads of the owner */
    ob_segment_header *segment;
    ob_memfile file;    /* of the segment */
    atomic_int refused; /* errno of the system that had no memory for the last block; 0: it had */
    atomic_bool scarce; /* nor did the watch allow it */
    size_t limit;       /* bytes that may be in use */
    ob_memory_watch watch; /* where the limit is only that of addresses */
    size_t in_use;         /* by blocks handed out and not collected */
    size_t kept;           /* free, with memory behind them */
    int patience_ms;       /* a sender waits so long for receivers when the heap is full */
    /* Free blocks, offsets from the segment's start, 0 ends: with memory, and without. */
    uint64_t warm[OB_HEAP_CLASSES], cold[OB_HEAP_CLASSES];
    uint64_t wanted[OB_HEAP_CLASSES]; /* which take asked for the size last */
    uint64_t takes;
    uint64_t busy_first, busy_last; /* queue of blocks handed out, oldest first */
    size_t busy;                    /* how many */
} ob_heap;

void ob_heap_open(ob_heap *heap, ob_segment_header *segment, int fd, size_t file_offset,
                  size_t limit);
/* A block of at least `bytes` with one reader; NULL when the limit or memory
 * is reached. Its bytes start OB_BLOCK_DATA behind the block. */
ob_block *ob_heap_take(ob_heap *heap, size_t bytes);
/* The same, but when the heap is full this waits for receivers to catch up, as long as they free
 * something within patience_ms; not for a block that can never be had, nor for memory that the
 * system refuses. */
ob_block *ob_heap_wait(ob_heap *heap, size_t bytes);
/* The reader's part. Release: the block's bytes are read before it is reused. */
static inline void ob_block_done(ob_block *block)
{
    atomic_fetch_sub_explicit(&block->readers, 1, memory_order_release);
}
/* Could the block be had if all others were free? */
int ob_heap_fits(const ob_heap *heap, size_t bytes);
/* Why the last block could not be had, when it was the system that refused memory for it: errno, or
 * 0. */
int ob_heap_refused(const ob_heap *heap);
/* Was it for the watch, lest the machine be short of memory? */
bool ob_heap_scarce(const ob_heap *heap);
/* Bytes in use as far as is known without looking at every block. */
size_t ob_heap_in_use(ob_heap *heap);
/* Collects finished blocks and gives their memory back. */
void ob_heap_trim(ob_heap *heap);

enum { OB_BLOCK_DATA = sizeof(ob_block) };

static inline uint64_t ob_heap_offset(const ob_heap *heap, const ob_block *block)
{
    return (uint64_t)((const char *)block - (const char *)heap->segment);
}

#endif
