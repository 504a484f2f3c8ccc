/*
 * A long combine among the members of one node. It is cut into chunks; of each chunk a member
 * combines one slice of all members' values and shows the result, while the next chunk is shown
 * already: one round a chunk. Or, left on all, each combines one slice of the whole, straight from
 * the others' matrices.
 */
#include "collective/board/combine.h"
#include "collective/data/parts.h"

#include <string.h>

/* Bytes a member shows of a chunk: many, since each costs a round. */
enum { CHUNK = 512 << 10 };

/* One chunk of the vector. */
typedef struct chunk {
    size_t start, count; /* elements */
    const char *shown;   /* our values of it, for others to read */
} chunk;

/* Shows a chunk. What others do not read, our own slice, need not be copied
 * where the matrix has it in one piece. */
static int show_chunk(ob_summit *s, ob_note *note, chunk *c)
{
    size_t parts = (size_t)s->size;
    if (s->flat_from == NULL)
        return ob_summit_show(s, note, c->count, (unsigned)s->size - 1, true, &c->shown);
    char *block =
        ob_board_lend(s->board, c->count * s->esize, (unsigned)s->size - 1, &note->name[0]);
    if (block == NULL)
        return OB_ENOMEM;
    const char *from = s->flat_from + c->start * s->esize;
    size_t end = ob_part_start(c->count, parts, (size_t)s->me) * s->esize;
    size_t again = ob_part_start(c->count, parts, (size_t)s->me + 1) * s->esize;
    memcpy(block, from, end);
    memcpy(block + again, from + again, c->count * s->esize - again);
    c->shown = from;
    return OB_OK;
}

/* Combines our slice of a chunk and shows the result. */
static int show_slice(ob_summit *s, ob_note *note, const chunk *c, const char **own)
{
    size_t parts = (size_t)s->size, start = ob_part_start(c->count, parts, (size_t)s->me);
    size_t count = ob_part_start(c->count, parts, (size_t)s->me + 1) - start;
    size_t bytes = ob_align(count * s->esize) + (s->coords ? count * sizeof(int32_t) : 0);
    unsigned readers = s->root == OB_ANY ? (unsigned)s->size : 1; /* who wants it, too */
    char *block = ob_board_lend(s->board, bytes, readers, &note->name[1]);
    if (block == NULL)
        return OB_ENOMEM;
    int32_t *owner = ob_summit_owners(s, block, count);
    for (size_t from = 0; from < count; from += OB_STRIP) {
        size_t step = count - from < OB_STRIP ? count - from : OB_STRIP;
        char *to = block + from * s->esize;
        ob_summit_fold(s, start + from, step, to, owner ? owner + from : NULL);
        /* Our own copy, while it is in the first-level cache. */
        if (s->flat_to && s->wanted)
            memcpy(s->flat_to + (c->start + start + from) * s->esize, to, step * s->esize);
    }
    ob_summit_return(s);
    *own = block;
    return OB_OK;
}

/* All slices of a chunk into the matrix. */
static void take_slices(ob_summit *s, const chunk *c, const char *own)
{
    size_t parts = (size_t)s->size;
    for (int i = 0; i < s->size; i++) {
        size_t n = ob_part_start(c->count, parts, (size_t)i + 1) -
                   ob_part_start(c->count, parts, (size_t)i);
        if (i == s->me) {
            if (s->flat_to)
                ob_summit_pass(s, ob_summit_owners(s, own, n), n);
            else
                ob_summit_put(s, own, ob_summit_owners(s, own, n), n);
            ob_board_give_back(s->board, (void *)(uintptr_t)own);
            continue;
        }
        const char *block = ob_board_read(s->board->group, i, ob_board_note(s->board, i)->name[1],
                                          n * (s->esize + (s->coords ? sizeof(int32_t) : 0)));
        ob_summit_put(s, block, ob_summit_owners(s, block, n), n);
        ob_board_give_back(s->board, (void *)(uintptr_t)block);
    }
}

/* Round k: combine our slice of chunk k - 1, show chunk k, meet, take the results
 * of chunk k - 1. */
static int slices_round(ob_summit *s, const chunk *before, chunk *now)
{
    const char *slice = NULL;
    ob_note *note;
    int status = ob_summit_begin(s, &note);
    if (status == OB_OK)
        note->name[1] = 0; /* no slice yet, and not on a slate */
    if (status == OB_OK && before->count)
        status = show_slice(s, note, before, &slice);
    if (status == OB_OK && now->count)
        status = show_chunk(s, note, now);
    if (status != OB_OK)
        return status;
    if (before->count == 0)
        ob_long_tell(&s->call, note);
    ob_board_post(s->board);
    status = ob_board_wait_all(s->board);
    if (status == OB_OK && before->count == 0)
        status = ob_summit_check(s);
    if (status != OB_OK)
        return status;
    if (before->count == 0)
        ob_long_hear(&s->call);
    if (before->count && s->wanted)
        take_slices(s, before, slice);
    if (now->count)
        ob_summit_borrow(s, now->shown, now->count / (size_t)s->size);
    return OB_OK;
}

static int in_slices(ob_summit *s)
{
    size_t n = s->bytes / s->esize, most = CHUNK / s->esize, chunks = (n + most - 1) / most;
    chunk before = {0, 0, NULL};
    int status = OB_OK;
    for (size_t k = 0; k <= chunks && status == OB_OK; k++) {
        size_t start = ob_part_start(n, chunks, k);
        chunk now = {start, k < chunks ? ob_part_start(n, chunks, k + 1) - start : 0, NULL};
        status = slices_round(s, &before, &now);
        before = now;
    }
    return status;
}

/* ----------------------------------------------------- straight from the matrices */

/* n elements of the matrices of all, `from` elements on, become the sources: in our strips, or
 * where they are. */
static void fetch_strip(ob_summit *s, size_t from, size_t n)
{
    size_t strip = ob_summit_strip(s) * s->esize, bytes = n * s->esize, at = from * s->esize;
    bool own_stays = ob_summit_own_in_place(s);
    ob_cursor own;
    for (int d = 0; d < s->size; d++) {
        char *to = s->strips + (size_t)d * strip;
        ob_view here = ob_view_of_bytes(to, bytes);
        s->source[d] = to;
        if (ob_summit_at(s, d) != s->me) {
            ob_long_fetch(&s->call, ob_summit_at(s, d), at, bytes, &here, 0);
        } else if (own_stays) {
            s->source[d] = s->flat_from + at;
        } else {
            ob_cursor_part(&own, s->from, at, bytes);
            ob_cursor_pack(&own, to, bytes);
        }
    }
}

/* Combines them into our own matrix. */
static void fold_strip(ob_summit *s, size_t from, size_t n)
{
    size_t strip = ob_summit_strip(s) * s->esize, at = from * s->esize;
    char *result = s->flat_to ? s->flat_to + at : s->strips + (size_t)s->size * strip;
    for (size_t i = 0; i < n; i += OB_STRIP)
        ob_summit_fold(s, i, n - i < OB_STRIP ? n - i : OB_STRIP, result + i * s->esize, NULL);
    if (s->flat_to)
        return;
    ob_cursor own;
    ob_cursor_part(&own, s->to, at, n * s->esize);
    ob_cursor_unpack(&own, result, n * s->esize);
}

/* The elements from `at` to `end` of all. *last: so many, at the end, are fetched alone. */
static void combine_part(ob_summit *s, size_t at, size_t end, size_t *last)
{
    size_t most = ob_summit_strip(s);
    for (; at < end && !s->call.failed; at += most) {
        size_t n = end - at < most ? end - at : most;
        fetch_strip(s, at, n);
        if (last && n == end - at)
            *last = n;
        else if (!s->call.failed)
            fold_strip(s, at, n);
    }
}

/* Each member combines a slice into its own matrix, from where the others then read it. Nobody
 * reads a slice of a matrix while its owner writes it: before they meet only its own member does.
 */
static int straight_to_all(ob_summit *s)
{
    size_t n = s->bytes / s->esize, parts = (size_t)s->size;
    combine_part(s, ob_part_start(n, parts, (size_t)s->me),
                 ob_part_start(n, parts, (size_t)s->me + 1), NULL);
    int status = ob_long_meet(&s->call);
    for (int k = 1; k < s->size && status == OB_OK; k++) {
        size_t i = (size_t)(s->me + k) % parts, from = ob_part_start(n, parts, i) * s->esize;
        size_t bytes = ob_part_start(n, parts, i + 1) * s->esize - from;
        ob_long_fetch(&s->call, (int)i, from, bytes, s->to, from);
    }
    return status == OB_OK ? ob_long_meet(&s->call) : status;
}

/* The root reads the others' matrices. They need not wait for what it combines last. */
static int straight_to_one(ob_summit *s)
{
    size_t n = s->bytes / s->esize, last = 0;
    if (s->wanted)
        combine_part(s, 0, n, &last);
    int status = ob_long_meet(&s->call);
    if (status == OB_OK && last)
        fold_strip(s, n - last, last);
    return status;
}

int ob_combine_begin_long(ob_summit *s)
{
    static const ob_view nothing = {.type = OB_BYTE};
    bool asks, all = s->root == OB_ANY;
    if (s->strips == NULL)
        return OB_OK;
    int status = ob_long_begin(&s->call, s->board, all ? OB_DIRECT_COMBINE : OB_DIRECT_REDUCE,
                               s->bytes, s->bytes, s->kind, all || !s->wanted ? s->from : &nothing,
                               all ? s->to : &nothing, &asks);
    if (status == OB_OK && asks)
        status = ob_summit_check(s);
    return status == OB_OK && asks ? ob_long_decide(&s->call) : status;
}

int ob_combine_long(ob_summit *s)
{
    return !s->call.straight   ? in_slices(s)
           : s->root == OB_ANY ? straight_to_all(s)
                               : straight_to_one(s);
}
