/*
 * What is timed, behind one face: the library's core, or the plain calls of
 * the MPI library (a module of its own, bench/obbench_mpi.c, since each MPI has
 * its own binary interface). Both do the same work on the same processes.
 */
#ifndef OBBENCH_FACE_H
#define OBBENCH_FACE_H

#include <stdbool.h>
#include <stddef.h>

#include "hooks/superstep.h"
#include "openblacs/core.h"

/* Changes with the table below. */
enum { OBB_FACE_NUMBER = 3 };
#define OBB_FACE_SYMBOL "obb_plain_mpi"

/* All return 0, or print the reason and return another number. A vector has
 * `count` elements of a type. */
typedef struct obb_face {
    int number; /* OBB_FACE_NUMBER */
    const char *name;
    /* Takes the processes of one colour together, in the order of their
     * numbers; collective over the job. close ends that. */
    int (*open)(int color, int number);
    void (*close)(void);
    int (*send)(const void *vector, size_t count, ob_type type, int dest);
    int (*receive)(void *vector, size_t count, ob_type type, int source);
    /* m x n matrices whose columns are ld elements apart; of plain MPI alone. */
    int (*send_columns)(const void *matrix, int m, int n, int ld, ob_type type, int dest);
    int (*receive_columns)(void *matrix, int m, int n, int ld, ob_type type, int source);
    int (*barrier)(void);
    int (*broadcast)(void *vector, size_t count, ob_type type, int root, const ob_route *route);
    /* root OB_ANY: left on all. spare is as long as vector. */
    int (*combine)(void *vector, void *spare, size_t count, ob_type type, ob_op op, int root,
                   const ob_route *route);
} obb_face;

typedef const obb_face *obb_face_function(void);

/* The library itself. members: job numbers of the processes of each colour. */
const obb_face *obb_core_face(ob_job *job, const int *members, int count);
/* The MPI library of this process; NULL, with the reason on standard error when
 * `say`, when there is none or no module for it. */
const obb_face *obb_plain_face(int say);

/* "openmpi", "mpich": the MPI library of this process; NULL: none. */
const char *obb_mpi_kind(void);
/* Whether there is a module for it. */
bool obb_has_module(const char *kind);

#endif
