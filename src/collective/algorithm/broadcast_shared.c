/*
 * Broadcast on one node: the root packs its matrix once into shared memory and
 * every member unpacks it from there, all at the same time.
 */
#include <stdlib.h>

#include "collective/algorithm/algorithm.h"
#include "core/error.h"

static int send_to_all_others(ob_group *group, int root, const ob_view *matrix)
{
    int size = ob_group_size(group), count = 0;
    int *others = malloc((size_t)size * sizeof *others);
    if (others == NULL)
        return ob_fail(OB_ENOMEM, "ob_broadcast: no memory for a list of %d members", size);
    for (int i = 1; i < size; i++)
        others[count++] = (root + i) % size;
    int status = ob_send_many(group, others, count, OB_TAG_COLLECTIVE, matrix);
    free(others);
    return status;
}

int ob_broadcast_shared(ob_group *group, int root, const ob_view *matrix, const ob_plan *plan)
{
    (void)plan;
    if (ob_group_me(group) == root)
        return send_to_all_others(group, root, matrix);
    return ob_recv(group, root, OB_TAG_COLLECTIVE, matrix, NULL);
}
