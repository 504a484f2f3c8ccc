/*
 * Broadcast in two levels. The vector goes in chunks: while one crosses the network, the
 * members of the node copy the one before. A leader receives a chunk into memory that its node
 * reads, so what crosses the network is packed once and unpacked once by each member.
 *
 * In tiers each member that takes a piece shows it on the boards further from the root
 * (board/broadcast.h), what crossed the network without a copy: those would be the slowest. A root
 * waits for nobody.
 */
#include "collective/board/board.h"
#include "collective/board/broadcast.h"
#include "collective/data/piece.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/run.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "message/message.h"

/* Bytes of a chunk, where they do not go along a chain. */
enum { CHUNK = OB_LEVELS_BROADCAST };

typedef struct relay {
    ob_levels *levels;
    const ob_view *matrix;
    size_t bytes;
    int root_node; /* -1: nothing crosses the network */
    bool at_root;
    bool native;      /* what crosses goes by the MPI library's own calls, where there are any */
    ob_stream stream; /* on the caller's node */
    ob_cursor cursor;
    bool chained; /* of a leader: it crosses along a chain, else as the planner says; */
    size_t most;  /* bytes of the longest chunk */
} relay;

/* A chunk leaves a node once along a chain, and has a longer way. As the planner says it costs as
 * much as leaving it two or three times (bench/sim/README.md). */
static bool pays_along(int nodes, size_t bytes)
{
    size_t chunks = ob_piece_behind(bytes, ob_piece_most(OB_RUN_EAGER)) + 1;
    size_t most = nodes < 5 ? (size_t)ob_log2_ceil(nodes) : nodes <= 16 ? 3 : 2;
    return chunks > 2 && chunks + (size_t)nodes - 2 <= chunks * most;
}

static size_t cut(const relay *r, size_t left)
{
    return r->chained && left == r->bytes ? ob_piece_short_first(left, r->most)
                                          : ob_piece_next(left, r->most);
}

static int plan(const relay *r, size_t step, ob_scheme *scheme)
{
    const ob_query q = {
        .task = OB_TASK_BROADCAST, .root = r->root_node, .bytes = step, .native = r->native};
    return ob_plan_scheme(r->levels->leaders, &q, scheme);
}

/* A scheme that OPENBLACS_PLAN names, and native calls, serve long chunks. */
static int find_way(relay *r)
{
    ob_group *g = r->levels->leaders;
    ob_scheme scheme;
    r->most = ob_piece_most(CHUNK);
    if (r->root_node < 0 || !pays_along(g->size, r->bytes))
        return OB_OK;
    int named = ob_plan_named(g, OB_TASK_BROADCAST, &scheme);
    int status = named < 0 ? named : plan(r, cut(r, r->bytes), &scheme);
    r->chained = status == OB_OK && !named && !scheme.native;
    if (r->chained)
        r->most = ob_piece_most(OB_RUN_EAGER);
    return status;
}

/* From node to node. The root sends no chunk before the last one is through: together they would
 * share the line, and all be late. */
static int cross_along(const relay *r, const ob_view *chunk)
{
    ob_group *g = r->levels->leaders;
    int next = (g->me + 1) % g->size, before = (g->me + g->size - 1) % g->size;
    int status = OB_OK;
    if (g->me == r->root_node)
        ob_message_drain(g, next, 2 * r->most);
    else
        status = ob_message_recv_alike(g, before, chunk);
    if (next != r->root_node && status == OB_OK)
        status = ob_message_send(g, next, OB_TAG_COLLECTIVE, chunk);
    return status;
}

/* The first one behind which a chain begins goes down a tree: most members that name other bytes,
 * which go another way, find out there. */
static int cross_once(const relay *r, char *at, size_t step, bool first)
{
    ob_group *g = r->levels->leaders;
    const ob_view flat = ob_view_of_bytes(at, step);
    ob_scheme scheme = {0};
    int status = OB_OK;
    if (r->chained && !first)
        return cross_along(r, &flat);
    if (r->chained)
        ob_scheme_add(&scheme, OB_ACT_BROADCAST, OB_HOW_TREE, g->size, 1, 0);
    else
        status = plan(r, step, &scheme);
    return status == OB_OK ? ob_scheme_broadcast(g, r->root_node, &flat, &scheme) : status;
}

/* The next piece, of `left` bytes that are left. Where the last one says that there is another
 * (piece.h), an empty one goes behind it; along the chain, where another vector could go on there
 * behind a first piece as long as this whole one. */
static int cross(const relay *r, char *at, size_t step, size_t left)
{
    if (r->root_node < 0)
        return OB_OK;
    bool first = left == r->bytes;
    int status = cross_once(r, at, step, first);
    if (status != OB_OK || step != left)
        return status;
    if (ob_piece_followed(step, r->most))
        return cross_once(r, at, 0, false);
    const ob_view empty = ob_view_of_bytes(at, 0);
    bool like_a_first = first && ob_piece_followed(step, ob_piece_most(OB_RUN_EAGER));
    return like_a_first ? cross_along(r, &empty) : OB_OK;
}

/* ------------------------------------------------------------ a leader on its own */

/* `cross` asks for less scratch memory than this, and leaves it alone: nothing is combined. */
static int relay_alone(relay *r)
{
    size_t left = r->bytes, most = r->bytes < CHUNK ? r->bytes : CHUNK;
    bool flat = ob_view_contiguous(r->matrix);
    int status = find_way(r);
    char *at = flat ? r->matrix->base : ob_group_scratch(r->levels->leaders, most + 4096);
    if (at == NULL && (r->bytes || !flat))
        return ob_fail(OB_ENOMEM, "OB-4001 a broadcast: no memory for %zu bytes", most);
    for (bool more = true; more && status == OB_OK; more = left > 0) {
        size_t step = cut(r, left);
        if (!flat && r->at_root)
            ob_cursor_pack(&r->cursor, at, step);
        status = cross(r, at, step, left);
        if (status == OB_OK && !flat && !r->at_root)
            ob_cursor_unpack(&r->cursor, at, step);
        if (flat && at)
            at += step;
        left -= step;
    }
    return status;
}

/* ----------------------------------------------------------- a leader's node */

/* What crosses arrives where all our boards, and we, read it. */
static int lead_chunk(relay *r, size_t step, size_t left)
{
    const ob_stream *s = &r->stream;
    ob_board *b = s->on[s->count - 1];
    ob_type type = r->matrix->type;
    ob_note *note;
    char *at;
    unsigned more = (unsigned)(r->levels->local->size - b->size) + 1;
    int status = ob_broadcast_begin(b, r->bytes, type, step, more, &note, &at);
    if (status != OB_OK)
        return status;
    if (r->at_root && step)
        ob_cursor_pack(&r->cursor, at, step);
    status = cross(r, at, step, left);
    if (status != OB_OK)
        return status;
    ob_board_post(b);
    for (int i = s->count - 2; i >= 0 && status == OB_OK; i--)
        status = ob_broadcast_repeat(s->on[i], note);
    if (!r->at_root && step)
        ob_cursor_unpack(&r->cursor, at, step);
    if (r->bytes > OB_NOTE_INLINE)
        ob_board_give_back(b, at);
    return status;
}

static int lead(relay *r)
{
    size_t left = r->bytes;
    int status = find_way(r);
    for (bool more = true; more && status == OB_OK; more = left > 0) {
        size_t step = cut(r, left);
        status = lead_chunk(r, step, left);
        left -= step;
    }
    return status;
}

/* Where there is one board. */
static int find_stream(ob_levels *l, ob_stream *s)
{
    ob_board *b;
    int status = ob_board_of(l->local, &b);
    s->from = l->leading ? NULL : b;
    s->at = l->at;
    s->on[0] = b;
    s->count = l->leading;
    return status;
}

/* Who has failed is missed by those to whom it shows pieces. */
static int on_node(relay *r)
{
    const ob_stream *s = &r->stream;
    bool whole = false;
    int status = s->from ? ob_broadcast_take(s, r->matrix, &whole) : lead(r);
    if (status != OB_OK && !whole && s->count)
        ob_levels_fail(r->levels->leading ? r->levels : r->levels->local->tiers->order->levels);
    return status;
}

int ob_broadcast_levels(ob_group *group, int root, const ob_view *matrix, bool native)
{
    relay r = {.matrix = matrix,
               .bytes = ob_view_bytes(matrix),
               .root_node = group->node[root],
               .at_root = group->me == root,
               .native = native};
    int status = ob_levels_of(group, root, &r.levels);
    if (status == OB_OK)
        status = ob_boards_open(r.levels, false);
    if (status != OB_OK)
        return status;
    ob_group *node = r.levels->local;
    ob_cursor_open(&r.cursor, matrix);
    if (node->size == 1) {
        status = relay_alone(&r);
        if (status != OB_OK)
            ob_levels_fail(r.levels);
        return status;
    }
    status = ob_has_tiers(node) ? ob_tiers_stream(node, r.levels->at, &r.stream)
                                : find_stream(r.levels, &r.stream);
    r.stream.of = node;
    r.stream.source = r.levels->at;
    return status == OB_OK ? on_node(&r) : status;
}

int ob_broadcast_tiers(ob_group *group, int root, const ob_view *matrix)
{
    const ob_tiers *t;
    ob_stream s;
    bool whole;
    int status = ob_tiers_of(group, false, &t);
    if (status != OB_OK)
        return status;
    if (t == NULL)
        return ob_broadcast_board(group, root, matrix);
    status = ob_tiers_stream(group, root, &s);
    if (status != OB_OK)
        return status;
    status = ob_broadcast_along(&s, matrix, &whole);
    if (status != OB_OK && !whole)
        ob_levels_fail(t->order->levels);
    return status;
}

int ob_levels_tell(ob_levels *l, const ob_view *matrix, bool *unlike)
{
    *unlike = false;
    if (ob_has_tiers(l->local))
        return ob_broadcast_node(l->local, l->at, matrix);
    relay r = {.levels = l,
               .matrix = matrix,
               .bytes = ob_view_bytes(matrix),
               .root_node = -1,
               .at_root = l->leading};
    int status = find_stream(l, &r.stream);
    if (status != OB_OK)
        return status;
    ob_cursor_open(&r.cursor, matrix);
    if (l->leading)
        return lead(&r);
    status = ob_broadcast_take(&r.stream, matrix, unlike);
    *unlike = *unlike && status != OB_OK;
    return status;
}
