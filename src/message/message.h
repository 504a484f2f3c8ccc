/*
 * Envelopes, matching and waiting: what lies between a group's ob_send and a
 * transport's send.
 */
#ifndef OB_MESSAGE_H
#define OB_MESSAGE_H

#include "core/group.h"
#include "transport/transport.h"

/* Moves one message between this process and a peer; ob_send and ob_recv are
 * these with a group's arguments checked. */
int ob_message_send(ob_group *group, int dest, int tag, const ob_view *matrix);
int ob_message_send_many(ob_group *group, const int *dests, int count, int tag,
                         const ob_view *matrix);
int ob_message_recv(ob_group *group, int source, int tag, const ob_view *matrix,
                    ob_received *received);
/* Drops what has arrived for a context that ends. */
void ob_message_forget(ob_job *job, uint64_t context);
void ob_message_drop_all(ob_peer *peer);

#endif
