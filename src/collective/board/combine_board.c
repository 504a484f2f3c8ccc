/*
 * Combine among the members of one node, on memory they have in common. Each
 * shows its values once. A short vector is combined by every member for itself,
 * in one round. combine_slices.c has what is done with a long one.
 */
#include "collective/board/combine.h"

/* Where one reads all of it: small, so that it is read from the cache while the next part is shown,
 * and of few parts together, so that their memory is still there when it is used again. */
enum { PARTS_READ = 4, PART_LEAST = 32 << 10, PART_MOST = 128 << 10, AHEAD = 3 };

/* Where our values stand in this round, as the note says: in it, on a slate, or lent. Who gets no
 * result waits for nobody, so it takes a slate only where that is known to be free. */
static int place_in_round(ob_summit *s, ob_note *note, char **to)
{
    ob_board *b = s->board;
    *to = note->data;
    note->name[1] = 0; /* not on a slate */
    if (s->bytes <= OB_NOTE_INLINE)
        return OB_OK;
    if (!s->wanted && !ob_board_has_free_slate(b)) {
        *to = ob_board_lend(b, s->bytes, 1, &note->name[0]);
    } else {
        int status = ob_board_free_slate(b);
        if (status != OB_OK)
            return status;
        *to = ob_board_slate(b, note);
    }
    return *to ? OB_OK : OB_ENOMEM;
}

static bool is_lent(const ob_summit *s, const ob_note *note)
{
    return s->bytes > OB_NOTE_INLINE && note->name[1] == 0;
}

/* Where one finds them; of lent ones it is a reader. */
static const char *find_values(ob_summit *s, int member)
{
    ob_note *note = ob_board_note(s->board, member);
    return s->bytes <= OB_NOTE_INLINE ? note->data
           : is_lent(s, note) ? ob_board_read(s->board->group, member, note->name[0], s->bytes)
                              : ob_board_slate_of(s->board, member);
}

/* own: where nobody else reads ours; NULL: they are in the round. */
static void take_round(ob_summit *s, const char *own)
{
    for (int d = 0; d < s->size; d++) {
        int member = ob_summit_at(s, d);
        s->source[d] = own && member == s->me ? own : find_values(s, member);
    }
    ob_summit_take(s, s->bytes / s->esize);
    for (int d = 0; d < s->size; d++)
        if (s->source[d] != own && is_lent(s, ob_board_note(s->board, ob_summit_at(s, d))))
            ob_board_give_back(s->board, (void *)(uintptr_t)s->source[d]);
}

/* The vector fits into the notes, or into the slates. */
static int in_notes(ob_summit *s)
{
    bool alone = s->wanted && s->root != OB_ANY && s->bytes > OB_NOTE_INLINE;
    const char *own = alone && ob_summit_own_in_place(s) ? s->flat_from : NULL;
    ob_note *note;
    char *to = NULL;
    int status = ob_summit_begin(s, &note);
    if (status == OB_OK && own == NULL)
        status = place_in_round(s, note, &to);
    if (status != OB_OK)
        return status;
    if (to && s->bytes)
        ob_cursor_pack(&s->in, to, s->bytes);
    ob_board_post(s->board);
    if (s->wanted) {
        status = ob_board_wait_all(s->board);
        if (status == OB_OK)
            status = ob_summit_check(s);
        if (status != OB_OK)
            return status;
        take_round(s, own);
    }
    if (to && s->bytes > OB_NOTE_INLINE && !is_lent(s, note))
        ob_board_want_slate(s->board, s->bytes);
    return OB_OK;
}

/* One part of it: `first` and `last` say which. */
static int read_part(ob_summit *s, size_t n, bool first, bool last)
{
    unsigned readers = s->root == OB_ANY ? (unsigned)s->size - 1 : !s->wanted;
    const char *own = s->in.at;
    ob_note *note;
    s->own_lent = false;
    int status = first ? OB_OK : ob_board_keep_up(s->board, AHEAD);
    if (status == OB_OK)
        status = ob_summit_begin(s, &note);
    if (status == OB_OK)
        note->name[1] = 0; /* not on a slate */
    if (status == OB_OK && (readers || !ob_summit_own_in_place(s)))
        status = ob_summit_show(s, note, n, readers, s->wanted, &own);
    else if (status == OB_OK)
        ob_cursor_take(&s->in, n * s->esize, &(size_t){0});
    if (status != OB_OK)
        return status;
    if (first)
        ob_long_tell(&s->call, note);
    ob_board_post(s->board);
    /* Nobody goes on with a long one before it knows that all have the same sizes. */
    bool meets = first && (s->wanted || !last || s->call.direct);
    if (s->wanted || meets)
        status = ob_board_wait_all(s->board);
    if (status == OB_OK && meets)
        status = ob_summit_check(s);
    if (status == OB_OK && meets)
        ob_long_hear(&s->call);
    if (status != OB_OK || !s->wanted)
        return status;
    ob_summit_borrow(s, own, n);
    ob_summit_take(s, n);
    ob_summit_return(s);
    return OB_OK;
}

static int read_all(ob_summit *s)
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

int ob_combine_board(ob_group *group, int root, ob_op op, const ob_operation *operation,
                     const ob_view *from, const ob_view *to, const ob_coordinates *coords,
                     bool exact)
{
    ob_summit s;
    ob_board *board;
    int status = ob_board_of(group, &board);
    if (status == OB_OK)
        status = ob_summit_open(&s, NULL, group, root, op, operation, from, to, coords, exact);
    if (status != OB_OK)
        return status;
    s.board = board;
    size_t all = (size_t)s.size * s.bytes;
    s.flat_from = ob_view_contiguous(from) ? from->base : NULL;
    if (s.bytes <= OB_NOTE_INLINE || (s.bytes <= OB_SLATE_BYTES && all <= OB_READ_ALL))
        return in_notes(&s);
    s.flat_to = s.out.view.n == 1 && ob_view_contiguous(to) ? to->base : NULL;
    if (all <= OB_READ_ALL)
        return read_all(&s);
    /* Two members: one who alone gets the result, or owners, saves showing and copying them. */
    bool by_two = s.size == 2 && (coords || root != OB_ANY);
    status = ob_combine_begin_long(&s);
    if (status != OB_OK)
        return status;
    status = by_two && !s.call.straight ? read_all(&s) : ob_combine_long(&s);
    ob_long_end(&s.call);
    return status;
}
