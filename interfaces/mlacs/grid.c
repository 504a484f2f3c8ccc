/*
 * Questions to a grid, and its barrier.
 */
#include "room.h"

int mlacs_gridinfo(MLACS_Comm comm, int *nrow, int *ncol, int *myrow, int *mycol)
{
    obm_call call = {"mlacs_gridinfo", NULL};
    obm_comm c;
    int code = obm_find(&call, comm, &c);
    if (code != MLACS_SUCCESS)
        return code;
    if (nrow == NULL || ncol == NULL || myrow == NULL || mycol == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 the address of a result is NULL");
    *nrow = c.kind == OBM_ROW ? 1 : c.grid->nrow;
    *ncol = c.kind == OBM_COLUMN ? 1 : c.grid->ncol;
    *myrow = c.kind == OBM_ROW ? MLACS_IGNORE : c.grid->myrow;
    *mycol = c.kind == OBM_COLUMN ? MLACS_IGNORE : c.grid->mycol;
    return MLACS_SUCCESS;
}

int mlacs_cart_rank(MLACS_Comm comm, int row, int col, int *rank)
{
    obm_call call = {"mlacs_cart_rank", NULL};
    obm_comm c;
    int code = obm_find(&call, comm, &c);
    if (code != MLACS_SUCCESS)
        return code;
    if (rank == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 rank is NULL");
    return obm_dest(&call, &c, row, col, rank);
}

int mlacs_cart_coords(MLACS_Comm comm, int rank, int *row, int *col)
{
    obm_call call = {"mlacs_cart_coords", NULL};
    obm_comm c;
    int code = obm_find(&call, comm, &c);
    if (code != MLACS_SUCCESS)
        return code;
    if (row == NULL || col == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 %s is NULL", row ? "col" : "row");
    if (rank < 0 || rank >= obm_size(&c))
        return obm_fail(&call, MLACS_ERR_PROCESS,
                        "OB-1009 rank is %d, the communicator has %d processes", rank,
                        obm_size(&c));
    *row = c.kind == OBM_ALL ? rank / c.grid->ncol : c.kind == OBM_ROW ? MLACS_IGNORE : rank;
    *col = c.kind == OBM_ALL ? rank % c.grid->ncol : c.kind == OBM_COLUMN ? MLACS_IGNORE : rank;
    return MLACS_SUCCESS;
}

int mlacs_barrier(MLACS_Comm comm)
{
    OB_TRACE_ROUTINE("mlacs_barrier");
    obm_call call = {"mlacs_barrier", NULL};
    obm_comm c;
    int code = obm_enter(&call, comm, &c);
    if (code != MLACS_SUCCESS)
        return code;
    OB_TRACE_SCOPE("ARC"[c.kind]);
    return obm_status(&call, ob_barrier(c.grid->group[c.kind]));
}
