/*
 * For tests: the processes of a job over an MPI library in memory. They meet in threads, since a
 * meeting is collective; else one thread may act for all.
 */
#ifndef OB_TRANSPORT_MPI_WORLD_TEST_H
#define OB_TRANSPORT_MPI_WORLD_TEST_H

#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/port.h"
#include "node/shm.h"
#include "transport/mpi/module_fake.h"
#include "transport/mpi/mpi_link.h"
#include "unit.h"

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

static inline void *ask_birth(void *born)
{
    *(uint64_t *)born = (uint64_t)ob_port_born((int)getpid());
    return NULL;
}

/* Processes that are threads know each other by the one time at which all were born. An emulator
 * names each thread's own. */
static inline void skip_unless_born_at_once(void)
{
    uint64_t early = 0, late = 0;
    pthread_t thread;
    ask_birth(&early);
    nanosleep(&(struct timespec){0, 30000000}, NULL); /* ticks are of ten milliseconds */
    assert_int_equal(pthread_create(&thread, NULL, ask_birth, &late), 0);
    pthread_join(thread, NULL);
    if (early != late)
        skip();
}

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
        p->mpi.first = &p->mpi;
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
    ob_mpi_links_free(&p->mpi);
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

/* --------------------------------------------------------------- messages between them */

static const int pair[] = {0, 1};

static inline void begin_pair(void)
{
    begin_world(2, 0);
    meet_well(pair, 2);
}

static inline char byte_at(unsigned seed, size_t k)
{
    return (char)((seed * 97 + k) * 2654435761u >> 21);
}

static inline int send_to(int from, int to, int tag, size_t bytes)
{
    ob_peer *peer = ob_job_peer(all[from].job, to);
    char *data = malloc(bytes + 1);
    for (size_t k = 0; k < bytes; k++)
        data[k] = byte_at((unsigned)tag, k);
    ob_view v = ob_view_of_bytes(data, bytes);
    ob_cursor c;
    ob_cursor_open(&c, &v);
    ob_envelope e = {.context = 5, .bytes = bytes, .tag = tag};
    int status = ob_mpi_transport.send(peer, &e, &c);
    free(data); /* it must not be needed any more */
    return status;
}

enum { MOST_LOOKS = 100000 };

/* The next message from there; `step` bytes at most at a time. */
static inline void expect(int at, int from, int tag, size_t bytes, size_t step)
{
    ob_peer *peer = ob_job_peer(all[at].job, from);
    ob_envelope e = {0};
    int looks = 0;
    while (ob_mpi_transport.poll(peer, &e) == 0 && looks < MOST_LOOKS)
        looks++;
    assert_int_equal(ob_mpi_transport.poll(peer, &e), 1);
    assert_int_equal(e.tag, tag);
    assert_int_equal(e.bytes, bytes);
    assert_int_equal(e.context, 5);
    char *data = calloc(1, bytes + 1);
    size_t done = 0;
    do {
        size_t now = bytes - done < step ? bytes - done : step;
        ob_view v = ob_view_of_bytes(data + done, now);
        ob_cursor c;
        ob_cursor_open(&c, &v);
        ptrdiff_t moved = ob_mpi_transport.pull(peer, &c);
        assert_true(moved >= 0 && (size_t)moved <= now);
        done += (size_t)moved;
    } while (done < bytes && looks++ < MOST_LOOKS);
    assert_int_equal(done, bytes);
    for (size_t k = 0; k < bytes; k++)
        if (data[k] != byte_at((unsigned)tag, k))
            fail_msg("byte %zu of message %d is wrong", k, tag);
    free(data);
}

static inline void expect_nothing(int at, int from)
{
    ob_envelope e;
    assert_int_equal(ob_mpi_transport.poll(ob_job_peer(all[at].job, from), &e), 0);
}

static inline void expect_error(int status, int expected, const char *text)
{
    assert_int_equal(status, expected);
    if (strstr(ob_error_text(), text) == NULL)
        fail_msg("'%s' lacks '%s'", ob_error_text(), text);
}

#endif
