/*
 * Broadcast and combine by schemes.
 */
#include "collective/scheme/vectors.h"

#include "core/error.h"

static int no_memory(const ob_group *g, size_t bytes)
{
    return ob_fail(OB_ENOMEM,
                   "a collective: process %d of %d has no memory for %zu bytes of intermediate "
                   "results; free memory or communicate a smaller matrix at a time",
                   g->me, g->size, bytes);
}

static size_t part_start(size_t n, size_t parts, size_t i)
{
    size_t more = n % parts;
    return n / parts * i + (i < more ? i : more);
}

static int get_moves(const ob_scheme *scheme, const ob_group *g, int root, ob_moves *moves)
{
    *moves = (ob_moves){0};
    ob_scheme_moves(scheme, 0, root, g->me, moves);
    if (!moves->failed)
        return OB_OK;
    ob_moves_free(moves);
    return no_memory(g, sizeof(ob_move));
}

/* Runs the moves over the vector in memory it can stand in as it is. */
static int run_direct(ob_vector *v, const ob_moves *moves)
{
    size_t bytes = ob_run_scratch(v, moves);
    char *scratch = ob_group_scratch(v->group, bytes);
    return scratch ? ob_run(v, moves, scratch) : no_memory(v->group, bytes);
}

/* ---------------------------------------------------------------- broadcast */

static int broadcast_staged(ob_vector *v, int root, const ob_view *matrix, const ob_moves *moves)
{
    size_t bytes = ob_view_bytes(matrix);
    size_t chunks = bytes ? (bytes + OB_STAGE_BYTES - 1) / OB_STAGE_BYTES : 1;
    size_t most = part_start(bytes, chunks, 1);
    char *stage = ob_group_scratch(v->group, most + 64);
    ob_cursor c;
    if (stage == NULL)
        return no_memory(v->group, most);
    ob_cursor_open(&c, matrix);
    v->values = stage;
    for (size_t k = 0; k < chunks; k++) {
        v->count = part_start(bytes, chunks, k + 1) - part_start(bytes, chunks, k);
        if (v->group->me == root)
            ob_cursor_pack(&c, stage, v->count);
        int status = ob_run(v, moves, stage + most); /* no move combines */
        if (status != OB_OK)
            return status;
        if (v->group->me != root)
            ob_cursor_unpack(&c, stage, v->count);
    }
    return OB_OK;
}

int ob_scheme_broadcast(ob_group *g, int root, const ob_view *matrix, const ob_scheme *scheme)
{
    ob_vector v = {.group = g,
                   .type = OB_BYTE,
                   .esize = 1,
                   .count = ob_view_bytes(matrix),
                   .blocks = ob_scheme_blocks(scheme, 0)};
    ob_moves moves;
    int status = get_moves(scheme, g, root, &moves);
    if (status != OB_OK)
        return status;
    /* As a view it would be one message, however long. */
    if (v.blocks == 1 && (g->nodes <= 1 || !ob_view_contiguous(matrix)))
        v.view = matrix;
    v.values = matrix->base;
    if (v.view || ob_view_contiguous(matrix))
        status = run_direct(&v, &moves);
    else
        status = broadcast_staged(&v, root, matrix, &moves);
    ob_moves_free(&moves);
    return status;
}

/* ------------------------------------------------------------------ combine */

typedef struct stage {
    ob_cursor in, out, owner_in, owner_out;
    ob_view owner_view;
    char *values;
    int32_t *owners;
    char *scratch;
    bool wanted;
    int base;       /* the member at distance 0 */
    bool distances; /* owners are given, and left, as distances */
} stage;

static void open_stage(stage *s, const ob_view *matrix, int *owner, size_t ld_owner)
{
    ob_cursor_open(&s->in, matrix);
    ob_cursor_open(&s->out, matrix);
    s->owner_view = *matrix;
    s->owner_view.base = owner;
    s->owner_view.ld = ld_owner;
    s->owner_view.type = OB_INT;
    if (owner) {
        ob_cursor_open(&s->owner_in, &s->owner_view);
        ob_cursor_open(&s->owner_out, &s->owner_view);
    }
}

/* Owners travel as distances from the root: the nearest above it is the smallest. */
static void pack(const ob_vector *v, stage *s)
{
    int base = s->base, me = v->group->me, size = v->group->size;
    int32_t distance = me >= base ? me - base : me - base + size;
    if (v->count)
        ob_cursor_pack(&s->in, s->values, v->count * v->esize);
    if (v->owners && s->distances && v->count)
        ob_cursor_pack(&s->owner_in, v->owners, v->count * sizeof(int32_t));
    for (size_t k = 0; v->owners && !s->distances && k < v->count; k++)
        v->owners[k] = distance;
}

static void unpack(const ob_vector *v, stage *s)
{
    int32_t base = s->base, size = v->group->size;
    if (v->count == 0)
        return;
    ob_cursor_unpack(&s->out, s->values, v->count * v->esize);
    if (v->owners == NULL)
        return;
    for (size_t k = 0; base && !s->distances && k < v->count; k++)
        v->owners[k] =
            v->owners[k] < size - base ? v->owners[k] + base : v->owners[k] + base - size;
    ob_cursor_unpack(&s->owner_out, v->owners, v->count * sizeof(int32_t));
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int combine_staged(ob_vector *v, stage *s, const ob_moves *moves, bool owners)
{
    size_t n = v->count, unit = v->esize + (owners ? sizeof(int32_t) : 0);
    size_t most = OB_STAGE_BYTES / unit, chunks = n > most ? (n + most - 1) / most : 1;
    size_t values = round_up((n + chunks - 1) / chunks * v->esize);
    size_t all = round_up((n + chunks - 1) / chunks * unit + 128) + 64;
    size_t bytes = all + ob_run_piece(v->group) + 64;
    char *memory = ob_group_scratch(v->group, bytes);
    if (memory == NULL)
        return no_memory(v->group, bytes);
    s->values = v->values = memory;
    v->owners = owners ? (int32_t *)(void *)(memory + values) : NULL;
    for (size_t k = 0; k < chunks; k++) {
        v->count = part_start(n, chunks, k + 1) - part_start(n, chunks, k);
        pack(v, s);
        int status = ob_run(v, moves, memory + all);
        if (status != OB_OK)
            return status;
        if (s->wanted)
            unpack(v, s);
    }
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
    stage s = {.wanted = root == OB_ANY || root == g->me,
               .base = ob_combine_base(op, root),
               .distances = distances};
    ob_moves moves;
    int status = get_moves(scheme, g, root == OB_ANY ? 0 : root, &moves);
    if (status != OB_OK)
        return status;
    if (!owner && ob_view_contiguous(matrix)) {
        v.values = matrix->base;
        status = run_direct(&v, &moves);
    } else {
        open_stage(&s, matrix, owner, ld_owner);
        status = combine_staged(&v, &s, &moves, owner != NULL);
    }
    ob_moves_free(&moves);
    return status;
}
