/*
 * Broadcast among the members of one node: the root shows the matrix once, in
 * its note or in pieces of lent memory, and all read it. The root waits for
 * nobody as long as it is not OB_BOARD_DEPTH rounds ahead of the slowest.
 */
#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "core/error.h"
#include "core/machine.h"

/* Large enough that a wake-up for each is cheap, small enough that members
 * read one while the next is packed. */
enum { PIECE = (256 << 10) - 64 };
/* Bytes the root shows before all have read: enough to keep it from waiting for each
 * piece, little enough that its memory is used again while in the cache. */
enum { AHEAD = 4 << 20 };
/* A matrix that a second-level cache holds is written there. */
enum { LEAST_PAST = 1 << 20 };

static int show(ob_board *b, const ob_view *matrix)
{
    ob_cursor in;
    ob_cursor_open(&in, matrix);
    size_t bytes = in.left;
    size_t piece = bytes < PIECE ? bytes + 1 : PIECE, most = AHEAD / piece;
    uint32_t ahead = most < 2 ? 2 : most > OB_BOARD_DEPTH / 2 ? OB_BOARD_DEPTH / 2 : (uint32_t)most;
    do {
        ob_note *note;
        int status = bytes > OB_NOTE_INLINE ? ob_board_keep_up(b, ahead) : OB_OK;
        if (status == OB_OK)
            status = ob_board_begin(b, &note);
        if (status != OB_OK)
            return status;
        size_t step = in.left < PIECE ? in.left : PIECE;
        char *to = note->data;
        if (bytes > OB_NOTE_INLINE) {
            to = ob_board_lend(b, step, (unsigned)b->size - 1, &note->name[0]);
            if (to == NULL)
                return OB_ENOMEM;
        }
        note->bytes = bytes;
        note->kind = (uint32_t)matrix->type;
        if (step)
            ob_cursor_pack(&in, to, step);
        ob_board_post(b);
    } while (in.left);
    return OB_OK;
}

static int size_error(const ob_board *b, int root, uint64_t bytes, ob_type type,
                      const ob_view *matrix)
{
    return ob_fail_size(b->group->peer[root]->number, bytes, type, matrix);
}

/* Does what all members read and write drive the root's matrix out of the caches? */
static bool beyond_caches(const ob_board *b, uint64_t bytes)
{
    return bytes > LEAST_PAST && bytes > ob_cache_bytes() / (size_t)b->size;
}

static void take_piece(ob_board *b, int root, uint64_t name, ob_cursor *out, size_t step, bool past)
{
    void *block = ob_board_borrow(b, root, name);
    if (step && past)
        ob_cursor_unpack_past(out, block, step);
    else if (step)
        ob_cursor_unpack(out, block, step);
    ob_board_give_back(b, block);
}

/* A matrix of another size is read to its end all the same, so that the rounds
 * of all members stay together. */
static int take(ob_board *b, int root, const ob_view *matrix)
{
    ob_cursor out;
    uint64_t bytes = 0, left = 0;
    bool past = false;
    ob_type type = matrix->type;
    ob_cursor_open(&out, matrix);
    do {
        int status = ob_board_post_empty(b);
        if (status == OB_OK)
            status = ob_board_wait(b, root);
        if (status != OB_OK)
            return status;
        const ob_note *theirs = ob_board_note(b, root);
        if (bytes == 0) {
            left = bytes = theirs->bytes;
            type = (ob_type)theirs->kind;
            past = beyond_caches(b, bytes);
        }
        uint64_t step = left < PIECE ? left : PIECE;
        bool fits = bytes == ob_view_bytes(matrix);
        if (bytes > OB_NOTE_INLINE) {
            take_piece(b, root, theirs->name[0], &out, fits ? step : 0, past);
        } else if (fits && step) {
            ob_cursor_unpack(&out, theirs->data, step);
        }
        left -= step;
    } while (left);
    return bytes == ob_view_bytes(matrix) ? OB_OK : size_error(b, root, bytes, type, matrix);
}

int ob_broadcast_board(ob_group *group, int root, const ob_view *matrix)
{
    ob_board *b;
    int status = ob_board_of(group, &b);
    if (status != OB_OK)
        return status;
    return group->me == root ? show(b, matrix) : take(b, root, matrix);
}
