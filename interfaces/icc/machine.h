/*
 * What the files of this room share: the group behind a handle, the checks of
 * arguments and the error line.
 */
#ifndef OB_ICC_MACHINE_H
#define OB_ICC_MACHINE_H

#include <limits.h>
#include <stddef.h>

#include "hooks/check.h"
#include "hooks/job.h"
#include "hooks/trace.h"
#include "openblacs/core.h"
#include "openblacs/icc.h"

/* A program's integer, and the names of its routines: OB_T and OB_F. The files with routines of
 * programs are compiled a second time with OB_ILP64. These call no plain name: libicc64, where
 * programs have those from, calls them. */
#ifdef OB_ILP64
#define OB_STAMPING
#include "openblacs/integers.h"
typedef int64_t icc_int;
#else
typedef int icc_int;
#endif

/* A program's integer as long, which may be the shorter one: then the nearest, which no check of a
 * length, a root or a node lets pass. */
static inline long icc_long(int64_t value)
{
    return value > LONG_MAX ? LONG_MAX : value < LONG_MIN ? LONG_MIN : (long)value;
}

/* One call of a routine, for error lines. */
typedef struct icc_call {
    const char *routine;
    int node; /* -1 before the job is joined */
} icc_call;

/* ------------------------------------------------------------- machine.c */

/* The job, joined at the first call; the call learns its node. */
ob_job *icc_join(icc_call *call);
/* The group of a handle, which is argument `argument`; joins the job at the first call. */
ob_group *icc_enter(icc_call *call, int64_t group, int argument);
/* Before a call whose result would be there only at the end of calls that are put together. */
void icc_apart(const icc_call *call);
/* iCC_mesh, iCC_group and iCC_group_free in the name of a call. */
void icc_make_mesh(icc_call *call, long rows, long columns);
int icc_make_group(icc_call *call, const long *nodes, long size);
void icc_free_group(icc_call *call, int64_t group);
/* Once the job is joined. */
void icc_mesh_size(int *rows, int *columns);

/* --------------------------------------------------------------- nodes.c */

/* A list of Fortran integers, one for each member of that group, as longs; the
 * caller frees it. */
long *OB_T(icc_longs)(icc_call *call, const icc_int *list, icc_int group, int argument);

/* --------------------------------------------------------------- fault.c */

/* Prints one line and ends the job. job may be NULL. */
_Noreturn void icc_fault(const icc_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The job that a fault ends; set once it is joined. */
void icc_fault_job(ob_job *job);
/* The line of a failed core call, unless status is OB_OK. */
void icc_check(const icc_call *call, int status);

/* A length in elements of so many bytes that is argument `argument`; checked. */
size_t icc_length(const icc_call *call, long length, size_t element, int argument,
                  const char *name);
/* Lengths of all members' pieces; malloc'ed, the caller frees them. */
size_t *icc_lengths(const icc_call *call, const ob_group *group, const long *lengths,
                    size_t element, int argument, const char *name);
/* An address that must not be NULL when there are bytes there. */
void icc_address(const icc_call *call, const void *x, size_t bytes, int argument, const char *name);
/* A position in the group. */
int icc_root(const icc_call *call, const ob_group *group, long root, int argument);

/* Of the lengths of all members' pieces. */
static inline size_t icc_sum(const size_t *lengths, const ob_group *group)
{
    size_t sum = 0;
    for (int i = 0; i < ob_group_size(group); i++)
        sum += lengths[i];
    return sum;
}

#endif
