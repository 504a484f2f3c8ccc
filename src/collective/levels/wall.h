/*
 * A wall: memory in which each member of a group with tiers shows the others long vectors, part by
 * part. Each lends two blocks, used in turn; where they are is told once, in tiers. All read them
 * where they are, each line one member or two. What says that a part is there, and that all have
 * read the one before, goes through the tiers, too: so nobody's note is read by all.
 */
#ifndef OB_COLLECTIVE_LEVELS_WALL_H
#define OB_COLLECTIVE_LEVELS_WALL_H

#include "collective/levels/tiers.h"
#include "node/wait.h"

/* What a member says of itself. */
typedef struct ob_mark {
    uint64_t bytes, shape, name;
} ob_mark;

typedef struct ob_wall {
    const ob_tiers *tiers;
    ob_group *group;
    size_t block;    /* bytes */
    char *own;       /* two of them */
    const char **at; /* of each position */
    uint64_t name;
    ob_mark *mark; /* of each slot */
    bool met;      /* others may read ours */
} ob_wall;

/* Afterwards the own blocks may be written. OB_ENOMEM. */
int ob_wall_open(ob_wall *w, const ob_tiers *t, ob_group *g, size_t block);
/* Tells all where the blocks are; when it returns all have shown their first part. `bytes` of a
 * call and `shape` are to be alike at all members; `what`: "combines". OB_ESIZE. */
int ob_wall_meet(ob_wall *w, uint32_t kind, uint64_t bytes, uint64_t shape, const char *what);
/* read: all have read all. */
void ob_wall_close(ob_wall *w, bool read);

/* The own block of part k, where so many bytes are written; that of position i. */
static inline char *ob_wall_own(const ob_wall *w, size_t k, size_t bytes)
{
    ob_wait_costs(0, k > 1 ? bytes : 0); /* a simulation has charged the first two when lent */
    return w->own + k % 2 * w->block;
}

static inline const char *ob_wall_at(const ob_wall *w, int i, size_t k)
{
    return w->at[i] + k % 2 * w->block;
}

#endif
