/*
 * Broadcast by store and forward. An empty matrix travels as empty messages,
 * so that a member that expects another size finds out.
 */
#include "collective/topology/pattern.h"
#include "collective/topology/topology.h"
#include "message/message.h"

int ob_broadcast_pattern(ob_group *group, int root, const ob_view *matrix, const ob_route *route)
{
    ob_pattern p;
    ob_edge edge;
    int status = OB_OK;

    ob_pattern_broadcast(&p, route->topology, route->branches, ob_group_size(group), root,
                         ob_group_me(group));
    if (ob_pattern_parent(&p, &edge))
        status = ob_recv(group, edge.peer, OB_TAG_COLLECTIVE, matrix, NULL);
    for (int last = -1; !status && ob_pattern_next(&p, &edge); last = edge.peer) {
        if (last >= 0 && p.form->in_order)
            ob_message_drain(group, last, ob_view_bytes(matrix));
        status = ob_send(group, edge.peer, OB_TAG_COLLECTIVE, matrix);
    }
    if (status && group->nodes > 1)
        ob_message_fail_all(group);
    return status;
}
