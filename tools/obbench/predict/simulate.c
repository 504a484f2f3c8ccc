/*
 * The simulation: one clock for each processor. The processor that is furthest
 * behind goes on by one step, so a step sees all that happened before it.
 */
#include "obbench/predict/simulate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "hooks/patience.h"

enum state { RUNS, LOOKS, TURNS, SLEEPS, DONE };

typedef struct message {
    struct message *next;
    int from;
    size_t bytes;
    double start; /* of its send */
    bool at_rest; /* its sender has not just received the data */
    bool spilled; /* it did not fit into the ring, and its receiver may be long in coming */
} message;

typedef struct member {
    enum state state;
    int at, round; /* the next step */
    double since;  /* the present wait was first reckoned with */
    double ready;  /* when one that was woken can run */
    double mark;
    bool received; /* in the present call */
    int arrived;   /* barriers it has come to */
    int barriers;  /* passed */
    message *first, **last;
    int next; /* behind it in its processor's queue */
} member;

typedef struct processor {
    double now;
    double due; /* when its next step can be: now, or later; HUGE_VAL: never by itself */
    int first, last;
} processor;

typedef struct simulation {
    const ob_profile *profile;
    const obb_script *scripts;
    int members, processors, rounds, awake, running;
    double stretch; /* of copies, for what is out of the cache */
    member *member;
    processor *processor;
    message *spare;
    int arrived, barriers; /* at the present barrier; barriers that have opened */
    double *elapsed;
    bool no_memory;
    unsigned seed; /* of the order in which members line up; 0: by number */
    int *order;    /* room for it */
} simulation;

void obb_script_add(obb_script *s, obb_action action, int peer, size_t bytes)
{
    if (s->count == s->room) {
        int room = s->room ? 2 * s->room : 16;
        obb_step *more = realloc(s->step, (size_t)room * sizeof *more);
        if (more == NULL) {
            s->failed = 1;
            return;
        }
        s->step = more;
        s->room = room;
    }
    s->step[s->count++] = (obb_step){.action = action, .peer = peer, .bytes = bytes};
}

void obb_script_work(obb_script *s, size_t bytes, size_t whole)
{
    int before = s->count;
    obb_script_add(s, OB_DO_WORK, 0, bytes);
    if (s->count > before)
        s->step[before].whole = whole;
}

/* -------------------------------------------------------------------- costs */

/* factor: of what depends on the length. */
static double cost(const simulation *s, ob_quantity q, size_t bytes, double factor)
{
    double t = ob_curve_at(&s->profile->curve[q], bytes);
    double base = ob_curve_at(&s->profile->curve[q], 0);
    return t > base ? base + (t - base) * s->stretch * factor : t;
}

/* Between once and twice the cache the share that is found there shrinks. */
static double stretch_for(const ob_profile *p, size_t footprint)
{
    double ratio = p->cache ? (double)footprint / (double)p->cache : 0;
    double share = ratio <= 1 ? 0 : ratio >= 2 ? 1 : ratio - 1;
    return 1 + share * (p->waiting.cold - 1);
}

/* -------------------------------------------------------------------- queues */

static int home(const simulation *s, int i)
{
    return i % s->processors;
}

static void enqueue(simulation *s, int i)
{
    processor *p = &s->processor[home(s, i)];
    s->member[i].next = -1;
    if (p->first < 0)
        p->first = i;
    else
        s->member[p->last].next = i;
    p->last = i;
}

static void dequeue(simulation *s, processor *p)
{
    p->first = s->member[p->first].next;
    p->due = p->first < 0 ? HUGE_VAL : p->now;
}

/* A sleeper that is woken comes next on its processor. */
static void wake(simulation *s, int i, double when)
{
    processor *p = &s->processor[home(s, i)];
    member *m = &s->member[i];
    m->state = TURNS;
    m->ready = when;
    s->awake++;
    if (p->first < 0) {
        p->now = p->now > when ? p->now : when;
        p->due = p->now;
        enqueue(s, i);
        return;
    }
    m->next = s->member[p->first].next;
    s->member[p->first].next = i;
    if (p->last == p->first)
        p->last = i;
}

/* ------------------------------------------------------------------ messages */

static void post(simulation *s, int to, const message *what)
{
    message *m = s->spare;
    if (m)
        s->spare = m->next;
    else
        m = malloc(sizeof *m);
    if (m == NULL) {
        s->no_memory = true;
        return;
    }
    *m = *what;
    m->next = NULL;
    /* set for every member: NOLINTNEXTLINE(clang-analyzer-core.*) */
    *s->member[to].last = m;
    s->member[to].last = &m->next;
}

/* Bytes of messages between two members that nobody has received. */
static size_t piled_up(const simulation *s, int from, int to)
{
    size_t bytes = 0;
    for (const message *m = s->member[to].first; m; m = m->next)
        bytes += m->from == from ? m->bytes : 0;
    return bytes;
}

static message **find(simulation *s, int to, int from)
{
    message **m = &s->member[to].first;
    while (*m && (*m)->from != from)
        m = &(*m)->next;
    return m;
}

static void take(simulation *s, int to, message **link)
{
    message *m = *link;
    *link = m->next;
    if (s->member[to].last == &m->next)
        s->member[to].last = link;
    m->next = s->spare;
    s->spare = m;
}

/* ------------------------------------------------------------------- waiting */

static const obb_step *step_of(const simulation *s, int i)
{
    return &s->scripts[i].step[s->member[i].at];
}

/* The first in the queue has a processor: it sees at once what comes. */
static bool on_processor(const simulation *s, int i)
{
    const processor *p = &s->processor[home(s, i)];
    return p->first == i && s->member[i].state == LOOKS;
}

static bool waits_for(const simulation *s, int i, int from)
{
    const member *m = &s->member[i];
    if (m->state == RUNS || m->state == DONE || m->at >= s->scripts[i].count)
        return false;
    const obb_step *step = step_of(s, i);
    return step->action == OB_DO_RECEIVE && step->peer == from;
}

/* Somebody at time t did what member i may wait for. Returns what it costs him. */
static double tell(simulation *s, int i, double t)
{
    processor *p = &s->processor[home(s, i)];
    if (s->member[i].state == SLEEPS) {
        wake(s, i, t + s->profile->waiting.ring + s->profile->waiting.wake);
        return s->profile->waiting.ring;
    }
    /* It looks itself, or has yielded to one that looks on for a moment. */
    if ((on_processor(s, i) || s->member[i].state == TURNS) && p->due > t)
        p->due = t > p->now ? t : p->now;
    return 0;
}

static void go_to_sleep(simulation *s, processor *p, int i)
{
    s->member[i].state = SLEEPS;
    s->awake--;
    dequeue(s, p);
}

static void yield(simulation *s, processor *p, int i)
{
    member *m = &s->member[i];
    m->ready = 0;
    p->now += s->profile->waiting.turn;
    if (p->first == p->last) {
        m->state = LOOKS; /* nobody else: it looks on */
        p->due = p->now;
        return;
    }
    m->state = TURNS;
    dequeue(s, p);
    enqueue(s, i);
    p->due = p->now;
}

static void look_until(simulation *s, processor *p, int i, double moment)
{
    s->member[i].state = LOOKS;
    p->due = moment;
    if (p->due <= p->now)
        go_to_sleep(s, p, i);
}

static bool is_here(const simulation *s, int i, int other)
{
    return home(s, other) == home(s, i) && s->member[other].state != SLEEPS &&
           s->member[other].state != DONE;
}

/* Of those that yielded here, has one its message by now? */
static bool others_here_have_heard(simulation *s, const processor *p)
{
    for (int k = s->member[p->first].next; k >= 0; k = s->member[k].next) {
        if (s->member[k].state != TURNS || step_of(s, k)->action != OB_DO_RECEIVE)
            continue;
        const message *m = *find(s, k, step_of(s, k)->peer);
        if (m && m->start <= p->now)
            return true;
    }
    return false;
}

/* It is i's turn and what it waits for, from another member, is not there: what
 * node/wait.c's choose() says. glance: how long it looks before it asks that. */
static void wait_on(simulation *s, processor *p, int i, int from, double glance)
{
    member *m = &s->member[i];
    if (m->state == RUNS)
        m->since = p->now + glance;
    bool here = is_here(s, i, from);
    double brief = m->since + s->profile->waiting.look;
    if (p->now < m->since)
        look_until(s, p, i, m->since);
    else if (!here && s->awake <= s->processors)
        look_until(s, p, i, m->since + (s->members <= s->processors ? OB_OWN_US : OB_SPIN_US));
    else if (!here && p->now < brief && !others_here_have_heard(s, p))
        look_until(s, p, i, brief);
    else if (p->now < m->since + OB_YIELD_US)
        yield(s, p, i);
    else
        go_to_sleep(s, p, i);
}

/* --------------------------------------------------------------------- steps */

/* Is the receiver at work on what this member sends, on a processor of its own? */
static bool is_followed(const simulation *s, int from, int to)
{
    const member *m = &s->member[to];
    if (home(s, from) == home(s, to) || s->processor[home(s, to)].first != to ||
        (m->state != RUNS && m->state != LOOKS))
        return false;
    const obb_step *step = step_of(s, to);
    return step->action == OB_DO_RECEIVE && step->peer == from;
}

/* Of a chunk: its share of the whole vector, which may come from a farther cache. */
static double work_cost(const simulation *s, const obb_step *step)
{
    size_t whole = step->whole > step->bytes ? step->whole : step->bytes;
    double base = cost(s, OB_T_O, 0, 1), share = whole ? (double)step->bytes / (double)whole : 0;
    return base + (cost(s, OB_T_O, whole, 1) - base) * share;
}

static double send_cost(const simulation *s, int i, const obb_step *step, bool *spilled)
{
    const ob_waiting *w = &s->profile->waiting;
    size_t n = step->bytes;
    *spilled = false;
    if (is_followed(s, i, step->peer)) {
        double alone = cost(s, OB_T_S, n <= OB_RING_BYTES ? n : OB_RING_BYTES, 1);
        double flow = cost(s, OB_T_C, n, 1) * w->flow;
        return alone > flow ? alone : flow;
    }
    /* T_s was measured with an empty ring: it has the price of one long message in it. */
    size_t before = n ? piled_up(s, i, step->peer) : 0;
    *spilled = before > 0 && before + n > OB_RING_BYTES && s->members > s->processors;
    double t = cost(s, OB_T_S, n, *spilled ? w->spill : 1);
    /* The ring is full, and the receiver has said that it follows. */
    bool waits = before + n > OB_RING_BYTES && home(s, i) != home(s, step->peer) &&
                 waits_for(s, step->peer, i);
    return waits ? t + w->patience : t;
}

static void do_send(simulation *s, processor *p, int i, const obb_step *step)
{
    message m = {
        .from = i, .bytes = step->bytes, .start = p->now, .at_rest = !s->member[i].received};
    bool awaited = waits_for(s, step->peer, i);
    p->now += send_cost(s, i, step, &m.spilled);
    post(s, step->peer, &m);
    if (awaited)
        p->now += tell(s, step->peer, m.start);
}

static bool do_receive(simulation *s, processor *p, int i, const obb_step *step)
{
    message **link = find(s, i, step->peer);
    if (*link == NULL || (*link)->start > p->now)
        return false;
    double factor = (*link)->spilled ? s->profile->waiting.spill : 1;
    double mine = p->now + cost(s, OB_T_R, step->bytes, factor);
    double share = (*link)->at_rest ? s->profile->waiting.rest : 1;
    double flow = (*link)->start + cost(s, OB_T_C, step->bytes, share);
    p->now = mine > flow ? mine : flow;
    s->member[i].received = true;
    take(s, i, link);
    return true;
}

static void open_barrier(simulation *s, processor *p, int last)
{
    s->arrived = 0;
    s->barriers++;
    for (int i = 0; i < s->members; i++)
        if (i != last && s->member[i].state != RUNS)
            p->now += tell(s, i, p->now);
}

static bool do_barrier(simulation *s, processor *p, int i)
{
    member *m = &s->member[i];
    if (m->arrived == m->barriers) {
        m->arrived++;
        p->now += cost(s, OB_T_S, 0, 1);
        if (++s->arrived == s->members)
            open_barrier(s, p, i);
    }
    if (m->barriers == s->barriers)
        return false;
    m->barriers++;
    p->now += cost(s, OB_T_R, 0, 1);
    return true;
}

/* Whom one in the barrier waits for: one that wants its own processor, else the first
 * that is not there (collective/board/board.c). */
static int most_urgent(const simulation *s, int i)
{
    int first = -1;
    for (int k = 0; k < s->members; k++) {
        if (s->member[k].arrived >= s->member[i].arrived)
            continue;
        if (is_here(s, i, k))
            return k;
        if (first < 0)
            first = k;
    }
    return first;
}

/* In a barrier it does not look first where members outnumber processors. */
static void wait_in_barrier(simulation *s, processor *p, int i)
{
    double glance = s->members > s->processors ? 0 : s->profile->waiting.glance;
    wait_on(s, p, i, most_urgent(s, i), glance);
}

static void do_mark(simulation *s, const processor *p, int i)
{
    member *m = &s->member[i];
    if (m->mark < 0) {
        m->mark = p->now;
        return;
    }
    s->elapsed[(size_t)m->round * (size_t)s->members + (size_t)i] = p->now - m->mark;
    m->mark = -1;
}

static void next_step(simulation *s, processor *p, int i)
{
    member *m = &s->member[i];
    m->state = RUNS;
    p->due = p->now;
    if (++m->at < s->scripts[i].count)
        return;
    m->at = 0;
    if (++m->round < s->rounds)
        return;
    m->state = DONE;
    s->awake--;
    s->running--;
    dequeue(s, p);
}

static void go_on(simulation *s, processor *p)
{
    int i = p->first;
    const obb_step *step = step_of(s, i);
    bool done = true;
    if (p->now < p->due)
        p->now = p->due;
    if (s->member[i].state == TURNS && p->now < s->member[i].ready)
        p->now = s->member[i].ready; /* woken, but not there yet */
    switch (step->action) {
    case OB_DO_SEND: do_send(s, p, i, step); break;
    case OB_DO_RECEIVE: done = do_receive(s, p, i, step); break;
    case OB_DO_WORK: p->now += work_cost(s, step); break;
    case OB_DO_CALL:
        s->member[i].received = false;
        p->now += step->bytes ? s->profile->waiting.combine : s->profile->waiting.call;
        break;
    case OB_DO_BARRIER: done = do_barrier(s, p, i); break;
    case OB_DO_MARK: do_mark(s, p, i); break;
    }
    if (done)
        next_step(s, p, i);
    else if (step->action == OB_DO_RECEIVE)
        wait_on(s, p, i, step->peer, s->profile->waiting.glance);
    else
        wait_in_barrier(s, p, i);
}

/* ----------------------------------------------------------------- beginning */

/* Which of several waiting members a processor takes first stays as it is for as long as they
 * only yield; so the order in which they begin matters, and nobody knows it. */
static void line_up(simulation *s)
{
    int *order = s->order;
    for (int i = 0; i < s->members; i++)
        order[i] = i;
    for (int i = s->members - 1; i > 0 && s->seed; i--) {
        s->seed = s->seed * 1664525u + 1013904223u;
        int other = (int)((s->seed >> 16) % (unsigned)(i + 1)), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
    for (int i = 0; i < s->members; i++)
        enqueue(s, order[i]);
}

static int set_up(simulation *s)
{
    s->processors = s->profile->processors < s->members ? s->profile->processors : s->members;
    s->member = calloc((size_t)s->members, sizeof *s->member);
    s->processor = calloc((size_t)s->processors, sizeof *s->processor);
    s->order = calloc((size_t)s->members, sizeof *s->order);
    if (s->member == NULL || s->processor == NULL || s->order == NULL)
        return OB_ENOMEM;
    for (int i = 0; i < s->processors; i++)
        s->processor[i].first = -1;
    for (int i = 0; i < s->members; i++) {
        s->member[i].mark = -1;
        s->member[i].last = &s->member[i].first;
        if (s->scripts[i].failed)
            return OB_ENOMEM;
    }
    line_up(s);
    s->awake = s->running = s->members;
    return OB_OK;
}

static void tear_down(simulation *s)
{
    for (int i = 0; s->member && i < s->members; i++)
        while (s->member[i].first)
            take(s, i, &s->member[i].first);
    while (s->spare) {
        message *m = s->spare;
        s->spare = m->next;
        free(m);
    }
    free(s->member);
    free(s->processor);
    free(s->order);
}

static processor *behind(simulation *s)
{
    processor *least = &s->processor[0];
    for (int i = 1; i < s->processors; i++)
        if (s->processor[i].due < least->due)
            least = &s->processor[i];
    return least->due < HUGE_VAL ? least : NULL;
}

int obb_simulate(const ob_profile *profile, int members, const obb_script *scripts, int rounds,
                 size_t footprint, unsigned order, double *elapsed)
{
    simulation s = {.profile = profile,
                    .scripts = scripts,
                    .members = members,
                    .rounds = rounds,
                    .seed = order,
                    .stretch = stretch_for(profile, footprint),
                    .elapsed = elapsed};
    int status = set_up(&s);
    while (status == OB_OK && s.running) {
        processor *p = behind(&s);
        if (p == NULL)
            status = OB_EARG;
        else
            go_on(&s, p);
        if (s.no_memory)
            status = OB_ENOMEM;
    }
    tear_down(&s);
    return status;
}
