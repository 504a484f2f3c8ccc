/*
 * Chunks of a vector, each of which is the work of the member that claims it first; in memory that
 * all members share. And when a member's matrix is its own again.
 *
 * A claim is one exchange of the chunk's own word, and stays. So who finds nothing left to claim
 * knows of every chunk whose work it is, and all know the same. A claim orders nothing else: what
 * members have read and written they tell each other by messages.
 *
 * A claim is not enough for a member that fails, or whose group is freed: it may not know yet where
 * the claims are, and others that do go on. So each member has a gate (gate.h) in its own memory,
 * and tells where with the place of its matrix.
 *  - Who has claimed a chunk goes into all others' gates, does the chunk, and goes out: values are
 *    read, and results written, inside all gates. What it finds closed has failed, so it fails,
 *    too, and tells all.
 *  - Who ends closes its gate first. Then it waits until nobody is inside; one whose process has
 *    ended is not, one that is stopped is waited for. Then its request is done.
 * So nobody reads or writes the matrix of a request that is done. A chunk counts for a member that
 * has heard from its worker that it is done; then all values in it were read while they were the
 * library's. A member may succeed where another has failed: when all chunks were done before.
 *
 * Order: going out is a release, finding nobody inside an acquire. What comes late for a gate that
 * is open for a later call finds that call's number.
 */
#ifndef OB_COLLECTIVE_OVERLAP_CLAIMS_H
#define OB_COLLECTIVE_OVERLAP_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ob_claims {
    unsigned chunks;
    atomic_uint owner[]; /* 1 + the member; 0: nobody's yet */
} ob_claims;

static inline size_t ob_claims_bytes(unsigned chunks)
{
    return sizeof(ob_claims) + chunks * sizeof(atomic_uint);
}

static inline void ob_claims_open(ob_claims *c, unsigned chunks)
{
    c->chunks = chunks;
    for (unsigned k = 0; k < chunks; k++)
        atomic_init(&c->owner[k], 0);
}

/* The first chunk that is nobody's, of so many from `first` on, cyclically. False: there is none.
 */
static inline bool ob_claims_take(ob_claims *c, int member, unsigned first, unsigned many,
                                  unsigned *chunk)
{
    for (unsigned i = 0; i < many; i++) {
        unsigned k = (first + i) % c->chunks, nobody = 0;
        if (atomic_load_explicit(&c->owner[k], memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong_explicit(&c->owner[k], &nobody, 1 + (unsigned)member,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            *chunk = k;
            return true;
        }
    }
    return false;
}

/* Has any chunk that owner? 0: is any nobody's; 1 + a member, when nothing is left: is any its. */
static inline bool ob_claims_any(ob_claims *c, unsigned owner)
{
    for (unsigned k = 0; k < c->chunks; k++)
        if (atomic_load_explicit(&c->owner[k], memory_order_relaxed) == owner)
            return true;
    return false;
}

#endif
