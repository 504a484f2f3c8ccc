/*
 * Barrier, broadcast and the reductions, served from the core.
 */
#include <string.h>

#include "hooks/collective.h"
#include "shim.h"

static int no_memory(const shim_comm *on, shim_call call, size_t bytes)
{
    shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes in call %d of rank %d", bytes,
               (int)call, on->rank);
}

bool serve_barrier(shim_comm *on, int *result)
{
    if (!shim_take(on, CALL_BARRIER))
        return false;
    *result = shim_result(on, CALL_BARRIER, ob_barrier(on->group));
    return true;
}

/* --------------------------------------------------------------- broadcast */

static int bcast_packed(shim_comm *on, const shim_buffer *b, int root)
{
    char *packed = shim_scratch(SLOT_SEND, b->bytes);
    if (packed == NULL)
        return no_memory(on, CALL_BCAST, b->bytes);
    if (on->rank == root && !shim_pack(on, &b->type, b->base, b->count, packed))
        return MPI_ERR_TYPE;
    ob_view view = ob_view_vector(packed, b->bytes, OB_BYTE);
    int result = shim_result(on, CALL_BCAST, ob_broadcast(on->group, root, &view, NULL));
    if (result == MPI_SUCCESS && on->rank != root &&
        !shim_unpack(on, &b->type, b->base, b->count, packed))
        result = MPI_ERR_TYPE;
    shim_scratch_trim();
    return result;
}

bool serve_bcast(shim_comm *on, void *buffer, long long count, MPI_Datatype type, int root,
                 int *result)
{
    shim_buffer b;
    shim_fate fate =
        root >= 0 && root < on->size ? shim_buffer_of(buffer, count, type, &b) : INVALID;
    fate = shim_take_data(on, CALL_BCAST, fate);
    if (!shim_taken(fate))
        return shim_refuse(on, CALL_BCAST, fate, result);
    if (!b.type.dense) {
        *result = bcast_packed(on, &b, root);
        return true;
    }
    ob_view view = ob_view_vector(b.base, b.bytes, OB_BYTE);
    *result = shim_result(on, CALL_BCAST, ob_broadcast(on->group, root, &view, NULL));
    return true;
}

/* -------------------------------------------------------------- reductions */

/* What all reductions begin with: the vector and the operation, the same on all members. */
typedef struct reduction {
    shim_type type;
    ob_operation op;
    ob_type element; /* of the core's view of the vector */
    size_t unit;     /* such elements in one of type: 1, or its bytes */
    size_t bytes;    /* of the vector */
} reduction;

static bool reduction_of(shim_call call, long long count, MPI_Datatype type, MPI_Op op,
                         reduction *r)
{
    shim_fate why = INVALID;
    if (count < 0 || !shim_type_of(type, &r->type) ||
        !shim_operation_of(&r->type, op, &r->op, &why))
        return shim_pass(call, why);
    r->element = ob_kind_type(r->type.kind);
    r->unit = r->element == OB_BYTE ? r->type.extent : 1;
    r->bytes = (size_t)count * r->type.extent;
    return true;
}

static ob_view view_of(const reduction *r, const void *data)
{
    return ob_view_vector((void *)(uintptr_t)data, r->bytes / r->type.extent * r->unit, r->element);
}

/* From `send` to `receive`, if that is possible out of place: else ob_combine_by, in `receive`. */
static int combine(shim_comm *on, shim_call call, const reduction *r, const void *send,
                   void *receive, int root)
{
    ob_view from = view_of(r, send), to = view_of(r, receive);
    int status = ob_combine_apart(on->group, root, &r->op, &from, &to);
    if (status == OB_NOT_APART) {
        if (send != receive && r->bytes)
            memcpy(receive, send, r->bytes);
        status = ob_combine_by(on->group, root, &r->op, &to, NULL);
    }
    return shim_result(on, call, status);
}

static bool bad_buffers(const void *send, const void *receive, size_t bytes)
{
    if (bytes == 0)
        return false;
    return send == NULL || receive == NULL || receive == MPI_IN_PLACE ||
           (send == receive && !EQUAL_IS_IN_PLACE);
}

bool serve_allreduce(shim_comm *on, const void *send, void *receive, long long count,
                     MPI_Datatype type, MPI_Op op, int *result)
{
    reduction r;
    if (!reduction_of(CALL_ALLREDUCE, count, type, op, &r))
        return false;
    if (bad_buffers(send, receive, r.bytes))
        return shim_pass(CALL_ALLREDUCE, INVALID);
    if (!shim_take(on, CALL_ALLREDUCE))
        return false;
    *result =
        combine(on, CALL_ALLREDUCE, &r, send == MPI_IN_PLACE ? receive : send, receive, OB_ANY);
    return true;
}

/* Away from the root the vector is combined in a copy, if it would be overwritten. */
static int reduce_away(shim_comm *on, const reduction *r, const void *send, int root)
{
    ob_view from = view_of(r, send);
    int status = ob_combine_apart(on->group, root, &r->op, &from, &from);
    if (status != OB_NOT_APART)
        return shim_result(on, CALL_REDUCE, status);
    void *copy = shim_scratch(SLOT_SEND, r->bytes);
    if (copy == NULL)
        return no_memory(on, CALL_REDUCE, r->bytes);
    int result = combine(on, CALL_REDUCE, r, send, copy, root);
    shim_scratch_trim();
    return result;
}

bool serve_reduce(shim_comm *on, const void *send, void *receive, long long count,
                  MPI_Datatype type, MPI_Op op, int root, int *result)
{
    reduction r;
    bool at_root = on->rank == root;
    if (!reduction_of(CALL_REDUCE, count, type, op, &r))
        return false;
    if (root < 0 || root >= on->size ||
        (at_root ? bad_buffers(send, receive, r.bytes)
                 : send == MPI_IN_PLACE || (send == NULL && r.bytes)))
        return shim_pass(CALL_REDUCE, INVALID);
    if (!shim_take(on, CALL_REDUCE))
        return false;
    if (!at_root) {
        *result = reduce_away(on, &r, send, root);
        return true;
    }
    *result = combine(on, CALL_REDUCE, &r, send == MPI_IN_PLACE ? receive : send, receive, root);
    return true;
}

/* ---------------------------------------------------------- reduce-scatter */

/* Elements of all pieces, and of those before the own; false for a negative count. */
static bool piece_counts(const shim_comm *on, shim_list counts, long long each, long long *sum,
                         long long *before)
{
    bool listed = counts.narrow || counts.wide;
    *sum = *before = 0;
    for (int i = 0; i < on->size; i++) {
        long long count = listed ? shim_item(counts, i) : each;
        if (count < 0)
            return false;
        if (i == on->rank)
            *before = *sum;
        *sum += count;
    }
    return true;
}

/* In a copy, since other pieces than the own one may be overwritten. */
static int distribute_copy(shim_comm *on, shim_call call, const reduction *r, ob_pieces pieces,
                           const void *send, const ob_view *to, size_t at)
{
    char *data = shim_scratch(SLOT_SEND, r->bytes);
    if (data == NULL && r->bytes)
        return no_memory(on, call, r->bytes);
    if (r->bytes) /* neither is NULL then: NOLINTNEXTLINE(clang-analyzer-core.*) */
        memcpy(data, send, r->bytes);
    pieces.base = data;
    int status = ob_distributed_combine_by(on->group, &r->op, &pieces, NULL);
    size_t bytes = to->m * ob_type_bytes(to->type);
    if (status == OB_OK && bytes) /* of bytes: NOLINTNEXTLINE(clang-analyzer-core.*) */
        memcpy(to->base, data + at, bytes);
    return shim_result(on, call, status);
}

/* `before` elements are in the pieces before the own one. */
static int distribute(shim_comm *on, shim_call call, const reduction *r, shim_list counts,
                      long long each, const void *send, void *receive, long long before)
{
    bool listed = counts.narrow || counts.wide;
    ob_pieces pieces = {
        .base = (void *)(uintptr_t)send, .type = r->element, .count = (size_t)each * r->unit};
    long long own = listed ? shim_item(counts, on->rank) : each;
    ob_view to = ob_view_vector(receive, (size_t)own * r->unit, r->element);
    if (listed) {
        size_t *of = shim_scratch(SLOT_RECEIVE, (size_t)on->size * sizeof *of);
        if (of == NULL)
            return no_memory(on, call, (size_t)on->size * sizeof *of);
        for (int i = 0; i < on->size; i++)
            of[i] = (size_t)shim_item(counts, i) * r->unit;
        pieces.counts = of;
    }
    /* In place the result is written over the first piece, which others may still have to see. */
    int status = send == receive ? OB_NOT_APART
                                 : ob_distributed_combine_apart(on->group, &r->op, &pieces, &to);
    return status == OB_NOT_APART
               ? distribute_copy(on, call, r, pieces, send, &to, (size_t)before * r->type.extent)
               : shim_result(on, call, status);
}

bool serve_reduce_scatter(shim_comm *on, shim_call call, const void *send, void *receive,
                          shim_list counts, long long each, MPI_Datatype type, MPI_Op op,
                          int *result)
{
    reduction r;
    long long sum, before;
    if (!piece_counts(on, counts, each, &sum, &before))
        return shim_pass(call, INVALID);
    if (!reduction_of(call, sum, type, op, &r))
        return false;
    const size_t bytes = r.bytes;
    long long own = counts.narrow || counts.wide ? shim_item(counts, on->rank) : each;
    bool needs_receive = own || (send == MPI_IN_PLACE && bytes);
    if ((send == NULL && bytes) || (receive == NULL && needs_receive) ||
        (own && send == receive && !EQUAL_IS_IN_PLACE))
        return shim_pass(call, INVALID);
    if (!shim_take(on, call))
        return false;
    *result = distribute(on, call, &r, counts, each, send == MPI_IN_PLACE ? receive : send, receive,
                         before);
    shim_scratch_trim();
    return true;
}
