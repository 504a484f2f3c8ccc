/*
 * The life of an MPI job: joining it, giving MPI its turn, leaving it in any
 * order with the user's own MPI_Init and MPI_Finalize.
 */
#include "transport/mpi/mpi_job.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "hooks/mpi.h"
#include "node/shm.h"
#include "trace/trace.h"
#include "transport/mpi/internal.h"

static const long NAP_NS = 1000000;
/* How long blacs_exit waits for receivers while nothing moves. */
static const double SETTLE_SECONDS = 0.5;

/* ----------------------------------------------------------------- starting */

static int environment_number(const char *name)
{
    const char *value = name ? secure_getenv(name) : NULL;
    return value && atoi(value) > 0 ? atoi(value) : 0;
}

/* How many processes the launcher of a library of this kind (own), or of another, has started. */
static int launched_by(const char *kind, bool own)
{
    const ob_mpi_launcher *l;
    int count = 0;
    for (size_t i = 0; count == 0 && (l = ob_mpi_launcher_at(i)) != NULL; i++)
        if ((strcmp(l->kind, kind) == 0) == own)
            count = environment_number(l->size);
    return count;
}

static int launched_here(void)
{
    const ob_mpi_launcher *l;
    int count = 0;
    for (size_t i = 0; count == 0 && (l = ob_mpi_launcher_at(i)) != NULL; i++)
        count = environment_number(l->neighbours);
    return count;
}

/* The classic mistake: one MPI's launcher starts programs of another, and each
 * process believes to be a job of its own. */
static int check_launcher(const struct ob_mpi *mpi, int count)
{
    int own = launched_by(mpi->module->name, true);
    int other = launched_by(mpi->module->name, false);
    if (count > 1 || own || other < 2)
        return OB_OK;
    return ob_fail(
        OB_ESYSTEM,
        "OB-3006 this program runs %s, but the launcher of another MPI library started it as "
        "one of %d processes; use the mpirun that belongs to the program's library",
        mpi->library, other);
}

/* Communicators across several MPI_COMM_WORLDs. MPI_Finalize of Open MPI 4.1 takes leave of the
 * members of each that is left, where there are two or more, and then at times spins for ever in
 * a process that was spawned, or that spawned. Nobody uses ours any more, so that a program with
 * one of its own does not come there. */
static void give_back(struct ob_mpi *mpi)
{
    if (mpi == mpi->first)
        return;
    ob_mpi_enter(mpi);
    for (ob_mpi_meeting *m = atomic_load(&mpi->meetings); m; m = m->next)
        if (m->comm) {
            mpi->module->release(m->comm);
            m->comm = NULL;
        }
    ob_mpi_leave(mpi);
}

/* At the start of MPI_Finalize, whoever calls it: the last moment at which
 * what we sent can be brought on its way. Who waits for us is told first. He then
 * ends the job; Open MPI 4.1's mpirun at times hangs or crashes when that happens
 * while others are inside MPI_Finalize, so all stay in here until all are. */
void ob_mpi_close(struct ob_mpi *mpi)
{
    struct ob_mpi *m;
    for (m = mpi; m; m = m->behind) {
        atomic_store(&m->closing, true);
        m->job->hooks->tell_life(m->job);
    }
    ob_mpi_flush(mpi);
    for (m = mpi; m; m = m->behind)
        while (m->job->shm && !ob_shm_all_leave(m->job->shm, NAP_NS))
            ob_mpi_progress(m->job); /* others may still wait for the program's own messages */
    ob_lock_take(&mpi->first->lock); /* nobody is in progress() from here on */
    for (m = mpi; m; m = m->behind)
        atomic_store(&m->over, true);
    ob_lock_release(&mpi->first->lock);
    for (m = mpi; m; m = m->behind)
        give_back(m);
}

/* Jobs that have been left already are only held by some thread that walks over them. */
static void gather(struct ob_mpi *first)
{
    struct ob_mpi *last = first;
    pthread_mutex_lock(&first->registry);
    for (struct ob_mpi *m = first->next; m; m = m->next)
        if (!atomic_load(&m->over))
            last = last->behind = m;
    pthread_mutex_unlock(&first->registry);
}

static void at_finalize(void *argument)
{
    struct ob_mpi *mpi = argument;
    if (atomic_load(&mpi->closing))
        return;
    gather(mpi);
    ob_mpi_close(mpi);
    if (OB_SIMULATED)
        ob_trace_write(); /* at the simulator's end there is no clock, and no process */
}

static int join_world(ob_job *job, struct ob_mpi *mpi)
{
    int number, count;
    mpi->world = mpi->module->world_handle();
    int code = mpi->module->world(mpi->world, &number, &count);
    if (code != 0)
        return ob_mpi_error(mpi, code, "cannot join MPI_COMM_WORLD");
    int status = check_launcher(mpi, count);
    if (status != OB_OK)
        return status;
    mpi->level = mpi->module->level();
    mpi->path = calloc((size_t)count, sizeof *mpi->path);
    if (mpi->path == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for an MPI job of %d processes", count);
    status = ob_job_set_size(job, number, count);
    int here = launched_here();
    if (here > 0)
        job->neighbours = here;
    job->several_nodes = here > 0 && here < count;
    return status;
}

/* The last step, since MPI keeps the pointer. */
static int watch_finalize(struct ob_mpi *mpi)
{
    int code = mpi->module->at_finalize(at_finalize, mpi);
    return code == 0 ? OB_OK : ob_mpi_error(mpi, code, "cannot join MPI_COMM_WORLD");
}

static int start_library(struct ob_mpi *mpi)
{
    enum ob_mpi_state state = mpi->module->state();
    if (state == OB_MPI_OVER)
        return ob_fail(OB_ESTATE,
                       "OB-3007 MPI_Finalize was called before the first call of the BLACS; call "
                       "blacs_pinfo before MPI_Finalize");
    if (state == OB_MPI_RUNNING)
        return OB_OK;
    /* MPI_Init, as the netlib BLACS: MPI_THREAD_MULTIPLE would slow the user's own
     * messages, and our calls are serialised without it. */
    ob_mpi_makes = true;
    int code = mpi->module->start();
    ob_mpi_makes = false;
    if (code != 0)
        return ob_mpi_error(mpi, code, "cannot start MPI");
    mpi->started = true;
    return OB_OK;
}

/* Where there can be no shared memory, MPI carries everything. */
int ob_mpi_make_segment(ob_job *job)
{
    if (job->set.transport == OB_TRANSPORT_MPI || job->count == 1 || OB_SIMULATED)
        return OB_OK;
    int status = ob_shm_create_own(&job->shm, job->count, job->number, job->set.heap_bytes);
    if (status == OB_OK) {
        fcntl(ob_shm_fd(job->shm), F_SETFD, FD_CLOEXEC);
        ob_shm_be_patient(job->shm, job->set.heap_seconds);
    }
    return job->set.transport == OB_TRANSPORT_SHM ? status : OB_OK;
}

int ob_mpi_start(ob_job *job)
{
    char file[PATH_MAX];
    struct ob_mpi *mpi = calloc(1, sizeof *mpi);
    if (mpi == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for an MPI job");
    mpi->first = mpi;
    mpi->job = job;
    mpi->watch.spare = OB_SIMULATED || job->set.heap_bytes ? NULL : ob_memory_spare;
    mpi->clock_seconds = 2;
    pthread_mutex_init(&mpi->registry, NULL);
    int status = ob_mpi_load(&job->set, &mpi->module, file, sizeof file);
    if (status == OB_OK) {
        mpi->module->library(mpi->library, sizeof mpi->library);
        status = start_library(mpi);
    }
    if (status == OB_OK)
        status = join_world(job, mpi);
    if (status == OB_OK)
        status = ob_mpi_make_segment(job);
    if (status == OB_OK)
        status = watch_finalize(mpi);
    if (status != OB_OK) {
        pthread_mutex_destroy(&mpi->registry);
        free((void *)mpi->path);
        free(mpi);
        return status;
    }
    snprintf(mpi->text, sizeof mpi->text, "%s%s (%.200s)",
             job->set.transport == OB_TRANSPORT_MPI || OB_SIMULATED ? "" : "shm within a node, ",
             mpi->library, file);
    job->mpi = mpi;
    return OB_OK;
}

const char *ob_mpi_describe(const ob_job *job)
{
    return job->mpi->text;
}

/* ------------------------------------------------------------------ working */

void ob_mpi_progress(ob_job *job)
{
    struct ob_mpi *mpi = job->mpi;
    if (OB_SIMULATED || atomic_load_explicit(&mpi->over, memory_order_relaxed))
        return;
    if (mpi->level < OB_MPI_SERIALIZED && !mpi->module->main_thread())
        return;
    if (!ob_lock_try(&mpi->first->lock))
        return; /* whoever holds it is in MPI now */
    if (!atomic_load_explicit(&mpi->over, memory_order_relaxed))
        mpi->module->progress();
    ob_lock_release(&mpi->first->lock);
    if (atomic_load_explicit(&mpi->waiting, memory_order_relaxed))
        ob_mpi_collect(mpi);
}

void ob_mpi_trim(ob_job *job)
{
    ob_mpi_pool_free(&job->mpi->pool);
}

/* ------------------------------------------------------------------ leaving */

static const struct ob_mpi_module *left_running;

static void finish_at_exit(void)
{
    if (left_running->state() == OB_MPI_RUNNING)
        left_running->finish();
}

/* Programs that start MPI themselves and leave its end to blacs_exit(0), as the
 * netlib BLACS allow, exit next; launchers call that a crash and kill the
 * others. Until then MPI is the program's to use and to finalize. */
static void finish_when_left(const struct ob_mpi_module *module)
{
    if (left_running == NULL && !OB_SIMULATED && atexit(finish_at_exit) == 0)
        left_running = module;
}

/* A long message moves while its sender is in MPI, and the caller may not come
 * there for a while; so wait for receivers that are at it. But not for ever: one that
 * computes, or waits for us by means of its own, or never receives, is none of
 * our business. MPI keeps the message; later calls and MPI_Finalize see to it. */
static void settle(struct ob_mpi *mpi)
{
    unsigned looks = 0;
    size_t before = SIZE_MAX;
    double moved = ob_time();
    for (;;) {
        ob_mpi_collect(mpi);
        size_t now = atomic_load_explicit(&mpi->waiting, memory_order_relaxed);
        if (now < before)
            moved = ob_time();
        if (now == 0 || ob_time() - moved > SETTLE_SECONDS)
            return;
        before = now;
        ob_mpi_pause(&looks);
    }
}

int ob_mpi_stop(ob_job *job, int finalize)
{
    struct ob_mpi *mpi = job->mpi;
    if (atomic_load(&mpi->over) || mpi->module->state() != OB_MPI_RUNNING)
        return OB_OK;
    if (finalize && mpi->started) {
        int code = mpi->module->finish(); /* calls at_finalize */
        return code == 0 ? OB_OK : ob_mpi_error(mpi, code, "cannot finalize MPI");
    }
    settle(mpi);
    if (finalize > 0)
        finish_when_left(mpi->module);
    return OB_OK;
}

bool ob_mpi_closing(const ob_job *job)
{
    return atomic_load(&job->mpi->closing);
}

void ob_mpi_abort(ob_job *job, int code)
{
    struct ob_mpi *mpi = job->mpi;
    if (mpi->module->state() == OB_MPI_RUNNING)
        mpi->module->abort(mpi->world, code);
}
