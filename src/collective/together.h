/*
 * Collective calls that are put together (openblacs/together.h). The arguments have
 * been checked, and the calling thread's calls are put together.
 */
#ifndef OB_COLLECTIVE_TOGETHER_H
#define OB_COLLECTIVE_TOGETHER_H

#include "message/together.h"

int ob_together_broadcast(ob_group *group, int root, const ob_view *matrix);
/* Without owners. */
int ob_together_combine(ob_group *group, int root, ob_op op, const ob_view *matrix,
                        const ob_route *route);

#endif
