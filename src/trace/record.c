/*
 * Recording: the buffer, spans, and what interfaces and programs say. Everything here
 * but the start and groups runs inside the operations that are measured.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks/hash.h"
#include "trace/stats.h"

int ob_trace_on = OB_TRACE_UNKNOWN, ob_trace_now;

/* A thread's own variables without a call. Not where hundreds of copies of the program
 * are loaded into one, for which the room that this model takes was never meant. */
#ifdef OPENBLACS_SIMGRID
#define NEAR
#else
#define NEAR __attribute__((tls_model("initial-exec")))
#endif

/* What a thread is doing. */
static _Thread_local struct {
    const char *as;      /* what the routine that is named next is called */
    const char *routine; /* that the program has called */
    const void *site;
    const void *held;          /* the call of the routine that is named next */
    uint64_t blocked, packing; /* sums over what this thread did */
    int depth, operations;
    uint16_t number; /* from 1; 0: not counted yet */
    int64_t since;   /* the end of the last operation; ticks */
    int64_t part;    /* that of the last part of the program's work; 0: there was none */
    ob_trace_reading last;
    bool fresh; /* the routine has no event yet */
    char scope;
} me NEAR;

static uint16_t thread_number(void)
{
    if (me.number == 0)
        me.number = (uint16_t)(atomic_fetch_add(&ob_trace.threads, 1) + 1);
    return (uint16_t)(me.number - 1);
}

/* A free place in the buffer; NULL when it is full. */
static inline ob_trace_record *free_record(void)
{
    size_t i;
    if (OB_ONE_THREAD) {
        i = atomic_load_explicit(&ob_trace.next, memory_order_relaxed);
        atomic_store_explicit(&ob_trace.next, i + 1, memory_order_relaxed);
    } else {
        i = atomic_fetch_add_explicit(&ob_trace.next, 1, memory_order_relaxed);
    }
    return i < ob_trace.capacity ? &ob_trace.buffer[i] : NULL;
}

/* The kind is stored (release) behind the rest: who converts (acquire) leaves out what is not
 * whole. */
static inline void keep(const ob_trace_record *r)
{
    ob_trace_record *to = free_record();
    if (to == NULL)
        return;
    uint8_t kind = r->event.kind;
    ob_trace_record copy = *r;
    copy.event.kind = 0;
    *to = copy;
    __atomic_store_n(&to->event.kind, kind, __ATOMIC_RELEASE);
}

static __attribute__((noinline, cold)) void refuse_child(const char *routine)
{
    char line[512];
    int n =
        snprintf(line, sizeof line,
                 "OpenBLACS: %s%sthis process (pid %d) is a forked child of process number %d of "
                 "the job and has no place in it; let that process itself make the call, or exec "
                 "another program [OB-2015]\n",
                 routine ? routine : "", routine ? ": " : "", (int)getpid(), ob_trace.parent);
    if (n > 0)
        ob_trace_put(STDERR_FILENO, line, (size_t)n);
    _exit(1);
}

void ob_trace_refuse_child(const char *routine)
{
    if (__builtin_expect(ob_trace_on & OB_TRACE_FORKED, 0))
        refuse_child(routine);
}

/* --------------------------------------------------------------- processor time */

/* Readings stand around what the program computes, and around operations, where these take long
 * enough. What lies between two of them is that and, at its begin, little else. */
static inline bool long_enough(int64_t since, int64_t now)
{
    return __builtin_expect(
        now - since >= atomic_load_explicit(&ob_trace.apart, memory_order_relaxed), 0);
}

/* The program has computed, or done an operation, until now. */
static __attribute__((noinline)) void note_running(void)
{
    const ob_trace_reading before = me.last;
    if (!(ob_trace_on & OB_TRACE_EVENTS_ON) || ob_trace.level < 1)
        return;
    ob_trace_read(&me.last);
    me.since = me.last.at;
    if (before.at == 0) /* this thread's first call */
        return;
    bool known = before.delay != OB_TRACE_NO_DELAY && me.last.delay != OB_TRACE_NO_DELAY;
    keep(&(ob_trace_record){.event = {.begin = before.at,
                                      .end = me.last.at,
                                      .value = me.last.cpu - before.cpu,
                                      .blocked = known ? me.last.delay - before.delay : 0,
                                      .tag = known,
                                      .bytes = me.last.taken - before.taken,
                                      .ordinal = (uint32_t)(me.last.slept - before.slept),
                                      .peer = OB_ANY,
                                      .thread = thread_number(),
                                      .kind = OB_TRACE_RUNNING}});
}

/* An operation has ended, and the program goes on. */
static inline void go_on(int64_t now)
{
    me.since = now;
    if (long_enough(me.last.at, now))
        note_running();
}

void ob_trace_running_begin(void)
{
    ob_trace_read_first(&me.last);
    me.since = me.last.at;
}

void ob_trace_running_end(void)
{
    if (me.depth == 0 && me.last.at && long_enough(me.since, ob_clock_end()))
        note_running();
    ob_trace_read_last();
}

/* ------------------------------------------------------------------- operations */

void ob_trace_begin(ob_trace_span *span)
{
    ob_trace_refuse_child(me.routine);
    span->blocked = me.blocked;
    span->packing = me.packing;
    span->begin = ob_clock_begin();
    if (me.depth++ == 0 && long_enough(me.since, span->begin)) {
        note_running();
        span->begin = ob_clock_begin();
    }
}

/* Adds this operation's own times to the thread's sums. */
static inline void account(const ob_trace_span *span, const ob_trace_what *what, int64_t now)
{
    uint64_t whole = (uint64_t)(now - span->begin);
    switch (what->kind) {
    case OB_TRACE_SEND: me.packing += whole - (me.blocked - span->blocked); break;
    case OB_TRACE_RECV:
        if (what->status != OB_OK)
            me.blocked += whole;
        else if (what->matched > span->begin) {
            me.blocked += what->waited ? (uint64_t)(what->matched - span->begin) : 0;
            me.packing += (uint64_t)(now - what->matched);
        }
        break; /* it had come before: nothing of this call is waiting or moving */
    case OB_TRACE_WAIT:
    case OB_TRACE_PASSED:
    case OB_TRACE_PROBE: me.blocked += what->waited ? whole : 0; break;
    case OB_TRACE_POST:
    case OB_TRACE_GROUP: break;
    default: /* what a collective does not wait, it works */
        me.packing = span->packing + (whole - (me.blocked - span->blocked));
    }
}

static inline bool wanted(int kind, bool inside)
{
    return ob_trace.level >= (kind == OB_TRACE_PROBE ? 3 : inside ? 2 : 1);
}

/* The file's number of a member; OB_ANY where it has none, as of a job beside that of the file. */
static inline int number_of(const ob_group *g, int position)
{
    return position >= 0 && g->job == ob_trace.job ? g->peer[position]->number : OB_ANY;
}

/* One event of an operation, outermost or not. */
static void note_event(const ob_trace_what *what, int64_t begin, int64_t end, uint64_t blocked,
                       uint64_t packing, int flags)
{
    const ob_group *g = what->group;
    int number = g ? number_of(g, what->position) : what->trace ? what->number : OB_ANY;
    bool alone = (g && g->size == 1) || number == ob_trace.number;
    keep(&(ob_trace_record){
        .event = {.begin = begin,
                  .end = end,
                  .blocked = blocked,
                  .packing = packing,
                  .bytes = what->bytes,
                  .value = what->kind == OB_TRACE_RECV ? (uint64_t)what->matched : what->value,
                  .peer = number,
                  .tag = what->tag,
                  .group = g ? g->trace : what->trace,
                  .thread = thread_number(),
                  .kind = (uint8_t)what->kind,
                  .flags = (uint8_t)(what->flags | flags |
                                     (what->status != OB_OK ? OB_TRACE_FAILED : 0) |
                                     (alone ? OB_TRACE_BYSELF : 0)),
                  .topology = what->topology,
                  .type = (uint8_t)what->type,
                  .scope = me.scope},
        .routine = me.routine ? me.routine : what->routine,
        .site = me.site});
}

/* An outermost event in the statistics; the next one is of another routine, if the program has said
 * of how many this one is. */
static inline __attribute__((always_inline)) void
count(const ob_trace_what *what, int64_t begin, int64_t end, uint64_t blocked, uint64_t packing)
{
    const char *routine = me.routine ? me.routine : what->routine;
    if (__builtin_expect(ob_trace_on & OB_TRACE_STATS_ON, OB_TRACE_STATS_ON))
        ob_trace_add(routine, me.site,
                     &(ob_trace_part){.kind = what->kind,
                                      .first = me.fresh || me.routine == NULL,
                                      .bytes = what->bytes,
                                      .time = (uint64_t)(end - begin),
                                      .blocked = blocked,
                                      .packing = packing});
    me.fresh = false;
    if (__builtin_expect(me.operations != 0, 0) && --me.operations == 0) {
        me.routine = NULL;
        me.site = NULL;
        me.scope = 0;
    }
}

/* In the trace and in the statistics, which have only outermost ones. */
static __attribute__((noinline)) void emit(const ob_trace_what *what, int64_t begin, int64_t end,
                                           uint64_t blocked, uint64_t packing)
{
    bool inside = me.depth > 0, first = !inside && (me.fresh || me.routine == NULL);
    if ((ob_trace_on & OB_TRACE_EVENTS_ON) && wanted(what->kind, inside))
        note_event(what, begin, end, blocked, packing,
                   (inside ? OB_TRACE_INSIDE : 0) | (first ? OB_TRACE_FIRST : 0));
    if (!inside)
        count(what, begin, end, blocked, packing);
}

static __attribute__((noinline)) void end_recorded(const ob_trace_span *span,
                                                   const ob_trace_what *what, int64_t now)
{
    bool inside = --me.depth > 0;
    account(span, what, now);
    emit(what, span->begin, now, me.blocked - span->blocked, me.packing - span->packing);
    if (!inside)
        go_on(now);
}

/* In production runs, which have statistics alone, each call ends here: no more is done than they
 * need. */
void ob_trace_end(const ob_trace_span *span, const ob_trace_what *what)
{
    int64_t now = ob_clock_end();
    if (__builtin_expect(ob_trace_on & OB_TRACE_EVENTS_ON, 0)) {
        end_recorded(span, what, now);
        return;
    }
    bool inside = --me.depth > 0;
    account(span, what, now);
    if (inside)
        return;
    count(what, span->begin, now, me.blocked - span->blocked, me.packing - span->packing);
    me.since = now;
}

int64_t ob_trace_since(void)
{
    int64_t now = ob_clock_begin();
    if (me.depth > 0 || !long_enough(me.since, now))
        return now;
    note_running();
    return ob_clock_begin();
}

void ob_trace_ended(int64_t since, const ob_trace_what *what)
{
    const ob_trace_span span = {since, me.blocked, me.packing};
    int64_t now = ob_clock_end();
    account(&span, what, now);
    emit(what, since, now, me.blocked - span.blocked, me.packing - span.packing);
    if (me.depth == 0)
        go_on(now);
}

void ob_trace_inside(bool begins)
{
    me.depth += begins ? 1 : -1;
}

int64_t ob_trace_pass(const char *name, const void *site)
{
    ob_trace_routine(name, site, 1);
    return ob_trace_since();
}

void ob_trace_passed(int64_t since)
{
    ob_trace_ended(since, &(ob_trace_what){.kind = OB_TRACE_PASSED, .waited = true});
}

void ob_trace_also(const ob_trace_span *span, const ob_trace_what *what)
{
    emit(what, span->begin, span->begin, 0, 0);
}

void ob_trace_waited(const ob_group *group, int position, int64_t since)
{
    int64_t now = ob_clock_end();
    me.blocked += (uint64_t)(now - since);
    if (!(ob_trace_on & OB_TRACE_EVENTS_ON) || !wanted(OB_TRACE_WAIT, true))
        return;
    keep(&(ob_trace_record){.event = {.begin = since,
                                      .end = now,
                                      .blocked = (uint64_t)(now - since),
                                      .peer = group ? number_of(group, position) : OB_ANY,
                                      .group = group ? group->trace : 0,
                                      .thread = thread_number(),
                                      .kind = OB_TRACE_WAIT,
                                      .flags = OB_TRACE_INSIDE,
                                      .scope = me.scope},
                            .routine = me.routine,
                            .site = me.site});
}

/* ------------------------------------------------------ what supersteps were asked for */

static void keep_request(ob_trace_request *q)
{
    if (q->routine)
        keep(&(ob_trace_record){.event = {.begin = q->since,
                                          .end = ob_clock_end(),
                                          .bytes = q->bytes,
                                          .value = q->calls,
                                          .peer = q->peer,
                                          .group = q->group,
                                          .thread = thread_number(),
                                          .kind = OB_TRACE_ASKED},
                                .routine = q->routine,
                                .site = q->site});
    q->routine = NULL;
}

/* Another place's request that has the same hash makes way. */
void ob_trace_ask(const char *name, const void *site, const ob_group *group, int position,
                  size_t bytes)
{
    if (!(ob_trace_on & OB_TRACE_EVENTS_ON) || ob_trace.level < 1 || group == NULL ||
        position < 0 || position >= group->size)
        return;
    ob_trace_refuse_child(name);
    const char *routine = ob_trace_name(name);
    site = ob_trace_origin_of(me.held ? me.held : site, __builtin_frame_address(0),
                              __builtin_return_address(0), thread_number());
    me.held = NULL;
    uint64_t hash = ob_hash_spread((uint64_t)(uintptr_t)site << 12 ^ (uint64_t)position << 4 ^
                                   (uintptr_t)routine ^ group->trace);
    ob_trace_request *q = &ob_trace.request[hash >> 32 & (OB_TRACE_REQUESTS - 1)];
    ob_lock_take(&ob_trace.request_lock);
    int peer = number_of(group, position);
    if (q->routine != routine || q->site != site || q->group != group->trace || q->peer != peer) {
        keep_request(q);
        *q = (ob_trace_request){.routine = routine,
                                .site = site,
                                .group = group->trace,
                                .peer = peer,
                                .since = ob_clock_begin()};
    }
    q->calls++;
    q->bytes += bytes;
    ob_lock_release(&ob_trace.request_lock);
}

void ob_trace_asked(const ob_group *group)
{
    ob_lock_take(&ob_trace.request_lock);
    for (int i = 0; i < OB_TRACE_REQUESTS; i++)
        if (ob_trace.request[i].group == group->trace)
            keep_request(&ob_trace.request[i]);
    ob_lock_release(&ob_trace.request_lock);
}

/* ----------------------------------------------------- what callers say themselves */

void ob_trace_as(const char *name)
{
    me.as = name;
}

const char *ob_trace_name(const char *routine)
{
    return me.as ? me.as : routine;
}

void ob_trace_routine(const char *name, const void *site, int operations)
{
    if (name)
        ob_trace_refuse_child(name);
    if (name == NULL) {
        me.held = me.as ? me.held : site;
        return;
    }
    me.operations = operations;
    me.routine = ob_trace_name(name);
    me.site = ob_trace_origin_of(me.held ? me.held : site, __builtin_frame_address(0),
                                 __builtin_return_address(0), thread_number());
    me.held = NULL;
    me.fresh = true;
    me.scope = 0;
}

void ob_trace_scope(char letter)
{
    me.scope = letter;
}

void ob_trace_did(const char *name)
{
    if (!(ob_trace_on & OB_TRACE_EVENTS_ON))
        return;
    int64_t since = me.part;
    me.part = ob_clock_end();
    if (name && since && ob_trace.level)
        keep(&(ob_trace_record){.event = {.begin = since,
                                          .end = me.part,
                                          .peer = OB_ANY,
                                          .thread = thread_number(),
                                          .kind = OB_TRACE_PART},
                                .routine = name});
}

static void note(int kind, int tag, uint64_t value)
{
    int64_t now = ob_clock_end();
    keep(&(ob_trace_record){.event = {.begin = now,
                                      .end = now,
                                      .value = value,
                                      .peer = OB_ANY,
                                      .tag = tag,
                                      .thread = thread_number(),
                                      .kind = (uint8_t)kind}});
}

void ob_trace_mark(int number)
{
    if (ob_trace_on & OB_TRACE_EVENTS_ON)
        note(OB_TRACE_MARK, number, 0);
}

/* The text is copied; its place is the event's value until the file is written. */
void ob_trace_text(const char *text)
{
    if (!(ob_trace_on & OB_TRACE_EVENTS_ON) || text == NULL)
        return;
    size_t bytes = strlen(text) + 1;
    size_t at = atomic_fetch_add_explicit(&ob_trace.text_used, bytes, memory_order_relaxed);
    if (bytes > OB_TRACE_TEXT_BYTES || at > OB_TRACE_TEXT_BYTES - bytes) {
        atomic_fetch_add_explicit(&ob_trace.lost_text, 1, memory_order_relaxed);
        return;
    }
    memcpy(ob_trace.text + at, text, bytes);
    note(OB_TRACE_TEXT, 0, at + 1);
}

int ob_trace_level(int level)
{
    int before = ob_trace.level;
    if (level >= 0 && level <= 3 && (ob_trace_on & OB_TRACE_EVENTS_ON)) {
        ob_trace.level = level;
        note(OB_TRACE_LEVEL, 0, (uint64_t)level * 10000);
    }
    return before;
}
