/*
 * The operations as schemes over messages, for groups that do not share one
 * node's memory, or when a scheme is asked for. Matrices that are not one run of memory,
 * and owners, go through a working copy of at most OB_STAGING_BYTES at a time, pieces of
 * large groups of OB_STAGING_PIECE for each member. A matrix that is one run of memory goes in
 * the same chunks, for that of another member may be none.
 */
#ifndef OB_COLLECTIVE_SCHEME_VECTORS_H
#define OB_COLLECTIVE_SCHEME_VECTORS_H

#include "collective/data/parts.h"
#include "collective/scheme/run.h"

enum { OB_STAGING_BYTES = 4 << 20, OB_STAGING_PIECE = 32 << 10 };

int ob_scheme_broadcast(ob_group *group, int root, const ob_view *matrix, const ob_scheme *scheme);
/* root OB_ANY: left on all. `operation` in place of op, or NULL; owner may be NULL. distances:
 * owners are given as numbers, of which the least wins among equals, and left so. */
int ob_scheme_combine(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, int *owner, size_t ld_owner, bool distances,
                      const ob_scheme *scheme);
/* Scatter, gather, collect and distributed combine. */
int ob_scheme_parts(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_scheme *scheme);
/* Shares of so many bytes of pieces, each a run of the scheme. Every one starts all the messages
 * again: with many members its pieces would be so short that starting takes longer than bytes. */
size_t ob_parts_shares(size_t bytes, int members);
/* Scatter and gather when nobody but the root knows the sizes: one message each. */
int ob_parts_straight(ob_group *group, ob_task task, int root, const ob_parts *parts);

#endif
