/*
 * Barrier, broadcast and the reductions, served from the core.
 */
#include <stdlib.h>
#include <string.h>

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
    bool good = root >= 0 && root < on->size;
    if (shim_is_empty(on, count, type) && good)
        return shim_end(CALL_BCAST, result);
    shim_fate fate = good ? shim_buffer_of(buffer, count, type, &b) : INVALID;
    fate = shim_take_data(on, CALL_BCAST, fate);
    if (!shim_taken(fate))
        return shim_refuse(on, CALL_BCAST, fate, result);
    if (fate == TAKEN)
        on->moved = type;
    *result = MPI_SUCCESS;
    if (shim_moves_nothing(on, b.bytes))
        return true;
    shim_apart(shim_names[CALL_BCAST]);
    if (!b.type.dense) {
        *result = bcast_packed(on, &b, root);
        return true;
    }
    ob_view view = ob_view_vector(b.base, b.bytes, OB_BYTE);
    *result = shim_result(on, CALL_BCAST, ob_broadcast(on->group, root, &view, NULL));
    return true;
}

/* -------------------------------------------------------------- reductions */

/* It is the core's own, of a type of MPI's. */
static void note_combined(shim_comm *on, MPI_Datatype type, const shim_operation *o)
{
    if (o->core.context == o || o->type->derived)
        return;
    on->combined.type = type;
    on->combined.op = o->op;
    on->combined.core = o->core;
}

bool shim_reduction_of(shim_comm *on, shim_call call, long long count, MPI_Datatype type, MPI_Op op,
                       shim_reduction *r, int *result)
{
    shim_fate why = INVALID;
    if (count < 0 || !shim_type_of(type, &r->type) ||
        !(shim_has_combined(on, type, op) || shim_operation_of(on, &r->type, op, &r->op, &why))) {
        shim_pass(call, why);
        return shim_refuse(on, call, why, result);
    }
    if (shim_has_combined(on, type, op))
        r->op = (shim_operation){.core = on->combined.core, .op = op, .type = &r->type, .on = on};
    else
        note_combined(on, type, &r->op);
    r->each = r->op.packed ? r->type.size : r->type.extent;
    r->element = r->type.derived || r->op.whole ? OB_BYTE : ob_kind_type(r->type.kind);
    r->unit = r->element == OB_BYTE ? r->each : 1;
    r->count = (size_t)count;
    r->bytes = r->count * r->each;
    return true;
}

ob_view shim_reduction_view(const shim_reduction *r, const void *data)
{
    return ob_view_vector((void *)(uintptr_t)data, r->count * r->unit, r->element);
}

static int combine_views(const shim_comm *on, const shim_reduction *r, const ob_view *from,
                         const ob_view *to, int root)
{
    return r->op.in_order ? ob_combine_in_order(on->group, root, &r->op.core, from, to, NULL)
                          : ob_combine_to(on->group, root, &r->op.core, from, to, NULL);
}

/* What `send` names, packed; NULL: it cannot be. Memory for no bytes, too. */
static char *packed_of(const shim_comm *on, shim_call call, const shim_reduction *r,
                       const void *send)
{
    char *packed = shim_scratch(SLOT_SEND, r->bytes);
    if (packed == NULL)
        no_memory(on, call, r->bytes);
    return shim_pack(on, &r->type, send, r->count, packed) ? packed : NULL;
}

int shim_fold(const shim_comm *on, const shim_reduction *r, char *all, int terms, size_t count,
              void *receive)
{
    const ob_operation *o = &r->op.core;
    size_t bytes = count * r->each;
    for (int i = 1; i < terms && bytes; i++)
        o->apply(count, all, all + (size_t)i * bytes, o->context);
    if (r->op.packed)
        return shim_unpack(on, &r->type, receive, count, all) ? MPI_SUCCESS : MPI_ERR_TYPE;
    if (bytes)
        memcpy(receive, all, bytes);
    return MPI_SUCCESS;
}

/* Elements that are longer than the core combines at a time: all vectors are brought together. */
static int combine_whole(shim_comm *on, shim_call call, const shim_reduction *r, const void *send,
                         void *receive, int root)
{
    bool wanted = root == OB_ANY || root == on->rank;
    char *all = wanted ? malloc((size_t)on->size * r->bytes + 1) : NULL;
    const char *own = r->op.packed ? packed_of(on, call, r, send) : send;
    if (wanted && all == NULL)
        return no_memory(on, call, (size_t)on->size * r->bytes);
    ob_view from = ob_view_vector(own, r->bytes, OB_BYTE);
    ob_pieces pieces = {.base = all, .type = OB_BYTE, .count = r->bytes};
    int result = MPI_ERR_TYPE;
    if (own || r->bytes == 0)
        result = shim_result(on, call,
                             root == OB_ANY ? ob_collect_from(on->group, &from, &pieces, NULL)
                                            : ob_gather(on->group, root, &pieces, &from, NULL));
    if (result == MPI_SUCCESS && wanted && r->bytes)
        result = shim_fold(on, r, all, on->size, r->count, receive);
    free(all);
    shim_scratch_trim();
    return result;
}

static int combine_packed(shim_comm *on, shim_call call, const shim_reduction *r, const void *send,
                          void *receive, int root)
{
    char *packed = packed_of(on, call, r, send);
    if (packed == NULL)
        return MPI_ERR_TYPE;
    ob_view view = shim_reduction_view(r, packed);
    int result = shim_result(on, call, combine_views(on, r, &view, &view, root));
    bool wanted = root == OB_ANY || root == on->rank;
    if (result == MPI_SUCCESS && wanted && !shim_unpack(on, &r->type, receive, r->count, packed))
        result = MPI_ERR_TYPE;
    shim_scratch_trim();
    return result;
}

/* From `send` to `receive`, which is not looked at where there is no result. */
static int combine(shim_comm *on, shim_call call, const shim_reduction *r, const void *send,
                   void *receive, int root)
{
    if (r->op.whole)
        return combine_whole(on, call, r, send, receive, root);
    if (r->op.packed)
        return combine_packed(on, call, r, send, receive, root);
    ob_view from = shim_reduction_view(r, send), to = shim_reduction_view(r, receive);
    return shim_result(on, call, combine_views(on, r, &from, &to, root));
}

/* Types that are packed may start at MPI_BOTTOM. */
static bool no_address(const shim_reduction *r, const void *buffer)
{
    return buffer == NULL && r->bytes && !r->op.packed;
}

bool shim_bad_operand(const shim_reduction *r, const void *send)
{
    return send == MPI_IN_PLACE || no_address(r, send);
}

bool shim_bad_buffers(const shim_reduction *r, const void *send, const void *receive)
{
    if (r->bytes == 0)
        return false;
    return no_address(r, send) || no_address(r, receive) || receive == MPI_IN_PLACE ||
           (send == receive && !EQUAL_IS_IN_PLACE);
}

bool serve_allreduce(shim_comm *on, const void *send, void *receive, long long count,
                     MPI_Datatype type, MPI_Op op, int *result)
{
    shim_reduction r;
    if (shim_combines_nothing(on, count, type, op))
        return shim_end(CALL_ALLREDUCE, result);
    *result = MPI_SUCCESS;
    if (!shim_reduction_of(on, CALL_ALLREDUCE, count, type, op, &r, result))
        return false;
    if (*result != MPI_SUCCESS)
        return true;
    if (shim_bad_buffers(&r, send, receive))
        return shim_pass(CALL_ALLREDUCE, INVALID);
    if (!shim_take_reduction(on, CALL_ALLREDUCE, r.type.derived, r.op.packed))
        return false;
    if (shim_moves_nothing(on, r.bytes))
        return true;
    *result =
        combine(on, CALL_ALLREDUCE, &r, send == MPI_IN_PLACE ? receive : send, receive, OB_ANY);
    return true;
}

bool serve_reduce(shim_comm *on, const void *send, void *receive, long long count,
                  MPI_Datatype type, MPI_Op op, int root, int *result)
{
    shim_reduction r;
    bool at_root = on->rank == root, good = root >= 0 && root < on->size;
    if (shim_combines_nothing(on, count, type, op) && good && (at_root || send != MPI_IN_PLACE))
        return shim_end(CALL_REDUCE, result);
    *result = MPI_SUCCESS;
    if (!shim_reduction_of(on, CALL_REDUCE, count, type, op, &r, result))
        return false;
    if (*result != MPI_SUCCESS)
        return true;
    if (!good || (at_root ? shim_bad_buffers(&r, send, receive) : shim_bad_operand(&r, send)))
        return shim_pass(CALL_REDUCE, INVALID);
    if (!shim_take_reduction(on, CALL_REDUCE, r.type.derived, r.op.packed))
        return false;
    if (shim_moves_nothing(on, r.bytes))
        return true;
    const void *from = at_root && send == MPI_IN_PLACE ? receive : send;
    *result = combine(on, CALL_REDUCE, &r, from, at_root ? receive : NULL, root);
    return true;
}

/* ---------------------------------------------------------- reduce-scatter */

bool shim_lists_are_empty(const shim_comm *on, const shim_list *counts, const shim_list *places)
{
    bool empty = shim_is_given(counts) && shim_is_given(places);
    for (int i = 0; empty && i < on->size; i++)
        empty = shim_item(*counts, i) == 0;
    return empty;
}

bool shim_piece_counts(const shim_comm *on, shim_list counts, long long each, long long *sum,
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

static int distribute_views(const shim_comm *on, const shim_reduction *r, const ob_pieces *pieces,
                            const ob_view *to)
{
    return r->op.in_order
               ? ob_distributed_combine_in_order(on->group, &r->op.core, pieces, to, NULL)
               : ob_distributed_combine_to(on->group, &r->op.core, pieces, to, NULL);
}

/* In a copy: packed, or since the result is written over the first piece, which others may still
 * have to see. */
static int distribute_copy(shim_comm *on, shim_call call, const shim_reduction *r, ob_pieces pieces,
                           const void *send, void *receive, size_t own, size_t before)
{
    char *data = shim_scratch(SLOT_SEND, r->bytes);
    if (data == NULL)
        return no_memory(on, call, r->bytes);
    if (r->op.packed) {
        if (!shim_pack(on, &r->type, send, r->count, data))
            return MPI_ERR_TYPE;
    } else if (r->bytes) {
        memcpy(data, send, r->bytes);
    }
    pieces.base = data;
    int result = shim_result(on, call, distribute_views(on, r, &pieces, NULL));
    const char *piece = data + before * r->each;
    if (result != MPI_SUCCESS || own == 0)
        return result;
    if (r->op.packed)
        return shim_unpack(on, &r->type, receive, own, piece) ? result : MPI_ERR_TYPE;
    memcpy(receive, piece, own * r->each);
    return result;
}

/* As combine_whole: everybody's piece of ours is brought here. pieces: in bytes. */
static int distribute_whole(shim_comm *on, shim_call call, const shim_reduction *r,
                            ob_pieces pieces, const void *send, void *receive, size_t own)
{
    size_t bytes = own * r->each;
    char *all = malloc((size_t)on->size * bytes + 1);
    if (all == NULL)
        return no_memory(on, call, (size_t)on->size * bytes);
    pieces.base = r->op.packed ? packed_of(on, call, r, send) : (void *)(uintptr_t)send;
    ob_pieces to = {.base = all, .type = OB_BYTE, .count = bytes};
    int result = MPI_ERR_TYPE;
    if (pieces.base || r->bytes == 0)
        result = shim_result(on, call, ob_all_to_all(on->group, &pieces, &to, NULL));
    if (result == MPI_SUCCESS && bytes)
        result = shim_fold(on, r, all, on->size, own, receive);
    free(all);
    return result;
}

/* `before` elements are in the pieces before the own one. */
static int distribute(shim_comm *on, shim_call call, const shim_reduction *r, shim_list counts,
                      long long each, const void *send, void *receive, long long before)
{
    bool listed = counts.narrow || counts.wide;
    ob_pieces pieces = {
        .base = (void *)(uintptr_t)send, .type = r->element, .count = (size_t)each * r->unit};
    size_t own = (size_t)(listed ? shim_item(counts, on->rank) : each);
    if (listed) {
        size_t *of = shim_scratch(SLOT_RECEIVE, (size_t)on->size * sizeof *of);
        if (of == NULL)
            return no_memory(on, call, (size_t)on->size * sizeof *of);
        for (int i = 0; i < on->size; i++)
            of[i] = (size_t)shim_item(counts, i) * r->unit;
        pieces.counts = of;
    }
    if (r->op.whole)
        return distribute_whole(on, call, r, pieces, send, receive, own);
    if (send == receive || r->op.packed)
        return distribute_copy(on, call, r, pieces, send, receive, own, (size_t)before);
    ob_view to = ob_view_vector(receive, own * r->unit, r->element);
    return shim_result(on, call, distribute_views(on, r, &pieces, &to));
}

bool serve_reduce_scatter(shim_comm *on, shim_call call, const void *send, void *receive,
                          shim_list counts, long long each, MPI_Datatype type, MPI_Op op,
                          int *result)
{
    shim_reduction r;
    long long sum, before;
    *result = MPI_SUCCESS;
    if (!shim_piece_counts(on, counts, each, &sum, &before))
        return shim_pass(call, INVALID);
    if (shim_combines_nothing(on, sum, type, op))
        return shim_end(call, result);
    if (!shim_reduction_of(on, call, sum, type, op, &r, result))
        return false;
    if (*result != MPI_SUCCESS)
        return true;
    long long own = counts.narrow || counts.wide ? shim_item(counts, on->rank) : each;
    bool needs_receive = own || (send == MPI_IN_PLACE && r.bytes);
    if (no_address(&r, send) || (needs_receive && no_address(&r, receive)) ||
        (own && send == receive && !EQUAL_IS_IN_PLACE))
        return shim_pass(call, INVALID);
    if (!shim_take_reduction(on, call, r.type.derived, r.op.packed))
        return false;
    if (shim_moves_nothing(on, r.bytes))
        return true;
    *result = distribute(on, call, &r, counts, each, send == MPI_IN_PLACE ? receive : send, receive,
                         before);
    shim_scratch_trim();
    return true;
}
