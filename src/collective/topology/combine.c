/*
 * Chunks and staging of a combine.
 */
#include "collective/topology/combine.h"

#include "collective/data/piece.h"
#include "collective/data/staging.h"
#include "collective/topology/pattern.h"
#include "core/scratch.h"
#include "message/message.h"
#include "message/request.h"

enum { OB_AHEAD_BYTES = 1 << 20, OB_SLICE_LONG = 64 << 20 };

static int32_t *owners_at(const ob_combiner *c, char *chunk)
{
    return c->osize ? (int32_t *)(void *)(chunk + c->count * c->esize) : NULL;
}

/* A chunk as a message. Values alone keep their type, for the error line of
 * members that disagree about their number. */
static ob_view chunk_view(const ob_combiner *c, char *at)
{
    ob_view v = ob_view_of_bytes(at, c->count * (c->esize + c->osize));
    if (c->osize == 0) {
        v.m = c->count;
        v.type = c->type;
    }
    return v;
}

int ob_combiner_send(const ob_combiner *c, int dest)
{
    ob_view v = chunk_view(c, c->base);
    return ob_send(c->group, dest, OB_TAG_COLLECTIVE, &v);
}

void ob_combiner_drain(const ob_combiner *c, int dest)
{
    ob_message_drain(c->group, dest, c->count * (c->esize + c->osize));
}

static int recv_into(ob_combiner *c, char *to, int source)
{
    ob_view v = chunk_view(c, to);
    return ob_recv(c->group, source, OB_TAG_COLLECTIVE, &v, NULL);
}

int ob_combiner_recv(ob_combiner *c, int source)
{
    return recv_into(c, c->base, source);
}

int ob_combiner_merge(ob_combiner *c, int source)
{
    int status = recv_into(c, c->incoming, source);
    if (status == OB_OK)
        c->kernel(c->count, c->base, owners_at(c, c->base), c->incoming, owners_at(c, c->incoming));
    return status;
}

int ob_combiner_post(ob_combiner *c, int source, size_t count)
{
    unsigned slot = (c->turn + c->ahead) % c->rooms;
    size_t now = c->count;
    c->count = count;
    ob_view v = chunk_view(c, c->room[slot]);
    c->count = now;
    int status =
        ob_message_irecv(c->group, source, OB_TAG_COLLECTIVE, &v, OB_EXACT, &c->posted[slot]);
    c->ahead += status == OB_OK;
    return status;
}

int ob_combiner_merge_posted(ob_combiner *c)
{
    unsigned slot = c->turn++ % c->rooms;
    c->ahead--;
    int status = ob_wait(&c->posted[slot], NULL);
    if (status == OB_OK)
        c->kernel(c->count, c->base, owners_at(c, c->base), c->room[slot],
                  owners_at(c, c->room[slot]));
    return status;
}

/* After a failure. */
static void take_back(ob_combiner *c)
{
    for (unsigned i = 0; i < c->rooms; i++)
        if (c->posted[i]) {
            ob_cancel(c->posted[i]);
            ob_wait(&c->posted[i], NULL);
        }
}

/* ------------------------------------------------------------------- staging */

/* Takes the scratch memory: chunks coming in, and the staged one, if there is one. */
static int take_scratch(ob_combiner *c, size_t most, bool staged)
{
    size_t each = ob_align(most * (c->esize + c->osize) + 1), coming = c->rooms ? c->rooms : 1;
    char *memory = ob_group_scratch(c->group, (coming + staged) * each);
    if (!memory)
        return ob_staging_no_memory(c->group, (coming + staged) * each);
    c->incoming = memory;
    for (unsigned i = 0; i < c->rooms; i++)
        c->room[i] = memory + i * each;
    if (staged)
        c->base = memory + coming * each;
    return OB_OK;
}

/* Do slices follow each other along the route, so that all its links are busy? Around rings, but
 * not where a split ring's result goes out against its own way in. */
static bool slices_follow(const ob_route *route, int root)
{
    return ob_topology_rows[route->topology].rings &&
           (route->topology != OB_TOP_SPLIT_RING || root != OB_ANY);
}

/* Within a node a chunk stays in the cache. Between nodes what one slice of a tree waits for, all
 * do: it sends all at once. */
static size_t slice_bytes(const ob_group *group, const ob_route *route, int root)
{
    return group->one_node || slices_follow(route, root) ? OB_SLICE_BYTES : OB_SLICE_LONG;
}

/* Who receives copies, within a node, so nothing comes in by itself. Else as many children as
 * short chunks may have may come in any order. */
static unsigned rooms_for(const ob_group *group, size_t bytes)
{
    size_t rooms = OB_AHEAD_BYTES / (bytes + 1);
    rooms = rooms < 2 ? 2 : rooms > OB_COMBINER_ROOMS ? OB_COMBINER_ROOMS : rooms;
    return group->one_node ? 0 : (unsigned)rooms;
}

int ob_combine_run(ob_group *group, int root, ob_op op, const ob_view *matrix, int *owner,
                   size_t ld_owner, ob_combine_algorithm algorithm, const ob_route *route)
{
    ob_combiner c = {.group = group,
                     .size = ob_group_size(group),
                     .me = ob_group_me(group),
                     .root = root,
                     .op = op,
                     .kernel = ob_kernel_find(op, matrix->type, owner != NULL),
                     .type = matrix->type,
                     .esize = ob_type_bytes(matrix->type),
                     .osize = owner ? sizeof(int32_t) : 0};
    size_t n = ob_view_count(matrix), unit = c.esize + c.osize,
           slice = ob_piece_most(slice_bytes(group, route, root) / unit),
           most = n < slice ? n : slice;
    bool staged = owner || !ob_view_contiguous(matrix);
    ob_staging s;

    c.rooms = rooms_for(group, most * unit);
    int status = take_scratch(&c, most, staged);
    if (status)
        return status;
    ob_staging_open(&s, group, matrix, owner, ld_owner, ob_combine_base(op, root), false);
    size_t start = 0;
    do {
        c.count = ob_piece_next(n - start, slice);
        c.next_count = ob_piece_next(n - start - c.count, slice);
        if (staged)
            ob_staging_pack(&s, c.base, c.esize, owners_at(&c, c.base), c.count);
        else
            c.base = start < n ? (char *)matrix->base + start * c.esize : c.incoming;
        start += c.count;
        status = algorithm(&c, route);
        if (status) {
            take_back(&c);
            if (group->nodes > 1)
                ob_message_fail_all(group);
            return status;
        }
        if (staged && (root == OB_ANY || root == c.me))
            ob_staging_unpack(&s, c.base, c.esize, owners_at(&c, c.base), c.count);
    } while (ob_piece_followed(c.count, slice));
    return OB_OK;
}
