/*
 * How much shorter a run would be without what made others wait: replays of the trace in which a
 * process takes for that what the other processes take, or all join with the first.
 */
#include <stdlib.h>
#include <string.h>

#include "whatif.h"

enum { ASKED = 8, MANY_EVENTS = 300000 }; /* of longer traces only one delay is asked for */

/* A stretch of a process, of which only the first `kept` nanoseconds of a class are to be left. */
typedef struct cut {
    int64_t begin, end, kept;
    uint32_t call; /* that it is within, or OBT_NO_CALL */
} cut;

typedef struct shorter {
    const obt_delay *delay;
    obt_analysis a; /* what is changed of it has memory of its own */
    obt_steps s;
    cut *cuts; /* of the delay's process, by time */
    size_t count, room;
} shorter;

static const obt_call *call_of(const obt_analysis *a, uint32_t call)
{
    return call == OBT_NO_CALL ? NULL : &a->calls[call];
}

static bool same_place(const obt_call *a, const obt_call *b)
{
    return a && b ? a->routine == b->routine && a->site == b->site : a == b;
}

/* What the others take there, or from the same call to another one; where they never are, nothing.
 */
static int64_t left_of(const obt_delay *d)
{
    return d->others >= 0 ? d->others : 0;
}

static void add_cut(shorter *q, int64_t begin, int64_t end, int64_t length, uint32_t call)
{
    int64_t left = left_of(q->delay);
    if (length <= left || length < q->delay->least)
        return;
    q->cuts = obt_grow(q->cuts, q->count, &q->room, sizeof *q->cuts);
    q->cuts[q->count++] = (cut){begin, end, left, call};
}

/* Calls stand by process, then by time of begin. */
static void find_cuts(shorter *q)
{
    const obt_analysis *a = &q->a;
    const obt_delay *d = q->delay;
    const obt_call *place = call_of(a, d->before), *after = call_of(a, d->after), *last = NULL;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        if (c->process != d->process || c->outer != OBT_NO_CALL)
            continue;
        int64_t since = last ? last->end : obt_began(a, c->process);
        if (obt_outside(d) && same_place(last, place) &&
            (!obt_ends_at_one(d) || same_place(c, after)))
            add_cut(q, since, c->begin, c->begin - since, OBT_NO_CALL);
        else if (!obt_outside(d) && same_place(c, place))
            add_cut(q, c->begin, c->end, obt_length(c) - c->blocked, (uint32_t)i);
        last = c;
    }
}

/* The span with what is cut of it; how many there are then. *left: of the cut that it lies in. */
static size_t divide(obt_span *out, obt_span s, int64_t length, int64_t *left)
{
    int64_t kept = length < *left ? length : *left;
    obt_span rest = s;
    *left -= kept;
    rest.begin += kept;
    rest.state = OBT_NOT_RUNNING;
    out[0] = kept > 0 ? s : rest;
    out[1] = rest;
    return kept > 0 && kept < length ? 2 : 1;
}

/* What is cut becomes not running, which this replay leaves out; what was not running computes. */
static void cut_spans(shorter *q, const obt_analysis *from)
{
    const obt_delay *d = q->delay;
    size_t n = 0, k = 0, first = from->first_span[d->process], end = q->s.times.end[d->process];
    int64_t left = q->count ? q->cuts[0].kept : 0;
    q->a.spans = obt_memory(from->span_count + q->count + 1, sizeof *q->a.spans);
    for (size_t i = 0; i < from->span_count; i++) {
        obt_span s = from->spans[i];
        obt_class class = s.state == OBT_OFF ? OBT_WAITS : obt_class_of(s.state);
        bool counts =
            obt_outside(d) ? class == OBT_WORKS || class == OBT_STOPS : class == OBT_COMMUNICATES;
        s.state = s.state == OBT_NOT_RUNNING ? OBT_COMPUTING : s.state;
        q->a.spans[n++] = s;
        if (i < first || i + 1 >= end)
            continue;
        while (k < q->count && q->cuts[k].end <= s.begin)
            left = ++k < q->count ? q->cuts[k].kept : 0;
        if (counts && k < q->count && s.begin >= q->cuts[k].begin)
            n += divide(&q->a.spans[n - 1], s, from->spans[i + 1].begin - s.begin, &left) - 1;
    }
    q->a.first_span = obt_memory(from->trace->process_count, sizeof *q->a.first_span);
    for (size_t p = 0; p < from->trace->process_count; p++) {
        bool behind = from->first_span[p] != SIZE_MAX && from->first_span[p] > first;
        q->a.first_span[p] = from->first_span[p] + (behind ? n - from->span_count : 0);
    }
    q->a.span_count = n;
}

/* Collective operations that are taken as a whole have a length of their own. */
static void cut_points(shorter *q, const obt_steps *from)
{
    q->s.points = obt_memory(from->count, sizeof *q->s.points);
    if (from->count)
        memcpy(q->s.points, from->points, from->count * sizeof *q->s.points);
    for (size_t i = from->first[q->delay->process], k = 0; i < from->first[q->delay->process + 1];
         i++) {
        obt_point *p = &q->s.points[i];
        while (k < q->count && q->cuts[k].begin < p->begin)
            k++;
        if (p->kind != OBT_MEETS || k == q->count || q->cuts[k].call != p->object)
            continue;
        const obt_call *c = &q->a.calls[p->object];
        int64_t less = obt_length(c) - c->blocked - q->cuts[k].kept;
        p->rest = p->rest > less ? p->rest - less : 0;
    }
}

/* The run with the changed spans in which what does not run is left out; -1: not known. Gives their
 * memory back. */
static int64_t length_of(shorter *q)
{
    obt_replay r;
    int64_t length = -1;
    q->s.analysis = &q->a;
    obt_find_times(&q->a, &q->s.times);
    obt_replay_run(&q->s, &(obt_scenario){.running = true}, &r);
    if (!r.stuck)
        length = r.length;
    obt_free_replay(&r);
    obt_free_times(&q->s.times);
    free(q->a.sums);
    free(q->a.first_span);
    free(q->a.spans);
    return length;
}

/* A process sleeps for nothing of what does not run. */
static void leave_out(obt_sums *s)
{
    s->state[OBT_NOT_RUNNING] = 1;
    s->slept = 0;
}

static int64_t length_without(const obt_analysis *a, const obt_steps *s, const obt_delay *d)
{
    shorter q = {.delay = d, .a = *a, .s = *s};
    find_cuts(&q);
    if (q.count == 0)
        return -1;
    cut_spans(&q, a);
    cut_points(&q, s);
    q.a.sums = obt_memory(a->trace->process_count, sizeof *q.a.sums);
    leave_out(&q.a.sums[d->process]);
    int64_t length = length_of(&q);
    free(q.s.points);
    free(q.cuts);
    return length;
}

/* The run in which every process joins with the first: what lies before it does not run, and all
 * else does. */
static int64_t length_together(const obt_analysis *a, const obt_steps *s)
{
    shorter q = {.a = *a, .s = *s};
    size_t n = 0;
    q.a.spans = obt_memory(a->span_count + a->active, sizeof *q.a.spans);
    q.a.sums = obt_memory(a->trace->process_count, sizeof *q.a.sums);
    q.a.first_span = obt_memory(a->trace->process_count, sizeof *q.a.first_span);
    for (size_t p = 0; p < a->trace->process_count; p++)
        q.a.first_span[p] = SIZE_MAX;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        size_t end = k + 1 < a->active ? a->first_span[a->order[k + 1]] : a->span_count;
        q.a.first_span[p] = n;
        leave_out(&q.a.sums[p]);
        if (obt_began(a, p) > a->begin)
            q.a.spans[n++] =
                (obt_span){.begin = a->begin, .call = OBT_NO_CALL, .state = OBT_NOT_RUNNING};
        for (size_t i = a->first_span[p]; i < end; i++) {
            q.a.spans[n] = a->spans[i];
            if (q.a.spans[n].state == OBT_NOT_RUNNING)
                q.a.spans[n].state = OBT_COMPUTING;
            n++;
        }
    }
    q.a.span_count = n;
    return length_of(&q);
}

/* Rows of one place, of computing and of sleep, are cut together: the costliest one has the gain.
 */
static bool seen(const obt_analysis *a, size_t row)
{
    const obt_delay *d = &a->delays[row], *e = a->delays;
    for (; e < d; e++)
        if (e->process == d->process && obt_outside(e) == obt_outside(d) && e->state != OBT_OFF &&
            same_place(call_of(a, e->before), call_of(a, d->before)) &&
            !(obt_ends_at_one(e) && obt_ends_at_one(d) && obt_outside(d) &&
              !same_place(call_of(a, e->after), call_of(a, d->after))))
            return true;
    return false;
}

void obt_find_gains(obt_analysis *a, const obt_steps *s)
{
    const obt_question *replay = obt_answer_named(a->answers, "replay");
    const obt_delay *first = obt_costliest_delay(a), *late;
    size_t starts, asked = a->trace->event_count < MANY_EVENTS ? ASKED : 0;
    bool answers = !a->answers->stuck && !a->answers->untold;
    obt_late_starts(a, &late, &starts);
    for (size_t i = 0; i < a->delay_count; i++) {
        obt_delay *d = &a->delays[i];
        bool known = d->times && (obt_outside(d) || d->state == OBT_LIBRARY);
        d->gain = -1;
        if (!answers || (d != late && (!known || (i >= asked && d != first) || seen(a, i))))
            continue;
        int64_t length = d == late ? length_together(a, s) : length_without(a, s, d);
        if (length >= 0)
            d->gain = length < replay->length ? replay->length - length : 0;
    }
}
