/*
 * Where the members of a group are.
 */
#ifndef OB_COMMON_NODES_H
#define OB_COMMON_NODES_H

#include <stdbool.h>

#include "hooks/collective.h"

/* Is each of the members on a node of its own, as far as is known? node: memory for as many. */
static inline bool ob_each_on_its_own_node(const ob_group *group, int *node)
{
    int nodes = ob_group_nodes(group, node); /* 1: not known */
    return !ob_group_near(group) && (nodes == 1 || nodes == ob_group_size(group));
}

#endif
