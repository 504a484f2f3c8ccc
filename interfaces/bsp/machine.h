/*
 * A bulk-synchronous machine: a group of processes, what they have registered,
 * what they ask of each other in this superstep and what arrived from the last. BSPlib
 * has one, and every grid of BSP2D has its own.
 *
 * Requests are items in the outboxes of a superstep of the core (hooks/superstep.h), at multiples
 * of 8 bytes. An item is a word that names its kind, more words, and data:
 *
 *   PUT_SHORT  kind 4 bits, slot 12, length 16, offset 32 | data
 *   PUT        kind 4, slot 60 | length | offset | data
 *   PUT_MATRIX kind 4, slot 60 | offset | ld | bytes of a column | columns | data
 *   GET        kind 4, slot 60 | length | offset
 *   MESSAGE    kind 4, bytes of the tag 60 | bytes of the payload | tag | payload at a multiple of
 * 16 MATRIX     kind 4, type 8, shape 8, unit 1, attached 1 | m | n | bytes | payload at a multiple
 *              of 64, or (attached) in the next span
 *
 * Answers to gets travel in a superstep of their own, in the order asked, so that the messages of
 * the first one stay readable.
 */
#ifndef BSP_MACHINE_H
#define BSP_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hooks/check.h"
#include "hooks/superstep.h"
#include "hooks/trace.h"
#include "openblacs/core.h"

enum bspm_kind {
    BSPM_PUT_SHORT = 1,
    BSPM_PUT,
    BSPM_PUT_MATRIX,
    BSPM_GET,
    BSPM_MESSAGE,
    BSPM_MATRIX
};

#define BSPM_ATTACHED (UINT64_C(1) << 21)

static inline bool bspm_is_attached(const uint64_t *item)
{
    return (*item & 15) == BSPM_MATRIX && (*item & BSPM_ATTACHED);
}

/* How a superstep ends; all processes must end it in the same way. */
enum bspm_end { BSPM_SYNC = 1, BSPM_END, BSPM_EXIT };

/* One registration; slots have the same number on all processes. */
typedef struct bspm_slot {
    char *base;
    size_t size;
    uint64_t serial; /* of the push, the same on all processes; 0: the slot is free */
    long next;       /* in its bucket, newest first; or of the free slots; -1: end */
    bool going;      /* popped in this superstep */
} bspm_slot;

/* A push or pop of this superstep. */
typedef struct bspm_change {
    const void *ident;
    size_t size;
    uint64_t serial;  /* pushed, or to be popped; 0: of NULL, till bspm_settle_pops */
    bool pop, undone; /* undone: a push that is popped in the same superstep */
} bspm_change;

typedef struct bspm_registry {
    bspm_slot *slot;
    long count, free;
    size_t space;
    long *bucket;
    size_t buckets; /* a power of two */
    bspm_change *change;
    size_t changes, change_space;
    uint64_t serials;
    uint64_t hash;          /* of the changes; agrees on all processes */
    uint64_t popped;        /* of what is popped; agrees when nobody pops NULL */
    size_t pushes, pops;    /* among the changes */
    size_t nulls;           /* registrations of NULL, with those pushed in this superstep */
    size_t null_pops;       /* among the changes */
    const void *last_ident; /* looked up last */
    long last_slot;
} bspm_registry;

/* A message in the queue, where it arrived. */
typedef struct bspm_message {
    const char *tag, *payload;
    size_t tag_bytes, bytes;
} bspm_message;

/* A matrix in the queue, as sent; base: where its elements lie, packed. */
typedef ob_view bspm_matrix;

/* A get of ours, in the order of calls. */
typedef struct bspm_get {
    int pid;
    void *dst;
    size_t bytes;
} bspm_get;

/* The put written last for a process, to which one that continues it is joined. */
typedef struct bspm_last {
    uint64_t *item;
    char *end; /* of its data */
} bspm_last;

typedef struct bspm_card bspm_card;

typedef struct bsp_machine {
    ob_group *group;
    ob_superstep *requests, *answers;
    ob_tail *tail; /* of requests */
    int size, me;
    bspm_registry registry;
    bspm_last *last;
    bspm_get *get;
    size_t gets, get_space;
    bspm_message *message;
    size_t messages, message_space, first_message, queued_bytes;
    bspm_matrix *matrix;
    size_t matrices, matrix_space;
    size_t *from; /* by source: index of its next matrix; from[size + source]: its end */
    int tag_bytes, next_tag_bytes;
    size_t supersteps, sent, received;
    size_t finished; /* syncs that this process has come out of; others may read it at any time */
    struct bspm_card *card; /* what the others need to read from a process, or NULL (direct.c) */
    uint64_t dims;          /* of a grid: rows, columns; 0 for BSPlib's machine */
    uint64_t scopes; /* hash of the collectives since the sync before; agrees on all processes */
} bsp_machine;

/* ------------------------------------------------------------ machine.c */

/* Makes a machine of a group; all members call. Faults on failure. */
bsp_machine *bspm_open(const char *routine, ob_group *group);
/* The group is the caller's to free. */
void bspm_close(bsp_machine *m);
/* More room for requests to a process, for an item of so many bytes. */
void bspm_grow(bsp_machine *m, const char *routine, int pid, size_t bytes);

/* --------------------------------------------------------------- sync.c */

/* Ends the superstep: bsp.h says what happens and in which order. */
void bspm_sync(bsp_machine *m, const char *routine, enum bspm_end end);

/* -------------------------------------------------------------- agree.c */

/* For ob_superstep_run: what all processes must have alike, as a number. */
uint32_t bspm_claim(const bsp_machine *m, enum bspm_end end);
/* They have not, and all call this: process 0 says what differs. */
_Noreturn void bspm_explain(bsp_machine *m, const char *routine, enum bspm_end end);
/* Some process has popped NULL, and all call this: the pops that go together are found. */
void bspm_settle_pops(bsp_machine *m, const char *routine, enum bspm_end end);

/* The line for the begin of a routine that all processes call: traces and lines about hangs name
 * it. It is the first in its block, at the end of which the call has ended. */
#define BSPM_ROUTINE(name)                                                                         \
    OB_TRACE_ROUTINE(name);                                                                        \
    int bspm_in_call __attribute__((cleanup(bspm_leave_call), unused)) =                           \
        __builtin_expect(ob_check_now, 0) && bspm_enter_call(name)
int bspm_enter_call(const char *name);

static inline void bspm_leave_call(const int *in_call)
{
    if (__builtin_expect(*in_call, 0))
        ob_check_leave();
}

/* -------------------------------------------------------------- fault.c */

#define BSPM_LIKE_PRINTF(k) __attribute__((format(printf, k, (k) + 1)))

/* Prints one line and ends the job. m NULL: before there is one. */
_Noreturn void bspm_fault(const bsp_machine *m, const char *routine, const char *format, ...)
    BSPM_LIKE_PRINTF(3);
/* The same for a failed call of the core. */
void bspm_check(const bsp_machine *m, const char *routine, int status);
/* Lets what was printed through and ends the job. */
_Noreturn void bspm_leave(int code);
/* Whether that is under way: MPI_Abort of some libraries runs what is to be done at exit. */
bool bspm_is_leaving(void);
/* Before a call whose result would be there only at the end of calls that are put together: faults.
 */
void bspm_apart(const bsp_machine *m, const char *routine);
/* Faults unless pid is a process and the size is one. */
void bspm_check_pid(const bsp_machine *m, const char *routine, int pid);
void bspm_check_size(const bsp_machine *m, const char *routine, const char *what, size_t size);
/* realloc of count elements of `unit` bytes; faults when there is no memory. */
void *bspm_more(const bsp_machine *m, void *old, size_t count, size_t unit);
/* Makes room for one more entry behind `count`; *space is how many fit. Faults. */
void *bspm_enlarge(const bsp_machine *m, void *array, size_t count, size_t *space, size_t unit);

/* ----------------------------------------------------------- registry.c */

void bspm_registry_open(bsp_machine *m);
void bspm_registry_close(bsp_machine *m);
void bspm_push(bsp_machine *m, const char *routine, const void *ident, size_t size);
void bspm_pop(bsp_machine *m, const char *routine, const void *ident);
/* A pop of NULL takes back that registration. False: it is none of NULL here. */
bool bspm_settle_pop(bsp_machine *m, size_t change, uint64_t serial);
/* A value that all processes must have alike in this superstep. */
void bspm_agree(bsp_machine *m, uint64_t value);
/* The same of a collective call. */
void bspm_note_scope(bsp_machine *m, uint64_t value);
/* The slot of ident's newest registration; -1: none. */
long bspm_find(bsp_machine *m, const void *ident);
/* At the end of a sync: pushes and pops take effect. */
void bspm_registry_change(bsp_machine *m);

/* ------------------------------------------------------------- remote.c */

void bspm_put_slow(bsp_machine *m, const char *routine, int pid, const void *src, const void *dst,
                   size_t offset, size_t bytes);
void bspm_hpput(bsp_machine *m, const char *routine, int pid, const void *src, const void *dst,
                size_t offset, size_t bytes);
void bspm_put_matrix(bsp_machine *m, const char *routine, int pid, const ob_view *a,
                     const void *dst, size_t offset, size_t ld);
void bspm_get_request(bsp_machine *m, const char *routine, int pid, const void *src, size_t offset,
                      void *dst, size_t bytes);
/* The slot of a registered address, and what every put and get must be; they fault. False: no
 * bytes, which need neither memory nor a registration. */
long bspm_slot_of(bsp_machine *m, const char *routine, const void *ident);
bool bspm_check_request(const bsp_machine *m, const char *routine, int pid, const void *memory,
                        size_t offset, size_t bytes);
void bspm_hpget(bsp_machine *m, const char *routine, int pid, const void *src, size_t offset,
                void *dst, size_t bytes);

/* ------------------------------------------------------------- direct.c */

/* All call it, before the first bspm_direct_get. */
void bspm_open_direct(bsp_machine *m, const char *routine);
void bspm_direct_get(bsp_machine *m, const char *routine, int pid, const void *src, size_t offset,
                     void *dst, size_t bytes);

/* --------------------------------------------------------------- bsp.c */

/* BSPlib's machine; faults outside the parallel part. */
bsp_machine *bspm_world(const char *routine);

/* -------------------------------------------------------------- queue.c */

void bspm_send(bsp_machine *m, const char *routine, int pid, const void *tag, const void *payload,
               size_t bytes);
void bspm_send_matrix(bsp_machine *m, const char *routine, int pid, const ob_view *a);
/* A large one goes to ob_superstep_attach as it is. */
void bspm_attach_matrix(bsp_machine *m, const char *routine, int pid, const ob_view *a);
void bspm_queue_clear(bsp_machine *m);
/* What arrived; they return where the item ends. */
const uint64_t *bspm_queue_message(bsp_machine *m, const uint64_t *item);
const uint64_t *bspm_queue_matrix(bsp_machine *m, const uint64_t *item, char *payload);
const uint64_t *bspm_message_end(const uint64_t *item);
const uint64_t *bspm_matrix_end(const uint64_t *item);

/* ------------------------------------------------------------- items */

static inline size_t bspm_words(size_t bytes)
{
    return (bytes + 7) / 8;
}

/* Where data at a multiple of `to` begins, behind p. */
static inline char *bspm_align(const void *p, size_t to)
{
    return (char *)(((uintptr_t)p + to - 1) & ~(uintptr_t)(to - 1));
}

/* memcpy of what is mostly a word, which then needs no call. */
static inline void bspm_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes)
        memcpy(to, from, bytes);
}

/* Room for an item of so many bytes, a multiple of 8, and that much is taken. */
static inline uint64_t *bspm_take(bsp_machine *m, const char *routine, int pid, size_t bytes)
{
    ob_tail *r = &m->tail[pid];
    if (__builtin_expect((size_t)(r->end - r->next) < bytes, 0))
        bspm_grow(m, routine, pid, bytes);
    uint64_t *item = (uint64_t *)(void *)r->next;
    r->next += bytes;
    return item;
}

/* ------------------------------------------------------ puts of a few bytes */

enum { BSPM_SHORT_SLOTS = 1 << 12, BSPM_SHORT_LENGTH = 0xffff };

/* A word to what was looked up last. */
static inline bool bspm_is_quick(const bsp_machine *m, int pid, const void *src, const void *dst,
                                 size_t offset, size_t bytes)
{
    const bspm_registry *reg = &m->registry;
    return (unsigned)pid < (unsigned)m->size && dst == reg->last_ident && bytes == 8 &&
           src != NULL && offset <= UINT32_MAX && (unsigned long)reg->last_slot < BSPM_SHORT_SLOTS;
}

/* Of such a put, but for length and offset. */
static inline uint64_t bspm_short_head(const bsp_machine *m)
{
    return BSPM_PUT_SHORT | (uint64_t)m->registry.last_slot << 4;
}

/* A program that puts word after word spends its time here: what was looked up last is
 * registered, most puts are of a word, and one right behind the last put, in its memory and in the
 * outbox, makes that one longer. False: bspm_put_slow. */
static inline bool bspm_put_quick(bsp_machine *m, int pid, const void *src, const void *dst,
                                  size_t offset, size_t bytes)
{
    if (!bspm_is_quick(m, pid, src, dst, offset, bytes))
        return false;
    bspm_last *last = &m->last[pid];
    ob_tail *r = &m->tail[pid];
    uint64_t word = bspm_short_head(m) | (uint64_t)offset << 32;
    size_t left = (size_t)(r->end - r->next);
    if (last->end == r->next && left >= 8) {
        uint64_t item = *last->item, length = item >> 16 & BSPM_SHORT_LENGTH;
        if (item - (length << 16) + (length << 32) == word && length <= BSPM_SHORT_LENGTH - 8) {
            memcpy(last->end, src, 8);
            r->next = last->end += 8;
            *last->item = item + (8 << 16);
            return true;
        }
    }
    if (left < 16)
        return false;
    uint64_t *item = (uint64_t *)(void *)r->next;
    item[0] = word | 8 << 16;
    memcpy(item + 1, src, 8);
    r->next += 16;
    *last = (bspm_last){item, r->next};
    return true;
}

static inline void bspm_put(bsp_machine *m, const char *routine, int pid, const void *src,
                            const void *dst, size_t offset, size_t bytes)
{
    if (!bspm_put_quick(m, pid, src, dst, offset, bytes))
        bspm_put_slow(m, routine, pid, src, dst, offset, bytes);
}

#endif
