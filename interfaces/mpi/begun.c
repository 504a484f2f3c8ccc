/*
 * Requests of calls that do not wait: their begin, what is behind a handle, and their end.
 *
 * The table of handles has a lock, which nobody holds while calling MPI or the core. A request is
 * used by one thread at a time, as MPI demands; `live` counts those there are, so that a program
 * without them pays one look. Who has been given a handle by another thread has seen the count,
 * by the way the handle came: so the look is relaxed.
 */
#include "begun.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/collective.h"
#include "hooks/hash.h"

enum { PLACES = 1024 }; /* a power of two */
static struct {
    pthread_mutex_t lock;
    atomic_uint live;
    shim_begun *first[PLACES];
    MPI_Op *kept; /* operations that the program has freed */
    int keeps, room;
    int needed; /* requests with an operation of the program's */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------------------ the table */

static shim_begun **place_of(MPI_Request handle)
{
    return &table.first[(unsigned)(ob_hash_spread((uintptr_t)handle) >> 32) & (PLACES - 1)];
}

bool shim_any_begun(void)
{
    return atomic_load_explicit(&table.live, memory_order_relaxed) != 0;
}

shim_begun *shim_begun_of(MPI_Request handle)
{
    if (!shim_any_begun() || handle == MPI_REQUEST_NULL)
        return NULL;
    pthread_mutex_lock(&table.lock);
    shim_begun *b = *place_of(handle);
    while (b && b->handle != handle)
        b = b->next;
    pthread_mutex_unlock(&table.lock);
    return b;
}

static bool needs_operation(const shim_begun *b)
{
    return b->folded && b->r.op.core.context == &b->r.op;
}

static void enter(shim_begun *b)
{
    shim_begun **place = place_of(b->handle);
    pthread_mutex_lock(&table.lock);
    b->next = *place;
    *place = b;
    table.needed += needs_operation(b);
    pthread_mutex_unlock(&table.lock);
    atomic_fetch_add(&table.live, 1);
}

static void leave(shim_begun *b)
{
    pthread_mutex_lock(&table.lock);
    shim_begun **at = place_of(b->handle);
    while (*at && *at != b)
        at = &(*at)->next;
    if (*at)
        *at = b->next;
    pthread_mutex_unlock(&table.lock);
    atomic_fetch_sub(&table.live, 1);
}

/* Operations that nobody needs any more go with the last request that needs one. */
static void leave_operation(shim_begun *b)
{
    MPI_Op *kept = NULL;
    int keeps = 0;
    if (!needs_operation(b))
        return;
    b->folded = 0;
    pthread_mutex_lock(&table.lock);
    if (--table.needed == 0) {
        kept = table.kept;
        keeps = table.keeps;
        table.kept = NULL;
        table.keeps = table.room = 0;
    }
    pthread_mutex_unlock(&table.lock);
    for (int i = 0; i < keeps; i++)
        shim_own_op_free()(&kept[i]);
    free(kept);
}

bool shim_keep_operation(MPI_Op op)
{
    pthread_mutex_lock(&table.lock);
    bool keeps = table.needed != 0;
    if (keeps && table.keeps == table.room) {
        int room = table.room ? 2 * table.room : 16;
        MPI_Op *more = realloc(table.kept, (size_t)room * sizeof *more);
        if (more == NULL)
            shim_fault("OB-4001 libicc-mpi: no memory for %d operations", room);
        table.kept = more;
        table.room = room;
    }
    if (keeps)
        table.kept[table.keeps++] = op;
    pthread_mutex_unlock(&table.lock);
    return keeps;
}

/* ---------------------------------------------------- the generalized request */

/* What MPI asks for when it ends one: nothing was received. */
static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static void leave_types(shim_begun *b)
{
    for (int i = 0; i < b->holds; i++)
        PMPI_Type_free(&b->held[i]);
    b->holds = 0;
}

/* From within the library, which may hold a lock that its other calls take, too: what is MPI's has
 * been given back before (tell_library). */
static int release(void *extra)
{
    leave(extra);
    shim_drop(extra);
    return MPI_SUCCESS;
}

void shim_forget(shim_begun *b)
{
    leave_operation(b);
    leave(b);
    shim_drop(b);
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    return complete ? MPI_SUCCESS : MPI_ERR_REQUEST;
}

/* The handle of a persistent one is that of a message without bytes from this process to itself. */
static int get_handle(shim_begun *b)
{
    return b->persistent ? PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, 0, shim_quiet(), &b->handle)
                         : PMPI_Grequest_start(query, release, cancel, b, &b->handle);
}

/* The library learns that it is over: each that is started finds one message. */
static void tell_library(shim_begun *b)
{
    if (!b->persistent) {
        leave_operation(b);
        leave_types(b);
    }
    int code = b->persistent ? shim_own_start()(&b->handle) : PMPI_Grequest_complete(b->handle);
    if (code == MPI_SUCCESS && b->persistent)
        code = PMPI_Send(NULL, 0, MPI_BYTE, 0, 0, shim_quiet());
    if (code != MPI_SUCCESS)
        shim_fault("OB-3020 libicc-mpi: the MPI library does not end a request of %s",
                   shim_names[b->call]);
}

/* ------------------------------------------------------------------ beginning */

shim_comm *shim_begins_on(shim_call call, MPI_Comm comm)
{
    shim_comm *on = shim_inside ? NULL : shim_enter(call, comm);
    if (on == NULL)
        return NULL;
    /* Alone nobody waits for anybody. */
    if (!on->decided && on->size == 1)
        shim_comm_decide(on);
    bool serves = on->decided && on->serve >> call & 1;
    if (serves && on->near)
        return on;
    shim_count(call, !on->decided ? NOT_MET : serves ? FAR : on->why);
    return NULL;
}

shim_begun *shim_begin(shim_call call, shim_comm *on)
{
    shim_begun *b = calloc(1, sizeof *b);
    if (b == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for a request");
    b->on = on;
    b->call = call;
    b->persistent = call >= CALL_PREPARED;
    b->handle = MPI_REQUEST_NULL;
    b->result = MPI_SUCCESS;
    shim_comm_hold(on);
    return b;
}

void shim_drop(shim_begun *b)
{
    shim_inside = true;
    ob_prepared_free(b->prepared);
    shim_inside = false;
    leave_types(b);
    free(b->held);
    free(b->memory[0]);
    free(b->memory[1]);
    shim_side_close(&b->out);
    shim_side_close(&b->in);
    shim_comm_let_go(b->on);
    free(b);
}

char *shim_begun_memory(shim_begun *b, int which, size_t bytes)
{
    b->memory[which] = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (b->memory[which] == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes in %s of rank %d", bytes,
                   shim_names[b->call], b->on->rank);
    return b->memory[which];
}

void shim_hold_type(shim_begun *b, shim_type *type)
{
    MPI_Datatype *more;
    if (!type->derived)
        return;
    more = realloc(b->held, (size_t)(b->holds + 1) * sizeof *more);
    if (more)
        b->held = more;
    if (more == NULL || PMPI_Type_dup(type->type, &more[b->holds]) != MPI_SUCCESS)
        shim_fault("OB-4001 libicc-mpi: no memory for a datatype");
    type->type = more[b->holds++];
}

/* What the program's memory holds goes where the core reads it. */
static int fetch(const shim_begun *b)
{
    bool good = shim_side_move(b->on, &b->out, false);
    if (b->copy_bytes)
        memcpy(b->copy_to, b->copy_from, b->copy_bytes);
    if (b->packed)
        good &= shim_pack(b->on, &b->r.type, b->send, b->r.count, b->packed);
    return good ? MPI_SUCCESS : MPI_ERR_TYPE;
}

static int start_core(shim_begun *b)
{
    b->result = fetch(b);
    if (b->result != MPI_SUCCESS)
        return b->result;
    int status = ob_begin(b->prepared, &b->core);
    return status == OB_OK ? MPI_SUCCESS : shim_result(b->on, b->call, status);
}

int shim_launch(shim_begun *b, MPI_Request *handle)
{
    int code = b->result;
    if (code == MPI_SUCCESS && b->on->size > 1 && !ob_prepared_attend(b->prepared))
        shim_fault("OB-8250 libicc-mpi: %s: rank %d has no thread that goes on with it while the "
                   "program computes; raise the limit of processes (ulimit -u), or name the calls "
                   "to be served in OPENBLACS_ICC_MPI, without this one",
                   shim_names[b->call], b->on->rank);
    if (code == MPI_SUCCESS)
        code = get_handle(b);
    if (code == MPI_SUCCESS) {
        *handle = b->handle;
        enter(b);
        if (!b->persistent) {
            code = start_core(b);
            if (code == MPI_SUCCESS)
                shim_over_now(b);
            else
                tell_library(b);
        }
        return code;
    }
    shim_drop(b);
    return code;
}

int shim_restart(shim_begun *b)
{
    if (b->core == NULL) {
        int code = start_core(b);
        if (code == MPI_SUCCESS)
            shim_over_now(b);
        return code;
    }
    PMPI_Comm_call_errhandler(b->on->comm, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
}

/* --------------------------------------------------------------------- ending */

/* What came goes to the program's memory. */
static int deliver(const shim_begun *b)
{
    if (!shim_side_move(b->on, &b->in, true))
        return MPI_ERR_TYPE;
    if (b->folded)
        return shim_fold(b->on, &b->r, b->terms, b->folded, b->fold, b->receive);
    return b->piece == b->place ? MPI_SUCCESS
                                : shim_own_size_error(b->on, b->call, b->piece, b->place);
}

/* The core's request is over, and gone. */
static void settle(shim_begun *b, int status)
{
    b->core = NULL;
    b->result = shim_result(b->on, b->call, status);
    if (b->result == MPI_SUCCESS)
        b->result = deliver(b);
    tell_library(b);
}

bool shim_over_now(shim_begun *b)
{
    int done = 1, status = OB_OK;
    if (b->core == NULL)
        return true;
    status = ob_test(&b->core, &done, NULL);
    if (done || status != OB_OK)
        settle(b, status);
    return b->core == NULL;
}

void shim_finish(shim_begun *b)
{
    if (b->core)
        settle(b, ob_wait(&b->core, NULL));
}

void shim_finish_any(shim_begun **b, int count)
{
    int index = -1;
    ob_request **requests = malloc((size_t)count * sizeof(ob_request *));
    if (requests == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %d requests", count);
    for (int i = 0; i < count; i++)
        requests[i] = b[i]->core;
    int status = ob_wait_any(count, requests, &index, NULL);
    if (index >= 0)
        settle(b[index], status);
    else
        for (int i = 0; i < count; i++) /* the wait itself failed */
            shim_finish(b[i]);
    free(requests);
}
