/*
 * Making grids: from a list of processes of a system context to groups of the core.
 */
#include <stdlib.h>

#include "common/fault.h"
#include "common/fortran.h"
#include "grid.h"

enum { MAP_ARGUMENT = 2 };
enum { STREAM_ROW = 1, STREAM_COLUMN, STREAM_ALL }; /* and OBL_STREAM_SYSTEM */

/* The processes of a system context. */
typedef struct members {
    ob_job *job;
    int *number; /* job numbers; malloc'ed */
    int size;
} members;

static void *need(const obl_call *call, void *memory)
{
    if (!memory)
        obl_fault(call, "OB-4001 no memory for a grid");
    return memory;
}

static members members_of_group(const obl_call *call, const ob_group *group)
{
    members of = {.job = ob_group_job(group), .size = ob_group_size(group)};
    of.number = need(call, malloc((size_t)of.size * sizeof(int)));
    for (int i = 0; i < of.size; i++)
        of.number[i] = ob_group_number(group, i);
    return of;
}

static members members_of(const obl_call *call, ob_job *job, obl_int handle)
{
    members of;
    const ob_group *group = obl_handle_group(call, handle);

    if (group)
        return members_of_group(call, group);
    int status = handle == (int)handle
                     ? ob_system_members(job, handle, &of.job, &of.number, &of.size)
                     : OB_EARG;
    if (status == OB_EARG)
        obl_fault(call,
                  "OB-1017 argument 1 (ICONTXT) is %" OBL_D
                  ", which is no system context; use what blacs_get or "
                  "sys2blacs_handle gave%s",
                  handle,
                  obl_has_mpi() ? ""
                                : "; this run has no MPI: start a program that calls MPI itself "
                                  "with its mpirun");
    obl_check(call, status);
    return of;
}

/* A grid about to be made: rank(i, j) of the system context is at (i, j). */
typedef struct plan {
    obl_int nprow, npcol;
    obl_int row_step, column_step; /* of a natural order, */
    const obl_int *map;            /* or of this map */
    int argument;                  /* number of the argument NPROW */
} plan;

static obl_int rank_at(const plan *p, int i, int j)
{
    ptrdiff_t at = (ptrdiff_t)i * p->row_step + (ptrdiff_t)j * p->column_step;
    return p->map ? p->map[at] : (obl_int)at;
}

static void check_plan(const obl_call *call, const plan *p)
{
    if (p->nprow < 1)
        obl_fault(call, "OB-1012 argument %d (NPROW) is %" OBL_D ", must be at least 1",
                  obl_argument(call, p->argument), p->nprow);
    if (p->npcol < 1)
        obl_fault(call, "OB-1012 argument %d (NPCOL) is %" OBL_D ", must be at least 1",
                  obl_argument(call, p->argument + 1), p->npcol);
}

static void check_count(const obl_call *call, const plan *p, const members *from)
{
    double wanted = (double)p->nprow * (double)p->npcol;
    if (wanted > from->size)
        obl_fault(call,
                  "OB-1011 arguments %d and %d (NPROW, NPCOL) are %" OBL_D " and %" OBL_D
                  ": that takes %.0f processes, "
                  "the %s has %d%s",
                  obl_argument(call, p->argument), obl_argument(call, p->argument + 1), p->nprow,
                  p->npcol, wanted, obl_whole(), from->size, ob_fault_alone(obl_job()));
}

/* The row-major list of job numbers of the grid; malloc'ed. */
static int *list_of(const obl_call *call, const plan *p, const members *from)
{
    int *list = need(call, malloc((size_t)p->nprow * (size_t)p->npcol * sizeof(int)));
    char *seen = need(call, calloc((size_t)from->size, 1));

    for (int i = 0; i < p->nprow; i++)
        for (int j = 0; j < p->npcol; j++) {
            obl_int rank = rank_at(p, i, j);
            if (rank < 0 || rank >= from->size)
                obl_fault(call,
                          "OB-1013 argument %d (USERMAP) has %" OBL_D
                          " at (%d,%d), must be 0 to %d, the processes "
                          "of the %s",
                          obl_argument(call, MAP_ARGUMENT), rank, i, j, from->size - 1,
                          obl_whole());
            if (seen[rank])
                obl_fault(call,
                          "OB-1014 argument %d (USERMAP) has process %" OBL_D
                          " at (%d,%d) a second time",
                          obl_argument(call, MAP_ARGUMENT), rank, i, j);
            seen[rank] = 1;
            list[i * p->npcol + j] = from->number[rank];
        }
    free(seen);
    return list;
}

static int position_of(const int *list, int size, int number)
{
    for (int i = 0; i < size; i++)
        if (list[i] == number)
            return i;
    return -1;
}

static obl_grid *make_grid(const obl_call *call, ob_job *job, const plan *p, const int *list,
                           int me)
{
    int nprow = (int)p->nprow, npcol = (int)p->npcol;
    obl_grid *grid = need(call, malloc(sizeof *grid));

    *grid = (obl_grid){.nprow = nprow,
                       .npcol = npcol,
                       .myrow = me / npcol,
                       .mycol = me % npcol,
                       .broadcast_rings = 1,
                       .broadcast_branches = 1,
                       .combine_rings = 1,
                       .combine_branches = 1,
                       .last_source = -1};
    obl_check(call, ob_group_create(job, list, nprow * npcol, &grid->point));
    obl_make_part(call, grid, STREAM_ROW, grid->myrow * npcol, 1, npcol, &grid->row);
    obl_make_part(call, grid, STREAM_COLUMN, grid->mycol, npcol, nprow, &grid->column);
    obl_make_part(call, grid, STREAM_ALL, 0, 1, nprow * npcol, &grid->all);
    return grid;
}

/* *context: a system context in, the grid's context or -1 out. */
static void grid_of_plan(const obl_call *call, obl_int *context, const plan *p)
{
    ob_job *world = obl_join(call);
    check_plan(call, p);
    members from = members_of(call, world, *context);
    check_count(call, p, &from);
    int *list = list_of(call, p, &from);
    int size = (int)(p->nprow * p->npcol), me = position_of(list, size, ob_job_number(from.job));

    *context = -1;
    if (me >= 0) {
        obl_grid *grid = make_grid(call, from.job, p, list, me);
        *context = obl_enroll(grid);
        if (*context < 0)
            obl_fault(call, "OB-4012 no context number or no memory left for one more grid");
    }
    free(list);
    free(from.number);
    obl_end_call(call);
}

void OB_C(blacs_gridinit)(obl_int *context, const char *order, obl_int nprow, obl_int npcol)
{
    obl_call call = {"blacs_gridinit", *context, NULL};
    obl_trace(&call, OBL_SITE);
    int by_columns = obl_letter(order) == 'C';
    plan p = {.nprow = nprow,
              .npcol = npcol,
              .row_step = by_columns ? 1 : npcol,
              .column_step = by_columns ? nprow : 1,
              .argument = 3};
    grid_of_plan(&call, context, &p);
}

OB_FORTRAN(void, blacs_gridinit,
           (obl_int * context, const char *order, const obl_int *nprow, const obl_int *npcol),
           OB_C(blacs_gridinit)(context, order, *nprow, *npcol))

void OB_C(blacs_gridmap)(obl_int *context, const obl_int *usermap, obl_int ldumap, obl_int nprow,
                         obl_int npcol)
{
    obl_call call = {"blacs_gridmap", *context, NULL};
    obl_trace(&call, OBL_SITE);
    plan p = {.nprow = nprow,
              .npcol = npcol,
              .row_step = 1,
              .column_step = ldumap,
              .map = usermap,
              .argument = 4};
    if (!usermap)
        obl_fault(&call, "OB-1001 argument %d (USERMAP) is NULL",
                  obl_argument(&call, MAP_ARGUMENT));
    if (npcol > 1 && ldumap < nprow)
        obl_fault(&call,
                  "OB-1004 argument %d (LDUMAP) is %" OBL_D ", must be at least NPROW = %" OBL_D,
                  obl_argument(&call, MAP_ARGUMENT + 1), ldumap, nprow);
    grid_of_plan(&call, context, &p);
}

OB_FORTRAN(void, blacs_gridmap,
           (obl_int * context, const obl_int *usermap, const obl_int *ldumap, const obl_int *nprow,
            const obl_int *npcol),
           OB_C(blacs_gridmap)(context, usermap, *ldumap, *nprow, *npcol))
OBL_NAMES2(blacs_gridinit, BLACS_GRIDINIT)
OBL_NAMES2(blacs_gridmap, BLACS_GRIDMAP)
