/*
 * Scatter, gather, collect and distributed combine among the members of one
 * node, on memory they have in common: who has something for others shows it
 * once, and those it is for read it from there. Long pieces go in shares, one round each.
 */
#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "core/error.h"

#include <string.h>

/* Bytes a member shows in one round. */
enum { SHARE = 256 << 10, STRIP_BYTES = 8 << 10 };

typedef struct table {
    ob_board *board;
    const ob_parts *parts;
    ob_task task;
    int root;
    ob_cursor *cursor;  /* of each piece */
    const char **shown; /* of each member */
    size_t shares;
} table;

/* Elements of piece i in a share. */
static size_t in_share(const table *t, int i, size_t share)
{
    const size_t *cut = t->parts->cut;
    size_t n = cut[i + 1] - cut[i];
    return ob_part_start(n, t->shares, share + 1) - ob_part_start(n, t->shares, share);
}

static size_t share_bytes(const table *t, int i, size_t share)
{
    return in_share(t, i, share) * t->parts->esize;
}

/* Does a member show piece i? */
static bool shows(const table *t, int member, int i)
{
    switch (t->task) {
    case OB_TASK_SCATTER: return member == t->root && i != t->root;
    case OB_TASK_GATHER: return i == member && member != t->root;
    case OB_TASK_COLLECT: return i == member;
    default: return i != member;
    }
}

/* Members that read what one shows. */
static unsigned readers_of(const table *t, int member)
{
    if (t->task == OB_TASK_GATHER)
        return member != t->root;
    if (t->task == OB_TASK_SCATTER && member != t->root)
        return 0;
    return (unsigned)t->board->size - 1;
}

/* Where piece i stands in what a member shows, and how much it shows. */
static size_t place_in(const table *t, int member, int i, size_t share)
{
    size_t at = 0;
    for (int k = 0; k < i; k++)
        if (shows(t, member, k))
            at += share_bytes(t, k, share);
    return at;
}

static int show(table *t, size_t share)
{
    ob_board *b = t->board;
    ob_note *note;
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    size_t bytes = place_in(t, b->me, b->size, share);
    char *to = note->data;
    note->bytes = bytes;
    note->kind = (uint32_t)t->task << 16;
    if (bytes > OB_NOTE_INLINE)
        to = ob_board_lend(b, bytes, readers_of(t, b->me), &note->name[0]);
    if (to == NULL)
        return OB_ENOMEM;
    t->shown[b->me] = to;
    for (int i = 0; i < b->size; i++) {
        size_t n = share_bytes(t, i, share);
        if (!shows(t, b->me, i) || n == 0)
            continue;
        ob_cursor_pack(&t->cursor[i], to, n);
        to += n;
    }
    ob_board_post(b);
    return OB_OK;
}

static int size_error(const table *t, int member, uint64_t theirs, size_t mine)
{
    const ob_group *g = t->board->group;
    return ob_fail(OB_ESIZE,
                   "%s: process %d has %llu bytes for others where process %d expects %zu; all "
                   "members must name the same sizes",
                   ob_task_name(t->task), g->peer[member]->number, (unsigned long long)theirs,
                   g->job->number, mine);
}

/* Looks at what a member shows; give_back() when done. */
static int look(table *t, int member, size_t share)
{
    const ob_note *note = ob_board_note(t->board, member);
    size_t expected = place_in(t, member, t->board->size, share);
    if (note->bytes != expected)
        return size_error(t, member, note->bytes, expected);
    t->shown[member] =
        expected > OB_NOTE_INLINE ? ob_board_borrow(t->board, member, note->name[0]) : note->data;
    return OB_OK;
}

static void give_back(const table *t, int member, size_t share)
{
    if (place_in(t, member, t->board->size, share) > OB_NOTE_INLINE)
        ob_board_give_back(t->board, (void *)(uintptr_t)t->shown[member]);
}

/* Piece i as the member shows it goes to its place. */
static int copy_from(table *t, int member, int i, size_t share)
{
    int status = look(t, member, share);
    size_t n = share_bytes(t, i, share);
    if (status != OB_OK)
        return status;
    if (n)
        ob_cursor_unpack(&t->cursor[i], t->shown[member] + place_in(t, member, i, share), n);
    give_back(t, member, share);
    return OB_OK;
}

static int copy_all(table *t, size_t share)
{
    int status = ob_board_wait_all(t->board);
    for (int k = 1; k < t->board->size && status == OB_OK; k++) {
        int member = (t->board->me + k) % t->board->size;
        status = copy_from(t, member, member, share);
    }
    return status;
}

/* ------------------------------------------------------- distributed combine */

static void combine(const ob_parts *p, size_t n, void *acc, const void *in)
{
    if (p->operation)
        p->operation->apply(n, acc, in, p->operation->context);
    else
        p->kernel(n, acc, NULL, in, NULL);
}

/* Our piece of all members' vectors, in the order of positions, strip by strip. */
static int combine_own(table *t, size_t share)
{
    const ob_parts *p = t->parts;
    int me = t->board->me, size = t->board->size, status = ob_board_wait_all(t->board);
    size_t n = in_share(t, me, share), most = STRIP_BYTES / p->esize, start = 0;
    _Alignas(64) char strip[STRIP_BYTES], own[STRIP_BYTES];
    for (int i = 0; i < size && status == OB_OK; i++)
        if (i != me && (status = look(t, i, share)) == OB_OK)
            t->shown[i] += place_in(t, i, me, share);
    while (n && status == OB_OK) {
        size_t step = n < most ? n : most;
        ob_cursor read = t->cursor[me];
        ob_cursor_pack(&read, own, step * p->esize);
        memcpy(strip, me == 0 ? own : t->shown[0] + start, step * p->esize);
        for (int i = 1; i < size; i++)
            combine(p, step, strip, i == me ? own : t->shown[i] + start);
        ob_cursor_unpack(&t->cursor[me], strip, step * p->esize);
        start += step * p->esize;
        n -= step;
    }
    for (int i = 0; i < size && status == OB_OK; i++)
        if (i != me) {
            t->shown[i] -= place_in(t, i, me, share);
            give_back(t, i, share);
        }
    return status;
}

static int one_share(table *t, size_t share)
{
    int me = t->board->me, status = show(t, share);
    if (status != OB_OK)
        return status;
    switch (t->task) {
    case OB_TASK_SCATTER:
        if (me == t->root)
            return OB_OK;
        status = ob_board_wait(t->board, t->root);
        return status == OB_OK ? copy_from(t, t->root, me, share) : status;
    case OB_TASK_GATHER: return me == t->root ? copy_all(t, share) : OB_OK;
    case OB_TASK_COLLECT: return copy_all(t, share);
    default: return combine_own(t, share);
    }
}

int ob_parts_board(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    table t = {.parts = parts, .task = task, .root = root};
    size_t members = (size_t)group->size;
    int status = ob_board_of(group, &t.board);
    if (status != OB_OK)
        return status;
    t.cursor = ob_group_scratch(group, members * (sizeof *t.cursor + sizeof *t.shown));
    if (t.cursor == NULL)
        return ob_fail(OB_ENOMEM, "%s: no memory for %d members", ob_task_name(task), group->size);
    t.shown = (const char **)(void *)(t.cursor + members);
    for (int i = 0; i < group->size; i++)
        if (parts->view[i].base || ob_part_bytes(parts, i) == 0)
            ob_cursor_open(&t.cursor[i], &parts->view[i]);
    t.shares = ob_parts_bytes(parts) / SHARE + 1;
    for (size_t k = 0; k < t.shares && status == OB_OK; k++)
        status = one_share(&t, k);
    return status;
}
