/*
 * Broadcast in two levels. The vector goes in chunks: while one crosses the network, the
 * members of the node copy the one before. A leader receives a chunk into memory that its node
 * reads, so what crosses the network is packed once and unpacked once by each member.
 *
 * In tiers each member that takes a piece shows it on the boards further from the root
 * (board/broadcast.h). A root waits for nobody.
 */
#include "collective/board/board.h"
#include "collective/board/broadcast.h"
#include "collective/data/piece.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"

/* Bytes of a chunk, and how many rounds a leader may be ahead of its node. */
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
} relay;

static size_t cut(size_t left)
{
    return ob_piece_next(left, ob_piece_most(CHUNK));
}

static int cross_once(const relay *r, char *at, size_t step)
{
    ob_group *g = r->levels->leaders;
    ob_scheme scheme;
    ob_view flat = ob_view_of_bytes(at, step);
    ob_query q = {
        .task = OB_TASK_BROADCAST, .root = r->root_node, .bytes = step, .native = r->native};
    int status = ob_plan_scheme(g, &q, &scheme);
    return status == OB_OK ? ob_scheme_broadcast(g, r->root_node, &flat, &scheme) : status;
}

/* The next piece, of `left` bytes that are left. Where the last one says that there is another
 * (piece.h), an empty one goes behind it. */
static int cross(const relay *r, char *at, size_t step, size_t left)
{
    if (r->root_node < 0)
        return OB_OK;
    int status = cross_once(r, at, step);
    if (status == OB_OK && step == left && ob_piece_followed(step, ob_piece_most(CHUNK)))
        status = cross_once(r, at, 0);
    return status;
}

/* ------------------------------------------------------------ a leader on its own */

/* `cross` asks for less scratch memory than this, and leaves it alone: nothing is combined. */
static int relay_alone(relay *r)
{
    size_t left = r->bytes, most = r->bytes < CHUNK ? r->bytes : CHUNK;
    bool flat = ob_view_contiguous(r->matrix);
    int status = OB_OK;
    char *at = flat ? r->matrix->base : ob_group_scratch(r->levels->leaders, most + 4096);
    if (at == NULL && (r->bytes || !flat))
        return ob_fail(OB_ENOMEM, "OB-4001 a broadcast: no memory for %zu bytes", most);
    do {
        size_t step = cut(left);
        if (!flat && r->at_root)
            ob_cursor_pack(&r->cursor, at, step);
        status = cross(r, at, step, left);
        if (status == OB_OK && !flat && !r->at_root)
            ob_cursor_unpack(&r->cursor, at, step);
        if (flat && at)
            at += step;
        left -= step;
    } while (left && status == OB_OK);
    return status;
}

/* ----------------------------------------------------------- a leader's node */

/* What crosses arrives on the last of the boards, where we read it, too. */
static int lead_chunk(relay *r, size_t step, size_t left)
{
    const ob_stream *s = &r->stream;
    ob_board *b = s->on[s->count - 1];
    ob_type type = r->matrix->type;
    ob_note *note;
    char *at;
    int status = ob_broadcast_begin(b, r->bytes, type, step, 1, &note, &at);
    if (status != OB_OK)
        return status;
    if (r->at_root && step)
        ob_cursor_pack(&r->cursor, at, step);
    status = cross(r, at, step, left);
    if (status != OB_OK)
        return status;
    ob_board_post(b);
    const ob_view chunk = ob_view_of_bytes(at, step);
    for (int i = s->count - 2; i >= 0 && status == OB_OK; i--) {
        ob_cursor in;
        ob_cursor_open(&in, &chunk);
        status = ob_broadcast_show(s->on[i], &in, r->bytes, type, step);
    }
    if (!r->at_root && step)
        ob_cursor_unpack(&r->cursor, at, step);
    if (r->bytes > OB_NOTE_INLINE)
        ob_board_give_back(b, at);
    return status;
}

static int lead(relay *r)
{
    size_t left = r->bytes;
    int status;
    do {
        size_t step = cut(left);
        status = lead_chunk(r, step, left);
        left -= step;
    } while (left && status == OB_OK);
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
    int status = s->from ? ob_broadcast_take(s, r->matrix, cut, &whole) : lead(r);
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
    status = ob_broadcast_take(&r.stream, matrix, cut, unlike);
    *unlike = *unlike && status != OB_OK;
    return status;
}
