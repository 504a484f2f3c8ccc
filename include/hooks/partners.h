/*
 * Patterns in which every member sends and receives in every round, as pure
 * arithmetic: bidirectional exchange (LAWN 73, 5.4.2) and the dissemination
 * barrier.
 */
#ifndef OPENBLACS_HOOKS_PARTNERS_H
#define OPENBLACS_HOOKS_PARTNERS_H

#include <stdbool.h>

#include "openblacs/core.h"

/* Bidirectional exchange seen from one member. Members beyond the largest
 * power of two first give their values to the member `core` below them and
 * get the result back from it at the end. */
typedef struct ob_partners {
    int me;
    int core;   /* the largest power of two <= size */
    int rounds; /* log2(core) */
    int folded; /* the member folded onto this one or, if `beyond`, the one it is folded
                 * onto; OB_ANY when neither */
    bool beyond;
} ob_partners;

static inline ob_partners ob_partners_open(int size, int me)
{
    ob_partners e = {.me = me, .core = 1, .folded = OB_ANY};
    for (; e.core <= size / 2; e.core *= 2)
        e.rounds++;
    e.beyond = me >= e.core;
    if (e.beyond)
        e.folded = me - e.core;
    else if (me < size - e.core)
        e.folded = me + e.core;
    return e;
}

/* With whom a member below core exchanges in a round: the nearest first. */
static inline int ob_partners_partner(const ob_partners *e, int round)
{
    return e->me ^ (1 << round);
}

/* Dissemination: after round k each member has heard, directly or not, of the
 * 2^(k+1) - 1 members below it. */
static inline int ob_dissemination_rounds(int size)
{
    int rounds = 0;
    for (long long reach = 1; reach < size; reach *= 2)
        rounds++;
    return rounds;
}

static inline int ob_dissemination_to(int size, int me, int round)
{
    return (int)((me + (1LL << round)) % size);
}

static inline int ob_dissemination_from(int size, int me, int round)
{
    return (int)((me + size - (1LL << round)) % size);
}

#endif
