/*
 * Context numbers, and the process's membership of its job.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "begun.h"
#include "common/handles.h"

static struct {
    pthread_mutex_t lock; /* held by all that change what follows */
    ob_handles grids;     /* was: row and column of this process */
    atomic_int high;      /* contexts ever used: 0 .. high-1 */
    int live;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { NEVER_JOINED, JOINED, LEFT };
static atomic_int state = NEVER_JOINED;

ob_job *obl_join(const obl_call *call)
{
    ob_job *job = obl_job();
    if (job)
        return job;
    if (ob_job_start(&job) != OB_OK)
        obl_fault(call, "%s", ob_error_text());
    obl_set_job(job);
    atomic_store(&state, JOINED);
    return job;
}

obl_grid *obl_find(int64_t context)
{
    return ob_handle_find(&table.grids, context);
}

/* Why there is no grid behind the context of this call. */
static _Noreturn void no_grid(obl_call *call)
{
    obl_grid gone = {0};
    int high = atomic_load(&table.high);
    const char *why = "is no grid of this process";

    if (atomic_load(&state) == LEFT)
        why = "cannot be used: blacs_exit has released all grids";
    else if (call->context == -1)
        why = "says that this process is not in the grid; it must not communicate there";
    else if (high == 0)
        why = "cannot be used before a grid exists: call blacs_gridinit or blacs_gridmap first";
    else if (call->context >= 0 && call->context < high) {
        why = "is a grid that blacs_gridexit has released";
        gone.myrow = atomic_load(&ob_handle_of(&table.grids, call->context)->was[0]);
        gone.mycol = atomic_load(&ob_handle_of(&table.grids, call->context)->was[1]);
        call->grid = &gone;
    }
    obl_fault(call, "OB-1016 argument 1 (ICONTXT) is %" PRId64 ", which %s", call->context, why);
}

ob_job *ob_blacs_job(int64_t context)
{
    const obl_grid *grid = obl_find(context);
    return grid ? ob_group_job(grid->point) : NULL;
}

ob_group *ob_blacs_group(int64_t context, char scope)
{
    const obl_grid *grid = obl_find(context);
    if (grid == NULL)
        return NULL;
    return scope == 'A' ? grid->all : scope == 'R' ? grid->row : grid->column;
}

obl_grid *obl_enter(obl_call *call)
{
    obl_grid *grid = obl_find(call->context);
    if (!grid)
        no_grid(call);
    call->grid = grid;
    return grid;
}

/* How many grids are alive, when the user asked to be told. */
static void report_leaks(void)
{
    const char *verbose = secure_getenv("OPENBLACS_VERBOSE");
    if (table.live == 0 || !verbose || strcmp(verbose, "1") != 0)
        return;
    fprintf(stderr, "OpenBLACS: %d grid%s never released; process number %d [OB-5014]\n",
            table.live, table.live == 1 ? " was" : "s were", obl_number());
}

int obl_enroll(obl_grid *grid)
{
    static int reporting;

    pthread_mutex_lock(&table.lock);
    int context = ob_handle_give(&table.grids, grid);
    if (context >= 0) {
        table.live++;
        if (context >= atomic_load(&table.high))
            atomic_store(&table.high, context + 1);
        if (!reporting)
            reporting = atexit(report_leaks) == 0;
    }
    pthread_mutex_unlock(&table.lock);
    return context;
}

void obl_release(int context)
{
    pthread_mutex_lock(&table.lock);
    obl_grid *grid = obl_find(context);
    if (grid) {
        atomic_store(&ob_handle_of(&table.grids, context)->was[0], grid->myrow);
        atomic_store(&ob_handle_of(&table.grids, context)->was[1], grid->mycol);
        ob_handle_take_back(&table.grids, context);
        table.live--;
    }
    pthread_mutex_unlock(&table.lock);
    obl_grid_free(grid);
}

static void report_unreceived(const obl_call *call, ob_job *job)
{
    char which[1024];
    size_t count = ob_check_level() ? ob_check_unreceived(job, which, sizeof which) : 0;
    if (count)
        obl_warn(call, "OB-5013 %zu message%s never received%s%s", count,
                 count == 1 ? " was" : "s were", which,
                 *which ? "" : "; OPENBLACS_CHECK=3 says which");
}

void obl_leave(const obl_call *call, int finalize)
{
    ob_job *job = obl_job();
    if (!job)
        return;
    report_leaks();
    report_unreceived(call, job);
    obl_forget_begun(call);
    for (int c = 0; c < atomic_load(&table.high); c++)
        if (obl_find(c))
            obl_release(c);
    atomic_store(&table.high, 0);
    obl_check(call, ob_job_stop(job, finalize));
    atomic_store(&state, LEFT);
    obl_set_job(NULL);
}
