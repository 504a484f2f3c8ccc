/*
 * Chunks of a vector, each of which is the work of the member that claims it first; in memory that
 * all members share. And when a member's matrix is its own again.
 *
 * A claim is one exchange of the chunk's own word, and stays. So who finds nothing left to claim
 * knows of every chunk whose work it is, and all know the same. A claim orders nothing else: what
 * members have read and written they tell each other by messages.
 *
 * Claims are in member 0's memory, which it keeps for its next calls. Each word bears the number of
 * its call, so who comes late finds another one. Member 0 opens them for another call
 *  - when it has failed in theirs: all who still are in that call find its gate closed, or another
 *    number, and fail, too;
 *  - else when all others have ended the call, as their gates say: until then they may look.
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

#include "collective/overlap/gate.h"

/* Of a word: 1 + the member that has claimed the chunk, 0: nobody yet; and from there on the
 * number of the call. */
enum { OB_CLAIM_CALL_AT = 24 };

typedef _Atomic uint64_t ob_claim;

/* Those of one call, as a member knows them. */
typedef struct ob_claims {
    ob_claim *word; /* of each chunk; NULL: not known */
    unsigned chunks;
    uint64_t call;
} ob_claims;

/* A member that may look at them. */
typedef struct ob_claims_user {
    ob_peer *peer;
    ob_gate *gate; /* its, and what that is open for */
    uint64_t call;
} ob_claims_user;

/* Member 0's. All but the words is for itself. */
typedef struct ob_claims_memory {
    struct ob_claims_memory *next; /* of those not in use */
    uint64_t name, call;
    unsigned room;        /* chunks */
    int seats, users;     /* room for users; how many there are */
    ob_claims_user *user; /* behind the words */
    ob_claim word[];
} ob_claims_memory;

/* Some of this job's, opened for the next call of the group with so many chunks; the name is what
 * others need to know beside the call. NULL: there is no memory. With the lock of the job's
 * courses, as the next one. */
ob_claims_memory *ob_claims_lend(ob_group *group, unsigned chunks, uint64_t *name,
                                 ob_claims *claims);
/* The call is over here; `users` have been written down. */
void ob_claims_leave(ob_job *job, ob_claims_memory *memory);

static inline ob_claims ob_claims_of(ob_claims_memory *m, unsigned chunks, uint64_t call)
{
    return (ob_claims){m->word, chunks, call};
}

static inline void ob_claims_open(const ob_claims *c)
{
    for (unsigned k = 0; k < c->chunks; k++)
        atomic_store_explicit(&c->word[k], c->call << OB_CLAIM_CALL_AT, memory_order_relaxed);
}

/* The first chunk that is nobody's, of so many from `first` on, cyclically. False: there is none.
 */
static inline bool ob_claims_take(const ob_claims *c, int member, unsigned first, unsigned many,
                                  unsigned *chunk)
{
    const uint64_t open = c->call << OB_CLAIM_CALL_AT;
    for (unsigned i = 0; i < many; i++) {
        unsigned k = (first + i) % c->chunks;
        uint64_t nobody = open;
        if (atomic_load_explicit(&c->word[k], memory_order_relaxed) == open &&
            atomic_compare_exchange_strong_explicit(&c->word[k], &nobody,
                                                    open + 1 + (unsigned)member,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            *chunk = k;
            return true;
        }
    }
    return false;
}

/* Has any chunk that owner? 0: is any nobody's; 1 + a member, when nothing is left: is any its. */
static inline bool ob_claims_any(const ob_claims *c, unsigned owner)
{
    const uint64_t word = (c->call << OB_CLAIM_CALL_AT) + owner;
    for (unsigned k = 0; k < c->chunks; k++)
        if (atomic_load_explicit(&c->word[k], memory_order_relaxed) == word)
            return true;
    return false;
}

/* Are they still this call's? Then what has been seen before was, too. */
static inline bool ob_claims_hold(const ob_claims *c)
{
    for (unsigned k = 0; k < c->chunks; k++)
        if (atomic_load_explicit(&c->word[k], memory_order_relaxed) >> OB_CLAIM_CALL_AT != c->call)
            return false;
    return true;
}

#endif
