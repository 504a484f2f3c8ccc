/*
 * For tests: runs a function as every member of a group, each member a thread
 * with a job of its own over one shared memory. Checks count failures instead
 * of jumping out, since cmocka's jumps do not work in threads.
 */
#ifndef OB_COLLECTIVE_MEMBERS_TEST_H
#define OB_COLLECTIVE_MEMBERS_TEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "hooks/topology.h"
#include "node/shm.h"
#include "unit.h"

/* The thread sanitizer makes everything some twenty times slower, and finds its
 * races among few members as well. */
#if defined(__SANITIZE_THREAD__)
#define TEST_MEMBERS 7
#else
#define TEST_MEMBERS 17
#endif

static atomic_int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition) && atomic_fetch_add(&failures, 1) < 10) {                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
        }                                                                                          \
    } while (0)

typedef void (*member_body)(ob_group *group, void *shared);

typedef struct member {
    pthread_t thread;
    const ob_segments *segments;
    int number, count;
    member_body body;
    void *shared;
} member;

/* Members share one mapping, so that the thread sanitizer sees both ends of
 * every message; it is taken away from a member's memory before that is freed. */
static void leave(ob_job *job, ob_shm *shm)
{
    job->shm = NULL;
    ob_job_destroy(job);
    shm->all.base = NULL;
    shm->fd = -1;
    for (int i = 0; i < shm->count; i++)
        shm->segment[i] = NULL;
    ob_shm_destroy(shm);
}

static void *run_member(void *argument)
{
    member *m = argument;
    ob_settings set = {.spin_us = -1};
    ob_shm *shm = NULL;
    ob_job *job = NULL;
    ob_group *group = NULL;
    int *all = malloc((size_t)m->count * sizeof *all);

    for (int i = 0; i < m->count; i++)
        all[i] = i;
    if (ob_shm_join(&shm, m->segments, m->number, 0) || ob_job_on_shm(&job, shm, &set) ||
        ob_group_create(job, all, m->count, &group)) {
        fprintf(stderr, "member %d: %s\n", m->number, ob_error_text());
        abort(); /* the others would wait forever */
    }
    m->body(group, m->shared);
    ob_barrier(group); /* nobody frees what another still reads */
    ob_group_free(group);
    leave(job, shm);
    free(all);
    return NULL;
}

static void run_members(int count, member_body body, void *shared)
{
    ob_segments segments;
    member *m = calloc((size_t)count, sizeof *m);
    assert_int_equal(ob_segments_create(&segments, count, (size_t)256 << 20), OB_OK);
    atomic_store(&failures, 0);
    for (int i = 0; i < count; i++) {
        m[i] = (member){
            .segments = &segments, .number = i, .count = count, .body = body, .shared = shared};
        assert_int_equal(pthread_create(&m[i].thread, NULL, run_member, &m[i]), 0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(m[i].thread, NULL);
    ob_segments_close(&segments);
    free(m);
    assert_int_equal(atomic_load(&failures), 0);
}

/* All topologies, those that take a number with 3, and what else is worth a test in a group of this
 * size. False: there is no such route. */
static inline bool test_route(int k, ob_route *route)
{
    static const ob_route more[] = {
        {OB_TOP_BEST, 0, 1, 1},      {OB_TOP_MULTIRING, 1, 0, 0}, {OB_TOP_MULTIRING, -2, 0, 0},
        {OB_TOP_HYPERCUBE, 0, 0, 1}, {OB_TOP_TREE, 1, 0, 0},      {OB_TOP_TREE, 2, 0, 0},
        {OB_TOP_TREE, 4, 0, 1},      {OB_TOP_TREE, 40, 1, 0},
    };
    enum { MORE = sizeof more / sizeof *more };
    *route = k < MORE ? more[k] : (ob_route){(ob_topology)(k - MORE), 3, 0, 0};
    return ob_topology_at((int)route->topology) != NULL;
}

#endif
