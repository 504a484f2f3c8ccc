/*
 * Jobs that an MPI library started: what the rest of the library sees of them.
 * The library is found at run time; nothing here needs mpi.h.
 */
#ifndef OB_TRANSPORT_MPI_MPI_JOB_H
#define OB_TRANSPORT_MPI_MPI_JOB_H

#include <stdbool.h>

#include "core/job.h"
#include "core/network.h"

/* Does this process belong to MPI: has it an MPI library loaded, or was it
 * started by an MPI launcher? Local, starts nothing. */
bool ob_mpi_present(void);
/* Has an MPI launcher started it, even if it started no other? */
bool ob_mpi_launched(void);

/* Loads the module of the process's MPI library, starts MPI if nobody has, and
 * sets the job's number, count and mpi. No communication but MPI_Init's.
 * OB_ESYSTEM, OB_ESTATE (MPI is already over), OB_ENOMEM. */
int ob_mpi_start(ob_job *job);

/* Makes sure that the members know how to reach each other. Local when all
 * of them were in one earlier meeting; else collective among them, and among them only. */
int ob_mpi_meet(ob_job *job, const int *numbers, int size);
/* Were all of them in one earlier meeting? All of them get the same answer. */
bool ob_mpi_have_met(const ob_job *job, const int *numbers, int size);

/* Does every pair of these processes, which have met, use shared memory? All of
 * them get the same answer. */
bool ob_mpi_one_node(ob_job *job, const int *numbers, int size);
/* Which of these processes, which have met, share a node: equal numbers in node[]. All of
 * them get the same answer; false: some processes of one machine have no memory in common. */
bool ob_mpi_nodes(ob_job *job, const int *numbers, int size, int *node);
/* What is known of the network between the nodes of these processes, which have met, and the
 * number of each one's node there; NULL: nothing. All of them get the same answer. */
const ob_network *ob_mpi_network(ob_job *job, const int *numbers, int size, int *node);
/* Sets the transport and link of a process met before. OB_ESTATE when never met. */
int ob_mpi_connect(ob_job *job, ob_peer *peer);

/* The job beside MPI_COMM_WORLD's (and the one given last) that a communicator with members from
 * elsewhere is; NULL: there is none more. The job lives until the next call with it, so whoever
 * begins with MPI_COMM_WORLD's goes on to the NULL. */
ob_job *ob_mpi_elsewhere(const ob_job *job);

/* Gives the MPI library a turn, so that the user's own messages move while this
 * process waits for ours. Never waits; does nothing where the caller may not call MPI. */
void ob_mpi_progress(ob_job *job);

/* Frees what the transport keeps for later messages. */
void ob_mpi_trim(ob_job *job);

/* Has MPI_Finalize been called? */
bool ob_mpi_closing(const ob_job *job);

/* Waits a while for what was sent and still needs this process. With finalize, ends
 * MPI if ob_mpi_start started it and it is not over yet. */
int ob_mpi_stop(ob_job *job, int finalize);

/* MPI_Abort of the whole job. Returns only when MPI is not running. */
void ob_mpi_abort(ob_job *job, int code);

/* The transports in use, for the line of OPENBLACS_VERBOSE. */
const char *ob_mpi_describe(const ob_job *job);

#endif
