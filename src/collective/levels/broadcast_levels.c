/*
 * Broadcast in two levels. The vector goes in chunks: while one crosses the network, the
 * members of the node copy the one before. A leader receives a chunk into memory that its node
 * reads, so what crosses the network is packed once and unpacked once by each member.
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
    ob_board *board; /* NULL: alone on the node */
    const ob_view *matrix;
    size_t bytes;
    int root_node; /* -1: nothing crosses the network */
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

/* ------------------------------------------------------- a leader on its own */

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
        status = cross(r, at, step);
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
    if (status == OB_OK && r.levels->local->size > 1)
        status = ob_board_of(r.levels->local, &r.board);
    if (status != OB_OK)
        return status;
    ob_cursor_open(&r.cursor, matrix);
    status = r.board == NULL ? relay_alone(&r) : r.levels->leading ? lead(&r) : follow(&r);
    if (status != OB_OK && r.levels->leading)
        ob_levels_fail(r.levels);
    return status;
}

int ob_levels_tell(ob_levels *l, const ob_view *matrix)
{
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
