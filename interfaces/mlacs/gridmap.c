/*
 * Making grids and ending them: mlacs_gridinit, mlacs_gridmap and mlacs_gridexit.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "room.h"

static atomic_long next_number = 16; /* of communicators without MPI */

/* ---------------------------------------------------------------- making grids */

/* The processes behind any communicator: their job, which may be another one from then on, and
 * their numbers there in rank order, malloc'ed. */
static int members_of(const obm_call *call, ob_job **of, MLACS_Comm comm, long *handle,
                      int **numbers, int *size)
{
    ob_job *job = *of;
    obm_comm found;
    bool known = obm_known(comm, &found);
    *handle = known ? found.grid->handle[found.kind] : ob_system_from_word(job, comm);
    if (known && !obm_in_mpi(job)) {
        *size = obm_size(&found);
        *numbers = malloc((size_t)*size * sizeof **numbers);
        for (int i = 0; *numbers && i < *size; i++)
            (*numbers)[i] = ob_group_number(found.grid->group[found.kind], i);
        return *numbers ? MLACS_SUCCESS
                        : obm_fail(call, MLACS_ERR_MEMORY,
                                   "OB-4001 no memory for a list of %d processes", *size);
    }
    if (comm == mlacs_comm_null())
        return obm_fail(call, MLACS_ERR_COMM, "OB-7202 comm is MLACS_COMM_NULL");
    int status = *handle == -1 ? OB_EARG : ob_system_members(job, *handle, of, numbers, size);
    if (status == OB_EARG)
        return obm_fail(call, MLACS_ERR_COMM, "comm is no communicator: %s", ob_error_text());
    return obm_status(call, status);
}

static int part_of(const obm_call *call, obm_grid *g, enum obm_kind kind)
{
    int size = kind == OBM_ROW ? g->ncol : g->nrow;
    int *positions = malloc((size_t)size * sizeof *positions);
    if (positions == NULL)
        return obm_fail(call, MLACS_ERR_MEMORY, "OB-4001 no memory for a grid");
    for (int i = 0; i < size; i++)
        positions[i] = kind == OBM_ROW ? g->myrow * g->ncol + i : i * g->ncol + g->mycol;
    int status = ob_group_part(g->group[OBM_ALL], (int)kind, positions, size, &g->group[kind]);
    free(positions);
    return obm_status(call, status);
}

/* numbers: of the members, row-major. */
static int make_groups(const obm_call *call, ob_job *job, obm_grid *g, const int *numbers)
{
    int status = ob_group_create(job, numbers, g->nrow * g->ncol, &g->group[OBM_ALL]);
    if (status == OB_OK)
        status = ob_group_shape(g->group[OBM_ALL], g->nrow, g->ncol, 0);
    if (status != OB_OK)
        return obm_status(call, status);
    int me = ob_group_me(g->group[OBM_ALL]);
    g->myrow = me / g->ncol;
    g->mycol = me % g->ncol;
    int code = part_of(call, g, OBM_ROW);
    return code == MLACS_SUCCESS ? part_of(call, g, OBM_COLUMN) : code;
}

/* The communicators' names, from MPI or our own; all members of `handle` are here. */
static int name_comms(const obm_call *call, ob_job *job, long handle, const int *ranks, int nrow,
                      int ncol, long made[3])
{
    if (obm_in_mpi(job))
        return obm_status(call, ob_system_grid(job, handle, ranks, nrow, ncol, made));
    for (int kind = 0; kind < 3; kind++)
        made[kind] = atomic_fetch_add(&next_number, 1);
    return MLACS_SUCCESS;
}

static void enroll(ob_job *job, obm_grid *g, const long made[3], MLACS_Comm *const out[3])
{
    for (int kind = 0; kind < 3; kind++) {
        g->handle[kind] = made[kind];
        *out[kind] = g->comm[kind] = ob_system_to_word(job, made[kind]);
    }
    obm_enlist(g);
}

/* Duplicates of the communicators (MPI_Comm_dup) get numbers that follow from these. */
static int give_keys(const obm_call *call, ob_job *job, const obm_grid *g, const long made[3])
{
    int status = OB_OK;
    for (int kind = 0; obm_in_mpi(job) && status == OB_OK && kind < 3; kind++)
        status = ob_system_give_key(job, made[kind], ob_group_key(g->group[kind]));
    return obm_status(call, status);
}

/* ranks: in comm, row-major. */
static int make_grid(const obm_call *call, ob_job *job, long handle, const int *members,
                     const int *ranks, int nrow, int ncol, MLACS_Comm *const out[3])
{
    int count = nrow * ncol, mine = 0;
    long made[3];
    int *numbers = malloc((size_t)count * sizeof *numbers);
    obm_grid *g = calloc(1, sizeof *g);
    int code = numbers && g
                   ? MLACS_SUCCESS
                   : obm_fail(call, MLACS_ERR_MEMORY, "OB-4001 no memory for a grid of %d", count);
    for (int k = 0; code == MLACS_SUCCESS && k < count; k++) {
        numbers[k] = members[ranks[k]];
        mine |= numbers[k] == ob_job_number(job);
    }
    if (code == MLACS_SUCCESS) {
        g->nrow = nrow;
        g->ncol = ncol;
        code = name_comms(call, job, handle, ranks, nrow, ncol, made);
    }
    if (code == MLACS_SUCCESS && mine)
        code = make_groups(call, job, g, numbers);
    if (code == MLACS_SUCCESS && mine)
        code = give_keys(call, job, g, made);
    free(numbers);
    obm_initialize();
    if (code == MLACS_SUCCESS && mine) {
        enroll(job, g, made, out);
        return MLACS_SUCCESS;
    }
    obm_free_grid(g);
    for (int kind = 0; kind < 3; kind++)
        *out[kind] = mlacs_comm_null();
    return code;
}

static int check_dims(const obm_call *call, int nrow, int ncol, int size)
{
    if (nrow < 1 || ncol < 1)
        return obm_fail(call, MLACS_ERR_GRID, "OB-1012 nrow is %d and ncol %d, must be at least 1",
                        nrow, ncol);
    if ((long long)nrow * ncol > size)
        return obm_fail(call, MLACS_ERR_GRID,
                        "OB-1011 a %d x %d grid needs %lld processes, comm has %d", nrow, ncol,
                        (long long)nrow * ncol, size);
    return MLACS_SUCCESS;
}

static int check_map(const obm_call *call, const int *ranks, int nrow, int ncol, int size)
{
    char *seen = calloc((size_t)size, 1);
    int code =
        seen ? MLACS_SUCCESS : obm_fail(call, MLACS_ERR_MEMORY, "OB-4001 no memory for a grid");
    for (int k = 0; code == MLACS_SUCCESS && k < nrow * ncol; k++) {
        if (ranks[k] < 0 || ranks[k] >= size)
            code = obm_fail(call, MLACS_ERR_GRID,
                            "OB-1013 usermap names process %d at (%d,%d), comm has %d processes",
                            ranks[k], k / ncol, k % ncol, size);
        else if (seen[ranks[k]]++)
            code =
                obm_fail(call, MLACS_ERR_GRID, "OB-1014 usermap names process %d twice", ranks[k]);
    }
    free(seen);
    return code;
}

/* usermap NULL: row by row. */
static int map_grid(const obm_call *call, const int *usermap, int ldu, int nrow, int ncol,
                    MLACS_Comm comm, MLACS_Comm *const out[3])
{
    ob_job *job;
    long handle;
    int *members = NULL, *ranks = NULL, size = 0;
    if (out[0] == NULL || out[1] == NULL || out[2] == NULL)
        return obm_fail(call, MLACS_ERR_ARG, "OB-1001 there is no place for a communicator");
    int code = obm_join(call, &job);
    if (code == MLACS_SUCCESS)
        code = members_of(call, &job, comm, &handle, &members, &size);
    if (code == MLACS_SUCCESS)
        code = check_dims(call, nrow, ncol, size);
    if (code == MLACS_SUCCESS) {
        ranks = malloc((size_t)nrow * (size_t)ncol * sizeof *ranks);
        if (ranks == NULL)
            code = obm_fail(call, MLACS_ERR_MEMORY, "OB-4001 no memory for a %d x %d grid", nrow,
                            ncol);
    }
    for (int k = 0; code == MLACS_SUCCESS && k < nrow * ncol; k++)
        ranks[k] = usermap ? usermap[k / ncol + (size_t)(k % ncol) * (size_t)ldu] : k;
    if (code == MLACS_SUCCESS)
        code = check_map(call, ranks, nrow, ncol, size);
    if (code == MLACS_SUCCESS)
        code = make_grid(call, job, handle, members, ranks, nrow, ncol, out);
    free(ranks);
    free(members);
    return code;
}

int mlacs_gridinit(MLACS_Comm comm, int nrow, int ncol, MLACS_Comm *commall, MLACS_Comm *commrow,
                   MLACS_Comm *commcol)
{
    OB_TRACE_ROUTINE("mlacs_gridinit");
    const obm_call call = {"mlacs_gridinit", NULL};
    MLACS_Comm *const out[3] = {commall, commrow, commcol};
    return map_grid(&call, NULL, 0, nrow, ncol, comm, out);
}

int mlacs_gridmap(const int *usermap, int ldu, int nrow, int ncol, MLACS_Comm comm,
                  MLACS_Comm *commall, MLACS_Comm *commrow, MLACS_Comm *commcol)
{
    OB_TRACE_ROUTINE("mlacs_gridmap");
    const obm_call call = {"mlacs_gridmap", NULL};
    MLACS_Comm *const out[3] = {commall, commrow, commcol};
    if (usermap == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 usermap is NULL");
    if (ldu < nrow)
        return obm_fail(&call, MLACS_ERR_SIZE, "OB-1004 ldu is %d, must be at least nrow = %d", ldu,
                        nrow);
    return map_grid(&call, usermap, ldu, nrow, ncol, comm, out);
}

/* --------------------------------------------------------------- ending grids */

static int end_grid(const obm_call *call, ob_job *job, obm_grid *g)
{
    int code = MLACS_SUCCESS;
    obm_unlist(g);
    obm_free_groups(g); /* before their communicators */
    for (int kind = 0; obm_in_mpi(job) && kind < 3; kind++) {
        int one = obm_is_named(g, kind) ? obm_status(call, ob_system_free(job, g->handle[kind]))
                                        : MLACS_SUCCESS;
        code = code == MLACS_SUCCESS ? one : code;
    }
    obm_free_grid(g);
    return code;
}

/* The three are of one grid of ours, or the program has made all three as ours are made
 * (MPI_Cart_create, MPI_Cart_sub). */
static bool belong_together(const obm_comm found[3])
{
    const obm_grid *g = found[0].grid;
    if (!g->own)
        return found[0].kind == OBM_ALL && found[1].grid == g && found[1].kind == OBM_ROW &&
               found[2].grid == g && found[2].kind == OBM_COLUMN;
    return found[0].kind == OBM_ALL && found[1].grid->own && found[1].kind == OBM_ROW &&
           found[2].grid->own && found[2].kind == OBM_ROW && found[1].grid != found[2].grid;
}

int mlacs_gridexit(MLACS_Comm *commall, MLACS_Comm *commrow, MLACS_Comm *commcol)
{
    obm_call call = {"mlacs_gridexit", NULL};
    MLACS_Comm *const out[3] = {commall, commrow, commcol};
    obm_comm found[3];
    int code = MLACS_SUCCESS;
    if (commall == NULL || commrow == NULL || commcol == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 a communicator's address is NULL");
    for (int kind = 0; code == MLACS_SUCCESS && kind < 3; kind++)
        code = obm_find(&call, *out[kind], &found[kind]);
    if (code != MLACS_SUCCESS)
        return code;
    if (!belong_together(found))
        return obm_fail(
            &call, MLACS_ERR_COMM,
            "OB-7205 these are not the communicators of one grid, its row and its column");
    call.grid = NULL;
    int grids_there = found[0].grid->own ? 3 : 1;
    for (int kind = 0; kind < grids_there; kind++) {
        int one = end_grid(&call, obm_job(), found[kind].grid);
        code = code == MLACS_SUCCESS ? one : code;
    }
    for (int kind = 0; kind < 3; kind++)
        *out[kind] = mlacs_comm_null();
    return code;
}
