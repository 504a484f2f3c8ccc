/*
 * Long collective calls that read straight from matrices: the agreement, and the rounds.
 */
#include "collective/board/direct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* What notes of long calls say beside bytes and kind. */
typedef struct shown {
    ob_end end;
    uint64_t bytes; /* of all */
    float took;     /* for the last long call, ns a byte, */
    ob_timed last;  /* which is this one */
    uint8_t choice; /* OPENBLACS_ONE_COPY */
    bool can;       /* `end` can be read, in runs that are worth it */
    bool unreached; /* somebody's memory cannot be read by us */
    bool failed;
    int32_t ended; /* then: a member that has ended; -1: it is not that */
} shown;

_Static_assert(sizeof(shown) <= OB_NOTE_INLINE, "it stands in a note");

static shown *shown_in(ob_note *note)
{
    return (shown *)(void *)note->data;
}

static const shown *shown_by(const ob_board *b, int member)
{
    return shown_in(ob_board_note(b, member));
}

int ob_direct_of(ob_board *b, ob_direct **direct)
{
    if (b->direct == NULL)
        b->direct = calloc(1, sizeof *b->direct + (size_t)b->size * sizeof *b->direct->end);
    *direct = b->direct;
    return b->direct
               ? OB_OK
               : ob_fail(OB_ENOMEM, "OB-4001 no memory for a collective of %d members", b->size);
}

/* ------------------------------------------------------------------------ times */

static ob_way *way_of(const ob_long *c)
{
    return &c->direct->way[c->sort][ob_way_class(c->bytes)];
}

void ob_long_tell(ob_long *c, ob_note *note)
{
    if (c->direct == NULL)
        return;
    shown_in(note)->bytes = c->bytes;
    shown_in(note)->took = c->direct->own;
    shown_in(note)->last = c->direct->last;
    c->took += ob_time() - c->since;
}

/* The time of the slowest is the call's. To one of two it is that of both: the root waits for what
 * the other does first. All compute the same, of the same notes; nothing where members do not name
 * the same bytes, or not the same call before: it failed at some, or was a short one there. */
static void hear_times(ob_long *c)
{
    ob_direct *d = c->direct;
    const ob_timed last = d->last;
    float most = 0, sum = 0;
    bool same = last.timed;
    for (int i = 0; i < c->board->size; i++) {
        const shown *s = shown_by(c->board, i);
        c->alike = ob_board_note(c->board, i)->kind == c->kind && s->bytes == c->bytes;
        if (!c->alike)
            break;
        same &= memcmp(&s->last, &last, sizeof last) == 0;
        most = s->took > most ? s->took : most;
        sum += s->took;
    }
    if (same && c->alike)
        ob_way_saw(&d->way[last.sort][last.class], last.straight,
                   last.sort == OB_DIRECT_REDUCE ? sum : most);
    d->last.timed = 0;
}

void ob_long_hear(ob_long *c)
{
    if (c->direct == NULL)
        return;
    hear_times(c);
    c->since = ob_time();
}

void ob_long_end(ob_long *c)
{
    ob_direct *d = c->direct;
    if (d == NULL)
        return;
    c->took += ob_time() - c->since;
    ob_way_count(OB_WAY_COLLECTIVES, c->straight);
    d->last = (ob_timed){c->alike, (uint8_t)c->sort, (uint8_t)ob_way_class(c->bytes), c->straight};
    d->own = (float)(1e9 * c->took / (double)c->bytes);
}

/* ----------------------------------------------------------------------- rounds */

static int begin_round(ob_long *c, ob_note **note)
{
    int status = ob_board_begin(c->board, note);
    if (status != OB_OK)
        return status;
    (*note)->bytes = c->bytes;
    (*note)->kind = c->kind;
    (*note)->name[0] = c->sizes;
    (*note)->name[1] = UINT64_MAX; /* nothing is lent: parts_board.c's look() */
    *shown_in(*note) = (shown){.failed = c->failed, .ended = c->ended};
    return OB_OK;
}

static int end_round(ob_long *c)
{
    ob_board_post(c->board);
    return ob_board_wait_all(c->board);
}

/* False: it is not worth reading. */
static bool expose(const ob_board *b, const ob_view *view, ob_end *end)
{
    ob_peer *other = b->group->peer[b->me ? 0 : 1];
    ob_view nothing = ob_view_of_bytes(NULL, 0);
    return other->transport->expose(other, view ? view : &nothing, end) && view;
}

/* We try its ends as others would: some memory the kernel does not hand out. */
static bool can_be_read(const ob_board *b, const ob_view *view, ob_end *end)
{
    ob_peer *other = b->group->peer[b->me ? 0 : 1];
    return expose(b, view, end) &&
           (ob_view_bytes(view) == 0 || other->transport->serves(other, end, false));
}

/* Can a call that was not read to its end be done again, the usual way? A collect and a gather can:
 * what is read is written by nobody. */
static bool can_repeat(const ob_long *c)
{
    return c->sort == OB_DIRECT_COLLECT || c->sort == OB_DIRECT_GATHER;
}

/* Nobody's memory is read before all have shown theirs, and are known to have come. */
static int show_end(ob_long *c, const ob_view *view)
{
    ob_board *b = c->board;
    ob_note *note;
    ob_end next;
    int status = begin_round(c, &note);
    if (status != OB_OK)
        return status;
    shown *s = shown_in(note);
    bool twice = view && c->next && view->base != c->next->base;
    if (can_repeat(c) && c->direct->met)
        s->can = expose(b, view, &s->end);
    else
        s->can = can_be_read(b, view, &s->end) &&
                 (twice ? can_be_read(b, c->next, &next) : expose(b, c->next, &next));
    s->choice = (uint8_t)b->group->job->set.one_copy;
    ob_long_tell(c, note);
    return end_round(c);
}

int ob_long_begin(ob_long *c, ob_board *b, enum ob_direct_sort sort, uint64_t bytes, uint64_t sizes,
                  uint32_t kind, const ob_view *view, const ob_view *next, bool *asks)
{
    *c = (ob_long){
        .board = b, .sort = (int)sort, .bytes = bytes, .sizes = sizes, .kind = kind, .next = next};
    *asks = false;
    if (bytes < OB_STRAIGHT_LEAST || b->group->peer[b->me ? 0 : 1]->transport->expose == NULL)
        return OB_OK;
    int status = ob_direct_of(b, &c->direct);
    if (status != OB_OK)
        return status;
    c->since = ob_time();
    const ob_direct *d = c->direct;
    *asks = !d->met || (d->can && (d->always || way_of(c)->wanted));
    return *asks ? show_end(c, view) : OB_OK;
}

/* All try whether they can read all others, and tell. */
static int try_all(ob_long *c)
{
    ob_board *b = c->board;
    ob_direct *d = c->direct;
    ob_note *note;
    bool unreached = false;
    for (int i = 0; i < b->size; i++) {
        ob_peer *peer = b->group->peer[i];
        unreached |= i != b->me && !peer->transport->reaches(peer, &d->end[i]);
    }
    int status = begin_round(c, &note);
    if (status != OB_OK)
        return status;
    shown_in(note)->unreached = unreached;
    status = end_round(c);
    for (int i = 0; i < b->size && status == OB_OK; i++)
        d->can &= !shown_by(b, i)->unreached;
    return status;
}

/* What all think of it: `never` of one is never. */
static void take_choices(ob_long *c)
{
    ob_direct *d = c->direct;
    d->met = d->can = true;
    for (int i = 0; i < c->board->size; i++) {
        d->can &= shown_by(c->board, i)->choice != OB_ONE_COPY_NEVER;
        d->always |= shown_by(c->board, i)->choice == OB_ONE_COPY_ALWAYS;
    }
}

/* Straight is as slow as can be, as far as the comparison goes: it is not asked for again soon. */
static void not_soon(ob_long *c)
{
    ob_way_saw(way_of(c), true, 2 * way_of(c)->usual);
}

int ob_long_decide(ob_long *c)
{
    ob_direct *d = c->direct;
    bool wanted = way_of(c)->wanted, can = true;
    int status = OB_OK;
    for (int i = 0; i < c->board->size; i++) {
        d->end[i] = shown_by(c->board, i)->end;
        can &= shown_by(c->board, i)->can;
    }
    hear_times(c);
    if (!d->met) {
        take_choices(c);
        if (d->can)
            status = try_all(c);
    }
    c->since = ob_time();
    c->straight = d->can && can && (wanted || d->always);
    if (wanted && !can)
        not_soon(c);
    return status;
}

static void note_failure(ob_long *c, int member)
{
    c->failed = true;
    c->ended = errno == ESRCH ? member : -1; /* the launcher may not know yet */
}

void ob_long_fetch(ob_long *c, int member, size_t from, size_t bytes, const ob_view *to, size_t at)
{
    ob_peer *peer = c->board->group->peer[member];
    const ob_end *end = &c->direct->end[member];
    if (!c->failed && !peer->transport->fetch(peer, end, from, bytes, to, at))
        note_failure(c, member);
}

void ob_long_put(ob_long *c, int member, size_t to, size_t bytes, const ob_view *from, size_t at)
{
    ob_peer *peer = c->board->group->peer[member];
    const ob_end *end = &c->direct->end[member];
    if (!c->failed && !peer->transport->put(peer, end, to, bytes, from, at))
        note_failure(c, member);
}

/* Of a member that could not read. */
static int failed_error(const ob_board *b, int member)
{
    int ended = shown_by(b, member)->ended;
    return ended >= 0
               ? ob_board_gone(b, ended)
               : ob_fail(OB_ESYSTEM,
                         "OB-4009 process %d cannot reach the others' memory any more, as it "
                         "could before; "
                         "OPENBLACS_ONE_COPY=0 does without",
                         b->group->peer[member]->number);
}

int ob_long_meet(ob_long *c)
{
    ob_board *b = c->board;
    ob_note *note;
    int status = begin_round(c, &note);
    if (status != OB_OK)
        return status;
    expose(b, c->next, &shown_in(note)->end);
    status = end_round(c);
    int failed = -1;
    for (int i = 0; i < b->size && status == OB_OK; i++) {
        const shown *s = shown_by(b, i);
        c->direct->end[i] = s->end;
        if (s->failed && (failed < 0 || s->ended >= 0))
            failed = i;
    }
    if (failed < 0)
        return status;
    if (shown_by(b, failed)->ended >= 0 || !can_repeat(c))
        return failed_error(b, failed);
    not_soon(c);
    c->straight = c->failed = false;
    c->since = ob_time(); /* what the usual way takes is from here on */
    c->took = 0;
    return OB_OK;
}
