/*
 * Calls that do not wait and move data: what they prepare.
 */
#include "begun.h"

/* What the arguments of a call that has been set up so far are worth: false, to be passed on or
 * (b->result) refused. */
static bool taken(shim_begun *b, shim_fate fate, bool *ends)
{
    fate = shim_take_begun(b->on, b->call, fate);
    *ends = !shim_taken(fate) && shim_refuse(b->on, b->call, fate, &b->result);
    return shim_taken(fate);
}

static void hold_types(shim_begun *b, shim_pieces *p)
{
    for (int i = 0; i < p->size; i++)
        if (p->place[i].bytes)
            shim_hold_type(b, &p->place[i].type);
}

/* Pieces that are no runs of bytes get memory. */
static void stage(shim_begun *b, shim_pieces *p, int which, bool all)
{
    size_t bytes = shim_side_staged(p, all);
    hold_types(b, p);
    if (bytes)
        shim_side_stage(p, all, shim_begun_memory(b, which, bytes));
}

static bool is_member(const shim_comm *on, int root)
{
    return root >= 0 && root < on->size;
}

bool begin_barrier(shim_begun *b)
{
    shim_count(b->call, TAKEN);
    return prepared(b, ob_prepare_barrier(b->on->group, &b->prepared));
}

bool begin_bcast(shim_begun *b, void *buffer, long long count, MPI_Datatype type, int root)
{
    bool ends;
    bool sends = b->on->rank == root;
    shim_pieces *side = sends ? &b->out : &b->in;
    shim_fate fate = shim_side_one(b->on, 0, buffer, count, type, side);
    if (count < 0 || !is_member(b->on, root))
        fate = INVALID;
    if (!taken(b, fate, &ends))
        return ends;
    stage(b, side, 0, false);
    return prepared(b,
                    ob_prepare_broadcast(b->on->group, root, &side->views[0], NULL, &b->prepared));
}

/* The worse of both. */
static shim_fate worse(shim_fate a, shim_fate b)
{
    return a > b ? a : b;
}

/* The own piece: not in place, and not where the library forbids it. */
static shim_fate own_piece(shim_begun *b, int member, const shim_piece *piece, shim_pieces *side)
{
    if (piece->base == MPI_IN_PLACE || piece->count < 0)
        return INVALID;
    return shim_side_one(b->on, member, piece->base, piece->count, piece->type, side);
}

/* Nothing goes from member to member there. */
static void empty(shim_pieces *p, int i)
{
    p->place[i].count = p->place[i].bytes = 0;
    p->views[i] = ob_view_vector(NULL, 0, OB_BYTE);
}

/* An own piece that does not fit into its place: only this member knows. It takes part without the
 * piece, and has the error at the end. */
static bool misfits(shim_begun *b, const shim_place *piece, const shim_place *place)
{
    if (piece->bytes == place->bytes)
        return false;
    b->piece = piece->bytes;
    b->place = place->bytes;
    return true;
}

static bool same_place(const shim_place *piece, const shim_place *place)
{
    return !EQUAL_IS_IN_PLACE && piece->bytes && piece->at == place->at &&
           piece->type.type == place->type.type;
}

bool begin_allgather(shim_begun *b, const shim_piece *send, const shim_side *receive)
{
    bool ends, in_place = send->base == MPI_IN_PLACE;
    int me = b->on->rank;
    shim_fate fate =
        receive->base == MPI_IN_PLACE ? INVALID : shim_side_open(b->on, receive, &b->in);
    if (shim_taken(fate) && in_place) {
        const shim_place *own = &b->in.place[me];
        fate = worse(
            fate, shim_side_one(b->on, me, own->at, (long long)own->count, receive->type, &b->out));
    } else if (shim_taken(fate)) {
        fate = worse(fate, own_piece(b, me, send, &b->out));
        if (shim_taken(fate) && same_place(&b->out.place[me], &b->in.place[me]))
            fate = INVALID;
    }
    if (!taken(b, fate, &ends))
        return ends;
    if (misfits(b, &b->out.place[me], &b->in.place[me]))
        empty(&b->out, me);
    stage(b, &b->in, 0, false);
    hold_types(b, &b->out);
    if (b->out.place[me].bytes)
        b->out.views[me].base = b->in.views[me].base;
    const ob_pieces pieces = {.views = b->in.views};
    return prepared(b, ob_prepare_collect(b->on->group, &pieces, NULL, &b->prepared));
}

static bool exchange(shim_begun *b, bool all_out)
{
    stage(b, &b->out, 0, all_out);
    stage(b, &b->in, 1, false);
    const ob_pieces out = {.views = b->out.views}, in = {.views = b->in.views};
    return prepared(b, ob_prepare_exchange(b->on->group, &out, &in, &b->prepared));
}

static shim_fate nothing(shim_begun *b, shim_pieces *side)
{
    return shim_side_one(b->on, 0, NULL, 0, MPI_BYTE, side);
}

/* The root's vector with all pieces on one side, and the own piece on the other: `here` at the root
 * for member `root`, which is there in place where that is NULL. */
static bool to_or_from_root(shim_begun *b, const shim_side *vector, const shim_piece *piece,
                            int root, shim_pieces *many, shim_pieces *one)
{
    bool ends, at_root = b->on->rank == root;
    shim_fate fate = is_member(b->on, root) ? TAKEN : INVALID;
    bool in_place = at_root && piece->base == MPI_IN_PLACE;
    if (shim_taken(fate) && at_root)
        fate = vector->base == MPI_IN_PLACE ? INVALID : shim_side_open(b->on, vector, many);
    else if (shim_taken(fate))
        fate = nothing(b, many);
    if (shim_taken(fate))
        fate = worse(fate, in_place ? nothing(b, one) : own_piece(b, root, piece, one));
    if (!taken(b, fate, &ends))
        return ends;
    if (at_root && (in_place || misfits(b, &one->place[root], &many->place[root]))) {
        empty(many, root);
        empty(one, root);
    }
    return exchange(b, false);
}

bool begin_gather(shim_begun *b, const shim_piece *send, const shim_side *receive, int root)
{
    return to_or_from_root(b, receive, send, root, &b->in, &b->out);
}

bool begin_scatter(shim_begun *b, const shim_side *send, const shim_piece *receive, int root)
{
    return to_or_from_root(b, send, receive, root, &b->out, &b->in);
}

bool begin_alltoall(shim_begun *b, const shim_side *send, const shim_side *receive)
{
    bool ends, in_place = send->base == MPI_IN_PLACE, bad = receive->base == MPI_IN_PLACE;
    shim_fate fate = bad ? INVALID : shim_side_open(b->on, receive, &b->in);
    if (shim_taken(fate))
        fate = worse(fate, shim_side_open(b->on, in_place ? receive : send, &b->out));
    for (int i = 0; shim_taken(fate) && !in_place && send->base && i < b->on->size; i++)
        if (send->base == receive->base && b->out.place[i].bytes && b->in.place[i].bytes &&
            b->out.place[i].at == b->in.place[i].at)
            fate = INVALID;
    if (!taken(b, fate, &ends))
        return ends;
    return exchange(b, in_place);
}
