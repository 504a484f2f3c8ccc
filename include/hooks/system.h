/*
 * An MPI program's communicators, as the interfaces need them that make some or are asked for some:
 * handles are those of core.h, "system contexts".
 */
#ifndef OPENBLACS_HOOKS_SYSTEM_H
#define OPENBLACS_HOOKS_SYSTEM_H

#include "openblacs/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name (MPI_Comm_get_name) of communicators that are the library's own, for tools
 * that come between a program and its MPI library. */
#define OB_MPI_COMM_NAME "OpenBLACS"
/* Is the calling thread just having MPI started or a communicator made for the library itself? For
 * the same tools: nothing is to be done with it then. Without a job 0. */
OB_API int ob_system_makes(void);
/* The handle of no communicator, MPI_COMM_NULL. Without MPI -1. */
OB_API long ob_system_null(ob_job *job);
/* Makes the communicators of a grid of rows x columns: of all its processes, with a
 * two-dimensional Cartesian topology, and of the caller's row and column, with one dimension.
 * ranks: the members' in the system context `handle`, row-major. All of `handle` call it;
 * who is no member gets ob_system_null three times. Different members may name different grids
 * that share no process. OB_ESTATE without MPI. */
OB_API int ob_system_grid(ob_job *job, long handle, const int *ranks, int rows, int columns,
                          long grid[3]);
/* Makes a communicator of these processes of the job, the k-th of them its rank k, for the
 * program's own use: no message of the library goes there. They alone call it, with equal
 * lists; tag (any number) tells apart what is made at the same time. OB_ESTATE without MPI. */
int ob_system_create(ob_job *job, const int *numbers, int size, unsigned tag, long *handle);
/* Gives such a communicator back; its members call it. */
OB_API int ob_system_free(ob_job *job, long handle);

/* A communicator that the program has made itself. *count: the dimensions of its Cartesian
 * topology, 0 when it has none; of one or two also their sizes, and 1 where they are periodic.
 * From now on `freed` (ob_system_on_free) is told. OB_EARG, OB_ESTATE without MPI. Local. */
OB_API int ob_system_cartesian(ob_job *job, long handle, int *count, int dims[2], int periods[2]);
/* A number that all its members have, and no other communicator of theirs has, for
 * ob_group_create_as. Local after the first time, for one that was given a number, and for
 * duplicates (MPI_Comm_dup) of those; otherwise collective over the members. One that waits long
 * for the others says so in a line. */
OB_API int ob_system_key(ob_job *job, long handle, uint64_t *key);
/* Gives a communicator that was made of a group its number; all members do. */
OB_API int ob_system_give_key(ob_job *job, long handle, uint64_t key);
/* Who is told when the program frees a communicator that one of these was called for. */
OB_API void ob_system_on_free(ob_job *job, void (*freed)(long handle));
/* The type behind a datatype's Fortran handle; -1: none of ours. */
OB_API int ob_system_type(ob_job *job, long handle);

/* The same with a number that the members have agreed on, and that no other group of them was made
 * with, in place of the order in which they make groups. */
OB_API int ob_group_create_as(ob_job *job, const int *numbers, int size, uint64_t key,
                              ob_group **group);
/* A number of the group that no other group of this process has, the same on all members. */
OB_API uint64_t ob_group_key(const ob_group *group);

#ifdef __cplusplus
}
#endif
#endif
