/*
 * A link: a process's side of the two channels to one other. send.c writes to one of them, link.c
 * reads from the other. channel.h says how a channel works and which memory order protects what.
 */
#ifndef OB_TRANSPORT_CHANNEL_LINK_H
#define OB_TRANSPORT_CHANNEL_LINK_H

#include "node/channel.h"
#include "node/shm.h"

typedef struct link {
    ob_shm *shm;
    const ob_job *job;
    ob_segment_header *theirs;

    /* Sending. */
    _Alignas(OB_LINE) ob_channel *out;
    ob_block *area;                   /* being written, when out->area != 0 */
    ob_block *left_first, *left_last; /* areas written, until the receiver has left them */
    uint64_t emptied;                 /* the ring position whose flag is EMPTY ahead of time */
    size_t step;                      /* 0: by the length */
    bool cut; /* a message was shown in part when the heap was full: nothing can follow it */

    /* Receiving. */
    _Alignas(OB_LINE) ob_channel *in;
    uint64_t left;   /* of the message being pulled */
    bool in_message; /* its FIRST fragment has been pulled, its last not yet */
} link;

/* The transport's callbacks send and share. */
int ob_shm_send(ob_peer *peer, const ob_envelope *envelope, ob_cursor *data);
int ob_shm_share(ob_peer *const *peers, int count, const ob_envelope *e, ob_cursor *data);

/* The longest payload of a fragment of one line. */
enum { INLINE_BYTES = OB_LINE - sizeof(ob_fragment) };

static inline size_t fragment_bytes(size_t payload)
{
    return (sizeof(ob_fragment) + payload + OB_LINE - 1) / OB_LINE * OB_LINE;
}

static inline ob_fragment *ring_at(ob_channel *ch, uint64_t position)
{
    return (ob_fragment *)(ch->ring + position % OB_RING_BYTES);
}

static inline ob_fragment *area_at(const void *segment, uint64_t area, uint64_t at)
{
    return (ob_fragment *)((char *)segment + area + OB_BLOCK_DATA + at);
}

#endif
