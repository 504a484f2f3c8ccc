/*
 * Notes between processes that wait and processes that leave (mpi_leave.c says what they are for).
 */
#include <string.h>

#include "core/error.h"
#include "transport/mpi/mpi_link.h"

typedef struct ob_mpi_link link;

/* A waiting process looks this often until it asks; with the naps of a wait that
 * polls, some ten milliseconds. */
enum { PATIENCE = 512 };

/* -------------------------------------------------------------------- notes */

int ob_mpi_tell(link *l, enum ob_mpi_tag tag, uint64_t word)
{
    ob_mpi_part *p = ob_mpi_part_take(&l->mpi->pool, sizeof word);
    if (p == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for a note to process %d",
                       l->me, l->number);
    memcpy(p->data, &word, sizeof word);
    return ob_mpi_post(l, tag, p);
}

int ob_mpi_hear(link *l, enum ob_mpi_tag tag, uint64_t *word)
{
    const struct ob_mpi_module *m = l->mpi->module;
    int bytes, there = ob_mpi_probe(l, tag, &bytes);
    if (there <= 0)
        return there;
    ob_mpi_request request;
    ob_mpi_enter(l->mpi);
    int code = m->irecv(l->in, l->in_rank, tag, word, sizeof *word, &request);
    if (code == 0)
        code = m->wait(&request, NULL); /* it is here */
    ob_mpi_leave(l->mpi);
    return code == 0 ? 1 : ob_mpi_receive_error(l, code);
}

/* A message that has begun to come is no reason to give up: who has sent it stays
 * in MPI_Finalize until MPI has taken all of it. A failure of MPI shows at the next poll. */
bool ob_mpi_gone(ob_peer *peer)
{
    link *l = peer->link;
    if (atomic_load_explicit(&l->mpi->closing, memory_order_relaxed))
        return false;
    if (!l->asked && ++l->silence >= PATIENCE)
        l->asked = ob_mpi_tell(l, OB_MPI_ASK, 0) == OB_OK;
    if (l->asked && !l->left)
        l->left = ob_mpi_hear(l, OB_MPI_LEFT, &l->sends) == 1;
    return l->left && l->state == OB_MPI_IDLE && l->came == l->sends;
}
