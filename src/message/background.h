/*
 * Large transfers without waiting go on while the program computes: a thread of the
 * library's own moves them when no call of the program does. background.c has the rules.
 */
#ifndef OB_MESSAGE_BACKGROUND_H
#define OB_MESSAGE_BACKGROUND_H

#include "core/group.h"

typedef struct ob_background ob_background;

/* May a transfer of so many bytes with the peer (NULL: with anybody) go on in the background?
 * Only then is there a thread. */
bool ob_background_takes(ob_job *job, const ob_peer *peer, size_t bytes);
/* May what is short, too? Only then is there a thread. */
bool ob_background_attends(ob_job *job);
/* A large receive that is not done yet has been posted. */
void ob_background_call(ob_job *job);

/* The caller waits for requests, and moves them itself until it has left. */
ob_background *ob_background_enter(ob_job *job);
void ob_background_leave(ob_background *entered);
/* Returns when the thread has finished what it was at: it has let go of what the caller has
 * taken from the tables. */
void ob_background_pause(ob_job *job);

/* Notes a send for later: its request, view and envelope filled in. ob_background_call follows. */
void ob_later_add(ob_request *r);
/* Sends what is noted for a peer; it is sent when this returns. */
void ob_later_finish(ob_peer *peer);
/* Sends what is noted for any peer, but for what another thread is at. */
void ob_later_try(ob_job *job);
/* The same for one peer; true when there was something. */
bool ob_later_try_peer(ob_peer *peer);

/* Before anything else is sent to a peer: it must not overtake what was noted before. */
static inline void ob_later_first(ob_peer *peer)
{
    if (__builtin_expect(atomic_load_explicit(&peer->later, memory_order_acquire) != 0, 0))
        ob_later_finish(peer);
}

/* Sends all that is noted and ends the thread; a later transfer may start it again. */
void ob_background_end(ob_job *job);
/* Frees the rest of it, with its job. */
void ob_background_free(ob_job *job);

#endif
