/*
 * What most of the critical path is, in words.
 */
#include <stdlib.h>
#include <string.h>

#include "late.h"

/* What most of the path is: the costliest of its stretches' rows, whichever process did it, and how
 * many processes did. */
static obt_delay most_of_path(const obt_analysis *a, size_t *processes)
{
    obt_times times;
    obt_stretch *rows = NULL;
    obt_delay none = {.before = OBT_NO_CALL, .after = OBT_NO_CALL};
    size_t count = 0, room = 0;
    bool *did = obt_memory(a->trace->process_count, sizeof *did);
    obt_find_times(a, &times);
    for (size_t i = 0; i < a->path_count; i++) {
        const obt_step *s = &a->path[i];
        size_t k = s->from == UINT32_MAX ? obt_span_at(a, &times, s->process, s->begin) : SIZE_MAX;
        for (; k != SIZE_MAX && k + 1 < times.end[s->process] && a->spans[k].begin < s->end; k++) {
            rows = obt_grow(rows, count, &room, sizeof *rows);
            obt_delay d = obt_stretch_in(a, &times, s->process, k, s->begin, s->end);
            rows[count].delay = d;
            rows[count].delay.cost = d.end - d.begin;
            /* Of all processes alike; whose it is stays beside. */
            rows[count].delay.process = 0;
            rows[count].delay.times = d.process;
            obt_note_place(a, &d, rows[count++].place);
        }
    }
    obt_delay *all = obt_memory(count, sizeof *all);
    size_t n = obt_join_stretches(rows, count, all);
    obt_delay most = n ? all[0] : none;
    int64_t place[4];
    obt_note_place(a, &most, place);
    *processes = 0;
    for (size_t i = 0; i < count; i++) {
        const obt_delay *d = &rows[i].delay;
        bool same = d->state == most.state && d->asleep == most.asleep &&
                    memcmp(rows[i].place, place, 2 * sizeof *place) == 0;
        *processes += same && !did[d->times];
        did[d->times] = did[d->times] || same;
    }
    obt_free_times(&times);
    free(all);
    free(rows);
    free(did);
    return most;
}

void obt_say_path(obt_analysis *a)
{
    enum { LEAST = 20 };
    char name[32], time[32], what[600], by[48], begins[96] = "";
    int64_t length = a->end - a->begin;
    uint32_t most = a->order[0];
    size_t processes;
    for (size_t k = 0; k < a->active; k++)
        if (a->sums[a->order[k]].on_path > a->sums[most].on_path)
            most = a->order[k];
    if (a->active < 2 || length <= 0)
        return;
    int before =
        a->path_count ? obt_percent(a->path[a->path_count - 1].begin - a->begin, length) : 0;
    if (before)
        snprintf(begins, sizeof begins,
                 " For the first %d %% there is none: it begins where its first process does.",
                 before);
    obt_say(a,
            "The critical path runs through %s for %d %% of the time, and through messages that "
            "were sent and not yet received for %d %%.%s",
            obt_process_name(a, most, name), obt_percent(a->sums[most].on_path, length),
            obt_percent(a->path_message, length), begins);
    obt_delay d = most_of_path(a, &processes);
    if (obt_percent(d.cost, length) < LEAST)
        return;
    snprintf(by, sizeof by, "by turns in %zu processes", processes);
    obt_say(a,
            "The longest part of it, %s or %d %% of the run, is %s: %s. What of that could be "
            "gained is another thing.",
            obt_show_time(d.cost, time), obt_percent(d.cost, length),
            obt_delay_name(a, &d, what, sizeof what), processes > 1 ? by : "in one process");
}
