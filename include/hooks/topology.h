/*
 * The topologies of LAWN 73, one a row: the only place that knows their letters and names. The
 * rows are in the order of ob_topology.
 *
 * A hook, because the BLACS' interface reads letters, and obbench reads and names them.
 */
#ifndef OPENBLACS_HOOKS_TOPOLOGY_H
#define OPENBLACS_HOOKS_TOPOLOGY_H

#include <stdbool.h>

#include "openblacs/core.h"

struct ob_pattern;

/* What a route's branches are: nothing; rings, any number but 0; or branches, 1 and more. */
typedef enum ob_takes { OB_TAKES_NOTHING = 0, OB_TAKES_RINGS, OB_TAKES_BRANCHES } ob_takes;

typedef struct ob_topology_row {
    char letter;      /* the BLACS' TOP */
    const char *name; /* where it takes a number, what stands behind it: "3-ring" */
    ob_takes takes;
    bool rings; /* it goes around in rings: a combine's result, left on all, goes on along them */
    /* Sets the form of a pattern whose size, root and inward are set. */
    void (*open)(struct ob_pattern *p, int branches);
} ob_topology_row;

/* NULL: there is no such topology. */
OB_API const ob_topology_row *ob_topology_at(int number);
/* The letter's topology, with rings or branches, whichever it takes; '1' to '9' are trees with so
 * many branches. False: no letter of the table. */
OB_API bool ob_topology_read(int letter, int rings, int branches, ob_route *route);
/* And back, for traces: ' ' for NULL, 0 for a topology that there is not. */
char ob_topology_letter(const ob_route *route);
/* Is it a topology, with as many rings or branches as it may have? */
OB_API bool ob_topology_sound(const ob_route *route);

#endif
