/*
 * The lists of a replay carried out: each process goes on as far as it gets, and wakes those that
 * waited for it. So do strands, what a process does by the way. What a strand needs may come while
 * its process waits for something else; whether that wait still lasts then, the process has to say.
 * Where nobody can go on without that, the earliest of these strands goes on: whatever ends the
 * wait follows from something that comes later.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

typedef struct meeting {
    int64_t root, latest;
    size_t come, expected;
    bool root_came;
} meeting;

/* A stretch in which a process waited. */
typedef struct stretch {
    int64_t begin, end;
} stretch;

/* Of a process. */
typedef struct lane {
    int64_t link; /* until when its way out of its node is taken */
    int64_t waited;
    int64_t since;  /* of the wait that it is in; INT64_MIN: it is in none */
    size_t ending;  /* for the end of this strand; SIZE_MAX */
    stretch *waits; /* before */
    size_t count, room;
    size_t *active; /* strands that have begun and are not over */
    size_t active_count, active_room;
} lane;

/* Of a strand. */
typedef struct by_the_way {
    int64_t begun;
    size_t wait; /* of its process: the first that does not end before its time */
    bool over;
    bool asks; /* it goes on at `wanted` if its process still waits then */
    bool sure;
    int64_t wanted;
} by_the_way;

/* So often the lists are carried out with what was found the time before. */
enum { ROUNDS = 16 };

typedef struct run {
    const obt_steps *s;
    const obt_ops *of, *strands;
    obt_replay *result;
    size_t processes; /* who goes on: processes, and behind them strands */
    meeting *meetings;
    int64_t *left; /* of messages: when they left their senders; INT64_MIN: they have not */
    obt_flow *flows;
    bool shared;      /* flows[].late is known from the round before; else one process's messages
                         leave one after the other */
    uint32_t *waiter; /* who waits for a message, or UINT32_MAX */
    lane *lanes;
    by_the_way *ways;
    /* By who goes on. */
    size_t *next;
    int64_t *time;
    bool *ready;
    uint32_t *stack; /* those that can go on */
    size_t depth;
} run;

static void wake(run *r, size_t who)
{
    if (r->ready[who])
        return;
    r->ready[who] = true;
    r->stack[r->depth++] = (uint32_t)who;
}

static size_t meeting_of(const run *r, size_t call)
{
    return r->s->of_call[call];
}

static void post(run *r, size_t who, uint32_t process, const obt_op *o)
{
    int64_t *link = &r->lanes[process].link, at = r->time[who];
    obt_flow *f = &r->flows[o->object];
    f->posted = at;
    f->bytes = o->length;
    f->from = process;
    if (o->length > 0) {
        at = r->shared ? at + f->late : *link > at ? *link : at;
        *link = at + o->length;
    }
    r->left[o->object] = at;
    if (r->waiter[o->object] != UINT32_MAX)
        wake(r, r->waiter[o->object]);
}

static void enter(run *r, uint32_t p, const obt_op *o)
{
    const obt_steps *s = r->s;
    const obt_call *c = &s->analysis->calls[o->object];
    size_t k = meeting_of(r, o->object);
    meeting *m = &r->meetings[k];
    bool root = s->analysis->trace->processes[p].id == c->root;
    m->come++;
    m->latest = m->come == 1 || r->time[p] > m->latest ? r->time[p] : m->latest;
    if (root) {
        m->root = r->time[p];
        m->root_came = true;
    }
    if (root || m->come == m->expected)
        for (size_t i = 0; i < s->together[k].count; i++)
            wake(r, s->parts.by_process[s->together[k].first + i].process);
}

/* ---------------------------------------------------------------------- waits */

static void wake_strands(run *r, uint32_t p)
{
    for (size_t i = 0; i < r->lanes[p].active_count; i++)
        wake(r, r->processes + r->lanes[p].active[i]);
}

/* A process cannot go on. */
static bool stays(run *r, uint32_t p, size_t strand)
{
    lane *l = &r->lanes[p];
    if (l->since == INT64_MIN) {
        l->since = r->time[p];
        l->ending = strand;
        wake_strands(r, p);
    }
    return false;
}

/* A process waited from its time until `at`, or did not. looks: it saw to its strands though it did
 * not wait. */
static void go_on(run *r, uint32_t p, int64_t at, bool looks)
{
    lane *l = &r->lanes[p];
    bool waits = at > r->time[p];
    if (l->active_count && (waits || looks)) {
        l->waits = obt_grow(l->waits, l->count, &l->room, sizeof *l->waits);
        l->waits[l->count++] = (stretch){r->time[p], waits ? at : r->time[p]};
        wake_strands(r, p);
    }
    l->since = INT64_MIN;
    if (waits) {
        obt_sum(&l->waited, at - r->time[p]);
        r->time[p] = at;
    }
}

static bool take(run *r, uint32_t p, const obt_op *o)
{
    int64_t left = r->left[o->object];
    r->flows[o->object].to = p;
    if (left == INT64_MIN) {
        r->waiter[o->object] = p;
        return stays(r, p, SIZE_MAX);
    }
    obt_sum(&r->time[p], o->least);
    go_on(r, p, left + o->length, false);
    return true;
}

static bool join(run *r, uint32_t p, const obt_op *o)
{
    const meeting *m = &r->meetings[meeting_of(r, o->object)];
    if ((o->need == OBT_NEEDS_ROOT && !m->root_came) ||
        (o->need == OBT_NEEDS_ALL && m->come < m->expected))
        return stays(r, p, SIZE_MAX);
    if (o->need != OBT_NEEDS_NOBODY)
        go_on(r, p, o->need == OBT_NEEDS_ROOT ? m->root : m->latest, false);
    obt_sum(&r->time[p], o->length);
    return true;
}

/* --------------------------------------------------------------------- strands */

static void begin(run *r, uint32_t p, size_t strand)
{
    lane *l = &r->lanes[p];
    l->active = obt_grow(l->active, l->active_count, &l->active_room, sizeof *l->active);
    l->active[l->active_count++] = strand;
    r->ways[strand].begun = r->time[r->processes + strand] = r->time[p];
    r->ways[strand].wait = l->count;
    wake(r, r->processes + strand);
}

static bool end(run *r, uint32_t p, const obt_op *o)
{
    if (!r->ways[o->object].over)
        return stays(r, p, o->object);
    go_on(r, p, r->time[r->processes + o->object], true);
    obt_sum(&r->time[p], o->length);
    return true;
}

static void finish(run *r, size_t strand)
{
    uint32_t p = r->s->strands[strand].process;
    lane *l = &r->lanes[p];
    r->ways[strand].over = true;
    for (size_t i = 0; i < l->active_count; i++)
        if (l->active[i] == strand)
            l->active[i] = l->active[--l->active_count];
    if (l->ending == strand)
        wake(r, p);
}

/* The process sees to the strand, at *at or later. False: it has not said when. */
static bool attended(run *r, size_t strand, int64_t *at)
{
    by_the_way *w = &r->ways[strand];
    const obt_strand *t = &r->s->strands[strand];
    const lane *l = &r->lanes[t->process];
    w->asks = false;
    if (t->background || *at <= w->begun)
        return true;
    while (w->wait < l->count && l->waits[w->wait].end < *at)
        w->wait++;
    if (w->wait < l->count) {
        *at = l->waits[w->wait].begin > *at ? l->waits[w->wait].begin : *at;
        return true;
    }
    if (l->since == INT64_MIN)
        return false;
    *at = l->since > *at ? l->since : *at;
    if (l->ending == strand || w->sure)
        return true;
    w->asks = true;
    w->wanted = *at;
    return false;
}

static void advance_strand(run *r, size_t strand)
{
    size_t who = r->processes + strand;
    const obt_ops *ops = &r->strands[strand];
    if (r->ways[strand].over || r->time[who] == INT64_MIN)
        return;
    for (; r->next[who] < ops->count; r->next[who]++) {
        const obt_op *o = &ops->at[r->next[who]];
        int64_t at = r->time[who];
        if (o->act == OBT_TAKE) {
            r->flows[o->object].to = r->s->strands[strand].process;
            if (r->left[o->object] == INT64_MIN) {
                r->waiter[o->object] = (uint32_t)who;
                return;
            }
            int64_t come = r->left[o->object];
            obt_sum(&come, o->length);
            at = come > at ? come : at;
        }
        if ((o->act == OBT_TAKE || o->act == OBT_ATTEND) && !attended(r, strand, &at))
            return;
        r->ways[strand].sure = false;
        obt_sum(&at, o->act == OBT_WORK ? o->length : 0);
        r->time[who] = at < OBT_LATEST ? at : OBT_LATEST;
        if (o->act == OBT_POST)
            post(r, who, r->s->strands[strand].process, o);
    }
    finish(r, strand);
}

/* ------------------------------------------------------------------- everybody */

static void advance(run *r, uint32_t p)
{
    const obt_ops *ops = &r->of[p];
    for (; r->next[p] < ops->count; r->next[p]++) {
        const obt_op *o = &ops->at[r->next[p]];
        bool goes = true;
        switch (o->act) {
        case OBT_WORK: obt_sum(&r->time[p], o->length); break;
        case OBT_POST: post(r, p, p, o); break;
        case OBT_ENTER: enter(r, p, o); break;
        case OBT_BEGIN: begin(r, p, o->object); break;
        case OBT_TAKE: goes = take(r, p, o); break;
        case OBT_END: goes = end(r, p, o); break;
        default: goes = join(r, p, o);
        }
        if (!goes)
            return;
        if (r->time[p] > OBT_LATEST)
            r->time[p] = OBT_LATEST;
    }
}

/* The strand that would go on first, if its process still waits then. */
static bool push_strand(run *r)
{
    const obt_analysis *a = r->s->analysis;
    size_t first = SIZE_MAX;
    for (size_t k = 0; k < a->active; k++) {
        const lane *l = &r->lanes[a->order[k]];
        for (size_t i = 0; i < l->active_count; i++) {
            const by_the_way *w = &r->ways[l->active[i]];
            if (w->asks && (first == SIZE_MAX || w->wanted < r->ways[first].wanted))
                first = l->active[i];
        }
    }
    if (first == SIZE_MAX)
        return false;
    r->ways[first].sure = true;
    wake(r, r->processes + first);
    return true;
}

/* The earliest of those that have not come to their end goes on without what it waits for. */
static bool push(run *r)
{
    const obt_analysis *a = r->s->analysis;
    uint32_t first = UINT32_MAX;
    if (push_strand(r))
        return true;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        if (r->next[p] < r->of[p].count && (first == UINT32_MAX || r->time[p] < r->time[first]))
            first = p;
    }
    if (first == UINT32_MAX)
        return false;
    const obt_op *o = &r->of[first].at[r->next[first]++];
    obt_sum(&r->time[first], o->act == OBT_JOIN || o->act == OBT_END ? o->length : 0);
    r->lanes[first].since = INT64_MIN;
    r->result->stuck++;
    wake(r, first);
    return true;
}

static void start(run *r, size_t messages)
{
    const obt_analysis *a = r->s->analysis;
    for (size_t i = 0; i < messages; i++) {
        r->left[i] = INT64_MIN;
        r->waiter[i] = UINT32_MAX;
    }
    for (size_t p = 0; p < r->processes; p++) {
        r->lanes[p].since = INT64_MIN;
        r->lanes[p].ending = SIZE_MAX;
    }
    for (size_t k = 0; k < r->s->strand_count; k++)
        r->time[r->processes + k] = INT64_MIN;
    for (size_t i = 0; i < a->call_count; i++)
        if (r->s->of_call[i] != SIZE_MAX)
            r->meetings[r->s->of_call[i]].expected++;
    for (size_t k = a->active; k > 0; k--) {
        r->time[a->order[k - 1]] = a->spans[a->first_span[a->order[k - 1]]].begin;
        wake(r, a->order[k - 1]);
    }
}

static void report(const run *r, obt_replay *result)
{
    const obt_analysis *a = r->s->analysis;
    result->end = obt_memory(r->processes, sizeof *result->end);
    result->waited = obt_memory(r->processes, sizeof *result->waited);
    for (size_t p = 0; p < r->processes; p++) {
        result->end[p] = r->time[p];
        result->waited[p] = r->lanes[p].waited;
    }
    for (size_t k = 0; k < a->active; k++)
        if (r->time[a->order[k]] - a->begin > result->length)
            result->length = r->time[a->order[k]] - a->begin;
}

static void carry_once(run *r, size_t messages)
{
    size_t all = r->processes + r->s->strand_count;
    memset(r->meetings, 0, r->s->together_count * sizeof *r->meetings);
    memset(r->ways, 0, r->s->strand_count * sizeof *r->ways);
    memset(r->next, 0, all * sizeof *r->next);
    memset(r->time, 0, all * sizeof *r->time);
    memset(r->ready, 0, all * sizeof *r->ready);
    for (size_t p = 0; p < r->processes; p++) {
        lane *l = &r->lanes[p];
        *l = (lane){
            .waits = l->waits, .room = l->room, .active = l->active, .active_room = l->active_room};
    }
    r->result->stuck = 0;
    start(r, messages);
    do
        while (r->depth) {
            uint32_t who = r->stack[--r->depth];
            r->ready[who] = false;
            if (who < r->processes)
                advance(r, who);
            else
                advance_strand(r, who - r->processes);
        }
    while (push(r));
}

void obt_carry_out(const obt_steps *s, const obt_ops *of, const obt_ops *strands, size_t messages,
                   const obt_torus *torus, obt_replay *result)
{
    size_t processes = s->analysis->trace->process_count, all = processes + s->strand_count;
    run r = {.s = s,
             .of = of,
             .strands = strands,
             .result = result,
             .processes = processes,
             .meetings = obt_memory(s->together_count, sizeof *r.meetings),
             .left = obt_memory(messages, sizeof *r.left),
             .waiter = obt_memory(messages, sizeof *r.waiter),
             .flows = obt_memory(messages, sizeof *r.flows),
             .lanes = obt_memory(processes, sizeof *r.lanes),
             .ways = obt_memory(s->strand_count, sizeof *r.ways),
             .next = obt_memory(all, sizeof *r.next),
             .time = obt_memory(all, sizeof *r.time),
             .ready = obt_memory(all, sizeof *r.ready),
             .stack = obt_memory(all, sizeof *r.stack)};
    carry_once(&r, messages);
    for (int round = 0;
         torus && round < ROUNDS && obt_share_links(s, torus, r.flows, messages, round > 0);
         round++) {
        r.shared = true;
        carry_once(&r, messages);
    }
    report(&r, result);
    for (size_t p = 0; p < processes; p++) {
        free(r.lanes[p].waits);
        free(r.lanes[p].active);
    }
    free(r.meetings);
    free(r.left);
    free(r.waiter);
    free(r.flows);
    free(r.lanes);
    free(r.ways);
    free(r.next);
    free(r.time);
    free(r.ready);
    free(r.stack);
}
