/*
 * The forms of patterns (hooks/pattern.h), one a file; in distances from the root.
 */
#ifndef OB_COLLECTIVE_TOPOLOGY_PATTERN_H
#define OB_COLLECTIVE_TOPOLOGY_PATTERN_H

#include "hooks/pattern.h"

/* Rings: of size-1 followers, ring r of `rings` (LAWN 73, 4.3.1: the first
 * (size-1) mod rings get one more). */
int ob_rings_start(int size, int rings, int r);
int ob_rings_length(int size, int rings, int r);
int ob_rings_of(int size, int rings, int distance);

bool ob_rings_parent(const ob_pattern *p, ob_edge *parent);
bool ob_rings_child(const ob_pattern *p, int index, ob_edge *child);
bool ob_split_parent(const ob_pattern *p, ob_edge *parent);
bool ob_split_child(const ob_pattern *p, int index, ob_edge *child);
void ob_tree_rewind(ob_pattern *p);
bool ob_tree_parent(const ob_pattern *p, ob_edge *parent);
bool ob_tree_next(ob_pattern *p, ob_edge *child);
bool ob_cube_parent(const ob_pattern *p, ob_edge *parent);
bool ob_cube_child(const ob_pattern *p, int index, ob_edge *child);

#endif
