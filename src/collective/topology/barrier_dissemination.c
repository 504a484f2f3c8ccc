/*
 * Barrier by dissemination.
 */
#include "collective/topology/topology.h"
#include "hooks/partners.h"

int ob_barrier_dissemination(ob_group *group)
{
    int size = ob_group_size(group), me = ob_group_me(group), status = OB_OK;
    ob_view nothing = ob_view_of_bytes(NULL, 0);

    for (int round = 0; !status && round < ob_dissemination_rounds(size); round++) {
        status = ob_send(group, ob_dissemination_to(size, me, round), OB_TAG_COLLECTIVE, &nothing);
        if (!status)
            status = ob_recv(group, ob_dissemination_from(size, me, round), OB_TAG_COLLECTIVE,
                             &nothing, NULL);
    }
    return status;
}
