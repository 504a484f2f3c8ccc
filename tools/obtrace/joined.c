/*
 * Processes that joined the job later than others: they made all wait before they had done
 * anything.
 */
#include <ctype.h>

#include "analysis.h"

int64_t obt_joined(const obt_analysis *a, uint32_t process)
{
    if (a->trace->processes[process].ended == 0)
        return -1;
    return obt_began(a, process) - a->begin;
}

/* Who joined first of those on this process's machine whose begin is known. */
static const obt_process *first_beside(const obt_analysis *a, uint32_t process)
{
    const obt_process *all = a->trace->processes, *first = NULL;
    for (size_t k = 0; k < a->active; k++) {
        const obt_process *p = &all[a->order[k]];
        if (p->born && p->machine == all[process].machine && (!first || p->began < first->began))
            first = p;
    }
    return all[process].born ? first : NULL;
}

/* What it joined late for: it was started late, or came late to its first call. */
static const char *reason(const obt_analysis *a, uint32_t process)
{
    enum { TICK = 10000000 }; /* of ob_trace_process.born: Linux counts a hundred a second */
    const obt_process *p = &a->trace->processes[process], *first = first_beside(a, process);
    if (!first || p->began - first->began < obt_joined(a, process) / 2)
        return "It was started late, or came late to its first call of the library.";
    int64_t later = p->born > first->born ? (int64_t)(p->born - first->born) : 0;
    return later >= (p->began - first->began) / TICK / 2
               ? "It was started late."
               : "It was started with the others, and came late to its first call of the library.";
}

int64_t obt_late_starts(const obt_analysis *a, const obt_delay **most, size_t *count)
{
    int64_t cost = 0;
    *most = NULL;
    *count = 0;
    for (size_t i = 0; i < a->delay_count; i++)
        if (a->delays[i].state == OBT_OFF) {
            obt_sum(&cost, a->delays[i].cost);
            *most = *most ? *most : &a->delays[i];
            ++*count;
        }
    return cost;
}

bool obt_say_late_start(obt_analysis *a)
{
    enum { LEAST = 3, GAINS = 2, MUCH = 40 };
    const obt_delay *most;
    char name[32], late[32], time[32], gain[256], more[64] = "";
    size_t count;
    int64_t cost = obt_late_starts(a, &most, &count);
    if (!most || (obt_percent(cost, obt_recorded(&a->all)) < LEAST &&
                  obt_percent(most->gain, a->end - a->begin) < GAINS))
        return false;
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more %s late, too", count - 1,
                 count == 2 ? "process was" : "processes were");
    obt_process_name(a, most->process, name);
    obt_say(
        a, "%c%s joined %s after the first process%s: %d %% of all waiting (%s) is for that. %s",
        toupper((unsigned char)*name), name + 1, obt_show_time(obt_joined(a, most->process), late),
        more, obt_percent(cost, obt_blocked(&a->all)), obt_show_time(cost, time),
        reason(a, most->process));
    if (!a->disturbed && *obt_gain_text(a, most, gain) && !obt_next_to_nothing(a, most->gain)) {
        obt_say(a, "Try to have all processes come to their first call of the library together.%s",
                gain);
        obt_tell_gain(a, most->gain);
    }
    return obt_percent(cost, obt_blocked(&a->all)) >= MUCH;
}
