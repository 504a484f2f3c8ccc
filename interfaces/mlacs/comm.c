/*
 * Communicators and the grids behind them. In an MPI program the communicators
 * of a grid are MPI's; the messages go through the core's groups of the same processes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "room.h"

/* Protects the list of grids and the numbers given to them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static obm_grid *grids;
static long next_number = 16; /* of communicators without MPI */
static atomic_bool initialized;
/* Changes with the list; tells threads that what they remember may be outdated. */
static atomic_uint generation = 1;

/* What a thread has looked up last. */
enum { REMEMBERED = 4 };
static _Thread_local struct {
    unsigned generation;
    MLACS_Comm name;
    obm_comm comm;
} remembered[REMEMBERED];

/* --------------------------------------------------------------------- the job */

static void leave_at_exit(void)
{
    if (obm_job())
        mlacs_exit();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void watch_exit(void)
{
    atexit(leave_at_exit);
}

/* The job of this process; joins it first when need be. */
static int join(const obm_call *call, ob_job **job)
{
    *job = obm_job();
    if (*job)
        return MLACS_SUCCESS;
    int status = ob_job_start(job);
    if (status != OB_OK)
        return obm_status(call, status);
    obm_set_job(*job);
    pthread_once(&once, watch_exit);
    return MLACS_SUCCESS;
}

static bool in_mpi(const ob_job *job)
{
    return ob_job_kind(job) == OB_MPI;
}

MLACS_Comm mlacs_comm_world(void)
{
    ob_job *job;
    const obm_call call = {"mlacs_comm_world", NULL};
    if (join(&call, &job) != MLACS_SUCCESS)
        return (MLACS_Comm)-1;
    return ob_system_to_word(job, ob_system_world(job));
}

MLACS_Comm mlacs_comm_null(void)
{
    ob_job *job;
    const obm_call call = {"mlacs_comm_null", NULL};
    if (join(&call, &job) != MLACS_SUCCESS)
        return (MLACS_Comm)-1;
    return ob_system_to_word(job, ob_system_null(job));
}

/* ------------------------------------------------------------------ the list of grids */

static void unlist(obm_grid *g)
{
    pthread_mutex_lock(&lock);
    obm_grid **link = &grids;
    while (*link != g)
        link = &(*link)->next;
    *link = g->next;
    atomic_fetch_add(&generation, 1);
    pthread_mutex_unlock(&lock);
}

static void free_groups(obm_grid *g)
{
    for (int kind = OBM_COLUMN; kind >= OBM_ALL; kind--) {
        ob_group_free(g->group[kind]);
        g->group[kind] = NULL;
    }
}

static void free_grid(obm_grid *g)
{
    if (g == NULL)
        return;
    free_groups(g);
    free(g);
}

static bool search(MLACS_Comm name, const long *handle, obm_comm *found);

/* The program has called MPI_Comm_free: the name may be another communicator's next. */
static void own_is_freed(long handle)
{
    obm_comm found;
    pthread_mutex_lock(&lock);
    bool known = search(0, &handle, &found) && found.grid->own;
    pthread_mutex_unlock(&lock);
    if (known) {
        unlist(found.grid);
        free_grid(found.grid);
    }
}

/* -------------------------------------------------------------------- looking up */

static bool is_named(const obm_grid *g, int kind)
{
    return !g->own || obm_own_kind(g) == (enum obm_kind)kind;
}

/* By handle, or (NULL) by name. */
static bool search(MLACS_Comm name, const long *handle, obm_comm *found)
{
    for (obm_grid *g = grids; g; g = g->next)
        for (int kind = OBM_ALL; kind <= OBM_COLUMN; kind++)
            if ((handle ? g->handle[kind] == *handle : g->comm[kind] == name) &&
                is_named(g, kind)) {
                *found = (obm_comm){g, (enum obm_kind)kind};
                return true;
            }
    return false;
}

/* A C program may widen an int with its sign. */
static bool search_word(ob_job *job, MLACS_Comm name, obm_comm *found)
{
    if (search(name, NULL, found))
        return true;
    long handle = in_mpi(job) ? ob_system_from_word(job, name) : -1;
    return handle != -1 && search(0, &handle, found);
}

static void enlist(obm_grid *g)
{
    pthread_mutex_lock(&lock);
    g->next = grids;
    grids = g;
    atomic_fetch_add(&generation, 1);
    pthread_mutex_unlock(&lock);
}

static int not_initialized(const obm_call *call)
{
    return obm_fail(
        call, MLACS_ERR_INIT,
        "OB-7201 the MLACS are not initialized; call mlacs_gridinit or mlacs_gridmap first");
}

/* A communicator that no grid has: one of the program's own, or none of use. */
static int find_own(const obm_call *call, ob_job *job, MLACS_Comm name, obm_comm *found)
{
    obm_grid *g = NULL;
    long handle = in_mpi(job) && name != mlacs_comm_null() ? ob_system_from_word(job, name) : -1;
    int code = handle != -1 ? obm_adopt(call, job, handle, &g) : MLACS_ERR_COMM;
    if (code == MLACS_SUCCESS) {
        ob_system_on_free(job, own_is_freed);
        enlist(g);
        atomic_store(&initialized, true);
        *found = (obm_comm){g, obm_own_kind(g)};
        return MLACS_SUCCESS;
    }
    if (!atomic_load(&initialized))
        return not_initialized(call);
    if (name == mlacs_comm_null())
        return obm_fail(call, MLACS_ERR_COMM, "OB-7202 the communicator is MLACS_COMM_NULL");
    if (handle != -1)
        return code;
    return obm_fail(
        call, MLACS_ERR_COMM,
        "OB-7202 the communicator (%#llx) is not one that mlacs_gridinit or mlacs_gridmap made",
        (unsigned long long)name);
}

static int find_slowly(const obm_call *call, MLACS_Comm name, obm_comm *found)
{
    ob_job *job;
    unsigned slot = (unsigned)(name >> 3 ^ name) % REMEMBERED;
    int code = MLACS_SUCCESS;
    if (join(call, &job) != MLACS_SUCCESS)
        return not_initialized(call);
    pthread_mutex_lock(&lock);
    bool known = search_word(job, name, found);
    pthread_mutex_unlock(&lock);
    if (!known)
        code = find_own(call, job, name, found);
    if (code == MLACS_SUCCESS) {
        remembered[slot].generation = atomic_load(&generation);
        remembered[slot].name = name;
        remembered[slot].comm = *found;
    }
    return code;
}

int obm_find(obm_call *call, MLACS_Comm name, obm_comm *found)
{
    unsigned slot = (unsigned)(name >> 3 ^ name) % REMEMBERED;
    int code = MLACS_SUCCESS;
    if (remembered[slot].name == name &&
        remembered[slot].generation == atomic_load_explicit(&generation, memory_order_acquire))
        *found = remembered[slot].comm;
    else
        code = find_slowly(call, name, found);
    if (code == MLACS_SUCCESS)
        call->grid = found->grid;
    return code;
}

int obm_enter(obm_call *call, MLACS_Comm comm, obm_comm *found)
{
    int code = obm_find(call, comm, found);
    if (code == MLACS_SUCCESS && __builtin_expect(!found->grid->group[found->kind], 0))
        code = obm_meet(call, found->grid);
    return code;
}

MLACS_Comm obm_of_handle(long handle)
{
    static _Thread_local struct {
        unsigned generation;
        long handle;
        MLACS_Comm name;
    } last[REMEMBERED];
    unsigned slot = (unsigned)handle % REMEMBERED, now = atomic_load(&generation);
    const obm_call call = {"mlacs", NULL};
    obm_comm found;
    ob_job *job;
    if (last[slot].generation == now && last[slot].handle == handle)
        return last[slot].name;
    if (join(&call, &job) != MLACS_SUCCESS)
        return (MLACS_Comm)-1;
    pthread_mutex_lock(&lock);
    bool known = search(0, &handle, &found);
    pthread_mutex_unlock(&lock);
    if (!known)
        return ob_system_to_word(job, handle);
    last[slot].generation = now;
    last[slot].handle = handle;
    return last[slot].name = found.grid->comm[found.kind];
}

long obm_to_handle(MLACS_Comm comm)
{
    obm_comm found;
    ob_job *job = obm_job();
    pthread_mutex_lock(&lock);
    bool known = search(comm, NULL, &found);
    pthread_mutex_unlock(&lock);
    if (known)
        return found.grid->handle[found.kind];
    return comm == mlacs_comm_null() ? ob_system_null(job) : ob_system_from_word(job, comm);
}

/* ---------------------------------------------------------------- making grids */

/* The processes behind any communicator: their job, which may be another one from then on, and
 * their numbers there in rank order, malloc'ed. */
static int members_of(const obm_call *call, ob_job **of, MLACS_Comm comm, long *handle,
                      int **numbers, int *size)
{
    ob_job *job = *of;
    obm_comm found;
    pthread_mutex_lock(&lock);
    bool known = search(comm, NULL, &found);
    pthread_mutex_unlock(&lock);
    *handle = known ? found.grid->handle[found.kind] : ob_system_from_word(job, comm);
    if (known && !in_mpi(job)) {
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
    if (in_mpi(job))
        return obm_status(call, ob_system_grid(job, handle, ranks, nrow, ncol, made));
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < 3; kind++)
        made[kind] = next_number++;
    pthread_mutex_unlock(&lock);
    return MLACS_SUCCESS;
}

static void enroll(ob_job *job, obm_grid *g, const long made[3], MLACS_Comm *const out[3])
{
    for (int kind = 0; kind < 3; kind++) {
        g->handle[kind] = made[kind];
        *out[kind] = g->comm[kind] = ob_system_to_word(job, made[kind]);
    }
    enlist(g);
}

/* Duplicates of the communicators (MPI_Comm_dup) get numbers that follow from these. */
static int give_keys(const obm_call *call, ob_job *job, const obm_grid *g, const long made[3])
{
    int status = OB_OK;
    for (int kind = 0; in_mpi(job) && status == OB_OK && kind < 3; kind++)
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
    atomic_store(&initialized, true);
    if (code == MLACS_SUCCESS && mine) {
        enroll(job, g, made, out);
        return MLACS_SUCCESS;
    }
    free_grid(g);
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
    int code = join(call, &job);
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
    unlist(g);
    free_groups(g); /* before their communicators */
    for (int kind = 0; in_mpi(job) && kind < 3; kind++) {
        int one = is_named(g, kind) ? obm_status(call, ob_system_free(job, g->handle[kind]))
                                    : MLACS_SUCCESS;
        code = code == MLACS_SUCCESS ? one : code;
    }
    free_grid(g);
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

static void report_unreceived(ob_job *job)
{
    char which[1024];
    size_t count = ob_check_level() ? ob_check_unreceived(job, which, sizeof which) : 0;
    if (count)
        fprintf(stderr,
                "OpenBLACS: warning: mlacs_exit: %zu message%s never received%s%s; process number "
                "%d [OB-5013]\n",
                count, count == 1 ? " was" : "s were", which,
                *which ? "" : "; OPENBLACS_CHECK=3 says which", ob_job_number(job));
}

int mlacs_exit(void)
{
    const obm_call call = {"mlacs_exit", NULL};
    ob_job *job = obm_job();
    if (job == NULL)
        return MLACS_SUCCESS;
    report_unreceived(job);
    /* MPI's communicators are left to MPI_Finalize: freeing is collective, leaving is not. */
    while (grids) {
        obm_grid *g = grids;
        unlist(g);
        free_grid(g);
    }
    atomic_store(&initialized, false);
    int code = obm_status(&call, ob_job_stop(job, 1));
    obm_set_job(NULL);
    return code;
}

int mlacs_initialized(int *flag)
{
    const obm_call call = {"mlacs_initialized", NULL};
    if (flag == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 flag is NULL");
    *flag = atomic_load(&initialized);
    return MLACS_SUCCESS;
}

int mlacs_procinfo(int *me, int *nprocs)
{
    const obm_call call = {"mlacs_procinfo", NULL};
    ob_job *job;
    if (me == NULL || nprocs == NULL)
        return obm_fail(&call, MLACS_ERR_ARG, "OB-1001 %s is NULL", me ? "nprocs" : "me");
    int code = join(&call, &job);
    if (code == MLACS_SUCCESS) {
        *me = ob_job_number(job);
        *nprocs = ob_job_count(job);
    }
    return code;
}

int mlacs_abort(MLACS_Comm comm, int code)
{
    const obm_call call = {"mlacs_abort", NULL};
    ob_job *job;
    (void)comm; /* as in most MPI libraries: all processes of the job */
    int fault = join(&call, &job);
    if (fault == MLACS_SUCCESS)
        ob_job_abort(job, code);
    return fault;
}
