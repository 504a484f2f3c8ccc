/*
 * Messages of a process to itself: packed into a queue, unpacked from it.
 */
#include "transport/self/self.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/scratch.h"

typedef struct node {
    struct node *next;
    ob_envelope envelope;
    _Alignas(64) char bytes[];
} node;

typedef struct queue {
    ob_lock lock; /* sender and receiver hold different locks of the peer */
    node *first, **last;
    node *spare; /* with room for SHORT bytes; aligned memory is dear */
    uint64_t messages, bytes;
} queue;

enum { SHORT = 512 };

static node *new_node(queue *q, size_t bytes)
{
    node *n = NULL;
    if (bytes <= SHORT) {
        ob_lock_take(&q->lock);
        n = q->spare;
        q->spare = NULL;
        ob_lock_release(&q->lock);
        bytes = SHORT;
    }
    return n ? n : aligned_alloc(64, ob_align(sizeof *n + bytes));
}

static int self_send(ob_peer *peer, const ob_envelope *e, ob_cursor *data)
{
    queue *q = peer->link;
    node *n = new_node(q, e->bytes);
    if (n == NULL)
        return ob_fail(OB_ENOMEM,
                       "OB-4001 process %d has no memory for a message of %llu bytes to itself",
                       peer->number, (unsigned long long)e->bytes);
    n->next = NULL;
    n->envelope = *e;
    if (e->bytes)
        ob_cursor_pack(data, n->bytes, e->bytes);
    ob_lock_take(&q->lock);
    *q->last = n;
    q->last = &n->next;
    q->messages++;
    q->bytes += e->bytes;
    ob_lock_release(&q->lock);
    return OB_OK;
}

static node *front(queue *q)
{
    ob_lock_take(&q->lock);
    node *n = q->first;
    ob_lock_release(&q->lock);
    return n;
}

static int self_poll(ob_peer *peer, ob_envelope *e)
{
    node *n = front(peer->link);
    if (n == NULL)
        return 0;
    *e = n->envelope;
    return 1;
}

static void drop_front(queue *q)
{
    ob_lock_take(&q->lock);
    node *n = q->first;
    q->first = n->next;
    if (q->first == NULL)
        q->last = &q->first;
    bool keep = q->spare == NULL && n->envelope.bytes <= SHORT;
    if (keep)
        q->spare = n;
    ob_lock_release(&q->lock);
    if (!keep)
        free(n);
}

static ptrdiff_t self_pull(ob_peer *peer, ob_cursor *sink)
{
    queue *q = peer->link;
    node *n = front(q);
    size_t bytes = n->envelope.bytes;
    if (bytes)
        ob_cursor_unpack(sink, n->bytes, bytes);
    drop_front(q);
    return (ptrdiff_t)bytes;
}

static bool self_arm(ob_peer *peer, bool *heavy)
{
    (void)heavy;
    return front(peer->link) == NULL;
}

/* A process that waits for itself waits for ever: a group is used by one
 * thread at a time. */
static bool self_gone(ob_peer *peer)
{
    (void)peer;
    return true;
}

static void self_traffic(ob_peer *peer, uint64_t *messages, uint64_t *bytes)
{
    queue *q = peer->link;
    *messages = q->messages;
    *bytes = q->bytes;
}

static void self_close(ob_peer *peer)
{
    queue *q = peer->link;
    while (q->first)
        drop_front(q);
    free(q->spare);
    free(q);
    peer->link = NULL;
}

static const ob_transport self_transport = {
    .name = "self",
    .send = self_send,
    .poll = self_poll,
    .pull = self_pull,
    .arm = self_arm,
    .gone = self_gone,
    .traffic = self_traffic,
    .close = self_close,
};

int ob_self_connect(ob_peer *peer)
{
    queue *q = calloc(1, sizeof *q);
    if (q == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for messages of process %d to itself",
                       peer->number);
    q->last = &q->first;
    peer->link = q;
    peer->transport = &self_transport;
    return OB_OK;
}
