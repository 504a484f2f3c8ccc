/*
 * The peers that one who waits sleeps on: those it waits for, and all of whom a request waits.
 */
#include <stdlib.h>

#include "message/internal.h"

void ob_watch_begin(ob_watch *w)
{
    w->peer = w->few;
    w->count = 0;
    w->stored = 0;
}

static void watch_add(ob_watch *w, ob_peer *peer)
{
    w->peer[w->count++] = peer;
}

/* Without memory for a long list the wait looks at the others' channels but does
 * not sleep on them; it naps. */
void ob_watch_fill(ob_watch *w, const ob_job *job, ob_peer *const *others, int count,
                   unsigned stored)
{
    size_t most = (size_t)job->count;
    w->count = 0;
    w->stored = stored;
    if (most > sizeof w->few / sizeof *w->few && w->peer == w->few) {
        ob_peer **more = malloc(most * sizeof *more);
        if (more)
            w->peer = more;
        else
            most = sizeof w->few / sizeof *w->few;
    }
    for (int i = 0; i < count && (size_t)w->count < most; i++)
        watch_add(w, others[i]);
    for (int i = 0; i < job->count && (size_t)w->count < most; i++) {
        ob_peer *peer = atomic_load_explicit(&job->peers[i], memory_order_acquire);
        bool known = peer == NULL || !ob_is_awaited(peer);
        for (int k = 0; k < count && !known; k++)
            known = others[k] == peer;
        if (known)
            continue;
        watch_add(w, peer);
        w->stored += atomic_load_explicit(&peer->stored_count, memory_order_acquire);
    }
}

void ob_watch_end(ob_watch *w)
{
    if (w->peer != w->few)
        free(w->peer);
    w->peer = w->few;
}
