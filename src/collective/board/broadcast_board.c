/*
 * Broadcast among the members of one node: the root shows the matrix once, in
 * its note or in pieces of lent memory, and all read it. The root waits for
 * nobody as long as it is not OB_BOARD_DEPTH rounds ahead of the slowest.
 */
#include "collective/board/broadcast.h"
#include "collective/board/collectives.h"
#include "core/error.h"
#include "core/machine.h"
#include "node/heap.h"

#include <string.h>

/* Large enough that a wake-up for each is cheap, small enough that members
 * read one while the next is packed. */
enum { PIECE = (256 << 10) - OB_BLOCK_DATA };
/* Bytes the root shows before all have read: enough to keep it from waiting for each
 * piece, little enough that its memory is used again while in the cache. */
enum { AHEAD = 4 << 20 };
/* A matrix that a second-level cache holds is written there. */
enum { LEAST_PAST = 1 << 20 };

static uint32_t rounds_ahead(size_t piece)
{
    size_t most = AHEAD / (piece + 1);
    return most < 2 ? 2 : most > OB_BOARD_DEPTH / 2 ? OB_BOARD_DEPTH / 2 : (uint32_t)most;
}

static inline __attribute__((always_inline)) int open_round(ob_board *b, uint64_t bytes,
                                                            ob_note **note)
{
    int status = bytes > OB_NOTE_INLINE
                     ? ob_board_keep_up(b, rounds_ahead(bytes < PIECE ? bytes : PIECE))
                     : OB_OK;
    return status == OB_OK ? ob_board_begin(b, note) : status;
}

static inline __attribute__((always_inline)) int begin(ob_board *b, uint64_t bytes, ob_type type,
                                                       size_t step, unsigned more, ob_note **note,
                                                       char **to)
{
    int status = open_round(b, bytes, note);
    if (status != OB_OK)
        return status;
    (*note)->bytes = bytes;
    (*note)->kind = ob_broadcast_kind(type);
    *to = (*note)->data;
    if (bytes > OB_NOTE_INLINE) {
        memcpy((*note)->data, &step, sizeof step);
        *to = ob_board_lend(b, step, (unsigned)b->size - 1 + more, &(*note)->name[0]);
    }
    return *to ? OB_OK : OB_ENOMEM;
}

int ob_broadcast_begin(ob_board *b, uint64_t bytes, ob_type type, size_t step, unsigned more,
                       ob_note **note, char **to)
{
    return begin(b, bytes, type, step, more, note, to);
}

int ob_broadcast_repeat(ob_board *b, const ob_note *shown)
{
    ob_note *note;
    int status = open_round(b, shown->bytes, &note);
    if (status != OB_OK)
        return status;
    note->kind = shown->kind;
    note->bytes = shown->bytes;
    note->name[0] = shown->name[0];
    memcpy(note->data, shown->data, sizeof note->data);
    ob_board_post(b);
    return OB_OK;
}

static inline __attribute__((always_inline)) int show(ob_board *b, ob_cursor *in, uint64_t bytes,
                                                      ob_type type, size_t step)
{
    ob_note *note;
    char *to;
    int status = begin(b, bytes, type, step, 0, &note, &to);
    if (status != OB_OK)
        return status;
    if (step)
        ob_cursor_pack(in, to, step);
    ob_board_post(b);
    return OB_OK;
}

int ob_broadcast_show(ob_board *b, ob_cursor *in, uint64_t bytes, ob_type type, size_t step)
{
    return show(b, in, bytes, type, step);
}

static int show_all(ob_board *b, const ob_view *matrix)
{
    ob_cursor in;
    ob_cursor_open(&in, matrix);
    size_t bytes = in.left;
    int status;
    do
        status = show(b, &in, bytes, matrix->type, in.left < PIECE ? in.left : PIECE);
    while (in.left && status == OB_OK);
    return status;
}

/* Does what all members read and write drive the root's matrix out of the caches? */
static bool beyond_caches(const ob_board *b, uint64_t bytes)
{
    return bytes > LEAST_PAST && bytes > ob_cache_bytes() / (size_t)b->size;
}

/* One piece as it comes. */
typedef struct piece {
    uint64_t bytes; /* of all */
    ob_type type;
    char *at;
    size_t step;
} piece;

/* The boards of the leaders come last in the list, and first here: there the way is longest. */
static int show_again(const ob_stream *s, const piece *p, const ob_note *shown)
{
    const ob_view v = ob_view_of_bytes(p->at, p->step);
    int status = OB_OK;
    for (int i = s->count - 1; i >= 0 && status == OB_OK; i--) {
        ob_cursor in;
        ob_cursor_open(&in, &v);
        status = s->of ? ob_broadcast_repeat(s->on[i], shown)
                       : ob_broadcast_show(s->on[i], &in, p->bytes, p->type, p->step);
    }
    return status;
}

static char *borrow(const ob_stream *s, uint64_t name, size_t bytes)
{
    return ob_board_read(s->of ? s->of : s->from->group, s->of ? s->source : s->at, name, bytes);
}

static void unpack(ob_cursor *out, const piece *p, bool past)
{
    if (p->step && past)
        ob_cursor_unpack_past(out, p->at, p->step);
    else if (p->step)
        ob_cursor_unpack(out, p->at, p->step);
}

/* What we do, in an error line. */
static const char DOES[] = "takes part in a broadcast";

static int not_the_source(const ob_stream *s)
{
    const ob_group *g = s->from->group;
    return ob_fail(
        OB_ESIZE,
        "OB-5001 process %d, from which process %d takes a broadcast, is not its source; all "
        "members must name the same source",
        g->peer[s->at]->number, g->job->number);
}

/* A matrix of another size is read to its end all the same, so that the rounds
 * of all members stay together. */
int ob_broadcast_take(const ob_stream *s, const ob_view *matrix, bool *whole)
{
    ob_board *b = s->from;
    piece p = {0, matrix->type, NULL, 0};
    ob_cursor out;
    uint64_t left = 0;
    bool past = false;
    ob_cursor_open(&out, matrix);
    *whole = false;
    do {
        int status = ob_board_post_empty(b);
        if (status == OB_OK)
            status = ob_board_wait(b, s->at);
        if (status != OB_OK)
            return status;
        ob_note *theirs = ob_board_note(b, s->at);
        if (p.bytes == 0) {
            left = p.bytes = theirs->bytes;
            p.type = (ob_type)(theirs->kind - ob_broadcast_kind(0));
            past = beyond_caches(b, p.bytes);
        }
        bool lent = p.bytes > OB_NOTE_INLINE;
        p.step = left;
        if (lent)
            memcpy(&p.step, theirs->data, sizeof p.step);
        if (lent && ((unsigned)p.type >= OB_TYPES || p.step > left)) /* of something else */
            return ob_board_other_call(b, s->at, DOES);
        p.at = lent ? borrow(s, theirs->name[0], p.step) : theirs->data;
        status = s->count ? show_again(s, &p, theirs) : OB_OK;
        if (p.bytes == ob_view_bytes(matrix))
            unpack(&out, &p, lent && past);
        if (lent)
            ob_board_give_back(b, p.at);
        if (status != OB_OK)
            return status;
        left -= p.step;
    } while (left);
    *whole = true;
    if (p.bytes == ob_view_bytes(matrix))
        return OB_OK;
    if ((unsigned)p.type >= OB_TYPES) /* nor is it what a source shows */
        return p.bytes ? ob_board_other_call(b, s->at, DOES) : not_the_source(s);
    return ob_fail_size(b->group->peer[s->at]->number, p.bytes, p.type, matrix);
}

int ob_broadcast_board(ob_group *group, int root, const ob_view *matrix)
{
    ob_board *b;
    bool whole;
    int status = ob_board_of(group, &b);
    if (status != OB_OK)
        return status;
    if (group->me == root)
        return show_all(b, matrix);
    const ob_stream s = {.from = b, .at = root};
    return ob_broadcast_take(&s, matrix, &whole);
}

/* Packed again for each board: what has been shown may be gone. */
static int show_along(const ob_stream *s, const ob_view *matrix)
{
    ob_cursor in, again;
    ob_cursor_open(&in, matrix);
    size_t bytes = in.left;
    int status = OB_OK;
    do {
        size_t step = in.left < PIECE ? in.left : PIECE;
        for (int i = s->count - 1; i >= 0 && status == OB_OK; i--) {
            again = in;
            status = ob_broadcast_show(s->on[i], &again, bytes, matrix->type, step);
        }
        in = again;
    } while (in.left && status == OB_OK);
    return status;
}

int ob_broadcast_along(const ob_stream *s, const ob_view *matrix, bool *whole)
{
    *whole = false;
    return s->from ? ob_broadcast_take(s, matrix, whole) : show_along(s, matrix);
}
