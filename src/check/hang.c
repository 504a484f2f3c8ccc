/*
 * Finding hangs. Of all processes of this node that have waited for the set time
 * without end, those are taken out that somebody else can still set free; who is left
 * never goes on. What makes that sure, however slow the machine is: all of them have
 * looked, after all of them waited, and had nothing.
 *
 * A process waits when all of its threads that have waited in the library do, and the
 * others have been at rest for the same time.
 *
 * A process outside the library can set others free, unless it has left, has ended, or
 * has for the same time used no processor and been neither stopped nor in the system.
 * One whose diary is not found (another node) always can.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check/check.h"
#include "check/diary.h"
#include "core/port.h"
#include "hooks/hash.h"

/* What the launcher has to end the job before processes do so themselves. */
enum { END_SECONDS = 5 };

enum state { MOVES, WAITS, IDLE, LEFT, ENDED };
static const char *const why[] = {[IDLE] = "it is in no call of the library and uses no processor",
                                  [LEFT] = "it has left with blacs_exit",
                                  [ENDED] = "it has ended"};

/* What is remembered of one process between two looks. */
typedef struct process {
    ob_diary *diary;
    enum state state;
    bool stuck;
    unsigned looks[OB_DIARY_THREADS];
    double since[OB_DIARY_THREADS];
    double unchanged; /* calls and processor time have been so since then */
    unsigned long long calls;
    long ticks;
    double rest; /* threads that have never waited have been at rest since then; 0: they are not */
    long rest_ticks;
} process;

/* A set that may hang, and when it was first seen so. */
typedef struct suspicion {
    double begun;
    int count;
    uint64_t mark; /* of who is in it and which waits they are in */
    unsigned *looks;
} suspicion;

static struct {
    ob_job *job;
    process *process;
    ob_diary **diary;
    ob_entry **entry; /* OB_DIARY_THREADS copies for each process */
    suspicion suspicion;
    double warned; /* the wait that was warned of */
} all;

/* It has an entry of its own, or is the one that looks for hangs. */
static bool is_known(const ob_diary *d, int thread)
{
    bool known = atomic_load(&d->watch) == thread;
    for (int t = 0; t < OB_DIARY_THREADS && !known; t++)
        known = atomic_load(&ob_diary_entry(d, t)->thread) == thread;
    return known;
}

typedef struct {
    const ob_diary *diary;
    int count;
    long ticks;
} other_threads;

static void add_other(int thread, void *with)
{
    other_threads *o = with;
    ob_port_process p;
    if (is_known(o->diary, thread) || !ob_port_look(o->diary->pid, thread, &p))
        return;
    o->count++;
    o->ticks = p.state == 'S' && o->ticks >= 0 ? o->ticks + p.ticks : -1;
}

/* Processor time of the threads that have never waited in the library; -1: one of them runs.
 * *count: how many there are. */
static long ticks_of_others(const ob_diary *d, int *count)
{
    other_threads o = {d, 0, 0};
    ob_port_each_thread(d->pid, add_other, &o);
    *count = o.count;
    return o.ticks;
}

/* Notes since when those threads have been at rest; true when there are none, or for long. */
static bool others_rest(process *p, double now, double limit)
{
    int count;
    long ticks = ticks_of_others(p->diary, &count);
    double seconds = now - p->rest;
    if (ticks < 0 || p->rest == 0 || ticks - p->rest_ticks > 2 + (long)(seconds * 2)) {
        p->rest = ticks < 0 ? 0 : now;
        p->rest_ticks = ticks;
        return count == 0;
    }
    return count == 0 || seconds >= limit;
}

static enum state outside(process *p, double now, double limit)
{
    ob_port_process seen;
    bool there = ob_port_look(p->diary->pid, 0, &seen);
    unsigned long long calls = atomic_load(&p->diary->calls);
    if (!there)
        return ENDED;
    if (atomic_load(&p->diary->left))
        return LEFT;
    /* The thread that looks for hangs uses a little itself. */
    double seconds = now - p->unchanged;
    bool at_rest =
        seen.state == 'S' && calls == p->calls && seen.ticks - p->ticks <= 2 + (long)(seconds * 2);
    if (!at_rest || p->unchanged == 0) {
        p->unchanged = now;
        p->calls = calls;
        p->ticks = seen.ticks;
        return MOVES;
    }
    return seconds >= limit ? IDLE : MOVES;
}

static bool make_copies(int number)
{
    ob_entry **copy = all.entry + (size_t)number * OB_DIARY_THREADS;
    size_t each = ob_diary_entry_bytes(all.job->count);
    char *memory = copy[0] ? NULL : calloc(OB_DIARY_THREADS, each);
    for (int t = 0; memory && t < OB_DIARY_THREADS; t++)
        copy[t] = (ob_entry *)(void *)(memory + (size_t)t * each);
    return copy[0] != NULL;
}

/* Reads the entries of a process. WAITS when all of its threads do, since long ago. */
static enum state read_process(int number, double now, double limit)
{
    process *p = &all.process[number];
    int used = 0, waiting = 0;
    if (!p->diary || !make_copies(number))
        return MOVES;
    bool rest = others_rest(p, now, limit);
    for (int t = 0; t < OB_DIARY_THREADS; t++) {
        ob_entry *e = all.entry[number * OB_DIARY_THREADS + t];
        if (!ob_diary_read(p->diary, t, e)) {
            e->kind = OB_WAIT_NONE;
            continue;
        }
        unsigned looks =
            atomic_load_explicit(&ob_diary_entry(p->diary, t)->looks, memory_order_relaxed);
        bool alive = e->kind == OB_WAIT_MEET || (looks != p->looks[t] && e->since == p->since[t]);
        p->looks[t] = looks;
        p->since[t] = e->since;
        used++;
        if (e->kind == OB_WAIT_NONE || !alive)
            e->kind = OB_WAIT_NONE;
        else
            waiting += now - e->since >= limit;
        if (alive && e->kind != OB_WAIT_NONE && now - e->since < limit)
            return MOVES;
    }
    if (used && waiting == used) {
        p->unchanged = 0;
        return rest ? WAITS : MOVES;
    }
    return waiting ? MOVES : outside(p, now, limit);
}

static bool in_meeting(int number, uint64_t meeting)
{
    if (!all.process[number].diary)
        return false;
    for (int t = 0; t < OB_DIARY_THREADS; t++) {
        const ob_entry *e = all.entry[number * OB_DIARY_THREADS + t];
        if (e->kind == OB_WAIT_MEET && e->meeting == meeting)
            return true;
    }
    return false;
}

/* A peer that keeps this wait of process `self` from ending, another one where there is one; -1:
 * it can end. */
static int obstacle(const ob_entry *e, int self)
{
    int found = -1;
    for (unsigned i = 0; i < e->count; i++) {
        int number = e->peer[i];
        bool stuck = all.process[number].stuck;
        if (stuck && e->kind == OB_WAIT_MEET && in_meeting(number, e->meeting))
            continue;
        if (!stuck && e->kind == OB_WAIT_ANY)
            return -1;
        if (stuck && (found < 0 || found == self))
            found = number;
    }
    return found;
}

/* The first wait of a process that cannot end, or all end: NULL. */
static const ob_entry *hopeless(int number, int *waits_for)
{
    const ob_entry *first = NULL;
    for (int t = 0; t < OB_DIARY_THREADS; t++) {
        const ob_entry *e = all.entry[number * OB_DIARY_THREADS + t];
        if (e->kind == OB_WAIT_NONE)
            continue;
        int peer = obstacle(e, number);
        if (peer < 0)
            return NULL;
        if (!first) {
            first = e;
            *waits_for = peer;
        }
    }
    return first;
}

/* Leaves those marked stuck who are. How many of them wait. */
static int find_stuck(double now, double limit)
{
    int count = all.job->count, waiting = 0, peer;
    for (int i = 0; i < count; i++) {
        process *p = &all.process[i];
        p->diary = all.diary[i];
        p->state = read_process(i, now, limit);
        p->stuck = p->state != MOVES;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < count; i++)
            if (all.process[i].stuck && all.process[i].state == WAITS && !hopeless(i, &peer)) {
                all.process[i].stuck = false;
                changed = true;
            }
    }
    for (int i = 0; i < count; i++)
        waiting += all.process[i].stuck && all.process[i].state == WAITS;
    return waiting;
}

static uint64_t mark_of_set(void)
{
    uint64_t h = OB_HASH;
    for (int i = 0; i < all.job->count; i++)
        for (int t = 0; all.process[i].stuck && t < OB_DIARY_THREADS; t++) {
            uint64_t bits;
            memcpy(&bits, &all.process[i].since[t], sizeof bits);
            h = ob_hash_word(ob_hash_word(h, (uint64_t)i), bits);
        }
    return h;
}

/* Has everybody in the set looked again, and twice, since it was first seen? */
static bool all_have_looked(void)
{
    for (int i = 0; i < all.job->count; i++)
        for (int t = 0; all.process[i].stuck && t < OB_DIARY_THREADS; t++) {
            const ob_entry *e = all.entry[i * OB_DIARY_THREADS + t];
            unsigned before = all.suspicion.looks[i * OB_DIARY_THREADS + t];
            if (all.process[i].state == WAITS && e->kind != OB_WAIT_NONE &&
                e->kind != OB_WAIT_MEET && all.process[i].looks[t] - before < 3)
                return false;
        }
    return true;
}

static bool confirmed(int waiting, double now, double limit)
{
    suspicion *s = &all.suspicion;
    uint64_t mark = mark_of_set();
    if (waiting != s->count || mark != s->mark) {
        *s = (suspicion){now, waiting, mark, s->looks};
        for (int i = 0; i < all.job->count; i++)
            memcpy(s->looks + i * OB_DIARY_THREADS, all.process[i].looks,
                   sizeof all.process[i].looks);
        return false;
    }
    return waiting && now - s->begun >= limit / 4 && all_have_looked();
}

/* The lines are one write. */
typedef struct text {
    char *at;
    size_t length, room;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = t->at ? vsnprintf(t->at + t->length, t->room - t->length, format, args) : 0;
    va_end(args);
    if (n > 0 && t->length + (size_t)n < t->room)
        t->length += (size_t)n;
}

/* Each of them waits for the next, the last for the first. */
static void circle(text *t, const int *way, int length)
{
    add(t, "processes wait for each other in a circle: ");
    for (int i = 0; i < length; i++) {
        int next = way[(i + 1) % length], peer;
        const ob_entry *e = hopeless(way[i], &peer);
        add(t, "%s%d for %d%s", i ? ", " : "", way[i], next,
            e && e->kind == OB_WAIT_ANY ? " or anybody" : "");
    }
    for (int i = 0; i < length; i++) {
        int next = way[(i + 1) % length], peer;
        const ob_entry *e = hopeless(way[i], &peer), *f = hopeless(next, &peer);
        if (e && f && e->grid && f->grid && e->context == f->context && e->grid != f->grid) {
            add(t, "; context %d is another grid in process number %d than in %d", e->context,
                way[i], next);
            break;
        }
    }
}

/* From the first who waits on: to somebody who does not wait, or round a circle. */
static void conclude(text *t, int from)
{
    int count = all.job->count, length = 0, *way = calloc((size_t)count + 1, sizeof *way);
    int at = from, start = -1;
    while (way && start < 0 && all.process[at].state == WAITS) {
        way[length++] = at;
        if (!hopeless(at, &at))
            break;
        for (int i = 0; i < length; i++)
            start = way[i] == at && start < 0 ? i : start;
    }
    add(t, "OpenBLACS: hang: ");
    if (start < 0 && all.process[at].state != WAITS) {
        add(t, "process number %d is missing: others wait for it, but %s", at,
            why[all.process[at].state]);
    } else if (start < 0) { /* no memory for the way */
        add(t, "processes wait for each other");
    } else if (length - start == 1) {
        add(t, "process number %d waits for itself", at);
    } else {
        circle(t, way + start, length - start);
    }
    add(t, "; nothing can move any more, and the run ends [OB-5101]\n");
    free(way);
}

static _Noreturn void report(double now)
{
    static const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    int count = all.job->count, first = -1, peer;
    text t = {.room = (size_t)(count + 2) * (3 * OB_DIARY_TEXT)};
    t.at = malloc(t.room);
    for (int i = 0; i < count; i++) {
        const ob_entry *e =
            all.process[i].stuck && all.process[i].state == WAITS ? hopeless(i, &peer) : NULL;
        if (!e)
            continue;
        first = first < 0 ? i : first;
        add(&t, "OpenBLACS: hang: %s for %s, for %.1f s now [OB-5101]\n", e->where, e->whom,
            now - e->since);
    }
    conclude(&t, first);
    for (size_t done = 0; t.at && done < t.length;) {
        ssize_t n = write(STDERR_FILENO, t.at + done, t.length - done);
        if (n <= 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    atomic_store(&ob_diary_own->reported, 1);
    /* An MPI_Abort that gets stuck must not keep us: the launcher ends the others of one who is
     * killed. */
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(END_SECONDS);
    nanosleep(&moment, NULL); /* launchers drop what comes at the last moment */
    all.job->hooks->abort(all.job, 1);
    _exit(1);
}

/* Whom this process waits for may be on another node: then all that can be said is that. */
static void warn_of_others(double now, double limit)
{
    for (int t = 0; make_copies(all.job->number) && t < OB_DIARY_THREADS; t++) {
        const ob_entry *e = all.entry[all.job->number * OB_DIARY_THREADS + t];
        if (e->kind != OB_WAIT_ONE || now - e->since < limit || e->since == all.warned ||
            all.diary[e->peer[0]] || all.job->neighbours >= all.job->count)
            continue;
        all.warned = e->since;
        fprintf(stderr,
                "OpenBLACS: warning: %s for %s, for %.1f s now; that process is on another "
                "node, where it cannot be seen from here [OB-5103]\n",
                e->where, e->whom, now - e->since);
    }
}

static bool own_waits(ob_entry *copy, double now, double limit)
{
    static unsigned before[OB_DIARY_THREADS];
    bool waits = false;
    for (int t = 0; t < OB_DIARY_THREADS; t++) {
        if (!ob_diary_read(ob_diary_own, t, copy))
            continue;
        unsigned looks =
            atomic_load_explicit(&ob_diary_entry(ob_diary_own, t)->looks, memory_order_relaxed);
        waits |= copy->kind != OB_WAIT_NONE && now - copy->since >= limit / 4 &&
                 (looks != before[t] || copy->kind == OB_WAIT_MEET);
        before[t] = looks;
    }
    return waits;
}

static bool make_room(void)
{
    size_t count = (size_t)all.job->count, entries = count * OB_DIARY_THREADS;
    all.process = calloc(count, sizeof *all.process);
    all.diary = calloc(count, sizeof *all.diary);
    all.entry = calloc(entries, sizeof *all.entry);
    all.suspicion.looks = calloc(entries, sizeof(unsigned));
    return all.process && all.diary && all.entry && all.suspicion.looks;
}

/* Somebody has reported, and the launcher has not ended us. */
static void end_with_reporter(void)
{
    static const struct timespec a_while = {.tv_sec = 2 * END_SECONDS};
    for (int i = 0; i < all.job->count; i++)
        if (all.diary[i] && i != all.job->number && atomic_load(&all.diary[i]->reported)) {
            nanosleep(&a_while, NULL);
            _exit(1);
        }
}

/* The lowest in a set reports for all. */
static bool is_ours(void)
{
    for (int i = 0; i < all.job->number; i++)
        if (all.process[i].stuck && all.process[i].state == WAITS)
            return false;
    return all.process[all.job->number].stuck && all.process[all.job->number].state == WAITS;
}

void *ob_check_watch(void *job)
{
    all.job = job;
    atomic_store(&ob_diary_own->watch, ob_port_thread());
    double limit = all.job->set.check_seconds, pause = limit / 8 < 1 ? limit / 8 : 1;
    struct timespec nap = {(time_t)pause, (long)((pause - (double)(time_t)pause) * 1e9)};
    bool room = false;
    ob_entry *copy = malloc(ob_diary_entry_bytes(all.job->count));
    while (copy) {
        nanosleep(&nap, NULL);
        double now = ob_time();
        if (!own_waits(copy, now, limit)) {
            all.suspicion.count = 0;
            all.suspicion.mark = 0;
            continue;
        }
        room = room || make_room();
        if (!room)
            break;
        ob_diary_find(all.diary);
        int waiting = find_stuck(now, limit);
        if (confirmed(waiting, now, limit) && is_ours())
            report(now);
        warn_of_others(now, limit);
        end_with_reporter();
    }
    free(copy);
    return NULL;
}
