/*
 * The job of an MPI program, without mpi.h: finding and loading the module of
 * the MPI library the program runs under, meetings, system contexts.
 */
#ifndef OB_MPI_JOB_H
#define OB_MPI_JOB_H

#include "core/job.h"

/* Does this process run in an MPI program or under an MPI launcher? */
bool ob_mpi_present(void);
/* Loads the module, starts MPI when it is not running, sets job->number,
 * job->count, job->crowded and job->mpi. Local but for MPI_Init. */
int ob_mpi_start(ob_job *job);
/* Makes sure that all these processes can reach each other; collective among
 * them when some meet for the first time, else local. */
int ob_mpi_meet(ob_job *job, const int *numbers, int size);
/* Sets the transport and link of a peer that has been met. */
int ob_mpi_connect(ob_job *job, ob_peer *peer);
/* Lets the MPI library move the program's own operations. Cheap. */
void ob_mpi_progress(ob_job *job);
/* Completes what is under way; finalizes MPI when finalize != 0 and we started it. */
int ob_mpi_stop(ob_job *job, int finalize);
void ob_mpi_abort(ob_job *job, int code);
/* "shm on this node, Open MPI 4.1.4 between nodes" and the like. */
const char *ob_mpi_describe(const ob_job *job);

#endif
