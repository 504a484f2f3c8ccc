/*
 * The planner: all candidate schemes of an operation, their costs, the choice.
 * Pure arithmetic, so all members choose alike as long as their profiles agree.
 */
#ifndef OB_COLLECTIVE_PLANNER_CHOOSE_H
#define OB_COLLECTIVE_PLANNER_CHOOSE_H

#include "collective/planner/cost.h"
#include "collective/scheme/run.h"
#include "core/settings.h"

/* Bytes that nodes' leaders handle at a time (levels/): of a broadcast, and, at most, of a combine.
 */
enum { OB_LEVELS_BROADCAST = 240 << 10, OB_LEVELS_COMBINE = 512 << 10 };

/* Of a combine of so many members on so many nodes: each node's share is one message. Of few nodes
 * a chunk is then still in the cache when its result comes. Where many share a node a chunk costs
 * more rounds. */
static inline size_t ob_levels_combine(int members, int nodes)
{
    size_t bytes = (size_t)nodes * (OB_RUN_EAGER - 1024);
    bool few = members <= OB_TIER * nodes;
    return few && bytes < OB_LEVELS_COMBINE ? bytes : OB_LEVELS_COMBINE;
}

typedef struct ob_query {
    ob_task task;
    int root;
    size_t bytes;
    bool coherent;   /* no exchange: its results may differ where NaN are combined */
    bool repeatable; /* nothing that was measured in this run is to decide */
    bool native;     /* the transport's own calls are asked for */
    bool moves;      /* these do not do: the caller carries out the moves itself */
    bool apart;      /* each member is on a node of its own, so the profile knows these calls */
} ob_query;

/* May it be the transport's own call? Nobody promises that the MPI library combines in the same
 * order in every run. */
static inline bool ob_may_be_native(const ob_query *q)
{
    bool combines =
        q->task == OB_TASK_COMBINE || q->task == OB_TASK_ALL || q->task == OB_TASK_DISTRIBUTE;
    return q->task <= OB_TASK_DISTRIBUTE && !q->moves && !(q->repeatable && combines);
}

typedef void (*ob_candidate)(const ob_scheme *scheme, double time, void *context);

/* Lengths within an eighth of a power of two are planned as one: the upper end of a length's
 * class, a power of two being its own. */
size_t ob_choose_bytes(size_t bytes);
/* The cheapest scheme; each (unless NULL) hears of all. Stages are empty for one member. Native
 * calls are among them where the profile has their times. */
ob_scheme ob_choose(const ob_net *net, const ob_query *query, ob_candidate each, void *context,
                    double *time);

#endif
