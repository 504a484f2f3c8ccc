/*
 * Scatter and gather on the board where each member knows the size of its own piece alone, and the
 * root those of all; and what all other scatters begin with, whatever sizes members name. Who sends
 * chooses the way, and its note says which: short pieces stand in the note, on a slate that is
 * known to be free, or in lent memory, with their sizes; long ones go as messages.
 *
 * Long pieces of a scatter are read straight from the root's matrices instead, by those who come
 * while it waits. It waits while others read, and else for a moment: who comes later gets a
 * message, unless its piece is so long that messages might fill the root's heap. A second round
 * says who has read, and who could not and gets a message, too.
 */
#include <string.h>

#include "collective/board/board.h"
#include "collective/board/collectives.h"
#include "collective/board/direct.h"
#include "collective/scheme/vectors.h"
#include "core/error.h"
#include "core/scratch.h"
#include "message/message.h"

/* Bytes in lent memory, sizes included, so that each fits into 16 bits; and those that one who
 * waits for nobody lends before all are done with them: the memory is used again while it is in the
 * cache. */
enum { LENT_MOST = 64 << 10, AHEAD = 256 << 10 };
/* At most so long the root waits for one who has not come while nobody reads. Where that is in vain
 * more than MISSED_FREE times in a row it does so ever more rarely, once in 256 calls at least. */
#define MEET_SECONDS 50e-6
enum { MISSED_FREE = 3, MISSED_MOST = MISSED_FREE + 8 };
/* Bytes of a piece that goes as a message to one who comes too late. */
enum { LATE_MOST = 256 << 10 };
/* Where they are; in a note's kind, behind the task. */
enum form { NOTHING, IN_NOTE, ON_SLATE, LENT, IN_MESSAGES, STRAIGHT, DONE, REFUSED, IN_SHARES };
enum { FORM_AT = 12, FORM = 15 << FORM_AT };

/* In the root's note of a scatter that goes on in shares. */
typedef struct in_shares {
    uint64_t shape, count;
} in_shares;

/* What we do, in an error line. */
static const char DOES[] = "takes part in a scatter or gather";

/* Unlike the kinds of all other notes: what is in its upper four bits is no task, and its lowest
 * eight are no type. */
static uint32_t kind_of(ob_task task)
{
    return (uint32_t)(OB_TASK_KINDS + 2) << 28 | (uint32_t)task << 8 | 0xff;
}

static enum form form_of(const ob_note *note)
{
    return (enum form)((note->kind & FORM) >> FORM_AT);
}

int ob_parts_differ(const ob_board *b, ob_task task, int member, uint64_t theirs, size_t mine)
{
    const ob_group *g = b->group;
    return ob_fail(
        OB_ESIZE,
        "OB-5002 %s: process %d has %llu bytes for others where process %d expects %zu; all "
        "members must name the same sizes",
        task == OB_TASK_COMBINE ? "a combine" : ob_task_name(task), g->peer[member]->number,
        (unsigned long long)theirs, g->job->number, mine);
}

static in_shares *shares_in(ob_note *note)
{
    return (in_shares *)(void *)note->data;
}

static enum form form_for(const ob_board *b, size_t bytes)
{
    if (bytes <= OB_NOTE_INLINE)
        return IN_NOTE;
    if (bytes <= OB_SLATE_BYTES && ob_board_has_free_slate(b))
        return ON_SLATE;
    return bytes <= LENT_MOST ? LENT : IN_MESSAGES;
}

static uint32_t rounds_ahead(size_t bytes)
{
    size_t most = AHEAD / bytes;
    return most < OB_BOARD_DEPTH / 2 ? (uint32_t)most : OB_BOARD_DEPTH / 2;
}

/* Begins a round in which so many bytes are shown, and so many for their sizes. *to: where; NULL:
 * they go as messages. */
static int begin(ob_board *b, ob_task task, size_t sizes, size_t bytes, unsigned readers,
                 ob_note **note, char **to)
{
    size_t all = sizes + bytes;
    enum form form = form_for(b, all);
    int status = form == LENT ? ob_board_keep_up(b, rounds_ahead(all)) : OB_OK;
    if (status == OB_OK)
        status = ob_board_begin(b, note);
    if (status != OB_OK)
        return status;
    (*note)->bytes = bytes;
    *to = form == IN_NOTE    ? (*note)->data
          : form == ON_SLATE ? ob_board_slate(b, *note)
          : form == LENT     ? ob_board_lend(b, all, readers, &(*note)->name[0])
                             : NULL;
    if (*to == NULL)
        form = IN_MESSAGES;
    (*note)->kind = kind_of(task) | (uint32_t)form << FORM_AT;
    return OB_OK;
}

static int post_nothing(ob_board *b, ob_task task)
{
    ob_note *note;
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->bytes = 0;
    note->kind = kind_of(task);
    ob_board_post(b);
    return OB_OK;
}

/* Of all pieces of a scatter. */
static size_t sizes_bytes(const ob_board *b)
{
    return sizeof(uint16_t) * (size_t)b->size;
}

/* They stand in the note, in the first of its lines where there are few; `shown`: where else. */
static char *sizes_at(const ob_board *b, ob_note *note, char *shown)
{
    return sizes_bytes(b) <= OB_NOTE_INLINE ? note->data : shown;
}

/* The pieces in what is shown: behind the sizes, if these are there. */
static char *pieces_at(const ob_board *b, ob_note *note, char *shown)
{
    return shown + (sizes_at(b, note, shown) == shown ? sizes_bytes(b) : 0);
}

static char *pack(char *to, const ob_view *piece, size_t bytes)
{
    ob_cursor in;
    ob_cursor_open(&in, piece);
    if (bytes)
        ob_cursor_pack(&in, to, bytes);
    return to + bytes;
}

/* A piece of so many bytes, which a member sent. */
static int unpack(const ob_board *b, int member, const ob_view *piece, const char *from,
                  uint64_t bytes)
{
    ob_cursor out;
    if (bytes != ob_view_bytes(piece))
        return ob_fail_size(b->group->peer[member]->number, bytes, OB_BYTE, piece);
    ob_cursor_open(&out, piece);
    if (bytes)
        ob_cursor_unpack(&out, from, bytes);
    return OB_OK;
}

/* Where a member's note has it, of which so many bytes are read; give_back() when done. NULL: in
 * messages. */
static char *find(ob_board *b, int member, size_t bytes)
{
    ob_note *note = ob_board_note(b, member);
    switch (form_of(note)) {
    case IN_NOTE: return note->data;
    case ON_SLATE: return ob_board_slate_of(b, member);
    case LENT: return ob_board_read(b->group, member, note->name[0], bytes);
    default: return NULL;
    }
}

/* So many bytes are shown. */
static void post(ob_board *b, const ob_note *note)
{
    bool on_slate = form_of(note) == ON_SLATE;
    ob_board_post(b);
    if (on_slate)
        ob_board_want_slate(b, note->bytes);
}

static void give_back(const ob_board *b, int member, const char *at)
{
    if (form_of(ob_board_note(b, member)) == LENT)
        ob_board_give_back(b, (void *)(uintptr_t)at);
}

static bool is_of(const ob_board *b, int member, ob_task task)
{
    return (ob_board_note(b, member)->kind & ~(uint32_t)FORM) == kind_of(task);
}

/* --------------------------------------------------- scatter, straight from the root */

/* Whose piece it is claims it when it comes. The root does so for one who comes too late, or could
 * not read it in long runs. */
enum claim { OPEN, CLAIMED, IN_MESSAGE, EMPTY };

/* A piece that stays where it is. */
typedef struct shown {
    _Alignas(OB_LINE) ob_end end;
    uint64_t bytes;
    atomic_uint claim;
} shown;

static bool claim(shown *s, enum claim now)
{
    unsigned open = OPEN;
    return atomic_compare_exchange_strong(&s->claim, &open, now);
}

static bool is(const shown *s, enum claim wanted)
{
    return atomic_load_explicit(&s->claim, memory_order_acquire) == wanted;
}

/* After several calls to which somebody came too late, ever more rarely. */
static bool wants_straight(ob_board *b)
{
    ob_direct *d;
    if (b->group->job->set.one_copy == OB_ONE_COPY_NEVER ||
        ob_group_another(b->group)->transport->expose == NULL || ob_direct_of(b, &d) != OB_OK ||
        d->exchange.refused || d->scatter.refused || (d->met && !d->can))
        return false;
    return d->scatter.missed <= MISSED_FREE ||
           ++d->scatter.passed >> (d->scatter.missed - MISSED_FREE) != 0;
}

static bool all_readable(const ob_board *b, const ob_parts *parts)
{
    ob_end end;
    bool all = true;
    for (int i = 0; i < b->size && all; i++) {
        ob_peer *peer = b->group->peer[i];
        all = i == b->me || ob_part_bytes(parts, i) == 0 ||
              peer->transport->expose(peer, &parts->view[i], &end);
    }
    return all;
}

/* NULL: they go another way. What cannot be read goes in shares, if it may: a long message to one
 * who is late might not find room. */
static shown *show_pieces(ob_board *b, const ob_parts *parts, bool shares, ob_note *note)
{
    size_t bytes = (size_t)b->size * sizeof(shown);
    shown *pieces = wants_straight(b) && (!shares || all_readable(b, parts))
                        ? ob_group_lend_now(b->group, bytes, (unsigned)b->size, &note->name[0])
                        : NULL;
    for (int i = 0; i < b->size && pieces; i++) {
        ob_peer *peer = b->group->peer[i];
        size_t n = i == b->me ? 0 : ob_part_bytes(parts, i);
        bool readable = n && peer->transport->expose(peer, &parts->view[i], &pieces[i].end);
        pieces[i].bytes = n;
        atomic_init(&pieces[i].claim, n == 0 ? EMPTY : readable ? OPEN : IN_MESSAGE);
    }
    return pieces;
}

/* The next member whose piece is in that state, and, if it reads, who is not done; -1: none. */
static int next_of(const ob_board *b, const shown *pieces, enum claim wanted)
{
    for (int k = 1; k < b->size; k++) {
        int i = (b->me + k) % b->size;
        if (is(&pieces[i], wanted) && (wanted != CLAIMED || !ob_board_has(b, i)))
            return i;
    }
    return -1;
}

/* Does a piece go as a message to one who is late? *room: in the heap, for all such. */
static bool is_kept(const shown *s, uint64_t *room)
{
    bool kept = s->bytes <= LATE_MOST && s->bytes <= *room;
    *room -= kept ? s->bytes : 0;
    return kept;
}

/* Until all who have come have read. Who has not come is waited for while others read, and for a
 * moment, or until it has read a long piece. *late: somebody had not come then. */
static int wait_for_readers(ob_board *b, shown *pieces, bool *late)
{
    uint64_t heap = b->group->job->set.heap_bytes, room = heap ? heap / 4 : UINT64_MAX;
    ob_waiter w;
    int status = OB_OK, i;
    ob_board_begin_wait(b, &w);
    while ((i = next_of(b, pieces, OPEN)) >= 0 && status == OB_OK) {
        if (!ob_wait_turn(&w, b->group->peer[i]) &&
            (w.since == 0 || ob_time() - w.since < MEET_SECONDS))
            continue;
        int reads = next_of(b, pieces, CLAIMED);
        *late |= reads < 0;
        if (reads < 0 && is_kept(&pieces[i], &room)) {
            claim(&pieces[i], IN_MESSAGE);
            continue;
        }
        status = ob_board_wait(b, reads < 0 ? i : reads);
        ob_board_begin_wait(b, &w);
    }
    /* After a failure nobody begins to read any more. Who reads is waited for all the same. */
    for (i = 0; i < b->size && status != OB_OK; i++)
        claim(&pieces[i], IN_MESSAGE);
    for (i = 0; i < b->size; i++) {
        int one = is(&pieces[i], CLAIMED) ? ob_board_wait(b, i) : OB_OK;
        status = status ? status : one;
    }
    return status;
}

static int post_end(ob_board *b, enum form form)
{
    ob_note *note;
    int status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->bytes = 0;
    note->kind = kind_of(OB_TASK_SCATTER) | (uint32_t)form << FORM_AT;
    ob_board_post(b);
    return OB_OK;
}

/* Does a member get its piece as a message? pieces: what has been shown; NULL: nothing, and all
 * do. */
static bool gets_message(ob_board *b, int member, const shown *pieces)
{
    if (pieces == NULL || is(&pieces[member], IN_MESSAGE))
        return true;
    bool refused = is(&pieces[member], CLAIMED) && form_of(ob_board_note(b, member)) == REFUSED;
    b->direct->scatter.refused |= refused;
    return refused;
}

/* After a failure those who wait for theirs, or come only then, find the board broken. */
static int send_pieces(ob_board *b, const ob_parts *parts, const shown *pieces)
{
    int status = OB_OK;
    for (int k = 1; k < b->size && status == OB_OK; k++) {
        int i = (b->me + k) % b->size;
        if (gets_message(b, i, pieces))
            status = ob_message_send(b->group, i, OB_TAG_COLLECTIVE, &parts->view[i]);
    }
    if (status != OB_OK)
        ob_board_break(b);
    return status;
}

/* What is read straight stays until all have read it. */
static int give_straight(ob_board *b, const ob_parts *parts, shown *pieces)
{
    ob_direct *d = b->direct;
    bool late = false;
    int status = post_end(b, DONE);
    if (status == OB_OK)
        status = wait_for_readers(b, pieces, &late);
    if (status == OB_OK)
        status = send_pieces(b, parts, pieces);
    else
        ob_board_break(b); /* else who gets a message would wait for it */
    unsigned more = d->scatter.missed < MISSED_MOST;
    d->scatter.missed = late ? d->scatter.missed + more : 0;
    d->scatter.passed = 0;
    ob_board_give_back(b, pieces);
    return status;
}

static int take_straight(ob_board *b, int root, const ob_view *piece)
{
    ob_peer *peer = b->group->peer[root];
    shown *all = ob_board_borrow(b, root, ob_board_note(b, root)->name[0]), *s = &all[b->me];
    uint64_t bytes = s->bytes;
    bool failed = false;
    if (claim(s, CLAIMED) && bytes == ob_view_bytes(piece))
        failed = b->group->job->set.one_copy == OB_ONE_COPY_NEVER ||
                 !peer->transport->reaches(peer, &s->end) ||
                 !peer->transport->fetch(peer, &s->end, 0, bytes, piece, 0);
    bool message = failed || is(s, IN_MESSAGE);
    ob_board_give_back(b, all);
    int status = post_end(b, failed ? REFUSED : DONE);
    if (status != OB_OK)
        return status;
    if (message)
        return ob_board_recv(b, root, piece);
    return bytes == ob_view_bytes(piece) ? OB_OK
                                         : ob_fail_size(peer->number, bytes, OB_BYTE, piece);
}

/* ---------------------------------------------------------------------- scatter */

/* Sizes of all pieces but the own one, which is nobody's, and these. */
static void pack_pieces(const ob_board *b, const ob_parts *parts, ob_note *note, char *to)
{
    char *size = sizes_at(b, note, to), *at = pieces_at(b, note, to);
    for (int i = 0; i < b->size; i++, size += sizeof(uint16_t)) {
        uint16_t bytes = i == b->me ? 0 : (uint16_t)ob_part_bytes(parts, i);
        memcpy(size, &bytes, sizeof bytes);
        if (bytes)
            at = pack(at, &parts->view[i], bytes);
    }
}

/* shares: NULL: long ones
 * go as messages; else in how many shares the caller would show them, since all know the sizes, and
 * 0 behind it where it need not. */
static int give(ob_board *b, const ob_parts *parts, size_t *shares)
{
    ob_note *note;
    char *to;
    size_t bytes = ob_parts_bytes(parts) - ob_part_bytes(parts, b->me);
    int status =
        begin(b, OB_TASK_SCATTER, sizes_bytes(b), bytes, (unsigned)b->size - 1, &note, &to);
    if (status != OB_OK)
        return status;
    shown *pieces = to ? NULL : show_pieces(b, parts, shares != NULL, note);
    if (shares && (to || pieces))
        *shares = 0;
    if (pieces || (shares && *shares)) {
        enum form form = pieces ? STRAIGHT : IN_SHARES;
        note->kind = kind_of(OB_TASK_SCATTER) | (uint32_t)form << FORM_AT;
    }
    if (shares && *shares)
        *shares_in(note) = (in_shares){ob_parts_shape(parts), *shares};
    if (to)
        pack_pieces(b, parts, note, to);
    post(b, note);
    if (to)
        return OB_OK;
    ob_way_count(OB_WAY_COLLECTIVES, pieces != NULL);
    if (pieces)
        return give_straight(b, parts, pieces);
    return shares ? OB_OK : send_pieces(b, parts, NULL);
}

static int take_shown(ob_board *b, int root, const ob_view *piece)
{
    ob_note *note = ob_board_note(b, root);
    char *shown = find(b, root, sizes_bytes(b) + ob_view_bytes(piece));
    char *size = sizes_at(b, note, shown), *at = pieces_at(b, note, shown);
    uint16_t bytes = 0;
    for (int i = 0; i <= b->me; i++, size += sizeof bytes) {
        at += bytes;
        memcpy(&bytes, size, sizeof bytes);
    }
    int status = unpack(b, root, piece, at, bytes);
    give_back(b, root, shown);
    return status;
}

/* *all: bytes that the root has for others. shares->count: it shows them in shares from here on. */
static int take(ob_board *b, int root, const ob_view *piece, uint64_t *all, in_shares *shares)
{
    int status = post_nothing(b, OB_TASK_SCATTER);
    if (status == OB_OK)
        status = ob_board_wait(b, root);
    if (status != OB_OK)
        return status;
    ob_note *note = ob_board_note(b, root);
    enum form form = form_of(note);
    if (!is_of(b, root, OB_TASK_SCATTER) || form == NOTHING)
        return ob_board_other_call(b, root, DOES);
    *all = note->bytes;
    *shares = form == IN_SHARES ? *shares_in(note) : (in_shares){0, 0};
    if (form == STRAIGHT || form == IN_MESSAGES || form == IN_SHARES)
        ob_way_count(OB_WAY_COLLECTIVES, form == STRAIGHT);
    return form == STRAIGHT      ? take_straight(b, root, piece)
           : form == IN_MESSAGES ? ob_board_recv(b, root, piece)
           : form == IN_SHARES   ? OB_OK
                                 : take_shown(b, root, piece);
}

int ob_scatter_board(ob_group *group, int root, const ob_parts *parts, size_t *shares, bool *unlike)
{
    ob_board *b;
    uint64_t shape;
    int status = ob_board_of(group, &b);
    *unlike = false;
    if (status != OB_OK || group->me == root)
        return status ? status : give(b, parts, shares);
    status = ob_scatter_away(group, root, &parts->view[group->me],
                             ob_parts_bytes(parts) - ob_part_bytes(parts, root), shares, &shape);
    *unlike = status == OB_OK && *shares && shape != ob_parts_shape(parts);
    return status;
}

int ob_scatter_away(ob_group *group, int root, const ob_view *mine, uint64_t expected,
                    size_t *shares, uint64_t *shape)
{
    ob_board *b;
    in_shares roots = {0, 0};
    uint64_t all;
    int status = ob_board_of(group, &b);
    if (status == OB_OK)
        status = take(b, root, mine, &all, &roots);
    *shares = roots.count;
    *shape = roots.shape;
    return status == OB_OK && all != expected && !roots.count
               ? ob_parts_differ(b, OB_TASK_SCATTER, root, all, expected)
               : status;
}

/* ----------------------------------------------------------------------- gather */

static int bring(ob_board *b, int root, const ob_view *mine)
{
    ob_note *note;
    char *to;
    size_t bytes = ob_view_bytes(mine);
    int status = begin(b, OB_TASK_GATHER, 0, bytes, 1, &note, &to);
    if (status != OB_OK)
        return status;
    if (to)
        pack(to, mine, bytes);
    post(b, note);
    if (to)
        return OB_OK;
    status = ob_message_send(b->group, root, OB_TAG_COLLECTIVE, mine);
    if (status != OB_OK)
        ob_board_break(b);
    return status;
}

/* As parts_board.c shows it. */
int ob_gather_away(ob_group *group, const ob_view *mine)
{
    ob_board *b;
    ob_note *note;
    size_t bytes = ob_view_bytes(mine);
    int status = ob_board_of(group, &b);
    if (status == OB_OK && bytes > OB_NOTE_INLINE)
        status = ob_board_keep_up(b, rounds_ahead(bytes));
    if (status == OB_OK)
        status = ob_board_begin(b, &note);
    if (status != OB_OK)
        return status;
    note->bytes = bytes;
    note->kind = ob_parts_note(OB_TASK_GATHER);
    note->name[1] = 0;
    char *to = bytes <= OB_NOTE_INLINE ? note->data : ob_board_lend(b, bytes, 1, &note->name[0]);
    if (to == NULL)
        return OB_ENOMEM;
    pack(to, mine, bytes);
    ob_board_post(b);
    return OB_OK;
}

/* Takes all pieces, also behind one of another size. */
static int collect(ob_board *b, const ob_parts *parts)
{
    int status = post_nothing(b, OB_TASK_GATHER), worst = OB_OK;
    if (status == OB_OK)
        status = ob_board_wait_all(b);
    for (int k = 1; k < b->size && status == OB_OK; k++) {
        int i = (b->me + k) % b->size, one = OB_OK;
        bool here = is_of(b, i, OB_TASK_GATHER) && form_of(ob_board_note(b, i)) != NOTHING;
        const char *at = here ? find(b, i, ob_board_note(b, i)->bytes) : NULL;
        if (!here) {
            one = ob_board_other_call(b, i, DOES);
        } else if (at == NULL) {
            one = ob_board_recv(b, i, &parts->view[i]);
        } else {
            one = unpack(b, i, &parts->view[i], at, ob_board_note(b, i)->bytes);
            give_back(b, i, at);
        }
        worst = one ? one : worst;
    }
    return status ? status : worst;
}

int ob_private_board(ob_group *group, ob_task task, const ob_parts *parts)
{
    ob_board *b;
    int status = ob_board_of(group, &b);
    if (status != OB_OK)
        return status;
    return task == OB_TASK_SCATTER ? give(b, parts, NULL) : collect(b, parts);
}

int ob_private_board_away(ob_group *group, ob_task task, int root, const ob_view *mine)
{
    ob_board *b;
    uint64_t all;
    in_shares shares;
    int status = ob_board_of(group, &b);
    if (status != OB_OK)
        return status;
    return task == OB_TASK_SCATTER ? take(b, root, mine, &all, &shares) : bring(b, root, mine);
}
