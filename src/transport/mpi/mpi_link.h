/*
 * A link to a process that MPI connects, as the two files that work on it see it:
 * mpi_link.c carries messages, mpi_leave.c what processes that wait and processes
 * that leave tell each other.
 */
#ifndef OB_TRANSPORT_MPI_MPI_LINK_H
#define OB_TRANSPORT_MPI_MPI_LINK_H

#include "transport/mpi/internal.h"

/* Data, and the two notes of mpi_leave.c. */
enum ob_mpi_tag { OB_MPI_DATA = 0, OB_MPI_ASK, OB_MPI_LEFT, OB_MPI_CLOCK, OB_MPI_NETWORK };

/* How a message begins on the wire. */
typedef struct ob_mpi_header {
    uint32_t magic;
    uint32_t piece; /* bytes of a piece; 0: the matrix follows the header */
    ob_envelope envelope;
} ob_mpi_header;

_Static_assert(sizeof(ob_mpi_header) == 32, "the header has no holes in front of the envelope");

/* A buffer that MPI reads or writes. */
typedef struct ob_mpi_part {
    struct ob_mpi_part *next;
    ob_mpi_request request;
    size_t bytes; /* of what it holds */
    int class;
    _Alignas(64) char data[];
} ob_mpi_part;

enum ob_mpi_receiving { OB_MPI_IDLE = 0, OB_MPI_HEADER_COMING, OB_MPI_MESSAGE_HERE };

struct ob_mpi_link {
    struct ob_mpi_link *next; /* of mpi->links */
    struct ob_mpi *mpi;
    int number, me; /* of the other process, our own */

    /* Sending. */
    ob_mpi_comm *out;
    int out_rank;
    bool broken;     /* half a message was sent: nothing can follow it */
    size_t limit;    /* bytes that may wait; 0: any */
    int patience_ms; /* a send waits so long for room */
    uint64_t messages, sent_bytes;
    _Atomic uint64_t begun; /* messages that MPI has been given, their headers at least */
    ob_lock queue_lock;     /* protects what follows */
    ob_mpi_part *first, *last;
    size_t waiting; /* bytes in the queue */
    int failed;     /* MPI's error code; nothing can be collected any more */

    /* Receiving. */
    ob_mpi_comm *in; /* NULL: not known yet */
    int in_rank;
    enum ob_mpi_receiving state;
    ob_mpi_part *head;       /* header and short matrix */
    ob_mpi_part *order[2];   /* pieces on order, oldest first */
    bool arrived;            /* order[0] is here */
    size_t at;               /* bytes taken of head's matrix or order[0] */
    ob_mpi_header now;       /* of the message being received */
    uint64_t ordered, taken; /* bytes of its matrix */
    uint64_t came;           /* messages whose header was taken off MPI's queue */

    /* mpi_leave.c, under the receive lock too. */
    unsigned silence; /* times somebody asked whether it has left, since a message came */
    bool asked, left;
    uint64_t sends; /* left: how many messages it sent us in all */
};

/* A matrix this short goes with its header; a longer one in pieces. */
enum { OB_MPI_SHORT = 64 * 1024, OB_MPI_PIECE = 1 << 20 };

/* Buffers of at most a piece; NULL without memory. */
ob_mpi_part *ob_mpi_part_take(ob_mpi_pool *pool, size_t bytes);
void ob_mpi_part_give(ob_mpi_pool *pool, ob_mpi_part *part);

/* Gives a packed buffer to MPI, and the buffer away. */
int ob_mpi_post(struct ob_mpi_link *link, int tag, ob_mpi_part *part);
/* Frees what MPI has taken; *waiting: bytes that it has not. */
int ob_mpi_link_collect(struct ob_mpi_link *link, size_t *waiting);
/* 1 when something with the tag has begun to arrive, and its size; then link->in
 * and in_rank say where. */
int ob_mpi_probe(struct ob_mpi_link *link, int tag, int *bytes);
int ob_mpi_receive_error(struct ob_mpi_link *link, int code);
/* Receives what has come and forgets it. Never waits. */
int ob_mpi_link_drop(struct ob_mpi_link *link);

/* A note with a word to the other process; and 1 and the word when one has come, 0 when none. */
int ob_mpi_tell(struct ob_mpi_link *link, enum ob_mpi_tag tag, uint64_t word);
int ob_mpi_hear(struct ob_mpi_link *link, enum ob_mpi_tag tag, uint64_t *word);
/* The transport's callback `gone`. */
bool ob_mpi_gone(ob_peer *peer);

extern const ob_transport ob_mpi_transport;

#endif
