/*
 * What every floor asks of a job: who takes part, and the peers, made when first needed.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/job.h"
#include "core/machine.h"

int ob_job_number(const ob_job *job)
{
    return job->number;
}

int ob_job_count(const ob_job *job)
{
    return job->count;
}

ob_launch_kind ob_job_kind(const ob_job *job)
{
    return job->kind;
}

int ob_job_set_size(ob_job *job, int number, int count)
{
    job->number = number;
    job->count = count;
    job->peers = calloc((size_t)count, sizeof *job->peers);
    if (job->peers == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 no memory for a job of %d processes", count);
    job->neighbours = count;
    job->processors = ob_processors();
    return OB_OK;
}

static ob_peer *make_peer(ob_job *job, int number)
{
    ob_peer *peer = aligned_alloc(OB_LINE, sizeof *peer);
    if (peer == NULL) {
        ob_fail(OB_ENOMEM, "OB-4001 no memory for a link to process %d", number);
        return NULL;
    }
    memset(peer, 0, sizeof *peer);
    peer->job = job;
    peer->number = number;
    if (job->hooks->connect(job, peer) != OB_OK) {
        free(peer);
        return NULL;
    }
    return peer;
}

ob_peer *ob_job_peer(ob_job *job, int number)
{
    ob_peer *peer = atomic_load_explicit(&job->peers[number], memory_order_acquire);
    if (peer)
        return peer;
    ob_lock_take(&job->lock);
    peer = atomic_load_explicit(&job->peers[number], memory_order_relaxed);
    if (peer == NULL) {
        peer = make_peer(job, number);
        /* Release: whoever sees the pointer sees the finished peer. */
        atomic_store_explicit(&job->peers[number], peer, memory_order_release);
    }
    ob_lock_release(&job->lock);
    return peer;
}
