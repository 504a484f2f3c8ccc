/*
 * Who asked supersteps to move what: puts, gets and messages of BSP programs, by call site.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

static int by_superstep(const void *x, const void *y)
{
    const obt_asked *a = x, *b = y;
    int c = obt_compare(a->group, b->group);
    c = c ? c : obt_compare(a->number, b->number);
    c = c ? c : obt_compare(a->routine, b->routine);
    return c ? c : obt_compare(a->site, b->site);
}

static int by_place(const void *x, const void *y)
{
    const obt_asked *a = x, *b = y;
    int c = obt_compare(a->routine, b->routine);
    c = c ? c : obt_compare(a->site, b->site);
    return c ? c : obt_compare(a->to, b->to);
}

static int by_bytes(const void *x, const void *y)
{
    const obt_asked_row *a = x, *b = y;
    int c = obt_compare(b->bytes, a->bytes);
    c = c ? c : obt_compare(a->routine, b->routine);
    return c ? c : obt_compare(a->site, b->site);
}

void obt_sort_asked(obt_analysis *a)
{
    if (a->asked_count)
        qsort(a->asked, a->asked_count, sizeof *a->asked, by_superstep);
}

/* What was asked for one superstep stands together. */
static const obt_asked *of_superstep(const obt_analysis *a, const obt_call *c, size_t *count)
{
    obt_asked wanted = {.group = c->group, .number = c->number, .site = INT32_MIN};
    size_t low = 0, high = a->asked_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_superstep(&a->asked[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < a->asked_count && a->asked[high].group == c->group &&
                     a->asked[high].number == c->number;)
        high++;
    *count = high - low;
    return a->asked + low;
}

obt_asked obt_asked_most(const obt_analysis *a, const obt_call *c, uint32_t to, uint32_t from)
{
    size_t count = 0;
    obt_asked most = {.bytes = 0}, sum = {.bytes = 0};
    const obt_asked *of = c->topology == OBT_SUPERSTEP ? of_superstep(a, c, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        bool counts = of[i].to != of[i].from && (to == UINT32_MAX || of[i].to == to) &&
                      (from == UINT32_MAX || of[i].from == from);
        if (i == 0 || of[i].routine != sum.routine || of[i].site != sum.site)
            sum = (obt_asked){.routine = of[i].routine, .site = of[i].site};
        obt_sum(&sum.bytes, counts ? of[i].bytes : 0);
        obt_sum(&sum.calls, counts ? of[i].calls : 0);
        most = sum.bytes > most.bytes ? sum : most;
    }
    return most;
}

obt_asked_row *obt_find_asked_rows(const obt_analysis *a, size_t *count)
{
    obt_asked *all = obt_memory(a->asked_count, sizeof *all);
    obt_asked_row *rows = obt_memory(a->asked_count, sizeof *rows);
    int64_t one = 0; /* to the process of all[i] */
    *count = 0;
    if (a->asked_count) {
        memcpy(all, a->asked, a->asked_count * sizeof *all);
        qsort(all, a->asked_count, sizeof *all, by_place);
    }
    for (size_t i = 0; i < a->asked_count; i++) {
        bool first =
            i == 0 || all[i].routine != all[i - 1].routine || all[i].site != all[i - 1].site;
        if (first)
            rows[(*count)++] = (obt_asked_row){.routine = all[i].routine, .site = all[i].site};
        obt_asked_row *r = &rows[*count - 1];
        one = first || all[i].to != all[i - 1].to ? 0 : one;
        obt_sum(&one, all[i].bytes);
        obt_sum(&r->calls, all[i].calls);
        obt_sum(&r->bytes, all[i].bytes);
        obt_sum(&r->itself, all[i].from == all[i].to ? all[i].bytes : 0);
        if (one > r->most) {
            r->most = one;
            r->to = all[i].to;
        }
    }
    if (*count)
        qsort(rows, *count, sizeof *rows, by_bytes);
    free(all);
    return rows;
}

void obt_print_asked(const obt_analysis *a, bool plain, FILE *out)
{
    enum { SHOWN = 12 };
    size_t count;
    char bytes[32], name[32], call[600];
    obt_asked_row *rows = obt_find_asked_rows(a, &count);
    if (count && !plain)
        fprintf(out, "\n  %9s %12s %12s  %s\n", "calls", "bytes", "most to",
                "asked supersteps for data");
    for (size_t i = 0; i < count && (plain || i < SHOWN); i++) {
        const obt_asked_row *r = &rows[i];
        obt_call_name(a->trace, r->routine, r->site, call, sizeof call);
        if (plain)
            fprintf(out, "asked %lld calls %lld most %lld to %d itself %lld %s\n",
                    (long long)r->bytes, (long long)r->calls, (long long)r->most,
                    a->trace->processes[r->to].id, (long long)r->itself, call);
        else
            fprintf(out, "  %9lld %12s %12s  %s\n", (long long)r->calls,
                    obt_show_bytes(r->bytes, bytes), obt_process_name(a, r->to, name), call);
    }
    if (!plain && count > SHOWN)
        fprintf(out, "  (and %zu smaller ones)\n", count - SHOWN);
    free(rows);
}
