/* The reproducible sum of members that have no memory in common. */
#ifndef OB_COLLECTIVE_EXACT_H
#define OB_COLLECTIVE_EXACT_H

#include "core/group.h"

/* The reproducible sum by messages: 2 (p - 1) alpha + 2 (p - 1) / p n beta and the
 * exact sums of n / p elements of p terms; when short log2(p) alpha + p n beta. */
int ob_combine_exact(ob_group *group, int root, const ob_view *matrix);

#endif
