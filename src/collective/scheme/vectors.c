/*
 * Broadcast and combine by schemes.
 */
#include "collective/scheme/vectors.h"

#include "collective/data/piece.h"
#include "collective/data/staging.h"
#include "collective/scheme/native.h"
#include "core/scratch.h"

static int get_moves(const ob_scheme *scheme, const ob_group *g, int root, ob_moves *moves)
{
    *moves = (ob_moves){0};
    ob_scheme_moves(scheme, 0, root, g->me, moves);
    if (!moves->failed)
        return OB_OK;
    ob_moves_free(moves);
    return ob_staging_no_memory(g, sizeof(ob_move));
}

/* ---------------------------------------------------------------- broadcast */

static bool receives(const ob_moves *moves)
{
    for (int k = 0; k < moves->count; k++)
        if (moves->at[k].from >= 0)
            return true;
    return false;
}

/* Chunk by chunk, also where the matrix is one run of memory: members whose columns lie differently
 * send and receive the same messages. Where parts go around the line, the root gets its own back.
 */
static int broadcast_chunks(ob_vector *v, int root, const ob_view *matrix, const ob_moves *moves)
{
    size_t left = ob_view_bytes(matrix), chunk = ob_piece_most(OB_STAGING_BYTES),
           most = left < chunk ? left : chunk;
    bool flat = ob_view_contiguous(matrix), back = v->group->me == root && receives(moves);
    size_t staged = flat && !back ? 0 : most, bytes = staged + 64; /* no move combines */
    char *stage = ob_group_scratch(v->group, bytes);
    ob_cursor c;
    if (stage == NULL)
        return ob_staging_no_memory(v->group, bytes);
    ob_cursor_open(&c, matrix);
    v->values = flat ? matrix->base : stage;
    v->spare = flat && back ? stage : NULL;
    v->whole = left;
    do {
        v->count = ob_piece_next(left, chunk);
        left -= v->count;
        if (!flat && v->group->me == root)
            ob_cursor_pack(&c, stage, v->count);
        int status = ob_run(v, moves, stage + staged);
        if (status != OB_OK)
            return status;
        if (flat && left)
            v->values += v->count;
        else if (!flat && v->group->me != root)
            ob_cursor_unpack(&c, stage, v->count);
    } while (ob_piece_followed(v->count, chunk));
    return OB_OK;
}

int ob_scheme_broadcast(ob_group *g, int root, const ob_view *matrix, const ob_scheme *scheme)
{
    ob_vector v = {.group = g, .type = OB_BYTE, .esize = 1, .blocks = ob_scheme_blocks(scheme, 0)};
    ob_moves moves;
    if (scheme->native)
        return ob_native_broadcast(g, root, matrix);
    int status = get_moves(scheme, g, root, &moves);
    if (status != OB_OK)
        return status;
    if (v.blocks == 1 && g->nodes <= 1) {
        v.view = matrix; /* each message is all of it, however long */
        status = ob_run(&v, &moves, NULL);
    } else {
        status = broadcast_chunks(&v, root, matrix, &moves);
    }
    ob_moves_free(&moves);
    return status;
}

/* ------------------------------------------------------------------ combine */

/* As broadcast_chunks. s: of a matrix that is staged; NULL: it is one run of memory. */
static int combine_chunks(ob_vector *v, const ob_view *matrix, ob_staging *s, const ob_moves *moves,
                          bool owners, bool wanted)
{
    size_t n = v->count, unit = v->esize + (owners ? sizeof(int32_t) : 0);
    size_t most = ob_piece_most(OB_STAGING_BYTES / unit), each = n < most ? n : most;
    size_t values = s ? ob_align(each * v->esize) : 0;
    size_t all = values + ob_align(owners ? each * sizeof(int32_t) : 0);
    size_t coming = s || n > most ? ob_run_longest(v->group, unit) + 64 : ob_run_scratch(v, moves);
    size_t bytes = all + coming;
    char *memory = ob_group_scratch(v->group, bytes);
    if (memory == NULL)
        return ob_staging_no_memory(v->group, bytes);
    v->whole = n;
    v->values = s ? memory : matrix->base;
    v->owners = owners ? (int32_t *)(void *)(memory + values) : NULL;
    do {
        v->count = ob_piece_next(n, most);
        n -= v->count;
        if (s)
            ob_staging_pack(s, memory, v->esize, v->owners, v->count);
        int status = ob_run(v, moves, memory + all);
        if (status != OB_OK)
            return status;
        if (s && wanted)
            ob_staging_unpack(s, memory, v->esize, v->owners, v->count);
        else if (!s && n)
            v->values += v->count * v->esize;
    } while (ob_piece_followed(v->count, most));
    return OB_OK;
}

int ob_scheme_combine(ob_group *g, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, int *owner, size_t ld_owner, bool distances,
                      const ob_scheme *scheme)
{
    size_t esize = operation ? operation->element_bytes : ob_type_bytes(matrix->type);
    ob_vector v = {.group = g,
                   .type = matrix->type,
                   .esize = esize,
                   .count = ob_view_bytes(matrix) / esize,
                   .blocks = ob_scheme_blocks(scheme, 0),
                   .kernel = operation ? NULL : ob_kernel_find(op, matrix->type, owner != NULL),
                   .operation = operation};
    ob_staging s;
    ob_moves moves;
    bool flat = !owner && ob_view_contiguous(matrix);
    if (scheme->native)
        return ob_native_combine(g, root, op, operation, matrix, owner, ld_owner, distances,
                                 scheme->native == OB_NATIVE_BY_ROOT);
    int status = get_moves(scheme, g, root == OB_ANY ? 0 : root, &moves);
    if (status != OB_OK)
        return status;
    if (!flat)
        ob_staging_open(&s, g, matrix, owner, ld_owner, ob_combine_base(op, root), distances);
    status = combine_chunks(&v, matrix, flat ? NULL : &s, &moves, owner != NULL,
                            root == OB_ANY || root == g->me);
    ob_moves_free(&moves);
    return status;
}
