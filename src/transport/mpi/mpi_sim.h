/*
 * How a simulated process waits (mpi_sim.c), and the memory of its machine (mpi_machine_sim.c).
 */
#ifndef OB_TRANSPORT_MPI_MPI_SIM_H
#define OB_TRANSPORT_MPI_MPI_SIM_H

#include "core/job.h"
#include "core/transport.h"

/* Sleeps, in simulated time, until somebody has sent this process a message. */
void ob_sim_sleep(ob_job *job);
/* Wakes a process that sleeps there; one that has never slept need not be woken. */
void ob_sim_wake(ob_job *job, int number);
/* Lets the time pass that so many lines of other processors take, and bytes that are copied, by
 * what the platform says of messages within a machine. */
void ob_sim_memory(double lines, size_t bytes);
/* As in transport.h; they take that time. */
void *ob_sim_lend(ob_peer *peer, size_t bytes, unsigned readers, bool wait, uint64_t *name);
void *ob_sim_borrow(ob_peer *peer, uint64_t name);
void ob_sim_give_back(void *memory);

#endif
