/*
 * A link: a process's side of the two channels to one other. send.c writes to one of them, link.c
 * reads from the other. channel.h says how a channel works and which memory order protects what.
 */
#ifndef OB_TRANSPORT_CHANNEL_LINK_H
#define OB_TRANSPORT_CHANNEL_LINK_H

#include "node/channel.h"
#include "node/shm.h"
#include "transport/channel/offer.h"
#include "transport/channel/straight.h"

typedef struct ob_link {
    ob_shm *shm;
    const ob_job *job;
    ob_segment_header *theirs;
    char *memory; /* of theirs, which offsets count from */

    /* Sending. */
    _Alignas(OB_LINE) ob_channel *out;
    char *out_ring;       /* the channel's small or large ring, */
    uint64_t out_mask;    /* its size less one, */
    uint64_t out_most;    /* and its bytes that may be full when one line more is to go in */
    uint64_t emptied;     /* the ring position whose flag is EMPTY ahead of time */
    ob_block *left_first; /* areas written, until the receiver has left them */
    bool aside;           /* the train is in an area, or areas are to be freed, or it was cut: */
    bool light;           /* we publish with light fences; */
    uint64_t rung_at;     /* so many messages had been sent when we last rang, or would have */
    bool cut; /* a message was shown in part when the heap was full: nothing can follow it */
    ob_block *left_last;
    ob_block *area;          /* being written, when out->area != 0 */
    size_t step;             /* 0: by the length */
    const ob_block *spilled; /* the last block that bytes of a message went to; */
    const ob_block *unread;  /* one that was waited for in vain */

    /* Receiving. */
    _Alignas(OB_LINE) ob_channel *in;
    char *in_ring;
    uint64_t in_mask;
    uint64_t left;   /* of the message being pulled */
    bool in_message; /* its FIRST fragment has been pulled, its last not yet */
    ob_straight straight;
} ob_link;

/* The transport's callbacks send and share. */
int ob_shm_send(ob_peer *peer, const ob_envelope *envelope, ob_cursor *data);
int ob_shm_share(ob_peer *const *peers, int count, const ob_envelope *e, ob_cursor *data);

/* Space a normal fragment leaves free in the ring: for a JUMP, and for the
 * EMPTY flag behind that. */
enum { OB_RESERVE = 2 * OB_LINE };
/* The longest payload of a fragment of one line. */
enum { INLINE_BYTES = OB_LINE - sizeof(ob_fragment) };

static inline size_t fragment_bytes(size_t payload)
{
    return (sizeof(ob_fragment) + payload + OB_LINE - 1) / OB_LINE * OB_LINE;
}

/* A fragment of kind OFFER: its header's line, and the offer. */
enum { OFFER_BYTES = OB_LINE + sizeof(ob_offer) };

static inline ob_offer *offer_of(ob_fragment *f)
{
    return (ob_offer *)((char *)f + OB_LINE);
}

static inline ob_fragment *out_at(const ob_link *l, uint64_t position)
{
    return (ob_fragment *)(void *)(l->out_ring + (position & l->out_mask));
}

static inline ob_fragment *in_at(const ob_link *l, uint64_t position)
{
    return (ob_fragment *)(void *)(l->in_ring + (position & l->in_mask));
}

/* In the segment of the receiver `of`. */
static inline char *large_ring(char *memory, const ob_segment_header *of, int from)
{
    return memory + of->rings + (size_t)from * OB_RING_BYTES;
}

static inline ob_fragment *area_at(const void *segment, uint64_t area, uint64_t at)
{
    return (ob_fragment *)((char *)segment + area + OB_BLOCK_DATA + at);
}

/* The channel is written in this ring. */
static inline void write_in(ob_link *l, char *ring, size_t bytes)
{
    l->out_ring = ring;
    l->out_mask = bytes - 1;
    l->out_most = bytes - OB_LINE - OB_RESERVE;
}

/* It is read in this one. */
static inline void read_in(ob_link *l, char *ring, size_t bytes)
{
    l->in_ring = ring;
    l->in_mask = bytes - 1;
}

#endif
