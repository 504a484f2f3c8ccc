/*
 * A superstep among the members of one node: one round of the board. Each
 * member's note says where its chunks for each other one are, in memory it has lent; they are
 * read there.
 */
#include "core/error.h"
#include "superstep/internal.h"

/* No other round's kind (barrier_board.c has the one above). */
#define KIND (UINT32_MAX - 1)

/* What stands in a note: two words, and the entries of a small group. */
typedef struct saying {
    uint64_t flags, claim;
    ob_entry entry[];
} saying;

enum { INLINE = (OB_NOTE_INLINE - sizeof(saying)) / sizeof(ob_entry) };

static uint64_t fill(ob_superstep *x, ob_entry *entry)
{
    uint64_t all = 0;
    for (int d = 0; d < x->size; d++) {
        uint64_t bytes = d == x->me ? 0 : ob_outbox_close(x, d);
        entry[d] = (ob_entry){bytes ? x->out[x->turn][d].piece[0].name : 0, bytes};
        all += bytes;
    }
    return all;
}

static int mixed_up(const ob_superstep *x, int member)
{
    const ob_group *g = x->group;
    return ob_fail(OB_ESTATE,
                   "process %d ends a superstep while process %d is in another collective call",
                   g->job->number, g->peer[member]->number);
}

/* Entries of members with nothing for anybody are not looked at. */
static int look(ob_superstep *x, int member, ob_tally *tally, uint32_t claim)
{
    const ob_note *note = ob_board_note(x->board, member);
    const saying *s = (const saying *)note->data;
    ob_inbox *in = &x->in[member];
    in->first = NULL;
    if (note->kind != KIND)
        return mixed_up(x, member);
    tally->flags |= (unsigned)s->flags;
    tally->agreed &= s->claim == claim;
    if (note->bytes == 0)
        return OB_OK;
    const ob_entry *e =
        x->size <= INLINE ? s->entry : ob_board_borrow(x->board, member, note->name[0]);
    if (e[x->me].bytes)
        in->first = ob_board_borrow(x->board, member, e[x->me].name);
    return OB_OK;
}

int ob_superstep_board(ob_superstep *x, ob_tally *tally)
{
    ob_note *note;
    int status = ob_board_begin(x->board, &note);
    if (status != OB_OK)
        return status;
    saying *s = (saying *)note->data;
    note->kind = KIND;
    note->name[0] = x->table_name[x->turn];
    s->flags = tally->flags;
    s->claim = tally->claim;
    note->bytes = fill(x, x->size <= INLINE ? s->entry : x->table[x->turn]);
    tally->sent = note->bytes;
    ob_board_post(x->board);
    status = ob_board_wait_all(x->board);
    for (int i = 0; status == OB_OK && i < x->size; i++)
        if (i != x->me)
            status = look(x, i, tally, tally->claim);
    return status;
}
