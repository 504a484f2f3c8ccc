/*
 * What the page knows beside the trace: the grid, supersteps.
 */
#include <stdlib.h>

#include "analysis.h"

enum { MOST_STEPS = 20000 };

static void put_grid(const obt_analysis *a, const uint32_t *place, FILE *out)
{
    size_t rows, columns, n = 0;
    uint32_t *at = obt_find_grid(a, &rows, &columns);
    fprintf(out, "\"grid\":{\"rows\":%zu,\"columns\":%zu,\"places\":[", rows, columns);
    for (size_t i = 0; at && i < rows * columns; i++)
        if (at[i] != UINT32_MAX)
            fprintf(out, "%s[%u,%zu,%zu]", n++ ? "," : "", place[at[i]], i / columns, i % columns);
    fputs("]},\n", out);
    free(at);
}

static void put_supersteps(const obt_analysis *a, const uint32_t *place, FILE *out)
{
    obt_supersteps all;
    char text[600];
    obt_find_supersteps(a, &all);
    fprintf(out, "\"gap\":%.6f,\"latency\":%.1f,\"apart\":%s,\"supersteps\":[", all.gap,
            all.latency, all.apart ? "true" : "false");
    for (size_t i = 0; i < all.count && i < MOST_STEPS; i++) {
        const obt_superstep *s = &all.step[i];
        const obt_call *c = &a->calls[s->call];
        fprintf(out,
                "%s\n{\"members\":%u,\"begin\":%lld,\"came\":%lld,\"end\":%lld,\"work\":%lld,"
                "\"mean\":%lld,\"slowest\":%u,\"notRunning\":%lld,\"asleep\":%lld,\"unsure\":%lld,"
                "\"wait\":%lld,"
                "\"h\":%lld,"
                "\"last\":%u,\"by\":%lld,\"lastStopped\":%lld,\"most\":%u,\"meanH\":%lld,"
                "\"call\":",
                i ? "," : "", s->members, (long long)(s->begin - a->begin),
                (long long)(s->came - a->begin), (long long)(s->end - a->begin), (long long)s->work,
                (long long)(s->work_sum / s->members), place[s->slowest],
                (long long)((s->stopped - s->slept) / s->members),
                (long long)((s->slept - s->unsure) / s->members),
                (long long)(s->unsure / s->members), (long long)(s->wait / s->members),
                (long long)obt_h(s), place[s->last], (long long)s->by, (long long)s->last_stopped,
                place[s->most], (long long)(s->h_sum / s->members));
        obt_json_text(out, obt_call_name(a->trace, c->routine, c->site, text, sizeof text));
        putc('}', out);
    }
    fputs("],\n", out);
    obt_free_supersteps(&all);
}

static void put_asked(const obt_analysis *a, const uint32_t *place, FILE *out)
{
    enum { MOST = 1000 };
    size_t count;
    char text[600];
    obt_asked_row *rows = obt_find_asked_rows(a, &count);
    fputs("\"asked\":[", out);
    for (size_t i = 0; i < count && i < MOST; i++) {
        fprintf(out, "%s\n{\"routine\":", i ? "," : "");
        obt_json_text(out, a->trace->routines[rows[i].routine].name);
        fprintf(out,
                ",\"calls\":%lld,\"bytes\":%lld,\"most\":%lld,\"itself\":%lld,\"to\":%u,\"call\":",
                (long long)rows[i].calls, (long long)rows[i].bytes, (long long)rows[i].most,
                (long long)rows[i].itself, place[rows[i].to]);
        obt_json_text(out,
                      obt_call_name(a->trace, rows[i].routine, rows[i].site, text, sizeof text));
        putc('}', out);
    }
    fputs("],\n", out);
    free(rows);
}

static void put_part_rows(const obt_analysis *a, const uint32_t *place, FILE *out)
{
    size_t count;
    obt_part_row *rows = obt_find_part_rows(a, &count);
    fputs("\"parts\":[", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"name\":", i ? "," : "");
        obt_json_text(out, a->trace->routines[rows[i].name].name);
        fprintf(out, ",\"times\":%zu,\"time\":%lld,\"most\":%lld,\"slowest\":%u}", rows[i].times,
                (long long)rows[i].time, (long long)rows[i].most, place[rows[i].slowest]);
    }
    fputs("],\n", out);
    free(rows);
}

void obt_report_more(const obt_analysis *a, const uint32_t *place, FILE *out)
{
    put_grid(a, place, out);
    put_supersteps(a, place, out);
    put_asked(a, place, out);
    put_part_rows(a, place, out);
}
