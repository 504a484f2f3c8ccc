/*
 * Combine in two levels: each node combines on its board to its leader, the leaders
 * combine by a planned scheme, and, left on all, each leader shows its node the result. Long
 * vectors go in chunks, so that what a node has combined is still in the cache when it travels.
 *
 * Owners travel between leaders as distances from the root in the whole group. A node's
 * leader is its member nearest to the root, so the order of distances on the node is theirs.
 */
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = OB_LEVELS_COMBINE };

typedef struct ascent {
    ob_group *group;
    ob_levels *levels;
    int root, base; /* base: the member at distance 0 */
    ob_op op;
    const ob_operation *operation;
    const ob_query *promises;
    int *owner; /* of a chunk, m x n, without gaps; NULL: not asked for */
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

static int one_chunk(const ascent *a, const ob_view *v)
{
    int status;
    bool unlike;
    if (a->owner)
        memset(a->owner, 0, v->m * v->n * sizeof *a->owner);
    status = within(a, v);
    if (a->levels->leading && status == OB_OK)
        status = between(a, v);
    if (a->levels->leading && status != OB_OK)
        ob_levels_fail(a->levels);
    if (status != OB_OK || a->root != OB_ANY || a->levels->local->size == 1)
        return status;
    status = ob_levels_tell(a->levels, v, &unlike);
    if (status != OB_OK || a->owner == NULL)
        return status;
    const ob_view owners = {.base = a->owner, .m = v->m, .n = v->n, .ld = v->m, .type = OB_INT};
    return ob_levels_tell(a->levels, &owners, &unlike);
}

/* Those of a chunk, whose first element is at this row and column of the matrix. */
static void copy_owners(const ascent *a, const ob_view *v, size_t row, size_t column,
                        const ob_coordinates *coords)
{
    for (size_t j = 0; j < v->n; j++) {
        size_t low, count;
        ob_view_column(v, j, &low, &count);
        memcpy(coords->first + row + low + (column + j) * coords->ld, a->owner + low + j * v->m,
               count * sizeof(int));
    }
}

/* A vector, without owners. Its first piece tells how many there are of the whole. */
static int along_rows(const ascent *a, const ob_view *matrix, const ob_view *whole)
{
    size_t unit = ob_type_bytes(matrix->type);
    size_t esize = a->operation ? a->operation->element_bytes : unit;
    size_t left = ob_view_bytes(matrix) / esize, most = CHUNK / esize;
    size_t step = ob_first_piece(left, ob_view_bytes(whole) / esize, most);
    ob_view v = *matrix;
    int status = OB_OK;
    v.n = 1;
    do {
        v.m = v.ld = step * esize / unit;
        v.ld += v.ld == 0;
        status = one_chunk(a, &v);
        v.base = v.base ? (char *)v.base + step * esize : NULL;
        left -= step;
        step = left < most ? left : most;
    } while (left && status == OB_OK);
    return status;
}

/* A matrix that is cut along its columns, and where it is cut next. */
typedef struct slicing {
    ob_view matrix;
    size_t most;            /* columns of a chunk */
    size_t row, column;     /* of the next chunk's first element */
    size_t height, columns; /* of the next chunk */
} slicing;

/* So many columns that they have about CHUNK bytes; a trapezoid is not cut. Members whose columns
 * lie differently in memory cut alike. The first of several chunks tells how many come behind it,
 * as ob_first_piece has it: by its columns, or, where these are few, by its rows. unit: so many
 * rows stay together. */
static slicing slice(const ob_view *matrix, size_t unit)
{
    size_t high = matrix->m * ob_type_bytes(matrix->type) + 1, n = matrix->n;
    size_t most = matrix->shape != OB_GENERAL ? n + 1 : high < CHUNK ? CHUNK / high : 1;
    slicing s = {
        .matrix = *matrix, .most = most, .height = matrix->m, .columns = n < most ? n : most};
    if (n > most && most > matrix->m)
        s.columns = ob_first_piece(n, n, most);
    else if (n > most)
        s.height -= n / most % (matrix->m / unit / 2 + 1) * unit;
    return s;
}

static ob_view next_slice(const slicing *s)
{
    ob_view v = s->matrix;
    v.m = s->height;
    v.n = s->columns;
    if (v.base)
        v.base = (char *)v.base + (s->column * v.ld + s->row) * ob_type_bytes(v.type);
    return v;
}

/* False: that was the last one. */
static bool advance(slicing *s)
{
    s->row += s->height;
    if (s->row == s->matrix.m) {
        s->row = 0;
        s->column += s->columns;
        size_t left = s->matrix.n - s->column;
        s->columns = left < s->most ? left : s->most;
    }
    s->height = s->matrix.m - s->row;
    return s->columns != 0;
}

static int along_columns(ascent *a, const ob_view *matrix, const ob_coordinates *coords)
{
    size_t bytes = ob_type_bytes(matrix->type);
    size_t unit = a->operation ? a->operation->element_bytes / bytes : 1;
    slicing s = slice(matrix, unit ? unit : 1);
    bool rows = matrix->shape == OB_GENERAL && !coords && matrix->m * bytes >= CHUNK;
    int status = OB_OK;
    if (coords) {
        size_t columns = s.most < matrix->n ? s.most : matrix->n;
        a->owner = malloc(columns * matrix->m * sizeof(int) + 1);
        if (a->owner == NULL)
            return ob_fail(OB_ENOMEM, "OB-4001 no memory for the owners of %zu elements",
                           columns * matrix->m);
    }
    if (rows) /* which tell how many there are by themselves */
        s.height = matrix->m;
    do {
        ob_view v = next_slice(&s);
        status = rows ? along_rows(a, &v, s.column ? &v : matrix) : one_chunk(a, &v);
        if (status == OB_OK && coords && (a->root == OB_ANY || a->root == a->group->me))
            copy_owners(a, &v, s.row, s.column, coords);
    } while (status == OB_OK && advance(&s));
    free(a->owner);
    return status;
}

int ob_combine_levels(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords, const ob_query *promises)
{
    ascent a = {.group = group,
                .root = root,
                .base = ob_combine_base(op, root),
                .op = op,
                .operation = operation,
                .promises = promises};
    int status = ob_levels_of(group, root == OB_ANY ? 0 : root, &a.levels);
    if (status != OB_OK)
        return status;
    return coords || matrix->n > 1 || matrix->shape != OB_GENERAL
               ? along_columns(&a, matrix, coords)
               : along_rows(&a, matrix, matrix);
}
