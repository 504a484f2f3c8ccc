/*
 * Combine of a long vector on a ring: slices travel around and gather every
 * member's part, then travel around once more as results.
 */
#include "collective/algorithm/algorithm.h"
#include "collective/pattern/exchange.h"

int ob_combine_bucket(ob_combiner *c, const ob_plan *plan)
{
    (void)plan;
    int p = c->size, me = c->me, status = OB_OK;
    int next = me + 1 == p ? 0 : me + 1, previous = me == 0 ? p - 1 : me - 1;

    for (int step = 0; !status && step < 2 * (p - 1); step++) {
        status = ob_combiner_send(c, ob_bucket_send(p, me, step), next);
        if (status)
            return status;
        int slice = ob_bucket_recv(p, me, step);
        if (step < p - 1)
            status = ob_combiner_merge(c, slice, previous);
        else
            status = ob_combiner_recv(c, slice, previous);
    }
    return status;
}
