/*
 * Communicators with members outside MPI_COMM_WORLD: processes that were spawned, that met by a
 * port, or that a session names.
 *
 * Such a communicator is a job of its own beside that of MPI_COMM_WORLD. Its members' ranks are
 * their numbers there, so all members have the same ones, and whatever serves a job serves it:
 * meetings, shared memory, boards. A process joins it by itself, when it first asks who the
 * communicator's members are; the job is kept with the communicator.
 *
 * It ends when the program frees or disconnects the communicator, which all members do, so that
 * a spawned program can end before the one that spawned it; or, where groups of it are left, in
 * MPI_Finalize.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "node/shm.h"
#include "transport/mpi/internal.h"

static int no_memory(long handle)
{
    return ob_fail(OB_ENOMEM, "OB-4001 no memory for the processes of system context %ld", handle);
}

static void free_job(ob_job *job)
{
    struct ob_mpi *mpi = job->mpi;
    const ob_hooks *hooks = job->hooks;
    hooks->destroy(job);
    ob_mpi_links_free(mpi);
    ob_mpi_pool_free(&mpi->pool);
    for (ob_mpi_meeting *m = atomic_load(&mpi->meetings), *next; m; m = next) {
        next = m->next;
        free(m);
    }
    pthread_mutex_destroy(&mpi->registry);
    free((void *)mpi->path);
    free(mpi);
}

/* One holder less: without any it leaves the list. True when that is so, and the caller frees it.
 * The caller holds first->registry. */
static bool let_go(struct ob_mpi *mpi)
{
    struct ob_mpi **at = &mpi->first->next;
    if (--mpi->holders > 0)
        return false;
    while (*at != mpi)
        at = &(*at)->next;
    *at = mpi->next;
    return true;
}

/* The communicator is being freed. Groups may outlive it, as MPI's own objects would; new ones
 * cannot be made. */
static void freed(void *argument)
{
    ob_job *job = argument;
    struct ob_mpi *mpi = job->mpi;
    uintptr_t word;
    mpi->module->null_comm(&mpi->world, &word);
    if (atomic_load(&mpi->over) || atomic_load(&job->groups) > 0)
        return;
    ob_mpi_close(mpi);
    pthread_mutex_lock(&mpi->first->registry);
    bool last = let_go(mpi);
    pthread_mutex_unlock(&mpi->first->registry);
    if (last)
        free_job(job);
}

void ob_mpi_end_elsewhere(struct ob_mpi *mpi, long handle)
{
    ob_mpi_enter(mpi);
    ob_job *job = mpi->module->job(handle);
    if (job)
        mpi->module->keep_job(handle, NULL);
    ob_mpi_leave(mpi);
    if (job)
        freed(job);
}

/* Whether the members' launchers started several nodes is not known to all alike. */
static void set_up(ob_job *job, struct ob_mpi *mpi, const ob_job *world, long handle)
{
    job->hooks = world->hooks;
    job->kind = OB_MPI;
    job->set = world->set;
    job->long_wait = world->long_wait;
    job->several_nodes = true;
    job->mpi = mpi;
    mpi->first = world->mpi;
    mpi->module = world->mpi->module;
    mpi->level = world->mpi->level;
    mpi->job = job;
    mpi->world = handle;
    memcpy(mpi->library, world->mpi->library, sizeof mpi->library);
    mpi->watch.spare = world->mpi->watch.spare;
    mpi->clock_seconds = world->mpi->clock_seconds;
    pthread_mutex_init(&mpi->registry, NULL);
}

static int join(ob_job *job, long handle)
{
    struct ob_mpi *mpi = job->mpi;
    int number, count;
    ob_mpi_enter(mpi);
    int code = mpi->module->world(handle, &number, &count);
    ob_mpi_leave(mpi);
    if (code != 0)
        return ob_mpi_error(mpi, code, "cannot join the processes of system context %ld", handle);
    mpi->path = calloc((size_t)count, sizeof *mpi->path);
    if (mpi->path == NULL)
        return no_memory(handle);
    int status = ob_job_set_size(job, number, count);
    if (status == OB_OK)
        status = ob_mpi_make_segment(job);
    if (status != OB_OK)
        return status;
    mpi->module->on_job_free(freed);
    ob_mpi_enter(mpi);
    code = mpi->module->keep_job(handle, job);
    ob_mpi_leave(mpi);
    return code == 0
               ? OB_OK
               : ob_mpi_error(mpi, code, "cannot keep anything with system context %ld", handle);
}

/* The caller holds the registry of world->mpi. */
static int find_or_join(ob_job *world, long handle, ob_job **out)
{
    struct ob_mpi *first = world->mpi;
    ob_mpi_enter(first);
    ob_job *job = first->module->job(handle);
    ob_mpi_leave(first);
    if (job) {
        *out = job;
        return OB_OK;
    }
    job = calloc(1, sizeof *job);
    struct ob_mpi *mpi = calloc(1, sizeof *mpi);
    if (job == NULL || mpi == NULL) {
        free(job);
        free(mpi);
        return no_memory(handle);
    }
    set_up(job, mpi, world, handle);
    int status = join(job, handle);
    if (status != OB_OK) {
        free_job(job);
        return status;
    }
    mpi->holders = 1; /* the communicator */
    mpi->next = first->next;
    first->next = mpi;
    *out = job;
    return OB_OK;
}

int ob_mpi_join_elsewhere(ob_job *world, long handle, ob_job **job)
{
    pthread_mutex_lock(&world->mpi->registry);
    int status = find_or_join(world, handle, job);
    pthread_mutex_unlock(&world->mpi->registry);
    return status;
}

/* Another thread may free the communicator of any meanwhile. */
ob_job *ob_mpi_elsewhere(const ob_job *job)
{
    struct ob_mpi *mpi = job->mpi;
    if (mpi == NULL)
        return NULL;
    pthread_mutex_lock(&mpi->first->registry);
    struct ob_mpi *next = mpi->next;
    if (next)
        next->holders++;
    bool last = mpi != mpi->first && let_go(mpi);
    pthread_mutex_unlock(&mpi->first->registry);
    if (last)
        free_job(mpi->job);
    return next ? next->job : NULL;
}
