/*
 * The job, communicators, and which grids are behind them. In an MPI program the communicators
 * of a grid are MPI's; the messages go through the core's groups of the same processes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "room.h"

/* Protects the list of grids. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static obm_grid *grids;
static atomic_bool initialized;
/* Changes behind the list; tells threads that what they remember may be outdated: it is loaded
 * before the look-up that is remembered. A program can use the name of a new communicator only
 * after it was made; the change of generation was stored (release) before that, and the look at
 * it (acquire) comes after. */
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

int obm_join(const obm_call *call, ob_job **job)
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

MLACS_Comm mlacs_comm_world(void)
{
    ob_job *job;
    const obm_call call = {"mlacs_comm_world", NULL};
    if (obm_join(&call, &job) != MLACS_SUCCESS)
        return (MLACS_Comm)-1;
    return ob_system_to_word(job, ob_system_world(job));
}

MLACS_Comm mlacs_comm_null(void)
{
    ob_job *job;
    const obm_call call = {"mlacs_comm_null", NULL};
    if (obm_join(&call, &job) != MLACS_SUCCESS)
        return (MLACS_Comm)-1;
    return ob_system_to_word(job, ob_system_null(job));
}

/* ------------------------------------------------------------------ the list of grids */

void obm_enlist(obm_grid *g)
{
    pthread_mutex_lock(&lock);
    g->next = grids;
    grids = g;
    atomic_fetch_add(&generation, 1);
    pthread_mutex_unlock(&lock);
}

void obm_unlist(obm_grid *g)
{
    pthread_mutex_lock(&lock);
    obm_grid **link = &grids;
    while (*link != g)
        link = &(*link)->next;
    *link = g->next;
    atomic_fetch_add(&generation, 1);
    pthread_mutex_unlock(&lock);
}

void obm_free_groups(obm_grid *g)
{
    for (int kind = OBM_COLUMN; kind >= OBM_ALL; kind--) {
        ob_group_free(g->group[kind]);
        g->group[kind] = NULL;
    }
}

void obm_free_grid(obm_grid *g)
{
    if (g == NULL)
        return;
    obm_free_groups(g);
    free(g);
}

/* -------------------------------------------------------------------- looking up */

/* By handle, or (NULL) by name. */
static bool search(MLACS_Comm name, const long *handle, obm_comm *found)
{
    *found = (obm_comm){NULL, OBM_ALL};
    pthread_mutex_lock(&lock);
    for (obm_grid *g = grids; g && found->grid == NULL; g = g->next)
        for (int kind = OBM_ALL; kind <= OBM_COLUMN; kind++)
            if ((handle ? g->handle[kind] == *handle : g->comm[kind] == name) &&
                obm_is_named(g, kind))
                *found = (obm_comm){g, (enum obm_kind)kind};
    pthread_mutex_unlock(&lock);
    return found->grid;
}

bool obm_known(MLACS_Comm name, obm_comm *found)
{
    return search(name, NULL, found);
}

/* A C program may widen an int with its sign. */
static bool search_word(ob_job *job, MLACS_Comm name, obm_comm *found)
{
    if (search(name, NULL, found))
        return true;
    long handle = obm_in_mpi(job) ? ob_system_from_word(job, name) : -1;
    return handle != -1 && search(0, &handle, found);
}

void obm_initialize(void)
{
    atomic_store(&initialized, true);
}

static int not_initialized(const obm_call *call)
{
    return obm_fail(
        call, MLACS_ERR_INIT,
        "OB-7201 the MLACS are not initialized; call mlacs_gridinit or mlacs_gridmap first");
}

/* The program has called MPI_Comm_free: the name may be another communicator's next. */
static void own_is_freed(long handle)
{
    obm_comm found;
    if (search(0, &handle, &found) && found.grid->own) {
        obm_unlist(found.grid);
        obm_free_grid(found.grid);
    }
}

/* A communicator that no grid has: one of the program's own, or none of use. */
static int find_own(const obm_call *call, ob_job *job, MLACS_Comm name, obm_comm *found)
{
    obm_grid *g = NULL;
    long handle =
        obm_in_mpi(job) && name != mlacs_comm_null() ? ob_system_from_word(job, name) : -1;
    int code = handle != -1 ? obm_adopt(call, job, handle, &g) : MLACS_ERR_COMM;
    if (code == MLACS_SUCCESS) {
        ob_system_on_free(job, own_is_freed);
        obm_enlist(g);
        obm_initialize();
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
    unsigned now = atomic_load(&generation);
    int code = MLACS_SUCCESS;
    if (obm_join(call, &job) != MLACS_SUCCESS)
        return not_initialized(call);
    if (!search_word(job, name, found))
        code = find_own(call, job, name, found);
    if (code == MLACS_SUCCESS) {
        remembered[slot].generation = now;
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
    if (obm_join(&call, &job) != MLACS_SUCCESS)
        return (MLACS_Comm)-1;
    if (!search(0, &handle, &found))
        return ob_system_to_word(job, handle);
    last[slot].generation = now;
    last[slot].handle = handle;
    return last[slot].name = found.grid->comm[found.kind];
}

long obm_to_handle(MLACS_Comm comm)
{
    obm_comm found;
    ob_job *job = obm_job();
    if (obm_known(comm, &found))
        return found.grid->handle[found.kind];
    return comm == mlacs_comm_null() ? ob_system_null(job) : ob_system_from_word(job, comm);
}

/* ------------------------------------------------------------------------ the end */

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
        obm_unlist(g);
        obm_free_grid(g);
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
    int code = obm_join(&call, &job);
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
    int fault = obm_join(&call, &job);
    if (fault == MLACS_SUCCESS)
        ob_job_abort(job, code);
    return fault;
}
