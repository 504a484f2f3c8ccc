/*
 * Has a group tiers (levels.h), and what others use of them.
 */
#ifndef OB_COLLECTIVE_LEVELS_TIERS_H
#define OB_COLLECTIVE_LEVELS_TIERS_H

#include "core/group.h"

/* May it have tiers? All others go without asking. */
static inline bool ob_has_many(const ob_group *g)
{
    return __builtin_expect((unsigned)g->job->set.tiers.most - 1 < (unsigned)g->size - 1, 0);
}

/* The tiers of a group on one node, NULL where one board serves; the first call is collective.
 * all: the caller's call waits for all members anyway, so they may measure who is near whom; a
 * group whose first call does not goes by what is known.
 * ob_tiers.order is a group with levels, whose nodes are the boards. */
int ob_tiers_of(ob_group *group, bool all, const ob_tiers **tiers);

/* Has it tiers? Once that is settled. */
static inline bool ob_has_tiers(const ob_group *g)
{
    return g->tiers && g->tiers->order;
}

/* OB_ENOMEM; all who wait for us on the boards get the same error line. `what` asked for so many
 * bytes: "a combine". */
int ob_tiers_no_memory(const ob_tiers *t, const char *what, size_t bytes);

/* Everybody's bytes, those of slot s from cut[s] to cut[s + 1], ours in their place of `all`, to
 * the member at position `root` or to all (OB_ANY). */
int ob_tiers_bring(const ob_tiers *t, int root, uint32_t kind, char *all, const size_t *cut);
/* The same of equal pieces. */
int ob_tiers_bring_equal(const ob_tiers *t, int root, uint32_t kind, char *all, size_t bytes);

#endif
