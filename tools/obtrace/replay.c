/*
 * The replay: a list for each process of what it does, with the lengths of the scenario, and one
 * for each collective operation that it has begun.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "replay.h"

/* How a collective operation is carried out this time. */
typedef struct way {
    enum { AS_IT_WAS, BY_LETTER, BY_PLAN, AS_A_WHOLE, NATIVE } how;
    char letter;
    const obt_plan *plan;
    size_t first; /* of its messages */
} way;

typedef struct build {
    const obt_steps *s;
    const obt_scenario *what;
    obt_prices old, new;
    way *ways;
    obt_plan *plans;
    obt_ops *ops; /* by process */
    obt_ops *strands;
    size_t messages;
    obt_replay *result;
    /* Of the process that is made. */
    uint32_t process;
    size_t span;
    double computing, running;
    const obt_point *last;
    int64_t since; /* what is before has been done */
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

/* What a message needed beyond its price it waited for links that others used: share.c finds that
 * anew. own: of the receiver's work for it, what it had done before the message counts as taken. */
static int64_t transit_now(const build *b, const obt_message *m, int64_t rest, int64_t own)
{
    int64_t before = transit(&b->old, m->bytes) + own, most = m->received - m->sent;
    int64_t now = transit(&b->new, m->bytes) + times(own, dearer(b, OB_T_R, m->bytes));
    if (rest < 0)
        rest = before < most ? before : most > 0 ? most : 0;
    if (ideal(b) || same_network(b))
        return ideal(b) ? 0 : rest;
    return times(rest < before ? rest : before, ratio(now, before));
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
    if (w->how == NATIVE)
        need = OBT_NEEDS_ALL;
    int64_t length = w->how == NATIVE       ? w->plan->time
                     : w->how == AS_A_WHOLE ? obt_board_time(b->s, c, &b->new, need)
                                            : meeting_rest(b, p);
    obt_do(ops, OBT_ENTER, p->object, 0);
    obt_do(ops, OBT_JOIN, p->object, length);
    ops->at[ops->count - 1].need = (uint8_t)need;
}

/* Of what follows a strand's move. */
static double factor_behind(const build *b, const obt_move *m)
{
    return dearer(b, m->takes ? OB_T_R : OB_T_S, b->s->analysis->messages[m->message].bytes);
}

/* When the message was there before the process looked, that says how long it needed at most. */
static int64_t rest_of(const build *b, const obt_move *m)
{
    const obt_message *e = &b->s->analysis->messages[m->message];
    bool awaited = m->since != INT64_MAX && e->sent + transit(&b->old, e->bytes) > m->since;
    return awaited && m->time > e->sent ? m->time - e->sent : awaited ? 0 : -1;
}

static void make_strand(build *b, size_t strand)
{
    const obt_strand *t = &b->s->strands[strand];
    const obt_message *messages = b->s->analysis->messages;
    obt_ops *ops = &b->strands[strand];
    const obt_move *last = NULL;
    for (size_t i = t->first; i < t->first + t->count; last = &b->s->moves[i++]) {
        const obt_move *m = &b->s->moves[i];
        const obt_message *e = &messages[m->message];
        if (m->takes) {
            obt_do(ops, OBT_TAKE, m->message, transit_now(b, e, rest_of(b, m), 0));
            continue;
        }
        if (last)
            obt_do(ops, OBT_WORK, 0, times(m->time - last->time, factor_behind(b, last)));
        else
            obt_do(ops, OBT_ATTEND, 0, 0);
        obt_do(ops, OBT_POST, m->message, link_of(b, e));
    }
}

static void end_strand(build *b, const obt_point *p)
{
    const obt_strand *t = &b->s->strands[p->object];
    const obt_move *last = t->count ? &b->s->moves[t->first + t->count - 1] : NULL;
    double by = last ? factor_behind(b, last) : ideal(b) ? 0 : 1;
    obt_do(&b->ops[b->process], OBT_END, p->object, times(p->rest, by));
}

/* Until when a message was under way that a process waited for. A receive may begin when only the
 * message's head has come: what it takes beyond T_r it waits for the rest. */
static int64_t came_at(const build *b, const obt_point *p)
{
    const obt_message *m = &b->s->analysis->messages[p->object];
    int64_t came = m->received - obt_price(&b->old, OB_T_R, m->bytes);
    return p->rest >= 0 && came > p->end ? came : p->end;
}

/* A message that was there counts as taken when its receiver has worked for it. That work is in the
 * list by then; if the message is late now, it is behind the message all the same. */
static int64_t work_before(const build *b, const obt_point *p)
{
    const obt_message *m = &b->s->analysis->messages[p->object];
    int64_t length[OBT_CLASSES], from = p->begin - obt_price(&b->old, OB_T_R, m->bytes);
    if (p->rest >= 0)
        return 0;
    obt_between(b->s->analysis, &b->s->times, p->process, from > b->since ? from : b->since,
                p->begin, length);
    return length[OBT_COMMUNICATES];
}

static void take(build *b, const obt_point *p, int64_t came)
{
    const obt_message *m = &b->s->analysis->messages[p->object];
    int64_t rest = p->rest < 0 ? -1 : came > m->sent ? came - m->sent : 0;
    obt_do(&b->ops[b->process], OBT_TAKE, p->object, transit_now(b, m, rest, work_before(b, p)));
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
        if (again)
            break;
        take(b, p, came_at(b, p));
        return came_at(b, p);
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
    case OBT_BEGINS: obt_do(ops, OBT_BEGIN, p->object, 0); break;
    case OBT_ENDS: end_strand(b, p); break;
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
        b->since = now;
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
    for (size_t k = 0; k < b->s->strand_count; k++)
        make_strand(b, k);
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
            w->how = w->plan->native ? NATIVE : BY_PLAN;
            b->messages += w->plan->messages;
        } else {
            w->how = AS_A_WHOLE;
        }
    }
}

/* ------------------------------------------------------------------- all of it */

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
    b.strands = obt_memory(s->strand_count, sizeof *b.strands);
    choose_ways(&b);
    make_lists(&b);
    bool shares = !same_network(&b) && !ideal(&b);
    obt_carry_out(s, b.ops, b.strands, b.messages, shares ? &what->torus : NULL, r);
    for (size_t p = 0; p < s->analysis->trace->process_count; p++)
        free(b.ops[p].at);
    for (size_t k = 0; k < s->strand_count; k++)
        free(b.strands[k].at);
    free(b.ops);
    free(b.strands);
    free(b.ways);
    obt_free_plans(b.plans);
}

void obt_free_replay(obt_replay *r)
{
    free(r->end);
    free(r->waited);
}
