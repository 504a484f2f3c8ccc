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
typedef struct ob_job ob_job;

/* What a message says of itself. */
typedef struct ob_envelope {
    uint64_t context; /* of the group; the members' agreed number */
    uint64_t bytes;   /* of the payload */
    int32_t tag;
    uint32_t stream : 8; /* of the group within its context */
    uint32_t type : 3;   /* ob_type, for error lines */
    uint32_t
        call : 21; /* of the sender's collective call (message/unlike.c); 0: none that names it */
} ob_envelope;

/* A matrix in the memory of the process that tells others of it, at addresses of its own. */
typedef struct ob_end {
    ob_view view;
    const void *segment; /* where it maps its own segment: proof of who it is */
    uint32_t pid;
} ob_end;

/* What is combined by a transport itself: elements of so many bytes. The operation commutes. */
typedef struct ob_native_op {
    ob_type sum; /* it is the sum of elements of this type; OB_BYTE: it is another operation */
    size_t bytes;
    /* acc[i] = acc[i] op in[i] */
    void (*apply)(const void *context, size_t n, void *acc, const void *in);
    const void *context;
} ob_native_op;

/* Of pieces of bytes, one for each member: what happens to them. */
typedef enum ob_native_move {
    OB_NATIVE_SCATTER, /* from the root's vector */
    OB_NATIVE_GATHER,  /* to the root's vector */
    OB_NATIVE_COLLECT  /* to everybody's vector, where the own piece is already */
} ob_native_move;

/* Members of a group, as a transport that has collective calls of its own knows them. */
typedef struct ob_circle ob_circle;

/* Collective calls of a transport's own (LAWN 73, 7.2.3): what the MPI library does. All wait, and
 * nothing else moves meanwhile; so all members are to be there before (collective/scheme/native.c
 * sees to it). Roots are positions in the list. At most 1 GiB a call. Errors are set. */
typedef struct ob_native {
    /* May these calls be made, in this job and thread? */
    bool (*allowed)(ob_job *job);
    /* One of this very list that no group has at present, for the caller's, and its number, which
     * is the same at all members; NULL: there is none. Local. */
    ob_circle *(*take)(ob_job *job, const int *numbers, int size, uint64_t *number);
    /* Makes one with that number, which no other has. Collective. */
    int (*make)(ob_job *job, const int *numbers, int size, uint64_t number, ob_circle **circle);
    /* Its group ends, or does not need it. Local. */
    void (*leave)(ob_circle *circle);
    /* How the circle's calls wait from now on; all members say the same. crowded: some have no
     * processor of their own, so who waits leaves it to others. */
    void (*wait_as)(ob_circle *circle, bool crowded);
    int (*broadcast)(ob_circle *circle, int root, void *data, size_t bytes);
    /* In place; OB_ANY: the result is everybody's. Elsewhere data stay as they are. */
    int (*combine)(ob_circle *circle, int root, const ob_native_op *op, void *data, size_t count);
    /* Piece i has counts[i] bytes, starts[i] behind the begin of the vector. Who has the vector
     * gives that, whose own piece stays in its place; others give their piece. */
    int (*pieces)(ob_circle *circle, ob_native_move what, int root, void *data, const int *counts,
                  const int *starts);
    /* Of the combined vectors, counts[i] elements for member i, the caller's piece to own. */
    int (*distribute)(ob_circle *circle, const ob_native_op *op, const void *data, void *own,
                      const int *counts);
} ob_native;

typedef struct ob_transport {
    const char *name;

    /* NULL: none. */
    const ob_native *native;

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
     * transport that cannot ring the bell has none (NULL) and is polled. *heavy: becomes true where
     * it is safe only behind a heavy fence (node/fence.h), when this, asked again, is true again.
     */
    bool (*arm)(ob_peer *peer, bool *heavy);

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
     * it alone until it hears that we are done. The five need no lock; a transport that cannot do
     * this has none of them (NULL).
     * expose: what others need to know. False: the view's runs of memory are so short that it is
     * not worth it. */
    bool (*expose)(ob_peer *peer, const ob_view *view, ob_end *end);
    /* Can our matrix be reached this way now, to be read and (write) written? Tries its first and
     * last byte, which nobody else may be at. */
    bool (*serves)(ob_peer *peer, const ob_end *own, bool write);
    /* May its memory be read? Found out once. */
    bool (*reaches)(ob_peer *peer, const ob_end *theirs);
    /* `bytes` bytes of its matrix, from byte `from` on, to those of `to` from byte `at` on. False:
     * they could not be read; mostly it has ended. */
    bool (*fetch)(ob_peer *peer, const ob_end *theirs, size_t from, size_t bytes, const ob_view *to,
                  size_t at);
    /* The other way: those of `from`, from byte `at` on, become bytes of its matrix, from byte `to`
     * on. */
    bool (*put)(ob_peer *peer, const ob_end *theirs, size_t to, size_t bytes, const ob_view *from,
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
