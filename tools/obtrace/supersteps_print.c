/*
 * The table of supersteps in the terminal.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

enum { SHOWN = 40 };

static int64_t length_of(const obt_superstep *s)
{
    return s->work + (s->end - s->came);
}

static int by_length(const void *x, const void *y)
{
    return obt_compare(length_of(*(const obt_superstep *const *)y),
                       length_of(*(const obt_superstep *const *)x));
}

static int by_place(const void *x, const void *y)
{
    const obt_superstep *a = *(const obt_superstep *const *)x,
                        *b = *(const obt_superstep *const *)y;
    return a < b ? -1 : a > b;
}

static void print_plain(const obt_analysis *a, const obt_supersteps *all, FILE *out)
{
    fprintf(out, "supersteps %zu\ng %.6f\nl %.0f\n", all->count, all->gap, all->latency);
    for (size_t i = 0; i < all->count; i++) {
        const obt_superstep *s = &all->step[i];
        fprintf(out,
                "superstep %zu members %u begin %lld came %lld end %lld work %lld slowest %d mean "
                "%lld stopped %lld slept %lld unsure %lld wait %lld sent %lld received %lld "
                "predicted %lld last %d by %lld last-stopped %lld most %d mean-h %lld routine %s\n",
                i, s->members, (long long)(s->begin - a->begin), (long long)(s->came - a->begin),
                (long long)(s->end - a->begin), (long long)s->work,
                a->trace->processes[s->slowest].id, (long long)(s->work_sum / s->members),
                (long long)s->stopped, (long long)(s->slept - s->unsure), (long long)s->unsure,
                (long long)s->wait, (long long)s->sent, (long long)s->received,
                (long long)obt_predicted(all, s), a->trace->processes[s->last].id, (long long)s->by,
                (long long)s->last_stopped, a->trace->processes[s->most].id,
                (long long)(s->h_sum / s->members),
                a->trace->routines[a->calls[s->call].routine].name);
    }
}

static void print_head(const obt_analysis *a, const obt_supersteps *all, FILE *out)
{
    int64_t work = 0, moving = 0, predicted = 0, wait = 0, stopped = 0, slept = 0, unsure = 0,
            even = 0;
    char t[6][32];
    for (size_t i = 0; i < all->count; i++) {
        const obt_superstep *s = &all->step[i];
        obt_sum(&work, s->work);
        obt_sum(&even, s->work_sum / s->members);
        obt_sum(&moving, s->end - s->came);
        obt_sum(&predicted, obt_predicted(all, s));
        obt_sum(&wait, s->wait / s->members);
        obt_sum(&stopped, (s->stopped - s->slept) / s->members);
        obt_sum(&slept, (s->slept - s->unsure) / s->members);
        obt_sum(&unsure, s->unsure / s->members);
    }
    fprintf(out, "%s: %zu supersteps, %s of work (w), %s until all had their data (g h + l: %s)\n",
            a->trace->path, all->count, obt_show_time(work, t[0]), obt_show_time(moving, t[1]),
            obt_show_time(predicted, t[2]));
    if (all->apart)
        fprintf(out, "  Medians of these supersteps: g = %.3g ns a byte, l = %s.\n", all->gap,
                obt_show_time((int64_t)all->latency, t[0]));
    else
        fprintf(out,
                "  Their median is l = %s. All move about as much, so g cannot be told from l.\n",
                obt_show_time((int64_t)all->latency, t[0]));
    char either[64] = "";
    if (unsure)
        snprintf(either, sizeof either, ", %s asleep or not running", obt_show_time(unsure, t[0]));
    fprintf(
        out,
        "  A process waited %s for others to come, was asleep for %s and not running for %s%s, in "
        "the mean; w has neither. With even work w would be %s.\n",
        obt_show_time(wait, t[0]), obt_show_time(slept, t[1]), obt_show_time(stopped, t[2]), either,
        obt_show_time(even, t[3]));
}

static const char *number_of(const obt_analysis *a, uint32_t process, char text[16])
{
    int32_t id = a->trace->processes[process].id;
    if (id == OBT_HOST)
        strcpy(text, "host");
    else
        snprintf(text, 16, "%d", id);
    return text;
}

static void print_row(const obt_analysis *a, const obt_supersteps *all, const obt_superstep *s,
                      FILE *out)
{
    char t[6][32], h[2][32], name[3][16], text[600];
    const obt_call *c = &a->calls[s->call];
    fprintf(out, "  %6zu %10s %10s %10s %7s %7s %10s %10s %7s %10s %10s %10s  %s\n",
            (size_t)(s - all->step), obt_show_time(s->came - a->begin, t[0]),
            obt_show_time(s->work, t[1]), obt_show_time(s->work_sum / s->members, t[2]),
            number_of(a, s->slowest, name[0]), number_of(a, s->last, name[1]),
            obt_show_time(s->wait / s->members, t[3]), obt_show_bytes(obt_h(s), h[0]),
            obt_h(s) * s->members == s->h_sum ? "all" : number_of(a, s->most, name[2]),
            obt_show_bytes(s->h_sum / s->members, h[1]), obt_show_time(s->end - s->came, t[4]),
            obt_show_time(obt_predicted(all, s), t[5]),
            obt_call_name(a->trace, c->routine, c->site, text, sizeof text));
}

void obt_print_parts(const obt_analysis *a, bool plain, FILE *out)
{
    size_t count;
    char t[3][32], name[32];
    obt_part_row *rows = obt_find_part_rows(a, &count);
    if (count && !plain)
        fprintf(out, "\n  %-16s %9s %12s %12s  %s\n", "part", "times", "mean", "most", "of");
    for (size_t i = 0; i < count; i++) {
        const obt_part_row *r = &rows[i];
        if (plain)
            fprintf(out, "part %s times %zu time %lld most %lld slowest %d\n",
                    a->trace->routines[r->name].name, r->times, (long long)r->time,
                    (long long)r->most, a->trace->processes[r->slowest].id);
        else
            fprintf(out, "  %-16s %9zu %12s %12s  %s\n", a->trace->routines[r->name].name, r->times,
                    obt_show_time(r->time / (int64_t)a->active, t[0]), obt_show_time(r->most, t[1]),
                    obt_process_name(a, r->slowest, name));
    }
    free(rows);
}

void obt_print_supersteps(const obt_analysis *a, const obt_supersteps *all, bool plain, FILE *out)
{
    if (plain) {
        print_plain(a, all, out);
        obt_print_parts(a, plain, out);
        return;
    }
    if (all->count == 0) {
        fprintf(out,
                "%s: no supersteps: the program called neither bsp_sync nor bsp2d_sync while it "
                "was recorded\n",
                a->trace->path);
        obt_print_parts(a, plain, out);
        return;
    }
    const obt_superstep **rows = obt_memory(all->count, sizeof *rows);
    size_t shown = all->count < SHOWN ? all->count : SHOWN;
    for (size_t i = 0; i < all->count; i++)
        rows[i] = &all->step[i];
    qsort(rows, all->count, sizeof *rows, by_length);
    qsort(rows, shown, sizeof *rows, by_place);
    print_head(a, all, out);
    fprintf(out, "\n  %6s %10s %10s %10s %7s %7s %10s %10s %7s %10s %10s %10s  %s\n", "number",
            "at", "w", "mean", "slowest", "last", "mean wait", "h", "of", "mean h", "sync",
            "g h + l", "ended by");
    for (size_t i = 0; i < shown; i++)
        print_row(a, all, rows[i], out);
    if (shown < all->count)
        fprintf(out,
                "  (the %zu longest of %zu supersteps; --plain prints all, the report draws all)\n",
                shown, all->count);
    obt_print_parts(a, plain, out);
    free(rows);
}
