/*
 * Combines on one node: the values of all members, where each shows its own, and what becomes of
 * them here.
 */
#include "collective/board/combine.h"
#include "collective/data/coordinates.h"
#include "collective/data/parts.h"
#include "core/error.h"
#include "kernel/exact.h"

#include <string.h>

enum { MOST_ELEMENT = 16, MOST_OWN = 256 };
/* Bytes of all members and of the result that are combined at a time: they stay in a second-level
 * cache. But not less than what is worth asking the kernel for. Where one alone gets the result,
 * the other may go on when the last of it has been read: longer strips. */
enum { STRIPS = 384 << 10, STRIP_LEAST = 16 << 10, STRIP_TO_ONE = 256 << 10 };

void ob_summit_fold(const ob_summit *s, size_t from, size_t n, char *dst, int32_t *owner)
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
static void write_line(const ob_summit *s, const int32_t *owner, size_t n, int *along, int *across,
                       int start, int constant)
{
    int32_t above = s->size - s->base, up = start + s->base, down = up - s->size;
    for (size_t i = 0; i < n; i++)
        /* written by the fold: NOLINTNEXTLINE(clang-analyzer-core.*) */
        along[i] = owner[i] + (owner[i] < above ? up : down);
    for (size_t i = 0; across && i < n; i++)
        across[i] = constant;
}

static void write_coordinates(const ob_summit *s, const int32_t *owner, size_t n, size_t to)
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

void ob_summit_put(ob_summit *s, const char *values, const int32_t *owner, size_t n)
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
static void fold_pair(ob_summit *s, size_t from, size_t n, ob_spot to)
{
    size_t at = from * s->esize;
    int *second = s->coords->second ? s->coords->second + to.owner : NULL;
    s->fold.two(n, to.at, s->coords->first + to.owner, second, s->source[0] + at, s->source[1] + at,
                s->coord[0], s->coord[1]);
}

void ob_summit_take(ob_summit *s, size_t n)
{
    _Alignas(64) char values[OB_STRIP * MOST_ELEMENT];
    int32_t owner[OB_STRIP];
    size_t most = s->esize > MOST_ELEMENT ? OB_STRIP * MOST_ELEMENT / MOST_OWN : OB_STRIP;
    for (size_t from = 0; from < n;) {
        size_t step = n - from < most ? n - from : most;
        if (s->out.run < step) {
            ob_summit_fold(s, from, step, values, s->coords ? owner : NULL);
            ob_summit_put(s, values, s->coords ? owner : NULL, step);
        } else {
            ob_spot to = ob_runs_at(&s->out);
            if (s->coords && s->size == 2) {
                fold_pair(s, from, step, to);
            } else {
                ob_summit_fold(s, from, step, to.at, s->coords ? owner : NULL);
                if (s->coords)
                    write_coordinates(s, owner, step, to.owner);
            }
            ob_runs_pass(&s->out, step);
        }
        from += step;
    }
}
void ob_summit_pass(ob_summit *s, const int32_t *owner, size_t n)
{
    if (n == 0)
        return;
    if (owner)
        write_coordinates(s, owner, n, ob_runs_at(&s->out).owner);
    ob_runs_pass(&s->out, n);
}

/* ---------------------------------------------------------------------- what is shown */

/* Has a member lent us what its note names? A sum to one that is so long that it goes in slices is
 * read by all. */
static bool is_lent_to_us(const ob_summit *s, const ob_note *note)
{
    bool by_all = (uint64_t)s->size * note->bytes > OB_READ_ALL && s->size > 2;
    return note->kind == s->kind && note->bytes > OB_NOTE_INLINE && note->name[1] == 0 &&
           (s->wanted || by_all);
}

/* Nothing is read in this round: what has been lent for that is given back. */
static void give_back_unread(const ob_summit *s)
{
    for (int i = 0; i < s->size; i++) {
        const ob_note *note = ob_board_note(s->board, i);
        if (i == s->me ? s->own_lent : is_lent_to_us(s, note))
            ob_board_give_back(s->board, ob_board_borrow(s->board, i, note->name[0]));
    }
}

int ob_summit_differs(const ob_summit *s, int member, const ob_note *note)
{
    const ob_group *g = s->board->group;
    give_back_unread(s);
    ob_type mine = (ob_type)(s->kind & 0xff), theirs = (ob_type)(note->kind & 0xff);
    size_t unit = ob_type_bytes(theirs), own = s->bytes / ob_type_bytes(mine);
    unsigned long long other = unit ? note->bytes / unit : 0;
    if (unit == 0)
        return ob_board_other_call(s->board, member, "combines");
    if (mine == theirs && note->bytes == s->bytes)
        return ob_fail(OB_ESIZE,
                       "OB-5004 processes %d and %d combine with different operations "
                       "or settings; all members must use the same",
                       g->peer[member]->number, g->job->number);
    return ob_fail(
        OB_ESIZE,
        "OB-5002 process %d combines %llu %s element%s, process %d %zu %s element%s; all members "
        "must have the same",
        g->peer[member]->number, other, ob_type_name(theirs), other == 1 ? "" : "s", g->job->number,
        own, ob_type_name(mine), own == 1 ? "" : "s");
}

int ob_summit_show(ob_summit *s, ob_note *note, size_t n, unsigned readers, bool read,
                   const char **own)
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

void ob_summit_borrow(ob_summit *s, const char *own, size_t n)
{
    for (int d = 0; d < s->size; d++) {
        int member = ob_summit_at(s, d);
        s->source[d] = member == s->me
                           ? own
                           : ob_board_read(s->board->group, member,
                                           ob_board_note(s->board, member)->name[0], n * s->esize);
    }
}

void ob_summit_return(ob_summit *s)
{
    for (int d = 0; d < s->size; d++)
        if (ob_summit_at(s, d) != s->me || s->own_lent)
            ob_board_give_back(s->board, (void *)(uintptr_t)s->source[d]);
}

/* --------------------------------------------------------------------- what is combined */

size_t ob_summit_strip(const ob_summit *s)
{
    size_t bytes = s->root == OB_ANY ? STRIPS / ((size_t)s->size + 1) : STRIP_TO_ONE;
    bytes = bytes < STRIP_LEAST ? STRIP_LEAST : bytes > s->bytes ? s->bytes : bytes;
    return bytes < s->esize ? 1 : bytes / s->esize;
}

int ob_combine_values(ob_group *group, int root, ob_op op, const ob_operation *operation,
                      const ob_view *matrix, const ob_coordinates *coords, bool exact,
                      const char *values, const int *place)
{
    ob_summit s;
    int status =
        ob_summit_open(&s, NULL, group, root, op, operation, matrix, matrix, coords, exact);
    if (status != OB_OK)
        return status;
    for (int d = 0; d < s.size; d++)
        s.source[d] = values + (size_t)place[ob_summit_at(&s, d)] * s.bytes;
    ob_summit_take(&s, s.bytes / s.esize);
    return OB_OK;
}
