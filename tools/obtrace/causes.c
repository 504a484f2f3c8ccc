/*
 * The summary's sentences about causes: who made the others wait, where and by how much, and where
 * data goes that one process takes alone.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

/* Of every sentence here. */
#define say obt_say
#define percent obt_percent

/* What a process that was there cost the others. */
static int64_t caused(const obt_analysis *a, uint32_t process)
{
    for (size_t i = 0; i < a->delay_count; i++)
        if (a->delays[i].process == process && a->delays[i].state == OBT_OFF)
            return a->sums[process].caused - a->delays[i].cost;
    return a->sums[process].caused;
}

/* The process that cost the others most, and how much. */
static uint32_t costliest(const obt_analysis *a, int64_t *all)
{
    uint32_t most = a->order[0];
    *all = caused(a, most);
    for (size_t k = 1; k < a->active; k++) {
        int64_t other = caused(a, a->order[k]);
        most = other > *all ? a->order[k] : most;
        *all = other > *all ? other : *all;
    }
    return most;
}

const obt_delay *obt_costliest_delay(const obt_analysis *a)
{
    int64_t all;
    uint32_t most = a->active ? costliest(a, &all) : UINT32_MAX;
    for (size_t i = 0; i < a->delay_count; i++)
        if (a->delays[i].process == most && a->delays[i].state != OBT_OFF)
            return &a->delays[i];
    return NULL;
}

/* Whether a process takes clearly longer at one place than the others. */
static bool takes_longer(const obt_delay *d)
{
    return d->times > 1 && (d->others > 0 || d->elsewhere) &&
           d->typical > d->others + d->others / 5;
}

/* How long it takes there, beside the others. */
static void say_typical(obt_analysis *a, const obt_delay *d, const char *name, const char *gain)
{
    char time[32], others[32], usual[32], own[160];
    obt_show_time(d->typical, time);
    obt_show_time(d->others, others);
    if (d->rare)
        snprintf(own, sizeof own, "%zu of %zu times %s takes %s there, the rest of them %s",
                 d->rare, d->times, name, time, obt_show_time(d->usual, usual));
    else
        snprintf(own, sizeof own, "There %s takes %s (median of %zu times)", name, time, d->times);
    *own = (char)toupper((unsigned char)*own);
    if (d->elsewhere)
        say(a, "%s; behind the same call the other processes come to their next one after %s.%s",
            own, others, gain);
    else if (d->rare)
        say(a, "%s; the other processes take %s in their longest %zu.%s", own, others, d->rare,
            gain);
    else
        say(a, "%s, the other processes %s.%s", own, others, gain);
}

static void advise_typical(obt_analysis *a, const obt_delay *d, const char *name, const char *where,
                           const char *gain)
{
    char time[32], others[32];
    if (d->state == OBT_NOT_RUNNING && d->asleep)
        say(a,
            "Try to find out why %s sleeps %s: it computes nothing there, but sleeps, reads "
            "files, or is in another library%s.%s",
            name, where, d->unsure ? ", or others have its processor" : "", gain);
    else if (d->state == OBT_NOT_RUNNING)
        say(a, "Try to leave %s a processor of its own %s: others had it.%s", name, where, gain);
    else if (d->elsewhere)
        say(a, "Try to give %s less to do %s, or let the other processes do part of it.%s", name,
            where, gain);
    else
        say(a, "Try to give %s as much to do %s as the others have: %s, not %s.%s", name, where,
            obt_show_time(d->others, others), obt_show_time(d->typical, time), gain);
}

/* ", 90 % of it by bsp_put called from ...", or nothing. The buffer is the result. */
static const char *most_by(const obt_analysis *a, int64_t bytes, const obt_asked *by, char *text,
                           size_t room)
{
    char call[600];
    *text = '\0';
    if (by->bytes > 0 && bytes > 0)
        snprintf(text, room, ", %d %% of it by %s",
                 percent(by->bytes < bytes ? by->bytes : bytes, bytes),
                 obt_call_name(a->trace, by->routine, by->site, call, sizeof call));
    return text;
}

/* All else that would gain, where that is worth a sentence: of another process also what it costs.
 * first: of what was told; followed: it was advised on. True: there was something. */
static bool advise_others(obt_analysis *a, const obt_delay *first, bool followed)
{
    enum { LEAST = 2 };
    char name[32], place[600], gain[256], time[32];
    bool any = false;
    for (size_t i = 0; i < a->delay_count; i++) {
        const obt_delay *d = &a->delays[i];
        if ((d == first && followed) || !obt_outside(d) || !takes_longer(d) ||
            percent(d->gain, a->end - a->begin) < LEAST)
            continue;
        obt_process_name(a, d->process, name);
        if (d->process != first->process)
            say(a, "%c%s made others wait, too: %d %% of all waiting (%s): %s.",
                toupper((unsigned char)*name), name + 1, percent(d->cost, obt_blocked(&a->all)),
                obt_show_time(d->cost, time), obt_delay_name(a, d, place, sizeof place));
        advise_typical(a, d, name, obt_delay_place(a, d, place, sizeof place),
                       obt_gain_text(a, d, gain));
        obt_tell_gain(a, d->gain);
        any = true;
    }
    return any;
}

/* The process that cost the others most, and the stretch of its program that cost most of that.
 * True: what is said of it is the advice to follow. */
static bool say_delays(obt_analysis *a, bool advise)
{
    enum { LEAST = 3, MUCH = 40 };
    char name[32], time[32], others[32], part[48] = "", what[600], by[700], gain[256];
    const obt_delay *d = obt_costliest_delay(a);
    int64_t all;
    uint32_t most = costliest(a, &all);
    if (!d || percent(all, obt_recorded(&a->all)) < LEAST)
        return false;
    if (d->cost < all)
        snprintf(part, sizeof part, ", %s of it", obt_show_time(d->cost, time));
    obt_process_name(a, most, name);
    say(a, "%c%s made others wait: %d %% of all waiting (%s)%s: %s.", toupper((unsigned char)*name),
        name + 1, percent(all, obt_blocked(&a->all)), obt_show_time(all, others), part,
        obt_delay_name(a, d, what, sizeof what));
    if (*obt_delay_where(a, d, what, sizeof what))
        say(a, "That time lies %s, or in a function called there that does not communicate.%s",
            what,
            a->asked_count ? " It may hold puts and gets: a trace has no times of these." : "");
    if (d->bytes >= 1 << 20)
        say(a, "In the costliest of these calls %s came to it%s.", obt_show_bytes(d->bytes, others),
            most_by(a, d->bytes, &d->by, by, sizeof by));
    obt_gain_text(a, d, gain);
    bool longer = takes_longer(d), follow = longer && advise && obt_outside(d) &&
                                            !obt_next_to_nothing(a, d->gain) &&
                                            percent(all, obt_blocked(&a->all)) >= MUCH;
    if (longer)
        say_typical(a, d, name, follow ? "" : gain);
    if (follow) {
        advise_typical(a, d, name, obt_delay_place(a, d, what, sizeof what), gain);
        obt_tell_gain(a, d->gain);
    }
    return (advise && advise_others(a, d, follow)) || follow;
}

/* Late starts and what processes did later, whichever cost more first. */
bool obt_say_causes(obt_analysis *a, bool advise)
{
    const obt_delay *late;
    size_t count;
    int64_t all, away = obt_late_starts(a, &late, &count);
    costliest(a, &all);
    if (away < all) {
        bool followed = say_delays(a, advise);
        return obt_say_late_start(a) || followed;
    }
    bool followed = obt_say_late_start(a);
    return say_delays(a, advise) || followed;
}

/* Waiting in which all had come, and no data was under way; of all processes. */
void obt_say_went_on_late(obt_analysis *a)
{
    enum { LEAST = 3, STANDS_OUT = 10 };
    char time[32], none[32], starved[96] = "";
    int64_t no_processor = obt_late_by(a, OBT_NO_PROCESSOR), all = no_processor;
    obt_sum(&all, obt_late_by(a, OBT_LATE_TO_GO_ON));
    if (percent(all, obt_blocked(&a->all)) < STANDS_OUT ||
        percent(all, obt_recorded(&a->all)) < LEAST)
        return;
    if (percent(no_processor, all) > 0)
        snprintf(starved, sizeof starved,
                 " For %s of it they had no processor, as the system says.",
                 obt_show_time(no_processor, none));
    say(a,
        "%d %% of all waiting (%s) is for nobody: those who waited could go on, and did so late, "
        "for the system let others run, or woke them late.%s",
        percent(all, obt_blocked(&a->all)), obt_show_time(all, time), starved);
}

/* The call site that asked supersteps for most of what goes to a process, or comes from it. */
static obt_asked most_asked(const obt_analysis *a, uint32_t process, bool from)
{
    obt_asked most = {.bytes = 0};
    obt_map sums = {0};
    obt_asked *all = obt_memory(a->asked_count, sizeof *all);
    for (size_t i = 0; i < a->asked_count; i++) {
        const obt_asked *k = &a->asked[i];
        if (k->to == k->from || (from ? k->from : k->to) != process)
            continue;
        int64_t place = (int64_t)k->routine * ((int64_t)a->trace->site_count + 1) + k->site + 1;
        obt_asked *sum = &all[obt_map_take(&sums, place, sums.count)];
        sum->routine = k->routine;
        sum->site = k->site;
        obt_sum(&sum->bytes, k->bytes);
        most = sum->bytes > most.bytes ? *sum : most;
    }
    obt_map_free(&sums);
    free(all);
    return most;
}

/* For how long a process is at work on its messages, or waits for what is under way. */
static int64_t time_for_data(const obt_analysis *a, uint32_t process)
{
    int64_t sum = a->sums[process].state[OBT_LIBRARY];
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        if (w->process == process && w->rest == OBT_UNDER_WAY)
            obt_sum(&sum, w->end - w->begin - w->late - w->delayed);
    }
    return sum;
}

static void advise_hot_spot(obt_analysis *a, uint32_t process, bool from)
{
    enum { LEAST = 2 };
    char name[32], time[32];
    int64_t takes = time_for_data(a, process);
    int share = percent(takes, a->end - a->begin);
    obt_process_name(a, process, name);
    if (share < LEAST)
        say(a,
            "That costs little: %s is at work on its messages, or waits for what is under way, "
            "for %s.",
            name, obt_show_time(takes, time));
    else if (from)
        say(a,
            "Try to spread what comes from %s over several processes, or to broadcast it. It "
            "takes %s for that, %d %% of the run, and that is about what can be won.",
            name, obt_show_time(takes, time), share);
    else
        say(a,
            "Try to combine what goes to %s in each process first, so that results alone go "
            "there, or to spread it over several processes. It takes %s for that, %d %% of the "
            "run, and that is about what can be won.",
            name, obt_show_time(takes, time), share);
    if (share >= LEAST)
        obt_tell_gain(a, takes);
}

/* One process that most bytes go to, or come from. */
void obt_say_hot_spots(obt_analysis *a, bool advise)
{
    enum { FEW = 3, MOST = 60, WAITS = 10 };
    char name[32], bytes[32], by[700];
    for (int from = 0; from < 2; from++)
        for (size_t k = 0; k < a->active && a->active >= FEW; k++) {
            const obt_sums *s = &a->sums[a->order[k]];
            int64_t own = from ? s->sent_bytes : s->received_bytes;
            int share = percent(own, a->all.sent_bytes);
            if (share < MOST || a->all.sent_bytes < 1 << 20)
                continue;
            obt_asked most = most_asked(a, a->order[k], from);
            say(a, "%d %% of all bytes (%s) %s %s%s.", share, obt_show_bytes(own, bytes),
                from ? "come from" : "go to", obt_process_name(a, a->order[k], name),
                most_by(a, own, &most, by, sizeof by));
            if (advise && percent(obt_blocked(&a->all), obt_recorded(&a->all)) >= WAITS)
                advise_hot_spot(a, a->order[k], from);
        }
}
