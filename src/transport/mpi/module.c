/*
 * The table of module.h in terms of MPI: the one place that includes mpi.h.
 * Compiled once for each MPI library into a file of its own, which the library
 * loads at run time. Plain MPI-3, nothing of a particular implementation but
 * where handles that may be garbage are looked at before MPI sees them.
 */
#include "transport/mpi/module.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblacs/core.h"

#ifndef OB_MPI_NAME
#if defined(OPEN_MPI)
#define OB_MPI_NAME "openmpi"
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION)
#define OB_MPI_NAME "mpich"
#else
#define OB_MPI_NAME "mpi"
#endif
#endif

#define EXPORT __attribute__((visibility("default")))

_Static_assert(sizeof(MPI_Request) <= sizeof(ob_mpi_request), "a request must fit");
_Static_assert(sizeof(MPI_Comm) <= sizeof(uintptr_t), "a communicator must fit a word");

struct ob_mpi_comm {
    MPI_Comm comm;
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

static void error_text(int code, char *text, size_t room)
{
    char line[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (state() != OB_MPI_RUNNING || MPI_Error_string(code, line, &length) != MPI_SUCCESS)
        snprintf(line, sizeof line, "MPI error %d", code);
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

static int world(int *rank, int *size)
{
    int code = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return code != MPI_SUCCESS ? code : MPI_Comm_size(MPI_COMM_WORLD, size);
}

static void abort_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    _Exit(code);
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

static int create(const int *ranks, int size, int tag, ob_mpi_comm **out)
{
    MPI_Group all, group;
    ob_mpi_comm *c = malloc(sizeof *c);
    if (!c)
        return MPI_ERR_NO_MEM;
    int code = MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (code != MPI_SUCCESS)
        goto no_all;
    code = MPI_Group_incl(all, size, ranks, &group);
    if (code != MPI_SUCCESS)
        goto no_group;
    code = MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &c->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_name(c->comm, OB_MPI_COMM_NAME);
    MPI_Group_free(&group);
no_group:
    MPI_Group_free(&all);
no_all:
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

/* ----------------------------------------------------------- system contexts */

static long world_handle(void)
{
    return MPI_Comm_c2f(MPI_COMM_WORLD);
}

#if defined(MPICH_VERSION) || defined(I_MPI_VERSION)
/* MPICH's handles are ints: two bits of how the object is kept (0: not at all, 1:
 * built in, 2: in a fixed array, 3: in blocks), four bits of its kind (1:
 * communicator), its index. Only indices into blocks are checked by MPICH
 * itself. Of the built-in ones two are for users; the array has 8 places in MPICH
 * (MPID_COMM_PREALLOC), maybe some more in its kin. */
enum { BUILT_IN = 1, IN_ARRAY = 2, ARRAY_PLACES = 64 };

static int to_comm(long handle, MPI_Comm *comm)
{
    if (handle != (int)handle)
        return OB_MPI_NO_HANDLE;
    if (handle == 0) { /* Open MPI's MPI_COMM_WORLD, which programs have in their source */
        *comm = MPI_COMM_WORLD;
        return 0;
    }
    unsigned bits = (unsigned)handle;
    if (bits >> 30 == 0 || (bits >> 26 & 15) != 1)
        return OB_MPI_NO_HANDLE;
    *comm = MPI_Comm_f2c((MPI_Fint)handle);
    if (bits >> 30 == BUILT_IN && *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF)
        return OB_MPI_NO_HANDLE;
    if (bits >> 30 == IN_ARRAY && (bits & 0x03ffffff) >= ARRAY_PLACES)
        return OB_MPI_NO_HANDLE;
    return *comm == MPI_COMM_NULL ? OB_MPI_NO_HANDLE : 0;
}
#else
static int to_comm(long handle, MPI_Comm *comm)
{
    if (handle != (MPI_Fint)handle)
        return OB_MPI_NO_HANDLE;
    *comm = MPI_Comm_f2c((MPI_Fint)handle);
#if defined(OPEN_MPI)
    if (!*comm) /* what Open MPI gives for a number that it never gave out */
        return OB_MPI_NO_HANDLE;
#endif
    return *comm == MPI_COMM_NULL ? OB_MPI_NO_HANDLE : 0;
}
#endif

/* The ranks in MPI_COMM_WORLD of a group's members. */
static int ranks_of(MPI_Group group, int **ranks)
{
    MPI_Group all;
    int size = 0, result = OB_MPI_NO_HANDLE;
    if (MPI_Group_size(group, &size) != MPI_SUCCESS || size < 1)
        return OB_MPI_NO_HANDLE;
    int *in = malloc(2 * (size_t)size * sizeof *in);
    if (!in)
        return OB_MPI_NO_MEMORY;
    int *out = in + size;
    for (int i = 0; i < size; i++)
        in[i] = i;
    if (MPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS) {
        if (MPI_Group_translate_ranks(group, size, in, all, out) == MPI_SUCCESS)
            result = size;
        MPI_Group_free(&all);
    }
    for (int i = 0; i < size && result > 0; i++)
        if (out[i] == MPI_UNDEFINED)
            result = OB_MPI_FOREIGN;
    if (result > 0) {
        memmove(in, out, (size_t)size * sizeof *in);
        *ranks = in;
    } else {
        free(in);
    }
    return result;
}

static int ranks_of_comm(MPI_Comm comm, int **ranks)
{
    MPI_Group group;
    int inter = 0;
    if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return OB_MPI_NO_HANDLE;
    if (inter)
        return OB_MPI_INTER_HANDLE;
    if (MPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return OB_MPI_NO_HANDLE;
    int result = ranks_of(group, ranks);
    MPI_Group_free(&group);
    return result;
}

/* An invalid communicator is reported to the error handler of MPI_COMM_WORLD
 * (MPI 3.1) or MPI_COMM_SELF (MPI 4.0), which by default end the job. */
static int group(long handle, int **ranks)
{
    MPI_Errhandler world_was, self_was;
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return OB_MPI_NO_HANDLE;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world_was);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &self_was);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int result = ranks_of_comm(comm, ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_was);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, self_was);
    MPI_Errhandler_free(&world_was);
    MPI_Errhandler_free(&self_was);
    return result;
}

static MPI_Comm comm_of_word(uintptr_t word)
{
    MPI_Comm comm;
    if (sizeof comm == sizeof(int)) { /* the upper half is whatever the register held */
        unsigned low = (unsigned)word;
        memcpy(&comm, &low, sizeof low);
    } else {
        memcpy(&comm, &word, sizeof comm);
    }
    return comm;
}

#if defined(OPEN_MPI)
/* A word that is no communicator is a pointer nobody may follow, so it is looked
 * up among the communicators that Open MPI has numbered; it numbers fewer than
 * this many. */
#define HANDLES 65536
static int from_word(uintptr_t word, long *handle)
{
    MPI_Comm comm = comm_of_word(word);
    if (!comm || comm == MPI_COMM_NULL)
        return OB_MPI_NO_HANDLE;
    for (MPI_Fint i = 0; i < HANDLES; i++) {
        if (MPI_Comm_f2c(i) == comm) {
            *handle = i;
            return 0;
        }
    }
    return OB_MPI_NO_HANDLE;
}
#else
static int from_word(uintptr_t word, long *handle)
{
    MPI_Comm comm = comm_of_word(word);
    if (comm == MPI_COMM_NULL)
        return OB_MPI_NO_HANDLE;
    *handle = MPI_Comm_c2f(comm);
    return to_comm(*handle, &comm);
}
#endif

static void word_of(MPI_Comm comm, uintptr_t *word)
{
    *word = 0;
    if (sizeof comm == sizeof(int)) {
        unsigned low;
        memcpy(&low, &comm, sizeof low);
        *word = low;
    } else {
        memcpy(word, &comm, sizeof comm);
    }
}

static int to_word(long handle, uintptr_t *word)
{
    MPI_Comm comm;
    if (to_comm(handle, &comm) != 0)
        return OB_MPI_NO_HANDLE;
    word_of(comm, word);
    return 0;
}

static void null_comm(long *handle, uintptr_t *word)
{
    *handle = MPI_Comm_c2f(MPI_COMM_NULL);
    word_of(MPI_COMM_NULL, word);
}

/* The Cartesian ones, from a communicator of the members in their order. */
static int cut_grid(MPI_Comm members, int rows, int columns, MPI_Comm made[3])
{
    int dims[2] = {rows, columns}, periods[2] = {0, 0}, along_row[2] = {0, 1}, down[2] = {1, 0};
    int code = MPI_Cart_create(members, 2, dims, periods, 0, &made[0]);
    if (code == MPI_SUCCESS)
        code = MPI_Cart_sub(made[0], along_row, &made[1]);
    if (code == MPI_SUCCESS)
        code = MPI_Cart_sub(made[0], down, &made[2]);
    return code;
}

/* Members of different grids may call at the same time: a grid's first process tells them apart. */
static int grid(long handle, const int *ranks, int rows, int columns, long handles[3])
{
    MPI_Comm comm, members, made[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
    int me, place = MPI_UNDEFINED;
    if (to_comm(handle, &comm) != 0)
        return MPI_ERR_COMM;
    int code = MPI_Comm_rank(comm, &me);
    for (int k = 0; code == MPI_SUCCESS && k < rows * columns; k++)
        if (ranks[k] == me)
            place = k;
    if (code == MPI_SUCCESS)
        code = MPI_Comm_split(comm, place == MPI_UNDEFINED ? place : ranks[0], place, &members);
    if (code == MPI_SUCCESS && members != MPI_COMM_NULL) {
        code = cut_grid(members, rows, columns, made);
        MPI_Comm_free(&members);
    }
    for (int k = 0; k < 3; k++)
        handles[k] = MPI_Comm_c2f(made[k]);
    return code;
}

static int free_comm(long handle)
{
    MPI_Comm comm;
    return to_comm(handle, &comm) == 0 ? MPI_Comm_free(&comm) : MPI_ERR_COMM;
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
    .world = world,
    .abort = abort_all,
    .at_finalize = at_finalize,
    .create = create,
    .release = release,
    .allgather = allgather,
    .alltoall = alltoall,
    .minimum = minimum,
    .barrier = barrier,
    .isend = isend,
    .irecv = irecv,
    .test = test,
    .wait = wait_for,
    .probe = probe,
    .progress = progress,
    .world_handle = world_handle,
    .group = group,
    .from_word = from_word,
    .to_word = to_word,
    .null_comm = null_comm,
    .grid = grid,
    .free_comm = free_comm,
};

EXPORT ob_mpi_module_function ob_mpi_module;
const struct ob_mpi_module *ob_mpi_module(void)
{
    return &table;
}
