/*
 * Numbers that a program has for things of the library: a table that grows and is looked up
 * without a lock. The lowest free number is given next, so that processes of equal histories have
 * equal numbers. Whoever changes the table holds a lock of its owner's.
 *
 * A chunk is published (release) when it is all free numbers, a thing when it is made; a look-up
 * (acquire) sees them whole. Chunks are made when first needed and never move or go. A thing
 * that is taken back is published as NULL behind its `was`; that nobody still uses it is the
 * program's to see to.
 */
#ifndef OB_COMMON_HANDLES_H
#define OB_COMMON_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { OB_HANDLE_CHUNK = 1024, OB_HANDLE_CHUNKS = 4096 };
enum { OB_HANDLES = OB_HANDLE_CHUNK * OB_HANDLE_CHUNKS };

typedef struct ob_handle {
    _Atomic(void *) there; /* NULL: the number is free */
    atomic_int was[2];     /* for the owner: of the thing that is gone */
} ob_handle;

typedef struct ob_handles {
    _Atomic(ob_handle *) chunk[OB_HANDLE_CHUNKS];
    int lowest; /* none below is to be given; with the lock */
} ob_handles;

/* NULL: nothing has been there yet. */
static inline ob_handle *ob_handle_of(ob_handles *t, int64_t number)
{
    uint64_t at = (uint64_t)number; /* negative ones are large */
    if (at >= OB_HANDLES)
        return NULL;
    ob_handle *chunk = atomic_load_explicit(&t->chunk[at / OB_HANDLE_CHUNK], memory_order_acquire);
    return chunk ? &chunk[at % OB_HANDLE_CHUNK] : NULL;
}

static inline void *ob_handle_find(ob_handles *t, int64_t number)
{
    ob_handle *h = ob_handle_of(t, number);
    return h ? atomic_load_explicit(&h->there, memory_order_acquire) : NULL;
}

/* With the lock. In place of what is there; false: there is no memory. */
static inline bool ob_handle_put(ob_handles *t, int number, void *thing)
{
    _Atomic(ob_handle *) *chunk = &t->chunk[number / OB_HANDLE_CHUNK];
    if (atomic_load_explicit(chunk, memory_order_relaxed) == NULL) {
        ob_handle *fresh = calloc(OB_HANDLE_CHUNK, sizeof *fresh);
        if (fresh == NULL)
            return false;
        atomic_store_explicit(chunk, fresh, memory_order_release);
    }
    atomic_store_explicit(&ob_handle_of(t, number)->there, thing, memory_order_release);
    return true;
}

/* With the lock. The lowest free number, now of the thing; -1: there is no memory, or (lowest is
 * OB_HANDLES) no number. */
static inline int ob_handle_give(ob_handles *t, void *thing)
{
    while (t->lowest < OB_HANDLES && ob_handle_find(t, t->lowest))
        t->lowest++;
    if (t->lowest == OB_HANDLES || !ob_handle_put(t, t->lowest, thing))
        return -1;
    return t->lowest++;
}

/* With the lock. Of a number that was given. */
static inline void ob_handle_take_back(ob_handles *t, int number)
{
    atomic_store_explicit(&ob_handle_of(t, number)->there, NULL, memory_order_release);
    if (number < t->lowest)
        t->lowest = number;
}

#endif
