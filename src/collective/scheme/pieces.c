/*
 * Scatter, gather, collect and distributed combine by schemes. Pieces that do
 * not lie one behind the other, and what a member only passes on, go through a
 * working copy: of each piece the same share at a time, so that it stays bounded. How
 * many shares there are depends on the sizes alone, which all members know.
 */
#include <stdlib.h>

#include "collective/data/piece.h"
#include "collective/scheme/native.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "core/scratch.h"
#include "message/message.h"

/* Bytes of all pieces in one call of the transport's own. */
enum { NATIVE_BYTES = 1 << 30 };

typedef struct work {
    ob_group *group;
    ob_task task;
    int root;
    const ob_parts *parts;
    ob_vector vector;
    ob_moves moves;
    size_t *cut;       /* of the present share */
    ob_cursor *cursor; /* of each piece: in and out move alike */
    int low, high;     /* pieces this member holds at some time */
    char *memory, *scratch;
    bool native; /* by the transport's own calls; no moves */
    bool met;    /* then all members are there */
} work;

static bool is_root(const work *w)
{
    return w->group->me == w->root;
}

/* Does the member bring piece i with it; does it keep it at the end? */
static bool brings(const work *w, int i)
{
    switch (w->task) {
    case OB_TASK_SCATTER: return is_root(w);
    case OB_TASK_DISTRIBUTE: return true;
    default: return i == w->group->me;
    }
}

static bool keeps(const work *w, int i)
{
    switch (w->task) {
    case OB_TASK_GATHER: return is_root(w);
    case OB_TASK_COLLECT: return true;
    default: return i == w->group->me;
    }
}

/* The pieces that the member's moves touch, and its own. */
static void find_window(work *w)
{
    int fine = w->vector.blocks / w->parts->size;
    w->low = w->group->me;
    w->high = w->group->me + 1;
    if (w->task == OB_TASK_COLLECT || w->task == OB_TASK_DISTRIBUTE || is_root(w)) {
        w->low = 0;
        w->high = w->parts->size;
        return;
    }
    for (int k = 0; k < w->moves.count; k++) {
        const ob_range r[2] = {w->moves.at[k].send, w->moves.at[k].recv};
        for (int i = 0; i < 2; i++) {
            if (r[i].a == r[i].b)
                continue;
            w->low = r[i].a / fine < w->low ? r[i].a / fine : w->low;
            w->high = (r[i].b - 1) / fine + 1 > w->high ? (r[i].b - 1) / fine + 1 : w->high;
        }
    }
}

/* Elements of each share of a piece of n but the last, which has what is left: where there are
 * several, a number that others seldom have, as pieces do (piece.h), so that members that disagree
 * about the sizes find out. */
static size_t share_of(size_t n, size_t shares)
{
    size_t even = ob_part_start(n, shares, 1);
    return shares == 1 ? n : ob_piece_step(even);
}

static size_t share_start(size_t n, size_t shares, size_t k)
{
    size_t start = k * share_of(n, shares);
    return k == shares || start > n ? n : start;
}

/* The boundaries of one share. */
static void cut_share(work *w, size_t shares, size_t k)
{
    const size_t *all = w->parts->cut;
    w->cut[0] = 0;
    for (int i = 0; i < w->parts->size; i++) {
        size_t n = all[i + 1] - all[i];
        w->cut[i + 1] = w->cut[i] + share_start(n, shares, k + 1) - share_start(n, shares, k);
    }
    w->vector.cut = w->cut;
    w->vector.first = w->cut[w->low];
}

static char *piece_at(const work *w, int i)
{
    return w->memory + (w->cut[i] - w->cut[w->low]) * w->parts->esize;
}

static void move_pieces(work *w, bool in)
{
    for (int i = w->low; i < w->high; i++) {
        size_t bytes = (w->cut[i + 1] - w->cut[i]) * w->parts->esize;
        if (bytes == 0 || !(in ? brings(w, i) : keeps(w, i)))
            continue;
        if (in) {
            /* Where the same memory is written back later, its place is kept. */
            ob_cursor read = w->cursor[i];
            ob_cursor_pack(&read, piece_at(w, i), bytes);
            if (!keeps(w, i))
                w->cursor[i] = read;
        } else {
            ob_cursor_unpack(&w->cursor[i], piece_at(w, i), bytes);
        }
    }
}

/* The present share, whose boundaries the vector has; data: from piece `low` on. */
static int run_share(work *w, char *data)
{
    if (!w->native)
        return ob_run(&w->vector, &w->moves, w->scratch);
    int root = w->root < 0 ? 0 : w->root;
    int status = w->met ? OB_OK : ob_native_meet_parts(w->group, w->task, root, w->parts);
    w->met = true;
    return status != OB_OK ? status
                           : ob_native_share(w->group, w->task, root, w->parts, w->vector.cut, data,
                                             w->scratch);
}

static int no_memory(const work *w, size_t bytes)
{
    ob_fail(OB_ENOMEM, "OB-4001 a collective: no memory for %zu bytes of pieces", bytes);
    if (w->native) /* they would wait in the meeting */
        ob_message_fail_all(w->group);
    return OB_ENOMEM;
}

static int run_shares(work *w, size_t shares)
{
    for (size_t k = 0; k < shares; k++) {
        cut_share(w, shares, k);
        move_pieces(w, true);
        int status = run_share(w, w->memory);
        if (status != OB_OK)
            return status;
        move_pieces(w, false);
    }
    return OB_OK;
}

size_t ob_parts_shares(size_t bytes, int members)
{
    size_t most = (size_t)members * OB_STAGING_PIECE;
    most = most > OB_STAGING_BYTES ? most : OB_STAGING_BYTES;
    return bytes > most ? (bytes - 1) / most + 1 : 1;
}

static size_t shares_of(const work *w)
{
    size_t bytes = ob_parts_bytes(w->parts), shares = ob_parts_shares(bytes, w->parts->size),
           least = bytes / NATIVE_BYTES + 1;
    return w->native && shares < least ? least : shares;
}

static int run_staged(work *w)
{
    const ob_parts *p = w->parts;
    int me = w->group->me;
    size_t shares = shares_of(w), most = 0;
    size_t own = share_start(p->cut[me + 1] - p->cut[me], shares, 1) * p->esize;
    size_t tables = ob_align(((size_t)p->size + 1) * sizeof *w->cut);
    size_t cursors = ob_align((size_t)p->size * sizeof *w->cursor);
    for (int i = w->low; i < w->high; i++)
        most += share_start(p->cut[i + 1] - p->cut[i], shares, 1);
    size_t values = ob_align(most * p->esize + 1),
           bytes =
               tables + cursors + values + 64 +
               (w->native ? ob_native_scratch(w->group, own) : ob_run_longest(w->group, p->esize));
    char *memory = ob_group_scratch(w->group, bytes);
    if (memory == NULL)
        return no_memory(w, bytes);
    w->cut = (size_t *)(void *)memory;
    w->cursor = (ob_cursor *)(void *)(memory + tables);
    w->memory = w->vector.values = memory + tables + cursors;
    w->scratch = w->memory + values;
    for (int i = 0; i < p->size; i++)
        if (brings(w, i) || keeps(w, i))
            ob_cursor_open(&w->cursor[i], &p->view[i]);
    return run_shares(w, shares);
}

/* One share, and this member's memory can hold it where it is. */
static int run_in_place(work *w)
{
    w->vector.cut = w->parts->cut;
    w->vector.values = w->parts->flat;
    size_t bytes = w->native ? ob_native_scratch(w->group, ob_part_bytes(w->parts, w->group->me))
                             : ob_run_scratch(&w->vector, &w->moves);
    w->scratch = ob_group_scratch(w->group, bytes);
    return w->scratch ? run_share(w, w->parts->flat) : no_memory(w, bytes);
}

int ob_scheme_parts(ob_group *group, ob_task task, int root, const ob_parts *parts,
                    const ob_scheme *scheme)
{
    work w = {
        .group = group, .task = task, .root = root, .parts = parts, .native = scheme->native != 0};
    bool whole = task == OB_TASK_COLLECT || task == OB_TASK_DISTRIBUTE;
    if (whole)
        w.root = 0;
    ob_scheme_moves(scheme, group->size, w.root, group->me, &w.moves);
    if (w.moves.failed) {
        ob_moves_free(&w.moves);
        return ob_fail(OB_ENOMEM, "OB-4001 a collective of %d members: no memory", group->size);
    }
    w.vector = (ob_vector){.group = group,
                           .esize = parts->esize,
                           .type = OB_BYTE,
                           .blocks = ob_scheme_blocks(scheme, group->size),
                           .pieces = group->size,
                           .kernel = parts->kernel,
                           .operation = parts->operation};
    if (whole)
        w.root = -1;
    find_window(&w);
    bool in_place = parts->flat && (whole || is_root(&w)) && shares_of(&w) == 1;
    int status = in_place ? run_in_place(&w) : run_staged(&w);
    ob_moves_free(&w.moves);
    return status;
}

int ob_parts_straight(ob_group *group, ob_task task, int root, const ob_parts *parts)
{
    int status = OB_OK;
    bool scatter = task == OB_TASK_SCATTER;
    if (group->me != root) {
        const ob_view *mine = &parts->view[group->me];
        return scatter ? ob_message_recv(group, root, OB_TAG_COLLECTIVE, mine, NULL)
                       : ob_message_send(group, root, OB_TAG_COLLECTIVE, mine);
    }
    /* Also behind a piece of another size: whose piece stays is out of step from then on. */
    int one = OB_OK;
    for (int k = 1; k < group->size && (one == OB_OK || one == OB_ESIZE); k++) {
        int i = (root + k) % group->size;
        one = scatter ? ob_message_send(group, i, OB_TAG_COLLECTIVE, &parts->view[i])
                      : ob_message_recv(group, i, OB_TAG_COLLECTIVE, &parts->view[i], NULL);
        status = one ? one : status;
    }
    return status;
}
