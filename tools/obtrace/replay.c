/*
 * The replay: first a list for each process of what it does, with the lengths of the scenario; then
 * each goes on as far as it gets, and wakes those that waited for it.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* How a collective operation is carried out this time. */
typedef struct way {
    enum { AS_IT_WAS, BY_LETTER, BY_PLAN, AS_A_WHOLE } how;
    char letter;
    const obt_plan *plan;
    int64_t length;
    size_t first; /* of its messages */
} way;

typedef struct build {
    const obt_steps *s;
    const obt_scenario *what;
    obt_prices old, new;
    way *ways;
    obt_plan *plans;
    obt_ops *ops; /* by process */
    size_t messages;
    obt_replay *result;
    /* Of the process that is made. */
    uint32_t process;
    size_t span;
    double computing, running;
    const obt_point *last;
} build;

/* ----------------------------------------------------------------- lengths */

static bool ideal(const build *b)
{
    return b->what->no_latency && b->what->no_bytes;
}

static bool same_network(const build *b)
{
    return !b->what->no_latency && !b->what->no_bytes && !b->what->to;
}

static double ratio(int64_t now, int64_t before)
{
    return before > 0 ? (double)now / (double)before : 1;
}

/* Times as long as in the trace. */
static double dearer(const build *b, ob_quantity q, int64_t bytes)
{
    if (ideal(b))
        return 0;
    if (same_network(b))
        return 1;
    return ratio(obt_price(&b->new, q, bytes), obt_price(&b->old, q, bytes));
}

/* A message from its send until its receiver can take it. */
static int64_t transit(const obt_prices *p, int64_t bytes)
{
    int64_t n = obt_price(p, OB_T_C, bytes) - obt_price(p, OB_T_R, bytes);
    return n > 0 ? n : 0;
}

static int64_t times(int64_t length, double factor)
{
    double n = (double)length * factor;
    return n < (double)OBT_LATEST ? (int64_t)n : OBT_LATEST;
}

static int64_t transit_now(const build *b, const obt_message *m, int64_t rest)
{
    int64_t before = transit(&b->old, m->bytes), most = m->received - m->sent;
    if (rest < 0)
        rest = before < most ? before : most > 0 ? most : 0;
    if (ideal(b) || same_network(b))
        return ideal(b) ? 0 : rest;
    return times(rest, ratio(transit(&b->new, m->bytes), before));
}

/* A superstep is many messages: the most bytes that a member sends take what they take in one, and
 * all else is start-ups. */
static int64_t superstep_rest(const build *b, const obt_point *p)
{
    int64_t bytes = obt_most_bytes(b->s, p->together);
    const ob_curve *old = &b->old.profile->curve[OB_T_C], *new = &b->new.profile->curve[OB_T_C];
    int64_t part = obt_price_by(old, bytes, 0, 1);
    part = part < p->rest ? part : p->rest;
    double latency = ratio(obt_price_by(new, bytes, 1, 0), obt_price_by(old, bytes, 1, 0));
    double each = ratio(obt_price_by(new, bytes, 0, 1), obt_price_by(old, bytes, 0, 1));
    return times(p->rest - part, b->new.no_latency ? 0 : latency) +
           times(part, b->new.no_bytes ? 0 : each);
}

static int64_t meeting_rest(const build *b, const obt_point *p)
{
    const obt_call *c = &b->s->analysis->calls[p->object];
    if (b->s->together[p->together].superstep && !ideal(b) && !same_network(b))
        return superstep_rest(b, p);
    return times(p->rest, dearer(b, OB_T_C, c->bytes));
}

/* On another network messages of one process may come to leave at the same time. */
static int64_t link_of(const build *b, const obt_message *m)
{
    const obt_process *p = b->s->analysis->trace->processes;
    if (same_network(b) || ideal(b) || obt_share_node(&p[m->from], &p[m->to]))
        return 0;
    return obt_link_price(&b->new, m->bytes);
}

/* Of the library's own work behind the last message, or before the first of a call. */
static double library_factor(const build *b, uint32_t call)
{
    const obt_point *p = b->last;
    const obt_analysis *a = b->s->analysis;
    bool message = p && (p->kind == OBT_POSTS || p->kind == OBT_TAKES);
    if (!message || call == OBT_NO_CALL || a->calls[call].begin > p->end)
        return dearer(b, OB_T_S, 0);
    return dearer(b, p->kind == OBT_POSTS ? OB_T_S : OB_T_R, a->messages[p->object].bytes);
}

static bool passed_on(const obt_analysis *a, uint32_t call)
{
    return call != OBT_NO_CALL && strstr(a->trace->routines[a->calls[call].routine].name, "(MPI)");
}

static double factor(const build *b, const obt_span *s)
{
    switch (s->state) {
    case OBT_OFF: return 1;
    case OBT_COMPUTING: return b->computing;
    case OBT_NOT_RUNNING: return b->running;
    case OBT_LIBRARY: return library_factor(b, s->call);
    default: return ideal(b) && !passed_on(b->s->analysis, s->call) ? 0 : 1;
    }
}

/* What the process does by itself in [from, to). */
static void work(build *b, int64_t from, int64_t to)
{
    const obt_analysis *a = b->s->analysis;
    size_t end = b->s->times.end[b->process];
    double sum = 0;
    for (; b->span + 1 < end && a->spans[b->span + 1].begin <= from; b->span++)
        ;
    for (size_t k = b->span; k < end && from < to; k++) {
        int64_t until = k + 1 < end && a->spans[k + 1].begin < to ? a->spans[k + 1].begin : to;
        if (until > from) {
            sum += (double)(until - from) * factor(b, &a->spans[k]);
            from = until;
        }
    }
    if (sum >= 0.5)
        obt_do(&b->ops[b->process], OBT_WORK, 0, times((int64_t)(sum + 0.5), 1));
}

/* ------------------------------------------------------------ a process's list */

static void meet(build *b, const obt_point *p)
{
    const obt_analysis *a = b->s->analysis;
    const obt_call *c = &a->calls[p->object];
    const way *w = &b->ways[p->together];
    obt_ops *ops = &b->ops[b->process];
    size_t root = c->root < 0 ? OBT_NONE : obt_find_process(a->trace, c->root);
    obt_need need = obt_needs(a, c);
    if (need == OBT_NEEDS_ROOT &&
        (root == OBT_NONE || !obt_part_of(&b->s->parts, c, (uint32_t)root)))
        need = OBT_NEEDS_NOBODY;
    int64_t length = w->how == AS_A_WHOLE ? w->length : meeting_rest(b, p);
    obt_do(ops, OBT_ENTER, p->object, 0);
    obt_do(ops, OBT_JOIN, p->object, length);
    ops->at[ops->count - 1].need = (uint8_t)need;
}

/* Returns up to where the trace's time is used up. */
static int64_t do_point(build *b, const obt_point *p)
{
    const obt_analysis *a = b->s->analysis;
    obt_ops *ops = &b->ops[b->process];
    const way *w = p->together == SIZE_MAX ? NULL : &b->ways[p->together];
    bool again = w && w->how != AS_IT_WAS;
    size_t pair = a->message_count + p->object;
    switch (p->kind) {
    case OBT_POSTS:
        if (!again)
            obt_do(ops, OBT_POST, p->object, link_of(b, &a->messages[p->object]));
        break;
    case OBT_TAKES:
        if (!again)
            obt_do(ops, OBT_TAKE, p->object, transit_now(b, &a->messages[p->object], p->rest));
        break;
    case OBT_SHOWS: obt_do(ops, OBT_POST, pair, 0); break;
    case OBT_AWAITS:
        if (!again)
            obt_do(ops, OBT_TAKE, pair, times(p->rest, ideal(b) ? 0 : 1));
        break;
    case OBT_MEETS:
    case OBT_CALLS:
        if (w->how == BY_PLAN)
            obt_redo_plan(ops, b->s, &a->calls[p->object], w->plan, w->first);
        else if (w->how == BY_LETTER)
            obt_redo(ops, b->s, &a->calls[p->object], w->letter, &b->new,
                     !b->s->together[p->together].one_node, w->first);
        else if (p->kind == OBT_MEETS || again)
            meet(b, p);
        return again || p->kind == OBT_MEETS ? a->calls[p->object].end : p->begin;
    default: break;
    }
    return again ? p->begin : p->end;
}

static void make_list(build *b, uint32_t process)
{
    const obt_analysis *a = b->s->analysis;
    size_t first = a->first_span[process], end = b->s->times.end[process];
    int64_t now = a->spans[first].begin, done;
    b->process = process;
    b->span = first;
    b->last = NULL;
    for (size_t i = b->s->first[process]; i < b->s->first[process + 1]; i++) {
        const obt_point *p = &b->s->points[i];
        if (p->begin > now) {
            work(b, now, p->begin);
            now = p->begin;
        }
        done = do_point(b, p);
        now = done > now ? done : now;
        b->last = p;
    }
    work(b, now, a->spans[end - 1].begin);
}

static void make_lists(build *b)
{
    const obt_analysis *a = b->s->analysis;
    double all = (double)a->all.state[OBT_COMPUTING];
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        const obt_sums *s = &a->sums[p];
        double own = (double)s->state[OBT_COMPUTING], off = (double)s->state[OBT_NOT_RUNNING];
        b->computing = b->what->computing > 0 ? b->what->computing : 1;
        if (b->what->balanced && own > 0)
            b->computing *= all / (double)a->active / own;
        b->running = b->what->running && off > 0 ? (double)s->slept / off : 1;
        make_list(b, p);
    }
}

/* Which collective operations are done in another way, and how. */
static void choose_ways(build *b)
{
    const obt_steps *s = b->s;
    const obt_analysis *a = s->analysis;
    b->ways = obt_memory(s->together_count, sizeof *b->ways);
    for (size_t k = 0; k < s->together_count; k++) {
        const obt_together *t = &s->together[k];
        const obt_call *c = &a->calls[s->parts.by_process[t->first].call];
        way *w = &b->ways[k];
        if ((!b->what->plan && !b->what->change_count) || !obt_changed(s, b->what, c, &w->letter))
            continue;
        if (!t->whole) {
            b->result->refused++;
            continue;
        }
        b->result->changed++;
        w->first = b->messages;
        if (w->letter != ' ') {
            w->how = BY_LETTER;
            b->messages += obt_redo_messages(s, c);
        } else if ((w->plan = obt_redo_planned(s, c, &b->new, &b->plans)) != NULL) {
            w->how = BY_PLAN;
            b->messages += w->plan->messages;
        } else {
            w->how = AS_A_WHOLE;
            w->length = obt_board_time(s, c, &b->new);
        }
    }
}

/* ------------------------------------------------------------------- the run */

typedef struct meeting {
    int64_t root, latest;
    size_t come, expected;
    bool root_came;
} meeting;

typedef struct run {
    const build *b;
    meeting *meetings;
    int64_t *left;    /* of messages: when they left their senders; INT64_MIN: they have not */
    uint32_t *waiter; /* who waits for a message, or UINT32_MAX */
    /* By process. */
    size_t *next;
    int64_t *time, *link, *waited;
    bool *ready;
    uint32_t *stack; /* those that can go on */
    size_t depth;
} run;

static void wake(run *r, uint32_t p)
{
    if (r->ready[p])
        return;
    r->ready[p] = true;
    r->stack[r->depth++] = p;
}

static size_t meeting_of(const run *r, size_t call)
{
    return r->b->s->of_call[call];
}

static void post(run *r, uint32_t p, const obt_op *o)
{
    int64_t at = o->length > 0 && r->link[p] > r->time[p] ? r->link[p] : r->time[p];
    if (o->length > 0)
        r->link[p] = at + o->length;
    r->left[o->object] = at;
    if (r->waiter[o->object] != UINT32_MAX)
        wake(r, r->waiter[o->object]);
}

static void enter(run *r, uint32_t p, const obt_op *o)
{
    const obt_steps *s = r->b->s;
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

static void go_on(run *r, uint32_t p, int64_t at)
{
    if (at > r->time[p]) {
        obt_sum(&r->waited[p], at - r->time[p]);
        r->time[p] = at;
    }
}

/* False: it has to wait. */
static bool take(run *r, uint32_t p, const obt_op *o)
{
    int64_t left = r->left[o->object];
    if (left == INT64_MIN) {
        r->waiter[o->object] = p;
        return false;
    }
    obt_sum(&r->time[p], o->least);
    go_on(r, p, left + o->length);
    return true;
}

static bool join(run *r, uint32_t p, const obt_op *o)
{
    const meeting *m = &r->meetings[meeting_of(r, o->object)];
    if (o->need == OBT_NEEDS_ROOT && !m->root_came)
        return false;
    if (o->need == OBT_NEEDS_ALL && m->come < m->expected)
        return false;
    if (o->need != OBT_NEEDS_NOBODY)
        go_on(r, p, o->need == OBT_NEEDS_ROOT ? m->root : m->latest);
    obt_sum(&r->time[p], o->length);
    return true;
}

static void advance(run *r, uint32_t p)
{
    const obt_ops *ops = &r->b->ops[p];
    for (; r->next[p] < ops->count; r->next[p]++) {
        const obt_op *o = &ops->at[r->next[p]];
        switch (o->act) {
        case OBT_WORK: obt_sum(&r->time[p], o->length); break;
        case OBT_POST: post(r, p, o); break;
        case OBT_ENTER: enter(r, p, o); break;
        case OBT_TAKE:
            if (!take(r, p, o))
                return;
            break;
        default:
            if (!join(r, p, o))
                return;
        }
        if (r->time[p] > OBT_LATEST)
            r->time[p] = OBT_LATEST;
    }
}

/* The earliest of those that have not come to their end goes on without what it waits for. */
static bool push(run *r)
{
    const obt_analysis *a = r->b->s->analysis;
    uint32_t first = UINT32_MAX;
    for (size_t k = 0; k < a->active; k++) {
        uint32_t p = a->order[k];
        if (r->next[p] < r->b->ops[p].count && (first == UINT32_MAX || r->time[p] < r->time[first]))
            first = p;
    }
    if (first == UINT32_MAX)
        return false;
    const obt_op *o = &r->b->ops[first].at[r->next[first]++];
    obt_sum(&r->time[first], o->act == OBT_JOIN ? o->length : 0);
    r->b->result->stuck++;
    wake(r, first);
    return true;
}

static void carry_out(const build *b, obt_replay *result)
{
    const obt_analysis *a = b->s->analysis;
    size_t processes = a->trace->process_count;
    run r = {.b = b,
             .meetings = obt_memory(b->s->together_count, sizeof *r.meetings),
             .left = obt_memory(b->messages, sizeof *r.left),
             .waiter = obt_memory(b->messages, sizeof *r.waiter),
             .next = obt_memory(processes, sizeof *r.next),
             .time = obt_memory(processes, sizeof *r.time),
             .link = obt_memory(processes, sizeof *r.link),
             .waited = obt_memory(processes, sizeof *r.waited),
             .ready = obt_memory(processes, sizeof *r.ready),
             .stack = obt_memory(processes, sizeof *r.stack)};
    for (size_t i = 0; i < b->messages; i++) {
        r.left[i] = INT64_MIN;
        r.waiter[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < a->call_count; i++)
        if (b->s->of_call[i] != SIZE_MAX)
            r.meetings[b->s->of_call[i]].expected++;
    for (size_t k = a->active; k > 0; k--) {
        r.time[a->order[k - 1]] = a->spans[a->first_span[a->order[k - 1]]].begin;
        wake(&r, a->order[k - 1]);
    }
    do
        while (r.depth) {
            uint32_t p = r.stack[--r.depth];
            r.ready[p] = false;
            advance(&r, p);
        }
    while (push(&r));
    for (size_t k = 0; k < a->active; k++)
        if (r.time[a->order[k]] - a->begin > result->length)
            result->length = r.time[a->order[k]] - a->begin;
    result->end = r.time;
    result->waited = r.waited;
    free(r.meetings);
    free(r.left);
    free(r.waiter);
    free(r.next);
    free(r.link);
    free(r.ready);
    free(r.stack);
}

void obt_replay_run(const obt_steps *s, const obt_scenario *what, obt_replay *r)
{
    ob_profile costs;
    *r = (obt_replay){0};
    const ob_profile *old = what->from;
    if (!old)
        old = obt_costs(s, &costs) ? &costs : ob_profile_current();
    build b = {.s = s,
               .what = what,
               .result = r,
               .messages = s->analysis->message_count + s->pairs,
               .old = {old, false, false},
               .new = {what->to ? what->to : old, what->no_latency, what->no_bytes}};
    b.ops = obt_memory(s->analysis->trace->process_count, sizeof *b.ops);
    choose_ways(&b);
    make_lists(&b);
    carry_out(&b, r);
    for (size_t p = 0; p < s->analysis->trace->process_count; p++)
        free(b.ops[p].at);
    free(b.ops);
    free(b.ways);
    obt_free_plans(b.plans);
}

void obt_free_replay(obt_replay *r)
{
    free(r->end);
    free(r->waited);
}
