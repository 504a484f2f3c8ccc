/*
 * Leaving an MPI job: how a process that waits for another finds out that it has
 * gone into MPI_Finalize, and how messages that nobody will receive keep nobody there.
 *
 * A process cannot tell all others that it leaves: in a large job that would open
 * connections nobody ever used. So one that has waited long asks, once, whom it waits
 * for; who is in MPI_Finalize answers, with the number of messages it has sent. Until
 * these have come it is not gone. Nobody else hears the question before MPI_Finalize.
 *
 * In MPI_Finalize a process receives and forgets what still comes, until MPI
 * has taken all it sent itself; then it enters a barrier that does not block, in which
 * it goes on so. When all have entered it, every send has found its receive and
 * nobody waits any more. MPI_Finalize is collective, so all come.
 */
#include "transport/mpi/mpi_link.h"

typedef struct ob_mpi_link link;

/* ------------------------------------------------------------- in MPI_Finalize */

/* The processes met through MPI, those no message ever went to among them: they
 * may wait for one. */
static link *link_to(ob_job *job, int number)
{
    if (atomic_load(&job->mpi->path[number]) != OB_PATH_MPI)
        return NULL;
    ob_peer *peer = ob_job_peer(job, number);
    return peer ? peer->link : NULL;
}

/* One look after all that a link may bring. *sent becomes false while MPI has not
 * taken all of ours. The caller holds the peer's receive lock. */
static int serve(link *l, bool *sent)
{
    uint64_t word;
    size_t waiting = 0;
    int status = ob_mpi_link_drop(l);
    if (status == OB_OK)
        status = ob_mpi_hear(l, OB_MPI_LEFT, &word); /* late: we do not wait any more */
    if (status >= 0)
        status = ob_mpi_hear(l, OB_MPI_ASK, &word);
    if (status == 1)
        status = ob_mpi_tell(l, OB_MPI_LEFT, atomic_load_explicit(&l->begun, memory_order_relaxed));
    if (status == OB_OK)
        status = ob_mpi_link_collect(l, &waiting);
    *sent = *sent && waiting == 0;
    return status;
}

static int serve_job(ob_job *job, bool *sent)
{
    int status = OB_OK;
    for (int i = 0; i < job->count && status == OB_OK; i++) {
        link *l = link_to(job, i);
        if (l == NULL)
            continue;
        ob_peer *peer = ob_job_peer(job, i);
        ob_lock_take(&peer->recv_lock);
        status = serve(l, sent);
        ob_lock_release(&peer->recv_lock);
    }
    return status;
}

static int serve_all(struct ob_mpi *mpi, bool *sent)
{
    int status = OB_OK;
    *sent = true;
    for (struct ob_mpi *m = mpi; m && status == OB_OK; m = m->behind)
        status = serve_job(m->job, sent);
    return status;
}

static int part_error(struct ob_mpi *mpi, int code)
{
    return ob_mpi_error(mpi, code, "process %d cannot leave MPI", mpi->job->number);
}

/* The members of a meeting all have its communicator or none. */
static int begin_parting(struct ob_mpi *mpi)
{
    int code = 0;
    ob_mpi_enter(mpi);
    for (struct ob_mpi *each = mpi; each; each = each->behind)
        for (ob_mpi_meeting *m = atomic_load(&each->meetings); m && code == 0; m = m->next)
            if (m->comm)
                code = mpi->module->barrier(m->comm, &m->parting);
    ob_mpi_leave(mpi);
    return code == 0 ? OB_OK : part_error(mpi, code);
}

/* 1 when all members of all meetings have begun to part. */
static int all_part(struct ob_mpi *mpi)
{
    int code = 0, all = 1;
    ob_mpi_enter(mpi);
    for (struct ob_mpi *each = mpi; each; each = each->behind)
        for (ob_mpi_meeting *m = atomic_load(&each->meetings); m && code == 0; m = m->next) {
            int done = 1;
            if (m->comm && !m->parted)
                code = mpi->module->test(&m->parting, &done, NULL);
            m->parted = done;
            all = all && done;
        }
    ob_mpi_leave(mpi);
    return code == 0 ? all : part_error(mpi, code);
}

int ob_mpi_flush(struct ob_mpi *mpi)
{
    bool sent = false, parting = false;
    unsigned looks = 0;
    int status = serve_all(mpi, &sent);
    for (; status == OB_OK; status = serve_all(mpi, &sent)) {
        if (sent && !parting) {
            status = begin_parting(mpi);
            parting = status == OB_OK;
        }
        int all = parting ? all_part(mpi) : 0;
        if (all == 1)
            ob_mpi_clocks(mpi);
        if (all || status != OB_OK)
            return all < 0 ? all : status;
        ob_mpi_pause(&looks);
    }
    return status;
}
