/*
 * Lending: blocks of the own heap that other processes of the node read, and
 * write where the borrower and the lender have agreed so. node/heap.h says in which order.
 */
#include <string.h>

#include "core/error.h"
#include "node/shm.h"

void *ob_shm_lend(ob_peer *peer, size_t bytes, unsigned readers, bool wait, uint64_t *name)
{
    ob_shm *shm = peer->job->shm;
    ob_block *block = wait ? ob_heap_wait(&shm->heap, bytes) : ob_heap_take(&shm->heap, bytes);
    if (block == NULL && !wait)
        return NULL;
    if (block == NULL && ob_heap_refused(&shm->heap)) {
        ob_fail(
            OB_ENOMEM,
            "OB-4006 process %d cannot lend %zu bytes to others: the system has no memory for them "
            "(%s), and %zu bytes that nobody has read are kept already; start fewer processes "
            "here",
            shm->number, bytes, strerror(ob_heap_refused(&shm->heap)), ob_heap_in_use(&shm->heap));
        return NULL;
    }
    if (block == NULL && ob_heap_scarce(&shm->heap)) {
        ob_fail(OB_ENOMEM,
                "OB-4004 process %d cannot lend %zu bytes to others: this machine, or container, "
                "is short "
                "of memory, and %zu bytes that nobody has read are kept already (OPENBLACS_HEAP "
                "sets how many may be kept whatever the machine has)",
                shm->number, bytes, ob_heap_in_use(&shm->heap));
        return NULL;
    }
    if (block == NULL) {
        ob_fail(OB_ENOMEM,
                "OB-4003 process %d cannot lend %zu bytes to others: %zu bytes that nobody has "
                "read fill "
                "its heap of %zu (OPENBLACS_HEAP sets it)",
                shm->number, bytes, ob_heap_in_use(&shm->heap), shm->heap.limit);
        return NULL;
    }
    /* Before anybody is told the name. */
    atomic_store_explicit(&block->readers, readers, memory_order_relaxed);
    *name = ob_heap_offset(&shm->heap, block);
    return (char *)block + OB_BLOCK_DATA;
}

void *ob_shm_borrow(ob_peer *peer, uint64_t name)
{
    const ob_shm *shm = peer->job->shm;
    return ob_shm_whole(shm, peer->number) + name + OB_BLOCK_DATA;
}

void ob_shm_give_back(void *memory)
{
    ob_block_done((ob_block *)((char *)memory - OB_BLOCK_DATA));
}
