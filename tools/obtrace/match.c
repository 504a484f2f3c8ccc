/*
 * Which receive took which send: PICL keeps the order of messages of one type
 * between two processes, and the library's own traces number them.
 */
#include <stdlib.h>

#include "trace.h"

/* One end of a message. */
typedef struct tip {
    uint32_t from, to; /* to: UINT32_MAX for all */
    bool taken;        /* this is the receiver's end */
    int64_t context, type, order, time, blocked;
    size_t event;
} tip;

/* Same sender, receiver, context and type stand together, sends first, in order. */
static int by_channel(const void *x, const void *y)
{
    const tip *a = x, *b = y;
    int c = obt_compare(a->from, b->from);
    c = c ? c : obt_compare(a->to, b->to);
    c = c ? c : obt_compare(a->context, b->context);
    c = c ? c : obt_compare(a->type, b->type);
    c = c ? c : obt_compare(a->taken, b->taken);
    c = c ? c : obt_compare(a->order, b->order);
    c = c ? c : obt_compare(a->time, b->time);
    return c ? c : obt_compare((int64_t)a->event, (int64_t)b->event);
}

static bool same_channel(const tip *a, const tip *b)
{
    return a->from == b->from && a->to == b->to && a->context == b->context && a->type == b->type;
}

/* The partner's index; processes that have no event themselves are made known. */
static uint32_t partner(obt_trace *t, int64_t id)
{
    return id == -1 ? UINT32_MAX : obt_process_index(t, (int32_t)id);
}

static size_t collect(obt_trace *t, tip *tips)
{
    size_t n = 0;
    int64_t since = 0;
    for (size_t i = 0; i < t->event_count; i++) {
        const obt_event *e = &t->events[i];
        if (e->kind == OBT_RECV_BLOCKING)
            since = e->time;
        if (e->kind != OBT_SEND && e->kind != OBT_RECV && e->kind != OBT_RECV_WAKING)
            continue;
        uint32_t other = partner(t, obt_get(t, e, OBT_PEER, -1));
        bool sends = e->kind == OBT_SEND;
        tips[n++] = (tip){
            .from = sends ? e->process : other,
            .to = sends ? other : e->process,
            .taken = !sends,
            .context = obt_get(t, e, OBT_CONTEXT, 0),
            .type = obt_get(t, e, OBT_TYPE, 0),
            .order = obt_get(t, e, OBT_ORDER, -1),
            .time = e->time,
            .blocked = e->kind == OBT_RECV_WAKING ? obt_get(t, e, OBT_WAITED, e->time - since) : 0,
            .event = i};
    }
    return n;
}

static void join(obt_trace *t, const tip *s, const tip *r)
{
    t->matches = obt_grow(t->matches, t->match_count, &t->match_room, sizeof *t->matches);
    t->matches[t->match_count++] = (obt_match_ends){s->event, r->event, r->blocked};
}

/* What a send to all looks like that this receive may have taken. */
static tip to_all(const tip *r)
{
    tip t = *r;
    t.to = UINT32_MAX;
    t.taken = false;
    t.order = t.time = INT64_MIN;
    t.event = 0;
    return t;
}

static size_t find(const tip *tips, size_t n, const tip *wanted)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_channel(&tips[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct range {
    size_t begin, end;
} range;

/* Joins the two ends within one channel. With numbers, equal ones; without, in
 * order, together with what was sent to all. */
static void join_channel(obt_trace *t, const tip *tips, size_t n, range sends, range takes,
                         bool *used)
{
    if (takes.begin == takes.end) {
        t->unreceived += sends.end - sends.begin;
        return;
    }
    tip all = to_all(&tips[takes.begin]);
    size_t s = sends.begin, b = find(tips, n, &all);
    for (size_t r = takes.begin; r < takes.end; r++) {
        int64_t order = tips[r].order;
        while (order >= 0 && s < sends.end && tips[s].order < order)
            s++, t->unreceived++;
        bool direct = s < sends.end && (order < 0 || tips[s].order == order);
        bool shared = b < n && same_channel(&tips[b], &all) && !tips[b].taken;
        if (shared && (!direct || tips[b].time < tips[s].time)) {
            used[b] = true;
            join(t, &tips[b++], &tips[r]);
        } else if (direct) {
            join(t, &tips[s++], &tips[r]);
        } else {
            t->unsent++;
        }
    }
    t->unreceived += sends.end - s;
}

void obt_match(obt_trace *t)
{
    size_t ends = 0;
    if (t->matched)
        return;
    t->matched = true;
    obt_sort(t);
    for (size_t i = 0; i < t->event_count; i++) {
        int k = t->events[i].kind;
        ends += k == OBT_SEND || k == OBT_RECV || k == OBT_RECV_WAKING;
    }
    tip *tips = obt_memory(ends, sizeof *tips);
    bool *used = obt_memory(ends, sizeof *used);
    collect(t, tips);
    qsort(tips, ends, sizeof *tips, by_channel);
    for (size_t i = 0, n; i < ends; i += n) {
        size_t sends = 0;
        for (n = 0; i + n < ends && same_channel(&tips[i], &tips[i + n]); n++)
            sends += !tips[i + n].taken;
        if (tips[i].to == UINT32_MAX)
            continue;
        join_channel(t, tips, ends, (range){i, i + sends}, (range){i + sends, i + n}, used);
    }
    for (size_t i = 0; i < ends; i++)
        t->unreceived += tips[i].to == UINT32_MAX && !tips[i].taken && !used[i];
    free(used);
    free(tips);
}
