/*
 * The analysis as a whole, and words for its numbers.
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

const char *obt_process_name(const obt_analysis *a, uint32_t process, char name[32])
{
    int32_t id = a->trace->processes[process].id;
    if (id == OBT_HOST)
        snprintf(name, 32, "the host");
    else
        snprintf(name, 32, "process %d", id);
    return name;
}

/* Three figures, as people write them. */
static void show(double v, const char *unit, char text[32])
{
    snprintf(text, 32, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, unit);
}

const char *obt_show_time(int64_t ns, char text[32])
{
    double v = (double)ns;
    if (ns < 1000)
        snprintf(text, 32, "%lld ns", (long long)ns);
    else if (ns < 999500)
        show(v / 1e3, "us", text);
    else if (ns < 999500000)
        show(v / 1e6, "ms", text);
    else
        show(v / 1e9, "s", text);
    return text;
}

const char *obt_show_bytes(int64_t bytes, char text[32])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes / 1024;
    size_t u = 0;
    if (bytes < 1024) {
        snprintf(text, 32, "%lld B", (long long)bytes);
        return text;
    }
    for (; v >= 1000 && u < 5; u++)
        v /= 1024;
    show(v, units[u], text);
    return text;
}
