/*
 * Messages that are put together (openblacs/together.h): the sends of one thread to one process
 * become a bundle, which is one message of the room itself; receives are noted.
 *
 * A bundle is envelopes, each with its bytes behind it. The receiving side of a peer has it whole
 * before it looks into it, and then takes what is next out of it as if that stood at the channel
 * (bundle.c). So whoever receives need not know how a message came.
 *
 * Nothing of this is shared by threads but the messages.
 */
#ifndef OB_MESSAGE_TOGETHER_H
#define OB_MESSAGE_TOGETHER_H

#include "core/group.h"

/* Bytes of messages that wait for one process, or of a vector, at most. */
enum { OB_TOGETHER_MOST = 64 * 1024 };

/* Where in a bundle the next envelope is, behind a message of so many bytes. */
static inline size_t ob_bundled_bytes(size_t bytes)
{
    return sizeof(ob_envelope) + (bytes + 7) / 8 * 8;
}

/* A receive that is noted. */
typedef struct ob_noted {
    ob_group *group; /* NULL: it was freed */
    ob_peer *peer;   /* whose bundle may be taken for it; NULL: it is received as ever */
    ob_view view;
    int source, tag, options;
    ob_received *received; /* NULL: nobody asks */
    ob_request *request;   /* it is posted */
    int (*then)(void *with, int status);
    void *with;
} ob_noted;

/* The first failure of several, with its line. */
typedef struct ob_first {
    int status;
    char *line;
} ob_first;

typedef struct ob_together {
    int depth; /* of begins */

    struct ob_bundle *bundle; /* one for each process that is sent to */
    unsigned bundles, room, recent;
    unsigned *slot,
        slots; /* a hash table: 1 + the bundle's place, 0: none; a power of two of them */

    ob_noted *noted; /* receives, in order */
    size_t receives, places;
    size_t posted;   /* so many of them are posted: they have requests */
    ob_first failed; /* in between */

    /* What is noted above this room, and what becomes of it when a group is freed. */
    void *calls;
    void (*forget_calls)(struct ob_together *t, uint64_t context, int stream);
} ob_together;

/* The calling thread's; NULL: its calls are not put together. */
#ifdef OPENBLACS_SIMGRID
extern _Thread_local ob_together *ob_together_now;
#else
extern _Thread_local ob_together *ob_together_now __attribute__((tls_model("initial-exec")));
#endif
#define OB_TOGETHER __builtin_expect(ob_together_now != NULL, 0)

/* The first begin, and the end of the last one, which is off when these are called; its lines were
 * ended (ob_first_end). Memory is kept for the next one. */
ob_together *ob_together_new(void);
void ob_together_free(ob_together *t);

/* A message to a member: into its bundle when that is short, else at once, behind the bundle. */
int ob_together_send(ob_group *group, int dest, int tag, const ob_view *matrix);
/* Sends the bundle of a process, if there is one: what comes next must not overtake it. */
int ob_together_send_first(ob_peer *peer);
/* Notes a receive. then, if not NULL, is called when it is over, with its status, and gives the
 * status that counts. */
int ob_together_recv(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                     ob_received *received, int (*then)(void *with, int status), void *with);

/* Sends all bundles. */
int ob_together_flush(ob_together *t);
/* together_end.c: carries out the noted receives, in order; the first failure. */
int ob_together_receive(ob_together *t);

/* bundle.c: carries out noted receives from a peer, one after the other, as long as its bundle has
 * what they wait for; how many of at most `most`. The peer's receive lock is held. */
size_t ob_bundle_take(ob_peer *peer, const ob_noted *noted, size_t most);

/* Before a call that may wait, or that posts a receive: sends what is bundled and posts what is
 * noted. A failure shows at the end. */
void ob_together_settle(void);
/* A group that is freed. */
void ob_together_forget(uint64_t context, int stream);

/* With this thread's line. */
void ob_first_add(ob_first *first, int status);
/* The first one's status, its line being the thread's. */
int ob_first_end(ob_first *first);

#endif
