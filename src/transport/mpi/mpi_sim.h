/*
 * How a simulated process waits (mpi_sim.c); for message/wait_sim.c.
 */
#ifndef OB_MPI_SIM_H
#define OB_MPI_SIM_H

#include "core/job.h"

/* Sleeps, in simulated time, until somebody has sent this process a message. */
void ob_sim_sleep(ob_job *job);

#endif
