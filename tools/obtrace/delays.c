/*
 * What made others wait. Somebody came late because, since the two last met, it computed or
 * communicated for longer than the one that waited, or because it waited itself: then the cost is
 * passed on to those for which it waited. Scalasca calls this the costs of delays.
 */
#include <stdlib.h>
#include <string.h>

#include "late.h"

enum { LOOK_BACK = 256, SPANS = 4096, WAITS = 1024, PLACES = 16 };

/* What a late one did for longer: a class, or it had not joined yet. */
enum { AWAY = OBT_CLASSES, REASONS };

typedef struct ending {
    int64_t end, begin;
    size_t wait;
} ending;

typedef struct pass {
    obt_analysis *a;
    const obt_parts *parts;
    const obt_times *times;
    const obt_message **by_pair;   /* by the two processes, then time received */
    size_t *first_call, *end_call; /* by process */
    ending *order;                 /* waits, those that end last first */
    size_t *rank;                  /* their places there */
    int64_t *owed;                 /* by wait: what it has cost others */
    size_t *next;                  /* by wait: the one that it is most for, or OBT_NONE */
    obt_stretch *rows;
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

/* The two are compared from one moment on, when either knew of the other: so what the culprit did
 * longer than the waiter is just what it was late. */

/* When the waiter sent or received the last message between the two that had arrived before either
 * went on to this wait. */
static void meet_by_message(const pass *p, const obt_wait *w, int64_t came, int64_t *met)
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
        int64_t waiter = to_waiter ? m->received : m->sent;
        if (waiter <= w->begin && (to_waiter ? m->sent : m->received) < came) {
            *met = waiter > *met ? waiter : *met;
            return;
        }
    }
}

/* In a call of all with all everybody meets everybody when the last one comes; what a process does
 * in it afterwards is its own. In others, and where a group was made, of which no more is known,
 * the waiter has met the rest when it goes on. */
static int64_t met_in(const pass *p, const obt_call *c)
{
    const obt_part *last = c->root < 0 && c->number != OBT_MEETING
                               ? obt_last_part(p->parts, c, c->end, UINT32_MAX)
                               : NULL;
    return last ? last->begin : c->end;
}

/* The last collective call that both had left. */
static void meet_by_call(const pass *p, const obt_wait *w, int64_t came, int64_t *met)
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
        if (c->end <= *met)
            return;
        if (!obt_is_shared(c) || c->end > w->begin)
            continue;
        const obt_part *other = obt_part_of(p->parts, c, w->culprit);
        if (other == NULL || a->calls[other->call].end > came)
            continue;
        int64_t then = met_in(p, c);
        *met = then > *met ? then : *met;
        return;
    }
}

/* Before their first meeting they are compared since both had joined, or where it is known when the
 * culprit did, since the waiter had. */
static int64_t last_meeting(const pass *p, const obt_wait *w, int64_t came)
{
    int64_t waiter = obt_began(p->a, w->process), culprit = obt_began(p->a, w->culprit);
    int64_t met = waiter > culprit || obt_joined(p->a, w->culprit) >= 0 ? waiter : culprit;
    meet_by_message(p, w, came, &met);
    meet_by_call(p, w, came, &met);
    return met < w->begin ? met : w->begin;
}

/* -------------------------------------------------------------------- rows */

static void charge(pass *p, obt_delay delay, int64_t cost)
{
    if (cost <= 0)
        return;
    p->rows = obt_grow(p->rows, p->count, &p->room, sizeof *p->rows);
    obt_stretch *r = &p->rows[p->count++];
    *r = (obt_stretch){.delay = delay};
    r->delay.cost = cost;
    obt_note_place(p->a, &delay, r->place);
}

/* What a process did at one place in some time, and its longest stretch there. */
typedef struct at_place {
    int64_t place[4], sum;
    obt_delay longest;
} at_place;

static at_place *same_place(at_place *of, int count, const int64_t place[4], const obt_delay *d)
{
    for (int i = 0; i < count; i++)
        if (memcmp(of[i].place, place, sizeof of[i].place) == 0 &&
            of[i].longest.asleep == d->asleep && of[i].longest.unsure == d->unsure)
            return &of[i];
    return NULL;
}

/* The places of this class in [begin, end), the last ones where there are too many. */
static int places_of(const pass *p, uint32_t process, int64_t begin, int64_t end, obt_class class,
                     at_place of[PLACES])
{
    const obt_analysis *a = p->a;
    size_t first = a->first_span[process], k = obt_span_at(a, p->times, process, end - 1);
    int count = 0;
    for (int tries = 0; k != SIZE_MAX && k >= first && tries < SPANS; k--, tries++) {
        if (a->spans[k].state != OBT_OFF && obt_class_of(a->spans[k].state) == class) {
            int64_t place[4];
            obt_delay d = obt_stretch_in(a, p->times, process, k, begin, end);
            obt_note_place(a, &d, place);
            at_place *at = same_place(of, count, place, &d);
            if (at == NULL && count < PLACES) {
                at = &of[count++];
                *at = (at_place){.longest = d};
                memcpy(at->place, place, sizeof place);
            }
            if (at) {
                at->sum += d.end - d.begin;
                if (d.end - d.begin > at->longest.end - at->longest.begin)
                    at->longest = d;
            }
        }
        if (a->spans[k].begin <= begin || k == first)
            break;
    }
    return count;
}

/* Divides `cost` among the culprit's places of this class since `met`: by how much longer it was
 * there than the waiter at the same place. */
static void charge_places(pass *p, const obt_wait *w, int64_t met, int64_t came, obt_class class,
                          int64_t cost)
{
    at_place theirs[PLACES], mine[PLACES];
    double sum = 0;
    int longest = 0;
    if (cost <= 0)
        return;
    int count = places_of(p, w->culprit, met, came, class, theirs);
    int own = places_of(p, w->process, met, w->begin, class, mine);
    for (int i = 0; i < count; i++) {
        const at_place *same = same_place(mine, own, theirs[i].place, &theirs[i].longest);
        theirs[i].sum -= same ? same->sum : 0;
        sum += theirs[i].sum > 0 ? (double)theirs[i].sum : 0;
        longest = theirs[i].sum > theirs[longest].sum ? i : longest;
    }
    int64_t left = cost;
    for (int i = 0; i < count && sum > 0; i++) {
        int64_t part =
            theirs[i].sum > 0 ? (int64_t)((double)cost * ((double)theirs[i].sum / sum)) : 0;
        part = part < left ? part : left;
        left -= part;
        if (i != longest)
            charge(p, theirs[i].longest, part);
        else
            theirs[i].sum = part;
    }
    /* The one that was most longer also takes what rounding leaves. */
    charge(p,
           count ? theirs[longest].longest
                 : (obt_delay){.process = w->culprit,
                               .state = OBT_COMPUTING,
                               .before = OBT_NO_CALL,
                               .after = OBT_NO_CALL,
                               .begin = met,
                               .end = came},
           left + (count && sum > 0 ? theirs[longest].sum : 0));
}

/* ------------------------------------------------------------- passing on */

static bool earlier(const pass *p, size_t wait, const obt_wait *than)
{
    return p->rank[wait] > p->rank[than - p->a->waits];
}

static double since(const obt_wait *w, int64_t met)
{
    return (double)(w->end - (w->begin > met ? w->begin : met));
}

/* Hands `cost` to the waits of the culprit in this time, by their lengths. The longest of them;
 * OBT_NONE: it had none. */
static size_t pass_on(pass *p, const obt_wait *w, int64_t met, int64_t came, int64_t cost)
{
    const obt_wait *waits = p->a->waits;
    size_t end = obt_last_wait(p->a, w->culprit, came), from = end;
    double sum = 0, part = 0;
    int64_t given = 0;
    size_t longest = OBT_NONE;
    while (from > p->a->first_wait[w->culprit] && end - from < WAITS && waits[from - 1].end > met)
        from--;
    for (size_t u = from; u < end; u++) {
        double length = earlier(p, u, w) ? since(&waits[u], met) : 0;
        sum += length;
        if (length > 0 && (longest == OBT_NONE || length > since(&waits[longest], met)))
            longest = u;
    }
    for (size_t u = from; u < end && given < cost; u++) {
        part += earlier(p, u, w) ? since(&waits[u], met) : 0;
        /* The same sums in the same order: the last one gets what is left. */
        int64_t until = part < sum ? (int64_t)((double)cost * (part / sum)) : cost;
        if (until <= given || !earlier(p, u, w))
            continue;
        obt_sum(&p->owed[u], until - given);
        given = until;
    }
    return longest;
}

/* Divides cost by weights; what rounding leaves goes to the heaviest. */
static void divide(int64_t cost, const int64_t weights[REASONS], int64_t parts[REASONS])
{
    double sum = 0;
    int64_t left = cost;
    int heaviest = OBT_WORKS;
    for (int k = 0; k < REASONS; k++) {
        sum += (double)weights[k];
        heaviest = weights[k] > weights[heaviest] ? k : heaviest;
    }
    for (int k = 0; k < REASONS; k++) {
        parts[k] = sum > 0 ? (int64_t)((double)cost * ((double)weights[k] / sum)) : 0;
        parts[k] = parts[k] < left ? parts[k] : left;
        left -= parts[k];
    }
    parts[heaviest] += left;
}

/* From when the first process has joined until this one has. */
static obt_delay late_start(const obt_analysis *a, uint32_t process)
{
    return (obt_delay){.process = process,
                       .state = OBT_OFF,
                       .before = OBT_NO_CALL,
                       .after = OBT_NO_CALL,
                       .begin = a->begin,
                       .end = obt_began(a, process)};
}

/* Who waits owes `cost` to others, its own waiting included. */
static void explain(pass *p, const obt_wait *w, int64_t cost)
{
    int64_t came = w->begin + w->late;
    int64_t mine[OBT_CLASSES], theirs[REASONS], parts[REASONS];
    int64_t met = last_meeting(p, w, came);
    obt_between(p->a, p->times, w->process, met, w->begin, mine);
    obt_between(p->a, p->times, w->culprit, met, came, theirs);
    for (int k = 0; k < OBT_CLASSES; k++)
        theirs[k] = theirs[k] > mine[k] ? theirs[k] - mine[k] : 0;
    /* The waiter was there from `met` on. */
    int64_t joined = obt_joined(p->a, w->culprit) >= 0 ? obt_began(p->a, w->culprit) : met;
    theirs[AWAY] = joined > met ? (joined < came ? joined : came) - met : 0;
    divide(cost, theirs, parts);
    size_t before = pass_on(p, w, met, came, parts[OBT_WAITS]);
    if (before == OBT_NONE)
        parts[OBT_WORKS] += parts[OBT_WAITS];
    bool waited = before != OBT_NONE;
    for (int k = 0; k < REASONS; k++)
        waited = waited && parts[OBT_WAITS] >= parts[k];
    p->next[w - p->a->waits] = waited ? before : OBT_NONE;
    for (int k = OBT_WORKS; k < OBT_WAITS; k++)
        charge_places(p, w, met, came, (obt_class)k, parts[k]);
    charge(p, late_start(p->a, w->culprit), parts[AWAY]);
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
                           .rest = (uint8_t)obt_rest_of(w),
                           .before = w->call,
                           .after = OBT_NO_CALL,
                           .begin = w->begin,
                           .end = w->end},
               owed - blamed);
    }
}

/* What a wait is most for ended before it, and comes first here. Where the culprit waited for data
 * under way, nobody else is to blame. */
static void follow_back(pass *p)
{
    obt_wait *waits = p->a->waits;
    for (size_t i = p->a->wait_count; i-- > 0;) {
        obt_wait *w = &waits[p->order[i].wait];
        size_t next = w->late > 0 ? p->next[p->order[i].wait] : OBT_NONE;
        bool late = next != OBT_NONE && waits[next].because_of != UINT32_MAX;
        w->because_of = w->late == 0 ? UINT32_MAX : late ? waits[next].because_of : w->culprit;
    }
}

/* ----------------------------------------------------------------- joining */

static void join_rows(pass *p)
{
    obt_analysis *a = p->a;
    a->delays = obt_memory(p->count, sizeof *a->delays);
    a->delay_count = obt_join_stretches(p->rows, p->count, a->delays);
    for (size_t i = 0; i < a->delay_count; i++)
        obt_sum(&a->sums[a->delays[i].process].caused, a->delays[i].cost);
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
              .owed = obt_memory(a->wait_count, sizeof *p.owed),
              .next = obt_memory(a->wait_count, sizeof *p.next)};
    find_calls(&p);
    sort_messages(&p);
    walk_back(&p);
    follow_back(&p);
    join_rows(&p);
    obt_find_typical(a);
    free(p.by_pair);
    free(p.first_call);
    free(p.end_call);
    free(p.rows);
    free(p.order);
    free(p.rank);
    free(p.owed);
    free(p.next);
}
