/*
 * All executions of a model, depth first, each from the start.
 *
 * Two operations depend on each other when their order matters beyond what they read: of two that
 * are in one order for all, of a barrier and anything, and of a load and a later store to the same
 * word, which the load could have read. Not so a store and a later load: the load reads older
 * stores, too, as one of its choices; nor two stores, since a store may go in front of others.
 * Where two such operations could be turned round, the process of the second is tried before the
 * first (source sets: Abdulla and others, POPL 2014). What has been tried sleeps until something it
 * depends on; a load that sleeps is then tried only with the stores that have come since.
 */
#include "explore.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "machine.h"
#include "memory.h"

enum { STEPS = 1200, STACK = 256 << 10, LOOKS = 64, ALL = 0xffff, FOUND = 1 << 14, SHOWN = 40 };

typedef enum state { ABSENT, READY, AGAIN, SLEEPS, JOINS, ENDED } state;

typedef struct look {
    int store;
    uint64_t value;
} look;

typedef struct process {
    coroutine *self;
    state state;
    op *pending;
    look look[LOOKS], before[LOOKS]; /* since the last vain one, and up to it */
    int looks, befores;
    char *on;                  /* sleeps there */
    int other;                 /* waits for its end */
    uint16_t past[EX_THREADS]; /* of each process, how many events lie before its next */
    int barrier;               /* the event + 1 that it has not taken note of */
    void *(*start)(void *);
    void *argument;
} process;

/* The events that one depends on: -1: none. */
typedef struct ties {
    int read, barrier;
} ties;

typedef struct event {
    int thread;
    op op;
    ties ties;
    uint16_t own[EX_THREADS];  /* what its process had behind it before */
    uint16_t past[EX_THREADS]; /* events + 1 that happen before it, of each process; itself */
} event;

/* A choice of the depth-first search. */
typedef struct node {
    unsigned enabled, wanted, tried; /* processes */
    uint16_t sleep[EX_THREADS];      /* 0: awake; else reads only what is written at that
                                      * depth + 1 or later; ALL: nothing */
    int thread;
    int choice, choices; /* choices -1: not counted yet */
    bool reads;          /* its operation does */
} node;

static const ex_model *model;
static process processes[EX_THREADS];
static event events[STEPS];
static node nodes[STEPS];
static int depth, replay, current = -1;
static char *error;
static bool over; /* this execution ends here */
static uint64_t outcome;
static bool redundant;
static uint64_t found[FOUND]; /* outcomes + 1, hashed */
bool ex_all, ex_setting_up;

/* ---------------------------------------------------------- what models and hooks call */

int ex_current(void)
{
    return current;
}

static void back(void)
{
    machine_leave(processes[current].self);
}

static void describe(FILE *out, const event *e)
{
    static const char *const kinds[] = {"load",  "store",      "change", "compare",
                                        "fence", "futex wait", "wake",   "membarrier"};
    static const char *const orders[] = {"relaxed", "consume", "acquire",
                                         "release", "acq_rel", "seq_cst"};
    const op *o = &e->op;
    fprintf(out, "    process %d: %-10s %-7s", e->thread, kinds[o->kind],
            o->kind < OP_WAIT ? orders[o->order] : "");
    if (o->read)
        fprintf(out, " reads %llx (step %d)", (unsigned long long)stores[o->read].value,
                stores[o->read].event);
    if (o->wrote)
        fprintf(out, " writes %llx", (unsigned long long)stores[o->wrote].value);
    fprintf(out, "  at %s\n", ex_where(o->place));
}

void ex_fail(const char *format, ...)
{
    if (error || over)
        return;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    size_t bytes;
    FILE *out = open_memstream(&error, &bytes);
    fprintf(out, "%s: %s\n", model->name, text);
    if (depth > SHOWN)
        fprintf(out, "     (its last %d steps)\n", SHOWN);
    for (int i = depth > SHOWN ? depth - SHOWN : 0; i < depth; i++) {
        fprintf(out, "%4d", i);
        describe(out, &events[i]);
    }
    fclose(out);
    over = true;
    if (current >= 0)
        back();
}

void ex_outcome(uint64_t part)
{
    outcome += part;
}

/* True when it is new. */
static bool keep_outcome(void)
{
    unsigned i = (unsigned)(outcome * 0x9e3779b97f4a7c15u >> 50);
    for (unsigned turns = 0; found[i % FOUND]; i++)
        if (found[i % FOUND] == outcome + 1 || ++turns == FOUND)
            return false;
    found[i % FOUND] = outcome + 1;
    return true;
}

void *ex_alloc(size_t bytes)
{
    return memory_take(bytes);
}

void ex_hint(const void *word, size_t bytes)
{
    memory_hint(word, bytes);
}

/* A round of looks that read what the round before did is no new execution. */
void ex_again(void)
{
    if (current < 0)
        return;
    process *p = &processes[current];
    bool same = p->looks == p->befores;
    for (int i = 0; same && i < p->looks; i++)
        same = p->look[i].value == p->before[i].value &&
               stores[p->look[i].store].location == stores[p->before[i].store].location;
    if (same && p->looks) {
        redundant = over = true;
        back();
    }
    memcpy(p->before, p->look, sizeof p->look);
    p->befores = p->looks;
    p->state = AGAIN;
    back();
    p->looks = 0;
}

void ex_operation(op *o)
{
    processes[current].pending = o;
    processes[current].state = READY;
    back();
}

/* --------------------------------------------------------------------- processes */

static void run(int t)
{
    int before = current;
    current = t;
    machine_enter(processes[t].self);
    current = before;
}

static void main_of(int t)
{
    process *p = &processes[t];
    if (p->start)
        p->start(p->argument);
    else
        model->body(t);
    p->state = ENDED;
    for (;;)
        back();
}

static void begin(int t, int by)
{
    process *p = &processes[t];
    coroutine *self = p->self ? p->self : machine_make(STACK);
    void *(*start)(void *) = p->start;
    void *argument = p->argument;
    memset(p, 0, sizeof *p);
    p->self = self;
    p->start = start;
    p->argument = argument;
    if (by >= 0)
        memcpy(p->past, processes[by].past, sizeof p->past);
    memory_start(t, by);
    p->state = READY;
    machine_start(self, main_of, t);
}

int ex_spawn(void *(*start)(void *), void *argument)
{
    for (int t = 0; t < EX_THREADS; t++) {
        if (processes[t].state != ABSENT)
            continue;
        processes[t].start = start;
        processes[t].argument = argument;
        begin(t, current);
        run(t); /* to its first operation */
        if (over)
            back();
        return t;
    }
    ex_fail("too many processes");
    return -1;
}

static void join_past(uint16_t *past, const uint16_t *other)
{
    for (int t = 0; t < EX_THREADS; t++)
        if (other[t] > past[t])
            past[t] = other[t];
}

void ex_join(int t)
{
    process *p = &processes[current];
    while (processes[t].state != ENDED) {
        p->state = JOINS;
        p->other = t;
        back();
    }
    memory_join(current, t);
    join_past(p->past, processes[t].past);
}

/* Who wakes it comes before what it does next. */
static void wake(int t, int by)
{
    process *p = &processes[t];
    if (by >= 0)
        join_past(p->past, events[by].past);
    p->looks = 0;
    p->state = READY;
    p->pending = NULL;
    run(t);
}

static int newer_store(const process *p)
{
    for (int i = 0; i < p->befores; i++)
        if (memory_has_newer(p->before[i].store))
            return 1;
    return 0;
}

/* Lets those go on that wait for what the last event did, up to their next operation. */
static void wake_all(int at)
{
    const op *o = &events[at].op;
    for (int t = 0; t < EX_THREADS && !over; t++) {
        process *p = &processes[t];
        if (p->state == AGAIN && newer_store(p))
            wake(t, at);
        else if (p->state == SLEEPS && o->kind == OP_WAKE && o->at == p->on)
            wake(t, at);
    }
}

static void wake_joins(void)
{
    for (int t = 0; t < EX_THREADS && !over; t++)
        if (processes[t].state == JOINS && processes[processes[t].other].state == ENDED)
            wake(t, -1);
}

/* ----------------------------------------------------------- dependence and backtracking */

static bool before(const uint16_t *past, int i)
{
    return past[events[i].thread] >= i + 1;
}

/* Event i could have come after the later one, at the front of which `past` lies: some process that
 * leads there is to be tried in its place. */
static void turn_round(int i, int thread, const uint16_t *past)
{
    unsigned first = 0, met = 0;
    for (int k = i + 1; k < depth; k++) {
        int t = events[k].thread;
        if (before(events[k].past, i) || met >> t & 1)
            continue;
        bool leads = true;
        for (int j = i + 1; leads && j < k; j++)
            leads = before(events[j].past, i) || !before(events[k].past, j);
        if (leads)
            first |= 1u << t;
        met |= 1u << t;
    }
    if (!(met >> thread & 1)) {
        bool leads = true;
        for (int j = i + 1; leads && j < depth; j++)
            leads = before(events[j].past, i) || !before(past, j);
        if (leads)
            first |= 1u << thread;
    }
    node *n = &nodes[i];
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

/* Are both in the one order for all, and does it matter? Of accesses to two words it does not. */
static bool is_tied(const op *a, const op *b)
{
    return (memory_is_total(a) || a->kind == OP_BARRIER) &&
           (memory_is_total(b) || b->kind == OP_BARRIER) &&
           (is_whole(a) || is_whole(b) || a->at == b->at);
}

/* What happens before the event `at`, but for its tie to event i itself. */
static void past_without(uint16_t *past, const uint16_t *own, const op *o, const ties *t, int at,
                         int i)
{
    memcpy(past, own, EX_THREADS * sizeof *past);
    if (t->read >= 0 && t->read != i)
        join_past(past, events[t->read].past);
    if (t->barrier >= 0 && t->barrier != i)
        join_past(past, events[t->barrier].past);
    for (int k = 0; (memory_is_total(o) || o->kind == OP_BARRIER) && k < at; k++)
        if (k != i && is_tied(&events[k].op, o))
            join_past(past, events[k].past);
}

static bool is_other_read(const op *o, const op *before)
{
    int s = o->wrote ? o->wrote : o->read;
    return memory_writes(o) && before->read && stores[before->read].location == stores[s].location;
}

/* Turned round, a read may also read what was written after i, and not because of it. */
static void turn_with_stores(int i, int thread, const op *o, const uint16_t *past)
{
    for (int k = i + 1; memory_reads(o) && k < depth; k++) {
        uint16_t all[EX_THREADS];
        const op *w = &events[k].op;
        if (!w->wrote || stores[w->wrote].location != stores[o->read].location ||
            before(events[k].past, i))
            continue;
        memcpy(all, past, sizeof all);
        join_past(all, events[k].past);
        turn_round(i, thread, all);
    }
}

/* The events that the one about to happen could have come before. A comparison that was not equal
 * could have written, had it been earlier. */
static void find_turns(int thread, const op *o, const ties *t)
{
    uint16_t past[EX_THREADS];
    for (int i = depth - 1; i >= 0; i--) {
        if (events[i].thread == thread ||
            !(is_tied(&events[i].op, o) || i == t->barrier || o->kind == OP_BARRIER ||
              is_other_read(o, &events[i].op)))
            continue;
        past_without(past, processes[thread].past, o, t, depth, i);
        if (before(past, i))
            continue;
        turn_round(i, thread, past);
        turn_with_stores(i, thread, o, past);
    }
}

/* The last event wrote what an earlier read could have read, had that come later. If the order of
 * those in one order for all was what forbade it, that is to be turned round, too. */
static void turn_earlier_reads(void)
{
    const event *w = &events[depth - 1];
    for (int i = 0; w->op.wrote && i < depth - 1; i++) {
        const event *e = &events[i];
        ties t = {-1, e->ties.barrier};
        uint16_t past[EX_THREADS];
        if (!memory_is_total(&e->op) || !e->op.read || e->thread == w->thread ||
            before(w->past, i) || stores[e->op.read].location != stores[w->op.wrote].location)
            continue;
        for (int k = 0; k < i; k++) {
            if (!is_tied(&events[k].op, &e->op))
                continue;
            past_without(past, e->own, &e->op, &t, i, k);
            join_past(past, w->past);
            if (!before(past, k))
                turn_round(k, e->thread, past);
        }
    }
}

static void note_look(process *p, const op *o)
{
    int s = o->wrote ? o->wrote : o->read;
    if (s == 0)
        return;
    if (p->looks == LOOKS) {
        ex_fail("too many looks");
        return;
    }
    p->look[p->looks].store = s;
    p->look[p->looks++].value = stores[s].value;
}

/* The chosen process's operation happens. */
static void happen(int thread, int choice)
{
    process *p = &processes[thread];
    event *e = &events[depth];
    uint16_t past[EX_THREADS];
    op *o = p->pending;
    memory_do(thread, o, choice, depth);
    ties t = {o->read ? stores[o->read].event : -1, p->barrier - 1};
    find_turns(thread, o, &t);
    past_without(past, p->past, o, &t, depth, -1);
    memcpy(e->own, p->past, sizeof e->own);
    e->ties = t;
    p->barrier = 0;
    if (o->kind == OP_BARRIER)
        for (int k = 0; k < EX_THREADS; k++) {
            join_past(past, processes[k].past);
            processes[k].barrier = k == thread ? 0 : depth + 1;
        }
    past[thread] = (uint16_t)(depth + 1);
    e->thread = thread;
    e->op = *o;
    memcpy(e->past, past, sizeof past);
    memcpy(p->past, past, sizeof past);
    depth++;
    turn_earlier_reads();
    note_look(p, o);
    if (over)
        return;
    if (o->kind == OP_WAIT && o->done) {
        p->state = SLEEPS;
        p->on = o->at;
        p->pending = NULL;
    } else {
        p->pending = NULL;
        run(thread);
    }
    if (!over)
        wake_all(depth - 1);
}

/* ------------------------------------------------------------------------- the search */

static int choices_of(const node *n, int t, uint16_t *choice)
{
    if (n->sleep[t] == ALL)
        return 0;
    return memory_choices(t, processes[t].pending, n->sleep[t], choice);
}

static void wake_from_naps(void)
{
    bool stuck = model->naps && !over;
    for (int t = 0; t < EX_THREADS; t++)
        stuck = stuck && processes[t].state != READY;
    for (int t = 0; stuck && t < EX_THREADS; t++)
        if (processes[t].state == SLEEPS)
            wake(t, depth - 1);
}

static bool is_free(const op *o)
{
    return !memory_is_total(o) && (o->kind == OP_STORE || o->kind == OP_FENCE);
}

/* Who begins at a new node: stores, which depend on nothing, first. */
static int first_choice(const node *n, unsigned among)
{
    uint16_t choice[CHOICES];
    int found = -1;
    for (int t = 0; t < EX_THREADS; t++) {
        if (!(among >> t & 1) || choices_of(n, t, choice) == 0)
            continue;
        if (is_free(processes[t].pending))
            return t;
        if (found < 0)
            found = t;
    }
    return found;
}

/* What sleeps at the node behind this one. */
static void sleep_on(const node *n, const event *e, node *next)
{
    const op *o = &e->op;
    for (int t = 0; t < EX_THREADS; t++) {
        next->sleep[t] = 0;
        const op *p = processes[t].pending;
        if (t == e->thread || n->sleep[t] == 0 || processes[t].state != READY || p == NULL)
            continue;
        if (o->kind == OP_BARRIER || p->kind == OP_BARRIER || is_tied(o, p))
            continue;
        next->sleep[t] = n->sleep[t];
    }
}

static void open_node(int at)
{
    node *n = &nodes[at];
    uint16_t choice[CHOICES];
    n->enabled = 0;
    n->tried = 0;
    for (int t = 0; t < EX_THREADS; t++)
        if (processes[t].state == READY)
            n->enabled |= 1u << t;
    n->thread = first_choice(n, n->enabled);
    n->wanted = n->thread < 0 ? 0 : 1u << n->thread;
    if (ex_all)
        n->wanted = n->enabled;
    n->choice = 0;
    n->choices = n->thread < 0 ? 0 : choices_of(n, n->thread, choice);
}

/* The one who is at fault is named: a sleeper before one that looks. */
static void check_end(void)
{
    for (int t = 0; t < EX_THREADS && !over; t++)
        if (processes[t].state == SLEEPS)
            ex_fail("process %d sleeps for ever: nobody wakes it", t);
    for (int t = 0; t < EX_THREADS && !over; t++)
        if (processes[t].state == AGAIN || processes[t].state == JOINS)
            ex_fail("process %d waits for ever", t);
}

static void step(void)
{
    node *n = &nodes[depth];
    uint16_t choice[CHOICES];
    int at = depth, count = choices_of(n, n->thread, choice);
    n->reads = memory_reads(processes[n->thread].pending);
    if (n->choices < 0)
        n->choices = count;
    if (count == 0) {
        redundant = over = true;
        return;
    }
    if (n->choice >= count) {
        fprintf(stderr, "orders: %s is not the same each time\n", model->name);
        abort();
    }
    happen(n->thread, choice[n->choice]);
    if (!over && at + 1 >= replay)
        sleep_on(n, &events[at], &nodes[at + 1]);
}

static void execute(void)
{
    memory_restore();
    depth = 0;
    over = redundant = false;
    outcome = 0;
    if (replay == 0)
        memset(nodes[0].sleep, 0, sizeof nodes[0].sleep);
    for (int t = 0; t < EX_THREADS; t++) {
        processes[t].state = ABSENT;
        processes[t].start = NULL;
    }
    for (int t = 0; t < model->threads; t++)
        begin(t, -1);
    for (int t = 0; t < model->threads && !over; t++)
        run(t);
    while (!over) {
        if (depth == STEPS - 1) {
            ex_fail("more than %d steps", STEPS);
            break;
        }
        wake_joins();
        wake_from_naps();
        if (over)
            break;
        if (depth >= replay)
            open_node(depth);
        if (nodes[depth].thread < 0) {
            redundant = nodes[depth].enabled != 0;
            if (!redundant)
                check_end();
            break;
        }
        step();
    }
    if (!over && !redundant) {
        if (model->finish)
            model->finish();
    }
}

/* Makes the next choice not yet made, the deepest first. What was tried sleeps; a load, for the
 * stores that were there. False: there is none. */
static bool next_path(void)
{
    for (int i = depth < STEPS - 1 ? depth : STEPS - 2; i >= 0; i--) {
        node *n = &nodes[i];
        if (n->thread < 0)
            continue;
        replay = i + 1;
        if (++n->choice < n->choices)
            return true;
        n->tried |= 1u << n->thread;
        n->sleep[n->thread] = n->reads ? (uint16_t)(i + 1) : ALL;
        if (ex_all)
            n->sleep[n->thread] = 0;
        n->choices = -1;
        n->choice = 0;
        for (n->thread = 0; n->thread < EX_THREADS; n->thread++)
            if (n->wanted & ~n->tried & 1u << n->thread && n->sleep[n->thread] != ALL)
                return true;
        n->thread = -1;
    }
    return false;
}

ex_result ex_explore(const ex_model *m, const ex_plant *plant, uint64_t limit)
{
    ex_result r = {0};
    model = m;
    ex_planted = plant;
    error = NULL;
    memset(found, 0, sizeof found);
    replay = 0;
    memory_clear();
    ex_setting_up = true;
    if (m->setup)
        m->setup();
    ex_setting_up = false;
    memory_keep();
    do {
        execute();
        if (redundant)
            r.redundant++;
        else
            r.executions++;
        if (!redundant && keep_outcome()) {
            r.outcomes |= outcome < 64 ? UINT64_C(1) << outcome : 0;
            r.digest += outcome * outcome * 0x9e3779b97f4a7c15u + 1;
        }
        r.bounded = r.executions + r.redundant >= limit;
    } while (!error && !r.bounded && next_path());
    r.error = error;
    return r;
}
