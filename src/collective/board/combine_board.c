/*
 * Combine among the members of one node, on memory they have in common. Each
 * shows its values once. A short vector is combined by every member for itself,
 * in one round. A long one is cut into chunks; of each
 * chunk a member combines one slice of all members' values and shows the
 * result, while the next chunk is shown already: one round a chunk.
 *
 * Values are combined in the order of the members' distance from the root
 * (from member 0 when left on all), whoever comes first: the same bits every
 * time and on every member. Owners need not travel: a value's owner is the
 * member whose memory it is read from.
 */
#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "collective/board/direct.h"
#include "collective/board/runs.h"
#include "collective/data/coordinates.h"
#include "collective/data/parts.h"
#include "core/error.h"
#include "core/scratch.h"
#include "kernel/exact.h"

#include <string.h>

/* Elements combined at a time, between first-level cache and matrix. */
enum { STRIP = 512, MOST_ELEMENT = 16, MOST_OWN = 256 };
/* Bytes a member shows of a chunk that is read in slices: large, since each costs a round. */
enum { CHUNK = 512 << 10 };
/* Where one reads all of it: small, so that it is read from the cache while the next part is shown,
 * and of few parts together, so that their memory is still there when it is used again. */
enum { PARTS_READ = 4, PART_LEAST = 32 << 10, PART_MOST = 128 << 10, AHEAD = 3 };

typedef struct summit {
    ob_board *board;
    int size, me, base; /* base: the member at distance 0 */
    int root;           /* OB_ANY: all get the result */
    bool wanted;        /* here */
    ob_folds fold;
    ob_type type;
    bool exact; /* a sum whatever the order; `shifted` in its place */
    const void **shifted;
    const ob_operation *operation; /* in its place */
    size_t esize, bytes;
    uint32_t kind;
    const ob_coordinates *coords; /* NULL: no owners */
    ob_two *coord;                /* of each distance */
    const char **source;          /* of each distance: its values of the chunk */
    bool own_lent;                /* ours are in a block of which we are a reader, too */
    const ob_view *from;          /* the values of this member */
    const ob_view *to;            /* where the result goes: the same, or a matrix apart from it */
    ob_cursor in;                 /* what has been shown of `from` */
    ob_runs out;                  /* what has been written of `to` */
    char *flat_from, *flat_to;    /* where they are one run of memory, else NULL */
    ob_long call;                 /* of a long one without owners, for all */
    char *strips;                 /* there: of each member and of the result */
} summit;

static int at_distance(const summit *s, int distance)
{
    return (s->base + distance) % s->size;
}

/* ------------------------------------------------------------ local combining */

/* n results from all sources, `from` elements on: values to dst, owners'
 * distances to owner (NULL: no owners). */
static void fold_all(const summit *s, size_t from, size_t n, char *dst, int32_t *owner)
{
    size_t at = from * s->esize;
    if (s->exact) {
        for (int d = 0; d < s->size; d++)
            s->shifted[d] = s->source[d] + at;
        ob_exact_sum(s->type, (size_t)s->size, s->shifted, n, dst);
        return;
    }
    if (s->operation) {
        memcpy(dst, s->source[0] + at, n * s->esize);
        for (int d = 1; d < s->size; d++)
            s->operation->apply(n, dst, s->source[d] + at, s->operation->context);
        return;
    }
    if (owner)
        s->fold.two(n, dst, owner, NULL, s->source[0] + at, s->source[1] + at, (ob_two){0, 0},
                    (ob_two){1, 0});
    else
        s->fold.plain(n, dst, s->source[0] + at, s->source[1] + at);
    for (int d = 2; d < s->size; d++) {
        if (owner)
            s->fold.more(n, dst, owner, s->source[d] + at, d);
        else
            s->fold.plain(n, dst, dst, s->source[d] + at);
    }
}

/* Positions that become one coordinate, beside a constant one: no table. */
static void write_line(const summit *s, const int32_t *owner, size_t n, int *along, int *across,
                       int start, int constant)
{
    int32_t above = s->size - s->base, up = start + s->base, down = up - s->size;
    for (size_t i = 0; i < n; i++)
        /* written by the fold: NOLINTNEXTLINE(clang-analyzer-core.*) */
        along[i] = owner[i] + (owner[i] < above ? up : down);
    for (size_t i = 0; across && i < n; i++)
        across[i] = constant;
}

static void write_coordinates(const summit *s, const int32_t *owner, size_t n, size_t to)
{
    const ob_two *coord = s->coord;
    const ob_coordinates *p = s->coords;
    int *restrict first = p->first + to, *restrict second = p->second ? p->second + to : NULL;
    if (p->width == 1) {
        write_line(s, owner, n, first, second, p->first_base, p->second_base);
    } else if (second && p->width >= s->size) {
        write_line(s, owner, n, second, first, p->second_base, p->first_base);
    } else {
        for (size_t i = 0; i < n; i++)
            /* likewise: NOLINTNEXTLINE(clang-analyzer-core.*) */
            first[i] = coord[owner[i]].first;
        for (size_t i = 0; second && i < n; i++)
            second[i] = coord[owner[i]].second;
    }
}

/* Results that lie ready go to the matrix, run by run. */
static void copy_out(summit *s, const char *values, const int32_t *owner, size_t n)
{
    while (n) {
        size_t step = n < s->out.run ? n : s->out.run;
        ob_spot to = ob_runs_at(&s->out);
        memcpy(to.at, values, step * s->esize);
        if (owner) {
            write_coordinates(s, owner, step, to.owner);
            owner += step;
        }
        ob_runs_pass(&s->out, step);
        values += step * s->esize;
        n -= step;
    }
}

/* Two members, and room for the strip in the matrix: straight to all three arrays. */
static void fold_pair(summit *s, size_t from, size_t n, ob_spot to)
{
    size_t at = from * s->esize;
    int *second = s->coords->second ? s->coords->second + to.owner : NULL;
    s->fold.two(n, to.at, s->coords->first + to.owner, second, s->source[0] + at, s->source[1] + at,
                s->coord[0], s->coord[1]);
}

/* Combines the sources' n elements into the matrix. */
static void fold_out(summit *s, size_t n)
{
    _Alignas(64) char values[STRIP * MOST_ELEMENT];
    int32_t owner[STRIP];
    size_t most = s->esize > MOST_ELEMENT ? STRIP * MOST_ELEMENT / MOST_OWN : STRIP;
    for (size_t from = 0; from < n;) {
        size_t step = n - from < most ? n - from : most;
        if (s->out.run < step) {
            fold_all(s, from, step, values, s->coords ? owner : NULL);
            copy_out(s, values, s->coords ? owner : NULL, step);
        } else {
            ob_spot to = ob_runs_at(&s->out);
            if (s->coords && s->size == 2) {
                fold_pair(s, from, step, to);
            } else {
                fold_all(s, from, step, to.at, s->coords ? owner : NULL);
                if (s->coords)
                    write_coordinates(s, owner, step, to.owner);
            }
            ob_runs_pass(&s->out, step);
        }
        from += step;
    }
}

/* ------------------------------------------------------------------ the rounds */

static int size_error(const summit *s, int member, const ob_note *note)
{
    const ob_group *g = s->board->group;
    ob_type mine = (ob_type)(s->kind & 0xff), theirs = (ob_type)(note->kind & 0xff);
    size_t unit = ob_type_bytes(theirs), own = s->bytes / ob_type_bytes(mine);
    unsigned long long other = unit ? note->bytes / unit : 0;
    if (unit == 0)
        return ob_fail(OB_ESIZE,
                       "process %d is in another collective call than process %d, which "
                       "combines",
                       g->peer[member]->number, g->job->number);
    if (mine == theirs && note->bytes == s->bytes)
        return ob_fail(OB_ESIZE,
                       "processes %d and %d combine with different operations "
                       "or settings; all members must use the same",
                       g->peer[member]->number, g->job->number);
    return ob_fail(
        OB_ESIZE,
        "process %d combines %llu %s element%s, process %d %zu %s element%s; all members "
        "must have the same",
        g->peer[member]->number, other, ob_type_name(theirs), other == 1 ? "" : "s", g->job->number,
        own, ob_type_name(mine), own == 1 ? "" : "s");
}

static int check_sizes(const summit *s)
{
    for (int i = 0; i < s->size; i++) {
        const ob_note *note = ob_board_note(s->board, i);
        if (note->bytes != s->bytes || note->kind != s->kind)
            return size_error(s, i, note);
    }
    return OB_OK;
}

static int begin(summit *s, ob_note **note)
{
    int status = ob_board_begin(s->board, note);
    if (status != OB_OK)
        return status;
    (*note)->bytes = s->bytes;
    (*note)->kind = s->kind;
    return OB_OK;
}

/* The vector fits into the notes, or into the slates. */
static int in_notes(summit *s)
{
    bool slates = s->bytes > OB_NOTE_INLINE;
    ob_note *note;
    int status = begin(s, &note);
    char *to = status == OB_OK && slates ? ob_board_slate(s->board, note) : note->data;
    if (status != OB_OK || to == NULL)
        return status != OB_OK ? status : OB_ENOMEM;
    if (s->bytes)
        ob_cursor_pack(&s->in, to, s->bytes);
    ob_board_post(s->board);
    if (!s->wanted)
        return OB_OK;
    status = ob_board_wait_all(s->board);
    if (status == OB_OK)
        status = check_sizes(s);
    if (status != OB_OK)
        return status;
    for (int d = 0; d < s->size; d++)
        s->source[d] = slates ? ob_board_slate_of(s->board, at_distance(s, d))
                              : ob_board_note(s->board, at_distance(s, d))->data;
    fold_out(s, s->bytes / s->esize);
    return OB_OK;
}

/* May the result be written while our values are read from where they are? */
static bool own_in_place(const summit *s)
{
    bool first = s->base == s->me && !s->exact && !s->operation;
    return s->flat_from && (s->from->base != s->to->base || first);
}

/* Shows the next n elements to `readers` others, and to us if we `read` them: without, the block
 * could be another one before we do. */
static int show(summit *s, ob_note *note, size_t n, unsigned readers, bool read, const char **own)
{
    char *block = ob_board_lend(s->board, n * s->esize, readers + read, &note->name[0]);
    s->own_lent = read;
    if (block == NULL)
        return OB_ENOMEM;
    if (n)
        ob_cursor_pack(&s->in, block, n * s->esize);
    *own = block;
    return OB_OK;
}

static void borrow_sources(summit *s, const char *own)
{
    for (int d = 0; d < s->size; d++) {
        int member = at_distance(s, d);
        s->source[d] = member == s->me ? own
                                       : ob_board_borrow(s->board, member,
                                                         ob_board_note(s->board, member)->name[0]);
    }
}

static void return_sources(summit *s)
{
    for (int d = 0; d < s->size; d++)
        if (at_distance(s, d) != s->me || s->own_lent)
            ob_board_give_back(s->board, (void *)(uintptr_t)s->source[d]);
}

/* One part of it: `first` and `last` say which. */
static int read_part(summit *s, size_t n, bool first, bool last)
{
    unsigned readers = s->root == OB_ANY ? (unsigned)s->size - 1 : !s->wanted;
    const char *own = s->in.at;
    ob_note *note;
    s->own_lent = false;
    int status = first ? OB_OK : ob_board_keep_up(s->board, AHEAD);
    if (status == OB_OK)
        status = begin(s, &note);
    if (status == OB_OK && (readers || !own_in_place(s)))
        status = show(s, note, n, readers, s->wanted, &own);
    else if (status == OB_OK)
        ob_cursor_take(&s->in, n * s->esize, &(size_t){0});
    if (status != OB_OK)
        return status;
    ob_board_post(s->board);
    /* Nobody goes on with a long one before it knows that all have the same sizes. */
    if (s->wanted || (first && !last))
        status = ob_board_wait_all(s->board);
    if (status == OB_OK && first && (s->wanted || !last))
        status = check_sizes(s);
    if (status != OB_OK || !s->wanted)
        return status;
    borrow_sources(s, own);
    fold_out(s, n);
    return_sources(s);
    return OB_OK;
}

static int read_all(summit *s)
{
    size_t left = s->bytes / s->esize, most = s->bytes / PARTS_READ;
    most = most < PART_LEAST ? PART_LEAST : most > PART_MOST ? PART_MOST : most;
    most = most < s->esize ? 1 : most / s->esize;
    int status = OB_OK;
    for (bool first = true; left && status == OB_OK; first = false) {
        size_t n = left < most ? left : most;
        status = read_part(s, n, first, n == left);
        left -= n;
    }
    return status;
}

/* --------------------------------------------------------------- in slices */

/* Where the owners stand in a block of results. */
static int32_t *owners_in(const summit *s, const char *block, size_t n)
{
    size_t values = ob_align(n * s->esize);
    return s->coords ? (int32_t *)(uintptr_t)(block + values) : NULL;
}

/* One chunk of the vector. */
typedef struct chunk {
    size_t start, count; /* elements */
    const char *shown;   /* our values of it, for others to read */
} chunk;

/* Shows a chunk. What others do not read, our own slice, need not be copied
 * where the matrix has it in one piece. */
static int show_chunk(summit *s, ob_note *note, chunk *c)
{
    size_t parts = (size_t)s->size;
    if (s->flat_from == NULL)
        return show(s, note, c->count, (unsigned)s->size - 1, true, &c->shown);
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
static int show_slice(summit *s, ob_note *note, const chunk *c, const char **own)
{
    size_t parts = (size_t)s->size, start = ob_part_start(c->count, parts, (size_t)s->me);
    size_t count = ob_part_start(c->count, parts, (size_t)s->me + 1) - start;
    size_t bytes = ob_align(count * s->esize) + (s->coords ? count * sizeof(int32_t) : 0);
    unsigned readers = s->root == OB_ANY ? (unsigned)s->size : 1; /* who wants it, too */
    char *block = ob_board_lend(s->board, bytes, readers, &note->name[1]);
    if (block == NULL)
        return OB_ENOMEM;
    int32_t *owner = owners_in(s, block, count);
    for (size_t from = 0; from < count; from += STRIP) {
        size_t step = count - from < STRIP ? count - from : STRIP;
        char *to = block + from * s->esize;
        fold_all(s, start + from, step, to, owner ? owner + from : NULL);
        /* Our own copy, while it is in the first-level cache. */
        if (s->flat_to && s->wanted)
            memcpy(s->flat_to + (c->start + start + from) * s->esize, to, step * s->esize);
    }
    return_sources(s);
    *own = block;
    return OB_OK;
}

/* Passes a slice whose values are in the matrix already. */
static void place_own(summit *s, const int32_t *owner, size_t n)
{
    if (n == 0)
        return;
    if (owner)
        write_coordinates(s, owner, n, ob_runs_at(&s->out).owner);
    ob_runs_pass(&s->out, n);
}

/* All slices of a chunk into the matrix. */
static void take_slices(summit *s, const chunk *c, const char *own)
{
    size_t parts = (size_t)s->size;
    for (int i = 0; i < s->size; i++) {
        size_t n = ob_part_start(c->count, parts, (size_t)i + 1) -
                   ob_part_start(c->count, parts, (size_t)i);
        if (i == s->me) {
            if (s->flat_to)
                place_own(s, owners_in(s, own, n), n);
            else
                copy_out(s, own, owners_in(s, own, n), n);
            ob_board_give_back(s->board, (void *)(uintptr_t)own);
            continue;
        }
        const char *block = ob_board_borrow(s->board, i, ob_board_note(s->board, i)->name[1]);
        copy_out(s, block, owners_in(s, block, n), n);
        ob_board_give_back(s->board, (void *)(uintptr_t)block);
    }
}

/* Round k: combine our slice of chunk k - 1, show chunk k, meet, take the results
 * of chunk k - 1. */
static int slices_round(summit *s, const chunk *before, chunk *now)
{
    const char *slice = NULL;
    ob_note *note;
    int status = begin(s, &note);
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
        status = check_sizes(s);
    if (status != OB_OK)
        return status;
    if (before->count == 0)
        ob_long_hear(&s->call);
    if (before->count && s->wanted)
        take_slices(s, before, slice);
    if (now->count)
        borrow_sources(s, now->shown);
    return OB_OK;
}

static int in_slices(summit *s)
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

/* Bytes of all members and of the result that are combined at a time: they stay in a second-level
 * cache. But not less than what is worth asking the kernel for. */
enum { STRIPS = 384 << 10, STRIP_LEAST = 16 << 10 };

/* Elements in a strip. */
static size_t in_strip(const summit *s)
{
    size_t bytes = STRIPS / ((size_t)s->size + 1);
    bytes = bytes < STRIP_LEAST ? STRIP_LEAST : bytes;
    return bytes < s->esize ? 1 : bytes / s->esize;
}

/* Combines n elements of the matrices of all, `from` elements on, into our own. */
static void combine_strip(summit *s, size_t from, size_t n)
{
    size_t strip = in_strip(s) * s->esize, bytes = n * s->esize, at = from * s->esize;
    char *result = s->strips + (size_t)s->size * strip;
    ob_cursor own;
    for (int d = 0; d < s->size; d++) {
        char *to = s->strips + (size_t)d * strip;
        ob_view here = ob_view_of_bytes(to, bytes);
        s->source[d] = to;
        if (at_distance(s, d) != s->me) {
            ob_long_fetch(&s->call, at_distance(s, d), at, bytes, &here, 0);
            continue;
        }
        ob_cursor_part(&own, s->from, at, bytes);
        ob_cursor_pack(&own, to, bytes);
    }
    if (s->call.failed)
        return;
    for (size_t i = 0; i < n; i += STRIP)
        fold_all(s, i, n - i < STRIP ? n - i : STRIP, result + i * s->esize, NULL);
    ob_cursor_part(&own, s->to, at, bytes);
    ob_cursor_unpack(&own, result, bytes);
}

/* Each member combines a slice into its own matrix, from where the others then read it. Nobody
 * reads a slice of a matrix while its owner writes it: before they meet only its own member does.
 */
static int straight(summit *s)
{
    size_t n = s->bytes / s->esize, parts = (size_t)s->size, most = in_strip(s);
    size_t end = ob_part_start(n, parts, (size_t)s->me + 1);
    for (size_t at = ob_part_start(n, parts, (size_t)s->me); at < end; at += most)
        combine_strip(s, at, end - at < most ? end - at : most);
    int status = ob_long_meet(&s->call);
    for (int k = 1; k < s->size && status == OB_OK; k++) {
        size_t i = (size_t)(s->me + k) % parts, from = ob_part_start(n, parts, i) * s->esize;
        size_t bytes = ob_part_start(n, parts, i + 1) * s->esize - from;
        ob_long_fetch(&s->call, (int)i, from, bytes, s->to, from);
    }
    return status == OB_OK ? ob_long_meet(&s->call) : status;
}

static int begin_long(summit *s)
{
    bool asks;
    if (s->root != OB_ANY || s->coords)
        return OB_OK;
    int status = ob_long_begin(&s->call, s->board, OB_DIRECT_COMBINE, s->bytes, s->kind, s->from,
                               s->to, &asks);
    if (status == OB_OK && asks)
        status = check_sizes(s);
    return status == OB_OK && asks ? ob_long_decide(&s->call) : status;
}

static int long_combine(summit *s)
{
    int status = begin_long(s);
    if (status == OB_OK)
        status = s->call.straight ? straight(s) : in_slices(s);
    if (status == OB_OK)
        ob_long_end(&s->call);
    return status;
}

/* The matrix in elements of an operation of the caller's. */
static ob_view in_elements(const ob_view *v, size_t esize)
{
    ob_view e = *v;
    size_t unit = ob_type_bytes(v->type);
    if (unit != esize) {
        e.m = v->m * unit / esize;
        e.ld = v->ld * unit / esize;
    }
    return e;
}

uint32_t ob_combine_kind(ob_op op, const ob_operation *operation, const ob_view *matrix, bool exact)
{
    return (uint32_t)matrix->type | (uint32_t)op << 8 | (uint32_t)exact << 16 |
           (uint32_t)(operation ? operation->element_bytes : 0) << 17;
}

/* All but the board. */
static inline __attribute__((always_inline)) int
open_summit(summit *s, ob_group *group, int root, ob_op op, const ob_operation *operation,
            const ob_view *from, const ob_view *to, const ob_coordinates *coords, bool exact)
{
    *s = (summit){.size = group->size,
                  .me = group->me,
                  .root = root,
                  .base = ob_combine_base(op, root),
                  .wanted = root == OB_ANY || root == group->me,
                  .fold = ob_folds_find(op, from->type),
                  .operation = operation,
                  .esize = operation ? operation->element_bytes : ob_type_bytes(from->type),
                  .bytes = ob_view_bytes(from),
                  .kind = ob_combine_kind(op, operation, from, exact),
                  .type = from->type,
                  .exact = exact,
                  .coords = coords,
                  .from = from,
                  .to = to};
    ob_view elements = in_elements(to, s->esize);
    size_t members = (size_t)s->size;
    size_t tables = ob_align(members * (2 * sizeof *s->source + sizeof *s->coord));
    bool strips = s->bytes >= OB_STRAIGHT_LEAST && root == OB_ANY && !coords;
    s->source =
        ob_group_scratch(group, tables + (strips ? (members + 1) * in_strip(s) * s->esize : 0));
    if (s->source == NULL)
        return ob_fail(OB_ENOMEM, "no memory for %d members", s->size);
    s->shifted = (const void **)(s->source + members);
    s->coord = (ob_two *)(s->shifted + members);
    s->strips = (char *)s->source + tables;
    for (int d = 0; coords && s->wanted && d < s->size; d++)
        s->coord[d] = ob_coordinates_of(coords, at_distance(s, d));
    ob_cursor_open(&s->in, from);
    ob_runs_open(&s->out, &elements, s->esize, coords ? coords->ld : elements.m);
    return OB_OK;
}

int ob_combine_board(ob_group *group, int root, ob_op op, const ob_operation *operation,
                     const ob_view *from, const ob_view *to, const ob_coordinates *coords,
                     bool exact)
{
    summit s;
    ob_board *board;
    int status = ob_board_of(group, &board);
    if (status == OB_OK)
        status = open_summit(&s, group, root, op, operation, from, to, coords, exact);
    if (status != OB_OK)
        return status;
    s.board = board;
    size_t all = (size_t)s.size * s.bytes;
    if (s.bytes <= OB_NOTE_INLINE ||
        (root == OB_ANY && s.bytes <= OB_SLATE_BYTES && all <= OB_READ_ALL))
        return in_notes(&s);
    s.flat_from = ob_view_contiguous(from) ? from->base : NULL;
    s.flat_to = s.out.view.n == 1 && ob_view_contiguous(to) ? to->base : NULL;
    /* Two members: one who alone gets the result, or owners, saves showing and copying them. */
    if (all <= OB_READ_ALL || (s.size == 2 && (coords || root != OB_ANY)))
        return read_all(&s);
    return long_combine(&s);
}

int ob_combine_values(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords, bool exact,
                      const char *values, const int *place)
{
    summit s;
    int status = open_summit(&s, group, root, op, operation, matrix, matrix, coords, exact);
    if (status != OB_OK)
        return status;
    for (int d = 0; d < s.size; d++)
        s.source[d] = values + (size_t)place[at_distance(&s, d)] * s.bytes;
    fold_out(&s, s.bytes / s.esize);
    return OB_OK;
}
