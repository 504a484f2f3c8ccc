/*
 * For tests: the processes of a job as threads of one process, each with an
 * ob_job of its own over one shared memory. Checks made in threads are counted
 * here, since cmocka's own assertions work in the main thread alone.
 */
#ifndef OB_NODE_THREAD_TEAM_H
#define OB_NODE_THREAD_TEAM_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/job.h"
#include "hooks/hash.h"
#include "node/shm.h"

#ifndef TEAM_MOST
#define TEAM_MOST 19
#endif

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TEAM_SLOW 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TEAM_SLOW 1
#endif
#endif
#ifndef TEAM_SLOW
#define TEAM_SLOW 0
#endif

/* Is a thread sanitizer at work? It looks for races, and writes down twice each byte that a test
 * touches. */
#if defined(__SANITIZE_THREAD__)
#define TEAM_RACES 1
#else
#define TEAM_RACES 0
#endif

/* A function that reckons what should be, from what no other thread has: a thread sanitizer has
 * nothing to look for in it. What calls write or read is never touched by such a one. */
#if TEAM_RACES
#define TEAM_RECKONING __attribute__((no_sanitize("thread")))
#else
#define TEAM_RECKONING
#endif

static atomic_int team_failures;

#define TEAM_CHECK(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition) && atomic_fetch_add(&team_failures, 1) < 10) {                            \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* A call that must succeed. */
#define OK(call) TEAM_CHECK((call) == OB_OK, "%s", ob_error_text())

typedef struct team {
    ob_segments memory;
    int count;
    ob_job *job[TEAM_MOST];
    void *user;
} team;

static inline void team_open(team *t, int count, size_t heap_bytes, const ob_settings *set)
{
    static const ob_settings usual = {.spin_us = -1};
    *t = (team){.count = count};
    atomic_store(&team_failures, 0);
    if (ob_segments_create(&t->memory, count, heap_bytes) != OB_OK)
        abort();
    for (int i = 0; i < count; i++) {
        ob_shm *shm;
        if (ob_shm_join(&shm, &t->memory, i, 0) != OB_OK ||
            ob_job_on_shm(&t->job[i], shm, set ? set : &usual) != OB_OK)
            abort();
    }
}

/* The memory is one mapping that all share: it goes last, and once. */
static inline void team_leave(team *t, int number)
{
    ob_shm *shm = t->job[number]->shm;
    for (int i = 0; i < t->count; i++)
        shm->segment[i] = NULL;
    shm->all = (ob_segments){.fd = -1};
    shm->fd = -1;
    ob_job_destroy(t->job[number]);
    t->job[number] = NULL;
}

/* How many checks have failed. */
static inline int team_close(team *t)
{
    for (int i = 0; i < t->count; i++)
        if (t->job[i])
            team_leave(t, i);
    ob_segments_close(&t->memory);
    return atomic_load(&team_failures);
}

typedef void (*team_work)(team *t, int me);

typedef struct team_member {
    team *team;
    int me;
    team_work work;
    pthread_t thread;
} team_member;

static inline void *team_member_main(void *p)
{
    team_member *m = p;
    m->work(m->team, m->me);
    return NULL;
}

static inline void team_start(team *t, team_member *members, team_work work)
{
    for (int i = 0; i < t->count; i++) {
        members[i] = (team_member){.team = t, .me = i, .work = work};
        if (pthread_create(&members[i].thread, NULL, team_member_main, &members[i]))
            abort();
    }
}

static inline void team_wait(team *t, team_member *members)
{
    for (int i = 0; i < t->count; i++)
        pthread_join(members[i].thread, NULL);
}

/* Runs work(t, number) in one thread for each process. */
static inline void team_run(team *t, team_work work)
{
    team_member members[TEAM_MOST];
    team_start(t, members, work);
    team_wait(t, members);
}

/* The same in a job of its own; how many checks have failed. */
static inline int team_try(int count, size_t heap_bytes, const ob_settings *set, team_work work,
                           void *user)
{
    team t;
    team_open(&t, count, heap_bytes, set);
    t.user = user;
    team_run(&t, work);
    return team_close(&t);
}

static inline ob_group *team_group(team *t, int me)
{
    int all[TEAM_MOST];
    ob_group *g = NULL;
    for (int i = 0; i < t->count; i++)
        all[i] = i;
    TEAM_CHECK(ob_group_create(t->job[me], all, t->count, &g) == OB_OK, "%s", ob_error_text());
    return g;
}

static inline void team_sleep_us(unsigned us)
{
    struct timespec pause = {us / 1000000, (long)(us % 1000000) * 1000};
    if (us)
        nanosleep(&pause, NULL);
}

/* Small fast random numbers, one stream for each purpose. */
static inline uint64_t team_mix(uint64_t x)
{
    return ob_mix(x + OB_GOLDEN);
}

/* Bytes that follow from the seed, for memory that no other thread has. Word by word: under a
 * sanitizer each write may be a call. */
TEAM_RECKONING static inline void team_pattern(unsigned char *to, size_t bytes, uint64_t seed)
{
    size_t i = 0;
    uint64_t word = team_mix(seed);
    for (; bytes - i >= sizeof word; word = team_mix(++seed)) {
        memcpy(to + i, &word, sizeof word);
        i += sizeof word;
    }
    memcpy(to + i, &word, bytes - i);
}

/* Are they these bytes? */
TEAM_RECKONING static inline bool team_pattern_is(const unsigned char *at, size_t bytes,
                                                  uint64_t seed)
{
    size_t i = 0;
    uint64_t word = team_mix(seed), here;
    for (; bytes - i >= sizeof word; word = team_mix(++seed)) {
        memcpy(&here, at + i, sizeof here);
        if (here != word)
            return false;
        i += sizeof word;
    }
    for (const unsigned char *last = (const unsigned char *)&word; i < bytes; i++)
        if (at[i] != *last++)
            return false;
    return true;
}

static inline uint64_t team_draw(uint64_t *state)
{
    return team_mix((*state)++);
}

#endif
