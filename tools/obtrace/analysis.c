/*
 * The analysis as a whole.
 */
#include "analysis.h"

#include <stdlib.h>

obt_analysis *obt_analyse(obt_trace *t)
{
    obt_analysis *a = obt_memory(1, sizeof *a);
    a->trace = t;
    obt_match(t); /* tables are as long as there are processes: now all are known */
    a->order = obt_memory(t->process_count, sizeof *a->order);
    a->sums = obt_memory(t->process_count, sizeof *a->sums);
    a->first_span = obt_memory(t->process_count, sizeof *a->first_span);
    a->first_wait = obt_memory(t->process_count, sizeof *a->first_wait);
    for (size_t i = 0; i < t->process_count; i++)
        a->first_span[i] = a->first_wait[i] = SIZE_MAX;
    obt_walk(a);
    obt_tell_messages(a);
    obt_find_late(a);
    obt_total(a);
    obt_find_path(a);
    obt_ask_replays(a);
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
    free(a->parts);
    free(a->first_wait);
    free(a->rows);
    free(a->pairs);
    free(a->sums);
    free(a->concurrency);
    free(a->path);
    free(a->late_rows);
    free(a->delays);
    free(a->asked);
    free(a->texts);
    free(a->gains);
    obt_free_replays(a);
    free(a);
}
