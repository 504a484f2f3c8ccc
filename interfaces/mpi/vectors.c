/*
 * Allgather, gather and scatter, also with counts: pieces of vectors, served from the
 * core. A side whose type has gaps or is derived goes through consecutive bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* ----------------------------------------------------------------- vectors */

/* Pieces whose bytes need no memory of their own. */
enum { FEW = 8 };

/* A vector argument, looked at once: its type, and the bytes of each piece. */
typedef struct vector {
    const shim_vector *of;
    shim_type type;
    int size;
    bool listed;   /* counts differ; else each piece has `piece` bytes */
    bool straight; /* dense, and its pieces follow each other: no places need be told */
    size_t piece, sum;
    size_t *bytes; /* of each piece where listed */
} vector;

static long long count_of(const vector *v, int i)
{
    return v->listed ? shim_item(v->of->counts, i) : v->of->each;
}

/* Elements from the base to piece i. */
static long long place_of(const vector *v, int i)
{
    return v->listed ? shim_item(v->of->displacements, i) : v->of->each * i;
}

static char *address_of(const vector *v, int i)
{
    return (char *)v->of->base + (ptrdiff_t)(place_of(v, i) * (long long)v->type.extent);
}

/* Counts, sums, and whether the pieces follow each other; false for a negative count. */
static bool measure(vector *v)
{
    long long at = 0;
    v->straight = v->type.dense;
    for (int i = 0; i < v->size; i++) {
        long long count = count_of(v, i);
        if (count < 0)
            return false;
        v->bytes[i] = (size_t)count * v->type.size;
        v->sum += v->bytes[i];
        v->straight &= count == 0 || place_of(v, i) == at;
        at += count;
    }
    return true;
}

static void close_vector(vector *v)
{
    if (v->size > FEW)
        free(v->bytes);
}

/* What the arguments make of the call, as shim_buffer_of; if it is not to be taken there is nothing
 * to close. few: for the bytes of FEW pieces. */
static shim_fate open_vector(const shim_comm *on, const shim_vector *of, size_t *few, vector *v)
{
    *v = (vector){.of = of, .size = on->size, .listed = shim_is_given(&of->counts)};
    if (!shim_type_of(of->type, &v->type) || (!v->listed && of->each < 0) ||
        (v->listed && !shim_is_given(&of->displacements)))
        return INVALID;
    if (v->type.uncommitted)
        return UNCOMMITTED;
    if (!v->listed) {
        v->piece = (size_t)of->each * v->type.size;
        v->sum = v->piece * (size_t)v->size;
        v->straight = v->type.dense;
    } else {
        v->bytes = v->size > FEW ? malloc((size_t)v->size * sizeof *v->bytes) : few;
        if (v->bytes == NULL)
            shim_fault("OB-4001 libicc-mpi: no memory for %d counts", v->size);
    }
    if ((v->listed && !measure(v)) || (of->base == NULL && v->sum && !v->type.derived)) {
        close_vector(v);
        return INVALID;
    }
    return shim_fate_of(&v->type);
}

static size_t bytes_of(const vector *v, int i)
{
    return v->listed ? v->bytes[i] : v->piece;
}

/* The vector as pieces in the core's sense, and what must be freed or unpacked later. */
typedef struct pieces {
    ob_pieces core;
    ob_view *views;
    char *staging; /* consecutive bytes; NULL: the pieces are in the vector itself */
} pieces;

static void open_views(const vector *v, pieces *p)
{
    p->views = malloc((size_t)v->size * sizeof *p->views);
    if (p->views == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %d pieces", v->size);
    for (int i = 0; i < v->size; i++)
        p->views[i] = ob_view_vector(address_of(v, i), bytes_of(v, i), OB_BYTE);
    p->core.views = p->views;
}

static void open_pieces(const vector *v, pieces *p)
{
    *p = (pieces){
        .core = {
            .base = (void *)v->of->base, .type = OB_BYTE, .count = v->piece, .counts = v->bytes}};
    if (v->straight)
        return;
    if (v->type.dense) {
        open_views(v, p);
        return;
    }
    p->core.base = p->staging = shim_scratch(SLOT_RECEIVE, v->sum);
    if (p->staging == NULL)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes", v->sum);
}

static void close_pieces(pieces *p)
{
    free(p->views);
}

/* Where piece i is to be found or put: in the vector, or in the staging buffer. */
static char *piece_at(const vector *v, const pieces *p, int i)
{
    size_t at = 0;
    if (p->staging == NULL)
        return address_of(v, i);
    if (!v->listed)
        return p->staging + v->piece * (size_t)i;
    for (int k = 0; k < i; k++)
        at += v->bytes[k];
    return p->staging + at;
}

/* From the vector to the staging buffer, or back. but: a piece to leave out, or -1. */
static bool restage_all(const shim_comm *on, const vector *v, const pieces *p, bool out, int but)
{
    char *at = p->staging;
    bool good = true;
    for (int i = 0; i < v->size && good; at += bytes_of(v, i), i++) {
        size_t count = (size_t)count_of(v, i);
        if (i == but)
            continue;
        good = out ? shim_unpack(on, &v->type, address_of(v, i), count, at)
                   : shim_pack(on, &v->type, address_of(v, i), count, at);
    }
    return good;
}

/* The same; nothing where there is none. */
static inline bool restage(const shim_comm *on, const vector *v, const pieces *p, bool out, int but)
{
    return p->staging == NULL || restage_all(on, v, p, out, but);
}

/* ------------------------------------------------------------ single pieces */

/* One piece as bytes in a row: where it is, or, packed, in scratch memory. */
static char *bytes_in(const shim_comm *on, const shim_buffer *b)
{
    if (b->type.dense)
        return b->base;
    char *packed = shim_scratch(SLOT_SEND, b->bytes);
    if (packed == NULL || !shim_pack(on, &b->type, b->base, b->count, packed))
        shim_fault("OB-4001 libicc-mpi: no memory to pack %zu bytes", b->bytes);
    return packed;
}

static shim_fate piece_of(const shim_piece *piece, shim_buffer *b)
{
    return piece->base == MPI_IN_PLACE ? INVALID
                                       : shim_buffer_of(piece->base, piece->count, piece->type, b);
}

/* --------------------------------------------------------------- allgather */

/* Of both arguments: the fates that come later outdo those before. */
static shim_fate fate_of_both(const shim_comm *on, const vector *v, shim_fate vector_fate,
                              const shim_piece *piece, shim_buffer *own)
{
    shim_fate fate = piece_of(piece, own);
    if (shim_taken(fate) && !EQUAL_IS_IN_PLACE && own->bytes && piece->type == v->of->type &&
        own->bytes == bytes_of(v, on->rank) && own->base == address_of(v, on->rank))
        return INVALID;
    return fate > vector_fate ? fate : vector_fate;
}

/* For a member with a vector and a piece of its own, NULL: in place. When it is to be served the
 * vector is open. */
static shim_fate take_both(shim_comm *on, shim_call call, const shim_vector *of, size_t *few,
                           vector *v, const shim_piece *piece, shim_buffer *own)
{
    shim_fate of_vector = of->base == MPI_IN_PLACE ? INVALID : open_vector(on, of, few, v);
    if (!shim_taken(of_vector))
        return shim_take_data(on, call, of_vector);
    shim_fate fate = piece ? fate_of_both(on, v, of_vector, piece, own) : of_vector;
    fate = shim_take_data(on, call, fate);
    if (!shim_taken(fate))
        close_vector(v);
    return fate;
}

/* For a member with nothing but a piece. */
static shim_fate take_piece(shim_comm *on, shim_call call, const shim_piece *piece, int root,
                            shim_buffer *own)
{
    bool good = root >= 0 && root < on->size;
    return shim_take_data(on, call, good ? piece_of(piece, own) : INVALID);
}

/* Does the own piece not fit into its place? Only this member can know, so it takes part in the
 * call without the piece, and has an error then. */
static bool misfits(const shim_comm *on, const vector *v, const shim_buffer *own)
{
    return own && own->bytes != bytes_of(v, on->rank);
}

static int result_with_own(const shim_comm *on, shim_call call, const vector *v,
                           const shim_buffer *own, int result)
{
    return result == MPI_SUCCESS && misfits(on, v, own)
               ? shim_own_size_error(on, call, own->bytes, bytes_of(v, on->rank))
               : result;
}

/* The own piece of an allgather into its place, where it is not there. */
static void place_own(const shim_comm *on, const vector *v, const pieces *p, const shim_buffer *own)
{
    char *place = piece_at(v, p, on->rank);
    if (misfits(on, v, own)) {
        if (p->staging)
            memset(place, 0, bytes_of(v, on->rank));
    } else if (own && own->bytes) {
        char *from = bytes_in(on, own);
        if (from != place)
            memcpy(place, from, own->bytes);
    } else if (p->staging) {
        shim_pack(on, &v->type, address_of(v, on->rank), (size_t)count_of(v, on->rank), place);
    }
}

/* The own piece goes to the others and into its place at once, where that is possible. */
static int collect(shim_comm *on, const vector *v, const pieces *p, const shim_buffer *own)
{
    if (own && own->bytes && !misfits(on, v, own)) {
        ob_view from = ob_view_vector(bytes_in(on, own), own->bytes, OB_BYTE);
        if (from.base != piece_at(v, p, on->rank))
            return ob_collect_from(on->group, &from, &p->core, NULL);
    }
    place_own(on, v, p, own);
    return ob_collect(on->group, &p->core, NULL);
}

static int allgather(shim_comm *on, shim_call call, const vector *v, const shim_buffer *own)
{
    pieces p;
    if (shim_moves_nothing(on, v->sum))
        return result_with_own(on, call, v, own, MPI_SUCCESS);
    open_pieces(v, &p);
    int result = shim_result(on, call, collect(on, v, &p, own));
    if (result == MPI_SUCCESS && !restage(on, v, &p, true, own ? -1 : on->rank))
        result = MPI_ERR_TYPE;
    close_pieces(&p);
    return result_with_own(on, call, v, own, result);
}

/* Without elements, of a type that has passed here before. */
static bool is_empty_piece(const shim_comm *on, const shim_piece *p)
{
    return shim_is_empty(on, p->count, p->type) && p->base != MPI_IN_PLACE;
}

static bool is_empty_vector(const shim_comm *on, const shim_vector *v)
{
    bool listed = shim_is_given(&v->counts);
    return shim_is_empty(on, listed ? 0 : v->each, v->type) && v->base != MPI_IN_PLACE &&
           (!listed || shim_lists_are_empty(on, &v->counts, &v->displacements));
}

/* Do all members know all lengths? */
static bool all_know(const shim_comm *on, shim_call call)
{
    return (call != CALL_GATHERV && call != CALL_SCATTERV) || on->size == 2;
}

/* What a member does that has a vector; own: its piece, NULL where that is in its place. */
typedef int with_vector(shim_comm *on, shim_call call, const vector *v, const shim_buffer *own);
/* And one that has nothing but a piece. */
typedef int with_piece(shim_comm *on, shim_call call, const shim_buffer *own, int root);

static bool serve_vector(shim_comm *on, shim_call call, const shim_vector *of,
                         const shim_piece *piece, with_vector *act, int *result)
{
    size_t few[FEW];
    vector v;
    shim_buffer own;
    bool in_place = piece->base == MPI_IN_PLACE;
    if (is_empty_vector(on, of) && (in_place || is_empty_piece(on, piece)) && all_know(on, call))
        return shim_end(call, result);
    shim_fate fate = take_both(on, call, of, few, &v, in_place ? NULL : piece, &own);
    if (!shim_taken(fate))
        return shim_refuse(on, call, fate, result);
    if (fate == TAKEN)
        on->moved = of->type;
    *result = act(on, call, &v, in_place ? NULL : &own);
    close_vector(&v);
    shim_scratch_trim();
    return true;
}

static bool serve_piece(shim_comm *on, shim_call call, const shim_piece *piece, int root,
                        with_piece *act, int *result)
{
    shim_buffer own;
    if (is_empty_piece(on, piece) && root >= 0 && root < on->size && all_know(on, call))
        return shim_end(call, result);
    shim_fate fate = take_piece(on, call, piece, root, &own);
    if (!shim_taken(fate))
        return shim_refuse(on, call, fate, result);
    if (fate == TAKEN)
        on->moved = piece->type;
    *result = act(on, call, &own, root);
    shim_scratch_trim();
    return true;
}

bool serve_allgather(shim_comm *on, shim_call call, const shim_piece *send,
                     const shim_vector *receive, int *result)
{
    return serve_vector(on, call, receive, send, allgather, result);
}

/* ------------------------------------------------------- gather and scatter */

/* The sizes as a member that is not the root knows them: with counts, only its own. */
static ob_pieces pieces_of_others(const shim_buffer *mine, bool private_sizes)
{
    return (ob_pieces){
        .type = OB_BYTE, .count = private_sizes ? 0 : mine->bytes, .private_sizes = private_sizes};
}

/* Away from the root, and there: does no piece go to another member? */
static bool own_stays(const shim_comm *on, shim_call call, const shim_buffer *own)
{
    return all_know(on, call) && shim_moves_nothing(on, own->bytes);
}

static bool all_stay(const shim_comm *on, const vector *v)
{
    return on->size == 2 ? shim_pair_moves_nothing(on, bytes_of(v, 1 - on->rank))
                         : !v->listed && shim_moves_nothing(on, v->sum);
}

static int gather_away(shim_comm *on, shim_call call, const shim_buffer *own, int root)
{
    if (own_stays(on, call, own))
        return MPI_SUCCESS;
    ob_pieces others = pieces_of_others(own, call == CALL_GATHERV);
    ob_view view = ob_view_vector(bytes_in(on, own), own->bytes, OB_BYTE);
    return shim_result(on, call, ob_gather(on->group, root, &others, &view, NULL));
}

static int gather_here(shim_comm *on, shim_call call, const vector *v, const shim_buffer *own)
{
    pieces p;
    int result = MPI_SUCCESS;
    open_pieces(v, &p);
    p.core.private_sizes = call == CALL_GATHERV;
    if (own && own->bytes && !misfits(on, v, own)) {
        char *from = bytes_in(on, own), *place = piece_at(v, &p, on->rank);
        if (from != place)
            memcpy(place, from, own->bytes);
    }
    if (!all_stay(on, v))
        result = shim_result(on, call, ob_gather(on->group, on->rank, &p.core, NULL, NULL));
    if (result == MPI_SUCCESS &&
        !restage(on, v, &p, true, own && !misfits(on, v, own) ? -1 : on->rank))
        result = MPI_ERR_TYPE;
    close_pieces(&p);
    return result_with_own(on, call, v, own, result);
}

bool serve_gather(shim_comm *on, shim_call call, const shim_piece *send, const shim_vector *receive,
                  int root, int *result)
{
    return root == on->rank ? serve_vector(on, call, receive, send, gather_here, result)
                            : serve_piece(on, call, send, root, gather_away, result);
}

static int scatter_away(shim_comm *on, shim_call call, const shim_buffer *own, int root)
{
    if (own_stays(on, call, own))
        return MPI_SUCCESS;
    ob_pieces others = pieces_of_others(own, call == CALL_SCATTERV);
    char *to = own->type.dense ? own->base : shim_scratch(SLOT_SEND, own->bytes);
    if (to == NULL && own->bytes)
        shim_fault("OB-4001 libicc-mpi: no memory for %zu bytes", own->bytes);
    ob_view view = ob_view_vector(to, own->bytes, OB_BYTE);
    int result = shim_result(on, call, ob_scatter(on->group, root, &others, &view, NULL));
    if (result == MPI_SUCCESS && !own->type.dense &&
        !shim_unpack(on, &own->type, own->base, own->count, to))
        result = MPI_ERR_TYPE;
    return result;
}

/* own NULL: the root's piece stays where it is. */
static int scatter_here(shim_comm *on, shim_call call, const vector *v, const shim_buffer *own)
{
    pieces p;
    int result = MPI_SUCCESS;
    open_pieces(v, &p);
    p.core.private_sizes = call == CALL_SCATTERV;
    if (!restage(on, v, &p, false, own ? -1 : on->rank))
        shim_fault("OB-3020 libicc-mpi: a committed type cannot be packed");
    if (!all_stay(on, v))
        result = shim_result(on, call, ob_scatter(on->group, on->rank, &p.core, NULL, NULL));
    if (result == MPI_SUCCESS && own && own->bytes && !misfits(on, v, own) &&
        !shim_unpack(on, &own->type, own->base, own->count, piece_at(v, &p, on->rank)))
        result = MPI_ERR_TYPE;
    close_pieces(&p);
    return result_with_own(on, call, v, own, result);
}

bool serve_scatter(shim_comm *on, shim_call call, const shim_vector *send,
                   const shim_piece *receive, int root, int *result)
{
    return root == on->rank ? serve_vector(on, call, send, receive, scatter_here, result)
                            : serve_piece(on, call, receive, root, scatter_away, result);
}
