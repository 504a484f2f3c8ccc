/*
 * How a simulated process waits (mpi_sim.c); for wait_sim.c.
 */
#ifndef OB_TRANSPORT_MPI_MPI_SIM_H
#define OB_TRANSPORT_MPI_MPI_SIM_H

#include "core/job.h"

/* Sleeps, in simulated time, until somebody has sent this process a message. */
void ob_sim_sleep(ob_job *job);

#endif
