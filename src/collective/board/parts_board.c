/*
 * Scatter, gather, collect and distributed combine among the members of one
 * node, on memory they have in common: who has something for others shows it
 * once, and those it is for read it from there. Long pieces go in shares, one round each.
 */
#include "collective/board/parts_table.h"
#include "core/error.h"
#include "core/scratch.h"

#include <string.h>

/* Bytes that all show in one round; where a root takes or gives them all (OB_SHARE_OF_PIECE), at
 * most so many rounds lie between it and others, so that memory is still in the caches. */
enum { SHARE = 1 << 20, AHEAD = 4, STRIP_BYTES = 8 << 10 };
/* In a note's second name: no slate's, and not what direct.c writes there. */
#define MEETS (UINT64_MAX - 1)

typedef ob_parts_table table;

/* Bytes that a note has room for. */
static size_t in_note(const table *t)
{
    return t->call.direct ? 0 : OB_NOTE_INLINE;
}

static bool is_rooted(ob_task task)
{
    return task == OB_TASK_SCATTER || task == OB_TASK_GATHER;
}

/* Do so many bytes go on a slate? With several shares, others read one when they have posted the
 * next: slates would be written again under them. */
static bool on_slate(const table *t, size_t bytes)
{
    return bytes > in_note(t) && bytes <= OB_SLATE_BYTES && t->shares == 1 && !is_rooted(t->task);
}

static bool is_lent(const table *t, size_t bytes)
{
    return bytes > in_note(t) && !on_slate(t, bytes);
}

/* Elements of piece i in a share. */
static size_t in_share(const table *t, int i, size_t share)
{
    const size_t *cut = t->parts->cut;
    size_t n = cut[i + 1] - cut[i];
    if (t->shares == 1)
        return n;
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

/* Is our piece of a collect elsewhere, and copied from where others see it? */
static bool own_is_read(const table *t)
{
    return t->task == OB_TASK_COLLECT && t->parts->apart;
}

/* Members that read what one shows; of a collect out of place it does, too. */
static unsigned readers_of(const table *t, int member)
{
    if (t->task == OB_TASK_GATHER)
        return member != t->root;
    if (t->task == OB_TASK_SCATTER && member != t->root)
        return 0;
    return (unsigned)t->board->size - 1 + own_is_read(t);
}

/* Where piece i stands in what a member shows. */
static size_t place_in(const table *t, int member, int i, size_t share)
{
    size_t at = 0;
    for (int k = 0; k < i; k++)
        if (shows(t, member, k))
            at += share_bytes(t, k, share);
    return at;
}

/* How much a member shows. */
static size_t shown_bytes(const table *t, int member, size_t share)
{
    if (t->task == OB_TASK_COLLECT || t->task == OB_TASK_GATHER)
        return shows(t, member, member) ? share_bytes(t, member, share) : 0;
    return place_in(t, member, t->board->size, share);
}

/* Do times stand in the notes of this round? Of a gather in none that one member alone reads. */
static bool tells(const table *t, size_t share)
{
    return share == 0 && t->task != OB_TASK_GATHER;
}

static int show(table *t, size_t share)
{
    ob_board *b = t->board;
    ob_note *note;
    size_t bytes = shown_bytes(t, b->me, share);
    int status = t->shares > 1 && is_rooted(t->task) ? ob_board_keep_up(b, AHEAD) : OB_OK;
    if (status == OB_OK)
        status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    if (on_slate(t, bytes) && (status = ob_board_free_slate(b)) != OB_OK)
        return status;
    char *to = note->data;
    note->bytes = bytes;
    note->kind = t->kind;
    note->name[1] = 0; /* not on a slate */
    if (on_slate(t, bytes))
        to = ob_board_slate(b, note);
    else if (bytes > in_note(t))
        to = ob_board_lend(b, bytes, readers_of(t, b->me), &note->name[0]);
    if (to == NULL)
        return OB_ENOMEM;
    t->shown[b->me] = to;
    for (int i = 0; i < b->size && bytes; i++) {
        size_t n = share_bytes(t, i, share);
        if (!shows(t, b->me, i) || n == 0)
            continue;
        ob_cursor_pack(i == b->me && t->parts->apart ? &t->apart : &t->cursor[i], to, n);
        to += n;
    }
    if (tells(t, share))
        ob_long_tell(&t->call, note);
    ob_board_post(b);
    return OB_OK;
}

static int wait_all(table *t, size_t share)
{
    int status = ob_board_wait_all(t->board);
    if (status == OB_OK && tells(t, share))
        ob_long_hear(&t->call);
    return status;
}

/* Of a kind of notes here. */
static bool ends_superstep(uint32_t kind)
{
    return (kind >> 1 & OB_PARTS_SUPERSTEP) == OB_PARTS_SUPERSTEP && kind < UINT32_MAX - 255;
}

/* The lowest bit says that it may go straight. */
static bool is_alike(const table *t, const ob_note *note)
{
    return (note->kind ^ t->kind) <= 1;
}

/* Has it lent what is not in it? */
static bool lends(const table *t, const ob_note *note)
{
    const ob_group *g = t->board->group;
    bool may = ob_group_another(g)->transport->expose && note->kind & 1;
    return note->bytes > (may ? 0 : OB_NOTE_INLINE) && note->name[1] == 0;
}

/* Nothing is read in this round: what others have lent us for that, as their notes say, is given
 * back. Of a scatter only the root's note is known to have come. */
static void give_back_unread(const table *t)
{
    if (t->task == OB_TASK_GATHER && t->board->me != t->root)
        return;
    for (int i = 0; i < t->board->size; i++) {
        const ob_note *note = ob_board_note(t->board, i);
        if (i == t->board->me || (t->task == OB_TASK_SCATTER && i != t->root))
            continue;
        if (is_alike(t, note) && lends(t, note))
            ob_board_give_back(t->board, ob_board_borrow(t->board, i, note->name[0]));
    }
}

static int pieces_differ(const table *t, int member)
{
    give_back_unread(t);
    return ob_parts_unlike(t->board->group, member);
}

static int size_error(const table *t, int member, uint64_t theirs, size_t mine)
{
    const ob_group *g = t->board->group;
    const ob_note *note = ob_board_note(t->board, member);
    if (is_alike(t, note) && note->name[1] == MEETS)
        return pieces_differ(t, member);
    give_back_unread(t);
    bool here = ends_superstep(t->kind);
    if (here != ends_superstep(note->kind))
        return ob_board_mixed(g, here ? g->me : member, here ? member : g->me);
    if (theirs == mine)
        return ob_fail(
            OB_ESIZE,
            "OB-5003 processes %d and %d make different collective calls, or combine with "
            "different types, operations or settings; all members must use the same",
            g->peer[member]->number, g->job->number);
    return ob_parts_differ(t->board, t->parts->kind ? OB_TASK_COMBINE : t->task, member, theirs,
                           mine);
}

/* Looks at what a member shows; give_back() when done. */
static int look(table *t, int member, size_t share)
{
    const ob_note *note = ob_board_note(t->board, member);
    size_t expected = shown_bytes(t, member, share);
    /* Members that do not name the same sizes may have other shares. */
    bool agrees = expected <= in_note(t) || on_slate(t, expected) == (note->name[1] != 0);
    if (note->bytes != expected || note->kind != t->kind || !agrees)
        return size_error(t, member, note->bytes, expected);
    bool alone = t->task == OB_TASK_GATHER || t->task == OB_TASK_COLLECT; /* no pieces of others */
    size_t reads = alone ? expected : share_bytes(t, t->board->me, share);
    const ob_group *g = t->board->group;
    t->shown[member] = on_slate(t, expected)  ? ob_board_slate_of(t->board, member)
                       : is_lent(t, expected) ? ob_board_read(g, member, note->name[0], reads)
                                              : note->data;
    return OB_OK;
}

static void give_back(const table *t, int member, size_t share)
{
    if (is_lent(t, shown_bytes(t, member, share)))
        ob_board_give_back(t->board, (void *)(uintptr_t)t->shown[member]);
}

/* A member's own piece, which has been looked at, goes to its place. */
static void place(table *t, int member, size_t share)
{
    size_t n = share_bytes(t, member, share);
    if (n)
        ob_cursor_unpack(&t->cursor[member], t->shown[member], n);
    give_back(t, member, share);
}

static void place_others(table *t, size_t share)
{
    for (int k = 1; k < t->board->size; k++)
        place(t, (t->board->me + k) % t->board->size, share);
}

static int look_at_all(table *t, size_t share)
{
    int status = wait_all(t, share);
    for (int i = 0; i < t->board->size && status == OB_OK; i++)
        if (i != t->board->me)
            status = look(t, i, share);
    return status;
}

/* What the others have shown before is copied while they show this. A note of theirs may be read
 * after our next post: nobody is two rounds ahead, since all wait for all. */
static int copy_before(table *t, size_t share)
{
    if (own_is_read(t))
        place(t, t->board->me, share);
    if (share)
        place_others(t, share - 1);
    int status = look_at_all(t, share);
    if (status == OB_OK && share + 1 == t->shares)
        place_others(t, share);
    return status;
}

static int copy_all(table *t, size_t share)
{
    int status = look_at_all(t, share);
    if (status == OB_OK)
        place_others(t, share);
    return status;
}

/* The root's piece for us. */
static int copy_own(table *t, size_t share)
{
    int me = t->board->me, status = ob_board_wait(t->board, t->root);
    if (status == OB_OK)
        status = look(t, t->root, share);
    if (status != OB_OK)
        return status;
    size_t n = share_bytes(t, me, share);
    if (n)
        ob_cursor_unpack(&t->cursor[me], t->shown[t->root] + place_in(t, t->root, me, share), n);
    give_back(t, t->root, share);
    return OB_OK;
}

/* ------------------------------------------------------- distributed combine */

/* The cursor's next bytes: where they are, if they are one run, else packed into `room`. */
static const char *next_run(ob_cursor *c, size_t bytes, char *room)
{
    size_t run;
    if (c->run >= bytes)
        return ob_cursor_take(c, bytes, &run);
    ob_cursor_pack(c, room, bytes);
    return room;
}

/* A strip of our piece of all members' vectors, in the order of positions, to its place. */
static void combine_strip(table *t, size_t start, size_t bytes)
{
    const ob_parts *p = t->parts;
    int me = t->board->me, size = t->board->size;
    _Alignas(64) char strip[STRIP_BYTES], packed[STRIP_BYTES];
    ob_cursor *to = p->apart ? &t->apart : &t->cursor[me], from = t->cursor[me];
    const char *own = next_run(&from, bytes, packed);
    const char *first = me == 0 ? own : t->shown[0] + start;
    const char *second = me == 1 ? own : t->shown[1] + start;
    bool in_place = to->run >= bytes && (p->apart || me == 0);
    char *acc = in_place ? to->at : strip;
    size_t n = bytes / p->esize;
    if (t->fold) {
        t->fold(n, acc, first, second);
    } else {
        if (acc != first)
            memcpy(acc, first, bytes);
        ob_part_combine(p, n, acc, second);
    }
    for (int i = 2; i < size; i++)
        ob_part_combine(p, n, acc, i == me ? own : t->shown[i] + start);
    if (p->apart)
        t->cursor[me] = from;
    if (in_place)
        ob_cursor_take(to, bytes, &(size_t){0});
    else
        ob_cursor_unpack(to, strip, bytes);
}

/* Our piece of all members' vectors, strip by strip. */
static int combine_own(table *t, size_t share)
{
    const ob_parts *p = t->parts;
    int me = t->board->me, size = t->board->size, status = wait_all(t, share);
    size_t bytes = in_share(t, me, share) * p->esize, most = STRIP_BYTES / p->esize * p->esize;
    for (int i = 0; i < size && status == OB_OK; i++)
        if (i != me && (status = look(t, i, share)) == OB_OK)
            t->shown[i] += place_in(t, i, me, share);
    for (size_t start = 0; start < bytes && status == OB_OK; start += most)
        combine_strip(t, start, bytes - start < most ? bytes - start : most);
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
    case OB_TASK_SCATTER: return me == t->root ? OB_OK : copy_own(t, share);
    case OB_TASK_GATHER: return me == t->root ? copy_all(t, share) : OB_OK;
    case OB_TASK_COLLECT: return copy_before(t, share);
    default: return combine_own(t, share);
    }
}

/* --------------------------------------------------------------------- long calls */

/* Several rounds: nobody begins them before it knows that all name the same sizes, else the rounds
 * of members would come apart. By its mark nobody who is in a call of one round takes such a note
 * for its own. */
static int meet(table *t)
{
    ob_board *b = t->board;
    ob_note *note;
    const uint64_t sizes = ob_parts_shape(t->parts);
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->bytes = sizes;
    note->kind = t->kind;
    note->name[1] = MEETS;
    if (t->task == OB_TASK_GATHER)
        ob_long_tell(&t->call, note);
    ob_board_post(b);
    status = ob_board_wait_all(b);
    if (status == OB_OK && t->task == OB_TASK_GATHER)
        ob_long_hear(&t->call);
    for (int i = 0; i < b->size && status == OB_OK; i++) {
        note = ob_board_note(b, i);
        if (!is_alike(t, note))
            status = size_error(t, i, 0, 0);
        else if (note->name[1] != MEETS || note->bytes != sizes)
            status = pieces_differ(t, i);
    }
    return status;
}

static int check_bytes(const table *t)
{
    for (int i = 0; i < t->board->size; i++) {
        const ob_note *note = ob_board_note(t->board, i);
        if (note->bytes != t->call.bytes || note->kind != t->kind)
            return size_error(t, i, note->bytes, t->call.bytes);
        if (note->name[0] != t->call.sizes)
            return pieces_differ(t, i);
    }
    return OB_OK;
}

/* The root of a scatter waits for nobody: who names other sizes takes part in all of its rounds. */
static int pass_by(table *t)
{
    for (size_t k = 0; k < t->shares; k++) {
        int status = show(t, k);
        if (status == OB_OK)
            status = ob_board_wait(t->board, t->root);
        if (status != OB_OK)
            return status;
        give_back_unread(t);
    }
    return ob_parts_unlike(t->board->group, t->root);
}

/* Every member waits for all in a collect and in a distributed combine, and before a gather of
 * several shares: their long calls may go straight. */
static int begin_long(table *t)
{
    bool asks;
    uint64_t bytes = ob_parts_bytes(t->parts);
    if (t->task == OB_TASK_SCATTER || (t->task == OB_TASK_GATHER && t->shares == 1))
        return OB_OK;
    t->kind |= bytes >= OB_STRAIGHT_LEAST;
    const ob_view *reached = ob_parts_reached(t);
    int status = ob_long_begin(&t->call, t->board, ob_parts_sort(t->task), bytes,
                               bytes < OB_STRAIGHT_LEAST ? 0 : ob_parts_shape(t->parts), t->kind,
                               reached, reached, &asks);
    if (status == OB_OK && !asks && t->shares > 1)
        return meet(t);
    if (status == OB_OK && asks)
        status = check_bytes(t);
    return status == OB_OK && asks ? ob_long_decide(&t->call) : status;
}

static void open_cursors(table *t)
{
    const ob_parts *p = t->parts;
    for (int i = 0; i < t->board->size; i++)
        if (p->view[i].base || ob_part_bytes(p, i) == 0)
            ob_cursor_open(&t->cursor[i], &p->view[i]);
    if (p->apart)
        ob_cursor_open(&t->apart, p->apart);
}

static int run_straight(table *t)
{
    ob_parts_move_straight(t);
    int status = ob_long_meet(&t->call);
    bool written = t->task == OB_TASK_GATHER && t->board->me == t->root;
    /* Where one has ended, too, we stay until nobody writes to our memory any more. */
    for (int i = 0; i < t->board->size && status != OB_OK && written; i++)
        (void)ob_board_wait(t->board, i);
    if (status == OB_OK && !t->call.straight)
        open_cursors(t);
    return status;
}

int ob_parts_board(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    bool unlike = false;
    const size_t all = is_rooted(task) ? OB_SHARE_OF_PIECE * (size_t)group->size + 1 : SHARE;
    size_t shares = ob_parts_bytes(parts) / all + 1;
    int status =
        task == OB_TASK_SCATTER ? ob_scatter_board(group, root, parts, &shares, &unlike) : OB_OK;
    return status == OB_OK && shares ? ob_parts_in_shares(group, task, root, parts, shares, unlike)
                                     : status;
}

int ob_parts_in_shares(ob_group *group, ob_task task, int root, const ob_parts *parts,
                       size_t shares, bool unlike)
{
    table t = {.parts = parts, .task = task, .root = root, .shares = shares};
    t.kind = ob_parts_note(task) | parts->kind << 1;
    if (task == OB_TASK_DISTRIBUTE)
        t.kind |= ob_parts_kind(parts) << 1;
    size_t members = (size_t)group->size;
    int status = ob_board_of(group, &t.board);
    if (status != OB_OK)
        return status;
    size_t tables = ob_align(members * (sizeof *t.cursor + sizeof *t.shown));
    bool strips = task == OB_TASK_DISTRIBUTE && ob_parts_bytes(parts) >= OB_STRAIGHT_LEAST;
    t.cursor = ob_group_scratch(group, tables + (strips ? 2 * ob_parts_strip(parts) : 0));
    if (t.cursor == NULL)
        return ob_fail(OB_ENOMEM, "OB-4001 %s: no memory for %d members", ob_task_name(task),
                       group->size);
    t.shown = (const char **)(void *)(t.cursor + members);
    t.strips = (char *)t.cursor + tables;
    open_cursors(&t);
    if (task == OB_TASK_DISTRIBUTE && parts->operation == NULL)
        t.fold = ob_folds_find(parts->op, parts->type).plain;
    status = unlike ? pass_by(&t) : begin_long(&t);
    if (status != OB_OK)
        return status;
    if (t.call.straight)
        status = run_straight(&t);
    for (size_t k = 0; k < t.shares && status == OB_OK && !t.call.straight; k++)
        status = one_share(&t, k);
    ob_long_end(&t.call);
    size_t bytes = shown_bytes(&t, t.board->me, 0);
    if (status == OB_OK && !t.call.straight && on_slate(&t, bytes))
        ob_board_want_slate(t.board, bytes);
    return status;
}
