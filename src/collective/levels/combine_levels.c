/*
 * Combine in two levels: each node combines on its board to its leader, the leaders
 * combine by a planned scheme, and, left on all, each leader shows its node the result. Long
 * vectors go in chunks, so that what a node has combined is still in the cache when it travels.
 *
 * Owners travel between leaders as distances from the root in the whole group. A node's
 * leader is its member nearest to the root, so the order of distances on the node is theirs.
 */
#include "collective/data/piece.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "hooks/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct ascent {
    ob_group *group;
    ob_levels *levels;
    int root, base; /* base: the member at distance 0 */
    ob_op op;
    const ob_operation *operation;
    const ob_query *promises;
    size_t chunk;   /* about so many bytes at a time */
    ob_view untold; /* a chunk whose results the leader has, or will have, */
    bool telling;   /* and is to tell its node */
    int *owner;     /* of a chunk, m x n, without gaps; NULL: not asked for */
} ascent;

/* Positions on this node become distances. The elements beside a trapezoid are 0: a position. */
static void to_distances(const ascent *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int distance = a->levels->member[a->owner[i]] - a->base;
        a->owner[i] = distance < 0 ? distance + a->group->size : distance;
    }
}

static void to_positions(const ascent *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int position = a->owner[i] + a->base;
        a->owner[i] = position < a->group->size ? position : position - a->group->size;
    }
}

static int within(const ascent *a, const ob_view *v)
{
    const ob_coordinates coords = {.first = a->owner, .ld = v->m, .width = 1};
    if (a->levels->local->size == 1)
        return OB_OK;
    return ob_combine_node(a->levels->local, a->levels->at, a->op, a->operation, v, v,
                           a->owner ? &coords : NULL, false);
}

static int between(const ascent *a, const ob_view *v)
{
    ob_group *g = a->levels->leaders;
    int root = a->root == OB_ANY ? OB_ANY : a->group->node[a->root];
    ob_scheme scheme;
    ob_query q = *a->promises;
    q.task = root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE;
    q.root = root == OB_ANY ? 0 : root;
    q.bytes = ob_view_bytes(v);
    int status = ob_plan_scheme(g, &q, &scheme);
    if (status != OB_OK)
        return status;
    if (a->owner)
        to_distances(a, v->m * v->n);
    status = ob_scheme_combine(g, root, a->op, a->operation, v, a->owner, v->m, true, &scheme);
    if (status == OB_OK && a->owner)
        to_positions(a, v->m * v->n);
    return status;
}

/* The results of the chunk that is under way to the node. */
static int tell(ascent *a)
{
    bool unlike;
    const ob_view *v = &a->untold;
    if (!a->telling)
        return OB_OK;
    a->telling = false;
    int status = ob_levels_tell(a->levels, v, &unlike);
    if (status != OB_OK || a->owner == NULL)
        return status;
    const ob_view owners = {.base = a->owner, .m = v->m, .n = v->n, .ld = v->m, .type = OB_INT};
    return ob_levels_tell(a->levels, &owners, &unlike);
}

/* Results of a chunk without owners are told behind the node's part of the next one: so members
 * show that one while their leader waits for other nodes. */
static int one_chunk(ascent *a, const ob_view *v)
{
    if (a->owner)
        memset(a->owner, 0, v->m * v->n * sizeof *a->owner);
    int status = within(a, v);
    if (status == OB_OK)
        status = tell(a);
    if (a->levels->leading && status == OB_OK)
        status = between(a, v);
    if (a->levels->leading && status != OB_OK)
        ob_levels_fail(a->levels);
    a->untold = *v;
    a->telling = status == OB_OK && a->root == OB_ANY && a->levels->local->size > 1;
    return status == OB_OK && a->owner ? tell(a) : status;
}

/* Those of a chunk, whose first column is this one of the matrix. */
static void copy_owners(const ascent *a, const ob_view *v, size_t column,
                        const ob_coordinates *coords)
{
    for (size_t j = 0; j < v->n; j++) {
        size_t low, count;
        ob_view_column(v, j, &low, &count);
        memcpy(coords->first + low + (column + j) * coords->ld, a->owner + low + j * v->m,
               count * sizeof(int));
    }
}

/* A vector, without owners. */
static int along_rows(ascent *a, const ob_view *matrix)
{
    size_t unit = ob_type_bytes(matrix->type);
    size_t esize = a->operation ? a->operation->element_bytes : unit;
    size_t left = ob_view_bytes(matrix) / esize, most = ob_piece_most(a->chunk / esize), step;
    ob_view v = *matrix;
    int status = OB_OK;
    v.n = 1;
    do {
        step = ob_piece_next(left, most);
        v.m = v.ld = step * esize / unit;
        v.ld += v.ld == 0;
        status = one_chunk(a, &v);
        v.base = v.base ? (char *)v.base + step * esize : NULL;
        left -= step;
    } while (status == OB_OK && ob_piece_followed(step, most));
    return status;
}

/* So many columns that they have about a chunk's bytes; a trapezoid is not cut. Members whose
 * columns lie differently in memory cut alike. So many columns are followed by another chunk,
 * perhaps an empty one, and fewer are not: as pieces (piece.h), of members that agree about the
 * rows. */
static size_t columns_most(const ob_view *matrix, size_t chunk)
{
    size_t high = matrix->m * ob_type_bytes(matrix->type) + 1;
    return matrix->shape != OB_GENERAL ? matrix->n + 1 : high < chunk ? chunk / high : 1;
}

static int along_columns(ascent *a, const ob_view *matrix, const ob_coordinates *coords)
{
    size_t bytes = ob_type_bytes(matrix->type), left = matrix->n, column = 0,
           most = columns_most(matrix, a->chunk), room = most < left ? most : left;
    bool rows = matrix->shape == OB_GENERAL && !coords && matrix->m * bytes >= a->chunk;
    ob_view v = *matrix;
    int status = OB_OK;
    if (coords) {
        a->owner = malloc(room * matrix->m * sizeof(int) + 1);
        if (a->owner == NULL)
            return ob_fail(OB_ENOMEM, "OB-4001 no memory for the owners of %zu elements",
                           room * matrix->m);
    }
    do {
        v.n = left < most ? left : most;
        if (v.base)
            v.base = (char *)matrix->base + column * v.ld * bytes;
        status = rows ? along_rows(a, &v) : one_chunk(a, &v);
        if (status == OB_OK && coords && (a->root == OB_ANY || a->root == a->group->me))
            copy_owners(a, &v, column, coords);
        column += v.n;
        left -= v.n;
    } while (status == OB_OK && v.n == most);
    free(a->owner);
    return status;
}

/* ------------------------------------------------------------- carried combines */

/* What members say of a long combine before it is carried: a mark of its bytes that a word of
 * another call's vector does not have, and whether it is to stay with the leaders. A simulation
 * keeps the contents of messages that are no longer. */
enum { STAYS = 1, UNLIKE = 2, FLAGS = 3 };

static void fold_words(size_t n, void *acc, const void *in, const void *context)
{
    uint64_t *a = acc;
    const uint64_t *b = in;
    (void)context;
    for (size_t i = 0; i < n; i++)
        a[i] = (a[i] ^ b[i]) & ~(uint64_t)FLAGS ? UNLIKE : a[i] | b[i];
}

/* Where processes outnumber processors, each step more costs switches between them; a plan that is
 * named is one of leaders. */
static bool stays_here(const ob_group *g)
{
    ob_scheme scheme;
    const ob_job *job = g->job;
    bool stays = ob_job_crowded(job) && !job->set.tiers.always;
    for (int task = 0; task <= OB_TASK_DISTRIBUTE; task++)
        stays |= ob_plan_setting(job->set.plan, (ob_task)task, g->nodes, &scheme) != 0;
    return stays;
}

/* Members must know that all have the same bytes, for leaders alone would find out. All get the
 * same word, so they go on alike. */
int ob_carried_ask(ob_group *g, ob_levels *l, size_t bytes, const ob_query *promises)
{
    static const ob_operation fold = {.apply = fold_words, .element_bytes = sizeof(uint64_t)};
    uint64_t word = (ob_mix(bytes) & ~(uint64_t)FLAGS) | (stays_here(g) ? STAYS : 0);
    const ob_view v = ob_view_of_bytes(&word, sizeof word);
    ascent asks = {
        .group = g, .levels = l, .root = OB_ANY, .operation = &fold, .promises = promises};
    int status = one_chunk(&asks, &v);
    if (status == OB_OK)
        status = tell(&asks);
    if (status != OB_OK)
        return status;
    if (word & UNLIKE)
        return ob_fail(OB_ESIZE,
                       "OB-5017 not all members of a collective call between nodes name %zu bytes "
                       "as process %d; all must have the same",
                       bytes, g->job->number);
    l->carried = word & STAYS ? OB_NOT_CARRIED : OB_CARRIED;
    return OB_OK;
}

int ob_combine_levels(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords, const ob_query *promises)
{
    ascent a = {.group = group,
                .root = root,
                .base = ob_combine_base(op, root),
                .op = op,
                .operation = operation,
                .promises = promises,
                .chunk = ob_levels_combine(group->size, group->nodes)};
    int status = ob_levels_of(group, root == OB_ANY ? 0 : root, &a.levels);
    if (status != OB_OK)
        return status;
    size_t bytes = ob_view_bytes(matrix);
    if (!coords && ob_carried_by(a.levels, promises, bytes)) {
        status = ob_carried_ask(group, a.levels, bytes, promises);
        if (status != OB_OK)
            return status;
        if (a.levels->carried == OB_CARRIED)
            return ob_combine_carried(group, root, op, operation, matrix, promises);
    }
    status = coords || matrix->n > 1 || matrix->shape != OB_GENERAL
                 ? along_columns(&a, matrix, coords)
                 : along_rows(&a, matrix);
    return status == OB_OK ? tell(&a) : status;
}
