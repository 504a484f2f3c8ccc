/*
 * Gates: who is at a member's matrix, in memory of its own that all share (claims.h says what for).
 *
 * A gate has a word for each member: the number of the call it is open for, and whether that member
 * is inside. One who comes late, for a call that has ended, finds another number, or finds it
 * closed. So a gate may be used for the next call as soon as it is closed and nobody is inside; its
 * memory is never anything else.
 */
#ifndef OB_COLLECTIVE_OVERLAP_GATE_H
#define OB_COLLECTIVE_OVERLAP_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/group.h"

/* Of a word: inside, closed, and from there on the status with which the call has ended, negated;
 * then the number of the call. */
enum { OB_GATE_INSIDE = 1, OB_GATE_CLOSED = 2, OB_GATE_STATUS_AT = 2, OB_GATE_CALL_AT = 8 };

typedef struct ob_gate {
    struct ob_gate *next; /* the owner's, and the next two: of those not in use */
    uint64_t name, call;
    unsigned room;
    _Atomic uint64_t word[];
} ob_gate;

/* One of this job's, with room for the group's members, opened for the next call; what others need
 * to know of it. NULL: there is no memory. With the lock of the job's courses, as the next one. */
ob_gate *ob_gate_take(ob_group *group, uint64_t *name, uint64_t *call);
/* It is closed, and nobody is inside. */
void ob_gate_leave(ob_job *job, ob_gate *gate);

/* Opens it; others hear of the call by messages. */
static inline uint64_t ob_gate_open(ob_gate *g, unsigned members)
{
    g->call++;
    for (unsigned i = 0; i < members; i++)
        atomic_store_explicit(&g->word[i], g->call << OB_GATE_CALL_AT, memory_order_relaxed);
    return g->call;
}

/* A member goes in, if the gate is open for that call: OB_OK, else the status of the owner's end.
 */
static inline int ob_gate_enter(ob_gate *g, int member, uint64_t call)
{
    uint64_t word = call << OB_GATE_CALL_AT;
    if (atomic_compare_exchange_strong_explicit(&g->word[member], &word, word | OB_GATE_INSIDE,
                                                memory_order_relaxed, memory_order_relaxed))
        return OB_OK;
    int status = -(int)(word >> OB_GATE_STATUS_AT & 63);
    return word >> OB_GATE_CALL_AT == call && status ? status : OB_ESTATE;
}

/* Release: what it has read and written there comes first. (Acquire here, and release in the next
 * one, are for C11 alone, where a relaxed load may wait for a store behind it.) */
static inline void ob_gate_go_out(ob_gate *g, int member)
{
    atomic_fetch_sub_explicit(&g->word[member], OB_GATE_INSIDE, memory_order_acq_rel);
}

/* The owner: nobody goes in any more. As often as one likes. */
static inline void ob_gate_close(ob_gate *g, unsigned members, int status)
{
    uint64_t closed = OB_GATE_CLOSED | (uint64_t)-status << OB_GATE_STATUS_AT;
    for (unsigned i = 0; i < members; i++)
        atomic_fetch_or_explicit(&g->word[i], closed, memory_order_release);
}

/* A member that has learnt of the gate: has the owner ended that call? Acquire: then all that it
 * has done in it comes first. */
static inline bool ob_gate_ended(ob_gate *g, int member, uint64_t call)
{
    uint64_t word = atomic_load_explicit(&g->word[member], memory_order_acquire);
    return word >> OB_GATE_CALL_AT != call || word & OB_GATE_CLOSED;
}

/* Acquire: who has gone out has done all there. */
static inline bool ob_gate_holds(ob_gate *g, int member)
{
    return atomic_load_explicit(&g->word[member], memory_order_acquire) & OB_GATE_INSIDE;
}

#endif
