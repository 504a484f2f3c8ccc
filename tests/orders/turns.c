/* Which operations could be turned round, found as they happen (turns.h). */
#include "turns.h"

#include <string.h>

event ex_events[TURNS_STEPS];
node ex_nodes[TURNS_STEPS];
int ex_depth;

void turns_join(uint16_t *past, const uint16_t *other)
{
    for (int t = 0; t < EX_THREADS; t++)
        if (other[t] > past[t])
            past[t] = other[t];
}

static bool before(const uint16_t *past, int i)
{
    return past[ex_events[i].thread] >= i + 1;
}

/* Event i could have come after the later one, at the front of which `past` lies: some process that
 * leads there is to be tried in its place. */
static void turn_round(int i, int thread, const uint16_t *past)
{
    unsigned first = 0, met = 0;
    for (int k = i + 1; k < ex_depth; k++) {
        int t = ex_events[k].thread;
        if (before(ex_events[k].past, i) || met >> t & 1)
            continue;
        bool leads = true;
        for (int j = i + 1; leads && j < k; j++)
            leads = before(ex_events[j].past, i) || !before(ex_events[k].past, j);
        if (leads)
            first |= 1u << t;
        met |= 1u << t;
    }
    if (!(met >> thread & 1)) {
        bool leads = true;
        for (int j = i + 1; leads && j < ex_depth; j++)
            leads = before(ex_events[j].past, i) || !before(past, j);
        if (leads)
            first |= 1u << thread;
    }
    node *n = &ex_nodes[i];
    if (first & n->wanted)
        return;
    if (first >> thread & 1 && n->enabled >> thread & 1)
        n->wanted |= 1u << thread;
    else if (first & n->enabled)
        n->wanted |= first & n->enabled & -(first & n->enabled);
    else
        n->wanted |= n->enabled;
}

/* Fences concern all words. */
static bool is_whole(const op *o)
{
    return o->kind >= OP_FENCE;
}

bool turns_are_tied(const op *a, const op *b)
{
    return (memory_is_total(a) || a->kind == OP_BARRIER) &&
           (memory_is_total(b) || b->kind == OP_BARRIER) &&
           (is_whole(a) || is_whole(b) || a->at == b->at);
}

void turns_past(uint16_t *past, const uint16_t *own, const op *o, const ties *t, int at, int i)
{
    memcpy(past, own, EX_THREADS * sizeof *past);
    if (t->read >= 0 && t->read != i)
        turns_join(past, ex_events[t->read].past);
    if (t->barrier >= 0 && t->barrier != i)
        turns_join(past, ex_events[t->barrier].past);
    for (int k = 0; (memory_is_total(o) || o->kind == OP_BARRIER) && k < at; k++)
        if (k != i && turns_are_tied(&ex_events[k].op, o))
            turns_join(past, ex_events[k].past);
}

static bool is_other_read(const op *o, const op *before)
{
    int s = o->wrote ? o->wrote : o->read;
    return memory_writes(o) && before->read && stores[before->read].location == stores[s].location;
}

/* Turned round, a read may also read what was written after i, and not because of it. */
static void turn_with_stores(int i, int thread, const op *o, const uint16_t *past)
{
    for (int k = i + 1; memory_reads(o) && k < ex_depth; k++) {
        uint16_t all[EX_THREADS];
        const op *w = &ex_events[k].op;
        if (!w->wrote || stores[w->wrote].location != stores[o->read].location ||
            before(ex_events[k].past, i))
            continue;
        memcpy(all, past, sizeof all);
        turns_join(all, ex_events[k].past);
        turn_round(i, thread, all);
    }
}

/* The events that the one about to happen could have come before. A comparison that was not equal
 * could have written, had it been earlier. */
void turns_find(int thread, const uint16_t *own, const op *o, const ties *t)
{
    uint16_t past[EX_THREADS];
    for (int i = ex_depth - 1; i >= 0; i--) {
        if (ex_events[i].thread == thread ||
            !(turns_are_tied(&ex_events[i].op, o) || i == t->barrier || o->kind == OP_BARRIER ||
              is_other_read(o, &ex_events[i].op)))
            continue;
        turns_past(past, own, o, t, ex_depth, i);
        if (before(past, i))
            continue;
        turn_round(i, thread, past);
        turn_with_stores(i, thread, o, past);
    }
}

/* The last event wrote what an earlier read could have read, had that come later. If the order of
 * those in one order for all was what forbade it, that is to be turned round, too. */
void turns_find_reads(void)
{
    const event *w = &ex_events[ex_depth - 1];
    for (int i = 0; w->op.wrote && i < ex_depth - 1; i++) {
        const event *e = &ex_events[i];
        ties t = {-1, e->ties.barrier};
        uint16_t past[EX_THREADS];
        if (!memory_is_total(&e->op) || !e->op.read || e->thread == w->thread ||
            before(w->past, i) || stores[e->op.read].location != stores[w->op.wrote].location)
            continue;
        for (int k = 0; k < i; k++) {
            if (!turns_are_tied(&ex_events[k].op, &e->op))
                continue;
            turns_past(past, e->own, &e->op, &t, i, k);
            turns_join(past, w->past);
            if (!before(past, k))
                turn_round(k, e->thread, past);
        }
    }
}
