/*
 * What made others wait. Somebody came late because, since the two last met, it computed or
 * communicated for longer than the one that waited, or because it waited itself: then the cost is
 * passed on to those for which it waited. Scalasca calls this the costs of delays.
 */
#include <stdlib.h>
#include <string.h>

#include "late.h"

enum { LOOK_BACK = 256, SPANS = 4096, WAITS = 1024 };

typedef struct ending {
    int64_t end, begin;
    size_t wait;
} ending;

typedef struct row {
    obt_delay delay;
    int64_t place[4]; /* routines and call sites before and after */
} row;

typedef struct pass {
    obt_analysis *a;
    const obt_parts *parts;
    const obt_times *times;
    const obt_message **by_pair;   /* by the two processes, then time received */
    size_t *first_call, *end_call; /* by process */
    ending *order;                 /* waits, those that end last first */
    size_t *rank;                  /* their places there */
    int64_t *owed;                 /* by wait: what it has cost others */
    row *rows;
    size_t count, room;
} pass;

/* ------------------------------------------------- when the two last met */

static uint32_t lower(const obt_message *m)
{
    return m->from < m->to ? m->from : m->to;
}

static uint32_t upper(const obt_message *m)
{
    return m->from < m->to ? m->to : m->from;
}

static int by_pair(const void *x, const void *y)
{
    const obt_message *a = *(const obt_message *const *)x, *b = *(const obt_message *const *)y;
    int c = obt_compare(lower(a), lower(b));
    c = c ? c : obt_compare(upper(a), upper(b));
    c = c ? c : obt_compare(a->received, b->received);
    return c ? c : obt_compare(a->sent, b->sent);
}

static void sort_messages(pass *p)
{
    const obt_analysis *a = p->a;
    p->by_pair = obt_memory(a->message_count, sizeof *p->by_pair);
    for (size_t i = 0; i < a->message_count; i++)
        p->by_pair[i] = &a->messages[i];
    if (a->message_count)
        qsort(p->by_pair, a->message_count, sizeof *p->by_pair, by_pair);
}

/* Two moments, one of each process. */
typedef struct meeting {
    int64_t waiter, culprit;
} meeting;

/* The last message between the two that had arrived before either went on to this wait. */
static void meet_by_message(const pass *p, const obt_wait *w, int64_t came, meeting *last)
{
    uint32_t low = w->process < w->culprit ? w->process : w->culprit;
    obt_message wanted = {.from = low,
                          .to = low == w->process ? w->culprit : w->process,
                          .received = w->begin > came ? w->begin : came,
                          .sent = INT64_MAX};
    const obt_message *key = &wanted;
    size_t k = 0, high = p->a->message_count;
    while (k < high) {
        size_t middle = k + (high - k) / 2;
        if (by_pair(&p->by_pair[middle], &key) <= 0)
            k = middle + 1;
        else
            high = middle;
    }
    for (int tries = 0; k > 0 && tries < LOOK_BACK; k--, tries++) {
        const obt_message *m = p->by_pair[k - 1];
        if (lower(m) != low || upper(m) != upper(&wanted))
            return;
        bool to_waiter = m->to == w->process;
        meeting at = {to_waiter ? m->received : m->sent, to_waiter ? m->sent : m->received};
        if (at.waiter <= w->begin && at.culprit < came) {
            *last = at.waiter > last->waiter ? at : *last;
            return;
        }
    }
}

/* The last collective call that both had left. */
static void meet_by_call(const pass *p, const obt_wait *w, int64_t came, meeting *last)
{
    const obt_analysis *a = p->a;
    size_t first = p->first_call[w->process], k = p->end_call[w->process], low = first;
    while (low < k) {
        size_t middle = low + (k - low) / 2;
        if (a->calls[middle].begin < w->begin)
            low = middle + 1;
        else
            k = middle;
    }
    for (int tries = 0; k > first && tries < LOOK_BACK; k--, tries++) {
        const obt_call *c = &a->calls[k - 1];
        if (c->end <= last->waiter)
            return;
        if (c->group < 0 || c->number < 0 || c->end > w->begin)
            continue;
        const obt_part *other = obt_part_of(p->parts, c, w->culprit);
        if (other == NULL || a->calls[other->call].end > came)
            continue;
        *last = (meeting){c->end, a->calls[other->call].end};
        return;
    }
}

static meeting last_meeting(const pass *p, const obt_wait *w, int64_t came)
{
    const obt_analysis *a = p->a;
    meeting last = {a->spans[a->first_span[w->process]].begin,
                    a->spans[a->first_span[w->culprit]].begin};
    meet_by_message(p, w, came, &last);
    meet_by_call(p, w, came, &last);
    return last;
}

/* -------------------------------------------------------------------- rows */

static void charge(pass *p, obt_delay delay, int64_t cost)
{
    const uint32_t ends[] = {delay.before, delay.after};
    if (cost <= 0)
        return;
    p->rows = obt_grow(p->rows, p->count, &p->room, sizeof *p->rows);
    row *r = &p->rows[p->count++];
    *r = (row){.delay = delay};
    r->delay.cost = cost;
    for (int k = 0; k < 2; k++) {
        const obt_call *c = ends[k] == OBT_NO_CALL ? NULL : &p->a->calls[ends[k]];
        r->place[2 * k] = c ? (int64_t)c->routine : -1;
        r->place[2 * k + 1] = c ? c->site : -1;
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

/* The longest stretch of this class of a process in [begin, end). */
static void charge_stretch(pass *p, uint32_t process, int64_t begin, int64_t end, obt_class class,
                           int64_t cost)
{
    const obt_analysis *a = p->a;
    size_t first = a->first_span[process], last = p->times->end[process];
    size_t k = obt_span_at(a, p->times, process, end - 1), best = SIZE_MAX;
    obt_delay row = {.process = process,
                     .state = OBT_COMPUTING,
                     .before = OBT_NO_CALL,
                     .after = OBT_NO_CALL,
                     .begin = begin,
                     .end = end};
    int64_t most = -1;
    for (int tries = 0; k != SIZE_MAX && k >= first && tries < SPANS; k--, tries++) {
        int64_t from = a->spans[k].begin > begin ? a->spans[k].begin : begin;
        int64_t to = k + 1 < last && a->spans[k + 1].begin < end ? a->spans[k + 1].begin : end;
        bool right = a->spans[k].state != OBT_OFF && obt_class_of(a->spans[k].state) == class;
        if (right && to - from > most) {
            most = to - from;
            best = k;
            row.begin = from;
            row.end = to;
        }
        if (a->spans[k].begin <= begin || k == first)
            break;
    }
    if (best != SIZE_MAX) {
        bool outside = class == OBT_WORKS || class == OBT_STOPS;
        row.state = a->spans[best].state;
        row.before = outside ? call_beside(a, best, first, -1) : a->spans[best].call;
        row.after = outside ? call_beside(a, best, last - 1, 1) : OBT_NO_CALL;
    }
    charge(p, row, cost);
}

/* ------------------------------------------------------------- passing on */

static bool earlier(const pass *p, size_t wait, const obt_wait *than)
{
    return p->rank[wait] > p->rank[than - p->a->waits];
}

/* Hands `cost` to the waits of the culprit in this time, by their lengths. False: it had none. */
static bool pass_on(pass *p, const obt_wait *w, meeting met, int64_t came, int64_t cost)
{
    const obt_wait *waits = p->a->waits;
    size_t end = obt_last_wait(p->a, w->culprit, came), from = end;
    double sum = 0, part = 0;
    int64_t given = 0;
    while (from > p->a->first_wait[w->culprit] && end - from < WAITS &&
           waits[from - 1].end > met.culprit)
        from--;
    for (size_t u = from; u < end; u++)
        sum += earlier(p, u, w) ? (double)(waits[u].end - waits[u].begin) : 0;
    for (size_t u = from; u < end && given < cost; u++) {
        part += earlier(p, u, w) ? (double)(waits[u].end - waits[u].begin) : 0;
        /* The same sums in the same order: the last one gets what is left. */
        int64_t until = part < sum ? (int64_t)((double)cost * (part / sum)) : cost;
        if (until <= given || !earlier(p, u, w))
            continue;
        obt_sum(&p->owed[u], until - given);
        given = until;
    }
    return sum > 0;
}

/* Divides cost by weights; what rounding leaves goes to the heaviest. */
static void divide(int64_t cost, const int64_t weights[OBT_CLASSES], int64_t parts[OBT_CLASSES])
{
    double sum = 0;
    int64_t left = cost;
    int heaviest = OBT_WORKS;
    for (int k = 0; k < OBT_CLASSES; k++) {
        sum += (double)weights[k];
        heaviest = weights[k] > weights[heaviest] ? k : heaviest;
    }
    for (int k = 0; k < OBT_CLASSES; k++) {
        parts[k] = sum > 0 ? (int64_t)((double)cost * ((double)weights[k] / sum)) : 0;
        parts[k] = parts[k] < left ? parts[k] : left;
        left -= parts[k];
    }
    parts[heaviest] += left;
}

/* Who waits owes `cost` to others, its own waiting included. */
static void explain(pass *p, const obt_wait *w, int64_t cost)
{
    int64_t came = w->begin + w->late;
    int64_t mine[OBT_CLASSES], theirs[OBT_CLASSES], parts[OBT_CLASSES];
    meeting met = last_meeting(p, w, came);
    obt_between(p->a, p->times, w->process, met.waiter, w->begin, mine);
    obt_between(p->a, p->times, w->culprit, met.culprit, came, theirs);
    for (int k = 0; k < OBT_CLASSES; k++)
        theirs[k] = theirs[k] > mine[k] ? theirs[k] - mine[k] : 0;
    divide(cost, theirs, parts);
    if (!pass_on(p, w, met, came, parts[OBT_WAITS]))
        parts[OBT_WORKS] += parts[OBT_WAITS];
    for (int k = OBT_WORKS; k < OBT_WAITS; k++)
        charge_stretch(p, w->culprit, met.culprit, came, (obt_class)k, parts[k]);
}

static int last_first(const void *x, const void *y)
{
    const ending *a = x, *b = y;
    int c = obt_compare(b->end, a->end);
    c = c ? c : obt_compare(b->begin, a->begin);
    return c ? c : obt_compare((int64_t)a->wait, (int64_t)b->wait);
}

/* Waits that end later first: whoever they were for waited before. */
static void walk_back(pass *p)
{
    const obt_analysis *a = p->a;
    for (size_t i = 0; i < a->wait_count; i++)
        p->order[i] = (ending){a->waits[i].end, a->waits[i].begin, i};
    if (a->wait_count)
        qsort(p->order, a->wait_count, sizeof *p->order, last_first);
    for (size_t i = 0; i < a->wait_count; i++)
        p->rank[p->order[i].wait] = i;
    for (size_t i = 0; i < a->wait_count; i++) {
        const obt_wait *w = &a->waits[p->order[i].wait];
        int64_t owed = p->owed[p->order[i].wait], length = w->end - w->begin;
        int64_t blamed = (int64_t)((double)owed * ((double)w->late / (double)length));
        blamed = blamed < owed ? blamed : owed;
        if (w->late > 0) {
            int64_t all = w->late;
            obt_sum(&all, blamed);
            explain(p, w, all);
        } else {
            blamed = 0;
        }
        charge(p,
               (obt_delay){.process = w->process,
                           .state = w->state,
                           .before = w->call,
                           .after = OBT_NO_CALL,
                           .begin = w->begin,
                           .end = w->end},
               owed - blamed);
    }
}

/* ----------------------------------------------------------------- joining */

static int by_place(const void *x, const void *y)
{
    const row *a = x, *b = y;
    int c = obt_compare(a->delay.process, b->delay.process);
    c = c ? c : obt_compare(a->delay.state, b->delay.state);
    for (int k = 0; k < 4 && c == 0; k++)
        c = obt_compare(a->place[k], b->place[k]);
    return c;
}

static int by_cost(const void *x, const void *y)
{
    const obt_delay *a = x, *b = y;
    int c = obt_compare(b->cost, a->cost);
    c = c ? c : obt_compare(a->begin, b->begin); /* the order of processes is the file's */
    return c ? c : obt_compare(a->process, b->process);
}

/* Those of one place are one row, with the stretch that cost most. */
static void join_rows(pass *p)
{
    obt_delay *out = obt_memory(p->count, sizeof *out);
    size_t n = 0;
    int64_t worst = 0;
    if (p->count)
        qsort(p->rows, p->count, sizeof *p->rows, by_place);
    for (size_t i = 0; i < p->count; i++) {
        const obt_delay *next = &p->rows[i].delay;
        if (n == 0 || by_place(&p->rows[i - 1], &p->rows[i])) {
            out[n++] = *next;
            worst = next->cost;
            continue;
        }
        int64_t sum = out[n - 1].cost;
        if (next->cost > worst) {
            worst = next->cost;
            out[n - 1] = *next;
        }
        obt_sum(&sum, next->cost);
        out[n - 1].cost = sum;
    }
    if (n)
        qsort(out, n, sizeof *out, by_cost);
    p->a->delays = out;
    p->a->delay_count = n;
}

/* Calls stand by process, in the order in which processes were walked. */
static void find_calls(pass *p)
{
    const obt_analysis *a = p->a;
    p->first_call = obt_memory(a->trace->process_count, sizeof *p->first_call);
    p->end_call = obt_memory(a->trace->process_count, sizeof *p->end_call);
    for (size_t i = 0; i < a->call_count; i++) {
        uint32_t q = a->calls[i].process;
        if (i == 0 || a->calls[i - 1].process != q)
            p->first_call[q] = i;
        p->end_call[q] = i + 1;
    }
}

void obt_find_delays(obt_analysis *a, const obt_parts *parts, const obt_times *times)
{
    pass p = {.a = a,
              .parts = parts,
              .times = times,
              .order = obt_memory(a->wait_count, sizeof *p.order),
              .rank = obt_memory(a->wait_count, sizeof *p.rank),
              .owed = obt_memory(a->wait_count, sizeof *p.owed)};
    find_calls(&p);
    sort_messages(&p);
    walk_back(&p);
    join_rows(&p);
    free(p.by_pair);
    free(p.first_call);
    free(p.end_call);
    free(p.rows);
    free(p.order);
    free(p.rank);
    free(p.owed);
}
