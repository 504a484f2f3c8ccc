/*
 * The calls that end requests, look at them, and start persistent ones. Where a list has requests
 * of ours they are ended first, and the MPI library is told; then its own call does what it always
 * does. A list without them goes to it at once.
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "begun.h"
#include "own.h"

#define EXPORT __attribute__((visibility("default")))
#define ENTRY(name, parameters)                                                                    \
    EXPORT int P##name parameters __attribute__((alias(#name)));                                   \
    EXPORT int name parameters

/* ------------------------------------------------------------------- one request */

/* The error of one of ours, which the library does not know of. Before the library's call, since
 * that may end the request for good. */
static int result_of(const shim_begun *b)
{
    return b && b->core == NULL ? b->result : MPI_SUCCESS;
}

static int either(int code, int ours)
{
    return code == MPI_SUCCESS ? ours : code;
}

ENTRY(MPI_Wait, (MPI_Request * request, MPI_Status *status))
{
    typedef int own(MPI_Request *, MPI_Status *);
    shim_begun *b = request ? shim_begun_of(*request) : NULL;
    if (b)
        shim_finish(b);
    int ours = result_of(b);
    return either(OWN(MPI_Wait, own)(request, status), ours);
}

/* Not over: the MPI library has its turn all the same (ob_test gives it one). */
ENTRY(MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status))
{
    typedef int own(MPI_Request *, int *, MPI_Status *);
    shim_begun *b = request ? shim_begun_of(*request) : NULL;
    if (b && flag && !shim_over_now(b)) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    int ours = result_of(b);
    return either(OWN(MPI_Test, own)(request, flag, status), ours);
}

ENTRY(MPI_Request_get_status, (MPI_Request request, int *flag, MPI_Status *status))
{
    typedef int own(MPI_Request, int *, MPI_Status *);
    shim_begun *b = shim_begun_of(request);
    if (b && flag && !shim_over_now(b)) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    return OWN(MPI_Request_get_status, own)(request, flag, status);
}

static int refuse(const shim_begun *b)
{
    PMPI_Comm_call_errhandler(b->on->comm, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
}

/* MPI forbids to free what is under way, and to cancel any of these. */
ENTRY(MPI_Request_free, (MPI_Request * request))
{
    typedef int own(MPI_Request *);
    shim_begun *b = request ? shim_begun_of(*request) : NULL;
    if (b == NULL)
        return OWN(MPI_Request_free, own)(request);
    if (!shim_over_now(b))
        return refuse(b);
    if (b->persistent)
        shim_forget(b);
    return OWN(MPI_Request_free, own)(request);
}

ENTRY(MPI_Cancel, (MPI_Request * request))
{
    typedef int own(MPI_Request *);
    shim_begun *b = request ? shim_begun_of(*request) : NULL;
    return b ? refuse(b) : OWN(MPI_Cancel, own)(request);
}

ENTRY(MPI_Start, (MPI_Request * request))
{
    typedef int own(MPI_Request *);
    shim_begun *b = request ? shim_begun_of(*request) : NULL;
    return b && b->persistent ? shim_restart(b) : OWN(MPI_Start, own)(request);
}

static bool some_ours(int count, const MPI_Request *requests)
{
    for (int i = 0; shim_any_begun() && requests && i < count; i++)
        if (shim_begun_of(requests[i]))
            return true;
    return false;
}

ENTRY(MPI_Startall, (int count, MPI_Request requests[]))
{
    typedef int own(int, MPI_Request *);
    if (!some_ours(count, requests))
        return OWN(MPI_Startall, own)(count, requests);
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = MPI_Start(&requests[i]);
    return code;
}

/* ------------------------------------------------------------------------ lists */

/* Ours in a list, as they are before the library's call. */
typedef struct ours {
    shim_begun **under_way; /* not over */
    int waits, others;      /* how many of these; how many requests are not ours */
    bool failed;            /* some that is over has an error */
    int *result;            /* by place in the list */
} ours;

static void get_memory(ours *o, int count)
{
    o->under_way = malloc((size_t)count * sizeof(shim_begun *));
    o->result = malloc((size_t)count * sizeof *o->result);
    if (o->under_way == NULL || o->result == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %d requests", count);
}

/* Looks at all. */
static void look(ours *o, int count, const MPI_Request *requests)
{
    o->waits = o->others = 0;
    for (int i = 0; i < count; i++) {
        shim_begun *b = shim_begun_of(requests[i]);
        o->others += b == NULL && requests[i] != MPI_REQUEST_NULL;
        if (b && !shim_over_now(b))
            o->under_way[o->waits++] = b;
        o->result[i] = result_of(b);
        o->failed |= o->result[i] != MPI_SUCCESS;
    }
}

static void drop(ours *o)
{
    free(o->under_way);
    free(o->result);
}

/* The library's answer for a list of which it ended those with the indices (NULL: all), with the
 * errors of ours. */
static int with_errors(const ours *o, int code, int count, const int *indices, MPI_Status *statuses)
{
    bool all_well = code == MPI_SUCCESS, failed = false;
    for (int i = 0; o->failed && (all_well || code == MPI_ERR_IN_STATUS) && i < count; i++) {
        int error = o->result[indices ? indices[i] : i];
        failed |= error != MPI_SUCCESS;
        if (statuses != MPI_STATUSES_IGNORE && (all_well || error != MPI_SUCCESS))
            statuses[i].MPI_ERROR = error;
    }
    return all_well && failed ? MPI_ERR_IN_STATUS : code;
}

/* Until one of ours is over, or something else may be. */
static void pass_time(ours *o, unsigned *looks)
{
    const struct timespec nap = {.tv_nsec = 50000};
    if (o->others == 0)
        shim_finish_any(o->under_way, o->waits);
    else if (++*looks < 4096)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

ENTRY(MPI_Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]))
{
    typedef int own(int, MPI_Request *, MPI_Status *);
    if (!some_ours(count, requests))
        return OWN(MPI_Waitall, own)(count, requests, statuses);
    ours o = {.failed = false};
    get_memory(&o, count);
    for (int i = 0; i < count; i++) {
        shim_begun *b = shim_begun_of(requests[i]);
        if (b)
            shim_finish(b);
        o.result[i] = result_of(b);
        o.failed |= o.result[i] != MPI_SUCCESS;
    }
    int code = OWN(MPI_Waitall, own)(count, requests, statuses);
    code = with_errors(&o, code, count, NULL, statuses);
    drop(&o);
    return code;
}

ENTRY(MPI_Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]))
{
    typedef int own(int, MPI_Request *, int *, MPI_Status *);
    if (!some_ours(count, requests) || flag == NULL)
        return OWN(MPI_Testall, own)(count, requests, flag, statuses);
    ours o = {.failed = false};
    int code = MPI_SUCCESS;
    get_memory(&o, count);
    look(&o, count, requests);
    *flag = 0;
    if (o.waits == 0) {
        code = OWN(MPI_Testall, own)(count, requests, flag, statuses);
        if (*flag)
            code = with_errors(&o, code, count, NULL, statuses);
    }
    drop(&o);
    return code;
}

/* The library's MPI_Testany with what it does not know: that some of ours, which it takes for
 * persistent ones that are not active, are under way. */
static int test_any(ours *o, int count, MPI_Request *requests, int *index, int *flag,
                    MPI_Status *status)
{
    typedef int own(int, MPI_Request *, int *, int *, MPI_Status *);
    look(o, count, requests);
    int code = OWN(MPI_Testany, own)(count, requests, index, flag, status);
    if (code == MPI_SUCCESS && *flag && *index == MPI_UNDEFINED && o->waits)
        *flag = 0;
    if (code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED)
        code = o->result[*index];
    return code;
}

ENTRY(MPI_Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status))
{
    typedef int own(int, MPI_Request *, int *, int *, MPI_Status *);
    if (!some_ours(count, requests) || index == NULL || flag == NULL)
        return OWN(MPI_Testany, own)(count, requests, index, flag, status);
    ours o = {.failed = false};
    get_memory(&o, count);
    int code = test_any(&o, count, requests, index, flag, status);
    drop(&o);
    return code;
}

ENTRY(MPI_Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status))
{
    typedef int own(int, MPI_Request *, int *, MPI_Status *);
    if (!some_ours(count, requests) || index == NULL)
        return OWN(MPI_Waitany, own)(count, requests, index, status);
    ours o = {.failed = false};
    unsigned looks = 0;
    int flag = 0, code;
    get_memory(&o, count);
    while ((code = test_any(&o, count, requests, index, &flag, status)) == MPI_SUCCESS && !flag)
        if (o.waits)
            pass_time(&o, &looks);
    drop(&o);
    return code;
}

/* As test_any. */
static int test_some(ours *o, int count, MPI_Request *requests, int *done, int *indices,
                     MPI_Status *statuses)
{
    typedef int own(int, MPI_Request *, int *, int *, MPI_Status *);
    look(o, count, requests);
    int code = OWN(MPI_Testsome, own)(count, requests, done, indices, statuses);
    if (code == MPI_SUCCESS && *done == MPI_UNDEFINED && o->waits)
        *done = 0;
    if (*done > 0)
        code = with_errors(o, code, *done, indices, statuses);
    return code;
}

ENTRY(MPI_Testsome,
      (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]))
{
    typedef int own(int, MPI_Request *, int *, int *, MPI_Status *);
    if (!some_ours(count, requests) || done == NULL)
        return OWN(MPI_Testsome, own)(count, requests, done, indices, statuses);
    ours o = {.failed = false};
    get_memory(&o, count);
    int code = test_some(&o, count, requests, done, indices, statuses);
    drop(&o);
    return code;
}

ENTRY(MPI_Waitsome,
      (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]))
{
    typedef int own(int, MPI_Request *, int *, int *, MPI_Status *);
    if (!some_ours(count, requests) || done == NULL)
        return OWN(MPI_Waitsome, own)(count, requests, done, indices, statuses);
    ours o = {.failed = false};
    unsigned looks = 0;
    int code;
    get_memory(&o, count);
    while ((code = test_some(&o, count, requests, done, indices, statuses)) == MPI_SUCCESS &&
           *done == 0)
        if (o.waits)
            pass_time(&o, &looks);
    drop(&o);
    return code;
}

/* --------------------------------------------------------------------- operations */

ENTRY(MPI_Op_free, (MPI_Op * op))
{
    int commutes;
    /* Predefined ones are refused by the library. */
    if (op == NULL || !shim_any_begun() || PMPI_Op_commutative(*op, &commutes) != MPI_SUCCESS ||
        shim_predefined(*op) || !shim_keep_operation(*op))
        return shim_own_op_free()(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
