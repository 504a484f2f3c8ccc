/*
 * Stretches of processes between places of their program, and those of one cause as one row.
 */
#include <stdlib.h>

#include "late.h"

enum { LOOK_BACK = 256 };

void obt_note_place(const obt_analysis *a, const obt_delay *d, int64_t place[4])
{
    const uint32_t ends[] = {d->before, d->after};
    for (int k = 0; k < 2; k++) {
        const obt_call *c = ends[k] == OBT_NO_CALL ? NULL : &a->calls[ends[k]];
        place[2 * k] = c ? (int64_t)c->routine : -1;
        place[2 * k + 1] = c ? c->site : -1;
    }
}

/* The call before or after what a process does outside calls, which may be in several spans. */
static uint32_t call_beside(const obt_analysis *a, size_t span, size_t limit, int step)
{
    for (int tries = 0; span != limit && tries < LOOK_BACK; tries++) {
        span = step > 0 ? span + 1 : span - 1;
        if (a->spans[span].call != OBT_NO_CALL)
            return a->spans[span].call;
    }
    return OBT_NO_CALL;
}

obt_delay obt_stretch_in(const obt_analysis *a, const obt_times *times, uint32_t process, size_t k,
                         int64_t begin, int64_t end)
{
    size_t first = a->first_span[process], last = times->end[process];
    obt_class class = obt_class_of(a->spans[k].state);
    bool outside = class == OBT_WORKS || class == OBT_STOPS;
    bool cut = k + 1 < last && a->spans[k + 1].begin < end;
    return (obt_delay){.process = process,
                       .state = a->spans[k].state,
                       .asleep = a->spans[k].asleep,
                       .unsure = a->spans[k].unsure,
                       .before = outside ? call_beside(a, k, first, -1) : a->spans[k].call,
                       .after = outside ? call_beside(a, k, last - 1, 1) : OBT_NO_CALL,
                       .begin = a->spans[k].begin > begin ? a->spans[k].begin : begin,
                       .end = cut ? a->spans[k + 1].begin : end};
}

/* Of what is done outside calls one cause is what follows one call, whichever comes next. */
static int by_cause(const void *x, const void *y)
{
    const obt_stretch *a = x, *b = y;
    int c = obt_compare(a->delay.process, b->delay.process);
    c = c ? c : obt_compare(a->delay.state, b->delay.state);
    c = c ? c : obt_compare(a->delay.asleep, b->delay.asleep);
    c = c ? c : obt_compare(a->delay.unsure, b->delay.unsure);
    c = c ? c : obt_compare(a->delay.rest, b->delay.rest);
    c = c ? c : obt_compare(a->place[0], b->place[0]);
    return c ? c : obt_compare(a->place[1], b->place[1]);
}

static int by_place(const void *x, const void *y)
{
    const obt_stretch *a = x, *b = y;
    int c = by_cause(a, b);
    c = c ? c : obt_compare(a->place[2], b->place[2]);
    return c ? c : obt_compare(a->place[3], b->place[3]);
}

static int by_cost(const void *x, const void *y)
{
    const obt_delay *a = x, *b = y;
    int c = obt_compare(b->cost, a->cost);
    c = c ? c : obt_compare(a->begin, b->begin); /* the order of processes is the file's */
    return c ? c : obt_compare(a->process, b->process);
}

/* With the stretch that cost most. */
size_t obt_join_stretches(obt_stretch *rows, size_t count, obt_delay *out)
{
    size_t n = 0, afters = 0;
    bool ends = false;
    uint32_t after = OBT_NO_CALL;
    int64_t worst = 0, sum = 0;
    if (count)
        qsort(rows, count, sizeof *rows, by_place);
    for (size_t i = 0; i < count; i++) {
        const obt_stretch *next = &rows[i];
        if (i == 0 || by_cause(next - 1, next)) {
            n++;
            afters = 0;
            ends = false;
            after = OBT_NO_CALL;
            worst = sum = 0;
        }
        bool same = afters > 0 && by_place(next - 1, next) == 0;
        bool ended = next->place[2] < 0;
        afters += !same && !ended;
        ends = ends || ended;
        if (!ended)
            after = next->delay.after;
        if (next->delay.cost > worst) {
            worst = next->delay.cost;
            out[n - 1] = next->delay;
        }
        obt_sum(&sum, next->delay.cost);
        out[n - 1].cost = sum;
        out[n - 1].afters = afters ? afters : 1;
        out[n - 1].ends = ends && afters;
        if (out[n - 1].after == OBT_NO_CALL)
            out[n - 1].after = after;
    }
    if (n)
        qsort(out, n, sizeof *out, by_cost);
    return n;
}
