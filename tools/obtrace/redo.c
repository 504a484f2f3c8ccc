/*
 * Collective calls carried out in another way than in the trace: by another topology, message by
 * message (LAWN 73, 4.3 and 5.4), or as the planner would.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/partners.h"
#include "hooks/pattern.h"
#include "hooks/planner.h"
#include "hooks/topology.h"
#include "replay.h"

enum { RINGS = 1, BRANCHES = 1 }; /* of the letters M and T, where the program sets nothing else */

bool obt_is_broadcast(const obt_analysis *a, const obt_call *c)
{
    return c->root >= 0 && obt_waiting_in(a->trace->routines[c->routine].name) == OBT_BROADCASTING;
}

bool obt_is_combine(const obt_analysis *a, const obt_call *c)
{
    return obt_waiting_in(a->trace->routines[c->routine].name) == OBT_COMBINING;
}

void obt_do(obt_ops *ops, obt_act act, size_t object, int64_t length)
{
    ops->at = obt_grow(ops->at, ops->count, &ops->room, sizeof *ops->at);
    ops->at[ops->count++] = (obt_op){.act = (uint8_t)act, .object = object, .length = length};
}

/* What of a time is there without bytes: of a line through several ranges the least that makes
 * sense. */
static double start_of(const ob_curve *c, size_t bytes, double all)
{
    double none = ob_curve_at(c, 0), start = none < all ? none : all;
    int k = c->pieces - 1;
    while (k > 0 && c->piece[k].from > bytes)
        k--;
    return c->piece[k].alpha > 0 && c->piece[k].alpha < start ? c->piece[k].alpha : start;
}

int64_t obt_price_by(const ob_curve *c, int64_t bytes, double latency, double each)
{
    size_t n = bytes > 0 ? (size_t)bytes : 0;
    double all = ob_curve_at(c, n), start = start_of(c, n, all);
    double us = latency * start + each * (all - start);
    return us < 1e12 ? (int64_t)(us * 1e3) : (int64_t)1e15;
}

int64_t obt_price(const obt_prices *p, ob_quantity q, int64_t bytes)
{
    return obt_price_by(&p->profile->curve[q], bytes, !p->no_latency, !p->no_bytes);
}

int64_t obt_link_price(const obt_prices *p, int64_t bytes)
{
    return p->no_bytes ? 0 : obt_price_by(&p->profile->curve[OB_T_C], bytes, 0, 1);
}

/* ------------------------------------------------------------------ changes */

/* The two sides of a broadcast have one name here. */
static void both_sides(char *name)
{
    if (strlen(name) == 7 && name[3] == 'b' && name[4] == 'r')
        name[4] = 's';
}

bool obt_read_change(const char *text, obt_change *change)
{
    static const struct {
        const char *word;
        char scope;
    } scopes[] = {{"row-", 'R'}, {"column-", 'C'}, {"all-", 'A'}};
    const char *equals = strrchr(text, '=');
    ob_route route;
    *change = (obt_change){0};
    for (size_t k = 0; k < sizeof scopes / sizeof *scopes; k++)
        if (strncmp(text, scopes[k].word, strlen(scopes[k].word)) == 0) {
            change->scope = scopes[k].scope;
            text += strlen(scopes[k].word);
            break;
        }
    if (!equals || equals <= text || (size_t)(equals - text) >= sizeof change->routine)
        return false;
    memcpy(change->routine, text, (size_t)(equals - text));
    both_sides(change->routine);
    for (const char *c = change->routine; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    if (strcmp(equals + 1, "plan") == 0 || strcmp(equals + 1, " ") == 0) {
        change->letter = ' ';
        return true;
    }
    change->letter = (char)toupper((unsigned char)equals[1]);
    return equals[1] && !equals[2] && ob_topology_read(change->letter, RINGS, BRANCHES, &route);
}

static bool fits(const obt_analysis *a, const obt_change *change, const obt_call *c)
{
    char name[32];
    if (change->scope && change->scope != c->scope)
        return false;
    if (strcmp(change->routine, "broadcast") == 0)
        return obt_is_broadcast(a, c);
    if (strcmp(change->routine, "combine") == 0)
        return obt_is_combine(a, c);
    snprintf(name, sizeof name, "%s", a->trace->routines[c->routine].name);
    both_sides(name);
    return strcmp(name, change->routine) == 0;
}

bool obt_changed(const obt_steps *s, const obt_scenario *what, const obt_call *c, char *letter)
{
    const obt_analysis *a = s->analysis;
    size_t together = s->of_call[c - a->calls];
    bool broadcast = obt_is_broadcast(a, c);
    /* Without a letter it is no call of an interface that has them. */
    if (together == SIZE_MAX || !c->topology || !(broadcast || obt_is_combine(a, c)))
        return false;
    *letter = c->topology;
    /* In a job of several nodes broadcasts along rings stay what they are, also within one. */
    if (what->plan && (!s->several_nodes || !broadcast || !strchr("IDSM", c->topology)))
        *letter = ' ';
    for (size_t k = 0; k < what->change_count; k++)
        if (fits(a, &what->changes[k], c))
            *letter = what->changes[k].letter;
    return *letter != c->topology;
}

/* ------------------------------------------------------------------ patterns */

typedef struct script {
    obt_ops *ops;
    const obt_prices *prices;
    size_t first;
    int64_t bytes;
    int size, me;
    bool linked;
} script;

static void send(script *s, size_t message, int64_t bytes)
{
    obt_do(s->ops, OBT_POST, s->first + message, s->linked ? obt_link_price(s->prices, bytes) : 0);
    obt_do(s->ops, OBT_WORK, 0, obt_price(s->prices, OB_T_S, bytes));
}

static void take(script *s, size_t message, int64_t bytes, bool merge)
{
    obt_do(s->ops, OBT_TAKE, s->first + message, obt_price(s->prices, OB_T_C, bytes));
    s->ops->at[s->ops->count - 1].least = obt_price(s->prices, OB_T_R, bytes);
    if (merge)
        obt_do(s->ops, OBT_WORK, 0, obt_price(s->prices, OB_T_O, bytes));
}

/* Messages are numbered by who is further from the root. */
static void outward(script *s, ob_pattern *p, size_t from, int64_t bytes)
{
    ob_edge edge;
    if (ob_pattern_parent(p, &edge))
        take(s, from + (size_t)s->me, bytes, false);
    while (ob_pattern_next(p, &edge))
        send(s, from + (size_t)edge.peer, bytes);
}

static void inward(script *s, ob_pattern *p, size_t from, int64_t bytes)
{
    ob_edge edge;
    while (ob_pattern_next(p, &edge))
        take(s, from + (size_t)edge.peer, bytes, true);
    if (ob_pattern_parent(p, &edge))
        send(s, from + (size_t)s->me, bytes);
}

/* Numbered by rounds, then by who sends; beyond the largest power of two in the last two. */
static void exchange(script *s, size_t from, int64_t bytes)
{
    ob_partners e = ob_partners_open(s->size, s->me);
    size_t size = (size_t)s->size, me = (size_t)s->me, rounds = (size_t)e.rounds * size;
    if (e.beyond) {
        send(s, from + rounds + me, bytes);
        take(s, from + rounds + (size_t)e.folded, bytes, false);
        return;
    }
    if (e.folded != OB_ANY)
        take(s, from + rounds + (size_t)e.folded, bytes, true);
    for (int k = 0; k < e.rounds; k++) {
        send(s, from + (size_t)k * size + me, bytes);
        take(s, from + (size_t)k * size + (size_t)ob_partners_partner(&e, k), bytes, true);
    }
    if (e.folded != OB_ANY)
        send(s, from + rounds + me, bytes);
}

static size_t size_of(const obt_steps *s, const obt_call *c)
{
    return s->analysis->trace->groups[c->group].member_count;
}

static size_t chunks_of(const obt_call *c)
{
    size_t bytes = c->bytes > 0 ? (size_t)c->bytes : 0;
    size_t chunks = (bytes + OB_SLICE_BYTES - 1) / OB_SLICE_BYTES;
    return chunks < 1 ? 1 : chunks < 4096 ? chunks : 4096;
}

static size_t rounds_of(size_t size)
{
    size_t rounds = 2;
    for (size_t n = 1; n < size; n *= 2)
        rounds++;
    return rounds;
}

size_t obt_redo_messages(const obt_steps *s, const obt_call *c)
{
    size_t size = size_of(s, c);
    return obt_is_broadcast(s->analysis, c) ? size : chunks_of(c) * rounds_of(size) * size;
}

static int position(const obt_group *g, int64_t id)
{
    for (size_t i = 0; i < g->member_count; i++)
        if (g->members[i] == id)
            return (int)i;
    return -1;
}

static void combine(script *s, const ob_route *r, int root, size_t chunks)
{
    size_t each = rounds_of((size_t)s->size) * (size_t)s->size;
    for (size_t k = 0; k < chunks; k++) {
        int64_t n = (int64_t)chunks, bytes = s->bytes / n + ((int64_t)k < s->bytes % n);
        ob_pattern p;
        if (root < 0 && r->topology == OB_TOP_HYPERCUBE) {
            exchange(s, k * each, bytes);
            continue;
        }
        ob_pattern_combine(&p, r->topology, r->branches, s->size, root < 0 ? 0 : root, s->me);
        inward(s, &p, k * each, bytes);
        if (root >= 0)
            continue;
        ob_pattern_send_out(&p, r->topology, r->branches, s->size, 0, s->me);
        outward(s, &p, k * each + (size_t)s->size, bytes);
    }
}

void obt_redo(obt_ops *ops, const obt_steps *s, const obt_call *c, char letter,
              const obt_prices *prices, bool linked, size_t first)
{
    const obt_group *g = &s->analysis->trace->groups[c->group];
    int root = position(g, c->root), me = position(g, s->analysis->trace->processes[c->process].id);
    script x = {.ops = ops,
                .prices = prices,
                .first = first,
                .bytes = c->bytes,
                .size = (int)g->member_count,
                .me = me,
                .linked = linked};
    ob_route route;
    if (me < 0 || !ob_topology_read(letter, RINGS, BRANCHES, &route))
        return;
    if (obt_is_broadcast(s->analysis, c)) {
        ob_pattern p;
        ob_pattern_broadcast(&p, route.topology, route.branches, x.size, root < 0 ? 0 : root, me);
        outward(&x, &p, 0, c->bytes);
    } else {
        combine(&x, &route, root, chunks_of(c));
    }
}

/* ------------------------------------------------------------- the planner's */

static ob_plan_question question_of(const obt_steps *s, const obt_call *c)
{
    const obt_group *g = &s->analysis->trace->groups[c->group];
    int root = position(g, c->root);
    return (ob_plan_question){.task = obt_is_broadcast(s->analysis, c) ? OB_PLAN_BROADCAST
                                      : root < 0                       ? OB_PLAN_COMBINE_ALL
                                                                       : OB_PLAN_COMBINE,
                              .rows = 1,
                              .columns = (int)g->member_count,
                              .root = root < 0 ? 0 : root,
                              .bytes = c->bytes > 0 ? (size_t)c->bytes : 0};
}

/* Within a node the board: each reads what others have written, as long as a message takes, but for
 * what its sender needs to start it, which nobody does here. Who needs nobody only writes. */
int64_t obt_board_time(const obt_steps *s, const obt_call *c, const obt_prices *prices,
                       obt_need need)
{
    int64_t others = (int64_t)size_of(s, c) - 1, start = obt_price(prices, OB_T_S, c->bytes),
            time = obt_price(prices, OB_T_C, c->bytes) - start;
    time = time > 0 ? time : 0;
    if (need == OBT_NEEDS_NOBODY)
        return start < time ? start : time;
    return obt_is_broadcast(s->analysis, c) ? time
                                            : time + others * obt_price(prices, OB_T_O, c->bytes);
}

typedef struct follow {
    script s;
    obt_map numbers;           /* of messages, by pair and which one of it */
    uint32_t *sent, *received; /* how many there were, by pair */
} follow;

enum { MOST_MEMBERS = 1024, MOST_OF_PAIR = 4096 };

static size_t number(follow *f, uint32_t *counts, int from, int to)
{
    size_t pair = (size_t)from * (size_t)f->s.size + (size_t)to;
    uint32_t k = counts[pair] < MOST_OF_PAIR - 1 ? counts[pair]++ : counts[pair];
    return obt_map_take(&f->numbers, (int64_t)pair * MOST_OF_PAIR + k, f->numbers.count);
}

static void follow_move(const ob_plan_move *m, void *context)
{
    follow *f = context;
    script *s = &f->s;
    if (m->to >= 0)
        send(s, number(f, f->sent, s->me, m->to), (int64_t)(m->sent * (double)s->bytes));
    if (m->from >= 0)
        take(s, number(f, f->received, m->from, s->me), (int64_t)(m->received * (double)s->bytes),
             m->combined);
}

static bool follow_all(obt_plan *plan, const ob_plan_question *q, const char *words, follow *f)
{
    int status = OB_OK;
    for (int me = 0; me < q->columns && status == OB_OK; me++) {
        f->s.ops = &plan->of[me];
        f->s.me = me;
        status = ob_plan_follow(q, words, me, follow_move, f);
    }
    plan->messages = f->numbers.count;
    return status == OB_OK;
}

/* Start-up and bytes apart, as in obt_price. */
static int64_t native_price(const ob_plan_question *q, const obt_prices *prices)
{
    double start = ob_profile_native(prices->profile, (int)q->task, q->columns, 0),
           all = ob_profile_native(prices->profile, (int)q->task, q->columns, q->bytes);
    start = start < all ? start : all;
    double us = (prices->no_latency ? 0 : start) + (prices->no_bytes ? 0 : all - start);
    return us < 1e12 ? (int64_t)(us * 1e3) : (int64_t)1e15;
}

static obt_plan *make_plan(const ob_plan_question *q, const obt_prices *prices)
{
    char words[OB_PLAN_WORDS];
    size_t size = (size_t)q->columns;
    obt_plan *plan = obt_memory(1, sizeof *plan);
    follow f = {
        .s = {.prices = prices, .bytes = (int64_t)q->bytes, .size = q->columns, .linked = true}};
    plan->size = size;
    plan->of = obt_memory(size, sizeof *plan->of);
    if (size > MOST_MEMBERS ||
        ob_plan_explain(prices->profile, q, NULL, NULL, words, sizeof words, NULL) != OB_OK)
        return plan;
    plan->native = plan->known = strcmp(words, "native") == 0;
    if (plan->native) {
        plan->time = native_price(q, prices);
        return plan;
    }
    f.sent = obt_memory(size * size, sizeof *f.sent);
    f.received = obt_memory(size * size, sizeof *f.received);
    plan->known = follow_all(plan, q, words, &f);
    free(f.sent);
    free(f.received);
    obt_map_free(&f.numbers);
    return plan;
}

const obt_plan *obt_redo_planned(const obt_steps *s, const obt_call *c, const obt_prices *prices,
                                 obt_plan **made)
{
    ob_plan_question q = question_of(s, c);
    if (s->together[s->of_call[c - s->analysis->calls]].one_node)
        return NULL;
    for (obt_plan *p = *made; p; p = p->next)
        if (p->task == (int)q.task && p->size == (size_t)q.columns && p->root == q.root &&
            p->bytes == q.bytes)
            return p->known ? p : NULL;
    obt_plan *plan = make_plan(&q, prices);
    plan->task = (int)q.task;
    plan->root = q.root;
    plan->bytes = q.bytes;
    plan->next = *made;
    *made = plan;
    return plan->known ? plan : NULL;
}

void obt_redo_plan(obt_ops *ops, const obt_steps *s, const obt_call *c, const obt_plan *plan,
                   size_t first)
{
    const obt_group *g = &s->analysis->trace->groups[c->group];
    int me = position(g, s->analysis->trace->processes[c->process].id);
    for (size_t k = 0; me >= 0 && k < plan->of[me].count; k++) {
        obt_op o = plan->of[me].at[k];
        obt_do(ops, (obt_act)o.act, o.act == OBT_WORK ? 0 : o.object + first, o.length);
        ops->at[ops->count - 1].least = o.least;
    }
}

void obt_free_plans(obt_plan *made)
{
    for (obt_plan *next; made; made = next) {
        next = made->next;
        for (size_t k = 0; k < made->size; k++)
            free(made->of[k].at);
        free(made->of);
        free(made);
    }
}
