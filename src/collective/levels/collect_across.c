/*
 * A long collect among equal boards, of members that agree about the sizes: first of the members of
 * each place on all boards, then on each board. All copy alike, and no line has more readers than
 * such a group, or a board, has members; up to a leader and down from it, that one would copy the
 * most and all would wait for it.
 */
#include "collective/board/collectives.h"
#include "collective/levels/levels.h"
#include "core/error.h"

#include <stdlib.h>

bool ob_may_collect_across(const ob_group *order)
{
    const ob_levels *l = order->levels;
    return l->across && order->nodes <= OB_TIER && order->nodes * l->carriers == order->size;
}

/* Of all pieces in the order of the boards those from `first` on, `stride` apart. */
static void choose(const ob_parts *all, int first, int stride, ob_parts *some)
{
    some->cut[0] = 0;
    for (int i = 0; i < some->size; i++) {
        int piece = first + i * stride;
        some->view[i] = all->view[piece];
        some->cut[i + 1] = some->cut[i] + all->cut[piece + 1] - all->cut[piece];
    }
}

int ob_collect_across(ob_group *order, const ob_parts *parts)
{
    ob_levels *l = order->levels;
    int boards = order->nodes, members = l->carriers;
    size_t most = (size_t)(boards > members ? boards : members), views = most * sizeof(ob_view),
           bytes = views + (most + 1) * sizeof(size_t);
    ob_parts some = *parts;
    some.flat = NULL;
    some.view = malloc(bytes);
    if (some.view == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 a collective: no memory for %zu bytes", bytes);
    some.cut = (size_t *)(void *)((char *)some.view + views);
    some.size = boards;
    choose(parts, l->local->me, members, &some);
    int status = ob_parts_board(l->across, OB_TASK_COLLECT, 0, &some);
    some.size = members;
    for (int k = 0; k < boards && status == OB_OK; k++) {
        choose(parts, k * members, 1, &some);
        status = ob_parts_board(l->local, OB_TASK_COLLECT, 0, &some);
    }
    free(some.view);
    return status;
}
