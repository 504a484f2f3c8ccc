/*
 * The analysis as a whole.
 */
#include "analysis.h"

#include <stdlib.h>

/* Tables are as long as there are processes: all must be known before. */
static void meet_partners(obt_trace *t)
{
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        bool message = e->kind == OBT_SEND || e->kind == OBT_RECV || e->kind == OBT_RECV_WAKING;
        int64_t id = message ? obt_get(t, e, OBT_PEER, -1) : -1;
        if (id >= 0 || id == OBT_HOST)
            obt_process_index(t, (int32_t)id);
    }
}

obt_analysis *obt_analyse(obt_trace *t)
{
    obt_analysis *a = obt_memory(1, sizeof *a);
    a->trace = t;
    obt_sort(t);
    meet_partners(t);
    a->order = obt_memory(t->process_count, sizeof *a->order);
    a->sums = obt_memory(t->process_count, sizeof *a->sums);
    a->first_span = obt_memory(t->process_count, sizeof *a->first_span);
    a->first_wait = obt_memory(t->process_count, sizeof *a->first_wait);
    for (size_t i = 0; i < t->process_count; i++)
        a->first_span[i] = a->first_wait[i] = SIZE_MAX;
    obt_walk(a);
    obt_match(a);
    obt_total(a);
    obt_find_path(a);
    obt_summarise(a);
    return a;
}

void obt_analysis_free(obt_analysis *a)
{
    if (!a)
        return;
    free(a->order);
    free(a->spans);
    free(a->first_span);
    free(a->calls);
    free(a->messages);
    free(a->waits);
    free(a->first_wait);
    free(a->rows);
    free(a->pairs);
    free(a->sums);
    free(a->concurrency);
    free(a->path);
    free(a->texts);
    free(a);
}
