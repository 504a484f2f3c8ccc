/*
 * Who waits for long says so in its segment's header, and looks at the headers of those it waits
 * for, of those they wait for, and so on. When all of these wait (or have left the job), nobody of
 * them can send any more. That is sure once each has looked again, twice, in the same wait, after
 * all were seen waiting: what had been sent before would have been found (src/check/hang.c has the
 * same reason). A process that computes, sleeps, reads or is stopped does not look, so it is no
 * part of such a set; of one with several threads all must sleep.
 */
#include "check/stall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "core/port.h"
#include "hooks/hash.h"
#include "node/shm.h"

enum { NAMED = 4, LINE = 2048 };

static bool is_final_here;

void ob_check_final(void)
{
    is_final_here = true;
}

/* What was seen of a process when it was first looked at in this wait. */
typedef struct sight {
    uint64_t since;
    int on;
    unsigned looks;
    bool member; /* of the set */
} sight;

static struct {
    ob_lock lock;
    sight *of;
    int count;          /* of processes it is for: a launcher may make a larger job */
    double next, began; /* when to look again; when this set was first seen */
    uint64_t mark;      /* of the set */
} all;

/* ------------------------------------------------------------------- our own header */

static void describe(char *text, size_t room)
{
    ob_check_site s;
    int known = ob_check_called_from(&s);
    int n = snprintf(text, room, "in %s", s.routine ? s.routine : "a call of the library");
    if (known && n > 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, ", called from %s+0x%zx",
                 s.function ? s.function : s.object, s.offset);
}

/* since is 0 while the text changes. Of several threads that wait the last one counts. */
static void put_down(ob_segment_header *own, uint64_t since, int on)
{
    if (atomic_load_explicit(&own->stall_since, memory_order_relaxed) != since) {
        atomic_store(&own->stall_since, 0);
        describe(own->stall_where, sizeof own->stall_where);
        atomic_store(&own->stall_since, since);
    }
    atomic_store(&own->stall_on, on);
    atomic_store(&own->stall_final, is_final_here);
    atomic_fetch_add(&own->stall_looks, 1);
}

/* --------------------------------------------------------------------- those of others */

typedef struct {
    int pid, count, awake;
} threads;

static void count_thread(int thread, void *with)
{
    threads *t = with;
    ob_port_process p;
    if (thread == ob_port_thread())
        return;
    t->count++;
    t->awake += ob_port_look(t->pid, thread, &p) && p.state != 'S';
}

/* Is every thread of the process asleep, but this one and one that waits alone? */
static bool threads_sleep(unsigned pid)
{
    threads t = {(int)pid, 0, 0};
    return ob_port_each_thread((int)pid, count_thread, &t) &&
           (t.awake == 0 || (t.count == 1 && pid != (unsigned)getpid()));
}

static bool has_left(const ob_segment_header *h)
{
    return atomic_load(&h->life) >= OB_LIFE_DONE;
}

/* Notes whom process `number` waits for; true when that adds to the set. */
static bool add_awaited(const ob_job *job, int on)
{
    bool more = false;
    for (int i = on == OB_ANY ? 0 : on; i < (on == OB_ANY ? job->count : on + 1); i++) {
        more |= !all.of[i].member;
        all.of[i].member = true;
    }
    return more;
}

/* The set that this process waits for, directly or not. False: somebody in it does not wait, or
 * cannot be seen. */
static bool gather(const ob_job *job)
{
    for (int i = 0; i < job->count; i++)
        all.of[i].member = i == job->number;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < job->count; i++) {
            const ob_segment_header *h = job->shm->segment[i];
            if (!all.of[i].member || (h && has_left(h)))
                continue;
            if (!h || atomic_load(&h->stall_since) == 0)
                return false;
            more |= add_awaited(job, atomic_load(&h->stall_on));
        }
    }
    return true;
}

/* Has this member, which waits, looked twice since it was first seen in this wait? */
static bool looked_again(const ob_segment_header *h, sight *s)
{
    uint64_t since = atomic_load(&h->stall_since);
    int on = atomic_load(&h->stall_on);
    unsigned looks = atomic_load(&h->stall_looks);
    bool same = s->since == since && s->on == on;
    if (!same || !threads_sleep(atomic_load(&h->pid)))
        *s = (sight){since, on, looks, true};
    return looks - s->looks >= 3;
}

/* All members must have been seen waiting before any of their looks count. */
static bool confirmed(const ob_job *job, double now, double least)
{
    bool fine = true;
    uint64_t mark = OB_HASH;
    for (int i = 0; i < job->count; i++) {
        const ob_segment_header *h = job->shm->segment[i];
        if (!all.of[i].member || has_left(h))
            continue;
        mark =
            ob_hash_word(ob_hash_word(mark, atomic_load(&h->stall_since)), (unsigned)(i * 2 + 1));
        fine &= looked_again(h, &all.of[i]);
    }
    if (mark == all.mark)
        return fine && now - all.began >= least;
    all.mark = mark;
    all.began = now;
    for (int i = 0; i < job->count; i++)
        all.of[i].since = 0; /* seen anew */
    return false;
}

/* --------------------------------------------------------------------------- the note */

static int name_one(const ob_job *job, int i, double now, char *text, size_t room)
{
    const ob_segment_header *h = job->shm->segment[i];
    char whom[32] = "any process";
    if (has_left(h))
        return snprintf(text, room, "; process %d has left with blacs_exit", i);
    int on = atomic_load(&h->stall_on);
    if (on >= 0)
        snprintf(whom, sizeof whom, "process %d", on);
    return snprintf(text, room, "%s process %d has waited for %s for %.0f s, %.*s",
                    i == job->number ? "" : ";", i, whom,
                    now - (double)atomic_load(&h->stall_since) * 1e-9, (int)sizeof h->stall_where,
                    h->stall_where);
}

/* Can nothing but its members end the set's waits? Sleeping threads of theirs might, elsewhere. */
static bool is_final(const ob_job *job)
{
    bool final = true;
    for (int i = 0; i < job->count; i++) {
        const ob_segment_header *h = job->shm->segment[i];
        final &= !all.of[i].member || has_left(h) || atomic_load(&h->stall_final);
    }
    return final;
}

static void say(const ob_job *job, double now, bool final)
{
    char line[LINE] = "OpenBLACS:";
    size_t at = strlen(line);
    int left = 0;
    if (!final)
        at += (size_t)snprintf(line + at, LINE - at, " note:");
    at += (size_t)name_one(job, job->number, now, line + at, 512);
    for (int i = 0, named = 1; i < job->count; i++)
        if (all.of[i].member && i != job->number && (named++ < NAMED || (left++, false)))
            at += (size_t)name_one(job, i, now, line + at, 360);
    if (left)
        at += (size_t)snprintf(line + at, 64, "; and %d more", left);
    snprintf(line + at, LINE - at, "; none of them computes or can go on; %s [OB-5104]\n",
             final ? "the run ends" : "OPENBLACS_CHECK=2 tells why, and ends the run");
    fputs(line, stderr);
}

static bool make_room(const ob_job *job)
{
    if (all.count < job->count) {
        free(all.of);
        all.of = calloc((size_t)job->count, sizeof *all.of);
        all.count = all.of ? job->count : 0;
        all.mark = 0;
    }
    return all.of != NULL;
}

void ob_stall(ob_job *job, double since, double now, ob_peer *const *peers, int count)
{
    if (job->shm == NULL || count < 1)
        return;
    double limit = job->set.check_seconds, pause = limit / 16 < 1 ? limit / 16 : 1;
    put_down(job->shm->own, (uint64_t)(since * 1e9), count == 1 ? peers[0]->number : OB_ANY);
    if (!ob_lock_try(&all.lock))
        return;
    if (now >= all.next && !(atomic_load(&job->shm->own->said) & OB_ONCE_STALL)) {
        all.next = now + pause;
        if (!make_room(job) || !gather(job))
            all.mark = 0;
        else if (confirmed(job, now, pause) && ob_shm_once(job->shm, OB_ONCE_STALL)) {
            bool final = is_final(job);
            say(job, now, final);
            if (final)
                job->hooks->abort(job, 1);
        }
    }
    ob_lock_release(&all.lock);
}
