/*
 * The forms of patterns (hooks/pattern.h); in distances from the root.
 */
#ifndef OB_COLLECTIVE_TOPOLOGY_PATTERN_H
#define OB_COLLECTIVE_TOPOLOGY_PATTERN_H

#include "hooks/pattern.h"
#include "hooks/topology.h"

struct ob_form {
    bool (*parent)(const ob_pattern *p, ob_edge *parent);
    /* The child behind the p->index that were told already. */
    bool (*child)(ob_pattern *p, ob_edge *child);
    void (*rewind)(ob_pattern *p); /* before the first child; NULL: nothing to do */
    bool in_order; /* long messages to children go one after the other: they pass them on, and the
                    * sooner the first one has all of it, the sooner it begins */
    bool bits;     /* members are numbered by exclusive-or with the root, not by distance */
};

/* Rings: of size-1 followers, ring r of `rings` (LAWN 73, 4.3.1: the first
 * (size-1) mod rings get one more). */
int ob_rings_start(int size, int rings, int r);
int ob_rings_length(int size, int rings, int r);
int ob_rings_of(int size, int rings, int distance);

/* The table itself, for topologies that are known to be in it. */
extern const ob_topology_row ob_topology_rows[];

/* Sets the form of a tree. */
void ob_open_tree(ob_pattern *p, int branches);

#endif
