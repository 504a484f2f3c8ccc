/*
 * Combine by bidirectional exchange. Before round r all members of a block of
 * 2^r hold the same result (of the block and what was folded onto it); the
 * two partners then compute a + b and b + a. All operations here commute in
 * every bit but those that tell one NaN from another, so by induction all
 * members end with the same bits; those beyond the power of two are given
 * them. It is not called coherent all the same: that promise must also hold
 * for NaN, and between processors that do not round alike.
 */
#include "collective/topology/topology.h"
#include "hooks/partners.h"

static int exchange(ob_combiner *c, const ob_partners *e)
{
    int status = OB_OK;
    for (int round = 0; !status && round < e->rounds; round++) {
        int partner = ob_partners_partner(e, round);
        status = ob_combiner_send(c, partner);
        if (!status)
            status = ob_combiner_merge(c, partner);
    }
    return status;
}

int ob_combine_exchange(ob_combiner *c, const ob_route *route)
{
    (void)route;
    ob_partners e = ob_partners_open(c->size, c->me);
    int status = OB_OK;

    if (e.beyond) {
        status = ob_combiner_send(c, e.folded);
        return status ? status : ob_combiner_recv(c, e.folded);
    }
    if (e.folded != OB_ANY)
        status = ob_combiner_merge(c, e.folded);
    if (!status)
        status = exchange(c, &e);
    if (!status && e.folded != OB_ANY)
        status = ob_combiner_send(c, e.folded);
    return status;
}
