/*
 * Collective calls of the MPI library's own, for groups whose members it connects: the contract's
 * `native` (core/transport.h). Each group that asks has a communicator, since calls of two threads
 * on one would be mixed up. A group that ends leaves it to later groups of the same list: MPI
 * libraries have few, and freeing one is collective.
 *
 * The calls block; where processes outnumber processors they are begun and tested instead, with
 * yields and naps between, since MPI libraries spin in the others. Where this process's threads
 * take turns in MPI (MPI_THREAD_SERIALIZED), two that wait in two of them could wait for each other
 * for ever, so there they are not allowed.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "transport/mpi/internal.h"

/* Tests in vain after which one who waits naps: its yields may reach nobody (node/wait.c). */
enum { YIELDS = 16, NAP_NS = 50000 };

struct ob_circle {
    ob_circle *next; /* of mpi->circles, under mpi->registry */
    struct ob_mpi *mpi;
    ob_mpi_comm *comm;
    uint64_t number;
    bool taken; /* by a group */
    int size, numbers[];
};

/* A job of members from elsewhere ends when its communicator is freed, and would leave these. */
static bool allowed(ob_job *job)
{
    const struct ob_mpi *mpi = job->mpi;
    if (mpi == NULL || mpi->first != mpi || atomic_load(&mpi->over))
        return false;
    /* Of simulated processes only the first is taken to be in the thread that started MPI. */
    return OB_SIMULATED || mpi->level == OB_MPI_MULTIPLE ||
           (mpi->level < OB_MPI_SERIALIZED && mpi->module->main_thread());
}

static bool is_of(const ob_circle *c, const int *numbers, int size)
{
    return c->size == size && memcmp(c->numbers, numbers, (size_t)size * sizeof *numbers) == 0;
}

/* Of several the least number, whoever has left which first. */
static ob_circle *take(ob_job *job, const int *numbers, int size, uint64_t *number)
{
    struct ob_mpi *mpi = job->mpi;
    ob_circle *found = NULL;
    pthread_mutex_lock(&mpi->registry);
    for (ob_circle *c = mpi->circles; c; c = c->next)
        if (!c->taken && is_of(c, numbers, size) && (!found || c->number < found->number))
            found = c;
    if (found) {
        found->taken = true;
        *number = found->number;
    }
    pthread_mutex_unlock(&mpi->registry);
    return found;
}

static void leave(ob_circle *c)
{
    pthread_mutex_lock(&c->mpi->registry);
    c->taken = false;
    pthread_mutex_unlock(&c->mpi->registry);
}

static int make(ob_job *job, const int *numbers, int size, uint64_t number, ob_circle **circle)
{
    struct ob_mpi *mpi = job->mpi;
    ob_circle *c = calloc(1, sizeof *c + (size_t)size * sizeof c->numbers[0]);
    if (c == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a circle of %d processes", size);
    c->mpi = mpi;
    c->number = number;
    c->taken = true;
    c->size = size;
    memcpy(c->numbers, numbers, (size_t)size * sizeof *numbers);
    ob_mpi_enter(mpi);
    int code =
        mpi->module->create(mpi->world, numbers, size, (int)(number % OB_MPI_TAGS), &c->comm);
    ob_mpi_leave(mpi);
    if (code != 0) {
        free(c);
        return ob_mpi_error(mpi, code, "cannot make a communicator of %d processes", size);
    }
    pthread_mutex_lock(&mpi->registry);
    c->next = mpi->circles;
    mpi->circles = c;
    pthread_mutex_unlock(&mpi->registry);
    *circle = c;
    return OB_OK;
}

/* Who spins has the processor that those it waits for need. */
static void let_others_run(unsigned vain)
{
    const struct timespec nap = {0, NAP_NS};
    if (vain < YIELDS)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

/* In a simulation time passes in MPI alone. */
static void wait_as(ob_circle *c, bool crowded)
{
    c->mpi->module->pause_with(c->comm, crowded && !OB_SIMULATED ? let_others_run : NULL);
}

static int result(struct ob_mpi *mpi, int code, const char *what)
{
    return code == 0 ? OB_OK : ob_mpi_error(mpi, code, "%s", what);
}

static int broadcast(ob_circle *c, int root, void *data, size_t bytes)
{
    struct ob_mpi *mpi = c->mpi;
    ob_mpi_enter(mpi);
    int code = mpi->module->broadcast(c->comm, root, data, (int)bytes);
    ob_mpi_leave(mpi);
    return result(mpi, code, "a broadcast by the MPI library");
}

static int combine(ob_circle *c, int root, const ob_native_op *op, void *data, size_t count)
{
    struct ob_mpi *mpi = c->mpi;
    const ob_mpi_op how = {(int)op->sum, (int)op->bytes, op->apply, op->context};
    ob_mpi_enter(mpi);
    int code = mpi->module->combine(c->comm, root, &how, data, (int)count);
    ob_mpi_leave(mpi);
    return result(mpi, code, "a combine by the MPI library");
}

static int pieces(ob_circle *c, ob_native_move what, int root, void *data, const int *counts,
                  const int *starts)
{
    static const char *const names[] = {"a scatter by the MPI library",
                                        "a gather by the MPI library",
                                        "a collect by the MPI library"};
    struct ob_mpi *mpi = c->mpi;
    const struct ob_mpi_module *m = mpi->module;
    ob_mpi_enter(mpi);
    int code = what == OB_NATIVE_SCATTER  ? m->scatter(c->comm, root, data, counts, starts)
               : what == OB_NATIVE_GATHER ? m->gather(c->comm, root, data, counts, starts)
                                          : m->collect(c->comm, data, counts, starts);
    ob_mpi_leave(mpi);
    return result(mpi, code, names[what]);
}

static int distribute(ob_circle *c, const ob_native_op *op, const void *data, void *own,
                      const int *counts)
{
    struct ob_mpi *mpi = c->mpi;
    const ob_mpi_op how = {(int)op->sum, (int)op->bytes, op->apply, op->context};
    ob_mpi_enter(mpi);
    int code = mpi->module->distribute(c->comm, &how, data, own, counts);
    ob_mpi_leave(mpi);
    return result(mpi, code, "a distributed combine by the MPI library");
}

const ob_native ob_mpi_native = {allowed,   take,    make,   leave,     wait_as,
                                 broadcast, combine, pieces, distribute};
