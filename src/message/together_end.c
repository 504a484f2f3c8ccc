/*
 * The end of messages that were put together: the receives that were noted are carried out.
 */
#include "core/error.h"
#include "message/internal.h"
#include "message/message.h"
#include "message/together.h"
#include "trace/trace.h"

/* Receives on from the one that was just served, as far as the bundle goes; how many. */
static size_t receive_more(const ob_noted *n, size_t most)
{
    if (most == 0 || OB_TRACING || n->peer == NULL)
        return 0;
    ob_lock_take(&n->peer->recv_lock);
    size_t count = ob_bundle_take(n->peer, n, most);
    ob_lock_release(&n->peer->recv_lock);
    return count;
}

static int receive_one(ob_noted *n)
{
    int status;
    if (n->request)
        status = ob_wait(&n->request, n->received);
    else if (n->group)
        status =
            ob_message_recv_with(n->group, n->source, n->tag, &n->view, n->options, n->received);
    else
        status = ob_fail(OB_ESTATE, "OB-2521 ob_together_end: the group of a receive was freed "
                                    "before the end; free it after the end");
    return n->then ? n->then(n->with, status) : status;
}

int ob_together_receive(ob_together *t)
{
    ob_first first = {OB_OK, NULL};
    for (size_t i = 0; i < t->receives; i++) {
        i += receive_more(&t->noted[i], t->receives - i);
        if (i < t->receives)
            ob_first_add(&first, receive_one(&t->noted[i]));
    }
    return ob_first_end(&first);
}
