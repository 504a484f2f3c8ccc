/*
 * Scans: a vector goes from member to member, strip by strip, and each combines its own into it. So
 * operands meet in the order of ranks, and strips follow each other.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

enum { STRIP = 64 << 10 };

typedef struct scan {
    const shim_comm *on;
    const shim_reduction *r;
    bool exclusive;
    const char *own; /* as the core has elements */
    char *result;    /* likewise; not `own` */
    char *passed;    /* a strip */
} scan;

static ob_view strip_view(const void *at, size_t bytes)
{
    return ob_view_vector(at, bytes, OB_BYTE);
}

/* Elements from `at` on. What came before is received, combined with the own ones, and handed on.
 */
static int strip(const scan *s, size_t at, size_t count)
{
    const ob_operation *o = &s->r->op.core;
    const shim_comm *on = s->on;
    size_t bytes = count * s->r->each;
    const char *own = s->own + at * s->r->each;
    char *result = s->result + at * s->r->each, *sum = s->exclusive ? s->passed : result;
    int status = OB_OK;
    bool first = on->rank == 0, last = on->rank == on->size - 1;
    if (!first) {
        ob_view before = strip_view(result, bytes);
        status = ob_recv(on->group, on->rank - 1, 0, &before, NULL);
    }
    if (status != OB_OK || (s->exclusive && last))
        return status;
    if (sum != result && !first)
        memcpy(sum, result, bytes);
    if (first)
        memcpy(sum, own, bytes);
    else
        o->apply(count, sum, own, o->context);
    ob_view out = strip_view(sum, bytes);
    return last ? OB_OK : ob_send(on->group, on->rank + 1, 0, &out);
}

static int all_strips(const scan *s)
{
    size_t most = STRIP / s->r->each + 1;
    int status = OB_OK;
    shim_apart(s->exclusive ? "MPI_Exscan" : "MPI_Scan");
    for (size_t at = 0; at < s->r->count && status == OB_OK; at += most)
        status = strip(s, at, s->r->count - at < most ? s->r->count - at : most);
    return status;
}

/* Own elements in place, or of a type that is packed, lie in a copy; and the result beside them. */
static int act(shim_comm *on, shim_call call, const shim_reduction *r, const void *send,
               void *receive)
{
    bool in_place = send == MPI_IN_PLACE, gives = call == CALL_SCAN || on->rank > 0;
    const void *from = in_place ? receive : send;
    size_t strip_bytes = STRIP + r->each, room = in_place || r->op.packed ? r->bytes : 0;
    char *memory = malloc(strip_bytes + 2 * room + 1);
    if (memory == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes in %s of rank %d",
                   strip_bytes + 2 * room, shim_names[call], on->rank);
    scan s = {on, r, call == CALL_EXSCAN, from, receive, memory};
    char *copy = memory + strip_bytes;
    int result = MPI_SUCCESS;
    if (r->op.packed) {
        result = shim_pack(on, &r->type, from, r->count, copy) ? MPI_SUCCESS : MPI_ERR_TYPE;
        s.result = copy + room;
    } else if (in_place && room) {
        memcpy(copy, from, room);
    }
    if (room)
        s.own = copy;
    if (result == MPI_SUCCESS)
        result = shim_result(on, call, all_strips(&s));
    if (result == MPI_SUCCESS && r->op.packed && gives &&
        !shim_unpack(on, &r->type, receive, r->count, s.result))
        result = MPI_ERR_TYPE;
    free(memory);
    return result;
}

bool serve_scan(shim_comm *on, shim_call call, const void *send, void *receive, long long count,
                MPI_Datatype type, MPI_Op op, int *result)
{
    shim_reduction r;
    if (shim_combines_nothing(on, count, type, op))
        return shim_end(call, result);
    *result = MPI_SUCCESS;
    if (!shim_reduction_of(on, call, count, type, op, &r, result))
        return false;
    if (*result != MPI_SUCCESS)
        return true;
    if (shim_bad_buffers(&r, send, receive))
        return shim_pass(call, INVALID);
    if (!shim_take_reduction(on, call, r.type.derived, r.op.packed))
        return false;
    if (shim_moves_nothing(on, r.bytes))
        return true;
    *result = act(on, call, &r, send, receive);
    return true;
}
