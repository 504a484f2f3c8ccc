/*
 * What processes of several nodes have found out about the network between these: how long a
 * message takes, and along which links. All here is arithmetic; transport/mpi/mpi_network.c
 * measures.
 */
#ifndef OB_CORE_NETWORK_H
#define OB_CORE_NETWORK_H

#include <stdbool.h>

typedef struct ob_network {
    double start, byte; /* us of a message of n bytes, received: start + byte n */
    double send;        /* us of the call that sends a short one */
    int nodes;
    /* How the nodes lie, by their numbers: a mesh, row by row, whose links are shared as
     * ob_group_shape says. One row: all are equally near, or nobody knows. */
    int rows, columns, shared;
} ob_network;

/* All of it in one number above 0, so that members agree with one message: times within a
 * twentieth, so that what is measured twice gives the same plans. */
int ob_network_code(const ob_network *network);
ob_network ob_network_of(int code, int nodes);

enum { OB_NETWORK_PATTERNS = 16 };
/* Who sends to whom, all at once: node i to i + pattern[k], modulo their number. Returns how many
 * patterns there are; 0: nothing can be told of so few nodes, or of an odd number. */
int ob_network_patterns(int nodes, int pattern[OB_NETWORK_PATTERNS]);
/* The torus on whose links as many messages meet as was seen of each pattern: how many times
 * longer its bytes took than those of one message alone. One row where none fits. */
void ob_network_find_shape(ob_network *network, const int *pattern, const double *crowd, int count);

/* How members that lie on these nodes, each on its own, lie as a mesh. */
void ob_network_shape_of(const ob_network *network, const int *node, int size, int *rows,
                         int *columns, int *shared);

#endif
