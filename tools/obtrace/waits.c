/*
 * Wait states and the costs of delays, in words.
 */
#include "analysis.h"

enum { ROWS_SHOWN = 12, LEAST = 1 }; /* rows of less than 1 % are counted */

const char *obt_call_name(const obt_trace *t, uint32_t routine, int32_t site, char *text,
                          size_t room)
{
    const char *name = routine == OBT_NO_CALL ? "no routine" : t->routines[routine].name;
    if (site >= 0)
        snprintf(text, room, "%s called from %s", name, t->sites[site]);
    else
        snprintf(text, room, "%s", name);
    return text;
}

static const char *name_of(const obt_analysis *a, uint32_t call, const char *none, char text[160])
{
    const obt_call *c = call == OBT_NO_CALL ? NULL : &a->calls[call];
    if (c)
        return obt_call_name(a->trace, c->routine, c->site, text, 160);
    return none;
}

const char *obt_delay_name(const obt_analysis *a, const obt_delay *d, char *text, size_t room)
{
    char before[160], after[160];
    const char *first = name_of(a, d->before, "its begin", before);
    if (d->state == OBT_COMPUTING || d->state == OBT_NOT_RUNNING)
        snprintf(text, room, "%s between %s and %s",
                 d->state == OBT_COMPUTING ? "computing" : "not running", first,
                 name_of(a, d->after, "its end", after));
    else if (d->state == OBT_LIBRARY)
        snprintf(text, room, "work in %s", first);
    else
        snprintf(text, room, "waiting for data under way in %s", first);
    return text;
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void print_reasons(const obt_analysis *a, FILE *out)
{
    char time[32], longest[32], call[160];
    int64_t all = obt_blocked(&a->all);
    fprintf(out, "\n  %-26s %9s %10s %7s %10s  %s\n", "why they waited", "waits", "time", "of all",
            "longest", "in");
    size_t shown = 0;
    for (; shown < a->late_row_count && shown < ROWS_SHOWN &&
           share(a->late_rows[shown].time, all) >= LEAST;
         shown++) {
        const obt_late_row *r = &a->late_rows[shown];
        const obt_wait *w = &a->waits[r->longest];
        fprintf(out, "  %-26s %9zu %10s %5.1f %% %10s  %s\n", obt_pattern_names[r->pattern],
                r->waits, obt_show_time(r->time, time), share(r->time, all),
                obt_show_time(w->end - w->begin, longest),
                obt_call_name(a->trace, r->routine, r->site, call, sizeof call));
    }
    if (a->late_row_count > shown)
        fprintf(out, "  (and %zu smaller ones)\n", a->late_row_count - shown);
}

static void print_delays(const obt_analysis *a, FILE *out)
{
    char time[32], begin[32], end[32], name[32], what[360];
    size_t shown = 0;
    fprintf(out, "\n  what made others wait: %s of the waiting was for those who came late\n",
            obt_show_time(a->late, time));
    for (; shown < a->delay_count && shown < ROWS_SHOWN &&
           share(a->delays[shown].cost, a->late) >= LEAST;
         shown++) {
        const obt_delay *d = &a->delays[shown];
        fprintf(out, "  %10s %5.1f %%  %s, %s; most from %s to %s\n", obt_show_time(d->cost, time),
                share(d->cost, a->late), obt_process_name(a, d->process, name),
                obt_delay_name(a, d, what, sizeof what), obt_show_time(d->begin - a->begin, begin),
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
    char what[360];
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
        fprintf(out, "delay %lld process %d begin %lld end %lld %s\n", (long long)d->cost,
                a->trace->processes[d->process].id, (long long)(d->begin - a->begin),
                (long long)(d->end - a->begin), obt_delay_name(a, d, what, sizeof what));
    }
}
