/*
 * The part of the module's table (module.h) that is about communicators of the program;
 * module_comms.c, compiled with module.c for each MPI library.
 */
#ifndef OB_TRANSPORT_MPI_MODULE_COMMS_H
#define OB_TRANSPORT_MPI_MODULE_COMMS_H

#include <mpi.h>
#include <stdint.h>

#include "transport/mpi/module.h"

/* MPI 5's standard binary interface need not have what Fortran's handles are made of; its integers
 * of handles are the same numbers. */
#if defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION) && !defined(OPEN_MPI)
#define OB_MPI_STANDARD
#define MPI_Fint int
#define MPI_Comm_c2f MPI_Comm_toint
#define MPI_Comm_f2c MPI_Comm_fromint
#define MPI_Type_f2c MPI_Type_fromint
#endif

/* A communicator over these ranks of the base, made by them alone. */
int ob_module_create(long base, const int *ranks, int size, int tag, MPI_Comm *comm);

long ob_module_world_handle(void);
int ob_module_world(long base, int *rank, int *size);
void ob_module_abort(long base, int code);
int ob_module_group(long base, long handle, int **ranks);
int ob_module_from_word(uintptr_t word, long *handle);
int ob_module_to_word(long handle, uintptr_t *word);
void ob_module_null_comm(long *handle, uintptr_t *word);
int ob_module_grid(long handle, const int *ranks, int rows, int columns, long handles[3]);
int ob_module_comm(long base, const int *ranks, int size, int tag, long *handle);
int ob_module_free_comm(long handle);
int ob_module_cartesian(long handle, int dims[2], int periods[2]);
int ob_module_keep_key(long handle, uint64_t key);
uint64_t ob_module_key(long handle);
int ob_module_keep_job(long handle, void *job);
void *ob_module_job(long handle);
void ob_module_on_job_free(void (*freed)(void *job));
void ob_module_on_free(void (*freed)(long handle));
int ob_module_agree(long handle, uint64_t *key, ob_mpi_request *request);
int ob_module_type(long handle);

#endif
