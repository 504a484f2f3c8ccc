/*
 * One clock for the processes of several nodes. Each node has readings of another node's
 * clock (ob_trace_sync), taken when processes met and when they parted; through them goes
 * a straight line, whose slope is the drift. The node of the lowest process keeps its
 * clock; nodes that have read it follow, then those that have read these.
 */
#include <math.h>
#include <stdlib.h>

#include "clocks.h"

/* Common time = t + offset + drift * (t - at). */
typedef struct node {
    bool known;
    int64_t at, offset, error;
    double drift;
} node;

typedef struct reading { /* of node `from` by node `of` */
    size_t of, from;
    ob_trace_sync sync;
} reading;

typedef struct nodes {
    obt_map index; /* by their numbers; 0, on the common clock already, is among them */
    node *at;
    size_t count, room;
    reading *reading; /* by from, of, at */
    size_t readings;
} nodes;

/* Readings belong to the begin or end when they are within this much of the first or last. */
static const int64_t AROUND_NS = 1000000000;
/* Crystals run within 100 millionths of each other; a slope that may be as wrong as that
 * says nothing. */
static const double WORST_DRIFT = 1e-4;

static size_t node_of(nodes *n, uint32_t number)
{
    size_t found = obt_map_take(&n->index, number, n->count);
    if (found < n->count)
        return found;
    n->at = obt_grow(n->at, n->count, &n->room, sizeof *n->at);
    n->at[n->count] = (node){.known = number == 0};
    return n->count++;
}

static int by_pair(const void *pa, const void *pb)
{
    const reading *a = pa, *b = pb;
    int c = obt_compare((int64_t)a->from, (int64_t)b->from);
    c = c ? c : obt_compare((int64_t)a->of, (int64_t)b->of);
    return c ? c : obt_compare(a->sync.at, b->sync.at);
}

static bool possible(int64_t time)
{
    return time > -OBT_LATEST / 2 && time < OBT_LATEST / 2;
}

static void add_readings(nodes *n, const obt_trace *t, const obt_reading *readings, size_t count)
{
    n->reading = obt_memory(count, sizeof *n->reading);
    for (size_t i = 0; i < count; i++) {
        const ob_trace_sync *s = &readings[i].sync;
        size_t of = obt_find_process(t, readings[i].process),
               from = obt_find_process(t, s->reference);
        if (of == OBT_NONE || from == OBT_NONE || !possible(s->at) || !possible(s->offset) ||
            s->error > OBT_LATEST)
            continue;
        of = node_of(n, t->processes[of].node);
        from = node_of(n, t->processes[from].node);
        if (of != from)
            n->reading[n->readings++] = (reading){of, from, *s};
    }
    qsort(n->reading, n->readings, sizeof *n->reading, by_pair);
}

/* ------------------------------------------------------------------ the lines */

static int64_t common(const node *n, int64_t t)
{
    double more = n->drift * (double)(t - n->at);
    return t + n->offset + (fabs(more) < (double)OBT_LATEST / 2 ? (int64_t)more : 0);
}

/* The line of `of` through two readings of `from`, whose own line is known. */
static void fit(node *of, const node *from, ob_trace_sync a, ob_trace_sync b)
{
    double length = (double)(b.at - a.at), wrong = (double)a.error + (double)b.error;
    double slope =
        length > 0 && wrong / length < WORST_DRIFT ? (double)(b.offset - a.offset) / length : 0;
    ob_trace_sync one = slope == 0 && b.error < a.error ? b : a;
    of->at = one.at;
    of->offset = common(from, one.at + one.offset) - one.at;
    of->drift = (1 + slope) * (1 + from->drift) - 1;
    of->error = from->error + (int64_t)(a.error > b.error ? a.error : b.error);
    of->known = possible(of->offset) && of->error < OBT_LATEST;
}

/* The reading of a pair with the least error, among those close to `near`. */
static ob_trace_sync best(const reading *pair, size_t count, int64_t near)
{
    ob_trace_sync found = {.error = UINT64_MAX};
    for (size_t i = 0; i < count; i++)
        if (pair[i].sync.error < found.error && pair[i].sync.at >= near - AROUND_NS &&
            pair[i].sync.at <= near + AROUND_NS)
            found = pair[i].sync;
    return found;
}

static bool same_pair(const reading *a, const reading *b)
{
    return a->from == b->from && a->of == b->of;
}

/* Where the readings of each node's clock begin. */
static size_t *firsts(const nodes *n)
{
    size_t *first = obt_memory(n->count + 1, sizeof *first);
    for (size_t i = 0; i < n->readings; i++)
        first[n->reading[i].from + 1]++;
    for (size_t k = 0; k < n->count; k++)
        first[k + 1] += first[k];
    return first;
}

/* From a node whose line is known to those that have read its clock, and on from these. */
static void join_all(nodes *n, size_t reference)
{
    size_t *first = firsts(n), *queue = obt_memory(n->count, sizeof *queue), tail = 0;
    n->at[reference].known = true;
    queue[tail++] = reference;
    for (size_t head = 0; head < tail; head++) {
        const reading *stop = n->reading + first[queue[head] + 1];
        for (const reading *r = n->reading + first[queue[head]], *next; r < stop; r = next) {
            for (next = r + 1; next < stop && same_pair(r, next);)
                next++;
            size_t count = (size_t)(next - r);
            if (n->at[r->of].known)
                continue;
            fit(&n->at[r->of], &n->at[r->from], best(r, count, r->sync.at),
                best(r, count, next[-1].sync.at));
            if (n->at[r->of].known)
                queue[tail++] = r->of;
        }
    }
    free(queue);
    free(first);
}

/* --------------------------------------------------------------------- moving */

static void move_processes(nodes *n, obt_trace *t)
{
    for (size_t i = 0; i < t->process_count; i++) {
        obt_process *p = &t->processes[i];
        const node *of = &n->at[node_of(n, p->node)];
        t->unaligned += !of->known;
        if (!of->known || of->error == 0)
            continue;
        p->offset = common(of, p->began) - p->began;
        p->offset_error = of->error;
        p->began += p->offset;
        p->ended = common(of, p->ended);
    }
}

static void move_events(nodes *n, obt_trace *t)
{
    for (size_t i = 0; i < t->event_count; i++) {
        obt_event *e = &t->events[i];
        const node *of = &n->at[node_of(n, t->processes[e->process].node)];
        if (!of->known || of->error == 0)
            continue;
        e->time = common(of, e->time);
        if (e->kind == OBT_TRACE_FLUSH)
            t->values[e->first] = common(of, t->values[e->first]);
    }
}

void obt_align(obt_trace *t, const obt_reading *readings, size_t count)
{
    nodes n = {0};
    size_t lowest = OBT_NONE;
    for (size_t i = 0; i < t->process_count; i++) {
        node_of(&n, t->processes[i].node);
        if (t->processes[i].node &&
            (lowest == OBT_NONE || t->processes[i].id < t->processes[lowest].id))
            lowest = i;
    }
    if (n.count > 1 && lowest != OBT_NONE) {
        add_readings(&n, t, readings, count);
        join_all(&n, node_of(&n, t->processes[lowest].node));
        move_processes(&n, t);
        move_events(&n, t);
    }
    obt_map_free(&n.index);
    free(n.at);
    free(n.reading);
}
