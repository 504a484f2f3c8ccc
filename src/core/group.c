/*
 * What a group says of itself.
 */
#include "core/group.h"

#include "hooks/system.h"

int ob_group_size(const ob_group *g)
{
    return g->size;
}

int ob_group_me(const ob_group *g)
{
    return g->me;
}

int ob_group_number(const ob_group *g, int position)
{
    return g->peer[position]->number;
}

uint64_t ob_group_key(const ob_group *group)
{
    return group->context + group->stream;
}

ob_job *ob_group_job(const ob_group *group)
{
    return group->job;
}
