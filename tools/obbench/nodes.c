/*
 * Which processes of a job are on which node.
 */
#include <stdlib.h>

#include "hooks/collective.h"
#include "measure.h"

/* The first process of each node, and the node of each process; returns how many nodes. */
static int find_leaders(const obb_bench *b, int *leaders, int *node)
{
    int nodes = ob_group_nodes(b->all, node), n = 0;
    for (int i = 0; i < b->count; i++)
        if (node[i] == n)
            leaders[n++] = i;
    return nodes;
}

void obb_find_pair(const obb_bench *b, int pair[2])
{
    int *leaders = obb_memory((size_t)b->count, 2 * sizeof *leaders);
    if (find_leaders(b, leaders, leaders + b->count) > 1) {
        pair[0] = leaders[0];
        pair[1] = leaders[1];
    }
    free(leaders);
}

/* Times of calls between nodes beside those of messages within one would mislead the planner. */
int obb_native_leaders(obb_bench *b, int *leaders)
{
    const int *pair = b->options->pair;
    int *node = obb_memory((size_t)b->count, sizeof *node), there = 0;
    int nodes = find_leaders(b, leaders, node);
    ob_view v = {.base = &there, .m = 1, .n = 1, .ld = 1, .type = OB_INT};
    ob_group *group;
    bool wanted = nodes > 1 && !b->options->all_pairs && node[pair[0]] != node[pair[1]];
    if (wanted && leaders[node[b->me]] == b->me) {
        obb_must(b, ob_group_create(b->job, leaders, nodes, &group));
        there = ob_group_native(group);
        obb_must(b, there < 0 ? there : OB_OK);
        ob_group_free(group);
    }
    if (wanted)
        obb_must(b, ob_broadcast(b->all, 0, &v, NULL));
    free(node);
    return there ? nodes : 0;
}
