/*
 * All executions of a model, depth first, each from the start. turns.h says which are the same.
 * What has been tried sleeps until something it depends on; a load that sleeps is then tried only
 * with the stores that have come since.
 */
#include "explore.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffered.h"
#include "hooks.h"
#include "machine.h"
#include "memory.h"
#include "turns.h"

enum { STACK = 256 << 10, LOOKS = 256, ALL = 0xffff, FOUND = 1 << 14, SHOWN = 40 };

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

static const ex_model *model;
static process processes[EX_THREADS];
static int replay, current = -1;
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
    if (ex_depth > SHOWN)
        fprintf(out, "     (its last %d steps)\n", SHOWN);
    for (int i = ex_depth > SHOWN ? ex_depth - SHOWN : 0; i < ex_depth; i++) {
        fprintf(out, "%4d", i);
        describe(out, &ex_events[i]);
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
    coroutine *self = p->self;
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

void ex_join(int t)
{
    process *p = &processes[current];
    while (processes[t].state != ENDED) {
        p->state = JOINS;
        p->other = t;
        back();
    }
    memory_join(current, t);
    turns_join(p->past, processes[t].past);
}

/* Who wakes it comes before what it does next. */
static void wake(int t, int by)
{
    process *p = &processes[t];
    if (by >= 0)
        turns_join(p->past, ex_events[by].past);
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
    const op *o = &ex_events[at].op;
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
    event *e = &ex_events[ex_depth];
    uint16_t past[EX_THREADS];
    op *o = p->pending;
    memory_do(thread, o, choice, ex_depth);
    buffered_step(thread, o);
    ties t = {o->read ? stores[o->read].event : -1, p->barrier - 1};
    turns_find(thread, p->past, o, &t);
    turns_past(past, p->past, o, &t, ex_depth, -1);
    memcpy(e->own, p->past, sizeof e->own);
    e->ties = t;
    p->barrier = 0;
    if (o->kind == OP_BARRIER)
        for (int k = 0; k < EX_THREADS; k++) {
            turns_join(past, processes[k].past);
            processes[k].barrier = k == thread ? 0 : ex_depth + 1;
        }
    past[thread] = (uint16_t)(ex_depth + 1);
    e->thread = thread;
    e->op = *o;
    memcpy(e->past, past, sizeof past);
    memcpy(p->past, past, sizeof past);
    ex_depth++;
    turns_find_reads();
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
        wake_all(ex_depth - 1);
}

/* ------------------------------------------------------------------------- the search */

static int choices_of(const node *n, int t, uint16_t *choice)
{
    if (n->sleep[t] == ALL)
        return 0;
    return memory_choices(t, processes[t].pending, n->sleep[t], choice);
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
        if (o->kind == OP_BARRIER || p->kind == OP_BARRIER || turns_are_tied(o, p))
            continue;
        next->sleep[t] = n->sleep[t];
    }
}

static void open_node(int at)
{
    node *n = &ex_nodes[at];
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
    node *n = &ex_nodes[ex_depth];
    uint16_t choice[CHOICES];
    int at = ex_depth, count = choices_of(n, n->thread, choice);
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
        sleep_on(n, &ex_events[at], &ex_nodes[at + 1]);
}

static void execute(void)
{
    memory_restore();
    buffered_restart();
    ex_depth = 0;
    over = redundant = false;
    outcome = 0;
    if (replay == 0)
        memset(ex_nodes[0].sleep, 0, sizeof ex_nodes[0].sleep);
    for (int t = 0; t < EX_THREADS; t++) {
        processes[t].state = ABSENT;
        processes[t].start = NULL;
    }
    for (int t = 0; t < model->threads; t++)
        begin(t, -1);
    for (int t = 0; t < model->threads && !over; t++)
        run(t);
    while (!over) {
        if (ex_depth == TURNS_STEPS - 1) {
            ex_fail("more than %d steps", TURNS_STEPS);
            break;
        }
        wake_joins();
        if (over)
            break;
        if (ex_depth >= replay)
            open_node(ex_depth);
        if (ex_nodes[ex_depth].thread < 0) {
            redundant = ex_nodes[ex_depth].enabled != 0;
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
    for (int i = ex_depth < TURNS_STEPS - 1 ? ex_depth : TURNS_STEPS - 2; i >= 0; i--) {
        node *n = &ex_nodes[i];
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
    for (int t = 0; t < EX_THREADS; t++)
        if (processes[t].self == NULL)
            processes[t].self = machine_make(STACK);
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
