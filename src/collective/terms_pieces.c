/*
 * A distributed combine in the order of positions, between nodes: everybody's terms of a piece go
 * straight to the member that gets it.
 */
#include "collective/terms.h"

#include <stdlib.h>

#include "core/error.h"
#include "message/message.h"

/* Everybody's values of our piece, one behind the other, and ours of theirs to them. */
static int exchange_pieces(ob_group *g, const ob_parts *parts, char *gathered)
{
    size_t bytes = ob_part_bytes(parts, g->me);
    int status = OB_OK;
    for (int k = 1; k < g->size && status == OB_OK; k++) {
        int to = (g->me + k) % g->size;
        status = ob_message_send(g, to, OB_TAG_COLLECTIVE, &parts->view[to]);
    }
    for (int k = 1; k < g->size && status == OB_OK; k++) {
        int from = (g->me + g->size - k) % g->size;
        ob_view v = parts->view[g->me];
        v = ob_view_vector(gathered + (size_t)from * bytes, ob_view_count(&v), v.type);
        status = ob_message_recv(g, from, OB_TAG_COLLECTIVE, &v, NULL);
    }
    if (status != OB_OK && g->nodes > 1)
        ob_message_fail_all(g);
    if (status == OB_OK && bytes)
        ob_view_pack(&parts->view[g->me], gathered + (size_t)g->me * bytes);
    return status;
}

int ob_distribute_terms(ob_group *group, const ob_parts *parts)
{
    const ob_operation *o = parts->operation;
    size_t bytes = ob_part_bytes(parts, group->me), p = (size_t)group->size;
    char *gathered = malloc(bytes * p + 1);
    if (gathered == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a combine in order of %zu bytes",
                       bytes * p);
    int status = exchange_pieces(group, parts, gathered);
    for (size_t i = 1; i < p && status == OB_OK && bytes; i++)
        o->apply(bytes / parts->esize, gathered, gathered + i * bytes, o->context);
    if (status == OB_OK && bytes)
        ob_view_unpack(parts->apart ? parts->apart : &parts->view[group->me], gathered);
    free(gathered);
    return status;
}
