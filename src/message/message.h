/*
 * Envelopes, matching and waiting: what lies between a group's ob_send and a
 * transport's send.
 */
#ifndef OB_MESSAGE_MESSAGE_H
#define OB_MESSAGE_MESSAGE_H

#include "core/group.h"
#include "core/transport.h"

/* Moves one message between this process and a peer; ob_send and ob_recv are
 * these with a group's arguments checked. */
int ob_message_send(ob_group *group, int dest, int tag, const ob_view *matrix);
int ob_message_send_many(ob_group *group, const int *dests, int count, int tag,
                         const ob_view *matrix);
int ob_message_recv(ob_group *group, int source, int tag, const ob_view *matrix,
                    ob_received *received);
/* The same from one who may find that it cannot send it: as long as nothing has come, `over` says
 * with which status, and an error line, this is to end. OB_OK: not yet. */
int ob_message_recv_unless(ob_group *group, int source, int tag, const ob_view *matrix,
                           int (*over)(const ob_group *));
int ob_message_recv_with(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                         ob_received *received);
/* Between two sends to different members, where who receives first has more to do than who
 * receives last: a long message goes through before the next one begins. */
void ob_message_drain(ob_group *group, int dest, size_t bytes);
/* Sends all other members a message of a collective call that has a wrong size, so that none waits
 * for us for ever. The error text stays. */
void ob_message_fail_all(ob_group *group);
/* A collective call of a group on several nodes begins, in which all members should name so many
 * bytes. */
void ob_message_call_between(ob_group *group, uint64_t bytes);
static inline void ob_message_call(ob_group *group, uint64_t bytes)
{
    if (group->nodes > 1)
        ob_message_call_between(group, bytes);
}
/* A receive within such a call. It ends, too, when another member turns out to name other bytes, or
 * has failed: they may be in algorithms in which none waits for the other. */
int ob_message_recv_alike(ob_group *group, int source, const ob_view *matrix);
/* A send in one of the modes; of a synchronous one, `number` is what its answer will name. */
int ob_message_send_marked(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode,
                           uint64_t number);

/* Takes in what has come for others' receives, for one who waits for something
 * else (R6 of core.h). */
void ob_message_progress(ob_job *job);

/* Ends the posted receives of a context that ends (stream 0), or of one stream in
 * it, and drops what has arrived for it. */
void ob_message_forget(ob_job *job, uint64_t context, int stream);
/* Frees all of this room in a job. */
void ob_message_close(ob_job *job);

#endif
