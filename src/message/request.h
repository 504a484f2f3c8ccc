/*
 * Sends and receives that do not wait, and waiting for them: the functions of
 * core.h of the same names, their arguments checked.
 */
#ifndef OB_MESSAGE_REQUEST_H
#define OB_MESSAGE_REQUEST_H

#include "core/group.h"

int ob_message_isend(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode,
                     ob_request **request);
int ob_message_irecv(ob_group *group, int source, int tag, const ob_view *matrix, int options,
                     ob_request **request);
int ob_message_send_mode(ob_group *group, int dest, int tag, const ob_view *matrix, ob_mode mode);
/* Waits for a message when `there` is NULL. */
int ob_message_probe(ob_group *group, int source, int tag, int *there, ob_received *received);

#endif
