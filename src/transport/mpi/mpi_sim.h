/*
 * How a simulated process waits, and what memory costs it (mpi_sim.c); for wait_sim.c.
 */
#ifndef OB_TRANSPORT_MPI_MPI_SIM_H
#define OB_TRANSPORT_MPI_MPI_SIM_H

#include "core/job.h"

/* Sleeps, in simulated time, until somebody has sent this process a message. */
void ob_sim_sleep(ob_job *job);
/* Wakes a process that sleeps there; one that has never slept need not be woken. */
void ob_sim_wake(ob_job *job, int number);
/* Lets the time pass that so many lines of other processors take, and bytes that are copied, by
 * what the platform says of messages within a machine. */
void ob_sim_memory(double lines, size_t bytes);

#endif
