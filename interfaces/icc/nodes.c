/*
 * The whole machine and groups, as programs call them.
 */
#include <stdlib.h>

#include "common/fortran.h"
#include "machine.h"

long OB_T(iCC_mynode)(void)
{
    icc_call call = {"iCC_mynode", -1};
    return ob_job_number(icc_join(&call));
}

long OB_T(iCC_numnodes)(void)
{
    icc_call call = {"iCC_numnodes", -1};
    return ob_job_count(icc_join(&call));
}

long OB_T(iCC_g_mynode)(icc_int group)
{
    icc_call call = {"iCC_g_mynode", -1};
    return ob_group_me(icc_enter(&call, group, 1));
}

long OB_T(iCC_g_numnodes)(icc_int group)
{
    icc_call call = {"iCC_g_numnodes", -1};
    return ob_group_size(icc_enter(&call, group, 1));
}

void OB_T(iCC_mesh)(long rows, long columns)
{
    icc_call call = {"iCC_mesh", -1};
    icc_make_mesh(&call, rows, columns);
}

void OB_T(iCC_meshinfo)(long *rows, long *columns, long *row, long *column)
{
    icc_call call = {"iCC_meshinfo", -1};
    int count, width;
    icc_join(&call);
    icc_mesh_size(&count, &width);
    *rows = count;
    *columns = width;
    *row = call.node / width;
    *column = call.node % width;
}

icc_int OB_T(iCC_group)(const long *nodes, long size)
{
    OB_TRACE_ROUTINE("iCC_group");
    icc_call call = {"iCC_group", -1};
    return icc_make_group(&call, nodes, size);
}

void OB_T(iCC_group_free)(icc_int group)
{
    icc_call call = {"iCC_group_free", -1};
    icc_free_group(&call, group);
}

/* --------------------------------------------------------- as Fortran calls them */

long *OB_T(icc_longs)(icc_call *call, const icc_int *list, icc_int group, int argument)
{
    size_t n = (size_t)ob_group_size(icc_enter(call, group, argument));
    long *result = malloc(n * sizeof *result);
    if (result == NULL)
        icc_fault(call, "OB-4001 no memory for %zu lengths", n);
    for (size_t i = 0; i < n; i++)
        result[i] = icc_long(list[i]);
    return result;
}

OB_FORTRAN(icc_int, icc_mynode, (void), (icc_int)OB_T(iCC_mynode)())
OB_FORTRAN(icc_int, icc_numnodes, (void), (icc_int)OB_T(iCC_numnodes)())
OB_FORTRAN(icc_int, icc_g_mynode, (const icc_int *group), (icc_int)OB_T(iCC_g_mynode)(*group))
OB_FORTRAN(icc_int, icc_g_numnodes, (const icc_int *group), (icc_int)OB_T(iCC_g_numnodes)(*group))
OB_FORTRAN(void, icc_mesh, (const icc_int *rows, const icc_int *columns),
           OB_T(iCC_mesh)(icc_long(*rows), icc_long(*columns)))

void OB_F(icc_meshinfo)(icc_int *rows, icc_int *columns, icc_int *row, icc_int *column)
{
    long value[4];
    OB_T(iCC_meshinfo)(&value[0], &value[1], &value[2], &value[3]);
    *rows = (icc_int)value[0];
    *columns = (icc_int)value[1];
    *row = (icc_int)value[2];
    *column = (icc_int)value[3];
}

icc_int OB_F(icc_group)(const icc_int *nodes, const icc_int *size)
{
    OB_TRACE_CALLER;
    icc_call call = {"iCC_group", -1};
    icc_int count = (icc_int)OB_T(iCC_numnodes)();
    if (*size < 1 || *size > count)
        return OB_T(iCC_group)(NULL, icc_long(*size)); /* says what is wrong */
    long *list = malloc((size_t)*size * sizeof *list);
    if (list == NULL)
        icc_fault(&call, "OB-4001 no memory for a group of %ld processes", (long)*size);
    for (icc_int i = 0; i < *size; i++)
        list[i] = icc_long(nodes[i]);
    icc_int handle = OB_T(iCC_group)(list, icc_long(*size));
    free(list);
    return handle;
}

OB_FORTRAN(void, icc_group_free, (const icc_int *group), OB_T(iCC_group_free)(*group))
