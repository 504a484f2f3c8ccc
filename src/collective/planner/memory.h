/*
 * The scheme of one call: what OPENBLACS_PLAN says, else the planner's choice,
 * remembered in the group.
 */
#ifndef OB_COLLECTIVE_PLANNER_MEMORY_H
#define OB_COLLECTIVE_PLANNER_MEMORY_H

#include "collective/planner/choose.h"
#include "core/group.h"

/* OB_OK and the scheme; OB_ESETTING when OPENBLACS_PLAN is malformed, OB_ENOMEM. */
int ob_plan_scheme(ob_group *group, const ob_query *query, ob_scheme *scheme);
/* Does OPENBLACS_PLAN name a scheme for this group? 1 and the scheme; 0; negative: malformed.
 * Schemes for the task of which none fits are reported once, by a group's first member. */
int ob_plan_named(const ob_group *group, ob_task task, ob_scheme *scheme);
/* The same for any text, without a word. */
int ob_plan_setting(const char *text, ob_task task, int size, ob_scheme *scheme);
/* Can all of a text be read? OB_OK, OB_ESETTING. */
int ob_plan_check(const char *text);
/* Why the schemes that a well-formed text names for the task do not fit a group of this
 * size, in one line without its end; false when it names none, or one that fits. */
bool ob_plan_misfit(const char *text, ob_task task, int size, char *line, size_t room);

#endif
