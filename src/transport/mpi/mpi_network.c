/*
 * Measuring the network when processes of several nodes meet: one process of each node, its leader,
 * takes part. Leaders send to each other in pairs, which gives start-up and time of a byte; then
 * all at once in a few patterns, which shows where their messages meet, and so how nodes lie
 * (core/network.h). What the first leader has seen holds for all members.
 *
 * It takes some tens of start-ups: with 50 us each 1.4 ms on 512 nodes, most of it until all agree.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/mpi/mpi_link.h"

/* Bytes of the longest message, and of the first long one. */
enum { LONGEST = 32 << 10, FIRST = 4 << 10, ASKING = 8, LAST = 4, TRIES = 8 };
/* Simulated ones are exact. */
enum { ROUNDS = OB_SIMULATED ? 1 : 3 };
/* Seconds: no new try after so long; what the bytes of a pattern's message take alone. */
static const double BUDGET = 3e-4, SHOWN_LEAST = 10e-6, SHOWN_MOST = 12e-6;

typedef struct measuring {
    struct ob_mpi *mpi;
    ob_mpi_comm *comm;
    int nodes, me, *rank;     /* of each node's leader; me: -1: the caller is none */
    char *out, *in;           /* LONGEST bytes each */
    double start, byte, send; /* seconds */
    int bytes;                /* of a pattern's message */
    int code;                 /* of MPI */
} measuring;

/* ----------------------------------------------------------------------- messages */

static ob_mpi_request begin_send(measuring *m, int to, int bytes)
{
    ob_mpi_request r = {0};
    if (m->code == 0)
        m->code = m->mpi->module->isend(m->comm, m->rank[to], OB_MPI_NETWORK, m->out, bytes, &r);
    return r;
}

static void end(measuring *m, ob_mpi_request *r)
{
    if (m->code == 0)
        m->code = m->mpi->module->wait(r, NULL);
}

static void send(measuring *m, int to, int bytes)
{
    ob_mpi_request r = begin_send(m, to, bytes);
    end(m, &r);
}

/* Returns how many bytes came. */
static int receive(measuring *m, int from)
{
    ob_mpi_request r;
    int bytes = 0;
    if (m->code == 0)
        m->code = m->mpi->module->irecv(m->comm, m->rank[from], OB_MPI_NETWORK, m->in, LONGEST, &r);
    if (m->code == 0)
        m->code = m->mpi->module->wait(&r, &bytes);
    return bytes;
}

/* ------------------------------------------------------------------------- pairs */

static void least(double *least, double time)
{
    *least = time < *least ? time : *least;
}

/* Bytes that take as long as a start-up, or as much as is allowed. */
static int pattern_bytes(const measuring *m)
{
    double time = m->start < SHOWN_LEAST  ? SHOWN_LEAST
                  : m->start > SHOWN_MOST ? SHOWN_MOST
                                          : m->start;
    double bytes = m->byte > 0 ? time / m->byte : LONGEST;
    return bytes > LONGEST ? LONGEST : bytes < 64 ? 64 : (int)bytes;
}

/* Short and long messages in turn, each answered by a short one. The last one says how long those
 * of patterns are. */
static void ask(measuring *m, int other)
{
    double begun = ob_time(), brief = INFINITY, lengthy = INFINITY;
    int bytes = FIRST;
    m->send = INFINITY;
    for (int k = 0; k < TRIES && m->code == 0 && ob_time() - begun < BUDGET; k++) {
        double t = ob_time();
        ob_mpi_request r = begin_send(m, other, ASKING);
        least(&m->send, ob_time() - t);
        end(m, &r);
        receive(m, other);
        least(&brief, ob_time() - t);
        t = ob_time();
        send(m, other, bytes);
        receive(m, other);
        least(&lengthy, ob_time() - t);
        if (k == 0 && ob_time() - begun < BUDGET / 4) { /* longer ones show more */
            bytes = LONGEST;
            lengthy = INFINITY;
        }
    }
    m->start = brief / 2;
    m->byte = lengthy > brief ? (lengthy - brief) / bytes : 0;
    m->bytes = pattern_bytes(m);
    memcpy(m->out, &m->bytes, sizeof m->bytes);
    send(m, other, LAST);
}

static void answer(measuring *m, int other)
{
    int bytes = 0;
    while (m->code == 0 && bytes != LAST) {
        bytes = receive(m, other);
        if (bytes != LAST)
            send(m, other, ASKING);
    }
    memcpy(&m->bytes, m->in, sizeof m->bytes);
    if (m->bytes < 0 || m->bytes > LONGEST)
        m->bytes = LONGEST;
}

/* ----------------------------------------------------------------------- patterns */

/* How many times longer the bytes take than alone. */
static double crowding(measuring *m, int pattern)
{
    double begun = ob_time();
    ob_mpi_request r = begin_send(m, (m->me + pattern) % m->nodes, m->bytes);
    receive(m, (m->me - pattern + m->nodes) % m->nodes);
    end(m, &r);
    return m->byte > 0 ? (ob_time() - begun - m->start) / (m->byte * m->bytes) : 1;
}

/* All go on at about one time: each has heard of all others, by as many messages. */
static void fall_in(measuring *m)
{
    for (int away = 1; away < m->nodes && m->code == 0; away *= 2) {
        ob_mpi_request r = begin_send(m, (m->me + away) % m->nodes, ASKING);
        receive(m, (m->me - away + m->nodes) % m->nodes);
        end(m, &r);
    }
}

/* The least of some rounds: what else goes on makes messages late, never early. */
static void look_for_links(measuring *m, ob_network *network)
{
    int pattern[OB_NETWORK_PATTERNS], count = ob_network_patterns(m->nodes, pattern);
    double crowd[OB_NETWORK_PATTERNS];
    for (int round = 0; count && round < ROUNDS; round++) {
        fall_in(m);
        for (int k = 0; k < count; k++) {
            double seen = crowding(m, pattern[k]);
            crowd[k] = round && crowd[k] < seen ? crowd[k] : seen;
        }
    }
    ob_network_find_shape(network, pattern, crowd, count);
}

static void measure(measuring *m, ob_network *network)
{
    int other = m->me ^ 1;
    if (other < m->nodes && m->me < other)
        ask(m, other);
    else if (other < m->nodes)
        answer(m, other);
    *network = (ob_network){1e6 * m->start, 1e6 * m->byte, 1e6 * m->send, m->nodes, 1, 0, 0};
    look_for_links(m, network);
}

/* ------------------------------------------------------------------------ a meeting */

/* Of each node the member of the least number. */
static int find_leaders(const ob_mpi_meeting *meeting, int number, measuring *m)
{
    int nodes = 0;
    for (int i = 0; i < meeting->size; i++)
        if (meeting->seat[i].node == nodes) {
            m->me = meeting->seat[i].number == number ? nodes : m->me;
            m->rank[nodes++] = meeting->seat[i].rank;
        }
    return nodes;
}

/* What the least of all members' says. */
static int agree(measuring *m, int code)
{
    ob_mpi_enter(m->mpi);
    m->code = m->mpi->module->minimum(m->comm, &code);
    ob_mpi_leave(m->mpi);
    return code;
}

/* Members of a part of the job may have met others before, and know. */
static int known(measuring *m, const ob_mpi_meeting *meeting)
{
    if (meeting->size == m->mpi->job->count)
        return 0;
    return -agree(m, -m->mpi->network);
}

static int found(measuring *m)
{
    ob_network network;
    if (m->me >= 0) {
        ob_mpi_enter(m->mpi);
        measure(m, &network);
        ob_mpi_leave(m->mpi);
    }
    int fault = m->code;
    int code = agree(m, fault ? 0 : m->me == 0 ? ob_network_code(&network) : INT_MAX);
    m->code = fault ? fault : m->code;
    return code;
}

static void report(const ob_network *n)
{
    static const char *const links[] = {"all equally near, as far as known",
                                        "a mesh whose links are shared", "a torus"};
    fprintf(stderr,
            "OpenBLACS: network between %d nodes: a message takes %.3g us and %.3g us a KiB; %d x "
            "%d, %s\n",
            n->nodes, n->start, 1024 * n->byte, n->rows, n->columns, links[n->shared]);
}

int ob_mpi_measure(struct ob_mpi *mpi, ob_mpi_meeting *meeting)
{
    measuring m = {.mpi = mpi, .comm = meeting->comm, .me = -1};
    size_t bytes = (size_t)meeting->size * sizeof *m.rank + 2 * LONGEST;
    m.rank = malloc(bytes);
    if (m.rank == NULL) { /* the others would wait */
        fprintf(stderr,
                "OpenBLACS: process %d has no memory (%zu bytes) to measure the network with; the "
                "job ends (OPENBLACS_MEASURE=0 measures nothing) [OB-4001]\n",
                mpi->job->number, bytes);
        abort();
    }
    m.out = memset(m.rank + meeting->size, 0, 2 * LONGEST);
    m.in = m.out + LONGEST;
    m.nodes = find_leaders(meeting, mpi->job->number, &m);
    int code = known(&m, meeting);
    bool new = code == 0 && m.code == 0 && m.nodes > 1;
    if (new)
        code = found(&m);
    if (m.code == 0 && code > 0 && code < INT_MAX) {
        meeting->network = ob_network_of(code, m.nodes);
        meeting->measured = true;
        mpi->network = code;
        if (new && mpi->job->set.verbose && mpi->job->number == meeting->seat[0].number)
            report(&meeting->network);
    }
    free(m.rank);
    return m.code;
}
