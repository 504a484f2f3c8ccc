/*
 * Context numbers: a growing table of grids, looked up without a lock, and
 * the process's membership of its job. The lowest free number is used next,
 * so that the processes of equal histories get equal numbers.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "begun.h"

/* Chunks are made when first needed and never move or go, so a lookup needs
 * no lock. */
enum { CHUNK = 1024, CHUNKS = 4096 };
typedef struct slot {
    _Atomic(obl_grid *) grid;
    atomic_int was_row, was_column; /* of this process in the grid that is gone */
} slot;

static struct {
    _Atomic(slot *) chunk[CHUNKS];
    pthread_mutex_t lock; /* held by all that change what follows */
    atomic_int high;      /* contexts ever used: 0 .. high-1 */
    int lowest;           /* all below are in use */
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

static slot *slot_of(int64_t context)
{
    uint64_t at = (uint64_t)context; /* negative ones are large */
    if (at >= (uint64_t)CHUNK * CHUNKS)
        return NULL;
    slot *chunk = atomic_load_explicit(&table.chunk[at / CHUNK], memory_order_acquire);
    return chunk ? &chunk[at % CHUNK] : NULL;
}

obl_grid *obl_find(int64_t context)
{
    slot *s = slot_of(context);
    return s ? atomic_load_explicit(&s->grid, memory_order_acquire) : NULL;
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
        gone.myrow = atomic_load(&slot_of(call->context)->was_row);
        gone.mycol = atomic_load(&slot_of(call->context)->was_column);
        call->grid = &gone;
    }
    obl_fault(call, "OB-1016 argument 1 (ICONTXT) is %" PRId64 ", which %s", call->context, why);
}

ob_job *ob_blacs_job(int64_t context)
{
    const obl_grid *grid = obl_find(context);
    return grid ? ob_group_job(grid->point) : NULL;
}

ob_group *ob_blacs_group(int64_t context)
{
    const obl_grid *grid = obl_find(context);
    return grid ? grid->all : NULL;
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

/* The next free slot at or above table.lowest; NULL when memory or numbers
 * have run out. */
static slot *free_slot(int *context)
{
    for (int c = table.lowest; c < CHUNK * CHUNKS; c++) {
        _Atomic(slot *) *chunk = &table.chunk[c / CHUNK];
        if (!atomic_load(chunk)) {
            slot *fresh = calloc(CHUNK, sizeof *fresh);
            if (!fresh)
                return NULL;
            atomic_store_explicit(chunk, fresh, memory_order_release);
        }
        *context = c;
        if (!obl_find(c))
            return slot_of(c);
    }
    return NULL;
}

int obl_enroll(obl_grid *grid)
{
    static int reporting;
    int context = -1;

    pthread_mutex_lock(&table.lock);
    slot *s = free_slot(&context);
    if (s) {
        atomic_store_explicit(&s->grid, grid, memory_order_release);
        table.lowest = context + 1;
        table.live++;
        if (context >= atomic_load(&table.high))
            atomic_store(&table.high, context + 1);
        if (!reporting)
            reporting = atexit(report_leaks) == 0;
    }
    pthread_mutex_unlock(&table.lock);
    return s ? context : -1;
}

void obl_release(int context)
{
    pthread_mutex_lock(&table.lock);
    slot *s = slot_of(context);
    obl_grid *grid = atomic_exchange(&s->grid, NULL);
    if (grid) {
        atomic_store(&s->was_row, grid->myrow);
        atomic_store(&s->was_column, grid->mycol);
        table.live--;
        if (context < table.lowest)
            table.lowest = context;
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
