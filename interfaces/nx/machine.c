/*
 * All nodes of the job, who one is, and the one line that ends the job. The job is iCC's: it is
 * joined at the first call and left when the process exits.
 */
#include "machine.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/fortran.h"
#include "hooks/together.h"

static struct {
    ob_job *job;
    ob_group *nodes, *operations;
    const char *routine; /* that joins */
} machine;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void join(void)
{
    const char *routine = machine.routine;
    int *numbers = NULL, *positions, size = 0;
    ob_trace_as(routine);
    iCC_mynode64_(); /* leaves the job at the end */
    ob_trace_as(NULL);
    nx_check(routine, ob_job_start(&machine.job));
    nx_check(routine, ob_system_group(machine.job, ob_system_world(machine.job), &numbers, &size));
    nx_check(routine, ob_group_create(machine.job, numbers, size, &machine.nodes));
    positions = numbers;
    for (int i = 0; i < size; i++)
        positions[i] = i;
    nx_check(routine, ob_group_part(machine.nodes, 1, positions, size, &machine.operations));
    free(numbers);
}

ob_group *nx_nodes(const char *routine)
{
    machine.routine = routine;
    pthread_once(&once, join);
    return machine.nodes;
}

ob_group *nx_operations(const char *routine)
{
    nx_nodes(routine);
    return machine.operations;
}

/* ------------------------------------------------------------------ faults */

_Noreturn void nx_fault(const char *routine, const char *format, ...)
{
    char where[40] = "";
    va_list args;
    if (machine.job)
        snprintf(where, sizeof where, "; process %d", ob_job_number(machine.job));
    va_start(args, format);
    ob_fault_print("", routine, where, format, args);
    va_end(args);
    ob_fault_end(machine.job, 1);
}

void nx_check(const char *routine, int status)
{
    if (status != OB_OK)
        nx_fault(routine, "%s", ob_error_text());
}

void nx_apart(const char *routine)
{
    if (ob_together_is_open())
        nx_fault(routine, "OB-2525 is called between a begin and an end of calls that are put "
                          "together, where what it receives would not be there yet; call it "
                          "before the begin or behind the end");
}

size_t nx_length(const char *routine, long length, size_t element, int argument, const char *name,
                 const void *x)
{
    nx_nodes(routine);
    if (length < 0)
        nx_fault(routine, "OB-1003 argument %d (%s) is %ld, must not be negative", argument, name,
                 length);
    if ((size_t)length > (size_t)PTRDIFF_MAX / element)
        nx_fault(routine, "OB-1005 argument %d (%s) is %ld, more than memory can hold", argument,
                 name, length);
    if (x == NULL && length)
        nx_fault(routine, "OB-1002 argument %d is NULL, but there are %zu bytes", argument - 1,
                 (size_t)length * element);
    return (size_t)length;
}

/* -------------------------------------------------------------- who and when */

long mynode(void)
{
    return ob_group_me(nx_nodes("mynode"));
}

long numnodes(void)
{
    return ob_group_size(nx_nodes("numnodes"));
}

long mypid(void)
{
    return 0;
}

double dclock(void)
{
    return ob_time();
}

OB_FORTRAN(int, mynode, (void), (int)mynode())
OB_FORTRAN(int, numnodes, (void), (int)numnodes())
OB_FORTRAN(int, mypid, (void), 0)
OB_FORTRAN(double, dclock, (void), dclock())
