/*
 * Everybody to everybody on the board.
 */
#include "collective/board/exchange.h"

#include <math.h>
#include <string.h>

#include "collective/board/direct.h"
#include "collective/scheme/scheme.h"
#include "core/error.h"
#include "core/scratch.h"

/* Where a row is; in a note's kind. */
enum form { IN_NOTE, ON_SLATE, LENT, ENDS_IN_NOTE, ENDS_ON_SLATE, ENDS_LENT, IN_MESSAGES, DONE };
enum { FORM_AT = 8, FORM = 7 << FORM_AT, UNEVEN = 8 << FORM_AT };
/* No task's number is in its upper bits, and they are not all set; the lowest eight, which are the
 * type in a combine, are no type's. */
#define KIND ((uint32_t)(OB_TASK_KINDS + 1) << 28 | 0xff)
/* Lent memory that is used again while it is in the caches; and a long row: of two members both
 * together are as long as what is long elsewhere. */
enum { LENT_MOST = 256 << 10, LONG_ROW = OB_STRAIGHT_LEAST / 2 };

/* Of a long row: the note's first word. */
typedef struct heard {
    float took;   /* by the last call with long rows, ns a byte, */
    float waited; /* and beside that until all had read */
    bool failed;
} heard;

/* A piece that stays where it is. */
typedef struct shown {
    ob_end end;
    uint64_t bytes;
} shown;

_Static_assert(sizeof(heard) + sizeof(shown) <= OB_NOTE_INLINE, "two members need no slate");

static enum form form_of(const ob_note *note)
{
    return (enum form)((note->kind & FORM) >> FORM_AT);
}

static bool has_ends(enum form form)
{
    return form >= ENDS_IN_NOTE && form <= ENDS_LENT;
}

static heard *heard_in(ob_note *note)
{
    return (heard *)(void *)note->data;
}

static bool is_long(const ob_exchange *x)
{
    return x->row >= LONG_ROW;
}

/* The place of a piece for `member` among those of `sender`, which has none for itself. */
static size_t place_of(int sender, int member)
{
    return (size_t)(member < sender ? member : member - 1);
}

/* ------------------------------------------------------------------- our row */

static void measure(ob_exchange *x)
{
    const ob_board *b = x->board;
    size_t first = ob_part_bytes(x->from, b->me ? 0 : 1);
    x->even = true;
    for (int i = 0; i < b->size; i++) {
        size_t bytes = i == b->me ? first : ob_part_bytes(x->from, i);
        x->even &= bytes == first;
        x->row += i == b->me ? 0 : bytes;
    }
}

/* Sizes, where they differ, and pieces. */
static void pack_row(const ob_exchange *x, char *to)
{
    const ob_board *b = x->board;
    for (int i = 0; i < b->size && !x->even; i++) {
        uint64_t bytes = ob_part_bytes(x->from, i);
        if (i != b->me)
            memcpy(to + place_of(b->me, i) * sizeof bytes, &bytes, sizeof bytes);
    }
    to += x->even ? 0 : (size_t)(b->size - 1) * sizeof(uint64_t);
    for (int i = 0; i < b->size; i++) {
        ob_cursor in;
        if (i == b->me || ob_part_bytes(x->from, i) == 0)
            continue;
        ob_cursor_open(&in, &x->from->view[i]);
        size_t bytes = in.left;
        ob_cursor_pack(&in, to, bytes);
        to += bytes;
    }
}

/* False: some piece is not worth reading. */
static bool expose_row(const ob_exchange *x)
{
    const ob_board *b = x->board;
    shown *ends = (shown *)(void *)x->ends;
    for (int i = 0; i < b->size; i++) {
        ob_peer *peer = b->group->peer[i];
        if (i == b->me)
            continue;
        shown *s = &ends[place_of(b->me, i)];
        *s = (shown){.bytes = ob_part_bytes(x->from, i)};
        if (s->bytes && !peer->transport->expose(peer, &x->from->view[i], &s->end))
            return false;
    }
    return true;
}

/* All choose by the class of the last call with a long row, which all know: by their own rows' some
 * would go straight and others not, and no time would count for either way. Before that class has a
 * time, as that call went. */
static bool wants_straight(const ob_exchange *x)
{
    const ob_board *b = x->board;
    const ob_direct *d = b->direct;
    int choice = b->group->job->set.one_copy;
    if (!is_long(x) || ob_group_another(b->group)->transport->expose == NULL ||
        choice == OB_ONE_COPY_NEVER || d->exchange.refused || (d->met && !d->can))
        return false;
    const ob_way *w = &d->way[OB_DIRECT_EXCHANGE][d->exchange.class];
    return choice == OB_ONE_COPY_ALWAYS || (w->pause ? w->wanted : d->exchange.straight);
}

/* Memory for so many bytes: behind `used` of the note's own, on the slate, or lent. */
static char *room_for(ob_board *b, ob_note *note, size_t used, size_t bytes, enum form *form)
{
    if (used + bytes <= OB_NOTE_INLINE)
        return note->data + used;
    *form += bytes <= OB_SLATE_BYTES ? ON_SLATE : LENT;
    return bytes <= OB_SLATE_BYTES ? ob_board_slate(b, note)
                                   : ob_board_lend(b, bytes, (unsigned)b->size - 1, &note->name[0]);
}

static int show(ob_exchange *x, ob_note *note)
{
    ob_board *b = x->board;
    size_t others = (size_t)b->size - 1, ends = others * sizeof(shown);
    size_t all = x->row + (x->even ? 0 : others * sizeof(uint64_t));
    bool straight = wants_straight(x) && expose_row(x);
    enum form form = straight                        ? ENDS_IN_NOTE
                     : all > LENT_MOST && is_long(x) ? IN_MESSAGES
                                                     : IN_NOTE;
    char *to = note->data;
    note->bytes = x->row;
    if (straight)
        to = room_for(b, note, sizeof(heard), ends, &form);
    else if (form != IN_MESSAGES)
        to = room_for(b, note, 0, all, &form);
    if (to == NULL)
        return OB_ENOMEM;
    if (straight)
        memcpy(to, x->ends, ends);
    else if (form != IN_MESSAGES)
        pack_row(x, to);
    note->kind = KIND | (uint32_t)form << FORM_AT | (x->even ? 0 : UNEVEN);
    x->shows = straight;
    if (form == IN_MESSAGES) {
        memset(x->way, OB_LEFT_TO, (size_t)b->size);
        x->messages = true;
    }
    if (is_long(x))
        *heard_in(note) = (heard){b->direct->exchange.own, b->direct->exchange.waited, false};
    return OB_OK;
}

/* ------------------------------------------------------------------ others' rows */

static int size_error(const ob_exchange *x, int member, uint64_t bytes)
{
    const ob_view *mine = &x->to->view[member];
    return ob_fail_size(x->board->group->peer[member]->number, bytes, OB_BYTE, mine);
}

/* Out of a row that is packed. */
static int take_packed(const ob_exchange *x, int member, const ob_note *note, const char *row)
{
    const ob_board *b = x->board;
    size_t others = (size_t)b->size - 1, place = place_of(member, b->me), before;
    uint64_t bytes = note->bytes / others;
    before = place * bytes;
    if (note->kind & UNEVEN) {
        const char *sizes = row;
        row += others * sizeof bytes;
        before = 0;
        for (size_t i = 0; i <= place; i++) {
            memcpy(&bytes, sizes + i * sizeof bytes, sizeof bytes);
            before += i < place ? bytes : 0;
        }
    }
    if (bytes != ob_part_bytes(x->to, member))
        return size_error(x, member, bytes);
    ob_cursor out;
    ob_cursor_open(&out, &x->to->view[member]);
    if (bytes)
        ob_cursor_unpack(&out, row + before, bytes);
    return OB_OK;
}

/* Straight. After a failure nothing more is read; `never` of one is never. */
static int take_straight(ob_exchange *x, int member, const char *ends)
{
    const ob_board *b = x->board;
    ob_peer *peer = b->group->peer[member];
    shown s;
    memcpy(&s, ends + place_of(member, b->me) * sizeof s, sizeof s);
    x->way[member] |= OB_READ_FROM;
    if (s.bytes != ob_part_bytes(x->to, member))
        return size_error(x, member, s.bytes);
    if (s.bytes && !x->failed)
        x->failed = b->group->job->set.one_copy == OB_ONE_COPY_NEVER ||
                    !peer->transport->reaches(peer, &s.end) ||
                    !peer->transport->fetch(peer, &s.end, 0, s.bytes, &x->to->view[member], 0);
    return OB_OK;
}

static int take(ob_exchange *x, int member)
{
    ob_board *b = x->board;
    ob_note *note = ob_board_note(b, member);
    enum form form = form_of(note);
    bool ends = has_ends(form);
    if (form == IN_MESSAGES) {
        x->way[member] |= OB_LEFT_FROM;
        x->messages = true;
        return OB_OK;
    }
    char *at = note->data + (ends ? sizeof(heard) : 0);
    bool lent = form == LENT || form == ENDS_LENT;
    if (form == ON_SLATE || form == ENDS_ON_SLATE)
        at = ob_board_slate_of(b, member);
    else if (lent)
        at = ob_board_read(b->group, member, note->name[0], ob_part_bytes(x->to, member));
    int status = ends ? take_straight(x, member, at) : take_packed(x, member, note, at);
    if (lent)
        ob_board_give_back(b, at);
    return status;
}

/* ------------------------------------------------------------------------ times */

/* The work of the slowest is the call's time, and what everybody has waited beside it; its way is
 * that of the (last) longest row. All compute the same: they have seen the same notes. */
static void hear_times(ob_exchange *x)
{
    ob_board *b = x->board;
    ob_direct *d = b->direct;
    float most = 0, waited = INFINITY;
    for (int i = 0; i < b->size; i++) {
        ob_note *note = ob_board_note(b, i);
        if (note->bytes < LONG_ROW)
            continue;
        most = fmaxf(most, heard_in(note)->took);
        waited = fminf(waited, heard_in(note)->waited);
        x->asked |= has_ends(form_of(note));
        if (note->bytes == x->most)
            x->straight = has_ends(form_of(note));
    }
    if (d->exchange.timed)
        ob_way_saw(&d->way[OB_DIRECT_EXCHANGE][d->exchange.class], d->exchange.straight,
                   most + waited);
    d->exchange.timed = false;
}

void ob_exchange_end(ob_exchange *x)
{
    if (x->most < LONG_ROW)
        return;
    ob_direct *d = x->board->direct;
    x->took += ob_time() - x->since;
    ob_way_count(OB_WAY_COLLECTIVES, x->straight);
    d->exchange.timed = true;
    d->exchange.straight = x->straight;
    d->exchange.class = ob_way_class(x->most);
    d->exchange.own = (float)(1e9 * (x->took - x->waited) / (double)x->most);
    d->exchange.waited = (float)(1e9 * x->waited / (double)x->most);
}

/* ----------------------------------------------------------------------- rounds */

/* What is read straight stays until all have read it. Who could not gets messages. Who waits may
 * share its processor with one that reads, as members do that wait for lent rows, or come later: it
 * is not its work. Of rows that else are messages, whose waits count, this one counts, too. */
static int meet(ob_exchange *x)
{
    ob_board *b = x->board;
    ob_note *note;
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->kind = KIND | DONE << FORM_AT;
    note->bytes = 0;
    *heard_in(note) = (heard){.failed = x->failed};
    ob_board_post(b);
    double since = ob_time();
    status = ob_board_wait_all(b);
    x->waited = x->most > LENT_MOST ? 0 : ob_time() - since;
    for (int i = 0; i < b->size && status == OB_OK; i++) {
        bool failed = heard_in(ob_board_note(b, i))->failed;
        b->direct->exchange.refused |= failed;
        if (x->shows)
            x->way[i] |= failed ? OB_LEFT_TO : 0;
        if (x->failed)
            x->way[i] |= x->way[i] & OB_READ_FROM ? OB_LEFT_FROM : 0;
        x->messages |= failed;
    }
    return status;
}

/* What is ours stays here, while others may still be on their way. But not where it is longer than
 * what they wait for: that comes first. */
static void take_own(ob_exchange *x)
{
    int me = x->board->me;
    size_t bytes = ob_part_bytes(x->from, me);
    x->has_own = bytes <= x->row && bytes == ob_part_bytes(x->to, me);
    if (x->has_own)
        ob_view_copy(&x->to->view[me], &x->from->view[me]);
}

static int show_row(ob_exchange *x)
{
    ob_note *note;
    ob_direct *unused;
    int status = ob_board_begin(x->board, &note);
    if (status == OB_OK)
        status = ob_direct_of(x->board, &unused); /* also where only others' rows are long */
    if (status == OB_OK)
        status = ob_board_free_slate(x->board);
    if (status == OB_OK)
        status = show(x, note);
    if (status != OB_OK)
        return status;
    if (is_long(x))
        x->took += ob_time() - x->since;
    ob_board_post(x->board);
    take_own(x);
    return ob_board_wait_all(x->board);
}

/* All are in this call; the longest row. */
static int look_at_all(ob_exchange *x)
{
    const ob_board *b = x->board;
    for (int i = 0; i < b->size; i++) {
        const ob_note *note = ob_board_note(b, i);
        if ((note->kind & ~(uint32_t)(FORM | UNEVEN)) != KIND || form_of(note) == DONE)
            return ob_board_other_call(b, i, "takes part in an all-to-all");
        x->most = note->bytes > x->most ? note->bytes : x->most;
    }
    if (x->most >= LONG_ROW) {
        x->since = ob_time();
        hear_times(x);
    }
    return OB_OK;
}

int ob_exchange_begin(ob_exchange *x, ob_group *group, const ob_parts *from, const ob_parts *to,
                      bool *usable)
{
    size_t members = (size_t)group->size, ways = ob_align(members);
    *x = (ob_exchange){.from = from, .to = to};
    *usable = false;
    int status = ob_board_of(group, &x->board);
    if (status != OB_OK)
        return status;
    measure(x);
    x->way = ob_group_scratch(group, ways + (is_long(x) ? members * sizeof(shown) : 0));
    if (x->way == NULL) {
        status = ob_fail(OB_ENOMEM, "OB-4001 ob_all_to_all: no memory for %d members", group->size);
    } else {
        memset(x->way, 0, members);
        x->ends = x->way + ways;
        x->since = is_long(x) ? ob_time() : 0;
        status = show_row(x);
    }
    if (status == OB_ENOMEM) /* all wait for our row */
        ob_board_break(x->board);
    if (status == OB_OK)
        status = look_at_all(x);
    if (status != OB_OK)
        return status;
    int one, worst = OB_OK;
    for (int k = 1; k < group->size; k++) {
        one = take(x, (group->me + k) % group->size);
        worst = one ? one : worst;
    }
    if (form_of(ob_board_note(x->board, group->me)) == ON_SLATE)
        ob_board_want_slate(x->board, x->row);
    if (x->asked)
        status = meet(x);
    *usable = status == OB_OK;
    return status ? status : worst;
}
