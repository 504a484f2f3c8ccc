/*
 * What this process puts down in its diary: where each of its threads is, and whom it
 * waits for.
 */
#include "check/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/diary.h"
#include "check/stall.h"
#include "core/error.h"
#include "core/group.h"
#include "core/port.h"
#include "hooks/hash.h"

int ob_check_now;
static int level = 1;

static _Thread_local struct {
    ob_check_call call;
    unsigned long long number;
    ob_entry *entry;
    ob_entry *draft; /* of what it says */
} me;

/* Gives the entry of a thread that ends back. */
static pthread_key_t leaving;
static void give_back(void *entry)
{
    free(me.draft);
    me.draft = NULL;
    atomic_store(&((ob_entry *)entry)->thread, 0);
    atomic_store_explicit(&((ob_entry *)entry)->used, 0, memory_order_release);
}

int ob_check_level(void)
{
    return level;
}

int ob_check_start(ob_job *job)
{
    pthread_t watch;
    sigset_t all, old;
    level = job->set.check;
    if (level < 2 || ob_diary_own)
        return OB_OK;
    int status = ob_diary_open(job);
    if (status != OB_OK)
        return status;
    if (job->number == 0 && job->count > 1 && !ob_diary_visible())
        fprintf(stderr,
                "OpenBLACS: warning: OPENBLACS_CHECK=%d finds no hangs here: processes "
                "cannot see each other in /proc (is it mounted, and without hidepid?) [OB-5105]\n",
                level);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are the program's own threads' */
    int error = pthread_key_create(&leaving, give_back);
    if (error == 0)
        error = pthread_create(&watch, NULL, ob_check_watch, job);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error)
        return ob_fail(OB_ESYSTEM, "OB-5106 OPENBLACS_CHECK: no thread to look for hangs: %s",
                       strerror(error));
    pthread_detach(watch);
    ob_check_now = level;
    return OB_OK;
}

static ob_entry *own_entry(void)
{
    for (int i = 0; i < OB_DIARY_THREADS && !me.entry; i++) {
        ob_entry *e = ob_diary_entry(ob_diary_own, i);
        unsigned none = 0;
        if (atomic_compare_exchange_strong(&e->used, &none, 1)) {
            me.draft = calloc(1, ob_diary_entry_bytes(ob_diary_job->count));
            if (!me.draft) {
                atomic_store_explicit(&e->used, 0, memory_order_release);
                break;
            }
            me.entry = e;
            atomic_store(&e->thread, ob_port_thread());
            pthread_setspecific(leaving, e);
        }
    }
    return me.entry; /* NULL: no memory, or more threads than are looked after */
}

void ob_check_enter(const ob_check_call *call)
{
    me.call = *call;
    me.number = atomic_fetch_add_explicit(&ob_diary_own->calls, 1, memory_order_relaxed) + 1;
}

unsigned long long ob_check_calls(void)
{
    return me.number;
}

void ob_check_scope(char scope)
{
    me.call.scope = scope;
}

void ob_check_leave(void)
{
    me.call.routine = NULL;
}

void ob_check_left(int left)
{
    if (ob_diary_own)
        atomic_store(&ob_diary_own->left, left);
}

/* "process {0,1} (number 1)", as far as it is known. */
static int name_process(char *text, size_t room, int number)
{
    const ob_check_call *c = &me.call;
    for (int i = 0; c->routine && c->grid && i < ob_group_size(c->grid); i++)
        if (ob_group_number(c->grid, i) == number) {
            int at = c->listed ? c->listed[i] : i;
            return snprintf(text, room, "process {%d,%d} (number %d)", at / c->columns,
                            at % c->columns, number);
        }
    return snprintf(text, room, "process number %d", number);
}

static void say_where(ob_entry *e)
{
    static const char *const scopes[] = {"row", "column", "all"};
    const ob_check_call *c = &me.call;
    char *to = e->where;
    size_t room = sizeof e->where;
    e->grid = c->routine && c->grid && c->context >= 0 ? c->grid->context : 0;
    e->context = c->context;
    int n = name_process(to, room, ob_diary_job->number);
    if (!c->routine) {
        snprintf(to + n, room - (size_t)n, " waits in a call of the library");
        return;
    }
    n += snprintf(to + n, room - (size_t)n, " waits in %s (", c->routine);
    if (c->context >= 0)
        n += snprintf(to + n, room - (size_t)n, "context %d, ", c->context);
    if (c->scope)
        n += snprintf(to + n, room - (size_t)n, "scope %s, ",
                      scopes[c->scope == 'R'   ? 0
                             : c->scope == 'C' ? 1
                                               : 2]);
    snprintf(to + n, room - (size_t)n, "its call %llu)", me.number);
}

static void say_whom(ob_entry *e)
{
    if (e->kind == OB_WAIT_ONE)
        name_process(e->whom, sizeof e->whom, e->peer[0]);
    else if (e->kind == OB_WAIT_ANY)
        snprintf(e->whom, sizeof e->whom, "a message from any of %u processes", e->count);
    else
        snprintf(e->whom, sizeof e->whom, "the other members of a new grid of %u processes",
                 e->count + 1);
}

/* Of no peers: a wait that ends by others than this job's processes. */
static void put_down(double since, ob_peer *const *peers, int count)
{
    ob_entry *e = own_entry(), *d = me.draft;
    if (!e)
        return;
    if (d->since != since || d->count != (unsigned)count ||
        (count && d->peer[0] != peers[0]->number)) {
        d->since = since;
        d->kind = count == 1 ? OB_WAIT_ONE : OB_WAIT_ANY;
        d->count = (unsigned)count;
        for (int i = 0; i < count; i++)
            d->peer[i] = peers[i]->number;
        say_where(d);
        say_whom(d);
        ob_diary_write(e, d);
    }
    atomic_fetch_add_explicit(&e->looks, 1, memory_order_relaxed);
}

void ob_check_long_wait(ob_job *job, double since, double now, ob_peer *const *peers, int count)
{
    bool here = job == ob_diary_job;
    if (ob_check_now && (count > 0 || !here))
        put_down(since, peers, here ? count : 0);
    if (!ob_check_now || (!here && now - since > job->set.check_seconds))
        ob_stall(job, since, now, peers, count);
}

void ob_check_meets(const ob_job *job, const int *numbers, int size)
{
    ob_entry *e = own_entry(), *d = me.draft;
    if (!e)
        return;
    d->since = ob_time();
    d->kind = OB_WAIT_MEET;
    d->meeting = OB_HASH;
    d->count = 0;
    for (int i = 0; i < size && job == ob_diary_job; i++) {
        d->meeting = ob_hash_word(d->meeting, (uint64_t)numbers[i]);
        if (numbers[i] != ob_diary_job->number)
            d->peer[d->count++] = numbers[i];
    }
    say_where(d);
    say_whom(d);
    ob_diary_write(e, d);
}

void ob_check_has_met(void)
{
    if (!me.entry)
        return;
    me.draft->kind = OB_WAIT_NONE;
    me.draft->since = 0;
    ob_diary_write(me.entry, me.draft);
}
