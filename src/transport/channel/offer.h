/*
 * An offer: a long message that stays where it is, in the sender's matrix, while sender and
 * receiver copy it straight into the receiver's (hooks/reach.h). It stands in a fragment of kind
 * OFFER, so it is there as long as the receiver is at it.
 *
 * The message is cut into pieces. The receiver takes them from the front, the sender from the back,
 * once the receiver has said where they go; each piece is copied by one of them. Who has taken
 * what, and done what, is one word, which both change with compare-and-exchange.
 *
 * The sender stays in its call until all is done, but it depends on nobody: when nothing moves for
 * a while it revokes the offer, and sends as a train what has not been done by then. A receiver
 * that is in the midst of a piece finds that out when it would say that the piece is done; the
 * piece comes again in the train, into the same place. The receiver revokes, too, when it cannot
 * read. So
 *  - what counts as done was read while the sender was in its call, the matrix unchanged;
 *  - the sender writes nothing after its call: it revokes between two pieces of its own.
 *
 * Order: a piece is said to be done with release, so it is read before the sender, who sees that
 * with acquire, returns; and what the sender has written is there for the receiver who sees it
 * done.
 */
#ifndef OB_TRANSPORT_CHANNEL_OFFER_H
#define OB_TRANSPORT_CHANNEL_OFFER_H

#include <stdbool.h>

#include "core/transport.h"
#include "node/channel.h"

typedef struct ob_offer {
    _Alignas(OB_LINE) ob_end from; /* by the sender, before the fragment is shown */
    uint32_t pieces;
    uint64_t piece, bytes; /* of a piece but the last, of all */
    _Alignas(OB_LINE) _Atomic uint64_t taken;
    _Alignas(OB_LINE) ob_end to; /* by the receiver; the release of `there` comes after */
    atomic_uint there;
} ob_offer;

/* The fields of `taken`: pieces from either end, taken and done. */
enum { OB_OFFER_BITS = 12, OB_OFFER_PIECES = (1 << OB_OFFER_BITS) - 1 };
enum ob_offer_field { OB_FRONT, OB_FRONT_DONE, OB_BACK, OB_BACK_DONE };
#define OB_OFFER_REVOKED (UINT64_C(1) << (4 * OB_OFFER_BITS))
/* The receiver sleeps until the sender is done with a piece. */
#define OB_OFFER_SLEEPER (UINT64_C(1) << (4 * OB_OFFER_BITS + 1))

static inline unsigned ob_offer_get(uint64_t word, enum ob_offer_field field)
{
    return (unsigned)(word >> (field * OB_OFFER_BITS)) & OB_OFFER_PIECES;
}

static inline uint64_t ob_offer_one(enum ob_offer_field field)
{
    return UINT64_C(1) << (field * OB_OFFER_BITS);
}

static inline bool ob_offer_all_taken(const ob_offer *o, uint64_t word)
{
    return ob_offer_get(word, OB_FRONT) + ob_offer_get(word, OB_BACK) == o->pieces;
}

static inline bool ob_offer_all_done(const ob_offer *o, uint64_t word)
{
    return ob_offer_get(word, OB_FRONT_DONE) + ob_offer_get(word, OB_BACK_DONE) == o->pieces;
}

/* Takes the next piece from that end (OB_FRONT, OB_BACK): false when there is none, or the offer is
 * revoked. *piece: its number from the message's front. */
static inline bool ob_offer_take(ob_offer *o, enum ob_offer_field end, unsigned *piece)
{
    uint64_t word = atomic_load_explicit(&o->taken, memory_order_acquire);
    do {
        if (word & OB_OFFER_REVOKED || ob_offer_all_taken(o, word))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&o->taken, &word, word + ob_offer_one(end),
                                                    memory_order_acq_rel, memory_order_acquire));
    *piece = ob_offer_get(word, end);
    if (end == OB_BACK)
        *piece = o->pieces - 1 - *piece;
    return true;
}

/* The receiver is done with a piece; false: it was revoked meanwhile, and does not count. */
static inline bool ob_offer_front_done(ob_offer *o)
{
    uint64_t word = atomic_load_explicit(&o->taken, memory_order_relaxed);
    do {
        if (word & OB_OFFER_REVOKED)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&o->taken, &word,
                                                    word + ob_offer_one(OB_FRONT_DONE),
                                                    memory_order_acq_rel, memory_order_acquire));
    return true;
}

/* The sender is done with a piece. True: ring the receiver's bell. A receiver that has revoked
 * waits for this as well. */
static inline bool ob_offer_back_done(ob_offer *o)
{
    uint64_t word = atomic_load_explicit(&o->taken, memory_order_relaxed), next;
    do
        next = (word + ob_offer_one(OB_BACK_DONE)) & ~OB_OFFER_SLEEPER;
    while (!atomic_compare_exchange_weak_explicit(&o->taken, &word, next, memory_order_acq_rel,
                                                  memory_order_acquire));
    return (word & OB_OFFER_SLEEPER) != 0;
}

/* Ends it: what is not done, the receiver's from the front and the sender's from the back, comes as
 * a train. `back`: the sender gives back the piece it has taken and not done. False when it was
 * revoked, or all is done, before; then nothing changes but that piece. The sender rings the
 * receiver's bell afterwards. */
static inline bool ob_offer_revoke(ob_offer *o, bool back)
{
    uint64_t word = atomic_load_explicit(&o->taken, memory_order_acquire), next;
    do {
        next = (back ? word - ob_offer_one(OB_BACK) : word) & ~OB_OFFER_SLEEPER;
        if (!(word & OB_OFFER_REVOKED) && !ob_offer_all_done(o, word))
            next |= OB_OFFER_REVOKED;
    } while (!atomic_compare_exchange_weak_explicit(&o->taken, &word, next, memory_order_acq_rel,
                                                    memory_order_acquire));
    return !(word & OB_OFFER_REVOKED) && (next & OB_OFFER_REVOKED);
}

/* For a receiver that has nothing to do until the sender is done with a piece: true when it may
 * sleep on its bell. */
static inline bool ob_offer_arm(ob_offer *o)
{
    uint64_t word = atomic_load_explicit(&o->taken, memory_order_acquire);
    do {
        bool busy = ob_offer_get(word, OB_BACK) != ob_offer_get(word, OB_BACK_DONE);
        if (!busy || (!(word & OB_OFFER_REVOKED) && !ob_offer_all_taken(o, word)))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&o->taken, &word, word | OB_OFFER_SLEEPER,
                                                    memory_order_acq_rel, memory_order_acquire));
    return true;
}

#endif
