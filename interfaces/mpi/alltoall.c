/*
 * All-to-all, also with counts and with types: each side a piece for each member, served from the
 * core. Pieces whose type has gaps or is derived go through consecutive bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* One piece, looked at once. */
typedef struct piece {
    char *at;
    size_t count, bytes; /* elements; bytes of their contents */
    shim_type type;
} piece;

/* A side: its pieces, as they are in memory and as the core sees them. */
typedef struct side {
    int size, slot;
    piece *piece;
    ob_view *views;
    size_t staged; /* bytes of the pieces that are not runs of bytes */
    char *staging;
} side;

static bool lists_given(const shim_list *list)
{
    return list->narrow || list->wide || list->address;
}

/* Where piece i of the side begins. */
static char *address_of(const shim_side *of, const piece *p, int i)
{
    bool listed = lists_given(&of->counts);
    long long place = listed ? shim_item(of->displacements, i) : of->each * i;
    long long unit = of->types ? 1 : (long long)p->type.extent;
    return (char *)of->base + (ptrdiff_t)(place * unit);
}

/* What the arguments make of piece i. Of one without elements nothing else is looked at. */
static shim_fate piece_of(const shim_side *of, int i, piece *p)
{
    long long count = lists_given(&of->counts) ? shim_item(of->counts, i) : of->each;
    *p = (piece){.at = NULL};
    if (count < 0)
        return INVALID;
    if (count == 0 && of->types)
        return TAKEN;
    if (i && !of->types)
        p->type = p[-i].type;
    else if (!shim_type_of(of->types ? of->types[i] : of->type, &p->type))
        return INVALID;
    p->count = (size_t)count;
    p->bytes = p->count * p->type.size;
    p->at = address_of(of, p, i);
    if (of->base == NULL && p->bytes && !p->type.derived)
        return INVALID;
    return p->count || !of->types ? shim_fate_of(&p->type) : TAKEN;
}

static void close_side(side *s)
{
    free(s->piece);
    free(s->views);
}

/* What the arguments make of the call: the fate of the worst piece. To be closed in any case. */
static shim_fate open_side(const shim_comm *on, const shim_side *of, int slot, side *s)
{
    shim_fate worst = TAKEN;
    size_t n = (size_t)on->size;
    *s = (side){.size = on->size, .slot = slot};
    if (lists_given(&of->counts) && !lists_given(&of->displacements))
        return INVALID;
    s->piece = malloc(n * sizeof *s->piece);
    s->views = malloc(n * sizeof *s->views);
    if (s->piece == NULL || s->views == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %d pieces", on->size);
    for (int i = 0; i < on->size; i++) {
        shim_fate fate = piece_of(of, i, &s->piece[i]);
        worst = fate > worst ? fate : worst;
        if (!shim_taken(fate))
            continue;
        s->views[i] = ob_view_vector(s->piece[i].at, s->piece[i].bytes, OB_BYTE);
        if (!s->piece[i].type.dense)
            s->staged += s->piece[i].bytes;
    }
    return worst;
}

/* Gives pieces that are no runs of bytes, or `all`, a place where they are. */
static void stage(side *s, bool all)
{
    size_t bytes = 0;
    for (int i = 0; i < s->size; i++)
        if (all || !s->piece[i].type.dense)
            bytes += s->piece[i].bytes;
    if (bytes == 0)
        return;
    s->staging = shim_scratch(s->slot, bytes);
    if (s->staging == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes", bytes);
    char *at = s->staging;
    for (int i = 0; i < s->size; i++)
        if (all || !s->piece[i].type.dense) {
            s->views[i].base = at;
            at += s->piece[i].bytes;
        }
}

/* Pieces to their places in the staging memory, or back. */
static bool restage(const shim_comm *on, const side *s, bool out)
{
    bool good = true;
    for (int i = 0; i < s->size && good; i++) {
        const piece *p = &s->piece[i];
        char *there = s->views[i].base;
        if (p->bytes == 0 || there == p->at)
            continue;
        good = out ? shim_unpack(on, &p->type, p->at, p->count, there)
                   : shim_pack(on, &p->type, p->at, p->count, there);
    }
    return good;
}

/* In place: what is sent is what is there, and goes to a copy first. */
static int alltoall(shim_comm *on, shim_call call, side *out, side *in, bool in_place)
{
    stage(out, in_place);
    stage(in, false);
    if (!restage(on, out, false))
        shim_fault("OB-3020 libicc-mpi: a committed type cannot be packed");
    ob_pieces from = {.views = out->views}, to = {.views = in->views};
    int result = shim_result(on, call, ob_all_to_all(on->group, &from, &to, NULL));
    return result == MPI_SUCCESS && !restage(on, in, true) ? MPI_ERR_TYPE : result;
}

bool serve_alltoall(shim_comm *on, shim_call call, const shim_side *send, const shim_side *receive,
                    int *result)
{
    side out, in;
    bool in_place = send->base == MPI_IN_PLACE, bad = receive->base == MPI_IN_PLACE;
    /* Without elements both may be one address. */
    shim_fate of_out = open_side(on, in_place ? receive : send, SLOT_SEND, &out);
    shim_fate of_in = open_side(on, receive, SLOT_RECEIVE, &in);
    shim_fate fate = of_out > of_in ? of_out : of_in;
    /* One base for both sides is right where their pieces are apart. */
    bool same = !in_place && send->base == receive->base && send->base != NULL;
    for (int i = 0; same && shim_taken(fate) && i < on->size; i++)
        bad = bad || (out.piece[i].bytes && in.piece[i].bytes && out.piece[i].at == in.piece[i].at);
    fate = shim_take_data(on, call, bad ? INVALID : fate);
    bool served = shim_taken(fate);
    if (served) {
        *result = alltoall(on, call, &out, &in, in_place);
        shim_scratch_trim();
    } else {
        served = shim_refuse(on, call, fate, result);
    }
    close_side(&out);
    close_side(&in);
    return served;
}
