/*
 * Wait states and the costs of delays, in words.
 */
#include <ctype.h>

#include "analysis.h"

const char *const obt_pattern_names[OBT_PATTERNS] = {"data under way",
                                                     "late to go on",
                                                     "no processor",
                                                     "late sender",
                                                     "wrong order",
                                                     "late receiver",
                                                     "late broadcast",
                                                     "early reduce",
                                                     "wait at N x N",
                                                     "wait at a barrier",
                                                     "wait at a superstep's end"};

enum { ROWS_SHOWN = 12, LEAST = 1 }; /* rows of less than 1 % are counted */

static const char *name_of(const obt_analysis *a, uint32_t call, const char *none, char text[256])
{
    const obt_call *c = call == OBT_NO_CALL ? NULL : &a->calls[call];
    if (c)
        return obt_call_name(a->trace, c->routine, c->site, text, 256);
    return none;
}

const char *obt_delay_place(const obt_analysis *a, const obt_delay *d, char *text, size_t room)
{
    char before[256], after[256];
    const char *first = name_of(a, d->before, "its begin", before);
    if (!obt_outside(d))
        snprintf(text, room, "in %s", first);
    else if (d->afters > 1)
        snprintf(text, room, "after %s, before calls at %zu places", first, d->afters);
    else
        snprintf(text, room, "between %s and %s%s", first, name_of(a, d->after, "its end", after),
                 d->ends ? ", or its end" : "");
    return text;
}

const char *obt_delay_name(const obt_analysis *a, const obt_delay *d, char *text, size_t room)
{
    static const char *const rests[] = {[OBT_UNDER_WAY] = "waiting for data under way",
                                        [OBT_LATE_TO_GO_ON] = "late to go on",
                                        [OBT_NO_PROCESSOR] = "without a processor"};
    char place[560], time[32];
    obt_delay_place(a, d, place, sizeof place);
    if (d->state == OBT_OFF)
        snprintf(text, room, "late start: it joined %s after the first process",
                 obt_show_time(d->end - d->begin, time));
    else
        snprintf(text, room, "%s %s",
                 d->state == OBT_COMPUTING     ? "computing"
                 : d->state == OBT_LIBRARY     ? "work"
                 : d->state != OBT_NOT_RUNNING ? rests[d->rest]
                 : d->unsure                   ? "asleep or not running"
                 : d->asleep                   ? "asleep"
                                               : "not running",
                 place);
    return text;
}

const char *obt_gain_name(const obt_delay *d)
{
    return d->state == OBT_OFF ? "if all had joined with the first"
           : d->others < 0     ? "if it took no time there"
                               : "if it took there what the others take";
}

const char *obt_gain_text(const obt_analysis *a, const obt_delay *d, char text[256])
{
    char time[32], run[32];
    int64_t length = a->end - a->begin;
    *text = '\0';
    if (d->gain > 0 && obt_percent(d->gain, length) > 0)
        snprintf(
            text, 256,
            " %c%s, the run would take about %s less of its %s (%d %%): predicted by a replay.",
            toupper((unsigned char)*obt_gain_name(d)), obt_gain_name(d) + 1,
            obt_show_time(d->gain, time), obt_show_time(length, run), obt_percent(d->gain, length));
    return text;
}

int64_t obt_late_by(const obt_analysis *a, obt_pattern pattern)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->late_row_count; i++)
        if (a->late_rows[i].pattern == pattern)
            obt_sum(&sum, a->late_rows[i].time);
    return sum;
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void print_reasons(const obt_analysis *a, FILE *out)
{
    char time[32], longest[32], call[256];
    int64_t all = obt_blocked(&a->all);
    fprintf(out, "\n  %-26s %9s %10s %7s %10s  %s\n", "why they waited", "waits", "time", "of all",
            "longest", "in");
    size_t shown = 0;
    for (; shown < a->late_row_count && shown < ROWS_SHOWN &&
           share(a->late_rows[shown].time, all) >= LEAST;
         shown++) {
        const obt_late_row *r = &a->late_rows[shown];
        fprintf(out, "  %-26s %9zu %10s %5.1f %% %10s  %s\n", obt_pattern_names[r->pattern],
                r->waits, obt_show_time(r->time, time), share(r->time, all),
                obt_show_time(r->most, longest),
                obt_call_name(a->trace, r->routine, r->site, call, sizeof call));
    }
    if (a->late_row_count > shown)
        fprintf(out, "  (and %zu smaller ones)\n", a->late_row_count - shown);
}

static void print_delays(const obt_analysis *a, FILE *out)
{
    char time[32], begin[32], end[32], name[32], what[600], typical[200];
    int64_t all = obt_blocked(&a->all);
    size_t shown = 0;
    fprintf(out,
            "\n  what made others wait: %s, %.1f %% of all waiting, was for those who came late; "
            "the same "
            "time by cause\n",
            obt_show_time(a->late, time), share(a->late, all));
    for (;
         shown < a->delay_count && shown < ROWS_SHOWN && share(a->delays[shown].cost, all) >= LEAST;
         shown++) {
        const obt_delay *d = &a->delays[shown];
        obt_typical_name(d, typical, sizeof typical);
        char gain[128] = "", less[32];
        if (d->gain > 0 && share(d->gain, a->end - a->begin) >= LEAST)
            snprintf(gain, sizeof gain, "; %s, the run would take %s less (%.0f %%), predicted",
                     obt_gain_name(d), obt_show_time(d->gain, less),
                     share(d->gain, a->end - a->begin));
        fprintf(out, "  %10s %5.1f %%  %s, %s%s%s%s; most from %s to %s\n",
                obt_show_time(d->cost, time), share(d->cost, all),
                obt_process_name(a, d->process, name), obt_delay_name(a, d, what, sizeof what),
                *typical ? ": " : "", typical, gain, obt_show_time(d->begin - a->begin, begin),
                obt_show_time(d->end - a->begin, end));
    }
    if (a->delay_count > shown)
        fprintf(out, "  (and %zu smaller ones)\n", a->delay_count - shown);
}

void obt_stat_late(const obt_analysis *a, FILE *out)
{
    if (a->late_row_count)
        print_reasons(a, out);
    if (a->delay_count)
        print_delays(a, out);
}

void obt_stat_late_plain(const obt_analysis *a, FILE *out)
{
    char what[600];
    int64_t by_pattern[OBT_PATTERNS] = {0};
    fprintf(out, "late %lld\n", (long long)a->late);
    for (size_t i = 0; i < a->late_row_count; i++)
        obt_sum(&by_pattern[a->late_rows[i].pattern], a->late_rows[i].time);
    for (int k = 0; k < OBT_PATTERNS; k++)
        if (by_pattern[k])
            fprintf(out, "pattern %lld %s\n", (long long)by_pattern[k], obt_pattern_names[k]);
    for (size_t i = 0; i < a->late_row_count; i++) {
        const obt_late_row *r = &a->late_rows[i];
        fprintf(out, "why %lld waits %zu %s in %s\n", (long long)r->time, r->waits,
                obt_pattern_names[r->pattern],
                obt_call_name(a->trace, r->routine, r->site, what, sizeof what));
    }
    for (size_t i = 0; i < a->delay_count; i++) {
        const obt_delay *d = &a->delays[i];
        if (d->gain >= 0)
            fprintf(out, "gain %lld process %d %s\n", (long long)d->gain,
                    a->trace->processes[d->process].id, obt_delay_name(a, d, what, sizeof what));
        fprintf(out, "delay %lld process %d begin %lld end %lld %s\n", (long long)d->cost,
                a->trace->processes[d->process].id, (long long)(d->begin - a->begin),
                (long long)(d->end - a->begin), obt_delay_name(a, d, what, sizeof what));
    }
}
