/*
 * One clock for the processes of several nodes. Each node has readings of another node's
 * clock (ob_trace_sync), taken when processes met and when they parted; through them goes
 * a straight line, whose slope is the drift. The node of the lowest process keeps its
 * clock; nodes that have read it follow, then those that have read these.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "trace/internal.h"

/* Common time = t + offset + drift * (t - at). */
typedef struct node {
    uint32_t name; /* as processes have it */
    bool known;
    int64_t at, offset;
    double drift;
    uint64_t error;
} node;

typedef struct member { /* a process and its node's index */
    int32_t process;
    size_t node;
} member;

typedef struct reading { /* of node `from` by node `of` */
    size_t of, from;
    ob_trace_sync sync;
} reading;

typedef struct nodes {
    node *at;
    size_t count;
    member *member;
    size_t members;
    reading *reading;
    size_t readings;
} nodes;

/* Readings belong to the begin or end when they are within this much of the first or last. */
static const int64_t AROUND_NS = 1000000000;
/* Crystals run within 100 millionths of each other; a slope that may be as wrong as that
 * says nothing. */
static const double WORST_DRIFT = 1e-4;

/* Room for one more, where there are as many as a power of two. */
static void *more(void *array, size_t count, size_t each)
{
    if (count & (count - 1))
        return array;
    return realloc(array, (count ? 2 * count : 1) * each);
}

static ob_trace_process *process_in(const ob_trace_chunk *c)
{
    return c->kind == OB_TRACE_PROCESS && c->bytes >= sizeof(ob_trace_process)
               ? (ob_trace_process *)(uintptr_t)(c + 1)
               : NULL;
}

static size_t find(const nodes *n, uint32_t name)
{
    size_t i = 0;
    while (i < n->count && n->at[i].name != name)
        i++;
    return i;
}

static int by_process(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return (x->process > y->process) - (x->process < y->process);
}

static bool add_process(nodes *n, int32_t process, uint32_t name)
{
    size_t i = find(n, name);
    void *members = more(n->member, n->members, sizeof *n->member);
    if (members)
        n->member = members;
    void *at = i < n->count ? n->at : more(n->at, n->count, sizeof *n->at);
    if (at)
        n->at = at;
    if (!members || !at)
        return false;
    if (i == n->count)
        n->at[n->count++] = (node){.name = name};
    n->member[n->members++] = (member){process, i};
    return true;
}

static bool add_readings(nodes *n, const ob_trace_chunk *c)
{
    const ob_trace_sync *s = (const void *)(c + 1);
    for (size_t i = 0; i < c->count && (i + 1) * sizeof *s <= c->bytes; i++) {
        const member key[] = {{c->process, 0}, {s[i].reference, 0}};
        const member *of = bsearch(&key[0], n->member, n->members, sizeof key[0], by_process);
        const member *from = bsearch(&key[1], n->member, n->members, sizeof key[0], by_process);
        if (!of || !from || of->node == from->node)
            continue;
        void *list = more(n->reading, n->readings, sizeof *n->reading);
        if (list == NULL)
            return false;
        n->reading = list;
        n->reading[n->readings++] = (reading){of->node, from->node, s[i]};
    }
    return true;
}

/* The nodes, their processes and readings; the clock of the lowest process is the common one. */
static int collect(nodes *n, const char *file, size_t bytes)
{
    bool fine = true;
    for (const ob_trace_chunk *c = NULL; fine && (c = ob_trace_next_chunk(file, bytes, c));)
        if (process_in(c))
            fine = add_process(n, c->process, process_in(c)->node);
    if (n->members)
        qsort(n->member, n->members, sizeof *n->member, by_process);
    for (const ob_trace_chunk *c = NULL;
         fine && n->count > 1 && (c = ob_trace_next_chunk(file, bytes, c));)
        if (c->kind == OB_TRACE_SYNC)
            fine = add_readings(n, c);
    if (fine && n->members)
        n->at[n->member[0].node].known = true;
    return fine ? OB_OK : ob_fail(OB_ENOMEM, "no memory to align the clocks of a trace");
}

/* ------------------------------------------------------------------ the lines */

static int64_t common(const node *n, int64_t t)
{
    return t + n->offset + (int64_t)(n->drift * (double)(t - n->at));
}

/* The line of `of` through its readings of `from`, whose own line is known. */
static void fit(node *of, const node *from, ob_trace_sync a, ob_trace_sync b)
{
    double length = (double)(b.at - a.at), wrong = (double)a.error + (double)b.error;
    double slope =
        length > 0 && wrong / length < WORST_DRIFT ? (double)(b.offset - a.offset) / length : 0;
    ob_trace_sync one = slope == 0 && b.error < a.error ? b : a;
    of->at = one.at;
    of->offset = common(from, one.at + one.offset) - one.at;
    of->drift = (1 + slope) * (1 + from->drift) - 1;
    of->error = from->error + (a.error > b.error ? a.error : b.error);
    of->known = true;
}

/* The reading of the pair with the least error, among those close to `near`. */
static ob_trace_sync best(const nodes *n, const reading *pair, int64_t near)
{
    ob_trace_sync found = {.error = UINT64_MAX};
    for (size_t i = 0; i < n->readings; i++) {
        const reading *r = &n->reading[i];
        if (r->of == pair->of && r->from == pair->from && r->sync.error < found.error &&
            r->sync.at >= near - AROUND_NS && r->sync.at <= near + AROUND_NS)
            found = r->sync;
    }
    return found;
}

/* Joins the node of this reading to the one it read. */
static void join(nodes *n, const reading *pair)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < n->readings; i++) {
        const reading *r = &n->reading[i];
        if (r->of != pair->of || r->from != pair->from)
            continue;
        first = r->sync.at < first ? r->sync.at : first;
        last = r->sync.at > last ? r->sync.at : last;
    }
    fit(&n->at[pair->of], &n->at[pair->from], best(n, pair, first), best(n, pair, last));
}

/* Whether a further node could be joined to those that are known. */
static bool join_one(nodes *n)
{
    for (size_t i = 0; i < n->readings; i++)
        if (!n->at[n->reading[i].of].known && n->at[n->reading[i].from].known) {
            join(n, &n->reading[i]);
            return true;
        }
    return false;
}

/* --------------------------------------------------------------------- moving */

static void move_events(const node *n, ob_trace_event *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (e[i].kind == OB_TRACE_RECV)
            e[i].value = (uint64_t)common(n, (int64_t)e[i].value);
        e[i].begin = common(n, e[i].begin);
        e[i].end = common(n, e[i].end);
    }
}

/* A process whose times have been moved has an error that is not 0, and is left alone. */
static void move(const nodes *n, char *file, size_t bytes)
{
    const node *of = NULL;
    for (const ob_trace_chunk *c = NULL; (c = ob_trace_next_chunk(file, bytes, c));) {
        ob_trace_process *p = process_in(c);
        if (p) {
            of = &n->at[find(n, p->node)];
            if (!of->known || of->error == 0 || p->offset_error)
                of = NULL;
        }
        if (p && of) {
            p->offset = common(of, p->started) - p->started;
            p->drift = of->drift;
            p->offset_error = of->error;
            p->started += p->offset;
            p->ended = common(of, p->ended);
        }
        if (c->kind == OB_TRACE_EVENTS && of)
            move_events(of, (ob_trace_event *)(uintptr_t)(c + 1),
                        c->bytes / sizeof(ob_trace_event));
    }
}

int ob_trace_align(char *file, size_t bytes)
{
    nodes n = {0};
    int status = collect(&n, file, bytes);
    if (status == OB_OK && n.count > 1) {
        while (join_one(&n))
            ;
        move(&n, file, bytes);
    }
    free(n.at);
    free(n.member);
    free(n.reading);
    return status;
}
