/*
 * System contexts as programs handle them: sys2blacs_handle and its like.
 */
#include <stdlib.h>

#include "grid.h"

obl_int OB_C(sys2blacs_handle)(uintptr_t comm)
{
    obl_call call = {"sys2blacs_handle", -1, NULL};
    return (int)ob_system_from_word(obl_join(&call), comm);
}

uintptr_t OB_C(blacs2sys_handle)(obl_int handle)
{
    obl_call call = {"blacs2sys_handle", -1, NULL};
    ob_job *job = obl_join(&call);
    int *number = NULL, size;

    if (obl_is_grid_handle(handle) && !obl_has_mpi() && obl_serves_mkl())
        return (uintptr_t)handle; /* which says so when it is used */
    if (obl_is_grid_handle(handle))
        return ob_system_to_word(job, obl_handle_comm(&call, handle, OBL_SITE));
    if (handle != (int)handle || ob_system_members(job, handle, &job, &number, &size) != OB_OK)
        obl_fault(&call, "OB-1017 argument 1 (HANDLE) is %" OBL_D ", which is no system context",
                  handle);
    free(number);
    return ob_system_to_word(job, handle);
}

/* A handle owns nothing: communicators are given back with their grids. */
void OB_C(free_blacs_system_handle)(obl_int handle)
{
    (void)handle;
}

obl_int OB_F(sys2blacs_handle)(const obl_int *comm)
{
    return *comm;
}

obl_int OB_F(blacs2sys_handle)(const obl_int *handle)
{
    return *handle;
}

void OB_F(free_blacs_system_handle)(const obl_int *handle)
{
    (void)handle;
}

OBL_NAMES2(sys2blacs_handle, SYS2BLACS_HANDLE)
OBL_NAMES2(blacs2sys_handle, BLACS2SYS_HANDLE)
OBL_NAMES2(free_blacs_system_handle, FREE_BLACS_SYSTEM_HANDLE)
