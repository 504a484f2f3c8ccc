/*
 * System contexts, and the communicators of grids. A grid spends none; whoever asks for
 * one (blacs2sys_handle, in Fortran blacs_get) gets a communicator of the library's own making, in
 * the order of the grid, on which no message but the program's own is ever seen. One serves all
 * grids of one list of processes, and it is given back with the last of those that asked.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "comms.h"

/* The system context of a part of a grid is this number, plus so many for each part, plus
 * the grid's context. No MPI library uses it for a Fortran communicator handle. */
enum { GRID_HANDLE = 0x5B000000, CONTEXTS = 1 << 22 };

/* How long the members of a grid wait for each other before a line says so, and before
 * the job ends. */
static const double LINE_SECONDS = 10, END_SECONDS = 300;

/* ---------------------------------------------------------------- handles */

int obl_handle(int context, enum obl_part part)
{
    return GRID_HANDLE + (int)part * CONTEXTS + context;
}

int obl_is_grid_handle(int64_t handle)
{
    return handle >= GRID_HANDLE && handle < GRID_HANDLE + OBL_PARTS * CONTEXTS;
}

static ob_group *group_of(const obl_call *call, const obl_grid *grid, enum obl_part part)
{
    if (part != OBL_ALL && grid->position)
        obl_fault(call,
                  "OB-1026 the context is a scope (blacs_scope), which has no rows and columns");
    return part == OBL_ALL ? grid->all : part == OBL_ROW ? grid->row : grid->column;
}

/* The grid and part behind a grid handle. */
static obl_grid *grid_of(const obl_call *call, int64_t handle, enum obl_part *part)
{
    int context = (int)(handle - GRID_HANDLE) % CONTEXTS;
    obl_grid *grid = obl_find(context);
    if (!grid)
        obl_fault(call,
                  "OB-1017 argument 1 (%s) is %" PRId64
                  ", the system context of grid %d, which was released",
                  call->context == handle ? "ICONTXT" : "HANDLE", handle, context);
    *part = (enum obl_part)((handle - GRID_HANDLE) / CONTEXTS);
    return grid;
}

const ob_group *obl_handle_group(const obl_call *call, int64_t handle)
{
    enum obl_part part;
    if (!obl_is_grid_handle(handle))
        return NULL;
    const obl_grid *grid = grid_of(call, handle, &part);
    return group_of(call, grid, part);
}

/* -------------------------------------------------------------- agreement */

/* Members ask for a part's communicator for the first time. They may have released earlier grids
 * of the same processes at different moments, so some may still hold a communicator that
 * others have given back: each says which one it holds, and the first member decides. */
typedef struct asking {
    const obl_call *call;
    const obl_grid *grid;
    enum obl_part part;
    ob_group *group; /* for nothing but this */
    int waits;       /* for how many */
    ob_request **request;
    int *from; /* position of each */
} asking;

static void say(const asking *a, int to, uint64_t word)
{
    ob_view view = ob_view_vector(&word, sizeof word, OB_BYTE);
    obl_check(a->call, ob_send(a->group, to, 0, &view));
}

static void listen(const asking *a, int from, uint64_t *word, ob_request **request)
{
    ob_view view = ob_view_vector(word, sizeof *word, OB_BYTE);
    obl_check(a->call, ob_irecv(a->group, from, 0, &view, OB_EXACT, request));
}

/* {row,column} of the first member that has not answered. */
static void missing(const asking *a, char text[static 64])
{
    int left = 0, first = -1;
    for (int k = a->waits - 1; k >= 0; k--)
        if (a->request[k]) {
            first = a->from[k];
            left++;
        }
    int at = a->grid->listed      ? a->grid->listed[first]
             : a->part == OBL_ALL ? first
             : a->part == OBL_ROW ? a->grid->myrow * a->grid->npcol + first
                                  : first * a->grid->npcol + a->grid->mycol;
    int used = snprintf(text, 64, "{%d,%d}", at / a->grid->npcol, at % a->grid->npcol);
    if (left > 1)
        snprintf(text + used, 64 - (size_t)used, " and %d other%s", left - 1, left > 2 ? "s" : "");
}

static const char *const together =
    "the first call for a grid's communicator is made by all of its processes";

/* Takes what has come. How many are still missing. */
static int look(const asking *a)
{
    int left = 0;
    for (int k = 0; k < a->waits; k++) {
        int done = 1;
        if (a->request[k] && ob_test(&a->request[k], &done, NULL) != OB_OK)
            obl_fault(a->call, "%s: %s", together, ob_error_text());
        left += !done;
    }
    return left;
}

/* Until all have answered: a line when that takes long, and in the end the job's. */
static void look_long(const asking *a)
{
    const struct timespec nap = {0, 50000};
    char who[64];
    int said = 0;
    unsigned looks = 0;
    double begun = ob_time();

    while (look(a)) {
        double waited = ob_time() - begun;
        if (waited > LINE_SECONDS && !said++) {
            missing(a, who);
            obl_warn(a->call, "OB-5107 waits for process %s to make this call, too: %s", who,
                     together);
        }
        if (waited > END_SECONDS) {
            missing(a, who);
            obl_fault(a->call, "OB-5107 waited %.0f s for process %s: %s", END_SECONDS, who,
                      together);
        }
        if (++looks < 1024)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
}

/* OPENBLACS_CHECK=2 sees a wait, and ends one that nobody can end. */
static void await(const asking *a)
{
    if (ob_check_level() < 2)
        look_long(a);
    else if (ob_wait_all(a->waits, a->request, NULL) != OB_OK)
        obl_fault(a->call, "%s: %s", together, ob_error_text());
}

/* The first member: hears of all others, tells them that it is here, and decides. */
static uint64_t decide(asking *a, uint64_t mine, uint64_t *theirs)
{
    uint64_t id = mine;
    for (int k = 0; k < a->waits; k++) {
        a->from[k] = k + 1;
        listen(a, k + 1, &theirs[k], &a->request[k]);
        say(a, k + 1, 0);
    }
    await(a);
    for (int k = 0; k < a->waits; k++)
        if (theirs[k] != mine)
            id = 0;
    if (id == 0)
        id = obl_comm_id();
    for (int k = 0; k < a->waits; k++)
        say(a, k + 1, id);
    return id;
}

/* The others: what the first one says when it is here, and when all are. */
static uint64_t follow(asking *a, uint64_t mine)
{
    uint64_t word;
    a->from[0] = 0;
    say(a, 0, mine);
    listen(a, 0, &word, &a->request[0]);
    await(a);
    listen(a, 0, &word, &a->request[0]);
    if (ob_wait(&a->request[0], NULL) != OB_OK)
        obl_fault(a->call, "%s: %s", together, ob_error_text());
    return word;
}

/* mine: the id of the communicator this process holds, 0: none. All get the same answer: this
 * one, if all hold it, or a new id. */
static uint64_t agree(const obl_call *call, const obl_grid *grid, enum obl_part part, uint64_t mine)
{
    int size = ob_group_size(group_of(call, grid, part)),
        me = ob_group_me(group_of(call, grid, part));
    int waits = me == 0 ? size - 1 : 1;
    asking a = {.call = call,
                .grid = grid,
                .part = part,
                .waits = waits,
                .request = calloc((size_t)size, sizeof(ob_request *)),
                .from = calloc((size_t)size, sizeof(int))};
    uint64_t *theirs = calloc((size_t)size, sizeof *theirs);
    if (!a.request || !a.from || !theirs)
        obl_fault(call, "OB-4001 no memory for the communicator of a grid");
    int columns = grid->npcol;
    obl_make_part(call, grid, OBL_STREAM_SYSTEM + (int)part,
                  part == OBL_ROW      ? grid->myrow * columns
                  : part == OBL_COLUMN ? grid->mycol
                                       : 0,
                  part == OBL_COLUMN ? columns : 1, size, &a.group);
    uint64_t id = me == 0 ? decide(&a, mine, theirs) : follow(&a, mine);
    ob_group_free(a.group);
    free(theirs);
    free(a.from);
    free(a.request);
    return id;
}

int obl_grid_comm(const obl_call *call, obl_grid *grid, enum obl_part part, const void *site)
{
    obl_comm *c = grid->comm[part];
    if (c)
        return (int)c->handle;
    if (!obl_has_mpi())
        obl_fault(call,
                  "OB-3012 this program has no MPI, so a grid has no communicator; start it with "
                  "the mpirun of an MPI library");
    obl_trace(call, site);
    const ob_group *group = group_of(call, grid, part);
    c = obl_comm_hold(group);
    uint64_t id = agree(call, grid, part, c ? c->id : 0);
    if (!c || c->id != id) {
        obl_comm_drop(c);
        c = obl_comm_make(call, group, id);
    }
    grid->comm[part] = c;
    obl_end_call(call);
    return (int)c->handle;
}

int obl_handle_comm(obl_call *call, int64_t handle, const void *site)
{
    enum obl_part part;
    obl_grid *grid = grid_of(call, handle, &part);
    call->context = (handle - GRID_HANDLE) % CONTEXTS;
    call->grid = grid;
    return obl_grid_comm(call, grid, part, site);
}
