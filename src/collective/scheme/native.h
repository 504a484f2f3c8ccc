/*
 * Collective calls of a transport's own (core/transport.h), in the place of a scheme: the site's
 * MPI library knows its network, and may have hardware for them (LAWN 73, 7.2.3).
 */
#ifndef OB_COLLECTIVE_SCHEME_NATIVE_H
#define OB_COLLECTIVE_SCHEME_NATIVE_H

#include "collective/data/parts.h"
#include "collective/scheme/scheme.h"
#include "core/group.h"

/* Have the members such calls? The first time for these members it is found out: collective. All
 * get the same answer. */
int ob_native_there(ob_group *group, bool *there);

/* Only when they have. As ob_scheme_broadcast and ob_scheme_combine; by_root: all get the same
 * bits, whatever the MPI library does. */
int ob_native_broadcast(ob_group *group, int root, const ob_view *matrix);
int ob_native_combine(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, int *owner, size_t ld_owner, bool distances,
                      bool by_root);

/* Scatter, gather, collect and distributed combine: the meeting, once a call; then any number of
 * shares of all pieces, at most 1 GiB each, whose boundaries are in cut, in elements. data: the
 * vector where the caller has it, else the own piece, whose share of a distributed combine goes to
 * its place. scratch has ob_native_scratch bytes for a share of the own piece of so many bytes. */
int ob_native_meet_parts(ob_group *group, ob_task task, int root, const ob_parts *parts);
size_t ob_native_scratch(const ob_group *group, size_t own);
int ob_native_share(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const size_t *cut, char *data, char *scratch);

#endif
