/*
 * What the page knows beside the trace: call sites, the grid, supersteps.
 */
#include <stdlib.h>

#include "analysis.h"

enum { MOST_PLACES = 2000, MOST_STEPS = 20000 };

static void put_places(const obt_analysis *a, const uint32_t *place, const uint32_t *row, FILE *out)
{
    size_t count;
    char text[360];
    obt_place *all = obt_find_places(a, &count);
    fputs("\"places\":[", out);
    for (size_t i = 0; i < count && i < MOST_PLACES; i++) {
        const obt_call *c = &a->calls[all[i].longest];
        fprintf(out, "%s\n{\"call\":", i ? "," : "");
        obt_json_text(out, obt_call_name(a->trace, all[i].routine, all[i].site, text, sizeof text));
        fprintf(out,
                ",\"routine\":%u,\"calls\":%zu,\"time\":%lld,\"blocked\":%lld,\"bytes\":%lld,"
                "\"process\":%u,\"begin\":%lld,\"end\":%lld}",
                row[all[i].routine], all[i].calls, (long long)all[i].time,
                (long long)all[i].blocked, (long long)all[i].bytes, place[c->process],
                (long long)(c->begin - a->begin), (long long)(c->end - a->begin));
    }
    fputs("],\n", out);
    free(all);
}

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
    char text[360];
    obt_find_supersteps(a, &all);
    fprintf(out, "\"gap\":%.6f,\"latency\":%.1f,\"apart\":%s,\"supersteps\":[", all.gap,
            all.latency, all.apart ? "true" : "false");
    for (size_t i = 0; i < all.count && i < MOST_STEPS; i++) {
        const obt_superstep *s = &all.step[i];
        const obt_call *c = &a->calls[s->call];
        fprintf(out,
                "%s\n{\"members\":%u,\"begin\":%lld,\"came\":%lld,\"end\":%lld,\"work\":%lld,"
                "\"mean\":%lld,\"slowest\":%u,\"stopped\":%lld,\"wait\":%lld,\"h\":%lld,\"call\":",
                i ? "," : "", s->members, (long long)(s->begin - a->begin),
                (long long)(s->came - a->begin), (long long)(s->end - a->begin), (long long)s->work,
                (long long)(s->work_sum / s->members), place[s->slowest], (long long)s->stopped,
                (long long)(s->wait / s->members), (long long)obt_h(s));
        obt_json_text(out, obt_call_name(a->trace, c->routine, c->site, text, sizeof text));
        putc('}', out);
    }
    fputs("],\n", out);
    obt_free_supersteps(&all);
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

void obt_report_more(const obt_analysis *a, const uint32_t *place, const uint32_t *row, FILE *out)
{
    put_places(a, place, row, out);
    put_grid(a, place, out);
    put_supersteps(a, place, out);
    put_part_rows(a, place, out);
}
