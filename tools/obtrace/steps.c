/*
 * What makes one process depend on another: messages, collective calls, and waits for a process
 * that came late.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "replay.h"

static bool named(const obt_analysis *a, const obt_call *c, const char *part)
{
    return strcasestr(a->trace->routines[c->routine].name, part) != NULL;
}

static bool is_superstep(const obt_analysis *a, const obt_call *c)
{
    return named(a, c, "sync") || named(a, c, "exchange") || named(a, c, "superstep");
}

obt_need obt_needs(const obt_analysis *a, const obt_call *c)
{
    obt_state state = obt_waiting_in(a->trace->routines[c->routine].name);
    bool is_root = c->root >= 0 && a->trace->processes[c->process].id == c->root;
    if (c->root < 0 || is_superstep(a, c) || state == OBT_IN_BARRIER)
        return OBT_NEEDS_ALL;
    if (obt_from_root(a, c))
        return is_root ? OBT_NEEDS_NOBODY : OBT_NEEDS_ROOT;
    return is_root ? OBT_NEEDS_ALL : OBT_NEEDS_NOBODY;
}

/* --------------------------------------------------------- collective calls */

static bool same(const obt_part *a, const obt_part *b)
{
    return a->group == b->group && a->number == b->number;
}

/* In a damaged trace, or a wrong program, members do different things. */
static bool alike(const obt_analysis *a, const obt_call *x, const obt_call *y)
{
    return x->root == y->root && x->bytes == y->bytes && x->topology == y->topology &&
           obt_is_broadcast(a, x) == obt_is_broadcast(a, y) &&
           obt_is_combine(a, x) == obt_is_combine(a, y);
}

static bool all_there(const obt_steps *s, const obt_together *w)
{
    const obt_analysis *a = s->analysis;
    const obt_part *parts = s->parts.by_process + w->first;
    const obt_group *g = &a->trace->groups[parts->group];
    for (size_t i = 0; i < w->count; i++)
        if ((i && parts[i].process == parts[i - 1].process) ||
            a->calls[parts[i].call].outer != OBT_NO_CALL ||
            !alike(a, &a->calls[parts[i].call], &a->calls[parts->call]))
            return false;
    if (w->count != g->member_count)
        return false;
    for (size_t i = 0; i < g->member_count; i++) {
        size_t p = obt_find_process(a->trace, g->members[i]);
        if (p == OBT_NONE || !obt_part_of(&s->parts, &a->calls[parts->call], (uint32_t)p))
            return false;
    }
    return true;
}

static void find_together(obt_steps *s)
{
    const obt_analysis *a = s->analysis;
    size_t n = 0;
    s->together = obt_memory(s->parts.count, sizeof *s->together);
    s->of_call = obt_memory(a->call_count, sizeof *s->of_call);
    for (size_t i = 0; i < a->call_count; i++)
        s->of_call[i] = SIZE_MAX;
    for (size_t i = 0; i < s->parts.count; i++) {
        const obt_part *p = &s->parts.by_process[i];
        if (i == 0 || !same(&p[-1], p))
            s->together[n++] = (obt_together){.first = i};
        s->together[n - 1].count++;
        if (a->calls[p->call].course == OBT_WHOLE && a->calls[p->call].outer == OBT_NO_CALL)
            s->of_call[p->call] = n - 1;
    }
    s->together_count = n;
    for (size_t k = 0; k < n; k++) {
        obt_together *w = &s->together[k];
        int32_t group = s->parts.by_process[w->first].group;
        bool again = k && s->parts.by_process[s->together[k - 1].first].group == group;
        w->whole = all_there(s, w);
        w->one_node =
            again ? s->together[k - 1].one_node : obt_one_node(a->trace, &a->trace->groups[group]);
    }
}

/* The outermost call in which a process is at a time. */
static uint32_t call_at(const obt_steps *s, uint32_t process, int64_t time)
{
    size_t span = obt_span_at(s->analysis, &s->times, process, time);
    return span == SIZE_MAX ? OBT_NO_CALL : s->analysis->spans[span].call;
}

static size_t together_at(const obt_steps *s, uint32_t process, int64_t time)
{
    uint32_t call = call_at(s, process, time);
    return call == OBT_NO_CALL ? SIZE_MAX : s->of_call[call];
}

/* Messages are followed one by one where each member has some; a member without any reads what
 * others have in common memory, which leaves no trace. Of a superstep in common memory the trace
 * has messages, which say what went between each two, but not when. */
static void judge_together(obt_steps *s)
{
    const obt_analysis *a = s->analysis;
    bool *has = obt_memory(a->call_count, sizeof *has);
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        uint32_t from = call_at(s, m->from, m->sent), to = call_at(s, m->to, m->received - 1);
        if (from != OBT_NO_CALL)
            has[from] = true;
        if (to != OBT_NO_CALL)
            has[to] = true;
        if (from != OBT_NO_CALL && s->of_call[from] != SIZE_MAX)
            s->together[s->of_call[from]].messages++;
    }
    for (size_t k = 0; k < s->together_count; k++) {
        obt_together *w = &s->together[k];
        const obt_part *parts = s->parts.by_process + w->first;
        w->superstep = is_superstep(a, &a->calls[parts->call]);
        w->meets = w->superstep && w->one_node;
        for (size_t i = 0; i < w->count; i++)
            w->meets = w->meets || !has[parts[i].call];
    }
    free(has);
}

/* ------------------------------------------------------------------- points */

static void add(obt_steps *s, obt_point p)
{
    s->points = obt_grow(s->points, s->count, &s->room, sizeof *s->points);
    s->points[s->count++] = p;
}

static bool met(const obt_steps *s, size_t together)
{
    return together != SIZE_MAX && s->together[together].meets;
}

/* The wait for this message; NULL: there was none. */
static const obt_wait *wait_for(const obt_analysis *a, const obt_message *m)
{
    size_t k = m->blocked > 0 ? obt_last_wait(a, m->to, m->received) : 0;
    const obt_wait *w = k ? &a->waits[k - 1] : NULL;
    return w && w->cause == m->from && w->end - w->begin == m->blocked ? w : NULL;
}

static void add_messages(obt_steps *s, bool *used)
{
    const obt_analysis *a = s->analysis;
    for (size_t i = 0; i < a->message_count; i++) {
        const obt_message *m = &a->messages[i];
        const obt_wait *w = wait_for(a, m);
        size_t from = together_at(s, m->from, m->sent), to = together_at(s, m->to, m->received - 1);
        if ((met(s, from) || met(s, to)) && !s->moved[i])
            continue;
        if (!(s->moved[i] & OBT_MOVED_POST))
            add(s, (obt_point){m->sent, m->sent, 0, i, from, m->from, OBT_POSTS});
        if (s->moved[i] & OBT_MOVED_TAKE)
            continue;
        obt_point take = {m->received, m->received, -1, i, to, m->to, OBT_TAKES};
        if (w && !used[w - a->waits]) {
            take.begin = w->begin;
            take.end = w->end;
            take.rest = w->end > m->sent ? w->end - m->sent : 0;
            used[w - a->waits] = true;
        }
        add(s, take);
    }
}

static void add_calls(obt_steps *s)
{
    const obt_analysis *a = s->analysis;
    for (size_t i = 0; i < a->call_count; i++) {
        const obt_call *c = &a->calls[i];
        size_t together = s->of_call[i];
        if (together == SIZE_MAX)
            continue;
        const obt_together *w = &s->together[together];
        if (!w->meets) {
            add(s, (obt_point){c->begin, c->begin, 0, i, together, c->process, OBT_CALLS});
            continue;
        }
        obt_need need = obt_needs(a, c);
        int64_t came = c->begin;
        for (size_t k = 0; k < w->count; k++) {
            const obt_call *other = &a->calls[s->parts.by_process[w->first + k].call];
            bool counts =
                need == OBT_NEEDS_ALL ||
                (need == OBT_NEEDS_ROOT && a->trace->processes[other->process].id == c->root);
            came = counts && other->begin > came ? other->begin : came;
        }
        add(s, (obt_point){c->begin, c->end, c->end > came ? c->end - came : 0, i, together,
                           c->process, OBT_MEETS});
    }
}

static void add_strands(obt_steps *s)
{
    const obt_analysis *a = s->analysis;
    for (size_t k = 0; k < s->strand_count; k++) {
        const obt_strand *t = &s->strands[k];
        const obt_call *b = &a->calls[t->begun],
                       *e = t->ended == OBT_NO_CALL ? NULL : &a->calls[t->ended];
        if (!t->known)
            continue;
        add(s, (obt_point){b->begin, b->begin, 0, k, SIZE_MAX, t->process, OBT_BEGINS});
        if (!e)
            continue;
        int64_t last = t->count ? s->moves[t->first + t->count - 1].time : e->begin;
        last = last > e->begin ? last : e->begin;
        add(s, (obt_point){e->begin, e->end, e->end > last ? e->end - last : 0, k, SIZE_MAX,
                           t->process, OBT_ENDS});
    }
}

/* Of a call that waits for a strand's end. */
static bool ends_strand(const obt_steps *s, uint32_t call)
{
    return call != OBT_NO_CALL && s->analysis->calls[call].course == OBT_ENDED;
}

/* Waits without a message of their own. */
static void add_others(obt_steps *s, const bool *used)
{
    const obt_analysis *a = s->analysis;
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[i];
        size_t together = w->call == OBT_NO_CALL ? SIZE_MAX : s->of_call[w->call];
        if (used[i] || w->late <= 0 || w->culprit == UINT32_MAX || met(s, together) ||
            ends_strand(s, w->call) || a->first_span[w->culprit] == SIZE_MAX)
            continue;
        int64_t came = w->begin + w->late;
        add(s, (obt_point){came, came, 0, s->pairs, SIZE_MAX, w->culprit, OBT_SHOWS});
        add(s, (obt_point){w->begin, w->end, w->end - came, s->pairs++, together, w->process,
                           OBT_AWAITS});
    }
}

static bool of_strand(const obt_point *p)
{
    return p->kind == OBT_BEGINS || p->kind == OBT_ENDS;
}

/* Strands of a process are numbered as they begin. */
static int by_strand(const obt_point *a, const obt_point *b)
{
    int c = obt_compare(of_strand(b), of_strand(a));
    if (c || !of_strand(a))
        return c;
    c = obt_compare((int64_t)a->object, (int64_t)b->object);
    return c ? c : obt_compare(a->kind, b->kind);
}

/* A message that was taken as a call began was taken by the call before: in simulated time calls
 * may follow each other at once. */
static int by_place(const void *x, const void *y)
{
    const obt_point *a = x, *b = y;
    int c = obt_compare(a->process, b->process);
    c = c ? c : obt_compare(a->begin, b->begin);
    c = c ? c : obt_compare(a->end, b->end);
    c = c ? c : by_strand(a, b);
    c = c ? c : obt_compare(b->kind == OBT_TAKES, a->kind == OBT_TAKES);
    c = c ? c : obt_compare(b->kind == OBT_CALLS, a->kind == OBT_CALLS);
    c = c ? c : obt_compare(b->kind == OBT_SHOWS, a->kind == OBT_SHOWS);
    return c ? c : obt_compare((int64_t)a->object, (int64_t)b->object);
}

static bool on_several_nodes(const obt_analysis *a)
{
    for (size_t k = 1; k < a->active; k++)
        if (!obt_share_node(&a->trace->processes[a->order[k]], &a->trace->processes[a->order[0]]))
            return true;
    return false;
}

void obt_find_steps(const obt_analysis *a, obt_steps *s)
{
    *s = (obt_steps){.analysis = a, .several_nodes = on_several_nodes(a)};
    bool *used = obt_memory(a->wait_count, sizeof *used);
    obt_find_parts(a, &s->parts);
    obt_find_times(a, &s->times);
    find_together(s);
    judge_together(s);
    obt_find_strands(s);
    add_messages(s, used);
    add_calls(s);
    add_strands(s);
    add_others(s, used);
    free(used);
    if (s->count)
        qsort(s->points, s->count, sizeof *s->points, by_place);
    s->first = obt_memory(a->trace->process_count + 1, sizeof *s->first);
    for (size_t i = 0; i < s->count; i++)
        s->first[s->points[i].process + 1]++;
    for (size_t p = 0; p < a->trace->process_count; p++)
        s->first[p + 1] += s->first[p];
}

void obt_free_steps(obt_steps *s)
{
    obt_free_parts(&s->parts);
    obt_free_times(&s->times);
    free(s->points);
    free(s->first);
    free(s->together);
    free(s->of_call);
    free(s->strands);
    free(s->moves);
    free(s->moved);
}
