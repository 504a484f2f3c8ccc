/*
 * All-to-all, also with counts and with types: each side a piece for each member, served from the
 * core. Pieces whose type has gaps or is derived go through consecutive bytes.
 */
#include "shim.h"

#include <string.h>

static void stage(shim_pieces *p, bool all, int slot)
{
    size_t bytes = shim_side_staged(p, all);
    char *memory = bytes ? shim_scratch(slot, bytes) : NULL;
    if (bytes && memory == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes", bytes);
    if (bytes)
        shim_side_stage(p, all, memory);
}

/* Without a word to the other of two members. */
static int move_own(const shim_comm *on, shim_call call, void *to, size_t place, const void *from,
                    size_t bytes)
{
    if (bytes != place)
        return shim_own_size_error(on, call, bytes, place);
    if (bytes)
        memcpy(to, from, bytes);
    return MPI_SUCCESS;
}

static int exchange(const shim_comm *on, shim_call call, const shim_pieces *out,
                    const shim_pieces *in)
{
    int me = on->rank, other = 1 - me;
    if (on->size == 2 &&
        shim_pair_moves_nothing(on, out->place[other].bytes + in->place[other].bytes))
        return move_own(on, call, in->views[me].base, in->place[me].bytes, out->views[me].base,
                        out->place[me].bytes);
    ob_pieces from = {.views = out->views}, to = {.views = in->views};
    return shim_result(on, call, ob_all_to_all(on->group, &from, &to, NULL));
}

/* In place: what is sent is what is there, and goes to a copy first. */
static int alltoall(shim_comm *on, shim_call call, shim_pieces *out, shim_pieces *in, bool in_place)
{
    stage(out, in_place, SLOT_SEND);
    stage(in, false, SLOT_RECEIVE);
    if (!shim_side_move(on, out, false))
        shim_fault("OB-3020 libicc-mpi: a committed type cannot be packed");
    int result = exchange(on, call, out, in);
    return result == MPI_SUCCESS && !shim_side_move(on, in, true) ? MPI_ERR_TYPE : result;
}

static size_t bytes_of(const shim_pieces *p)
{
    size_t bytes = 0;
    for (int i = 0; i < p->size; i++)
        bytes += p->place[i].bytes;
    return bytes;
}

/* Nor has any member anything for itself. */
static bool is_nothing(const shim_comm *on, shim_call call, size_t out, size_t in)
{
    return call == CALL_ALLTOALL && shim_moves_nothing(on, out + in);
}

/* A side of a built-in type without gaps: as the core has it, without a look at each piece. False:
 * it is not that, or something is wrong with it. *bytes: of all. */
static bool plain_side(const shim_comm *on, const shim_side *of, int slot, ob_pieces *core,
                       size_t *bytes)
{
    shim_type type;
    size_t n = (size_t)on->size, *counts;
    bool listed = shim_is_given(&of->counts);
    if (of->types || of->base == NULL || of->base == MPI_IN_PLACE ||
        !shim_type_of(of->type, &type) || !type.dense || type.derived)
        return false;
    *core = (ob_pieces){.base = (void *)(uintptr_t)of->base, .type = OB_BYTE};
    if (!listed) {
        core->count = (size_t)of->each * type.size;
        *bytes = core->count * n;
        return of->each >= 0;
    }
    if (!shim_is_given(&of->displacements))
        return false;
    counts = shim_scratch(slot, 2 * n * sizeof *counts);
    if (counts == NULL)
        return false;
    core->counts = counts;
    core->offsets = counts + n;
    *bytes = 0;
    for (int i = 0; i < on->size; i++) {
        long long count = shim_item(of->counts, i), place = shim_item(of->displacements, i);
        if (count < 0 || place < 0)
            return false;
        counts[i] = (size_t)count * type.size;
        counts[n + (size_t)i] = (size_t)place * type.size;
        *bytes += counts[i];
    }
    return true;
}

static size_t piece_bytes(const ob_pieces *p, int i)
{
    return p->counts ? p->counts[i] : p->count;
}

static char *piece_at(const ob_pieces *p, int i)
{
    return (char *)p->base + (p->offsets ? p->offsets[i] : p->count * (size_t)i);
}

static int exchange_plain(const shim_comm *on, shim_call call, const ob_pieces *from,
                          const ob_pieces *to)
{
    int me = on->rank, other = 1 - me;
    if (on->size == 2 &&
        shim_pair_moves_nothing(on, piece_bytes(from, other) + piece_bytes(to, other)))
        return move_own(on, call, piece_at(to, me), piece_bytes(to, me), piece_at(from, me),
                        piece_bytes(from, me));
    return shim_result(on, call, ob_all_to_all(on->group, from, to, NULL));
}

/* Both sides plain, and apart: nothing else can be wrong with them. */
static bool serve_plain(shim_comm *on, shim_call call, const shim_side *send,
                        const shim_side *receive, bool *served, int *result)
{
    ob_pieces from, to;
    size_t out, in;
    if (send->base == receive->base || !plain_side(on, send, SLOT_SEND, &from, &out) ||
        !plain_side(on, receive, SLOT_RECEIVE, &to, &in))
        return false;
    *served = shim_taken(shim_take_data(on, call, TAKEN));
    *result = MPI_SUCCESS;
    if (*served)
        on->moved = send->type;
    /* With counts others may have something for each other. */
    if (*served && !is_nothing(on, call, out, in))
        *result = exchange_plain(on, call, &from, &to);
    return true;
}

/* Without elements, of a type that has passed here before. */
static bool is_empty(const shim_comm *on, const shim_side *s)
{
    bool listed = shim_is_given(&s->counts);
    return shim_is_empty(on, listed ? 0 : s->each, s->type) && s->base != MPI_IN_PLACE &&
           s->types == NULL && (!listed || shim_lists_are_empty(on, &s->counts, &s->displacements));
}

bool serve_alltoall(shim_comm *on, shim_call call, const shim_side *send, const shim_side *receive,
                    int *result)
{
    shim_pieces out, in;
    bool done;
    if ((send->base == MPI_IN_PLACE || is_empty(on, send)) && is_empty(on, receive) &&
        (call == CALL_ALLTOALL || on->size == 2))
        return shim_end(call, result);
    if (serve_plain(on, call, send, receive, &done, result))
        return done;
    bool in_place = send->base == MPI_IN_PLACE, bad = receive->base == MPI_IN_PLACE;
    /* Without elements both may be one address. */
    shim_fate of_out = shim_side_open(on, in_place ? receive : send, &out);
    shim_fate of_in = shim_side_open(on, receive, &in);
    shim_fate fate = of_out > of_in ? of_out : of_in;
    /* One base for both sides is right where their pieces are apart. */
    bool same = !in_place && send->base == receive->base && send->base != NULL;
    for (int i = 0; same && shim_taken(fate) && i < on->size; i++)
        bad = bad || (out.place[i].bytes && in.place[i].bytes && out.place[i].at == in.place[i].at);
    fate = shim_take_data(on, call, bad ? INVALID : fate);
    bool served = shim_taken(fate);
    *result = MPI_SUCCESS;
    if (served && !is_nothing(on, call, bytes_of(&out), bytes_of(&in))) {
        *result = alltoall(on, call, &out, &in, in_place);
        shim_scratch_trim();
    } else if (!served) {
        served = shim_refuse(on, call, fate, result);
    }
    shim_side_close(&out);
    shim_side_close(&in);
    return served;
}
