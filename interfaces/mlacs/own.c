/*
 * Communicators that an MPI program has made itself: those with a Cartesian topology of one or two
 * dimensions are grids, too. What they look like is known to each process alone; their group is
 * made by the first call that communicates on them.
 */
#include <stdlib.h>

#include "room.h"

static int kind_of(const obm_call *call, int dimensions)
{
    if (dimensions == 0)
        return obm_fail(
            call, MLACS_ERR_COMM,
            "OB-7202 the communicator is not one that mlacs_gridinit or mlacs_gridmap made, and "
            "has no Cartesian topology (MPI_Cart_create)");
    if (dimensions > 2)
        return obm_fail(
            call, MLACS_ERR_TOPOLOGY,
            "OB-7203 the communicator has a Cartesian topology of %d dimensions, must be 1 or 2",
            dimensions);
    return MLACS_SUCCESS;
}

/* Ranks of a Cartesian communicator are row-major in its coordinates. */
static int place_of(const obm_call *call, ob_job *job, long handle, obm_grid *g)
{
    int *numbers, size, me = 0;
    int status = ob_system_members(job, handle, &job, &numbers, &size);
    if (status != OB_OK)
        return obm_status(call, status);
    while (me < size && numbers[me] != ob_job_number(job))
        me++;
    free(numbers);
    g->myrow = me / g->ncol;
    g->mycol = me % g->ncol;
    return MLACS_SUCCESS;
}

int obm_adopt(const obm_call *call, ob_job *job, long handle, obm_grid **grid)
{
    int dimensions, dims[2] = {1, 1}, periods[2] = {0, 0};
    int status = ob_system_cartesian(job, handle, &dimensions, dims, periods);
    if (status != OB_OK)
        return obm_status(call, status);
    int code = kind_of(call, dimensions);
    if (code != MLACS_SUCCESS)
        return code;
    obm_grid *g = calloc(1, sizeof *g);
    if (g == NULL)
        return obm_fail(call, MLACS_ERR_MEMORY, "OB-4001 no memory for a grid");
    bool line = dimensions == 1;
    enum obm_kind kind = line ? OBM_ROW : OBM_ALL;
    *g = (obm_grid){.own = true,
                    .nrow = line ? 1 : dims[0],
                    .ncol = line ? dims[0] : dims[1],
                    .row_periodic = !line && periods[0],
                    .col_periodic = line ? periods[0] : periods[1]};
    for (int k = 0; k < 3; k++)
        g->handle[k] = ob_system_null(job);
    g->handle[kind] = handle;
    g->comm[kind] = ob_system_to_word(job, handle);
    code = place_of(call, job, handle, g);
    if (code != MLACS_SUCCESS) {
        free(g);
        return code;
    }
    *grid = g;
    return MLACS_SUCCESS;
}

int obm_meet(const obm_call *call, obm_grid *g)
{
    ob_job *job = obm_job();
    enum obm_kind kind = obm_own_kind(g);
    ob_group *group = NULL;
    uint64_t key;
    int *numbers = NULL, size;
    int status = ob_system_key(job, g->handle[kind], &key);
    if (status == OB_OK)
        status = ob_system_members(job, g->handle[kind], &job, &numbers, &size);
    if (status == OB_OK)
        status = ob_group_create_as(job, numbers, size, key, &group);
    if (status == OB_OK)
        status = ob_group_shape(group, g->nrow, g->ncol, 0);
    free(numbers);
    if (status == OB_OK)
        g->group[kind] = group;
    else
        ob_group_free(group);
    return obm_status(call, status);
}
