/*
 * Joining a job: obrun's, an MPI program's, or alone. ob_job_start makes the one
 * job of this process; tests make others beside it.
 */
#include "core/job.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check/check.h"
#include "collective/board/board.h"
#include "collective/planner/memory.h"
#include "core/error.h"
#include "core/scratch.h"
#include "group/contexts.h"
#include "hooks/job.h"
#include "message/background.h"
#include "message/message.h"
#include "message/together.h"
#include "node/shm.h"
#include "trace/trace.h"
#include "transport/mpi/mpi_job.h"
#include "transport/self/self.h"

static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
static ob_job *the_job;

/* Functions of higher floors, for lower ones. */
static int connect_peer(ob_job *job, ob_peer *peer);
static void tell_life(ob_job *job);
static const ob_hooks hooks = {.connect = connect_peer,
                               .progress = ob_message_progress,
                               .turn = ob_mpi_progress,
                               .long_wait = ob_check_long_wait,
                               .tell_life = tell_life,
                               .close_board = ob_board_close,
                               .destroy = ob_job_destroy,
                               .abort = ob_job_abort};

static ob_job *new_job(void)
{
    ob_job *job = calloc(1, sizeof(ob_job));
    if (job) {
        job->hooks = &hooks;
        job->long_wait = HUGE_VAL;
    }
    return job;
}

/* ------------------------------------------------------------------ peers */

static int connect_peer(ob_job *job, ob_peer *peer)
{
    if (peer->number == job->number)
        return ob_self_connect(peer);
    if (job->mpi)
        return ob_mpi_connect(job, peer);
    if (job->shm)
        return ob_shm_connect(job->shm, peer);
    return ob_fail(OB_EARG, "OB-1009 there is no process %d in a job of %d", peer->number,
                   job->count);
}

static void close_peers(ob_job *job)
{
    ob_message_close(job);
    for (int i = 0; job->peers && i < job->count; i++) {
        ob_peer *peer = atomic_load(&job->peers[i]);
        if (peer == NULL)
            continue;
        if (peer->transport->close)
            peer->transport->close(peer);
        free(peer);
    }
    free(job->peers);
    job->peers = NULL;
}

/* ------------------------------------------------------------ three births */

int ob_job_alone(ob_job **out)
{
    ob_job *job = new_job();
    if (job == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a job");
    job->set.spin_us = -1;
    *out = job;
    return ob_job_set_size(job, 0, 1);
}

int ob_job_on_shm(ob_job **out, struct ob_shm *shm, const ob_settings *set)
{
    ob_job *job = new_job();
    if (job == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a job");
    job->kind = OB_OBRUN;
    job->set = *set;
    job->shm = shm;
    *out = job;
    return ob_job_set_size(job, shm->number, shm->count);
}

/* The variable is "fd:number". */
static int join_obrun(ob_job *job, const char *variable)
{
    int fd, number, read = 0;
    ob_segments s;
    if (sscanf(variable, "%d:%d%n", &fd, &number, &read) != 2 || variable[read])
        return ob_fail(OB_ESETTING, "OB-9005 %s is '%s'; only obrun sets it", OB_JOB_VARIABLE,
                       variable);
    int status = ob_segments_open(&s, fd), processors = INT_MAX;
    unsigned alike = ob_settings_alike(&job->set);
    if (status == OB_OK && number >= 0 && number < s.count)
        atomic_store(&ob_segments_header(&s, number)->alike, alike);
    if (status == OB_OK)
        processors = ob_segments_processors(&s);
    if (status == OB_OK)
        status = ob_shm_join(&job->shm, &s, number, job->set.heap_bytes);
    if (status != OB_OK)
        return status;
    ob_shm_be_patient(job->shm, job->set.heap_seconds);
    job->kind = OB_OBRUN;
    /* Members that choose different ways would wait for each other. */
    char text[OB_UNLIKE_TEXT];
    unsigned other = ob_shm_alike(job->shm);
    ob_settings_unlike(alike, other, text);
    if (alike != other)
        return ob_fail(
            OB_ESETTING,
            "OB-9006 %s at process %d, but not at all other processes of the job; set it for "
            "all or for none",
            text, number);
    status = ob_job_set_size(job, number, s.count);
    if (processors < job->processors)
        job->processors = processors;
    return status;
}

/* Asked before MPI_Init, which may set a launcher's variables itself. */
static int join_mpi(ob_job *job, const char **how)
{
    bool launched = ob_mpi_launched();
    job->kind = OB_MPI;
    int status = ob_mpi_start(job);
    *how = launched || job->count > 1 ? "by MPI" : "alone, MPI initialized";
    return status;
}

/* *how: for the line that says how the process was started. */
static int launch(ob_job *job, const char **how)
{
    int status = ob_settings_read(&job->set);
    const char *variable = getenv(OB_JOB_VARIABLE); /* to refuse it where it is not trusted */
    if (status == OB_OK && variable && !ob_environment_trusted())
        status =
            ob_fail(OB_ESTATE, "OB-2014 a program that runs with other rights than its caller's "
                               "(set-user-ID) cannot be in a job of obrun; start obrun as the "
                               "user whose rights it is to have");
    if (status == OB_OK && job->set.plan)
        status = ob_plan_check(job->set.plan);
    if (status != OB_OK)
        return status;
    if (variable == NULL && ob_mpi_present())
        return join_mpi(job, how);
    *how = variable ? "by obrun" : "alone";
    if (job->set.transport == OB_TRANSPORT_MPI && (variable || !ob_mpi_launched()))
        return ob_fail(
            OB_ESETTING, "OB-9007 OPENBLACS_TRANSPORT is 'mpi', but this %s; use auto or shm",
            variable ? "process was started by obrun, which has no MPI" : "program has no MPI");
    return variable ? join_obrun(job, variable) : ob_job_set_size(job, 0, 1);
}

static void report(const ob_job *job, const char *how)
{
    if (job->number != 0)
        return;
    ob_settings_warn();
    if (job->set.verbose)
        fprintf(stderr, "OpenBLACS %d.%d.%d: started %s, %d process%s%s, transports: %s%s\n",
                OB_VERSION_MAJOR, OB_VERSION_MINOR, OB_VERSION_PATCH, how, job->count,
                job->count == 1 ? "" : "es", ob_job_crowded(job) ? " (more than processors)" : "",
                job->mpi   ? ob_mpi_describe(job)
                : job->shm ? "shm on 1 node"
                           : "self",
                job->set.topology == OB_TOPOLOGY_PLAN ? "; all topologies planned" : "");
}

/* --------------------------------------------------------------- the job */

static int start_locked(ob_job **out)
{
    if (the_job) {
        /* Others may have taken it for ended. */
        if (atomic_load(&the_job->stopped) && the_job->mpi && ob_mpi_closing(the_job))
            return ob_fail(OB_ESTATE, "OB-3007 message passing is over: MPI has been finalized, by "
                                      "blacs_exit(0) or the program, and cannot begin again");
        if (atomic_exchange(&the_job->stopped, false)) {
            for (ob_job *job = the_job; job; job = ob_mpi_elsewhere(job)) {
                atomic_store(&job->stopped, false);
                tell_life(job);
            }
            ob_check_left(0);
        }
        *out = the_job;
        return OB_OK;
    }
    ob_job *job = new_job();
    if (job == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a job");
    const char *how = "";
    int status = launch(job, &how);
    if (status == OB_OK)
        status = ob_trace_start(job);
    if (status == OB_OK)
        status = ob_check_start(job);
    if (status != OB_OK) {
        ob_job_destroy(job);
        return status;
    }
    the_job = *out = job;
    if (ob_check_now || job->set.check == 1)
        job->long_wait = ob_check_now ? OB_CHECK_LEAST : job->set.check_seconds;
    report(job, how);
    return OB_OK;
}

int ob_job_start(ob_job **job)
{
    ob_trace_refuse_child("ob_job_start");
    pthread_mutex_lock(&start_mutex);
    int status = start_locked(job);
    pthread_mutex_unlock(&start_mutex);
    return status;
}

int ob_group_world(ob_group **group)
{
    ob_job *job;
    if (group == NULL)
        return ob_fail(OB_EARG, "OB-1001 ob_group_world: needs a place for the group");
    int status = ob_job_start(&job);
    if (status != OB_OK)
        return status;
    int *numbers = malloc((size_t)job->count * sizeof *numbers);
    if (numbers == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 ob_group_world: no memory for a list of %d processes",
                       job->count);
    for (int i = 0; i < job->count; i++)
        numbers[i] = i;
    status = ob_group_create(job, numbers, job->count, group);
    free(numbers);
    return status;
}

static int flush_peers(ob_job *jobs)
{
    int status = OB_OK;
    for (ob_job *job = jobs; job; job = ob_mpi_elsewhere(job))
        for (int i = 0; i < job->count; i++) {
            ob_peer *peer = atomic_load(&job->peers[i]);
            if (peer && peer->transport->flush) {
                int one = peer->transport->flush(peer);
                status = one == OB_OK ? status : one;
            }
        }
    return status;
}

static void tell_life(ob_job *job)
{
    bool stopped = atomic_load(&job->stopped), closing = job->mpi && ob_mpi_closing(job);
    enum ob_life life = closing ? (stopped ? OB_LIFE_GONE : OB_LIFE_CLOSED)
                                : (stopped ? OB_LIFE_DONE : OB_LIFE_JOINED);
    if (job->shm)
        ob_shm_set_life(job->shm, life);
}

int ob_job_speaks(ob_job *job)
{
    static const struct timespec a_while = {.tv_sec = 5};
    if (job == NULL || ob_shm_once(job->shm, OB_ONCE_FAULT))
        return 1;
    nanosleep(&a_while, NULL);
    return 0;
}

size_t ob_job_heap(const ob_job *job)
{
    size_t set = job->set.heap_bytes ? job->set.heap_bytes : SIZE_MAX;
    return job->shm && job->shm->heap.limit < set ? job->shm->heap.limit : set;
}

int ob_job_outnumbers(const ob_job *job)
{
    return ob_job_crowded(job);
}

int ob_job_stop(ob_job *job, int finalize)
{
    ob_trace_refuse_child("ob_job_stop");
    if (OB_TOGETHER)
        ob_together_settle();
    ob_check_left(1);
    for (ob_job *each = job; each; each = ob_mpi_elsewhere(each)) {
        ob_background_end(each);
        atomic_store(&each->stopped, true);
        tell_life(each);
    }
    int status = job->mpi ? ob_mpi_stop(job, finalize) : OB_OK;
    for (ob_job *each = ob_mpi_elsewhere(job); each; each = ob_mpi_elsewhere(each))
        ob_mpi_stop(each, 0);
    int flushed = flush_peers(job);
    return status == OB_OK ? flushed : status;
}

static int leave_locked(ob_job *job)
{
    if (job != the_job || job->kind != OB_OBRUN)
        return ob_fail(OB_ESTATE, "OB-2016 this job cannot be left for another");
    if (ob_trace_now || ob_check_now)
        return ob_fail(OB_ESTATE,
                       "OB-9013 OPENBLACS_%s is for one job, which cannot be left for a larger one",
                       ob_trace_now ? "TRACE or OPENBLACS_STATS" : "CHECK");
    ob_job_stop(job, 0);
    ob_job_destroy(job);
    the_job = NULL;
    return OB_OK;
}

int ob_job_leave(ob_job *job)
{
    pthread_mutex_lock(&start_mutex);
    int status = leave_locked(job);
    pthread_mutex_unlock(&start_mutex);
    return status;
}

void ob_job_abort(ob_job *job, int code)
{
    ob_trace_refuse_child("ob_job_abort");
    fflush(stdout);
    fflush(stderr);
    ob_trace_roll_abort();
    ob_trace_write();
    if (job && job->mpi) {
        ob_lines_through();
        ob_mpi_abort(job, code);
    }
    /* Still here: MPI is finalized. Who waits for this process sees that it is no more. */
    if (job && job->mpi && job->shm)
        ob_shm_set_life(job->shm, OB_LIFE_GONE);
    if (job && job->shm && job->shm->all.base)
        ob_segments_abort(&job->shm->all, job->number, code);
    /* A launcher must see a failure whatever the code. */
    _exit((code & 0xff) ? code & 0xff : 1);
}

void ob_job_waits(ob_job *job, uint64_t what)
{
    if (job->shm == NULL)
        return;
    ob_segment_header *own = job->shm->own;
    unsigned turn = atomic_load_explicit(&own->turn, memory_order_relaxed);
    atomic_store_explicit(&own->waits, what, memory_order_relaxed);
    atomic_store_explicit(&own->turn, turn + 1, memory_order_release);
}

/* Acquire: what the process had sent before is there for one who sees it wait. */
int ob_job_waiting(const ob_job *job, int number, ob_wait_note *waiting)
{
    const ob_segment_header *h =
        job->shm && number >= 0 && number < job->count ? job->shm->segment[number] : NULL;
    if (h == NULL)
        return ob_fail(OB_ESTATE, "OB-2017 ob_job_waiting: process %d cannot be seen from here",
                       number);
    waiting->turn = atomic_load_explicit(&h->turn, memory_order_acquire);
    waiting->naps = atomic_load_explicit(&h->naps, memory_order_acquire);
    waiting->what = atomic_load_explicit(&h->waits, memory_order_relaxed);
    if (atomic_load(&h->life) >= OB_LIFE_DONE)
        waiting->what = OB_WAITING_LEFT;
    return OB_OK;
}

void ob_job_trim(ob_job *job)
{
    ob_scratch_free();
    for (; job; job = ob_mpi_elsewhere(job)) {
        if (job->shm)
            ob_shm_trim(job->shm);
        if (job->mpi)
            ob_mpi_trim(job);
    }
}

int ob_job_traffic(const ob_job *job, int number, uint64_t *messages, uint64_t *bytes)
{
    if (number < 0 || number >= job->count)
        return ob_fail(OB_EARG, "OB-1009 ob_job_traffic: there is no process %d in a job of %d",
                       number, job->count);
    *messages = *bytes = 0;
    ob_peer *peer = atomic_load_explicit(&job->peers[number], memory_order_acquire);
    if (peer && peer->transport->traffic) {
        ob_lock_take(&peer->send_lock);
        peer->transport->traffic(peer, messages, bytes);
        ob_lock_release(&peer->send_lock);
    }
    return OB_OK;
}

void ob_job_destroy(ob_job *job)
{
    if (job == NULL)
        return;
    ob_background_free(job);
    close_peers(job);
    ob_contexts_free(job->contexts);
    ob_shm_destroy(job->shm);
    free(job);
}
