/*
 * A simulated machine: which processes are on it, and the memory they have in common.
 */
#include <mpi.h> /* before SimGrid's own headers */
#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/scratch.h"
#include "transport/mpi/internal.h"
#include "transport/mpi/mpi_sim.h"

/* Processes of a machine share the simulator's memory as it is. So boards and what is lent need
 * nothing but a count of readers, and the time that they take. */
typedef struct loan {
    _Alignas(64) unsigned readers;
} loan;

void ob_sim_memory(double lines, size_t bytes)
{
    static double line, byte;
    sg_host_t here = sg_host_self();
    if (lines == 0 && bytes == 0)
        return;
    if (line == 0) {
        double speed = sg_host_get_route_bandwidth(here, here);
        line = sg_host_get_route_latency(here, here);
        byte = speed > 0 ? 1 / speed : 0;
    }
    smpi_bench_end();
    sg_actor_sleep_for(lines * line + (double)bytes * byte);
    smpi_bench_begin();
}

void *ob_sim_lend(ob_peer *peer, size_t bytes, unsigned readers, bool wait, uint64_t *name)
{
    loan *l = aligned_alloc(64, ob_align(sizeof *l + bytes));
    if (l == NULL && wait)
        ob_fail(OB_ENOMEM, "OB-4001 process %d has no memory for %zu bytes", peer->job->number,
                bytes);
    if (l == NULL)
        return NULL;
    l->readers = readers;
    ob_sim_memory(0, bytes);
    *name = (uint64_t)(uintptr_t)(l + 1);
    return l + 1;
}

/* Who reads says how much of it (ob_wait_costs): often that is a part. */
void *ob_sim_borrow(ob_peer *peer, uint64_t name)
{
    (void)peer;
    return (void *)(uintptr_t)name;
}

void ob_sim_give_back(void *memory)
{
    loan *l = (loan *)memory - 1;
    if (--l->readers == 0)
        free(l);
}

/* The process with this number runs there. Processes are made in the order of their numbers. */
static sg_host_t host_of(int number)
{
    char text[16];
    sg_actor_t actor = sg_actor_by_pid(number + 1);
    const char *rank = actor ? sg_actor_get_property_value(actor, "rank") : NULL;
    snprintf(text, sizeof text, "%d", number);
    return rank && strcmp(rank, text) == 0 ? sg_actor_get_host(actor) : NULL;
}

/* Machines are numbered as they come. With one process on each, or where they are not known, each
 * process is a node and nothing is said of nodes. */
void ob_mpi_places(ob_job *job, ob_mpi_meeting *m)
{
    sg_host_t *host = calloc((size_t)m->size, sizeof(sg_host_t));
    int nodes = 0, here = 0;
    for (int i = 0; i < m->size; i++) {
        sg_host_t h = host ? host_of(m->seat[i].number) : NULL;
        int k = 0;
        here += h && h == sg_host_self();
        while (k < nodes && (h == NULL || host[k] != h))
            k++;
        m->seat[i].node = k;
        if (k == nodes && host)
            host[nodes] = h;
        nodes += k == nodes;
    }
    m->nodes = nodes < m->size;
    m->one_node = nodes == 1;
    if (m->size >= job->mpi->largest) {
        job->mpi->largest = m->size;
        job->neighbours = here;
        job->several_nodes = host == NULL;
        for (int i = 0; i < job->count && !job->several_nodes; i++)
            job->several_nodes = host_of(i) != sg_host_self();
        job->processors = sg_host_core_count(sg_host_self());
    }
    free(host);
}
