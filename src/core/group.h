/*
 * Groups: ordered sets of processes with a context number of their own.
 */
#ifndef OB_CORE_GROUP_H
#define OB_CORE_GROUP_H

#include "core/job.h"
#include "core/network.h"

/* The tag of collective calls; a receive of any tag does not match it, so that
 * it cannot take a message of a barrier some members have reached already. */
#define OB_TAG_COLLECTIVE INT32_MAX
/* Each collective call that does not wait has one of its own: this one or below. Those between it
 * and 0 are the message room's. */
#define OB_TAG_COURSE (-16)

/* A tag that no program's call names. */
static inline bool ob_tag_is_own(int32_t tag)
{
    return (uint32_t)tag >= OB_TAG_COLLECTIVE;
}

/* Do a node's carriers share its long combines? All members know the same. */
typedef enum ob_carried { OB_CARRIED_UNKNOWN, OB_CARRIED, OB_NOT_CARRIED } ob_carried;

/* A group on several nodes as two levels of groups. */
typedef struct ob_levels {
    ob_group *local;   /* the caller's node, in the order of positions */
    ob_group *leaders; /* one member of each node, by the nodes' numbers */
    int root;          /* whose leaders these are: each node's first member from there on */
    int at;            /* the caller's leader in `local` */
    bool leading;      /* that is the caller */
    int *leader;       /* of each node, its position in the whole group */
    int *member;       /* of `local`, their positions in the whole group */
    int carriers;      /* of each node: its first ones, as many as each node has */
    ob_group *across;  /* the members of our place on all nodes, if each has one; or NULL */
    ob_carried carried;
} ob_levels;

/* A group on one node as boards of few members and boards of their leaders. */
typedef struct ob_tiers {
    ob_group *order; /* the same members, those of a board one after the other; its `node` says
                      * which board; NULL: one board serves */
    int slot[];      /* where each position is there */
} ob_tiers;

/* Whether the members whose job numbers are these have collective calls of the transport's own.
 * Several, since a group of leaders has other members with each root. */
typedef struct ob_natives {
    struct ob_natives *next;
    const ob_native *native;
    ob_circle *circle; /* NULL: they do not */
    int numbers[];
} ob_natives;

struct ob_group {
    ob_job *job;
    uint64_t context; /* the same for a group and its parts */
    uint8_t stream;   /* 0 for a group itself */
    int size, me;
    bool one_node; /* every pair of members has shared memory; the members agree on it */
    int *node;     /* of each position, 0, 1 ... as they come; NULL: one node, or unknown which */
    int nodes;     /* how many there are; 0: unknown */
    ob_levels *levels; /* NULL until a collective call needs them (collective/levels/levels.c) */
    ob_tiers *tiers;   /* NULL until a collective call asks (collective/levels/tiers.c) */
    const ob_network *network; /* between the members' nodes, as measured; NULL: unknown */
    int rows,
        columns; /* as a mesh, row-major; one row unless the network or ob_group_shape said more */
    int links_shared;         /* as for ob_group_shape */
    bool shape_told;          /* by ob_group_shape */
    struct ob_chosen *chosen; /* collective/planner/memory.c: schemes chosen before */
    struct ob_board *board;   /* collective/board/board.h; NULL before the first round */
    ob_natives *natives;      /* what has been asked of transports; see ob_native_there */
    ob_peer **peer;           /* of each position; peer[i]->number is its job number */
    uint32_t trace;           /* its number in the trace, 0: none */
    int any_from;             /* the member a receive from any source served last */
    unsigned courses;         /* begun or prepared so far (message/course.h) */
    uint64_t calls;           /* collective calls between nodes so far */
    uint32_t call;            /* their number, cut short, and a mark of the last one's sizes */
    uint8_t reached;          /* collective/overlap/claimed_combine.c; 0: unknown */
};

/* Several nodes, and more than one member on some. */
static inline bool ob_has_levels(const ob_group *g)
{
    return g->node && g->nodes < g->size;
}

/* A group made of `parent`'s members at these positions, or room for one: beside
 * ob_group_part it needs no stream, since its messages have a context number mixed from parent's
 * and `level`. me: the caller's place in it, -1: none. Freed before parent. NULL: no memory. */
ob_group *ob_group_level(ob_group *parent, int level, const int *positions, int size, int me);

/* A peer other than ourselves, in a group on one node of two or more members: its transport reaches
 * the common memory. */
static inline ob_peer *ob_group_another(const ob_group *g)
{
    return g->peer[g->me ? 0 : 1];
}

/* Memory for others of such a group to read, until `readers` of them have given it back; as in
 * transport.h. */
static inline void *ob_group_lend(const ob_group *g, size_t bytes, unsigned readers, uint64_t *name)
{
    ob_peer *other = ob_group_another(g);
    return other->transport->lend(other, bytes, readers, true, name);
}

/* The same for what can be done without: waits for nobody, and leaves the error as it is. */
static inline void *ob_group_lend_now(const ob_group *g, size_t bytes, unsigned readers,
                                      uint64_t *name)
{
    ob_peer *other = ob_group_another(g);
    return other->transport->lend(other, bytes, readers, false, name);
}

static inline void *ob_group_borrow(const ob_group *g, int member, uint64_t name)
{
    return ob_group_another(g)->transport->borrow(g->peer[member], name);
}

static inline void ob_group_give_back(const ob_group *g, void *memory)
{
    ob_group_another(g)->transport->give_back(memory);
}

/* At least `bytes` of memory, aligned to 64, the calling thread's until it asks again;
 * NULL when there is none. */
void *ob_group_scratch(ob_group *group, size_t bytes);

#endif
