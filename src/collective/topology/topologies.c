/*
 * The table of the topologies (hooks/topology.h).
 */
#include "collective/topology/pattern.h"

/* Each beside its form, in ring.c, tree.c or a file of its own. */
typedef void opener(ob_pattern *p, int branches);
opener ob_open_ring_up, ob_open_ring_down, ob_open_split_ring, ob_open_multiring, ob_open_full,
    ob_open_hypercube, ob_open_tree, ob_open_one_branch;

const ob_topology_row ob_topology_rows[] = {
    [OB_TOP_BEST] = {' ', "the library's choice", .open = ob_open_one_branch},
    [OB_TOP_RING_UP] = {'I', "increasing ring", .rings = true, .open = ob_open_ring_up},
    [OB_TOP_RING_DOWN] = {'D', "decreasing ring", .rings = true, .open = ob_open_ring_down},
    [OB_TOP_SPLIT_RING] = {'S', "split ring", .rings = true, .open = ob_open_split_ring},
    [OB_TOP_MULTIRING] = {'M', "ring", OB_TAKES_RINGS, .rings = true, .open = ob_open_multiring},
    [OB_TOP_HYPERCUBE] = {'H', "hypercube", .open = ob_open_hypercube},
    [OB_TOP_FULL] = {'F', "full", .open = ob_open_full},
    [OB_TOP_TREE] = {'T', "tree", OB_TAKES_BRANCHES, .open = ob_open_tree},
    [OB_TOP_NATIVE] = {'N', "the MPI library's own", .open = ob_open_one_branch},
};
enum { ROWS = sizeof ob_topology_rows / sizeof *ob_topology_rows };

static const ob_topology_row *row_of(int number)
{
    return (unsigned)number < ROWS ? &ob_topology_rows[number] : NULL;
}

const ob_topology_row *ob_topology_at(int number)
{
    return row_of(number);
}

bool ob_topology_read(int letter, int rings, int branches, ob_route *route)
{
    if (letter >= '1' && letter <= '9') {
        route->topology = OB_TOP_TREE;
        route->branches = letter - '0';
        return true;
    }
    for (int number = 0; number < ROWS; number++)
        if (ob_topology_rows[number].letter == letter) {
            ob_takes takes = ob_topology_rows[number].takes;
            route->topology = (ob_topology)number;
            route->branches = takes == OB_TAKES_NOTHING ? 0
                              : takes == OB_TAKES_RINGS ? rings
                                                        : branches;
            return true;
        }
    return false;
}

char ob_topology_letter(const ob_route *route)
{
    const ob_topology_row *row = route ? row_of((int)route->topology) : ob_topology_rows;
    if (row == NULL)
        return 0;
    if (row->takes == OB_TAKES_BRANCHES && route->branches >= 1 && route->branches <= 9)
        return (char)('0' + route->branches);
    return row->letter;
}

bool ob_topology_sound(const ob_route *route)
{
    const ob_topology_row *row = row_of((int)route->topology);
    return row && (row->takes == OB_TAKES_NOTHING ||
                   (row->takes == OB_TAKES_RINGS ? route->branches != 0 : route->branches >= 1));
}
