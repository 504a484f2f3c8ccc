/*
 * Broadcast in two levels. The vector goes in chunks: while one crosses the network, the
 * members of the node copy the one before. A leader receives a chunk into memory that its node
 * reads, so what crosses the network is packed once and unpacked once by each member.
 *
 * In tiers a chunk goes from the root to its board, from that one's leader to the leaders, and from
 * each of these to its board. A root waits for nobody.
 */
#include "collective/board/board.h"
#include "collective/levels/levels.h"
#include "collective/planner/memory.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"

#include <string.h>

/* Bytes of a chunk, and how many rounds a leader may be ahead of its node. */
enum { CHUNK = OB_LEVELS_BROADCAST, AHEAD = 16 };

typedef struct relay {
    ob_levels *levels;
    ob_board *board; /* NULL: alone on the node, or one of many */
    const ob_view *matrix;
    size_t bytes;
    int root_node; /* -1: nothing crosses the network */
    int root_at;   /* in tiers: the root on its board */
    bool at_root;
    ob_cursor cursor;
} relay;

static int cross(const relay *r, char *at, size_t step)
{
    ob_group *g = r->levels->leaders;
    ob_scheme scheme;
    ob_view flat = ob_view_of_bytes(at, step);
    if (r->root_node < 0)
        return OB_OK;
    ob_query q = {.task = OB_TASK_BROADCAST, .root = r->root_node, .bytes = step};
    int status = ob_plan_scheme(g, &q, &scheme);
    return status == OB_OK ? ob_scheme_broadcast(g, r->root_node, &flat, &scheme) : status;
}

/* ----------------------------------------------------- a leader on its own, and tiers */

static int down_tiers(const relay *r, const ob_view *chunk)
{
    ob_levels *l = r->levels;
    bool first = r->root_at >= 0, board = l->local->size > 1;
    int status = OB_OK;
    if (board && first)
        status = ob_broadcast_board(l->local, r->root_at, chunk);
    if (status == OB_OK && l->leading)
        status = ob_broadcast_node(l->leaders, r->root_node, chunk);
    if (status == OB_OK && board && !first)
        status = ob_broadcast_board(l->local, 0, chunk);
    return status;
}

/* A chunk, in one run of memory, to all of us: over the network, and to the leader's node. */
static int carry(const relay *r, char *at, size_t step)
{
    ob_levels *l = r->levels;
    ob_view flat = ob_view_of_bytes(at, step);
    if (l->leaders->one_node)
        return down_tiers(r, &flat);
    int status = l->leading ? cross(r, at, step) : OB_OK;
    return status == OB_OK && l->local->size > 1 ? ob_broadcast_node(l->local, l->at, &flat)
                                                 : status;
}

/* `cross` asks for less scratch memory than this, and leaves it alone: nothing is combined. */
static int relay_alone(relay *r)
{
    size_t left = r->bytes, most = r->bytes < CHUNK ? r->bytes : CHUNK;
    bool flat = ob_view_contiguous(r->matrix);
    int status = OB_OK;
    char *at = flat ? r->matrix->base : ob_group_scratch(r->levels->leaders, most + 4096);
    if (at == NULL && (r->bytes || !flat))
        return ob_fail(OB_ENOMEM, "a broadcast: no memory for %zu bytes", most);
    size_t step = ob_first_piece(left, left, CHUNK);
    do {
        if (!flat && r->at_root)
            ob_cursor_pack(&r->cursor, at, step);
        status = carry(r, at, step);
        if (status == OB_OK && !flat && !r->at_root)
            ob_cursor_unpack(&r->cursor, at, step);
        if (flat && at)
            at += step;
        left -= step;
        step = left < CHUNK ? left : CHUNK;
    } while (left && status == OB_OK);
    return status;
}

/* ----------------------------------------------------------- a leader's node */

static int lead_chunk(relay *r, size_t step)
{
    ob_board *b = r->board;
    ob_note *note;
    int status = r->bytes > OB_NOTE_INLINE ? ob_board_keep_up(b, AHEAD) : OB_OK;
    if (status == OB_OK)
        status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    char *at = note->data;
    note->bytes = r->bytes;
    note->kind = (uint32_t)r->matrix->type;
    if (r->bytes > OB_NOTE_INLINE) /* we read it ourselves, too */
        at = ob_board_lend(b, step, (unsigned)b->size, &note->name[0]);
    if (at == NULL)
        return OB_ENOMEM;
    if (r->at_root && step)
        ob_cursor_pack(&r->cursor, at, step);
    status = cross(r, at, step);
    if (status != OB_OK)
        return status;
    ob_board_post(b);
    if (!r->at_root && step)
        ob_cursor_unpack(&r->cursor, at, step);
    if (r->bytes > OB_NOTE_INLINE)
        ob_board_give_back(b, at);
    return OB_OK;
}

static int lead(relay *r)
{
    size_t left = r->bytes, step = ob_first_piece(left, left, CHUNK);
    int status;
    do {
        status = lead_chunk(r, step);
        left -= step;
        step = left < CHUNK ? left : CHUNK;
    } while (left && status == OB_OK);
    return status;
}

static void take_chunk(relay *r, const ob_note *theirs, size_t step, bool fits)
{
    if (theirs->bytes <= OB_NOTE_INLINE) {
        if (fits && step)
            ob_cursor_unpack(&r->cursor, theirs->data, step);
        return;
    }
    void *block = ob_board_borrow(r->board, r->levels->at, theirs->name[0]);
    if (fits)
        ob_cursor_unpack(&r->cursor, block, step);
    ob_board_give_back(r->board, block);
}

/* A vector of another size is read to its end all the same, so that the rounds of all
 * members stay together. */
static int follow(relay *r)
{
    ob_board *b = r->board;
    int at = r->levels->at;
    uint64_t bytes = 0, left = 0, step = 0;
    ob_type type = r->matrix->type;
    do {
        int status = ob_board_post_empty(b);
        if (status == OB_OK)
            status = ob_board_wait(b, at);
        if (status != OB_OK)
            return status;
        const ob_note *theirs = ob_board_note(b, at);
        if (bytes == 0) {
            left = bytes = theirs->bytes;
            type = (ob_type)theirs->kind;
            step = ob_first_piece(left, left, CHUNK);
        }
        take_chunk(r, theirs, step, bytes == r->bytes);
        left -= step;
        step = left < CHUNK ? left : CHUNK;
    } while (left);
    return bytes == r->bytes ? OB_OK
                             : ob_fail_size(b->group->peer[at]->number, bytes, type, r->matrix);
}

int ob_broadcast_levels(ob_group *group, int root, const ob_view *matrix)
{
    relay r = {.matrix = matrix,
               .bytes = ob_view_bytes(matrix),
               .root_node = group->node[root],
               .at_root = group->me == root};
    int status = ob_levels_of(group, root, &r.levels);
    if (status == OB_OK)
        status = ob_boards_open(r.levels);
    if (status == OB_OK && !ob_has_tiers(r.levels->local))
        r.board = r.levels->local->board;
    if (status != OB_OK)
        return status;
    ob_cursor_open(&r.cursor, matrix);
    status = r.board == NULL ? relay_alone(&r) : r.levels->leading ? lead(&r) : follow(&r);
    if (status != OB_OK && r.levels->leading)
        ob_levels_fail(r.levels);
    return status;
}

/* The root's place: on its board 0, 1, ... where it is ours, else -1. */
static int place_of_root(const ob_levels *l, int root)
{
    int at = root - l->member[0];
    return at >= 0 && at < l->local->size ? at : -1;
}

static int in_tiers(const ob_tiers *t, int root, const ob_view *matrix)
{
    int slot = t->slot[root];
    relay r = {.matrix = matrix,
               .bytes = ob_view_bytes(matrix),
               .root_node = t->order->node[slot],
               .at_root = t->order->me == slot};
    int status = ob_levels_of(t->order, 0, &r.levels);
    if (status != OB_OK)
        return status;
    r.root_at = place_of_root(r.levels, slot);
    ob_cursor_open(&r.cursor, matrix);
    status = r.bytes <= CHUNK ? down_tiers(&r, matrix) : relay_alone(&r);
    if (status != OB_OK)
        ob_levels_fail(r.levels);
    return status;
}

int ob_broadcast_tiers(ob_group *group, int root, const ob_view *matrix)
{
    const ob_tiers *t;
    int status = ob_tiers_of(group, &t);
    if (status != OB_OK)
        return status;
    return t ? in_tiers(t, root, matrix) : ob_broadcast_board(group, root, matrix);
}

int ob_levels_tell(ob_levels *l, const ob_view *matrix)
{
    if (ob_has_tiers(l->local))
        return ob_broadcast_node(l->local, l->at, matrix);
    relay r = {.levels = l,
               .matrix = matrix,
               .bytes = ob_view_bytes(matrix),
               .root_node = -1,
               .at_root = l->leading};
    int status = ob_board_of(l->local, &r.board);
    if (status != OB_OK)
        return status;
    ob_cursor_open(&r.cursor, matrix);
    return l->leading ? lead(&r) : follow(&r);
}
