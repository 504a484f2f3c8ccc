/*
 * A combine under way. The vector is combined in chunks that stay in the
 * cache; an algorithm sees one chunk at a time, as values,
 * then, when asked for, the distance of each value's owner. Where the
 * caller's matrix is one run of memory and no owners are asked for, a
 * chunk is the matrix itself; elsewhere a chunk is packed into the group's
 * scratch memory and its result unpacked, so no copy of the matrix as a whole is made.
 *
 * On the wire a chunk is always its values followed by its owners: members
 * whose matrices lie differently in memory understand each other.
 *
 * All receives name their source and all combining is done in an order that
 * the positions alone decide: the same grid and sizes give the same bits,
 * whatever the timing.
 */
#ifndef OB_COLLECTIVE_TOPOLOGY_COMBINE_H
#define OB_COLLECTIVE_TOPOLOGY_COMBINE_H

#include "core/group.h"
#include "core/view.h"
#include "hooks/pattern.h"
#include "kernel/kernel.h"

enum { OB_COMBINER_ROOMS = 8 };

typedef struct ob_combiner {
    ob_group *group;
    int size, me;
    int root; /* OB_ANY: left on all */
    ob_op op;
    ob_kernel kernel;
    ob_type type;
    size_t esize;   /* bytes of one value */
    size_t osize;   /* bytes of its owner: 4, or 0 */
    size_t count;   /* elements of the present chunk */
    char *base;     /* the chunk: in the caller's matrix, or staged */
    char *incoming; /* room for another */
    /* Receives posted ahead (combine_pattern.c), and room for each; used in turn. */
    unsigned rooms; /* 0: none, for members of one node */
    char *room[OB_COMBINER_ROOMS];
    ob_request *posted[OB_COMBINER_ROOMS];
    unsigned turn;     /* the next to be waited for is posted[turn % rooms] */
    unsigned ahead;    /* how many are posted */
    size_t next_count; /* elements of the chunk after the present one; 0: there is none, or it is
                          empty */
} ob_combiner;

/* What an algorithm does to the present chunk: afterwards the result is in
 * that of root, or of all. */
typedef int (*ob_combine_algorithm)(ob_combiner *c, const ob_route *route);

/* Sends the chunk as it is now. */
int ob_combiner_send(const ob_combiner *c, int dest);
/* ob_message_drain of a chunk that was sent. */
void ob_combiner_drain(const ob_combiner *c, int dest);
/* Receives into it, replacing it. */
int ob_combiner_recv(ob_combiner *c, int source);
/* Receives another member's and combines it into ours. */
int ob_combiner_merge(ob_combiner *c, int source);

/* Posts the receive of another member's chunk, the present one or the next; and waits
 * for the one that was posted first and combines it into ours. At most c->rooms are posted. */
int ob_combiner_post(ob_combiner *c, int source, size_t count);
int ob_combiner_merge_posted(ob_combiner *c);

/* Cuts the matrix into chunks and runs the algorithm over each;
 * arguments as in ob_combine, checked before. */
int ob_combine_run(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
                   size_t ld_owner, ob_combine_algorithm algorithm, const ob_route *route);

#endif
