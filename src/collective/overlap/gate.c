/*
 * Gates are kept for the job's next calls. Others may look at one for a call that has long ended,
 * so its memory is never given back.
 */
#include "collective/overlap/gate.h"

#include <string.h>

ob_gate *ob_gate_take(ob_group *group, uint64_t *name, uint64_t *call)
{
    ob_gate **at = &group->job->gates, *g;
    unsigned size = (unsigned)group->size;
    while (*at && (*at)->room < size)
        at = &(*at)->next;
    g = *at;
    if (g) {
        *at = g->next;
    } else {
        size_t bytes = sizeof *g + size * sizeof g->word[0];
        g = ob_group_lend_now(group, bytes, 1, name);
        if (g == NULL)
            return NULL;
        memset(g, 0, bytes);
        g->name = *name;
        g->room = size;
    }
    *name = g->name;
    *call = ob_gate_open(g, size);
    return g;
}

void ob_gate_leave(ob_job *job, ob_gate *gate)
{
    gate->next = job->gates;
    job->gates = gate;
}
