/*
 * A channel: the way from one process to one other through shared memory.
 *
 * It is a ring of fragments in the receiver's segment. A fragment is a
 * 32-byte header, whose first word says whether it is there, and its payload
 * right behind; fragments start at multiples of 64 bytes, so an 8-byte message is one
 * cache line, flag and all, and costs one transfer between the cores. A long
 * message is a train of fragments: the sender packs one while the receiver
 * unpacks the one before (two copies at the price of one).
 *
 * A channel begins with a small ring of its own, so that a pair that exchanges short messages in
 * turn costs about half a page. The first message that does not fit leads, with a JUMP, to a
 * large ring, and for good.
 *
 * When the ring is full and the receiver is not following, the sender does
 * not wait: it packs what remains, or some of it, into a block of its own heap and leaves
 * a fragment that says where (kind BLOCK). When even that does not fit, because
 * messages pile up unreceived, the train goes on in an area, a block that is
 * filled with fragments from one end to the other; a JUMP leads from the ring to
 * the area, from a full area to the next, and back to the ring once the receiver has
 * caught up. So a send never needs the receiver, and the queue is bounded by memory alone.
 *
 * Who writes what, and in which order
 *  - The flag of the fragment at the receiver's position is EMPTY until the
 *    sender publishes it with one store (release): everything written before
 *    (header, payload, the EMPTY flag of the following fragment) is visible to a
 *    receiver that reads the flag with acquire. The sender does not wait until the store is done.
 *  - A receiver that goes to sleep says so in `sleeps`, fences, looks at the flag again, then
 *    sleeps. The sender stores the flag, fences, looks at `sleeps`; if it is set it clears that and
 *    rings the receiver's bell, in this order: who says it anew in between has read the bell
 *    before. Either the sender sees `sleeps`, or the receiver the flag.
 *  - While `light` is set the sender's fence is light, and a sleeper's heavy (node/fence.h); else
 *    both are full. A sender that rings often fences in full. Its last light publications are
 *    visible to who sees `light` cleared (release, acquire). It sets `light` before a full fence: a
 *    receiver that has not seen it behind its own fence has said before that it sleeps.
 *  - `head` (release by the receiver, acquire by the sender) returns ring
 *    space; `taken` returns areas; a block's `readers` returns blocks.
 *  - All else is private to one side and lives here only so that a successor
 *    of the process (a second program of one script) can go on.
 */
#ifndef OB_NODE_CHANNEL_H
#define OB_NODE_CHANNEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "hooks/patience.h"
#include "hooks/processor.h"
#include "node/segment.h"

enum ob_fragment_kind {
    OB_FRAGMENT_EMPTY = 0,
    OB_FRAGMENT_FIRST, /* begins a message: the envelope, and its first bytes */
    OB_FRAGMENT_MORE,  /* its next bytes */
    OB_FRAGMENT_BLOCK, /* its next bytes are in a block: offset and length */
    OB_FRAGMENT_JUMP,  /* the train goes on at offset, 0: in the ring */
    OB_FRAGMENT_OFFER  /* its bytes are to be had in the sender's matrix: transport/channel/offer.h
                        */
};

/* As the offset of a JUMP: in the large ring, at the position behind the JUMP. */
enum { OB_TO_LARGE_RING = 1 };

typedef struct ob_fragment {
    atomic_uint flag;
    uint32_t stream : 8, type : 3, call : 21; /* as in ob_envelope */
    uint32_t bytes;                           /* payload behind the header */
    int32_t tag;
    union {
        uint64_t context; /* FIRST */
        uint64_t offset;  /* BLOCK, JUMP: from the header of the sender's segment */
    };
    uint64_t length; /* FIRST: bytes of the message; BLOCK: of the block */
} ob_fragment;

_Static_assert(sizeof(ob_fragment) == 32, "a header and four doubles fill one cache line");

enum { OB_FOLLOWS = 1 };

typedef struct ob_channel {
    /* Written by the receiver. */
    _Alignas(OB_LINE) _Atomic uint64_t head; /* bytes of the ring it is done with */
    atomic_uint following; /* OB_FOLLOWS: it waits here, or is at a long message; above: the lengths
                            * for which it wants offers, or has to try them */
    atomic_uint taken;     /* jumps it has followed */
    uint64_t read_at;      /* next fragment: ring position, or offset in the area */
    uint64_t read_area;    /* 0: the ring; else the area's offset */
    uint32_t read_large;   /* reading in the large ring */

    /* Written by the sender. */
    _Alignas(OB_LINE) uint64_t tail; /* bytes ever written to the ring */
    uint64_t head_seen;
    uint64_t area; /* 0: writing to the ring; else the area's offset */
    uint64_t area_at, area_bytes;
    uint32_t jumps;
    uint16_t large;           /* writing to the large ring; areas are met there alone */
    atomic_uchar light;       /* published with light fences */
    atomic_uchar sleeps;      /* by the receiver, and cleared by the sender: ring its bell */
    uint64_t messages, bytes; /* sent, for statistics */

    _Alignas(OB_LINE) char ring[OB_RING_FIRST];
} ob_channel;

/* Where the channel from that process is, from the header of the segment on. */
static inline size_t ob_channel_offset(const ob_segment_header *of, int from)
{
    return of->channels + (size_t)from / OB_TILE * of->tile +
           (size_t)from % OB_TILE * sizeof(ob_channel);
}

/* Not touched: its first touch costs a page and two of page tables, and a job of p processes has
 * p * p pairs that mostly never send. */
static inline ob_channel *ob_segment_channel(ob_segment_header *of, int from)
{
    return (ob_channel *)(void *)((char *)of + ob_channel_offset(of, from));
}

#endif
