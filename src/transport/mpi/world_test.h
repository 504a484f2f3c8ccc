/*
 * For tests: the processes of a job over an MPI library in memory. They meet in threads, since a
 * meeting is collective; else one thread may act for all.
 */
#ifndef OB_TRANSPORT_MPI_WORLD_TEST_H
#define OB_TRANSPORT_MPI_WORLD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "node/shm.h"
#include "transport/mpi/module_fake.h"
#include "transport/mpi/mpi_link.h"

typedef struct process {
    ob_job *job;
    struct ob_mpi mpi;
    const int *numbers; /* of a meeting */
    int size, status;
    char error[1024];
    pthread_t thread;
} process;

static process all[FAKE_MOST];
static int count;

/* memory: bit i says that process i has a segment for others to map. */
static void begin_world(int processes, unsigned memory)
{
    fake.lazy = false;
    fake.slow = fake.created = fake.released = fake.receiving = fake.most_receiving = fake.asked =
        0;
    fake.failing = NULL;
    fake.blind = -1;
    fake.sent = 0;
    fake.patience = 2000000;
    memset(fake.node, 0, sizeof fake.node);
    memset(all, 0, sizeof all);
    count = processes;
    for (int i = 0; i < count; i++) {
        process *p = &all[i];
        assert_int_equal(ob_job_alone(&p->job), OB_OK);
        free((void *)p->job->peers);
        assert_int_equal(ob_job_set_size(p->job, i, count), OB_OK);
        p->mpi.module = &fake_module;
        p->mpi.job = p->job;
        snprintf(p->mpi.library, sizeof p->mpi.library, "Fake MPI");
        pthread_mutex_init(&p->mpi.registry, NULL);
        p->mpi.path = calloc((size_t)count, sizeof *p->mpi.path);
        p->job->mpi = &p->mpi;
        if (memory >> i & 1)
            assert_int_equal(ob_shm_create_own(&p->job->shm, count, i, 1 << 20), OB_OK);
    }
}

static void end_process(process *p)
{
    ob_job_destroy(p->job);
    ob_mpi_pool_free(&p->mpi.pool);
    while (p->mpi.links) {
        struct ob_mpi_link *l = p->mpi.links;
        p->mpi.links = l->next;
        free(l->head);
        free(l->order[0]);
        free(l->order[1]);
        while (l->first) {
            ob_mpi_part *part = l->first;
            l->first = part->next;
            free(part);
        }
        free(l);
    }
    for (ob_mpi_meeting *m = atomic_load(&p->mpi.meetings), *next; m; m = next) {
        next = m->next;
        free(m->comm);
        free(m);
    }
    free((void *)p->mpi.path);
    pthread_mutex_destroy(&p->mpi.registry);
}

static void end_world(void)
{
    for (int i = 0; i < count; i++)
        end_process(&all[i]);
    while (fake.items)
        fake_forget(fake.items);
    while (fake.places) {
        fake_place *p = fake.places;
        fake.places = p->next;
        free(p);
    }
}

static void *meet_one(void *argument)
{
    process *p = argument;
    fake_me = p->job->number;
    p->status = ob_mpi_meet(p->job, p->numbers, p->size);
    snprintf(p->error, sizeof p->error, "%s", p->status == OB_OK ? "" : ob_error_text());
    return NULL;
}

/* All of them at once, as their calls wait for each other. */
static void meet(const int *numbers, int size)
{
    for (int i = 0; i < size; i++) {
        process *p = &all[numbers[i]];
        p->numbers = numbers;
        p->size = size;
        assert_int_equal(pthread_create(&p->thread, NULL, meet_one, p), 0);
    }
    for (int i = 0; i < size; i++)
        pthread_join(all[numbers[i]].thread, NULL);
}

static void meet_well(const int *numbers, int size)
{
    meet(numbers, size);
    for (int i = 0; i < size; i++)
        assert_string_equal(all[numbers[i]].error, "");
}

#endif
