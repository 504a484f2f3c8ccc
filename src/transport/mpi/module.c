/*
 * The table of module.h in terms of MPI: the one place that includes mpi.h.
 * Compiled once for each MPI library into a file of its own, which the library
 * loads at run time. Plain MPI-3, nothing of a particular implementation but
 * where handles that may be garbage are looked at before MPI sees them.
 */
#include "transport/mpi/module.h"

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/system.h"
#include "openblacs/core.h"
#include "transport/mpi/module_comms.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert(sizeof(MPI_Request) <= sizeof(ob_mpi_request), "a request must fit");
_Static_assert(sizeof(MPI_Comm) <= sizeof(uintptr_t), "a communicator must fit a word");

struct ob_mpi_comm {
    MPI_Comm comm;
    void (*pause)(unsigned vain); /* between tests of a call that was begun; NULL: calls block */
    MPI_Request begun;
};

static MPI_Request request_get(const ob_mpi_request *r)
{
    MPI_Request request;
    memcpy(&request, r, sizeof request);
    return request;
}

static void request_set(ob_mpi_request *r, MPI_Request request)
{
    memcpy(r, &request, sizeof request);
}

/* ------------------------------------------------------- the library itself */

static enum ob_mpi_state state(void)
{
    int yes = 0;
    if (MPI_Finalized(&yes) == MPI_SUCCESS && yes)
        return OB_MPI_OVER;
    if (MPI_Initialized(&yes) == MPI_SUCCESS && yes)
        return OB_MPI_RUNNING;
    return OB_MPI_BEFORE;
}

static void copy_line(char *text, size_t room, const char *line)
{
    snprintf(text, room, "%.*s", (int)strcspn(line, "\n\r"), line);
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

static void library(char *text, size_t room)
{
    char line[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(line, &length);
    copy_line(text, room, line);
    /* "Open MPI v4.1.4, package: ..." says enough before the comma */
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '\0';
}

/* MPICH names the kind of error and then, a line for each call, ever more of its cause: of
 * several lines the first, as far as it says something, and the last. */
static void kind_and_cause(char *lines)
{
    char *end = lines + strlen(lines), *more = strstr(lines, ", error stack:\n");
    while (end > lines && end[-1] == '\n')
        *--end = '\0';
    char *last = strrchr(lines, '\n');
    if (more && last) {
        memcpy(more, ": ", 2);
        memmove(more + 2, last + 1, strlen(last));
    }
}

static void error_text(int code, char *text, size_t room)
{
    char line[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (state() != OB_MPI_RUNNING || MPI_Error_string(code, line, &length) != MPI_SUCCESS)
        snprintf(line, sizeof line, "MPI error %d", code);
    kind_and_cause(line);
    copy_line(text, room, line);
}

static int start(void)
{
    return MPI_Init(NULL, NULL);
}

static int finish(void)
{
    return MPI_Finalize();
}

static enum ob_mpi_level level(void)
{
    int given = MPI_THREAD_SINGLE;
    MPI_Query_thread(&given);
    return given == MPI_THREAD_MULTIPLE     ? OB_MPI_MULTIPLE
           : given == MPI_THREAD_SERIALIZED ? OB_MPI_SERIALIZED
           : given == MPI_THREAD_FUNNELED   ? OB_MPI_FUNNELED
                                            : OB_MPI_SINGLE;
}

static int main_thread(void)
{
    int yes = 0;
    return MPI_Is_thread_main(&yes) == MPI_SUCCESS && yes;
}

/* ------------------------------------------------------------------ the ticker */

/* A request that is complete only when MPI ends; progress() tests it. */
static MPI_Request ticker = MPI_REQUEST_NULL;

static int ticker_query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int ticker_free(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int ticker_cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static int start_ticker(void)
{
    return MPI_Grequest_start(ticker_query, ticker_free, ticker_cancel, NULL, &ticker);
}

static void stop_ticker(void)
{
    if (ticker == MPI_REQUEST_NULL)
        return;
    MPI_Grequest_complete(ticker);
    MPI_Wait(&ticker, MPI_STATUS_IGNORE);
}

/* -------------------------------------------------------- before MPI is over */

typedef struct farewell {
    void (*call)(void *);
    void *argument;
} farewell;

/* MPI deletes the attributes of MPI_COMM_SELF first of all in MPI_Finalize,
 * while it still works (MPI 3.1, 8.7.1). */
static int farewell_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    farewell *f = value;
    (void)comm;
    (void)key;
    (void)extra;
    f->call(f->argument);
    stop_ticker();
    free(f);
    return MPI_SUCCESS;
}

static int at_finalize(void (*call)(void *), void *argument)
{
    int key;
    farewell *f = malloc(sizeof *f);
    if (!f)
        return MPI_ERR_NO_MEM;
    *f = (farewell){call, argument};
    int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, farewell_delete, &key, NULL);
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_set_attr(MPI_COMM_SELF, key, f);
        MPI_Comm_free_keyval(&key); /* lives on with the attribute */
    }
    if (code == MPI_SUCCESS)
        return start_ticker();
    free(f);
    return code;
}

/* ------------------------------------------------------------- communicators */

static int create(long base, const int *ranks, int size, int tag, ob_mpi_comm **out)
{
    ob_mpi_comm *c = malloc(sizeof *c);
    if (!c)
        return MPI_ERR_NO_MEM;
    *c = (ob_mpi_comm){.pause = NULL};
    int code = ob_module_create(base, ranks, size, tag, &c->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_name(c->comm, OB_MPI_COMM_NAME);
    if (code == MPI_SUCCESS)
        *out = c;
    else
        free(c);
    return code;
}

static int release(ob_mpi_comm *c)
{
    int code = MPI_Comm_free(&c->comm);
    free(c);
    return code;
}

static int allgather(ob_mpi_comm *c, const void *mine, void *all, int bytes)
{
    return MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, c->comm);
}

static int alltoall(ob_mpi_comm *c, const void *out, void *in, int bytes)
{
    return MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, c->comm);
}

static int minimum(ob_mpi_comm *c, int *value)
{
    return MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_MIN, c->comm);
}

static int barrier(ob_mpi_comm *c, ob_mpi_request *r)
{
    MPI_Request request;
    int code = MPI_Ibarrier(c->comm, &request);
    if (code == MPI_SUCCESS)
        request_set(r, request);
    return code;
}

static void pause_with(ob_mpi_comm *c, void (*pause)(unsigned vain))
{
    c->pause = pause;
}

/* Of the call that was begun, with this code: waits for its end. */
static int end(ob_mpi_comm *c, int code)
{
    int done = 0;
    for (unsigned vain = 1; code == MPI_SUCCESS && !done; vain++) {
        code = MPI_Test(&c->begun, &done, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS && !done)
            c->pause(vain);
    }
    return code;
}

/* A collective call of MPI's, of which the communicator is the last argument: the blocking form or,
 * where there is a pause, the other. */
#define CALL(c, blocking, other, ...)                                                              \
    ((c)->pause ? end(c, other(__VA_ARGS__, (c)->comm, &(c)->begun))                               \
                : blocking(__VA_ARGS__, (c)->comm))

static int broadcast(ob_mpi_comm *c, int root, void *data, int bytes)
{
    return CALL(c, MPI_Bcast, MPI_Ibcast, data, bytes, MPI_BYTE, root);
}

/* Our own operations are one of MPI's, which finds out by the datatype what to do. */
static MPI_Op any_op = MPI_OP_NULL;
static int op_key = MPI_KEYVAL_INVALID, op_code;
static pthread_once_t op_once = PTHREAD_ONCE_INIT;

static void apply_any(void *in, void *inout, int *n, MPI_Datatype *type)
{
    ob_mpi_op *op;
    int there = 0;
    if (MPI_Type_get_attr(*type, op_key, &op, &there) == MPI_SUCCESS && there)
        op->apply(op->context, (size_t)*n, inout, in);
}

static void make_any_op(void)
{
    op_code = MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &op_key, NULL);
    if (op_code == MPI_SUCCESS)
        op_code = MPI_Op_create(apply_any, 1, &any_op);
}

static int make_type(const ob_mpi_op *op, MPI_Datatype *type)
{
    ob_mpi_op *kept = (ob_mpi_op *)(uintptr_t)op; /* an attribute, which is only read */
    pthread_once(&op_once, make_any_op);
    if (op_code != MPI_SUCCESS)
        return op_code;
    int code = MPI_Type_contiguous(op->bytes, MPI_BYTE, type);
    if (code == MPI_SUCCESS)
        code = MPI_Type_commit(type);
    return code == MPI_SUCCESS ? MPI_Type_set_attr(*type, op_key, kept) : code;
}

static MPI_Datatype type_of_sum(int type)
{
    switch (type) {
    case OB_INT: return MPI_INT32_T;
    case OB_FLOAT: return MPI_FLOAT;
    case OB_DOUBLE: return MPI_DOUBLE;
    case OB_COMPLEX: return MPI_C_FLOAT_COMPLEX;
    case OB_DCOMPLEX: return MPI_C_DOUBLE_COMPLEX;
    case OB_INT64: return MPI_INT64_T;
    default: return MPI_DATATYPE_NULL;
    }
}

/* The root's own values are a copy: MPICH 4.0 crashes where they are MPI_IN_PLACE and the root is
 * not the first of its node. */
static int reduce(ob_mpi_comm *c, int root, void *data, int count, MPI_Datatype type, MPI_Op how)
{
    int me, bytes;
    int code = MPI_Comm_rank(c->comm, &me);
    if (code == MPI_SUCCESS)
        code = MPI_Type_size(type, &bytes);
    if (code != MPI_SUCCESS)
        return code;
    if (me != root)
        return CALL(c, MPI_Reduce, MPI_Ireduce, data, NULL, count, type, how, root);
    size_t all = (size_t)count * (size_t)bytes;
    void *own = malloc(all + 1);
    if (own == NULL)
        return MPI_ERR_NO_MEM;
    memcpy(own, data, all);
    code = CALL(c, MPI_Reduce, MPI_Ireduce, own, data, count, type, how, root);
    free(own);
    return code;
}

static int combine(ob_mpi_comm *c, int root, const ob_mpi_op *op, void *data, int count)
{
    MPI_Datatype type = type_of_sum(op->sum);
    bool ours = type == MPI_DATATYPE_NULL;
    int code = ours ? make_type(op, &type) : MPI_SUCCESS;
    MPI_Op how = ours ? any_op : MPI_SUM;
    if (code == MPI_SUCCESS)
        code = root < 0
                   ? CALL(c, MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, data, count, type, how)
                   : reduce(c, root, data, count, type, how);
    if (ours && type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    return code;
}

static int distribute(ob_mpi_comm *c, const ob_mpi_op *op, const void *all, void *own,
                      const int *counts)
{
    MPI_Datatype type = type_of_sum(op->sum);
    bool ours = type == MPI_DATATYPE_NULL;
    int code = ours ? make_type(op, &type) : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = CALL(c, MPI_Reduce_scatter, MPI_Ireduce_scatter, all, own, counts, type,
                    ours ? any_op : MPI_SUM);
    if (ours && type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    return code;
}

static int scatter(ob_mpi_comm *c, int root, void *data, const int *counts, const int *starts)
{
    int me, code = MPI_Comm_rank(c->comm, &me);
    if (code != MPI_SUCCESS)
        return code;
    return CALL(c, MPI_Scatterv, MPI_Iscatterv, me == root ? data : NULL, counts, starts, MPI_BYTE,
                me == root ? MPI_IN_PLACE : data, counts[me], MPI_BYTE, root);
}

static int gather(ob_mpi_comm *c, int root, void *data, const int *counts, const int *starts)
{
    int me, code = MPI_Comm_rank(c->comm, &me);
    if (code != MPI_SUCCESS)
        return code;
    return CALL(c, MPI_Gatherv, MPI_Igatherv, me == root ? MPI_IN_PLACE : data, counts[me],
                MPI_BYTE, me == root ? data : NULL, counts, starts, MPI_BYTE, root);
}

static int collect(ob_mpi_comm *c, void *all, const int *counts, const int *starts)
{
    return CALL(c, MPI_Allgatherv, MPI_Iallgatherv, MPI_IN_PLACE, 0, MPI_BYTE, all, counts, starts,
                MPI_BYTE);
}

/* ------------------------------------------------------------------ messages */

static int isend(ob_mpi_comm *c, int dest, int tag, const void *data, int bytes, ob_mpi_request *r)
{
    MPI_Request request;
    int code = MPI_Isend(data, bytes, MPI_BYTE, dest, tag, c->comm, &request);
    if (code == MPI_SUCCESS)
        request_set(r, request);
    return code;
}

static int irecv(ob_mpi_comm *c, int source, int tag, void *data, int bytes, ob_mpi_request *r)
{
    MPI_Request request;
    int code = MPI_Irecv(data, bytes, MPI_BYTE, source, tag, c->comm, &request);
    if (code == MPI_SUCCESS)
        request_set(r, request);
    return code;
}

static int test(ob_mpi_request *r, int *done, int *bytes)
{
    MPI_Status status;
    MPI_Request request = request_get(r);
    int code = MPI_Test(&request, done, &status);
    request_set(r, request);
    if (code == MPI_SUCCESS && *done && bytes)
        code = MPI_Get_count(&status, MPI_BYTE, bytes);
    return code;
}

static int wait_for(ob_mpi_request *r, int *bytes)
{
    MPI_Status status;
    MPI_Request request = request_get(r);
    int code = MPI_Wait(&request, &status);
    request_set(r, request);
    return code == MPI_SUCCESS && bytes ? MPI_Get_count(&status, MPI_BYTE, bytes) : code;
}

static int probe(ob_mpi_comm *c, int source, int tag, int *there, int *bytes)
{
    MPI_Status status;
    int code = MPI_Iprobe(source, tag, c->comm, there, &status);
    if (code == MPI_SUCCESS && *there)
        code = MPI_Get_count(&status, MPI_BYTE, bytes);
    return code;
}

/* Testing a request that is not complete makes every MPI library look after all
 * that is under way. (A probe does not: MPICH answers one of MPI_COMM_SELF at once,
 * Open MPI one that finds a message of the user's.) */
static int progress(void)
{
    int done;
    return ticker == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Test(&ticker, &done, MPI_STATUS_IGNORE);
}

static const struct ob_mpi_module table = {
    .number = OB_MPI_MODULE_NUMBER,
    .name = OB_MPI_NAME,
    .state = state,
    .library = library,
    .text = error_text,
    .start = start,
    .finish = finish,
    .level = level,
    .main_thread = main_thread,
    .world = ob_module_world,
    .abort = ob_module_abort,
    .at_finalize = at_finalize,
    .create = create,
    .release = release,
    .allgather = allgather,
    .alltoall = alltoall,
    .minimum = minimum,
    .barrier = barrier,
    .pause_with = pause_with,
    .broadcast = broadcast,
    .combine = combine,
    .scatter = scatter,
    .gather = gather,
    .collect = collect,
    .distribute = distribute,
    .isend = isend,
    .irecv = irecv,
    .test = test,
    .wait = wait_for,
    .probe = probe,
    .progress = progress,
    .world_handle = ob_module_world_handle,
    .group = ob_module_group,
    .from_word = ob_module_from_word,
    .to_word = ob_module_to_word,
    .null_comm = ob_module_null_comm,
    .grid = ob_module_grid,
    .comm = ob_module_comm,
    .free_comm = ob_module_free_comm,
    .cartesian = ob_module_cartesian,
    .keep_key = ob_module_keep_key,
    .key = ob_module_key,
    .keep_job = ob_module_keep_job,
    .job = ob_module_job,
    .on_job_free = ob_module_on_job_free,
    .on_free = ob_module_on_free,
    .agree = ob_module_agree,
    .type = ob_module_type,
};

EXPORT ob_mpi_module_function ob_mpi_module;
const struct ob_mpi_module *ob_mpi_module(void)
{
    return &table;
}
