/*
 * Long combines where each process has a processor. One leader would carry all bytes of its node to
 * the network and back, while the others wait. So the node's sum is left in parts on several
 * members, its carriers; each combines its part with the carriers of its place on the other nodes,
 * and the node collects the results. Each byte crosses the network as often as before.
 */
#include "collective/board/collectives.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "core/scratch.h"
#include "message/message.h"

#include <stdlib.h>

/* Bytes of a part at a time; of all of them at most. */
enum { PART = 128 << 10, MOST = OB_STAGING_BYTES };
/* Of shorter combines parts are so short that starting their messages takes longer than the leader
 * with all bytes. Left on one, few carriers do not gain what the parts' way to the root takes
 * (bench/sim/README.md). */
enum {
    LEAST = 32 << 10,
    LEAST_OF_NODE = 4 << 10,
    LEAST_TO_ONE = 2 << 20,
    CARRIERS_TO_ONE = OB_TIER
};

static size_t least(const ob_levels *l, bool all)
{
    size_t of_nodes = (size_t)l->leaders->size * LEAST_OF_NODE;
    return !all ? LEAST_TO_ONE : of_nodes > LEAST ? of_nodes : LEAST;
}

typedef struct carry {
    ob_group *group;
    ob_levels *levels;
    int root;
    const ob_query *promises;
    ob_parts parts; /* of a chunk, for the caller's node */
} carry;

bool ob_carried_by(const ob_levels *l, const ob_query *promises, size_t bytes)
{
    bool all = promises->task == OB_TASK_ALL;
    return l->carriers >= (all ? 2 : CARRIERS_TO_ONE) && bytes >= least(l, all) &&
           l->carried != OB_NOT_CARRIED && !promises->native && !promises->repeatable;
}

/* The cuts are those of every node: the parts of carriers follow each other, the others have none.
 */
static void cut(const carry *c, char *at, size_t count)
{
    const ob_parts *p = &c->parts;
    size_t carriers = (size_t)c->levels->carriers;
    bool typed = ob_type_bytes(p->type) == p->esize;
    for (size_t i = 0; i <= (size_t)p->size; i++)
        p->cut[i] = ob_part_start(count, carriers, i < carriers ? i : carriers);
    for (int i = 0; i < p->size; i++) {
        size_t n = p->cut[i + 1] - p->cut[i];
        char *base = at + p->cut[i] * p->esize;
        p->view[i] =
            typed ? ob_view_vector(base, n, p->type) : ob_view_of_bytes(base, n * p->esize);
    }
}

static int across(const carry *c)
{
    ob_group *g = c->levels->across;
    const ob_view *part = &c->parts.view[c->levels->local->me];
    int root = c->root == OB_ANY ? OB_ANY : c->group->node[c->root];
    ob_query q = *c->promises;
    ob_scheme scheme;
    if (g == NULL)
        return OB_OK;
    q.task = root == OB_ANY ? OB_TASK_ALL : OB_TASK_COMBINE;
    q.root = root == OB_ANY ? 0 : root;
    q.bytes = ob_view_bytes(part);
    q.moves = true;
    int status = ob_plan_scheme(g, &q, &scheme);
    return status == OB_OK ? ob_scheme_combine(g, root, c->parts.op, c->parts.operation, part, NULL,
                                               0, false, &scheme)
                           : status;
}

static int back(const carry *c)
{
    ob_group *node = c->levels->local;
    int at = 0;
    if (node->size == 1)
        return OB_OK;
    if (c->root == OB_ANY)
        return ob_parts_node(node, OB_TASK_COLLECT, 0, &c->parts);
    if (c->group->node[c->root] != c->group->node[c->group->me])
        return OB_OK;
    while (c->levels->member[at] != c->root)
        at++;
    return ob_parts_node(node, OB_TASK_GATHER, at, &c->parts);
}

static int one_chunk(carry *c, char *at, size_t count)
{
    ob_group *node = c->levels->local;
    c->parts.flat = at;
    cut(c, at, count);
    int status = node->size > 1 ? ob_parts_node(node, OB_TASK_DISTRIBUTE, 0, &c->parts) : OB_OK;
    if (status == OB_OK)
        status = across(c);
    return status == OB_OK ? back(c) : status;
}

static int chunks(carry *c, const ob_view *matrix, char *room, size_t most)
{
    size_t esize = c->parts.esize, left = ob_view_bytes(matrix) / esize;
    bool wanted = c->root == OB_ANY || c->root == c->group->me;
    char *at = room ? room : matrix->base;
    ob_cursor in, out;
    int status = OB_OK;
    ob_cursor_open(&in, matrix);
    ob_cursor_open(&out, matrix);
    while (left && status == OB_OK) {
        size_t parts = (left - 1) / most + 1, n = (left - 1) / parts + 1;
        if (room)
            ob_cursor_pack(&in, room, n * esize);
        status = one_chunk(c, at, n);
        if (room && wanted && status == OB_OK)
            ob_cursor_unpack(&out, room, n * esize);
        at += room ? 0 : n * esize;
        left -= n;
    }
    return status;
}

int ob_carried_fail(ob_levels *l, int status)
{
    ob_boards_break(l->local);
    if (l->across)
        ob_message_fail_all(l->across);
    return status;
}

int ob_combine_carried(ob_group *group, int root, ob_op op, const ob_operation *operation,
                       const ob_view *matrix, const ob_query *promises)
{
    carry c = {
        .group = group,
        .root = root,
        .promises = promises,
        .parts = {.esize = operation ? operation->element_bytes : ob_type_bytes(matrix->type),
                  .op = op,
                  .type = matrix->type,
                  .operation = operation,
                  .alike = true,
                  .kernel = operation ? NULL : ob_kernel_find(op, matrix->type, 0),
                  .kind = ob_combine_kind(op, operation, matrix, false)}};
    int status = ob_levels_of(group, 0, &c.levels);
    if (status == OB_OK && (status = ob_boards_open_across(c.levels)) != OB_OK)
        ob_carried_fail(c.levels, status);
    if (status != OB_OK)
        return status;
    size_t all = ob_view_bytes(matrix), members = (size_t)c.levels->local->size,
           most = (size_t)c.levels->carriers * PART, cuts = (members + 1) * sizeof(size_t),
           views = members * sizeof(ob_view);
    most = most < MOST ? most : MOST;
    most = most < all ? most : all;
    size_t room = ob_view_contiguous(matrix) ? 0 : most;
    char *memory = malloc(room + views + cuts);
    if (memory == NULL)
        return ob_carried_fail(
            c.levels,
            ob_fail(OB_ENOMEM, "OB-4001 a combine: no memory for %zu bytes", room + views + cuts));
    c.parts.size = (int)members;
    c.parts.view = (ob_view *)(void *)memory;
    c.parts.cut = (size_t *)(void *)(memory + views);
    status = chunks(&c, matrix, room ? memory + views + cuts : NULL,
                    most < c.parts.esize ? 1 : most / c.parts.esize);
    free(memory);
    return status == OB_OK ? OB_OK : ob_carried_fail(c.levels, status);
}
