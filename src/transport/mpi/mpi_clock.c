/*
 * Reading each other's clocks, for the recorder: when processes of several nodes meet,
 * and again in MPI_Finalize. One process of each node asks one of the first node, which
 * answers with its clock; of many tries the one that took the least time counts, and half
 * of that time is its error (Cristian 1989). What is made of it is src/trace/align.c's.
 */
#include <sched.h>
#include <string.h>

#include "hooks/hash.h"
#include "trace/trace.h"
#include "transport/mpi/mpi_link.h"

enum { TRIES = 40, MOST_MEETINGS = 64 };

/* Sends and receives 8 bytes, or gives up. */
static bool wait_for(struct ob_mpi *mpi, ob_mpi_request *r)
{
    double until = ob_time() + mpi->clock_seconds;
    int done = 0;
    for (unsigned looks = 1; !done; looks++) {
        ob_mpi_enter(mpi);
        int code = mpi->module->test(r, &done, NULL);
        ob_mpi_leave(mpi);
        if (code != 0 || (!done && looks % 64 == 0 && ob_time() > until))
            return false;
        if (!done && looks % 64 == 0)
            sched_yield();
    }
    return true;
}

static bool say(struct ob_mpi *mpi, ob_mpi_comm *comm, int rank, const int64_t *word)
{
    ob_mpi_request r;
    ob_mpi_enter(mpi);
    int code = mpi->module->isend(comm, rank, OB_MPI_CLOCK, word, sizeof *word, &r);
    ob_mpi_leave(mpi);
    return code == 0 && wait_for(mpi, &r);
}

static bool hear(struct ob_mpi *mpi, ob_mpi_comm *comm, int rank, int64_t *word)
{
    ob_mpi_request r;
    ob_mpi_enter(mpi);
    int code = mpi->module->irecv(comm, rank, OB_MPI_CLOCK, word, sizeof *word, &r);
    ob_mpi_leave(mpi);
    return code == 0 && wait_for(mpi, &r);
}

static void ask(struct ob_mpi *mpi, const ob_mpi_meeting *m, const struct ob_mpi_seat *reference)
{
    int64_t least = INT64_MAX, at = 0, offset = 0, word = 0;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = ob_clock_system();
        if (!say(mpi, m->comm, reference->rank, &word) ||
            !hear(mpi, m->comm, reference->rank, &word))
            return;
        int64_t after = ob_clock_system();
        if (after - before >= least)
            continue;
        least = after - before;
        at = before + least / 2;
        offset = word - at;
    }
    ob_trace_clock(reference->number, at, offset, (uint64_t)least / 2 + 1);
}

static void answer(struct ob_mpi *mpi, const ob_mpi_meeting *m, const struct ob_mpi_seat *asking)
{
    for (int i = 0; i < TRIES; i++) {
        int64_t word;
        if (!hear(mpi, m->comm, asking->rank, &word))
            return;
        word = ob_clock_system();
        if (!say(mpi, m->comm, asking->rank, &word))
            return;
    }
}

/* The first process of a node; NULL: there is no such node. */
static const struct ob_mpi_seat *first_of(const ob_mpi_meeting *m, int node)
{
    for (int i = 0; i < m->size; i++)
        if (m->seat[i].node == node)
            return &m->seat[i];
    return NULL;
}

void ob_mpi_clock(struct ob_mpi *mpi, const ob_mpi_meeting *m)
{
    const struct ob_mpi_seat *reference = first_of(m, 0), *other;
    int me = mpi->job->number;
    if (!m->clocked || m->comm == NULL)
        return;
    for (int node = 1; (other = first_of(m, node)); node++) {
        if (me == other->number)
            ask(mpi, m, reference);
        else if (me == reference->number)
            answer(mpi, m, other);
    }
}

/* A number that all members know it by, and different ones for different members. */
static uint64_t key_of(const ob_mpi_meeting *m)
{
    uint64_t h = OB_HASH;
    for (int i = 0; i < m->size; i++)
        h = ob_hash_word(h, (unsigned)m->seat[i].number);
    return h;
}

/* In the order of these numbers, which is the same everywhere: so nobody waits for one
 * who waits, in turn, for him. */
void ob_mpi_clocks(struct ob_mpi *mpi)
{
    uint64_t done = 0;
    for (int i = 0; i < MOST_MEETINGS; i++) {
        const ob_mpi_meeting *next = NULL;
        for (const ob_mpi_meeting *m = atomic_load(&mpi->meetings); m; m = m->next)
            if (m->clocked && key_of(m) > done && (!next || key_of(m) < key_of(next)))
                next = m;
        if (next == NULL)
            return;
        ob_mpi_clock(mpi, next);
        done = key_of(next);
    }
}
