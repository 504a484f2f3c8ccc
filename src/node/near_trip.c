/*
 * Flag ping-pongs: how long a line takes from one processor to another.
 */
#include "node/near.h"

#include "openblacs/core.h"

/* False: too late. */
static bool await(const atomic_uint *word, unsigned value, double until)
{
    for (unsigned looks = 1; atomic_load_explicit(word, memory_order_acquire) != value; looks++)
        if (looks % 256 == 0 && ob_time() > until)
            return false;
    return true;
}

uint16_t ob_near_trip(atomic_uint *word, bool first, unsigned base, double until)
{
    double least = 1e-9 * 2 * UINT16_MAX;
    for (unsigned k = 0; k < OB_NEAR_TRIPS; k++) {
        unsigned ping = base + 2 * k + 1;
        double since = ob_time();
        if (first)
            atomic_store_explicit(word, ping, memory_order_release);
        if (!await(word, first ? ping + 1 : ping, until))
            return 0;
        if (!first)
            atomic_store_explicit(word, ping + 1, memory_order_release);
        double took = ob_time() - since;
        least = first && took < least ? took : least;
    }
    double half = 1e9 * least / 2;
    return half < 1 ? 1 : half > UINT16_MAX ? UINT16_MAX : (uint16_t)half;
}
