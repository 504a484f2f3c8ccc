/*
 * What the files of libnx share: all nodes as a group, the checks of arguments and the error line.
 * iCC is called by its names with 64_: those without are libicc64's in a program that is linked
 * with it.
 */
#ifndef OB_NX_MACHINE_H
#define OB_NX_MACHINE_H

#include <stddef.h>

#include "hooks/trace.h"
#include "openblacs/core.h"
#include "openblacs/icc.h"
#include "openblacs/nx.h"

/* All nodes, for messages; joins the job at the first call, for a routine of this name. */
ob_group *nx_nodes(const char *routine);
/* The same nodes, for operations whose messages no csend may meet. */
ob_group *nx_operations(const char *routine);

/* Prints one line and ends the job. */
_Noreturn void nx_fault(const char *routine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The line of a failed core call, unless status is OB_OK. */
void nx_check(const char *routine, int status);
/* Before a call whose result would be there only at the end of calls that are put together. */
void nx_apart(const char *routine);
/* A length that is argument `argument` and an address x before it; checked. */
size_t nx_length(const char *routine, long length, size_t element, int argument, const char *name,
                 const void *x);

#endif
