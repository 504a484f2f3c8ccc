/*
 * The planner: all candidate schemes of an operation, their costs, the choice.
 * Pure arithmetic, so all members choose alike as long as their profiles agree.
 */
#ifndef OB_COLLECTIVE_PLANNER_CHOOSE_H
#define OB_COLLECTIVE_PLANNER_CHOOSE_H

#include "collective/planner/cost.h"

/* Bytes that nodes' leaders handle at a time (levels/): of a broadcast, of a combine. */
enum { OB_LEVELS_BROADCAST = 240 << 10, OB_LEVELS_COMBINE = 512 << 10 };

typedef struct ob_query {
    ob_task task;
    int root;
    size_t bytes;
    bool coherent;   /* no exchange: its results may differ where NaN are combined */
    bool repeatable; /* nothing that was measured in this run is to decide */
} ob_query;

typedef void (*ob_candidate)(const ob_scheme *scheme, double time, void *context);

/* Lengths within an eighth of a power of two are planned as one: the upper end of a length's
 * class, a power of two being its own. */
size_t ob_choose_bytes(size_t bytes);
/* The cheapest scheme; each (unless NULL) hears of all. Stages are empty for one member. */
ob_scheme ob_choose(const ob_net *net, const ob_query *query, ob_candidate each, void *context,
                    double *time);

#endif
