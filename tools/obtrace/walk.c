/*
 * From events to what each process did: calls of routines, stretches of time, and
 * waits. Every process is walked through once, in the order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

const char *const obt_state_names[OBT_STATES] = {"not recorded", "computing",  "library",
                                                 "not-running",  "receive",    "broadcast",
                                                 "combine",      "collective", "barrier"};

/* Parts of names, the first that fits decides: of the BLACS, iCC, PICL, MLACS, BSP. */
obt_state obt_waiting_in(const char *name)
{
    static const struct {
        const char *part;
        obt_state state;
    } parts[] = {
        {"barrier", OBT_IN_BARRIER},     {"sync", OBT_IN_BARRIER},      {"bcast", OBT_BROADCASTING},
        {"broadcast", OBT_BROADCASTING}, {"ebs2d", OBT_BROADCASTING},   {"ebr2d", OBT_BROADCASTING},
        {"rbs2d", OBT_BROADCASTING},     {"rbr2d", OBT_BROADCASTING},   {"sum2d", OBT_COMBINING},
        {"amx2d", OBT_COMBINING},        {"amn2d", OBT_COMBINING},      {"combine", OBT_COMBINING},
        {"gcomb", OBT_COMBINING},        {"gsum", OBT_COMBINING},       {"gmax", OBT_COMBINING},
        {"gmin", OBT_COMBINING},         {"gprod", OBT_COMBINING},      {"gand", OBT_COMBINING},
        {"gor", OBT_COMBINING},          {"gxor", OBT_COMBINING},       {"reduce", OBT_COMBINING},
        {"scatter", OBT_COLLECTING},     {"gather", OBT_COLLECTING},    {"collect", OBT_COLLECTING},
        {"distribute", OBT_COLLECTING},  {"gridinit", OBT_COLLECTING},  {"gridmap", OBT_COLLECTING},
        {"group", OBT_COLLECTING},       {"replicate", OBT_COLLECTING}, {"gcol", OBT_COLLECTING},
        {"iCC_g", OBT_COMBINING},        {"bsp_begin", OBT_COLLECTING}, {"bsp_end", OBT_IN_BARRIER},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i].part))
            return parts[i].state;
    return OBT_RECEIVING;
}

/* All need one member's data in a scatter, too, and in bsp_begin, where process 0 says how many
 * processes go on. */
bool obt_from_root(const obt_analysis *a, const obt_call *c)
{
    const char *name = a->trace->routines[c->routine].name;
    return c->root >= 0 && (obt_waiting_in(name) == OBT_BROADCASTING ||
                            strcasestr(name, "scatter") || strcasestr(name, "bsp_begin"));
}

typedef struct walk {
    obt_analysis *a;
    uint32_t process;
    uint32_t *stack;
    size_t depth, room;
    size_t waiting; /* waits that are open; more than one with threads */
    int64_t since;
    uint32_t cause;
    int64_t last; /* time of the latest span */
    int64_t divided;
    size_t asked; /* what no superstep has ended of begins here */
} walk;

static uint32_t routine_index(obt_trace *t, int64_t block)
{
    if (block == OBT_SENDING)
        obt_name_routine(t, OBT_SENDING, "send0");
    else if (block == OBT_TAKING)
        obt_name_routine(t, OBT_TAKING, "recv0");
    obt_routine_name(t, block);
    return (uint32_t)obt_map_find(&t->routine_map, block);
}

static uint32_t outermost(const walk *w)
{
    return w->depth ? w->stack[0] : OBT_NO_CALL;
}

static obt_state waiting_state(const walk *w)
{
    const obt_analysis *a = w->a;
    for (size_t i = 0; i < w->depth; i++) {
        uint32_t r = a->calls[w->stack[i]].routine;
        obt_state s = obt_waiting_in(a->trace->routines[r].name);
        if (s != OBT_RECEIVING)
            return s;
    }
    return OBT_RECEIVING;
}

static void begin_span(walk *w, int64_t time, obt_state state, uint32_t call)
{
    obt_analysis *a = w->a;
    size_t first = a->first_span[w->process];
    obt_span *last = a->span_count > first ? &a->spans[a->span_count - 1] : NULL;
    if (time < w->last)
        time = w->last;
    w->last = time;
    if (last && last->begin == time) {
        *last = (obt_span){.begin = time, .call = call, .state = (uint8_t)state};
        return;
    }
    if (last && last->state == state && last->call == call)
        return;
    a->spans = obt_grow(a->spans, a->span_count, &a->span_room, sizeof *a->spans);
    a->spans[a->span_count++] = (obt_span){.begin = time, .call = call, .state = (uint8_t)state};
}

/* What the process does from now on, by what is open. */
static void go_on(walk *w, int64_t time)
{
    obt_state s = w->waiting ? waiting_state(w) : w->depth ? OBT_LIBRARY : OBT_COMPUTING;
    begin_span(w, time, s, outermost(w));
}

static uint32_t new_call(walk *w, int64_t time, int64_t block)
{
    obt_analysis *a = w->a;
    a->calls = obt_grow(a->calls, a->call_count, &a->call_room, sizeof *a->calls);
    a->calls[a->call_count] = (obt_call){.begin = time,
                                         .end = -1,
                                         .root = -1,
                                         .number = -1,
                                         .process = w->process,
                                         .routine = routine_index(a->trace, block),
                                         .group = -1,
                                         .site = -1,
                                         .outer = outermost(w)};
    return (uint32_t)a->call_count++;
}

static void set_topology(obt_call *call, int64_t value)
{
    bool begun = value <= OBT_COURSE_TAG && value >= INT32_MIN;
    bool ended = value <= OBT_COURSE_ENDS(OBT_COURSE_TAG) && value >= OBT_COURSE_ENDS(INT32_MIN);
    call->course = begun ? OBT_BEGUN : ended ? OBT_ENDED : OBT_WHOLE;
    call->tag = (int32_t)(ended ? value - OBT_COURSE_ENDS(0) : begun ? value : 0);
    call->topology = value > 0 ? (char)value : 0;
}

/* A superstep of this group ends: that is what was asked since the last one, but for other groups'.
 */
static void end_asked(walk *w, const obt_call *c)
{
    obt_analysis *a = w->a;
    size_t left = w->asked;
    for (size_t i = w->asked; i < a->asked_count; i++) {
        if (a->asked[i].group == c->group) {
            obt_asked ended = a->asked[i];
            a->asked[i] = a->asked[left];
            ended.number += c->number;
            a->asked[left++] = ended;
        }
    }
    w->asked = left;
}

static void enter(walk *w, const obt_event *e)
{
    const obt_trace *t = w->a->trace;
    uint32_t c = new_call(w, e->time, obt_get(t, e, OBT_BLOCK, 0));
    obt_call *call = &w->a->calls[c];
    int64_t group = obt_get(t, e, OBT_GROUP, -1);
    call->sized = e->count > OBT_SIZE;
    /* Of what others' blocks mean by their parameter nothing is known. */
    int64_t block = obt_get(t, e, OBT_BLOCK, 0);
    if (call->sized || (block <= -2 && block >= -4))
        call->root = obt_get(t, e, OBT_PARAMETER, -1);
    call->group = group >= 0 && (size_t)group < t->group_count ? (int32_t)group : -1;
    int64_t site = obt_get(t, e, OBT_LOCATION, -1);
    call->site = site >= 0 && (size_t)site < t->site_count ? (int32_t)site : -1;
    call->scope = (char)obt_get(t, e, OBT_SCOPE, 0);
    set_topology(call, obt_get(t, e, OBT_TOPOLOGY, 0));
    call->bytes = obt_get(t, e, OBT_SIZE, 0);
    call->number = obt_get(t, e, OBT_CALL, -1);
    w->stack = obt_grow(w->stack, w->depth, &w->room, sizeof *w->stack);
    w->stack[w->depth++] = c;
    if (call->topology == OBT_SUPERSTEP && call->group >= 0 && call->number >= 0)
        end_asked(w, call);
    go_on(w, e->time);
}

/* Threads may leave in another order than they entered. */
static void leave(walk *w, const obt_event *e)
{
    const obt_trace *t = w->a->trace;
    uint32_t routine = routine_index(w->a->trace, obt_get(t, e, OBT_BLOCK, 0));
    size_t i = w->depth;
    while (i > 0 && w->a->calls[w->stack[i - 1]].routine != routine)
        i--;
    if (i == 0) {
        w->a->unended++;
        return;
    }
    obt_call *c = &w->a->calls[w->stack[i - 1]];
    c->end = e->time;
    c->packing = obt_get(t, e, OBT_PACKING, 0);
    memmove(w->stack + i - 1, w->stack + i, (w->depth - i) * sizeof *w->stack);
    w->depth--;
    go_on(w, e->time);
}

/* A message of a program that has no blocks around its calls is a call itself. */
static void count_message(walk *w, const obt_event *e, int64_t block, int64_t begin)
{
    const obt_trace *t = w->a->trace;
    int64_t bytes = obt_get(t, e, OBT_BYTES, 0);
    /* Of a collective operation that goes on while the program computes. */
    if (!w->depth && e->count > OBT_CONTEXT && obt_get(t, e, OBT_TYPE, 0) <= OBT_COURSE_TAG)
        return;
    if (w->depth) {
        /* PICL's blocks do not say how much they move. */
        obt_call *c = &w->a->calls[w->stack[0]];
        obt_sum(&c->bytes, c->sized ? 0 : bytes);
        return;
    }
    uint32_t index = new_call(w, begin, block);
    obt_call *c = &w->a->calls[index];
    c->end = e->time;
    c->bytes = bytes;
    c->root = obt_get(t, e, OBT_PEER, -1);
}

static void add_wait(walk *w, int64_t end, uint32_t cause)
{
    obt_analysis *a = w->a;
    if (end <= w->since)
        return;
    a->waits = obt_grow(a->waits, a->wait_count, &a->wait_room, sizeof *a->waits);
    a->waits[a->wait_count++] = (obt_wait){.begin = w->since,
                                           .end = end,
                                           .process = w->process,
                                           .call = outermost(w),
                                           .cause = cause,
                                           .sent = -1,
                                           .state = (uint8_t)waiting_state(w)};
    if (w->depth)
        a->calls[w->stack[0]].blocked += end - w->since;
}

static uint32_t process_of(const obt_analysis *a, int64_t id)
{
    size_t found = id < 0 && id != OBT_HOST ? OBT_NONE : obt_find_process(a->trace, id);
    return found == OBT_NONE ? UINT32_MAX : (uint32_t)found;
}

static void begin_wait(walk *w, const obt_event *e, int64_t awaited)
{
    if (w->waiting++ == 0) {
        w->since = e->time;
        w->cause = process_of(w->a, awaited);
    }
    go_on(w, e->time);
}

static void end_wait(walk *w, const obt_event *e, int64_t awaited, int64_t waited)
{
    if (w->waiting == 0) {
        w->a->unended++;
        return;
    }
    if (--w->waiting)
        return;
    int64_t end = e->time;
    uint32_t cause = process_of(w->a, awaited);
    if (waited >= 0 && waited < end - w->since)
        end = w->since + waited;
    add_wait(w, end, cause == UINT32_MAX ? w->cause : cause);
    if (e->kind == OBT_RECV_WAKING)
        count_message(w, e, OBT_TAKING, w->since);
    if (e->kind == OBT_RECV_WAKING && !w->depth) {
        w->a->calls[w->a->call_count - 1].blocked = end - w->since;
        /* What is left of the receive is not the program's own work. */
        begin_span(w, end, end < e->time ? OBT_LIBRARY : OBT_COMPUTING, OBT_NO_CALL);
    } else {
        go_on(w, end);
    }
    go_on(w, e->time);
}

/* Everybody has come at `until`; the record says only when one came. */
static void synchronize(walk *w, const obt_event *e, int64_t until, uint32_t last, int64_t next)
{
    int64_t end = until < next ? until : next;
    if (end <= e->time)
        return;
    uint32_t routine_call = new_call(w, e->time, -1);
    w->a->calls[routine_call].end = end;
    w->stack = obt_grow(w->stack, w->depth, &w->room, sizeof *w->stack);
    w->stack[w->depth++] = routine_call;
    w->since = e->time;
    begin_span(w, e->time, OBT_IN_BARRIER, routine_call);
    add_wait(w, end, last);
    w->depth--;
    go_on(w, end);
}

static void add_part(walk *w, const obt_event *e)
{
    obt_analysis *a = w->a;
    int64_t lasted = obt_get(a->trace, e, OBT_LASTED, 0);
    if (lasted <= 0)
        return;
    a->parts = obt_grow(a->parts, a->part_count, &a->part_room, sizeof *a->parts);
    a->parts[a->part_count++] =
        (obt_own_part){e->time - lasted, e->time, w->process,
                       routine_index(a->trace, obt_get(a->trace, e, OBT_BLOCK, 0))};
}

/* A get brings data from the other process, in the second round of the superstep's end. */
static void add_asked(walk *w, const obt_event *e)
{
    obt_analysis *a = w->a;
    const obt_trace *t = a->trace;
    uint32_t other = process_of(a, obt_get(t, e, OBT_WHOM, -1));
    int64_t bytes = obt_get(t, e, OBT_AMOUNT, 0), group = obt_get(t, e, OBT_WITHIN, -1);
    if (other == UINT32_MAX || bytes <= 0 || group < 0 || (size_t)group >= t->group_count)
        return;
    uint32_t routine = routine_index(a->trace, obt_get(t, e, OBT_BLOCK, 0));
    int64_t site = obt_get(t, e, OBT_LOCATION, -1);
    bool gets = strstr(t->routines[routine].name, "get") != NULL;
    a->asked = obt_grow(a->asked, a->asked_count, &a->asked_room, sizeof *a->asked);
    a->asked[a->asked_count++] =
        (obt_asked){.group = (int32_t)group,
                    .number = gets,
                    .to = gets ? w->process : other,
                    .from = gets ? other : w->process,
                    .routine = routine,
                    .site = site >= 0 && (size_t)site < t->site_count ? (int32_t)site : -1,
                    .bytes = bytes,
                    .calls = obt_get(t, e, OBT_TIMES, 1)};
}

static void step(walk *w, const obt_event *e, const obt_meeting *meet, int64_t next)
{
    const obt_trace *t = w->a->trace;
    switch (e->kind) {
    case OBT_BLOCK_BEGIN: enter(w, e); break;
    case OBT_BLOCK_END: leave(w, e); break;
    case OBT_SEND: count_message(w, e, OBT_SENDING, e->time); break;
    case OBT_RECV: count_message(w, e, OBT_TAKING, e->time); break;
    case OBT_RECV_BLOCKING: begin_wait(w, e, obt_get(t, e, OBT_AWAITED, -1)); break;
    case OBT_WAIT_BEGIN: begin_wait(w, e, obt_get(t, e, 0, -1)); break;
    case OBT_RECV_WAKING:
        end_wait(w, e, obt_get(t, e, OBT_PEER, -1), obt_get(t, e, OBT_WAITED, -1));
        break;
    case OBT_WAIT_END: end_wait(w, e, obt_get(t, e, 0, -1), -1); break;
    /* Until the buffer is written nothing is recorded. */
    case OBT_TRACE_STOP: begin_span(w, e->time, OBT_OFF, OBT_NO_CALL); break;
    case OBT_TRACE_FLUSH:
        begin_span(w, e->time, OBT_LIBRARY, outermost(w));
        go_on(w, obt_get(t, e, 0, 0));
        break;
    case OBT_SYNC: synchronize(w, e, meet->time, meet->last, next); break;
    case OBT_RUNNING:
        obt_divide(w->a, w->a->first_span[w->process], e, &w->divided);
        go_on(w, e->time);
        break;
    case OBT_PART: add_part(w, e); break;
    case OBT_ASKED: add_asked(w, e); break;
    case OBT_TRACE_MARK: w->a->marks++; break;
    default: break;
    }
}

/* What is still open when the recording ends, ends with it. */
static void finish(walk *w, int64_t end)
{
    if (end < w->last)
        end = w->last;
    if (w->waiting)
        add_wait(w, end, w->cause);
    w->a->unended += w->waiting != 0;
    for (size_t i = 0; i < w->depth; i++)
        w->a->calls[w->stack[i]].end = end;
    w->a->unended += w->depth;
    w->depth = w->waiting = 0;
    begin_span(w, end, OBT_OFF, OBT_NO_CALL);
    if (w->a->end < end)
        w->a->end = end;
}

/* When the next thing happens; statistics of the same moment are none. */
static int64_t next_time(const obt_event *e, size_t left)
{
    for (size_t i = 1; i < left; i++)
        if (e[i].time > e->time || (e[i].kind != OBT_COMPSTATS && e[i].kind != OBT_COMMSTATS))
            return e[i].time;
    return INT64_MAX;
}

static void walk_process(walk *w, const obt_event *e, size_t count, const obt_meeting *meetings)
{
    const obt_process *p = &w->a->trace->processes[w->process];
    int64_t begin = p->ended && p->began < e->time ? p->began : e->time;
    int64_t end = e[count - 1].time;
    w->last = w->divided = begin;
    w->a->first_span[w->process] = w->a->span_count;
    w->a->first_wait[w->process] = w->a->wait_count;
    begin_span(w, begin, OBT_COMPUTING, OBT_NO_CALL);
    for (size_t i = 0; i < count; i++) {
        bool meets = e[i].kind == OBT_SYNC;
        step(w, &e[i], meetings, meets ? next_time(&e[i], count - i) : 0);
        if (meets)
            meetings++;
    }
    w->a->asked_count = w->asked; /* what no superstep has ended was not done */
    /* Of what came behind a full buffer nothing is known. */
    finish(w, end > p->ended || p->lost ? end : p->ended);
    if (begin < w->a->begin)
        w->a->begin = begin;
}

void obt_walk(obt_analysis *a)
{
    obt_trace *t = a->trace;
    obt_meeting *m = obt_find_meetings(t);
    walk w = {.a = a};
    a->begin = INT64_MAX;
    for (size_t i = 0, n; i < t->event_count; i += n) {
        for (n = 1; i + n < t->event_count && t->events[i + n].process == t->events[i].process;)
            n++;
        w.process = t->events[i].process;
        a->order[a->active++] = w.process;
        walk_process(&w, &t->events[i], n, m);
    }
    obt_sort_asked(a);
    free(m);
    free(w.stack);
}
