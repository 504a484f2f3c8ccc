/*
 * What a transport is: a way to bring messages, in order, from one process to
 * another. It knows nothing of matching, groups or algorithms: it delivers
 * envelopes and bytes, first in, first out, per pair of processes.
 *
 * A peer is the other end of one such pair, in both directions. The message
 * room calls these with the peer's send lock (send, flush, traffic) or receive lock
 * (poll, pull, follow, arm) held; a transport may rely on it.
 */
#ifndef OB_CORE_TRANSPORT_H
#define OB_CORE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/view.h"

typedef struct ob_peer ob_peer;

/* What a message says of itself. */
typedef struct ob_envelope {
    uint64_t context; /* of the group; the members' agreed number */
    uint64_t bytes;   /* of the payload */
    int32_t tag;
    uint8_t stream; /* of the group within its context */
    uint8_t type;   /* ob_type, for error lines */
} ob_envelope;

/* A matrix in the memory of the process that tells others of it, at addresses of its own. */
typedef struct ob_end {
    ob_view view;
    const void *segment; /* where it maps its own segment: proof of who it is */
    uint32_t pid;
} ob_end;

typedef struct ob_transport {
    const char *name;

    /* Sends a whole message, reading its bytes from the cursor. Must not wait
     * for the receiver beyond a bounded time, and must not need the sender
     * afterwards. OB_OK, OB_ENOMEM (nothing of the message is visible to the receiver, or
     * the job is beyond use), OB_ESYSTEM. */
    int (*send)(ob_peer *peer, const ob_envelope *envelope, ob_cursor *data);

    /* Sends one message to several peers of this transport; all their send locks
     * are held. The matrix is packed once and all read the one copy. NULL where that is
     * no better than one send after the other. */
    int (*share)(ob_peer *const *peers, int count, const ob_envelope *envelope, ob_cursor *data);

    /* 1 and the envelope when the next message from the peer has begun to
     * arrive, 0 when not, negative on failure. Never blocks. Asked again before the
     * message's bytes are pulled, it gives the same answer. */
    int (*poll)(ob_peer *peer, ob_envelope *envelope);

    /* True when the peer has surely never sent anything: so one who takes in all that there is need
     * not touch the memory of those. Asked of one peer after the other, by rising number, with one
     * *untouched, NULL at first, in which the transport keeps what it has learnt on the way. May be
     * NULL. */
    bool (*silent)(ob_peer *peer, const char **untouched);

    /* Moves bytes of the polled message that have arrived into the sink, at
     * most sink->left; the message ends when its envelope's bytes have been
     * moved (for an empty message: at the first call). Returns how many, or a
     * negative status. Never blocks. */
    ptrdiff_t (*pull)(ob_peer *peer, ob_cursor *sink);

    /* on: a receiver now stays with this peer until told otherwise, so that a
     * sender may stream to it; off: it left. A hint. May be NULL. */
    void (*follow)(ob_peer *peer, bool on);

    /* Prepares to sleep until the peer sends more: true when it is safe to
     * sleep on the job's bell, false when there already is something. A
     * transport that cannot ring the bell has none (NULL) and is polled. */
    bool (*arm)(ob_peer *peer);

    /* Has the peer's process ended, or gone into MPI_Finalize? What it sent before
     * stays readable. */
    bool (*gone)(ob_peer *peer);

    /* Does what is needed for what was sent to arrive without this process
     * (before it ends). May wait. May be NULL. */
    int (*flush)(ob_peer *peer);

    /* Memory of this process that every process of the node can reach, with
     * whatever was in it before, until `readers` of them have
     * given it back; *name is how the peer finds it. wait: for readers, where the memory is full;
     * NULL with the error set. Else NULL at once, and the error stays. The three need no lock; a
     * transport that has no memory in common with its peers has none of them (NULL). */
    void *(*lend)(ob_peer *peer, size_t bytes, unsigned readers, bool wait, uint64_t *name);
    /* The memory that the peer lent under that name. */
    void *(*borrow)(ob_peer *peer, uint64_t name);
    /* One reader is done with lent or borrowed memory. Release order: what it
     * read, it has read before the memory is used again. */
    void (*give_back)(void *memory);

    /* One copy: out of the memory of a peer that has told us where its matrix is, and that leaves
     * it alone until it hears that we are done. The three need no lock; a transport that cannot do
     * this has none of them (NULL).
     * expose: what others need to know. False: the view's runs of memory are so short that it is
     * not worth it. */
    bool (*expose)(ob_peer *peer, const ob_view *view, ob_end *end);
    /* May its memory be read? Found out once. */
    bool (*reaches)(ob_peer *peer, const ob_end *theirs);
    /* `bytes` bytes of its matrix, from byte `from` on, to those of `to` from byte `at` on. False:
     * they could not be read; mostly it has ended. */
    bool (*fetch)(ob_peer *peer, const ob_end *theirs, size_t from, size_t bytes, const ob_view *to,
                  size_t at);

    /* Waits until what was sent to the peer is through, so that what goes to the next one has
     * the line for itself; no longer than a message of so many bytes reasonably takes. No lock is
     * held. NULL: messages to several peers do not share a line. */
    void (*drain)(ob_peer *peer, size_t bytes);

    /* Messages and bytes sent to the peer so far. */
    void (*traffic)(ob_peer *peer, uint64_t *messages, uint64_t *bytes);

    /* Frees peer->link. May be NULL. */
    void (*close)(ob_peer *peer);
} ob_transport;

#endif
