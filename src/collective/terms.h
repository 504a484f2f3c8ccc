/* Combines of members that have no memory in common, whose terms of an element all meet in one
 * place: the reproducible sum, and operations that do not commute. */
#ifndef OB_COLLECTIVE_TERMS_H
#define OB_COLLECTIVE_TERMS_H

#include "collective/data/parts.h"
#include "core/group.h"

/* By messages: 2 (p - 1) alpha + 2 (p - 1) / p n beta and what is done with n / p elements of p
 * terms; when short log2(p) alpha + p n beta. operation: in the order of positions; NULL: the
 * reproducible sum of the matrix's type. */
int ob_combine_terms(ob_group *group, int root, const ob_operation *operation,
                     const ob_view *matrix);
/* Piece i of all, in the order of positions, to member i: parts->apart, or its place. */
int ob_distribute_terms(ob_group *group, const ob_parts *parts);

#endif
