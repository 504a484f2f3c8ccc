/*
 * The scheme of one call: what OPENBLACS_PLAN says, else the planner's choice,
 * remembered in the group.
 */
#ifndef OB_COLLECTIVE_PLANS_H
#define OB_COLLECTIVE_PLANS_H

#include "collective/choose.h"
#include "core/group.h"

/* OB_OK and the scheme; OB_ESETTING when OPENBLACS_PLAN is malformed, OB_ENOMEM. */
int ob_plan_scheme(ob_group *group, const ob_query *query, ob_scheme *scheme);
/* Does OPENBLACS_PLAN name a scheme for this? 1 and the scheme; 0; negative: malformed. */
int ob_plan_setting(const char *text, ob_task task, int size, ob_scheme *scheme);

#endif
