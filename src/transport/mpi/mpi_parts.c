/*
 * Buffers that MPI reads, and what every message through MPI is made of: giving one to MPI,
 * getting it back when MPI has taken it, and looking for what comes.
 */
#include <stdlib.h>

#include "core/scratch.h"
#include "transport/mpi/mpi_link.h"

typedef struct ob_mpi_link link;
typedef ob_mpi_part part;
typedef ob_mpi_header header;

static const size_t room_of[OB_MPI_CLASSES] = {1024, sizeof(header) + OB_MPI_SHORT, OB_MPI_PIECE};
static const int kept_of[OB_MPI_CLASSES] = {256, 32, 16};

/* ------------------------------------------------------------------ buffers */

part *ob_mpi_part_take(ob_mpi_pool *pool, size_t bytes)
{
    int class = 0;
    /* at most a piece: NOLINTNEXTLINE(clang-analyzer-core.*) */
    while (room_of[class] < bytes)
        class ++;
    ob_lock_take(&pool->lock);
    part *p = pool->part[class];
    if (p) {
        pool->part[class] = p->next;
        pool->count[class]--;
    }
    ob_lock_release(&pool->lock);
    if (p == NULL)
        p = aligned_alloc(64, ob_align(sizeof *p + room_of[class]));
    if (p) {
        p->next = NULL;
        p->bytes = bytes;
        p->class = class;
    }
    return p;
}

void ob_mpi_part_give(ob_mpi_pool *pool, part *p)
{
    ob_lock_take(&pool->lock);
    bool keep = pool->count[p->class] < kept_of[p->class];
    if (keep) {
        p->next = pool->part[p->class];
        pool->part[p->class] = p;
        pool->count[p->class]++;
    }
    ob_lock_release(&pool->lock);
    if (!keep)
        free(p);
}

void ob_mpi_pool_free(ob_mpi_pool *pool)
{
    for (int class = 0; class < OB_MPI_CLASSES; class ++) {
        ob_lock_take(&pool->lock);
        part *p = pool->part[class];
        pool->part[class] = NULL;
        pool->count[class] = 0;
        ob_lock_release(&pool->lock);
        while (p) {
            part *next = p->next;
            free(p);
            p = next;
        }
    }
}

/* ------------------------------------------------------------------ sending */

static int send_error(link *l, int code)
{
    return ob_mpi_error(l->mpi, code, "process %d cannot send to process %d", l->me, l->number);
}

/* Frees what MPI has taken, oldest first. The caller holds queue_lock. */
static int collect(link *l)
{
    struct ob_mpi *mpi = l->mpi;
    while (l->first && l->failed == 0) {
        part *p = l->first;
        int done = 0;
        ob_mpi_enter(mpi);
        l->failed = mpi->module->test(&p->request, &done, NULL);
        ob_mpi_leave(mpi);
        if (l->failed || !done)
            break;
        l->first = p->next;
        l->waiting -= p->bytes;
        atomic_fetch_sub_explicit(&mpi->waiting, p->bytes, memory_order_relaxed);
        ob_mpi_part_give(&mpi->pool, p);
    }
    return l->failed ? send_error(l, l->failed) : OB_OK;
}

int ob_mpi_link_collect(link *l, size_t *waiting)
{
    ob_lock_take(&l->queue_lock);
    int status = collect(l);
    *waiting = l->waiting;
    ob_lock_release(&l->queue_lock);
    return status;
}

int ob_mpi_post(link *l, int tag, part *p)
{
    struct ob_mpi *mpi = l->mpi;
    ob_lock_take(&l->queue_lock);
    ob_mpi_enter(mpi);
    int code = mpi->module->isend(l->out, l->out_rank, tag, p->data, (int)p->bytes, &p->request);
    ob_mpi_leave(mpi);
    if (code == 0) {
        if (l->first)
            l->last->next = p;
        else
            l->first = p;
        l->last = p;
        l->waiting += p->bytes;
        atomic_fetch_add_explicit(&mpi->waiting, p->bytes, memory_order_relaxed);
    }
    int status = code == 0 ? collect(l) : send_error(l, code);
    ob_lock_release(&l->queue_lock);
    if (code != 0)
        ob_mpi_part_give(&mpi->pool, p);
    return status;
}

static link *all_links(struct ob_mpi *mpi)
{
    ob_lock_take(&mpi->links_lock);
    link *l = mpi->links;
    ob_lock_release(&mpi->links_lock);
    return l; /* links are put in front and never removed */
}

void ob_mpi_collect(struct ob_mpi *mpi)
{
    for (link *l = all_links(mpi); l; l = l->next)
        if (ob_lock_try(&l->queue_lock)) {
            collect(l); /* a failure is remembered for the next send or flush */
            ob_lock_release(&l->queue_lock);
        }
}

/* ---------------------------------------------------------------- receiving */

int ob_mpi_receive_error(link *l, int code)
{
    return ob_mpi_error(l->mpi, code, "process %d cannot receive from process %d", l->me,
                        l->number);
}

static int probe_one(link *l, int tag, ob_mpi_comm *comm, int rank, int *bytes)
{
    int there = 0;
    ob_mpi_enter(l->mpi);
    int code = l->mpi->module->probe(comm, rank, tag, &there, bytes);
    ob_mpi_leave(l->mpi);
    if (code != 0)
        return ob_mpi_receive_error(l, code);
    if (there) {
        l->in = comm;
        l->in_rank = rank;
    }
    return there;
}

int ob_mpi_probe(link *l, int tag, int *bytes)
{
    if (l->in)
        return probe_one(l, tag, l->in, l->in_rank, bytes);
    const ob_mpi_meeting *m = atomic_load_explicit(&l->mpi->meetings, memory_order_acquire);
    for (; m; m = m->next) {
        int rank = m->comm ? ob_mpi_rank(m, l->number) : -1;
        int there = rank < 0 ? 0 : probe_one(l, tag, m->comm, rank, bytes);
        if (there != 0)
            return there;
    }
    return 0;
}
